"""Parts and truths of values, and what changes lists and dicts."""

from __future__ import annotations

import ast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..polynomials import NotProved, Polynomial, number
from .builtins import Builtins
from .library import is_library
from .numbers_of_trips import compared, is_whole, polynomial, whole
from .python_values import (
    PLAIN,
    Blank,
    ListRows,
    Question,
    Stack,
    SymbolicInt,
    Table,
    UnknownNumber,
    Value,
    dated,
    kept,
)


class PythonItems(Builtins):
    """What `[...]` gives and what a test of a value says."""

    tracked: list[set[int]]

    def truth(self, value: Value) -> bool:
        if isinstance(value, PLAIN):
            return bool(value)
        if isinstance(value, SymbolicInt):
            value = compared(ast.NotEq, value, 0, self.integers)
            return self.truth(value)
        if isinstance(value, Question):
            asked = value
            if not any(name in self.traced.trips for name in self.integers.free(asked.value)):
                raise NotProved("a size that is tested, and may be so or not")
            return self.asked.truth(lambda: self.traced.question(asked), asked.key) != asked.negated
        if isinstance(value, UnknownNumber) and value.array.dtype == bool:
            known = value.array
            return self.asked.of_array(known) if isinstance(known, jax.core.Tracer) else bool(known)
        if isinstance(value, jax.core.Tracer):
            if value.ndim:
                raise NotProved("the truth of an array with axes")
            if self.inside:
                raise NotProved("the truth of an array in what JAX traces")
            return self.asked.of_array(value)
        if isinstance(value, np.generic | np.ndarray | jax.Array) and np.ndim(value) == 0:
            return bool(value)
        if isinstance(value, tuple):
            return bool(value)
        if isinstance(value, ListRows):
            return self.truth(compared(ast.Gt, whole(value.length), 0, self.integers))
        if isinstance(value, Table):
            return bool(value.items)
        raise NotProved("the truth of what is no number and no array")

    def item(self, held: Value, key: Value) -> Value:
        if isinstance(held, Table):
            if not isinstance(key, str | int) or isinstance(key, bool) or key not in held.items:
                raise NotProved("a key that a dict may not have")
            return held.at(key)
        if isinstance(held, ListRows):
            return self.list_item(held, key)
        if isinstance(held, tuple):
            if type(key) is int and -len(held) <= key < len(held):
                return held[key]
            if isinstance(key, slice) and all(x is None or type(x) is int for x in (key.start, key.stop, key.step)):
                return tuple(held)[key]
            raise NotProved("a part of a tuple that is not known")
        if isinstance(held, jax.Array) or is_library(type(held)):
            if isinstance(held, jax.Array):
                held, key = self.without_windows(held, key)
            return self.taken(held[self.index(key)])  # type: ignore[index]
        if isinstance(held, np.ndarray) and isinstance(key, int):
            return held[key]
        raise NotProved("a part of what is not known")

    def index(self, key: Value) -> object:
        parts = key if isinstance(key, tuple) else (key,)
        found: list[object] = []
        for part in parts:
            if isinstance(part, slice):
                ends = (part.start, part.stop, part.step)
                if any(self.moves(x) for x in ends):
                    raise NotProved("a slice whose place depends on the trip")
                found.append(slice(*(self.given(x) for x in ends)))
            else:
                given = self.given(part)
                found.append(jnp.asarray(given) if isinstance(part, SymbolicInt) else given)
        return tuple(found) if isinstance(key, tuple) else found[0]

    def without_windows(self, held: jax.Array, key: Value) -> tuple[jax.Array, Value]:
        """The array and what is left of the key, once slices whose places depend on the trip have been taken."""
        parts = key if isinstance(key, tuple) else (key,)
        moving = [isinstance(p, slice) and any(map(self.moves, (p.start, p.stop, p.step))) for p in parts]
        if not any(moving):
            return held, key
        if not all(isinstance(p, slice | SymbolicInt) or type(p) is int for p in parts) or len(parts) > held.ndim:
            raise NotProved("a slice whose place depends on the trip, beside other places")
        for axis, part in enumerate(parts):
            held = self.window(held, axis, part) if moving[axis] else held
        left = tuple(slice(None) if moves else p for p, moves in zip(parts, moving, strict=True))
        return held, left

    def window(self, held: jax.Array, axis: int, part: slice) -> jax.Array:
        """So many rows from a place on that depends on the trip: all of them are there."""
        size, inside = self.sizes.polynomial(held.shape[axis]), self.integers.at_least_zero
        ends = [x if x is not None else whole(end) for x, end in ((part.start, number(0)), (part.stop, size))]
        if part.step not in (None, 1) or not all(map(is_whole, ends)):
            raise NotProved("a slice whose step depends on the trip")
        start, stop = (polynomial(x) + (size if type(x) is int and x < 0 else 0) for x in ends)
        if not (inside(start) and inside(stop - start) and inside(size - stop)):
            raise NotProved("a slice that may be cut short")
        if self.moves(whole(stop - start)):
            raise NotProved("a slice whose length depends on the trip")
        return lax.dynamic_slice_in_dim(held, self.given(whole(start)), self.given(whole(stop - start)), axis)  # type: ignore[arg-type]

    def moves(self, value: Value) -> bool:
        return isinstance(value, SymbolicInt) and any(n in self.traced.trips for n in self.integers.free(value.value))

    def list_item(self, rows: ListRows, key: Value) -> Value:
        if isinstance(key, slice) and (key.start, key.stop, key.step) == (None, None, -1) and rows.added is None:
            return self.turned(rows)
        if not is_whole(key):
            raise NotProved("a part of a list that is not known")
        place = polynomial(key)
        if rows.added is None and rows.plain is not None and place.constant is not None:
            if not -len(rows.plain) <= place.constant < len(rows.plain):
                raise NotProved("a place that a list does not have")
            return rows.plain[place.constant]
        back = place if place.constant is not None and place.constant < 0 else place - rows.filled
        if rows.blank is not None and back is place:
            raise NotProved("a list is read from its end, which is not filled")
        if rows.added is not None and rows.front:
            raise NotProved("a list is read that is filled at its head")
        if rows.added is not None:
            recent, rows.looked = [*rows.window, *rows.added], True
            if back.constant is not None and -len(recent) <= back.constant < 0:
                return recent[back.constant]
            raise NotProved("a list is read further back")
        start, at = number(0), back + rows.filled
        for part in rows.parts:
            count = part.count if isinstance(part, Stack | Blank) else number(1)
            inside = self.integers.at_least_zero
            if inside(at - start) and inside(start + count - 1 - at):
                single = part.item if isinstance(part, Blank) else part
                return self.row_of(part, at - start) if isinstance(part, Stack) else single
            start = start + count
        raise NotProved("a place of a list that is not known")

    def row_of(self, stack: Stack, at: Polynomial) -> Value:
        return dated(jax.tree_util.tree_map(lambda x: self.item(x, whole(at)), stack.leaves), -1)

    def turned(self, rows: ListRows) -> ListRows:
        if rows.blank is not None:
            raise NotProved("a list is turned of which a part is not filled")

        def part(x: Value) -> Value:
            return Stack(x.count, jax.tree_util.tree_map(lambda a: a[::-1], x.leaves)) if isinstance(x, Stack) else x

        return ListRows([part(x) for x in rows.parts[::-1]], self.depth)

    def may_change(self, thing: ListRows | Table) -> None:
        if thing.read:
            raise NotProved("an object that is changed while a loop goes over it")
        if thing.born < self.depth and not any(id(thing) in tracked for tracked in self.tracked[-1:]):
            raise NotProved("an object that no name of the function holds is changed")

    def append(self, rows: ListRows, value: Value, *, front: bool = False) -> None:
        if rows.blank is not None:
            raise NotProved("a list grows of which a part is not filled")
        self.added_to(rows, value, front=front)

    def added_to(self, rows: ListRows, value: Value, *, front: bool) -> None:
        """The next item that a trip gives a list."""
        self.may_change(rows)
        kept(value)
        if front and rows.looked:
            raise NotProved("a list is read that is filled at its head")
        if rows.added is None:
            rows.parts.insert(0 if front else len(rows.parts), value)
        elif rows.added:
            if front or rows.front:
                raise NotProved("a list that a trip fills at its head, more than once")
            rows.added.append(value)
        else:
            rows.added, rows.front = [value], front

    def extend(self, rows: ListRows, value: Value) -> None:
        items = value.plain if isinstance(value, ListRows) else value
        if not isinstance(items, tuple | list):
            raise NotProved("a list is extended by what is not known item by item")
        for item in list(items):
            self.append(rows, item)

    def set_item(self, held: Value, key: Value, value: Value) -> None:
        kept(value)
        fresh = isinstance(held, Table) and held.born == self.depth and not held.walked
        if isinstance(held, Table) and isinstance(key, str | int) and (fresh or key in held.items):
            self.may_change(held)
            held.items[key] = value
        elif isinstance(held, ListRows) and held.added is None and held.plain is not None and type(key) is int:
            self.may_change(held)
            if not -len(held.parts) <= key < len(held.parts):
                raise NotProved("a place that a list does not have")
            held.parts[key] = value
        elif isinstance(held, ListRows) and held.added is not None and held.blank is not None and is_whole(key):
            place, done = polynomial(key), held.grown + len(held.added)
            if place == held.filled and not held.front:
                self.added_to(held, value, front=False)
            elif place == held.blank - 1 - done and len(held.parts) == 1 and not held.added:
                self.added_to(held, value, front=True)
            else:
                raise NotProved("a place of a list that is not the next one to be filled")
        else:
            raise NotProved("an object that is changed")
