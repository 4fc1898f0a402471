"""Reads which files git tracks: no pattern of a .gitignore leaves these out."""

from __future__ import annotations

import os
from collections.abc import Iterator

HEAD = 12
STATS = 40
"""Bytes of an entry in front of its hash."""
HASHES = (20, 32)
"""Bytes of a hash: SHA-1, SHA-256."""
EXTENDED = 0x4000


class DamagedIndex(Exception):
    """Bytes that are no index of git."""


class GitIndex:
    """The index of one repository, read when a pattern is about to leave something out."""

    def __init__(self, root: str, folder: str) -> None:
        self.root = root
        self._folder = folder
        self._names: frozenset[str] | None = None
        self._folders: frozenset[str] = frozenset()
        self._data: bytes | None = None

    def tracks(self, path: str, *, folder: bool) -> bool:
        """The file is tracked, or something in the folder is. Raises OSError, DamagedIndex."""
        name = os.path.relpath(path, self.root).replace(os.sep, "/")
        if self._names is None and not self._may_hold(name):
            return False
        if self._names is None:
            self._names = frozenset(self._listed())
            self._folders = frozenset(above for name in self._names for above in _above(name))
        return name in self._names or (folder and name in self._folders)

    def _may_hold(self, name: str) -> bool:
        """A quick look that spares most runs the parsing: names stand in full, but for version 4 and split indexes."""
        if self._data is None:
            try:
                with open(os.path.join(self._folder, "index"), "rb") as stream:
                    self._data = stream.read()
            except FileNotFoundError:  # nothing was ever added
                self._data = b""
        plain = self._data[4:8] in (b"\0\0\0\2", b"\0\0\0\3") and b"link\0\0" not in self._data
        return bool(self._data) and (not plain or os.fsencode(name) in self._data)

    def _listed(self) -> Iterator[str]:
        data = self._data or b""
        yield from _names(data)
        at = data.rfind(b"link\0\0")
        if at >= 0 and len(data) >= at + 28:
            shared = os.path.join(self._folder, f"sharedindex.{data[at + 8 : at + 28].hex()}")
            if os.path.exists(shared):
                with open(shared, "rb") as stream:
                    yield from _names(stream.read())


def _names(data: bytes) -> list[str]:
    """The paths in an index, below the root of the repository."""
    for size in HASHES:
        try:
            return [os.fsdecode(name) for name in _entries(data, size) if name]
        except (IndexError, ValueError):  # the other size of a hash is tried, then it is said
            continue
    raise DamagedIndex("not an index of git")


def _entries(data: bytes, hash_size: int) -> Iterator[bytes]:
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:HEAD], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index")
    at, name = HEAD, b""
    for _ in range(count):
        begin = at
        at += STATS + hash_size
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 4 if flags & EXTENDED else 2
        if version == 4:
            strip, at = _number(data, at)
            end = data.index(b"\0", at)
            name = name[: len(name) - strip] + data[at:end]
            at = end + 1
        else:
            end = data.index(b"\0", at)
            name = data[at:end]
            at = begin + ((end - begin) // 8 + 1) * 8
        if (known := flags & 0xFFF) != min(len(name), 0xFFF):
            raise ValueError(f"a name of {len(name)} bytes, not {known}")
        yield name


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as packs have their offsets, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _above(name: str) -> Iterator[str]:
    """The folders that hold a path."""
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name
