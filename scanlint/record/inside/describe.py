"""Describe a value in plain JSON and arrays: it is built again without running anything that is stored."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import math
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import cast

import numpy as np

from .concrete import behind, tracer_type

DEEPEST = 24
LARGEST = 20_000
HEAP_TYPE = 1 << 9
Node = object  # None, bool, int, str, or a dict with one of the keys that `_fitting` and the others write


class Undescribable(Exception):
    """The value cannot be described; the message says what and where."""


class Describer:
    """Describes the arguments of one call; arrays are gathered, and stand in the nodes as their places."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.arrays: list[object] = []
        self.shapes: list[str] = []
        self.abstract = False
        self.open: set[int] = set()
        self.count = 0
        self.tracer = tracer_type()

    def node(self, value: object, depth: int = 0) -> Node:
        """The description; raises Undescribable."""
        self.count += 1
        if depth > DEEPEST or self.count > LARGEST:
            raise Undescribable("a value that is nested too deep or too large")
        match value:
            case None | bool() | str():
                self.shapes.append(repr(value))
                return value
            case enum.Enum():
                self.shapes.append(str(value))
                return {"enum": self.path(type(value)), "name": value.name}
            case int() | float() | complex() if type(value) in (int, float, complex):
                self.shapes.append(type(value).__name__)
                return _number(value)
        if self.tracer is not None and isinstance(value, self.tracer):
            return self.traced(value)
        if _is_array(value):
            return self.array(value)
        if id(value) in self.open:
            raise Undescribable(f"a `{type(value).__name__}` that contains itself")
        self.open.add(id(value))
        try:
            return self.structure(value, depth + 1)
        finally:
            self.open.discard(id(value))

    def structure(self, value: object, depth: int) -> Node:
        self.shapes.append(type(value).__name__)
        kind = type(value)
        if kind in (tuple, list, set, frozenset):
            return {kind.__name__: self.several(cast("Iterable[object]", value), depth)}
        if kind in (dict, OrderedDict):
            items = cast("dict[object, object]", value).items()
            return {kind.__name__: [[self.node(k, depth), self.node(v, depth)] for k, v in items]}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"namedtuple": self.path(kind), "items": self.several(value, depth)}
        match value:
            case bytes():
                return {"bytes": value.hex()}
            case slice():
                return {"slice": self.several((value.start, value.stop, value.step), depth)}
            case range():
                return {"range": [value.start, value.stop, value.step]}
            case np.dtype():
                return {"dtype": value.name}
            case types.EllipsisType():
                return {"ellipsis": True}
            case types.ModuleType():
                return {"import": self.module(value.__name__), "name": ""}
        if callable(value) and (found := self.function(value, depth)) is not None:
            return found
        return self.instance(value, depth)

    def several(self, values: Iterable[object], depth: int) -> list[Node]:
        return [self.node(v, depth) for v in values]

    # -- arrays

    def array(self, value: object) -> Node:
        dtype = str(value.dtype)  # type: ignore[attr-defined]
        shape = [int(n) for n in value.shape]  # type: ignore[attr-defined]
        if dtype == "object":
            raise Undescribable("an array of Python objects")
        node: dict[str, object] = {"array": len(self.arrays), "dtype": dtype, "shape": shape}
        if getattr(value, "weak_type", False):
            node["weak"] = True
        if isinstance(value, (np.ndarray, np.generic)):
            node["numpy"] = "generic" if isinstance(value, np.generic) else "ndarray"
        self.shapes.append(f"{dtype}{shape}")
        self.arrays.append(value)
        return node

    def traced(self, value: object) -> Node:
        """Describes a tracer: by its value if it has one, else by its shape and dtype."""
        found = behind(value, cast("type", self.tracer))
        if not isinstance(found, cast("type", self.tracer)):
            node = self.node(found)
            if isinstance(node, dict):
                node.pop("numpy", None)  # a row of what is mapped is handed over as an array of NumPy's
            return node
        aval = getattr(value, "aval", None)
        dtype, shape = getattr(aval, "dtype", None), getattr(aval, "shape", None)
        if dtype is None or shape is None or not all(isinstance(n, int) for n in shape):
            raise Undescribable(f"a tracer of `{aval}`")
        self.abstract = True
        self.shapes.append(f"{dtype}{list(shape)}")
        return {"aval": [int(n) for n in shape], "dtype": str(dtype), "weak": bool(getattr(aval, "weak_type", False))}

    # -- what is found by its import path

    def module(self, name: str) -> dict[str, object]:
        """A module by name, and by file where it is one of the project's."""
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        inside = file.startswith(self.root) and "site-packages" not in file
        return {"module": name, "file": file[len(self.root) :].replace("\\", "/") if inside else None}

    def path(self, value: object) -> dict[str, object]:
        """The dotted name from which a class or function is imported; raises Undescribable."""
        name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
        own = getattr(value, "__module__", None)
        private = isinstance(own, str) and own.startswith("jax._src")
        for module in dict.fromkeys((*_likely(value), own) if private else (own, *_likely(value))):
            if isinstance(module, str) and found_at(module, name) is value:
                return {**self.module(module), "name": name}
        raise Undescribable(f"`{name or type(value).__name__}`, which cannot be imported")

    def function(self, value: Callable[..., object], depth: int) -> Node | None:
        """A function, a class, a method, a partial; None for other callable objects."""
        try:
            return {"import": self.path(value)}
        except Undescribable:
            if isinstance(value, type):
                raise
        if isinstance(value, functools.partial):
            kind = "partial" if type(value) is functools.partial else "Partial"
            whole = (value.func, value.args, value.keywords)
            return {kind: self.several(whole, depth)}
        if isinstance(value, (types.MethodType, types.BuiltinMethodType)) and not isinstance(
            value.__self__, types.ModuleType
        ):
            return {"method": self.node(value.__self__, depth), "name": value.__name__}
        if type(value).__name__ == "PjitFunction" or (hasattr(value, "lower") and hasattr(value, "trace")):
            return {"jitted": self.node(getattr(value, "__wrapped__", None), depth)}
        return self.closure(value, depth) if isinstance(value, types.FunctionType) else None

    def closure(self, value: types.FunctionType, depth: int) -> Node:
        """A function made in another: its place in the source, and the values that it closes over."""
        code = value.__code__
        free: dict[str, Node] = {}
        for name, cell in zip(code.co_freevars, value.__closure__ or (), strict=True):
            try:
                inner = cell.cell_contents
            except ValueError:
                raise Undescribable(f"`{name}`, which has no value yet") from None
            free[name] = {"itself": True} if inner is value else self.node(inner, depth)
        return {
            "closure": self.module(str(value.__globals__.get("__name__"))),
            "name": getattr(code, "co_qualname", code.co_name),
            "line": code.co_firstlineno,
            "reach": _reach(code),
            "free": free,
            "defaults": self.node(value.__defaults__, depth),
            "keywords": self.node(value.__kwdefaults__, depth),
        }

    # -- objects

    def instance(self, value: object, depth: int) -> Node:
        """An object of a class written in Python, by the fields that it holds."""
        kind = type(value)
        if any(not cls.__flags__ & HEAP_TYPE for cls in kind.__mro__ if cls is not object):
            raise Undescribable(f"a `{kind.__module__}.{kind.__qualname__}`")
        fields = _fields(value)
        if _is_linen(kind):
            own = {f.name for f in dataclasses.fields(kind)} - {"parent", "name"}  # type: ignore[arg-type]
            return {"linen": self.path(kind), "fields": {n: self.node(v, depth) for n, v in fields.items() if n in own}}
        found = {"object": self.path(kind), "fields": {name: self.node(v, depth) for name, v in fields.items()}}
        attached = self.attached(kind, depth)
        return {**found, "attached": attached} if attached else found

    def attached(self, kind: type, depth: int) -> dict[str, Node]:
        """Methods that were put on a class of the project while the program ran: importing it does not make them."""
        found: dict[str, Node] = {}
        for cls in reversed(kind.__mro__):
            for name, value in list(cls.__dict__.items()):
                made = isinstance(value, types.FunctionType) and "<locals>" in value.__qualname__
                if made and not name.startswith("__") and self.module(value.__module__)["file"]:
                    with contextlib.suppress(Undescribable):
                        # a call that needs the method does not fit, which is noted
                        found[name] = self.node(value, depth)
        return found


