"""The result of `scanlint verify` as text: a line for each function, and its evidence under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scanlint.finding import Verification
from scanlint.history.comparisons import ComparedFunction
from scanlint.history.differences import FunctionChange
from scanlint.history.since import UncomparedFile
from scanlint.report.compared.since_result import WORDS, SinceResult, file_verdict
from scanlint.report.paint import Paint
from scanlint.report.result import evidence, plural
from scanlint.report.visible import visible


def verdict_lines(found: Verification) -> Iterator[str]:
    """The evidence of a verdict: the counterexample, or what was run and for which inputs it holds."""
    if found.counterexample:
        yield f"counterexample: {' '.join(found.counterexample.split())}"
    if found.verdict == "proved" and found.cases:
        yield f"also run on {plural(found.cases, f'{found.inputs} input')}"
    if found.verdict != "unknown":  # its reason says what there is to say
        yield from (" ".join(note.split()) for note in found.notes)


class FunctionLines:
    """Tells functions one after the other; a reason that was told already is not told again, but where it stands."""

    def __init__(self, paint: Paint, *, brief: bool) -> None:
        self._paint = paint
        self._brief = brief
        self._told: dict[str, str] = {}

    def of(self, found: ComparedFunction) -> str:
        """One line for a function, and under it what the verdict rests on."""
        key, place = found.change.key, _place(found.change.key.path, found.change.line)
        first = self._first(found.verdict, place.rstrip(":"))
        said = found.change.way if found.verdict is None else evidence(found.verdict)
        said = f"unknown, for the reason at {first}" if first else said
        head = f"{self._paint.bold(place)} {key.name}{_origin(found.change)}: {painted(said, self._paint)}"
        bare = self._brief or found.verdict is None or first is not None
        lines = [] if bare or found.verdict is None else [f"    {line}" for line in verdict_lines(found.verdict)]
        return "".join(f"{line}\n" for line in (head, *lines))

    def _first(self, verdict: Verification | None, place: str) -> str | None:
        """The place where the same reason was told first; None where it was not."""
        if verdict is None or verdict.verdict != "unknown" or not verdict.reason:
            return None
        first = self._told.setdefault(verdict.reason, place)
        return first if first != place else None


def file_text(file: UncomparedFile, revision: str, paint: Paint) -> str:
    """The lines for a file whose functions cannot be compared."""
    place = f"{revision}:" if file.old else ""
    said = f"{file_verdict(file)}: {file.message}; its functions were not compared"
    return f"{paint.bold(f'{place}{_place(file.path, file.line)}')} {painted(said, paint)}\n"


def summary(result: SinceResult) -> str:
    """`4 functions differ from main (1a2b3c4): 2 proved, 1 refuted, 1 new`."""
    since = f"{result.revision} ({result.commit[:7]})"
    counts, left_out = result.counts, _left_out(result)
    if not counts:
        return f"No function differs from {since}{left_out}"
    found = len(result.functions)
    head = f"{plural(found, 'function')} {'differs' if found == 1 else 'differ'} from {since}"
    return f"{head}: {', '.join(f'{counts[word]} {word}' for word in WORDS if counts[word])}{left_out}"


def _left_out(result: SinceResult) -> str:
    """The lines for what differs and was not compared, behind all else."""
    parts = []
    if result.programs:
        verb = "takes and gives" if len(result.programs) == 1 else "take and give"
        parts.append(f"{_listed(result.programs)}, which {verb} nothing")
    if result.tests:
        parts.append(plural(result.tests, "file") + " of tests")
    return f"; not compared: {' and '.join(parts)}" if parts else ""


def _origin(change: FunctionChange) -> str:
    """The origin of a function that was renamed or moved, in brackets."""
    new, old = change.new, change.old
    if new is not None and old is not None and new != old:
        was = f"`{old.name}` in {old.path}" if new.path != old.path and new.name != old.name else ""
        was = was or (f"`{old.name}`" if new.name != old.name else f"in {old.path}")
        return f" (was {was}, bodies {change.alike:.0%} the same)" if change.alike < 1 else f" (was {was})"
    return f" (reaches {_listed(change.reaches)}, which changed)" if change.reaches else ""


def _listed(names: Sequence[str], most: int = 2) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def _place(path: str, line: int) -> str:
    return f"{visible(path)}:{line}:"


def painted(said: str, paint: Paint) -> str:
    """The line of a function, its verdict in a colour."""
    word = next((word for word in WORDS if said.startswith(word)), "")
    colour = {"proved": paint.green, "tested": paint.green, "refuted": paint.red, "unknown": paint.blue}.get(word)
    return colour(word) + said[len(word) :] if colour else said
