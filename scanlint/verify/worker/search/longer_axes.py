"""Axes longer than the whole numbers among the arguments: a window, a stride or a lag shows what it does."""

from __future__ import annotations

from ..infer.specs import Scalar, Specs, leaves, resize, sizes

LONGER_AXES = "longer axes"
LONG_AXES = (11, 13, 17)  # longer than the numbers that the cases give to windows, strides and counts
MOST_BEYOND = 32


def beyond_numbers(specs: Specs) -> Specs:
    """The same with every axis longer than the whole numbers among the arguments: `x[lag:]` has elements."""
    found = [leaf for spec in specs.values() for _, leaf in leaves(spec)]
    numbers = [n for leaf in found if isinstance(leaf, Scalar) and (n := leaf.usual) is not None and type(n) is int]
    most = max((n for n in numbers if 0 < n <= MOST_BEYOND), default=0)
    return {name: resize(spec, {n: n + most for n in sizes(list(specs.values()))}) for name, spec in specs.items()}
