"""Rows that NumPy may have made: whether they go into JAX as they are, before anything is worked out of them.

A row that `vmap` hands in has been made single precision at its door, while a loop hands in NumPy's doubles: what is
computed of them on the host (`row - start`) is computed in double precision, and rounded only where JAX takes it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scanlint.finding import Withheld
from scanlint.host.numpy_made import handed
from scanlint.host.provenance import Origins, nothing_called
from scanlint.host.purity import EAGER
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Names, parameters
from scanlint.trace.calls.jax_results import SAME_ATTRIBUTES
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import OneOf
from scanlint.trace.unit import Unit

ARRANGED = words("reshape ravel flatten transpose copy squeeze swapaxes take repeat diagonal")
"""Methods that change no number."""
AS_IT_IS = frozenset(f"numpy.{n}" for n in words("asarray array ascontiguousarray atleast_1d atleast_2d float32")) | {
    f"builtins.{n}" for n in words("float tuple list zip enumerate reversed iter next")
}
ASKS = frozenset(f"builtins.{n}" for n in words("len isinstance type hasattr id print repr str")) | {
    f"numpy.{n}" for n in words("shape ndim size")
}
SINGLE = words("jax.numpy.float32 numpy.float32 jax.numpy.bfloat16 jax.numpy.float16")
STORES = words("append extend insert add")
DEEPEST = 6


def surely_jax(unit: Unit, array: ast.expr) -> bool:
    """Whether an array surely is one of JAX: by what makes it, or as each call in the file hands in such a one."""
    if Origins.of(unit).sure(array):
        return True
    match array:
        case ast.Name(id=name) if isinstance(unit.node, ast.FunctionDef) and name in parameters(unit.node.args):
            given = list(handed(unit, unit.node, name))
            asked = (Origins(around, unit.file.resolve, nothing_called).sure(value) for around, value in given)
            return bool(given) and all(asked)
    return False


def worked_out(
    unit: Unit, statements: Iterable[ast.stmt], elements: Iterable[ast.expr], names: Names, places: Iterable[ast.expr]
) -> ast.expr | None:
    """What is worked out on the host of rows, which these names and places are; None if all go into JAX as they are."""
    doors = _Doors(Origins.of(unit), set(names), frozenset(places))
    try:
        doors.block(statements)
        for element in elements:
            doors.is_row(element)
    except _Computed as found:
        return found.node
    return None


def by_the_host(unit: Unit, array: ast.expr, node: ast.expr) -> Withheld:
    """Why the rows of an array that NumPy may have made stay on the host."""
    what = f"`{ast.unparse(node)}` is worked out in double precision if `{ast.unparse(array)}` is an array of NumPy"
    return Withheld("numpy-rows", f"{what} (line {node.lineno}): annotate `{ast.unparse(array)}` as `jax.Array`")


class _Computed(Exception):
    """Something is worked out of a row on the host."""

    def __init__(self, node: ast.expr) -> None:
        super().__init__()
        self.node = node


@dataclass
class _Doors:
    """Follows the rows through one function; `rows` are the names that hold such, or parts of them."""

    origins: Origins
    rows: set[str]
    places: frozenset[ast.expr] = frozenset()
    depth: int = 0
    running: frozenset[tuple[ast.AST, Names]] = frozenset()
    returned: bool = field(default=False)

    # -- statements

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=bound, value=value):
                for target in bound:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, value)
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                both = ast.BinOp(ast.copy_location(ast.Name(target.id, ast.Load()), target), op, value)
                self._bind(target, ast.copy_location(both, statement))
            case ast.Return(value=ast.expr() as value):
                self.returned |= self.is_row(value)
            case ast.If(test=test) | ast.While(test=test):
                self._asked(test)
                self._either(statement.body, statement.orelse)
            case ast.For(target=target, iter=over):
                self._hold(target, self.is_row(over))
                for _ in range(2):
                    self._either(statement.body, statement.orelse)
            case ast.FunctionDef(name=name, args=args, body=body):
                self._function(name, frozenset(parameters(args)), body)
            case _:
                self._parts(statement)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ((ast.Tuple(elts=into) | ast.List(elts=into)), (ast.Tuple(elts=parts) | ast.List(elts=parts))) if len(
                into
            ) == len(parts) and not any(isinstance(p, ast.Starred) for p in (*into, *parts)):
                found = [self.is_row(part) for part in parts]
                for one, row in zip(into, found, strict=True):
                    self._hold(one, row)
            case _:
                self._hold(target, self.is_row(value))

    def _hold(self, target: ast.expr, row: bool) -> None:
        """What a target is bound to; a container holds what is put into it, and what it held before."""
        match target:
            case ast.Name(id=name):
                (self.rows.add if row else self.rows.discard)(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._hold(part, row)
            case ast.Starred(value=inner):
                self._hold(inner, row)
            case ast.Subscript() | ast.Attribute() if row:
                self.rows |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}

    def _either(self, *ways: list[ast.stmt]) -> None:
        before, after = set(self.rows), set[str]()
        for way in ways:
            self.rows = set(before)
            self.block(way)
            after |= self.rows
        self.rows = after

    def _function(self, name: str, own: Names, body: list[ast.stmt]) -> None:
        """A function made here: what it gives is a row where it returns one."""
        inner = _Doors(self.origins, self.rows - own, self.places, self.depth, self.running)
        inner.block(body)
        (self.rows.add if inner.returned else self.rows.discard)(name)

    def _parts(self, statement: ast.AST) -> None:
        for child in ast.iter_child_nodes(statement):
            match child:
                case ast.stmt():
                    self._statement(child)
                case ast.expr():
                    self.is_row(child)
                case _:
                    self._parts(child)

    # -- expressions

    def is_row(self, node: ast.expr) -> bool:
        """Whether an expression is a row, or a part of one, as NumPy made it; raises where it is worked out of one."""
        if node in self.places:
            return True
        match node:
            case ast.Name(id=name):
                return name in self.rows
            case ast.Subscript(value=inner, slice=at):
                self.is_row(at)
                return self.is_row(inner)
            case ast.Attribute(value=inner, attr=attr):
                return self.is_row(inner) and attr in SAME_ATTRIBUTES
            case ast.BinOp():
                return self._operated(node)
            case ast.UnaryOp(op=op, operand=inner):
                return self._asked(inner) if isinstance(op, ast.Not) else self.is_row(inner)
            case ast.Compare():
                return self._compared(node)
            case ast.BoolOp(values=values):
                return self._any(values, asked=True)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._asked(test)
                return self._any([body, orelse])
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) | ast.SetComp(elt=element):
                return self._comprehension(node, element)
            case ast.Lambda(args=args, body=body):
                rows = self.rows - set(parameters(args))
                return _Doors(self.origins, rows, self.places, self.depth, self.running).is_row(body)
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
                return target.id in self.rows
            case ast.Call():
                return self._called(node)
        return self._any(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _any(self, nodes: Iterable[ast.expr], *, asked: bool = False) -> bool:
        """Whether some of these are rows, each of which is looked at."""
        found = [self._asked(node) if asked else self.is_row(node) for node in nodes]
        return any(found)

    def _asked(self, test: ast.expr) -> bool:
        """The truth of a row is asked for on the host."""
        if self.is_row(test):
            raise _Computed(test)
        return False

    def _operated(self, node: ast.BinOp) -> bool:
        left, op, right = node.left, node.op, node.right
        rows = self.is_row(left), self.is_row(right)
        if not any(rows):
            return False
        other = right if rows[0] else left
        if all(rows) or not (self.origins.sure(other) or _exact(op, other, first=rows[1])):
            raise _Computed(node)
        return not self.origins.sure(other)

    def _compared(self, node: ast.Compare) -> bool:
        sides = [node.left, *node.comparators]
        rows = [self.is_row(side) for side in sides]
        same = all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
        jax = all(row or self.origins.sure(side) for side, row in zip(sides, rows, strict=True))
        if any(rows) and not same and not (jax and sum(rows) == 1):
            raise _Computed(node)
        return False

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, element: ast.expr) -> bool:
        inner = _Doors(self.origins, set(self.rows), self.places, self.depth, self.running)
        for one in node.generators:
            inner._hold(one.target, inner.is_row(one.iter))
            for test in one.ifs:
                inner._asked(test)
        return inner.is_row(element)

    # -- calls

    def _called(self, call: ast.Call) -> bool:
        given = [*call.args, *(k.value for k in call.keywords)]
        rows = [self.is_row(value) for value in given]
        match call.func:
            case ast.Attribute(value=receiver, attr=attr) if self.is_row(receiver):
                return self._method(call, attr)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if any(rows) and attr in STORES:
                self.rows.add(name)
                return False
            case ast.Attribute():
                pass
            case function if self.is_row(function):
                return True
        name = self.origins.resolve(call.func) or ""
        if not any(rows) or name.startswith("jax.") or name in ASKS:
            return False
        if name in AS_IT_IS:
            return True
        return self._runs(self.origins.callee(call.func), call, rows)

    def _method(self, call: ast.Call, attr: str) -> bool:
        single = attr == "astype" and len(call.args) == 1 and self.origins.resolve(call.args[0]) in SINGLE
        if attr in ARRANGED or single:
            return True
        raise _Computed(call)

    def _runs(self, callee: object | None, call: ast.Call, rows: list[bool]) -> bool:
        """Whether a function that is handed rows gives one."""
        match callee:
            case Transformed(function=inner, transform=transform):
                return self._runs(inner.callee, call, rows) if transform in EAGER else False
            case OneOf(values):
                found = [self._runs(value.callee, call, rows) for value in values]
                return any(found)
            case Closure(code):
                return self._within(code, call, frozenset(_taken(code, call, rows)))
            case Partial(function=inner):
                match inner.callee:
                    case Closure(code):
                        return self._within(code, call, frozenset(parameters(code.node.args)), bound=True)
                return self._runs(inner.callee, call, rows)
        raise _Computed(call)

    def _within(self, code: Code, call: ast.Call, rows: Names, *, bound: bool = False) -> bool:
        """Whether a function gives a row that is handed some; `bound`: some arguments were given to it before."""
        key = code.node, rows
        if key in self.running:
            return False  # what it gives is known by its other returns
        origins, running = self.origins.within(code, None if bound else call), self.running | {key}
        inner = _Doors(origins, set(rows), depth=self.depth + 1, running=running)
        try:
            if self.depth >= DEEPEST:
                raise _Computed(call)
            if isinstance(code.node, ast.Lambda):
                return inner.is_row(code.node.body)
            inner.block(code.node.body)
        except _Computed:
            raise _Computed(call) from None
        return inner.returned


def _taken(code: Code, call: ast.Call, rows: list[bool]) -> Iterator[str]:
    """The parameters that a call hands rows; all of them where that is not plain."""
    names = [n for n in parameters(code.node.args) if not (code.owner is not None and n in ("self", "cls"))]
    placed, named = rows[: len(call.args)], rows[len(call.args) :]
    plain = not any(isinstance(a, ast.Starred) for a in call.args) and all(k.arg in names for k in call.keywords)
    if not plain or len(call.args) > len(names):
        yield from names
        return
    yield from (name for name, row in zip(names, placed, strict=False) if row)
    yield from (k.arg for k, row in zip(call.keywords, named, strict=True) if row and k.arg is not None)


def _exact(op: ast.operator, other: ast.expr, *, first: bool) -> bool:
    """Whether a power of two is multiplied by, or divided by: that is exact in each precision."""
    match other:
        case ast.Constant(value=int() | float() as number) if number and math.isfinite(number):
            by = isinstance(op, ast.Mult) or (isinstance(op, ast.Div) and not first)
            return by and math.frexp(abs(number))[0] == 0.5
    return False
