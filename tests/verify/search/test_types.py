"""Types that Python promotes anew on every trip: weak ones, half precision beside others, numbers that overflow."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

SUMMED = "def f(x):\n    s = 0.0\n    for i in range(x.shape[0]):\n        if x[i] > 0:\n            s = s + x[i]\n    return s\n"
SCANNED = "def f(x):\n    return lax.scan(lambda s, d: (lax.cond(d > 0, lambda: s + d, lambda: s), None), {}, x)[0]\n"
HORNER = "def f(h, x):\n    s = 0.0\n    for i in range(h.shape[0]):\n        s = s * x[i] + h[i]\n    return s\n"
ROLLED = "def f(h, x):\n    return lax.fori_loop(0, h.shape[0], lambda i, s: s * x[i] + h[i], {})\n"
START = "jnp.full(jnp.broadcast_shapes(h.shape[1:], x.shape[1:]), 0.0)"
TIMES = "def f(n):\n    s = jnp.int32(0)\n    for i in range(30):\n        s = s + n * i\n    return s\n"
FIRST = "def f(x):\n    best, at = x[0], 0\n    for i in range(1, x.shape[0]):\n        if x[i] > best:\n            best, at = x[i], i\n    return at\n"
TRIPS = "def f(x, n):\n    for i in range(n):\n        x = x * 0.5 + i\n    return x\n"
FILLED = "def f(x):\n    out = jnp.zeros_like(x)\n    for i in range(x.shape[0]):\n        out = out.at[i].set({})\n    return out\n"
MAPPED = "def f(x):\n    return jax.vmap(lambda row: {})(x)\n"
WRONG = {
    "a float dtype where an array of whole numbers was filled": (FILLED.format("jnp.median(x[i])"), MAPPED.format("jnp.median(row)"), frozenset()),
    "a sum that stays as weakly typed as its start": (SUMMED, SCANNED.format("0.0"), frozenset()),
    "a NaN that is not the first": (FIRST, "def f(x):\n    return jnp.argmax(x)\n", frozenset()),
    "a sum that stays weak though no input tried says so": (
        "def f(x, n):\n    s = 0.0\n    for k in range(n, 0, -1):\n        if k % 2 == 0:\n            s = s + jnp.max(x)\n    return s\n",
        "def f(x, n):\n    def body(k, s):\n        return lax.cond((n - k) % 2 == 0, lambda: s + jnp.max(x), lambda: s)\n    return lax.fori_loop(0, n, body, 0.0)\n",
        frozenset({"n"}),
    ),
    "a start that no trip reads, and whose rank nothing tells": (
        "def f(x, m, t):\n    last = t\n    for i in range(20):\n        last = m[i % 3] * jnp.sum(x)\n        x = x * 0.5\n    return last, x\n",
        "def f(x, m, t):\n    return lax.fori_loop(0, 20, lambda i, c: (m[i % 3] * jnp.sum(c[1]), c[1] * 0.5), (t, x))\n",
        frozenset(),
    ),
    "a start of one number, where what is summed up is no number": (
        "def f(v, t):\n    last = v\n    for i in range(20):\n        t = t * jnp.sum(v) + i\n        last = 0.25 * t\n    return last, t\n",
        "def f(v, t):\n    return lax.fori_loop(0, 20, lambda i, c: (0.25 * (c[1] * jnp.sum(v) + i), c[1] * jnp.sum(v) + i), (v, t))\n",
        frozenset(),
    ),
    "rows of which none are left to be looped over": (
        "def f(xs, ys):\n    prev, s = 0.0, 0.0\n    for row, y in zip(xs[1:], ys[1:]):\n        if y > 0:\n            s = s + jnp.sum((jnp.roll(row, 1) - prev) ** 2)\n            prev = jnp.roll(row, 1)\n    return s\n",
        "def f(xs, ys):\n    prev, s = 0.0, 0.0\n    for row, y in zip(xs[1:], ys[1:]):\n        moved = jnp.roll(row, 1)\n        s, prev = lax.cond(y > 0, lambda: (s + jnp.sum((moved - prev) ** 2), moved), lambda: (s, prev))\n    return s\n",
        frozenset(),
    ),
    "whole numbers that a list of would make strong, along the paths of a test": (
        "def f(t, counts):\n    kept, s = [], jnp.zeros(())\n    for c in counts:\n        kept.append(0.25 * (c + c))\n        if c * t > 1.0:\n            s = s + t\n    return jnp.asarray(kept), s\n",
        "def f(t, counts):\n    def step(s, c):\n        return lax.cond(c * t > 1.0, lambda: s + t, lambda: s), 0.25 * (c + c)\n    s, kept = lax.scan(step, jnp.zeros(()), counts)\n    return kept, s\n",
        frozenset(),
    ),
    "an arm of a scalar beside the product of a matrix and a vector": (
        "def f(v, m, t):\n    last, s = t, m[0]\n    for i in range(4):\n        if v[i] > t:\n            last = jnp.roll(m @ v, 1)\n        s = s * 0.5\n    return last, s\n",
        "def f(v, m, t):\n    last, s = t, m[0]\n    for i in range(4):\n        last = lax.cond(v[i] > t, lambda: jnp.roll(m @ v, 1), lambda: last)\n        s = s * 0.5\n    return last, s\n",
        frozenset(),
    ),
    "an element that `xs[i, j]` reads, beside a vector": (
        "def f(xs, v, n):\n    last = v\n    for i in range(n + 1):\n        if i % 3:\n            last = xs[i % 3, -1]\n    return last, v[1]\n",
        "def f(xs, v, n):\n    return lax.fori_loop(0, n + 1, lambda i, last: lax.cond(i % 3, lambda: xs[i % 3, -1], lambda: last), v), v[1]\n",
        frozenset({"n"}),
    ),
    "an arm of a scalar beside what is multiplied again and again": (
        "def f(v, m, t):\n    x, y = 0.0, v\n    for i in range(4):\n        y = m @ (y - 0.5 * v)\n        if y[0] > t:\n            x = m @ (x - v)\n    return x, y\n",
        "def f(v, m, t):\n    x, y = 0.0, v\n    for i in range(4):\n        y = m @ (y - 0.5 * v)\n        x = lax.cond(y[0] > t, lambda: m @ (x - v), lambda: x)\n    return x, y\n",
        frozenset(),
    ),
    "a limit of the trips": (TRIPS, "def f(x, n):\n    return lax.fori_loop(0, min(n, 64), lambda i, x: x * 0.5 + i, x)\n", frozenset({"n"})),
}  # fmt: skip
RIGHT = {
    "what an array is filled with takes its dtype": (FILLED.format("jnp.tanh(x[i])"), MAPPED.format("jnp.tanh(row)").replace("(x)\n", "(x).astype(x.dtype)\n")),
    "a sum that starts with the dtype that a float and the rows promote to": (SUMMED, SCANNED.format("jnp.zeros((), jnp.result_type(float, x))")),
    "a carry of the dtype that a float and the rows promote to": (HORNER, ROLLED.format("jnp.zeros(jnp.broadcast_shapes(h.shape[1:], x.shape[1:]), jnp.result_type(float, h, x))")),
    "a scalar that a branch adds to": (
        "def f(ys, v):\n    s = jnp.zeros(())\n    for k in range(len(ys)):\n        if k % 2 == 0:\n            s = 0.5 * s + jnp.tanh(ys[k - 1] - v)\n    return s\n",
        "def f(ys, v):\n    def body(k, s):\n        return lax.cond(k % 2 == 0, lambda: 0.5 * s + jnp.tanh(ys[k - 1] - v), lambda: s)\n    return lax.fori_loop(0, len(ys), body, jnp.zeros(()))\n",
    ),
    "a whole number to which only some arms of a long loop add what is no Python number": (
        "def f(x, y):\n    for i in range(14):\n        if x > y:\n            x = jnp.sin(x + 0.25 * (y - x))\n        else:\n            x = x + 0.1\n    return x\n",
        "def f(x, y):\n    for i in range(14):\n        x = lax.cond(x > y, lambda: jnp.sin(x + 0.25 * (y - x)), lambda: x + 0.1)\n    return x\n",
    ),
    "a product with the product of a matrix and a row": (
        "def f(xs, m):\n    h = jnp.zeros(m.shape[0])\n    for row in xs:\n        h = jnp.tanh(h + m @ (m @ row))\n    return h\n",
        "def f(xs, m):\n    return lax.scan(lambda h, row: (jnp.tanh(h + m @ (m @ row)), None), jnp.zeros(m.shape[0]), xs)[0]\n",
    ),
    "a Python number that no trip has made an array has no tangent": (
        "def f(xs, limit):\n    total = 0.0\n    for i in range(xs.shape[0]):\n        if total > limit:\n            break\n        total = total + xs[i]\n    return total\n",
        "def f(xs, limit):\n    return lax.while_loop(lambda c: (c[0] < xs.shape[0]) & ~(c[1] > limit), lambda c: (c[0] + 1, c[1] + xs[c[0]]), (0, jnp.zeros((), jnp.result_type(float, xs))))[1]\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "static"), WRONG.values(), ids=WRONG.keys())
def test_another_type_on_the_way_is_refuted(judge, old: str, new: str, static: frozenset[str]) -> None:
    found = judge(old, new, static=static)
    assert found.verdict == "refuted", found


def test_what_differs_only_where_precisions_are_mixed_is_said_and_refutes_nothing(judge) -> None:
    """A tenth in the precision of `h`: beside an `x` of more bits it is not Python's."""
    step = "s + 0.1 * x[i] + h[i]"
    old, new = HORNER.replace("s * x[i] + h[i]", step), ROLLED.format(START).replace("s * x[i] + h[i]", step)
    assert judge(old, new).verdict == "proved"
    found = judge(old, new.replace("0.1 *", "jnp.asarray(0.1, jnp.result_type(h[i], 0.1)) *"))
    assert found.verdict == "tested", found
    assert any(note.startswith("only where precisions are mixed: ") and "float16" in note for note in found.notes)


