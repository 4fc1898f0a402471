"""Functions and classes that later cells of a notebook define again: each definition but the last gets another name.

Analysis knows one definition for each name. The other name is as long as the one that is written: a letter that stands
nowhere else in the notebook takes the place of the last one, so every place stays what it is.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from scanlint.syntax.bindings import binds

LETTERS = range(0x1200, 0x1249)
"""Letters of Ethiopic, which nothing composes or decomposes."""
DEFINES = re.compile(r"^(?:async +def|def|class) +(\w+)", re.MULTILINE)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Lines = list[str]


class TopStatement(NamedTuple):
    """A statement at the top of a cell, with the number of the cell from 0 and the parts of it."""

    cell: int
    node: ast.stmt
    parts: tuple[ast.AST, ...]

    def reads(self, name: str) -> list[ast.Name]:
        """The places that read a name."""
        return [part for part in self.parts if isinstance(part, ast.Name) and part.id == name]


def told_apart(cells: Sequence[Lines], fixed: Sequence[frozenset[int]]) -> tuple[list[Lines], dict[int, str]]:
    """The cells with names of their own for definitions, and for each new letter the one that is written.

    Lines that are `fixed`, by number from 0, stay as they are.
    """
    same = [*map(list, cells)]
    text = "\n".join("\n".join(cell) for cell in cells)
    again = [name for name, count in Counter(DEFINES.findall(text)).items() if count > 1]
    if not again:
        return same, {}
    try:
        statements = [*_statements(cells)]
    except (SyntaxError, ValueError, RecursionError):  # it is said when the program is parsed
        return same, {}
    letters, written = (chr(code) for code in LETTERS if chr(code) not in text), dict[int, str]()
    for name, (start, end) in ((n, bounds) for n in again for bounds in pairwise(_bindings(statements, n))):
        span, after = statements[start:end], statements[end:]
        if not isinstance(span[0].node, Definition) or _is_unclear(span, after, name):
            continue
        places = [*_places(span, name, same)]
        if any(line in fixed[cell] for cell, line, _ in places) or (letter := next(letters, None)) is None:
            continue
        written[ord(letter)] = name[-1]
        _rename(same, places, name, letter)
    return same, written


def _statements(cells: Sequence[Lines]) -> Iterator[TopStatement]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trees = [ast.parse("\n".join(cell)) for cell in cells]
    for number, tree in enumerate(trees):
        for statement in tree.body:
            yield TopStatement(number, statement, tuple(ast.walk(statement)))


def _bindings(statements: Sequence[TopStatement], name: str) -> list[int]:
    """The statements at the top that bind a name."""
    return [n for n, s in enumerate(statements) if name in binds(s.node)]


def _is_unclear(span: Sequence[TopStatement], after: Sequence[TopStatement], name: str) -> bool:
    """Whether the name means something else somewhere in the span, or what reads it there may run behind it."""
    if after[0].reads(name) and not isinstance(after[0].node, Definition):
        return True  # `f = jax.jit(f)`
    late: set[str] = set()
    for statement in span:
        if any(_is_bound_inside(part, name) for part in statement.parts if part is not span[0].node):
            return True
        bodies = [p for p in statement.parts if isinstance(p, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
        if any(isinstance(n, ast.Name) and n.id == name for body in bodies for n in ast.walk(body)):
            late |= binds(statement.node)
    return any(statement.reads(other) for other in late - {name} for statement in after)


def _is_bound_inside(part: ast.AST, name: str) -> bool:
    """A part binds the name, or is a string with the name in a field: its place there Python tells from 3.12 on."""
    match part:
        case ast.Name(id=bound, ctx=ast.Store() | ast.Del()) | ast.arg(arg=bound) | ast.MatchAs(name=bound):
            return bound == name
        case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
            return bound == name
        case ast.alias(name=imported, asname=given):
            return name == (given or imported.partition(".")[0])
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return name in names
        case ast.ExceptHandler(name=bound) | ast.MatchStar(name=bound) | ast.MatchMapping(rest=bound):
            return bound == name
        case ast.JoinedStr():
            return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(part))
    return False


def _places(span: Sequence[TopStatement], name: str, cells: Sequence[Lines]) -> Iterator[tuple[int, int, int]]:
    """The places of the name from one definition to the next: cell, line and column in bytes, all from 0."""
    first = span[0].node
    assert isinstance(first, Definition)
    line = cells[span[0].cell][first.lineno - 1].encode()
    found = re.search(rb"(?:def|class)\s+", line[first.col_offset :])
    assert found is not None
    yield span[0].cell, first.lineno - 1, first.col_offset + found.end()
    for statement in span:
        yield from ((statement.cell, n.lineno - 1, n.col_offset) for n in statement.reads(name))


def _rename(cells: list[Lines], places: Sequence[tuple[int, int, int]], name: str, letter: str) -> None:
    new = f"{name[:-1]}{letter}".encode()
    for cell, line, column in sorted(places, reverse=True):
        row = cells[cell][line].encode()
        cells[cell][line] = (row[:column] + new + row[column + len(name.encode()) :]).decode()
