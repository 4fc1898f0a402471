"""What people read: full, concise, statistics, the closing line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from scanlint.finding import Cost, Finding, Fix, Link, Position, Verification
from scanlint.report import concise, full, statistics
from scanlint.report.closing import summary
from scanlint.report.output import Format, render
from scanlint.report.paint import Paint
from scanlint.report.result import Result

PLAIN = Paint(False)
Make = Callable[..., Result]

FULL = """\
warning[unrolled-loop]: tracing `rollout` unrolls this loop 1000 times
 --> src/model.py:6:5
  |
6 |     for t in range(1000):
  |     ^^^^^^^^^^^^^^^^^^^^^ each trip adds about 12 equations
  |
  = traced because: `rollout` <- `jax.jit` at src/train.py:18
  = help: carry `state` through `lax.fori_loop`  [fixable: proved, 12003 -> 14 equations]

"""


def test_full_has_the_shape_of_the_style_guide(loop: Finding, result: Make) -> None:
    assert full.render(result(loop), PLAIN) == FULL


def test_what_was_measured_to_cost_most_comes_first(loop: Finding, result: Make) -> None:
    cheap = replace(loop, cost=Cost(60, 61, "small", 0.01, 0.05))
    costly = replace(loop, cost=Cost(12_000, 13_100, "rollout", 1.2, 41.0))
    text = full.render(result(loop, cheap, costly), PLAIN)
    measured = [line for line in text.splitlines() if "measured" in line]
    assert measured == [
        "  = measured: 12,000 of the 13,100 equations of `rollout`, which took 1.2 s to trace and 41 s to compile",
        "  = measured: 60 of the 61 equations of `small`, which took 0.01 s to trace and 0.05 s to compile",
    ]


def test_a_longer_chain_stands_below_the_first_reason(loop: Finding, result: Make) -> None:
    text = full.render(
        result(replace(loop, chain=(Link("`step` <- `scan`", "a.py", 1, 1), Link("`run` <- `jit`", "b.py", 2, 1)))),
        PLAIN,
    )
    lines = text.splitlines()
    first = next(line for line in lines if "traced because" in line)
    below = lines[lines.index(first) + 1]
    assert below.index("`run`") == first.index("`step`")


@pytest.mark.parametrize(
    ("fix", "verification", "expected"),
    [
        pytest.param(Fix("available"), None, "[fixable with --fix]", id="what was not verified yet is offered"),
        pytest.param(
            Fix("withheld", "side-effect: `print` on line 7"),
            None,
            "[not rewritten: side-effect: `print` on line 7]",
            id="a withheld rewrite says why",
        ),
    ],
)
def test_the_help_line_says_what_became_of_the_rewrite(
    fix: Fix, verification: Verification | None, expected: str, loop: Finding, result: Make
) -> None:
    text = full.render(result(replace(loop, fix=fix, verification=verification)), PLAIN)
    assert next(line for line in text.splitlines() if "= help" in line).endswith(expected)


FIXED = """\
warning[traced-if]: tracing `rollout` unrolls this loop 1000 times
 --> src/model.py:6:5
  |
6 |     for t in range(1000):
  |     ^^^^^^^^^^^^^^^^^^^^^ each trip adds about 12 equations
  |
  = traced because: `rollout` <- `jax.jit` at src/train.py:18
  = help: carry `state` through `lax.fori_loop`  [not rewritten: unknown: time ran out]

Fixed:
  src/model.py:6:5: unrolled-loop -> fori_loop: proved, 12003 -> 14 equations
  src/model.py:6:5: unrolled-loop -> fori_loop: tested on 12 harvested inputs
  src/model.py:6:5: unused-ignore

