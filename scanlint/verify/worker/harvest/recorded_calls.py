"""What `scanlint record` kept of a function's calls, as arguments to call it with again."""

from __future__ import annotations

import inspect
import io
import json
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from ..runtime.calling import Signature, TookTooLong, Values, limited
from ..runtime.loading import Loaded
from .rebuild import Builder, CannotBuild, Description, Node

SECONDS = 5.0


@dataclass(frozen=True)
class Call:
    """One recorded call: the descriptions of its arguments, and the arrays that they speak of."""

    arguments: Description
    arrays: dict[int, np.ndarray]
    abstract: bool
    x64: bool


@dataclass(frozen=True)
class Recordings:
    """The recorded calls of a function and of those defined in it, by qualified name."""

    calls: dict[str, list[Call]] = field(default_factory=dict)

    @classmethod
    def read(cls, files: object) -> Recordings:
        """The calls in these files; nothing of one that cannot be read."""
        found: dict[str, list[Call]] = {}
        for file in files if isinstance(files, list) else ():
            name = os.path.basename(str(file)).removesuffix(".npz").partition("--")[2]
            found[name] = _read(str(file))
        return cls(found)

    def traced(self) -> Recordings:
        """The recordings with arrays of JAX in place of NumPy's, which a function that is traced never sees."""
        found = {
            name: [replace(call, arguments=cast("Description", _of_jax(call.arguments))) for call in calls]
            for name, calls in self.calls.items()
        }
        return Recordings(found)

    def __bool__(self) -> bool:
        return any(self.calls.values())

    @property
    def wide(self) -> bool:
        """Whether all calls were made with 64-bit types enabled."""
        return bool(self) and all(c.x64 for calls in self.calls.values() for c in calls)

    def of(self, dotted: str) -> list[Call]:
        return self.calls.get(dotted, [])

    def inside(self, dotted: str) -> dict[str, list[Call]]:
        """The functions that are defined directly in one, by their own names."""
        prefix = f"{dotted}."
        inner = {name.removeprefix(prefix): calls for name, calls in self.calls.items() if name.startswith(prefix)}
        return {name: calls for name, calls in inner.items() if "." not in name}


def _of_jax(node: Node) -> Node:
    """A description without the marks of NumPy's arrays."""
    if isinstance(node, list):
        return [_of_jax(n) for n in node]
    if not isinstance(node, dict):
        return node
    return {k: _of_jax(v) for k, v in node.items() if k != "numpy" or "array" not in node}


def _read(file: str) -> list[Call]:
    """The calls of one file; none where it cannot be read."""
    try:
        with zipfile.ZipFile(file) as archive:
            document = json.loads(archive.read("calls.json"))
            return [_call(archive, at, entry) for at, entry in enumerate(document["calls"])]
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        # who asks has noted that the file is damaged
        return []


def _call(archive: zipfile.ZipFile, at: int, entry: dict[str, object]) -> Call:
    arrays = {
        place: np.load(io.BytesIO(archive.read(f"{at}/{place}.npy")), allow_pickle=False)
        for place in cast("list[int]", entry["stored"])
    }
    return Call(cast("Description", entry["arguments"]), arrays, bool(entry["abstract"]), bool(entry["x64"]))


def arguments(
    calls: Sequence[Call], loaded: Loaded, root: str, signature: Signature, required: frozenset[str]
) -> tuple[list[Values], str | None]:
    """The calls that still fit the function, and why the first one that does not fit was left out."""
    found: list[Values] = []
    why = None
    names = {*signature.positional, *signature.keyword}
    for call in calls:
        builder = Builder(loaded, root, call.arrays)
        values: Values = {}
        try:
            with limited(SECONDS):
                for name, node in call.arguments.items():
                    value = builder.value(node)
                    if name in names:
                        values[name] = value
                    elif value:
                        raise CannotBuild(f"the parameter `{name}` is not there any more")
        except CannotBuild as error:
            why = why or str(error)
            continue
        except (Exception, SystemExit, TookTooLong) as error:  # noqa: BLE001
            why = why or f"{type(error).__name__}: {error}"
            continue
        if required <= set(values):
            found.append(values)
        else:
            why = why or f"no value for `{min(required - set(values))}` was recorded"
    return found, why


def required(function: object) -> frozenset[str]:
    """The parameters that a call has to give."""
    if not callable(function):
        return frozenset()
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a call without what it needs raises, which is seen
        return frozenset()
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(p.name for p in parameters if p.default is p.empty and p.kind in named)
