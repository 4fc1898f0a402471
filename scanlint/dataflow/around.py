"""The def-use of a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanlint.trace.unit import Unit

if TYPE_CHECKING:
    from scanlint.dataflow.defuse import DefUse


def defuse_of(unit: Unit) -> DefUse:
    """The def-use of the outermost function of a unit, with all functions in it; worked out once."""
    from scanlint.dataflow.defuse import DefUse  # a third of what a check imports, and few files need it

    found = unit.models.get(DefUse)
    if not isinstance(found, DefUse):
        found = unit.models[DefUse] = DefUse(unit.node, unit.resolve)
    return found
