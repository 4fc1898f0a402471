"""Ignore comments: what they suppress, what is said of those that suppress nothing, and how they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.directives import Given, given_inputs
from scanlint.engine.suppress import add_ignores, apply
from scanlint.finding import Finding, Position
from scanlint.rules.registry import selected_codes
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits

LOOP = "for i in range(9):"
CODES = selected_codes(Settings())


def found(line: int, code: str = "SCN101", name: str = "unrolled-loop") -> Finding:
    return Finding(code, name, "a.py", Position(line, 1), Position(line, 19), "f", "unrolls")


def left(
    text: str, *findings: Finding, settings: Settings | None = None, selected: frozenset[str] = CODES
) -> list[str]:
    return [f.code for f in apply(findings, "a.py", text, settings or Settings(), selected)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(f"{LOOP}  # scanlint: ignore[unrolled-loop]\n    pass\n", 1, id="at the end of the line by name"),
        pytest.param(f"{LOOP}  # scanlint: ignore[SCN101] wanted\n    pass\n", 1, id="by code with a reason"),
        pytest.param(f"{LOOP}  # noqa: B007  # scanlint: ignore[SCN101]\n    pass\n", 1, id="after another comment"),
        pytest.param(f"{LOOP}  # scanlint: ignore[SCN101]  # noqa\n    pass\n", 1, id="before another comment"),
        pytest.param(f"# scanlint: ignore[SCN101]\n{LOOP}\n    pass\n", 2, id="alone on the line above"),
        pytest.param(
            f"# scanlint: ignore[SCN101]\n# and why\n{LOOP}\n    pass\n", 3, id="above with a comment between"
        ),
        pytest.param(
            "for i in range(\n    9\n):  # scanlint: ignore[SCN101]\n    pass\n", 1, id="at the end of a long head"
        ),
        pytest.param("x = [\n    # scanlint: ignore[SCN101]\n    f(1),\n]\n", 3, id="above a line inside brackets"),
        pytest.param(
            f'"""Doc."""\n# scanlint: ignore-file[unrolled-loop]\n\n{LOOP}\n    pass\n', 4, id="for the whole file"
        ),
        pytest.param(f"#scanlint:ignore[ SCN101 , SCN101]\n{LOOP}\n    pass\n", 2, id="without blanks"),
        pytest.param(f"{LOOP}  # scanlint: ignore[SCN101]\r\n    pass\r\n", 1, id="with carriage returns"),
    ],
)
def test_a_finding_is_suppressed(text: str, line: int) -> None:
    assert left(text, found(line)) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(f"x = '# scanlint: ignore[SCN101]'\n{LOOP}\n    pass\n", 2, id="a string is no comment"),
        pytest.param(f"{LOOP}  # noqa: E501\n    pass\n", 1, id="noqa of another tool"),
    ],
)
def test_what_is_no_ignore_changes_nothing(text: str, line: int) -> None:
    assert left(text, found(line)) == ["SCN101"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(f"{LOOP}  # scanlint: ignore[SCN901x]\n", 1, "unknown rule `SCN901x`", id="an unknown rule"),
        pytest.param(f"{LOOP}  # scanlint: ignore\n", 1, "without the name of a rule", id="no rule at all"),
        pytest.param(
            f"{LOOP}  # scanlint: ingore[SCN101]\n",
            1,
            "unknown directive `ingore`; did you mean `ignore`?",
            id="a slip",
        ),
        pytest.param(
            f"x = 1\n# scanlint: ignore-file[SCN101]\n{LOOP}\n", 3, "below the first statement", id="not at the top"
        ),
        pytest.param(
            f"# scanlint: ignore[unrolled-loop]\nx = 1\n{LOOP}\n", 3, "nothing here to ignore", id="above another line"
        ),
    ],
)
def test_an_ignore_in_vain_is_a_finding(text: str, line: int, message: str) -> None:
    got = apply([found(line)], "a.py", text, Settings(), CODES)
    assert sorted(f.code for f in got) == ["SCN101", "SCN901"]
    assert message in next(f.message for f in got if f.code == "SCN901")


@pytest.mark.parametrize(
    ("comment", "help"),
    [
        pytest.param("# scanlint: disable=unrolled-loop", "ignore[unrolled-loop]`", id="as in pylint"),
        pytest.param("# scanlint: noqa", "ignore[unrolled-loop]`", id="as in flake8"),
        pytest.param("# scanlint: noqa: SCN101, SCN103", "ignore[SCN101, SCN103]`", id="as in flake8, with codes"),
        pytest.param("# scanlint ignore[unrolled-loop] why", "ignore[unrolled-loop]`", id="without the colon"),
        pytest.param("#scanlint : ignore[traced-if]", "ignore[traced-if]`", id="a space before the colon"),
        pytest.param("# noqa: E501, SCN101", "ignore[SCN101]`", id="of another tool"),
        pytest.param("# scanlint: disable-next-line", "ignore[unrolled-loop]`", id="as in eslint"),
        pytest.param("# why  # scanlint disable", "ignore[unrolled-loop]`", id="behind another comment"),
    ],
)
def test_an_ignore_in_the_spelling_of_another_tool_is_a_finding(comment: str, help: str) -> None:
    got = apply([found(1)], "a.py", f"{LOOP}  {comment}\n    pass\n", Settings(), CODES)
    assert sorted(f.code for f in got) == ["SCN101", "SCN901"]
    (slip,) = [f for f in got if f.code == "SCN901"]
    assert help in (slip.help or "")
    assert slip.start.column == f"{LOOP}  {comment}".index("#" + comment.rpartition("#")[2]) + 1


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # scanlint ignores tests\n",
        "x = 1  # scanlint: see the docs\n",
        "x = 1  # noqa: E501 (SCN)\n",
        "x = '# scanlint: disable'\n",
        "import scanlint\n",
        "x = 1  # what scanlint does\n",
    ],
)
def test_prose_about_the_tool_is_no_ignore(text: str) -> None:
    assert left(text) == []


def test_an_ignore_of_a_rule_that_did_not_run_is_not_in_vain() -> None:
    assert left("x = 1  # scanlint: ignore[unrolled-loop]\n", selected=frozenset({"SCN103", "SCN901"})) == []


def test_nothing_is_said_of_ignores_when_that_rule_is_off() -> None:
    assert left("x = 1  # scanlint: ignore[unrolled-loop]\n", selected=frozenset({"SCN101"})) == []


def test_nothing_is_said_of_ignores_in_a_file_that_does_not_parse() -> None:
    assert left("x = (  # scanlint: ignore[unrolled-loop]\n", found(1, "SCN900", "syntax-error")) == ["SCN900"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("x = 1  # scanlint: ignore[SCN101] why\ny = 2\n", "x = 1\ny = 2\n", id="at the end of a line"),
        pytest.param("x = 1\n# scanlint: ignore[SCN101]\ny = 2\n", "x = 1\ny = 2\n", id="alone on a line"),
        pytest.param("x = 1\n# scanlint: ignore[SCN101]", "x = 1\n", id="alone on the last line"),
        pytest.param("x = 1  # scanlint: ignore[SCN101]  # noqa\n", "x = 1  # noqa\n", id="another comment after it"),
        pytest.param("x = 1  # noqa  # scanlint: ignore[SCN101]\n", "x = 1  # noqa\n", id="another comment before it"),
    ],
)
def test_the_fix_takes_the_comment_away_and_nothing_else(before: str, after: str) -> None:
    (vain,) = apply([], "a.py", before, Settings(), CODES)
    assert vain.fix.status == "available"
    assert apply_edits(before, vain.fix.edits) == after


def test_the_fix_keeps_the_rules_that_do_suppress() -> None:
    text = f"{LOOP}  # scanlint: ignore[traced-while, unrolled-loop] why\n"
    (vain,) = apply([found(1)], "a.py", text, Settings(), CODES)
    assert apply_edits(text, vain.fix.edits) == f"{LOOP}  # scanlint: ignore[unrolled-loop] why\n"


@pytest.mark.parametrize(
    ("pattern", "rule", "expected"),
    [
        pytest.param("a.py", "SCN101", [], id="a file by name"),
        pytest.param("*.py", "unrolled-loop", [], id="a glob"),
        pytest.param("sub", "SCN1", ["SCN101"], id="another folder"),
        pytest.param("a.py", "SCN103", ["SCN101"], id="another rule"),
        pytest.param("a.py", "ALL", [], id="all rules"),
    ],
)
def test_rules_are_ignored_per_file(pattern: str, rule: str, expected: list[str]) -> None:
    settings = Settings(root=Path.cwd(), per_file_ignores={pattern: (rule,)})
    assert left(f"{LOOP}\n    pass\n", found(1), settings=settings) == expected


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        pytest.param(
            f"{LOOP}\n    pass\n",
            1,
            f"{LOOP}  # scanlint: ignore[unrolled-loop]\n    pass\n",
            id="at the end of the line",
        ),
        pytest.param(
            f"{LOOP}  # why\n", 1, f"{LOOP}  # why  # scanlint: ignore[unrolled-loop]\n", id="after a comment"
        ),
        pytest.param(LOOP, 1, f"{LOOP}  # scanlint: ignore[unrolled-loop]", id="on a last line without an end"),
        pytest.param(
            f"{LOOP}  # scanlint: ignore[SCN103]\n",
            1,
            f"{LOOP}  # scanlint: ignore[SCN103, unrolled-loop]\n",
            id="in the brackets that are there",
        ),
        pytest.param(
            "    x = f(i) + \\\n        g(i)\r\n",
            1,
            "    # scanlint: ignore[unrolled-loop]\n    x = f(i) + \\\n        g(i)\r\n",
            id="above where a backslash ends the line",
        ),
    ],
)
def test_ignores_are_added_where_a_comment_can_stand(text: str, line: int, expected: str) -> None:
    assert add_ignores(text, [found(line)]) == expected


def test_an_added_ignore_suppresses_what_it_was_added_for() -> None:
    text = 'def f():\n    x = g("""\n    """, [i for i in\n        range(9)])\n'
    assert left(add_ignores(text, [found(2)]), found(3), selected=frozenset({"SCN101"})) == []


def test_inputs_are_given_by_the_line_of_the_function_below() -> None:
    text = "# scanlint: inputs x: f32[3],\n# scanlint: inputs n: 5\n@jit\ndef f(x, n): ...\n\n# scanlint: inputs y: key\n\ndef g(y): ...\n"
    assert given_inputs(text) == {4: (Given("x: f32[3], n: 5", 1),), 8: (Given("y: key", 6),)}


def test_a_parameter_that_is_given_again_begins_another_set_of_inputs() -> None:
    text = "# scanlint: inputs x: State(a: f32[3]), n: 5\n# scanlint: inputs x: f32[4]\n# scanlint: inputs n: 6\ndef f(x, n): ...\n"
    first, second = given_inputs(text)[4]
    assert first == Given("x: State(a: f32[3]), n: 5", 1)
    assert second == Given("x: f32[4], n: 6", 2)


DEF = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(f"# scanlint: input x: f32[3]\n{DEF}", "unknown directive `input`; did you mean", id="a slip"),
        pytest.param(f"# scanlint: args x: f32[3]\n{DEF}", "unknown directive `args`", id="inputs by another name"),
        pytest.param(f"# scanlint: inputs x: f32[3]\ny = 1\n{DEF}", "above no function", id="above a statement"),
        pytest.param(f"# scanlint: inputs x: f32[3]\nclass A:\n    {DEF[:9]} ...\n", "above no", id="above a class"),
        pytest.param("def f(x):  # scanlint: inputs x: f32[3]\n    return x\n", "above no", id="behind the head"),
        pytest.param(f"{DEF}# scanlint: inputs x: f32[3]\n", "above no function", id="at the end"),
        pytest.param(f"# scanlint: inputs\n{DEF}", "says nothing of a parameter", id="nothing in it"),
        pytest.param(f"# scanlint: inputs f32[3]\n{DEF}", "says nothing of a parameter", id="no name"),
    ],
)
def test_inputs_in_vain_are_a_finding(text: str, message: str) -> None:
    assert [message in finding.message for finding in apply([], "a.py", text, Settings(), CODES)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"# scanlint: inputs x: f32[3]\n{DEF}", id="above a function"),
        pytest.param(f"# scanlint: inputs x: f32[3]\n@jit\n{DEF}", id="above a decorator"),
        pytest.param(f"# scanlint: inputs x: f32[3]\n# scanlint: inputs n: 5\n\n{DEF}", id="several, with a gap"),
        pytest.param("class A:\n    # scanlint: inputs x: f32[3]\n    def f(self, x):\n        ...\n", id="in a class"),
        pytest.param(f"# scanlint: see issue 12 before this is changed\n{DEF}", id="prose"),
    ],
)
def test_inputs_that_are_given_are_none(text: str) -> None:
    assert apply([], "a.py", text, Settings(), CODES) == []
