"""Loops of JAX outside of jit: those whose body is another function each time are traced again, and reported."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import jax
import pytest

from scanlint.engine.session import check
from scanlint.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
from jax import lax

TRACES = []


def noted(x):
    TRACES.append(1)
    return x


def module_step(c, x):
    return c + noted(x), None


"""
AGAIN = {
    "an_inner_body": """
        def total(scale, xs):
            def step(c, x):
                return c + scale * noted(x), None

            return lax.scan(step, 0.0, xs)[0]


        def main():
            for k in range(3):
                total(float(k), jnp.ones(4))
    """,
    "a_jitted_inner_body": """
        def total(scale, xs):
            @jax.jit
            def step(c, x):
                return c + scale * noted(x), None

            return lax.scan(step, 0.0, xs)[0]


        def main():
            for k in range(3):
                total(float(k), jnp.ones(4))
    """,
    "a_lambda_in_the_loop": """
        def main():
            for k in range(3):
                lax.scan(lambda c, x: (c + noted(x), None), 0.0, jnp.ones(4))
    """,
    "the_body_of_a_fori_loop": """
        def grow(x):
            return lax.fori_loop(0, 5, lambda i, c: c + noted(x), x)


        def main():
            for k in range(3):
                grow(jnp.float32(k))
    """,
    "what_is_mapped": """
        def squares(xs, k):
            return lax.map(lambda x: noted(x) ** k, xs)


        def main():
            for k in range(3):
                squares(jnp.ones(4), 2)
    """,
}
ONCE = {
    "a_body_of_the_module": """
        def total(xs):
            return lax.scan(module_step, 0.0, xs)[0]


        def main():
            for k in range(3):
                total(jnp.ones(4))
    """,
    "made_before_the_loop": """
        def main():
            def step(c, x):
                return c + noted(x), None

            for k in range(3):
                lax.scan(step, 0.0, jnp.ones(4))
    """,
    "inside_of_jit": """
        @jax.jit
        def total(scale, xs):
            def step(c, x):
                return c + scale * noted(x), None

            return lax.scan(step, 0.0, xs)[0]


        def main():
            for k in range(3):
                total(float(k), jnp.ones(4))
    """,
    "called_once": """
        def total(scale, xs):
            def step(c, x):
                return c + scale * noted(x), None

            return lax.scan(step, 0.0, xs)[0]


        def main():
            total(1.0, jnp.ones(4))
    """,
}


def lines(folder: Path, text: str) -> list[int]:
    (folder / "model.py").write_text(text, encoding="utf-8")
    outcome = check([folder], Settings(root=folder, select=("SCN404",), cache=False))
    assert not outcome.problems
    return [finding.start.line for finding in outcome.findings]


def traces(text: str) -> int:
    made: dict[str, object] = {}
    exec(compile(text, "model.py", "exec"), made)
    main, counted = made["main"], made["TRACES"]
    assert callable(main)
    assert isinstance(counted, list)
    jax.block_until_ready(main())
    return len(counted)


@pytest.mark.parametrize("text", AGAIN.values(), ids=AGAIN.keys())
def test_what_is_traced_on_each_trip_is_reported(text: str, tmp_path: Path) -> None:
    program = HEAD + dedent(text)
    assert traces(program) >= 3
    assert len(lines(tmp_path, program)) == 1


@pytest.mark.parametrize("text", ONCE.values(), ids=ONCE.keys())
def test_what_is_traced_once_is_not(text: str, tmp_path: Path) -> None:
    program = HEAD + dedent(text)
    assert traces(program) == 1
    assert not lines(tmp_path, program)


def test_the_loop_that_calls_it_may_stand_in_another_file(tmp_path: Path) -> None:
    program = HEAD + dedent(AGAIN["an_inner_body"]).partition("def main")[0]
    (tmp_path / "run.py").write_text(
        "import jax.numpy as jnp\n\nfrom model import total\n\nfor k in range(3):\n    total(k, jnp.ones(4))\n",
        encoding="utf-8",
    )
    assert len(lines(tmp_path, program)) == 1


CALLED_TWICE = """\
import jax
import jax.numpy as jnp
import optax


def fit(xs, optimizer, iters=2000):
    def descend(x):
        state = optimizer.init(x)

        @jax.jit
        def step(x, state):
            value, grads = jax.value_and_grad(lambda x: jnp.sum((xs - x) ** 2))(x)
            updates, state = optimizer.update(grads, state, x)
            return optax.apply_updates(x, updates), state, value

        for _ in range(iters):
            x, state, value = step(x, state)
        return x, value

    return descend(jnp.zeros(3))


def first(xs):
    return fit(xs, optax.adam(1e-2))


def second(xs, optimizer, iters):
    return fit(xs, optimizer, iters)
"""


def test_a_function_made_in_each_of_several_calls_is_one_function(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(CALLED_TWICE, encoding="utf-8")
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN107", "host-step-loop"), cache=False))
    assert [finding.start.line for finding in outcome.findings] == [16]


FILTER = """\
import jax
import jax.numpy as jnp


def run(scale, xs):
    def step(c, x):
        return c + scale * x, None

    return jax.lax.scan(step, 0.0, xs)[0]
"""
USES = {
    "by two calls of a script": (
        "from filters import run\n\n\ndef main():\n    print(run(1.0, xs), run(2.0, xs))\n\n\nmain()\n", 1
    ),
    "by two calls that hand in one function": (
        "from filters import run\n\n\ndef kernel(x):\n    return x\n\n\nprint(run(kernel, xs), run(kernel, xs))\n", 1
    ),
    "by two calls that hand in another function each": (
        "from filters import run\n\n\ndef kernel(x):\n    return x\n\n\nprint(run(kernel, xs), run(lambda x: -x, xs))\n", 0
    ),
    "by one call": ("from filters import run\n\n\ndef main():\n    print(run(1.0, xs))\n\n\nmain()\n", 0),
    "by functions that others may jit": (
        "from filters import run\n\n\ndef f(xs):\n    return run(1.0, xs)\n\n\ndef g(xs):\n    return run(2.0, xs)\n", 0
    ),
    "under a jit": (
        "import jax\nfrom filters import run\n\nf = jax.jit(run)\nprint(f(1.0, xs), f(2.0, xs))\n", 0
    ),
}  # fmt: skip


@pytest.mark.parametrize(("uses", "count"), USES.values(), ids=USES)
def test_what_the_host_calls_in_several_places_is_advice(uses: str, count: int, tmp_path: Path) -> None:
    (tmp_path / "filters.py").write_text(FILTER, encoding="utf-8")
    (tmp_path / "script.py").write_text(uses, encoding="utf-8")
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN404",), level="advice", cache=False))
    assert [(f.path, f.level) for f in outcome.findings] == [(str(tmp_path / "filters.py"), "advice")] * count
