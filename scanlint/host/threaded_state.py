"""The arrays that a host loop hands on from trip to trip, and whether it is JAX that works them out."""

from __future__ import annotations

import ast

from scanlint.host.host_work import holds_array
from scanlint.host.provenance import of_jax
from scanlint.host.purity import of_jax as computes_with_jax
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import is_array
from scanlint.syntax.bindings import Names, reads, targets, walk_scope
from scanlint.syntax.walk import kinds_of
from scanlint.trace.domain.callables import Closure, Code, Named, Transformed
from scanlint.trace.domain.values import UNKNOWN, Value
from scanlint.trace.hints.numpy_made import by_numpy
from scanlint.trace.unit import Unit

COMPUTES = ("jax.numpy.", "jax.lax.", "jax.random.", "jax.nn.", "jax.scipy.", "optax.")
DERIVATIVES = ("jax.grad", "jax.value_and_grad", "jax.jac", "jax.hessian", "jax.jvp", "jax.vjp", "jax.vmap")
OPERATIONS = (*COMPUTES, *DERIVATIVES)
BY_JAX = (*OPERATIONS, "jax.tree")
DEEPEST = 3
Binding = ast.Assign | ast.AugAssign | ast.AnnAssign


def state_of(model: LoopModel, worked: Names | None = None) -> tuple[str, ...]:
    """The carried names that hold arrays which JAX works out anew on each trip."""
    known = worked_out(model) if worked is None else worked
    return tuple(name for name in model.carried if name in known)


def gathered_only(model: LoopModel, name: str) -> bool:
    """Whether the trips do nothing with a name but add to it, or set places of it: no trip needs another's result."""
    parts = list(walk_scope(model.node.body))
    mentions = sum(isinstance(n, ast.Name) and n.id == name for n in parts)
    gathers = [_gathers(n, name) for n in parts if isinstance(n, ast.Assign | ast.AugAssign)]
    return any(gathers) and mentions == sum(gathers)


