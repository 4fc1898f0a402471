"""The functions and methods of Python that are known, each with its meaning."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..polynomials import NotProved, number
from .doubles import Double, doubled
from .followed_paths import MOST_START
from .jax_transforms import Transforms
from .library import PLAIN_MODULES, is_library, own_tuple
from .numbers_of_trips import is_array, is_whole, polynomial, whole
from .python_values import (
    DataSpan,
    FetchedArray,
    ListMethod,
    ListRows,
    PartialCall,
    PythonFunction,
    SingleUse,
    SymbolicInt,
    Table,
    TripSpan,
    UnknownNumber,
    Value,
    VmapCall,
    dated,
    objects,
    sources,
)


class Builtins(Transforms):
    """What a call of a function of Python gives."""

    inside = 0  # functions that JAX traces
    numbers_traced = False  # whether floats of the arguments are arrays, since the function itself is traced

    def meaning(self, function: object) -> Callable[..., Value] | None:
        """What a function of Python means here; None: it is not among those that are known."""
        if isinstance(function, ListMethod):
            return self.method(function)
        known: dict[object, Callable[..., Value]] = {
            range: self.range, len: self.len, enumerate: self.enumerate, zip: self.zip, reversed: self.reversed,
            list: self.list, tuple: self.tuple, dict: self.dict, min: self.least, max: self.most, abs: self.absolute,
            float: self.float, jax.device_get: FetchedArray,
            functools.partial: self.partial, lax.scan: self.scanned, jax.vmap: self.vmap, jax.jit: self.jit,
        }  # fmt: skip
        try:
            found = known.get(function)
        except TypeError:  # what cannot be a key is none of these
            return None
        if found is not None:
            return found
        if function is sum:
            return self.sum
        if function in (int, bool, round) or getattr(function, "__module__", "") in PLAIN_MODULES:
            return lambda *arguments: self.plainly(function, arguments)
        if isinstance(function, np.ufunc) or (isinstance(function, type) and issubclass(function, np.generic)):
            return lambda *arguments, **named: self.plainly(function, arguments, named)
        if isinstance(function, type) and own_tuple(function):
            return function
        if (
            isinstance(function, types.MethodType)
            and function.__name__ == "_replace"
            and isinstance(function.__self__, tuple)
        ):
            return function
        return None

    def partial(self, function: Value, *arguments: Value, **named: Value) -> Value:
        if not isinstance(function, PythonFunction | VmapCall | PartialCall) and not is_library(function):
            raise NotProved("`partial` of what is not known")
        if any(True for value in (*arguments, *named.values()) for _ in objects(value)):
            raise NotProved("`partial` of a list or a dict, which may change")
        return PartialCall(function, arguments, named)

    def plainly(self, function: object, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
        """A call that meets numbers of Python alone."""
        plain = (bool, int, float, complex, str, type(None))
        values = [*arguments, *(named or {}).values()]
        if (
            any(isinstance(x, Double | SymbolicInt) for x in values)
            and not named
            and not isinstance(function, np.ufunc)
        ):
            module = getattr(function, "__module__", "")
            name = getattr(function, "__name__", "")
            return doubled(self.integers, f"math.{name}" if module == "math" else name, *values)
        if not all(isinstance(x, plain) or (isinstance(x, type) and issubclass(x, np.generic)) for x in values):
            raise NotProved(f"`{getattr(function, '__name__', function)}` of what is no number of Python")
        found = function(*arguments, **(named or {}))  # type: ignore[operator]
        if not isinstance(found, (*plain, np.generic)):
            raise NotProved(f"`{getattr(function, '__name__', function)}`")
        return found

    def float(self, *values: Value) -> Value:
        value = (
            values[0].value if len(values) == 1 and isinstance(values[0], FetchedArray) else values[0] if values else 0
        )
        if not isinstance(value, jax.Array):
            return self.plainly(float, values)
        if value.ndim or self.inside or self.numbers_traced or value.dtype != jnp.asarray(0.0).dtype:
            raise NotProved("a float of an array that is traced, or has axes, or has another type")
        return UnknownNumber(value, of_array=True)

    def range(self, *bounds: Value) -> Value:
        if not all(map(is_whole, bounds)):
            return self.range_of_data(*bounds)
        ends = [polynomial(b) for b in bounds]
        start, stop = (number(0), ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        step = ends[2].constant if len(ends) == 3 else 1
        if not step:
            raise NotProved("the step of a range")
        width = stop - start if step > 0 else start - stop
        by = abs(step)
        count = self.integers.divided(width + by - 1, by)[0] if by > 1 else width
        if not self.integers.at_least_zero(count):
            if not self.integers.at_least_zero(-count):
                raise NotProved("a range that may be empty in another way")
            count = number(0)
        return TripSpan(count, lambda t: whole(start + t * step))

    @staticmethod
    def range_of_data(*bounds: Value) -> Value:
        start, stop = bounds if len(bounds) == 2 else (0, bounds[0])
        stop = stop.array if isinstance(stop, UnknownNumber) else stop
        if len(bounds) > 2 or type(start) is not int or not isinstance(stop, jax.Array) or stop.ndim:
            raise NotProved("a range of what is no whole number")
        if stop.dtype.kind != "i" or stop.dtype.itemsize < 4 or not 0 <= start <= MOST_START:
            raise NotProved("a range to a number that may be too large")
        return DataSpan(start, stop)

    def len(self, value: Value) -> Value:
        if isinstance(value, ListRows):
            return whole(value.length)
        if isinstance(value, tuple):
            return len(value)
        if isinstance(value, Table):
            return len(value.items)
        if isinstance(value, TripSpan):
            return whole(value.count)
        if isinstance(value, jax.Array | np.ndarray) and value.ndim:
            return whole(self.sizes.polynomial(value.shape[0]))
        raise NotProved("the length of what is not known")

    def span(self, value: Value) -> TripSpan | None:
        """What is gone over trip by trip; None: each item is known by itself."""
        if isinstance(value, SingleUse):
            return value.over if isinstance(value.over, TripSpan) else None
        if isinstance(value, TripSpan):
            return value
        if isinstance(value, jax.Array) and value.ndim:
            return TripSpan(self.sizes.polynomial(value.shape[0]), lambda t: self.item(value, whole(t)))
        if isinstance(value, ListRows) and value.plain is None:
            stacked = self.one_stack(value)
            return TripSpan(
                value.length,
                lambda t: dated(jax.tree_util.tree_map(lambda x: self.item(x, whole(t)), stacked), -1),
            )
        return None

    def items(self, value: Value) -> Sequence[Value]:
        if isinstance(value, SingleUse) and isinstance(value.over, tuple):
            return value.over
        if isinstance(value, FetchedArray):
            return [FetchedArray(item) for item in self.items(value.value)]
        if isinstance(value, tuple):
            return value
        if isinstance(value, ListRows) and value.plain is not None:
            return list(value.plain)
        if isinstance(value, Table):
            return list(value.items)
        raise NotProved("something is gone over whose items are not known")

    def enumerate(self, value: Value, start: Value = 0) -> Value:
        over = self.span(value)
        if over is not None:
            return SingleUse(
                TripSpan(over.count, lambda t: (whole(polynomial(start) + t), over.item(t))), sources(value)
            )
        return SingleUse(
            tuple((whole(polynomial(start) + k), x) for k, x in enumerate(self.items(value))), sources(value)
        )

    def zip(self, *values: Value) -> Value:
        spans = [self.span(v) for v in values]
        over = [s for s in spans if s is not None]
        if len(over) < len(values):
            counts = [s.count.constant for s in over]
            if None in counts:
                raise NotProved("arrays beside a list are gone over")
            items = [
                self.items(v) if s is None else [s.item(number(k)) for k in range(s.count.constant or 0)]
                for v, s in zip(values, spans, strict=True)
            ]
            return SingleUse(tuple(zip(*items, strict=False)), sources(*values))
        inside = self.integers.at_least_zero
        count = next((s.count for s in over if all(inside(o.count - s.count) for o in over)), None)
        if count is None:
            raise NotProved("what is gone over side by side may differ in length")
        return SingleUse(TripSpan(count, lambda t: tuple(s.item(t) for s in over)), sources(*values))

    def reversed(self, value: Value) -> Value:
        if isinstance(value, SingleUse):
            raise NotProved("an iterator is turned")
        if (over := self.span(value)) is not None:
            return SingleUse(TripSpan(over.count, lambda t: over.item(over.count - 1 - t)), sources(value))
        return SingleUse(tuple(self.items(value))[::-1], sources(value))

    def sum(self, value: Value, start: Value = 0) -> Value:
        items = self.items(value)
        if any(isinstance(x, float | complex | Double | str) for x in (start, *items)):
            raise NotProved("a sum of floats of Python, which it compensates, or of texts")
        for item in items:
            start = self.binary(ast.Add, start, item)
        return start

    def list(self, value: Value = ()) -> Value:
        return ListRows(list(self.items(value)), self.depth)

    def tuple(self, value: Value = ()) -> Value:
        return tuple(self.items(value))

    def dict(self, *given: Value, **named: Value) -> Value:
        if len(given) > 1 or not all(isinstance(x, Table) for x in given):
            raise NotProved("a dict of what is no dict")
        return Table({k: v for x in given if isinstance(x, Table) for k, v in x.items.items()} | named, self.depth)

    def least(self, *values: Value) -> Value:
        return self.extreme(values, -1)

    def most(self, *values: Value) -> Value:
        return self.extreme(values, 1)

    def extreme(self, values: Sequence[Value], sign: int) -> Value:
        if all(isinstance(v, bool | int | float) for v in values):
            return (min if sign < 0 else max)(*values)  # type: ignore[call-overload]
        if len(values) == 2 and all(map(is_whole, values)):
            a, b = map(polynomial, values)
            if self.integers.at_least_zero((a - b) * sign):
                return values[0]
            if self.integers.at_least_zero((b - a) * sign):
                return values[1]
        raise NotProved("the larger of what is not known")

    def absolute(self, value: Value) -> Value:
        if is_array(value) or isinstance(value, bool | int | float | complex):
            return abs(value)  # type: ignore[arg-type]
        raise NotProved("the absolute value of what is no number and no array")

    def method(self, method: ListMethod) -> Callable[..., Value]:
        owner, name = method.owner, method.name
        if isinstance(owner, ListRows):
            rows: dict[str, Callable[..., Value]] = {
                "append": lambda value: self.append(owner, value),
                "extend": lambda value: self.extend(owner, value),
                "copy": lambda: ListRows(list(self.items(owner)), self.depth),
                "insert": lambda place, value: self.insert(owner, place, value),
            }
            if name in rows:
                return rows[name]
        if isinstance(owner, Table) and name == "get":
            return lambda key, default=None: self.got(owner, key, default)
        if isinstance(owner, Table) and name == "copy":
            return lambda: Table(dict(owner.items), self.depth)
        if isinstance(owner, Table) and name in ("items", "keys", "values"):
            items = owner.known
            found = {"items": tuple(items.items()), "keys": tuple(items), "values": tuple(items.values())}[name]
            return lambda: SingleUse(found, (owner,))
        raise NotProved(f"`.{name}` of a list or a dict")

    @staticmethod
    def got(table: Table, key: Value, default: Value) -> Value:
        if type(key) not in (str, int):
            raise NotProved("a key that a dict may not have")
        return table.at(key) if key in table.items else default

    def insert(self, rows: ListRows, place: Value, value: Value) -> None:
        if place != 0:
            raise NotProved("an item that is put into a list")
        self.append(rows, value, front=True)

    def append(self, rows: ListRows, value: Value, *, front: bool = False) -> None:
        raise NotImplementedError

    def extend(self, rows: ListRows, value: Value) -> None:
        raise NotImplementedError
