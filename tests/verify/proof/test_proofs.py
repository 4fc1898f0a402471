"""What is proved is the same program; what is nearly the same is not proved, whatever the tests would say of it."""

from __future__ import annotations

import ast

import jax
import jax.numpy as jnp
import pytest

from scanlint.verify.worker.proof.joined_source import GIVEN, joined, keeps
from scanlint.verify.worker.proof.prove import Function, Proof, prove

HEADER = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n"
X, N, ROW = jnp.float32(0.3), jnp.int32(5), jnp.linspace(-1.0, 2.0, 5)
WIDE = jnp.linspace(-1.0, 2.0, 15).reshape(5, 3)


def function(tree: ast.Module, **given: object) -> Function:
    names: dict[str, object] = dict(given)
    exec(compile(tree, "module.py", "exec"), names)
    found = names["f"]
    assert callable(found)
    return found


def proof(old: str, new: str, *leaves: object) -> Proof:
    trees = [ast.parse(HEADER + text) for text in (old, new, old)]
    assert keeps(trees[2].body)
    return prove(function(trees[0]), function(trees[1]), leaves, lambda: function(joined(trees[2]), **GIVEN))


UNTIL = "def f(x):\n    n = 0\n    while jnp.abs(x) > 0.1:\n        x = 0.7 * x\n        n = n + 1\n    return x, n\n"
UNTIL_NEW = "def f(x):\n    return lax.while_loop(lambda s: {}, lambda s: {}, {})\n"
LIMITED = "def f(x):\n    n = 0\n    while jnp.abs(x) > 0.1 and n < 20:\n        x, n = 0.7 * x, n + 1\n    return x\n"
LIMITED_NEW = "def f(x):\n    return lax.while_loop(lambda s: {}, lambda s: (s[0] + 1, 0.7 * s[1]), (0, x))[1]\n"
RANGE = "def f(x, n):\n    for i in range(n):\n        x = jnp.sin(x) + i\n    return x\n"
RANGE_NEW = "def f(x, n):\n    return lax.fori_loop({}, {}, lambda i, x: jnp.sin(x) + {}, x)\n"
TOTAL = "def f(xs, n):\n    total, last = 0.0, jnp.float32(1.0)\n    for i in range(n):\n        last = total\n        total = total + xs[i]\n    return total, last\n"
TOTAL_NEW = "def f(xs, n):\n    return lax.fori_loop(0, n, lambda i, c: {}, ({}))\n"
NESTED = "def f(x, y):\n    for i in range(20):\n        if x > y:\n            x = jnp.sin(x)\n        elif x < -1:\n            y = y - x\n        else:\n            x = x + 0.25\n    return x, y\n"
NESTED_NEW = "def f(x, y):\n    def body(i, c):\n        x, y = c\n        return lax.cond(x > y, lambda: (jnp.sin(x), y), lambda: lax.cond(x {} -1, lambda: {}, lambda: {}))\n    return lax.fori_loop(0, {}, body, (x, y))\n"
AND = "def f(x, y):\n    for i in range(12):\n        if x > 0 and not y > 1:\n            x, y = y, x + 0.1\n    return x\n"
AND_NEW = "def f(x, y):\n    return lax.fori_loop(0, 12, lambda i, c: lax.cond({}, lambda: (c[1], c[0] + 0.1), lambda: c), (x, y))[0]\n"
TWO = "def f(x, n):\n    while x < 9:\n        for i in range(n):\n            x = x + i\n        x = x + 1\n    return x\n"
TWO_NEW = "def f(x, n):\n    return lax.while_loop(lambda x: x < 9, lambda x: {}, x)\n"
TERNARY = "def f(x, y):\n    for i in range(12):\n        x = x * 0.5 if 0 < x < y else y - x\n    return x\n"
TERNARY_NEW = "def f(x, y):\n    return lax.fori_loop(0, 12, lambda i, x: jnp.where({}, x * 0.5, y - x), x)\n"
GUARD = "def f(x, y):\n    if jnp.abs(x - 77) > 0:\n        return y / (x - 77)\n    return y\n"
ROOT = "def f(x, y):\n    for i in range(12):\n        if x > 77:\n            x = jnp.sqrt(x - 77)\n        else:\n            x = x + y\n    return x\n"
FOUND = "def f(x, y):\n    found = x > 100\n    for i in range(9):\n        if x > y:\n            found = True\n        x = x * 0.5\n    return found\n"
FOUND_NEW = "def f(x, y):\n    return lax.fori_loop(0, 9, lambda i, c: (c[0] * 0.5, lax.cond(c[0] > y, lambda found: jnp.asarray({}), lambda found: jnp.asarray({}), c[1])), (x, x > 100))[1]\n"
LONG = "def f(x, k):\n    out = []\n    def step(c, _):\n        c = jnp.sin(c) + k\n        return c, c * 2\n    return lax.scan(step, x, jnp.arange(30000))\n"
LONG_NEW = "def f(x, k):\n    def step(c, _):\n        c = jnp.sin(c) + {}\n        return c, {}\n    return lax.scan(step, x, None, length={})\n"
LIST = "def f(x, y):\n    out = [x]\n    for i in range(9):\n        if x > y:\n            out += [x]\n            x = x - 1\n        else:\n            out += [y]\n    return out[1], x\n"
TRIANGLE = "def f(x):\n    rows = []\n    for i in range(5):\n        s = x[i]\n        for j in range(i):\n            s = 0.5 * s + x[j]\n        rows.append(s)\n    return jnp.stack(rows)\n"
TRIANGLE_NEW = (
    "def f(x):\n    return jax.vmap(lambda i: lax.fori_loop(0, {}, lambda j, s: 0.5 * s + x[j], x[i]))(jnp.arange(5))\n"
)

