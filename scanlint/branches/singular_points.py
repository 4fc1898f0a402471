"""Functions of JAX at a point where they or their derivative are infinite, and what comes out as NaN."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scanlint.branches.linear_tests import boundary, holds_at, linear
from scanlint.dataflow.around import source_of
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import binds, reads, targets, walk_scope
from scanlint.syntax.walk import walk
from scanlint.trace.domain.callables import Closure
from scanlint.trace.unit import Unit

Kind = Literal["product", "rounded", "clamped", "clamps", "pairs", "masked"]
LOGS = words("jax.numpy.log jax.numpy.log2 jax.numpy.log10")
ROOTS = words("jax.numpy.sqrt jax.lax.sqrt")
NORMS = words("jax.numpy.linalg.norm")
WHERES = words("jax.numpy.where jax.lax.select")
CLAMPS = words("jax.numpy.maximum jax.numpy.clip jax.nn.relu jax.lax.max jax.numpy.fmax")
PRODUCTS = words(
    "jax.numpy.matmul jax.numpy.dot jax.numpy.einsum jax.numpy.inner jax.numpy.tensordot jax.numpy.outer jax.numpy.vdot"
)
SUMS = words("jax.numpy.sum jax.numpy.mean")
SQUARES = words("jax.numpy.square jax.lax.square")
SINGULAR = LOGS | ROOTS | NORMS | WHERES
SAFE = words("clip maximum where exp softplus expit sigmoid square")
"""Calls after which nothing is known to be zero."""
DEEPEST = 2


class Singular(NamedTuple):
    """A call that is infinite or NaN somewhere, or whose derivative is; `of` is what vanishes there, in the text.

    `where` is the point, if it is a number.
    """

    at: ast.Call
    kind: Kind
    of: str
    where: str = ""


def singular(unit: Unit, name: str, call: ast.Call) -> Singular | None:
    """The reason why a call of one of `SINGULAR` is NaN at some point, in value or gradient; None if none is known."""
    if not call.args or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    argument = call.args[0]
    if name in WHERES:
        return _masked(unit, call)
    if name in LOGS:
        return Singular(call, "product", ast.unparse(argument)) if _times_itself(unit, call, argument) else None
    if _is_pairwise(unit, argument, norm=name in NORMS):
        return Singular(call, "pairs", ast.unparse(argument))
    if name in NORMS:
        return None
    made = _made(unit, argument)
    inner = _clamped(unit, made)
    if inner is not None:
        expands, differentiated = _expands(unit, inner), unit.context(call).differentiated
        kind: Kind = "clamped" if expands and differentiated else "clamps"
        return Singular(call, kind, ast.unparse(argument)) if expands or differentiated else None
    return Singular(call, "rounded", ast.unparse(argument)) if _expands(unit, made) else None


# -- a number times its logarithm


def _times_itself(unit: Unit, call: ast.Call, argument: ast.expr) -> bool:
    """`p * log(p)`, where nothing is seen to keep `p` from being 0."""
    match unit.parents.get(call):
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            other = right if left is call else left
        case _:
            return False
    if ast.dump(other) != ast.dump(argument) or not isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
        return False
    value = unit.value(argument)
    if value.static or (isinstance(argument, ast.Name) and _is_safe(unit, argument)):
        return False
    if any(isinstance(a, ast.Call) and unit.resolve(a.func) in WHERES for a in unit.ancestors(call)):
        return False
    return not _tested(unit, call, argument)


def _tested(unit: Unit, place: ast.expr, argument: ast.expr) -> bool:
    """A test that fails at 0 leads to a place: of an `if`, a ternary or a `cond`."""
    inside: ast.AST = place
    for around in unit.ancestors(place):
        match around:
            case ast.If(test=test, body=body) if inside is not test:
                taken = inside in body
                still = not binds(*(body if taken else around.orelse)) & reads(argument)
            case ast.IfExp(test=test, body=then) if inside is not test:
                taken, still = inside is then, True
            case ast.Call(args=[test, then, ast.Lambda()]) if unit.resolve(around.func) == "jax.lax.cond":
                taken, still = inside is then, inside is not test
            case _:
                inside = around
                continue
        if still and holds_at(test, ast.unparse(argument), 0.0) is (not taken):
            return True
        inside = around
    return False


def _is_safe(unit: Unit, name: ast.Name) -> bool:
    """A name is bound to something that is kept from being 0, to a size, or to a number of Python."""
    sizes = (s.value for s in unit.every(ast.Assign) if any(name.id in targets(target) for target in s.targets))
    if any("shape" in ast.unparse(value) for value in sizes):
        return True
    made = source_of(unit, name)
    if isinstance(made, ast.Constant):
        return True
    if made is None:
        return False
    called = {getattr(c.func, "attr", getattr(c.func, "id", "")) for c in walk(made) if isinstance(c, ast.Call)}
    return bool(called & SAFE) or any(isinstance(p, ast.BinOp) and isinstance(p.op, ast.Add) for p in walk(made))


# -- roots of what is clamped, or may round below 0


def _made(unit: Unit, node: ast.expr) -> ast.expr:
    """What an expression stands for: that of a name, and what a function of the project returns."""
    for _ in range(DEEPEST):
        if isinstance(node, ast.Name):
            found = source_of(unit, node)
        elif isinstance(node, ast.Call) and isinstance(unit.value(node.func).callee, Closure):
            found = _returned(unit, node)
        else:
            break
        if found is None:
            break
        node = found
    return node


def _returned(unit: Unit, call: ast.Call) -> ast.expr | None:
    """The only expression that a function of the project returns, its last name looked up in the function."""
    callee = unit.value(call.func).callee
    if not isinstance(callee, Closure) or isinstance(callee.code.node, ast.Lambda):
        return (
            callee.code.node.body if isinstance(callee, Closure) and isinstance(callee.code.node, ast.Lambda) else None
        )
    parts = list(walk_scope(callee.code.node.body))
    returned = [p.value for p in parts if isinstance(p, ast.Return)]
    if len(returned) != 1 or returned[0] is None:
        return None
    if not isinstance(returned[0], ast.Name):
        return returned[0]
    bound = [p.value for p in parts if isinstance(p, ast.Assign) and _binds(p, returned[0].id)]
    return bound[0] if len(bound) == 1 else None


def _binds(statement: ast.Assign, name: str) -> bool:
    match statement.targets:
        case [ast.Name(id=bound)]:
            return bound == name
    return False


def _called(unit: Unit, call: ast.Call) -> str:
    """The canonical name of a call, as far as the imports of this file spell it, else by its last name."""
    name = unit.resolve(call.func)
    return name or f"jax.numpy.{getattr(call.func, 'attr', '')}"


def _clamped(unit: Unit, node: ast.expr) -> ast.expr | None:
    """What an expression keeps from being less than 0, by `maximum` or `clip`."""
    match node:
        case ast.Call(args=[value]) if _called(unit, node) == "jax.nn.relu":
            return value
        case ast.Call(args=[first, second, *_]) if _called(unit, node) in CLAMPS:
            if _is_zero(second):
                return first
            return second if _is_zero(first) and _called(unit, node) != "jax.numpy.clip" else None
    return None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0) and not isinstance(node.value, bool)


def _expands(unit: Unit, node: ast.expr) -> bool:
    """A sum of squares less twice a product of matrices: 0 for equal points, but for its rounding."""
    terms = list(_terms(node, 1))
    if len(terms) != 3:
        return False
    less = [t for sign, t in terms if sign < 0 and _twice(unit, t)]
    return len(less) == 1 and sum(1 for sign, t in terms if sign > 0 and not isinstance(t, ast.Constant)) == 2


def _terms(node: ast.expr, sign: int) -> Iterator[tuple[int, ast.expr]]:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, -sign)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from _terms(operand, -sign)
        case _:
            yield sign, node


def _twice(unit: Unit, term: ast.expr) -> bool:
    """A term is 2 times a product of matrices or vectors."""
    factors = list(walk(term))
    two = any(isinstance(p, ast.Constant) and p.value in (2, 2.0) for p in factors)
    made = any(
        (isinstance(p, ast.BinOp) and isinstance(p.op, ast.MatMult))
        or (isinstance(p, ast.Call) and _called(unit, p) in PRODUCTS)
        for p in factors
    )
    return two and made


# -- distances of all pairs of the same points


def _is_pairwise(unit: Unit, argument: ast.expr, *, norm: bool) -> bool:
    """The distance of each point to itself is among what a root or norm is taken of, in differentiated code."""
    if not unit.context(argument).differentiated:
        return False
    made = _made(unit, argument)
    if not norm:
        match made:
            case ast.Call(args=[inner, *_]) if _called(unit, made) in SUMS:
                made = _base(unit, inner)
            case _:
                return False
    made = _made(unit, made)
    match made:
        case ast.BinOp(left=ast.Subscript(value=left, slice=first), op=ast.Sub(), right=right):
            other = right.value if isinstance(right, ast.Subscript) else right
            second = ast.dump(right.slice) if isinstance(right, ast.Subscript) else ""
            spread = any(isinstance(p, ast.Constant) and p.value is None for p in walk(first))
            return spread and ast.dump(left) == ast.dump(other) and ast.dump(first) != second
    return False


def _base(unit: Unit, node: ast.expr) -> ast.expr:
    """What is squared."""
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2)):
            return left
        case ast.Call(args=[inner]) if _called(unit, node) in SQUARES:
            return inner
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if ast.dump(left) == ast.dump(right):
            return left
    return node


# -- a `where` behind what it is to keep from being computed


def _masked(unit: Unit, call: ast.Call) -> Singular | None:
    """An arm of a `where` that is infinite where its test is against it: its gradient is NaN there all the same."""
    if len(call.args) != 3 or not unit.context(call).differentiated:
        return None
    test, then, other = call.args
    for arm, taken in ((then, True), (other, False)):
        for place, name, point in _points(unit, arm):
            if holds_at(test, name, point) is (not taken) and point in (0.0, boundary(test, name)):
                return Singular(call, "masked", ast.unparse(place), f"`{name}` == {point + 0.0:g}")
    return None


def _points(unit: Unit, arm: ast.expr) -> Iterator[tuple[ast.expr, str, float]]:
    """The operations of an arm that have a singular point: which, of what name, and where."""
    for part in walk(arm):
        argument: ast.expr | None = None
        match part:
            case ast.Call(args=[first, *_]) if _called(unit, part) in LOGS | ROOTS:
                argument = first
            case ast.BinOp(op=ast.Div(), right=right):
                argument = right
        line = linear(argument) if argument is not None else None
        if line is not None and isinstance(part, ast.expr):
            name, slope, offset = line
            if slope:
                yield part, name, -offset / slope
