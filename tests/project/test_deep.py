"""What is nested deeply is checked like anything else, or it is said that it was not; everything else goes on."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from scanlint import effort
from scanlint.deep import at_bottom, deeply
from scanlint.effort import WATCH, Account, TakesTooLong
from scanlint.engine.session import RunOutcome, check, check_text
from scanlint.settings import Settings
from scanlint.syntax.walk import dotted

HEADER = "import jax\nimport jax.numpy as jnp\n\n\n"
BESIDE = "\n\n@jax.jit\ndef beside(x):\n    return x if x > 0 else -x\n"
TERMS = 2500


def outcome(text: str) -> RunOutcome:
    return check_text((HEADER + text + BESIDE).encode(), Path("program.py"), Settings())


def found(made: RunOutcome) -> set[str | None]:
    return {finding.function for finding in made.findings}


EXPRESSIONS = [
    pytest.param("x + " * TERMS + "x", id="a sum"),
    pytest.param("x @ " * TERMS + "x", id="a product of matrices"),
    pytest.param("x ** " * 900 + "x", id="powers of powers"),
    pytest.param("x" + ".T" * TERMS, id="attributes of attributes"),
    pytest.param("x" + ".sum()" * TERMS, id="methods of results of methods"),
    pytest.param("x" + "[0]" * TERMS, id="elements of elements"),
    pytest.param("x.any() and " * TERMS + "x", id="a conjunction"),
    pytest.param("x < " * TERMS + "x", id="a chain of comparisons"),
    pytest.param("not " * 900 + "x", id="negated many times"),
    pytest.param("-" * 900 + "x", id="many signs"),
    pytest.param("x if x.ndim else " * 900 + "x", id="ternaries in ternaries"),
    pytest.param("lambda: " * 900 + "x", id="lambdas in lambdas"),
    pytest.param("jnp.sin(" * 90 + "x" + ")" * 90, id="calls in calls"),
    pytest.param("(" * 150 + "x" + ")" * 150, id="brackets in brackets"),
    pytest.param("[" * 90 + "x" + "]" * 90, id="lists in lists"),
    pytest.param("{1: " * 90 + "x" + "}" * 90, id="dicts in dicts"),
    pytest.param('"a" + ' * TERMS + '"b"', id="strings that are added"),
    pytest.param('"a" ' * TERMS, id="strings side by side"),
    pytest.param("f'{x}' + " * TERMS + "''", id="formatted strings that are added"),
]


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_behind_a_deep_expression_everything_is_found(code: str) -> None:
    made = outcome(f"@jax.jit\ndef f(x):\n    y = {code}\n    if x > 0:\n        x = x + 1\n    return x, y\n")
    assert not made.problems
    assert found(made) == {"f", "beside"}


def blocks(head: str, depth: int, last: str) -> str:
    lines = [f"{'    ' * (i + 1)}{head.format(i)}\n" for i in range(depth)]
    return f"@jax.jit\ndef f(x):\n{''.join(lines)}{'    ' * (depth + 1)}{last}\n    if x > 0:\n        x = x + 1\n    return x\n"


PLACES = [
    pytest.param(blocks("if x > {}:", 90, "x = x + 1"), {"f", "beside"}, id="branches in branches"),
    pytest.param(blocks("for i{} in range(3):", 18, "x = x + 1"), {"f", "beside"}, id="loops in loops"),
    pytest.param(blocks("with jax.named_scope('a'):", 90, "x = x + 1"), {"f", "beside"}, id="blocks in blocks"),
    pytest.param(blocks("def f{}(x):", 90, "return x"), {"f", "beside"}, id="functions in functions"),
    pytest.param("@jax.jit\n" * 500 + "def f(x):\n    return x if x > 0 else -x\n", {"f", "beside"}, id="decorators"),
    pytest.param(f"Y = a{'.b' * TERMS}\n", {"beside"}, id="attributes outside of functions"),
    pytest.param(f"Y = {'1 + ' * TERMS}1\n", {"beside"}, id="a sum outside of functions"),
    pytest.param(f"class A(b{'.c' * TERMS}):\n    pass\n", {"beside"}, id="a base class"),
    pytest.param(f"class A(b{'.c()' * TERMS}):\n    pass\n", {"beside"}, id="a base class that is computed"),
    pytest.param(f"def g(x: a{'.b' * TERMS} = c{'.d' * TERMS}):\n    return x\n", {"beside"}, id="an annotation"),
    pytest.param(f"@jax{'.a' * TERMS}\ndef g(x):\n    return x\n", {"beside"}, id="a decorator"),
]


@pytest.mark.parametrize(("text", "functions"), PLACES)
def test_beside_what_is_nested_deeply_everything_is_found(text: str, functions: set[str]) -> None:
    made = outcome(text)
    assert not made.problems
    assert found(made) == functions


DEEP = "jnp.sin(x) + " * TERMS + "x"
REFUSED = [
    pytest.param(f"@jax.jit\ndef f(x):\n    for i in range(100):\n        x = {DEEP}\n    return x\n", id="a loop"),
    pytest.param(f"@jax.jit\ndef f(x):\n    while x > 0:\n        x = {DEEP}\n    return x\n", id="a while loop"),
    pytest.param(f"@jax.jit\ndef f(x):\n    if x > 0:\n        x = {DEEP}\n    return x\n", id="an arm"),
    pytest.param(f"@jax.jit\ndef f(x):\n    if {'x + ' * TERMS}x > 0:\n        x = x + 1\n    return x\n", id="a test"),
    pytest.param("@jax.jit\ndef f(x):\n    return " + "x > 0 and " * TERMS + "x < 9\n", id="a conjunction"),
    pytest.param("@jax.jit\ndef f(x):\n    return " + "not " * 900 + "(x > 0)\n", id="negations"),
    pytest.param(
        f"def f(xs):\n    out = []\n    for x in xs:\n        out.append({DEEP})\n    return jnp.stack(out)\n",
        id="a loop over examples",
    ),
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_nested_too_deeply_for_a_rewrite_is_found_all_the_same(text: str) -> None:
    made = outcome(text)
    assert not made.problems
    reasons = {finding.function: finding.fix.reason or "" for finding in made.findings}
    assert reasons.keys() == {"f", "beside"}
    assert reasons["f"].startswith("too-deep:")


def test_a_deep_file_takes_nothing_from_the_others(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(f"import jax\nY = a{'.b' * 5000}\n")
    (tmp_path / "good.py").write_text(HEADER + BESIDE)
    made = check([tmp_path], Settings(root=tmp_path, jobs=1, cache=False))
    assert not made.problems
    assert [finding.function for finding in made.findings] == ["beside"]


@pytest.mark.parametrize(
    "text",
    ["(" * 20_000 + "x" + ")" * 20_000, "a and " * 20_000 + ")", "if a:\n  b\n" + "elif a:\n  b\n" * 20_000 + ")"],
)
def test_what_is_no_python_and_nested_deeply_is_a_syntax_error(text: str) -> None:
    assert [finding.code for finding in check_text(text.encode(), Path("p.py"), Settings()).findings] == ["SCN900"]


def test_the_name_of_a_long_chain_is_spelled_out() -> None:
    node = ast.parse("a" + ".b" * 4000, mode="eval").body
    assert dotted(node) == "a" + ".b" * 4000


def down(levels: int) -> int:
    return down(levels - 1) + 1 if levels else 0


def test_what_does_not_fit_the_stack_is_run_on_a_larger_one() -> None:
    before = max(sys.getrecursionlimit(), 5000)
    assert deeply(lambda: down(30_000)) == 30_000
    assert sys.getrecursionlimit() == before
    assert not at_bottom()


def test_what_does_not_fit_the_largest_stack_is_an_error_of_its_own() -> None:
    with pytest.raises(RecursionError):
        deeply(lambda: down(10**7))


def test_an_error_on_the_larger_stack_is_that_of_the_caller() -> None:
    def fails() -> int:
        down(30_000)
        raise KeyError("x")

    with pytest.raises(KeyError):
        deeply(fails)


def test_one_unit_pays_for_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 1.0, 3.0, 3.5, 3.5])
    monkeypatch.setattr(effort, "processor_seconds", lambda: next(seconds))
    outer, inner = Account(), Account()
    with WATCH.charging(outer), WATCH.charging(inner):
        pass
    assert (outer.spent, inner.spent) == (1.5, 2.0)


def test_a_unit_without_time_is_left_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(effort, "TICKS", 5)
    made = outcome(f"@jax.jit\ndef f(x):\n    y = {'x + ' * 9}x\n    return y if x > 0 else x\n")
    assert [p for p in made.problems if "`f` was not checked" in p.message and (p.path, p.line) == ("program.py", 6)]


def test_the_limit_is_an_error_with_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MOST_SECONDS", -1.0)
    with pytest.raises(TakesTooLong, match="processor time"), WATCH.charging(Account()):
        WATCH.check()


def test_a_name_of_the_file_is_not_what_its_functions_are_handed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MOST_SECONDS", 3.0)
    functions = [
        f"def f{i}(x):\n    return jnp.stack([x[i] - x[i - 1] for i in range(1, x.shape[0])])\n" for i in range(14)
    ]
    calls = [f"f{i}(x)\n" for i in range(14)]
    assert not outcome("".join([*functions, "x = jnp.arange(9.0)\n", *calls])).problems
