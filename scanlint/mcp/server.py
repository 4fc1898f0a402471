"""`scanlint mcp`: what a coding agent can have checked, explained, rewritten and compared."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from scanlint import __version__
from scanlint.mcp.runs import Json, RunFailedError, diff_and_document, document, findings, run, verdict

INSTRUCTIONS = """\
scanlint finds Python control flow that JAX cannot trace well, rewrites it to what a JAX expert would write, and proves
or tests each rewrite by running both versions. `check` and `explain` run none of the user's code; `rewrite`, `verify`,
`verify_since` and `make_jittable` run it, confined, and write nothing: apply the diffs that they give. After a
conversion by hand, ask `verify` or `verify_since` whether the function does what it did.
"""
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
LEVELS = ("error", "warning", "advice")


def serve(folders: Sequence[Path]) -> None:
    """Serve one client on standard input and output until it hangs up."""
    server(folders).run("stdio")


def server(folders: Sequence[Path]) -> MCPServer:
    """The server, which looks at what lies in these folders, or in those that its client names as roots."""
    made = MCPServer("scanlint", instructions=INSTRUCTIONS, version=__version__)

    async def places(context: Context) -> AllowedFolders:
        session = context.session
        capabilities = session.client_capabilities
        if capabilities is None or capabilities.roots is None or not session.can_send_request:
            return AllowedFolders(folders)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # roots are deprecated since 2026: clients of before still have them
            listed = await session.list_roots()
        roots = [path for root in listed.roots if (path := folder_of(str(root.uri))) is not None]
        return AllowedFolders(roots or folders)

    @made.tool(annotations=READS)
    async def check(context: Context, paths: list[str], level: str = "warning") -> Json:
        """Find control flow that JAX cannot trace well, in files or folders. Runs none of the code.

        `level` is `error` (tracing fails), `warning` (right to change) or `advice` (JAX runs piecemeal here).
        """
        if level not in LEVELS:
            raise RunFailedError(f"level: {level!r} is none of {', '.join(LEVELS)}")
        known = await places(context)
        named = [str(known.path(path)) for path in paths]
        return findings(await document(["check", "--level", level, *named], known.home))

    @made.tool(annotations=READS)
    async def explain(rule: str) -> str:
        """Explain a rule by its code or name (`SCN101`, `unrolled-loop`): what it finds, why, when to leave it."""
        code, out, err = await run(["rule", "--full", "--", rule], Path.cwd())
        if code:
            raise RunFailedError(err.strip())
        return out

    @made.tool(annotations=READS)
    async def rewrite(context: Context, path: str, rules: list[str] | None = None) -> Json:
        """The diff that rewrites what is found in a file, with the verdict on each rewrite. RUNS THE CODE, confined.

        Nothing is written. `rules` are names or codes; all of them unless they are given.
        """
        known = await places(context)
        selected = ["--select", ",".join(rules)] if rules else []
        diff, found = await diff_and_document([*selected, str(known.path(path))], known.home)
        return {**findings(found), "diff": diff}

    @made.tool(annotations=READS)
    async def verify(context: Context, old: str, new: str, function: str) -> Json:
        """Does a function do the same in two files: proved, tested, refuted or unknown. RUNS THE CODE, confined."""
        known = await places(context)
        files = [str(known.path(old)), str(known.path(new))]
        return verdict(await document(["verify", *files, "--function", function], known.home))

    @made.tool(annotations=READS)
    async def verify_since(context: Context, revision: str, paths: list[str] | None = None) -> Json:
        """Does each function that differs from a git revision do what it did there? RUNS THE CODE, confined."""
        known = await places(context)
        named = [str(known.path(path)) for path in paths or ["."]]
        if revision.startswith("-"):
            raise RunFailedError(f"revision: {revision!r} is no revision")
        return await document(["verify", "--since", revision, *named], known.home)

    @made.tool(annotations=READS)
    async def make_jittable(context: Context, path: str, function: str) -> Json:
        """The diff that makes an eager function run under `jax.jit`, verified; else all that is in the way.

        RUNS THE CODE, confined. `function` is its name in the file (`Filter.update` for a method). Nothing is written.
        """
        known = await places(context)
        found = await document(["jit", f"{known.path(path)}::{function}"], known.home)
        targets = found.get("targets")
        if not isinstance(targets, list) or not targets:
            raise RunFailedError("; ".join(map(str, found.get("problems", []))) or "nothing was converted")  # type: ignore[call-overload]
        return {**findings({**targets[0], **found}), **_converted(targets[0])}

    return made


def _converted(target: Json) -> Json:
    found = target.get("verification")
    told = {name: target[name] for name in ("path", "function", "converted", "static", "obstacles", "diff")}
    return {**told, "verification": verdict(found) if isinstance(found, dict) else None}


class OutsideError(ToolError):
    """A path that lies in none of the folders."""


class AllowedFolders:
    """The folders of a client; relative paths begin at the first one."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = [Path(os.path.realpath(folder)) for folder in folders]

    @property
    def home(self) -> Path:
        return self.folders[0]

    def path(self, text: str) -> Path:
        """The file or folder that a text names, links followed. Raises OutsideError where it lies outside."""
        found = Path(os.path.realpath(self.home / text))
        if not any(found.is_relative_to(folder) for folder in self.folders):
            listed = ", ".join(map(str, self.folders))
            raise OutsideError(f"{text}: lies outside of {listed}, which is all that this server looks at")
        return found


def folder_of(uri: str) -> Path | None:
    """The folder of a root as clients write it: `file:///home/me/project`."""
    parts = urlparse(uri)
    if parts.scheme != "file":
        return None
    return Path(url2pathname(unquote(parts.path)))