def _reach(code: types.CodeType) -> list[list[int]] | None:
    """The first and the last place of the source that a function's instructions come from, where Python tells."""
    if not hasattr(code, "co_positions"):
        return None
    spans = [p for p in code.co_positions() if p[3]]
    first = min(((p[0] or 0, p[2] or 0) for p in spans), default=(0, 0))
    last = max(((p[1] or 0, p[3] or 0) for p in spans), default=(0, 0))
    return [[*first], [*last]]


def found_at(module: str, qualname: str) -> object:
    """The object at a dotted name in a module that is imported; the describer's own class where there is none."""
    at: object = sys.modules.get(module)
    for part in qualname.split("."):
        at = getattr(at, part, Describer) if isinstance(at, (type, types.ModuleType)) else Describer
    return at


def _likely(value: object) -> tuple[str, ...]:
    """Modules that hold functions of JAX and NumPy under another name than they say."""
    module = str(getattr(value, "__module__", "") or "")
    if module.startswith("jax") or type(value).__module__.startswith("jax"):
        return ("jax.numpy", "jax", "jax.lax", "jax.nn", "jax.random", "jax.scipy.special", "jax.numpy.linalg")
    return ("numpy", "builtins", "math", "operator")


def _number(value: complex) -> Node:
    if type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    return {"complex": [repr(value.real), repr(value.imag)]}


def _is_array(value: object) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return True
    array = getattr(sys.modules.get("jax"), "Array", None)
    return array is not None and isinstance(value, array)


def _is_linen(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) and any(
        b.__name__ == "Module" and b.__module__.startswith("flax.linen") for b in kind.__mro__
    )


def _fields(value: object) -> dict[str, object]:
    """The attributes of an object, read without running any code of its class."""
    found: dict[str, object] = {}
    with contextlib.suppress(AttributeError):  # it has slots alone, which come below
        found.update(object.__getattribute__(value, "__dict__"))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name in ("__dict__", "__weakref__"):
                continue
            full = f"_{cls.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
            try:
                found[full] = object.__getattribute__(value, full)
            except AttributeError:  # the slot was never set
                continue
    return found
