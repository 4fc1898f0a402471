"""Loops that are left from inside by what data decide: `break`, `return`, `else`."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import jax.numpy as jnp
import pytest

from scanlint.rewrite.normalize.exits.counting_while import shifted
from tests.rewrite.conftest import Sample


def number(value: float) -> object:
    """A float of the width that is the default when it is made."""
    return lambda: jnp.asarray(value, float)


NAN = float("nan")
ROW = [-1.0, 0.5, 2.0, -3.0, 4.0]
LEFT: dict[str, tuple[str, list[list[object]]]] = {
    "a name that each trip binds": (
        """
        for i in range(40):
            x = jnp.sin(x)
            z = x * 2
            if x > y:
                break
            x = x - 0.1
        return x + z
        """,
        [[number(1.0), number(0.5)], [number(0.3), number(9.0)], [number(-2.0), number(0.0)]],
    ),
    "an index that had another value before": (
        """
        i = 7
        for i in range(y.shape[0]):
            x = jnp.sin(x) + 0.5 * i
            if x > 2:
                break
        return x + i
        """,
        [[number(1.0), lambda: jnp.asarray(ROW, float)], [number(1.0), lambda: jnp.zeros(0, float)]],
    ),
    "a search that has an answer in each case": (
        """
        for i, v in enumerate(y):
            if v > x:
                pos = i
                break
        else:
            pos = y.shape[0]
        return pos
        """,
        [[number(v), lambda: jnp.asarray(ROW, float)] for v in (1.0, 9.0, NAN)],
    ),
    "break at the end of a trip": (
        """
        for _ in range(30):
            x = 0.5 * (x + y / x)
            if jnp.abs(x * x - y) < 1e-3:  # close enough
                break
        return x
        """,
        [
            [number(1.0), number(9.0)],
            [number(3.0), number(9.0)],
            [number(NAN), number(9.0)],
            [number(1.0), number(1e30)],
        ],
    ),
    "break at the start is the test of the new loop": (
        """
        for i in range(20):
            if x > y:
                break
            x = x + i
        return x
        """,
        [[number(0.0), number(v)] for v in (-1.0, 0.0, 7.0, 1e9, NAN)],
    ),
    "the index of the trip that was the last": (
        """
        for i in range(3, 20):
            if x > y:
                break
            x = x + i
        return x, i
        """,
        [[number(0.0), number(v)] for v in (-1.0, 0.0, 7.0, 1e9, NAN)],
    ),
    "counting down": (
        """
        for i in range(20, 2, -3):
            x = x + i
            if x > y:
                x = -x
                break
            y = y - 1
        return x, y
        """,
        [[number(0.0), number(v)] for v in (-1.0, 30.0, 1e9)],
    ),
    "no trips": (
        """
        n = 0
        for i in range(n):
            if x > y:
                break
            x = x + i
        else:
            x = x + 1
        return x
        """,
        [[number(0.0), number(1.0)]],
    ),
    "several ways out, one in a branch": (
        """
        for i in range(12):
            if x < 0:
                x = -x
                break
            if x > 3:
                y = y + x
                if y > 10:
                    break
                x = x - y
            x = x + i * 0.5
            # far enough
            if y - x > 5: break
        return x, y
        """,
        [[number(a), number(b)] for a in (-1.0, 0.0, 2.0, 4.0) for b in (-3.0, 0.0, 9.0)],
    ),
    "break and continue": (
        """
        for i in range(12):
            if x > i:
                if y > x:
                    x = x + 2
                    continue
                y = y + 1
            if x > 9:
                break
            x = x + y * 0.25
        return x, y
        """,
        [[number(a), number(b)] for a in (-1.0, 0.5, 2.0, 40.0) for b in (-3.0, 0.0, 9.0)],
    ),
    "return from the loop": (
        """
        for i in range(15):
            new = jnp.cos(x)
            if jnp.abs(new - x) < y:
                return new
            x = new
        return x + 1
        """,
        [[number(1.0), number(v)] for v in (1.0, 0.1, 0.0, NAN)],
    ),
    "return and break": (
        """
        for i in range(15):
            if x < y:
                return x, i
            x = x * 0.5
            if x < 0.1:
                break
        return -x, -1
        """,
        [[number(a), number(v)] for a in (4.0, 0.15) for v in (1.0, 9.0, 0.0)],
    ),
    "return from the inner of two loops": (
        """
        for i in range(4):
            for j in range(5):
                if x > y:
                    return x * i + j
                x = x + 1
        return x
        """,
        [[number(0.0), number(v)] for v in (-1.0, 3.0, 7.5, 99.0)],
    ),
    "else of a loop that may be left": (
        """
        for i in range(5):
            if x > y:
                break
            x = x + 1
        else:
            # never
            x = -x
        return x
        """,
        [[number(0.0), number(v)] for v in (-1.0, 3.0, 4.5, 9.0)],
    ),
    "while with a second way out": (
        """
        n = 0
        while x < 50:
            x = x * 1.5 + 1
            n += 1
            if x > y or n == 7:
                break
            x = x - 0.5
        return x, n
        """,
        [[number(a), number(v)] for a in (0.0, 60.0) for v in (-1.0, 9.0, 99.0)],
    ),
    "while True with a test in the middle": (
        """
        while True:
            x = x * 0.5
            if x < y:
                break
            x = x + 0.125
        return x
        """,
        [[number(4.0), number(v)] for v in (1.0, 9.0)],
    ),
    "while True that binds what is read afterwards": (
        """
        while True:
            z = x * 0.5
            x = x - 1
            # small by now
            if z < y:
                break
        return z
        """,
        [[number(4.0), number(v)] for v in (1.0, 9.0)],
    ),
    "a remainder for a test": (
        """
        for k in jnp.arange(9):
            if k % 3:
                break
            x = x + y
        else:
            x = -x
        return x
        """,
        [[number(1.0), number(2.0)]],
    ),
    "a flag of the user's": (
        """
        for t in range(25):
            x = x + 0.25 * t
            stop = x > y
            if stop:
                x = x - 100
                break
        return x
        """,
        [[number(0.0), number(v)] for v in (-1.0, 4.0, 1e9)],
    ),
}


@pytest.mark.parametrize(("code", "cases"), LEFT.values(), ids=LEFT)
def test_a_loop_left_from_inside_gives_the_same(rewrite, code: str, cases: list[list[object]]) -> None:
    body = dedent(code).strip().replace("\n", "\n    ")
    sample: Sample = rewrite(f"@jax.jit\ndef f(x, y):\n    {body}\n")
    assert "break" not in sample.body and "for " not in sample.body
    assert "lax.while_loop(" in sample.body
    sample.agree("f", *cases)


WALRUS = """@jax.jit
def f(x, y):
    n = 0
    # until it settles
    while (gap := jnp.abs(x * x - y)) > 1e-3:  # far off
        n += 1
        if x > 50.0:
            break
        if gap > 10.0:
            x = 0.5 * x
            continue
        x = 0.5 * (x + y / x)
    return x, gap, n
