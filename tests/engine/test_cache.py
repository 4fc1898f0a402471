"""What is kept between runs changes no result; and one process or several give the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scanlint.engine import cache as kept
from scanlint.engine.session import check
from scanlint.finding import Report
from scanlint.rewrite.driver import Rewriter
from scanlint.settings import Settings
from scanlint.trace.unit import Unit

Completed = subprocess.CompletedProcess[str]
Scanlint = Callable[..., Completed]

HELPER = """\
import jax.numpy as jnp


def settle(state):
    for t in range({trips}):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state
"""
CALLER = """\
import jax

from helper import settle


{decorator}
def run(state):
    return settle(state)
"""


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A helper that unrolls, in another file than the jit that traces it."""
    (tmp_path / "helper.py").write_text(HELPER.format(trips=500))
    (tmp_path / "caller.py").write_text(CALLER.format(decorator="@jax.jit"))
    return tmp_path


def found(run: Scanlint, *words: str) -> list[tuple[str, int, int | None]]:
    """The findings of a run that uses the cache, and that they are those of a run that does not."""
    reports = [run("--output-format", "json", *words), run("--output-format", "json", "--no-cache", *words)]
    assert not any(report.stderr for report in reports)
    listed = [json.loads(report.stdout)["findings"] for report in reports]
    assert listed[0] == listed[1]
    return [(f["path"], f["line"], f["trips"]) for f in listed[0]]


def test_a_changed_helper_changes_what_is_found_in_it_for_its_callers(pair: Path, run: Scanlint) -> None:
    assert found(run) == [("helper.py", 5, 500)]
    (pair / "helper.py").write_text("\n" + HELPER.format(trips=900))
    assert found(run) == [("helper.py", 6, 900)]
    (pair / "helper.py").write_text(HELPER.format(trips=3))
    assert found(run) == []


def test_a_changed_caller_changes_what_is_found_in_its_helper(pair: Path, run: Scanlint) -> None:
    assert found(run) == [("helper.py", 5, 500)]
    (pair / "caller.py").write_text(CALLER.format(decorator=""))
    assert found(run) == []
    (pair / "caller.py").write_text(CALLER.format(decorator="@jax.jit"))
    assert found(run) == [("helper.py", 5, 500)]


def test_callers_that_hand_a_function_to_one_that_traces_it_are_asked(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "tools.py").write_text("import jax\n\n\ndef repeat(f, x):\n    return jax.jit(f)(x)\n")
    (tmp_path / "helper.py").write_text(HELPER.format(trips=500))
    caller = "from helper import settle\nfrom {module} import repeat\n\n\ndef main(x):\n    return {call}\n"
    (tmp_path / "caller.py").write_text(caller.format(module="tools", call="repeat(settle, x)"))
    assert found(run) == [("helper.py", 5, 500)]
    (tmp_path / "caller.py").write_text(caller.format(module="tools", call="settle(x)"))
    assert found(run) == []
    (tmp_path / "caller.py").write_text(caller.format(module="other", call="repeat(settle, x)"))
    (tmp_path / "other.py").write_text(
        "from tools import repeat as again\n\n\ndef repeat(g, x):\n    return again(g, x)\n"
    )
    assert found(run) == [("helper.py", 5, 500)]
    (tmp_path / "other.py").unlink()
    assert found(run) == []


def test_of_files_that_want_one_name_the_first_that_parses_gets_it_whenever_they_are_read(
    tmp_path: Path, run: Scanlint
) -> None:
    """A run with nothing in the cache reads files as they are asked for, one with something first of all."""
    for folder, text in {"a": "def settle(:\n", "b": HELPER.format(trips=500), "c": HELPER.format(trips=700)}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "helper.py").write_text(text)
    (tmp_path / "caller.py").write_text(CALLER.format(decorator="@jax.jit"))
    first = found(run)
    assert ("b/helper.py", 5, 500) in first
    assert not any(path == "c/helper.py" for path, _, _ in first)
    (tmp_path / "other.py").write_text("count = 1\n")
    assert found(run) == first


