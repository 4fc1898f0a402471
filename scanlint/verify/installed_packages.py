"""What stands for the interpreter that verifies: its Python and the packages that are installed there."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig

from scanlint.verify.asked import asked

ASK_SECONDS = 10.0
_ASK = """
import json, sys, sysconfig
print(json.dumps([sys.version, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]))
"""


def packages_of(python: str) -> str | None:
    """A digest of the version and the packages of an interpreter, wherever it lies; None where it cannot run."""
    found = _own() if os.path.abspath(python) == os.path.abspath(sys.executable) else _asked(python)
    if found is None:
        return None
    version, *folders = found
    packages = sorted({name for folder in folders for name in _listed(folder) if name.endswith((".dist-info", ".pth"))})
    return hashlib.sha256("\n".join([version, *packages]).encode()).hexdigest()


def _own() -> list[str]:
    return [sys.version, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]


def _asked(python: str) -> list[str] | None:
    """The same of another interpreter. It runs in isolation: nothing of the working directory is imported."""
    try:
        said = asked([python, "-I", "-c", _ASK], ASK_SECONDS)
        found = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):  # who verifies says what is wrong with the interpreter
        return None
    return [str(part) for part in found] if isinstance(found, list) else None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # a folder of the path that is none holds no package
        return []