SAME = {
    "trips of its own for each example": (TRIANGLE, TRIANGLE_NEW.format("i"), (ROW,)),
    "a while, its state in another order": (UNTIL, "def f(x):\n    n, x = lax.while_loop(lambda s: jnp.abs(s[1]) > 0.1, lambda s: (s[0] + 1, 0.7 * s[1]), (0, x))\n    return x, n\n", (X,)),
    "a while that carries what it leaves alone": (UNTIL, "def f(x):\n    x, n, _ = lax.while_loop(lambda s: jnp.abs(s[0]) > s[2], lambda s: (0.7 * s[0], s[1] + 1, s[2]), (x, 0, 0.1))\n    return x, n\n", (X,)),
    "a while with two tests": (LIMITED, LIMITED_NEW.format("(jnp.abs(s[1]) > 0.1) & (s[0] < 20)"), (X,)),
    "a range that is traced": (RANGE, RANGE_NEW.format(0, "n", "i"), (X, N)),
    "a range to a Python number": (RANGE, RANGE_NEW.format(0, "n", "i"), (X, 5)),
    "a Python number that becomes an array": (TOTAL, TOTAL_NEW.format("(c[0] + xs[i], c[0])", "0.0, jnp.float32(1.0)"), (ROW, N)),
    "branches in a long loop": (NESTED, NESTED_NEW.format("<", "(x, y - x)", "(x + 0.25, y)", 20), (X, X)),
    "a test with and and not": (AND, AND_NEW.format("(c[0] > 0) & ~(c[1] > 1)"), (X, X)),
    "a guarded division": (GUARD, GUARD.partition("    if")[0] + "    return lax.cond(jnp.abs(x - 77) > 0, lambda: y / (x - 77), lambda: y)\n", (X, X)),
    "a guarded root in a loop": (ROOT, "def f(x, y):\n    return lax.fori_loop(0, 12, lambda i, x: lax.cond(x > 77, lambda: jnp.sqrt(x - 77), lambda: x + y), x)\n", (X, X)),
    "a Python bool that an arm sets": (FOUND, FOUND_NEW.format("True", "found"), (X, X)),
    "a loop in a loop": (TWO, TWO_NEW.format("lax.fori_loop(0, n, lambda i, x: x + i, x) + 1"), (X, N)),
    "a ternary with a chained comparison": (TERNARY, TERNARY_NEW.format("(0 < x) & (x < y)"), (X, X)),
    "a scan that is too long to unroll": (LONG, LONG_NEW.format("k", "c * 2", 30000), (X, X)),
    "a convolution of each row": ("def f(x, w):\n    return jnp.stack([jnp.convolve(r, w, mode='valid') for r in x])\n", "def f(x, w):\n    return jax.vmap(lambda r: jnp.convolve(r, w, mode='valid'))(x)\n", (WIDE, ROW[:2])),
    "rows without elements that are sorted": ("def f(x):\n    return jnp.stack([jnp.sort(r) for r in x])\n", "def f(x):\n    return jax.vmap(jnp.sort)(x)\n", (jnp.zeros((3, 0)),)),
}  # fmt: skip

