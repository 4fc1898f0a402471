"""Tells that the elements of a loop are arrays, where JAX is handed them."""

from __future__ import annotations

import ast

from scanlint.jaxapi.words import words
from scanlint.syntax.walk import walk
from scanlint.trace.domain.callables import Transformed
from scanlint.trace.unit import Unit

DERIVATIVES = frozenset(f"jax.{name}" for name in words("grad value_and_grad jacfwd jacrev hessian"))
_LOOPS = (ast.For, ast.ListComp)


def differentiated_at(unit: Unit, target: ast.expr) -> bool:
    """Whether a derivative is taken at each element: it is a number or an array, or a tree of these."""
    loop = next((a for a in unit.ancestors(target) if isinstance(a, _LOOPS)), None)
    if not isinstance(target, ast.Name) or loop is None or unit.context(target).traced:
        return False
    return any(_at(unit, call, target.id) for call in walk(loop) if isinstance(call, ast.Call))


def _at(unit: Unit, call: ast.Call, name: str) -> bool:
    """Whether a call takes a derivative at what a name holds."""
    match unit.value(call.func).callee, call.args:
        case Transformed(transform=transform, options=options), [ast.Name(id=first), *_]:
            return first == name and transform in DERIVATIVES and "argnums" not in options
    return False
