"""Values at edges: negative and far whole numbers, both sides of the numbers of the texts, halves, huge and tiny ones.

These tell versions that agree on usual values: another rounding of halves, `%` for `rem`, an index out of range, a
limit that one version lacks.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from ..infer.specs import Alternatives, Array, Scalar, Spec, Specs, build, every_leaf, resized, sizes
from ..runtime.calling import Values
from ..runtime.jax_functions import placed
from .case_values import SCATTERED, Case, Filling, make, scalar_values
from .text_numbers import TextNumbers

NEAR = tuple(range(-9, 41))
FAR = (-40_000, -1000, -100, 100, 1000, 40_000)
TIES = (0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1.0, -1.0, 3.0, -3.0, 10.0, -10.0)
EXTREMES = (float("-inf"), float("inf"), float("nan"), 1e20, -1e20, 1e-20, -1e-20, -0.0)
FARTHEST = (float("-inf"), float("inf"), 1e20, -1e20)
ENDS = (float(np.finfo(np.float32).max), float(np.finfo(np.float32).min), float(np.finfo(np.float32).tiny))
SCALES = (1e2, 1e4)
TINY = (1e-4, 1e-6)
INFINITE = (float("inf"),)
SPREAD = (*TIES, float("inf"), float("-inf"), float("nan"))
NUMBERS = (-9, -2, -1, 4, 6, 8, 9, 12, 16, 17, 24, 33, 40)
PYTHON = (-0.5, 1.5, 2.5, 100.0, 1e4)
FEW_PYTHON, FEW_NUMBERS = (1.0, 1.5, -0.5), (1, 2, 40, -9)
WIDER, WIDER_WHOLE = (3.0, -3.0, 100.0, 1e4), (-9, -2, 6, 40)
MOST_SIDES = 24
MOST_ALONE = 4
MOST_FIRST = 2
MOST_SEEDS, FEW_SEEDS = 8, 3
MOST_DRAWN = 2000
HALVES = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
SCALES_OF_TWO = tuple(2.0**n for n in (7, 8, 3, 4, 15, 16, 1, 2, 10, 12))
EIGHT_BITS = (0, 127, 255)
FOLLOWING = 3
AXIS = 12
"""Longer axes are few: indices up to their end are drawn from too many numbers."""


@dataclass(frozen=True, slots=True)
class Edge:
    """How one case is filled: elements drawn from these numbers, all of them or a `share`, of all leaves or one.

    `turns`: the numbers follow one another in their order; `stairs`: plateaus of growing length, up or down. `number`
    is that of a Python number, `everywhere`: arrays are filled beside it as well.
    """

    name: str
    floats: tuple[float, ...] = ()
    wholes: tuple[int, ...] = ()
    seed: int = 0
    share: float = 1.0
    only: str | None = None
    scale: float = 1.0
    number: int | float | None = None
    turns: bool = False
    everywhere: bool = False
    stairs: int = 0


def stairs(specs: Specs) -> Iterator[Case]:
    """Values that stay the same for one element, then two, three and so on: they tell how long something waits."""
    for name, sign in (("stairs down", -1), ("stairs up", 1)):
        yield Case(name, lambda sign=sign: filled(specs, Edge("", stairs=sign)), ordinary=False)  # type: ignore[misc]


def heights(specs: Specs, numbers: TextNumbers) -> Iterator[Case]:
    """Python floats around each number that only the new text has, of either sign, beside arrays of its order."""
    for path, leaf in every_leaf(specs):
        for n in numbers.heights if isinstance(leaf, Scalar) and leaf.kind == "float" else ():
            # What lies beyond tells most.
            for value, seed in itertools.product((2 * n, -2 * n, n / 2, n, -n), range(2)):
                near = TIES if abs(n) < 1 else ()  # a tolerance shows beside what is compared with it
                edge = Edge("", near, (), seed, 1.0, path, max(1.0, abs(n) / 2), value, everywhere=True)
                yield Case(f"{path} = {value:g}", lambda edge=edge: filled(specs, edge), ordinary=False)  # type: ignore[misc]


def edges(specs: Specs, numbers: TextNumbers) -> Iterator[Case]:
    """The cases of one set of specs, the most telling first."""
    for edge in _edges(specs, numbers):
        infinite = not np.isfinite(edge.floats).all()
        yield Case(edge.name, lambda edge=edge: filled(specs, edge), ordinary=False, finite=not infinite)  # type: ignore[misc]


def drawn(specs: Specs, numbers: TextNumbers) -> Iterator[Case]:
    """Draws from few numbers each: rows of equal ones, counters at their limits and rare ways come up among many."""
    near = sorted({n + d for n in (*sizes(specs), *numbers.wholes[:FEW_SEEDS]) for d in (-1, 0)})
    floats = (HALVES, (0.0, 1.0), tuple(dict.fromkeys((*HALVES, *numbers.boundaries()))), (*HALVES, *INFINITE))
    wholes = ((-1, 0, 1), (0, 1), tuple(range(-2, max([2, *(n for n in near if n < AXIS)]) + 2)), (0, 1, *near))
    for seed in range(MOST_DRAWN):
        edge = Edge("", floats[seed % len(floats)], wholes[seed // 2 % len(wholes)], 1000 + seed)
        yield Case(f"draw {seed}", lambda edge=edge: filled(specs, edge), ordinary=False)  # type: ignore[misc]


def _edges(specs: Specs, numbers: TextNumbers) -> Iterator[Edge]:
    found = every_leaf(specs)
    floats = [path for path, leaf in found if isinstance(leaf, Array) and "float" in leaf.dtype]
    wholes = [path for path, leaf in found if isinstance(leaf, Array) and "int" in leaf.dtype]
    sides, boundaries = numbers.sides()[:MOST_SIDES], numbers.boundaries()[:MOST_SIDES]
    numeric = {p: leaf.kind for p, leaf in found if isinstance(leaf, Scalar) and leaf.size is None}
    if wholes or floats:
        yield from (Edge(f"numbers from -9 to 40, {seed}", TIES, NEAR, seed, 0.7) for seed in range(3))
        yield Edge("halves and ties", TIES, NEAR, 3)
        yield from _among(numeric, FEW_PYTHON, FEW_NUMBERS, NEAR)
    if floats and numbers.rounds:  # a scale may be computed
        scales = dict.fromkeys((*SCALES_OF_TWO, *(n for n in boundaries if n > 1)))
        for n, first in itertools.product(scales, (0.5, 1.5)):
            yield Edge(f"halves of {n:g}", tuple(x / n for x in (first, -first, first + 1)), turns=True)
    for path in floats[
        :MOST_FIRST
    ]:  # programs are compiled for these shapes: they come before numbers, which are static
        yield from (Edge(f"all {value:g} in {path}", (value,), seed=9, only=path) for value in FARTHEST)
    if numbers.ends:
        yield from (Edge(f"all {n:g} in {path}", (n,), only=path) for path in floats[:MOST_ALONE] for n in ENDS)
    for path, leaf in found:
        match leaf:
            case Scalar(kind="int", size=None):
                listed: tuple[float, ...] = tuple(dict.fromkeys((*NUMBERS, *sides)))
            case Scalar(kind="float"):
                listed = tuple(dict.fromkeys((*boundaries, *PYTHON)))
            case _:
                continue
        yield from (Edge(f"{path} = {n:g}", only=path, number=n, seed=13) for n in listed)
        # What is compared with a large number may be as large.
        wider, times = (WIDER, 0.5) if leaf.kind == "float" else (WIDER_WHOLE, 20.0)
        yield from (
            Edge(f"{path} = {n:g}, of its order", only=path, number=n, seed=13, scale=times * abs(n)) for n in wider
        )
    if floats and boundaries:
        yield from (Edge(f"values of the text, {seed}", tuple(boundaries), seed=seed, share=0.7) for seed in (4, 5))
        yield Edge("beyond values of the text", tuple(2.0 * x for x in boundaries), seed=6)
        for value in boundaries:
            near = np.float32(value)
            ulps = (float(np.nextafter(near, np.float32(s * np.inf))) for s in (-1, 1))
            yield from (Edge(f"all {x:.9g}", (x,)) for x in (value, *ulps))
    if wholes:
        yield from (Edge(f"all {n}", wholes=(s * n,)) for n in sides for s in (1, -1))
        yield from (Edge(f"all {n}", wholes=(n,)) for n in (-1, -2, -9, 40, *FAR))
        yield Edge("far whole numbers", wholes=FAR, seed=7, share=0.5)
        yield from (Edge(f"far whole numbers in {p}", wholes=FAR, seed=8, only=p) for p in wholes[:MOST_ALONE])
    for path in floats[:MOST_ALONE]:
        for value in EXTREMES:
            yield Edge(f"some {value:g} in {path}", (value,), seed=9, share=SCATTERED, only=path)
            yield Edge(f"all {value:g} in {path}", (value,), seed=9, only=path)
    if floats:
        yield from (Edge(f"extremes, {seed}", EXTREMES, seed=seed, share=0.7) for seed in range(20, 32))
        yield from (Edge(f"values of the order of {scale:g}", scale=scale, seed=11) for scale in SCALES)
        yield from (Edge(f"values of the order of {scale:g}", scale=scale, seed=12) for scale in TINY)
    if floats or wholes:
        yield from _among(numeric, (*boundaries, *PYTHON), (*sides, *NUMBERS), (*sides, *NEAR))


def _among(
    numeric: Mapping[str, str], floats: Sequence[float], wholes: Sequence[int], near: Sequence[int]
) -> Iterator[Edge]:
    """A Python number among arrays of edge values: what arms do with it shows where arrays reach them."""
    for path, kind in numeric.items():
        listed: Sequence[float] = floats if kind == "float" else wholes if kind == "int" else ()
        for n in listed:
            yield Edge(f"{path} = {n:g} among edges", SPREAD, tuple(near), 14, only=path, number=n, everywhere=True)
        for n in listed[:2]:
            yield Edge(f"{path} = {n:g} among infinities", INFINITE, only=path, number=n, everywhere=True)


def of_texts(specs: Specs, numbers: TextNumbers) -> Iterator[Case]:
    """Arrays of the numbers that the texts are written with, and of those beside them: codes of characters, marks."""
    exact = (0, 1, *numbers.wholes)
    near = (*exact, *(n + d for n in numbers.wholes for d in (-1, 1)))
    floats = tuple(numbers.boundaries()) or TIES
    pools: list[tuple[int, ...]] = [
        (0, n) for n in numbers.wholes[:MOST_FIRST] for _ in range(FEW_SEEDS)
    ]  # marks that stand alone
    pools += [near if seed % 2 else exact for seed in range(MOST_SEEDS if numbers.wholes else 0)]
    for at, pool in enumerate(pools):
        edge = Edge("", floats, pool, 40 + at)
        yield Case(f"numbers of the texts {at}", lambda edge=edge: filled(specs, edge), ordinary=False)  # type: ignore[misc]


def roots(specs: Specs) -> Iterator[Case]:
    """A half for each Python float, which may be a power: below zero it gives no number, and no derivative."""
    for path, leaf in every_leaf(specs):
        for seed in range(FEW_SEEDS) if isinstance(leaf, Scalar) and leaf.kind == "float" else ():
            edge = Edge("", seed=seed, only=path, number=0.5)
            yield Case(f"{path} = 0.5", lambda edge=edge: filled(specs, edge), ordinary=False)  # type: ignore[misc]


def successions(specs: Specs, numbers: TextNumbers) -> Iterator[Case]:
    """Long arrays in which each number of the texts, and each end of 8 bits, stands before some of each other one.

    A state that one code leaves, and what the next ones make of it, comes up in no draw.
    """
    exact = tuple(dict.fromkeys((*numbers.wholes, *EIGHT_BITS)))
    below = tuple(dict.fromkeys((*exact, *(n - 1 for n in numbers.wholes))))
    for pool in (exact, below) if numbers.wholes else ():
        order = tuple(n for a in pool for b in pool for n in (a, *[b] * FOLLOWING))
        edge = Edge("", tuple(map(float, order)), order, turns=True)
        for size in sizes(specs)[:MOST_FIRST]:
            long = resized(specs, {size: len(order)})
            yield Case("each number of the texts before each", lambda e=edge, s=long: filled(s, e), ordinary=False)  # type: ignore[misc]


def beside_numbers(specs: Specs) -> Iterator[Case]:
    """Python numbers among arrays of halves and ties: what trips add up with them shows on long axes."""
    for path, leaf in every_leaf(specs):
        if isinstance(leaf, Scalar) and leaf.size is None and leaf.kind in ("float", "int"):
            listed: Sequence[float] = FEW_PYTHON[1:] if leaf.kind == "float" else FEW_NUMBERS[2:]
            for n, seed in itertools.product(listed, (15, 16)):
                edge = Edge("", TIES, NEAR, seed, only=path, number=n, everywhere=True)
                yield Case(f"{path} = {n:g} among ties", lambda edge=edge: filled(specs, edge), ordinary=False)  # type: ignore[misc]


def filled(specs: Specs, edge: Edge) -> Values:
    """Arguments by parameter."""

    def pick(spec: Spec, path: str) -> object:
        here = edge.only is None or edge.only == path
        match spec:
            case Scalar():
                return edge.number if here and edge.number is not None else scalar_values(spec, ())[0]
            case Alternatives(values=values):
                return values[0]
            case Array():
                return _array(spec, path, edge, here or edge.everywhere)
        raise TypeError(f"no value for {spec}")

    return {name: build(spec, pick, name) for name, spec in specs.items()}


def _array(spec: Array, path: str, edge: Edge, here: bool) -> object:
    mode = Filling("ordinary values", seed=edge.seed, scale=edge.scale)
    usual = make({path: spec}, mode, ())[path]
    whole = "int" in spec.dtype
    if edge.stairs and spec.shape and (whole or "float" in spec.dtype):
        count = np.arange(np.prod(spec.shape, dtype=int)).reshape(spec.shape)
        return placed(edge.stairs * ((np.sqrt(8 * count + 1) - 1) // 2), spec.dtype)
    pool = (edge.wholes if whole else edge.floats if "float" in spec.dtype else ()) if here else ()
    if not pool:
        return usual
    rng = np.random.default_rng([zlib.crc32(path.encode()), edge.seed])
    chosen = rng.integers(0, len(pool), spec.shape)
    if edge.turns:
        chosen = (np.arange(chosen.size) % len(pool)).reshape(spec.shape)
    drawn = np.asarray(pool, np.int64 if whole else np.float64)[chosen]
    mixed = np.where(rng.random(spec.shape) < edge.share, drawn, np.asarray(usual, drawn.dtype))
    if whole:
        limits = np.iinfo(jnp.dtype(spec.dtype))
        mixed = np.clip(mixed, limits.min, limits.max)
    return placed(mixed, spec.dtype)
