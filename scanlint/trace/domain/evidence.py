"""Why a value or a function is traced: links with places, put into words only where something is reported."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from scanlint.finding import Link, Position

LONGEST = 40
MOST_LINKS = 6


class File(Protocol):
    """A file that evidence speaks of."""

    @property
    def path(self) -> str: ...

    def start(self, node: ast.AST) -> Position:
        """The place where a node begins."""


@dataclass(frozen=True, eq=False, slots=True)
class Reason:
    """One link: what is said of a node of a file, and `cause`, the link before it.

    `binds` is the name that the statement `node` gives to a traced value; a call without text returns a tracer.
    """

    text: str
    file: File
    node: ast.AST
    cause: Reason | None = None
    binds: str = ""

    def link(self) -> Link:
        """The link in words, with its place."""
        place = self.file.start(self.node.target if isinstance(self.node, ast.comprehension) else self.node)
        return Link(self.text or _words(self), self.file.path, place.line, place.column)


def trail(reason: Reason | None) -> tuple[Link, ...]:
    """A reason and what it rests on, nearest first; of a long trail the beginning and the root."""
    found: list[Reason] = []
    while reason is not None:
        found.append(reason)
        reason = reason.cause
    if len(found) <= MOST_LINKS:
        return links(found)
    *near, root = links([*found[: MOST_LINKS - 1], found[-1]])
    return *near, root._replace(text=f"{len(found) - MOST_LINKS} steps further: {root.text}")


def links(reasons: Iterable[Reason]) -> tuple[Link, ...]:
    """Reasons in words, each once."""
    return tuple(dict.fromkeys(reason.link() for reason in reasons))


def _words(reason: Reason) -> str:
    match reason.node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            value = next((v for n, v in pairs if isinstance(n, ast.Name) and n.id == reason.binds), reason.node)
            return f"`{reason.binds}` = `{short(value)}`"
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.NamedExpr(value=value):
            return f"`{reason.binds}` = `{short(value)}`"
        case ast.For(iter=value) | ast.AsyncFor(iter=value) | ast.comprehension(iter=value):
            return f"`{reason.binds}` comes from `{short(value)}`"
        case ast.AugAssign() as statement:
            return f"`{_cut(ast.unparse(statement))}`"
        case ast.Subscript() as subscript:
            return f"`{short(subscript)}` is indexed by a traced value"
        case ast.Call() as call:
            return f"`{short(call)}` returns a traced array"
    return f"`{reason.binds or short(reason.node)}` is traced"


def short(node: ast.AST) -> str:
    """An expression as it would be written, on one line; of a long call the function alone."""
    text = " ".join(ast.unparse(node).split())
    if len(text) > LONGEST and isinstance(node, ast.Call):
        return f"{_cut(ast.unparse(node.func))}(...)"
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