"""


def test_what_a_test_binds_is_bound_before_it_and_after_each_trip(rewrite) -> None:
    sample: Sample = rewrite(WALRUS)
    assert ":=" not in sample.body
    assert "    gap = jnp.abs(x * x - y)\n" in sample.body
    assert "lax.while_loop(" in sample.body
    sample.agree(
        "f", *[[number(x), number(y)] for x, y in ((1.0, 9.0), (3.0, 9.0), (99.0, 9.0), (8.0, 1.0), (NAN, 1.0))]
    )


def test_rows_are_read_until_it_stops(rewrite) -> None:
    code = """@jax.jit
def f(xs, t):
    s = jnp.zeros((), xs.dtype)
    for i, (x, y) in enumerate(zip(xs, xs[::-1])):
        s = s + x * y * i
        if s > t:
            break
    return s
"""
    sample: Sample = rewrite(code)
    assert "lax.while_loop(" in sample.body
    row = lambda: jnp.asarray(ROW, float)  # noqa: E731
    sample.agree("f", *([row, t] for t in (-9.0, 0.0, 3.0, 99.0)))


ROWS = {
    "the index of the first": ("for i, x in enumerate(xs):", "return i", "return -1"),
    "counted from one": ("for i, x in enumerate(xs, 1):", "return i", "return 0"),
    "counted from elsewhere, after some rows": ("for i, x in enumerate(xs[2:], start=3):", "return i", "return -1"),
    "the last index": ("for i, x in enumerate(xs * 2):", "break", "return i"),
    "rows that are not read": ("for i, _ in enumerate(xs[1:]):\n    x = xs[i // 2, ...]", "break", "return s"),
    "neighbours": ("for x, before in zip(xs[1:], xs[:-1]):\n    s = s - before", "break", "return s"),
    "without the ends, backwards": ("for x in xs[1:-1][::-1]:", "break", "return s"),
    "all but the last, backwards": ("for i, x in enumerate(reversed(xs[:-1]), 2):\n    s = s + i", "break", "return s"),
    "made for the loop": ("for x in jnp.cumsum(xs, 0):", "return x", "return s"),
    "the first of them": ("for x in xs:", "return x * s", "return 2 * xs[-1]"),
}


@pytest.mark.parametrize("listed", ["[0.5, 1.0, -0.25]", "(1, 2, 3)"])
def test_of_a_list_that_is_not_read_only_its_length_is_counted(rewrite, listed: str) -> None:
    sample: Sample = rewrite(
        f"@jax.jit\ndef f(x, t):\n    for _ in {listed}:\n        x = jnp.sin(x) + t\n        if x > 1.4:\n            break\n    return x\n"
    )
    assert "k < 3" in sample.body and "rows" not in sample.body, sample.body
    sample.agree("f", *([jnp.float32(0.5), t] for t in (jnp.float32(0.2), jnp.float32(0.8))))


@pytest.mark.parametrize(("head", "found", "last"), ROWS.values(), ids=ROWS)
def test_rows_of_slices_and_their_numbers(rewrite, head: str, found: str, last: str) -> None:
    loop = f"{head}\n    s = s + x * x\n    if x > t:\n        {found}\n{last}".replace("\n", "\n    ")
    sample: Sample = rewrite(f"@jax.jit\ndef f(xs, t):\n    s = jnp.zeros((), xs.dtype)\n    {loop}\n")
    assert "lax.while_loop(" in sample.body and "for " not in sample.body
    assert "x = " in sample.body and "_ = xs" not in sample.body
    row = lambda: jnp.asarray(ROW, float)  # noqa: E731
    few = lambda: jnp.asarray(ROW[:1], float)  # noqa: E731
    if "x = 0.0" in sample.body:  # where nothing is verified it has no dtype
        sample = replace(sample, new=sample.new.replace("x = 0.0", "x = jnp.zeros((), xs.dtype)"))
    sample.agree("f", *([row, t] for t in (-9.0, 0.75, 3.0, 99.0)))
    sample.agree("f", [few, 99.0], [few, -9.0])


@pytest.mark.parametrize(
    ("code", "by", "moved"),
    [
        ("n", -1, "n - 1"),
        ("len(xs) - 2", -1, "len(xs) - 3"),
        ("n + 1", -1, "n"),
        ("n - 3", 4, "n + 1"),
        ("2 * n + 5", -1, "2 * n + 4"),
        ("a | b", -1, "(a | b) - 1"),
        ("(a | b) - 1", -1, "(a | b) - 2"),
        ("a if b else c", 1, "(a if b else c) + 1"),
        ("-3", -1, "-4"),
    ],
)
def test_a_bound_is_moved_by_a_number(code: str, by: int, moved: str) -> None:
    assert shifted(code, by) == moved
    names = {"n": 6, "a": 4, "b": 1, "c": 9, "xs": range(8), "len": len}
    assert eval(moved, dict(names)) == eval(code, dict(names)) + by


def test_what_each_trip_gives_anew_is_cast_to_nothing(rewrite) -> None:
    code = """@jax.jit
