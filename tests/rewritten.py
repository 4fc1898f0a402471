"""What the rewriters make of a text when each rewrite is applied as it is offered, without a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scanlint.finding import Report, Rewrite
from scanlint.project.files import read
from scanlint.rewrite.driver import Rewriter, Rewritten
from scanlint.rules.registry import rules
from scanlint.settings import Settings
from scanlint.trace.program.project import Project

MOST_ROUNDS = 40


def rewritten(text: str, file: Path, settings: Settings, *, plainest: bool = False) -> tuple[str, Sequence[Report]]:
    """The text at the fixed point, and what is found at first; `plainest`: each rewrite in its last form."""
    first: list[Report] | None = None
    for _ in range(MOST_ROUNDS):
        file.write_text(text)
        problems: list[str] = []
        project = Project.load([read(file)], settings)
        rewriter = Rewriter([rule() for rule in rules()], settings, project.reanalyse, problems)
        found = [(unit, report) for unit in project.units() for report in rewriter.reports(unit, rewriter.rules)]
        assert not problems
        first = [report for _, report in found] if first is None else first
        found = [(unit, last(report)) for unit, report in found] if plainest else found
        made = (rewriter.apply(unit, report) for unit, report in found if isinstance(report.outcome, Rewrite))
        new = next((m.text for m in made if isinstance(m, Rewritten)), None)
        if new is None:
            return text, first
        text = new
    pytest.fail("the rewrites do not come to an end")


def last(report: Report) -> Report:
    """A report with the plainest of its rewrites."""
    outcome = report.outcome
    while isinstance(outcome, Rewrite) and outcome.plainer is not None:
        outcome = outcome.plainer
    return report._replace(outcome=outcome)
