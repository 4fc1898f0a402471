"""Sizes that are divided: the gates of an LSTM, the heads of attention, the two halves of an array."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from .need import RANDOM

LARGEST = 16  # divisor that is looked for
SPLITS = frozenset(["split", "array_split", "hsplit", "vsplit", "dsplit"])


def divisors(*trees: ast.AST) -> tuple[int, ...]:
    """The numbers by which code divides lengths: `b.shape[0] // 4`, `jnp.split(gates, 4)`."""
    found: set[int] = set()
    for node in (n for tree in trees for n in ast.walk(tree)):
        match node:
            case ast.BinOp(op=ast.FloorDiv(), right=ast.Constant(value=int() as n)):
                found.add(n)
            case ast.Call(func=ast.Attribute(base, name), args=[_, ast.Constant(value=int() as n), *_]) if (
                name in SPLITS and ast.unparse(base).rpartition(".")[2] not in RANDOM
            ):
                found.add(n)
            case ast.Slice(upper=ast.BinOp(left=ast.Constant(value=int() as n), op=ast.Mult())):
                found.add(n + 1)  # `z[2 * n : 3 * n]`, and a last part after it
                found.add(n)
            case ast.keyword(arg="indices_or_sections", value=ast.Constant(value=int() as n)):
                found.add(n)
    return tuple(sorted(n for n in found if 2 <= n <= LARGEST))


def others(known: Sequence[int], divisors: Sequence[int]) -> dict[int, int]:
    """A replacement for each size, distinct from all, with the same divisibility."""
    pool = [n for n in (2, 5, 3, 7, 4, 6, 8, 9, 11) if n not in known]
    found: dict[int, int] = {}
    for at, size in enumerate(known):
        step = math.lcm(*(n for n in divisors if size % n == 0)) if size else 1
        fitting = [n * step for n in pool if n * step not in known and n * step not in found.values()]
        found[size] = fitting[0] if fitting else size + 20 * step + at * step
    return found
