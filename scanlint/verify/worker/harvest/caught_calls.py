"""Arguments of calls caught while other code runs; tracers in them are made concrete."""

from __future__ import annotations

import contextlib
import copy
import os
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from ..infer.specs import Array
from ..runtime.calling import Values, hurry
from ..runtime.jax_functions import attribute
from ..search.case_values import Filling, make

ENOUGH = 4
MORE_SECONDS = 2.0  # that a caller goes on for after its first call
DEEPEST = 6
VARIADIC = 0x0C  # CO_VARARGS | CO_VARKEYWORDS
Place = tuple[str, int]


class Enough(BaseException):
    """Enough calls were caught: the caller need not continue."""


class Unclear(Exception):
    """An argument cannot be separated from the transformation that it belongs to."""


@dataclass
class Catcher:
    """Keeps the arguments of calls of some functions of a file; `wanted` has their names by name and first line.

    `traced` are the parameters that were handed tracers, by function.
    """

    file: str
    wanted: Mapping[Place, str]
    traced: dict[str, set[str]] = field(default_factory=dict)
    kept: dict[str, list[Values]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Catch calls in this thread; ends the code that runs with Enough."""
        previous = sys.getprofile()
        sys.setprofile(self.event)
        try:
            yield
        except Enough:  # what was wanted has been caught
            pass
        finally:
            sys.setprofile(previous)

    def event(self, frame: types.FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or (code.co_name, code.co_firstlineno) not in self.wanted:
            return
        if os.path.realpath(code.co_filename) != os.path.realpath(self.file):
            return
        name = self.wanted[code.co_name, code.co_firstlineno]
        with contextlib.suppress(Unclear):  # other calls may be clear; without any the verdict is unknown
            self.keep(name, self.concrete(name, arguments(frame)))
        if all(len(self.kept.get(n, ())) >= ENOUGH for n in self.wanted.values()):
            raise Enough

    def concrete(self, name: str, values: Values) -> Values:
        """The arguments as they can be handed in again; those that are traced elsewhere as arrays of JAX."""
        traced = self.traced.setdefault(name, set())
        traced |= {k for k, v in values.items() if _traced(v)}
        try:
            found: Values = {k: concrete(v) for k, v in values.items()}
            return {k: jax.tree_util.tree_map(_as_traced, v) if k in traced else v for k, v in found.items()}
        except Unclear:
            raise
        except Exception as error:
            raise Unclear from error

    def keep(self, name: str, values: Values) -> None:
        """Keep a call, unless one of the same tree, shapes and dtypes was kept before."""
        look = f"{name}: {_look(values)}"
        if look not in self.seen and len(self.kept.get(name, ())) < ENOUGH:
            if not name and not self.kept.get(name):
                hurry(MORE_SECONDS)
            self.seen.add(look)
            self.kept.setdefault(name, []).append(values)


def arguments(frame: types.FrameType) -> Values:
    """The arguments of a call that begins, by parameter; raises Unclear where there are more than have names."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    more = code.co_varnames[count : count + bin(code.co_flags & VARIADIC).count("1")]
    held = frame.f_locals
    if any(held.get(name) for name in more):
        raise Unclear
    return {name: held[name] for name in code.co_varnames[:count]}


def _as_traced(leaf: object) -> object:
    return jnp.asarray(leaf) if isinstance(leaf, np.ndarray | np.generic) else leaf


def concrete(value: object) -> object:
    """The value with concrete arrays in place of traced ones, in containers of its own; raises Unclear."""
    with jax.ensure_compile_time_eval():
        return _concrete(value)


def _concrete(value: object, depth: int = 0) -> object:
    if depth > DEEPEST:
        raise Unclear
    if isinstance(value, jax.core.Tracer):
        return _within(value)
    if isinstance(value, types.FunctionType):
        return _function(value, depth)
    flat, tree = jax.tree_util.tree_flatten(value)
    if len(flat) == 1 and flat[0] is value:
        return _opaque(value, depth)
    return jax.tree_util.tree_unflatten(tree, [_concrete(leaf, depth + 1) for leaf in flat])


def _within(value: object) -> object:
    """What a tracer stands for: its primal, its first row in a batch, or values of its shape and dtype."""
    while isinstance(value, jax.core.Tracer):
        inner, axis = attribute(value, "val", None), attribute(value, "batch_dim", None)
        if attribute(value, "primal") is not None:
            value = value.primal
        elif isinstance(inner, jax.Array) and isinstance(axis, int):
            batch = _within(inner)
            value = batch[(*(slice(None),) * axis, 0)] if isinstance(batch, jax.Array) else batch
        else:
            return _invented(value)
    return value


def _invented(value: jax.Array) -> object:
    shape, dtype = tuple(value.shape), str(value.dtype)
    spec = Array(shape, "key" if dtype.startswith("key<") else dtype)
    found = make({"": spec}, Filling("ordinary values", seed=len(shape)), ())[""]
    return found.item() if value.weak_type and not shape and isinstance(found, jax.Array) else found


def _function(value: types.FunctionType, depth: int) -> object:
    """A function that closes over concrete values, where it closed over traced ones."""
    cells = value.__closure__ or ()
    held = [_content(cell) for cell in cells]
    if not any(_traced(x) for x in held):
        return value
    made = types.FunctionType(
        value.__code__,
        value.__globals__,
        value.__name__,
        value.__defaults__,
        tuple(types.CellType(_concrete(x, depth + 1)) for x in held),
    )
    made.__kwdefaults__ = value.__kwdefaults__
    return made


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # a function that calls itself, not bound yet
        raise Unclear from None


def _opaque(value: object, depth: int) -> object:
    """An object that is no pytree: itself, or a copy where it holds traced values."""
    held: dict[str, object] = (
        attribute(value, "__dict__", {}) if not isinstance(value, (type, types.ModuleType)) else {}
    )
    if not any(_traced(x) for x in held.values()):
        return value
    made = copy.copy(value)
    for name, inner in held.items():
        object.__setattr__(made, name, _concrete(inner, depth + 1))
    return made


def _traced(value: object) -> bool:
    """Whether a value, or a function's closure, holds a tracer."""
    leaves = jax.tree_util.tree_leaves(value)
    cells = [c for leaf in leaves if isinstance(leaf, types.FunctionType) for c in leaf.__closure__ or ()]
    return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) or any(
        isinstance(inner, jax.core.Tracer) for c in cells for inner in jax.tree_util.tree_leaves(_content(c))
    )


def _look(values: Values) -> str:
    """Identifies a call: tree, shapes and dtypes of its arguments, values of what is no array."""
    flat, tree = jax.tree_util.tree_flatten(values)
    return f"{tree}{[_leaf(x) for x in flat]}"


def _leaf(leaf: object) -> object:
    return (leaf.shape, str(leaf.dtype)) if isinstance(leaf, jax.Array | np.ndarray) else leaf
