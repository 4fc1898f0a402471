"""The state of the abstract interpreter of keys: the path that it is on, frames, and the pairs of uses that meet."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from scanlint.effort import WATCH
from scanlint.finding import Link
from scanlint.jaxapi.canonical import canonical
from scanlint.keys.terms import (
    NOTHING,
    Built,
    Changed,
    Computed,
    Const,
    ElementOf,
    Every,
    External,
    FieldOf,
    InnerFunction,
    KeyGuard,
    Listed,
    Moment,
    OneOfPaths,
    Opaque,
    Passed,
    Seeded,
    Stage,
    Tail,
    Term,
    choices,
    either,
    element,
)
from scanlint.keys.uses import EVERYTHING, KeyUse, PathMemory, UseKind, exclusive, join
from scanlint.syntax.bindings import Function, binds, parameters
from scanlint.syntax.walk import walk
from scanlint.trace.domain.callables import Code, World
from scanlint.trace.program.module_scope import ModuleScope

MOST_STEPS = 40_000
"""Expressions that are evaluated for one function, before it is left."""
MOST_CALLS = 6
"""How many local functions are followed into each other."""


class TooManySteps(Exception):
    """A function is too large to be followed along all of its paths."""


class UsePair(NamedTuple):
    """Two uses of one key on one path."""

    first: KeyUse
    second: KeyUse


@dataclass(slots=True)
class KeyFrame:
    """One activation of a function: which names are its own, and the frame around it."""

    locals: frozenset[str]
    parent: int | None
    receiver: str | None = None
    owner: str | None = None
    returned: list[tuple[PathMemory, Term]] = field(default_factory=list)


@dataclass(slots=True)
class LoopExits:
    """The paths that leave a trip of a loop early."""

    broken: list[PathMemory] = field(default_factory=list)
    continued: list[PathMemory] = field(default_factory=list)


def own_names(node: Function) -> frozenset[str]:
    """The names that are bound in a function itself."""
    given = frozenset(parameters(node.args))
    if isinstance(node, ast.Lambda):
        return given
    outer = [s for s in node.body if isinstance(s, ast.Nonlocal | ast.Global)]
    return (given | binds(*node.body)) - frozenset(n for s in outer for n in s.names)


MODULE = -1
"""In the place of a frame, for names that a function declares to be those of its module."""


class KeyMachine:
    """The state that the parts of the interpreter share. `at` is the path; None behind a statement that jumps."""

    def __init__(self, code: Code, world: World) -> None:
        self.code = code
        self.world = world
        self.path: PathMemory | None = PathMemory()
        self.moment: Moment = ()
        self.frames: list[KeyFrame] = []
        self.frame = -1
        self.loops: list[LoopExits] = []
        self.pairs: list[UsePair] = []
        self.ran: set[ast.AST] = set()
        self.made: dict[ast.AST, int] = {}
        self.seeded: dict[ast.AST, list[Moment]] = {}
        self.active: list[ast.AST] = []
        self._steps = 0
        self._own: dict[Function, frozenset[str]] = {}
        self._outer: dict[str, External] = {}

    @property
    def at(self) -> PathMemory:
        """The path that is followed."""
        assert self.path is not None
        return self.path

    def step(self) -> None:
        """One more expression. Raises TooManySteps."""
        self._steps += 1
        WATCH.tick()
        if self._steps > MOST_STEPS:
            raise TooManySteps

    def eval(self, node: ast.expr) -> Term:
        """The term of an expression, whose effects happen."""
        raise NotImplementedError

    def block(self, statements: list[ast.stmt]) -> None:
        """Run statements up to one that jumps."""
        raise NotImplementedError

    def apply(self, function: Term, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """Call a value."""
        raise NotImplementedError

    def opaque(self, node: ast.AST) -> Opaque:
        """A value of which nothing is known, another one each time."""
        return Opaque(node, self.moment)

    # -- names

    def enter(self, node: Function, parent: int | None, owner: str | None = None) -> int:
        """A frame for a run of a function."""
        receiver = None
        if owner is not None and (names := parameters(node.args)):
            receiver = names[0]
        if node not in self._own:
            self._own[node] = own_names(node)
        self.frames.append(KeyFrame(self._own[node], parent, receiver, owner))
        return len(self.frames) - 1

    def lookup(self, name: str) -> Term:
        """The term that a name stands for here."""
        at: int | None = self.frame
        while at is not None:
            frame = self.frames[at]
            if name in frame.locals:
                return self.at.names.get((at, name), Passed(f"{name}@{at}"))
            at = frame.parent
        if (known := self.at.names.get((MODULE, name))) is not None:
            return known
        if name not in self._outer:
            self._outer[name] = self._external(name)
        return self._outer[name]

    def _external(self, name: str) -> External:
        """The term that a name stands for at the top of the file."""
        scope = self.code.scope
        found = scope.annotation(ast.Name(id=name))
        imported = isinstance(scope, ModuleScope) and scope.target(name) is not None
        return External(found if found is not None and (imported or found != name) else f"{scope.name}.{name}")

    def bind_name(self, name: str, term: Term) -> None:
        """Give a name a value, in the frame whose name it is."""
        at: int | None = self.frame
        while at is not None:
            if name in self.frames[at].locals:
                self.at.names[at, name] = term
                return
            at = self.frames[at].parent
        self.at.names[MODULE, name] = term

    def is_method(self, name: str) -> bool:
        """A class of the file has a function of this name: an attribute of it may be a property, which runs."""
        scope = self.code.scope
        return isinstance(scope, ModuleScope) and name in scope.methods

    # -- parts of objects

    def attribute(self, base: Term, name: str) -> Term:
        """An attribute of a value."""
        match base:
            case External(owner):
                return External(canonical(f"{owner}.{name}"))
            case OneOfPaths(options):
                return either([(g, self.attribute(t, name)) for g, t in options], FieldOf(base, name))
            case Changed(inner, changes):
                return dict(changes).get(name) or self.attribute(inner, name)
        known = self.at.cells.get((base, name))
        return known if known is not None else FieldOf(self.at.cells.get((base, EVERYTHING), base), name)

    def item(self, base: Term, index: Term) -> Term:
        """An item of a value."""
        known = self.at.cells.get((base, index))
        if known is not None:
            return known
        if isinstance(base, Built) or (base, EVERYTHING) in self.at.cells:
            return ElementOf(self.at.cells.get((base, EVERYTHING), base), index)
        return element(base, index)

    def forget(self, base: Term, node: ast.AST) -> None:
        """Something unknown may have changed an object."""
        for cell in [cell for cell in self.at.cells if cell[0] == base]:
            del self.at.cells[cell]
        self.at.cells[base, EVERYTHING] = self.opaque(node)

    def elements(self, term: Term, node: ast.AST, trip: int, *, whole: bool = True) -> Term:
        """The element of a value that a trip of a loop over it has."""
        index = Every(node, self.around(node), trip, whole)
        match term:
            case Listed(items):
                return items[trip] if trip < len(items) else self.opaque(node)
            case Const():
                return self.opaque(node)
            case Tail():
                return element(term, index)
        return self.item(term, index)

    def around(self, node: ast.AST) -> Moment:
        """The moment outside of a loop."""
        found = [stage for stage in self.moment if not (stage.loop and stage.node is node)]
        return tuple(found)

    # -- uses

    def use(
        self,
        term: Term,
        kind: UseKind,
        what: str,
        site: ast.AST,
        *,
        sure: bool = True,
        inside: Link | None = None,
        deep: Term | None = None,
        drawn: str = "",
    ) -> None:
        """A key is used: every earlier use of it on this path makes a pair."""
        for guards, each in choices(term):
            if isinstance(each, Const | InnerFunction):
                continue
            if isinstance(each, Listed):
                for item in each.items:
                    self.use(item, kind, what, site, sure=sure, inside=inside, deep=deep, drawn=drawn)
                continue
            none = KeyGuard(Computed("is", (each, NOTHING)), True)
            if exclusive(self.at.guards, guards) or none in guards:
                continue
            every = self.at.guards + guards
            new = KeyUse(kind, each, what, site, self.moment, every, sure, inside, deep, drawn or what)
            for old in self.at.earlier(each):
                if not exclusive(old.guards, every) and not _one_place(old, new):
                    self.pairs.append(UsePair(old, new))
            self.at.add(new)

    # -- branches and loops

    def branch(self, node: ast.AST, arms: list[tuple[tuple[KeyGuard, ...], Callable[[], Term]]]) -> Term:
        """Take each of several arms, and join what they give."""
        before, ends, results = self.at, list[PathMemory](), list[tuple[tuple[KeyGuard, ...], Term]]()
        for guards, run in arms:
            self.path = before.copy(*guards)
            result = run()
            if self.path is not None:
                ends.append(self.path)
                results.append((self.path.guards[len(before.guards) :], result))
        self.path = join(ends, node, self.moment)
        return either(results, self.opaque(node)) if results else self.opaque(node)

    def trips(self, node: ast.AST, count: int, run: Callable[[int], None], how: str = "") -> None:
        """Run the body of a loop; what follows is reached from its last trip or from where it is left."""
        outer, before = self.moment, self.at.copy()
        self.loops.append(exits := LoopExits())
        for trip in range(count):
            self.moment = (*outer, Stage(node, trip, True, len(before.guards), how))
            run(trip)
            on = [p for p in (self.path, *exits.continued) if p is not None]
            exits.continued.clear()
            self.path = join(on, node, self.moment)
            if self.path is None:
                break
        self.loops.pop()
        self.moment = outer
        ends = [p for p in (self.path, *exits.broken) if p is not None]
        self.path = join(ends, node, outer) if ends else before


def _one_place(old: KeyUse, new: KeyUse) -> bool:
    """Whether both are one use: what is called uses its parameter again and again, which is said where it stands."""
    if old.site is not new.site or old.moment != new.moment:
        return False
    one, other = _given(old.deep), _given(new.deep)
    return one == other or isinstance(one, Seeded) or isinstance(other, Seeded)


def _given(deep: Term | None) -> Term | None:
    """The argument of a call in which a key is found."""
    while isinstance(deep, FieldOf | ElementOf | Tail):
        deep = deep.base
    return deep


def functions_in(node: ast.AST) -> list[ast.AST]:
    """The functions that are made in another one."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return [n for n in walk(node) if isinstance(n, kinds) and n is not node]