OTHER = {
    "one trip more for each example": (TRIANGLE, TRIANGLE_NEW.format("i + 1"), (ROW,)),
    "as many trips for each example": (TRIANGLE, TRIANGLE_NEW.format("3"), (ROW,)),
    "a while with another test": (UNTIL, UNTIL_NEW.format("jnp.abs(s[0]) >= 0.1", "(0.7 * s[0], s[1] + 1)", "(x, 0)"), (X,)),
    "a while with another factor": (UNTIL, UNTIL_NEW.format("jnp.abs(s[0]) > 0.1", "(0.75 * s[0], s[1] + 1)", "(x, 0)"), (X,)),
    "a while that counts from one": (UNTIL, UNTIL_NEW.format("jnp.abs(s[0]) > 0.1", "(0.7 * s[0], s[1] + 1)", "(x, 1)"), (X,)),
    "a while that counts by two": (UNTIL, UNTIL_NEW.format("jnp.abs(s[0]) > 0.1", "(0.7 * s[0], s[1] + 2)", "(x, 0)"), (X,)),
    "a while that tests the state before": (UNTIL, "def f(x):\n    return lax.while_loop(lambda s: jnp.abs(s[2]) > 0.1, lambda s: (0.7 * s[0], s[1] + 1, s[0]), (x, 0, x))[:2]\n", (X,)),
    "a while with one of its tests": (LIMITED, LIMITED_NEW.format("jnp.abs(s[1]) > 0.1"), (X,)),
    "a while with or for and": (LIMITED, LIMITED_NEW.format("(jnp.abs(s[1]) > 0.1) | (s[0] < 20)"), (X,)),
    "a while with another limit": (LIMITED, LIMITED_NEW.format("(jnp.abs(s[1]) > 0.1) & (s[0] < 21)"), (X,)),
    "a range from one": (RANGE, RANGE_NEW.format(1, "n", "i"), (X, N)),
    "a range that is longer": (RANGE, RANGE_NEW.format(0, "n + 1", "i"), (X, N)),
    "an index that is shifted": (RANGE, RANGE_NEW.format(0, "n", "(i + 1)"), (X, N)),
    "a range to the absolute value": (RANGE, RANGE_NEW.format(0, "jnp.abs(n)", "i"), (X, N)),
    "an output from after the update": (TOTAL, TOTAL_NEW.format("(c[0] + xs[i], c[0] + xs[i])", "0.0, jnp.float32(1.0)"), (ROW, N)),
    "an output from before, that starts as the total does": (TOTAL, TOTAL_NEW.format("(c[0] + xs[i], c[1])", "0.0, jnp.float32(1.0)"), (ROW, N)),
    "two that start equal and part": (TOTAL.replace("1.0", "0.0"), TOTAL_NEW.format("(c[0] + xs[i], c[0] + xs[i])", "0.0, jnp.float32(0.0)"), (ROW, N)),
    "carries swapped": (TOTAL, TOTAL_NEW.format("(c[0], c[0] + xs[i])", "0.0, jnp.float32(1.0)"), (ROW, N)),
    "a scan of less than no trips": (LONG.replace("30000", "-1"), LONG_NEW.format("k", "c * 2", -1), (X, X)),
    "a tie": (NESTED, NESTED_NEW.format("<=", "(x, y - x)", "(x + 0.25, y)", 20), (X, X)),
    "arms exchanged": (NESTED, NESTED_NEW.format("<", "(x + 0.25, y)", "(x, y - x)", 20), (X, X)),
    "an update of the wrong name": (NESTED, NESTED_NEW.format("<", "(y - x, y)", "(x + 0.25, y)", 20), (X, X)),
    "one trip too few": (NESTED, NESTED_NEW.format("<", "(x, y - x)", "(x + 0.25, y)", 19), (X, X)),
    "an or for an and": (AND, AND_NEW.format("(c[0] > 0) | ~(c[1] > 1)"), (X, X)),
    "a not that is lost": (AND, AND_NEW.format("(c[0] > 0) & (c[1] > 1)"), (X, X)),
    "an inner loop from the start": (TWO, TWO_NEW.format("lax.fori_loop(0, n, lambda i, y: x + i, x) + 1"), (X, N)),
    "an inner loop of one trip more": (TWO, TWO_NEW.format("lax.fori_loop(0, n + 1, lambda i, x: x + i, x) + 1"), (X, N)),
    "an end of a chain that is lost": (TERNARY, TERNARY_NEW.format("0 < x"), (X, X)),
    "a long scan with another constant": (LONG, LONG_NEW.format("2 * k", "c * 2", 30000), (X, X)),
    "a long scan with another output": (LONG, LONG_NEW.format("k", "c * 3", 30000), (X, X)),
    "a long scan with one trip more": (LONG, LONG_NEW.format("k", "c * 2", 30001), (X, X)),
    "a flag that is set in the other arm": (FOUND, FOUND_NEW.format("found", "True"), (X, X)),
    "a zero of the other sign": ("def f(x, y):\n    for i in range(9):\n        z = 0.0 if x > y else -0.0\n        x = jnp.sin(x) * z\n    return x\n", "def f(x, y):\n    return lax.fori_loop(0, 9, lambda i, x: jnp.sin(x) * 0.0, x)\n", (X, X)),
    "a guarded division that is computed in any case": (GUARD, GUARD.partition("    if")[0] + "    return jnp.where(jnp.abs(x - 77) > 0, y / (x - 77), y)\n", (X, X)),
    "a guarded root in a loop that is computed in any case": (ROOT, "def f(x, y):\n    return lax.fori_loop(0, 12, lambda i, x: jnp.where(x > 77, jnp.sqrt(x - 77), x + y), x)\n", (X, X)),
    "a Python float that is computed on": ("def f(x):\n    t = 0.1\n    while x < 9:\n        t = t * 3\n        x = x + 1\n    return x + t\n", "def f(x):\n    return sum(lax.while_loop(lambda s: s[0] < 9, lambda s: (s[0] + 1, s[1] * 3), (x, 0.1)))\n", (X,)),
    "a counter that is multiplied in Python": ("def f(x, n):\n    for i in range(n):\n        x = x + i * 0.1\n    return x\n", "def f(x, n):\n    return lax.fori_loop(0, n, lambda i, x: x + i * 0.1, x)\n", (X, N)),
    "a Python float that lives for one trip": ("def f(x, n):\n    t = 0.1\n    for i in range(n):\n        x = x + t * 1.1\n        t = x\n    return x\n", "def f(x, n):\n    return lax.fori_loop(0, n, lambda i, c: (c[0] + c[1] * 1.1, c[0] + c[1] * 1.1), (x, 0.1))[0]\n", (X, N)),
    "a whole number that is divided before it is a float": ("def f(x, m):\n    t = 0\n    while x < 9:\n        x = x + m // (t + 2)\n        t = t + 0.5\n    return x\n", "def f(x, m):\n    return lax.while_loop(lambda s: s[0] < 9, lambda s: (s[0] + m // (s[1] + 2), s[1] + 0.5), (x, 0.0))[0]\n", (X, jnp.int32(7))),
    "convolutions of other rows": ("def f(x, w):\n    return jnp.stack([jnp.convolve(r, w, mode='valid') for r in x])\n", "def f(x, w):\n    return jax.vmap(lambda r: jnp.convolve(r, w, mode='valid'))(x[::-1])\n", (WIDE, ROW[:2])),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "leaves"), SAME.values(), ids=SAME.keys())
