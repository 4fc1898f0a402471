"""What a function reads of its module when it is called is an input like a parameter."""

from __future__ import annotations

import ast
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing.agreement import Agreement, Difference, compare, describe
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values, in_time, plain
from ..runtime.free_names import free_names
from ..runtime.jax_functions import attribute, finished, is_key, rebound
from ..runtime.loading import Loaded
from ..runtime.module_bindings import binds, root_name
from ..runtime.stored_results import NUMBERS, changeable, copied
from ..runtime.version_pair import VersionPair, drained

SECONDS = 3.0
MOST_CHANGED = 4
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Reads:
    """A name of the module whose value one version reads when it is called, and the other one does not.

    `refutes`: code of the module binds it anew, or it is a name of the new module too that its function read earlier.
    """

    name: str
    text: str
    refutes: bool


def read_otherwise(pair: VersionPair, tried: Sequence[Values], *, proved: bool) -> Reads | None:
    """A constant of the module with another value of which the versions differ; one that is bound anew comes first.

    `proved`: the programs are equal for its usual value. Where they are not for another one, and no arguments that were
    `tried` show it, that is said.
    """
    again = bound_again(pair.old.tree) | bound_again(pair.new.tree)
    names = sorted(_constants(pair), key=lambda name: (name not in again, name))
    for name in islice(names, MOST_CHANGED):
        if proved and tried and _same_programs(pair, tried[0], name):
            continue
        found = _shown(pair, tried, name)
        if found is not None:
            return Reads(name, found, name in again or _read_early(pair, name))
        if proved and _called(pair, tried[0], {name: others(pair.old.names[name])[0]}, new=False) is not None:
            return Reads(name, "in a way that no input tried shows", False)
    return None


def left_otherwise(pair: VersionPair, tried: Iterable[Values]) -> str:
    """What a module holds that the functions of the versions leave behind otherwise, with the arguments; or ""."""
    held = {**pair.new.names, **pair.old.names}
    names = {n: held[n] for n in sorted(_changed(pair.old) | _changed(pair.new)) if _kept(pair, n, held.get(n))}
    started = time.process_time()
    for values in tried if names else ():
        if name := _left_otherwise(pair, values, names):
            return f"{describe(values)}: what `{name}` of the module holds after the call differs"
        if time.process_time() - started > SECONDS:
            return ""
    return ""


def _left_otherwise(pair: VersionPair, values: Values, names: Mapping[str, object]) -> str:
    if any("jit" in version.text for version in (pair.old, pair.new)):
        jax.clear_caches()  # type: ignore[no-untyped-call]  # what was traced is not run again
    for eager in (False, True):  # a loop of JAX runs its Python once, and under `disable_jit` once for each trip
        kept = pair.own(copied(dict(names))), pair.moved(copied(dict(names)))
        ran = [_called(pair, values, kept[new], new=new, eager=eager) for new in (False, True)]
        if None in ran:
            continue
        left = zip(names, *(found[1:] for found in ran if found is not None), strict=True)
        return next((name for name, before, after in left if not _alike(before, after)), "")
    return ""


def _changed(loaded: Loaded) -> set[str]:
    """The names that functions of a module bind in it, or whose objects they may change in place."""
    found = set[str]()
    for node in (n for f in loaded.tree.body if isinstance(f, FUNCTIONS) for n in ast.walk(f)):
        match node:
            case ast.Global(names=names):
                found |= set(names)
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                found.add(root_name(node))
            case ast.Call(func=ast.Attribute(value=value)):
                found.add(root_name(value))
            case ast.Call(func=ast.Name(id=name)):
                found.add(name)
    return found


def _kept(pair: VersionPair, name: str, value: object) -> bool:
    """Whether both modules bind a name, to a number or to what can be changed."""
    held = isinstance(value, NUMBERS) or changeable({name: value})
    return held and _binds(pair.old, name) and _binds(pair.new, name)


def _binds(version: Loaded, name: str) -> bool:
    return any(name in binds(statement) for statement in version.tree.body if not isinstance(statement, FUNCTIONS))


def _alike(one: object, other: object) -> bool:
    """Whether two values have the same items, as far as can be told."""
    try:
        if not isinstance(one, NUMBERS) and attribute(one, "__dict__") is not None:
            one, other = vars(one), vars(other)
        sized = not isinstance(one, (list, dict, set)) or len(one) == len(other)  # type: ignore[arg-type]
        return sized and not isinstance(compare(one, other), Difference)
    except (TypeError, ValueError):  # what they hold cannot be compared
        return True


