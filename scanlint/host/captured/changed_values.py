"""Whether what is bound anew is another value than before: computed from the old one, or from what a loop changes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Names, targets, walk_scope
from scanlint.syntax.walk import walk

KEEPS = words(
    "array asarray device_put device_get copy deepcopy float int list tuple dict set astype reshape ravel squeeze "
    "block_until_ready partial jit vmap replicate unreplicate sorted frozenset"
)
"""Calls that give what they are given in another form."""
SIZED = words(
    "zeros ones full empty arange linspace eye reshape normal uniform randint rand randn random range split "
    "array_split broadcast_to tile repeat sample"
)
"""Calls whose result is as large as their arguments say."""
Binding = tuple[Names, frozenset[str]]


def evolves(block: list[ast.stmt], attr: str, receiver: str) -> bool:
    """Some statement of a method computes an attribute of its object from the value that it has."""
    old: set[str] = set()
    for part in _in_order(block):
        match part:
            case ast.AugAssign(target=target) if _is_attribute(target, attr, receiver):
                return True
            case ast.Assign(targets=bound, value=value) if _reads(value, attr, receiver, old):
                if any(_is_attribute(place, attr, receiver) for target in bound for place in walk(target)):
                    return isinstance(value, ast.Name) or not _only_kept(value)
                if not _only_kept(value):
                    old.update(name for target in bound for name in targets(target))
    return False


def _in_order(block: list[ast.stmt]) -> list[ast.stmt]:
    found = [part for part in walk_scope(block) if isinstance(part, ast.Assign | ast.AugAssign)]
    return sorted(found, key=lambda part: (part.lineno, part.col_offset))


def _is_attribute(node: ast.AST, attr: str, receiver: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=found):
            return name == receiver and found == attr
    return False


def _reads(value: ast.expr, attr: str, receiver: str, old: set[str]) -> bool:
    return any(
        _is_attribute(part, attr, receiver) or (isinstance(part, ast.Name) and part.id in old) for part in walk(value)
    )


def _only_kept(value: ast.expr) -> bool:
    """An expression gives an attribute or a name as it is, but for its form."""
    match value:
        case ast.Name() | ast.Attribute() | ast.BoolOp() | ast.IfExp() | ast.Lambda() | ast.Constant():
            return True
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            return called in KEEPS
    return False


def varying(loop: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    """The names that a loop is known to bind to something else on each trip."""
    own = frozenset(targets(loop.target)) if isinstance(loop, ast.For | ast.AsyncFor) else frozenset()
    bindings = list(_bindings(walk_scope(loop.body)))
    found = own
    while True:
        more = found.union(*(bound for read, bound in bindings if read & (found | bound)))
        if more == found:
            return found
        found = more


def sizes(loop: ast.AST, name: str) -> bool:
    """A name says in a loop how large something is: with another value a call is traced anew."""
    for part in walk(loop):
        match part:
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in SIZED:
                if any(_counts(argument, name) for argument in part.args):
                    return True
            case ast.Slice() if _counts(part, name):
                return True
    return False


def _counts(node: ast.AST, name: str) -> bool:
    """A name stands in an expression as a number: not for an array whose size is asked for."""
    asked = {part.value for part in walk(node) if isinstance(part, ast.Attribute)}
    return any(isinstance(part, ast.Name) and part.id == name and part not in asked for part in walk(node))


def _bindings(parts: Iterable[ast.AST]) -> Iterator[Binding]:
    """What the statements of a loop read, and what they bind from that."""
    for part in parts:
        match part:
            case ast.Assign(targets=bound, value=value) if not isinstance(value, ast.Name | ast.Constant | ast.Lambda):
                yield _loads(value), frozenset(name for target in bound for name in targets(target))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield _loads(value) | {name}, frozenset([name])
            case ast.For(target=target, iter=value):
                yield _loads(value) - frozenset(targets(target)), frozenset(targets(target))


def _loads(value: ast.expr) -> Names:
    return frozenset(part.id for part in walk(value) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
