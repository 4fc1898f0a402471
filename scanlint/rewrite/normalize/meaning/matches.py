"""`match` on a traced value as the chain of `if`s that it is, where its patterns are values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Edit, Position
from scanlint.rewrite.emit.snippets import fresh
from scanlint.rewrite.normalize.meaning.changes import Change, movable
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

SEVERAL = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)


def matches(unit: Unit) -> Iterator[Change]:
    """`match k: case 0: ...; case _: ...` as `if k == 0: ... else: ...`."""
    sheet = unit.source
    for node in unit.every(ast.Match):
        guards = [case.guard for case in node.cases if case.guard is not None]
        if not any(unit.value(part).traced for part in (node.subject, *guards)) or not movable(
            sheet, node, *node.cases
        ):
            continue
        plain = isinstance(node.subject, ast.Name)
        subject = sheet.segment(node.subject) if plain else fresh(unit.names, "choice", "chosen")
        tests = [_test(sheet, subject, case) for case in node.cases]
        if tests[0] == "" or None in tests or "" in tests[:-1]:
            continue
        above = [] if plain else [f"{subject} = {sheet.segment(node.subject)}"]
        yield tuple(_pieces(sheet, node, above, [test or "" for test in tests], subject))


def _test(sheet: Source, subject: str, case: ast.match_case) -> str | None:
    """The test of a `case` as source: empty if it matches anything, None if its pattern is not a value."""
    guard = None if case.guard is None else sheet.segment(case.guard)
    match case.pattern:
        case ast.MatchAs(pattern=None, name=name):
            return None if name is not None and guard is not None else guard or ""
        case ast.MatchValue(value=value):
            test = f"{subject} == {sheet.segment(value)}"
        case ast.MatchOr(patterns=patterns) if all(isinstance(p, ast.MatchValue) for p in patterns):
            test = " or ".join(
                f"{subject} == {sheet.segment(p.value)}" for p in patterns if isinstance(p, ast.MatchValue)
            )
            test = test if guard is None else f"({test})"
        case _:
            return None
    if guard is None:
        return test
    return f"{test} and ({guard})" if isinstance(case.guard, SEVERAL) else f"{test} and {guard}"


def _pieces(sheet: Source, node: ast.Match, above: list[str], tests: list[str], subject: str) -> Iterator[Edit]:
    margin, newline, at = sheet.margin(node), sheet.newline, 0
    for case, test in zip(node.cases, tests, strict=True):
        first, last = case.body[0], case.body[-1]
        line = sheet.lines[case.pattern.lineno - 1]
        depth = margin + sheet.margin(first)[len(line) - len(line.lstrip(" \t")) :]
        word = "else:" if not test else f"{'if' if case is node.cases[0] else 'elif'} {test}:"
        head = [*(above if case is node.cases[0] else []), word]
        text = "".join(f"{margin}{line}{newline}" for line in head)
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.name is not None:
            text += f"{depth}{case.pattern.name} = {subject}{newline}"
        start = sheet.start(node) if case is node.cases[0] else Position(at, 1)
        text = text.removeprefix(margin) if case is node.cases[0] else text
        yield Edit(start, Position(first.lineno, 1), text)
        end = Position((last.end_lineno or 0) + 1, 1)
        moved = sheet.body(case.body, (), depth)
        assert moved is not None
        begin = Position(first.lineno, 1)
        yield Edit(begin, end, "".join(line + newline for line in moved), origin=begin)
        at = end.line
