"""Shapes for any trip count: with vectors for `ws[i]`, `x @ ws[i]` runs only for as many trips as `x` has axes."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping

from ..infer.specs import Array, Spec, Specs, resize, sizes
from .attempts import Attempts
from .higher_ranks import read_by_loops
from .shape_search import Failure, Links, search

MOST = 20  # attempts


def for_more_trips(inputs: Attempts, specs: Specs, candidates: Mapping[str, list[Spec]], links: Links) -> Specs:
    """These shapes if the arrays that loops go over may have more rows; else others that may, if there are any.

    The others have one axis more in an array that a loop goes over.
    """

    def attempt(tried: Specs) -> Failure | None:
        failure, rows = inputs.attempt(tried), _rows(inputs, tried)
        if failure is not None or not rows:
            return failure
        more = itertools.count(max(sizes(list(tried.values()))) + 1)
        table = {size: next(more) for size in sorted({s.shape[0] for s in rows.values()})}
        return inputs.attempt({name: resize(spec, table) for name, spec in tried.items()})

    if attempt(specs) is None:
        return specs
    for name, spec in _rows(inputs, specs).items():
        first = {**specs, name: Array((*spec.shape, spec.shape[-1]), spec.dtype)}
        found = search(first, candidates, attempt, inputs.node, links, most=MOST)
        if found.specs is not None:
            return found.specs
    return specs


def _rows(inputs: Attempts, specs: Specs) -> dict[str, Array]:
    """The arrays that loops go over or index with their variables, without those in a list that a loop goes over."""
    iterables = [n.iter for n in ast.walk(inputs.node) if isinstance(n, ast.For | ast.comprehension)]
    lists = [n for iterable in iterables for n in ast.walk(iterable) if isinstance(n, ast.List | ast.Tuple)]
    listed = {n.id for display in lists for n in ast.walk(display) if isinstance(n, ast.Name)}
    names = [n for n in read_by_loops(inputs.node) if n not in listed]
    return {n: s for n in names if isinstance(s := specs.get(n), Array) and s.shape}
