"""Webs: the definitions and reads of a location that belong together, as if they had a name of their own."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.locations import Definition, DefinitionKind, Variable
from scanlint.dataflow.ssa import Read, Ssa, Update, Value, operands, own


class Web(NamedTuple):
    """One variable in the sense of what is read where; a name bound for two purposes has two."""

    location: Variable
    definitions: tuple[Definition, ...]
    reads: tuple[ast.AST, ...]


def webs_of(ssa: Ssa, location: Variable) -> tuple[Web, ...]:
    """The webs of a location, in the order in which the function begins them."""
    live, groups = ssa.live(location), _Groups()
    every: list[Value] = [ssa.start(location), *ssa.values[location]]
    for value in every:
        definition = own(value)
        if id(value) in live or definition is not None:
            groups.find(id(value))
        if id(value) in live or isinstance(value, Update):
            for operand in operands(value):
                made = own(operand)
                if made is None or not made.missing:
                    groups.join(id(value), id(operand))
    seen: dict[Definition, int] = {}
    for value in every:
        definition = own(value)
        if definition is not None:
            groups.join(id(value), seen.setdefault(definition, id(value)))
    _augmented(ssa, location, groups)
    made_by: dict[int, list[Definition]] = {}
    reads: dict[int, list[Read]] = {}
    for value in every:
        definition = own(value)
        if definition is not None and (value is not every[0] or (id(value) in live and not definition.missing)):
            made_by.setdefault(groups.find(id(value)), []).append(definition)
    for read in ssa.reads[location]:
        reads.setdefault(groups.find(id(read.value)), []).append(read)
    order = list(dict.fromkeys([*made_by, *reads]))
    return tuple(Web(location, tuple(dict.fromkeys(made_by.get(g, ()))), ssa.nodes(reads.get(g, ()))) for g in order)


def _augmented(ssa: Ssa, location: Variable, groups: _Groups) -> None:
    """`x += 1` reads and binds one name: both belong to one web."""
    read = {r.node: r.value for r in ssa.reads[location]}
    for value in ssa.values[location]:
        definition = own(value)
        if definition is not None and definition.kind is DefinitionKind.AUGMENT and definition.node in read:
            groups.join(id(value), id(read[definition.node]))


class _Groups:
    """Disjoint sets."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, member: int) -> int:
        """The member that stands for the set of this one."""
        parent = self._parent
        root = parent.setdefault(member, member)
        while parent[root] != root:
            root = parent[root]
        while parent[member] != root:
            parent[member], member = root, parent[member]
        return root

    def join(self, left: int, right: int) -> None:
        """Make one set of two."""
        left, right = self.find(left), self.find(right)
        if left != right:
            self._parent[right] = left
