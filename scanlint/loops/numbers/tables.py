"""Arrays in the place of Python numbers: of a dtype of their own, of that which they meet, or as weakly typed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from scanlint.dataflow.around import source_of
from scanlint.trace.unit import Unit


@dataclass(frozen=True, slots=True)
class Typed:
    """The dtype of an array of whole numbers: `dtype` as source, else as weak as Python's (`weak`), else its own."""

    dtype: str = ""
    weak: bool = False

    def arange(self, bounds: str, count: str, spell: Callable[[str], str], *, turned: bool = False) -> str:
        """`jnp.arange(bounds)`, which has `count` numbers, from the last one to the first where it is `turned`."""
        dtype = f", dtype={self.dtype}" if self.dtype else ""
        numbers = f"{spell('jax.numpy.arange')}({bounds}{dtype}){'[::-1]' if turned else ''}"
        return weak_numbers(numbers, count, spell("jax.numpy.full")) if self.weak else numbers


OWN, WEAK = Typed(), Typed(weak=True)


def table_rows(unit: Unit, made: ast.expr) -> ast.expr | None:
    """How many numbers `jnp.full(n, 0.0).at[:].set(...)` has; None of anything else."""
    match made:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(
                    value=ast.Attribute(value=ast.Call(func=full, args=[rows, ast.Constant()], keywords=[]), attr="at"),
                    slice=ast.Slice(lower=None, upper=None, step=None),
                ),
                attr="set",
            )
        ) if unit.resolve(full) == "jax.numpy.full":
            return rows
    return None


def weak_table(unit: Unit, node: ast.Name) -> bool:
    """Whether a name stands for such an array."""
    made = source_of(unit, node) if node.id in unit.local_names else None
    return made is not None and table_rows(unit, made) is not None


def weak_numbers(numbers: str, count: str, full: str) -> str:
    """The numbers of an array as weakly typed as Python's: each takes on the dtype of the array that it meets."""
    return f"{full}({count}, 0).at[:].set({numbers})"
