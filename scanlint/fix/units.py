"""The units of a run that have something to rewrite, each unit with the analysis in which it was found."""

from __future__ import annotations

from collections.abc import Sequence

from scanlint.engine.analyst import Bench
from scanlint.engine.session import Found, Session
from scanlint.engine.tasks import SliceTask, UnitKey
from scanlint.finding import spot
from scanlint.fix.entries import PendingFix
from scanlint.problem import Problem


class Units:
    """Finds the units of files; what goes wrong in their analysis is added to the problems."""

    def __init__(self, session: Session, problems: list[Problem]) -> None:
        self.session = session
        self.problems = problems
        self._last: tuple[SliceTask, Bench] | None = None

    def of(self, path: str) -> list[tuple[UnitKey, list[Found]]]:
        """The findings of a file by unit, where one can be rewritten."""
        groups: dict[UnitKey, list[Found]] = {}
        for found in self.session.found.get(path, []):
            groups.setdefault(found.unit, []).append(found)
        return [g for g in groups.items() if any(found.finding.fix.status == "available" for found in g[1])]

    def entries(self, key: UnitKey, listed: Sequence[Found]) -> list[PendingFix]:
        """The findings of a unit, each with its report in the analysis that found it."""
        bench = self._bench(listed[0].task)
        entries: list[PendingFix] = []
        for unit, reports in bench.reports({key}):
            for found in listed:
                same = (r for r in reports if spot(r.finding) == spot(found.finding))
                if (report := next(same, None)) is not None:
                    entries.append(PendingFix(bench, unit, report, found))
        return entries

    def _bench(self, task: SliceTask) -> Bench:
        """The analysis of a slice, made again; the last one is kept, for units that follow each other share it."""
        if self._last is None or self._last[0] != task:
            self._last = task, self.session.team.local.bench(task, self.problems, listed=True)
        return self._last[1]
