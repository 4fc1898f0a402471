"""Every module can be imported by this Python, whatever the newest one accepts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "scanlint"
WORKER = PACKAGE / "verify" / "worker"
EXTRAS = {"pygls", "lsprotocol", "mcp", "distributed", "fixit", "anyio"}
"""What extras bring: where it is not installed, what needs it is left out."""
IMPORT = """
import importlib, sys
{before}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {extras}:
            raise
    print(name)
"""


def imported(root: Path, package: str, files: list[Path], before: str = "") -> None:
    parts = [file.relative_to(root).with_suffix("").parts for file in files if file.stem != "__main__"]
    names = [".".join((package, *(p for p in each if p != "__init__"))) for each in parts]
    assert len(names) > 10
    code = IMPORT.format(before=before, extras=EXTRAS)
    run = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=False)
    assert (run.stdout.split(), run.returncode) == (names, 0), run.stderr


def test_every_module_of_the_tool() -> None:
    inside = (WORKER, PACKAGE / "record" / "inside", PACKAGE / "record" / "startup")
    files = sorted(PACKAGE.rglob("*.py"))
    imported(PACKAGE, "scanlint", [f for f in files if not any(f.is_relative_to(folder) for folder in inside)])


def test_every_module_of_the_worker() -> None:
    before = "from scanlint.verify.worker.__main__ import load; load()"
    imported(WORKER, "_scanlint_worker", sorted(WORKER.rglob("*.py")), before)