def test_what_only_xla_rounds_otherwise_where_precisions_are_mixed_is_proved(judge) -> None:
    assert judge(HORNER, ROLLED.format(START)).verdict == "proved"


@pytest.mark.parametrize(("old", "new"), RIGHT.values(), ids=RIGHT.keys())
def test_starts_of_the_right_type_are_proved(judge, old: str, new: str) -> None:
    found = judge(old, new)
    assert found.verdict == "proved", found


def test_whole_numbers_beyond_16_bits_are_tried(judge) -> None:
    new = "def f(n):\n    return lax.fori_loop(0, 30, lambda i, s: s + (n * i).astype(jnp.int16), jnp.int32(0))\n"
    assert judge(TIMES, new, given=(("n: i32[]", "module.py:1"),)).verdict == "refuted"


def test_types_that_the_user_gave_are_not_doubted(judge) -> None:
    new = ROLLED.format("0.0")
    assert judge(HORNER, new, given=(("h: f32[5], x: f32[5]", "module.py:1"),)).verdict == "proved"


def test_rows_are_tried_where_a_number_stands_in_the_other_arm(judge) -> None:
    old = """
    def f(xs):
        last = 0.0
        for i in range(xs.shape[0]):
            if i >= 0:
                last = xs[i]
        return last
    """
    new = """
    def f(xs):
        return lax.fori_loop(0, xs.shape[0], lambda i, last: lax.cond(i >= 0, lambda: xs[i], lambda: last), {start})
    """
    assert judge(old, new.format(start="0.0"), traced=True).verdict == "refuted"
    assert judge(old, new.format(start="jnp.zeros(xs.shape[1:], xs.dtype)"), traced=True).verdict in (
        "proved",
        "tested",
    )


