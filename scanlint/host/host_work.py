"""What a loop outside traced code does on each trip: JAX's work alone, or something that belongs on the host."""

from __future__ import annotations

import ast

from scanlint.finding import Withheld
from scanlint.host.purity import EAGER, WAITS, computes, of_jax, only_checks
from scanlint.host.traceable import HARMLESS
from scanlint.jaxapi.canonical import JITS
from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.syntax.bindings import binds, reads, walk_scope
from scanlint.trace.domain.callables import Closure, Method, Named, Transformed
from scanlint.trace.domain.values import Value, contents

FETCHES = words("builtins.float builtins.int builtins.bool numpy.array numpy.asarray jax.device_get")
FUNCTIONAL = words("apply_gradients replace _replace apply update")
MAKES = words("jax.numpy.zeros jax.numpy.ones jax.numpy.empty jax.numpy.full jax.numpy.eye jax.numpy.arange")


class HostWork:
    """One trip of a host loop.

    `remarks` is None where a statement belongs on the host. Otherwise it holds what keeps the loop from being rolled
    all the same: an occasional print, a check that raises, numbers fetched from the device. `steps` are the jitted
    functions that are called, `refused` is the first statement that belongs on the host.
    """

    def __init__(self, model: LoopModel) -> None:
        self.model = model
        self.unit = model.unit
        self.steps: list[str] = []
        self._index = frozenset(model.targets)
        self._varying = binds(*model.node.body) | self._index
        self._notes: list[Withheld] = []
        self.refused = next((s for s in model.node.body if not self._statement(s)), None)
        self.remarks = self._notes if self.refused is None else None

    def _note(self, code: str, message: str, at: ast.expr | ast.stmt) -> bool:
        self._notes.append(Withheld(code, f"{message} (line {at.lineno})"))
        return True

    # -- statements

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=bound, value=value):
                return all(self._target(t) for t in bound) and self._expression(value)
            case ast.AnnAssign(target=target, value=value):
                return self._target(target) and (value is None or self._expression(value))
            case ast.AugAssign(target=ast.Name(), value=value):
                return self._expression(value)
            case ast.Expr(value=ast.Call() as call):
                return self._effect(call)
            case ast.If():
                return self._branch(node)
            case ast.Assert(test=test):
                return not reads(test) & self._varying
            case ast.FunctionDef() | ast.Expr(value=ast.Constant()) | ast.Pass():
                return True
        return False

    def _target(self, target: ast.expr) -> bool:
        match target:
            case ast.Name():
                return True
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return all(self._target(e) for e in elements)
            case ast.Starred(value=value):
                return self._target(value)
            case ast.Subscript(value=ast.Name() as base) if self.unit.value(base).container == "list":
                return self._note("mutation", f"`{ast.unparse(target)}` is assigned in place", target)
        return False

    def _branch(self, node: ast.If) -> bool:
        """A branch that is the same on every trip, or one that prints every so often."""
        varying = reads(node.test) & self._varying
        if not varying:
            return self._expression(node.test) and all(self._statement(s) for s in [*node.body, *node.orelse])
        if node.orelse or not varying <= self._index or not _every_so_often(node.test):
            return False
        if not all(self._prints(s) for s in node.body):
            return False
        return self._note("occasional-print", "the loop prints every so often", node.body[0])

    def _prints(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Expr(value=ast.Call(func=function)):
                return self.unit.resolve(function) == "builtins.print"
        return False

    def _effect(self, call: ast.Call) -> bool:
        """A call whose result is not used: an append, or a check that raises."""
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[element], keywords=[]):
                return name in self.unit.local_names and self._collected(element)
        match self.unit.value(call.func).callee:
            case Closure(code) if only_checks(code) and all(self._expression(a) for a in call.args):
                return self._note(
                    "host-check", f"`{ast.unparse(call.func)}(...)` looks at the values on the host", call
                )
        return False

    def _collected(self, element: ast.expr) -> bool:
        """What is appended; that a number is fetched from the device for it is no reason to stay on the host."""
        match element:
            case ast.Call(func=function, args=[inner], keywords=[]) if self.unit.resolve(function) in FETCHES:
                return self._fetched(element, inner)
            case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[]) if name in WAITS:
                return self._fetched(element, inner)
        return self._expression(element)

    def _fetched(self, element: ast.expr, inner: ast.expr) -> bool:
        if self.unit.value(inner).static or not self._expression(inner):
            return False
        return self._note("fetched", f"`{ast.unparse(element)}` waits for the device on each trip", element)

    # -- expressions

    def _expression(self, node: ast.expr) -> bool:
        return all(self._fine(part) for part in walk_scope([node]))

    def _fine(self, part: ast.AST) -> bool:
        match part:
            case ast.Call():
                return self._call(part)
            case ast.IfExp(test=test):
                return not reads(test) & self._varying
            case ast.Compare(left=left, comparators=[ast.Constant(value=str())]):
                return not reads(left) & self._varying
            case ast.comprehension(ifs=ifs):
                return not reads(*ifs) & self._varying
            case ast.Await() | ast.Yield() | ast.YieldFrom() | ast.JoinedStr() | ast.NamedExpr():
                return False
            case ast.Subscript(slice=ast.Slice(lower=low, upper=high)) if reads(low) & reads(high) & self._index:
                return not any(isinstance(n, ast.Mult) for n in ast.walk(part.slice))
        return True

    def _call(self, call: ast.Call) -> bool:
        value = self.unit.value(call.func)
        match value.callee:
            case Transformed(transform=transform) if transform not in EAGER:
                if transform in JITS:
                    self.steps.append(ast.unparse(call.func))
                return True
            case Method(receiver, name) if receiver.array:
                return name not in WAITS
            case Named("builtins.next"):
                return self._next(call)
            case Named(name):
                return of_jax(name) or name in HARMLESS
            case Method() | None:
                return self._unknown(call)
        return self._computes(value)

    def _computes(self, function: Value) -> bool:
        return computes(function)

    def _next(self, call: ast.Call) -> bool:
        """`next(keys)` of an iterator over an array, made before the loop."""
        for statement in ast.walk(self.model.function):
            match statement, call.args:
                case (
                    ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call(func=ast.Name(id="iter"), args=[rows])),
                    [ast.Name(id=name)],
                ) if bound == name and holds_array(self.unit.value(rows)):
                    return self._note("iterator", f"`next({name})` runs once when the loop is rolled", call)
        return False

    def _unknown(self, call: ast.Call) -> bool:
        """A function of which nothing is known: one that takes a random key, or a usual name of a pure step."""
        if self.unit.value(call).array or self._sizes(call):
            return True
        given = [*call.args, *(k.value for k in call.keywords)]
        if any(self.unit.value(a).dtype == "key" for a in given):
            return True
        return isinstance(call.func, ast.Attribute) and call.func.attr in FUNCTIONAL and bool(given)

    def _sizes(self, call: ast.Call) -> bool:
        """Whether a call only says how large an array is that JAX makes, the same on each trip."""
        around = self.unit.parents.get(call)
        if isinstance(around, ast.Tuple):
            around = self.unit.parents.get(around)
        if not isinstance(around, ast.Call) or around.func is call or reads(call) & self._varying:
            return False
        return self.unit.resolve(around.func) in MAKES


def _every_so_often(test: ast.expr) -> bool:
    """`i % 100 == 0` and its like."""
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) for n in ast.walk(test))


def holds_array(value: Value, depth: int = 3) -> bool:
    return value.array or (depth > 0 and any(holds_array(v, depth - 1) for v in contents(value)))
