"""Rows that NumPy may have made go into JAX as they are, or something is worked out of them on the host.

A row that `vmap` hands in has been made single precision at its door, while a loop hands in NumPy's doubles: what is
computed of them on the host (`row - start`) is computed in double precision, and rounded only where JAX takes it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from scanlint.finding import Withheld
from scanlint.host.provenance import SIDE_BY_SIDE, Origins, nothing_called
from scanlint.host.purity import EAGER, HOST
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Names, defaults, parameters, targets
from scanlint.trace.calls.jax_results import ARRAY_METHODS, STATIC_ATTRIBUTES
from scanlint.trace.calls.methods import MUTATORS
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import OneOf
from scanlint.trace.hints.numpy_made import handed
from scanlint.trace.unit import Unit

ARRANGED = words("reshape ravel flatten transpose copy squeeze swapaxes take repeat diagonal")
"""Methods that change no number."""
AS_IT_IS = SIDE_BY_SIDE | words(
    "numpy.asarray numpy.array numpy.ascontiguousarray numpy.atleast_1d numpy.atleast_2d numpy.float32 "
    "builtins.float builtins.enumerate builtins.iter builtins.next"
)
ASKS = words(
    "builtins.len builtins.isinstance builtins.type builtins.hasattr builtins.id builtins.print builtins.repr "
    "builtins.str numpy.shape numpy.ndim numpy.size"
)
SINGLE = words("jax.numpy.float32 numpy.float32 jax.numpy.bfloat16")
TREES = ("jax.tree.", "jax.tree_util.")
TAKEN_APART = ("leaves", "flatten", "unflatten", "structure")
DEEPEST = 6


def surely_jax(unit: Unit, array: ast.expr) -> bool:
    """The array surely is one of JAX: by what makes it, or as each call in the file hands in such a one."""
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
    """The first thing that the host works out of rows, which these names and places are; None if all go into JAX."""
    doors = _Doors(Origins.of(unit), set(names), frozenset(places))
    try:
        doors.repeated([*statements])
        for element in elements:
            doors.is_row(element)
    except _Computed as found:
        return found.node
    return None


def by_the_host(unit: Unit, array: ast.expr, node: ast.expr) -> Withheld:
    """Why the rows of an array that NumPy may have made stay on the host."""
    what = f"`{ast.unparse(node)}` is worked out in double precision if `{ast.unparse(array)}` is an array of NumPy"
    return Withheld("numpy-rows", f"{what} (line {node.lineno}): annotate `{ast.unparse(array)}` as `jax.Array`")


HELD = (ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Subscript, ast.Attribute, ast.IfExp)
"""Expressions that give what they name, or hold it."""


class _Computed(Exception):
    """Something is worked out of a row on the host."""

    def __init__(self, node: ast.expr) -> None:
        super().__init__()
        self.node = node


@dataclass
class _Doors:
    """Follows the rows through one function.

    `rows` are the names that hold such, or parts of them; `inside` are names that other names hold, or are the same
    object as; `made` are functions, each of which reads what its names hold when it is read itself.
    """

    origins: Origins
    rows: set[str]
    places: frozenset[ast.expr] = frozenset()
    depth: int = 0
    running: frozenset[tuple[ast.AST, Names]] = frozenset()
    returned: bool = False
    inside: dict[str, set[str]] = field(default_factory=dict)
    made: dict[str, ast.FunctionDef | ast.Lambda] = field(default_factory=dict)

    # -- statements

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def repeated(self, body: list[ast.stmt], *asked: ast.expr) -> None:
        """A body that is run any number of times, each after something is asked."""
        known: set[str] | None = None
        while known != self.rows:
            known = set(self.rows)
            for test in asked:
                self._asked(test)
            self._either(body, [])

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=bound, value=value):
                for target in bound:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                self._bind(target, ast.copy_location(ast.BinOp(target, op, value), statement))
            case ast.Return(value=ast.expr() as value):
                self.returned |= self.is_row(value)
            case ast.If(test=test, body=body, orelse=orelse):
                self._asked(test)
                self._either(body, orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                self.repeated(body, test)
                self._either(orelse, [])
            case ast.For(target=target, iter=over, body=body, orelse=orelse):
                self._bind(target, over)
                self.repeated(body)
                self._either(orelse, [])
            case ast.Match(subject=subject, cases=cases):
                for asked in (subject, *(one.guard for one in cases if one.guard is not None)):
                    self._asked(asked)
                self._either(*(one.body for one in cases), [])
            case ast.FunctionDef(name=name):
                self._bind(ast.Name(name), statement)
            case _:
                self._parts(statement)

    def _bind(self, target: ast.expr, value: ast.expr | ast.FunctionDef) -> None:
        pairs = [(target, value)]
        match target, value:
            case ((ast.Tuple(elts=into) | ast.List(elts=into)), (ast.Tuple(elts=parts) | ast.List(elts=parts))):
                if len(into) == len(parts) and not any(isinstance(p, ast.Starred) for p in (*into, *parts)):
                    pairs = [*zip(into, parts, strict=True)]
        for (one, part), row in zip(pairs, [self.is_row(part) for _, part in pairs], strict=True):
            self._hold(one, row)
            for name in targets(one):
                if isinstance(part, ast.FunctionDef | ast.Lambda):
                    self.made[name] = part
                elif not row and isinstance(part, HELD):
                    held = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
                    self.inside.setdefault(name, set()).update(held, *(self.inside.get(n, ()) for n in held))

    def _hold(self, target: ast.expr, row: bool) -> None:
        """Bind a target; a container holds what is put into it, and what it held before."""
        match target:
            case ast.Name(id=name):
                (self.rows.add if row else self.rows.discard)(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._hold(part, row)
            case ast.Starred(value=inner):
                self._hold(inner, row)
            case ast.Subscript() | ast.Attribute() if row:
                self._store({n.id for n in ast.walk(target) if isinstance(n, ast.Name)})

    def _store(self, names: set[str]) -> None:
        """Something is put into what these names hold."""
        self.rows.update(names, *(self.inside.get(name, ()) for name in names))

    def _either(self, *ways: list[ast.stmt]) -> None:
        before, after = set(self.rows), set[str]()
        for way in ways:
            self.rows = set(before)
            self.block(way)
            after |= self.rows
        self.rows = after

    def _gives(self, function: ast.FunctionDef | ast.Lambda) -> bool:
        """A function made here gives a row."""
        rows = {name for name, default in defaults(function.args).items() if self.is_row(default)}
        rows |= self.rows - set(parameters(function.args))
        made = {name: other for name, other in self.made.items() if other is not function}
        inner = replace(self, rows=rows, made=made, returned=False)
        if isinstance(function, ast.Lambda):
            return inner.is_row(function.body)
        inner.block(function.body)
        return inner.returned

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

    def is_row(self, node: ast.expr | ast.FunctionDef) -> bool:
        """The expression is a row, or a part of one, as NumPy made it; raises where it is worked out of one."""
        if node in self.places:
            return True
        match node:
            case ast.Name(id=name):
                same = {name, *self.inside.get(name, ())}
                return bool(same & self.rows) or (name in self.made and self._gives(self.made[name]))
            case ast.Subscript(value=inner, slice=at):
                self.is_row(at)
                return self.is_row(inner)
            case ast.Attribute(value=inner, attr=attr):
                if not self.is_row(inner) or attr in STATIC_ATTRIBUTES:
                    return False
                if attr in ARRAY_METHODS:
                    raise _Computed(node)  # a method that is called somewhere else
                return True
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
                return self._comprehension(node.generators, element)
            case ast.DictComp(key=key, value=element):
                return self._comprehension(node.generators, key, element)
            case ast.Lambda() | ast.FunctionDef():
                return self._gives(node)
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
                return target.id in self.rows
            case ast.Call():
                return self._called(node)
        return self._any(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _any(self, nodes: Iterable[ast.expr], *, asked: bool = False) -> bool:
        """Some of these are rows; each is looked at."""
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
        jax = self.origins.sure(other) and not isinstance(other, ast.Tuple | ast.List)
        if all(rows) or not (jax or _exact(op, other, first=rows[1])):
            raise _Computed(node)
        return not jax

    def _compared(self, node: ast.Compare) -> bool:
        sides = [node.left, *node.comparators]
        rows = [self.is_row(side) for side in sides]
        same = all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
        jax = all(row or self.origins.sure(side) for side, row in zip(sides, rows, strict=True))
        if any(rows) and not same and not (jax and sum(rows) == 1):
            raise _Computed(node)
        return False

    def _comprehension(self, generators: list[ast.comprehension], *elements: ast.expr) -> bool:
        inner = replace(self, rows=set(self.rows))
        for one in generators:
            inner._bind(one.target, one.iter)
            for test in one.ifs:
                inner._asked(test)
        return inner._any(elements)

    # -- calls

    def _called(self, call: ast.Call) -> bool:
        given = [*call.args, *(k.value for k in call.keywords)]
        rows = [self.is_row(value) for value in given]
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if any(rows) and attr in MUTATORS:
                self._store({name})
                return False
            case ast.Attribute(value=receiver, attr=attr):
                if self.is_row(receiver):
                    return self._method(call, attr)
            case function if self.is_row(function):
                return True
        name = self.origins.resolve(call.func) or ""
        tree = name.startswith(TREES)  # a function of trees works on the host
        if not any(rows) or name in ASKS or (name.startswith("jax.") and not name.startswith((*TREES, *HOST))):
            return False
        if tree and name.endswith("map") and call.args:
            return self._called(ast.copy_location(ast.Call(call.args[0], call.args[1:], []), call))
        if name in AS_IT_IS or name.startswith(HOST) or (tree and name.endswith(TAKEN_APART)):
            return True
        return self._runs(self.origins.callee(call.func), call, rows)

    def _method(self, call: ast.Call, attr: str) -> bool:
        single = attr == "astype" and len(call.args) == 1 and self.origins.resolve(call.args[0]) in SINGLE
        if attr in ARRANGED or single:
            return True
        raise _Computed(call)

    def _runs(self, callee: object | None, call: ast.Call, rows: list[bool]) -> bool:
        """A function that is handed rows gives one."""
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
        """The function gives a row, being handed some; `bound`: some arguments were given to it before."""
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
    """A power of two is multiplied by, or divided by: that is exact in each precision."""
    match other:
        case ast.Constant(value=int() | float() as number) if number and math.isfinite(number):
            by = isinstance(op, ast.Mult) or (isinstance(op, ast.Div) and not first)
            return by and math.frexp(abs(number))[0] == 0.5
    return False
