"""Host loops around JAX and loops over layers: what they become, that it computes the same, what is left, what is not said."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import pytest

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]

HEAD = """
def loss_of(w, x):
    return jnp.mean((x @ w - 1) ** 2)


@jax.jit
def step(w, x):
    loss, gradient = jax.value_and_grad(loss_of)(w, x)
    return w - 0.1 * gradient, loss


"""


def w() -> jax.Array:
    return jnp.linspace(0.1, 0.5, 3)


def x() -> jax.Array:
    return jnp.sin(jnp.arange(12.0)).reshape(4, 3)


def key() -> jax.Array:
    return jax.random.PRNGKey(7)


ROLLED = {
    "it_stops_when_it_converges": (
        """
        def f(w, x, n):
            for i in range(n):
                w, loss = step(w, x)
                if loss < 1e-3 or jnp.any(w > 1e3):
                    break
            return w
        """,
        "w, _, _ = lax.while_loop(condition, body, (w, 0, False))",
        [(w, x, 3), (w, x, 400)],
    ),
    "a_while_goes_on_until_it_converges": (
        """
        def f(w, x, tol):
            error = jnp.inf
            while error > tol:
                w, error = step(w, x)
            return w
        """,
        "w, _ = lax.while_loop(condition, body, (w, error))",
        [(w, x, 0.95), (w, x, 1e9)],
    ),
    "losses_are_stacked": (
        """
        def f(w, x, n):
            losses = []
            for _ in range(n):
                w, loss = step(w, x)
                losses.append(loss)
            return w, jnp.array(losses)
        """,
        "w, losses = lax.scan(loop_step, w, None, length=n)",
        [(w, x, 1), (w, x, 13)],
    ),
    "the_last_loss_is_read": (
        """
        def f(w, x, n):
            losses = []
            for _ in range(n):
                w, loss = step(w, x)
                losses.append(loss)
            return losses[-1], len(losses), jnp.stack(losses)
        """,
        "return losses[-1], len(losses), losses",
        [(w, x, 1), (w, x, 13)],
    ),
    "losses_that_are_fetched_are_collected": (
        """
        def f(w, x, n):
            losses = []
            for i in range(n):
                w, loss = step(w, x)
                losses.append(float(loss))
            return w, losses
        """,
        "losses = losses.tolist()",
        [(w, x, 1), (w, x, 13)],
    ),
    "only_the_state_is_wanted": (
        """
        def f(w, x, n):
            for _ in range(n):
                w, _ = step(w, x)
            return w
        """,
        "lax.fori_loop(0, n, ",
        [(w, x, 0), (w, x, 13)],
    ),
    "state_in_a_dict": (
        """
        def f(w, x, n):
            state = {"w": w, "trips": 0}
            for _ in range(n):
                new, _ = step(state["w"], x)
                state = {"w": new, "trips": state["trips"] + 1}
            return state
        """,
        "lax.fori_loop(0, n, ",
        [(w, x, 0), (w, x, 13)],
    ),
    "an_object_tells_the_size_of_an_array": (
        """
        def f(w, x, n, sizes):
            for _ in range(n):
                w, _ = step(w, x + jnp.ones(sizes.count(7)) + jnp.zeros((4, sizes.count(7))))
            return w
        """,
        "lax.fori_loop(0, n, ",
        [(w, x, 0, [7, 7, 7]), (w, x, 13, [7, 7, 7])],
    ),
}


@pytest.mark.parametrize(("code", "expected", "calls"), ROLLED.values(), ids=ROLLED.keys())
def test_a_host_loop_becomes_one_program(
    rewrite: Rewriting, code: str, expected: str, calls: list[tuple[object, ...]]
) -> None:
    sample = rewrite(HEAD + dedent(code).strip() + "\n")
    assert "host-step-loop" in sample.codes
    assert expected in sample.body
    sample.agree("f", *calls)


LEFT = {
    "progress-bar": """
        def f(w, x, n, verbose):
            bar = tqdm(range(n)) if verbose else range(n)
            for _ in bar:
                w, loss = step(w, x)
            return w
        """,
    "occasional-print": """
        def f(w, x, n):
            for i in range(n):
                w, loss = step(w, x)
                if i % 100 == 0:
                    print(i, loss)
            return w
        """,
    "host-check": """
        def check(loss):
            if not jnp.isfinite(loss):
                raise FloatingPointError("diverged")


        def f(w, x, n):
            for i in range(n):
                w, loss = step(w, x)
                check(loss)
            return w
        """,
    "list-escapes": """
        def f(w, x, n):
            losses = []
            for i in range(n):
                w, loss = step(w, x)
                losses.append(loss)
            return w, losses
        """,
}


@pytest.mark.parametrize(("reason", "code"), LEFT.items(), ids=LEFT.keys())
def test_a_host_loop_is_reported_and_left_with_its_reason(rewrite: Rewriting, reason: str, code: str) -> None:
    sample = rewrite(HEAD + dedent(code).strip() + "\n")
    assert sample.codes == ["host-step-loop"]
    assert sample.reasons == [reason]


BESIDE_OTHER_THINGS = {
    "logs_on_each_trip": """
        for i in range(n):
            w, loss = step(w, x)
            print(loss)
        """,
    "logs_through_an_object": """
        for i in range(n):
            w, loss = step(w, x)
            logger.write(i, loss)
        """,
    "writes_checkpoints_now_and_then": """
        for i in range(n):
            w, loss = step(w, x)
            if i % 100 == 0:
                save(w)
        """,
    "chooses_by_a_value": """
        for i in range(n):
            w, loss = step(w, x)
            if loss > 1:
                w = w / 2
        """,
}


@pytest.mark.parametrize("name", BESIDE_OTHER_THINGS)
def test_a_loop_that_does_other_things_too_is_advice_and_left(rewrite: Rewriting, name: str) -> None:
    loop, rule = BESIDE_OTHER_THINGS[name], "wait-in-loop" if name.startswith("logs") else "host-step-loop"
    body = "".join(f"    {line}\n" for line in dedent(loop).strip().splitlines())
    sample = rewrite(f"{HEAD}def f(w, x, n, logger, save):\n{body}    return w\n")
    assert sample.codes == [rule] and sample.new == sample.old
    assert sample.reports[0].finding.level == "advice"


ON_THE_HOST = {
    "reads_a_loader": """
        for i in range(n):
            w, loss = step(w, next(loader))
        """,
    "goes_over_a_loader": """
        for batch in loader:
            w, loss = step(w, batch)
        """,
    "waits_for_something_else": """
        while loader.more():
            w, loss = step(w, x)
        """,
    "stops_when_something_else_says_so": """
        for i in range(n):
            w, loss = step(w, x)
            if loader.empty():
                break
        """,
    "does_few_trips": """
        for i in range(5):
            w, loss = step(w, x)
        """,
    "handles_an_array_in_pieces": """
        for i in range(n):
            w = w + jnp.sum(x[i * 8 : (i + 1) * 8])
        """,
    "gathers_what_it_carries": """
        for i in range(n):
            w = jnp.concatenate([w, jnp.sum(w)[None]])
        """,
    "asks_an_unknown_environment": """
        for i in range(n):
            observation = env.step(w)
            w, loss = step(w, observation)
        """,
    "draws_from_numpy": """
        for i in range(n):
            w, loss = step(w, numpy.random.normal(size=(4, 3)))
        """,
}


@pytest.mark.parametrize("loop", ON_THE_HOST.values(), ids=ON_THE_HOST.keys())
def test_nothing_is_said_of_a_loop_that_belongs_on_the_host(rewrite: Rewriting, loop: str) -> None:
    body = "".join(f"    {line}\n" for line in dedent(loop).strip().splitlines())
    sample = rewrite(f"import numpy\n{HEAD}def f(w, x, n, loader, env, logger, save):\n{body}    return w\n")
    assert "host-step-loop" not in sample.codes


def test_nothing_is_said_of_a_loop_beside_a_clock(rewrite: Rewriting) -> None:
    code = """
        def f(w, x):
            start = time.perf_counter()
            for _ in range(100):
                w, _ = step(w, x)
            return time.perf_counter() - start
        """
    assert "host-step-loop" not in rewrite("import time\n" + HEAD + dedent(code).strip() + "\n").codes


BLOCK = """
import flax.linen as nn


