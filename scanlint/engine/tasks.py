"""The tasks of a run and their results, as they go between processes: plain data."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from scanlint.engine.packing import plain, restored
from scanlint.finding import Finding, LeftLoop
from scanlint.problem import Problem
from scanlint.project.summary import Wanted

UnitKey = tuple[str, str]
"""A unit by the name of its module and its qualified name."""


class Place(NamedTuple):
    """A file of the project: its module name, where it is, and what it held."""

    name: str
    path: Path
    display: str
    package: bool
    digest: str


class SliceTask(NamedTuple):
    """Analyse what begins in some modules; `wanted` names the only units to look into.

    What spells the name of one of the functions in `asks` in these modules is a beginning too. Those `around` belong to
    them, though nothing begins there: what spells the name of a function that traces its arguments is a beginning.
    Where `told` names modules, rules look into these alone: the others are only followed.
    """

    begin: tuple[str, ...]
    wanted: tuple[UnitKey, ...] | None = None
    asks: tuple[Wanted, ...] = ()
    around: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    def tells(self, unit: UnitKey) -> bool:
        """Whether a unit stands in one of its files: what is found there is told with its rewrite."""
        return unit[0] in self.begin or unit[0] in self.around


class Hit(NamedTuple):
    """A finding and the unit that it stands in."""

    unit: UnitKey
    finding: Finding


class Slice(NamedTuple):
    """The result of an analysis: the units that it reached, its findings, and the modules on which all of that rests.

    `missed` are names that are no module of the project; were there such a module, the result might be another.
    `wants` are the functions whose callers in other files would tell more, `left` the loops that were looked at in
    vain, where that is asked. `problems` says what went wrong: such a result is not to be kept.
    """

    units: tuple[UnitKey, ...] = ()
    hits: tuple[Hit, ...] = ()
    consulted: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    wants: tuple[Wanted, ...] = ()
    left: tuple[LeftLoop, ...] = ()


def joined(tasks: Sequence[SliceTask]) -> SliceTask:
    """Tasks that differ only in the units that they want as one: each is an analysis of its own."""
    units = {unit for task in tasks for unit in task.wanted or ()}
    return tasks[0]._replace(wanted=tuple(sorted(units)))


def union(tasks: Sequence[SliceTask]) -> SliceTask:
    """All that begins in the modules of several tasks, as one task."""
    if len(tasks) == 1:
        return tasks[0]
    begin = tuple(dict.fromkeys(name for task in tasks for name in task.begin))
    asks = {want for task in tasks for want in task.asks}
    around = dict.fromkeys(name for task in tasks for name in task.around if name not in begin)
    return SliceTask(begin, None, tuple(sorted(asks)), tuple(around))


def apart(task: SliceTask) -> list[SliceTask]:
    """A task for each of the modules in which another one begins."""
    return [SliceTask((name,), asks=task.asks, told=task.told) for name in task.begin]


def merged(slices: Sequence[Slice]) -> Slice:
    """The results of several analyses as one."""
    return Slice(
        units=tuple(dict.fromkeys(unit for made in slices for unit in made.units)),
        hits=tuple(dict.fromkeys(hit for made in slices for hit in made.hits)),
        consulted=tuple(dict.fromkeys(name for made in slices for name in made.consulted)),
        missed=tuple(dict.fromkeys(name for made in slices for name in made.missed)),
        problems=tuple(dict.fromkeys(problem for made in slices for problem in made.problems)),
        wants=tuple(dict.fromkeys(want for made in slices for want in made.wants)),
        left=tuple(dict.fromkeys(loop for made in slices for loop in made.left)),
    )


def part(made: Slice, wanted: Collection[UnitKey]) -> Slice:
    """The part of a result that is about some units."""
    units = tuple(unit for unit in made.units if unit in wanted)
    return made._replace(units=units, hits=tuple(hit for hit in made.hits if hit.unit in wanted))


def packed(found: Slice) -> object:
    """A slice as the cache keeps it."""
    hits = tuple((hit.unit, plain(hit.finding)) for hit in found.hits)
    return found.units, hits, tuple(map(tuple, found.wants)), tuple(map(tuple, found.left))


def unpacked(kept: object) -> Slice | None:
    """The slice that the cache kept; None if it is none."""
    match kept:
        case (tuple(units), tuple(hits), tuple(wants), tuple(left)):
            try:
                found = tuple(Hit(unit, _finding(finding)) for unit, finding in hits)
                loops = tuple(LeftLoop(*loop) for loop in left)
                return Slice(units, found, wants=tuple(Wanted(*want) for want in wants), left=loops)
            except (ValueError, TypeError):  # the entry is damaged: it is analysed anew
                return None
    return None


def _finding(value: object) -> Finding:
    found = restored(value)
    if not isinstance(found, Finding):
        raise TypeError(f"{found!r} is no finding")
    return found
