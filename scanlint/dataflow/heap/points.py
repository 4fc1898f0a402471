"""A fixpoint over sets of objects: what each key may be, what each cell holds, and what code from outside may hold."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Hashable

from scanlint.dataflow.captures import Closures
from scanlint.dataflow.library import MAKERS, METHODS
from scanlint.dataflow.locations import REST, Cell, Key, Object, Variable

DEEPEST = 3
"""How many keys are told apart below what comes in from outside."""
MOST = 24
"""How many objects one expression may be before it may be any."""
ANYTHING = Object("anything", False)
_DISPLAYS: dict[type[ast.AST], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Tuple: "tuple",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Dict: "dict",
    ast.DictComp: "dict",
}
Hook = Callable[[Object], None]


class Points:
    """Sets of objects that grow until they are closed under the hooks.

    `exposed` are the objects that code which is not known may hold, with the node where they got there and how.
    `resized` are those whose items may be others than those that they were made with.
    """

    def __init__(self, root: ast.AST, closures: Closures) -> None:
        self.root = root
        self.closures = closures
        self.cells: dict[Object, dict[Key, Cell]] = defaultdict(dict)
        self.exposed: dict[Object, tuple[ast.AST, str]] = {}
        self.resized: set[Object] = set()
        self._sets: dict[Hashable, set[Object]] = defaultdict(set)
        self._hooks: dict[Hashable, list[Hook]] = defaultdict(list)
        self._wide: set[Hashable] = set()
        self._readers: dict[Object, list[Hook]] = defaultdict(list)
        self._later: dict[Object, list[Callable[[], None]]] = defaultdict(list)
        self._pending: list[tuple[Hook, Object]] = []

    def solve(self) -> None:
        """Run the hooks until nothing is new."""
        while self._pending:
            hook, found = self._pending.pop()
            hook(found)

    def found(self, key: Hashable) -> frozenset[Object]:
        """The objects of a key."""
        return frozenset(self._sets.get(key, ()))

    def add(self, key: Hashable, found: Object) -> None:
        """A key may be this object."""
        known = self._sets[key]
        if found in known:
            return
        if key in self._wide:
            self.expose(found, self.root, "lost among others")
            return
        if len(known) >= MOST:
            self._wide.add(key)
            for each in [*known, found]:
                self.expose(each, self.root, "lost among others")
            found = ANYTHING
        known.add(found)
        self._pending += [(hook, found) for hook in self._hooks[key]]

    def on(self, key: Hashable, hook: Hook) -> None:
        """Call a hook with each object that a key may be, now and later."""
        self._hooks[key].append(hook)
        self._pending += [(hook, found) for found in self._sets[key]]

    def copy(self, source: Hashable, target: Hashable) -> None:
        """What one key may be, another may be."""
        self.on(source, lambda found: self.add(target, found))

    def cell(self, owner: Object, key: Key) -> Cell:
        """The cell of an object under a key."""
        cells = self.cells[owner]
        if key not in cells:
            cells[key] = Cell(owner, key)
            if key.kind != "attr":
                for reader in self._readers[owner]:
                    self.on(cells[key], reader)
            if owner in self.exposed:
                self.on(cells[key], lambda o: self.expose(o, *self.exposed[owner]))
        return cells[key]

    def load(self, owner: Object, key: Key, target: Hook) -> None:
        """What an object holds under a key goes to a target."""
        kind = type_of(owner, self.closures)
        if key.kind == "attr" and kind is not None and f"{kind}.{key.value}" in METHODS:
            target(Object(owner.origin, owner.fresh, (*owner.path, Key("method", key.value))))
            return
        if negative(key):
            key = REST
        self.on(self.cell(owner, key), target)
        if key == REST:
            for other in list(self.cells[owner].values()):
                if other.key.kind == "item":
                    self.on(other, target)
            self._readers[owner].append(target)
        elif key.kind == "item":
            self.on(self.cell(owner, REST), target)
        self._unknown(owner, key, target)

    def _unknown(self, owner: Object, key: Key, target: Hook) -> None:
        """What code that is not known may have put there."""
        found = Object(owner.origin, False, (*owner.path, key))
        if owner == ANYTHING or len(owner.path) >= DEEPEST:
            found = owner if not owner.fresh else ANYTHING
        if not owner.fresh or owner in self.exposed:
            target(found)
        else:
            self._later[owner].append(lambda: target(found))

    def expose(self, found: Object, node: ast.AST, why: str) -> None:
        """Code that is not known may hold an object, and with it all that it holds."""
        if found in self.exposed:
            return
        self.exposed[found] = node, why
        for later in self._later.pop(found, ()):
            later()
        for cell in list(self.cells[found].values()):
            self.on(cell, lambda o: self.expose(o, node, why))
        if found.path and found.path[-1].kind == "method":
            self.expose(Object(found.origin, found.fresh, found.path[:-1]), node, why)
        if found.origin in self.closures.made and isinstance(found.origin, ast.AST):
            for capture in self.closures.touched(found.origin):
                self.captured(capture.variable, lambda o: self.expose(o, node, why))

    def into(self, owner: Object, key: Key = REST) -> Hook:
        """Puts objects into a cell."""
        return lambda found: self.add(self.cell(owner, key), found)

    def captured(self, variable: Variable, hook: Hook) -> None:
        """Call a hook with all that a name may be."""
        raise NotImplementedError


def negative(key: Key) -> bool:
    """Whether a key counts from the end."""
    return key.kind == "item" and isinstance(key.value, int) and key.value < 0


def type_of(found: Object, closures: Closures) -> str | None:
    """The type of a container that the function makes."""
    if not found.fresh or found.path or not isinstance(found.origin, ast.AST):
        return None
    if isinstance(found.origin, ast.Call):
        return MAKERS.get(closures.resolve(found.origin.func) or "")
    return _DISPLAYS.get(found.origin.__class__)
