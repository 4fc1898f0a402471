"""Which Python runs the verification: the user's, with the user's JAX."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from scanlint.verify.asked import asked

ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
UNDER_ROOT = (".venv", "venv", "env", ".pixi/envs/default")


class VerifierUnavailable(Exception):
    """No verification can run; the message names the interpreter and the remedy."""


def find_interpreter(python: str | None, root: Path) -> str:
    """The configured interpreter, else the first with JAX: of an active environment, of one under the root, this one.

    A hook runner makes its own environment the active one, which has scanlint but not the project's JAX. Where none of
    these has JAX, `python` of the path is taken if it has.
    """
    if python:
        found = shutil.which(python) or (python if Path(python).exists() else None)
        if found is None:
            raise VerifierUnavailable(f"the interpreter `{python}` does not exist; give another with `--python`")
        return found
    active = [Path(said) for name in ACTIVE if (said := os.environ.get(name))]
    environments = [*active, *(root / folder for folder in UNDER_ROOT)]
    found_in = [(folder, path) for folder in environments if (path := _python(folder)) is not None]
    for folder, path in found_in:
        if _has_jax(folder):
            return str(path)
    if find_spec("jax") is not None:
        return sys.executable
    on_path = shutil.which("python")
    if on_path is not None and _has_jax(Path(on_path).parent.parent):
        return on_path
    return str(found_in[0][1]) if found_in else sys.executable


def _python(environment: Path) -> Path | None:
    """The interpreter of a virtual environment, or of one of Conda on Windows."""
    candidates = (environment / "bin" / "python", environment / "Scripts" / "python.exe", environment / "python.exe")
    return next((c for c in candidates if c.exists()), None)


def _has_jax(environment: Path) -> bool:
    """Whether JAX lies in an environment, or it may take it from the interpreter that it was made with."""
    places = [*environment.glob("lib/python3*/site-packages"), environment / "Lib" / "site-packages"]
    if any((place / "jax").is_dir() or [*place.glob("__editable__*jax*")] for place in places):
        return True
    config = environment / "pyvenv.cfg"
    return config.exists() and "include-system-site-packages = true" in config.read_text(encoding="utf-8").lower()


ASKS = """
import sys
sys.path[:] = [p for p in sys.path if p]
import importlib.util
print(sys.version_info[:2] >= (3, 10), bool(importlib.util.find_spec("jax")))
"""
"""What an interpreter is asked, without the working directory, where the user's own modules may bear any name."""


def check_interpreter(python: str) -> str:
    """The version of JAX there; raises VerifierUnavailable where there is none."""
    try:
        result = asked([python, "-c", ASKS])
    except subprocess.TimeoutExpired as error:
        raise VerifierUnavailable(unanswered(python, error.timeout)) from error
    except OSError as error:
        raise VerifierUnavailable(f"the interpreter `{python}` cannot be run: {error}") from error
    words = result.stdout.split()
    if len(words) != 2:
        raise VerifierUnavailable(f"the interpreter `{python}` cannot be run: {result.stderr.strip()[-200:]}")
    if words[0] != "True":
        raise VerifierUnavailable(f"the interpreter `{python}` is older than Python 3.10; give another with `--python`")
    if words[1] != "True":
        raise VerifierUnavailable(missing_jax(python))
    return python


def unanswered(python: str, seconds: float) -> str:
    return (
        f"the interpreter `{python}` did not answer within {seconds:g} s; "
        "give another with `--python`, or more time with `--verify-timeout`"
    )


def missing_jax(python: str, detail: str = "") -> str:
    """What to do where the interpreter has no jax: an environment of pre-commit is none that one installs into."""
    why = f" ({detail})" if detail else ""
    if os.environ.get("PRE_COMMIT"):
        return (
            f"`{python}` cannot import jax{why}; name the project's interpreter in the hook "
            "(`args: [--python, .venv/bin/python]`), or give the hook its own (`additional_dependencies: [jax]`)"
        )
    looked = ", ".join((*ACTIVE, *UNDER_ROOT))
    return (
        f"`{python}` cannot import jax{why}; install it there, or name the project's interpreter with `--python` "
        f"(none that has it was found in {looked})"
    )


def old_jax(python: str, version: str) -> str:
    return (
        f"`{python}` has JAX {version}, which is too old: verification runs with 0.4.35 and later; "
        "name an interpreter that has one with `--python`"
    )