def f(x, d):
    for i in range(30):
        new = x + d / (i + 1)
        if jnp.sum(new**2) < jnp.sum(x**2):
            return new
    return x
"""
    sample: Sample = rewrite(code)
    assert "return jnp.where(found, new, x)" in sample.body


def test_where_gradients_are_taken_trips_do_nothing_after_the_break(rewrite) -> None:
    code = """def root(x, y):
    for _ in range(20):
        new = 0.5 * (x + y / x)
        if jnp.abs(new - x) < 1e-3:
            break
        x = new
    return x


@jax.jit
def f(x, y):
    return jax.value_and_grad(root, argnums=1)(x, y)
"""
    sample: Sample = rewrite(code)
    assert "while_loop" not in sample.body
    assert "lax.fori_loop(0, 20," in sample.body
    sample.agree("f", *([number(a), number(b)] for a, b in ((1.0, 9.0), (3.0, 9.0), (1.0, 1e6))))


def test_what_only_serves_the_loop_is_written_into_it(rewrite) -> None:
    sample: Sample = rewrite(HALVE)
    assert sample.body == HALVED


HALVE = """@jax.jit
def f(x, y):
    for _ in range(30):  # at most
        half = 0.5 * x
        if half < y:
            break
        x = half
    return x
"""
HALVED = """@jax.jit
def f(x, y):
    # at most
    def condition(state):
        _, i, done = state
        return (i < 30) & jnp.logical_not(done)

    def body(state):
        x, i, done = state
        half = 0.5 * x
        done = half < y
        x = jnp.where(done, x, half)
        return x, i + 1, done

    x, _, _ = lax.while_loop(condition, body, (x, 0, False))
    return x