def test_what_stands_left_of_a_product_may_be_a_matrix(judge) -> None:
    old = """
    def f(v, m):
        x = 0.0
        for _ in range(4):
            x = 0.5 * x + m @ v
        return x
    """
    new = """
    def f(v, m):
        x = {start}

        def body(_, x):
            return 0.5 * x + m @ v

        x = lax.fori_loop(0, 4, body, x)
        return x
    """
    flat = judge(old, new.format(start="0.0"), traced=True)
    assert flat.verdict == "refuted"
    assert {cut for carry in flat.carries for like in carry.likes for _, cut in like.arrays} == {-1}
    assert judge(old, new.format(start="jnp.full(m.shape[:-1], 0.0)"), traced=True).verdict == "proved"


def test_only_names_are_given_another_start(judge) -> None:
    old = """
    def f(x):
        for k in range(4):
            x, flag = x + 1.0, k % 3
        return x, flag
    """
    new = """
    def f(x):
        def body(k, state):
            x, flag = state
            flag = k % 3
            return x + 1.0, flag

        x, flag = lax.fori_loop(0, 4, body, (x, {start}))
        return x, flag
    """
    found = {start: judge(old, new.format(start=start), traced=True) for start in ("False", "0")}
    assert found["False"].verdict == "refuted"
    assert found["False"].carries == ()
    assert found["0"].verdict == "proved"
