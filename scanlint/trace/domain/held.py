"""Whether a value can be run: it is a function or object of the project, or holds one."""

from __future__ import annotations

from scanlint.trace.domain.callables import ClassRef, Closure, Partial, Transformed
from scanlint.trace.domain.values import Instance, OneOf, Value, contents

DEEPEST = 6


def holds_functions(value: Value, depth: int = 0) -> bool:
    """Whether a value is a function, class or object of the project, or a container with one in it."""
    if depth > DEEPEST:
        return False
    match value.callee:
        case Closure() | Instance() | ClassRef():
            return True
        case Partial(function) | Transformed(_, function):
            return holds_functions(function, depth + 1)
        case OneOf(choices):
            return any(holds_functions(choice, depth + 1) for choice in choices)
    return any(holds_functions(inner, depth + 1) for inner in contents(value))