"""

STAY = {
    "known when tracing": (
        "for i in range(40):\n        if i == 30:\n            break\n        x = jnp.sin(x) * jnp.cos(x) + y",
        "break",
    ),
    "a list": (
        "out = []\n    for i in range(40):\n        x = jnp.sin(x)\n        out.append(x)\n        if x > y:\n            break\n"
        "    x = jnp.stack(out)",
        "dynamic-length-output",
    ),
    "an effect": (
        "for i in range(40):\n        x = jnp.sin(x)\n        if x > y:\n            print(i)\n            break",
        "side-effect",
    ),
    "an error where it does not stop": (
        "for i in range(40):\n        x = jnp.sin(x)\n        if x > y:\n            break\n    else:\n        raise ValueError",
        None,
    ),
    "inside try": (
        "for i in range(40):\n        try:\n            x = jnp.sin(x)\n            if x > y:\n                break\n"
        "        except ValueError:\n            pass",
        "try",
    ),
    "a length that changes": (
        "n = 40\n    for i in range(n):\n        n = n - 1\n        x = jnp.sin(x)\n        if x > n:\n            break",
        "bound-changes",
    ),
    "an index that changes": (
        "for i in range(40):\n        x = jnp.sin(x)\n        if x > 2:\n            break\n        i = i + 1\n        x = x * i",
        "target-rebound",
    ),
    "different results": (
        "for i in range(40):\n        x = jnp.sin(x)\n        if x > y:\n            return x\n        if x < -y:\n            return y",
        "return-in-loop",
    ),
    "no value before": (
        "for i in range(y.size):\n        x = jnp.sin(x)\n        z = x * 2\n        if x > y:\n            break\n    x = x + z",
        None,
    ),
}


@pytest.mark.parametrize(("body", "reason"), STAY.values(), ids=STAY)
def test_a_loop_left_from_inside_stays_with_a_reason(rewrite, body: str, reason: str | None) -> None:
    """None: the reason comes up only on the way, when the loop is carried through."""
    sample: Sample = rewrite(f"@jax.jit\ndef f(x, y):\n    {body}\n    return x\n")
    assert sample.new == sample.old
    assert set(sample.reasons) == ({reason} if reason is not None else set())


ENTERED = {
    "an_infinite_start": ("err = jnp.inf", "err > 1e-3", True),
    "a_counter_too": ("err, k = jnp.inf, 0", "err > 1e-3 and k < 40", True),
    "a_flag": ("done = False", "not done", True),
    "numbers": ("err = 10.0", "not err <= 1e-3 or x > 5", True),
    "an_argument": ("err = x", "err > 1e-3", False),
    "a_name_that_leads_to_itself": ("err = x\n    err = err + 1", "err > 1e-3", False),
    "a_counter_that_is_done": ("err, k = jnp.inf, 40", "err > 1e-3 and k < 40", False),
    "a_small_number": ("err = 1e-4", "err > 1e-3", False),
}


@pytest.mark.parametrize(("start", "test", "sure"), ENTERED.values(), ids=ENTERED)
def test_a_name_that_trips_alone_give_a_value_starts_with_a_number(start: str, test: str, sure: bool, rewrite) -> None:
    names = [n for n in ("err", "k", "done") if n in start]
    more = {"err": "err = jnp.abs(half)", "k": "k = k + 1", "done": "done = jnp.abs(half) < 1e-3"}
    steps = "".join(f"        {more[n]}\n" for n in names)
    sample = rewrite(
        f"@jax.jit\ndef f(x):\n    {start}\n    while {test}:\n        half = 0.5 * x\n        x = half - 0.1 * half**2\n"
        f"{steps}    return half, x\n"
    )
    if not sure:
        assert sample.reasons == ["maybe-undefined"]
        return
    assert "    half = 0.0\n" in sample.new
    sample.agree("f", [number(0.7)])


def test_a_name_that_some_trips_give_a_value_has_none_before(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x):\n    err = jnp.inf\n    while err > 1e-3:\n        x = 0.5 * x\n        if x < 1:\n"
        "            small = x\n        err = jnp.abs(x)\n    return small\n"
    )
    assert set(sample.reasons) == {"maybe-undefined"}


@pytest.mark.parametrize("after", ["return pos", "if not done:\n        pos = pos + 1\n    return pos"])
def test_a_name_that_only_a_flag_gives_a_value_has_none_where_it_is_read_anyway(rewrite, after: str) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x):\n    done = False\n    while jnp.logical_not(done):\n        x = 0.5 * x\n        done = x < 1\n"
        f"        if done:\n            pos = x\n    {after}\n"
    )
    assert "maybe-undefined" in sample.reasons


def test_a_list_that_each_trip_makes_and_stacks_is_its_own(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x, y):\n    for _ in range(40):\n        rows = [x, 2 * x]\n        for k in range(3):\n"
        "            rows.append(jnp.cos(x + k))\n        rows = jnp.stack(rows)\n        if jnp.sum(rows) > y:\n"
        "            break\n        x = x + 0.1\n    return x\n"
    )
    assert "lax.while_loop(" in sample.new
    sample.agree("f", [number(0.5), number(1.0)], [number(0.1), number(99.0)])


def test_an_unread_loop_variable_may_stand_for_other_things_inside(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x, coeffs):\n    for _ in range(25):\n        p, dp = coeffs[0], 0.0 * x\n"
        "        for c in coeffs[1:]:\n            p, dp = p * x + c, dp * x + p\n        if jnp.abs(p) < 1e-3:\n"
        "            break\n        x = x - p / dp\n    return x\n"
    )
    assert "lax.while_loop(" in sample.new
    assert "lax.scan(" in sample.new
    sample.agree("f", [number(0.7), lambda: jnp.asarray([1.0, -2.0, 0.25], float)])
