"""Runs of the command line, each in a process of its own, and what of their JSON is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import anyio
from mcp.server.mcpserver.exceptions import ToolError

MOST_FINDINGS = 50
SECONDS = 1800.0
Json = dict[str, object]
TOLD = (
    "code",
    "name",
    "level",
    "path",
    "line",
    "column",
    "end_line",
    "function",
    "message",
    "help",
    "trips",
    "primitive",
)


class RunFailedError(ToolError):
    """A run that gave no result; the message is what it said."""


async def run(words: Sequence[str], home: Path) -> tuple[int, str, str]:
    """The exit code of a command of scanlint, and what it wrote. Raises RunFailedError where it takes too long."""
    command = [sys.executable, "-m", "scanlint", *words]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    try:
        with anyio.fail_after(SECONDS):
            done = await anyio.run_process(command, cwd=home, env=environment, check=False, stdin=subprocess.DEVNULL)
    except TimeoutError:
        raise RunFailedError(f"`scanlint {' '.join(words)}` took more than {SECONDS:g} s") from None
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


async def document(words: Sequence[str], home: Path) -> Json:
    """The JSON that a command writes. Raises RunFailedError where it writes none."""
    _, out, err = await run([*words, "--output-format", "json"], home)
    try:
        found = json.loads(out)
    except ValueError:
        raise RunFailedError(err.strip() or out.strip() or "the run gave no result") from None
    return {**found, "problems": _problems(err)} if isinstance(found, dict) else {"found": found}


async def diff_and_document(words: Sequence[str], home: Path) -> tuple[str, Json]:
    """The diff that `--fix --diff` prints, and the JSON of the same run. Raises RunFailedError where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        _, diff, err = await run(["check", "--fix", "--diff", "--also", f"json:{file}", *words], home)
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise RunFailedError(err.strip() or "the run gave no result") from None
    return diff, {**found, "problems": _problems(err)}


def _problems(err: str) -> list[str]:
    return [line for line in err.splitlines() if line.startswith(("error:", "warning:", "note:"))]


def findings(document: Json) -> Json:
    """The findings of a check, each as small as it can be told, and how many there are."""
    listed = [_finding(found) for found in _listed(document.get("findings"))]
    summary = document.get("summary")
    told: Json = {"findings": listed[:MOST_FINDINGS], "summary": summary, "problems": document.get("problems", [])}
    if len(listed) > MOST_FINDINGS:
        told["left_out"] = len(listed) - MOST_FINDINGS
    return told


def _finding(found: Mapping[str, object]) -> Json:
    fix = found.get("fix")
    assert isinstance(fix, dict)
    told: Json = {name: found[name] for name in TOLD if found.get(name) is not None}
    told["fix"] = fix["status"]
    if fix.get("reason"):
        told["reason"] = fix["reason"]
    if found.get("verification"):
        told["verification"] = verdict(cast("Json", found["verification"]))
    return told


def verdict(found: Mapping[str, object]) -> Json:
    """A verdict with what it rests on, without what is empty."""
    return {name: value for name, value in found.items() if value not in (None, [], {}, "")}


def _listed(found: object) -> Iterator[Mapping[str, object]]:
    return iter(found if isinstance(found, list) else [])
