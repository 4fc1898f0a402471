"""What is called: functions of JAX as they are, on arrays; the few of Python that are known, each with its meaning."""

from __future__ import annotations

import ast
import contextlib
import functools
import types
from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from ....runtime.jax_functions import is_key
from ..polynomials import Integers, NotProved
from ..sizes import SymbolicSizes
from .doubles import Double, as_array
from .followed_paths import FollowedPaths
from .numbers_of_trips import Traced, is_array, whole
from .python_values import (
    UNBOUND,
    CompiledCall,
    DataSpan,
    FetchedArray,
    Grown,
    ListMethod,
    ListRows,
    PartialCall,
    PythonFunction,
    Question,
    Repeated,
    SingleUse,
    Stack,
    SymbolicInt,
    Table,
    TripSpan,
    UnboundName,
    UnknownNumber,
    Value,
    VmapCall,
    objects,
)

ATTRIBUTES = frozenset(
    ["shape", "ndim", "size", "dtype", "T", "mT", "at", "real", "imag", "sum", "mean", "max", "min", "prod", "any",
     "all", "reshape", "ravel", "flatten", "astype", "dot", "transpose", "swapaxes", "squeeze", "cumsum", "std", "var",
     "argmax", "argmin", "conj", "conjugate", "round", "diagonal", "trace", "repeat", "take", "sort", "argsort", "set",
     "clip", "cumprod", "searchsorted", "add", "multiply", "mul", "divide", "get", "apply", "power", "subtract"]
)  # fmt: skip
OF_SIZES = frozenset(["det", "cross", "array_equal", "array_equiv", "multi_dot"])
"""What JAX computes otherwise for some sizes."""
IMPURE = frozenset(["debug", "io_callback", "pure_callback", "callback", "print", "clear_caches", "config"])
OF_TUPLES = (
    "__eq__", "__ne__", "__bool__", "__len__", "__iter__", "__getitem__", "__contains__", "__getattribute__",
    "__getattr__",
)  # fmt: skip
PLAIN_MODULES = frozenset(["math"])


def is_library(function: object) -> bool:
    """Whether it is JAX's own."""
    if isinstance(function, functools.partial):
        return False
    for thing in (function, type(function)):
        module = str(getattr(thing, "__module__", None) or "")  # of some of NumPy's it is no text
        if module.partition(".")[0] in ("jax", "jaxlib") and getattr(function, "__name__", "") not in IMPURE:
            wrapped = getattr(function, "__wrapped__", None)
            own = str(getattr(wrapped, "__module__", None) or "jax")
            return own.partition(".")[0] in ("jax", "jaxlib", "numpy")
    return isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, jax.Array)


def acts(kind: type) -> bool:
    """Whether a named tuple does what tuples do."""
    return all(getattr(kind, name, None) is getattr(tuple, name, None) for name in OF_TUPLES)


def own_tuple(kind: type) -> bool:
    """Whether it is a named tuple that is made, and does, what named tuples do."""
    made = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return made and kind.__new__.__module__ == f"namedtuple_{kind.__name__}" and acts(kind)


def makes_plain(kind: type) -> bool:
    """Whether a type may be handed to JAX: it is no class that somebody wrote."""
    return own_tuple(kind) or kind.__module__.partition(".")[0] in ("builtins", "jax", "jaxlib", "ml_dtypes", "numpy")


def fixed_size(value: Value) -> bool:
    return not isinstance(value, jax.Array) or all(type(size) is int for size in value.shape)


def types_of(value: object) -> list[np.dtype[np.generic]]:
    """The types of arrays; a key is made of whole numbers."""
    kinds = [getattr(leaf, "dtype", None) for leaf in jax.tree_util.tree_leaves(value)]
    return [np.dtype(np.uint32 if is_key(kind) else kind) for kind in kinds if kind is not None]


def whole_list(value: Value) -> bool:
    """Whether it is a list of which each item is known by itself."""
    return isinstance(value, ListRows) and value.plain is not None