"""


def test_what_is_left_comes_first_and_what_was_fixed_is_a_line_each(loop: Finding, result: Make) -> None:
    done = replace(loop, fix=Fix("applied"))
    tested = replace(done, verification=Verification("tested", cases=12, inputs="harvested", notes=("slow",)))
    left = replace(loop, name="traced-if", fix=Fix("withheld", "unknown: time ran out"), verification=None)
    vain = replace(done, name="unused-ignore", verification=None)
    assert full.render(result(done, tested, left, vain, action="fix"), PLAIN) == FIXED


def test_measured_seconds_are_said(loop: Finding, result: Make) -> None:
    verdict = Verification("proved", compile_seconds_before=43.0, compile_seconds_after=0.13)
    text = full.render(result(replace(loop, fix=Fix("applied"), verification=verdict), action="fix"), PLAIN)
    assert "-> fori_loop: proved, compiled in 0.13 s instead of 43 s\n" in text


def test_a_rule_without_rewrite_says_nothing_of_one(loop: Finding, result: Make) -> None:
    text = full.render(result(replace(loop, fix=Fix("none", "no rewrite"), verification=None)), PLAIN)
    assert "[" not in text.split("= help")[1]


def test_a_counterexample_is_printed(loop: Finding, result: Make) -> None:
    refuted = Verification("refuted", reason="outputs differ", counterexample="x = 1.0:\nbefore 1, after 2")
    text = full.render(result(replace(loop, fix=Fix("withheld", "refuted"), verification=refuted)), PLAIN)
    assert "  = counterexample: x = 1.0:\n      before 1, after 2\n" in text


def test_a_counterexample_stands_on_one_line_where_findings_do(loop: Finding, result: Make) -> None:
    verdict = Verification("refuted", reason="outputs differ", counterexample="x = 1.0:\nbefore 1, after 2")
    refuted = replace(loop, fix=Fix("withheld", "refuted: outputs differ"), verification=verdict)
    (line,) = concise.render(result(refuted), PLAIN).splitlines()
    assert line.endswith("1000 times [not rewritten: refuted: outputs differ: x = 1.0: before 1, after 2]")
    below = concise.rewrites(result(refuted), PLAIN).splitlines()[1]
    assert below == "    counterexample: x = 1.0: before 1, after 2"


def test_carets_keep_tabs_and_count_wide_characters_twice(loop: Finding, result: Make) -> None:
    at = replace(loop, start=Position(1, 6), end=Position(1, 8), label=None)
    lines = full.render(result(at, source="\t日 = xy\n"), PLAIN).splitlines()
    assert lines[4] == "  | \t     ^^"


def test_a_finding_over_several_lines_is_marked_to_the_end_of_the_first(loop: Finding, result: Make) -> None:
    lines = full.render(result(replace(loop, end=Position(7, 26), label=None)), PLAIN).splitlines()
    assert lines[4] == "  |     " + "^" * len("for t in range(1000):")


def test_a_file_that_is_gone_is_reported_without_its_lines(loop: Finding, result: Make) -> None:
    text = full.render(result(loop, source=""), PLAIN)
    assert "src/model.py:6:5" in text
    assert "^" not in text


def test_notes_of_the_verifier_stand_with_the_verdict(loop: Finding, result: Make) -> None:
    noted = replace(loop, verification=Verification("proved", notes=("weak types differ",)))
    assert "= note: weak types differ" in full.render(result(noted), PLAIN)
    assert "\n    note: weak types differ\n" in concise.rewrites(result(noted), PLAIN)


@pytest.mark.parametrize("render", [full.render, concise.rewrites], ids=["in full", "beside a diff"])
def test_notes_on_what_was_fixed_are_for_who_asks_for_all_once_per_function(
    render: Callable[[Result, Paint], str], loop: Finding, result: Make
) -> None:
    noted = replace(loop, fix=Fix("applied"), verification=Verification("proved", notes=("weak types differ",)))
    made = result(noted, noted, replace(noted, function="other"), action="fix")
    assert "note" not in render(made, PLAIN)
    assert render(replace(made, verbose=True), PLAIN).count("    note: weak types differ\n") == 2


ODD = "x = 1  # \x1b[31mred\u202e \x9b\x07"


@pytest.mark.parametrize("form", ["full", "concise", "github", "gitlab", "junit"])
def test_control_characters_of_the_user_are_spelled_out(form: Format, loop: Finding, result: Make) -> None:
    verdict = Verification("refuted", counterexample=f"{ODD}\nmore", notes=(ODD,))
    chain = (Link(ODD, f"a{ODD}.py", 1, 1),)
    odd = replace(
        loop,
        path=f"{ODD}.py",
        message=ODD,
        help=ODD,
        label=ODD,
        chain=chain,
        fix=Fix("withheld", ODD),
        verification=verdict,
    )
    text = render(result(odd, source=f"{ODD}\n" * 9), form, PLAIN, closing=True)
    assert not [char for char in text if char in "\x1b\u202e\x9b\x07"]
    assert "[31mred" in text


def test_carets_stand_below_what_is_spelled_out(loop: Finding, result: Make) -> None:
    at = replace(loop, start=Position(1, 3), end=Position(1, 4), label=None)
    lines = render(result(at, source="\x07 y\n"), "full", PLAIN, closing=False).splitlines()
    assert lines[3:5] == ["1 | \\x07 y", "  |      ^"]


def test_colours_are_only_added_where_they_are_wanted(loop: Finding, result: Make) -> None:
    assert "\033" in full.render(result(loop), Paint(True))
    assert "\033" not in full.render(result(loop), PLAIN)


def test_concise_is_one_line_per_finding(loop: Finding, result: Make) -> None:
    assert (
        concise.render(result(loop), PLAIN)
        == "src/model.py:6:5: SCN101 tracing `rollout` unrolls this loop 1000 times\n"
    )


def test_a_line_beside_the_diff_gives_primitive_verdict_and_equations(loop: Finding, result: Make) -> None:
    done = replace(loop, fix=Fix("applied"))
    text = concise.rewrites(result(done, action="diff"), PLAIN)
    assert text == "src/model.py:6:5: SCN101 unrolled-loop -> fori_loop: proved, 12003 -> 14 equations\n"


def test_statistics_count_per_rule_most_frequent_first(loop: Finding, result: Make) -> None:
    other = replace(loop, code="SCN201", name="traced-if", fix=Fix("none"))
    text = statistics.render(result(other, loop, replace(loop, fix=Fix("applied"))))
    assert text == "    2  SCN101  unrolled-loop  [1 fixable, 1 fixed]\n    1  SCN201  traced-if\n"


@pytest.mark.parametrize(
    ("statuses", "action", "expected"),
    [
        pytest.param((), "check", "All checks passed", id="nothing found"),
        pytest.param(("none",), "check", "Found 1 finding", id="one is not plural"),
        pytest.param(("available", "none"), "check", "Found 2 findings (1 fixable with `--fix`)", id="fixable ones"),
        pytest.param(("applied", "withheld"), "fix", "Found 2 findings (1 fixed, 1 remaining)", id="after fixing"),
        pytest.param(("applied", "withheld"), "diff", "Would fix 1 finding (1 would remain)", id="with a diff"),
        pytest.param(("withheld",), "diff", "No rewrites (1 finding without one)", id="a diff with nothing in it"),
    ],
)
def test_the_closing_line_counts_what_is_there(
    statuses: tuple[str, ...], action: str, expected: str, loop: Finding, result: Make
) -> None:
    findings = [replace(loop, fix=Fix(status)) for status in statuses]  # type: ignore[arg-type]
    assert summary(result(*findings, action=action)) == expected
