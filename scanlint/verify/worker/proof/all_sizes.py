"""The proof for all sizes and trips at once, of the arguments that are tried first; and which others it speaks of."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import jax
import numpy as np

from ..runtime.calling import TookTooLong, Values, limited
from ..runtime.jax_functions import of_array
from ..runtime.version_pair import VersionPair
from .symbolic.polynomials import LARGEST
from .symbolic.prove_for_all import ForAllSizes, Version, key_orders, prove, sizes_of

SECONDS = 2.0
SMALL = 2
"""Sizes up to it are compared one by one besides: what broadcasts, or makes no trip, is another case."""


@dataclass(frozen=True)
class AllSizes:
    """The proof by one trip, and the arguments that it was run with."""

    proof: ForAllSizes
    example: Values

    @property
    def proved(self) -> bool:
        return self.proof.proved and bool(self.proof.sizes)

    @property
    def numbers(self) -> frozenset[str]:
        """The parameters of which every whole number is meant."""
        return frozenset(n for n, v in self.example.items() if self.proved and type(v) is int and v in self.proof.sizes)

    def speaks_of(self, name: str, value: int) -> bool:
        """Whether this whole number of a parameter is among those that are proved: none below the least one is."""
        return name in self.numbers and self.proof.least <= value <= self.proof.most

    @property
    def complete(self) -> bool:
        """Whether each size and whole number of the example stands for all."""
        return self.proved and sizes_of(self.example) <= self.proof.sizes

    @property
    def from_to(self) -> str:
        """The whole numbers that are proved."""
        least, most = self.proof.least, self.proof.most
        return f"from {least} on" if most == LARGEST[0] else f"from {least} to {most}"

    @property
    def limits(self) -> str:
        """From which size on, up to which, and which of them are those of the example."""
        least = [f"from {self.proof.least} on"] if self.proof.least > 1 else []
        most = [f"up to {self.proof.most}"] if self.proof.most < LARGEST[0] else []
        rest = sorted(size for size in sizes_of(self.example) - self.proof.sizes if size > SMALL)
        kept = [f"where {' and '.join(map(str, rest))} {'stays' if len(rest) == 1 else 'stay'} as in the example"]
        told = [*least, *most, *(kept if rest else [])]
        return f" ({', '.join(told)})" if told else ""

    def covers(self, values: Values) -> bool:
        """Whether these arguments are the example's in other sizes."""
        if not self.proved:
            return False
        (ones, form), (others, other) = jax.tree_util.tree_flatten(self.example), jax.tree_util.tree_flatten(values)
        meant: dict[int, int] = {}
        if any(key_orders(v) != key_orders(values.get(n)) for n, v in self.example.items()):
            return False
        return form == other and all(self._alike(a, b, meant) for a, b in zip(ones, others, strict=True))  # type: ignore[operator, unused-ignore]

    def _alike(self, one: object, other: object, meant: dict[int, int]) -> bool:
        if type(one) is int and type(other) is int:
            return self._size(one, other, meant)
        if not of_array(one) or not of_array(other):
            return type(one) is type(other) and one == other
        shapes = np.shape(one), np.shape(other)
        weak = [getattr(x, "weak_type", False) for x in (one, other)]
        same = one.dtype == other.dtype and weak[0] == weak[1] and len(shapes[0]) == len(shapes[1])  # type: ignore[attr-defined]
        return same and all(self._size(a, b, meant) for a, b in zip(*shapes, strict=True))

    def _size(self, one: int, other: int, meant: dict[int, int]) -> bool:
        if one not in self.proof.sizes:
            return one == other
        return max(self.proof.least, SMALL + 1) <= other <= self.proof.most and meant.setdefault(one, other) == other


def for_all_sizes(pair: VersionPair, values: Values | None) -> AllSizes:
    """The proof, where both versions are functions of a module, or the reason why there is none."""
    nodes = pair.old.function, pair.new.function
    if values is None or not all(isinstance(n, ast.FunctionDef) for n in nodes):
        return AllSizes(ForAllSizes("it is no function with arguments that could be made"), values or {})
    old, new = (
        Version(loaded, node, pair.signature.static)
        for loaded, node in zip((pair.old, pair.new), nodes, strict=True)
        if isinstance(node, ast.FunctionDef)
    )
    with limited(SECONDS):
        try:
            found = prove(old, new, pair.signature, (pair.own(values), pair.moved(values)), floats=pair.traced)
        except TookTooLong:
            found = ForAllSizes("one trip of each version took too long")
    return AllSizes(found, values)
