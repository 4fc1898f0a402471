"""Values by how they were made: two expressions with equal terms have equal values, so they are one and the same key.

A term is a value number: what a key is split from, which row of the split it is, what was folded in. A `Moment` says in
which trips of loops and calls of functions something was evaluated; what is not known is another value at each moment.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, TypeVar, dataclass_transform

MOST_CHOICES = 6


class Stage(NamedTuple):
    """One trip of a loop, or the one call at a node; `guards` is how many tests led to the loop.

    `how` is the function of JAX that goes round.
    """

    node: ast.AST
    trip: int
    loop: bool
    guards: int = 0
    how: str = ""


Moment = tuple[Stage, ...]


class KeyGuard(NamedTuple):
    """A test that is known to have come out as `truth`; equal tests come out alike."""

    test: object
    truth: bool


Guards = tuple[KeyGuard, ...]
Made = TypeVar("Made")


def _noted_hash(made: object) -> int:
    return made.hashed  # type: ignore[attr-defined,no-any-return]


def _equality(parts: Callable[[object], object]) -> Callable[[object, object], bool]:
    """Equality that looks into two terms only where they are of one kind and have the same hash."""

    def equal(one: object, other: object) -> bool:
        if one is other:
            return True
        if one.__class__ is not other.__class__ or one.hashed != other.hashed:  # type: ignore[attr-defined]
            return False
        return (parts(one),) == (parts(other),)

    return equal


@dataclass_transform(frozen_default=True)
def term(cls: type[Made]) -> type[Made]:
    """A frozen dataclass that knows its hash: terms hold terms, and stand in many tables."""
    parts, name = attrgetter(*cls.__annotations__), cls.__name__

    def note_hash(made: object) -> None:
        made.hashed = hash((name, parts(made)))  # type: ignore[attr-defined]

    cls.__annotations__["hashed"] = "int"
    cls.hashed = field(init=False, repr=False, compare=False)  # type: ignore[attr-defined]
    cls.__post_init__ = note_hash  # type: ignore[attr-defined]
    cls.__hash__ = _noted_hash  # type: ignore[method-assign,assignment]
    cls.__eq__ = _equality(parts)  # type: ignore[method-assign]
    return dataclass(slots=True, eq=False)(cls)


@term
class Passed:
    """A parameter of the function that is looked at."""

    name: str


@term
class FieldOf:
    """An attribute that nobody has set so far."""

    base: Term
    name: str


@term
class ElementOf:
    """An element of an array or a container: a key of those that a split gives."""

    base: Term
    index: Term


@term
class Tail:
    """The elements from one on."""

    base: Term
    start: int


@term
class Seeded:
    """`jax.random.key(seed)`: the same key at any moment, for the same seed.

    The site of those that are made where they are used, `normal(key(0), ...)`, is the function: they are one key.
    """

    site: ast.AST
    seed: Term


@term
class SplitKeys:
    """`jax.random.split(key, count)`."""

    key: Term
    count: int | None


@term
class FoldedKey:
    """`jax.random.fold_in(key, data)`."""

    key: Term
    data: Term


@term
class Const:
    """A Python constant."""

    value: object


@term
class Opaque:
    """Of this nothing is known but when and where it was made."""

    site: ast.AST
    moment: Moment


@term
class Every:
    """The index of a loop: no two trips have the same. `whole`: each element of what is looped over has its trip."""

    site: ast.AST
    moment: Moment
    trip: int
    whole: bool = True


@term
class Computed:
    """The result of an operator: the same for the same operands."""

    operator: str
    operands: tuple[Term, ...]


@term
class Listed:
    """A tuple or list, element by element."""

    items: tuple[Term, ...]


@term
class Built:
    """A dict or an object of a class of the project, whose parts are kept in the memory."""

    site: ast.AST
    moment: Moment
    kind: str


@term
class Changed:
    """`state.replace(key=...)`: another object with some attributes anew."""

    base: Term
    changes: tuple[tuple[str, Term], ...]


@term
class InnerFunction:
    """A function or lambda that is made inside of the one that is looked at, with the frame around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: int


