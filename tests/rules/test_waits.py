"""Loops that wait for the device on each trip: the kinds of fetches, and the loops that have to or may wait."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import logging
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
import wandb

optimizer = optax.adam(1e-3)


@jax.jit
def step(params, batch):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((p - batch) ** 2))(params)
    return params - 0.1 * grads, {"loss": loss, "norm": jnp.sum(grads**2)}, loss


@jax.jit
def epoch(params, batches):
    def body(p, batch):
        return p - 0.1 * (p - batch), jnp.mean((p - batch) ** 2)

    return jax.lax.scan(body, params, batches)


def evaluate(params, batches):
    total = 0.0
    for batch in batches:
        total += step(params, batch)[2]
    return total


"""


def found(body: str, folder: Path, name: str = "train.py") -> list[tuple[str, str]]:
    """The level and the text of each line with a finding, of a loop over batches."""
    text = f"def train(params, loader, env, steps):\n{indent(dedent(body).strip(), '    ')}\n    return params\n"
    settings = Settings(root=folder, select=("SCN601",), level="advice")
    outcome = check_text((HEAD + text).encode(), folder / name, settings)
    assert not outcome.problems
    return [(f.level, (HEAD + text).splitlines()[f.start.line - 1].strip()) for f in outcome.findings]


def lines(body: str, folder: Path, name: str = "train.py") -> list[str]:
    """The text of each line with a finding."""
    return [line for _, line in found(body, folder, name)]


LOOP = "losses, total, best = [], 0.0, np.inf\nfor i, batch in enumerate(loader):\n"
RUN = "    params, metrics, loss = step(params, batch)\n"
FETCHED = [
    "losses.append(float(loss))",
    "losses.append(loss.item())",
    "losses.append(np.asarray(loss))",
    "losses.append(jax.device_get(loss))",
    "losses.append(metrics['loss'].tolist())",
    "total += float(loss)",
    "print(loss)",
    "print(f'{i}: {loss:.3f}')",
    "print('loss %.3f' % loss)",
    "print('loss', np.mean(metrics['norm']))",
    "logging.info('loss %s', loss)",
    "wandb.log({'loss': loss})",
    "wandb.log({'loss': float(loss)})",
    "if loss < best: best = loss",
    "if jnp.isnan(loss): break",
    "best = min(best, float(loss))",
    "if jax.process_index() == 0: print(loss)",
    "if len(env.buffer) > 32: losses.append(float(loss))",
    "if steps is not None: wandb.log({'loss': loss})",
    "if steps and jax.process_index() == 0: wandb.log({'loss': loss.item()})",
    "env.log({k: float(v) for k, v in metrics.items()})",
]
FREE = {
    "a device value that is kept": "losses.append(loss)",
    "a sum on the device": "total = total + loss",
    "a log at an interval": "if i % 100 == 0:\n    print(loss)",
    "a flag": "if steps:\n    print(loss)",
    "a text that a flag asks for": "if steps:\n    text = f'{loss:.3f}'\n    print(text)",
    "an early end of most trips": "if i % 100:\n    continue\nprint(loss)",
    "a shape": "print(loss.shape)",
    "an environment that needs the action": "action = np.asarray(metrics['norm'])\nenv.step(action)",
    "an argument of the environment": "env.step(int(metrics['norm']))",
    "a number of the host": "total += float(i)\nprint(i)",
    "a comparison that asks for identity": "if loss is None:\n    break",
    "a density by the name of a log": "losses.append(log_density(loss))",
    "a logarithm": "losses.append(jnp.log(loss))",
    "a callback that may be given anything": "env.report(loss)",
}


@pytest.mark.parametrize("fetch", FETCHED)
def test_a_fetch_on_each_trip_is_reported(fetch: str, tmp_path: Path) -> None:
    assert lines(LOOP + RUN + f"    {fetch}\n", tmp_path) == [fetch]


@pytest.mark.parametrize("rest", FREE.values(), ids=FREE)
def test_what_waits_for_nothing_or_has_to_wait_is_left(rest: str, tmp_path: Path) -> None:
    assert lines(LOOP + RUN + indent(rest, "    "), tmp_path) == []


def test_what_a_name_was_fetched_for_is_followed(tmp_path: Path) -> None:
    body = LOOP + RUN + "    value = float(loss)\n    losses.append(value)\n    print(value)\n"
    assert lines(body, tmp_path) == ["value = float(loss)"]


