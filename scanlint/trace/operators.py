"""Operators on abstract values."""

from __future__ import annotations

import ast

from scanlint.trace.domain.callables import Method
from scanlint.trace.domain.folding import fold_binary, fold_compare, fold_unary
from scanlint.trace.domain.values import (
    STATIC,
    STATIC_BOOL,
    UNKNOWN,
    Instance,
    Kind,
    OneOf,
    Value,
    but,
    constant,
    element_of,
    gathered,
    join_all,
    number,
)
from scanlint.trace.evaluator import Evaluator
from scanlint.trace.members import member

MOST_ITEMS = 1000
_NAMES: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip


def call_at(node: ast.AST) -> ast.Call:
    """A call in the place of an operator."""
    return ast.copy_location(ast.Call(ast.Name("operator", ast.Load()), [], []), node)


def binary_operator(self: Evaluator, node: ast.BinOp) -> Value:
    return binary(self, node.op, self.eval(node.left), self.eval(node.right), node)


def binary(self: Evaluator, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """`left op right`."""
    if left.known and right.known:
        return assumed(fold_binary(op, left.constant, right.constant), left, right) or STATIC
    for owner, other, name in ((left, right, _NAMES[type(op)]), (right, left, f"r{_NAMES[type(op)]}")):
        if isinstance(owner.callee, Instance):
            method = member(self.world, owner, f"__{name}__", self.frame.mode)
            called = self.apply(call_at(node), method, [other], {}) if method is not None else UNKNOWN
            if called is not UNKNOWN or owner is right or not isinstance(right.callee, Instance):
                return called
    if left.container and right.container:
        if isinstance(op, ast.Add) and left.items is not None and right.items is not None and _few(left, right):
            return gathered(left.container, (*left.items, *right.items))
        inner = (*(left.items or ()), *(right.items or ()))
        parts = [v for v in (left.element, right.element, *inner) if v is not None]
        return gathered(left.container, None, join_all(tuple(parts)) if parts else None)
    if (left.container == "list" or right.container == "list") and isinstance(op, ast.Mult):
        repeated = left if left.container else right
        return gathered("list", None, element_of(repeated))
    if isinstance(left.constant, str) or isinstance(right.constant, str):
        return STATIC
    return arithmetic(self, left, right, _result_dtype(op, left, right), node, product=isinstance(op, ast.MatMult))


def _few(*parts: Value) -> bool:
    """Whether containers are small enough to know their elements one by one when they are added."""
    return sum(len(part.items or ()) for part in parts) <= MOST_ITEMS


def assumed(result: Value | None, *operands: Value) -> Value | None:
    """A folded value is as certain as what it is made of."""
    if result is None or all(v.certain for v in operands):
        return result
    return but(result, origin="argument")


def arithmetic(
    self: Evaluator, left: Value, right: Value, dtype: str | None, node: ast.AST, *, product: bool = False
) -> Value:
    """The result of an operator for two operands, elementwise or as a matrix `product`: traced as soon as one is."""
    ndim = _multiplied(left.ndim, right.ndim) if product else _broadcast(left, right)
    for operand in (left, right):
        if operand.traced:
            return Value(Kind.TRACED, True, dtype=dtype, ndim=ndim, why=operand.why)
    if left.array or right.array:
        return self.made(node, None, dtype, ndim, operands=(left, right))
    if left.static and right.static:
        return but(number(left, right), dtype=dtype)
    return next((v for v in (left, right) if v.origin == "called"), UNKNOWN)


def _broadcast(left: Value, right: Value) -> int | None:
    axes = [0 if v.static and v.dtype else v.ndim for v in (left, right)]
    return None if None in axes else max(n for n in axes if n is not None)


def _multiplied(left: int | None, right: int | None) -> int | None:
    """The axes of a matrix product: a vector has one in common with the other operand, and loses it."""
    if not left or not right:
        return None
    return max(left, right) - (1 in (left, right))


_ORDER = ("bool", "int", "float", "complex")


def _result_dtype(op: ast.operator, left: Value, right: Value) -> str | None:
    if left.dtype not in _ORDER or right.dtype not in _ORDER:
        return None
    if isinstance(op, ast.Div):
        return "complex" if "complex" in (left.dtype, right.dtype) else "float"
    return max(left.dtype, right.dtype, key=_ORDER.index)


def unary_operator(self: Evaluator, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        operand = self.truth(node.operand)
        if operand.container is not None:
            return STATIC_BOOL
    else:
        operand = self.eval(node.operand)
    if operand.known:
        return assumed(fold_unary(node.op, operand.constant), operand) or STATIC
    if operand.traced:
        return but(operand, array=True, dtype="bool" if isinstance(node.op, ast.Not) else operand.dtype)
    return but(operand, callee=None) if operand.callee is None else UNKNOWN


def bool_operator(self: Evaluator, node: ast.BoolOp) -> Value:
    """`and`/`or`: traced as soon as one operand is; a constant may settle it before.

    What is not known before it is no excuse: it may hold, and then the tracer is asked.
    """
    asked: list[Value] = []
    value = UNKNOWN
    for operand in node.values:
        value = self.truth(operand)
        if not value.certain:
            asked.append(value)
        elif bool(value.constant) is isinstance(node.op, ast.Or):
            break
    if not asked:
        return value
    for value in asked:
        if value.traced:
            return but(value, dtype=asked[0].dtype if all(v.dtype == asked[0].dtype for v in asked) else None)
    return join_all(tuple(asked))


def compare_operator(self: Evaluator, node: ast.Compare) -> Value:
    values = [self.eval(node.left), *(self.eval(c) for c in node.comparators)]
    if len(node.ops) == 1:
        return _compare_two(self, node.ops[0], values[0], values[1], node)
    pairs = [
        _compare_two(self, op, left, right, node) for op, left, right in zip(node.ops, values, values[1:], strict=False)
    ]
    return next((p for p in pairs if p.traced), join_all(tuple(pairs)))


def _member(self: Evaluator, left: Value, right: Value) -> Value:
    """`left in right`: Python compares with one element after the other, and asks for the truth of each answer."""
    numbers = right.items if right.container in ("tuple", "list") else None
    plain = bool(numbers) and all(v.static and v.dtype in _ORDER for v in numbers or ())
    among = plain or (right.traced and right.container is None)
    compared = left.container is None and ((left.traced and among) or (right.traced and right.array))
    if compared and not self.caught:
        why = left.why if left.traced else right.why
        return Value(Kind.TRACED, True, dtype="bool", ndim=0, why=why)
    return STATIC_BOOL if right.container or not (right.traced and right.array) else UNKNOWN


_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
"""What functions do not have: the attribute of an object that looks like a method of it may be a field."""


def _compare_two(self: Evaluator, op: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Value:
    if left.known and right.known:
        return assumed(fold_compare(op, left.constant, right.constant), left, right) or STATIC_BOOL
    if isinstance(op, ast.Is | ast.IsNot):
        if right.known and right.constant is None and left.callee is not None and not isinstance(left.callee, OneOf):
            if left.static or isinstance(left.callee, Instance):
                return constant(isinstance(op, ast.IsNot))
        if left.present and right.known and right.constant is None:
            return constant(isinstance(op, ast.IsNot))
        return STATIC_BOOL
    if isinstance(op, ast.In | ast.NotIn):
        return _member(self, left, right)
    for side in (left, right):
        if isinstance(side.callee, Method) or (side.callee is not None and isinstance(op, _ORDERINGS)):
            return UNKNOWN
        if side.callee is not None and side.container is None:
            return STATIC_BOOL if side.static else UNKNOWN
        if side.container is not None or (isinstance(side.constant, str | None) and side.known):
            return STATIC_BOOL if (left.static and right.static) or isinstance(side.constant, str) else UNKNOWN
    found = arithmetic(self, left, right, "bool", node)
    ordered = isinstance(op, _ORDERINGS) and found.origin == "called"
    return Value(Kind.TRACED, True, dtype="bool", why=found.why) if ordered else found
