"""No configuration is passed over in silence, and each entry of one meets something or is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import CLEAN, LOOP, Completed, Scanlint

TABLE = '[tool.scanlint]\nignore = ["SCN101"]\n'


def concise(run: Scanlint, *words: str, **more: object) -> Completed:
    return run("--output-format", "concise", "--no-cache", *words, **more)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"[[tool.scanlint]]\nselect = []\n", "`tool.scanlint` must be a table", id="a list of tables"),
        pytest.param(b"[tool]\nscanlint = true\n", "`tool.scanlint` must be a table", id="a value"),
        pytest.param(b"tool = 'scanlint'\n", "`tool` must be a table", id="tool is no table"),
        pytest.param(TABLE.encode("utf-16"), "cannot be read as TOML", id="UTF-16"),
        pytest.param(TABLE.encode("utf-16-le"), "cannot be read as TOML", id="UTF-16 without a mark"),
        pytest.param(TABLE.encode("utf-32"), "cannot be read as TOML", id="UTF-32"),
        pytest.param(b"# caf\xe9\n" + TABLE.encode(), "cannot be read as TOML", id="Latin-1"),
        pytest.param(b"[tool.scanlint]\nselect = []\n", "no rule is left", id="nothing is selected"),
        pytest.param(b"[tool.scanlint]\nignore = ['ALL']\nselect = ['ALL']\n", "no rule is left", id="all is ignored"),
    ],
)
def test_a_configuration_that_cannot_be_used_ends_the_run(
    content: bytes, said: str, project: Path, run: Scanlint
) -> None:
    (project / "pyproject.toml").write_bytes(content)
    done = concise(run, "--exit-zero", ".")
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
@pytest.mark.parametrize("kind", ["a dangling link", "a link to itself", "a pipe", "a folder"])
def test_a_configuration_that_is_no_file_ends_the_run(kind: str, project: Path, run: Scanlint) -> None:
    file = project / "pyproject.toml"
    match kind:
        case "a dangling link":
            file.symlink_to("gone.toml")
        case "a link to itself":
            file.symlink_to("pyproject.toml")
        case "a pipe":
            os.mkfifo(file)
        case _:
            file.mkdir()
    done = concise(run, ".", "--exit-zero")
    assert done.returncode == 2 and "pyproject.toml: cannot read" in done.stderr


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "not = [toml", "[tool.scanlint]\n"])
def test_a_file_that_says_nothing_of_rules_changes_nothing(text: str, project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text(text)
    done = concise(run, ".")
    assert done.returncode == 1 and not done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("--select", "SCN101", "--ignore", "SCN101"), 2, id="selected and ignored"),
        pytest.param(("--select", ""), 2, id="an empty selection"),
        pytest.param(("--ignore", "ALL"), 2, id="all ignored"),
        pytest.param(("--select", "syntax-error"), 0, id="syntax alone"),
        pytest.param(("--select", "SCN1", "--ignore", "SCN10"), 2, id="ignored more exactly"),
    ],
)
def test_a_selection_without_a_rule_is_refused(words: tuple[str, ...], code: int, project: Path, run: Scanlint) -> None:
    done = concise(run, *words, ".")
    assert done.returncode == code and ("no rule is left" in done.stderr) == (code == 2)


def test_an_empty_selection_can_be_added_to(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text('[tool.scanlint]\nselect = []\nextend-select = ["SCN201"]\n')
    assert concise(run, ".").returncode == 0
    assert concise(run, ".", "--select", "SCN101").returncode == 1


@pytest.mark.parametrize("words", [("--exclude", ""), ()], ids=["on the command line", "in the configuration"])
def test_an_empty_list_of_excludes_excludes_nothing(words: tuple[str, ...], project: Path, run: Scanlint) -> None:
    (project / "build").mkdir()
    (project / "build" / "made.py").write_text(LOOP)
    if not words:
        (project / "pyproject.toml").write_text("[tool.scanlint]\nexclude = []\n")
    assert "build/made.py:7:5: SCN101" in concise(run, ".", *words).stdout
    assert '"build"' in run("--show-settings", "--config", os.devnull).stdout


def test_the_settings_of_one_project_are_not_those_of_another_without_a_word(project: Path, run: Scanlint) -> None:
    for name in ("a", "b"):
        (project / name).mkdir()
        (project / name / "loop.py").write_text(LOOP)
    (project / "a" / "pyproject.toml").write_text(TABLE)
    assert "a/pyproject.toml is not used: one run has one configuration" in concise(run, "b", "a").stderr
    assert "a/pyproject.toml holds for b too" in concise(run, "a", "b").stderr
    assert "a/pyproject.toml holds for b/loop.py too" in concise(run, "a/loop.py", "b/loop.py").stderr
    assert "a/pyproject.toml is not used" in concise(run, ".").stderr
    assert not concise(run, "a").stderr
    assert not concise(run, "--config", "a/pyproject.toml", ".").stderr


def test_of_two_configurations_the_nearer_one_is_said_not_to_be_used(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text(TABLE)
    (project / "sub").mkdir()
    (project / "sub" / "pyproject.toml").write_text('[tool.scanlint]\nselect = ["SCN1"]\n')
    (project / "sub" / "loop.py").write_text(LOOP)
    assert "sub/pyproject.toml is not used" in concise(run, "loop.py", "sub/loop.py").stderr
    assert "note" not in concise(run, "sub/loop.py").stderr


def test_a_named_configuration_without_a_table_is_noted(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    done = concise(run, "--config", "pyproject.toml", ".")
    assert "`--config`: pyproject.toml has no [tool.scanlint]" in done.stderr and done.returncode == 1


# -- entries that nothing meets

UNMET = {
    "a pattern of no file": ('[tool.scanlint.per-file-ignores]\n"tsets/*" = ["SCN102"]\n', "`tsets/*` names no file"),
    "a pattern with backslashes": (
        '[tool.scanlint.per-file-ignores]\n"src\\\\*" = ["SCN102"]\n',
        "names no file that was found; folders are parted by `/`",
    ),
    "a pattern in another case": ('[tool.scanlint.per-file-ignores]\n"Loop.py" = ["SCN102"]\n', "`Loop.py` names no"),
    "a pattern from above": ('[tool.scanlint.per-file-ignores]\n"../x/*" = ["SCN102"]\n', "`../x/*` names no file"),
    "an exclude of nothing": ('[tool.scanlint]\nexclude = ["gen"]\n', "`exclude`: `gen` names no file or folder"),
    "a further exclude of nothing": (
        '[tool.scanlint]\nextend-exclude = ["loop.py", "gen/*.py"]\n',
        "`extend-exclude`: `gen/*.py` names no file or folder",
    ),
    "inputs of no function": (
        '[tool.scanlint.inputs]\n"loop.rolluot" = "state: f32[3]"\n',
        "`inputs`: `loop.rolluot` names no function of the files that were checked; did you mean `loop.rollout`?",
    ),
    "a trace of no function": ('[tool.scanlint]\nassume-traced = ["loop.x"]\n', "`assume-traced`: `loop.x` names no"),
}


@pytest.mark.parametrize(("text", "said"), UNMET.values(), ids=UNMET)
@pytest.mark.parametrize("path", [".", "loop.py"], ids=["in a folder", "for a file"])
def test_an_entry_that_nothing_meets_is_told(text: str, said: str, path: str, project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text(text)
    done = concise(run, path, "--exit-zero")
    assert said in done.stderr and done.returncode == 0
    assert done.stderr.count("note:") == 1


MET = {
    "patterns": '[tool.scanlint]\nextend-exclude = ["gen", "g*", "*.gen.py"]\n'
    '[tool.scanlint.per-file-ignores]\n"loop.py" = ["SCN2"]\n"pkg" = ["SCN2"]\n"*.py" = ["SCN2"]\n',
    "inputs by name": '[tool.scanlint.inputs]\nrollout = "state: f32[3]"\n',
    "inputs by module": '[tool.scanlint.inputs]\n"pkg.steps.Model.step" = "x: f32[3]"\n',
    "inputs by path": '[tool.scanlint.inputs]\n"pkg/steps.py:Model.step" = "x: f32[3]"\n',
}


@pytest.mark.parametrize("text", MET.values(), ids=MET)
def test_an_entry_that_something_meets_is_not_told(text: str, project: Path, run: Scanlint) -> None:
    texts = {
        "pyproject.toml": text,
        "pkg/__init__.py": "",
        "pkg/steps.py": "import jax\n\n\nclass Model:\n    def step(self, x):\n        return x\n",
        "pkg/x.gen.py": CLEAN,
        "gen/made.py": CLEAN,
    }
    for name, content in texts.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(content)
    assert not concise(run, ".").stderr


def test_a_part_of_a_project_is_not_told_of_patterns_for_the_rest(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text('[tool.scanlint.per-file-ignores]\n"tests/*" = ["SCN1"]\n')
    (project / "src").mkdir()
    (project / "src" / "loop.py").write_text(LOOP)
    (project / "plain.py").write_text("x = 1\n")
    assert not concise(run, "src").stderr
    assert not concise(run, "plain.py").stderr


def test_a_path_that_holds_nothing_is_told(project: Path, run: Scanlint) -> None:
    (project / "docs").mkdir()
    done = concise(run, "docs", "loop.py")
    assert "`PATHS`: `docs` names no Python file" in done.stderr and done.returncode == 1


def test_a_named_file_that_is_excluded_by_force_is_told(project: Path, run: Scanlint) -> None:
    done = concise(run, "--force-exclude", "--exclude", "loop.py", "loop.py", "clean.py")
    assert "left out though named, as `force-exclude` has it: loop.py" in done.stderr and done.returncode == 0


def test_patterns_of_a_configuration_that_is_named_are_relative_to_the_working_directory(
    project: Path, run: Scanlint
) -> None:
    for folder in ("conf", "sub"):
        (project / folder).mkdir()
    for name in ("left_out.py", "ignored.py"):
        (project / "sub" / name).write_text(LOOP)
    text = 'exclude = ["sub/left_out.py"]\n[per-file-ignores]\n"sub/ignored.py" = ["SCN1"]\n'
    (project / "conf" / "scan.toml").write_text(text)
    done = concise(run, "--config", "conf/scan.toml", "sub")
    assert (done.returncode, done.stderr) == (0, "")


def test_known_findings_that_are_gone_are_told(project: Path, run: Scanlint) -> None:
    assert concise(run, "--baseline", "known.json", "--write-baseline", ".").returncode == 0
    known = concise(run, "--baseline", "known.json", ".")
    assert (known.stdout, known.stderr) == ("No new findings; 1 known finding in the baseline\n", "")
    assert not concise(run, "--baseline", "known.json", "clean.py").stderr
    assert not concise(run, "--baseline", "known.json", "--select", "SCN2", ".").stderr
    (project / "loop.py").write_text(CLEAN)
    done = concise(run, "--baseline", "known.json", ".")
    assert "`baseline`: 1 known finding met nothing (loop.py): --prune-baseline drops them" in done.stderr
    (project / "loop.py").unlink()
    assert "1 known finding met nothing" in concise(run, "--baseline", "known.json", ".").stderr
    assert concise(run, "--baseline", "known.json", "--prune-baseline", ".").returncode == 0
    assert not concise(run, "--baseline", "known.json", ".").stderr


def test_a_variable_that_is_to_be_passed_and_is_not_set_is_told(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text('[tool.scanlint]\nverify-environment = ["SCANLINT_UNSET", "PATH"]\n')
    done = concise(run, "--fix", "--diff", "clean.py")
    assert "`verify-environment`: `SCANLINT_UNSET` names no variable that is set" in done.stderr
    assert done.stderr.count("note:") == 1
