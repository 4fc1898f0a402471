"""Random edits, deletes, renames and closes neither bring the server down nor leave a stale diagnostic."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.lsp.editor import editing
from tests.lsp.fuzzing import Fuzz, write_project


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_what_is_published_is_what_a_fresh_check_finds(tmp_path: Path, seed: int) -> None:
    async def run() -> Fuzz:
        write_project(tmp_path)
        async with editing(tmp_path) as editor:
            fuzz = Fuzz(editor, tmp_path, seed)
            await fuzz.run(240)
            return fuzz

    fuzz = asyncio.run(run())
    assert fuzz.compared >= 3 and fuzz.found >= 10
