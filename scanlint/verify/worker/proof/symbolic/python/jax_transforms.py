"""Functions of JAX that are taken otherwise where sizes are symbols: by what they are defined to be."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp
from jax import lax

from ..polynomials import NotProved
from .library import JaxLibrary
from .python_values import (
    CompiledCall,
    ListRows,
    PythonFunction,
    Stack,
    SymbolicInt,
    UnknownNumber,
    Value,
    VmapCall,
)

STACKING = frozenset(["stack", "array", "asarray", "concatenate", "vstack"])


class Transforms(JaxLibrary):
    """`jit`, `vmap`, `scan`, and what stacks a list of many trips."""

    made_from: dict[int, tuple[object, tuple[PythonFunction, ...]]]

    def jit(self, function: Value, **options: Value) -> Value:
        if isinstance(function, VmapCall) and not options:
            return CompiledCall(function, ())
        if id(function) in self.made_from and callable(function) and not options:
            return CompiledCall(function, self.made_from[id(function)][1])
        if not isinstance(function, PythonFunction):
            raise NotProved("a function that is compiled")
        return dataclasses.replace(function, compiled=static_of(options, function.node.args))

    def vmap(self, function: Value, in_axes: Value = 0, out_axes: Value = 0, **more: Value) -> Value:
        """By its definition a map over rows."""
        axes = in_axes.plain if isinstance(in_axes, ListRows) and in_axes.plain is not None else in_axes
        known = [a for a in (axes if isinstance(axes, tuple | list) else [axes]) if a is None or type(a) is int]
        several = isinstance(axes, tuple | list)
        if more or len(known) != (len(axes) if several else 1) or type(out_axes) is not int:  # type: ignore[arg-type]
            raise NotProved("axes of vmap as a structure")
        return VmapCall(self.called_by_jax(function), axes if type(axes) is int else tuple(known), out_axes)

    def mapped(self, mapped: VmapCall, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        given = [self.given(a) for a in arguments]
        axes = [mapped.over] * len(given) if isinstance(mapped.over, int) else list(mapped.over)
        if len(axes) != len(given):
            raise NotProved("axes of vmap as a structure")
        if self.reverse:  # gradients of a map over rows are added in another order
            together = jax.vmap(mapped.function, mapped.over, mapped.out)
            return self.taken(together(*given, **{k: self.given(v) for k, v in named.items()}))
        over = [
            None
            if axis is None
            else jax.tree_util.tree_map(lambda x, a=axis: jnp.moveaxis(jnp.asarray(x), a, 0), value)
            for axis, value in zip(axes, given, strict=True)
        ]
        more = {k: jax.tree_util.tree_map(jnp.asarray, self.given(v)) for k, v in named.items()}

        def step(carry: None, rows: tuple[list[object], dict[str, object]]) -> tuple[None, object]:
            own = [v if axis is None else row for axis, v, row in zip(axes, given, rows[0], strict=True)]
            return None, jax.tree_util.tree_map(jnp.asarray, mapped.function(*own, **rows[1]))

        _, out = lax.scan(step, None, (over, more))
        return self.taken(jax.tree_util.tree_map(lambda y: jnp.moveaxis(y, 0, mapped.out), out) if mapped.out else out)

    def called_by_jax(self, function: Value) -> Callable[..., object]:
        if isinstance(function, VmapCall):
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
        if isinstance(length, SymbolicInt) and not leaves:
            counted = jnp.arange(size)  # type: ignore[arg-type,unused-ignore]

            def without_rows(carry: object, _: object) -> tuple[object, object]:
                return step(carry, None)  # type: ignore[return-value]

            # a length that is a symbol is asked of an array alone
            return self.forwarded(lax.scan(without_rows, start, counted, reverse=reverse))  # scanlint: ignore[dummy-xs]
        if isinstance(length, SymbolicInt):
            if any(self.sizes.polynomial(x.shape[0]) != length.value for x in leaves):
                raise NotProved("a length that is not that of the rows")
            size = None
        try:
            made: object = lax.scan(step, start, rows, length=size, reverse=reverse, **({} if leaves else kept))  # type: ignore[arg-type]
        except TypeError as error:
            if "carry" not in str(error):
                raise
            raise NotProved("a scan whose carry changes its type") from error
        return self.forwarded(made)

    def one_stack(self, rows: ListRows, *, promoted: bool = False) -> Value:
        """All items, each leaf stacked along its first axis; they are of one type, or `promoted` to one."""
        if rows.added is not None:
            raise NotProved("a list is read as a whole on each trip")
        if rows.blank is not None:
            raise NotProved("a list is read of which a part is not filled")
        parts = [
            part.leaves
            if isinstance(part, Stack)
            else jax.tree_util.tree_map(
                lambda x: jnp.asarray(self.given(x))[None],
                part,
                is_leaf=lambda x: isinstance(x, SymbolicInt | UnknownNumber),
            )
            for part in rows.parts
        ]
        kinds = [[(x.dtype, x.weak_type) for x in jax.tree_util.tree_leaves(part)] for part in parts]
        if not promoted and any(kind != kinds[0] for kind in kinds):
            raise NotProved("a list of items of several types")
        return parts[0] if len(parts) == 1 else jax.tree_util.tree_map(lambda *xs: jnp.concatenate(xs), *parts)

    def stacked(self, function: object, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """`jnp.stack` and its like on a list of many trips, along the first axis."""
        rows = arguments[0]
        name = getattr(function, "__name__", "")
        if len(arguments) > 1 or named.keys() - {"axis"} or named.get("axis", 0) != 0 or not isinstance(rows, ListRows):
            raise NotProved("options of what stacks a list")
        if not self.integers.at_least_zero(rows.length - 1):
            raise NotProved("a list that may be empty is stacked")
        found = self.one_stack(rows, promoted=True)
        found = found.array if isinstance(found, UnknownNumber) else found
        if name in ("array", "asarray") and type(found) is tuple and all(isinstance(x, jax.Array) for x in found):
            if len({(x.shape, x.dtype, x.weak_type) for x in found}) == 1:
                return lax.convert_element_type(jnp.stack(found, 1), found[0].dtype)
        if not isinstance(found, jax.Array):
            raise NotProved("a list of structures is stacked")
        if name in ("array", "asarray"):
            return lax.convert_element_type(found, found.dtype)  # of a list: no longer as weak as a number
        if name == "stack":
            return found
        if found.ndim < 2 or (name == "vstack" and found.ndim < 3):
            if name == "vstack" and found.ndim == 2:
                return found
            raise NotProved("rows without axes are joined")
        return found.reshape((found.shape[0] * found.shape[1], *found.shape[2:]))


def stacks(function: object) -> bool:
    return getattr(function, "__name__", "") in STACKING


def static_of(options: Mapping[str, Value], of: ast.arguments) -> frozenset[str | int]:
    """The places and names of the parameters that `jit` does not trace."""
    places = [a.arg for a in (*of.posonlyargs, *of.args)]
    found: set[str | int] = set()
    for name, value in options.items():
        parts = value if isinstance(value, tuple) else value.plain if isinstance(value, ListRows) else [value]
        if name not in ("static_argnums", "static_argnames", "inline") or parts is None:
            raise NotProved(f"the option `{name}` of jit")
        if name.startswith("static"):
            for part in parts:
                if type(part) is int and -len(places) <= part < len(places):
                    part = places[part]
                if not isinstance(part, str):
                    raise NotProved(f"the option `{name}` of jit")
                found |= {part, *([places.index(part)] if part in places else [])}
    return frozenset(found)
