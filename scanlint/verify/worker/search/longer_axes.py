"""Axes longer than the whole numbers among the arguments: a window, a stride or a lag shows what it does."""

from __future__ import annotations

from ..infer.specs import Scalar, Specs, every_leaf, resized, sizes

LONGER_AXES = "longer axes"
LONG_AXES = (11, 13, 17)  # longer than the numbers that the cases give to windows, strides and counts
MOST_BEYOND = 32


def beyond_numbers(specs: Specs) -> Specs:
    """The specs with every axis longer than the whole numbers among the arguments: `x[lag:]` has elements."""
    found = [leaf for _, leaf in every_leaf(specs)]
    numbers = [n for leaf in found if isinstance(leaf, Scalar) and (n := leaf.usual) is not None and type(n) is int]
    most = max((n for n in numbers if 0 < n <= MOST_BEYOND), default=0)
    return resized(specs, {n: n + most for n in sizes(specs)})
