"""Which old function a new one was: renamed and moved functions are met by their bodies."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from scanlint.history.module_parts import FunctionNode, ModulePart
from scanlint.history.reach import PartKey

LEAST_ALIKE = 0.6
LEAST_NODES = 20
"""In functions of fewer nodes most others have as much in common by chance."""
Parts = Mapping[PartKey, ModulePart]


class Counterpart(NamedTuple):
    """An old function that a new one is taken for, and how much of their bodies is the same, up to 1."""

    old: PartKey
    alike: float


def counterparts(old: Parts, new: Parts) -> dict[PartKey, Counterpart]:
    """For functions that are gone and functions that were not there: which was which.

    Those of equal bodies first, then those of one name in different files, then the most similar ones, if they have
    most of their bodies in common; a method is met by a method. Of several, those of one name, then of one file.
    """
    left: list[dict[PartKey, Counter[str]]] = [
        {key: _body(part) for key, part in parts.items()} for parts in (old, new)
    ]
    found: dict[PartKey, Counterpart] = {}
    for step in (_equal, _of_one_name, _similar):
        pairs = step(left[0], left[1])
        for share, before, after in sorted(pairs, key=lambda p: (-p[0], _distance(p[1], p[2]), p)):
            if before in left[0] and after in left[1] and before.name.count(".") == after.name.count("."):
                found[after] = Counterpart(before, share)
                del left[0][before], left[1][after]
    return found


Bodies = Mapping[PartKey, Counter[str]]
Alike = tuple[float, PartKey, PartKey]


def _equal(old: Bodies, new: Bodies) -> Iterator[Alike]:
    known: dict[frozenset[tuple[str, int]], list[PartKey]] = {}
    for before, body in old.items():
        known.setdefault(frozenset(body.items()), []).append(before)
    for after, body in new.items():
        yield from ((1.0, before, after) for before in known.get(frozenset(body.items()), ()))


def _of_one_name(old: Bodies, new: Bodies) -> Iterator[Alike]:
    """Those whose name there is once among the old ones and once among the new ones."""
    once = [
        {name for name, count in Counter(key.name for key in bodies).items() if count == 1} for bodies in (old, new)
    ]
    known = {before.name: before for before in old if before.name in once[0] & once[1]}
    for after, body in new.items():
        if (before := known.get(after.name)) is not None:
            yield alike(old[before], body), before, after


def _similar(old: Bodies, new: Bodies) -> Iterator[Alike]:
    """Those with most of their nodes in common, which cannot be if one has many more than the other."""
    sizes = {id(body): body.total() for bodies in (old, new) for body in bodies.values()}
    for before, one in old.items():
        for after, other in new.items():
            less, more = sorted((sizes[id(one)], sizes[id(other)]))
            if less >= LEAST_NODES and 2 * less >= LEAST_ALIKE * (less + more):
                if (share := alike(one, other)) >= LEAST_ALIKE:
                    yield share, before, after


def alike(one: Counter[str], other: Counter[str]) -> float:
    """Twice the nodes in common by the nodes of both."""
    return round(2 * (one & other).total() / max(one.total() + other.total(), 1), 3)


def _distance(old: PartKey, new: PartKey) -> tuple[bool, bool, bool]:
    return old.name != new.name, _last(old) != _last(new), old.path != new.path


def _last(key: PartKey) -> str:
    return key.name.rpartition(".")[2]


def _body(part: ModulePart) -> Counter[str]:
    """The nodes of a function, each by its kind, its names and its constants; its own name is none of them."""
    own = part.name.rpartition(".")[2]
    return Counter(_told(node, own) for top in part.nodes for node in ast.walk(top))


def _told(node: ast.AST, own: str) -> str:
    words: Iterable[object] = (
        value for name, value in ast.iter_fields(node) if not isinstance(value, ast.AST | list) and name != "kind"
    )
    said = ["" if word == own and isinstance(node, FunctionNode | ast.Name) else repr(word) for word in words]
    return f"{type(node).__name__} {' '.join(said)}"
