"""What is called: functions of JAX as they are, on arrays; the few of Python that are known, each with its meaning."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import types
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..polynomials import Integers, NotProved, Polynomial, number
from ..sizes import Sizes
from .asked import Asked
from .numbers_of_trips import Traced, is_array, is_whole, polynomial, whole
from .values import UNBOUND, Closure, Number, Once, Partial, Question, Rows, Span, Stack, Table, Unbound, Value, Whole, dated

STACKING = frozenset(["stack", "array", "asarray", "concatenate", "vstack"])
ATTRIBUTES = frozenset(
    ["shape", "ndim", "size", "dtype", "T", "mT", "at", "real", "imag", "sum", "mean", "max", "min", "prod", "any", "all",
     "reshape", "ravel", "flatten", "astype", "dot", "transpose", "swapaxes", "squeeze", "cumsum", "std", "var", "clip",
     "argmax", "argmin", "conj", "conjugate", "round", "diagonal", "trace", "repeat", "take", "sort", "argsort", "cumprod", "searchsorted", "set",
     "add", "multiply", "mul", "divide", "get", "apply", "power", "subtract"]
)  # fmt: skip
OF_SIZES = frozenset(["det", "cross"])
"""What JAX computes otherwise for some sizes."""
IMPURE = frozenset([*OF_SIZES, "debug", "io_callback", "pure_callback", "callback", "print", "device_get", "clear_caches", "config"])
PLAIN_MODULES = frozenset(["math"])


def is_library(function: object) -> bool:
    """Whether it is JAX's own."""
    if isinstance(function, functools.partial):
        return False
    for thing in (function, type(function)):
        module = getattr(thing, "__module__", None) or ""
        if module.partition(".")[0] in ("jax", "jaxlib") and getattr(function, "__name__", "") not in IMPURE:
            wrapped = getattr(function, "__wrapped__", None)
            own = getattr(wrapped, "__module__", None) or "jax"
            return own.partition(".")[0] in ("jax", "jaxlib", "numpy")
    return isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, jax.Array)


def stacks(function: object) -> bool:
    return getattr(function, "__name__", "") in STACKING


