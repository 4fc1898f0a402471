"""The control flow of one function: blocks of events in the order in which they happen, and the loops around them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from scanlint.dataflow.locations import DefinitionKind, Variable


class Use(NamedTuple):
    """A name is read."""

    node: ast.AST
    variable: Variable


class Define(NamedTuple):
    """A name is bound, or deleted; `source` is the expression whose value it gets, where one stands there."""

    node: ast.AST
    variable: Variable
    kind: DefinitionKind
    source: ast.expr | None


class Calling(NamedTuple):
    """A function is called."""

    node: ast.Call


class MakeInner(NamedTuple):
    """An inner function or lambda is made."""

    node: ast.AST


Event = Use | Define | Calling | MakeInner


@dataclass(slots=True, eq=False)
class Block:
    """Events with no jump in or out between them; `live`: whether the block can be reached."""

    id: int
    live: bool = False
    before: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class Region(NamedTuple):
    """A loop: its head, and the blocks from there to `end`, which is the first one after it."""

    head: int
    end: int

    def holds(self, block: int) -> bool:
        """Whether a block belongs to the loop."""
        return self.head <= block < self.end


@dataclass(slots=True, eq=False)
class FlowGraph:
    """The blocks of a function; every edge that is not the back edge of a loop goes to a block with a higher number.

    `places` and `ends` say in which block a statement begins and ends, and behind how many of its events.
    """

    blocks: list[Block] = field(default_factory=list)
    loops: dict[ast.AST, Region] = field(default_factory=dict)
    places: dict[ast.stmt, tuple[int, int]] = field(default_factory=dict)
    ends: dict[ast.stmt, tuple[int, int]] = field(default_factory=dict)
    exit: int = 0

    def add(self, *before: Block) -> Block:
        """A new block after these."""
        block = Block(len(self.blocks))
        self.blocks.append(block)
        for source in before:
            self.connect(source, block)
        return block

    def connect(self, source: Block, target: Block) -> None:
        """An edge, if its start can be reached at all."""
        if source.live:
            target.before.append(source.id)
            target.live = True
