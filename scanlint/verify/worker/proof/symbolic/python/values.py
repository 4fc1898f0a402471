"""What stands in the place of Python's values while one trip is run: whole numbers, lists, dicts, functions, ranges.

None of these ever meets Python or JAX as itself: the interpreter knows what each operation means for each of them, and
whatever it does not know raises NotProved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import jax

from ..polynomials import NotProved, Polynomial, number

Value = object


class Unbound:
    """A name without a value."""


UNBOUND = Unbound()


@dataclass(frozen=True)
class Whole:
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
class Frame:
    """The names of a call; `outer` is the frame in which the function was defined, None for the module's."""

    names: dict[str, Value]
    outer: Frame | None
    module: Mapping[str, object]
    own: frozenset[str] = frozenset()

    def find(self, name: str) -> Value:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.own or name in frame.names:
                found = frame.names.get(name, UNBOUND)
                if found is UNBOUND:
                    raise NotProved(f"`{name}` may have no value")
                return found
            frame = frame.outer
        if name in self.module:
            return self.module[name]
        raise NotProved(f"`{name}` is not known")


@dataclass(eq=False)
class Closure:
    """A function of either version: its definition and where it stands."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame
    defaults: list[Value]
    named: dict[str, Value]


@dataclass(frozen=True)
class Span:
    """What a loop goes over: `count` things, of which `item` gives the one of a trip."""

    count: Polynomial
    item: Callable[[Polynomial], Value]


@dataclass(frozen=True)
class Once:
    """An iterator: it may be gone over where it stands, and no name may hold it."""

    over: Span | tuple[Value, ...]


@dataclass(frozen=True)
class Number:
    """A float of Python that is an argument: beside an array it is one of the array's type, by itself a double."""

    array: jax.Array


@dataclass(eq=False)
class Table:
    """A dict."""

    items: dict[object, Value]
    born: int


@dataclass(frozen=True)
class Stack:
    """The items of `count` trips, each leaf of an item stacked along its first axis.

    `floats`: the items are floats of Python, which only an array of all of them may be made of.
    """

    count: Polynomial
    leaves: Value
    floats: bool = False


@dataclass(eq=False)
class Rows:
    """A list: items, and stacks of items that a loop has added.

    While a trip is run: `added` is what this trip adds, `window` are the last items before it, `grown` how many items
    earlier trips have added, `front`: at the head of the list. `born`: how many loops were around where it was made.
    """

    parts: list[Value | Stack]
    born: int
    added: list[Value] | None = None
    window: list[Value] = field(default_factory=list)
    grown: Polynomial = field(default_factory=lambda: number(0))
    front: bool = False

    @property
    def plain(self) -> list[Value] | None:
        """The items, where each of them is known by itself."""
        if self.added is not None or any(isinstance(part, Stack) for part in self.parts):
            return None
        return self.parts

    @property
    def length(self) -> Polynomial:
        known = number(len(self.added or ())) + self.grown
        for part in self.parts:
            known = known + (part.count if isinstance(part, Stack) else 1)
        return known


LATEST = 10**6
"""Later than any loop: what a trip makes anew is its own."""


def _items(rows: Rows) -> tuple[list[Value], None]:
    if rows.plain is None:
        raise NotProved("a list of many trips is part of a structure")
    return rows.plain, None


jax.tree_util.register_pytree_node(Rows, _items, lambda _, items: Rows(list(items), LATEST))
jax.tree_util.register_pytree_node(
    Table,
    lambda table: (list(table.items.values()), tuple(table.items)),
    lambda keys, values: Table(dict(zip(keys, values, strict=True)), LATEST),
)
