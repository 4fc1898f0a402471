"""The values behind tracers: of a differentiated or mapped call, and of the call of a jitted function being traced."""

from __future__ import annotations

import functools
import inspect
import sys
import types

import numpy as np

DEEPEST = 60
LARGEST = 64 << 20
Arguments = dict[str, object]


def tracer_type() -> type | None:
    """`jax.core.Tracer`, where jax has been imported."""
    found = getattr(sys.modules.get("jax.core"), "Tracer", None)
    return found if isinstance(found, type) else None


def host(array: object) -> np.ndarray:
    """A copy of an array in this process's memory; what JAX keeps of the transfer is let go again."""
    kept = getattr(array, "_npy_value", None)
    copy = np.array(array)
    if kept is None and getattr(array, "_npy_value", None) is not None:
        array._npy_value = None  # type: ignore[attr-defined]
    return copy


def behind(value: object, tracer: type) -> object:
    """The concrete value of an eager `grad` or `jvp`, the first row of an eager `vmap`; else the tracer itself."""
    if not isinstance(value, tracer):
        return value
    primal = getattr(value, "primal", None)
    if primal is not None:
        found = behind(primal, tracer)
        return value if isinstance(found, tracer) else found
    at, inner = getattr(value, "batch_dim", None), getattr(value, "val", None)
    if not isinstance(at, int) or inner is None:
        return value
    found = behind(inner, tracer)
    if isinstance(found, tracer) or not _has_rows(found, at):
        return value
    if "key<" in str(found.dtype):  # type: ignore[attr-defined]
        with sys.modules["jax"].ensure_compile_time_eval():
            return found[(*(slice(None),) * at, 0)]  # type: ignore[index]
    return np.take(host(found), 0, axis=at)


def _has_rows(array: object, axis: int) -> bool:
    shape = getattr(array, "shape", ())
    return len(shape) > axis and shape[axis] > 0 and getattr(array, "nbytes", LARGEST) < LARGEST


def call_of(frame: types.FrameType) -> Arguments | None:
    """The arguments of the jitted function whose Python runs in `frame`; None where it was not called directly."""
    at = frame.f_back
    for _ in range(DEEPEST):
        if at is None:
            return None
        if at.f_code.co_name == "cache_miss" and at.f_code.co_filename.replace("\\", "/").endswith("/pjit.py"):
            names = at.f_locals
            return _bound(names.get("fun"), frame.f_code, names.get("args"), names.get("kwargs"))
        at = at.f_back
    return None


def _bound(function: object, code: types.CodeType, args: object, kwargs: object) -> Arguments | None:
    """The arguments by parameter, where the function is that of the code: a method, a partial, a wrapper of it."""
    if not isinstance(args, tuple) or not isinstance(kwargs, dict):
        return None
    for _ in range(8):
        if isinstance(function, functools.partial):
            args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
            function = function.func
        elif isinstance(function, types.MethodType):
            args, function = (function.__self__, *args), function.__func__
        elif getattr(function, "__code__", None) is code:
            break
        else:
            function = getattr(function, "__wrapped__", None)
    if not isinstance(function, types.FunctionType):
        return None
    try:
        bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    except (TypeError, ValueError):  # the call itself raises that
        return None
    bound.apply_defaults()
    return dict(bound.arguments)


def code_of(function: object) -> types.CodeType | None:
    """The innermost code of a function, a method, a partial or what wraps one under its name."""
    for _ in range(8):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    code = getattr(function, "__code__", None)
    return code if isinstance(code, types.CodeType) else None
