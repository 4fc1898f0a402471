"""What stands in the place of Python's values while one trip is run: whole numbers, lists, dicts, functions, ranges.

None of these ever meets Python or JAX as itself: the interpreter knows what each operation means for each of them, and
whatever it does not know raises NotProved.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import jax

from ..polynomials import NotProved, Polynomial, number

Value = object
PLAIN = (bool, int, float, complex, str, bytes, type(None))


class UnboundName:
    """A name without a value."""


UNBOUND = UnboundName()


@dataclass(frozen=True)
class SymbolicInt:
    """A whole number of Python that depends on sizes or trips."""

    value: Polynomial


@dataclass(frozen=True)
class Question:
    """`value < 0` or `value == 0`, or not so: some trips answer it otherwise than others."""

    below: bool
    value: Polynomial
    negated: bool

    @property
    def key(self) -> tuple[bool, Polynomial]:
        return self.below, self.value


@dataclass(eq=False)
class NameFrame:
    """The names of a call; `outer` is the frame in which the function was defined, None for the module's."""

    names: dict[str, Value]
    outer: NameFrame | None
    module: Mapping[str, object]
    own: frozenset[str] = frozenset()
    made: int = field(default_factory=itertools.count().__next__)

    def holder(self, name: str) -> NameFrame | None:
        """The frame whose name it is; None: it is the module's."""
        frame: NameFrame | None = self
        while frame is not None and not (name in frame.own or name in frame.names):
            frame = frame.outer
        return frame

    def held(self, name: str) -> Value:
        """The value of a name of its own."""
        found = self.names.get(name, UNBOUND)
        if found is UNBOUND:
            raise NotProved(f"`{name}` may have no value")
        return found


@dataclass(eq=False)
class PythonFunction:
    """A function of either version: its definition and where it stands."""

    node: ast.FunctionDef | ast.Lambda
    frame: NameFrame
    defaults: list[Value]
    named: dict[str, Value]
    compiled: frozenset[str | int] | None = None
    """Not None: it is traced once, and what is not among these parameters is traced."""
    read: dict[object, Sequence[Value]] = field(default_factory=dict)
    """What it found outside of itself when it was traced."""


