"""Arrays that are larger after each trip than before: what a scan or a while loop cannot carry."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scanlint.jaxapi.words import words
from scanlint.loops.rows.growing_arrays import grows_by
from scanlint.syntax.bindings import NONE, Names, binds, walk_scope
from scanlint.trace.domain.callables import Closure, Code, Transformed
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

JOINS = frozenset(f"jax.numpy.{n}" for n in words("concatenate hstack vstack dstack column_stack stack block"))
"""Functions of a list of arrays whose result is larger than each of them."""
ADDS = frozenset(f"jax.numpy.{n}" for n in words("append insert kron outer tensordot tile repeat pad expand_dims"))
"""Functions whose result is larger, or has more axes, than an array that they are given."""
BOTH = frozenset(f"jax.numpy.{n}" for n in words("kron outer tensordot"))
DEEPEST = 4


def larger_carries(unit: Unit, node: ast.For | ast.While, carried: Sequence[str]) -> Iterator[tuple[str, ast.stmt]]:
    """The carried names that a statement binds to something larger that holds them, and the statement.

    What the body does nothing with but put a row behind or before it is collected, not carried; on the host, so is what
    it makes longer in whatever way.
    """
    last = {name: statement for statement in node.body for name in binds(statement)}
    scope = _Scope(unit.resolve, unit.value)
    for name in carried:
        for part in walk_scope([last[name]] if name in last else []):
            match part:
                case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                    if _grows(scope, value, frozenset({name})) and not _collects(unit, node, part, name):
                        yield name, part
                case ast.Assign(targets=[ast.Tuple() as into], value=ast.Call() as call):
                    if name in longer_parts(unit, into, call):
                        yield name, part


def longer_parts(unit: Unit, into: ast.Tuple, call: ast.Call) -> Names:
    """The names that a call of a function of the project is handed and that it gives back larger, among others."""
    closure = _closure(unit.value(call.func))
    if closure is None or any(isinstance(target, ast.Starred) for target in into.elts):
        return NONE
    parts = _grown_parts(closure.code)
    found = set[str]()
    for target, larger in zip(into.elts, parts, strict=False):
        if isinstance(target, ast.Name) and _whole(closure, call, frozenset({target.id})) & larger:
            found.add(target.id)
    return frozenset(found)


def _closure(known: Value | None) -> Closure | None:
    """The function of the project that a call runs, below its jits."""
    while known is not None and isinstance(callee := known.callee, Transformed) and callee.transform == "jax.jit":
        known = callee.function
    return known.callee if known is not None and isinstance(known.callee, Closure) else None


def _collects(unit: Unit, node: ast.For | ast.While, statement: ast.Assign, name: str) -> bool:
    if unit.context(node).traced:
        return grows_by(unit, node, statement) is not None
    joins = isinstance(call := statement.value, ast.Call) and unit.resolve(call.func) in JOINS | {"jax.numpy.append"}
    return joins and sum(isinstance(n, ast.Name) and n.id == name for s in node.body for n in ast.walk(s)) == 2


class _Scope(NamedTuple):
    """What expressions mean in a unit, or in a function of the project: their canonical names, and what calls run."""

    resolve: Callable[[ast.expr], str | None]
    value: Callable[[ast.expr], Value | None]


def _scope_of(code: Code) -> _Scope:
    scope = code.scope
    return _Scope(scope.annotation, lambda called: scope.lookup(called.id) if isinstance(called, ast.Name) else None)


def _grows(scope: _Scope, value: ast.expr, held: Names, larger: Names = NONE, depth: int = 0) -> bool:
    """Whether an expression is larger than an array that it holds by one of these names, or is one that is `larger`."""
    if _is(value, larger):
        return True
    if isinstance(value, ast.BinOp):
        return any(_grows(scope, side, held, larger, depth) for side in (value.left, value.right))
    if not isinstance(value, ast.Call):
        return False
    name = scope.resolve(value.func) or ""
    if name in JOINS | ADDS:
        return _holds(name, value, held)
    closure = _closure(scope.value(value.func))
    return closure is not None and bool(_whole(closure, value, held) & grown(closure.code, depth))


def _holds(name: str, call: ast.Call, held: Names) -> bool:
    """Whether what is made larger is one of these, whole."""
    match call.args:
        case [ast.List(elts=parts) | ast.Tuple(elts=parts), *_] if name in JOINS:
            return len(parts) > 1 and any(_is(part, held) for part in parts)
        case [first, second, *_] if name in BOTH:
            return (_is(first, held) or _is(second, held)) and (not name.endswith("tensordot") or _sums_nothing(call))
        case [first, *_] if name in ADDS:
            return _is(first, held)
    return False


def _sums_nothing(call: ast.Call) -> bool:
    """Whether a `tensordot` is an outer product: over no axes."""
    given = [*call.args[2:3], *(k.value for k in call.keywords if k.arg == "axes")]
    return any(isinstance(axes, ast.Constant) and axes.value == 0 for axes in given)


def _is(node: ast.expr, held: Names) -> bool:
    """Whether an expression is an array whole, at most with other or more axes: `x`, `x[None]`."""
    match node:
        case ast.Name(id=name):
            return name in held
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=None)):
            return name in held
    return False


def _whole(closure: Closure, call: ast.Call, held: Names) -> Names:
    """The parameters of a function that a call hands one of these arrays, whole."""
    names = [a.arg for a in closure.code.positional()][closure.receiver is not None :]
    placed = zip(names, call.args, strict=False)
    pairs = [*placed, *((k.arg, k.value) for k in call.keywords if k.arg is not None)]
    return frozenset(name for name, given in pairs if _is(given, held))


def grown(code: Code, depth: int = 0) -> Names:
    """The parameters that a function gives back larger than they were."""
    if depth > DEEPEST or isinstance(code.node, ast.Lambda):
        return NONE
    return _returned_larger(code, [value for value in _returned(code) if value is not None], depth)


def _grown_parts(code: Code) -> list[Names]:
    """The same for each of the values that a function returns as a tuple."""
    tuples = [value for value in _returned(code) if isinstance(value, ast.Tuple)]
    if isinstance(code.node, ast.Lambda) or len(tuples) != 1 or len(_returned(code)) != 1:
        return []
    return [_returned_larger(code, [part], 0) for part in tuples[0].elts]


def _returned(code: Code) -> list[ast.expr | None]:
    body = code.node.body if isinstance(code.node.body, list) else []
    return [s.value for s in walk_scope(body) if isinstance(s, ast.Return)]


def _returned_larger(code: Code, values: Sequence[ast.expr], depth: int) -> Names:
    found, scope = set[str](), _scope_of(code)
    for parameter in (a.arg for a in code.parameters()) if values else ():
        larger, whole = _followed(code, parameter, depth)
        if all(_grows(scope, value, whole, larger, depth + 1) for value in values):
            found.add(parameter)
    return frozenset(found)


def _followed(code: Code, parameter: str, depth: int) -> tuple[Names, Names]:
    """The names of a function that hold a parameter made larger, and those that hold it as it is."""
    larger, whole, scope = set[str](), {parameter}, _scope_of(code)
    for statement in code.node.body if isinstance(code.node.body, list) else []:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                grown_here = _grows(scope, value, frozenset(whole), frozenset(larger), depth + 1)
                (larger.add if grown_here else larger.discard)(name)
                (whole.add if _is(value, frozenset(whole)) and not grown_here else whole.discard)(name)
            case _:
                larger -= binds(statement)
                whole -= binds(statement)
    return frozenset(larger), frozenset(whole)
