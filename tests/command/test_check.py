"""Checking from the command line: what is printed where, and the exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Scanlint = Callable[..., subprocess.CompletedProcess[str]]


def test_a_clean_file_passes(project: Path, run: Scanlint) -> None:
    done = run("clean.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "All checks passed\n", "")


def test_a_finding_is_reported_with_its_place(project: Path, run: Scanlint) -> None:
    done = run("loop.py")
    assert done.returncode == 1
    assert done.stdout.startswith("warning[unrolled-loop]: ")
    assert " --> loop.py:7:5\n" in done.stdout
    assert "Found 1 finding" in done.stdout


@pytest.mark.parametrize(
    "words", [("check", "."), (".",), ()], ids=["with the command", "without it", "without a path"]
)
def test_check_is_what_is_run_when_no_command_is_named(words: tuple[str, ...], project: Path, run: Scanlint) -> None:
    done = run(*words, "--output-format", "concise")
    assert done.returncode == 1
    assert done.stdout.startswith("loop.py:7:5: SCN101 ")


def test_json_is_one_object(project: Path, run: Scanlint) -> None:
    document = json.loads(run("--output-format", "json", ".").stdout)
    assert [(f["path"], f["line"], f["column"], f["code"]) for f in document["findings"]] == [
        ("loop.py", 7, 5, "SCN101")
    ]
    assert document["summary"]["files"] == 2


def test_what_Python_warns_of_in_the_text_is_not_printed(project: Path, start: Scanlint) -> None:
    path = project / "loop.py"
    path.write_text(path.read_text().replace("jnp.cos(state)", "state ** 2").replace("@", 'TEX = "\\hdots"\n\n\n@'))
    done = start("--no-cache", "--fix", "--diff", "--exit-zero", ".")
    assert "state**2" not in done.stdout
    assert "fori_loop" in done.stdout
    assert "SyntaxWarning" not in done.stderr


def test_a_report_can_go_to_a_file(project: Path, run: Scanlint) -> None:
    done = run("--output-format", "json", "-o", "report.json", ".")
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads((project / "report.json").read_text())["summary"]["findings"] == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("--select", "traced-while"), 0, id="select another rule"),
        pytest.param(("--select", "SCN1"), 1, id="select by prefix"),
        pytest.param(("--ignore", "unrolled-loop,SCN103"), 0, id="ignore by name among others"),
        pytest.param(("--ignore", "SCN1", "--extend-select", "SCN101"), 1, id="the more exact selector wins"),
        pytest.param(("--select", "SCN1", "--ignore", "SCN101"), 0, id="ignore out of what is selected"),
        pytest.param(("--exit-zero",), 0, id="exit zero"),
    ],
)
def test_rules_are_selected(words: tuple[str, ...], code: int, project: Path, run: Scanlint) -> None:
    assert run(*words, "loop.py").returncode == code


def test_statistics_replace_the_findings(project: Path, run: Scanlint) -> None:
    assert run("--statistics", ".").stdout.startswith("    1  SCN101  unrolled-loop")


def test_files_and_settings_can_be_shown(project: Path, run: Scanlint) -> None:
    assert run("--show-files").stdout.splitlines() == ["clean.py", "loop.py"]
    shown = run("--show-settings", "--verify-timeout", "7").stdout
    assert "verify-timeout = 7.0\n" in shown


def test_quiet_leaves_only_findings(project: Path, run: Scanlint) -> None:
    assert run("-q", "clean.py").stdout == ""
    assert "Found" not in run("-q", "loop.py").stdout


def test_standard_input_is_checked_under_its_name(project: Path, run: Scanlint) -> None:
    text = (project / "loop.py").read_text()
    done = run("--output-format", "concise", "--stdin-filename", "src/model.py", "-", stdin=text)
    assert done.returncode == 1
    assert done.stdout.startswith("src/model.py:7:5: SCN101 ")


def test_colours_are_not_for_pipes_unless_asked(project: Path, run: Scanlint) -> None:
    assert "\033" not in run("loop.py").stdout
    assert "\033" in run("--color", "always", "loop.py").stdout
    assert "\033" in run("loop.py", FORCE_COLOR="1").stdout


def test_an_ignore_comment_silences_a_finding(project: Path, run: Scanlint) -> None:
    assert run("--add-ignore", ".").returncode == 0
    assert "range(50):  # scanlint: ignore[unrolled-loop]\n" in (project / "loop.py").read_text()
    assert run(".").returncode == 0


def test_an_ignore_in_vain_is_a_finding_that_is_fixed(project: Path, run: Scanlint) -> None:
    file = project / "clean.py"
    clean = file.read_text()
    file.write_text(clean.replace("2 * x", "2 * x  # scanlint: ignore[traced-if]"))
    assert "SCN901" in run("--output-format", "concise", "clean.py").stdout
    assert run("--fix", "clean.py").returncode == 0
    assert file.read_text() == clean


def test_a_baseline_hides_what_is_known_until_it_changes(project: Path, run: Scanlint) -> None:
    assert run("--baseline", "known.json", "--write-baseline", ".").returncode == 0
    assert run("--baseline", "known.json", ".").returncode == 0
    file = project / "loop.py"
    file.write_text("# moved\n" + file.read_text())
    assert run("--baseline", "known.json", ".").returncode == 0
    file.write_text(file.read_text().replace("50", "60"))
    assert run("--baseline", "known.json", ".").returncode == 1
    assert run("--baseline", "known.json", "--prune-baseline", ".").returncode == 1
    assert "range(50)" not in (project / "known.json").read_text()


def test_a_step_of_github_gets_a_summary(project: Path, run: Scanlint) -> None:
    file = project / "summary.md"
    file.write_text("before\n")
    assert run("--output-format", "github", ".", GITHUB_STEP_SUMMARY=str(file)).returncode == 1
    text = file.read_text()
    assert text.startswith("before\n### scanlint\n\nFound 1 finding (1 fixable with `--fix`).\n")
    assert "| unrolled-loop (SCN101) | 1 |" in text
    assert "| loop.py:7:5 | tracing `rollout` unrolls this loop 50 times |" in text
    assert run(".", GITHUB_STEP_SUMMARY=str(file)).returncode == 1
    assert file.read_text() == text


def test_rules_are_explained(run: Scanlint) -> None:
    listing = run("rule").stdout
    assert "SCN101  unrolled-loop" in listing
    assert "SCN901  unused-ignore" in listing
    assert "unrolled-loop" in run("rule", "SCN101").stdout
    assert run("rule", "SCN101").stdout == run("rule", "unrolled-loop").stdout


def test_rules_are_listed_for_programs(run: Scanlint) -> None:
    rows = json.loads(run("rule", "--output-format", "json").stdout)
    assert {"code": "SCN101", "name": "unrolled-loop", "level": "warning"}.items() <= rows[0].items()
    one = json.loads(run("rule", "SCN101", "--output-format", "json").stdout)
    assert one["page"].startswith("# unrolled-loop (SCN101, warning)")
    whole = run("rule", "--all").stdout
    assert [
        row["name"] for row in rows if f"# {row['name']} ({row['code']}" not in whole and row["code"] < "SCN9"
    ] == []


def test_a_command_that_is_misspelled_is_guessed(run: Scanlint) -> None:
    done = run("chekc")
    assert done.returncode == 2
    assert "chekc: no such file or directory, nor a command; did you mean `check`?" in done.stderr


def test_the_version_is_printed(run: Scanlint) -> None:
    assert run("--version").stdout.startswith("scanlint 0.")


def test_one_run_gives_several_outputs(project: Path, run: Scanlint) -> None:
    done = run("--also", "sarif:out.sarif", "--also", "json:out.json", "--output-format", "concise")
    assert done.returncode == 1 and "loop.py:7:5: SCN101" in done.stdout
    assert json.loads((project / "out.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((project / "out.json").read_text())["summary"]["findings"] == 1


@pytest.mark.parametrize("words", ["sarif", "sarif:", "yaml:out"], ids=["no file", "an empty file", "no such format"])
def test_a_further_output_that_cannot_be_made_is_an_error(words: str, project: Path, run: Scanlint) -> None:
    done = run("--also", words)
    assert done.returncode == 2 and "FORMAT:FILE" in done.stderr


LEFT = """
import jax
import jax.numpy as jnp