def test_the_copies_of_a_fetched_value_are_followed(tmp_path: Path) -> None:
    body = LOOP + RUN + "    value = float(loss)\n    if value < best:\n        best = value\n"
    assert lines(body, tmp_path) == ["value = float(loss)"]


def test_the_entries_of_what_a_step_returns_are_followed(tmp_path: Path) -> None:
    body = LOOP + RUN + "    for k, v in metrics.items():\n        losses.append(float(v))\n"
    assert lines(body, tmp_path) == ["losses.append(float(v))"]


LOOPS = {
    "one wait for each epoch of steps": """
        for _ in range(steps):
            for batch in loader:
                params, metrics, loss = step(params, batch)
            print(loss)
        """,
    "one wait for each scan": """
        for batches in loader:
            params, losses = epoch(params, batches)
            print(losses[-1])
        """,
    "one wait for each evaluation": """
        for _ in range(steps):
            print(evaluate(params, loader))
        """,
    "a measurement": """
        for batch in loader:
            start = time.perf_counter()
            params, metrics, loss = step(params, batch)
            jax.block_until_ready(loss)
            print(loss, time.perf_counter() - start)
        """,
    "few trips": """
        for batch in (1.0, 2.0, 3.0):
            params, metrics, loss = step(params, batch)
            print(loss)
        """,
    "a loop over the entries of a dict": """
        for name, batch in loader.items():
            params, metrics, loss = step(params, batch)
            print(name, loss)
        """,
    "nothing is dispatched": """
        loss = step(params, 1.0)[2]
        for batch in loader:
            print(float(loss))
        """,
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_loops_that_seldom_wait_are_left(body: str, tmp_path: Path) -> None:
    assert lines(body, tmp_path) == []


def test_loops_in_tests_are_left(tmp_path: Path) -> None:
    assert lines(LOOP + RUN + "    print(loss)\n", tmp_path, "test_train.py") == []


def test_parts_of_one_batch_are_one_trip(tmp_path: Path) -> None:
    body = """
        for batch in loader:
            for _ in range(accumulate_steps):
                params, metrics, loss = step(params, batch)
            print(loss)
        """
    assert lines(body, tmp_path) == ["print(loss)"]


LISTS = {
    "numbers": ("losses.append(float(loss))", "available"),
    "items": ("losses.append(loss.item())", "available"),
    "arrays of NumPy": ("losses.append(np.asarray(loss))", "available"),
    "the last number of the list is read": ("losses.append(float(loss))\nparams = params * losses[-1]", "withheld"),
    "parameters, which the next step may take over": ("losses.append(np.asarray(params))", "withheld"),
    "numbers, and a print": ("losses.append(float(loss))\nprint(loss)", "none"),
}


@pytest.mark.parametrize(("rest", "status"), LISTS.values(), ids=LISTS)
def test_lists_that_are_read_behind_the_loop_are_fetched_there(rest: str, status: str, tmp_path: Path) -> None:
    loop = (
        "    losses = []\n    for i, batch in enumerate(loader):\n        params, metrics, loss = step(params, batch)\n"
    )
    text = f"def train(params, loader):\n{loop}{indent(rest, ' ' * 8)}\n    return params, losses\n"
    settings = Settings(root=tmp_path, select=("SCN601",), level="advice")
    [found] = check_text((HEAD + text).encode(), tmp_path / "train.py", settings).findings
    assert found.fix.status == status


def codes(body: str, folder: Path) -> list[str]:
    text = f"def train(params, loader, env, steps):\n{indent(dedent(body).strip(), '    ')}\n    return params\n"
    outcome = check_text((HEAD + text).encode(), folder / "train.py", Settings(root=folder, level="advice"))
    return [f.name for f in outcome.findings]


def test_a_loop_that_logs_is_told_of_its_waits_alone(tmp_path: Path) -> None:
    body = "for i in range(steps):\n    params, metrics, loss = step(params, i)\n    print(loss)\n"
    assert codes(body, tmp_path) == ["wait-in-loop"]


def test_a_loop_that_can_be_one_program_is_told_that_alone(tmp_path: Path) -> None:
    body = "losses = []\nfor i in range(steps):\n    params, metrics, loss = step(params, i)\n    losses.append(float(loss))\n"
    assert codes(body, tmp_path) == ["host-step-loop"]


LEVELS = {
    "a loss that is logged": (RUN, "print(loss)", "warning"),
    "a loss that is gathered": (RUN, "losses.append(float(loss))", "warning"),
    "a batch that is made ready": (
        "    x = jnp.asarray(batch)\n    params, metrics, loss = step(params, x)\n",
        "print(loss)",
        "warning",
    ),
    "a decision by what is fetched": (RUN, "if loss < best: best = loss", "advice"),
    "the state itself": (RUN, "print(params)", "advice"),
    "no state": ("    _, metrics, loss = step(params, batch)\n", "print(loss)", "advice"),
    "what an environment gives": (
        "    data = env.rollout(params)\n    params, metrics, loss = step(params, data)\n",
        "print(loss)",
        "advice",
    ),
}


@pytest.mark.parametrize(("run", "fetch", "level"), LEVELS.values(), ids=LEVELS)
def test_a_training_step_that_is_waited_for_only_to_tell_of_it_is_a_warning(
    run: str, fetch: str, level: str, tmp_path: Path
) -> None:
    assert found(f"{LOOP}{run}    {fetch}\n", tmp_path) == [(level, fetch)]


WARM_UP = {
    "until a buffer is full enough": "if len(env.buffer) < 100:\n    continue",
    "until enough steps are made": "count += 1\nif count < steps:\n    continue",
}
SKIPS = {
    "most trips, by a number that falls again": "count = i % 100\nif count < 99:\n    continue",
    "trips by what changes": "steps = steps + i\nif i < steps:\n    continue",
    "the rest of the loop": "if len(env.buffer) < 100:\n    break",
}


@pytest.mark.parametrize("skip", WARM_UP.values(), ids=WARM_UP)
def test_what_is_skipped_at_the_beginning_alone_counts(skip: str, tmp_path: Path) -> None:
    body = f"count = 0\n{LOOP}{indent(skip, '    ')}\n{RUN}    print(loss)\n"
    assert lines(body, tmp_path) == ["print(loss)"]


@pytest.mark.parametrize("skip", SKIPS.values(), ids=SKIPS)
def test_what_is_skipped_again_and_again_does_not(skip: str, tmp_path: Path) -> None:
    assert lines(f"{LOOP}{indent(skip, '    ')}\n{RUN}    print(loss)\n", tmp_path) == []


def test_a_setting_that_ends_the_loop_skips_nothing(tmp_path: Path) -> None:
    body = f"{LOOP}    if i % 100 == 0:\n        if steps:\n            break\n{RUN}    print(loss)\n"
    assert lines(body, tmp_path) == ["print(loss)"]


def test_a_long_program_that_runs_every_so_often_hides_no_wait(tmp_path: Path) -> None:
    body = f"{LOOP}{RUN}    print(loss)\n    if i % 25 == 0:\n        epoch(params, batch)\n"
    assert lines(body, tmp_path) == ["print(loss)"]
    assert lines(f"{LOOP}{RUN}    print(loss)\n    epoch(params, batch)\n", tmp_path) == []


def test_a_text_that_is_made_of_a_device_value_waits_whoever_takes_it(tmp_path: Path) -> None:
    assert lines(f'{LOOP}{RUN}    env.tell(f"loss {{loss}}")\n', tmp_path) == ['env.tell(f"loss {loss}")']


PROGRAM = 'def main(params, loader):\n{body}\n    return params\n\n\nif __name__ == "__main__":\n    main(0.0, [])\n'


@pytest.mark.parametrize("name", ["test_agent.py", "test.py"])
@pytest.mark.parametrize(("more", "reported"), [("", 1), ("\n\ndef test_main():\n    main(0.0, [])\n", 0)])
def test_a_program_that_is_called_like_a_test_is_none(more: str, reported: int, name: str, tmp_path: Path) -> None:
    body = indent(dedent(LOOP + RUN + "    print(loss)\n").strip(), "    ")
    settings = Settings(root=tmp_path, select=("SCN601",), level="advice")
    text = HEAD + PROGRAM.format(body=body) + more
    assert len(check_text(text.encode(), tmp_path / name, settings).findings) == reported


def test_a_file_with_a_loop_at_its_top_is_a_program(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=("SCN601",), level="advice")
    text = HEAD + "params, loader = 0.0, []\n" + dedent(LOOP + RUN + "    print(loss)\n")
    assert len(check_text(text.encode(), tmp_path / "agent_test.py", settings).findings) == 1
