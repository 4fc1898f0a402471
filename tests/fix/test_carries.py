"""Carries that take another type in the first trip: what is written for them, and what is left."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

pytestmark = [pytest.mark.long, pytest.mark.slow]
Scanlint = Callable[..., subprocess.CompletedProcess[str]]
LOOPS = "[tool.scanlint]\nsums-as-batches = false\n"
HEAD = "import functools\n\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n"
MENDED = {
    "rows that may be vectors": (
        "def rows(xs):\n    total = 0.0\n    for i in range(xs.shape[0]):\n"
        "        total = total + jnp.sin(xs[i])\n    return total\n",
        "total = jnp.full(xs.shape[1:], 0.0)",
    ),
    "a whole number and rows of any dtype": (
        "def count(xs):\n    total = 0\n    for x in xs:\n        total = total + x\n    return total\n",
        "total = jnp.zeros(xs.shape[1:], jnp.result_type(int, xs))",
    ),
    "a count of truths": (
        "def capped(flags):\n    total = 0\n    for i in range(flags.shape[0]):\n"
        "        total = jnp.minimum(total + flags[i], 5)\n    return total\n",
        "total = jnp.zeros(flags.shape[1:], jnp.result_type(int, flags))",
    ),
    "an argument of any rank in a loop that makes trips": (
        "def series(x):\n    s = 0.0\n    for i in range(40):\n        s = s + jnp.sin(x * i)\n    return s\n",
        "s = jnp.full(jnp.shape(x), 0.0)",
    ),
    "a count of what a test of numbers lets pass": (
        "def above(xs, t):\n    n = 0\n    for x in xs:\n        if x > t:\n            n += 1\n    return n\n",
        "n = 0",
    ),
    "two arguments that broadcast": (
        "def waves(a, b):\n    s = 1.0\n    for i in range(40):\n        s = s + a * jnp.sin(b * i)\n    return s\n",
        "s = jnp.full(jnp.broadcast_shapes(jnp.shape(a), jnp.shape(b)), 1.0)",
    ),
    "nested loops, mended once": (
        "def grid(m):\n    s = 0.0\n    for i in range(m.shape[0]):\n        for j in range(m.shape[1]):\n"
        "            s = s + m[i, j] * m[j, i]\n    return s\n",
        "s = jnp.full(m.shape[2:], 0.0)",
    ),
    "a value that is held where a flag is down": (
        "def held(xs, flags):\n    last = 0.0\n    out = []\n    for t in range(xs.shape[0]):\n        if flags[t]:\n"
        "            last = xs[t]\n        out.append(last)\n    return jnp.stack(out)\n",
        "last = jnp.zeros(xs.shape[1:], xs.dtype)",
    ),
    "what has the dtype of a float beside any array": (
        "def seen(xs, flags):\n    found = -1.0\n    for i in range(xs.shape[0]):\n        if flags[i] > 0:\n"
        "            found = jnp.tanh(xs[i])\n    return found\n",
        "found = -1.0",
    ),
    "what a constant gives its dtype, as JAX promotes a Python number": (
        "def marched(ro, rd):\n    t = 0.0\n    for _ in range(40):\n"
        "        t = t + jnp.linalg.norm(ro + t * rd - jnp.array([0.0, 0.0, 4.0])) - 1.0\n"
        "        if t > 20.0:\n            break\n    return t\n",
        "t = 0.0",
    ),
    "a start that is read before the loop": (
        "def scaled(xs):\n    total = 0.5\n    scale = total + 1.0\n    for i in range(xs.shape[0]):\n"
        "        total = total + scale * xs[i]\n    return total\n",
        "total = jnp.broadcast_to(total, xs.shape[1:])",
    ),
    "a product of a matrix and its own rows, beside a random key": (
        "def moved(m, key):\n    last = 0.0\n    noise = jax.random.key_data(key).sum() * 0.0\n    for i in range(m.shape[0]):\n"
        "        last = m @ m[i] + noise\n        noise = noise * 0.5\n    return last, noise\n",
        "last = jnp.full(m.shape[:-1], 0.0)",
    ),
    "a whole number to which a branch adds others": (
        "def gains(xs):\n    gain = 0\n    for i in range(xs.shape[0]):\n"
        "        if xs[i] > 0:\n            gain += jnp.nan_to_num(xs[i]) * i\n    return gain\n",
        "gain = jnp.zeros((), jnp.result_type(int, xs))",
    ),
    "a sum that a branch would leave as weakly typed as its start": (
        "def positive(xs):\n    s = 0.0\n    for i in range(xs.shape[0]):\n"
        "        if (d := xs[i]) > 0:\n            s += jnp.nan_to_num(d)\n    return s\n",
        "s = jnp.zeros((), jnp.result_type(float, xs))",
    ),
    "a number that is multiplied by what may be in half precision": (
        "def horner(h, xs):\n    s = 0.0\n    for i in range(h.shape[0]):\n"
        "        s = s * xs[i] + h[i]\n    return s\n",
        "s = jnp.full(jnp.broadcast_shapes(h.shape[1:], xs.shape[1:]), 0.0)",
    ),
    "names that are bound at once keep together where they start alike": (
        "def delayed(x, b):\n    x1 = x2 = y1 = 0.0\n    for xn in x:\n        yn = b[0] * xn + b[1] * x2 - 0.5 * y1\n"
        "        x2, x1 = x1, xn\n        y1 = yn\n    return y1\n",
        "x1 = x2 = jnp.zeros(x.shape[1:], jnp.result_type(float, x))\n    y1 = jnp.full(x.shape[1:], 0.0)",
    ),
    "a tuple of starts that becomes too long for its line": (
        "def gates(current, dt=0.01):\n    v, m, h = -65.0, 0.05, 0.6\n    for k in range(current.shape[0]):\n"
        "        m += dt * (v - m)\n        h += dt * (v - h)\n        v += dt * (current[k] - m * h)\n    return v\n",
        "v, m, h = (\n        jnp.full(current.shape[1:], -65.0, jnp.result_type(float, current)),\n"
        "        jnp.full(current.shape[1:], 0.05, jnp.result_type(float, current)),\n"
        "        jnp.full(current.shape[1:], 0.6, jnp.result_type(float, current)),\n    )",
    ),
    "a loop that leaves out the first row": (
        "def clenshaw(c, x):\n    b1 = b2 = 0.0\n    for k in range(len(c) - 1, 0, -1):\n"
        "        b1, b2 = 2 * x * b1 - b2 + c[k], b1\n    return x * b1 - b2 + c[0]\n",
        "b1 = b2 = jnp.zeros(\n        jnp.broadcast_shapes(c.shape[1:], jnp.shape(x)), jnp.result_type(float, c, x)\n    )",
    ),
    "a loop over rows that is left early": (
        "def enough(xs, ys, t):\n    whole = 0.0\n    for row, y in zip(xs, ys):\n        whole += row.sum() + y\n"
        "        if row.sum() > t:\n            break\n    return whole\n",
        "whole = jnp.full(ys.shape[1:], 0.0)",
    ),
    "a number that a branch adds rows to": (
        "def evens(ys: \"Float[Array, '...']\", v: \"Float[Array, '...']\"):\n    held = 0.0\n    for k in range(len(ys)):\n        if k % 2 == 0:\n"
        "            held = 0.5 * held + jnp.tanh(ys[k - 1] - v)\n    return held\n",
        "held = jnp.zeros(\n        jnp.broadcast_shapes(ys.shape[1:], jnp.shape(v)), jnp.result_type(float, ys, v)\n    )",
    ),
    "an array that some trips add as it is": (
        "def kicked(rows, v, t):\n    at = 0.0\n    for row in rows:\n        if row.sum() < t:\n            at += v\n    return at\n",
        "at = 0.0",
    ),
    "rows of two arrays beside an array of a length that is written": (
        "def mixed(xs, ys, v, t):\n    h = 0.0\n    g = jnp.ones(4) * t\n    q = xs[0]\n    for i in range(16):\n"
        "        h = 0.5 * h * xs[i] + ys[i]\n        if jnp.sum(v) < t:\n            g = 0.5 * g + xs[i]\n"
        "        q = jnp.tanh(q + v)\n    return h, g, q\n",
        "h = jnp.full(jnp.broadcast_shapes(xs.shape[1:], ys.shape[1:]), 0.0)",
    ),
    "rows of an array that is turned round": (
        "def flipped(xs):\n    turned = 0.0\n    for row in jnp.flip(xs, 0):\n        turned = jnp.tanh(turned + row)\n    return turned\n",
        "turned = jnp.full(xs.shape[1:], 0.0)",
    ),
    "a wave that its first transform makes complex": (
        "def filtered(wave: \"Float[Array, '...']\", H: \"Float[Array, '...']\"):\n    for i in range(H.shape[0]):\n"
        "        wave = jnp.fft.ifft(jnp.fft.fft(wave) * H[i])\n    return wave\n",
        "wave = wave.astype(jnp.result_type(wave, jnp.complex64))",
    ),
    "a row that is returned from the loop": (
        "def found(xs, t):\n    for one in xs:\n        if one.sum() > t:\n            return one\n    return -xs[0]\n",
        "one = jnp.full(xs.shape[1:], 0.0)",
    ),
}
LEFT = {
    "trips that may not be made leave the number as it is": (
        "def steps(x, n):\n    s = 0.0\n    for i in range(n):\n        s = s + jnp.sin(x) * i\n    return s\n",
        "`s` starts as float32[] and becomes float32[3] in the first trip, which may not be made",
    ),
    "no array is known to have the shape": (
        "def grown(xs):\n    c = jnp.zeros(3)\n    for i in range(xs.shape[0]):\n"
        "        c = c + xs[i].reshape(4, 3)\n    return c\n",
        "`c` starts as float32[3] and becomes float32[4,3] in the first trip",
    ),
    "an argument that each trip replaces by what has other axes": (
        "def latest(xs, v):\n    last = v\n    s = jnp.zeros(3)\n    for i in range(xs.shape[0]):\n"
        "        s = jnp.sin(s) + jnp.sum(xs[i])\n        last = jnp.sum(s)\n    return last, s\n",
        "`last` starts as float32[",
    ),
    "whole numbers that floats do not hold": (
        "def rounded(xs, c):\n    c = c.astype(jnp.int32)\n    for i in range(xs.shape[0]):\n"
        "        c = c + jnp.float32(xs[i].sum())\n    return c\n",
        "`c` starts as int32",
    ),
}


def text(functions: dict[str, tuple[str, str]]) -> str:
    return HEAD + "".join(f"\n\n{decorated(code)}" for code, _ in functions.values())


def decorated(code: str) -> str:
    static = "(x, n)" in code
    return ("@functools.partial(jax.jit, static_argnames='n')\n" if static else "@jax.jit\n") + code


@pytest.fixture(scope="module")
def space() -> Callable[[str], dict[str, Callable[..., object]]]:
    def load(code: str) -> dict[str, Callable[..., object]]:
        found: dict[str, Callable[..., object]] = {}
        exec(compile(code, "carries.py", "exec"), found)  # type: ignore[arg-type]
        return found

    return load


def test_a_start_gets_the_shape_of_the_first_trip_and_every_rank_runs(
    project: Path, run: Scanlint, space: Callable[[str], dict[str, Callable[..., object]]]
) -> None:
    old = text(MENDED)
    (project / "pyproject.toml").write_text(LOOPS)
    (project / "carries.py").write_text(old)
    said = run("--fix", "--fix-only", "carries.py")
    new = (project / "carries.py").read_text()
    for code, start in MENDED.values():
        assert new.count(f"    {start}\n") == 1, f"{start}\n{code}\n{new}\n{said.stdout}"
    assert new.count(".full(m.shape[2:]") == 1 and "broadcast_to(s" not in new
    before, after = space(old), space(new)
    for name in ("rows", "count", "series", "scaled"):
        for shape in ((5,), (5, 4), (5, 4, 3), (1, 4), (0,)):
            for dtype in ("float32", "int32", "float16"):
                xs = jnp.asarray(np.random.default_rng(0).integers(-3, 4, shape), dtype)
                alike(before[name].__wrapped__(xs), after[name](xs))  # type: ignore[attr-defined]
    for dtype in ("float16", "float32", "complex64"):
        given = jnp.ones(4, dtype), jnp.ones(3)
        alike(before["filtered"].__wrapped__(*given), after["filtered"](*given))  # type: ignore[attr-defined]
    for width in ((), (4,)):
        given = jnp.ones((16, *width)), jnp.arange(16.0), jnp.ones(width), 2.0
        for a, b in zip(before["mixed"].__wrapped__(*given), after["mixed"](*given), strict=True):  # type: ignore[attr-defined]
            alike(a, b)
    for at in (jnp.float32(0.3), jnp.linspace(-1.0, 1.0, 7)):  # a polynomial is evaluated at one point or at many
        alike(before["clenshaw"].__wrapped__(jnp.arange(4.0), at), after["clenshaw"](jnp.arange(4.0), at))  # type: ignore[attr-defined]
    for a, b in ((2.0, jnp.ones(3)), (jnp.ones((2, 1)), jnp.arange(3.0)), (jnp.ones(3), 0.5)):
        alike(before["waves"].__wrapped__(a, b), after["waves"](a, b))  # type: ignore[attr-defined]


def alike(want: object, got: object) -> None:
    a, b = jnp.asarray(want), jnp.asarray(got)
    assert a.shape == b.shape and (a.dtype == b.dtype or (a.weak_type and not a.shape))
    np.testing.assert_allclose(a, b, rtol=5e-3 if b.dtype == jnp.float16 else 1e-5, atol=1e-4)


def test_what_has_no_start_of_its_final_type_is_left_with_both_types_named(project: Path, run: Scanlint) -> None:
    old = text(LEFT)
    (project / "pyproject.toml").write_text(LOOPS)
    (project / "carries.py").write_text(old)
    said = run("--fix", "carries.py").stdout
    assert (project / "carries.py").read_text() == old
    for _, reason in LEFT.values():
        assert f"carry-type-changes: {reason}" in said, said


LATE = "def fibonacci(t, ys):\n    a, b = 0, 1\n    for y in ys:\n        a, b = b, 0.5 * a + jnp.sum(y) * jnp.real(t)\n    return a, b\n"


def test_a_number_that_takes_the_type_of_arguments_a_trip_late_is_left(project: Path, run: Scanlint) -> None:
    """`a, b = 0.0, 1` does for float32, and raises for float16, which the loop in Python takes."""
    (project / "carries.py").write_text(HEAD + f"\n\n{decorated(LATE)}")
    said = run("--fix", "carries.py", "-v").stdout
    assert "def step" not in (project / "carries.py").read_text()
    assert "counterexample: t: f16[], ys: f16[3, 4]" in said, said
