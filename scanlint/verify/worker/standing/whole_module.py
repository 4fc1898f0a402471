"""What a module is once it is imported as a whole: its statements may bind anew what a slice of it defines."""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass

import jax
import numpy as np

from ..runtime.calling import TookTooLong, jitted, limited
from ..runtime.jax_errors import in_words
from ..runtime.jax_functions import attribute, is_key
from ..runtime.loading import Loaded
from ..runtime.module_bindings import is_main

WHOLE_SECONDS = 5.0
WRAPPED = 16  # functions around one
INDIRECT = frozenset(["globals", "locals", "vars", "exec", "eval", "setattr", "delattr"])
ENVIRONMENT = (ImportError, OSError, SystemExit, TookTooLong, MemoryError)
"""What keeps a module from being loaded here and not elsewhere: packages, files, time, arguments."""


class NotDefined(Exception):
    """The module has no such function once it is imported."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A module that was run as a whole: its names, or the error that ended it."""

    names: Mapping[str, object]
    error: BaseException | None = None

    @property
    def broken(self) -> bool:
        """The import fails for a reason that is not this machine's."""
        return self.error is not None and not isinstance(self.error, ENVIRONMENT)

    def why(self) -> str:
        if isinstance(self.error, TookTooLong):
            return f"it takes more than {WHOLE_SECONDS:g} s"
        return "it exits" if isinstance(self.error, SystemExit) else in_words(self.error) if self.error else ""


def imported(loaded: Loaded) -> Whole:
    """Run all statements of a version's file in a module of their own."""
    module = types.ModuleType(f"{loaded.module.__name__}_whole")
    own = vars(loaded.module)
    vars(module).update({k: own[k] for k in ("__file__", "__package__", "__spec__") if k in own})
    vars(module).update({k: v for k, v in own.items() if k.startswith("__scanlint")})
    statements = [s for s in loaded.tree.body if not is_main(s)]
    code = compile(ast.Module(statements, []), str(own["__file__"]), "exec", dont_inherit=True)
    sys.modules[module.__name__] = module
    try:
        with loaded.importing(), limited(WHOLE_SECONDS):
            exec(code, vars(module))
    except (Exception, SystemExit, TookTooLong) as error:  # noqa: BLE001 - the code of others may raise anything
        return Whole(vars(module), error)
    return Whole(vars(module))


def defined(names: Mapping[str, object], dotted: str) -> bool:
    """The names of a module lead to something of the qualified name."""
    head, *rest = dotted.split(".")
    value = names.get(head)
    for part in rest:
        value = attribute(value, part)
    return value is not None


def bound_anew(loaded: Loaded, whole: Whole) -> list[str]:
    """The names of a slice that mean something else once the whole module was run."""
    missing = object()
    own = {k: v for k, v in loaded.names.items() if not k.startswith("__")}
    return [name for name, value in own.items() if not _same(value, whole.names.get(name, missing))]


def binds_indirectly(tree: ast.Module) -> str:
    """How the statements of a module bind names other than by name, or ""."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(statement, ast.Delete):
            return "del"
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in INDIRECT:
                    return name
    names = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return "global" if names else ""


def _same(a: object, b: object, depth: int = 0) -> bool:
    """Both values come from the same definition."""
    if a is b or depth > WRAPPED:
        return True
    if type(a) is not type(b) and not (isinstance(a, type) and isinstance(b, type)):
        return False
    if jitted(a):
        return jitted(b) and _same(attribute(a, "__wrapped__"), attribute(b, "__wrapped__"), depth + 1)
    match a:
        case functools.partial():
            assert isinstance(b, functools.partial)
            return _same((a.func, a.args, a.keywords), (b.func, b.args, b.keywords), depth + 1)
        case types.FunctionType():
            return _same_function(a, b, depth)
        case type():
            return _same_class(a, b, depth)
        case dict():
            assert isinstance(b, dict)
            return a.keys() == b.keys() and all(_same(v, b[k], depth + 1) for k, v in a.items())
        case list() | tuple():
            assert isinstance(b, list | tuple)
            return len(a) == len(b) and all(_same(x, y, depth + 1) for x, y in zip(a, b, strict=True))
        case bool() | int() | float() | complex() | str() | bytes():
            return bool(a == b or a != a)
    if isinstance(a, np.ndarray | np.generic | jax.Array):
        return _same_array(a, b)
    return True


def _same_array(a: object, b: object) -> bool:
    if is_key(attribute(a, "dtype")):
        return True
    first, second = np.asarray(a), np.asarray(b)
    return first.dtype == second.dtype and bool(np.array_equal(first, second, equal_nan=first.dtype.kind in "fc"))


def _same_function(a: types.FunctionType, b: object, depth: int) -> bool:
    """Functions are the same if they are made by one text, around the same functions."""
    if not isinstance(b, types.FunctionType) or not _same_text(a, b):
        return False
    return _same(_held(a), _held(b), depth + 1)


def _held(function: types.FunctionType) -> tuple[object, ...]:
    """What a function holds beside its text: defaults, what it wraps, what it has of the function that made it."""
    cells = tuple(attribute(cell, "cell_contents") for cell in function.__closure__ or ())
    return function.__defaults__, function.__kwdefaults__, attribute(function, "__wrapped__"), cells


def _same_text(a: types.FunctionType, b: types.FunctionType) -> bool:
    one, other = a.__code__, b.__code__
    places = [(c.co_filename, c.co_firstlineno, c.co_name) for c in (one, other)]
    return places[0] == places[1]


def _same_class(a: type, b: object, depth: int) -> bool:
    if not isinstance(b, type) or a.__qualname__ != b.__qualname__:
        return False
    names = {n for n, v in vars(a).items() if isinstance(v, types.FunctionType)}
    return all(_same(vars(a)[name], vars(b).get(name), depth + 1) for name in names)
