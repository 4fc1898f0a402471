"""Arrays of JAX that a loop on the host makes longer on each trip: each length is another program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.host.piecemeal import jitted, own_statements
from scanlint.host.step_loop import long, measures
from scanlint.jaxapi.words import words
from scanlint.loops.growth import longer_parts
from scanlint.loops.loop import LoopModel
from scanlint.settings import Settings
from scanlint.syntax.bindings import walk_scope
from scanlint.trace.unit import Unit

APPENDS = words("jax.numpy.append")
JOINS = words("jax.numpy.concatenate jax.numpy.hstack jax.numpy.vstack jax.numpy.dstack jax.numpy.column_stack")


class Growth(NamedTuple):
    """The call that makes an array longer, how that is spelled, and what is put behind it.

    `inside`: a function of the project does it; `compiled`: that is jitted, so that all of it is compiled each time.
    """

    call: ast.Call
    name: str
    added: tuple[ast.expr, ...]
    inside: bool = False
    compiled: bool = False


def growing(model: LoopModel, settings: Settings) -> Growth | None:
    """The first array that grows on the trips of a loop, if there may be many of these and nothing is measured."""
    unit = model.unit
    calls = [part for s in own_statements(model.node) for part in walk_scope([s]) if isinstance(part, ast.Call)]
    found = next(_grown(unit, model), None)
    if found is None or unit.source.tests or measures(calls) or not long(model, settings):
        return None
    return found


def _grown(unit: Unit, model: LoopModel) -> Iterator[Growth]:
    for statement in own_statements(model.node):
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as kept], value=ast.Call() as call):
                added = _added(unit, call, ast.unparse(kept))
                if added is not None and not _cut_again(unit, model, ast.unparse(kept)):
                    yield Growth(call, ast.unparse(kept), added)
            case ast.Assign(targets=[ast.Tuple() as into], value=ast.Call() as call):
                for name in sorted(longer_parts(unit, into, call)):
                    yield Growth(call, name, (), inside=True, compiled=jitted(unit.value(call.func)))


def _cut_again(unit: Unit, model: LoopModel, kept: str) -> bool:
    """Whether a trip binds the array to something else too, which may well be as long as it was before."""
    bound = [s for s in walk_scope(model.node.body) if isinstance(s, ast.Assign | ast.AnnAssign | ast.AugAssign)]
    for statement in bound:
        into = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [ast.unparse(part) for target in into for part in ast.walk(target)]
        call = statement.value
        if kept in names and not (isinstance(call, ast.Call) and _added(unit, call, kept) is not None):
            return True
    return False


def _added(unit: Unit, call: ast.Call, kept: str) -> tuple[ast.expr, ...] | None:
    """What a call puts before or behind the array that it is assigned to; None where it does nothing of the kind."""
    function = unit.resolve(call.func)
    match call.args:
        case [first, added, *_] if function in APPENDS and ast.unparse(first) == kept:
            return (added,)
        case [ast.List(elts=parts) | ast.Tuple(elts=parts), *_] if function in JOINS:
            others = tuple(part for part in parts if ast.unparse(part) != kept)
            return others if len(others) == len(parts) - 1 else None
    return None
