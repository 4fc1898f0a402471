"""New names for what a rolled loop needs."""

from __future__ import annotations

import ast

from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import claimed, fresh
from scanlint.syntax.bindings import binds


class FreshNames:
    """Hands out names that are free in the unit."""

    def __init__(self, model: LoopModel) -> None:
        unit, node = model.unit, model.node
        self.taken = set(unit.names)
        read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        own = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        outer = {*(unit.names - unit.local_names), *unit.imports, *unit.definitions}
        self.within = {*read, *own, *binds(node), *outer}

    def __call__(self, *wanted: str) -> str:
        """The first of these names that is free, else the first one with a number."""
        return claimed(self.taken, *wanted)

    def inside(self, *wanted: str) -> str:
        """The same for a name within the body: variables of the function that it does not speak of are free there."""
        name = fresh(self.within, *wanted)
        self.taken.add(name)
        self.within.add(name)
        return name
