"""Python numbers where they meet arrays: in loops, and in the elements of comprehensions."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from scanlint.finding import Withheld
from scanlint.loops.numbers.number import Number

UNBOUNDED = "python-int"
DOUBLE = "python-float"
"""Codes of findings: a Python number that a tracer would wrap around, or round in single precision."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """An expression of Python numbers where it meets something else, and what it is over all trips.

    `index`: it is a place in an array, which is no further than arrays reach, whatever wraps around on the way.
    """

    node: ast.expr
    number: Number
    index: bool = False

    @property
    def departs(self) -> bool:
        """Whether a tracer would be another number."""
        return not (self.number.fault is None or (self.index and self.number.fault == "ring"))

    @property
    def strong(self) -> bool:
        """Whether a tracer would have a type that what it meets takes on."""
        return self.number.strong and not self.index

    @property
    def obstacle(self) -> Withheld:
        """Why it has to stay one of Python's."""
        what, line = f"`{ast.unparse(self.node)}`", self.node.lineno
        if self.number.fault == "double":
            return Withheld(DOUBLE, f"{what} is worked out in double precision, tracers round in single (line {line})")
        why = "leaves int32, where a tracer wraps around and a Python int does not"
        return Withheld(UNBOUNDED, f"{what} {why} (line {line})")
