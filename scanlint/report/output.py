"""A run in the form that was asked for: which form needs what is known here alone."""

from __future__ import annotations

from typing import Literal, get_args

from scanlint.report.paint import Paint
from scanlint.report.result import Result

Format = Literal["full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit"]
FORMATS: tuple[Format, ...] = get_args(Format)


def render(result: Result, form: Format, paint: Paint, *, closing: bool) -> str:
    """The findings; for people with a closing line where `closing`. Only the form that is used is imported."""
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
            from scanlint.report import sarif
            from scanlint.rules.registry import entries

            return sarif.render(result, entries())
        case "github":
            from scanlint.report import github

            return github.render(result)
        case "gitlab":
            from scanlint.report import gitlab

            return gitlab.render(result)
        case "junit":
            from scanlint.report import junit

            return junit.render(result)
    return text + _closing(result) if closing else text


def render_statistics(result: Result, form: Format, *, closing: bool) -> str:
    """Counts per rule, as JSON where the form is JSON."""
    from scanlint.report import statistics

    if form == "json":
        return statistics.render_json(result)
    return statistics.render(result) + (_closing(result) if closing else "")


def render_rewrites(result: Result, paint: Paint) -> str:
    """What became of each rewrite, a line each, and the closing line: goes beside a diff."""
    from scanlint.report import concise

    return concise.rewrites(result, paint) + _closing(result)


def _closing(result: Result) -> str:
    from scanlint.report.result import summary

    return summary(result) + "\n"