def _same_programs(pair: VersionPair, values: Values, name: str) -> bool:
    """Whether both versions are the same program where a constant has another value."""
    changed = {name: others(pair.old.names[name])[0]}
    if any("jit" in version.text for version in (pair.old, pair.new)):
        jax.clear_caches()  # type: ignore[no-untyped-call]  # what was traced holds the usual value
    with rebound(pair.old.names, changed), rebound(pair.new.names, changed):
        return one_proof(pair, values, SECONDS).same


def _read_early(pair: VersionPair, name: str) -> bool:
    """Whether the new module has the name, and its function read it by itself: not by a table that the module made."""
    derived = any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for statement in pair.new.tree.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
    )
    return name in pair.new.names and not derived


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
    read = _read(pair.old)
    for name, value in pair.old.names.items():
        if name in read and not name.startswith("__") and others(value):
            yield name


def _read(loaded: Loaded) -> set[str]:
    """The names that functions of a module read and do not bind."""
    parts = (node for node in loaded.tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return {name for node in parts for name in free_names(node)}


def others(value: object) -> list[object]:
    """Other values of the same kind, more and less; none where there are none."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, max(value - 1, 0)]
        case float():
            return [1.5 * value + 0.25, 0.25 * value]
        case tuple() | list():
            parts = [others(part) for part in value]
            return [type(value)(x[0] for x in parts)] if parts and all(parts) and type(value) in (tuple, list) else []
        case dict() if changed := _changed_items(value):
            return [{**value, **changed}]
        case type() if plain_class(value) and (changed := _changed_items(vars(value))):
            return [type(value.__name__, (value,), {"__module__": value.__module__, **changed})]
    if isinstance(value, np.ndarray | np.generic | jax.Array) and not is_key(attribute(value, "dtype")):
        return _other_array(value)
    return []


def plain_class(value: type) -> bool:
    """Whether a class only holds values: nothing makes instances that JAX knows by their class."""
    return type(value) is type and value.__bases__ == (object,) and not {"__init__", "__slots__"} & vars(value).keys()


def _changed_items(table: Mapping[str, object]) -> dict[str, object]:
    """The items of a table, or of a class, that have other values."""
    found = {key: others(item) for key, item in table.items() if not str(key).startswith("__")}
    return {key: changed[0] for key, changed in found.items() if changed}


def _other_array(value: np.ndarray | np.generic | jax.Array) -> list[object]:
    usual = np.asarray(value)
    if usual.dtype.kind not in "iufc":
        return []
    changed = (usual + 1 if usual.dtype.kind in "iu" else 1.5 * usual + 0.25).astype(usual.dtype)
    return [jnp.asarray(changed) if isinstance(value, jax.Array) else changed]


def _shown(pair: VersionPair, tried: Sequence[Values], name: str) -> str | None:
    """Where the versions differ for another value of a constant that changes what the old version gives."""
    started, usual = time.process_time(), pair.old.names[name]
    for values in tried:
        before = _called(pair, values, {name: usual}, new=False)
        for other in others(usual):
            if time.process_time() - started > SECONDS:
                return None
            changed = _called(pair, values, {name: other}, new=False)
            if changed is None or before is None or isinstance(compare(before[0], changed[0]), Agreement):
                continue
            found = _called(pair, values, {name: other}, new=True)
            result = compare(changed, found) if found is not None else Difference("the new version raises")
            if isinstance(result, Agreement):
                return None
            return f"{describe(values)}, where `{name}` is {other!r}: {result.text}"
    return None


def _called(
    pair: VersionPair, values: Values, names: Mapping[str, object], *, new: bool, eager: bool = True
) -> list[object] | None:
    """The result of a version whose module has these names, and what they are after the call; None if it raises."""
    loaded, function = (pair.new, pair.after) if new else (pair.old, pair.before)
    own = pair.moved(copied(values)) if new else pair.own(copied(values))
    with rebound(loaded.names, names), jax.disable_jit(eager):
        result = in_time(lambda: [finished(drained(pair.signature.call(plain(function), own)))], SECONDS)
        return None if result is None else [*result, *(loaded.names.get(name) for name in names)]
