"""The data of a report: the findings of a run with the texts that they point into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from scanlint.finding import Finding, LeftLoop, Verification
from scanlint.problem import Problem

Action = Literal["check", "fix", "diff"]
SHOWN = 3
"""Places that are named for each reason."""


@dataclass(frozen=True, slots=True)
class Result:
    """One run. `lines` gives the lines of the text that a finding's places refer to, () where it is gone;
    `after` those of the file with all that was rewritten, () where nothing was or it is a notebook.

    `verbose`: what the verifier noted about rewrites that were written is told too. `left` are loops that were looked
    at in vain. `files` were checked, wholly or in part; `problems` say what was not done, `notes` what it is well to
    know. `unlisted` findings are left and not among the others; those `below` are less grave than what is listed.
    `known` counts those that the baseline has taken out.
    """

    findings: tuple[Finding, ...]
    files: int
    seconds: float
    action: Action
    lines: Callable[[Finding], Sequence[str]]
    verbose: bool = False
    after: Callable[[Finding], Sequence[str]] = field(default=lambda finding: ())
    left: tuple[LeftLoop, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    unlisted: int = 0
    below: tuple[Finding, ...] = ()
    known: int = 0

    @property
    def unread(self) -> tuple[str, ...]:
        """The files that were to be checked and were not read."""
        return tuple(dict.fromkeys(problem.path for problem in self.problems if problem.scope == "unread"))

    @property
    def partial(self) -> tuple[str, ...]:
        """The files that were checked, but not all of them."""
        paths = dict.fromkeys(p.path for p in self.problems if p.scope == "part" and p.path)
        return tuple(path for path in paths if path not in self.unread)

    @property
    def asked(self) -> int:
        """The number of files that were to be checked."""
        return self.files + len(self.unread)

    @property
    def applied(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.fix.status == "applied")

    @property
    def remaining(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.fix.status != "applied")

    @property
    def withheld(self) -> int:
        return sum(finding.fix.status == "withheld" for finding in self.findings)

    @property
    def fixable(self) -> int:
        return sum(finding.fix.status == "available" for finding in self.findings)

    def line(self, finding: Finding) -> str:
        """The line that a finding starts on, without its end."""
        lines = self.lines(finding)
        return lines[finding.start.line - 1].rstrip("\r\n") if 0 < finding.start.line <= len(lines) else ""


def evidence(verification: Verification) -> str:
    """A verdict with what it rests on: `proved, 12003 -> 14 equations`."""
    parts: list[str] = [verification.verdict]
    if verification.verdict == "tested":
        inputs = "input" if verification.cases == 1 else "inputs"
        parts = [f"tested on {verification.cases} {verification.inputs} {inputs}"]
    if verification.verdict in ("refuted", "unknown") and verification.reason:
        parts[0] += f": {verification.reason}"
    if verification.equations_before is not None and verification.equations_after is not None:
        parts.append(f"{verification.equations_before} -> {verification.equations_after} equations")
    before, after = verification.compile_seconds_before, verification.compile_seconds_after
    if before is not None and after is not None:
        parts.append(f"compiled in {after:.2g} s instead of {before:.2g} s")
    return ", ".join(parts)


class Notes:
    """The notes of the verifier, each once per function."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str | None, str]] = set()

    def of(self, finding: Finding) -> Iterator[str]:
        """The notes on one finding that were not told yet."""
        for note in finding.verification.notes if finding.verification else ():
            key = finding.path, finding.function, note
            if key not in self._told:
                self._told.add(key)
                yield note


def written(finding: Finding) -> str:
    """A rewrite that was written, in a few words: `-> scan: proved, 12003 -> 14 equations`."""
    verdict = f": {evidence(finding.verification)}" if finding.verification else ""
    return f" -> {finding.primitive}{verdict}" if finding.verification else ""


def fate(finding: Finding, action: Action) -> str | None:
    """The fate of a finding's rewrite, in a few words; None where the rule has none."""
    verified = f": {evidence(finding.verification)}" if finding.verification else ""
    match finding.fix.status:
        case "applied":
            return f"{'would be fixed' if action == 'diff' else 'fixed'}{verified}"
        case "available":
            return f"fixable{verified}" if verified else "fixable with --fix"
        case "withheld":
            return f"not rewritten: {finding.fix.reason}" if finding.fix.reason else f"not rewritten{verified}"
    return None


def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def left_lines(left: Sequence[LeftLoop]) -> Iterator[str]:
    """`23 host loops left: 9 run JAX`, then how many for which reason, with some of their places."""
    ours = [loop for loop in left if loop.code != "no-jax"]
    if not left:
        return
    runs = "runs" if len(ours) == 1 else "run"
    yield f"{len(left)} host loop{'s' * (len(left) != 1)} not reported: {len(ours)} {runs} JAX"
    kinds = groupby(sorted(ours, key=lambda loop: loop.code), key=lambda loop: loop.code)
    groups = [(code, list(loops)) for code, loops in kinds]
    for code, loops in sorted(groups, key=lambda group: -len(group[1])):
        places = ", ".join(f"{loop.path}:{loop.line}" for loop in loops[:SHOWN])
        rest = ", ..." if len(loops) > SHOWN else ""
        yield f"  {len(loops)} {code}: {loops[0].message} ({places}{rest})"
