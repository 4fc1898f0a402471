"""Arrays of Python numbers that are as weakly typed as those: full of one, and set to others."""

from __future__ import annotations

import ast

from scanlint.dataflow.around import source_of
from scanlint.trace.unit import Unit


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
