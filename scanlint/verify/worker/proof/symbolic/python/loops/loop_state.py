"""The locations that the trips of a loop may change, and how each of them goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jax import lax

from ...polynomials import NotProved, Polynomial
from ..followed_paths import MOST_START
from ..python_values import (
    PLAIN,
    UNBOUND,
    Blank,
    DataSpan,
    ListRows,
    NameFrame,
    Question,
    Signal,
    Stack,
    SymbolicInt,
    Table,
    TripSpan,
    UnknownNumber,
    Value,
    equal,
    objects,
)

Slot = tuple[dict[str, Value] | dict[object, Value], object]
Run = Callable[[Value], Signal]
Test = Callable[[], Value]


@dataclass
class PythonLoop:
    """A loop as it is written: `over` is what it goes over, `test` what it asks before each trip, `names` those that it
    binds; `breaks`: whether a `break` stands in it, `asks`: whether something runs only where none ended it."""

    run: Run
    frame: NameFrame
    names: Collection[str]
    over: TripSpan | DataSpan | None = None
    test: Test | None = None
    asks: bool = False
    breaks: bool = False

    def trip(self, at: Polynomial) -> Signal:
        return self.run(self.over.item(at) if self.over is not None else None)


@dataclass
class Onward:
    """How a location goes on: `same`, `int` (moved by `by` a trip), `array` (carried from `by`), `grown` or `last`."""

    kind: str
    by: Value = None


@dataclass
class After:
    """A trip's results: the values of the slots, what was added to each list, whether the loop was left, and whether by
    a `return`, with its value."""

    values: list[Value]
    added: list[tuple[Value, ...]]
    left: Value
    returned: Value
    result: Value


@dataclass
class State:
    """The locations that the trips of a loop may change, with their values now.

    `heads`: which lists trips fill at their head; `shared`: the slots whose objects something else holds after a trip.
    """

    frame: NameFrame
    slots: list[Slot]
    lists: list[ListRows]
    tables: list[Table]
    kept: list[tuple[list[Value] | None, list[Value], Polynomial]] = field(default_factory=list)
    heads: tuple[bool, ...] | None = None
    shared: frozenset[int] | None = None

    def born(self, slot: int, depth: int) -> int:
        """When what a trip leaves in a slot was made; what is shared is never to change."""
        return -1 if slot in (self.shared or ()) else depth

    def __post_init__(self) -> None:
        self.kept = [(rows.added, rows.window, rows.grown) for rows in self.lists]

    def read(self) -> list[Value]:
        return [holder.get(key, UNBOUND) for holder, key in self.slots]  # type: ignore[call-overload]

    def write(self, values: Sequence[Value]) -> None:
        for (holder, key), value in zip(self.slots, values, strict=True):
            holder[key] = value  # type: ignore[index]

    def begin(self, windows: Sequence[list[Value] | None], grown: Sequence[Polynomial]) -> None:
        """Lists as a trip finds them: so much longer, their last items these; None leaves a list as it is."""
        for rows, window, (added, _, earlier), more in zip(self.lists, windows, self.kept, grown, strict=True):
            if window is not None:
                rows.front = rows.looked = False
                rows.added, rows.window, rows.grown = [], list(window), earlier + len(added or ()) + more

    def restore(self) -> None:
        for rows, (added, window, grown) in zip(self.lists, self.kept, strict=True):
            rows.added, rows.window, rows.grown = added, window, grown

    @property
    def tracked(self) -> set[int]:
        return {id(thing) for thing in (*self.lists, *self.tables)}


class MovesLater(NotProved):
    """The first trip leaves a location as it is, a later one does not."""

    def __init__(self, before: object, slot: int) -> None:
        super().__init__("what the first trip leaves as it is, a later one changes")
        self.before, self.slot = before, slot


def moving_too(plan: Sequence[Onward], before: Sequence[Value], slots: set[int]) -> list[Onward]:
    """The plan, these locations carried."""
    return [Onward("array", before[k]) if k in slots else place for k, place in enumerate(plan)]


def arrays(value: Value) -> bool:
    """Whether all leaves of a structure are arrays, and there is one."""
    if isinstance(value, SymbolicInt | Question | TripSpan | DataSpan) or value is UNBOUND:
        return False
    if any(isinstance(x, ListRows) and x.plain is None for x in objects(value)):
        return False
    leaves = jax.tree_util.tree_leaves(value)
    return bool(leaves) and all(isinstance(x, jax.Array) for x in leaves)


def grows(before: Value, after: Value) -> bool:
    """Whether an array has more rows after a trip."""
    if not isinstance(before, jax.Array) or not isinstance(after, jax.Array) or not before.ndim == after.ndim > 0:
        return False
    return bool(before.shape[1:] == after.shape[1:] and before.shape[0] != after.shape[0])


def carried(value: Value) -> bool:
    return arrays(value) and not any(True for _ in objects(value))


def remaining(value: Value) -> bool:
    """Whether a name may still have it after the trip on which it was bound."""
    return arrays(value) or isinstance(value, (*PLAIN, SymbolicInt))


def alike(one: Value, other: Value) -> bool:
    """Whether two structures of arrays have the same types."""
    if not carried(one) or not carried(other):
        return False
    (ones, form), (others, form_of_other) = jax.tree_util.tree_flatten(one), jax.tree_util.tree_flatten(other)
    return equal(form, form_of_other) and all(
        (a.shape, a.dtype, a.weak_type) == (b.shape, b.dtype, b.weak_type) for a, b in zip(ones, others, strict=True)
    )


def started(before: Value, after: Value) -> Value:
    """What a carry starts from: `before`, its numbers of Python as arrays of the types after the trip; else UNBOUND."""
    if not arrays(after) or isinstance(before, Question | TripSpan):
        return UNBOUND
    if isinstance(before, SymbolicInt):
        return UNBOUND
    if type(before) is int and isinstance(after, UnknownNumber) and abs(before) > MOST_START:
        return UNBOUND
    if isinstance(before, bool | int | float) and isinstance(after, UnknownNumber):
        start = jnp.asarray(before)
        return (
            UnknownNumber(start)
            if (start.dtype, start.weak_type) == (after.array.dtype, after.array.weak_type)
            else UNBOUND
        )
    (ones, form), (others, other) = jax.tree_util.tree_flatten(before), jax.tree_util.tree_flatten(after)
    if not equal(form, other):
        return UNBOUND
    made, same = [], True
    for one, later in zip(ones, others, strict=True):
        number_of_python = isinstance(one, bool | int | float)
        if not number_of_python and not isinstance(one, jax.Array):
            return UNBOUND
        if (
            not number_of_python
            and one.shape == later.shape
            and one.dtype == later.dtype
            and one.weak_type == later.weak_type
        ):
            made.append(one)
            continue
        if (number_of_python and later.shape) or (
            not number_of_python and (one.shape != later.shape or not one.weak_type)
        ):
            return UNBOUND
        same = False
        start = jnp.asarray(one)
        if later.weak_type and start.dtype != later.dtype:
            return UNBOUND
        made.append(start if later.weak_type else lax.convert_element_type(start, later.dtype))
    return before if same else jax.tree_util.tree_unflatten(form, made)


def interleaved(items: tuple[Value, ...]) -> Value:
    """What several items per trip are as one stack."""

    def joined(*parts: jax.Array) -> jax.Array:
        if len({(part.dtype, part.weak_type) for part in parts}) > 1:
            raise NotProved("a list of items of several types")
        found = jnp.stack(parts, 1)
        return found.reshape((found.shape[0] * found.shape[1], *found.shape[2:]))

    return jax.tree_util.tree_map(joined, *items)


def state_of(frame: NameFrame, names: Collection[str]) -> State:
    """Names that the loop binds, the values of dicts and the lists that names hold."""
    lists: list[ListRows] = []
    tables: list[Table] = []
    seen: set[int] = set()

    def walk(value: Value) -> None:
        if id(value) in seen:
            return
        if isinstance(value, ListRows):
            seen.add(id(value))
            lists.append(value)
            for part in value.parts:
                walk(part)
        elif isinstance(value, Table):
            seen.add(id(value))
            tables.append(value)
            for part in value.items.values():
                walk(part)
        elif isinstance(value, tuple):
            for part in value:
                walk(part)

    holder: NameFrame | None = frame
    while holder is not None:
        for value in list(holder.names.values()):
            walk(value)
        holder = holder.outer
    lists, tables = [x for x in lists if x.born >= 0], [x for x in tables if x.born >= 0]
    slots: list[Slot] = [(frame.names, name) for name in sorted(names)]
    return State(frame, slots + [(t.items, key) for t in tables for key in t.items], lists, tables)


def perhaps(before: Value, start: Value, after: Value) -> Value:
    """What is carried, after a loop that may have made no trip: a number of Python may still be one."""
    if start is before or isinstance(after, UnknownNumber):
        return after
    if not isinstance(before, bool | int | float) or not isinstance(after, jax.Array):
        return UNBOUND
    return UnknownNumber(after) if after.dtype == jnp.asarray(before).dtype else UNBOUND


def growing(state: State, first: After) -> list[int]:
    """How many items each trip adds to each list."""
    grows = [len(added) for added in first.added]
    if any(grow and added is not None for grow, (added, _, _) in zip(grows, state.kept, strict=True)):
        raise NotProved("a list that an inner loop fills")
    return grows


def later(window: list[Value], added: Sequence[Value]) -> list[Value]:
    """The last items of a list after a trip."""
    return [*window, *added][-len(window) :] if window and added else list(window)


def fill(state: State, grows: Sequence[int], added: Sequence[tuple[Value, ...]], count: Polynomial) -> None:
    """Give each list what all trips have added."""
    for rows, grow, items in zip(state.lists, grows, added, strict=True):
        if grow and (blank := rows.blank) is not None:
            fill_blank(rows, blank - count * grow, Stack(count * grow, items[0] if grow == 1 else interleaved(items)))
        elif grow and rows.front:
            rows.parts.insert(0, Stack(count, jax.tree_util.tree_map(lambda a: a[::-1], items[0])))
        elif grow:
            rows.parts.append(Stack(count * grow, items[0] if grow == 1 else interleaved(items)))
        rows.front = False


def fill_blank(rows: ListRows, left: Polynomial, stack: Stack) -> None:
    """Put what all trips have set in the place of blanks."""
    *others, blank = rows.parts
    assert isinstance(blank, Blank)
    rest = [] if left.constant == 0 else [Blank(left, blank.item)]
    if rows.front:
        rows.parts = [*rest, Stack(stack.count, jax.tree_util.tree_map(lambda a: a[::-1], stack.leaves))]
    else:
        rows.parts = [*others, stack, *rest]


def let_go(state: State, plan: Sequence[Onward], before: Sequence[Value], first: After) -> None:
    """Require that the first trip does not change the lists and dicts that a name gives up: others may hold them."""
    given_up = {id(x) for place, b in zip(plan, before, strict=True) if place.kind == "array" for x in objects(b)}
    holders = {id(table.items) for table in state.tables if id(table) in given_up}
    changed = any(id(h) in holders and p.kind != "same" for (h, _), p in zip(state.slots, plan, strict=True))
    if changed or any(added and id(rows) in given_up for rows, added in zip(state.lists, first.added, strict=True)):
        raise NotProved("a first trip that changes an object whose name is bound anew")