def bound(closure: PythonFunction, arguments: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a call by name."""
    a = closure.node.args
    places = [x.arg for x in (*a.posonlyargs, *a.args)]
    if a.kwarg is not None or (a.vararg is None and len(arguments) > len(places)):
        raise NotProved("arguments that have no parameter")
    found = dict(zip(places[len(places) - len(closure.defaults) :], closure.defaults, strict=True)) | closure.named
    found |= dict(zip(places, arguments, strict=False))
    if named.keys() - {x.arg for x in (*a.args, *a.kwonlyargs)} or named.keys() & set(places[: len(arguments)]):
        raise NotProved("arguments that have no parameter")
    found |= named
    if set(places) | {x.arg for x in a.kwonlyargs} != found.keys():
        raise NotProved("a parameter without an argument")
    return found | ({a.vararg.arg: tuple(arguments[len(places) :])} if a.vararg is not None else {})


@dataclass(frozen=True)
class TripSpan:
    """What a loop goes over: `count` things, of which `item` gives the one of a trip."""

    count: Polynomial
    item: Callable[[Polynomial], Value]

    def without_first(self) -> TripSpan:
        return TripSpan(self.count - 1, lambda t: self.item(t + 1))


@dataclass(frozen=True)
class DataSpan:
    """A range that data end: the whole numbers from `start` on that are below `stop`."""

    start: int
    stop: jax.Array

    def item(self, trip: Polynomial) -> Value:
        at = trip + self.start
        return at.constant if at.constant is not None else SymbolicInt(at)


@dataclass(frozen=True)
class SingleUse:
    """An iterator: it may be gone over where it stands, and no name may hold it; `of` may not change meanwhile."""

    over: TripSpan | tuple[Value, ...]
    of: tuple[Value, ...] = ()


@dataclass(frozen=True)
class UnknownNumber:
    """A number or truth of Python that is not known: it is computed with beside arrays alone.

    `of_array`: a float that an array was made to; no array is one of these.
    """

    array: jax.Array
    of_array: bool = False


@dataclass(frozen=True)
class FetchedArray:
    """What `jax.device_get` gives: its numbers can be made floats of Python, nothing else is known of it."""

    value: Value


@dataclass(frozen=True)
class CompiledCall:
    """`jax.jit` of what JAX has made of functions of a version."""

    function: Callable[..., object] | VmapCall
    closures: tuple[PythonFunction, ...]


@dataclass(frozen=True)
class SpreadItems:
    """`*items` of a list of many trips."""

    rows: ListRows


@dataclass(frozen=True)
class PartialCall:
    """`functools.partial` of a function."""

    function: Value
    arguments: tuple[Value, ...]
    named: Mapping[str, Value]


@dataclass(eq=False)
class Table:
    """A dict; UNBOUND stands for what is not known after a loop: it is read by `at` and `known` alone."""

    items: dict[object, Value]
    born: int
    read: int = 0  # loops that go over its values
    walked: int = 0  # loops that go over its keys

    def at(self, key: object) -> Value:
        if self.items[key] is UNBOUND:
            raise NotProved("an entry of a dict that is not known")
        return self.items[key]

    @property
    def known(self) -> dict[object, Value]:
        return {key: self.at(key) for key in self.items}


@dataclass(frozen=True)
class Stack:
    """The items of `count` trips, each leaf of an item stacked along its first axis."""

    count: Polynomial
    leaves: Value


@dataclass(frozen=True)
class Blank:
    """The end of a list that is still to be filled: so many times the same item."""

    count: Polynomial
    item: Value


@dataclass(frozen=True)
class Grown:
    """An array to which trips join rows, in the place `slot` of a loop: nothing else may be asked of it."""

    slot: int
    added: tuple[jax.Array, ...] = ()


class Repeated:
    """A list of an argument whose items have one structure and one type each: their leaves stacked."""

    def __init__(self, leaves: Value) -> None:
        self.leaves = leaves


@dataclass(eq=False)
class ListRows:
    """A list: items, and stacks of items that a loop has added.

    While a trip is run: `added` is what this trip adds, `window` are the last items before it, `grown` how many items
    earlier trips have added, `front`: at the head of the list. `born`: how many loops were around where it was made.
    """

    parts: list[Value | Stack | Blank]
    born: int
    added: list[Value] | None = None
    window: list[Value] = field(default_factory=list)
    grown: Polynomial = field(default_factory=lambda: number(0))
    front: bool = False
    read: int = 0  # loops that go over it
    looked: bool = False  # whether this trip has read its last items

    @property
    def plain(self) -> list[Value] | None:
        """The items, where each of them is known by itself."""
        if self.added is not None or any(isinstance(part, Stack | Blank) for part in self.parts):
            return None
        return self.parts

    @property
    def blank(self) -> Polynomial | None:
        """How many of its last items were still to be filled before the loop."""
        counts = [part.count for part in self.parts if isinstance(part, Blank)]
        return counts[0] if counts else None

    @property
    def filled(self) -> Polynomial:
        known = number(len(self.added or ())) + self.grown
        for part in self.parts:
            known = known + (part.count if isinstance(part, Stack) else 0 if isinstance(part, Blank) else 1)
        return known

    @property
    def length(self) -> Polynomial:
        if (blank := self.blank) is None:
            return self.filled
        return self.filled - self.grown - len(self.added or ()) + blank


LATEST = 10**6
"""Of what JAX has put together again, until `dated` says where it was made."""


def _items(rows: ListRows) -> tuple[list[Value], None]:
    if rows.plain is None:
        raise NotProved("a list of many trips is part of a structure")
    return rows.plain, None


jax.tree_util.register_pytree_node(ListRows, _items, lambda _, items: ListRows(list(items), LATEST))
jax.tree_util.register_pytree_node(Repeated, lambda x: ([x.leaves], None), lambda _, leaves: Repeated(leaves[0]))
jax.tree_util.register_pytree_node(
    Table,
    lambda table: (list(table.items.values()), tuple(table.items)),
    lambda keys, values: Table(dict(zip(keys, values, strict=True)), LATEST),
)
jax.tree_util.register_pytree_node(
    UnknownNumber, lambda known: ([known.array], known.of_array), lambda of, arrays: UnknownNumber(arrays[0], of)
)


def objects(value: Value) -> Iterator[ListRows | Table]:
    """The lists and dicts in a value."""
    if isinstance(value, ListRows | Table):
        yield value
    inside = value.parts if isinstance(value, ListRows) else value.items.values() if isinstance(value, Table) else value
    if isinstance(value, ListRows | Table | tuple):
        for part in inside:  # type: ignore[attr-defined]
            yield from objects(part)


def dated(value: Value, born: int) -> Value:
    """The value, what JAX has put together again made at this depth."""
    for thing in objects(value):
        thing.born = born if thing.born == LATEST else thing.born
    return value


def contents(value: Value) -> list[Value]:
    """What tells whether a value is still what it was: its parts, and the lists and dicts that hold them."""
    if isinstance(value, ListRows) and value.plain is None:
        raise NotProved("a list of many trips is read by what is traced once")
    if not isinstance(value, ListRows | Table | tuple):
        return [value]
    parts = (
        value.parts if isinstance(value, ListRows) else [*value.items.items()] if isinstance(value, Table) else value
    )
    own = [] if isinstance(value, tuple) else [value]
    return [*own, len(parts), *itertools.chain.from_iterable(map(contents, parts))]


def equal(one: object, other: object) -> bool:
    """Whether two structures are."""
    return one == other


def kept(value: Value) -> Value:
    """A value that something holds."""
    if isinstance(value, SingleUse):
        raise NotProved("an iterator that a name holds")
    return value


class VmapCall:
    """A function under vmap: over which axis of each argument, and on which axis of the results."""

    def __init__(self, function: Callable[..., object], over: int | tuple[int | None, ...], out: int) -> None:
        self.function = function
        self.over = over
        self.out = out


class ListMethod:
    """A method of a list or dict that is still to be called."""

    def __init__(self, owner: ListRows | Table, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self, *_: object) -> object:
        raise NotProved("a method of a list is handed on")


def sources(*values: Value) -> tuple[ListRows | Table, ...]:
    """The lists and dicts that are gone over."""
    found = [value.of if isinstance(value, SingleUse) else (value,) for value in values]
    return tuple(x for part in found for x in part if isinstance(x, ListRows | Table))


class NoResult:
    """What a path returns that returns nothing: any value stands for it."""


NO_RESULT = NoResult()


class Returned:
    """A function ends."""

    def __init__(self, value: Value) -> None:
        self.value = value


BREAK, CONTINUE = "break", "continue"
Signal = Returned | str | None


def refuse(node: ast.AST, why: str = "") -> NoReturn:
    raise NotProved(why or f"`{type(node).__name__}` is not followed for all trips at once")
