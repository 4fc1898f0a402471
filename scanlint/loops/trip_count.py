"""Where a trip count that is no constant comes from, and how large the file itself says that it is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from scanlint.syntax.bindings import Function, Names, defaults, parameters, targets, walk_scope
from scanlint.syntax.walk import children
from scanlint.trace.domain.folding import fold_binary
from scanlint.trace.domain.values import Instance, Origin
from scanlint.trace.unit import Unit

_ORDER: tuple[Origin, ...] = ("argument", "shape", "field", "feature", "rank")
DEEPEST = 4
"""How many names and operators an argument of a call is followed through."""
_SIZES = frozenset(("shape", "size", "ndim"))


class Count(NamedTuple):
    """The `origin` of a number, and every name that it is made of, attributes included."""

    origin: Origin | None
    names: Names


NOTHING = Count(None, frozenset())


def count_of(unit: Unit, node: ast.expr) -> Count:
    """Where a number comes from: its value may tell, else the assignments and parameters that it is made of."""
    return _count(unit, node, set())


def _count(unit: Unit, node: ast.expr, seen: set[tuple[ast.AST, str]]) -> Count:
    """`seen` holds the names, by the function that binds them, that were followed already."""
    if unit.value(node).known:
        return NOTHING
    parts = _together(_count(unit, inner, seen) for inner in _operands(node))
    origin = unit.value(node).origin
    match node:
        case ast.Name(id=name):
            made = _together(_bound(unit, node, name, seen))
            return Count(origin or made.origin, made.names | {name})
        case ast.Attribute(value=base, attr=attr):
            owner = unit.value(base)
            plain: Origin | None = None if attr in _SIZES and (owner.array or owner.callee is None) else "field"
            return Count(origin or parts.origin or plain, parts.names | {attr})
    return Count(origin or parts.origin, parts.names)


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call(func=ast.Name(id="int" | "max" | "min" | "abs" | "round") | ast.Attribute(attr="ceil" | "floor")):
            return node.args
        case ast.Subscript(value=value) | ast.Attribute(value=ast.Attribute() as value):
            return [value]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=values):
            return values
    return []


def _together(counts: Iterator[Count]) -> Count:
    listed = list(counts)
    found = [c.origin for c in listed]
    return Count(next((o for o in _ORDER if o in found), None), frozenset().union(*(c.names for c in listed)))


def _bound(unit: Unit, at: ast.expr, name: str, seen: set[tuple[ast.AST, str]]) -> Iterator[Count]:
    """What the nearest function around that binds a name binds it to."""
    for function in unit.ancestors(at):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if (function, name) in seen:
            return
        bindings = unit.once((_bindings, function), partial(_bindings, function))
        made = list(_values(bindings, name))
        if name in parameters(function.args):
            yield Count("argument", frozenset())
        if made or name in parameters(function.args):
            seen.add((function, name))
            yield from (_count(unit, value, seen) for value in made)
            return


def _bindings(function: Function) -> list[ast.AST]:
    """The assignments and loops of a function."""
    body = function.body if isinstance(function.body, list) else []
    return [part for part in walk_scope(body) if isinstance(part, ast.Assign | ast.AnnAssign | ast.For)]


def _values(bindings: list[ast.AST], name: str) -> Iterator[ast.expr]:
    """The expressions that these bind a name to; for a loop variable, what its `range` counts to."""
    for part in bindings:
        match part:
            case ast.Assign(targets=[ast.Tuple(elts=bound)], value=ast.Tuple(elts=values)) if len(bound) == len(values):
                yield from (v for t, v in zip(bound, values, strict=True) if name in targets(t))
            case ast.Assign(targets=bound, value=value) if any(name in targets(t) for t in bound):
                yield value
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                yield value
            case ast.For(target=ast.Name(id=target), iter=ast.Call(func=ast.Name(id="range"), args=args)):
                if target == name:
                    yield from args


def stated(unit: Unit, node: ast.expr) -> int | None:
    """The largest number that the file says a count to be: by defaults, and by what its own calls hand in."""
    known = unit.value(node).constant
    if isinstance(known, int) and not isinstance(known, bool):
        return known
    match node:
        case ast.Constant():
            return number(node)
        case ast.Call(func=ast.Name(id="min"), args=[_, _, *_]):
            return min((n for a in node.args if (n := stated(unit, a)) is not None), default=None)
        case ast.BinOp(left=left, op=operator, right=right):
            return _calculated(operator, stated(unit, left), stated(unit, right))
        case ast.Name(id=name):
            for function in unit.ancestors(node):
                if isinstance(function, ast.FunctionDef) and name in parameters(function.args):
                    return _calls_of(unit, function).largest(function, name)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr):
            found = _class_of(unit, node, owner)
            written = field_default(found, attr) if found is not None else None
            return written if written is not None or owner == "self" else elsewhere(unit, node)
        case ast.Attribute():
            return elsewhere(unit, node)
    return None


def elsewhere(unit: Unit, node: ast.Attribute) -> int | None:
    """The number that a field of an object has by default, whichever file of the project its class is in."""
    match unit.value(node.value).callee:
        case Instance(name) if unit.default is not None:
            return number(unit.default(name, node.attr))
    return None


def number(node: ast.AST | None) -> int | None:
    """The number that is written there."""
    match node:
        case ast.Constant(value=int(written)) if not isinstance(written, bool):
            return written
    return None


def _calculated(operator: ast.operator, left: int | None, right: int | None) -> int | None:
    """A sum, a difference or a product of two counts; None of anything else."""
    if left is None or right is None or not isinstance(operator, ast.Add | ast.Sub | ast.Mult):
        return None
    folded = fold_binary(operator, left, right)
    return folded.constant if folded is not None and isinstance(folded.constant, int) else None


def constructed(unit: Unit, owner: str, field: str) -> int | None:
    """The largest number that the file's own calls of a class, and its `dict(...)` settings, give a field."""
    numbers: list[int] = []
    for name in (owner, "dict"):
        for keyword in (k for _, call in _calls_in_file(unit).table.get(name, []) for k in call.keywords):
            if keyword.arg != field:
                continue
            given = number(keyword.value)
            if given is None:
                return None
            numbers.append(given)
    return max(numbers, default=None)


