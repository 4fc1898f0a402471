"""What a run did not do is said in every report, by its last line and by its exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import CLEAN, LOOP

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
BROKEN = "def f(:\n"
BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.5 * x\n"
NEWER = 'x = t"{1}"\n'


@pytest.fixture
def half(project: Path) -> Path:
    """A project of which one file cannot be read."""
    (project / "gone.py").symlink_to("nowhere.py")
    return project


def in_json(report: str) -> bool:
    [problem] = json.loads(report)["problems"]
    return bool(problem["path"] == "gone.py" and problem["scope"] == "unread")


def in_lines(report: str) -> bool:
    *findings, last = map(json.loads, report.splitlines())
    return bool(findings and last["problem"]["path"] == "gone.py")


def in_sarif(report: str) -> bool:
    [invocation] = json.loads(report)["runs"][0]["invocations"]
    [notice] = invocation["toolExecutionNotifications"]
    place = notice["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    return not invocation["executionSuccessful"] and notice["level"] == "error" and place == "gone.py"


def in_gitlab(report: str) -> bool:
    return any(i["location"]["path"] == "gone.py" and i["check_name"] == "run-failed" for i in json.loads(report))


def in_junit(report: str) -> bool:
    root = ElementTree.fromstring(report)
    return root.get("errors") == "1" and "gone.py" in (root.find(".//error").text or "")  # type: ignore[union-attr]


def in_text(report: str) -> bool:
    *_, said, last = report.splitlines()
    return said.startswith("error: gone.py: cannot read") and last.endswith("1 of 3 files was not checked: gone.py")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        pytest.param("json", in_json, id="json"),
        pytest.param("json-lines", in_lines, id="json-lines"),
        pytest.param("sarif", in_sarif, id="sarif"),
        pytest.param("gitlab", in_gitlab, id="gitlab"),
        pytest.param("junit", in_junit, id="junit"),
        pytest.param(
            "github", lambda report: "::error title=scanlint (the run failed),file=gone.py" in report, id="github"
        ),
        pytest.param(
            "html", lambda report: 'class="missing"' in report and "gone.py: cannot read" in report, id="html"
        ),
        pytest.param("full", in_text, id="full"),
        pytest.param("concise", in_text, id="concise"),
    ],
)
def test_a_file_that_could_not_be_read_stands_in_the_report(
    form: str, told: Callable[[str], bool], half: Path, run: Scanlint
) -> None:
    done = run("--output-format", form, "-o", "../report", ".")
    assert done.returncode == 2
    assert told((half.parent / "report").read_text())


@pytest.mark.parametrize("form", ["full", "json"])
def test_counts_per_rule_say_that_something_was_not_done(form: str, half: Path, run: Scanlint) -> None:
    done = run("--statistics", "--output-format", form, ".")
    assert done.returncode == 2
    assert "not-done" in done.stdout or "1  not done" in done.stdout


def test_the_summary_of_a_step_names_what_was_not_done(half: Path, run: Scanlint) -> None:
    file = half.parent / "summary.md"
    run("--output-format", "github", ".", GITHUB_STEP_SUMMARY=str(file))
    assert "- gone.py: cannot read" in file.read_text()


@pytest.mark.parametrize(
    ("words", "last"),
    [
        pytest.param(("clean.py",), "All checks passed", id="all was looked at"),
        pytest.param(("clean.py", "gone.py"), "1 of 2 files was not checked: gone.py", id="nothing found in the other"),
        pytest.param((".",), "1 of 3 files was not checked: gone.py", id="something found in the others"),
        pytest.param(("nothing.py",), "1 of 1 file was not checked: nothing.py", id="no path that is there"),
        pytest.param((".", "--exclude", "*.py"), "No file was checked", id="every file excluded"),
        pytest.param(("newer.py",), "1 of 1 file was not checked: newer.py", id="a file for a newer Python"),
        pytest.param(("loop.py", "clean.py", "-o", "none/r"), "", id="a report that cannot be written"),
        pytest.param(("clean.py", "--select", "SCN2"), "All checks passed", id="few rules"),
    ],
)
def test_that_all_checks_passed_is_said_only_where_all_was_looked_at(
    words: tuple[str, ...], last: str, half: Path, run: Scanlint
) -> None:
    (half / "newer.py").write_text(NEWER)
    if words == (".",):
        (half / "newer.py").unlink()
    done = run(*words)
    assert done.stdout.rstrip("\n").endswith(last)
    assert done.returncode == (0 if last in ("All checks passed", "No file was checked") else 2)


def test_a_report_of_another_day_does_not_stay_where_nothing_could_be_checked(project: Path, run: Scanlint) -> None:
    report = project / "report.json"
    report.write_text("[]")
    assert run("--output-format", "json", "-o", "report.json", "nothing.py").returncode == 2
    assert json.loads(report.read_text())["problems"][0]["path"] == "nothing.py"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("--fix-only",), id="only rewriting"),
        pytest.param(("--fix", "--diff", "-q"), id="a diff without words"),
        pytest.param(("--fix", "-q"), id="rewriting without words"),
        pytest.param(("--add-ignore",), id="adding ignores"),
        pytest.param(("--add-ignore", "-q"), id="adding ignores without words"),
        pytest.param(("--baseline", "known.json", "--write-baseline"), id="writing the baseline"),
        pytest.param(("--baseline", "known.json"), id="with a baseline that has it"),
    ],
)
def test_a_file_that_does_not_parse_is_told_whatever_is_done(
    words: tuple[str, ...], tmp_path: Path, run: Scanlint
) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    mark = '{"path": "broken.py", "code": "SCN900", "function": "", "line": "def f(:", "number": "0"}'
    (tmp_path / "known.json").write_text(f'{{"version": 1, "findings": [{mark}]}}')
    done = run(*words, "broken.py")
    assert done.returncode == 1
    assert "SCN900" in done.stdout + done.stderr or "syntax-error" in done.stdout + done.stderr or "-q" in words


def test_only_rewriting_does_not_call_what_is_left_passed(project: Path, run: Scanlint) -> None:
    (project / "branch.py").write_text("import jax\n\n\n@jax.jit\ndef f(x):\n    assert x > 0\n    return x\n")
    done = run("--fix-only", "branch.py")
    assert done.stdout == "Found 1 finding (0 fixed, 1 remaining)\n"


def known(project: Path) -> set[tuple[str, str]]:
    return {(row["path"], row["code"]) for row in json.loads((project / "known.json").read_text())["findings"]}


@pytest.mark.parametrize(
    ("change", "words", "kept"),
    [
        pytest.param(lambda p: p.write_text(BRANCH + BROKEN), (".",), True, id="in a file that does not parse now"),
        pytest.param(lambda p: (p.unlink(), p.symlink_to("no")), (".",), True, id="in a file that cannot be read now"),
        pytest.param(lambda p: None, (".", "--select", "SCN1"), True, id="of a rule that was not looked for"),
        pytest.param(lambda p: None, (".", "--exclude", "branch.py"), True, id="in a file that was left out"),
        pytest.param(lambda p: None, ("loop.py",), True, id="in a file that was not named"),
        pytest.param(lambda p: p.unlink(), (".",), False, id="in a file that is gone"),
        pytest.param(lambda p: p.write_text(CLEAN), (".",), False, id="that was mended"),
    ],
)
def test_pruning_takes_out_only_what_was_looked_for_and_is_not_there(
    change: Callable[[Path], object], words: tuple[str, ...], kept: bool, project: Path, run: Scanlint
) -> None:
    (project / "branch.py").write_text(BRANCH)
    run("--baseline", "known.json", "--write-baseline", ".")
    assert known(project) == {("branch.py", "SCN201"), ("loop.py", "SCN101")}
    change(project / "branch.py")
    run("--baseline", "known.json", "--prune-baseline", *words)
    assert (("branch.py", "SCN201") in known(project)) is kept
    assert ("loop.py", "SCN101") in known(project)


def test_a_baseline_that_is_written_anew_keeps_what_could_not_be_looked_at(project: Path, run: Scanlint) -> None:
    (project / "branch.py").write_text(BRANCH)
    run("--baseline", "known.json", "--write-baseline", ".")
    (project / "branch.py").write_text(BRANCH + BROKEN)
    run("--baseline", "known.json", "--write-baseline", ".")
    assert known(project) == {("branch.py", "SCN201"), ("loop.py", "SCN101")}


def test_ignores_that_could_not_be_written_are_no_success(project: Path, run: Scanlint) -> None:
    (project / "broken.py").write_text(BROKEN)
    done = run("--add-ignore", ".")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "Added an ignore comment for 1 finding; 1 finding cannot be silenced so:\nbroken.py:1"
    )
    assert "ignore[unrolled-loop]" in (project / "loop.py").read_text()
    assert (project / "loop.py").read_text() != LOOP
