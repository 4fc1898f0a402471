"""Follows what is differentiated through the functions that are called, up to the loops that have no way back."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scanlint.jaxapi.derivatives import ATTRIBUTES, CONSTANT, OWN_RULES, PLAIN, REVERSE, THROUGH
from scanlint.trace.domain.callables import ClassRef, Closure, Code, Named, Partial, Transformed, World
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import UNKNOWN, Instance, OneOf, Value
from scanlint.trace.members import member
from scanlint.trace.tangents.taint import CLEAN, Taint, either, flat, marked, parts, union

DEEPEST = 40
MOST_STEPS = 300_000
"""Expressions that are looked at for one derivative; nothing is said of what takes more."""
TURNS = 4
"""Trips after which a loop hands nothing on that it did not before; a longer chain of names is not followed."""
UNKNOWN_DIFFERENTIATION = REVERSE | {"jax.jacfwd", "jax.linearize"}
GROWS = frozenset(("append", "extend", "insert", "update", "setdefault"))
Branches = list[ast.stmt]


class TooLong(Exception):
    """A derivative goes through more than is looked at."""


@dataclass(eq=False, slots=True)
class Activation:
    """One run of a function: its names, and the run of the function around it."""

    code: Code
    env: dict[str, Taint]
    around: Activation | None
    returned: list[Taint] = field(default_factory=list)

    @property
    def marks(self) -> object:
        """All that the names in reach are marked with: a run of the function follows from it."""
        own = frozenset((name, taint) for name, taint in self.env.items() if taint)
        return own if self.around is None else (own, self.around.marks)

    def lookup(self, name: str) -> Taint:
        at: Activation | None = self
        while at is not None:
            if name in at.env:
                return at.env[name]
            at = at.around
        return CLEAN


class TangentFlow(ABC):
    """Follows one derivative; `loops` are those without a way back that it met, each with the calls that led there."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.loops: dict[ast.AST, tuple[Reason, ...]] = {}
        self.stack: list[Activation] = []
        self.calls: list[Reason] = []
        self.steps = 0
        self._known: dict[object, Taint] = {}
        self._cut = 0

    @abstractmethod
    def call(self, node: ast.Call) -> Taint:
        """The marks of what a call gives."""

    @abstractmethod
    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Run statements; whether their end is reached."""

    # -- functions

    def apply(
        self,
        function: Value,
        node: ast.AST,
        args: Sequence[Taint],
        named: Mapping[str, Taint] | None = None,
        held: Taint = CLEAN,
    ) -> Taint | None:
        """The result of a function; None where it is not known. `held` is what a partial or a method holds already."""
        named = named or {}
        match function.callee:
            case Closure() as closure:
                return self._run(closure, node, args, named, held)
            case Partial(inner, given, keywords):
                more = {**dict.fromkeys(keywords, flat(held)), **named}
                return self.apply(inner, node, [*[flat(held)] * len(given), *args], more)
            case Transformed(transform) if transform in OWN_RULES or transform in UNKNOWN_DIFFERENTIATION:
                return union([*args, *named.values()])
            case Transformed(function=inner):
                return self.apply(inner, node, args, named, held)
            case OneOf(choices):
                found = [self.apply(choice, node, args, named, held) for choice in choices]
                known = [taint for taint in found if taint is not None]
                return _join(known) if known else None
            case Instance():
                method = member(self.world, function, "__call__", self.stack[-1].code.mode) if self.stack else None
                if method is None or method.callee is None or isinstance(method.callee, Instance):
                    return None
                return self.apply(method, node, args, named, held)
            case ClassRef():
                return union([*args, *named.values()])
            case Named(name):
                return self.library(name, [*args, *named.values()])
        return None

    def library(self, name: str, given: Sequence[Taint]) -> Taint:
        """The result of a function from outside the project that is handed only these values."""
        if name in PLAIN or name.rpartition(".")[2] in CONSTANT or not name.startswith(THROUGH):
            return CLEAN
        return union(given)

    def _run(
        self, closure: Closure, node: ast.AST, args: Sequence[Taint], named: Mapping[str, Taint], held: Taint
    ) -> Taint | None:
        code = closure.code
        if any(a.code is code for a in self.stack) or len(self.stack) >= DEEPEST:
            self._cut += 1
            return None
        self.world.noted(closure)
        frame = closure.frame.code if closure.frame is not None else None
        around = next((a for a in reversed(self.stack) if a.code is frame), None)
        env = bound(code, [flat(held), *args] if closure.receiver is not None else args, named)
        inner = Activation(code, env, around)
        key = code, inner.marks
        if key in self._known:
            return self._known[key]
        if self.stack:
            here = self.stack[-1].code
            self.calls.append(Reason(f"`{code.name}` <- `{here.name}`", here.scope, node))
        self.stack.append(inner)
        cut = self._cut
        try:
            made = self._body(inner)
        finally:
            self.stack.pop()
            if self.stack:
                self.calls.pop()
        if cut == self._cut:  # what does not rest on who is being run
            self._known[key] = made
        return made

    def _body(self, inner: Activation) -> Taint:
        if isinstance(inner.code.node, ast.Lambda):
            return self.eval(inner.code.node.body)
        self.block(inner.code.node.body)
        return _join(inner.returned) if inner.returned else CLEAN

    # -- expressions

    @property
    def here(self) -> Activation:
        return self.stack[-1]

    def value(self, node: ast.AST) -> Value:
        """The marks of an expression of the function that is being run."""
        return self.here.code.record.values.get(node, UNKNOWN)

    def eval(self, node: ast.expr | None) -> Taint:
        """The marks of an expression; whole numbers, truth values and what is no array have none."""
        if node is None:
            return CLEAN
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLong
        taint = self._eval(node)
        known = self.value(node)
        if known.dtype in ("int", "bool", "key") or (known.static and known.callee is None and known.known):
            return CLEAN
        return taint

    def _eval(self, node: ast.expr) -> Taint:
        match node:
            case ast.Name(id=name):
                return self.here.lookup(name)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                if any(isinstance(e, ast.Starred) for e in elements):
                    return union(map(self.eval, elements))
                return tuple(map(self.eval, elements))
            case ast.Attribute(value=value, attr=attr):
                return CLEAN if attr in ATTRIBUTES else flat(self.eval(value))
            case ast.Subscript():
                return self._item(node)
            case ast.BinOp(left=left, op=op, right=right):
                return CLEAN if isinstance(op, ast.FloorDiv) else union([self.eval(left), self.eval(right)])
            case ast.UnaryOp(op=op, operand=operand):
                return CLEAN if isinstance(op, ast.Not | ast.Invert) else self.eval(operand)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self._chosen(test, body, other)
            case ast.Call():
                return self.call(node)
            case ast.Dict(values=values):
                return union(map(self.eval, values))
            case ast.BoolOp(values=values):
                return union(map(self.eval, values))
            case ast.Starred(value=value):
                return flat(self.eval(value))
            case ast.NamedExpr(target=target, value=value):
                taint = self.eval(value)
                self.bind(target, taint)
                return taint
            case ast.ListComp(elt=element) | ast.SetComp(elt=element) | ast.GeneratorExp(elt=element):
                return self._comprehension(node, [element])
            case ast.DictComp(value=value):
                return self._comprehension(node, [value])
        return CLEAN

    def _chosen(self, test: ast.expr, body: ast.expr, other: ast.expr) -> Taint:
        known = self.value(test)
        if known.certain:
            return self.eval(body if known.constant else other)
        return either(self.eval(body), self.eval(other))

    def _item(self, node: ast.Subscript) -> Taint:
        base = self.eval(node.value)
        index = self.value(node.slice)
        if isinstance(base, tuple) and isinstance(index.constant, int) and -len(base) <= index.constant < len(base):
            return base[index.constant]
        return flat(base)

    def _comprehension(self, node: ast.expr, elements: list[ast.expr]) -> Taint:
        for generator in getattr(node, "generators", []):
            self.bind(generator.target, flat(self.eval(generator.iter)))
        return union(map(self.eval, elements))

    def bind(self, target: ast.expr, taint: Taint) -> None:
        """Assign to a target."""
        match target:
            case ast.Name(id=name):
                self.here.env[name] = CLEAN if self.value(target).dtype in ("int", "bool", "key") else taint
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for part, inner in zip(elements, parts(taint, len(elements)), strict=True):
                    self.bind(part.value if isinstance(part, ast.Starred) else part, inner)
            case ast.Subscript(value=owner) | ast.Attribute(value=owner):
                self.grow(owner, taint)

    def grow(self, owner: ast.expr, taint: Taint) -> None:
        """Something is put into an object."""
        while isinstance(owner, ast.Subscript | ast.Attribute):
            owner = owner.value
        if isinstance(owner, ast.Name) and flat(taint):
            self.here.env[owner.id] = flat(self.here.lookup(owner.id)) | flat(taint)

    # -- loops of JAX

    def turned(self, start: Taint, trip: object) -> Taint:
        """The values that a loop carries in the end, from those at its start and what a trip makes of them."""
        assert callable(trip)
        carry = start
        for _ in range(TURNS):
            made = trip(carry)
            after = carry if made is None else either(carry, made)
            if after == carry:
                break
            carry = after
        return carry

    def stopped(self, node: ast.Call, carry: Taint, says: str) -> Taint:
        """The result of a loop that cannot be run backwards."""
        if not flat(carry):
            return carry
        here = self.here.code
        self.loops.setdefault(node, (Reason(says, here.scope, node), *reversed(self.calls)))
        return marked(carry, node)


def _join(taints: Sequence[Taint]) -> Taint:
    first, *rest = taints
    for taint in rest:
        first = either(first, taint)
    return first


def bound(code: Code, args: Sequence[Taint], named: Mapping[str, Taint]) -> dict[str, Taint]:
    """The parameters of a function with what they are given."""
    names = [a.arg for a in code.positional()]
    env: dict[str, Taint] = dict.fromkeys([a.arg for a in code.parameters()], CLEAN)
    env |= dict(zip(names, args, strict=False))
    arguments = code.node.args
    if arguments.vararg is not None:
        env[arguments.vararg.arg] = tuple(args[len(names) :])
    known = {a.arg for a in code.parameters()}
    env |= {name: taint for name, taint in named.items() if name in known}
    if arguments.kwarg is not None:
        env[arguments.kwarg.arg] = union(taint for name, taint in named.items() if name not in known)
    return env
