"""How grave a finding is, and what is listed of it: on the command line, in the configuration and in each format."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.engine.session import check
from scanlint.settings import Settings

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

THREE = """\
import jax
import jax.numpy as jnp


@jax.jit
def failing(x):
    if x > 0:
        return x
    return -x


@jax.jit
def slow(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state


step = jax.jit(lambda x: x * 2.0)


def piecemeal(x, n):
    for _ in range(1000):
        x = step(x)
    return x
"""
ERROR, WARNING, ADVICE = "SCN201", "SCN101", "SCN107"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A folder with a file that has a finding of each level."""
    (tmp_path / "three.py").write_text(THREE)
    return tmp_path


@pytest.mark.parametrize(
    ("settings", "listed", "below"),
    [
        pytest.param({}, [ERROR, WARNING], [ADVICE], id="warnings are listed by default"),
        pytest.param({"level": "error"}, [ERROR], [WARNING, ADVICE], id="errors alone"),
        pytest.param({"level": "advice"}, [ERROR, WARNING, ADVICE], [], id="advice too"),
        pytest.param({"select": ("SCN1",)}, [WARNING], [ADVICE], id="a prefix brings no advice"),
        pytest.param({"select": ("ALL",)}, [ERROR, WARNING], [ADVICE], id="nor does ALL"),
        pytest.param({"select": ("host-step-loop",)}, [ADVICE], [], id="a full name does"),
        pytest.param({"extend_select": ("SCN107",)}, [ERROR, WARNING, ADVICE], [], id="a full code does"),
        pytest.param({"level": "error", "select": ("SCN101",)}, [WARNING], [], id="a full code at any level"),
        pytest.param({"ignore": ("host-step-loop",)}, [ERROR, WARNING], [], id="what is ignored is not counted"),
        pytest.param({"select": ("SCN2",)}, [ERROR], [], id="what is not selected is not counted"),
    ],
)
def test_what_is_less_grave_is_counted(
    settings: dict[str, str | tuple[str, ...]], listed: list[str], below: list[str], three: Path
) -> None:
    made = Settings(root=three, cache=False, jobs=1, **settings)  # type: ignore[arg-type]
    outcome = check([three], made)
    assert [finding.code for finding in outcome.findings] == listed
    assert sorted(finding.code for finding in outcome.below) == sorted(below)


IGNORED = "    for _ in range(1000):  # scanlint: ignore[host-step-loop] it is looked at"


def test_an_ignore_of_advice_is_not_in_vain_where_it_is_only_counted(three: Path) -> None:
    (three / "three.py").write_text(THREE.replace("    for _ in range(1000):", IGNORED))
    outcome = check([three], Settings(root=three, cache=False, jobs=1))
    assert [finding.code for finding in outcome.findings] == [ERROR, WARNING] and outcome.below == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((), "Found 2 findings (2 fixable with `--fix`); 1 piece of advice (--level advice)", id="advice"),
        pytest.param(
            ("--level", "error"),
            "Found 1 finding (1 fixable with `--fix`); 1 warning and 1 piece of advice (--level advice)",
            id="warnings and advice",
        ),
        pytest.param(("--level", "advice"), "Found 3 findings (3 fixable with `--fix`)", id="nothing below"),
        pytest.param(
            ("--ignore", "SCN101,SCN201"),
            "No errors or warnings; 1 piece of advice (--level advice)",
            id="nothing listed",
        ),
        pytest.param(
            ("--level", "error", "--ignore", "SCN107,SCN201"),
            "No errors; 1 warning (--level warning)",
            id="the level that lists it is named",
        ),
    ],
)
def test_the_closing_line_counts_what_is_not_listed(
    words: tuple[str, ...], said: str, three: Path, run: Scanlint
) -> None:
    done = run(*words, "three.py")
    assert done.stdout.splitlines()[-1] == said
    assert done.returncode == (0 if said.startswith("No ") else 1)


def test_each_format_says_how_grave_a_finding_is(three: Path, run: Scanlint) -> None:
    also = {form: three / f"out.{form}" for form in ("json", "sarif", "github", "gitlab", "html")}
    words = [word for form, file in also.items() for word in ("--also", f"{form}:{file}")]
    full = run("--level", "advice", *words, "three.py").stdout
    assert [line.partition("[")[0] for line in full.splitlines() if "]: " in line] == ["error", "warning", "advice"]
    text = {form: file.read_text() for form, file in also.items()}
    assert [f["level"] for f in json.loads(text["json"])["findings"]] == ["error", "warning", "advice"]
    (sarif,) = json.loads(text["sarif"])["runs"]
    assert [found["level"] for found in sarif["results"]] == ["error", "warning", "note"]
    rules = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in sarif["tool"]["driver"]["rules"]}
    assert (rules[ERROR], rules[WARNING], rules[ADVICE]) == ("error", "warning", "note")
    assert [line.split()[0] for line in text["github"].splitlines()] == ["::error", "::warning", "::notice"]
    assert [issue["severity"] for issue in json.loads(text["gitlab"])] == ["critical", "major", "info"]
    for level in ("error", "warning", "advice"):
        assert f'<option value="{level}">{level} (1)</option>' in text["html"]
        assert f'data-level="{level}"' in text["html"]


def test_advice_stands_below_the_rest_with_what_may_cost_most_first(three: Path, run: Scanlint) -> None:
    long = THREE[THREE.index("def piecemeal") :]
    short = long.replace("piecemeal", "shorter").replace("1000", "600")
    (three / "three.py").write_text(THREE.replace(long, f"{short}\n\n{long}"))
    lines = run("--level", "advice", "three.py").stdout.splitlines()
    assert [line.partition("[")[0] for line in lines if "]: " in line] == ["error", "warning", "advice", "advice"]
    assert next(line for line in lines if "for _ in range(" in line).endswith("range(1000):")


def test_the_level_stands_in_the_configuration_and_the_command_line_wins(three: Path, run: Scanlint) -> None:
    (three / "pyproject.toml").write_text('[tool.scanlint]\nlevel = "error"\n')
    summary = json.loads(run("--output-format", "json", "three.py").stdout)["summary"]
    assert (summary["findings"], summary["below"]) == (1, {"warning": 1, "advice": 1})
    summary = json.loads(run("--level", "advice", "--output-format", "json", "three.py").stdout)["summary"]
    assert (summary["findings"], summary["below"]) == (3, {"warning": 0, "advice": 0})
    (three / "pyproject.toml").write_text('[tool.scanlint]\nlevel = "hint"\n')
    done = run("three.py")
    assert done.returncode == 2 and "`level` must be one of error, warning, advice, not `'hint'`" in done.stderr


def test_fix_writes_what_is_listed(three: Path, run: Scanlint) -> None:
    def written(*words: str) -> str:
        (three / "three.py").write_text(THREE)
        run("--fix", "--verify-timeout", "300", *words, "three.py")
        return (three / "three.py").read_text()

    at_warning, at_advice = written(), written("--level", "advice", "--ignore", "SCN1,SCN2", "--extend-select", ADVICE)
    assert "for _ in range(1000)" in at_warning and "for t in range(50)" not in at_warning
    assert "for _ in range(1000)" not in at_advice and "for t in range(50)" in at_advice


def test_a_baseline_knows_what_is_only_counted(three: Path, run: Scanlint) -> None:
    baseline = ("--baseline", "known.json")
    assert run(*baseline, "--write-baseline", "--level", "advice", "three.py").returncode == 0
    done = run(*baseline, "three.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "No new findings; 2 known findings in the baseline\n", "")
    assert run(*baseline, "--prune-baseline", "three.py").stderr == "known.json: 3 known findings\n"