def test_a_file_that_appears_or_goes_is_noticed_by_those_who_import_it(pair: Path, run: Scanlint) -> None:
    (pair / "helper.py").rename(pair / "aside")
    assert found(run) == []
    (pair / "aside").rename(pair / "helper.py")
    assert found(run) == [("helper.py", 5, 500)]
    (pair / "helper.py").unlink()
    assert found(run) == []


def test_a_helper_that_stops_parsing_is_a_finding_and_no_helper_any_more(pair: Path, run: Scanlint) -> None:
    assert found(run) == [("helper.py", 5, 500)]
    (pair / "helper.py").write_text("def settle(:\n")
    assert found(run) == [("helper.py", 1, None)]


def test_how_deep_an_expression_may_be_does_not_hang_on_what_was_read_before(pair: Path, run: Scanlint) -> None:
    (pair / "deep.py").write_text(f"total = {' + '.join(['1'] * 3500)}\n")
    assert found(run, "deep.py") == []
    assert found(run) == [("helper.py", 5, 500)]


def test_other_settings_are_other_results(pair: Path, run: Scanlint) -> None:
    assert found(run) == [("helper.py", 5, 500)]
    (pair / "pyproject.toml").write_text("[tool.scanlint]\nmax-unrolled-trips = 1000\n")
    assert found(run) == []
    assert found(run, "--ignore", "SCN101") == []
    (pair / "pyproject.toml").unlink()
    assert found(run) == [("helper.py", 5, 500)]


def test_a_pattern_names_what_the_files_around_say_it_does(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.scanlint]\nassume-traced = ["package.helper.settle"]\n')
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "helper.py").write_text(HELPER.format(trips=500))
    notes = [run(*words).stderr for words in ((), (), ("--no-cache",))]
    assert "names no function" in notes[0]
    assert len(set(notes)) == 1
    (tmp_path / "package" / "__init__.py").touch()
    assert [run(*words).stderr for words in ((), (), ("--no-cache",))] == ["", "", ""]


def test_runs_on_a_part_and_on_the_whole_take_turns(pair: Path, run: Scanlint) -> None:
    for _ in range(2):
        assert found(run) == [("helper.py", 5, 500)]
        assert found(run, "caller.py") == []
        assert found(run, "helper.py") == []


