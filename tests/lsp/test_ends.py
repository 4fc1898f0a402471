"""What the language server starts ends with it, however the editor or the server is ended."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lsp.editor import Editor, editing
from tests.processes import PATIENCE, at_home, settled

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="what runs is looked up in /proc")]

ENDLESS = """\
import jax
import jax.numpy as jnp

while True:
    pass


@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state
"""


def hang_up(server: asyncio.subprocess.Process) -> None:
    assert server.stdin is not None
    server.stdin.close()


ENDS: dict[str, Callable[[asyncio.subprocess.Process], None]] = {
    "the server is killed": asyncio.subprocess.Process.kill,
    "the server is asked to end": asyncio.subprocess.Process.terminate,
    "the editor is gone": hang_up,
}


async def verifying(editor: Editor, file: Path, home: Path) -> None:
    """Ask for a rewrite whose verification does not come to an end, until it is being verified."""
    uri = editor.open(file)
    [diagnostic] = await editor.diagnostics(uri)
    action, *_ = await editor.actions(uri, diagnostic.range.start.line)
    asking = asyncio.ensure_future(editor.code_action_resolve_async(action))
    count = await asyncio.to_thread(settled, home, lambda count: count >= 5)
    assert count >= 5, "the server, who checks, who fixes, the worker and its task"
    asking.cancel()


@pytest.mark.parametrize("how", ENDS)
def test_what_the_server_has_started_ends_with_it(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (project / "pyproject.toml").write_text("[tool.scanlint]\nverify-timeout = 300\n")
    (project / "loop.py").write_text(ENDLESS)

    async def run() -> None:
        async with editing(project) as editor:
            server = editor._server
            assert server is not None
            await verifying(editor, project / "loop.py", home)
            ENDS[how](server)
            await asyncio.wait_for(server.wait(), PATIENCE)
            raise asyncio.CancelledError

    try:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(run())
        assert settled(home, lambda count: count == 0) == 0
    finally:
        for process in at_home(home):
            os.kill(process, signal.SIGKILL)
