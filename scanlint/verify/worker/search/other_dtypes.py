"""Arguments of other types: in half precision beside others, and whole numbers where the usual ones are floats."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from enum import Enum

from ..infer.specs import Array, Leaf, Spec, Specs, leaves, replace, resized, sizes
from ..runtime.free_names import words_in
from .case_values import Filling

MOST = 6
OTHERS = {"float32": "float16", "int32": "int8"}
FLOATS, INTEGERS = "float32", "int32"
PARTS = frozenset(["real", "imag", "conj", "conjugate", "angle", "vdot", "H", "iscomplexobj", "iscomplex", "isreal"])
SWALLOWING = {"bfloat16": 256.0, "float16": 2048.0}
MANY, MOST_AXES = 600, 2
NAMED = frozenset(
    ["float16", "bfloat16", "float32", "float64", "promote_types", "result_type", "preferred_element_type"]
)
"""Words of a text that makes sums in a type of its own."""


class Retyping(Enum):
    """The part of the arguments that has another type."""

    ALL = "all numbers in fewer bits"
    ONE = "floats of one argument in fewer bits than those beside them"
    FEW = "whole numbers of one argument in fewer bits"
    WHOLE = "whole numbers for the floats of one argument: an image may hold such"


def narrowed(specs: Specs) -> Iterator[tuple[Specs, Retyping]]:
    """The specs with other types, of each kind."""
    for wide, short in OTHERS.items():
        names = [name for name, spec in specs.items() if _holds(spec, wide)]
        if names:
            yield {n: retyped(s, wide, short) for n, s in specs.items()}, Retyping.ALL
        for chosen in names[:MOST]:
            if wide == FLOATS:
                yield _with(specs, chosen, FLOATS, INTEGERS), Retyping.WHOLE
            if len(names) > 1:
                yield _with(specs, chosen, wide, short), Retyping.ONE if wide == FLOATS else Retyping.FEW


def halved(specs: Specs, texts: Sequence[ast.AST]) -> Iterator[tuple[Specs, Filling]]:
    """Many ones after a number that swallows each of them in half precision, where texts name types of floats."""
    if not _says(texts, NAMED):
        return
    for size in sizes(specs)[:MOST_AXES]:
        long = resized(specs, {size: MANY})
        for short, swallows in SWALLOWING.items():
            filling = Filling(f"ones after {swallows:g}", fill=1.0, spot=swallows)
            yield {n: retyped(s, FLOATS, short) for n, s in long.items()}, filling


def of_complex(specs: Specs, texts: Sequence[ast.AST]) -> Specs | None:
    """Complex numbers for the floats, where a text takes such apart: its floats do not show that."""
    return {n: retyped(s, FLOATS, "complex64") for n, s in specs.items()} if _says(texts, PARTS) else None


def _says(texts: Sequence[ast.AST], wanted: Collection[str]) -> bool:
    return not words_in(*texts).isdisjoint(wanted)


def _with(specs: Specs, name: str, dtype: str, other: str) -> Specs:
    return {n: retyped(s, dtype, other) if n == name else s for n, s in specs.items()}


def _holds(spec: Spec, dtype: str) -> bool:
    return any(isinstance(leaf, Array) and leaf.dtype == dtype for _, leaf in leaves(spec))


def retyped(spec: Spec, dtype: str, other: str) -> Spec:
    """The spec with arrays of another dtype."""

    def change(leaf: Leaf, path: str) -> Spec:
        return Array(leaf.shape, other) if isinstance(leaf, Array) and leaf.dtype == dtype else leaf

    return replace(spec, change)