class Block(nn.Module):
    rate: float = 0.0

    @nn.compact
    def __call__(self, x):
        y = nn.Dense(16)(nn.LayerNorm()(x))
        return x + nn.Dense(8)(y)


class Net(nn.Module):
    depth: int{default}
    sizes: tuple = ()

    @nn.compact
    def __call__(self, x):
        for i in range(self.depth):
            {body}
        return x
"""

MADE = {
    "one_block_per_trip": ("", "x = Block()(x)", True),
    "named_blocks": ("", "x = Block(name=f'block_{i}')(x)", True),
    "a_rate_that_grows": ("", "x = Block(0.1 * i / self.depth)(x)", True),
    "twelve_by_default": (" = 12", "x = Block()(x)", True),
    "six_by_default": (" = 6", "x = Block()(x)", False),
    "a_size_for_each": ("", "x = Block(self.sizes[i])(x)", False),
    "every_second_one_is_another": ("", "x = Block()(x) if i % 2 else nn.Dense(8)(x)", False),
    "plain_layers": ("", "x = nn.Dense(8)(x)", False),
}


@pytest.mark.parametrize(("default", "body", "reported"), MADE.values(), ids=MADE.keys())
def test_equal_flax_blocks_are_reported_without_a_fix(
    rewrite: Rewriting, default: str, body: str, reported: bool
) -> None:
    sample = rewrite(BLOCK.replace("{default}", default).replace("{body}", body))
    assert ("unrolled-layers" in sample.codes) is reported
    assert sample.reasons == (["changes-parameters"] if reported else [])


def test_layers_of_unknown_shapes_are_not_stacked(rewrite: Rewriting) -> None:
    code = """
        @jax.jit
        def f(params, x):
            for w, b in params:
                x = jnp.tanh(x @ w + b)
            return x
        """
    assert rewrite(dedent(code).strip() + "\n").codes == []


MAKERS = {
    "equal_sets": ("{'w': jax.random.normal(jax.random.key(i), (6, 6)), 'b': jnp.full(6, 0.1 * i)}", True),
    "sets_that_grow": ("{'w': jax.random.normal(jax.random.key(i), (i, i + 1)), 'b': jnp.zeros(i + 1)}", False),
    "sets_of_a_function": ("{'w': make(i), 'b': make(i)}", False),
}


@pytest.mark.parametrize(("element", "reported"), MAKERS.values(), ids=MAKERS.keys())
def test_sets_are_alike_where_the_file_makes_them_alike(rewrite: Rewriting, element: str, reported: bool) -> None:
    code = f"""
        @jax.jit
        def f(layers, x):
            for layer in layers:
                x = jnp.tanh(x @ layer["w"] + layer["b"])
            return x


        def sets(n, make):
            return [{element} for i in range(n)]
        """
    assert ("unrolled-layers" in rewrite(dedent(code).strip() + "\n").codes) is reported


def test_layers_that_add_to_the_state_are_stacked(rewrite: Rewriting) -> None:
    code = """
        @jax.jit
        def f(params, x):
            for w, b in params:
                x = x + jnp.tanh(x @ w + b)
            return x
        """
    sample = rewrite(dedent(code).strip() + "\n")
    assert "stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *params)" in sample.body
    layers = [(0.1 * i * jnp.eye(3), jnp.full(3, 0.01 * i)) for i in range(1, 13)]
    sample.agree("f", (layers, x), (layers[:1], x))
