"""The result of `scanlint verify --since`, and its counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from scanlint.history.comparisons import ComparedFunction
from scanlint.history.since import UncomparedFile

WORDS = ("proved", "tested", "refuted", "unknown", "new", "removed")


@dataclass(frozen=True, slots=True)
class SinceResult:
    """All that was compared with a revision.

    What differs and was not compared: `programs`, functions that take and give nothing, and `tests` files of tests.
    """

    revision: str
    commit: str
    functions: tuple[ComparedFunction, ...]
    files: tuple[UncomparedFile, ...]
    programs: tuple[str, ...]
    tests: int
    seconds: float

    @property
    def counts(self) -> Counter[str]:
        """The number of functions, or of files that cannot be compared function by function, with each verdict."""
        return Counter([*map(_word, self.functions), *map(file_verdict, self.files)])


def _word(found: ComparedFunction) -> str:
    return found.verdict.verdict if found.verdict is not None else found.change.way


def file_verdict(file: UncomparedFile) -> str:
    """A file that is no Python any more has lost all its functions; of what it was before nothing is known."""
    return "refuted" if file.broken and not file.old else "unknown"
