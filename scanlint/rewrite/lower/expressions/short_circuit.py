"""Operands that must not be computed where Python would not: what they do besides, or that they may not end."""

from __future__ import annotations

import ast

from scanlint.trace.domain.callables import Closure
from scanlint.trace.unit import Unit

HARMLESS = ("jax.numpy.", "jax.nn.", "jax.random.", "jax.scipy.", "builtins.", "jax.tree", "numpy.", "math.")
EFFECTS = ("jax.debug.", "jax.experimental.", "jax.pure_callback", "jax.lax.while_loop", "builtins.print")


def guarded(unit: Unit, operand: ast.expr) -> bool:
    """Whether an operand calls what may loop without end, has an effect, or is not known."""
    return any(isinstance(part, ast.Call) and _risky(unit, part) for part in ast.walk(operand))


def _risky(unit: Unit, call: ast.Call) -> bool:
    name = unit.resolve(call.func)
    if name is not None and name.startswith(EFFECTS):
        return True
    if name is not None and (name.startswith(HARMLESS) or name.startswith("jax.lax.")):
        return False
    callee = unit.value(call.func).callee
    if isinstance(callee, Closure):
        return any(_loops(part) for part in ast.walk(callee.code.node))
    if name is None and isinstance(call.func, ast.Attribute):
        return not (unit.value(call.func.value).array or unit.value(call.func.value).traced)
    return True


def _loops(part: ast.AST) -> bool:
    """Whether a part of a function may run on for ever, or does more than to compute."""
    match part:
        case ast.While() | ast.Raise() | ast.Assert():
            return True
        case ast.Attribute(attr="while_loop" | "callback" | "print" | "pure_callback" | "io_callback"):
            return True
        case ast.Name(id="while_loop" | "print" | "pure_callback" | "io_callback"):
            return True
    return False
