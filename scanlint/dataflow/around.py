"""The def-use of a unit."""

from __future__ import annotations

from scanlint.dataflow.defuse import DefUse
from scanlint.trace.unit import Unit


def defuse_of(unit: Unit) -> DefUse:
    """The def-use of the outermost function of a unit, with all functions in it; worked out once."""
    found = unit.models.get(DefUse)
    if not isinstance(found, DefUse):
        found = unit.models[DefUse] = DefUse(unit.node, unit.resolve)
    return found
