"""Runs a function of either version on arrays whose sizes may be symbols: what it does not know by name it refuses.

Each statement and expression that is known has its meaning here; loops are run by `trips`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from ....runtime.calling import plain
from ..polynomials import NotProved, Polynomial, number
from ..sizes import Sizes
from .asked import Asked
from .library import Library, Mapped, is_library, stacks, static_of
from .numbers_of_trips import COMPARISONS, OPERATORS, Traced, compared, computed, is_array, is_whole, polynomial, whole
from .values import UNBOUND, Closure, Frame, Number, Once, Partial, Question, Rows, Span, Spread, Stack, Table, Value, Whole, contents, dated, kept, objects

MOST_CALLS = 3_000
DEEPEST_CALL = 12
PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Returned:
    """A function ends."""

    def __init__(self, value: Value) -> None:
        self.value = value


BREAK, CONTINUE = "break", "continue"
POWERS = frozenset(["power", "pow", "float_power", "integer_pow"])
CALLED_ANEW = frozenset(
    ["grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "jvp", "vjp", "linearize", "map", "tree_map", "reduce"]
)
"""Functions of JAX that call each time what they are given; others may keep what they have traced."""
Signal = Returned | str | None


def refuse(node: ast.AST, why: str = "") -> NoReturn:
    raise NotProved(why or f"`{type(node).__name__}` is not followed for all trips at once")


class Interpreter(Library):
    """One version, run once."""

    def __init__(self, sizes: Sizes, module: Mapping[str, object], functions: Mapping[str, ast.FunctionDef]) -> None:
        self.sizes = sizes
        self.integers = sizes.integers
        self.module = module
        self.functions = functions
        self.asked = Asked()
        self.traced = Traced(self.integers, sizes.expression)
        self.depth = 0  # loops around
        self.calls = 0
        self.called = 0
        self.tracked: list[set[int]] = []  # by loop, the objects that its trips may change
        self.traces: list[tuple[Closure, int]] = []  # what is traced once, and the first frame that it makes

    # statements

    def suite(self, body: Sequence[ast.stmt], frame: Frame) -> Signal:
        for statement in body:
            signal = self.statement(statement, frame)
            if signal is not None:
                return signal
        return None

    def statement(self, node: ast.stmt, frame: Frame) -> Signal:  # noqa: PLR0911
        match node:
            case ast.Assign(targets=targets, value=value):
                found = self.value(value, frame)
                for target in targets:
                    self.assign(target, found, frame)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.value(value, frame), frame)
            case ast.AugAssign():
                self.augmented(node, frame)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.value(value, frame)
            case ast.If(test=test, body=body, orelse=orelse):
                return self.suite(body if self.truth(self.value(test, frame)) else orelse, frame)
            case ast.For() | ast.While() if not node.orelse or not leaves_by_break(node):
                loop = self.for_loop(node, frame) if isinstance(node, ast.For) else self.while_loop(node, frame)
                return loop if loop is not None else self.suite(node.orelse, frame)
            case ast.Assert(test=test) if self.asked.alone(lambda: None, lambda: self.truth(self.value(test, frame))):
                pass
            case ast.Delete(targets=targets):
                for target in targets:
                    if not isinstance(target, ast.Name) or frame.holder(target.id) is not frame:
                        refuse(node)
                    frame.names[target.id] = UNBOUND
            case ast.Return(value=value):
                return Returned(self.value(value, frame) if value is not None else None)
            case ast.FunctionDef():
                frame.names[node.name] = self.closure(node, frame)
            case ast.Break():
                return BREAK
            case ast.Continue():
                return CONTINUE
            case _:
                refuse(node)
        return None

    def for_loop(self, node: ast.For, frame: Frame) -> Signal:
        raise NotImplementedError

    def while_loop(self, node: ast.While, frame: Frame) -> Signal:
        raise NotImplementedError

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        kept(value)
        match target:
            case ast.Name(id=name):
                frame.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if any(isinstance(t, ast.Starred) for t in targets):
                    refuse(target)
                items = self.unpacked(value, len(targets))
                for part, item in zip(targets, items, strict=True):
                    self.assign(part, item, frame)
            case ast.Subscript(value=owner, slice=key):
                self.set_item(self.value(owner, frame), self.value(key, frame), value)
            case _:
                refuse(target, "an object that is changed")

    def augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        match node.target:
            case ast.Name(id=name):
                old = self.known(name, frame)
                if isinstance(old, np.ndarray):
                    refuse(node, "an array of NumPy that is changed")
                new = self.value(node.value, frame)
                if isinstance(old, Rows):
                    if not isinstance(node.op, ast.Add):
                        refuse(node)
                    self.extend(old, new)
                else:
                    frame.names[name] = self.binary(type(node.op), old, new)
            case ast.Subscript(value=owner, slice=key):
                held, at = self.value(owner, frame), self.value(key, frame)
                if not isinstance(held, Table | Rows):
                    refuse(node, "an object that is changed")
                old = self.item(held, at)
                if isinstance(old, np.ndarray | Rows):
                    refuse(node, "an object that is changed")
                self.set_item(held, at, self.binary(type(node.op), old, self.value(node.value, frame)))
            case _:
                refuse(node, "an object that is changed")

    def unpacked(self, value: Value, count: int) -> Sequence[Value]:
        if isinstance(value, tuple):
            items: Sequence[Value] = value
        elif isinstance(value, Rows) and value.plain is not None:
            items = value.plain
        elif isinstance(value, jax.Array) and value.ndim and self.sizes.polynomial(value.shape[0]).constant == count:
            items = [value[k] for k in range(count)]
        else:
            raise NotProved("something is unpacked whose parts are not known")
        if len(items) != count:
            raise NotProved("another number of parts is unpacked")
        return items

    # changes of objects

    def may_change(self, thing: Rows | Table) -> None:
        if thing.read:
            raise NotProved("an object that is changed while a loop goes over it")
        if thing.born < self.depth and not any(id(thing) in tracked for tracked in self.tracked[-1:]):
            raise NotProved("an object that no name of the function holds is changed")

    def append(self, rows: Rows, value: Value, *, front: bool = False) -> None:
        self.may_change(rows)
        kept(value)
        if front and rows.looked:
            raise NotProved("a list is read that is filled at its head")
        if rows.added is None:
            rows.parts.insert(0 if front else len(rows.parts), value)
        elif rows.added:
            if front or rows.front:
                raise NotProved("a list that a trip fills at its head, more than once")
            rows.added.append(value)
        else:
            rows.added, rows.front = [value], front

    def extend(self, rows: Rows, value: Value) -> None:
        items = value.plain if isinstance(value, Rows) else value
        if not isinstance(items, tuple | list):
            raise NotProved("a list is extended by what is not known item by item")
        for item in list(items):
            self.append(rows, item)

    def set_item(self, held: Value, key: Value, value: Value) -> None:
        kept(value)
        if isinstance(held, Table) and isinstance(key, str | int) and (key in held.items or held.born == self.depth):
            self.may_change(held)
            held.items[key] = value
        elif isinstance(held, Rows) and held.added is None and held.plain is not None and type(key) is int:
            self.may_change(held)
            if not -len(held.parts) <= key < len(held.parts):
                raise NotProved("a place that a list does not have")
            held.parts[key] = value
        else:
            raise NotProved("an object that is changed")

    # expressions

    def value(self, node: ast.expr, frame: Frame) -> Value:  # noqa: PLR0911, PLR0912
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
                return Rows(list(map(kept, self.elements(elts, frame))), self.depth)
            case ast.Dict(keys=keys, values=values):
                pairs = [(self.value(k, frame) if k else UNBOUND, kept(self.value(v, frame))) for k, v in zip(keys, values, strict=True)]
                return self.table([k for k, _ in pairs], [v for _, v in pairs])
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
        refuse(node)

    def known(self, name: str, frame: Frame) -> Value:
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

    def noted(self, holder: Frame, name: str, found: Value) -> None:
        """What is traced once has to find the same again."""
        for closure, begun in self.traces:
            if holder.made < begun:
                self.unchanged(closure, (holder, name), found)

    def unchanged(self, closure: Closure, key: object, found: Value) -> None:
        now = contents(found)
        before = closure.read.setdefault(key, now)
        same = len(now) == len(before) and all(
            a is b or (isinstance(a, (*PLAIN, Whole)) and type(a) is type(b) and repr(a) == repr(b))
            for a, b in zip(now, before, strict=True)
        )
        if not same:
            raise NotProved("what is traced once finds something else later")

    def of_module(self, node: ast.FunctionDef, found: Value) -> Value:
        """A function of the module: the definition of the object that the name stands for."""
        function = plain(found) if callable(found) else None
        code = getattr(function, "__code__", None)
        lines = {node.lineno, *(d.lineno for d in node.decorator_list)}
        if not isinstance(function, types.FunctionType) or code is None or code.co_firstlineno not in lines:
            raise NotProved(f"`{node.name}` is not what its definition says")
        made = self.closure(node, Frame({}, None, self.module))
        defaults, named = function.__defaults__ or (), function.__kwdefaults__ or {}
        return Closure(
            node,
            made.frame,
            [self.taken(d, -1) for d in defaults],
            {k: self.taken(d, -1) for k, d in named.items()},
            made.compiled,
        )

    def elements(self, nodes: Sequence[ast.expr], frame: Frame, *, consumed: bool = False, spread: bool = False) -> Sequence[Value]:
        """The values; a generator is one of the arguments of what goes over it at once."""
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.value(node.value, frame)
                if isinstance(inner, Rows) and inner.plain is None and spread:
                    found.append(Spread(inner))
                    continue
                items = inner.plain if isinstance(inner, Rows) else inner
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
            return self.taken(OPERATORS[op](self.given(left), self.given(right)))
        if isinstance(left, Whole) or isinstance(right, Whole):
            return computed(op, left, right, self.integers)
        if op is ast.Add and type(left) is tuple and type(right) is tuple:
            return left + right
        if op is ast.Add and isinstance(left, Rows) and isinstance(right, Rows) and left.added is right.added is None:
            return Rows([*left.parts, *right.parts], self.depth)
        if op is ast.Mult and type(left) is tuple and type(right) is int:
            return left * right
        if op is ast.Mult and isinstance(left, Rows) and left.plain is not None and type(right) is int:
            return Rows(left.plain * right, self.depth)
        raise NotProved("an operation on what is no number and no array")

    def beside_array(self, left: Value, right: Value, power: bool = False) -> None:
        """Require that JAX computes with both as it does where none of them is a symbol."""
        for one, other in ((left, right), (right, left)):
            if not is_array(one) and not isinstance(one, (bool, int, float, complex, Whole, Question, Number)):
                raise NotProved("an array beside what is no number")
            if isinstance(one, Whole | Question | Number) and not isinstance(other, jax.Array):
                raise NotProved("a number that is not known beside an array of NumPy")
            whole = isinstance(one, Whole) or (isinstance(one, Number) and one.array.dtype.kind in "iu")
            if whole and power:
                raise NotProved("a power that depends on a size or a trip: JAX multiplies where it is a number")
            if isinstance(one, Number) and is_array(other) and not one.array.weak_type and one.array.dtype.kind != "b":
                if one.array.dtype != other.dtype:
                    raise NotProved("a number of Python that may be an array of another type")

    def unary(self, op: type[ast.unaryop], value: Value) -> Value:
        if op is ast.Not:
            return not self.truth(value)
        if isinstance(value, Whole) and op in (ast.USub, ast.UAdd):
            return whole(-value.value) if op is ast.USub else value
        if is_array(value) or isinstance(value, bool | int | float | complex):
            return {ast.USub: lambda x: -x, ast.UAdd: lambda x: +x, ast.Invert: lambda x: ~x}[op](value)
        raise NotProved("an operation on what is no number and no array")

    def comparison(self, left: Value, ops: Sequence[ast.cmpop], others: Sequence[ast.expr], frame: Frame) -> Value:
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
            return self.taken(COMPARISONS[op](self.given(left), self.given(right)))
        if isinstance(left, Whole) or isinstance(right, Whole):
            return compared(op, left, right, self.integers)
        if isinstance(left, tuple) and isinstance(right, tuple) and op in (ast.Eq, ast.NotEq):
            if len(left) != len(right):
                return op is ast.NotEq
            same = all(self.truth(self.one_comparison(ast.Eq, a, b)) for a, b in zip(left, right, strict=True))
            return same == (op is ast.Eq)
        raise NotProved("a comparison of what is no number and no array")

    def truth(self, value: Value) -> bool:
        if isinstance(value, PLAIN):
            return bool(value)
        if isinstance(value, Whole):
            value = compared(ast.NotEq, value, 0, self.integers)
            return self.truth(value)
        if isinstance(value, Question):
            asked = value
            if not any(name in self.traced.trips for name in self.integers.free(asked.value)):
                raise NotProved("a size that is tested, and may be so or not")
            return self.asked.truth(lambda: self.traced.question(asked), asked.key) != asked.negated
        if isinstance(value, Number) and value.array.dtype == bool:
            value = value.array
        if isinstance(value, jax.core.Tracer):
            if value.ndim:
                raise NotProved("the truth of an array with axes")
            return self.asked.truth(lambda: value if value.dtype == bool else value != 0)
        if isinstance(value, np.generic | np.ndarray | jax.Array) and np.ndim(value) == 0:
            return bool(value)
        if isinstance(value, tuple):
            return bool(value)
        if isinstance(value, Rows):
            return self.truth(compared(ast.Gt, whole(value.length), 0, self.integers))
        if isinstance(value, Table):
            return bool(value.items)
        raise NotProved("the truth of what is no number and no array")

    def item(self, held: Value, key: Value) -> Value:
        if isinstance(held, Table):
            if not isinstance(key, str | int) or isinstance(key, bool) or key not in held.items:
                raise NotProved("a key that a dict may not have")
            return held.items[key]
        if isinstance(held, Rows):
            return self.list_item(held, key)
        if isinstance(held, tuple):
            if type(key) is int and -len(held) <= key < len(held):
                return held[key]
            if isinstance(key, slice) and all(x is None or type(x) is int for x in (key.start, key.stop, key.step)):
                return tuple(held)[key]
            raise NotProved("a part of a tuple that is not known")
        if isinstance(held, jax.Array) or is_library(type(held)):
            return self.taken(held[self.index(key)])  # type: ignore[index]
        if isinstance(held, np.ndarray) and isinstance(key, int):
            return held[key]
        raise NotProved("a part of what is not known")

    def index(self, key: Value) -> object:
        parts = key if isinstance(key, tuple) else (key,)
        found = []
        for part in parts:
            if isinstance(part, slice):
                ends = (part.start, part.stop, part.step)
                if any(self.moves(x) for x in ends):
                    raise NotProved("a slice whose place depends on the trip")
                found.append(slice(*(self.given(x) for x in ends)))
            else:
                given = self.given(part)
                found.append(jnp.asarray(given) if isinstance(part, Whole) else given)
        return tuple(found) if isinstance(key, tuple) else found[0]

    def moves(self, value: Value) -> bool:
        return isinstance(value, Whole) and any(n in self.traced.trips for n in self.integers.free(value.value))

    def list_item(self, rows: Rows, key: Value) -> Value:
        if isinstance(key, slice) and (key.start, key.stop, key.step) == (None, None, -1) and rows.added is None:
            return self.turned(rows)
        if not is_whole(key):
            raise NotProved("a part of a list that is not known")
        place = polynomial(key)
        if rows.added is None and rows.plain is not None and place.constant is not None:
            if not -len(rows.plain) <= place.constant < len(rows.plain):
                raise NotProved("a place that a list does not have")
            return rows.plain[place.constant]
        back = place if place.constant is not None and place.constant < 0 else place - rows.length
        if rows.added is not None and rows.front:
            raise NotProved("a list is read that is filled at its head")
        if rows.added is not None:
            recent, rows.looked = [*rows.window, *rows.added], True
            if back.constant is not None and -len(recent) <= back.constant < 0:
                return recent[back.constant]
            raise NotProved("a list is read further back")
        start, at = number(0), back + rows.length
        for part in rows.parts:
            count = part.count if isinstance(part, Stack) else number(1)
            inside = self.integers.at_least_zero
            if inside(at - start) and inside(start + count - 1 - at):
                return self.row_of(part, at - start) if isinstance(part, Stack) else part
            start = start + count
        raise NotProved("a place of a list that is not known")

    def row_of(self, stack: Stack, at: Polynomial) -> Value:
        return dated(jax.tree_util.tree_map(lambda x: self.item(x, whole(at)), stack.leaves), -1)

    def turned(self, rows: Rows) -> Rows:
        def part(x: Value) -> Value:
            return Stack(x.count, jax.tree_util.tree_map(lambda a: a[::-1], x.leaves)) if isinstance(x, Stack) else x

        return Rows([part(x) for x in rows.parts[::-1]], self.depth)

    # calls

    def closure(self, node: ast.FunctionDef | ast.Lambda, frame: Frame) -> Closure:
        compiled = None
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            if len(node.decorator_list) > 1:
                raise NotProved("a decorator that is not known")
            compiled = self.options_of_jit(node.decorator_list[0], frame, node.args)
        if any(isinstance(n, ast.Nonlocal | ast.Global | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node)):
            raise NotProved("a function that binds names outside of it, or yields")
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        return Closure(
            node,
            frame,
            [kept(self.value(d, frame)) for d in node.args.defaults],
            {a.arg: kept(self.value(d, frame)) for a, d in named if d is not None},
            compiled,
        )

    def options_of_jit(self, decorator: ast.expr, frame: Frame, of: ast.arguments) -> frozenset[str | int]:
        """The parameters that are no arrays, where the decorator is `jit`, with or without options."""
        keywords: list[ast.keyword] = []
        function = decorator
        if isinstance(decorator, ast.Call):
            keywords, function = decorator.keywords, decorator.func
            if self.module_value(function, frame) is functools.partial and len(decorator.args) == 1:
                [function] = decorator.args
            elif decorator.args:
                raise NotProved("a decorator that is not known")
        if self.module_value(function, frame) is not jax.jit:
            raise NotProved("a decorator that is not known")
        return static_of({k.arg or "": self.value(k.value, frame) for k in keywords}, of)

    def module_value(self, node: ast.expr, frame: Frame) -> Value:
        """What a name, or a name of a module, stands for."""
        if isinstance(node, ast.Attribute):
            owner = self.module_value(node.value, frame)
            return getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None
        return self.known(node.id, frame) if isinstance(node, ast.Name) else None

    def call_node(self, node: ast.Call, frame: Frame) -> Value:
        function = self.value(node.func, frame)
        arguments = self.elements(node.args, frame, consumed=function in (tuple, list), spread=function in (jax.tree.map, jax.tree_util.tree_map))
        if any(isinstance(x, Spread) for x in arguments):
            return self.leaf_by_leaf(node, arguments)
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            found = kept(self.value(keyword.value, frame))
            if keyword.arg is None:
                if not isinstance(found, Table):
                    refuse(node)
                named |= {str(k): v for k, v in found.items.items()}
            else:
                named[keyword.arg] = found
        return self.call(function, arguments, named)

    def leaf_by_leaf(self, node: ast.Call, arguments: Sequence[Value]) -> Value:
        """`jax.tree.map(function, *items)` for a list of many trips: the function of the list of each leaf."""
        if len(arguments) != 2 or node.keywords or not isinstance(function := arguments[0], Closure) or not isinstance(spread := arguments[1], Spread):
            refuse(node)
        stacked, length = self.one_stack(spread.rows), spread.rows.length
        if function.node.args.vararg is None or function.node.args.args or any(True for _ in objects(stacked) if isinstance(_, Rows)):
            refuse(node)

        def one(leaf: Value) -> Value:
            frame = Frame({function.node.args.vararg.arg: Rows([Stack(length, leaf)], -1)}, function.frame, function.frame.module)  # type: ignore[union-attr]
            if not isinstance(function.node, ast.Lambda):
                refuse(node)
            return self.value(function.node.body, frame)

        return dated(jax.tree_util.tree_map(one, stacked), self.depth)

    def call(self, function: Value, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise NotProved("too many calls")
        if isinstance(function, Closure):
            if any(isinstance(x, Once) for x in (*arguments, *named.values())):
                raise NotProved("an iterator that a name holds")
            return self.traced_once(function, arguments, named) if function.compiled is not None else self.entered(function, arguments, named)
        if isinstance(function, Mapped):
            return self.mapped(function, arguments, named)
        if isinstance(function, Partial):
            return self.call(function.function, [*function.arguments, *arguments], {**function.named, **named})
        if callable(function) and (meaning := self.meaning(function)) is not None:
            return meaning(*arguments, **named)
        if isinstance(function, Callable) and is_library(function):  # type: ignore[arg-type]
            if stacks(function) and arguments and isinstance(arguments[0], Rows) and arguments[0].plain is None:
                return self.stacked(function, arguments, named)
            if getattr(function, "__name__", "") in POWERS and any(isinstance(x, Whole | Number) for x in (*arguments, *named.values())):
                raise NotProved("a power that depends on a size or a trip: JAX multiplies where it is a number")
            outer, self.keeps = self.keeps, getattr(function, "__name__", "") not in CALLED_ANEW
            try:
                given, more = [*map(self.given, arguments)], {k: self.given(v) for k, v in named.items()}
            finally:
                self.keeps = outer
            return self.taken(function(*given, **more))
        raise NotProved(f"a call of `{getattr(function, '__name__', type(function).__name__)}`")

    def traced_once(self, closure: Closure, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """A call of a compiled function: its numbers are arrays, and what it does beside giving a result is not done again."""
        assert closure.compiled is not None
        positional = [a if k in closure.compiled else self.array_of(a) for k, a in enumerate(arguments)]
        more = {n: a if n in closure.compiled else self.array_of(a) for n, a in named.items()}
        with self.within_trace(closure):
            found = self.array_of(self.entered(closure, positional, more))
        return dated(found, self.depth)

    def array_of(self, value: Value) -> Value:
        """A value as a compiled function takes or gives it: new lists and dicts of arrays."""
        leaves, tree = jax.tree_util.tree_flatten(self.given(value))
        return self.taken(jax.tree_util.tree_unflatten(tree, [jnp.asarray(x) for x in leaves]))

    @contextlib.contextmanager
    def within_trace(self, closure: Closure, *, kept: bool = True) -> Iterator[None]:
        """A call of what JAX traces: it may change nothing outside; if `kept`, it has to find what it found before."""
        self.depth += 1
        self.tracked.append(set())
        if kept:
            self.traces.append((closure, Frame({}, None, {}).made))
            for k, value in enumerate((*closure.defaults, *closure.named.values())):
                self.unchanged(closure, k, value)
        try:
            yield
        finally:
            if kept:
                self.traces.pop()
            self.tracked.pop()
            self.depth -= 1

    def entered(self, closure: Closure, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        if self.called >= DEEPEST_CALL:
            raise NotProved("calls within calls")
        names = bound(closure, arguments, named)
        own = frozenset(names) | _bound_in(closure.node)
        frame = Frame(names, closure.frame, closure.frame.module, own)
        self.called += 1
        try:
            if isinstance(closure.node, ast.Lambda):
                return self.value(closure.node.body, frame)
            signal = self.suite(closure.node.body, frame)
        finally:
            self.called -= 1
        return signal.value if isinstance(signal, Returned) else None


def bound(closure: Closure, arguments: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a call by name."""
    a = closure.node.args
    places = [x.arg for x in (*a.posonlyargs, *a.args)]
    if a.kwarg is not None or (a.vararg is None and len(arguments) > len(places)):
        raise NotProved("arguments that have no parameter")
    found = dict(zip(places[len(places) - len(closure.defaults) :], closure.defaults, strict=True)) | closure.named
    found |= dict(zip(places, arguments, strict=False))
    if named.keys() - {*places, *(x.arg for x in a.kwonlyargs)} or named.keys() & set(places[: len(arguments)]):
        raise NotProved("arguments that have no parameter")
    found |= named
    if set(places) | {x.arg for x in a.kwonlyargs} != found.keys():
        raise NotProved("a parameter without an argument")
    return found | ({a.vararg.arg: tuple(arguments[len(places) :])} if a.vararg is not None else {})


def _bound_in(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function binds for itself."""
    if isinstance(node, ast.Lambda):
        return frozenset()
    found: set[str] = set()
    todo: list[ast.AST] = list(node.body)
    while todo:
        part = todo.pop()
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            found.add(part.name)
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, ast.NamedExpr):
            raise NotProved("a name that is bound within an expression")
        if not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            todo += ast.iter_child_nodes(part)
    return frozenset(found)


def leaves_by_break(loop: ast.For | ast.While) -> bool:
    """Whether a `break` of the loop itself stands in it."""
    todo: list[ast.AST] = list(loop.body)
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Break):
            return True
        if isinstance(part, ast.For | ast.While):
            todo += part.orelse
        elif not isinstance(part, ast.FunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(part)
    return False


KNOWN_BUILTINS: dict[str, Value] = {
    f.__name__: f for f in (range, len, enumerate, zip, reversed, list, tuple, dict, min, max, abs, int, float, bool, sum, round)
}
