"""Arguments that must be Python values: static ones of a jit, and those that end as an axis, a shape or a range."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Names, targets, walk_scope
from scanlint.trace.calls.jax_results import ELEMENTWISE
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import UNKNOWN, Value
from scanlint.trace.unit import Unit

Uses = Callable[[Code, ast.AST, int], Iterator[ast.expr]]
DEEPEST = 3
KEYWORDS = words("axis axes shape length num dims num_classes size indices_or_sections k offset")
"""Keywords of JAX's functions that take Python values."""
SECOND = words(
    "sum mean max min prod any all cumsum cumprod argmax argmin std var median sort argsort stack concatenate "
    "expand_dims squeeze reshape broadcast_to tile transpose moveaxis swapaxes split array_split flip logsumexp "
    "softmax log_softmax normal uniform one_hot matrix_power pad repeat tril triu diag rot90 vander top_k"
)
"""JAX's functions whose arguments from the second one on are Python values."""
ALL = words("zeros ones empty eye tri identity arange")
PARTIALS = words("functools.partial jax.tree_util.Partial")
MAKES = words("array asarray stack fold_in")
"""JAX's functions that take a tracer for any of their arguments, beside the elementwise ones."""
HOST = frozenset(f"builtins.{n}" for n in words("range int float bool str print"))


def static_arguments(unit: Unit, call: ast.Call) -> list[ast.expr]:
    """What a call hands in for parameters that must be Python values; what it makes a partial of, too."""
    if unit.resolve(call.func) in PARTIALS and call.args:
        return _handed(unit.value(call.args[0]), ast.Call(call.func, call.args[1:], call.keywords), _uses, 0)
    return _handed(unit.value(call.func), call, _uses, 0)


def library_arguments(name: str, call: ast.Call) -> list[ast.expr]:
    """What a call of a function of JAX hands in for parameters that are Python values: axes, shapes, counts."""
    last = name.rpartition(".")[2]
    placed = call.args[1 : 3 if last == "uniform" else None] if last in SECOND else []  # then come its bounds
    return [*placed, *(k.value for k in call.keywords if k.arg in KEYWORDS)]


def tested_arguments(unit: Unit, call: ast.Call) -> list[ast.expr]:
    """What a call hands in for parameters whose value decides a branch."""
    return _handed(unit.value(call.func), call, _tests, 0)


def takes_tracers(unit: Unit, call: ast.Call, given: list[ast.expr]) -> bool:
    """Whether a function of the project would take tracers for some of the arguments of a call of it."""
    match unit.value(call.func).callee:
        case Closure():
            needed = [a for uses in (_uses, _tests, _host) for a in _handed(unit.value(call.func), call, uses, 0)]
            return not any(argument is part for argument in needed for part in given)
    return False


def _handed(function: Value, call: ast.Call, uses: Uses, depth: int, shift: int = 0) -> list[ast.expr]:
    match function.callee:
        case Transformed(_, inner, static):
            found = _placed(inner, static, call, shift) if static and uses is _uses else []
            return [*found, *_handed(inner, call, uses, depth, shift)]
        case Partial(inner, args):
            return _handed(inner, call, uses, depth, shift + len(args))
        case Closure(code) if depth < DEEPEST:
            return _placed(function, needed(code, uses, depth), call, shift)
    return []


def _placed(function: Value, wanted: Names, call: ast.Call, shift: int) -> list[ast.expr]:
    """The arguments of a call for some parameters; `shift` of them are given already."""
    match function.callee:
        case Closure(code, _, receiver):
            names = [a.arg for a in code.positional()][receiver is not None :][shift:]
            placed = [a for a, name in zip(call.args, names, strict=False) if name in wanted]
            return [*placed, *(k.value for k in call.keywords if k.arg in wanted)]
    return []


def needed(code: Code, uses: Uses, depth: int = 0) -> Names:
    """The parameters of a function that it needs as Python values, for uses of a kind; worked out once for each run."""
    key = (uses, depth, code.runs)
    if key not in code.needs:
        code.needs[key] = frozenset(_needed(code, uses, depth))
    return code.needs[key]


