"""A session that stays says what a fresh one says, and looks again only at what rests on a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.engine.analyst import Analyst
from scanlint.engine.live.live_session import LiveSession, text_source
from scanlint.engine.session import check
from scanlint.engine.tasks import Slice, SliceTask
from scanlint.settings import Settings
from tests.conftest import CLEAN, LOOP

CALLER = "import jax\nfrom steps import halve\n\n\n@jax.jit\ndef use(x):\n    return halve(x)\n"
STEPS = "def halve(x):\n    if x > 0:\n        return x / 2\n    return x\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {"pyproject.toml": "", "loop.py": LOOP, "clean.py": CLEAN, "steps.py": STEPS, "use.py": CALLER}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules in which analyses begin, as they are made."""
    begun: list[str] = []
    analyse = Analyst.analyse

    def noted(self: Analyst, task: SliceTask) -> Slice:
        begun.extend(task.begin)
        return analyse(self, task)

    monkeypatch.setattr(Analyst, "analyse", noted)
    return begun


def put(live: LiveSession, name: str, text: str) -> None:
    live.put(text_source(Path(name), text))


def lines(live: LiveSession, name: str) -> list[tuple[str, int]]:
    return [(finding.code, finding.start.line) for finding in live.check([name])[name].findings]


def test_only_what_rests_on_a_change_is_analysed_again(here: Path, analysed: list[str]) -> None:
    live = LiveSession(Settings(root=here, cache=False))
    assert lines(live, "loop.py") == [("SCN101", 7)]
    analysed.clear()
    put(live, "loop.py", f"\n{LOOP}")
    assert lines(live, "loop.py") == [("SCN101", 8)]
    assert analysed == ["loop"]
    analysed.clear()
    assert lines(live, "loop.py") == [("SCN101", 8)]
    assert analysed == []
    put(live, "steps.py", f"\n{STEPS}")
    assert lines(live, "steps.py") == [("SCN201", 3)]
    assert set(analysed) == {"use"}


def test_what_is_found_is_kept_between_sessions(here: Path, analysed: list[str]) -> None:
    assert lines(LiveSession(Settings(root=here)), "loop.py") == [("SCN101", 7)]
    analysed.clear()
    assert lines(LiveSession(Settings(root=here)), "loop.py") == [("SCN101", 7)]
    assert analysed == []


def test_a_text_that_does_not_parse_leaves_the_others_as_they_were(here: Path, analysed: list[str]) -> None:
    live = LiveSession(Settings(root=here, cache=False))
    put(live, "use.py", CALLER)
    put(live, "steps.py", STEPS)
    assert lines(live, "steps.py") == [("SCN201", 2)]
    analysed.clear()
    put(live, "use.py", f"({CALLER}")
    assert lines(live, "steps.py") == [("SCN201", 2)]
    assert analysed == []
    assert lines(live, "use.py") == [("SCN900", 1)]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda here: (here / "use.py").unlink(), id="its caller is gone"),
        pytest.param(lambda here: (here / "use.py").write_text("x = 1\n"), id="its caller no longer calls it"),
        pytest.param(lambda here: (here / "use.py").rename(here / "clean.txt"), id="its caller is no Python file"),
    ],
)
def test_the_disk_is_followed_when_it_is_looked_at(here: Path, change: Callable[[Path], object]) -> None:
    live = LiveSession(Settings(root=here, cache=False))
    assert lines(live, "steps.py") == [("SCN201", 2)]
    change(here)
    live.look()
    assert lines(live, "steps.py") == []


def test_edits_are_made_when_they_are_asked_for(here: Path) -> None:
    live = LiveSession(Settings(root=here, cache=False))
    put(live, "loop.py", f"\n{LOOP}")
    [finding] = live.check(["loop.py"])["loop.py"].findings
    assert (finding.fix.status, finding.fix.edits) == ("available", ())
    [offered] = live.offer("loop.py", 8, 8)
    (here / "loop.py").write_text(f"\n{LOOP}")
    assert [offered] == list(check([Path("loop.py")], Settings(root=here, cache=False)).findings)


def test_of_two_files_that_want_one_name_each_is_told_once(here: Path) -> None:
    (here / "folder").mkdir()
    (here / "folder" / "loop.py").write_text(LOOP)
    found = check([Path("loop.py")], Settings(root=here, cache=False, jobs=1)).findings
    assert [(finding.path, finding.start.line) for finding in found] == [("loop.py", 7)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("* 2.0", "* 3.0", id="another number"),
        pytest.param("range(50)", "range(2)", id="a loop that is too short now"),
        pytest.param(
            "    return state\n", "    if state > 0:\n        state = -state\n    return state\n", id="a branch"
        ),
        pytest.param("(50):", "(50):  # scanlint: ignore[unrolled-loop]", id="an ignore"),
        pytest.param("import jax\n", "# a comment\n\nimport jax\n", id="lines outside of functions"),
        pytest.param("    for t", "\n    # a comment\n\n    for t", id="lines above"),
    ],
)
def test_what_is_said_early_is_what_is_said_in_the_end(here: Path, old: str, new: str) -> None:
    text = LOOP + LOOP[LOOP.index("@") :].replace("rollout", "again")
    live = LiveSession(Settings(root=here, cache=False))
    put(live, "loop.py", text)
    assert len(live.check(["loop.py"])["loop.py"].findings) == 2
    source = text_source(Path("loop.py"), text.replace(old, new, 1))
    early = live.early(source)
    live.put(source)
    assert early == live.check(["loop.py"])["loop.py"]


def test_of_what_others_tell_too_nothing_is_said_early(here: Path) -> None:
    live = LiveSession(Settings(root=here, cache=False))
    put(live, "steps.py", f"\n{STEPS}")
    live.check(["steps.py"])
    assert live.early(text_source(Path("steps.py"), f"\n{STEPS}\n")) is None
    assert live.early(text_source(Path("steps.py"), f"\n{STEPS.replace('/ 2', '/ 3')}")) is None