class JaxLibrary:
    """What the interpreter and JAX hand to each other."""

    sizes: SymbolicSizes
    integers: Integers
    asked: FollowedPaths
    traced: Traced
    handed: dict[int, tuple[object, Value]]  # what JAX was given, and for which numbers, lists and dicts
    depth: int
    reverse = False  # whether what is run is differentiated from its end on
    keeps = True  # whether JAX may keep what it traces of the functions that it is given
    tells = True  # whether it is known which numbers of Python JAX hands on as they are

    def within_trace(self, closure: PythonFunction, *, kept: bool = True) -> contextlib.AbstractContextManager[None]:
        raise NotImplementedError

    def call(self, function: Value, arguments: Sequence[Value], named: Mapping[str, Value]) -> Value:
        raise NotImplementedError

    def truth(self, value: Value) -> bool:
        raise NotImplementedError

    def item(self, held: Value, key: Value) -> Value:
        raise NotImplementedError

    def binary(self, op: type[ast.operator], left: Value, right: Value) -> Value:
        raise NotImplementedError

    def called_by_jax(self, function: Value) -> Callable[..., object]:
        raise NotImplementedError

    def one_stack(self, rows: ListRows) -> Value:
        raise NotImplementedError

    # what JAX is given, and what it gives

    def given(self, value: Value) -> object:
        """A value as JAX takes it."""
        match value:
            case UnboundName():
                raise NotProved("a name may have no value")
            case SymbolicInt() | Question() | UnknownNumber() | Double():
                return self.number(value)
            case ListRows():
                if value.plain is None:
                    raise NotProved("a list of many trips is handed on")
                return self.standing_for(value, [self.given(x) for x in value.plain])
            case Table():
                return self.standing_for(value, {k: self.given(v) for k, v in value.items.items()})
            case PythonFunction():
                return self.as_function(value)
            case VmapCall():
                return self.called_by_jax(value)
            case PartialCall():
                inner, first, by_name = self.given(value.function), self.given(value.arguments), dict(value.named)
                if not callable(inner):
                    raise NotProved("a function that is not known")
                named = {k: self.given(v) for k, v in by_name.items()}
                return lambda *more, **others: inner(*first, *more, **{**named, **others})  # type: ignore[misc]
            case TripSpan() | DataSpan() | SingleUse():
                raise NotProved("a range is handed on")
            case slice():
                return slice(self.given(value.start), self.given(value.stop), self.given(value.step))
            case tuple() if hasattr(value, "_fields"):
                return type(value)(*map(self.given, value))  # type: ignore[arg-type]
            case tuple():
                return tuple([self.given(x) for x in value])
        if isinstance(value, FetchedArray | CompiledCall | Grown) or value is jax.device_get:
            raise NotProved("what is fetched is handed on")
        if getattr(value, "__name__", "") in OF_SIZES:
            raise NotProved("what JAX computes otherwise for some sizes is handed on")
        if callable(value) and not (makes_plain(value) if isinstance(value, type) else is_library(value)):
            raise NotProved("a function that is not followed is handed on")
        return value

    def standing_for(self, value: Value, found: object) -> object:
        """What JAX is given in the place of a value; it may hand it on as it is."""
        self.handed[id(found)] = found, value
        return found

    def number(self, value: SymbolicInt | Question | UnknownNumber | Double) -> object:
        """A number of Python that is not known, as an array; or a size."""
        found: object
        match value:
            case SymbolicInt():
                found = self.traced.of(value.value)
            case Question():
                found = self.traced.question(value)
                found = jnp.logical_not(found) if value.negated else found
            case UnknownNumber():
                found = value.array
            case Double():
                found = as_array(value, self.traced)
        return self.standing_for(value, found) if isinstance(found, jax.Array) else found

    def without_numbers(self, found: object) -> None:
        """Require that JAX hands no number of Python on as it is: an array stands in its place."""
        if any(id(leaf) in self.handed for leaf in jax.tree_util.tree_leaves(found)):
            raise NotProved("a number of Python that JAX hands on as it is")

    @staticmethod
    def without_unknown(value: Value) -> None:
        """Require that no number of Python in it depends on sizes, trips or data."""
        kinds = UnknownNumber, SymbolicInt, Question, Double
        leaves = jax.tree_util.tree_leaves(value, is_leaf=lambda x: isinstance(x, (*kinds, ListRows)))
        if any(isinstance(leaf, kinds) for leaf in leaves):
            raise NotProved("a number of Python that JAX may hand on as it is")

    def forwarded(self, found: object) -> Value:
        """What JAX gives, which may be what it was given, but for numbers of Python."""
        self.without_numbers(found)
        return self.taken(found)

    def taken(self, value: object, born: int | None = None) -> Value:
        """What JAX or the module gives, as the interpreter takes it; `born` -1: nothing may change it."""
        at = self.depth if born is None else born
        if hasattr(value, "scope") and not isinstance(value, jax.Array):
            return whole(self.sizes.polynomial(value))
        if isinstance(value, Repeated):
            count = self.sizes.polynomial(jax.tree_util.tree_leaves(value)[0].shape[0])
            return ListRows([Stack(count, self.taken(value.leaves, at))], at)
        if isinstance(value, list | dict) and id(value) in self.handed:
            return self.handed[id(value)][1]
        if isinstance(value, list):
            return ListRows([self.taken(x, at) for x in value], at)
        if type(value) is dict:
            if not all(isinstance(k, str | int) for k in value):
                raise NotProved("a dict whose keys are not names or numbers")
            return Table({k: self.taken(v, at) for k, v in value.items()}, at)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            if not acts(type(value)):
                raise NotProved("a named tuple that does not act as a tuple")
            return type(value)(*(self.taken(x, at) for x in value))  # type: ignore[arg-type]
        return tuple([self.taken(x, at) for x in value]) if isinstance(value, tuple) else value

    def as_function(self, closure: PythonFunction) -> Callable[..., object]:
        """A function of a version that JAX calls."""
        keeps, reverse, tells = self.keeps, self.reverse, self.tells

        def called(*arguments: object, **named: object) -> object:
            outside: list[bool] = []  # by path, whether it gives an object that is not its own

            def once() -> list[Value]:
                self.without_numbers((arguments, named))
                with self.within_trace(closure, kept=keeps):
                    given = [self.taken(a) for a in arguments], {k: self.taken(v) for k, v in named.items()}
                    value = self.call(closure, *given)
                    if not tells:
                        self.without_unknown(value)
                    outside.append(any(thing.born < self.depth for thing in objects(value)))
                    return [self.given(value)]

            outer, self.reverse = self.reverse, self.reverse or reverse
            try:
                found = self.asked.explored(once)[0]
            finally:
                self.reverse = outer
            if len(outside) == 1:
                return found
            if any(outside):
                raise NotProved("the paths of what JAX calls give an object that is not their own")
            return jax.tree_util.tree_map(self.given, found, is_leaf=lambda x: isinstance(x, UnknownNumber))

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
        if isinstance(owner, ListRows | Table):
            return ListMethod(owner, name)
        raise NotProved(f"`.{name}` of what is not known")
