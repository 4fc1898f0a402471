"""Two projects in one process: each version of a function imports the modules beside it."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import os
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

SIDE = "__scanlint_side__"
"""The name under which the modules of a side know it."""
INSTALLED = ("site-packages", "dist-packages")
_ENTERED: list[Side] = []
_SIDES: list[Side] = []


@dataclass(eq=False)
class Side:
    """The folders that one version imports from, and the modules of them that were imported for it."""

    folders: tuple[str, ...]
    modules: dict[str, types.ModuleType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _SIDES.append(self)

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """While this side is imported from, its modules and folders stand in place of those of the other one."""
        if _ENTERED and _ENTERED[-1] is self:
            yield
            return
        path = list(sys.path)
        hidden = {name: module for name, module in sys.modules.items() if self.foreign(module)}
        for name in hidden:
            del sys.modules[name]
        before = set(sys.modules)
        sys.modules.update(self.modules)
        sys.path[:] = [*self.folders, *(entry for entry in path if entry not in self.folders)]
        importlib.invalidate_caches()
        _ENTERED.append(self)
        try:
            yield
        finally:
            _ENTERED.pop()
            self.keep(before)
            sys.modules.update(hidden)
            sys.path[:] = path

    def foreign(self, module: object) -> bool:
        """The module lies in the folders of some side, and was not imported for this one."""
        return any(side.holds(module) for side in _SIDES) and side_of(vars(module)) is not self

    def keep(self, before: set[str]) -> None:
        """Take the modules of the side's folders that were imported out of the table of all modules."""
        for name, module in list(sys.modules.items()):
            if name not in before and self.holds(module):
                vars(module)[SIDE] = self
                self.modules[name] = sys.modules.pop(name)

    def holds(self, module: object) -> bool:
        """The module lies in the folders of this side, and is no installed package there."""
        place = _place(module)
        return not any(part in place for part in INSTALLED) and any(
            place.startswith(folder + os.sep) for folder in self.folders
        )

    def module(self, name: str) -> types.ModuleType | None:
        """A module of this side; None where it cannot be imported."""
        try:
            with self.entered():
                return importlib.import_module(name)
        except Exception:  # noqa: BLE001 - the code of others may raise anything
            return None


def installed_from(top: str, instead: str) -> list[str]:
    """The folders below `top` that this interpreter imports from, as those of editable installs; below `instead`."""
    if not top:
        return []
    mapped = [vars(module).get("MAPPING") for name, module in sys.modules.items() if name.startswith("__editable__")]
    places = [os.path.dirname(str(place)) for found in mapped if isinstance(found, dict) for place in found.values()]
    below = [place for entry in (*sys.path, *places) if (place := os.path.realpath(entry)).startswith(top + os.sep)]
    own = [place for place in below if not any(part in place for part in INSTALLED)]
    return [instead + place[len(top) :] for place in own if not place.startswith(os.path.realpath(sys.prefix) + os.sep)]


def _place(module: object) -> str:
    """The file of a module, or the folder of a package without one."""
    held = vars(module) if isinstance(module, types.ModuleType) else {}
    file = held.get("__file__")
    if isinstance(file, str):
        return file
    return next((str(path) for path in held.get("__path__") or ()), "")


def side_of(names: Mapping[str, object] | None) -> Side | None:
    """The side of the module that has these names."""
    side = names.get(SIDE) if names is not None else None
    return side if isinstance(side, Side) else None


def import_by_side() -> None:
    """From now on what a module of a side imports is of that side, also where a function imports when it is called."""
    plain, by_name = builtins.__import__, importlib.import_module

    def imported(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        side = side_of(globals)
        with side.entered() if side is not None else contextlib.nullcontext():
            return plain(name, globals, locals, fromlist or (), level)

    def module(name: str, package: str | None = None) -> types.ModuleType:
        side = side_of(sys._getframe(1).f_globals)
        with side.entered() if side is not None else contextlib.nullcontext():
            return by_name(name, package)

    builtins.__import__ = imported
    importlib.import_module = module