def test_the_same_program_is_proved(old: str, new: str, leaves: tuple[object, ...]) -> None:
    found = proof(old, new, *leaves)
    assert found.same, found


@pytest.mark.parametrize(("old", "new", "leaves"), OTHER.values(), ids=OTHER.keys())
def test_another_program_is_not_proved(old: str, new: str, leaves: tuple[object, ...]) -> None:
    assert not proof(old, new, *leaves).same


def test_a_list_that_arms_add_to_is_not_changed_by_both() -> None:
    new = "def f(x, y):\n    first = x\n    def body(i, x):\n        return jnp.where(x > y, x - 1, x)\n    return {}, lax.fori_loop(0, 9, body, x)\n"
    assert proof(LIST, new.format("jnp.where(x > y, x, y)"), X, X).same
    assert not proof(LIST, new.format("x"), X, X).same


CHANGING = {
    "a list outside": "out = []\ndef g(x):\n    out.append(x)\n    return x\ndef f(x):\n    return g(x)\n",
    "an attribute": "class A:\n    def f(self, x):\n        self.x = x\n        return x\n",
    "a global name": "n = 0\ndef f(x):\n    global n\n    n = n + 1\n    return x\n",
    "an entry of a table": "table = {}\ndef f(x):\n    table['x'] = x\n    return x\n",
}  # fmt: skip


