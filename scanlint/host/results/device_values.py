"""What holds values of the device in a loop on the host: what a trip dispatches, and what is made of its results."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from scanlint.host.piecemeal import jitted
from scanlint.host.provenance import of_jax
from scanlint.host.purity import WAITS
from scanlint.host.threaded_state import called_in
from scanlint.loops.loop import LoopModel, few
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, targets, walk_scope
from scanlint.syntax.regex import regex
from scanlint.trace.calls.jax_results import ARRAY_METHODS, ARRAY_ROOTS, PYTHON_VALUED, STATIC_ATTRIBUTES
from scanlint.trace.domain.callables import Closure, Code
from scanlint.trace.unit import Unit

LOOPS = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
VIEWS = frozenset(["items", "values", "get", "pop", "copy", "_asdict"])
TREES = frozenset(["jax.tree.map", "jax.tree.leaves", "jax.tree_util.tree_leaves"])
PARTS = regex(r"(?i)accum|micro_?batch|grad_acc")
DEEPEST = 3


def dispatches(unit: Unit, call: ast.Call) -> bool:
    """A call runs a jitted function, or one of the project that surely returns what such a function gives."""
    function = unit.value(call.func)
    if jitted(function):
        return True
    match function.callee:
        case Closure(code):
            return not code.mode.traced and _runs_jitted(unit, code, 0) and of_jax(unit, call)
    return False


def _runs_jitted(unit: Unit, code: Code, depth: int) -> bool:
    """A function of the project that a unit calls runs a jitted one, and no loop that may run many."""
    return unit.once((_runs_jitted, code, depth), lambda: _dispatches_inside(unit, code, depth))


def _dispatches_inside(unit: Unit, code: Code, depth: int) -> bool:
    if not code.mode.traced:
        unit.returned(code)  # so that the values in it are there
    parts = list(walk_scope([code.node.body] if isinstance(code.node, ast.Lambda) else list(code.node.body)))
    if any(isinstance(part, LOOPS) for part in parts):
        return False
    functions = [called_in(code, n.func) for n in parts if isinstance(n, ast.Call)]
    if any(map(jitted, functions)):
        return True
    inner = [f.callee.code for f in functions if isinstance(f.callee, Closure)]
    return depth < DEEPEST and any(_runs_jitted(unit, one, depth + 1) for one in inner)


def loops_that_dispatch(unit: Unit, body: Iterable[ast.stmt], settings: Settings) -> bool:
    """Loops in these statements dispatch something themselves, but for those of few trips, as those over gradients."""
    found = [p for p in walk_scope(body) if isinstance(p, LOOPS) and not adds_up(p)]
    loops = [p for p in found if not isinstance(p, ast.For) or not few(unit, LoopModel(unit, p).trips, settings)]
    return any(isinstance(c, ast.Call) and dispatches(unit, c) for loop in loops for c in walk_scope(_trip(loop)))


def adds_up(loop: ast.AST) -> bool:
    """A loop goes over the parts of one batch."""
    return isinstance(loop, ast.For) and PARTS.search(ast.unparse(loop.iter)) is not None


def _trip(loop: ast.AST) -> list[ast.AST]:
    if isinstance(loop, ast.For | ast.AsyncFor | ast.While):
        return list(loop.body)
    return list(ast.iter_child_nodes(loop))


class DeviceValues:
    """The names that statements of a loop bind to values of the device, and which expressions are made of these."""

    def __init__(self, unit: Unit, body: list[ast.stmt]) -> None:
        self.unit = unit
        self.names: Names = frozenset()
        bound = list(_bindings(body))
        for _ in range(len(bound) + 1):
            found = frozenset(n for target, value in bound if self.holds(value) for n in targets(target))
            if found <= self.names:
                break
            self.names |= found

    def holds(self, node: ast.expr) -> bool:
        """An expression is a value of the device, or a tuple or dict of such."""
        match node:
            case ast.Name(id=name):
                return name in self.names
            case ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.NamedExpr(value=inner):
                return self.holds(inner)
            case ast.Attribute(value=inner, attr=attr):
                return attr not in STATIC_ATTRIBUTES and self.holds(inner)
            case ast.BinOp(left=left, right=right):
                return self.holds(left) or self.holds(right)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return not isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) and (
                    self.holds(left) or self.holds(right)
                )
            case ast.UnaryOp(op=op, operand=inner):
                return not isinstance(op, ast.Not) and self.holds(inner)
            case ast.Tuple(elts=parts):
                return any(self.holds(part) for part in parts)
            case ast.Call():
                return self._given_by(node)
        return False

    def holds_any(self, test: ast.expr) -> bool:
        """A test asks for a value of the device somewhere in it."""
        match test:
            case ast.BoolOp(values=parts):
                return any(self.holds_any(part) for part in parts)
            case ast.UnaryOp(operand=inner):
                return self.holds_any(inner)
            case ast.Compare(left=left, ops=ops, comparators=rights):
                if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in ops):
                    return False
                return any(self.holds_any(part) for part in (left, *rights))
            case ast.Call(args=args) if not dispatches(self.unit, test):
                return self.holds(test) or any(self.holds_any(a) for a in args)
        return self.holds(test)

    def _given_by(self, call: ast.Call) -> bool:
        """A call gives a value of the device: of a jitted function, or of one of JAX that is given such a value."""
        if dispatches(self.unit, call):
            return True
        name = self.unit.resolve(call.func) or ""
        if name.startswith(ARRAY_ROOTS) or name in TREES:
            return name not in PYTHON_VALUED and any(self.holds(a) for a in call.args)
        match call.func:
            case ast.Attribute(value=inner, attr=attr):
                return attr in (ARRAY_METHODS - WAITS) | VIEWS and self.holds(inner)
        return False


def _bindings(body: list[ast.stmt]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets and values of assignments and loops: of two tuples, each part with its own."""
    for part in walk_scope(body):
        match part:
            case ast.Assign(targets=[ast.Tuple(elts=into)], value=ast.Tuple(elts=parts)) if len(into) == len(parts):
                yield from zip(into, parts, strict=True)
            case ast.Assign(targets=bound, value=value):
                yield from ((target, value) for target in bound)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                yield target, value
            case ast.For(target=ast.Tuple(elts=[_, target]), iter=ast.Call(func=ast.Attribute(attr="items")) as value):
                yield target, value
            case ast.comprehension(
                target=ast.Tuple(elts=[_, target]), iter=ast.Call(func=ast.Attribute(attr="items")) as value
            ):
                yield target, value
            case ast.For(target=target, iter=ast.Call(func=ast.Attribute(attr="values")) as value):
                yield target, value
