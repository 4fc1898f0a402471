"""Summarises what a function of the project does with the keys that it is handed, once for all of its callers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanlint.finding import Link
from scanlint.keys.key_calls import bound
from scanlint.keys.key_transforms import KeyTransforms
from scanlint.keys.libraries import CALLED_ONCE, MAPPED
from scanlint.keys.machine import TooManySteps, UsePair
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
    FoldedKey,
    Guards,
    InnerFunction,
    KeyGuard,
    Listed,
    Moment,
    OneOfPaths,
    Opaque,
    Passed,
    Seeded,
    SplitKeys,
    Stage,
    Tail,
    Term,
    UnderTransform,
    choices,
    either,
    tail,
)
from scanlint.keys.uses import CellKey, KeyUse, UseKind
from scanlint.syntax.bindings import parameters
from scanlint.trace.domain.callables import ClassRef, Closure, Code, Transformed, World
from scanlint.trace.domain.values import Value
from scanlint.trace.members import class_member, lineage

RANKS: dict[UseKind, int] = {"handed": 0, "split": 1, "draw": 2}


@dataclass(frozen=True, slots=True)
class OutsideUse:
    """A use of a key that a function is handed, or of one that is the same on each call."""

    kind: UseKind
    term: Term
    sure: bool
    inside: Link
    drawn: str


@dataclass(frozen=True, slots=True)
class KeySummary:
    """The keys that a function uses, returns, and leaves in its arguments; and the pairs of uses in itself.

    `seeded` says when each key was made from a seed, `drawn` what was used on the paths to its end.
    """

    uses: tuple[OutsideUse, ...] = ()
    returned: Term = NOTHING
    cells: tuple[tuple[CellKey, Term], ...] = ()
    pairs: tuple[UsePair, ...] = ()
    seeded: Mapping[ast.AST, Sequence[Moment]] = field(default_factory=dict)
    drawn: tuple[KeyUse, ...] = ()


class Summaries:
    """The summaries of the functions of one project."""

    def __init__(self, world: World, keyed: Callable[[Code], bool]) -> None:
        self.world = world
        self._keyed = keyed
        self._known: dict[ast.AST, KeySummary | None] = {}

    def of(self, code: Code) -> KeySummary | None:
        """The summary of a function; None while it is worked out, and of what speaks of no keys."""
        if code.node not in self._known:
            self._known[code.node] = None
            if self._keyed(code):
                self._known[code.node] = self._made(code)
        return self._known[code.node]

    def _made(self, code: Code) -> KeySummary | None:
        machine = KeyInterpreter(code, self)
        node = code.node
        machine.frame = machine.enter(node, None, code.owner)
        for name in parameters(node.args):
            machine.at.names[0, name] = Passed(name)
        try:
            if isinstance(node, ast.Lambda):
                return None
            machine.block(node.body)
            if machine.path is not None:
                machine.frames[0].returned.append((machine.at, Const(None)))
            paths = [path for path, _ in machine.frames[0].returned]
            result = machine.returned(0, (), node)
            machine.finish()
        except TooManySteps:  # too long to follow: whoever calls it takes it for an unknown function
            return None
        uses = [use for path in paths for found in path.uses.values() for use in found]
        cells = tuple((c, t) for c, t in machine.at.cells.items() if _closed(c[0])) if machine.path is not None else ()
        pairs = tuple(dict.fromkeys(machine.pairs))
        kept = {term for _, term in choices(result)}
        uses = [use for use in uses if use.kind != "handed" or use.term not in kept]
        return KeySummary(
            tuple(_outside(uses, code, frozenset(parts(result, *(t for _, t in cells))))),
            result,
            cells,
            pairs,
            machine.seeded,
            tuple(dict.fromkeys(uses)),
        )


class KeyInterpreter(KeyTransforms):
    """The whole interpreter of one function."""

    def __init__(self, code: Code, summaries: Summaries) -> None:
        super().__init__(code, summaries.world)
        self.summaries = summaries

    def of_project(self, name: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term | None:
        found = self.world.find(name)
        match found.callee if found is not None else None:
            case ClassRef(owner):
                return self._construct(owner, given, named, call)
            case None:
                return None
        return self._run(found, given, named, call) if found is not None else None

    def _run(
        self, function: Value, given: list[Term], named: dict[str, Term], call: ast.Call, receiver: Term | None = None
    ) -> Term | None:
        """A function of the project, by its summary."""
        match function.callee:
            case Transformed(transform, inner) if transform in CALLED_ONCE:
                return self._run(inner, given, named, call, receiver)
            case Transformed(transform, inner, options=options) if transform in MAPPED:
                every, count, names = [*given, *named.values()], len(given), [*named]
                return self.for_each(
                    call,
                    lambda rows: self._run(
                        inner, rows[:count], dict(zip(names, rows[count:], strict=True)), call, receiver
                    ),
                    every,
                    [*_mapped(options.get("in_axes"), count), *(True for _ in named)],
                    transform,
                )
            case Closure(code, receiver=bound_to):
                receiver = External(code.owner or "") if receiver is None and bound_to is not None else receiver
                summary = self.summaries.of(code)
                if summary is None:
                    if receiver is not None:
                        self.forget(receiver, call)  # a method may have renewed what its object holds
                    return self.opaque(call) if code.node in self.summaries._known else None
                every = [receiver, *given] if receiver is not None else given
                return self._summarised(summary, bound(code.node.args, every, named), code, call)
        return None

    def of_class(
        self, owner: str, base: Term, name: str, given: list[Term], named: dict[str, Term], call: ast.Call
    ) -> Term | None:
        function = class_member(self.world, owner, name)
        match function.callee:
            case Closure(code) | Transformed(_, Value(callee=Closure(code))):
                static = "staticmethod" in {getattr(d, "id", "") for d in getattr(code.node, "decorator_list", [])}
                return self._run(function, given, named, call, None if static else base)
        return None

    def _construct(self, owner: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        """An object of a class of the project is made."""
        made = Built(call, self.moment, owner)
        infos = list(lineage(self.world, owner))
        code = next((i.methods["__init__"] for i in infos if "__init__" in i.methods), None)
        if code is not None:
            self.of_class(owner, made, "__init__", given, named, call)
            return made
        fields = [name for info in reversed(infos) for name in info.fields]
        for name, term in {**dict(zip(fields, given, strict=False)), **named}.items():
            self.at.cells[made, name] = term
        return made

    def _summarised(self, summary: KeySummary, given: dict[str, Term], code: Code, call: ast.Call) -> Term:
        translate = _Translation(self, given, call)
        uses = [(use, translate.term(use.term)) for use in summary.uses]
        cells = [((translate.term(b), n if isinstance(n, str) else translate.term(n)), translate.term(t))
                 for (b, n), t in summary.cells]  # fmt: skip
        result = translate.term(summary.returned)
        made = code.name == "__init__" and code.owner is not None
        name = (code.owner or "").rpartition(".")[2] if made else code.name
        for use, term in uses:
            self.use(term, use.kind, name, call, sure=use.sure, inside=use.inside, deep=use.term, drawn=use.drawn)
        self.at.cells.update(cells)
        return result


def _mapped(axes: Value | None, count: int) -> list[bool]:
    """The positional arguments that a transform maps over."""
    each = [axes] * count if axes is None or axes.items is None else [*axes.items, *([None] * count)]
    return [axis is None or not axis.known or axis.constant is not None for axis in each[:count]]


class _Translation:
    """The terms of a callee in those of its caller, as they are when it is called."""

    def __init__(self, machine: KeyInterpreter, given: dict[str, Term], call: ast.Call) -> None:
        self.machine = machine
        self.given = given
        self.call = call
        self.known: dict[Term, Term] = {}

    def term(self, term: Term) -> Term:
        """A term of the caller."""
        if term not in self.known:
            self.known[term] = self._term(term)
        return self.known[term]

    def _term(self, term: Term) -> Term:
        machine = self.machine
        match term:
            case Passed(name):
                return self.given.get(name) or Computed("passed", (machine.opaque(self.call), Const(name)))
            case FieldOf(base, name):
                return machine.attribute(self.term(base), name)
            case ElementOf(base, index):
                return machine.item(self.term(base), self.term(index))
            case Tail(base, start):
                return tail(self.term(base), start)
            case Seeded(site, seed):
                return Seeded(site, self.term(seed))
            case SplitKeys(key, count):
                return SplitKeys(self.term(key), count)
            case FoldedKey(key, data):
                return FoldedKey(self.term(key), self.term(data))
            case Computed(operator, operands):
                return Computed(operator, tuple(map(self.term, operands)))
            case Listed(items):
                return Listed(tuple(map(self.term, items)))
            case Changed(base, changes):
                return Changed(self.term(base), tuple((n, self.term(t)) for n, t in changes))
            case OneOfPaths(options):
                return either([(self._guards(g), self.term(t)) for g, t in options], machine.opaque(self.call))
            case Opaque(site, moment):
                return Opaque(site, (*machine.moment, Stage(self.call, 0, False), *moment))
            case Every(site, moment, trip, whole):
                return Every(site, (*machine.moment, Stage(self.call, 0, False), *moment), trip, whole)
            case Built(site, moment, kind):
                return Built(site, (*machine.moment, Stage(self.call, 0, False), *moment), kind)
            case InnerFunction() | UnderTransform():
                return Computed("function", (machine.opaque(self.call), Const(id(term))))
        return term

    def _guards(self, guards: Guards) -> Guards:
        return tuple(
            KeyGuard((g.test, self.call, self.machine.moment), g.truth)
            if isinstance(g.test, tuple)
            else KeyGuard(self.term(g.test), g.truth)  # type: ignore[arg-type]
            for g in guards
        )


def parts(*terms: Term) -> Iterator[Term]:
    """The terms that values hold."""
    stack = list(terms)
    while stack:
        term = stack.pop()
        match term:
            case OneOfPaths(options):
                stack += [part for _, part in options]
            case Listed(items):
                stack += items
            case Changed(base, changes):
                stack += [base, *(part for _, part in changes)]
            case _:
                yield term


def _outside(uses: Iterable[KeyUse], code: Code, kept: frozenset[Term]) -> Iterable[OutsideUse]:
    """The gravest use of each key that comes from outside, or that the caller is left with (`kept`)."""
    found: dict[Term, list[KeyUse]] = {}
    for use in uses:
        if _closed(use.term) or use.term in kept:
            found.setdefault(use.term, []).append(use)
    for term, each in found.items():
        best = max(each, key=lambda u: (_always([o for o in each if RANKS[o.kind] >= RANKS[u.kind]]), RANKS[u.kind]))
        sure = _always([o for o in each if RANKS[o.kind] >= RANKS[best.kind]])
        place = code.scope.start(best.site)
        doing = {"draw": "draws from", "split": "splits", "handed": "hands on"}[best.kind]
        text = f"`{code.name}` {doing} it in `{best.what}`"
        yield OutsideUse(best.kind, term, sure, Link(text, code.scope.path, place.line, place.column), best.drawn)


def _always(uses: list[KeyUse]) -> bool:
    """Whether one of these uses happens on each call: two that differ in the last test are one without it."""
    left = {use.guards for use in uses if use.sure}
    while left:
        if () in left:
            return True
        longest = max(left, key=len)
        left.discard(longest)
        *first, last = longest
        if (*first, last._replace(truth=not last.truth)) in left:
            left.add(tuple(first))
    return False


def _closed(term: Term) -> bool:
    """Whether the callers of a function know what a term is, or it is the same on each call."""
    match term:
        case Passed(name):
            return "@" not in name
        case External() | Const():
            return True
        case FieldOf(base) | Tail(base):
            return _closed(base)
        case ElementOf(base, index):
            return _closed(base) and (_closed(index) or isinstance(index, Every))
        case Seeded(_, seed):
            return _closed(seed)
    return False
