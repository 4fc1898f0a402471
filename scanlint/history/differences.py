"""Finds the functions that differ between a revision and the work tree, and in what way."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scanlint.history.module_parts import FunctionNode, ModulePart
from scanlint.history.reach import PartKey, VersionSources

LEAST_ALIKE = 0.6
LEAST_NODES = 20
"""In functions of fewer nodes most others have as much in common by chance."""
Parts = Mapping[PartKey, ModulePart]


class Counterpart(NamedTuple):
    """An old function that a new one is taken for, and how much of their bodies is the same, up to 1."""

    old: PartKey
    alike: float


def counterparts(old: Parts, new: Parts) -> dict[PartKey, Counterpart]:
    """For functions that are gone and functions that were not there: which was which.

    Those of equal bodies first, then those of one name in different files, then the most similar ones, if they have
    most of their bodies in common; a method is met by a method. Of several, those of one name, then of one file.
    """
    left: list[dict[PartKey, Counter[str]]] = [
        {key: _body(part) for key, part in parts.items()} for parts in (old, new)
    ]
    found: dict[PartKey, Counterpart] = {}
    for step in (_equal, _of_one_name, _similar):
        pairs = step(left[0], left[1])
        for share, before, after in sorted(pairs, key=lambda p: (-p[0], _distance(p[1], p[2]), p)):
            if before in left[0] and after in left[1] and before.name.count(".") == after.name.count("."):
                found[after] = Counterpart(before, share)
                del left[0][before], left[1][after]
    return found


Bodies = Mapping[PartKey, Counter[str]]
Alike = tuple[float, PartKey, PartKey]


def _equal(old: Bodies, new: Bodies) -> Iterator[Alike]:
    known: dict[frozenset[tuple[str, int]], list[PartKey]] = {}
    for before, body in old.items():
        known.setdefault(frozenset(body.items()), []).append(before)
    for after, body in new.items():
        yield from ((1.0, before, after) for before in known.get(frozenset(body.items()), ()))


def _of_one_name(old: Bodies, new: Bodies) -> Iterator[Alike]:
    """Pairs of functions whose name stands once among the old ones and once among the new ones."""
    once = [
        {name for name, count in Counter(key.name for key in bodies).items() if count == 1} for bodies in (old, new)
    ]
    known = {before.name: before for before in old if before.name in once[0] & once[1]}
    for after, body in new.items():
        if (before := known.get(after.name)) is not None:
            yield alike(old[before], body), before, after


def _similar(old: Bodies, new: Bodies) -> Iterator[Alike]:
    """Pairs of functions with most of their nodes in common; one with many more nodes than the other is skipped."""
    sizes = {id(body): body.total() for bodies in (old, new) for body in bodies.values()}
    for before, one in old.items():
        for after, other in new.items():
            less, more = sorted((sizes[id(one)], sizes[id(other)]))
            if less >= LEAST_NODES and 2 * less >= LEAST_ALIKE * (less + more):
                if (share := alike(one, other)) >= LEAST_ALIKE:
                    yield share, before, after


def alike(one: Counter[str], other: Counter[str]) -> float:
    """Twice the nodes in common by the nodes of both."""
    return round(2 * (one & other).total() / max(one.total() + other.total(), 1), 3)


def _distance(old: PartKey, new: PartKey) -> tuple[bool, bool, bool]:
    return old.name != new.name, _last(old) != _last(new), old.path != new.path


def _last(key: PartKey) -> str:
    return key.name.rpartition(".")[2]


def _body(part: ModulePart) -> Counter[str]:
    """The nodes of a function, each by its kind, its names and its constants; its own name is none of them."""
    own = part.name.rpartition(".")[2]
    return Counter(_told(node, own) for top in part.nodes for node in ast.walk(top))


def _told(node: ast.AST, own: str) -> str:
    words: Iterable[object] = (
        value for name, value in ast.iter_fields(node) if not isinstance(value, ast.AST | list) and name != "kind"
    )
    said = ["" if word == own and isinstance(node, FunctionNode | ast.Name) else repr(word) for word in words]
    return f"{type(node).__name__} {' '.join(said)}"


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
        """The place where the function stands, or stood."""
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
    """The order of changes: functions that differ, functions that only reach a difference, and what is not compared."""
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
    """The difference of a function that both versions have at one place; None where there is none."""
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
