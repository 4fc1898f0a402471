"""Clocks around work that JAX only dispatches: the call returns before the work is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.around import source_of
from scanlint.host.piecemeal import jitted
from scanlint.host.purity import WAITS
from scanlint.jaxapi.host_functions import CLOCK_READS
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import walk_scope
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import walk
from scanlint.trace.calls.jax_results import ARRAY_ROOTS, PYTHON_VALUED
from scanlint.trace.domain.callables import Closure, Code, Transformed
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

HEAVY = tuple(
    words("jax.lax.scan jax.lax.while_loop jax.lax.fori_loop jax.lax.map jax.numpy.linalg. jax.scipy.linalg.")
)
PRODUCTS = words("jax.numpy.dot jax.numpy.matmul jax.numpy.einsum jax.numpy.tensordot jax.lax.dot_general")
IDLE = words(
    "builtins.range builtins.len builtins.zip builtins.enumerate builtins.list builtins.dict builtins.tuple "
    "builtins.next builtins.iter builtins.isinstance jax.device_put jax.random.key"
)
"""Calls that wait for no array."""
GATHERS = words("append extend")
PREPARING = regex(r"(?i)compil|warm|jit|trac(?:e|ing)|dispatch|lower|build|init|load|setup|queue|async|enqueue")
"""What is timed by these names is done when the call returns, or is the dispatch itself."""
LOOPS = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.GeneratorExp
DEEPEST = 3


class Timed(NamedTuple):
    """A difference of clocks, where it begins, and the call in between that has only been dispatched by then."""

    at: ast.expr
    start: ast.expr
    work: ast.expr


def timed(unit: Unit, node: ast.AST) -> Timed | None:
    """What a node measures, if no wait stands between the last dispatch and the second look at the clock."""
    match node:
        case ast.BinOp(left=end, op=ast.Sub(), right=ast.Name() as begun) if has_clock(unit):
            start, stop = source_of(unit, begun), source_of(unit, end) if isinstance(end, ast.Name) else end
        case _:
            return None
    if not (_is_clock(unit, start) and _is_clock(unit, stop)) or start is None or stop is None:
        return None
    if _prepares(unit, node, begun.id):
        return None
    between = _between(unit, start, stop)
    work = _last_dispatch(unit, between)
    if work is None or any(_waits(unit, part) for part in _from(unit, work, between)):
        return None
    return Timed(stop, start, work)


def has_clock(unit: Unit) -> bool:
    """A unit or its file looks at a clock somewhere."""
    return unit.once(has_clock, lambda: _looks_at_a_clock(unit))


def _looks_at_a_clock(unit: Unit) -> bool:
    inside = any(name in CLOCK_READS for name, _ in unit.calls)
    return inside or any(unit.resolve(c.func) in CLOCK_READS for c in unit.file.kinds.of(ast.Call))


def _is_clock(unit: Unit, node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and unit.resolve(node.func) in CLOCK_READS


def _prepares(unit: Unit, node: ast.AST, begun: str) -> bool:
    """The words around a measurement say that it is one of compiling, or of the dispatch."""
    statement = next((a for a in [node, *unit.ancestors(node)] if isinstance(a, ast.stmt)), None)
    function = unit.context(node).qualname
    said = ast.unparse(statement) if isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign) else ""
    return any(PREPARING.search(text) for text in (said, begun, function))


# -- what runs between two looks at the clock


def _between(unit: Unit, start: ast.expr, stop: ast.expr) -> list[ast.AST]:
    """The nodes that are evaluated between two looks at the clock, in the order of the text, if that is sure."""
    first = next((a for a in [start, *unit.ancestors(start)] if isinstance(a, ast.stmt)), None)
    if first is None or first not in unit.parents:
        return []
    block = unit.block(first)
    around = {*unit.ancestors(stop)}
    last = next((s for s in block if s in around), None)
    if last is None or block.index(last) < block.index(first) or _repeats(unit, stop, last):
        return []
    place = (stop.lineno, stop.col_offset)
    parts = walk_scope(block[block.index(first) + 1 : block.index(last) + 1])
    return [p for p in parts if _place(p) < place and p not in around]


def _repeats(unit: Unit, stop: ast.expr, statement: ast.stmt) -> bool:
    """A loop below a statement looks at the clock again and again: it shows how long the program has been running."""
    return any(
        isinstance(a, LOOPS) and (a is statement or statement in unit.ancestors(a)) for a in unit.ancestors(stop)
    )


def _place(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def _last_dispatch(unit: Unit, between: list[ast.AST]) -> ast.expr | None:
    match [part for part in between if isinstance(part, ast.stmt)]:
        case [ast.Assign(value=ast.Call() | ast.BinOp() as alone)] if unit.value(alone).array:
            if not any(_waits(unit, part) for part in walk(alone)):
                return alone  # what is measured is this operation, however short it is
    calls = [p for p in between if isinstance(p, ast.Call) and _dispatches(unit, p)]
    last = max(calls, key=_place, default=None)
    return None if last is not None and _shows_results(unit.value(last.func)) else last


def _shows_results(function: Value) -> bool:
    """A function of the project fetches or prints numbers on each way through it, so that it waits for these."""
    match function.callee:
        case Closure(code) if isinstance(code.node, ast.FunctionDef):
            stack: list[ast.AST] = [*code.node.body]
        case _:
            return False
    while stack:
        part = stack.pop()
        match part:
            case ast.FormattedValue(format_spec=ast.expr()) | ast.Attribute(attr="item" | "block_until_ready"):
                return True
            case ast.If() | ast.FunctionDef() | ast.Lambda() | ast.ClassDef():
                continue
        stack += ast.iter_child_nodes(part)
    return False


def _dispatches(unit: Unit, call: ast.Call) -> bool:
    """A call runs a compiled program, or one of JAX's own functions that takes long."""
    if jitted(unit.value(call.func)):
        return True
    name = unit.resolve(call.func) or ""
    return name.startswith(HEAVY) or name in PRODUCTS


