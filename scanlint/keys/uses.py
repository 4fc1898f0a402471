"""Records the uses of keys along a path through a function, and joins them where paths meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from scanlint.finding import Link
from scanlint.keys.terms import (
    Computed,
    Const,
    ElementOf,
    Every,
    FieldOf,
    Guards,
    KeyGuard,
    Moment,
    Opaque,
    Stage,
    Term,
    alike,
    either,
    term,
)

Name = TypeVar("Name")
Held = TypeVar("Held")
UseKind = Literal["draw", "split", "handed"]
"""Numbers are drawn from the key; it is split; it is handed to something of which nothing is known."""
EnvKey = tuple[int, str]
CellKey = tuple[Term, str | Term]
"""A part of an object: an attribute by its name, an item by its index."""
EVERYTHING = "*"
"""The name of the cell that says what an object is once something unknown may have changed it."""


@term
class KeyUse:
    """One use of one key: where, by what (`what`, in words), on which path, and where inside of what is called.

    `sure`: each run of the place uses the key. `deep`: the parameter of the callee that the key is. `drawn`: what is
    called in the end.
    """

    kind: UseKind
    term: Term
    what: str
    site: ast.AST
    moment: Moment
    guards: Guards
    sure: bool = True
    inside: Link | None = None
    deep: Term | None = None
    drawn: str = ""

    @property
    def path(self) -> Moment:
        """The trips and calls that lead to the place, and the place."""
        return (*self.moment, Stage(self.site, 0, False))


@dataclass(slots=True)
class PathMemory:
    """One path: the names of each frame, the parts of objects, the uses of each key, the tests that led here."""

    names: dict[EnvKey, Term] = field(default_factory=dict)
    cells: dict[CellKey, Term] = field(default_factory=dict)
    uses: dict[Term, tuple[KeyUse, ...]] = field(default_factory=dict)
    guards: Guards = ()

    def copy(self, *guards: KeyGuard) -> PathMemory:
        """A copy of the path that goes on under more tests."""
        return PathMemory(dict(self.names), dict(self.cells), dict(self.uses), self.guards + guards)

    def earlier(self, term: Term) -> list[KeyUse]:
        """The uses so far of keys that are the same as this one."""
        found = [*self.uses.get(term, ())]
        if isinstance(term, ElementOf):
            elements = [t for t in self.uses if isinstance(t, ElementOf)]
            if not isinstance(term.index, Every):  # only what a loop sweeps over may be this one too
                elements = [t for t in elements if isinstance(t.index, Every)]
            others = [t for t in elements if t != term and alike(t, term)]
            found += [use for other in others for use in self.uses[other]]
        return found

    def add(self, use: KeyUse) -> None:
        """A further use."""
        self.uses[use.term] = (*self.uses.get(use.term, ()), use)


def exclusive(one: Guards, other: Guards) -> bool:
    """Whether no run takes both paths."""
    return any(_apart(left, right) for left in one for right in other)


def _apart(left: KeyGuard, right: KeyGuard) -> bool:
    if left.test == right.test:
        return left.truth != right.truth
    match left, right:
        case KeyGuard(Computed("==", (one, first)), True), KeyGuard(Computed("==", (other, second)), True):
            if isinstance(first, Const) and isinstance(second, Const):
                return (one == other) == (first != second) and (one == other or _of_trips(one, other))
    return False


def _of_trips(one: Term, other: Term) -> bool:
    """Whether two terms are the numbers of different trips of one loop."""
    return isinstance(one, Every) and isinstance(other, Every) and one.site is other.site and one != other


def join(paths: list[PathMemory], node: ast.AST, moment: Moment) -> PathMemory | None:
    """The state where paths meet; None where no path gets there."""
    if len(paths) < 2:
        return paths[0] if paths else None
    made = paths[0]
    for other in paths[1:]:
        made = _joined(made, other, Opaque(node, moment))
    return made


def _joined(one: PathMemory, other: PathMemory, unknown: Term) -> PathMemory:
    shared = 0
    for left, right in zip(one.guards, other.guards, strict=False):
        if left != right:
            break
        shared += 1
    mine, theirs = one.guards[shared:], other.guards[shared:]
    names = dict(one.names)
    for name, here, there in _differing(one.names, other.names):
        if here is not None and here != there:
            names[name] = either([(mine, here), (theirs, there)], Computed("name", (unknown, Const(name))))
    cells = dict(one.cells)
    for cell, here, there in _differing(one.cells, other.cells):
        cells[cell] = _either_part(cell, (mine, here or _unset(cell)), (theirs, there), unknown)
    for cell in one.cells.keys() - other.cells.keys():
        cells[cell] = _either_part(cell, (mine, cells[cell]), (theirs, _unset(cell)), unknown)
    uses = dict(one.uses)
    for key, earlier, found in _differing(one.uses, other.uses):
        uses[key] = tuple(dict.fromkeys((*earlier, *found))) if earlier is not None else found
    return PathMemory(names, cells, uses, one.guards[:shared])


def _differing(one: dict[Name, Held], other: dict[Name, Held]) -> Iterator[tuple[Name, Held | None, Held]]:
    """The entries of the other path that this one does not share; most were set before the paths parted."""
    return (entry for entry in zip(other, map(one.get, other), other.values(), strict=True) if entry[1] is not entry[2])


def _either_part(cell: CellKey, one: tuple[Guards, Term], other: tuple[Guards, Term], unknown: Term) -> Term:
    """The part of an object behind two paths that leave it as different terms."""
    if one[1] == other[1]:
        return one[1]
    return either([one, other], Computed("cell", (unknown, cell[0], Const(cell[1]))))


def _unset(cell: CellKey) -> Term:
    """The term of a part of an object that no path has set."""
    base, name = cell
    if name == EVERYTHING:
        return base
    return FieldOf(base, name) if isinstance(name, str) else ElementOf(base, name)
