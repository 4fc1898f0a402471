"""The closing line: what was found, what became of it, and what of all that was asked for was not done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scanlint.errors import listed
from scanlint.finding import LEVELS
from scanlint.report.result import SHOWN, Result, plural

PASSED = "All checks passed"
NOTHING = "No file was checked"


def summary(result: Result) -> str:
    """`Found 2 findings; 3 of 40 files were not checked: ...`: that all checks passed is said of no other run."""
    missing = list(_missing(result))
    found = _found(result)
    if found is None and result.known:
        found = f"No new findings; {plural(result.known, 'known finding')} in the baseline"
    elif found is None and not missing:
        found = _clean(result)
    return "; ".join(filter(None, [found, _below(result), *missing]))


def _clean(result: Result) -> str:
    """The sentence on a run that lists nothing: what is only counted is no pass."""
    if not result.files:
        return NOTHING
    levels = {finding.level for finding in result.below}
    return "No errors" if "warning" in levels else "No errors or warnings" if levels else PASSED


def _found(result: Result) -> str | None:
    """The sentence on findings and what became of them; None where there are none."""
    fixed, left = len(result.applied), len(result.remaining) + result.unlisted
    if not fixed and not left:
        return None
    if result.action == "diff":
        if not fixed:
            return f"No rewrites ({plural(left, 'finding')} without one)"
        return f"Would fix {plural(fixed, 'finding')} ({left} would remain)"
    if result.action == "fix":
        return f"Found {plural(fixed + left, 'finding')} ({fixed} fixed, {left} remaining)"
    offer = f" ({result.fixable} fixable with `--fix`)" if result.fixable else ""
    return f"Found {plural(left, 'finding')}{offer}"


def _below(result: Result) -> str:
    """`2 warnings and 14 pieces of advice (--level advice)`: what is found and not listed, and what lists it."""
    counts = Counter(finding.level for finding in result.below)
    pieces = "piece of advice" if counts["advice"] == 1 else "pieces of advice"
    told = [plural(counts["warning"], "warning")] if counts["warning"] else []
    told += [f"{counts['advice']} {pieces}"] if counts["advice"] else []
    lowest = max(counts, key=LEVELS.index, default=None)
    return f"{' and '.join(told)} (--level {lowest})" if lowest is not None else ""


def _missing(result: Result) -> Iterator[str]:
    """The sentences on what was not checked, or only in part, and on what else was not done."""
    unread, part = result.unread, result.partial
    if unread:
        verb = "was" if len(unread) == 1 else "were"
        yield f"{len(unread)} of {plural(result.asked, 'file')} {verb} not checked: {listed(unread, SHOWN)}"
    if part:
        verb = "was" if len(part) == 1 else "were"
        yield f"{plural(len(part), 'file')} {verb} checked only in part: {listed(part, SHOWN)}"
    undone = [str(problem) for problem in result.problems if problem.scope == "undone" or not problem.path]
    if undone:
        yield f"not done: {listed(undone, 1)}"
