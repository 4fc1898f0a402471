"""What callers may pass in the place of arrays of equal lengths is named in a verdict where only the old version takes it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

Judge = Callable[..., Verification]

LOOP = "def f(xs, s):\n    for x in xs:\n        s = jnp.tanh(s + x)\n    return s\n"
SCAN = "def f(xs, s):\n    return lax.scan(lambda s, x: (jnp.tanh(s + x), None), s, xs)[0]\n"
PAIRS = "def f(xs, ys):\n    out = []\n    for i in range(len(xs)):\n        out.append(xs[i] * ys[i])\n    return jnp.stack(out)\n"
MAPPED = "def f(xs, ys):\n    return jax.vmap(lambda x, y: x * y)(xs, {})\n"
ARMS = "def f(x, y):\n    if jnp.any(x > 1.0):\n        x = x - y\n    return x.sum() + x.size\n"
CHOSEN = "def f(x, y):\n    x = {}\n    return x.sum() + x.size\n"
LOOKUP = "def f(table, i):\n    if i > len(table) - 1:\n        i = len(table) - 1\n    return table[i]\n"
LOOKED = (
    "def f(table, i):\n    i = lax.cond(i > len(table) - 1, lambda: len(table) - 1, lambda: i)\n    return table[i]\n"
)
GROWN = "def f(start, rates):\n    for rate in rates:\n        start = start * (1 + rate)\n    return start\n"
SCANNED = "def f(start, rates):\n    return lax.scan(lambda c, rate: (c * (1 + rate), None), {}, rates)[0]\n"
LARGER = "def f(a, b):\n    if a > b:\n        return a\n    return b\n"
CHOOSING = "def f(a, b):\n    return jnp.where(a > b, a, b)\n"
PADDED = "def f(x, flag):\n    if flag > 0:\n        y = x\n    else:\n        y = jnp.zeros(())\n    return y + 1\n"
PADDING = "def f(x, flag):\n    return lax.cond(flag > 0, lambda: x, lambda: jnp.zeros(())) + 1\n"
INSIDE = "def f(box, p):\n    return all(b[0] <= q < b[1] for b, q in zip(box, p))\n"
CUT = "b, p = (x[: min(len(box), len(p))] for x in (box, p))"
BOXED = f"def f(box, p):\n    {CUT}\n    return jnp.all(jax.vmap(lambda b, q: (b[0] <= q) & (q < b[1]))(b, p))\n"
WHOLE = "the new version raises for int32 (with x64 int64) in `{}` beside floats"
EITHER = "the result has one type whichever path is taken, where arguments differ in dtype: for int32 (with x64 int64) in `{}` beside floats"
ROWS = "with rows in the place of numbers the new version raises for x: "
COUNTED = (
    "def f(x, n):\n    acc = jnp.zeros(())\n    for i in range(n):\n        acc = acc + x[i] * {}\n    return acc\n"
)
ROLLED = "def f(x, n):\n    return lax.fori_loop(0, n, lambda i, acc: acc + x[i] * {}, jnp.zeros(()))\n"
NOTHING = "where there is nothing to loop over the result is float32, not int32, for a Python int in `start`"
HALVES = "the new version raises for float16, bfloat16 beside a Python float in `a`"
NARROW = "the new version raises for uint8 in `n`; what is computed from an index is int8 for such in `n`: values wrap"
TWO_HALVES = "the new version raises for float16, bfloat16 beside float32 in `by`"
IN_X64 = "the new version raises for float32 beside a Python float in `eps`, `x`, with x64 enabled"
FADING = "def f(xs, by=0.5):\n    t = 0.0\n    for x in xs:\n        t = x + by * t\n    return t\n"
FADED = "def f(xs, by=0.5):\n    return lax.scan(lambda t, x: (x + by * t, None), jnp.zeros(xs.shape[1:], jnp.result_type(float, xs)), xs)[0]\n"
LOGARITHM = "def f(x, eps):\n    if x < eps:\n        return jnp.log(eps)\n    return jnp.log(x)\n"
LOGARITHMS = "def f(x, eps):\n    return lax.cond(x < eps, lambda: jnp.log(eps), lambda: jnp.log(x))\n"
INVERSE = "def f(x):\n    if not x:\n        return 1.0 + x\n    return 2.0 / x\n"
INVERSES = "def f(x):\n    return lax.cond(x, lambda: 2.0 / x, lambda: 1.0 + x)\n"
TRUTHS = "holds for float16, float32, int8, uint8, int32, bool; the new version raises for bfloat16, complex64"
CASES = "def f(a, b):\n    return lax.cond(a > 0, lambda: a, lambda: b)\n"
POSITIVE = "def f(a, b):\n    if a > 0:\n        return a\n    return b\n"
FLAGGED = "def f(x):\n    if x.shape[0] > 128:\n        x = x * 0.5\n    total = 0.0\n    for v in x:\n        total = total + jnp.tanh(v)\n    return total\n"
SUMMED = "def f(x):\n    if x.shape[0] > 128:\n        x = x * 0.5\n    return lax.scan(lambda t, v: (t + jnp.tanh(v), None), 0.0, x)[0]\n"
LONG = "`x.shape[0] > 128` at line 6 of the old version was never true"
ALIVE = "def f(mask):\n    steps = 0\n    for i in range(mask.shape[0]):\n        steps = steps + (mask[i] & 1)\n    return steps\n"
ROLLED_MASK = "def f(mask):\n    return lax.scan(lambda steps, m: (steps + (m & 1), None), 0, mask)[0]\n"
WHOLE_ROWS = "with rows in the place of numbers the new version raises for mask: int32"
WIDTHS = "with x64 enabled the new version raises for int32"
LISTS = "only where `xs` is an array: for a list of its rows the new version raises"
NUMPY = "only where `x` is an array of JAX: for one of NumPy the new version raises TracerArrayConversionError"
LENGTHS = "only for arrays that are as long as each other"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(LOOP, SCAN, LISTS, id="rows of a scan"),
        pytest.param(PAIRS, MAPPED.format("ys"), LENGTHS, id="an array that is longer than what is counted"),
        pytest.param(ARMS, CHOSEN.format("lax.cond(jnp.any(x > 1.0), lambda: x - y, lambda: x)"), LENGTHS, id="an element that one arm spreads out"),
        pytest.param(GROWN, SCANNED.format("start"), WHOLE.format("start"), id="a whole start beside floats"),
        pytest.param(LARGER, CHOOSING, EITHER.format("a"), id="arms that are a whole number and a float"),
        pytest.param(PADDED, PADDING, ROWS, id="arms of which one has the axes of an argument"),
        pytest.param(GROWN, SCANNED.format("jnp.asarray(start, jnp.result_type(start, rates))"), NOTHING, id="a whole start that no trip changes"),
        pytest.param(POSITIVE, CASES, HALVES, id="an arm that is a number of Python"),
        pytest.param(FADING, FADED, TWO_HALVES, id="a number that is an array of more digits"),
        pytest.param(LOGARITHM, LOGARITHMS, IN_X64, id="an arm that is a number of Python, which has 64 bits"),
        pytest.param(COUNTED.format("(i * 3)"), ROLLED.format("(i * 3)"), NARROW, id="a bound of eight bits"),
        pytest.param(COUNTED.format("1.5"), ROLLED.format("1.5"), NUMPY, id="an array that a tracer indexes"),
        pytest.param(FLAGGED, SUMMED, LONG, id="a test that Python decides"),
        pytest.param(ALIVE, ROLLED_MASK, WHOLE_ROWS, id="rows of whole numbers"),
        pytest.param(LOOKUP, LOOKED, WIDTHS, id="32 bits beside those of Python"),
    ],
)  # fmt: skip
def test_what_only_the_old_version_takes_is_told(old: str, new: str, told: str, judge: Judge) -> None:
    found = judge(old, new)
    assert found.verdict == "proved", (found.reason, found.counterexample)
    assert any(note.startswith(told) for note in found.notes), found.notes


def test_lists_are_told_where_the_old_version_cannot_be_traced(judge: Judge) -> None:
    found = judge(INSIDE, BOXED)
    assert found.verdict in ("proved", "tested"), (found.reason, found.counterexample)
    assert any(note.startswith("only where `box` is an array: for a list") for note in found.notes), found.notes


def test_a_number_that_is_tested_for_its_truth_is_no_flag(judge: Judge) -> None:
    found = judge(INVERSE, INVERSES)
    assert found.verdict == "tested", (found.reason, found.counterexample)
    assert TRUTHS in found.notes, found.notes


def test_an_element_that_both_arms_spread_out_is_refuted(judge: Judge) -> None:
    found = judge(ARMS, CHOSEN.format("jnp.where(jnp.any(x > 1.0), x - y, x)"))
    assert found.verdict == "refuted", (found.verdict, found.notes)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(LOOP, SCAN.replace(", xs)", ", jnp.asarray(xs))"), LISTS, id="rows that become an array"),
        pytest.param(LOOP.replace("xs, s", "xs: jax.Array, s"), SCAN, LISTS, id="rows that are said to be an array"),
        pytest.param(LOOP.replace("in xs", "in xs.T"), SCAN.replace(", xs)", ", xs.T)"), LISTS, id="columns"),
        pytest.param(
            GROWN,
            SCANNED.format("jnp.asarray(start, jnp.result_type(start, rates))"),
            WHOLE.format("start"),
            id="a whole start that is made a float",
        ),
        pytest.param(COUNTED.format("jnp.sin(x[i - 1])"), ROLLED.format("jnp.sin(x[i - 1])"), "what is computed from an index", id="a place counted from the end"),
        pytest.param(PAIRS, MAPPED.format("ys[: len(xs)]"), LENGTHS, id="an array that is cut"),
        pytest.param(COUNTED.format("1.5"), ROLLED.replace("x[i]", "jnp.asarray(x)[i]").format("1.5"), NUMPY, id="an array that is made one of JAX"),
        pytest.param(*("import functools\n@functools.partial(jax.jit, static_argnames='n')\n" + v.format("1.5") for v in (COUNTED, ROLLED)), NUMPY, id="an array that jit makes a tracer"),
    ],
)  # fmt: skip
def test_what_both_versions_take_is_not_told(old: str, new: str, told: str, judge: Judge) -> None:
    found = judge(old, new)
    assert found.verdict in ("proved", "tested"), (found.reason, found.counterexample)
    assert not any(note.startswith(told) for note in found.notes), found.notes