def _gathers(statement: ast.Assign | ast.AugAssign, name: str) -> int:
    """How often a statement that only adds to a name, or sets places of it, mentions it; 0 for any other."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=bound), op=ast.Add() | ast.Sub()):
            return int(bound == name)
        case ast.Assign(
            targets=[ast.Name(id=bound)],
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=owner), attr="at")), attr="set" | "add"
                )
            ),
        ):
            return 2 * (bound == owner == name)
        case ast.Assign(targets=[ast.Name(id=bound)], value=ast.BinOp(left=left, op=ast.Add() | ast.Sub())):
            while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add | ast.Sub):
                left = left.left
            return 2 * (bound == name and isinstance(left, ast.Name) and left.id == name)
    return 0


def worked_out(model: LoopModel) -> Names:
    """The names that hold arrays on each trip, but random keys: rows that it is given, and what JAX works out."""
    rows = [s for s in model.streams if s.array is not None and is_array(model.unit, s.array)]
    found = {n for s in rows if model.unit.value(s.array).dtype != "key" for n in targets(s.target)}
    bound = [part for part in walk_scope(model.node.body) if isinstance(part, Binding) and part.value is not None]
    for _ in bound:
        before = len(found)
        for statement in bound:
            if statement.value is not None and _worked_out(model.unit, statement.value, frozenset(found)):
                found |= set(_bound(statement))
        if len(found) == before:
            break
    return frozenset(found)


def _bound(statement: Binding) -> list[str]:
    if isinstance(statement, ast.Assign):
        return [name for target in statement.targets for name in targets(target)]
    return targets(statement.target)


def _worked_out(unit: Unit, value: ast.expr, known: Names) -> bool:
    """Whether an expression gives arrays other than a random key, or what a function makes of such.

    `known` are names that hold what JAX worked out.
    """
    found = unit.value(value)
    inside = (*(found.items or ()), *([found.element] if found.element is not None else ()))
    if found.static or found.dtype == "key" or (inside and all(v.dtype == "key" for v in inside)):
        return False
    if holds_array(found) and found.container not in ("list", "set"):
        return True
    match value:
        case ast.Name(id=name):
            return name in known
        case ast.BinOp(left=left, right=right):
            return _worked_out(unit, left, known) or _worked_out(unit, right, known)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
            return _worked_out(unit, inner, known)
        case ast.IfExp(body=body, orelse=orelse):
            return _worked_out(unit, body, known) or _worked_out(unit, orelse, known)
        case ast.Tuple(elts=parts):
            return any(_worked_out(unit, part, known) for part in parts)
        case ast.Call(func=function, args=args, keywords=keywords):
            return _made(unit, function, [*args, *(k.value for k in keywords)], known)
    return False


def _made(unit: Unit, function: ast.expr, given: list[ast.expr], known: Names) -> bool:
    """Whether a call gives arrays: of a transformed function, of one that is given a key, or such arrays."""
    callee = unit.value(function).callee
    if isinstance(callee, Transformed) or any(unit.value(a).dtype == "key" for a in given):
        return True
    if isinstance(callee, Named) and not computes_with_jax(callee.name):
        return False
    if isinstance(callee, Closure) and callee.frame is None and holds_array(unit.returned(callee.code)):
        return True
    method = isinstance(function, ast.Attribute) and unit.resolve(function) is None
    return bool(reads(*given, *([function] if method else [])) & known)


def by_jax(model: LoopModel, state: tuple[str, ...]) -> bool:
    """Whether it is JAX that works on the state: a call of it in the body, or what the state starts as."""
    unit, function = model.unit, model.function
    if any(calls_jax(unit, part) for part in walk_scope(model.node.body)):
        return True
    before = [s for s in walk_scope(getattr(function, "body", [])) if isinstance(s, ast.Assign)]
    starts = [s.value for s in before if s.lineno < model.node.lineno and set(targets(s.targets[0])) & set(state)]
    return any(calls_jax(unit, part) for value in starts for part in ast.walk(value))


def has_jax(unit: Unit) -> bool:
    """Whether a unit calls anything that runs JAX, or is handed an array; what has neither is not looked into."""
    given = (unit.value(part).array for part in unit.every(ast.Name))
    return unit.once(has_jax, lambda: any(calls_jax(unit, call) for call in unit.every(ast.Call)) or any(given))


def works_in_numpy(model: LoopModel, state: tuple[str, ...]) -> bool:
    """Whether NumPy may work on the state: it made the rows, or the beginning, and none of JAX meets that for sure."""
    unit = model.unit
    rows = [s.array for s in model.streams if s.array is not None]
    starts = [ast.Name(name, ast.Load()) for name in state]
    return not any(of_jax(unit, row) for row in rows) and any(by_numpy(unit, made) for made in (*rows, *starts))


def calls_jax(unit: Unit, part: ast.AST) -> bool:
    """Whether a node is a call that runs JAX, as far as that is known."""
    match part:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")))):
            return True
        case ast.Call(func=function, args=args):
            callee = unit.value(function).callee
            match callee:
                case Transformed():
                    return True
                case Closure(code):
                    return runs_jax(unit, code)
            name = unit.resolve(function) or ""
            return name.startswith(COMPUTES) or any(unit.value(a).dtype == "key" for a in args)
    return False


def runs_jax(unit: Unit, code: Code, depth: int = 0, names: tuple[str, ...] = BY_JAX) -> bool:
    """Whether a function of the project that a unit calls, or one that it calls, calls something of JAX by a name."""
    if code.mode.traced:
        return True
    return unit.once((runs_jax, code, depth, names), lambda: _runs_jax(unit, code, depth, names))


def _runs_jax(unit: Unit, code: Code, depth: int, names: tuple[str, ...]) -> bool:
    calls = [call.func for call in kinds_of(code.node).of(ast.Call)]
    if any((code.scope.annotation(function) or "").startswith(names) for function in calls):
        return True
    if depth >= DEEPEST:
        return False
    if code.owner is not None and not code.mode.traced:
        unit.returned(code)  # so that the values in it are there
    known = [called_in(code, function).callee for function in calls]
    inner = (runs_jax(unit, callee.code, depth + 1, names) for callee in known if isinstance(callee, Closure))
    return any(isinstance(callee, Transformed) for callee in known) or any(inner)


def called_in(code: Code, function: ast.expr) -> Value:
    """What an expression that is called in a function of the project stands for there."""
    value = code.record.values.get(function)
    if value is None or value.callee is None:
        value = code.scope.lookup(function.id) if isinstance(function, ast.Name) else None
    return value if value is not None else UNKNOWN


def holds(unit: Unit, node: ast.expr, known: Names) -> bool:
    """Whether an expression is made of arrays, or of names that hold them."""
    value: Value = unit.value(node)
    return holds_array(value) or (not value.static and bool(reads(node) & known))


def ends(model: LoopModel, worked: Names) -> bool:
    """Whether a `while` ends by what it computes: one that waits for something else belongs on the host."""
    node = model.node
    if isinstance(node, ast.For):
        return True
    tests = [node.test, *(part.test for part in ast.walk(node) if isinstance(part, ast.If))]
    bound = worked | frozenset(model.carried)
    return any(holds(model.unit, test, bound) for test in tests)
