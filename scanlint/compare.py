"""`scanlint verify`: two versions of one function, and the verdict."""

from __future__ import annotations

from pathlib import Path

from scanlint.config import Overrides, load
from scanlint.errors import UsageError
from scanlint.report.console import err, out
from scanlint.report.result import evidence

CODES = {"proved": 0, "tested": 0, "refuted": 1, "unknown": 3}


def compare(
    old: Path,
    new: Path,
    function: str,
    python: str | None,
    timeout: float | None,
    measure: bool,
    form: str,
) -> int:
    """Print the verdict and give its exit code. Raises UsageError if the run itself cannot be made."""
    for path in (old, new):
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
    settings = load(new, None, Overrides(python=python, verify_timeout=timeout, measure=measure))
    from scanlint.verify.verifier import VerifierUnavailable, find_interpreter, verify_files

    try:
        interpreter = find_interpreter(settings.python, settings.root)
        verdict = verify_files(
            old, new, function, python=interpreter, timeout=settings.verify_timeout, measure=settings.measure
        )
    except VerifierUnavailable as error:
        raise UsageError(str(error)) from None
    if form == "json":
        import json

        from scanlint.report.json import verification

        out(json.dumps(verification(verdict), indent=2, allow_nan=False) + "\n")
        return CODES[verdict.verdict]
    out(f"{function}: {evidence(verdict)}\n")
    if verdict.counterexample:
        out(f"counterexample: {verdict.counterexample}\n")
    for note in verdict.notes:
        err(f"note: {note}\n")
    return CODES[verdict.verdict]
