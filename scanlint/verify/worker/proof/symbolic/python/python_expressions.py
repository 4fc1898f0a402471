"""What an expression gives."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..polynomials import NotProved
from .doubles import Double, doubled, is_double, rounded
from .followed_paths import MOST_START
from .numbers_of_trips import COMPARISONS, OPERATORS, compared, computed, is_array, whole
from .python_items import PythonItems
from .python_values import (
    PLAIN,
    UNBOUND,
    Blank,
    ListRows,
    NameFrame,
    PythonFunction,
    Question,
    SpreadItems,
    SymbolicInt,
    Table,
    UnknownNumber,
    Value,
    kept,
    objects,
    refuse,
)

KNOWN_BUILTINS: dict[str, Value] = {
    f.__name__: f
    for f in (range, len, enumerate, zip, reversed, list, tuple, dict, min, max, abs, int, float, bool, sum, round)
}


MOST_TRIPS, LONGEST = 2**20, 2**30
"""How many trips of a loop are meant that moves whole numbers where data decide it; and of a loop that data end."""
SIGNS: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert
}  # fmt: skip


class PythonExpressions(PythonItems):
    """Each expression that is known, and its meaning."""

    def closure(self, node: ast.FunctionDef | ast.Lambda, frame: NameFrame) -> PythonFunction:
        raise NotImplementedError

    def call_node(self, node: ast.Call, frame: NameFrame) -> Value:
        raise NotImplementedError

    def noted(self, holder: NameFrame, name: str, found: Value) -> None:
        raise NotImplementedError

    def of_module(self, node: ast.FunctionDef, found: Value) -> Value:
        raise NotImplementedError

    moved = 0  # by how much data have moved whole numbers on this trip
    moved_by: dict[object, int]  # by how much, at most, on all trips of each loop
    running: object = None  # the loop that is run
    module: Mapping[str, object]
    functions: Mapping[str, ast.FunctionDef]

    def value(self, node: ast.expr, frame: NameFrame) -> Value:
        match node:
            case ast.Constant(value=value) if isinstance(value, PLAIN) or value is Ellipsis:
                return value
            case ast.Name(id=name):
                return self.known(name, frame)
            case ast.Attribute(value=owner, attr=attr):
                return self.attribute(self.value(owner, frame), attr)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(type(op), self.value(left, frame), self.value(right, frame))
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(type(op), self.value(operand, frame))
            case ast.BoolOp(op=op, values=values):
                for part in values[:-1]:
                    found = self.value(part, frame)
                    if self.truth(found) != isinstance(op, ast.And):
                        return found
                return self.value(values[-1], frame)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.comparison(self.value(left, frame), ops, others, frame)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.truth(self.value(test, frame)) else orelse, frame)
            case ast.Tuple(elts=elts):
                return tuple(map(kept, self.elements(elts, frame)))
            case ast.List(elts=elts):
                return ListRows(list(map(kept, self.elements(elts, frame))), self.depth)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                found = [(self.value(k, frame) if k else UNBOUND, kept(self.value(v, frame))) for k, v in pairs]
                return self.table([k for k, _ in found], [v for _, v in found])
            case ast.Subscript(value=owner, slice=key):
                return self.item(self.value(owner, frame), self.value(key, frame))
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(self.value(x, frame) if x is not None else None for x in (lower, upper, step)))
            case ast.Lambda():
                return self.closure(node, frame)
            case ast.Call():
                return self.call_node(node, frame)
            case ast.ListComp():
                return self.comprehension(node, frame)
            case ast.NamedExpr():
                return self.named_expression(node, frame)
        return refuse(node)

    def named_expression(self, node: ast.NamedExpr, frame: NameFrame) -> Value:
        name = node.target.id
        if name not in frame.own or "" in frame.names:
            refuse(node)
        frame.names[name] = kept(self.value(node.value, frame))
        return frame.names[name]

    def known(self, name: str, frame: NameFrame) -> Value:
        holder = frame.holder(name)
        if holder is not None:
            found = holder.held(name)
            self.noted(holder, name, found)
            return found
        if name not in self.module:
            if name not in KNOWN_BUILTINS:
                raise NotProved(f"`{name}` is not known")
            return KNOWN_BUILTINS[name]
        found, node = self.module[name], self.functions.get(name)
        return self.of_module(node, found) if node is not None else self.taken(found, -1)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: NameFrame) -> Value:
        raise NotImplementedError

    def elements(
        self, nodes: Sequence[ast.expr], frame: NameFrame, *, consumed: bool = False, spread: bool = False
    ) -> Sequence[Value]:
        """The values; a generator is one of the arguments of what goes over it at once."""
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.value(node.value, frame)
                if isinstance(inner, ListRows) and inner.plain is None and spread:
                    found.append(SpreadItems(inner))
                    continue
                items = inner.plain if isinstance(inner, ListRows) else inner
                if not isinstance(items, tuple | list):
                    refuse(node)
                found += items
            elif isinstance(node, ast.GeneratorExp) and consumed:
                found.append(self.comprehension(node, frame))
            elif isinstance(node, ast.GeneratorExp):
                refuse(node)
            else:
                found.append(self.value(node, frame))
        return found

    def table(self, keys: Sequence[Value], values: Sequence[Value]) -> Table:
        found: dict[object, Value] = {}
        for key, value in zip(keys, values, strict=True):
            if key is UNBOUND and isinstance(value, Table):
                found |= value.items
            elif isinstance(key, str | int):
                found[key] = value
            else:
                raise NotProved("a dict whose keys are not names or numbers")
        return Table(found, self.depth)

    def binary(self, op: type[ast.operator], left: Value, right: Value) -> Value:
        if isinstance(left, PLAIN) and isinstance(right, PLAIN):
            return OPERATORS[op](left, right)
        if is_array(left) or is_array(right):
            self.beside_array(left, right, op is ast.Pow)
            return self.taken(OPERATORS[op](self.beside(left, right), self.beside(right, left)))
        if (counted := self.counted_by_data(op, left, right)) is not None:
            return counted
        if is_double(op, left, right):
            return doubled(self.integers, op.__name__, left, right)
        if op is ast.Mult and isinstance(left, ListRows) and isinstance(right, SymbolicInt):
            return self.blank_list(left, right)
        if isinstance(left, SymbolicInt) or isinstance(right, SymbolicInt):
            return computed(op, left, right, self.integers)
        if op is ast.Add and type(left) is tuple and type(right) is tuple:
            return left + right
        if (
            op is ast.Add
            and isinstance(left, ListRows)
            and isinstance(right, ListRows)
            and left.added is right.added is None
            and left.blank is right.blank is None
        ):
            return ListRows([*left.parts, *right.parts], self.depth)
        if op is ast.Mult and type(left) is tuple and type(right) is int:
            return left * right
        if op is ast.Mult and isinstance(left, ListRows) and left.plain is not None and type(right) is int:
            return ListRows(left.plain * right, self.depth)
        raise NotProved("an operation on what is no number and no array")

    def blank_list(self, rows: ListRows, count: SymbolicInt) -> ListRows:
        if rows.plain is None or len(rows.plain) != 1 or any(True for _ in objects(rows.plain[0])):
            raise NotProved("a list of several items, or of one list, many times")
        if any(n in self.traced.trips for n in self.integers.free(count.value)) or not self.integers.at_least_zero(
            count.value
        ):
            raise NotProved("a list of which it is not known how long it is")
        return ListRows([Blank(count.value, rows.plain[0])], self.depth)

    def counted_by_data(self, op: type[ast.operator], left: Value, right: Value) -> UnknownNumber | None:
        """A whole number that data decide, a little more or less: it stays in its type for all trips that are meant."""
        if op is ast.Add and isinstance(right, UnknownNumber):
            left, right = right, left
        if op not in (ast.Add, ast.Sub) or not isinstance(left, UnknownNumber) or type(right) is not int:
            return None
        kind = left.array.dtype
        self.moved += abs(right)
        if kind.kind != "i" or kind.itemsize < 4 or not left.array.weak_type or self.depth > 1:
            return None
        highest = [high for name, (_, high) in self.integers.ranges.items() if name in self.traced.trips]
        few = min(self.integers.most, MOST_TRIPS)
        before, self.integers.most = self.integers.most, few
        known = all(self.integers.at_least_zero(MOST_TRIPS - high) for high in highest)
        self.integers.most = few if known else before
        self.moved_by[self.running] = max(self.moved_by.get(self.running, 0), self.moved * (few if known else LONGEST))
        if sum(self.moved_by.values()) > MOST_START + 1:
            return None
        return UnknownNumber(OPERATORS[op](left.array, right))  # type: ignore[arg-type]

    def beside_array(self, left: Value, right: Value, power: bool = False) -> None:
        """Require that JAX computes with both as it does where none of them is a symbol."""
        for one, other in ((left, right), (right, left)):
            if not is_array(one) and not isinstance(
                one, (bool, int, float, complex, SymbolicInt, Question, UnknownNumber, Double)
            ):
                raise NotProved("an array beside what is no number")
            if isinstance(one, SymbolicInt | Question | UnknownNumber | Double) and not isinstance(other, jax.Array):
                raise NotProved("a number that is not known beside an array of NumPy")
            whole = isinstance(one, SymbolicInt | Double) or (
                isinstance(one, UnknownNumber) and one.array.dtype.kind in "iu"
            )
            if whole and power:
                raise NotProved("a power that depends on a size or a trip: JAX multiplies where it is a number")
            if (
                isinstance(one, UnknownNumber)
                and is_array(other)
                and not one.array.weak_type
                and one.array.dtype.kind != "b"
            ):
                weak = getattr(other, "weak_type", False)
                if one.array.dtype != getattr(other, "dtype", None) or (one.of_array and weak):
                    raise NotProved("a number of Python that may be an array of another type")

    def beside(self, value: Value, other: Value) -> object:
        """An operand as JAX takes it: a float of Python is rounded once, to the type of the array beside it."""
        found, kind = self.given(value), getattr(other, "dtype", None)
        narrow = kind is not None and jnp.issubdtype(kind, jnp.floating) and kind.itemsize < jnp.asarray(0.0).itemsize
        of_python = isinstance(value, Double) or (isinstance(value, UnknownNumber) and value.array.dtype.kind == "f")
        return rounded(found, kind) if narrow and of_python else found

    def unary(self, op: type[ast.unaryop], value: Value) -> Value:
        if op is ast.Not:
            return not self.truth(value)
        if isinstance(value, Double) and op is ast.USub:
            return doubled(self.integers, "USub", value)
        if isinstance(value, SymbolicInt) and op in (ast.USub, ast.UAdd):
            return whole(-value.value) if op is ast.USub else value
        if isinstance(value, UnknownNumber) and value.array.weak_type and op is ast.USub and value.array.dtype != bool:
            return dataclasses.replace(value, array=-value.array)
        if is_array(value) or isinstance(value, bool | int | float | complex):
            return SIGNS[op](value)
        raise NotProved("an operation on what is no number and no array")

    def comparison(self, left: Value, ops: Sequence[ast.cmpop], others: Sequence[ast.expr], frame: NameFrame) -> Value:
        found: Value = True
        for k, (op, other) in enumerate(zip(ops, others, strict=True)):
            right = self.value(other, frame)
            found = self.one_comparison(type(op), left, right)
            if k + 1 < len(ops) and not self.truth(found):
                return found
            left = right
        return found

    def one_comparison(self, op: type[ast.cmpop], left: Value, right: Value) -> Value:
        if op in (ast.Is, ast.IsNot):
            if left is not None and right is not None:
                raise NotProved("whether two objects are one")
            return (left is right) == (op is ast.Is)
        if op in (ast.In, ast.NotIn):
            if isinstance(left, PLAIN) and isinstance(right, Table):
                return (left in right.items) == (op is ast.In)
            if isinstance(left, PLAIN) and isinstance(right, tuple) and all(isinstance(x, PLAIN) for x in right):
                return (left in right) == (op is ast.In)
            raise NotProved("whether something is in what is not known")
        if isinstance(left, PLAIN) and isinstance(right, PLAIN):
            return COMPARISONS[op](left, right)
        if is_array(left) or is_array(right):
            self.beside_array(left, right)
            return self.taken(COMPARISONS[op](self.beside(left, right), self.beside(right, left)))
        if isinstance(left, SymbolicInt) or isinstance(right, SymbolicInt):
            return compared(op, left, right, self.integers)
        if isinstance(left, tuple) and isinstance(right, tuple) and op in (ast.Eq, ast.NotEq):
            if any(map(unlike_itself, (*left, *right))):
                raise NotProved("tuples of floats: an object that is NaN equals itself there")
            if len(left) != len(right):
                return op is ast.NotEq
            same = all(self.truth(self.one_comparison(ast.Eq, a, b)) for a, b in zip(left, right, strict=True))
            return same == (op is ast.Eq)
        raise NotProved("a comparison of what is no number and no array")


def unlike_itself(value: Value) -> bool:
    """Whether a value may be NaN, or hold one where no tuple is."""
    kind = value.array.dtype.kind if isinstance(value, UnknownNumber) else getattr(value, "dtype", np.dtype(int)).kind
    return isinstance(value, float | complex | Double | ListRows | Table) or kind not in "iub"