@term
class External:
    """Something by its canonical name: of a library, or of the project."""

    name: str


@term
class UnderTransform:
    """A function under `jax.vmap` and its like, or with some arguments given."""

    transform: str
    function: Term
    call: ast.Call
    given: tuple[Term, ...]
    named: tuple[tuple[str, Term], ...]


@term
class OneOfPaths:
    """One of several, by the path that was taken."""

    choices: tuple[tuple[Guards, Term], ...]


Term = (
    Passed
    | FieldOf
    | ElementOf
    | Tail
    | Seeded
    | SplitKeys
    | FoldedKey
    | Const
    | Opaque
    | Every
    | Computed
    | Listed
    | Built
    | Changed
    | InnerFunction
    | External
    | UnderTransform
    | OneOfPaths
)
NOTHING = Const(None)


def choices(term: Term) -> Iterator[tuple[Guards, Term]]:
    """The terms that one may be, each with what has to hold for that."""
    if isinstance(term, OneOfPaths):
        yield from term.choices
    else:
        yield (), term


def either(parts: list[tuple[Guards, Term]], otherwise: Term) -> Term:
    """One of several terms; `otherwise` where they are too many."""
    found = [(guards + inner, term) for guards, part in parts for inner, term in choices(part)]
    if len({term for _, term in found}) == 1:
        return found[0][1]
    if len(found) > MOST_CHOICES:
        return otherwise
    return OneOfPaths(tuple(found))


def element(base: Term, index: Term) -> Term:
    """An element of a value."""
    match base, index:
        case OneOfPaths(options), _:
            return either([(g, element(t, index)) for g, t in options], ElementOf(base, index))
        case Listed(items), Const(int() as at) if -len(items) <= at < len(items):
            return items[at]
        case Tail(inner, start), Const(int() as at) if at >= 0:
            return element(inner, Const(at + start))
        case SplitKeys(_, int() as count), Const(int() as at) if -count <= at < 0:
            return ElementOf(base, Const(at + count))
    return ElementOf(base, index)


def tail(base: Term, start: int) -> Term:
    """The elements from one on."""
    match base:
        case Listed(items):
            return Listed(items[start:])
        case Tail(inner, first):
            return Tail(inner, first + start)
    return base if start == 0 else Tail(base, start)


def ancestors(term: Term) -> Iterator[Term]:
    """The keys from which one was split or folded."""
    while True:
        match term:
            case ElementOf(base) | Tail(base):
                term = base
            case SplitKeys(key) | FoldedKey(key):
                yield key
                term = key
            case _:
                return


def derived(term: Term) -> bool:
    """Whether a term is a key for certain, by how it was made."""
    match term:
        case Seeded() | FoldedKey() | SplitKeys():
            return True
        case ElementOf(base) | Tail(base):
            return derived(base)
    return False


def root(term: Term) -> Term:
    """The first term of the chain of splits and folds that a key was made by."""
    while True:
        match term:
            case ElementOf(base) | Tail(base):
                term = base
            case SplitKeys(key) | FoldedKey(key):
                term = key
            case _:
                return term


def alike(one: Term, other: Term) -> bool:
    """Whether two terms share keys: they are equal, or one is an element of what the other sweeps over."""
    if one == other:
        return True
    match one, other:
        case ElementOf(left, first), ElementOf(right, second) if left == right:
            return _meet(first, second)
        case ElementOf(Tail(left, start), Every(whole=True)), ElementOf(right, Const(int() as at)):
            return left == right and at >= start
        case ElementOf(left, Const(int() as at)), ElementOf(Tail(right, start), Every(whole=True)):
            return left == right and at >= start
    return False


def _meet(one: Term, other: Term) -> bool:
    match one, other:
        case Every(left, when, _, True), Every(right, then, _, True):
            return left is not right or when != then
        case (Every(whole=True), Const(int())) | (Const(int()), Every(whole=True)):
            return True
    return one == other
