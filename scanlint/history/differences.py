"""Which functions differ between a revision and the work tree, and in what way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from scanlint.history.counterparts import Parts, counterparts
from scanlint.history.module_parts import ModulePart
from scanlint.history.reach import PartKey, VersionSources

Way = Literal["changed", "renamed", "moved", "reaches", "new", "removed"]


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """A function that differs: where it stands now, where it stood, each None where it is not there.

    `alike`: how much of the bodies is the same, where it has another name or file. `reaches` are the names of what
    differs among all that it reaches, where its own text is the same.
    """

    way: Way
    new: PartKey | None
    old: PartKey | None
    line: int
    old_line: int | None
    alike: float = 1.0
    reaches: tuple[str, ...] = ()

    @property
    def key(self) -> PartKey:
        """Where it stands, or stood."""
        key = self.new or self.old
        assert key is not None
        return key


def differences(
    old: VersionSources, new: VersionSources, changed: set[str], wanted: Callable[[str], bool], among: Iterable[str]
) -> list[FunctionChange]:
    """The functions that differ, in the order in which they are told.

    `changed` are the files whose texts differ; `among` those of the new version that may hold such functions; `wanted`
    tells of a path whether its functions are asked for.
    """
    gone = _functions(old, [p for p in changed if p in old.paths], lambda key: _absent(new, key))
    fresh = _functions(new, [p for p in changed if p in new.paths], lambda key: _absent(old, key))
    met = counterparts(gone, fresh)
    found = [_met_again(key, match.old, match.alike, gone, fresh) for key, match in met.items() if wanted(key.path)]
    for path in among:
        for key, part in _functions(new, [path], lambda key: key not in fresh).items() if wanted(path) else ():
            change = _difference(key, part, old, new)
            found += [change] if change is not None else []
    taken = {match.old for match in met.values()}
    found += [FunctionChange("new", k, None, p.line, None) for k, p in fresh.items() if k not in met and wanted(k.path)]
    found += [
        FunctionChange("removed", None, k, p.line, p.line) for k, p in gone.items() if k not in taken and wanted(k.path)
    ]
    return sorted(found, key=lambda change: (_rank(change), change.key.path, change.line))


def _rank(change: FunctionChange) -> int:
    """Those that differ themselves stand before those that only reach what differs, and what is not compared last."""
    return {"reaches": 1, "new": 2, "removed": 3}.get(change.way, 0)


def _functions(
    sources: VersionSources, paths: Iterable[str], kept: Callable[[PartKey], bool]
) -> dict[PartKey, ModulePart]:
    found = {}
    for path in paths:
        module = sources.read(path)
        for part in module.parts.values() if module is not None else ():
            if part.compared and kept(PartKey(path, part.name)):
                found[PartKey(path, part.name)] = part
    return found


def _absent(sources: VersionSources, key: PartKey) -> bool:
    """A version surely has no such function; of a file that does not parse nothing is known."""
    if key.path not in sources.paths:
        return True
    module = sources.read(key.path)
    return module is not None and not ((part := module.parts.get(key.name)) is not None and part.compared)


def _met_again(key: PartKey, before: PartKey, alike: float, gone: Parts, fresh: Parts) -> FunctionChange:
    way: Way = "moved" if key.name == before.name else "renamed"
    return FunctionChange(way, key, before, fresh[key].line, gone[before].line, alike)


def _difference(key: PartKey, part: ModulePart, old: VersionSources, new: VersionSources) -> FunctionChange | None:
    """How a function differs that both versions have at one place; None where it does not."""
    before = old.part(key)
    if before is None:
        return None
    if before.form != part.form:
        return FunctionChange("changed", key, key, part.line, before.line)
    names = _otherwise(old.reached(key), new.reached(key))
    return FunctionChange("reaches", key, key, part.line, before.line, reaches=names) if names else None


def _otherwise(old: Mapping[PartKey, str], new: Mapping[PartKey, str]) -> tuple[str, ...]:
    """The names of what is reached in one version and not, or in another form, in the other one."""
    known, forms = set(old.values()), set(new.values())
    keys = [*(k for k, form in new.items() if form not in known), *(k for k, form in old.items() if form not in forms)]
    return tuple(sorted({key.name.partition(" = ")[0] or "the settings of its module" for key in keys}))
