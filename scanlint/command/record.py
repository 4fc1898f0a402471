"""Run the user's command with the recorder in every Python that it starts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scanlint.command.config import Overrides, load
from scanlint.errors import UsageError, cause, fault
from scanlint.record.plan import RecordingPlan, make
from scanlint.record.store import Summary, gather, prepare, texts
from scanlint.report.console import err
from scanlint.report.result import plural
from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter

FAILED = 2
STARTUP = Path(__file__).parent.parent / "record" / "startup"


def record(command: Sequence[str], python: str | None, config: Path | None, quiet: bool) -> int:
    """The exit code of the command; what was kept is said on standard error. Raises UsageError."""
    if not command:
        raise UsageError("record needs a command: `scanlint record -- pytest`, `scanlint record -- python train.py`")
    settings = load(Path(), config, Overrides(python=python))
    plan = make(settings)
    if not plan.targets and not plan.loops and not quiet:
        err(f"scanlint: nothing to record: no Python file below {settings.root}\n")
    if plan.unread and not quiet:
        err(f"scanlint: nothing is recorded of what cannot be read: {', '.join(plan.unread)}\n")
    try:
        interpreter = Path(find_interpreter(settings.python, settings.root))
    except VerifierUnavailable as error:
        raise UsageError(str(error)) from None
    words = _resolved(command, interpreter, chosen=settings.python is not None)
    before = texts(plan, plan.root)
    with _parts(plan) as parts:
        code = _run(words, _environment(parts / "plan.json", interpreter if settings.python else None))
        try:
            summary = gather(plan, parts, before)
        except OSError as error:
            err(f"error: what the command was called with is not kept: {fault(error)}\n")
            return code or FAILED
    if not quiet:
        err(_told(summary, plan))
    return code


@contextmanager
def _parts(plan: RecordingPlan) -> Iterator[Path]:
    """A folder in which the processes keep what they see. Raises UsageError where none can be made."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="parts-", dir=prepare(plan.root), ignore_cleanup_errors=True)
        parts = Path(folder.name)
        (parts / "plan.json").write_text(plan.text(parts), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"nothing can be recorded: {fault(error)}") from None
    with folder:
        yield parts


def _resolved(command: Sequence[str], interpreter: Path, *, chosen: bool) -> list[str]:
    """The command with the project's interpreter in front of a script, and its tools where no others are found."""
    first, *rest = command
    if first.endswith(".py") and not os.access(first, os.X_OK):
        return [str(interpreter), first, *rest]
    beside = interpreter.parent / first
    near = str(beside) if os.sep not in first and beside.exists() else None
    found = near if chosen and near else shutil.which(first) or near
    if found is None:
        raise UsageError(f"`{first}`: no such command, neither on the path nor beside `{interpreter}`")
    return [found if chosen or not shutil.which(first) else first, *rest]


def _environment(plan: Path, interpreter: Path | None) -> dict[str, str]:
    """The user's environment, in which every Python finds the recorder first."""
    environment = dict(os.environ)
    environment["SCANLINT_RECORD"] = str(plan)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(STARTUP), os.environ.get("PYTHONPATH")]))
    if interpreter is not None:
        environment["PATH"] = os.pathsep.join([str(interpreter.parent), environment.get("PATH", os.defpath)])
    return environment


def _run(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run it on this terminal; an interrupt is for the command, which ends in its own way, as is a request to end."""
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    try:
        process = subprocess.Popen(command, env=environment, preexec_fn=_heeding if os.name == "posix" else None)
        signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
        code = process.wait()
    except OSError as error:
        raise UsageError(f"`{command[0]}` cannot be run: {cause(error)}") from None
    finally:
        signal.signal(signal.SIGINT, previous)
        signal.signal(signal.SIGTERM, before)
    return code if code >= 0 else 128 - code


def _heeding() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _told(summary: Summary, plan: RecordingPlan) -> str:
    """The closing lines."""
    text = (
        f"scanlint: recorded {plural(summary.calls, 'call')} of {plural(summary.functions, 'function')}"
        f" ({len(plan.targets)} watched) in {plan.root / '.scanlint'}\n"
    )
    if plan.targets and not summary.functions and not summary.skipped:
        text += "scanlint: none of them was called in a Python that can be watched (one with -I, -E or -S cannot)\n"
    lines = [f"scanlint: {name} was called, but not recorded: {why}\n" for name, why in summary.skipped.items()]
    more = f"scanlint: and {len(lines) - 5} more\n" if len(lines) > 5 else ""
    return text + "".join(lines[:5]) + more