step = jax.jit(jnp.tanh)


def logged(x, n, log):
    for i in range(n):
        x = step(x)
        log(x)
    return x


def named(names):
    for name in names:
        print(name, jnp.ones(3))


def plain(names):
    return [name for name in names] + [0 for _ in range(3)]


for key in plain("ab"):
    key.upper()
"""


def test_what_was_looked_at_and_left_is_told_with_its_reasons(project: Path, run: Scanlint) -> None:
    (project / "left.py").write_text(LEFT)
    said = run("left.py", "-v", "--no-cache").stderr
    assert "2 host loops not reported: 1 runs JAX\n" in said
    assert "  1 not-an-array: goes over what is not known to be an array or a range (left.py:16)\n" in said
    summary = json.loads(run("left.py", "-v", "--output-format", "json").stdout)["summary"]
    assert {(loop["line"], loop["code"]) for loop in summary["left"]} == {
        (16, "not-an-array"),
        (24, "no-jax"),
    }
    assert "left" not in json.loads(run("left.py", "--output-format", "json").stdout)["summary"]


SCRIPT = """
import jax
import jax.numpy as jnp

xs = jnp.ones((40, 3))
ys = []
for i in range(xs.shape[0]):
    ys.append(jnp.tanh(xs[i]))
ys = jnp.stack(ys)
"""


def test_a_loop_outside_of_functions_is_reported_and_left(project: Path, run: Scanlint) -> None:
    (project / "script.py").write_text(SCRIPT)
    found = json.loads(run("script.py", "--output-format", "json").stdout)["findings"]
    assert [(f["code"], f["line"], f["function"], f["fix"]["status"]) for f in found] == [
        ("SCN301", 7, None, "withheld")
    ]
    assert found[0]["fix"]["reason"].startswith("module-level: ")
    assert run("script.py", "--fix").returncode == 1
    assert (project / "script.py").read_text() == SCRIPT
