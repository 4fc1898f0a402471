"""What one trip of a host loop does that runs JAX's operations one by one: it may branch on data, and be left early."""

from __future__ import annotations

import ast

from scanlint.host.host_work import FETCHES, FUNCTIONAL, HostWork
from scanlint.host.purity import METHODS, WAITS, computes
from scanlint.host.threaded_state import holds
from scanlint.jaxapi.words import words
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import streams_of
from scanlint.syntax.bindings import Names, parameters, walk_scope
from scanlint.trace.domain.callables import Method
from scanlint.trace.domain.values import Value

ARRAYS = words("numpy.array numpy.asarray jax.device_get")


class EagerWork(HostWork):
    """One trip of such a loop. `worked` are the names in it that hold what JAX works out."""

    def __init__(self, model: LoopModel, worked: Names) -> None:
        self.worked = worked
        self.handed_in = _parameters(model)
        self.printed = set[ast.stmt]()
        super().__init__(model)
        if isinstance(model.node, ast.While) and not self._test(model.node.test):
            self.remarks = None

    # -- statements

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Break() | ast.Continue() | ast.Return(value=None):
                return True
            case ast.Return(value=ast.expr() as value):
                return self._expression(value)
            case ast.For():
                return self._inner(node)
        return super()._statement(node)

    def _inner(self, node: ast.For) -> bool:
        """A loop inside of this one, over something that is understood."""
        known = any(True for _ in streams_of(self.unit, node.target, node.iter))
        return known and not node.orelse and all(self._statement(s) for s in node.body)

    def _target(self, target: ast.expr) -> bool:
        match target:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.model.items:
                return True
        return super()._target(target)

    def _branch(self, node: ast.If) -> bool:
        """A branch on data, or on the number of the trip."""
        return self._test(node.test) and self._arm(node.body) and self._arm(node.orelse)

    def _arm(self, block: list[ast.stmt]) -> bool:
        for statement in block:
            if self._prints(statement):
                self.printed.add(statement)
                last = any(True for _ in jumps_in(*block))
                what = "something is printed when it ends" if last else "the loop prints every so often"
                self._note("occasional-print", what, statement)
            elif not self._statement(statement):
                return False
        return True

    # -- expressions

    def _test(self, test: ast.expr) -> bool:
        """A test; that it waits for a number from the device is how it decides."""
        casts = {part for part in walk_scope([test]) if self._casts(part)}
        return all(part in casts or self._fine(part) for part in walk_scope([test]))

    def _casts(self, part: ast.AST) -> bool:
        match part:
            case ast.Call(func=function, args=[inner], keywords=[]) if self.unit.resolve(function) in FETCHES:
                return holds(self.unit, inner, self.worked)
            case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[]) if name in WAITS:
                return holds(self.unit, inner, self.worked)
        return False

    def _fine(self, part: ast.AST) -> bool:
        match part:
            case ast.IfExp(test=test):
                return self._test(test)
            case ast.Subscript(slice=ast.Slice()):
                return True
        return super()._fine(part)

    def _call(self, call: ast.Call) -> bool:
        match self.unit.value(call.func).callee, call.func:
            case ((Method() | None), ast.Attribute(value=owner, attr=attr)) if holds(self.unit, owner, self.worked):
                return attr in METHODS or attr in FUNCTIONAL
        return super()._call(call)

    def _computes(self, function: Value) -> bool:
        return computes(function, handed_in=True)

    def _unknown(self, call: ast.Call) -> bool:
        """A model or another function that was handed in, or an attribute of `self`, which is given arrays."""
        if super()._unknown(call):
            return True
        given = [*call.args, *(k.value for k in call.keywords)]
        if isinstance(self.unit.parents.get(call), ast.Expr):
            return False
        return self._is_handed_in(call.func) and any(holds(self.unit, a, self.worked) for a in given)

    def _fetched(self, element: ast.expr, inner: ast.expr) -> bool:
        """A number that is collected; whole arrays that are read back on each trip are wanted on the host."""
        called = element.func if isinstance(element, ast.Call) else element
        if self.unit.resolve(called) in ARRAYS or (isinstance(called, ast.Attribute) and called.attr == "tolist"):
            return False
        return super()._fetched(element, inner)

    def _is_handed_in(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id=name):
                return name in self.handed_in
            case ast.Attribute(value=ast.Name(id=name)):
                return name == self.receiver
        return False

    @property
    def receiver(self) -> str | None:
        """The name of the object whose method holds the loop."""
        node = self.unit.node
        first = parameters(node.args)[:1]
        return first[0] if "." in self.unit.qualname and first else None


def _parameters(model: LoopModel) -> Names:
    """The parameters of the functions around a loop."""
    around = [model.function, *model.unit.ancestors(model.function)]
    functions = [f for f in around if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    return frozenset(name for f in functions for name in parameters(f.args))
