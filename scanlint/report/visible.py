"""Text of users, made harmless for a terminal: control characters and changes of direction are spelled out."""

from __future__ import annotations

import re
from dataclasses import replace

from scanlint.finding import Finding, Fix, Link, Verification
from scanlint.problem import Problem
from scanlint.syntax.regex import regex

CONTROL = regex(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with each control character but a tab as an escape of Python."""
    return CONTROL.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The text with each control character but tabs and line breaks as an escape of Python."""
    return "\n".join(map(visible, text.split("\n")))


def shown(finding: Finding) -> Finding:
    """A finding whose texts can be printed."""
    return replace(
        finding,
        path=visible(finding.path),
        function=visible(finding.function) if finding.function else None,
        message=visible(finding.message),
        help=visible(finding.help) if finding.help else None,
        label=visible(finding.label) if finding.label else None,
        chain=tuple(_link(link) for link in finding.chain),
        fix=_fix(finding.fix),
        verification=_verdict(finding.verification) if finding.verification else None,
    )


def shown_problem(problem: Problem) -> Problem:
    """A problem with texts that can be printed."""
    return problem._replace(path=visible(problem.path), message=visible_lines(problem.message))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _link(link: Link) -> Link:
    return link._replace(text=visible(link.text), path=visible(link.path))


def _fix(fix: Fix) -> Fix:
    return replace(fix, reason=visible_lines(fix.reason)) if fix.reason else fix


def _verdict(verdict: Verification) -> Verification:
    return replace(
        verdict,
        reason=visible_lines(verdict.reason) if verdict.reason else None,
        counterexample=visible_lines(verdict.counterexample) if verdict.counterexample else None,
        notes=tuple(map(visible_lines, verdict.notes)),
    )
