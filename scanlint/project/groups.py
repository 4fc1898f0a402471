"""Groups the files that are analysed together: those that lie together and use each other."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

MOST_TOGETHER = 2_000_000
"""Bytes of source that are analysed together: what two of their functions call is interpreted once."""


class Member(NamedTuple):
    """A file: its module name, its path, its size in bytes, and the words that its imports spell."""

    name: str
    path: str
    size: int
    words: Collection[str]


def groups(members: Sequence[Member], most: int = MOST_TOGETHER) -> list[tuple[str, ...]]:
    """The modules by groups. A folder is one group, or a group for each part that shares nothing with the others.

    A folder of more bytes than `most` is taken apart into its folders and its files. The groups do not depend on what
    stands in functions: an edit leaves them as they are, unless an import or a limit is crossed.
    """
    members = [m._replace(path=os.path.abspath(m.path)) for m in members]  # a file may be named from its root
    folder = os.path.commonpath([os.path.dirname(m.path) for m in members]) if members else ""
    return [part for chunk in _cut(folder, list(members), most) for part in _connected(chunk)]


def _cut(folder: str, members: list[Member], most: int) -> Iterator[list[Member]]:
    """The files of a folder, in one group where they are small enough together."""
    if sum(member.size for member in members) <= most:
        yield members
        return
    below: dict[str, list[Member]] = {}
    for member in members:
        rest = os.path.relpath(member.path, folder).split(os.sep)
        below.setdefault(rest[0] if len(rest) > 1 else "", []).append(member)
    own = below.pop("", [])
    chunk: list[Member] = []
    for member in own:
        if chunk and sum(m.size for m in chunk) + member.size > most:
            yield chunk
            chunk = []
        chunk.append(member)
    if chunk:
        yield chunk
    for name, inside in below.items():
        yield from _cut(os.path.join(folder, name), inside, most)


def _connected(members: Sequence[Member]) -> list[tuple[str, ...]]:
    """The modules of some files, apart where no import leads from some of them to the others."""
    named: dict[str, list[str]] = {}
    for member in members:
        named.setdefault(member.name.rpartition(".")[2], []).append(member.name)
    above = {member.name: member.name for member in members}
    for member in members:
        for word in member.words:
            for other in named.get(word, ()):
                above[_top(above, other)] = _top(above, member.name)
    found: dict[str, list[str]] = {}
    for member in members:
        found.setdefault(_top(above, member.name), []).append(member.name)
    return [tuple(names) for names in found.values()]


def _top(above: dict[str, str], name: str) -> str:
    """The name that stands for all that are connected with a module."""
    while above[name] != name:
        above[name] = above[above[name]]
        name = above[name]
    return name
