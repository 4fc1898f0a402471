"""Arguments of other types: in half precision beside others, and whole numbers where the usual ones are floats."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from ..infer.specs import Alternatives, Array, Scalar, Spec, Specs, leaves, replace

MOST = 6
OTHERS = {"float32": "float16", "int32": "int8"}
FLOATS, INTEGERS = "float32", "int32"


class Retyping(Enum):
    """What of the arguments has another type."""

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


def _with(specs: Specs, name: str, dtype: str, other: str) -> Specs:
    return {n: retyped(s, dtype, other) if n == name else s for n, s in specs.items()}


def _holds(spec: Spec, dtype: str) -> bool:
    return any(isinstance(leaf, Array) and leaf.dtype == dtype for _, leaf in leaves(spec))


def retyped(spec: Spec, dtype: str, other: str) -> Spec:
    """The spec with arrays of another dtype."""

    def change(leaf: Array | Scalar | Alternatives, path: str) -> Spec:
        return Array(leaf.shape, other) if isinstance(leaf, Array) and leaf.dtype == dtype else leaf

    return replace(spec, change)