@pytest.mark.parametrize("text", CHANGING.values(), ids=CHANGING.keys())
def test_code_that_changes_objects_is_not_joined(text: str) -> None:
    assert not keeps(ast.parse(text).body)


def test_joined_code_does_what_the_source_does() -> None:
    text = "def f(x, n):\n    out = []\n    for i in range(n):\n        if i % 2 == 0 and x > 0:\n            x = x - 1\n        else:\n            x += 2\n    y = x\n    while y > 1:\n        y = y / 2\n    z = 1 if y < 0.7 else 2\n    return x, y, i, z\n"
    with jax.disable_jit():
        plain = function(ast.parse(text))(1.5, 7)
        assert function(joined(ast.parse(text)), **GIVEN)(1.5, 7) == plain


ADDED = "def f(xs, w):\n    total = 0.0\n    for i in range(xs.shape[0]):\n        total = total + jnp.tanh(jnp.sum(xs[i] * w))\n    return total\n"
SUMMED = "def f(xs, w):\n    return jnp.sum(jax.vmap(lambda x: jnp.tanh(jnp.sum(x * w)))(xs), axis=0)\n"
LARGEST = "def f(xs, w):\n    best = -jnp.inf\n    for x in xs:\n        best = jnp.maximum(best, jnp.sum(x * w))\n    return best\n"
MAXED = "def f(xs, w):\n    return jnp.max(jax.vmap(lambda x: jnp.sum(x * w))(xs), axis=0, initial=-jnp.inf)\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [(ADDED, SUMMED, "tested"), (LARGEST, MAXED, "proved")],
    ids=["a sum, which rounds otherwise", "a maximum, which is exact"],
)
def test_terms_in_another_order_are_the_same_terms(judge, old: str, new: str, verdict: str) -> None:
    found = judge(old, new, given=(("xs: f32[9, 3], w: f32[3]", "module.py:1"),))
    assert found.verdict == verdict, found
    assert any(note.startswith("terms are taken in another order") for note in found.notes), found


