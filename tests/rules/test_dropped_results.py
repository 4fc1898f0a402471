"""Calls whose results nobody takes, and clocks that are read too early: the smallest programs, and those like them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check, check_text
from scanlint.settings import Settings

HEAD = """\
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from flax.training import train_state

optimizer = optax.adam(1e-3)


@jax.jit
def step(params, opt_state, batch):
    loss, grads = jax.value_and_grad(lambda p: jnp.sum((p - batch) ** 2))(params)
    updates, new_opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), new_opt_state, loss


@jax.jit
def shown(x):
    jax.debug.print("{}", x)
    return x


"""


def lines(text: str, folder: Path, code: str, name: str = "model.py") -> list[int]:
    """The lines of the findings, those of the text alone."""
    settings = Settings(root=folder, select=(code,))
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return [f.start.line - HEAD.count("\n") for f in outcome.findings]


DROPPED = {
    "an element that is set": "def run(x):\n    x.at[0].set(1.0)\n    return x",
    "an element that is added to under a trace": "@jax.jit\ndef run(x):\n    x.at[0].add(1.0)\n    return x",
    "a key that is split": "def run(key):\n    jax.random.split(key)\n    return jax.random.normal(key)",
    "updates that are applied": "def run(params, updates):\n    optax.apply_updates(params, updates)\n    return params",
    "an update of an optimizer": "def run(grads, state):\n    optimizer.update(grads, state)\n    return state",
    "gradients that are applied to a state": "def run(state, grads):\n    state.apply_gradients(grads=grads)\n    return state",
    "a jitted step": """
        def run(params, state, batches):
            for batch in batches:
                step(params, state, batch)
            return params
        """,
}
KEPT = {
    "what is bound": "def run(x):\n    x = x.at[0].set(1.0)\n    return x",
    "a check that raises": "def run(x, y):\n    jnp.broadcast_shapes(x.shape, y.shape)\n    return x",
    "a call that is to raise": (
        "def run(x):\n    try:\n        jnp.reshape(x, (3,))\n    except TypeError:\n        return None\n    return x"
    ),
    "what starts JAX up": "def run(x):\n    jnp.zeros(1)\n    return x",
    "a function that prints": "def run(xs):\n    for x in xs:\n        shown(x)",
    "a warm-up": "def run(params, state, batch):\n    step(params, state, batch)\n    return state",
    "a warm-up in a loop": (
        "def run(params, state, batch):\n    for _ in range(3):\n        step(params, state, batch)\n    return state"
    ),
    "a step that is timed": """
        def run(params, state, batches):
            start = time.time()
            for batch in batches:
                step(params, state, batch)
            return float(state[0]), time.time() - start
        """,
    "a tree that is printed": "def run(tree):\n    jax.tree.map(print, tree)\n    return tree",
    "an optimizer that changes in place": """
        def run(model, grads):
            updater = nnx.Optimizer(model, optimizer)
            updater.update(grads)
            return model
        """,
    "another library's at": "def run(frame, key):\n    frame.at(0).set(1.0)\n    return jax.random.normal(key)",
}


@pytest.mark.parametrize("text", DROPPED.values(), ids=DROPPED)
def test_a_result_that_nobody_takes_is_reported(text: str, tmp_path: Path) -> None:
    assert len(lines(text, tmp_path, "SCN406")) == 1


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_a_call_that_may_do_something_else_is_left(text: str, tmp_path: Path) -> None:
    assert lines(text, tmp_path, "SCN406") == []


def test_calls_in_tests_are_left(tmp_path: Path) -> None:
    assert lines(DROPPED["a key that is split"], tmp_path, "SCN406", "test_model.py") == []


LOOP = "def run(params, state, batches):\n    for batch in batches:\n        {}\n    return params"
STATES = {
    "a state under a name for nobody": ("params, _, loss = step(params, state, batch)", [3]),
    "a state under a name that nobody reads": ("params, new_state, loss = step(params, state, batch)", [3]),
    "a state that goes on": ("params, state, loss = step(params, state, batch)", []),
    "a state that is bound later": (
        "params, new_state, loss = step(params, state, batch)\n        state = new_state",
        [],
    ),
    "an evaluation": ("_, _, loss = step(params, state, batch)\n        print(loss)", []),
    "all results under the name of the loss": ("loss = step(params, state, batch)\n        print(f'{loss:.3f}')", [3]),
    "all results that are unpacked later": (
        "out = step(params, state, batch)\n        params, state, loss = out\n        print(f'{loss:.3f}')",
        [],
    ),
    "one of all results": ("out = step(params, state, batch)\n        print(f'{out[2]:.3f}', out)", []),
    "a result of which nobody knows what it is": ("out = step(params, state, batch)\n        print(out)", []),
    "a state that is made anew": (
        "state = optimizer.init(params)\n        params, _, loss = step(params, state, batch)",
        [],
    ),
}


@pytest.mark.parametrize(("body", "found"), STATES.values(), ids=STATES)
def test_a_new_state_that_a_training_loop_forgets_is_reported(body: str, found: list[int], tmp_path: Path) -> None:
    assert lines(LOOP.format(body), tmp_path, "SCN406") == found


STEP = """
def update(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.sum((p - batch) ** 2))(params)
    {update}
    params = optax.apply_updates(params, updates)
    return {result}