class Library:
    """What the interpreter and JAX hand to each other."""

    sizes: Sizes
    integers: Integers
    asked: Asked
    traced: Traced
    depth: int
    keeps = True  # whether JAX may keep what it traces of the functions that it is given

    def within_trace(self, closure: Closure, *, kept: bool = True) -> contextlib.AbstractContextManager[None]:
        raise NotImplementedError

    def entered(self, closure: Closure, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        raise NotImplementedError

    def truth(self, value: Value) -> bool:
        raise NotImplementedError

    def item(self, held: Value, key: Value) -> Value:
        raise NotImplementedError

    def binary(self, op: type[ast.operator], left: Value, right: Value) -> Value:
        raise NotImplementedError

    # what JAX is given, and what it gives

    def given(self, value: Value) -> object:  # noqa: PLR0911
        """A value as JAX takes it."""
        match value:
            case Unbound():
                raise NotProved("a name may have no value")
            case Whole(value=number_of):
                return self.traced.of(number_of)
            case Question():
                found = self.traced.question(value)
                return jnp.logical_not(found) if value.negated else found
            case Rows():
                if value.plain is None:
                    raise NotProved("a list of many trips is handed on")
                return [self.given(x) for x in value.plain]
            case Table():
                return {k: self.given(v) for k, v in value.items.items()}
            case Closure():
                return self.as_function(value)
            case Mapped():
                return self.called_by_jax(value)
            case Partial():
                inner, first, by_name = self.given(value.function), self.given(value.arguments), dict(value.named)
                if not callable(inner):
                    raise NotProved("a function that is not known")
                named = {k: self.given(v) for k, v in by_name.items()}
                return lambda *more, **others: inner(*first, *more, **{**named, **others})  # type: ignore[misc]
            case Number():
                return value.array
            case Span() | Once():
                raise NotProved("a range is handed on")
            case slice():
                return slice(self.given(value.start), self.given(value.stop), self.given(value.step))
            case tuple() if hasattr(value, "_fields"):
                return type(value)(*map(self.given, value))
            case tuple():
                return tuple(map(self.given, value))
        return value

    def taken(self, value: object, born: int | None = None) -> Value:
        """What JAX or the module gives, as the interpreter takes it; `born` -1: nothing may change it."""
        at = self.depth if born is None else born
        if hasattr(value, "scope") and not isinstance(value, jax.Array):
            return whole(self.sizes.polynomial(value))
        if isinstance(value, list):
            return Rows([self.taken(x, at) for x in value], at)
        if type(value) is dict:
            if not all(isinstance(k, str | int) for k in value):
                raise NotProved("a dict whose keys are not names or numbers")
            return Table({k: self.taken(v, at) for k, v in value.items()}, at)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.taken(x, at) for x in value))
        return tuple(self.taken(x, at) for x in value) if isinstance(value, tuple) else value

    def as_function(self, closure: Closure) -> Callable[..., object]:
        """A function of a version that JAX calls."""
        keeps = self.keeps

        def called(*arguments: object, **named: object) -> object:
            def once() -> list[Value]:
                given = [self.taken(a) for a in arguments], {k: self.taken(v) for k, v in named.items()}
                with self.within_trace(closure, kept=keeps):
                    return [self.given(self.entered(closure, *given))]

            return jax.tree_util.tree_map(self.given, self.asked.explored(once)[0], is_leaf=lambda x: isinstance(x, Number))

        called.__module__ = "jax"  # what JAX makes of it (a gradient, a checkpoint) is called as JAX's own
        return called

    def attribute(self, owner: Value, name: str) -> Value:
        if isinstance(owner, types.ModuleType):
            found = getattr(owner, name, UNBOUND)
            top = owner.__name__.partition(".")[0]
            if found is UNBOUND or top not in ("jax", "numpy", *PLAIN_MODULES) or name in IMPURE:
                raise NotProved(f"`{name}` of a module")
            return found
        if is_array(owner) or is_library(type(owner)):
            if name not in ATTRIBUTES:
                raise NotProved(f"`.{name}`")
            return self.taken(getattr(owner, name))
        if isinstance(owner, tuple) and name in (*getattr(owner, "_fields", ()), "_replace"):
            return getattr(owner, name)
        if isinstance(owner, Rows | Table):
            return _Method(owner, name)
        raise NotProved(f"`.{name}` of what is not known")

    # functions of Python

    def meaning(self, function: object) -> Callable[..., Value] | None:
        """What a function of Python means here; None: it is not among those that are known."""
        if isinstance(function, _Method):
            return self.method(function)
        known: dict[object, Callable[..., Value]] = {
            range: self.range, len: self.len, enumerate: self.enumerate, zip: self.zip, reversed: self.reversed,
            list: self.list, tuple: self.tuple, dict: self.dict, min: self.least, max: self.most, abs: self.absolute,
            functools.partial: self.partial, lax.scan: self.scanned, jax.vmap: self.vmap, jax.jit: self.jit,
        }  # fmt: skip
        try:
            found = known.get(function)
        except TypeError:
            return None
        if found is not None:
            return found
        if function is sum:
            return self.sum
        if function in (int, float, bool, round) or getattr(function, "__module__", "") in PLAIN_MODULES:
            return lambda *arguments: self.plainly(function, arguments)
        if isinstance(function, np.ufunc) or (isinstance(function, type) and issubclass(function, np.generic)):
            return lambda *arguments, **named: self.plainly(function, arguments, named)
        if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
            return function if function.__new__.__module__ == f"namedtuple_{function.__name__}" else None
        if isinstance(function, types.MethodType) and function.__name__ == "_replace" and isinstance(function.__self__, tuple):
            return function
        return None

    def plainly(self, function: object, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
        """A call that meets numbers of Python alone."""
        plain = (bool, int, float, complex, str, type(None))
        values = [*arguments, *(named or {}).values()]
        if not all(isinstance(x, plain) or (isinstance(x, type) and issubclass(x, np.generic)) for x in values):
            raise NotProved(f"`{getattr(function, '__name__', function)}` of what is no number of Python")
        found = function(*arguments, **(named or {}))  # type: ignore[operator]
        if not isinstance(found, (*plain, np.generic)):
            raise NotProved(f"`{getattr(function, '__name__', function)}`")
        return found

    def range(self, *bounds: Value) -> Value:
        if not all(map(is_whole, bounds)):
            raise NotProved("a range of what is no whole number")
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
        return Span(count, lambda t: whole(start + t * step))

    def len(self, value: Value) -> Value:
        if isinstance(value, Rows):
            return whole(value.length)
        if isinstance(value, tuple):
            return len(value)
        if isinstance(value, Table):
            return len(value.items)
        if isinstance(value, Span):
            return whole(value.count)
        if isinstance(value, jax.Array | np.ndarray) and value.ndim:
            return whole(self.sizes.polynomial(value.shape[0]))
        raise NotProved("the length of what is not known")

    def span(self, value: Value) -> Span | None:
        """What is gone over trip by trip; None: each item is known by itself."""
        if isinstance(value, Once):
            return value.over if isinstance(value.over, Span) else None
        if isinstance(value, Span):
            return value
        if isinstance(value, jax.Array) and value.ndim:
            return Span(self.sizes.polynomial(value.shape[0]), lambda t: self.item(value, whole(t)))
        if isinstance(value, Rows) and value.plain is None:
            stacked = self.one_stack(value)
            return Span(
                value.length,
                lambda t: dated(jax.tree_util.tree_map(lambda x: self.item(x, whole(t)), stacked), -1),
            )
        return None

    def items(self, value: Value) -> Sequence[Value]:
        if isinstance(value, Once) and isinstance(value.over, tuple):
            return value.over
        if isinstance(value, tuple):
            return value
        if isinstance(value, Rows) and value.plain is not None:
            return list(value.plain)
        if isinstance(value, Table):
            return list(value.items)
        raise NotProved("something is gone over whose items are not known")

    def enumerate(self, value: Value, start: Value = 0) -> Value:
        over = self.span(value)
        if over is not None:
            return Once(Span(over.count, lambda t: (whole(polynomial(start) + t), over.item(t))), sources(value))
        return Once(tuple((whole(polynomial(start) + k), x) for k, x in enumerate(self.items(value))), sources(value))

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
            return Once(tuple(zip(*items, strict=False)), sources(*values))
        inside = self.integers.at_least_zero
        count = next((s.count for s in over if all(inside(o.count - s.count) for o in over)), None)
        if count is None:
            raise NotProved("what is gone over side by side may differ in length")
        return Once(Span(count, lambda t: tuple(s.item(t) for s in over)), sources(*values))

    def reversed(self, value: Value) -> Value:
        over = self.span(value)
        if over is not None:
            return Once(Span(over.count, lambda t: over.item(over.count - 1 - t)), sources(value))
        return Once(tuple(self.items(value))[::-1], sources(value))

    def partial(self, function: Value, *arguments: Value, **named: Value) -> Value:
        if not isinstance(function, Closure | Mapped | Partial) and not is_library(function):
            raise NotProved("`partial` of what is not known")
        return Partial(function, arguments, named)

    def sum(self, value: Value, start: Value = 0) -> Value:
        for item in self.items(value):
            start = self.binary(ast.Add, start, item)
        return start

    def list(self, value: Value = ()) -> Value:
        return Rows(list(self.items(value)), self.depth)

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
            return (min if sign < 0 else max)(*values)  # type: ignore[type-var, call-overload]
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

    def method(self, method: _Method) -> Callable[..., Value]:
        owner, name = method.owner, method.name
        if isinstance(owner, Rows) and name in ("append", "extend", "copy", "insert"):
            known = {"append": self.appended, "extend": self.extended, "copy": self.copied, "insert": self.inserted}
            return known[name](owner)
        if isinstance(owner, Table) and name == "get":
            return lambda key, default=None: self.got(owner, key, default)
        if isinstance(owner, Table) and name == "copy":
            return lambda: Table(dict(owner.items), self.depth)
        if isinstance(owner, Table) and name in ("items", "keys", "values"):
            items = owner.items
            found = {"items": tuple(items.items()), "keys": tuple(items), "values": tuple(items.values())}[name]
            return lambda: Once(found, (owner,))
        raise NotProved(f"`.{name}` of a list or a dict")

    @staticmethod
    def got(table: Table, key: Value, default: Value) -> Value:
        if type(key) not in (str, int):
            raise NotProved("a key that a dict may not have")
        return table.items.get(key, default)

    def appended(self, rows: Rows) -> Callable[..., Value]:
        return lambda value: self.append(rows, value)

    def inserted(self, rows: Rows) -> Callable[..., Value]:
        def insert(place: Value, value: Value) -> None:
            if place != 0:
                raise NotProved("an item that is put into a list")
            self.append(rows, value, front=True)

        return insert

    def extended(self, rows: Rows) -> Callable[..., Value]:
        return lambda value: self.extend(rows, value)

    def copied(self, rows: Rows) -> Callable[..., Value]:
        return lambda: Rows(list(self.items(rows)), self.depth)

    def append(self, rows: Rows, value: Value, *, front: bool = False) -> None:
        raise NotImplementedError

    def extend(self, rows: Rows, value: Value) -> None:
        raise NotImplementedError

    # functions of JAX that have to be taken otherwise where sizes are symbols

    def jit(self, function: Value, **options: Value) -> Value:
        if not isinstance(function, Closure):
            raise NotProved("a function that is compiled")
        return dataclasses.replace(function, compiled=static_of(options, function.node.args), read={})

    def vmap(self, function: Value, in_axes: Value = 0, out_axes: Value = 0, **more: Value) -> Value:
        """By its definition a map over rows."""
        axes = in_axes.plain if isinstance(in_axes, Rows) and in_axes.plain is not None else in_axes
        known = axes if isinstance(axes, tuple | list) else [axes]
        if more or not all(a is None or type(a) is int for a in known) or type(out_axes) is not int:
            raise NotProved("axes of vmap as a structure")
        return Mapped(self.called_by_jax(function), axes if type(axes) is int else tuple(known), out_axes)

    def mapped(self, mapped: Mapped, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        given = [self.given(a) for a in arguments]
        axes = [mapped.over] * len(given) if isinstance(mapped.over, int) else list(mapped.over)
        if len(axes) != len(given):
            raise NotProved("axes of vmap as a structure")
        over = [
            None if axis is None else jax.tree_util.tree_map(lambda x, a=axis: jnp.moveaxis(jnp.asarray(x), a, 0), value)
            for axis, value in zip(axes, given, strict=True)
        ]
        more = {k: jax.tree_util.tree_map(jnp.asarray, self.given(v)) for k, v in named.items()}

        def step(carry: None, rows: tuple[list[object], dict[str, object]]) -> tuple[None, object]:
            own = [v if axis is None else row for axis, v, row in zip(axes, given, rows[0], strict=True)]
            return None, jax.tree_util.tree_map(jnp.asarray, mapped.function(*own, **rows[1]))

        _, out = lax.scan(step, None, (over, more))
        return self.taken(jax.tree_util.tree_map(lambda y: jnp.moveaxis(y, 0, mapped.out), out) if mapped.out else out)

    def called_by_jax(self, function: Value) -> Callable[..., object]:
        if isinstance(function, Mapped):
            return lambda *arguments, **named: self.given(
                self.mapped(function, [self.taken(a) for a in arguments], {k: self.taken(v) for k, v in named.items()})
            )
        found = self.given(function)
        if not callable(found):
            raise NotProved("what is mapped is no function")
        return found

    def scanned(
        self, f: Value, init: Value, xs: Value = None, length: Value = None, reverse: Value = False, **more: Value
    ) -> Value:
        """A scan whose length is a symbol goes over an array of that length."""
        step, start, rows = self.called_by_jax(f), self.given(init), self.given(xs)
        kept = {k: self.given(v) for k, v in more.items() if k == "unroll"}
        if more.keys() - {"unroll", "_split_transpose"} or not isinstance(reverse, bool):
            raise NotProved("options of a scan")
        leaves = jax.tree_util.tree_leaves(rows)
        size = self.given(length)
        if isinstance(length, Whole) and not leaves:
            inner, counted = step, jnp.arange(size)  # type: ignore[arg-type]
            return self.taken(lax.scan(lambda c, _: inner(c, None), start, counted, reverse=reverse))  # type: ignore[arg-type, return-value]
        if isinstance(length, Whole):
            if any(self.sizes.polynomial(x.shape[0]) != length.value for x in leaves):
                raise NotProved("a length that is not that of the rows")
            size = None
        return self.taken(lax.scan(step, start, rows, length=size, reverse=reverse, **({} if leaves else kept)))  # type: ignore[arg-type]

    # lists of many trips

    def one_stack(self, rows: Rows) -> Value:
        """All items, each leaf stacked along its first axis."""
        if rows.added is not None:
            raise NotProved("a list is read as a whole on each trip")
        parts = [
            part.leaves
            if isinstance(part, Stack)
            else jax.tree_util.tree_map(lambda x: jnp.asarray(self.given(x))[None], part, is_leaf=lambda x: isinstance(x, Whole | Number))
            for part in rows.parts
        ]
        return parts[0] if len(parts) == 1 else jax.tree_util.tree_map(lambda *xs: jnp.concatenate(xs), *parts)

    def stacked(self, function: object, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """`jnp.stack` and its like on a list of many trips, along the first axis."""
        rows = arguments[0]
        name = getattr(function, "__name__", "")
        if len(arguments) > 1 or named.keys() - {"axis"} or named.get("axis", 0) != 0 or not isinstance(rows, Rows):
            raise NotProved("options of what stacks a list")
        found = self.one_stack(rows)
        if name in ("array", "asarray") and type(found) is tuple and all(isinstance(x, jax.Array) for x in found):
            if len({(x.shape, x.dtype, x.weak_type) for x in found}) == 1:
                return jnp.stack(found, 1)
        if not isinstance(found, jax.Array):
            raise NotProved("a list of structures is stacked")
        if name not in ("concatenate", "vstack"):
            return found
        if found.ndim < 2 or (name == "vstack" and found.ndim < 3):
            if name == "vstack" and found.ndim == 2:
                return found
            raise NotProved("rows without axes are joined")
        return found.reshape((found.shape[0] * found.shape[1], *found.shape[2:]))


class _Method:
    """A method of a list or dict that is still to be called."""

    def __init__(self, owner: Rows | Table, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self, *_: object) -> object:
        raise NotProved("a method of a list is handed on")




def static_of(options: Mapping[str, Value], of: ast.arguments) -> frozenset[str | int]:
    """The places and names of the parameters that `jit` does not trace."""
    places = [a.arg for a in (*of.posonlyargs, *of.args)]
    found: set[str | int] = set()
    for name, value in options.items():
        parts = value if isinstance(value, tuple) else value.plain if isinstance(value, Rows) else [value]
        if name not in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "inline") or parts is None:
            raise NotProved(f"the option `{name}` of jit")
        if name.startswith("static"):
            for part in parts:
                if type(part) is int and -len(places) <= part < len(places):
                    part = places[part]
                if not isinstance(part, str):
                    raise NotProved(f"the option `{name}` of jit")
                found |= {part, *([places.index(part)] if part in places else [])}
    return frozenset(found)


def sources(*values: Value) -> tuple[Value, ...]:
    """The lists and dicts that are gone over."""
    found = [value.of if isinstance(value, Once) else (value,) for value in values]
    return tuple(x for part in found for x in part if isinstance(x, Rows | Table))


class Mapped:
    """A function under vmap: over which axis of each argument, and on which axis of the results."""

    def __init__(self, function: Callable[..., object], over: int | tuple[int | None, ...], out: int) -> None:
        self.function = function
        self.over = over
        self.out = out
