"""The interpreter of one frame: names, evidence, and what the evaluation of expressions and statements shares."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable

from scanlint.trace.domain.callables import Closure, Frame, World
from scanlint.trace.domain.elements import stored, unpacked
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import UNKNOWN, Instance, Kind, Value, but, holds_tracer
from scanlint.trace.members import kept


class Evaluator(ABC):
    """Evaluates in one frame; keeps the value of each node.

    Operators, calls and transforms are functions of an evaluator: they ask it for what others of them do.
    """

    def __init__(self, world: World, frame: Frame) -> None:
        self.world = world
        self.frame = frame
        self.env = frame.env
        self.record = frame.code.record
        self.values = None if frame.scratch else {} if frame.joining else self.record.values
        self.quiet = 0
        self.caught = 0
        self.loops = 0
        self.decorator: ast.expr | None = None
        self.statement: ast.AST | None = None

    @property
    def traced(self) -> bool:
        return self.frame.mode.traced

    @abstractmethod
    def eval(self, node: ast.expr) -> Value:
        """The value of an expression, noted for the rules."""

    @abstractmethod
    def apply(self, node: ast.Call, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value:
        """The result of a function for these arguments."""

    def truth(self, node: ast.expr) -> Value:
        """The value of a test. The truth of a bare name whose value was never computed is no evidence."""
        value = self.eval(node)
        if value.traced and self.caught and self.values is not None:
            self.values[node] = UNKNOWN
            return value
        if not value.traced or value.array or not self.bare(node):
            return value
        if self.values is not None:
            self.values[node] = UNKNOWN
        return UNKNOWN

    def bare(self, node: ast.expr) -> bool:
        """Whether nothing shows that an expression gives an array: of what numbers index, every element is one."""
        match node:
            case ast.Subscript(slice=ast.Tuple() | ast.Slice() | ast.Constant(value=None)):
                return False
            case ast.Subscript(slice=ast.Constant()):
                return True
            case ast.Subscript(slice=index):
                found = self.eval(index)
                return not (found.traced or found.dtype == "int")
        return isinstance(node, ast.Name | ast.Attribute)

    def made(
        self,
        node: ast.AST,
        why: Reason | None = None,
        dtype: str | None = None,
        ndim: int | None = None,
        array: bool = True,
        operands: Iterable[Value] = (),
    ) -> Value:
        """The result of a call of JAX: a tracer, or in host code (of no tracers, under `vmap`) a concrete array."""
        if not self.traced or (self.frame.mode.batched and not any(holds_tracer(v) for v in operands)):
            return Value(Kind.UNKNOWN, array, dtype=dtype, ndim=ndim)
        return Value(Kind.TRACED, array, dtype=dtype, ndim=ndim, why=why or Reason("", self.frame.code.scope, node))

    def closure(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> Value:
        """A function defined here."""
        code = self.world.code(node, f"{self.frame.code.qualname}.<locals>.{name}", self.frame)
        if code not in self.frame.made:
            self.frame.made.append(code)
        return Value(Kind.STATIC, callee=Closure(code, self.frame))

    def name(self, target: ast.expr, value: Value, statement: ast.AST) -> None:
        """Assign in a statement, which becomes the evidence of what it names."""
        self.statement = statement
        self.bind(target, value)
        self.statement = None

    def bind(self, target: ast.expr, value: Value) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                if value.traced and self.statement is not None:
                    value = self.credited(value, name, self.statement)
                self.env[name] = UNKNOWN if name in self.frame.shared else value
                self.note(target, value)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                for part, inner in zip(elts, unpacked(value, elts), strict=True):
                    self.bind(part.value if isinstance(part, ast.Starred) else part, inner)
            case ast.Attribute(value=owner):
                self.set_attribute(self.eval(owner), target.attr, value)
            case ast.Subscript(value=ast.Name(id=name) as owner):
                self.eval(target.slice)
                self.env[name] = stored(self.eval(owner), target.slice, value)
            case ast.Subscript():
                self.eval(target.value)
                self.eval(target.slice)

    def credited(self, value: Value, name: str, statement: ast.AST) -> Value:
        """A traced value with the statement that names it as the nearest link of its evidence."""
        why = value.why
        if why is not None and not why.text and why.node is getattr(statement, "value", None):
            why = why.cause
        return but(value, why=Reason("", self.frame.code.scope, statement, why, name))

    def note(self, node: ast.AST, value: Value) -> None:
        if self.values is not None:
            self.values[node] = UNKNOWN if self.quiet else value

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """`self.x = ...`: what any method of the class may read later."""
        if isinstance(owner.callee, Instance):
            info = self.world.class_info(owner.callee.name)
            if info is not None:
                self.world.give(info, name, kept(value), owner.callee.site)
