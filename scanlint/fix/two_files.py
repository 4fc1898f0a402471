"""Two versions of one function in two files, each with what stands beside it."""

from __future__ import annotations

from pathlib import Path

from scanlint.errors import UsageError
from scanlint.finding import Verification
from scanlint.fix.program_calls import answered_alone
from scanlint.verify.verifier import Task, Verifier, verification


def verify_files(
    old: Path,
    new: Path,
    function: str,
    *,
    python: str,
    root: Path,
    old_root: Path,
    timeout: float = 30.0,
    measure: bool = False,
    passed: tuple[str, ...] = (),
    given: tuple[tuple[str, str], ...] = (),
    static: frozenset[str] = frozenset(),
    traced: bool = True,
    differentiated: bool = False,
) -> Verification:
    """Are the two versions of a function equivalent, each with what stands beside it?

    Raises OSError, UnicodeError or VerifierUnavailable, and UsageError where a module defines no such function.
    """
    task = Task(
        path=str(new),
        function=function,
        old=old.read_text(encoding="utf-8"),
        new=new.read_text(encoding="utf-8"),
        root=str(root.resolve()),
        file=str(new.resolve()),
        given=given,
        static=static,
        traced=traced,
        differentiated=differentiated,
        old_file=str(old.resolve()),
        old_root=str(old_root.resolve()),
    )
    with Verifier(python, timeout=timeout, measure=measure, passed=passed) as verifier:
        answer = answered_alone(verifier, task)
    if "failed" in answer:
        raise UsageError(str(answer["failed"]))
    return verification(answer)
