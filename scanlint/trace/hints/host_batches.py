"""Whether a function on the host may treat the rows of arrays one by one, told from its tree before anything is run."""

from __future__ import annotations

import ast

from scanlint.syntax.walk import kinds_of
from scanlint.trace.domain.callables import Code

ARRAYS = ("jax.numpy.", "numpy.")


def may_batch(code: Code) -> bool:
    """Whether there is a loop or a comprehension that can collect results, and a call that can make them an array."""
    kinds = kinds_of(code.node)
    if ast.ListComp not in kinds and ast.For not in kinds:
        return False
    if ast.Import in kinds or ast.ImportFrom in kinds:
        return True
    names = (code.scope.annotation(call.func) for call in kinds.of(ast.Call))
    return any(name is not None and name.startswith(ARRAYS) for name in names)
