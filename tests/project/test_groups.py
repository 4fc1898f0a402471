"""Which files are analysed together, and that what is kept of them holds no longer than they stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.analyst import Analyst
from scanlint.engine.session import Session, check
from scanlint.engine.tasks import Slice, SliceTask
from scanlint.project.groups import Member, groups
from scanlint.settings import Settings
from tests.conftest import LOOP


def member(path: str, *words: str, size: int = 10) -> Member:
    return Member(path.removesuffix(".py").replace("/", "."), f"/project/{path}", size, words)


FOLDERS = {
    "what uses each other is together": (
        [member("a.py", "b"), member("b.py"), member("c.py", "b")],
        100,
        [("a", "b", "c")],
    ),
    "what shares nothing is apart": (
        [member("a.py", "b"), member("b.py"), member("c.py", "numpy"), member("d.py")],
        100,
        [("a", "b"), ("c",), ("d",)],
    ),
    "folders of one project are together": (
        [member("p/a.py", "b"), member("q/b.py"), member("c.py", "a")],
        100,
        [("p.a", "q.b", "c")],
    ),
    "a project over the limit is taken apart by its folders": (
        [member("p/a.py", "b", "c"), member("p/b.py"), member("q/c.py", "d"), member("q/d.py")],
        20,
        [("p.a", "p.b"), ("q.c", "q.d")],
    ),
    "a folder over the limit by its files": (
        [member("a.py", "b"), member("b.py", "a"), member("c.py", "a", "d"), member("d.py")],
        20,
        [("a", "b"), ("c", "d")],
    ),
    "a limit of nothing leaves each file alone": ([member("a.py", "b"), member("b.py")], 0, [("a",), ("b",)]),
    "no files": ([], 100, []),
}


@pytest.mark.parametrize(("members", "most", "expected"), FOLDERS.values(), ids=FOLDERS)
def test_files_by_groups(members: list[Member], most: int, expected: list[tuple[str, ...]]) -> None:
    assert groups(members, most) == expected


ROLL = "import jax\n\n\ndef roll(step, x):\n    return jax.lax.fori_loop(0, 100, step, x)\n"
STEP = "def step(i, x):\n    if x > 0:\n        return x\n    return -x\n"
CALLS = f"from rolls import roll\n\n\n{STEP}\n\ndef run(x):\n    return roll(step, x)\n"
INSIDE = f"{STEP}\n\ndef run(x):\n    from rolls import roll\n\n    return roll(step, x)\n"


def found(folder: Path, *, cache: bool = False) -> list[tuple[str, str]]:
    outcome = check([folder], Settings(root=folder, cache=cache, jobs=1))
    assert not outcome.problems
    return [(Path(finding.path).name, finding.code) for finding in outcome.findings]


@pytest.mark.parametrize("caller", [CALLS, INSIDE], ids=["imported above", "imported in a function"])
def test_who_hands_a_function_to_one_that_traces_it_is_asked(caller: str, tmp_path: Path) -> None:
    (tmp_path / "rolls.py").write_text(ROLL)
    (tmp_path / "caller.py").write_text(caller)
    assert found(tmp_path) == [("caller.py", "SCN201")]


def test_a_caller_that_is_new_is_asked_though_a_result_is_kept(tmp_path: Path) -> None:
    (tmp_path / "rolls.py").write_text(ROLL)
    caller = tmp_path / "caller.py"
    caller.write_text(f"import rolls\n\n\n{STEP}")
    assert found(tmp_path, cache=True) == []
    caller.write_text(CALLS)
    assert found(tmp_path, cache=True) == [("caller.py", "SCN201")]
    caller.write_text(STEP)
    assert found(tmp_path, cache=True) == []


@pytest.mark.parametrize("together", [0, 1_000_000])
def test_files_say_the_same_together_and_alone(together: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "together", together)
    (tmp_path / "loops.py").write_text(LOOP)
    (tmp_path / "rolls.py").write_text(ROLL)
    (tmp_path / "caller.py").write_text(f"import loops\n{CALLS}")
    assert found(tmp_path) == [("caller.py", "SCN201"), ("loops.py", "SCN101")]


def test_what_goes_wrong_in_one_file_is_told_of_it_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analyse = Analyst._analyse

    def failing(self: Analyst, task: SliceTask) -> Slice:
        if "broken" in task.begin:
            raise ZeroDivisionError("made up")
        return analyse(self, task)

    monkeypatch.setattr(Analyst, "_analyse", failing)
    (tmp_path / "broken.py").write_text(LOOP)
    (tmp_path / "loops.py").write_text(f"import broken\n{LOOP}")
    outcome = check([tmp_path], Settings(root=tmp_path, cache=False, jobs=1))
    assert [Path(finding.path).name for finding in outcome.findings] == ["loops.py"]
    assert [str(problem) for problem in outcome.problems] == [
        f"{tmp_path / 'broken.py'}: internal error in the analysis: ZeroDivisionError: made up"
    ]
