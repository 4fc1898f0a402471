"""The full form: message, place, source line with carets, why it is traced, what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from scanlint.finding import Cost, Finding
from scanlint.report.paint import Paint
from scanlint.report.result import Notes, Result, fate, written
from scanlint.report.visible import visible


def render(result: Result, paint: Paint) -> str:
    """The findings that are left, those measured to cost most first; then those rewritten, a line each.

    Advice stands below the rest, with what may cost most first.
    """
    ranked = sorted(result.remaining, key=lambda f: (-f.seconds, f.level == "advice", -f.weight))
    notes = Notes()
    blocks = [_block(finding, result, paint, notes) for finding in ranked]
    if result.applied:
        blocks.append("".join(f"{line}\n" for line in _rewritten(result, paint, notes)))
    return "".join(f"{block}\n" for block in blocks)


def block(finding: Finding, result: Result, paint: Paint) -> str:
    """One finding, without the blank line after it."""
    return _block(finding, result, paint, Notes())


def _block(finding: Finding, result: Result, paint: Paint, notes: Notes) -> str:
    return "\n".join(_lines(finding, result, paint, notes)) + "\n"


def _rewritten(result: Result, paint: Paint, notes: Notes) -> Iterator[str]:
    """A line for each rewrite that was made: place, rule, verdict, equations before and after."""
    yield paint.bold("Would be fixed:" if result.action == "diff" else "Fixed:")
    for finding in result.applied:
        yield f"  {finding.place}: {paint.green(finding.name)}{written(finding)}"
        if result.verbose:
            yield from (f"    note: {note}" for note in notes.of(finding))


def _lines(finding: Finding, result: Result, paint: Paint, told: Notes) -> Iterator[str]:
    gutter = " " * len(str(finding.start.line))
    bar = f"{gutter} {paint.blue('|')}"
    yield f"{paint.grave(f'{finding.level}[{finding.name}]', finding.level)}{paint.bold(f': {finding.message}')}"
    yield f"{gutter}{paint.blue('-->')} {finding.place}"
    yield bar
    if text := result.line(finding):
        yield f"{paint.blue(f'{finding.start.line} |')} {visible(text)}"
        carets = _carets(finding, text)
        yield f"{bar} {paint.grave(carets + (f' {finding.label}' if finding.label else ''), finding.level)}"
        yield bar
    for note in _notes(finding, result, told):
        head, _, rest = note.partition("\n")
        yield f"{gutter} {paint.blue('=')} {head}"
        yield from (f"{gutter}   {line}" for line in rest.split("\n") if line)


def _notes(finding: Finding, result: Result, told: Notes) -> Iterator[str]:
    """The lines after the source; a further line of a note stands below, indented."""
    if finding.chain:
        label = f"{finding.reasons}: "
        yield label + f"\n{' ' * len(label)}".join(map(str, finding.chain))
    if finding.cost is not None:
        yield f"measured: {_measured(finding.cost)}"
    if finding.measured is not None and finding.measured.text:
        yield f"measured: {finding.measured.text}"
    became = fate(finding, result.action)
    match finding.help, became:
        case str(), str():
            yield f"help: {finding.help}  [{became}]"
        case str(), None:
            yield f"help: {finding.help}"
        case None, str():
            yield f"fix: {became}"
    if verification := finding.verification:
        if verification.counterexample:
            yield "counterexample: " + verification.counterexample.strip().replace("\n", "\n  ")
        yield from (f"note: {note}" for note in told.of(finding))


def _measured(cost: Cost) -> str:
    """`12,000 of the 13,100 equations of `rollout`, which took 1.2 s to trace and 41 s to compile`."""
    program = f"`{cost.program}`" if cost.program else "a program"
    seconds = f"{cost.trace_seconds:.2g} s to trace and {cost.compile_seconds:.2g} s to compile"
    return f"{cost.equations:,} of the {cost.total_equations:,} equations of {program}, which took {seconds}"


def _carets(finding: Finding, text: str) -> str:
    """Carets under the part of the finding that is on its first line, tabs kept so that they stay in line."""
    start = finding.start.column - 1
    end = finding.end.column - 1 if finding.end.line == finding.start.line else len(text.partition("  #")[0].rstrip())
    before = "".join("\t" if char == "\t" else " " * _width(char) for char in text[:start])
    return before + "^" * max(sum(_width(char) for char in text[start:end]), 1)


def _width(char: str) -> int:
    """The number of cells that a character takes in a terminal."""
    if (spelled := visible(char)) != char:
        return len(spelled)
    if char.isascii():
        return 1
    return 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