def test_a_term_that_is_left_out_is_not_another_order(judge) -> None:
    found = judge(ADDED, SUMMED.replace("(xs)", "(xs[1:])"), given=(("xs: f32[9, 3], w: f32[3]", "module.py:1"),))
    assert found.verdict == "refuted", found


OWN_RULE = """
    @jax.custom_vjp
    def twice(x):
        return x * 2.0

    twice.defvjp(lambda x: (x * 2.0, None), lambda _, g: (g * 5.0,))

    def f(x):
        for _ in range(12):
            x = jnp.sin({call})
        return x
    """


def test_equal_programs_whose_parts_have_derivatives_of_their_own_are_differentiated(judge) -> None:
    assert judge(OWN_RULE.format(call="twice(x)"), OWN_RULE.format(call="twice(x) + 0.0")).verdict != "refuted"
    found = judge(OWN_RULE.format(call="twice(x)"), OWN_RULE.format(call="(x * 2.0)"))
    assert found.verdict == "refuted", found
    assert "gradient" in (found.counterexample or "")


def test_gradients_that_are_stopped_are_told_apart(judge) -> None:
    old = "def f(x):\n    for _ in range(12):\n        x = jnp.sin({})\n    return x\n"
    found = judge(old.format("lax.stop_gradient(x) + 0.1 * x"), old.format("x + 0.1 * x"))
    assert found.verdict == "refuted", found
    assert "gradient" in (found.counterexample or "")


LIMITED = """
    LIMIT = 150

    def f(x, n):
        for _ in range({}):
            x = {}
        return x
    """
LIMITS = ["n", "min(n, 200)", "min(n, 100)", "n % 150", "min(n, LIMIT)", "n & 127", "n % (13 * 13)"]
ROLLED = """
    LIMIT = 150

    def f(x, n):
        return lax.fori_loop(0, {}, lambda _, x: {}, x)
    """


@pytest.mark.parametrize("length", LIMITS)
def test_a_limit_that_few_trips_do_not_reach_is_passed(judge, length: str) -> None:
    """Whether the values show it, or have come to rest by then."""
    static = frozenset({"n"})
    moving = judge(LIMITED.format("n", "x + 1.0"), ROLLED.format(length, "x + 1.0"), static=static)
    assert moving.verdict == ("proved" if length == "n" else "refuted"), moving
    resting = judge(LIMITED.format("n", "0.5 * x + 1.0"), ROLLED.format(length, "0.5 * x + 1.0"), static=static)
    assert (resting.verdict == "proved") if length == "n" else (resting.verdict in ("unknown", "refuted")), resting
    lost = judge(LIMITED.format(length, "0.5 * x + 1.0"), ROLLED.format("n", "0.5 * x + 1.0"), static=static)
    assert (lost.verdict == "proved") if length == "n" else (lost.verdict in ("unknown", "refuted")), lost


CALLED = """
    @jax.jit
    def part(x):
        return jnp.sqrt(x) * 2.0

    def f(x):
        y = part(x)
        {}
    """


def test_a_call_with_the_same_operands_is_numbered_once(judge) -> None:
    """And what it computes unconditionally, or in a type of few bits, counts for whoever calls it."""
    old = CALLED.format("for _ in range(9):\n            x = x + part(x)\n        return x, y")
    new = "return lax.fori_loop(0, {}, lambda _, x: x + part(x), x), y"
    assert judge(old, CALLED.format(new.format(9))).verdict == "proved"
    assert judge(old, CALLED.format(new.format(8))).verdict == "refuted"
