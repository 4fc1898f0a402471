"""The findings of what a file uses and JAX has no more: one for each name, at its first use."""

from __future__ import annotations

from scanlint.finding import Finding, Fix, Position
from scanlint.jaxapi.removed import REMOVED
from scanlint.project.summary import Removed, Surveyed
from scanlint.rules.registry import REMOVED_API

PLACES = 4
NO_FIX = Fix("none", "removed-name: a version of JAX that has it cannot be compared with one that has not")


def removed_findings(surveyed: Surveyed) -> list[Finding]:
    """What is found in one file."""
    uses: dict[str, list[Removed]] = {}
    for plain in surveyed.removed:
        uses.setdefault(plain[0], []).append(Removed(*plain))
    return [_finding(listed, surveyed.display) for listed in uses.values()]


def _finding(uses: list[Removed], path: str) -> Finding:
    use = uses[0]
    others = list(dict.fromkeys(other.line for other in uses[1:] if other.line != use.line))
    more = f" and {len(others) - PLACES} more" if len(others) > PLACES else ""
    library = "Flax" if use.name.startswith("flax.") else "JAX"
    said = f", also on line{'s' * (len(others) > 1)} {', '.join(map(str, others[:PLACES]))}{more}" if others else ""
    return Finding(
        REMOVED_API.code,
        REMOVED_API.name,
        path,
        Position(use.line, use.column),
        Position(use.end_line, use.end_column),
        None,
        f"{library} has no `{use.name}` any more{said}",
        help=f"{REMOVED[use.name]} stands in its place",
        label=f"fails with a {library} of today",
        fix=NO_FIX,
        level=REMOVED_API.level,
    )
