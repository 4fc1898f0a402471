"""Keys that come without a pause do not put the answer off for ever."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
from pygls.lsp.server import LanguageServer

from scanlint.lsp.live_project import LATEST, PAUSE, LiveProject
from scanlint.lsp.work_progress import WorkProgress
from scanlint.settings import Settings


def test_there_is_a_check_while_keys_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[float] = []

    async def typed() -> float:
        loop, progress = asyncio.get_running_loop(), partial(WorkProgress, LanguageServer("test", "1"))
        nothing = partial(lambda *told: None)
        project = LiveProject(Settings(root=tmp_path), False, nothing, nothing, nothing, progress)

        async def check() -> None:
            checks.append(loop.time())

        monkeypatch.setattr(project, "_check", check)
        begun = loop.time()
        while loop.time() < begun + 2.5 * LATEST:
            project.touch()
            await asyncio.sleep(PAUSE / 5)
        return begun

    begun = asyncio.run(typed())
    assert len(checks) >= 2 and checks[0] >= begun + LATEST - 0.01
