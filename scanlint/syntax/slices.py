"""Forms of slices."""

from __future__ import annotations

import ast


def backwards(cut: ast.expr) -> bool:
    """The index is `::-1`."""
    match cut:
        case ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))):
            return True
    return False