def _class_of(unit: Unit, at: ast.expr, owner: str) -> ast.ClassDef | None:
    """The class in this file that `self` or an annotated parameter is of; a module of layers is none."""
    name = unit.qualname.partition(".")[0] if owner == "self" else None
    for function in unit.ancestors(at):
        if name is None and isinstance(function, ast.FunctionDef):
            for argument in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]:
                match argument.annotation:
                    case ast.Name(id=annotation) if argument.arg == owner:
                        name = annotation
    found = class_named(unit, name)
    layered = found is None or any(ast.unparse(base).endswith("Module") for base in found.bases)
    return None if layered else found


def class_named(unit: Unit, name: str | None) -> ast.ClassDef | None:
    """The class of this name at the top of the file."""
    return unit.file.classes.get(name) if name is not None else None


def field_default(found: ast.ClassDef, attr: str) -> int | None:
    """The number that a dataclass gives a field where the caller does not."""
    for statement in found.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if name == attr:
                return number(value)
    return None


def _calls_of(unit: Unit, function: ast.FunctionDef) -> _Calls:
    """The calls where a function can be named: in the function around it, or in the whole file."""
    around = next((a for a in unit.ancestors(function) if isinstance(a, ast.FunctionDef)), None)
    if around is None:
        return _calls_in_file(unit)
    return unit.once((_Calls, around), lambda: _Calls(around, unit.resolve, partial(_calls_of, unit)))


def _calls_in_file(unit: Unit) -> _Calls:
    """The calls of the file, listed once for all of its units."""
    return unit.file.once(_Calls, lambda: _Calls(unit.file.tree, unit.file.resolve))


class _Calls:
    """The calls in one file or function by the name that they call, and the numbers that they hand in.

    `within` gives the calls where a function can be named; those of the whole file without it.
    """

    def __init__(
        self,
        whole: ast.AST,
        resolve: Callable[[ast.AST], str | None],
        within: Callable[[ast.FunctionDef], _Calls] | None = None,
    ) -> None:
        self.within = within or (lambda function: self)
        self.table: dict[str, list[tuple[ast.FunctionDef | None, ast.Call]]] = {}
        self.aliases: dict[str, list[str]] = {}  # what a function is called once it is transformed
        self.known: dict[tuple[ast.AST, str], int | None] = {}
        stack: list[tuple[ast.FunctionDef | None, ast.AST]] = [(None, whole)]
        while stack:
            around, node = stack.pop()
            if isinstance(node, ast.Call) and (name := _called(node.func)) is not None:
                self.table.setdefault(name, []).append((around, node))
            match node:
                case ast.Assign(targets=[ast.Name(id=alias)], value=ast.Call(func=transform) as made):
                    known = (resolve(transform) or "").startswith(("jax.", "equinox."))
                    if known and (name := _called(made)) is not None and name != alias:
                        self.aliases.setdefault(name, []).append(alias)
            inner = node if isinstance(node, ast.FunctionDef) else around
            stack += [(inner, child) for child in children(node)]

    def largest(self, function: ast.FunctionDef, name: str) -> int | None:
        """The largest of a parameter's default and what the calls give; None when one of these is not a number."""
        if (function, name) not in self.known:
            self.known[function, name] = None  # it may hand its own parameter to itself
            self.known[function, name] = self._largest(function, name)
        return self.known[function, name]

    def _largest(self, function: ast.FunctionDef, name: str) -> int | None:
        default = number(defaults(function.args).get(name))
        numbers = [] if default is None else [default]
        method = [a.arg for a in function.args.args[:1]] in (["self"], ["cls"])
        called = f"self.{function.name}" if method else function.name
        for around, call in (c for n in (called, *self.aliases.get(called, ())) for c in self.table.get(n, ())):
            argument = _argument(call, function, name, method)
            if argument is None and default is not None:
                continue
            given = self._number(around, argument)
            if given is None:
                return None
            numbers.append(given)
        return max(numbers, default=None)

    def _number(self, around: ast.FunctionDef | None, argument: ast.expr | None, depth: int = 0) -> int | None:
        if depth > DEEPEST:
            return None
        match argument:
            case ast.Constant():
                return number(argument)
            case ast.Name(id=name) if around is not None and name in parameters(around.args):
                return self.within(around).largest(around, name)
            case ast.Name(id=name):
                bound = list(_values(_bindings(around), name)) if around is not None else []
                return self._number(around, bound[0], depth + 1) if len(bound) == 1 else None
            case ast.BinOp(left=left, op=operator, right=right):
                return _calculated(
                    operator, self._number(around, left, depth + 1), self._number(around, right, depth + 1)
                )
        return None


def _called(function: ast.expr) -> str | None:
    """The name that is called: `f(...)`, `self.f(...)`, or under transforms, `jax.jit(jax.grad(f), ...)(...)`."""
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            return f"self.{name}"
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Call() as inner, *_]):
            return _called(inner)
    return None


def _argument(call: ast.Call, function: ast.FunctionDef, name: str, method: bool) -> ast.expr | None:
    """What a call hands in for a parameter; an ellipsis where that cannot be told."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return ast.Constant(value=...)
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    place = names.index(name) - method if name in names else -1
    return call.args[place] if 0 <= place < len(call.args) else None
