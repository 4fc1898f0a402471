"""What is wrong with the keys of a unit, worked out once for all rules that ask."""

from __future__ import annotations

from scanlint.keys.mistakes import KeyMistake, mistakes
from scanlint.keys.summaries import KeySummary, Summaries
from scanlint.trace.unit import Unit


def key_summary(unit: Unit) -> KeySummary | None:
    """What a unit does with keys; None for one that is not followed."""
    project, code = unit.keys, unit.code
    if project is None or code is None:
        return None
    known = project.shelf.setdefault(Summaries, Summaries(project.world, project.keyed))
    assert isinstance(known, Summaries)
    return known.of(code)


def key_mistakes(unit: Unit) -> list[KeyMistake]:
    """The mistakes of a unit."""
    return unit.once(key_mistakes, lambda: mistakes(found) if (found := key_summary(unit)) is not None else [])
