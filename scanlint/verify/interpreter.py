"""Which Python runs the verification: the user's, with the user's JAX."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


class VerifierUnavailable(Exception):
    """No verification can run; the message names the interpreter and the remedy."""


def find_interpreter(python: str | None, root: Path) -> str:
    """The configured interpreter, else the active environment's, else `.venv` under the root, else this one."""
    if python:
        found = shutil.which(python) or (python if Path(python).exists() else None)
        if found is None:
            raise VerifierUnavailable(f"the interpreter `{python}` does not exist; give another with `--python`")
        return found
    active = os.environ.get("VIRTUAL_ENV")
    for folder in (Path(active) if active else None, root / ".venv"):
        if folder is None:
            continue
        for candidate in (folder / "bin" / "python", folder / "Scripts" / "python.exe"):
            if candidate.exists():
                return str(candidate)
    return sys.executable


def check_interpreter(python: str) -> str:
    """The version of JAX there; raises VerifierUnavailable where there is none."""
    code = "import sys, importlib.util as u; print(sys.version_info[:2] >= (3, 10), bool(u.find_spec('jax')))"
    try:
        result = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise VerifierUnavailable(f"the interpreter `{python}` cannot be run: {error}") from error
    words = result.stdout.split()
    if len(words) != 2:
        raise VerifierUnavailable(f"the interpreter `{python}` cannot be run: {result.stderr.strip()[-200:]}")
    if words[0] != "True":
        raise VerifierUnavailable(f"the interpreter `{python}` is older than Python 3.10; give another with `--python`")
    if words[1] != "True":
        raise VerifierUnavailable(missing_jax(python))
    return python


def missing_jax(python: str, detail: str = "") -> str:
    why = f" ({detail})" if detail else ""
    return f"`{python}` cannot import jax{why}; install it there, or name the project's interpreter with `--python`"
