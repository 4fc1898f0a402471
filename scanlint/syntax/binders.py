"""The nodes of a function that bind each name, found once for all that ask what a name is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

from scanlint.syntax.bindings import parameters, targets
from scanlint.syntax.walk import walk

_KNOWN: WeakKeyDictionary[ast.AST, Mapping[str, Sequence[ast.AST]]] = WeakKeyDictionary()
"""By the function or file: what is kept of it must not hold it itself, or it would be kept for ever."""


def binders_of(scope: ast.AST, name: str) -> Sequence[ast.AST]:
    """The nodes below a function or file, those of functions in it too, that bind a name; level by level.

    A function binds its own name and those of its parameters.
    """
    known = _KNOWN.get(scope)
    if known is None:
        found: dict[str, list[ast.AST]] = {}
        for part in walk(scope):
            for bound in dict.fromkeys(_bound(part)) if part is not scope else ():
                found.setdefault(bound, []).append(part)
        known = _KNOWN[scope] = found
    return known.get(name, ())


def _bound(part: ast.AST) -> Iterator[str]:
    match part:
        case ast.Assign(targets=several):
            for target in several:
                yield from targets(target)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target) | ast.NamedExpr(target=target):
            yield from targets(target)
        case ast.For(target=target) | ast.comprehension(target=target):
            yield from targets(target)
        case ast.arg(arg=name) | ast.ClassDef(name=name):
            yield name
        case ast.FunctionDef(name=name, args=arguments):
            yield name
            yield from parameters(arguments)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from targets(target)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
