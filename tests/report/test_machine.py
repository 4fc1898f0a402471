"""What programs read: every format parses and has the fields that its readers need."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from scanlint.finding import Cost, Edit, Finding, Fix, Position, Verification
from scanlint.report import json as json_report
from scanlint.report.output import FORMATS, render
from scanlint.report.paint import Paint
from scanlint.report.result import Result
from scanlint.report.services import github, gitlab, junit, rdjson, sarif
from scanlint.rules.registry import entries

Make = Callable[..., Result]


def test_json_has_every_field_of_the_interface(loop: Finding, result: Make) -> None:
    document = json.loads(json_report.render(result(loop)))
    assert document["version"] == 1
    assert document["summary"] == {
        "files": 3,
        "findings": 1,
        "fixed": 0,
        "withheld": 0,
        "below": {"warning": 0, "advice": 0},
        "seconds": 0.812,
    }
    (found,) = document["findings"]
    added = {key: found.pop(key) for key in ("cell", "help", "label", "chain", "related", "cost")}
    assert [found.pop(key) for key in ("evidence", "measured", "measured_seconds")] == ["text", None, None]
    extra = {key: found["verification"].pop(key) for key in ("counterexample", "notes", "holds_for", "evidence")}
    assert added["chain"] == ["`rollout` <- `jax.jit` at src/train.py:18"]
    assert added["related"] == [{"path": "src/train.py", "line": 18, "column": 8, "message": "`rollout` <- `jax.jit`"}]
    assert (added["cost"], added["cell"]) == (None, None)
    assert extra == {"counterexample": None, "notes": [], "holds_for": None, "evidence": []}
    assert found == {
        "code": "SCN101",
        "name": "unrolled-loop",
        "path": "src/model.py",
        "line": 6,
        "column": 5,
        "end_line": 6,
        "end_column": 26,
        "function": "rollout",
        "message": "tracing `rollout` unrolls this loop 1000 times",
        "level": "warning",
        "trips": 1000,
        "primitive": "fori_loop",
        "fix": {
            "status": "available",
            "reason": None,
            "reason_code": None,
            "edits": [
                {"start": {"line": 6, "column": 5}, "end": {"line": 7, "column": 26}, "text": "state = new"},
            ],
        },
        "verification": {
            "verdict": "proved",
            "reason": None,
            "inputs": "synthesised",
            "cases": 12,
            "max_abs_error": 0.0,
            "equations_before": 12003,
            "equations_after": 14,
            "compile_seconds_before": None,
            "compile_seconds_after": None,
        },
    }


def test_json_has_the_measured_cost(loop: Finding, result: Make) -> None:
    costly = replace(loop, cost=Cost(12_000, 13_100, "rollout", 1.25, 41.0))
    assert json.loads(json_report.render(result(costly)))["findings"][0]["cost"] == {
        "equations": 12_000,
        "total_equations": 13_100,
        "program": "rollout",
        "trace_seconds": 1.25,
        "compile_seconds": 41.0,
    }


@pytest.mark.parametrize("error", [float("nan"), float("inf")], ids=["not a number", "infinite"])
def test_an_error_that_json_cannot_hold_is_null(error: float, loop: Finding, result: Make) -> None:
    assert loop.verification is not None
    off = replace(loop, verification=replace(loop.verification, max_abs_error=error))
    found = json.loads(json_report.render(result(off)))["findings"][0]
    assert found["verification"]["max_abs_error"] is None


def test_the_summary_counts_what_was_fixed_and_withheld(loop: Finding, result: Make) -> None:
    findings = [
        replace(loop, fix=Fix("applied")),
        replace(loop, fix=Fix("withheld", "why")),
        replace(loop, fix=Fix("none")),
    ]
    summary = json.loads(json_report.render(result(*findings, action="fix")))["summary"]
    assert (summary["findings"], summary["fixed"], summary["withheld"]) == (3, 1, 1)


WITHHELD = Fix("withheld", "carry-shape-grows: it gets longer")
REFUTED = Verification("refuted", "the two versions differ", counterexample="x = 1")


@pytest.mark.parametrize(
    ("fix", "verdict", "code"),
    [
        (WITHHELD, None, "carry-shape-grows"),
        (Fix("withheld"), REFUTED, "refuted"),
        (Fix("none", "fix the syntax"), None, None),
        (Fix("none"), None, None),
    ],
    ids=["what stands in the way", "a verdict", "a sentence", "nothing"],
)
def test_a_reason_has_its_code(
    fix: Fix, verdict: Verification | None, code: str | None, loop: Finding, result: Make
) -> None:
    document = json.loads(json_report.render(result(replace(loop, fix=fix, verification=verdict))))
    assert document["findings"][0]["fix"]["reason_code"] == code


def test_rdjson_counts_bytes(loop: Finding, result: Make) -> None:
    source = "a\nb\nc\nd\ne\nx = 'äé'; y\nz\n"
    at, end = Position(6, 11), Position(6, 12)
    found = replace(loop, start=at, end=end, fix=Fix("available", edits=(Edit(at, end, "w"),)))
    (said,) = json.loads(rdjson.render(result(found, source=source)))["diagnostics"]
    place = {"start": {"line": 6, "column": 13}, "end": {"line": 6, "column": 14}}
    assert said["location"] == {"path": "src/model.py", "range": place}
    assert said["suggestions"] == [{"range": place, "text": "w"}]
    assert (said["severity"], said["code"]) == ("WARNING", {"value": "SCN101"})


def test_json_lines_is_one_object_per_finding(loop: Finding, result: Make) -> None:
    lines = json_report.render_lines(result(loop, loop)).splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["SCN101", "SCN101"]


def test_sarif_names_rule_place_and_related_places(loop: Finding, result: Make) -> None:
    document = json.loads(sarif.render(result(loop), entries()))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    (found,) = run["results"]
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"] == "SCN101"
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/model.py"
    assert place["region"] == {"startLine": 6, "startColumn": 5, "endLine": 6, "endColumn": 26}
    related = found["relatedLocations"][0]["physicalLocation"]
    assert related["artifactLocation"]["uri"] == "src/train.py"
    assert related["region"] == {"startLine": 18, "startColumn": 8}
    (change,) = found["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "state = new"}


def test_sarif_has_what_services_match_findings_by(loop: Finding, result: Make) -> None:
    run = json.loads(sarif.render(result(loop, replace(loop, path="/abs/a b.py")), entries()))["runs"][0]
    assert run["tool"]["driver"]["informationUri"].startswith("https://")
    base = run["originalUriBaseIds"]["SRCROOT"]["uri"]
    assert base.startswith("file:///") and base.endswith("/")
    first, second = run["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] == "SRCROOT"
    assert second["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///abs/a%20b.py"}
    marks = [found["partialFingerprints"]["scanlint/v1"] for found in (first, second)]
    assert len(set(marks)) == 2
    moved = replace(loop, start=Position(8, 5), end=Position(8, 26))
    text = "\n" * 7 + "    for t in range(1000):\n"
    (again,) = json.loads(sarif.render(result(moved, source=text), entries()))["runs"][0]["results"]
    assert again["partialFingerprints"]["scanlint/v1"] == marks[0]


def test_github_escapes_what_would_end_a_field(loop: Finding, result: Make) -> None:
    odd = replace(loop, path="a,b:c.py", message="100% of\nit")
    text = github.render(result(odd))
    assert text.startswith(
        "::warning title=scanlint (SCN101 unrolled-loop),file=a%2Cb%3Ac.py,line=6,endLine=6,col=5,endColumn=26::"
    )
    assert "100%25 of%0Ait" in text
    assert text.count("\n") == 1


def test_github_gives_columns_only_within_one_line(loop: Finding, result: Make) -> None:
    assert "col=" not in github.render(result(replace(loop, end=Position(7, 3))))


def test_gitlab_fingerprints_differ_and_do_not_move_with_the_line(loop: Finding, result: Make) -> None:
    source = "\n" * 5 + "    for t in range(1000):\n"
    twice = json.loads(gitlab.render(result(loop, loop, source=source)))
    assert twice[0]["fingerprint"] != twice[1]["fingerprint"]
    moved = replace(loop, start=Position(8, 5), end=Position(8, 26))
    later = json.loads(gitlab.render(result(moved, source="\n\n" + source)))
    assert later[0]["fingerprint"] == twice[0]["fingerprint"]
    assert twice[0]["location"]["positions"]["begin"] == {"line": 6, "column": 5}


def test_junit_has_a_failing_case_per_finding(loop: Finding, result: Make) -> None:
    root = ElementTree.fromstring(junit.render(result(loop, replace(loop, path="b.py"))))
    assert root.get("failures") == "2"
    assert [suite.get("name") for suite in root] == ["b.py", "src/model.py"]
    assert root.find("testsuite/testcase/failure") is not None


def test_junit_of_a_clean_run_has_one_passing_case(result: Make) -> None:
    root = ElementTree.fromstring(junit.render(result()))
    assert root.find("testsuite/testcase") is not None
    assert root.find("testsuite/testcase/failure") is None


@pytest.mark.parametrize("form", ["sarif", "github", "gitlab", "junit", "rdjson"])
def test_what_was_fixed_is_no_annotation(form: str, loop: Finding, result: Make) -> None:
    text = render(result(replace(loop, fix=Fix("applied")), action="fix"), form, Paint(False), closing=True)  # type: ignore[arg-type]
    assert loop.message not in text


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_without_findings_can_be_said_in_every_format(form: str, result: Make) -> None:
    text = render(result(), form, Paint(False), closing=True)  # type: ignore[arg-type]
    assert "Found" not in text
