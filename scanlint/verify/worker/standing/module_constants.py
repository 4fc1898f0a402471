"""What a function reads of its module when it is called is an input like a parameter."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing.agreement import Agreement, Difference, compare
from ..runtime.calling import TookTooLong, Values, limited, plain
from ..runtime.free_names import free_names
from ..runtime.jax_functions import attribute, finished, is_key
from ..runtime.stored_results import copied
from ..runtime.version_pair import VersionPair, drained

SECONDS = 3.0
MOST_CHANGED = 4
MISSING = object()


@dataclass(frozen=True, slots=True)
class Reads:
    """A name of the module whose value one version reads when it is called, and the other one does not.

    `rebound`: code of the module binds it anew.
    """

    name: str
    text: str
    rebound: bool


def read_otherwise(pair: VersionPair, values: Values) -> Reads | None:
    """A constant of the module with another value of which the versions differ; one that is bound anew comes first."""
    again = bound_again(pair.old.tree) | bound_again(pair.new.tree)
    names = sorted(_constants(pair), key=lambda name: (name not in again, name))
    found = (_differs(pair, values, name, name in again) for name in islice(names, MOST_CHANGED))
    return next(filter(None, found), None)


def bound_again(tree: ast.Module) -> set[str]:
    """The names of a module that some code binds after they were first bound."""
    stored = Counter(
        node.id
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    declared = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return {name for name, count in stored.items() if count > 1} | declared


def _constants(pair: VersionPair) -> Iterator[str]:
    """Numbers and arrays of the module that functions of the old version read."""
    read = {
        name
        for node in pair.old.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for name in free_names(node)
    }
    for name, value in pair.old.names.items():
        if name in read and not name.startswith("__") and other(value) is not MISSING:
            yield name


def other(value: object) -> object:
    """Another value of the same kind; MISSING where there is none."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return 1.5 * value + 0.25
    if isinstance(value, np.ndarray | np.generic | jax.Array) and not is_key(attribute(value, "dtype")):
        return _other_array(value)
    return MISSING


def _other_array(value: np.ndarray | np.generic | jax.Array) -> object:
    usual = np.asarray(value)
    if usual.dtype.kind not in "iufc":
        return MISSING
    changed = (usual + 1 if usual.dtype.kind in "iu" else 1.5 * usual + 0.25).astype(usual.dtype)
    return jnp.asarray(changed) if isinstance(value, jax.Array) else changed


def _differs(pair: VersionPair, values: Values, name: str, rebound: bool) -> Reads | None:
    usual = pair.old.names[name]
    before = _called(pair, values, {name: usual}, new=False)
    changed = _called(pair, values, {name: other(usual)}, new=False)
    if before is None or changed is None:
        return None
    found = _called(pair, values, {name: other(usual)}, new=True)
    result = compare(changed, found) if found is not None else Difference("the new version raises")
    if isinstance(result, Agreement) or isinstance(compare(before, changed), Agreement):
        return None
    return Reads(name, f"where `{name}` is {other(usual)!r}: {result.text}", rebound)


def _called(pair: VersionPair, values: Values, names: Mapping[str, object], *, new: bool) -> object | None:
    """The result of a version whose module has these names, and what they are after the call; None if it raises."""
    loaded, function = (pair.new, pair.after) if new else (pair.old, pair.before)
    own = pair.moved(copied(values)) if new else pair.own(copied(values))
    kept = {name: loaded.names.get(name, MISSING) for name in names}
    loaded.names.update(names)
    try:
        with jax.disable_jit(), limited(SECONDS):
            result = finished(drained(pair.signature.call(plain(function), own)))
        return [result, *(loaded.names.get(name) for name in names)]
    except (Exception, TookTooLong):  # noqa: BLE001 - a value that the function does not take
        return None
    finally:
        for name, value in kept.items():
            loaded.names.pop(name) if value is MISSING else loaded.names.update({name: value})
