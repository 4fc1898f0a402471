"""Whole numbers that shapes are made of: the `n` of `jnp.zeros((n, 3))` and of `random.normal(key, (n, 2 * m))`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .need import DRAWS, STATIC_CALLS
from .places import Places

SHAPED = frozenset(["reshape", "broadcast_to"])


def lengths(places: Places, attr: str, node: ast.Call) -> None:
    """Take in that the names in a shape are whole numbers."""
    for part in _lengths(attr, node):
        for name in ast.walk(part):
            need = places.need(name) if isinstance(name, ast.Name | ast.Attribute) else None
            if need is not None:
                need.is_int = need.is_range = True


def _lengths(attr: str, node: ast.Call) -> Iterator[ast.expr]:
    """The lengths of the axes that a call names, as far as arithmetic goes."""
    at = 0 if attr in STATIC_CALLS else 1
    given = node.args[at : at + 1] if attr in STATIC_CALLS | DRAWS | SHAPED else []
    given += [k.value for k in node.keywords if k.arg == "shape"]
    for shape in given:
        if isinstance(shape, ast.Tuple | ast.List):
            yield from filter(_counted, shape.elts)


def _counted(size: ast.expr) -> bool:
    """Whether a length is made of names and numbers alone."""
    allowed = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.expr_context, ast.Attribute)
    plain = all(isinstance(n, allowed) for n in ast.walk(size))
    return plain and not any(isinstance(n, ast.Attribute) and n.attr in ("shape", "size") for n in ast.walk(size))
