"""What Python decides by lengths, shapes, dtypes and its own numbers is compared in both ways before it is proved."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from scanlint.finding import Verification
from scanlint.verify.worker.comparing.static_choices import in_words, recorders, with_choices
from scanlint.verify.worker.runtime.line_marks import ReachedLines
from scanlint.verify.worker.standing.undecided import lengths

Compare = Callable[..., Verification]

LOOP = "def f(xs, v):\n    for x in xs:\n        v = jnp.sin(v + x)\n    return {}\n"
SCAN = "def f(xs, v):\n    return lax.scan(lambda v, x: (jnp.sin(v + x), None), v, xs)[0]\n"
ALONE = "def f(v, n):\n    return v + {}\n"
GROWS = "def f(v, g, n):\n    w = 1.0\n    for _ in range(n):\n        v = v + w / w\n        w = w * g\n    return v\n"
GREW = "def f(v, g, n):\n    def step(_, c):\n        return c[0] + c[1] / c[1], c[1] * g\n    return lax.fori_loop(0, n, step, (v, 1.0))[0]\n"
DTYPE = "def f(x):\n    return x * 2 {}\n"

WRONG = {
    "a shape": (LOOP.format("2 * v if v.shape == (1,) else v"), SCAN),
    "a shape of the third rank": (LOOP.format("v * (1 + (v.shape == (1, 1)))"), SCAN),
    "an axis of one element": (LOOP.format("2 * v if v.ndim and v.shape[-1] == 1 else v"), SCAN),
    "a number of axes": (LOOP.format("2 * v if v.ndim == 3 else v"), SCAN),
    "a length that is spelled": (LOOP.format('2 * v if f"{len(xs)}" == "5" else v'), SCAN),
    "a digit": (LOOP.format('2 * v if str(len(xs)).endswith("9") else v'), SCAN),
    "a format": (LOOP.format("2 * v if '%d' % len(xs) == '23' else v"), SCAN),
    "a character": (LOOP.format("2 * v if chr(len(xs)) == 'A' else v"), SCAN),
    "bits": (LOOP.format("2 * v if len(xs).bit_length() == 6 else v"), SCAN),
    "a quotient": (LOOP.format("v * (1 + len(xs) // 29)"), SCAN),
    "the keys of a table": (LOOP.format("v * {19: 2.0}.get(len(xs), 1.0)"), SCAN),
    "a dtype": (DTYPE.format("if x.dtype == jnp.int8 else x"), "def f(x):\n    return x\n"),
    "a helper of the new version": (SCAN, "def g(v):\n    return 2 * v if v.shape == (1,) else v\n" + SCAN.replace("return lax", "return g(lax").replace("[0]", "[0])")),
    "a third power of a number of Python": (ALONE.format("n * n * n * 1.0"), ALONE.format("jnp.asarray(n) * n * n * 1.0")),
    "a square": (ALONE.format("n * n * 1.0"), ALONE.format("jnp.asarray(n) * n * 1.0")),
    "a shift": (ALONE.format("(1 << n) * 1.0"), ALONE.format("(jnp.asarray(1) << n) * 1.0")),
    "a number that trips multiply by": (GROWS, GREW),
}  # fmt: skip
RIGHT = {
    "the same test in both": (LOOP.format("2 * v if v.shape == (1,) else v"), SCAN.replace("return lax", "v = lax").rstrip() + "\n    return 2 * v if v.shape == (1,) else v\n", "proved"),
    "a test that only raises": (LOOP.replace("    for", "    if xs.ndim > 7:\n        raise ValueError\n    for").format("v"), SCAN, "proved"),
    "a length that cannot be so": (LOOP.format("v * (1 + (hash(len(xs)) == 10**6))"), SCAN, "tested"),
}  # fmt: skip


@pytest.mark.many(4)
@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
def test_what_python_decides_is_compared_in_both_ways(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


@pytest.mark.many(2)
@pytest.mark.parametrize(("old", "new", "verdict"), RIGHT.values(), ids=RIGHT)
def test_what_does_the_same_in_both_ways_is_accepted(old: str, new: str, verdict: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == verdict, (found.verdict, found.reason, found.counterexample, found.notes)


def test_a_test_that_came_out_in_one_way_is_told(compare: Compare) -> None:
    found = compare(*RIGHT["a length that cannot be so"][:2])
    assert any("`hash(len(xs)) == 10**6`" in note and "was never true" in note for note in found.notes), found.notes


def recorded(text: str, *calls: object) -> ReachedLines:
    """The outcomes of the tests of the function `f` of a text, called with each of these."""
    names: dict[str, object] = {**recorders("old"), "LIMIT": 3}
    exec(compile(with_choices(ast.parse(text)), "old.py", "exec"), names)
    found = ReachedLines()
    with found.watching():
        for argument in calls:
            names["f"](argument)  # type: ignore[operator]
    return found


@pytest.mark.parametrize(
    ("body", "calls", "left"),
    [
        pytest.param("n if n > 3 else 0", [1], ["`n > 3` was never true"], id="a comparison"),
        pytest.param("n if n > 3 else 0", [1, 5], [], id="both ways"),
        pytest.param("n and 1", [1], ["`n` was never false"], id="a number as a truth"),
        pytest.param("[m for m in range(n) if m % 2]", [1], ["`m` was never above 1", "`m % 2` was never true"], id="a comprehension"),
        pytest.param("not (n > 3)", [9], ["`n > 3` was never false"], id="a negation"),
        pytest.param("min(n, 7)", [3], ["`n` was never above 7"], id="a limit"),
        pytest.param("n >> 2", [3], ["`n` was never above 3"], id="bits"),
        pytest.param("{2: 1}.get(n)", [3], ["`n` was never true"], id="a key"),
        pytest.param("n if LIMIT > 2 else 0", [1], [], id="what no call decides"),
        pytest.param("n if isinstance(n, int) else 0", [1], [], id="a kind"),
        pytest.param("n if n is None else 0", [1], [], id="presence"),
    ],
)  # fmt: skip
def test_outcomes_of_tests_are_recorded(body: str, calls: list[object], left: list[str]) -> None:
    text = f"def f(n):\n    return {body}\n"
    found = recorded(text, *calls)
    where = " at line 2 of the old version"
    assert [in_words(test, way, text).replace(where, "") for test, way in sorted(found.one_sided())] == left


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if n > 3:\n        raise ValueError\n    assert n != 7", id="an arm"),
        pytest.param("if n < 3:\n        n = 4\n    else:\n        raise ValueError", id="the other arm"),
        pytest.param("if n < 3:\n        return n\n    raise ValueError", id="what follows"),
    ],
)
def test_what_only_raises_need_not_be_reached(body: str) -> None:
    assert not recorded(f"def f(n):\n    {body}\n", 1).one_sided()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x.shape == (1, 17)", {1, 17, 16, 18}),
        ("f'{len(xs)}' == '41'", {41, 9, 10, 30, 100}),
        ("n.bit_length() == 7", {128, 127}),
        ("chr(n) == 'A'", {65}),
        ("[0, 1, 2, 3, 4][n]", {5}),
    ],
)
def test_lengths_are_those_that_a_text_has_reason_for(text: str, wanted: set[int]) -> None:
    assert wanted <= set(lengths([ast.parse(text)]))