def _from(unit: Unit, work: ast.expr, between: list[ast.AST]) -> Iterator[ast.AST]:
    """What runs after the last dispatch: what stands behind it or around it, and all that is in a loop with it."""
    loops = [a for a in unit.ancestors(work) if isinstance(a, LOOPS) and a in between]
    shared = {id(part) for loop in loops for part in walk(loop)}
    around = {id(a) for a in unit.ancestors(work)}
    end = (work.end_lineno or 0, work.end_col_offset or 0)
    return (p for p in between if p is not work and (_place(p) >= end or id(p) in shared or id(p) in around))


# -- what waits


def _waits(unit: Unit, part: ast.AST) -> bool:
    """A node waits for an array, or may do so: nothing is known of what it calls."""
    match part:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return not unit.value(test).static and _is_of_arrays(unit, test)
        case ast.FormattedValue(value=value):
            return _is_of_arrays(unit, value)
        case ast.Call():
            return _call_waits(unit, part)
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in WAITS:
            return True
        case ast.Lambda(body=body):
            return any(_waits(unit, inner) for inner in walk(body))
        case ast.With() | ast.AsyncWith() | ast.Await() | ast.Yield() | ast.YieldFrom():
            return True
    return False


def _is_of_arrays(unit: Unit, node: ast.expr) -> bool:
    names = (n for n in walk(node) if isinstance(n, ast.Name | ast.Attribute | ast.Call | ast.Subscript))
    return any(not unit.value(n).static and not isinstance(source_of_name(unit, n), ast.Constant) for n in names)


def source_of_name(unit: Unit, node: ast.AST) -> ast.expr | None:
    return source_of(unit, node) if isinstance(node, ast.Name) else None


def _call_waits(unit: Unit, call: ast.Call) -> bool:
    name = unit.resolve(call.func) or ""
    if name in CLOCK_READS or name in IDLE or name.startswith("time."):
        return False
    if name == "builtins.print":
        return any(not isinstance(a, ast.Constant | ast.JoinedStr) for a in call.args)
    if name.startswith(ARRAY_ROOTS):
        return name in PYTHON_VALUED
    if isinstance(call.func, ast.Attribute) and call.func.attr in GATHERS and not name:
        return False
    return _may_wait(unit.value(call.func), 0) and not _without_jax(unit, call)


def _without_jax(unit: Unit, call: ast.Call) -> bool:
    """What a call runs gets hold of no array of JAX: its file names none, nor is it or its object handed any."""
    match unit.value(call.func).callee:
        case Closure(code) if not code.scope.jax:
            owner = _owner(call)
            calls = [c for c in unit.every(ast.Call) if c is call or (owner is not None and _owner(c) == owner)]
            return all(unit.value(a).static for c in calls for a in [*c.args, *(k.value for k in c.keywords)])
    return False


def _owner(call: ast.Call) -> str | None:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else None


def _may_wait(function: Value, depth: int) -> bool:
    if jitted(function):
        return False
    match function.callee:
        case Closure(code):
            return depth >= DEEPEST or _waits_inside(code, depth)
        case Transformed(function=inner):
            return _may_wait(inner, depth)
    return True


def _waits_inside(code: Code, depth: int) -> bool:
    """A function of the project may wait: all that it calls is known not to."""
    body: list[ast.AST] = [code.node.body] if isinstance(code.node, ast.Lambda) else list(code.node.body)
    for part in walk_scope(body):
        match part:
            case ast.FormattedValue() | ast.While() | ast.With() | ast.Assert():
                return True
            case ast.If(test=test) if not isinstance(test, ast.Compare | ast.Name | ast.UnaryOp):
                return True
            case ast.Call(func=function):
                name = code.scope.annotation(function) or ""
                if name in IDLE or name in CLOCK_READS or name.startswith((*ARRAY_ROOTS, "optax.")):
                    continue
                value = code.record.values.get(function)
                if value is None or _may_wait(value, depth + 1):
                    return True
    return False
