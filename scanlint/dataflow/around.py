"""The def-use of a unit."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from scanlint.trace.unit import Unit

if TYPE_CHECKING:
    from scanlint.dataflow.defuse import DefUse


def defuse_of(unit: Unit) -> DefUse:
    """The def-use of the outermost function of a unit, with all functions in it; worked out once."""
    from scanlint.dataflow.defuse import DefUse  # a third of what a check imports, and few files need it

    return unit.once(DefUse, lambda: DefUse(unit.node, unit.resolve))


def source_of(unit: Unit, name: ast.Name) -> ast.expr | None:
    """The expression that a name has where it is read: of the one definition that reaches it, or at the file's top."""
    if name.id not in unit.local_names and not unit.script:
        found = unit.file.bound.get(name.id, [])
        return found[0] if len(found) == 1 else None
    flow = defuse_of(unit)
    reaching = flow.definitions(name)
    return flow.source(next(iter(reaching))) if len(reaching) == 1 else None
