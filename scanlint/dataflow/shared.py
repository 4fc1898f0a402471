"""What this package takes from the rest: the kinds of functions, their parameters, and the quick walk."""

from __future__ import annotations

from scanlint.analysis.flow import parameters
from scanlint.analysis.unit import Function, Unit
from scanlint.analysis.walk import children

__all__ = ["Function", "Unit", "children", "parameters"]
