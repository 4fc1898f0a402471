"""Sums that cancel: what is the same in exact arithmetic may lose all digits where the old version keeps them."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator

import numpy as np

from ..comparing.agreement import describe
from ..comparing.judge import Judge
from ..comparing.refutations import Refuted
from ..comparing.rounding import Apart, apart, compilable, in_double
from ..infer.specs import Array, Specs, every_leaf
from ..runtime.calling import TookTooLong, Values
from ..runtime.jax_functions import eps, placed
from ..search.case_values import Filling, make, with_arrays

TIMES = 10.0
FLOOR = 256.0  # ULPs
LARGE, MIDDLE, NEAR = 1e8, 2000.0, 0.1
ORDERS = 3
Fill = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def same_where_sums_cancel(judge: Judge, specs: Specs) -> None:
    """Raise Refuted where the new version's error is ten times the worst of the old one's, over all such inputs.

    The error is that against double precision, relative to the largest result; the old version is run op by op and
    compiled.
    """
    pair = judge.pair
    if pair.draws or not any(_vector(leaf) for _, leaf in every_leaf(specs)):
        return
    judge.stage("comparing where sums cancel")
    worst, found = FLOOR * eps("float32"), list[tuple[Values, float]]()
    for values in _fillings(specs):
        try:
            exact = in_double(pair, values)
            before = [pair.run_old(values)]
            if compilable(pair, values):
                before.append(pair.jitted(pair.before, pair.own(values), numbers=True))
            after = apart([next(judge.runs(values)).run(values)], exact)
        except (Exception, TookTooLong):  # noqa: BLE001 - judged where other inputs are compared
            continue
        errors = [apart([x], exact) for x in before]
        if exact is None or any(map(_unclear, (*errors, after))):
            continue
        worst = max(worst, TIMES * max(e.relative for e in errors))
        found.append((values, after.relative))
    for values, error in found:
        if error > worst:
            raise Refuted(
                f"{describe(values)}: against double precision the error of the new version is {error:.2g}, "
                f"and that of the old one {worst / TIMES:.2g} at most"
            )


def _unclear(distance: Apart) -> bool:
    return distance.flips or distance.overflows or not np.isfinite(distance.relative)


def _vector(leaf: object) -> bool:
    return isinstance(leaf, Array) and leaf.dtype == "float32" and np.prod(leaf.shape, dtype=int) > 1


def _fillings(specs: Specs) -> Iterator[Values]:
    """Large numbers that cancel beside ones, in several orders; numbers that differ little; both in all arrays."""
    for order in itertools.islice(itertools.permutations((LARGE, 1.0, -LARGE)), ORDERS):
        yield _filled(specs, lambda rng, shape, order=order: np.resize(order, shape) * (1 + rng.random(shape) / 16))  # type: ignore[misc]
    yield _filled(specs, lambda rng, shape: MIDDLE + NEAR * rng.uniform(-1, 1, shape))
    yield _filled(specs, lambda rng, shape: np.resize((LARGE, -LARGE, 1.0), shape))


def _filled(specs: Specs, fill: Fill) -> Values:
    def array(spec: Array, path: str) -> object:
        if not _vector(spec):
            return make({path: spec}, Filling("ordinary values"), ())[path]
        rng = np.random.default_rng(zlib.crc32(path.encode()))
        return placed(fill(rng, spec.shape), spec.dtype)

    return with_arrays(specs, array)
