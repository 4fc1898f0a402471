"""The server for coding agents, asked by the client of the protocol's own SDK."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp.server.mcpserver")

from mcp import Client, StdioServerParameters
from mcp.types import ListRootsResult, Root

from scanlint.mcp.server import AllowedFolders, OutsideError, folder_of

LOOP = """\
import jax
import jax.numpy as jnp


@jax.jit
def rollout(state):
    for _ in range(50):
        state = jnp.sin(state) * 2.0
    return state


def decay(x, n):
    for _ in range(n):
        x = 0.5 * x + jnp.sin(x)
    return x
"""
TOOLS = {"check", "explain", "rewrite", "verify", "verify_since", "make_jittable"}
Answer = dict[str, Any]


def asked(home: Path, work: Callable[[Client], Awaitable[Any]], *, roots: list[Path] | None = None) -> Any:
    """What comes of some questions to a server that was started in a folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "scanlint", "mcp"], cwd=str(home), env=environment
    )

    async def named(context: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=path.as_uri()) for path in roots or []])  # type: ignore[arg-type]

    async def session() -> Any:
        extra = {"list_roots_callback": named, "mode": "legacy"} if roots else {}
        async with Client(command, **extra) as client:  # type: ignore[arg-type]
            return await work(client)

    return anyio.run(session)


async def told(client: Client, tool: str, **arguments: object) -> Answer:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    assert found.structured_content is not None
    return found.structured_content


async def refused(client: Client, tool: str, **arguments: object) -> str:
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    return str(found.content)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(LOOP)
    return tmp_path


def test_an_agent_checks_reads_and_is_told_what_runs_code(home: Path) -> None:
    async def work(client: Client) -> tuple[Any, Answer, Answer, str]:
        tools = (await client.list_tools()).tools
        found = await told(client, "check", paths=["model.py"])
        page = await told(client, "explain", rule="unrolled-loop")
        return tools, found, page, await refused(client, "explain", rule="no-such-rule")

    tools, found, page, unknown = asked(home, work)
    assert {tool.name for tool in tools} == TOOLS
    runs = {tool.name for tool in tools if "RUNS THE CODE" in tool.description}
    assert runs == TOOLS - {"check", "explain"}
    (finding,) = found["findings"]
    assert (finding["code"], finding["line"], finding["fix"]) == ("SCN101", 7, "available")
    assert "fori_loop" in page["result"]
    assert "no-such-rule" in unknown


def test_an_agent_gets_diffs_with_verdicts_and_nothing_is_written(home: Path) -> None:
    (home / "new.py").write_text(LOOP.replace("range(50)", "range(49)"))

    async def work(client: Client) -> tuple[Answer, Answer, Answer]:
        rewritten = await told(client, "rewrite", path="model.py")
        compared = await told(client, "verify", old="model.py", new="new.py", function="rollout")
        return rewritten, compared, await told(client, "make_jittable", path="model.py", function="decay")

    rewritten, compared, converted = asked(home, work)
    assert "+    state = jax.lax.fori_loop(0, 50, body, state)" in rewritten["diff"]
    assert rewritten["findings"][0]["verification"]["verdict"] in ("proved", "tested")
    assert compared["verdict"] == "refuted"
    assert compared["counterexample"]
    assert converted["converted"]
    assert converted["static"] == ["n"]
    assert '+@partial(jax.jit, static_argnames=("n",))' in converted["diff"]
    assert (home / "model.py").read_text() == LOOP


def test_nothing_outside_of_the_roots_is_looked_at(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "inside.py").write_text(LOOP)
    (other / "link.py").symlink_to(home / "model.py")

    async def work(client: Client) -> tuple[Answer, list[str]]:
        found = await told(client, "check", paths=["inside.py"])
        outside = [str(home / "model.py"), "../", "link.py"]
        return found, [await refused(client, "check", paths=[path]) for path in outside]

    found, errors = asked(home, work, roots=[other])
    assert len(found["findings"]) == 1
    assert all("lies outside of" in error for error in errors)


def test_roots_are_folders_of_this_machine(tmp_path: Path) -> None:
    assert folder_of(tmp_path.as_uri()) == tmp_path
    assert folder_of("https://example.org/a") is None
    with pytest.raises(OutsideError):
        AllowedFolders([tmp_path]).path("..")
