"""The interface that users and checks rely on, row by row: commands, options, exit codes, rules, fields of JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from scanlint.finding import FixStatus, InputSource, Level, Primitive, Verdict
from scanlint.rules.registry import entries

pytestmark = pytest.mark.long
Scanlint = Callable[..., subprocess.CompletedProcess[str]]

COMMANDS = ("check", "verify", "record", "rule", "lsp", "report", "jit", "mcp", "cache")
OPTIONS = [
    "--fix",
    "--diff",
    "--unsafe-fixes",
    "--fix-only",
    "--level",
    "--select",
    "--ignore",
    "--extend-select",
    "--output-format",
    "--output-file",
    "--statistics",
    "--show-files",
    "--show-settings",
    "--exit-zero",
    "--exit-non-zero-on-fix",
    "--stdin-filename",
    "--jobs",
    "--no-cache",
    "--cache-dir",
    "--config",
    "--exclude",
    "--extend-exclude",
    "--force-exclude",
    "--color",
    "-q",
    "-v",
    "--python",
    "--verify-timeout",
    "--measure",
    "--baseline",
    "--write-baseline",
    "--prune-baseline",
    "--add-ignore",
]
FORMATS = ["full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit"]
RULES = {
    "SCN101": "unrolled-loop",
    "SCN102": "unrolled-collect",
    "SCN103": "traced-while",
    "SCN104": "traced-range",
    "SCN105": "unrolled-iteration",
    "SCN106": "unrolled-layers",
    "SCN107": "host-step-loop",
    "SCN108": "eager-step-loop",
    "SCN109": "carry-type",
    "SCN201": "traced-if",
    "SCN202": "traced-switch",
    "SCN203": "traced-bool",
    "SCN204": "flag-argument",
    "SCN205": "traced-assert",
    "SCN206": "traced-cast",
    "SCN207": "commented-out-jit",
    "SCN208": "array-assignment",
    "SCN209": "data-dependent-shape",
    "SCN210": "traced-size",
    "SCN211": "traced-lookup",
    "SCN212": "jit-of-method",
    "SCN301": "unbatched-loop",
    "SCN302": "unbatched-comprehension",
    "SCN401": "dummy-xs",
    "SCN402": "discarded-ys",
    "SCN403": "grad-through-while",
    "SCN404": "jit-in-loop",
    "SCN405": "recompiled",
    "SCN406": "dropped-result",
    "SCN407": "unpacked-array",
    "SCN408": "eager-transform",
    "SCN409": "static-cond",
    "SCN410": "growing-array",
    "SCN411": "removed-api",
    "SCN412": "eager-update",
    "SCN413": "nan-gradient",
    "SCN414": "bounded-while",
    "SCN501": "key-reused",
    "SCN502": "key-after-split",
    "SCN503": "key-each-trip",
    "SCN504": "constant-key",
    "SCN505": "unused-split",
    "SCN506": "host-draw",
    "SCN601": "wait-in-loop",
    "SCN602": "stale-value",
    "SCN603": "leaked-tracer",
    "SCN604": "clock-without-wait",
    "SCN900": "syntax-error",
    "SCN901": "unused-ignore",
}
ADVICE = (
    *("unrolled-layers", "host-step-loop", "eager-step-loop", "commented-out-jit", "recompiled"),
    *("eager-transform", "static-cond", "growing-array", "wait-in-loop", "stale-value", "leaked-tracer"),
    *("constant-key", "unused-split", "bounded-while"),
)
FAILS = ("while", "range", "if", "switch", "bool", "assert", "cast")
"""What tracing fails at: `traced-while` and so on."""
NUMBER, TEXT, MAYBE = (int, float), str, type(None)
FINDING = {
    "code": TEXT,
    "name": TEXT,
    "path": TEXT,
    "line": int,
    "column": int,
    "end_line": int,
    "end_column": int,
    "function": (str, MAYBE),
    "message": TEXT,
    "level": TEXT,
    "trips": (int, MAYBE),
    "primitive": TEXT,
    "fix": dict,
    "verification": (dict, MAYBE),
}
FIX = {"status": TEXT, "reason": (str, MAYBE), "reason_code": (str, MAYBE), "edits": list}
VERIFICATION = {
    "verdict": TEXT,
    "reason": (str, MAYBE),
    "inputs": TEXT,
    "cases": int,
    "holds_for": (dict, MAYBE),
    "evidence": list,
    "max_abs_error": (*NUMBER, MAYBE),
    "equations_before": (int, MAYBE),
    "equations_after": (int, MAYBE),
    "compile_seconds_before": (*NUMBER, MAYBE),
    "compile_seconds_after": (*NUMBER, MAYBE),
}
SUMMARY = {"files": int, "findings": int, "fixed": int, "withheld": int, "below": dict, "seconds": NUMBER}


def fits(table: dict[str, Any], kinds: dict[str, Any]) -> None:
    """Every field is there, with a value of its kind."""
    assert [key for key in kinds if key not in table] == []
    assert [key for key, kind in kinds.items() if not isinstance(table[key], kind)] == []


@pytest.fixture
def run(start: Scanlint) -> Scanlint:
    """The command as users start it: what they rely on is tried with nothing in between."""
    return start


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_exists(command: str, run: Scanlint) -> None:
    done = run(command, "--help")
    assert done.returncode == 0 and done.stdout.startswith(f"Usage: scanlint {command} ")


def test_every_option_of_check_exists(run: Scanlint) -> None:
    words = run("check", "--help").stdout.replace(",", " ").replace("/", " ").split()
    assert [option for option in OPTIONS if option not in words] == []


@pytest.mark.parametrize("form", FORMATS)
def test_an_output_format_exists(form: str, project: Path, run: Scanlint) -> None:
    done = run("--output-format", form, "loop.py")
    assert done.returncode == 1 and done.stdout and not done.stderr


def test_version_is_told(run: Scanlint) -> None:
    assert run("--version").stdout.startswith("scanlint ")


EXITS = [
    (("clean.py",), 0),
    (("loop.py",), 1),
    (("--exit-zero", "loop.py"), 0),
    (("--no-such-option",), 2),
    (("--select", "no-such-rule", "clean.py"), 2),
    (("--config", "missing.toml", "clean.py"), 2),
    (("missing.py",), 2),
    (("broken.py",), 1),
    (("--level", "error", "loop.py"), 0),
    (("--level", "advice", "clean.py"), 0),
    (("--level", "hint", "clean.py"), 2),
    (("--fix", "--diff", "--select", "SCN2", "loop.py"), 0),
    (("verify", "loop.py", "loop.py", "-f", "rollout"), 0),
    (("verify", "loop.py", "other.py", "-f", "rollout"), 1),
    (("verify", "loop.py", "missing.py", "-f", "rollout"), 2),
    (("verify", "--since", "HEAD"), 2),
    (("verify", "untold.py", "untold.py", "-f", "f"), 3),
    (("rule", "SCN101"), 0),
    (("rule", "unrolled-loop"), 0),
    (("rule",), 0),
    (("rule", "no-such-rule"), 2),
    (("record", "--", "python", "-c", "raise SystemExit(7)"), 7),
    (("report", "--html", "page.html", "clean.py"), 0),
]


@pytest.mark.parametrize(
    ("words", "code"), EXITS, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_run_ends_with_its_exit_code(words: tuple[str, ...], code: int, project: Path, run: Scanlint) -> None:
    (project / "broken.py").write_text("def f(:\n")
    (project / "other.py").write_text((project / "loop.py").read_text().replace("2.0", "2.5"))
    (project / "untold.py").write_text("import nowhere\n\n\ndef f(x):\n    return nowhere.of(x)\n")
    assert run(*words).returncode == code


def test_a_file_that_does_not_parse_is_a_finding(project: Path, run: Scanlint) -> None:
    (project / "broken.py").write_text("def f(:\n")
    done = run("--output-format", "concise", "broken.py")
    assert " SCN900 " in done.stdout


def test_every_rule_has_its_code_name_and_level() -> None:
    found = {entry.code: entry.name for entry in entries()}
    assert {code: found.get(code) for code in RULES} == RULES
    levels = {entry.name: entry.level for entry in entries() if entry.code in RULES}
    assert {name for name, level in levels.items() if level == "advice"} == set(ADVICE)
    assert {levels[name] for name in ("syntax-error", *(f"traced-{what}" for what in FAILS))} == {"error"}


@pytest.mark.parametrize(
    ("literal", "words"),
    [
        (Level, "error warning advice"),
        (FixStatus, "available applied withheld none"),
        (Verdict, "proved tested refuted unknown"),
        (InputSource, "recorded given harvested synthesised"),
        (Primitive, "fori_loop scan while_loop cond where switch vmap static_argnames logical other"),
    ],
    ids=["levels", "what became of a fix", "verdicts", "inputs", "primitives"],
)
def test_words_of_json_are_those(literal: Any, words: str) -> None:
    assert list(get_args(literal)) == words.split()


@pytest.mark.parametrize("words", [(), ("--fix", "--diff"), ("--fix",)], ids=["check", "diff", "fix"])
def test_json_has_every_field(words: tuple[str, ...], project: Path, run: Scanlint) -> None:
    document = json.loads(run(*words, "--output-format", "json", ".").stdout)
    assert document["version"] == 1
    fits(document["summary"], SUMMARY)
    (found,) = document["findings"]
    fits(found, FINDING)
    fits(found["fix"], FIX)
    assert (found["verification"] is not None) is bool(words)
    if words:
        fits(found["verification"], VERIFICATION)
    for edit in found["fix"]["edits"]:
        fits(edit, {"start": dict, "end": dict, "text": str})
        fits(edit["start"], {"line": int, "column": int})
    lines = run("--output-format", "json-lines", "--no-cache", ".").stdout.splitlines()
    assert [json.loads(line)["code"] for line in lines] == ([] if words == ("--fix",) else ["SCN101"])


def test_verify_prints_one_verification(project: Path, run: Scanlint) -> None:
    fits(
        json.loads(run("verify", "loop.py", "loop.py", "-f", "rollout", "--output-format", "json").stdout), VERIFICATION
    )


COMPARED = {
    "path": TEXT,
    "line": int,
    "function": TEXT,
    "change": TEXT,
    "old": (dict, MAYBE),
    "alike": (*NUMBER, MAYBE),
    "reaches": list,
    "verification": (dict, MAYBE),
}
COUNTS = dict.fromkeys(("functions", "proved", "tested", "refuted", "unknown", "new", "removed"), int)
SINCE = {"version": int, "revision": TEXT, "commit": TEXT, "functions": list, "files": list, "summary": dict}


def test_verify_since_prints_one_object(project: Path, run: Scanlint) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "old")):
        subprocess.run(["git", *identity, *words], cwd=project, check=True)
    (project / "loop.py").write_text((project / "loop.py").read_text().replace("2.0", "2.5"))
    (project / "clean.py").write_text("def f(:\n")
    (project / "new.py").write_text("def g(x):\n    return x\n")
    done = run("verify", "--since", "HEAD", "--output-format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    fits(document, SINCE)
    changed, new = document["functions"]
    for found in (changed, new):
        fits(found, COMPARED)
    fits(changed["verification"], VERIFICATION)
    fits(changed["old"], {"path": TEXT, "line": int, "function": TEXT})
    fits(document["files"][0], {"path": TEXT, "line": int, "revision": (str, MAYBE), "verdict": TEXT, "message": TEXT})
    fits(document["summary"], {**COUNTS, "programs_left_out": list, "test_files_left_out": int, "seconds": NUMBER})


SUPPRESSIONS = [
    ("range(50):", "range(50):  # scanlint: ignore[unrolled-loop] why", 0),
    ("    for", "    # scanlint: ignore[SCN101]\n    for", 0),
    ("import jax\n", "# scanlint: ignore-file[unrolled-loop]\nimport jax\n", 0),
    ("range(50):", "range(3):  # scanlint: ignore[unrolled-loop]", 1),
]


@pytest.mark.parametrize(
    ("old", "new", "code"), SUPPRESSIONS, ids=["on the line", "above it", "of the file", "one that suppresses nothing"]
)
def test_a_suppression_has_one_spelling(old: str, new: str, code: int, project: Path, run: Scanlint) -> None:
    file = project / "loop.py"
    file.write_text(file.read_text().replace(old, new, 1))
    done = run("--output-format", "concise", "loop.py")
    assert done.returncode == code, done.stdout
    assert ("SCN901" in done.stdout) is bool(code)


def test_an_unknown_key_of_the_configuration_is_an_error(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text("[tool.scanlint]\nselct = []\n")
    assert run("clean.py").returncode == 2


def test_standard_input_has_the_name_that_it_is_given(project: Path, run: Scanlint) -> None:
    done = run(
        "-", "--stdin-filename", "src/a.py", "--output-format", "concise", stdin=(project / "loop.py").read_text()
    )
    assert done.stdout.startswith("src/a.py:7:5: SCN101 ")
