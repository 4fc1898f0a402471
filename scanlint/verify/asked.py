"""What another interpreter is asked: where it does not answer it is ended, with all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

ASK_SECONDS = 30.0


def asked(words: Sequence[str], seconds: float = ASK_SECONDS) -> subprocess.CompletedProcess[str]:
    """What a short program says. Raises OSError, and subprocess.TimeoutExpired where it says nothing in time."""
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=sys.platform != "win32",
    ) as process:
        try:
            said, wrong = process.communicate(timeout=seconds)
        except BaseException:
            end_group(process)
            raise
    return subprocess.CompletedProcess(words, process.returncode, said, wrong)


def end_group(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and the group: what a wrapper has started outlives the wrapper."""
    if process.returncode is None and sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # the group has ended by itself
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
