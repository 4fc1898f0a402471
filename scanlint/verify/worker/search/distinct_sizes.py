"""Gives axes distinct sizes, so that no shapes match by coincidence."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator

from ..infer.guess import FRESH
from ..infer.specs import Array, Specs, leaves
from .shape_search import Attempt, Links, linked, set_leaf

SECONDS = 2.0
LARGEST = 16
TOGETHER = 40  # sets of axes that are tried for one size

Place = tuple[str, str, int]


def separate(specs: Specs, attempt: Attempt, links: Links) -> Specs:
    """Give each axis that shares its size another one, together with as few others as the function allows."""
    deadline = time.process_time() + SECONDS
    settled: set[Place] = set()
    for place in dict(_places(specs)):
        now = dict(_places(specs))
        size = now.get(place)
        if size is None or size > LARGEST or place in settled:
            continue
        sharing = [p for p, n in now.items() if n == size and p != place]
        fresh = next((n for n in (*FRESH, 14, 15, 16) if n not in now.values() and n > size), None)
        if not sharing or fresh is None:
            continue
        for others in itertools.islice(_sets(place, sharing), TOGETHER):
            if time.process_time() > deadline:
                return specs
            changed = linked(specs, _renamed(specs, (place, *others), fresh), links)
            if attempt(changed) is None:
                specs = changed
                settled |= {place, *others}
                break
    return specs


def _places(specs: Specs) -> Iterator[tuple[Place, int]]:
    """Every axis of every array, with its size; those of lists once."""
    for name, spec in specs.items():
        for path, leaf in leaves(spec):
            if isinstance(leaf, Array) and ".*" not in path.replace(".*0", ""):
                yield from (((name, path, axis), size) for axis, size in enumerate(leaf.shape))


def _sets(place: Place, sharing: list[Place]) -> Iterator[tuple[Place, ...]]:
    """Sets of other axes: none, those at the same position, then ever larger ones, but never all."""
    same = tuple(p for p in sharing if p[2] == place[2])
    yield ()
    if same and len(same) < len(sharing):
        yield same
    for count in range(1, len(sharing)):
        yield from (s for s in itertools.combinations(sharing, count) if s != same)


def _renamed(specs: Specs, places: Iterable[Place], size: int) -> Specs:
    for name, path, axis in places:
        leaf = dict(leaves(specs[name]))[path]
        if isinstance(leaf, Array):
            shape = (*leaf.shape[:axis], size, *leaf.shape[axis + 1 :])
            specs = {**specs, name: set_leaf(specs[name], path, Array(shape, leaf.dtype))}
    return specs