def _needed(code: Code, uses: Uses, depth: int) -> Iterator[str]:
    body = [code.node.body] if isinstance(code.node, ast.Lambda) else code.node.body
    parts = list(walk_scope(body))
    used = [expression for part in parts for expression in uses(code, part, depth)]
    made = [part for part in parts if isinstance(part, ast.Assign | ast.For)]
    for parameter in code.parameters() if used else []:
        names = _numbers(made, parameter.arg)
        if any(_plain(use, names) for use in used):
            yield parameter.arg


def _numbers(made: list[ast.Assign | ast.For], parameter: str) -> set[str]:
    """A parameter, and the names that are bound to what is worked out of it without JAX."""
    names = {parameter}
    for part in made:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _plain(value, names):
                names.add(name)
            case ast.For(target=target, iter=ast.Call(func=ast.Name(id="range"), args=args)):
                names |= set(targets(target)) if any(_plain(a, names) for a in args) else set()
    return names


def _plain(node: ast.expr, names: Collection[str]) -> bool:
    """Whether an expression is arithmetic on one of these names, or a tuple of such."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right):
            return _plain(left, names) or _plain(right, names)
        case ast.UnaryOp(operand=inner) | ast.Starred(value=inner):
            return _plain(inner, names)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_plain(part, names) for part in parts)
    return False


def _uses(code: Code, part: ast.AST, depth: int) -> Iterator[ast.expr]:
    """The expressions that a statement or an expression needs as Python values."""
    match part:
        case ast.Slice(lower=low, upper=high, step=step):
            yield from (p for p in (low, high, step) if p is not None)
        case ast.FormattedValue(value=value):
            yield value
        case ast.Call(func=function, args=args):
            name = code.scope.annotation(function) or ""
            last = name.rpartition(".")[2]
            if name in HOST or (name.startswith("jax.") and last in ALL):
                yield from args
            elif name.startswith("jax."):
                yield from library_arguments(name, part)
            elif not name and isinstance(function, ast.Attribute) and function.attr in SECOND:
                yield from [*args, *(k.value for k in part.keywords if k.arg in KEYWORDS)]
            else:
                yield from _handed(_called(code, function), part, _uses, depth + 1)


def _tests(code: Code, part: ast.AST, depth: int) -> Iterator[ast.expr]:
    """The expressions that decide a branch."""
    match part:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield from _compared(test)
        case ast.Call(func=function):
            yield from _handed(_called(code, function), part, _tests, depth + 1)


def _host(code: Code, part: ast.AST, depth: int) -> Iterator[ast.expr]:
    """The expressions that go to functions of the host, to a place of what is no array, or into a test."""
    match part:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
            yield from (n for n in ast.walk(test) if isinstance(n, ast.Name))
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.In() | ast.NotIn()] | [_, _, *_]):
            yield from (n for n in ast.walk(part) if isinstance(n, ast.Name))
        case ast.Subscript(value=container, slice=at) if not code.record.values.get(container, UNKNOWN).array:
            yield at
        case ast.Call(func=function):
            given = [*part.args, *(k.value for k in part.keywords)]
            name = code.scope.annotation(function) or ""
            called = _called(code, function)
            if name.startswith("jax."):
                yield from given if name.rpartition(".")[2] not in ELEMENTWISE | MAKES else ()
                return
            if isinstance(called.callee, Closure) and depth < DEEPEST:
                yield from _handed(called, part, _host, depth + 1)
            else:
                yield from given


def _compared(test: ast.expr) -> Iterator[ast.expr]:
    """What a test compares by its size."""
    for part in ast.walk(test):
        match part:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
                yield from (left, *part.comparators)


def _called(code: Code, function: ast.expr) -> Value:
    known = code.record.values.get(function)
    if known is not None and known.callee is not None:
        return known
    found = code.scope.lookup(function.id) if isinstance(function, ast.Name) else None
    return found if found is not None else known or UNKNOWN
