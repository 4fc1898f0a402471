"""Values of the host that surely are arrays of JAX: that one is used as an array tells nothing of who made it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from scanlint.host.purity import EAGER, HOST, WAITS
from scanlint.jaxapi.words import words
from scanlint.syntax.binders import binders_of
from scanlint.syntax.bindings import parameters, targets, walk_scope
from scanlint.trace.calls.jax_results import ARRAY_METHODS, ARRAY_ROOTS, CASTS, PYTHON_VALUED, SAME_ATTRIBUTES
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import OneOf, Value
from scanlint.trace.unit import Unit

TYPES = words("jax.Array jax.numpy.ndarray jaxtyping.Array chex.Array jax.typing.Array")
"""Annotations of which NumPy's arrays are none."""
NUMBERS = words("builtins.int builtins.float builtins.complex")
SIDE_BY_SIDE = words("builtins.zip builtins.reversed builtins.list builtins.tuple")
DEEPEST = 6
"""How many functions of the project are followed into each other."""


def of_jax(unit: Unit, node: ast.expr) -> bool:
    """The expression surely gives what JAX made, whatever the function around it is handed."""
    return Origins.of(unit).sure(node)


def nothing_called(at: ast.expr) -> None:
    """Nothing is known of any callee."""


@dataclass
class Origins:
    """The names of one function, with what they are bound to; `given` are its parameters that hold arrays of JAX."""

    node: ast.AST
    resolve: Callable[[ast.expr], str | None]
    callee: Callable[[ast.expr], object | None]
    unit: Unit | None = None
    given: frozenset[str] = frozenset()
    depth: int = 0
    asked: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, unit: Unit) -> Origins:
        """Those of a unit, whatever it is handed."""
        return unit.once(cls, lambda: cls(unit.node, unit.resolve, lambda at: unit.value(at).callee, unit))

    def within(self, code: Code, call: ast.Call | None) -> Origins:
        """Those of a function of the project, as it is called here."""
        given, callee = self._handed(code, call), partial(_callee_in, code)
        return Origins(code.node, code.scope.annotation, callee, given=given, depth=self.depth + 1)

    def sure(self, node: ast.expr) -> bool:
        """JAX surely makes this value; of a tuple, each part of it."""
        if self.unit is not None and self.unit.value(node).traced:
            return True
        match node:
            case ast.Name(id=name):
                return self._named(name)
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return self._operated(node, left, right)
            case ast.UnaryOp(op=op, operand=inner):
                return not isinstance(op, ast.Not) and self.sure(inner)
            case ast.IfExp(body=left, orelse=right):
                return self.sure(left) and self.sure(right)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return bool(parts) and all(self.sure(part) for part in parts)
            case ast.ListComp(elt=element):
                return self.sure(element)
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                return self.sure(inner)
            case ast.Attribute(value=inner, attr=attr):
                return (attr in SAME_ATTRIBUTES and self.sure(inner)) or self._kept(node)
            case ast.Call():
                return self._called(node)
        return False

    def _operated(self, node: ast.expr, left: ast.expr, right: ast.expr) -> bool:
        """An operator with an array of JAX on one side gives one, unless it asks for identity or membership."""
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return False
        return any(self.sure(side) and not isinstance(side, ast.Tuple | ast.List) for side in (left, right))

    # -- names

    def _named(self, name: str) -> bool:
        """JAX makes all that the name is bound to, wherever in the function."""
        if name not in self.asked:
            known = dict(self.asked)
            self.asked[name] = True  # what is made of itself is as its beginning is
            bound = list(self._bound(name))
            if not bound or not all(bound):  # what was found true meanwhile may rest on what was supposed of this one
                self.asked = known | {n: False for n, sure in self.asked.items() if n == name or not sure}
        return self.asked[name]

    def _bound(self, name: str) -> Iterator[bool]:
        found = False
        for part in binders_of(self.node, name):
            for result in self._binds(part, name):
                found = True
                yield result
        if not found and self.unit is not None:
            made = self.unit.file.bound.get(name, [])
            yield bool(made) and all(value is not None and self.sure(value) for value in made)

    def _binds(self, part: ast.AST, name: str) -> Iterator[bool]:
        match part:
            case ast.arg(arg=parameter, annotation=hint) if parameter == name:
                yield name in self.given or (hint is not None and self._hinted(hint))
            case ast.Assign(targets=bound, value=value):
                for target in (t for t in bound if name in targets(t)):
                    yield self._parts(target, value, name)
            case ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value) if bound == name:
                yield self.sure(value)
            case ast.AugAssign(target=ast.Name(id=bound), value=value) if bound == name:
                yield True  # the name itself is asked for beside it
            case ast.NamedExpr(target=ast.Name(id=bound), value=value) if bound == name:
                yield self.sure(value)
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                if name in targets(target):
                    yield self._iterated(target, over, name)
            case ast.FunctionDef(name=bound) | ast.ClassDef(name=bound) if bound == name and part is not self.node:
                yield False
            case ast.ExceptHandler(name=bound) | ast.MatchAs(name=bound) | ast.MatchStar(name=bound) if bound == name:
                yield False
            case ast.withitem(optional_vars=ast.expr() as target) if name in targets(target):
                yield False
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                yield False

    def _parts(self, target: ast.expr, value: ast.expr, name: str) -> bool:
        """What a name gets where a target unpacks a value."""
        match target, value:
            case ((ast.Tuple(elts=into) | ast.List(elts=into)), (ast.Tuple(elts=parts) | ast.List(elts=parts))):
                if len(into) == len(parts):
                    pairs = zip(into, parts, strict=True)
                    return all(self._parts(one, part, name) for one, part in pairs if name in targets(one))
        return self.sure(value)

    def _iterated(self, target: ast.expr, over: ast.expr, name: str) -> bool:
        match over:
            case ast.Call(func=function, args=[inner, *_]) if self.resolve(function) == "builtins.enumerate":
                match target:
                    case ast.Tuple(elts=[_, element]) if name in targets(element):
                        return self._iterated(element, inner, name)
                return False
            case ast.Call(func=function, args=parts) if self.resolve(function) == "builtins.zip":
                if isinstance(target, ast.Tuple) and len(target.elts) == len(parts):
                    pairs = zip(target.elts, parts, strict=True)
                    return all(self._iterated(one, part, name) for one, part in pairs if name in targets(one))
                return all(self.sure(part) for part in parts)
            case ast.Call(func=function, args=[inner]) if self.resolve(function) in SIDE_BY_SIDE:
                return self._iterated(target, inner, name)
        return self.sure(over)

    def _hinted(self, hint: ast.expr) -> bool:
        """The annotation names an array of JAX, and neither NumPy's nor a number of Python beside it."""
        named = {self.resolve(part) or "" for part in ast.walk(hint) if isinstance(part, ast.Name | ast.Attribute)}
        others = any(name in NUMBERS or name.startswith("numpy.") for name in named)
        return not named.isdisjoint(TYPES) and not others

    def _kept(self, node: ast.Attribute) -> bool:
        """JAX makes all that the class around a method keeps under this attribute, or annotations say so."""
        owner = self.unit.qualname.rpartition(".")[0] if self.unit is not None else ""
        found = self.unit.file.definitions.get(owner) if self.unit is not None else None
        if not isinstance(found, ast.ClassDef) or not isinstance(node.value, ast.Name):
            return False
        bound: list[bool] = []
        asked: set[ast.expr] = set()
        for part in ast.walk(found):
            match part:
                case ast.Assign(targets=[ast.Attribute(attr=attr) as target], value=value) if attr == node.attr:
                    asked.add(target)
                    bound.append(isinstance(value, ast.Call) and self._library(value.func))
                case ast.AugAssign(target=ast.Attribute(attr=attr) as target) if attr == node.attr:
                    asked.add(target)  # it stays an array of JAX, if it is one
                case ast.AnnAssign(target=ast.Name(id=attr), annotation=hint) if attr == node.attr:
                    bound.append(self._hinted(hint))
                case ast.Attribute(attr=attr, ctx=ast.Store()) if attr == node.attr:
                    bound.append(part in asked)
        return any(bound) and all(bound)

    # -- calls

    def _called(self, call: ast.Call) -> bool:
        if self._library(call.func):
            return True
        callee = self.callee(call.func)
        if callee is not None and self._runs(callee, call):
            return True
        match call.func:
            case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=inner, attr="at"))):
                return self.sure(inner)
            case ast.Attribute(value=inner, attr=attr):
                return attr in ARRAY_METHODS and attr not in WAITS and self.sure(inner)
        return False

    def _library(self, function: ast.expr) -> bool:
        """The expression is a function of JAX that gives arrays."""
        name = self.resolve(function) or ""
        array = name.startswith(ARRAY_ROOTS) and not name.startswith(HOST)
        return (array and name not in PYTHON_VALUED) or name in CASTS or name == "jax.device_put"

    def _runs(self, callee: object, call: ast.Call | None) -> bool:
        match callee:
            case Transformed(function=inner, transform=transform):
                return transform not in EAGER or (inner.callee is not None and self._runs(inner.callee, call))
            case Partial(function=inner):
                return inner.callee is not None and self._runs(inner.callee, None)
            case OneOf(values):
                return all(value.callee is not None and self._runs(value.callee, call) for value in values)
            case Closure(code):
                return self._computed(code, call)
        return False

    def _computed(self, code: Code, call: ast.Call | None) -> bool:
        """JAX makes all that a function of the project returns."""
        if self.depth >= DEEPEST:
            return False
        inner = self.within(code, call)
        if isinstance(code.node, ast.Lambda):
            return inner.sure(code.node.body)
        returned = list(_own_returns(code.node))
        return bool(returned) and all(inner.sure(value) for value in returned)

    def _handed(self, code: Code, call: ast.Call | None) -> frozenset[str]:
        """The parameters that a call gives arrays of JAX."""
        if call is None or any(isinstance(a, ast.Starred) for a in call.args):
            return frozenset()
        names = [n for n in parameters(code.node.args) if not (code.owner is not None and n in ("self", "cls"))]
        named: Mapping[str, ast.expr] = {k.arg: k.value for k in call.keywords if k.arg is not None}
        pairs = [*zip(names, call.args, strict=False), *named.items()]
        return frozenset(name for name, value in pairs if self.sure(value))


def _own_returns(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """What a function returns; None where it says nothing."""
    for part in walk_scope(function.body):
        if isinstance(part, ast.Return):
            yield part.value or ast.Constant(None)


def _callee_in(code: Code, at: ast.expr) -> object | None:
    known: Value | None = code.record.values.get(at)
    if (known is None or known.callee is None) and isinstance(at, ast.Name):
        known = code.scope.lookup(at.id)
    return known.callee if known is not None else None