def test_rules_look_into_no_file_around_those_that_are_checked(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    reports = Rewriter.reports

    def noted(self: Rewriter, unit: Unit, *rest: Any) -> list[Report]:
        looked.append(unit.qualname)
        return reports(self, unit, *rest)

    monkeypatch.chdir(pair)
    monkeypatch.setattr(Rewriter, "reports", noted)
    (pair / "pyproject.toml").touch()
    settings = Settings(root=pair, jobs=1)
    assert [f.path for f in check([Path("helper.py")], settings).findings] == ["helper.py"]
    assert looked == ["settle"]
    assert not check([Path("caller.py")], settings).findings
    assert looked == ["settle", "run"]
    assert [f.path for f in check([pair], settings).findings] == ["helper.py"]
    looked.clear()
    assert [f.path for f in check([Path("helper.py")], settings).findings] == ["helper.py"]
    assert not looked, "what was found in all files holds for one of them"


def test_an_edit_that_leaves_size_and_time_as_they_were_is_noticed(pair: Path, run: Scanlint) -> None:
    helper = pair / "helper.py"
    assert found(run) == [("helper.py", 5, 500)]
    before = helper.stat()
    helper.write_text(HELPER.format(trips=800))
    os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert helper.stat().st_size == before.st_size
    assert found(run) == [("helper.py", 5, 800)]


def test_a_signature_proves_nothing_about_a_file_changed_just_before() -> None:
    second = 10**9
    assert kept.FileSignature(1, 10 * second, 10 * second, 1, 13 * second).settled
    assert not kept.FileSignature(1, 10 * second, 10 * second, 1, 11 * second).settled


def test_another_version_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(root=tmp_path)
    first = kept.Cache(settings)
    first.keep_result("a.py", {}, (), ("result",))
    first.save()
    assert kept.Cache(settings).result("a.py", {}, frozenset()) == ("result",)
    monkeypatch.setattr(kept, "__version__", "0.0.0")
    assert kept.Cache(settings).result("a.py", {}, frozenset()) is None


def test_results_that_nobody_asks_for_any_more_are_dropped(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path)
    names = [f"a.py\0{number}" for number in range(40)]
    for name in names:
        cache = kept.Cache(settings)
        cache.result(names[0], {}, frozenset())
        cache.keep_result(name, {}, (), name)
        cache.save()
    left = [name for name in names if kept.Cache(settings).result(name, {}, frozenset()) == name]
    assert left == [names[0], *names[-5:]]


@pytest.mark.parametrize("damage", [b"", b"rubbish", b"\x00" * 5000, None], ids=["empty", "text", "zeros", "cut short"])
def test_a_damaged_cache_is_passed_over(pair: Path, run: Scanlint, damage: bytes | None) -> None:
    assert found(run) == [("helper.py", 5, 500)]
    files = [file for file in (pair / ".scanlint_cache").rglob("*") if file.is_file() and file.name[0] not in "C."]
    assert len(files) >= 3
    for file in files:
        file.write_bytes(file.read_bytes()[:-20] if damage is None else damage)
    assert found(run) == [("helper.py", 5, 500)]
    assert "not used" not in run("-v").stderr


def test_a_cache_that_cannot_be_written_is_no_error(pair: Path, run: Scanlint) -> None:
    inside_a_file = str(pair / "helper.py" / "cache")
    assert found(run, "--cache-dir", inside_a_file) == [("helper.py", 5, 500)]
    assert "cache not written" in run("-v", "--cache-dir", inside_a_file).stderr


def test_an_interrupt_leaves_no_half_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(scratch: Path, file: Path) -> None:
        assert scratch.exists()
        raise KeyboardInterrupt

    cache = kept.Cache(Settings(root=tmp_path))
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.keep_facts("first", b"")
    assert not list(cache.folder.glob("facts-*/*"))


def test_a_full_disk_keeps_no_half_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(scratch: Path, data: bytes) -> None:
        scratch.touch()
        raise OSError(28, "No space left on device")

    cache = kept.Cache(Settings(root=tmp_path))
    cache.keep_facts("first", b"")
    monkeypatch.setattr(Path, "write_bytes", full)
    cache.keep_facts("second", b"")
    cache.keep_result("a.py", {}, (), ("result",))
    cache.save()
    assert cache.remarks == ["cache not written: [Errno 28] No space left on device"]
    assert {file.name for file in cache.folder.rglob("*") if file.is_file()} == {"CACHEDIR.TAG", ".gitignore", "first"}


def test_in_a_folder_that_holds_other_things_nothing_else_is_touched(pair: Path, run: Scanlint) -> None:
    month = 40 * 24 * 3600
    own, others = pair / "own", pair / "others"
    others.mkdir()
    (others / "model.index").write_text("weights")
    os.utime(others / "model.index", (month, month))
    for folder in (own, others):
        for text in (HELPER.format(trips=500), HELPER.format(trips=600)):
            (pair / "helper.py").write_text(text)
            run("--cache-dir", str(folder))
            for file in folder.iterdir():
                os.utime(file, (month, month))
        assert len(list(folder.glob("????????.index"))) == 1
    assert {file.name for file in own.iterdir()} >= {"CACHEDIR.TAG", ".gitignore"}
    assert {file.name.partition("-")[0] for file in others.iterdir() if len(file.stem) != 8} == {"facts", "model.index"}
    (own / "01234567.index").write_text("old")
    os.utime(own / "01234567.index", (month, month))
    (pair / "helper.py").write_text(HELPER.format(trips=700))
    run("--cache-dir", str(own))
    assert not (own / "01234567.index").exists()


def test_the_cache_is_a_tagged_folder_that_git_ignores(pair: Path, run: Scanlint) -> None:
    run("--no-cache")
    run("-", stdin=HELPER)
    assert not (pair / ".scanlint_cache").exists()
    run()
    assert (
        (pair / ".scanlint_cache" / "CACHEDIR.TAG")
        .read_text()
        .startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )
    assert (pair / ".scanlint_cache" / ".gitignore").read_text() == "*\n"
    run(SCANLINT_CACHE_DIR=str(pair / "elsewhere"))
    assert list((pair / "elsewhere").glob("*.index"))


def test_a_run_that_finds_everything_unchanged_parses_nothing(pair: Path) -> None:
    words = [sys.executable, "-X", "importtime", "-m", "scanlint"]
    path = os.pathsep.join(filter(None, [str(Path(kept.__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    runs = [
        subprocess.run(words, cwd=pair, env=environment, capture_output=True, text=True, check=False) for _ in range(2)
    ]
    names = [{line.rpartition("|")[2].strip() for line in done.stderr.splitlines()} for done in runs]
    assert runs[0].stdout == runs[1].stdout
    assert "scanlint.trace.program.call_graph" in names[0]
    assert not names[1] & {"libcst", "scanlint.project.facts", "scanlint.trace.program.call_graph", "multiprocessing"}


def test_runs_at_the_same_time_do_not_disturb_each_other(pair: Path, run: Scanlint) -> None:
    path = os.pathsep.join(filter(None, [str(Path(kept.__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    words = [sys.executable, "-m", "scanlint", "--output-format", "concise"]
    started = [
        subprocess.Popen(words, cwd=pair, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    told = [process.communicate() for process in started]
    assert len(set(told)) == 1
    assert not told[0][1]
    assert found(run) == [("helper.py", 5, 500)]
    assert not list((pair / ".scanlint_cache").rglob("*.tmp"))


def test_several_processes_say_what_one_says(tmp_path: Path, run: Scanlint) -> None:
    padding = "# words that make the file long\n" * 4000
    for number in range(24):
        (tmp_path / f"helper{number}.py").write_text(HELPER.format(trips=100 + number) + padding)
        caller = CALLER.format(decorator="@jax.jit").replace("helper", f"helper{number * 7 % 24}")
        (tmp_path / f"caller{number}.py").write_text(caller)
    (tmp_path / "broken.py").write_text("def f(:\n")
    reports = [run("--no-cache", "--jobs", str(jobs), "--output-format", "concise") for jobs in (1, 2, 3)]
    assert reports[0].stdout.count("SCN101") == 24
    assert {(r.stdout, r.stderr, r.returncode) for r in reports} == {(reports[0].stdout, "", 1)}
    cached = [run("--jobs", str(jobs), "--output-format", "concise") for jobs in (3, 1)]
    assert {(r.stdout, r.stderr) for r in cached} == {(reports[0].stdout, "")}


def test_a_file_that_is_named_alone_is_known_from_a_run_over_all(pair: Path) -> None:
    (pair / "pyproject.toml").write_text("")
    (pair / "helper.py").write_text(f"{HELPER.format(trips=500)}\n\nfast = jax.jit(settle)\n")
    words = [sys.executable, "-X", "importtime", "-m", "scanlint"]
    runs = [
        subprocess.run([*words, *named], cwd=pair, capture_output=True, text=True, check=False)
        for named in ([], ["helper.py"], ["caller.py"])
    ]
    assert [("scanlint.trace.program.call_graph" in done.stderr) for done in runs] == [True, False, False]
    assert runs[0].stdout == runs[1].stdout
