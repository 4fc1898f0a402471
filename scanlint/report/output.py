"""A run in the form that was asked for: which form needs what is known here alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, get_args

from scanlint.report.paint import Paint
from scanlint.report.result import Result

Format = Literal["full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)


def render(result: Result, form: Format, paint: Paint, *, closing: bool, alone: bool = False) -> str:
    """The findings; for people with a closing line where `closing`. Only the form that is used is imported.

    `alone`: what was not done and the notes are not said elsewhere. Forms for programs always have them.
    """
    if form not in ("json", "json-lines", "sarif", "rdjson", "html"):  # these have escapes of their own
        result = _shown(result)
    match form:
        case "full" | "concise" if not result.findings:
            text = ""
        case "full":
            from scanlint.report import full

            text = full.render(result, paint)
        case "concise":
            from scanlint.report import concise

            text = concise.render(result, paint)
        case "json":
            from scanlint.report import json

            return json.render(result)
        case "json-lines":
            from scanlint.report import json

            return json.render_lines(result)
        case "sarif":
            from scanlint.report.services import sarif
            from scanlint.rules.registry import entries

            return sarif.render(result, entries())
        case "github":
            from scanlint.report.services import github

            return github.render(result)
        case "gitlab":
            from scanlint.report.services import gitlab

            return gitlab.render(result)
        case "junit":
            from scanlint.report.services import junit

            return junit.render(result)
        case "rdjson":
            from scanlint.report.services import rdjson

            return rdjson.render(result)
        case "html":
            from scanlint.report.html import document

            return document.render(result)
    told = "".join(f"{line}\n" for line in asides(result)) if alone else ""
    return text + told + (_closing(result) if closing else "")


def asides(result: Result) -> Iterator[str]:
    """The lines that a terminal is told on standard error."""
    yield from (f"note: {note}" for note in result.notes)
    yield from (f"error: {problem}" for problem in result.problems)


def render_step_summary(result: Result) -> str:
    """The text for the summary of a step of GitHub Actions."""
    from scanlint.report import step_summary

    return step_summary.render(_shown(result))


def render_statistics(result: Result, form: Format, *, closing: bool) -> str:
    """Counts per rule, as JSON where the form is JSON."""
    from scanlint.report import statistics

    if form == "json":
        return statistics.render_json(result)
    return statistics.render(result) + (_closing(_shown(result)) if closing else "")


def render_rewrites(result: Result, paint: Paint) -> str:
    """A line for each rewrite on what became of it, and the closing line: goes beside a diff."""
    from scanlint.report import concise

    return concise.rewrites(_shown(result), paint) + _closing(result)


def _shown(result: Result) -> Result:
    """The result with nothing in it that a terminal would obey; lines are looked up by the paths as they are."""
    if not (result.findings or result.problems or result.notes):
        return result
    from scanlint.report.visible import shown, shown_problem, visible_lines

    paths = {shown(finding).path: finding.path for finding in result.findings}
    return replace(
        result,
        findings=tuple(map(shown, result.findings)),
        problems=tuple(map(shown_problem, result.problems)),
        notes=tuple(map(visible_lines, result.notes)),
        lines=lambda finding: result.lines(replace(finding, path=paths[finding.path])),
    )


def _closing(result: Result) -> str:
    from scanlint.report.closing import summary

    return summary(result) + "\n"