"""
LOST = {
    "a state that is bound again": STEP.format(
        update="updates, opt_state = optimizer.update(grads, opt_state)", result="params"
    ),
    "a state of another name": STEP.format(
        update="updates, new = optimizer.update(grads, opt_state)", result="params, opt_state"
    ),
    "a jitted step": "@jax.jit"
    + STEP.format(update="updates, new = optimizer.update(grads, opt_state)", result="params"),
}
GOES_ON = {
    "a state that is returned": STEP.format(
        update="updates, opt_state = optimizer.update(grads, opt_state)", result="params, opt_state"
    ),
    "a state that is thrown away on purpose": STEP.format(
        update="updates, _ = optimizer.update(grads, opt_state)", result="params"
    ),
    "a fresh state": STEP.format(
        update="opt_state = optimizer.init(params)\n    updates, opt_state = optimizer.update(grads, opt_state)",
        result="params",
    ).replace("params, opt_state, batch", "params, batch"),
    "an optimizer without a state": "plain = optax.sgd(0.1)\n"
    + STEP.format(update="updates, opt_state = plain.update(grads, opt_state)", result="params"),
    "a look at what an update would be": STEP.format(
        update="updates, opt_state = optimizer.update(grads, opt_state)", result="updates"
    ).replace("    params = optax.apply_updates(params, updates)\n", ""),
    "a state that the object keeps": STEP.format(
        update="updates, batch.opt_state = optimizer.update(grads, opt_state)", result="params"
    ),
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_a_step_that_loses_the_state_of_its_optimizer_is_reported(text: str, tmp_path: Path) -> None:
    assert len(lines(text, tmp_path, "SCN406")) == 1


@pytest.mark.parametrize("text", GOES_ON.values(), ids=GOES_ON)
def test_a_state_that_goes_on_or_is_none_is_left(text: str, tmp_path: Path) -> None:
    assert lines(text, tmp_path, "SCN406") == []


TIMED = {
    "one call": "y = shown(x)\n    return time.time() - start",
    "one call whose value is printed later": "y = shown(x)\n    print(time.time() - start, y)",
    "the second look has a name": "y = shown(x)\n    stop = time.time()\n    return y, stop - start",
    "a loop": "for _ in range(9):\n        x = shown(x)\n    return time.time() - start",
    "a wait before the call": "jax.block_until_ready(x)\n    y = shown(x)\n    return time.time() - start",
    "values that are gathered": "ys = []\n    ys.append(shown(x))\n    return ys, time.time() - start",
}
WAITED = {
    "a wait of its own": "y = shown(x)\n    y.block_until_ready()\n    return time.time() - start",
    "a wait around the call": "y = jax.block_until_ready(shown(x))\n    return time.time() - start",
    "a number": "y = float(shown(x))\n    return time.time() - start",
    "an array of NumPy": "y = np.asarray(shown(x))\n    return time.time() - start",
    "a value that is printed before": "y = shown(x)\n    print(f'{y} {time.time() - start}')",
    "a branch on it": "if shown(x) > 0:\n        x = -x\n    return time.time() - start",
    "a wait in the loop": "for _ in range(9):\n        jax.block_until_ready(x)\n        x = shown(x)\n    return time.time() - start",
    "a function that is handed in": "y = take(shown(x))\n    return time.time() - start",
    "a wait in a tree": (
        "y = shown(x)\n    jax.tree.map(lambda v: v.block_until_ready(), y)\n    return time.time() - start"
    ),
    "the time since the beginning": (
        "for _ in range(9):\n        x = shown(x)\n        print(time.time() - start)\n    return x"
    ),
    "compiling": "shown(x)\n    print('compiled in', time.time() - start)",
    "work of NumPy": "y = np.linalg.inv(x)\n    return time.time() - start",
    "a call of later": "stop = time.time()\n    y = shown(x)\n    return y, stop - start",
}


@pytest.mark.parametrize("body", TIMED.values(), ids=TIMED)
def test_a_clock_that_is_read_before_the_work_is_done_is_reported(body: str, tmp_path: Path) -> None:
    text = f"def run(x, take):\n    start = time.time()\n    {body}"
    assert len(lines(text, tmp_path, "SCN604")) == 1


@pytest.mark.parametrize("body", WAITED.values(), ids=WAITED)
def test_a_clock_that_waits_is_left(body: str, tmp_path: Path) -> None:
    text = f"def run(x, take):\n    start = time.time()\n    {body}"
    assert lines(text, tmp_path, "SCN604") == []


DATA = """\
import numpy as np


class Data:
    def __init__(self):
        self.rows = np.ones((99, 3))

    def put(self, row):
        self.rows[0] = row

    def batches(self, size=9):
        for i in range(int(np.ceil(len(self.rows) / size))):
            yield self.rows[i * size : (i + 1) * size]
"""


@pytest.mark.parametrize(("before", "reported"), [("", 1), ("data.put(x)\n    ", 0)], ids=["NumPy alone", "handed x"])
def test_a_loop_over_what_no_array_of_jax_gets_into_waits_for_none(before: str, reported: int, tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(DATA)
    loop = "for batch in data.batches():\n        x = shown(x + batch)\n    return time.time() - start"
    text = f"from data import Data\n\n\ndef run(x):\n    data = Data()\n    {before}start = time.time()\n    {loop}"
    (tmp_path / "model.py").write_text(HEAD + text)
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN604",)))
    assert len(outcome.findings) == reported
