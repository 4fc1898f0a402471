"""What a report is made of: the findings of a run with the texts that they point into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from scanlint.finding import Finding, Verification

Action = Literal["check", "fix", "diff"]


@dataclass(frozen=True, slots=True)
class Result:
    """One run. `lines` gives the lines of the text that a finding's places refer to, () where it is gone."""

    findings: tuple[Finding, ...]
    files: int
    seconds: float
    action: Action
    lines: Callable[[Finding], Sequence[str]]

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


def fate(finding: Finding, action: Action) -> str | None:
    """What became of the rewrite of a finding, in a few words; None where the rule has none."""
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


def summary(result: Result) -> str:
    """The closing line: what was found, what became of it."""
    found, fixed, left = len(result.findings), len(result.applied), len(result.remaining)
    if result.action == "diff":
        if not fixed:
            return f"No rewrites ({plural(left, 'finding')} without one)" if left else "All checks passed"
        return f"Would fix {plural(fixed, 'finding')} ({left} would remain)"
    if not found:
        return "All checks passed"
    if result.action == "fix":
        return f"Found {plural(found, 'finding')} ({fixed} fixed, {left} remaining)"
    offer = f" ({result.fixable} fixable with `--fix`)" if result.fixable else ""
    return f"Found {plural(found, 'finding')}{offer}"
