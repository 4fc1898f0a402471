"""Writes what one process keeps as soon as it is kept: a process may end without warning."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import zipfile
from collections.abc import Sequence

import numpy as np

from .concrete import host

VALUE_BYTES = 1 << 20
CALL_BYTES = 4 << 20
SKIPS = 3


class Parts:
    """A folder of files, each with one call; and one file of lines for everything else."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.written = 0
        self.skipped: dict[int, set[str]] = {}

    def call(self, index: int, call: dict[str, object], arrays: Sequence[object]) -> None:
        """One call: its description and the arrays that are not too large, as a `.npz` without pickles."""
        self.written += 1
        name = os.path.join(self.folder, f"{index}-{os.getpid()}-{self.written}")
        room, stored = CALL_BYTES, []
        with zipfile.ZipFile(name + ".partial", "w") as archive, _transfers():
            for place, array in enumerate(arrays):
                if (size := _bytes(array)) > min(VALUE_BYTES, room):
                    continue
                room -= size
                with archive.open(f"{place}.npy", "w") as stream:
                    np.lib.format.write_array(stream, plain(array), allow_pickle=False)
                stored.append(place)
            archive.writestr("call.json", json.dumps({**call, "function": index, "stored": stored}))
        os.rename(name + ".partial", name + ".npz")

    def skip(self, index: int, why: str) -> None:
        """A call that could not be kept; each reason is told once, and few of them."""
        told = self.skipped.setdefault(index, set())
        if why not in told and len(told) < SKIPS:
            told.add(why)
            self.line({"function": index, "skipped": why[:300]})

    def line(self, record: dict[str, object]) -> None:
        """One line of this process's file."""
        # the run of the user goes on; the closing line counts what was kept
        with (
            contextlib.suppress(OSError),
            open(os.path.join(self.folder, f"{os.getpid()}.jsonl"), "a", encoding="utf-8") as stream,
        ):
            stream.write(json.dumps(record) + "\n")


def _transfers() -> contextlib.AbstractContextManager[object]:
    """Reading values is allowed even where the user's program guards transfers."""
    guard = getattr(sys.modules.get("jax"), "transfer_guard", None)
    return guard("allow") if guard is not None else contextlib.nullcontext()


def plain(array: object) -> np.ndarray:
    """The values in a dtype that the format knows: keys as their data, small floats as integers of their bits."""
    if "key<" in str(array.dtype):  # type: ignore[attr-defined]
        return host(_key_data(array))
    values = host(array)
    if values.dtype.kind == "V" or not values.dtype.isbuiltin:
        return np.asarray(values).view(f"uint{8 * values.dtype.itemsize}")
    return values


def _bytes(array: object) -> int:
    """The size of an array in bytes; keys do not tell it in every version of JAX."""
    dtype = array.dtype  # type: ignore[attr-defined]
    return int(np.prod(array.shape)) * int(getattr(dtype, "itemsize", 16))  # type: ignore[attr-defined]


def _key_data(key: object) -> object:
    """The numbers of a key; asking for them must not become part of a program that is being traced."""
    if (data := getattr(key, "_base_array", None)) is not None:
        return data
    jax = sys.modules["jax"]
    with jax.ensure_compile_time_eval():
        return jax.random.key_data(key)
