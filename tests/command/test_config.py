"""Which configuration is used, and the command line over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.command.config import Overrides, load
from scanlint.rules.registry import selected_codes
from scanlint.settings import Settings

TABLE = '[tool.scanlint]\nselect = ["SCN1"]\nignore = ["SCN103"]\nmax-unrolled-trips = 7\nbaseline = "known.json"\n'


def test_the_nearest_file_that_speaks_of_scanlint_is_used(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(TABLE)
    inner = tmp_path / "src" / "pkg"
    inner.mkdir(parents=True)
    (tmp_path / "src" / "pyproject.toml").write_text('[project]\nname = "scanlint-user"\n')
    settings = load(inner / "a.py", None, Overrides())
    assert settings.root == tmp_path
    assert settings.max_unrolled_trips == 7
    assert settings.baseline == tmp_path / "known.json"


def test_without_one_the_root_is_where_the_project_is(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\n')
    (tmp_path / "src").mkdir()
    settings = load(tmp_path / "src", None, Overrides())
    assert (settings.root, settings.source) == (tmp_path, None)


@pytest.mark.parametrize(
    ("files", "length"),
    [
        pytest.param({}, 88, id="said nowhere"),
        pytest.param({"pyproject.toml": "[tool.ruff]\nline-length = 120\n"}, 120, id="told to ruff"),
        pytest.param({"pyproject.toml": "[tool.black]\nline-length = 79\n"}, 79, id="told to black"),
        pytest.param({"ruff.toml": "line-length = 100\n"}, 100, id="in ruff's own file"),
        pytest.param(
            {"pyproject.toml": "[tool.scanlint]\nline-length = 96\n[tool.ruff]\nline-length = 120\n"}, 96, id="ours"
        ),
    ],
)
def test_lines_are_as_long_as_the_formatter_of_the_project_is_told(
    files: dict[str, str], length: int, tmp_path: Path
) -> None:
    for name, text in {"pyproject.toml": "", **files}.items():
        (tmp_path / name).write_text(text)
    assert load(tmp_path, None, Overrides()).line_length == length


def test_a_named_file_needs_no_table(tmp_path: Path) -> None:
    file = tmp_path / "scanlint.toml"
    file.write_text('ignore = ["SCN101"]\n[inputs]\n"model.f" = "x: f32[3]"\n')
    settings = load(tmp_path, file, Overrides())
    assert settings.ignore == ("SCN101",)
    assert settings.inputs == {"model.f": ("x: f32[3]",)}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(".venv/bin/python", "{root}/.venv/bin/python", id="a path is relative to the file"),
        pytest.param("python3.12", "python3.12", id="a name is looked up"),
    ],
)
def test_the_interpreter_is_found_from_any_folder(written: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.scanlint]\npython = "{written}"\n')
    (tmp_path / "src").mkdir()
    settings = load(tmp_path / "src", None, Overrides())
    assert settings.python == expected.format(root=tmp_path)


def test_select_on_the_command_line_replaces_what_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(TABLE)
    settings = load(tmp_path, None, Overrides(select=("SCN103",)))
    assert selected_codes(settings) == {"SCN103", "SCN900"}


def test_extend_select_on_the_command_line_wins_over_ignore_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(TABLE)
    assert "SCN103" in selected_codes(load(tmp_path, None, Overrides(extend_select=("SCN103",))))
    assert "SCN101" not in selected_codes(load(tmp_path, None, Overrides(ignore=("SCN101",))))


@pytest.mark.parametrize(
    ("settings", "code", "runs"),
    [
        pytest.param(Settings(), "SCN101", True, id="on by default"),
        pytest.param(Settings(), "SCN107", True, id="advice is looked for"),
        pytest.param(Settings(extend_select=("host-step-loop",)), "SCN107", True, id="switched on by name"),
        pytest.param(Settings(extend_select=("SCN107",)), "SCN101", True, id="extending keeps the others"),
        pytest.param(Settings(select=("ALL",), ignore=("SCN1",)), "SCN101", False, id="all but a prefix"),
        pytest.param(
            Settings(select=("unrolled-loop",), ignore=("SCN1",)), "SCN101", True, id="a name wins over a prefix"
        ),
        pytest.param(
            Settings(select=("SCN101",), ignore=("ALL",)), "SCN900", True, id="a syntax error is never silent"
        ),
    ],
)
def test_which_rules_run(settings: Settings, code: str, runs: bool) -> None:
    assert (code in selected_codes(settings)) is runs
