"""Pairs of uses of one key as mistakes: which rule names them, where, how certain they are."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from scanlint.finding import Level
from scanlint.jaxapi.words import words
from scanlint.keys.libraries import MAPPED, TREES
from scanlint.keys.machine import UsePair
from scanlint.keys.summaries import KeySummary
from scanlint.keys.terms import (
    Computed,
    Const,
    FieldOf,
    KeyGuard,
    Passed,
    Seeded,
    Stage,
    ancestors,
    choices,
    root,
)
from scanlint.keys.uses import KeyUse

TOGETHER = frozenset(["permutation", "shuffle", "choice"])
"""What is drawn twice from one key on purpose, mostly: several arrays are put into one order."""
ALIKE_ON_PURPOSE = words("permutation shuffle choice randint bernoulli categorical split")
"""What is drawn alike for each leaf of a tree, or for each example of a batch, where it says which rows are taken."""


class KeyMistake(NamedTuple):
    """Two uses of one key. `site` and `earlier` are the places in the function; `loop` goes round between them.

    `mapped`: it is a batch, whose examples they are. `before`: the first use is on the trip before the second one.
    `again` are further uses. `kept` is the attribute that keeps the key for the next call, where that is the
    other use, of the method `by` if that is another one.
    """

    rule: str
    level: Level
    site: ast.AST
    earlier: ast.AST
    loop: ast.AST | None
    first: KeyUse
    second: KeyUse
    mapped: bool = False
    before: bool = False
    again: tuple[ast.AST, ...] = ()
    kept: str = ""
    by: str = ""

    @property
    def plain(self) -> bool:
        """Whether both uses are draws that stand in the function itself."""
        uses = (self.first, self.second)
        return all(use.kind == "draw" and use.inside is None for use in uses)


def mistakes(summary: KeySummary, others: Mapping[str, KeySummary]) -> list[KeyMistake]:
    """The mistakes in a function: for each first use of a key the gravest, with the uses that follow.

    `others` are the other methods of its class.
    """
    split_twice = {p.second.term for p in summary.pairs if p.first.kind == p.second.kind == "split"}
    found: dict[ast.AST, dict[ast.AST, KeyMistake]] = {}
    for pair in summary.pairs:
        if split_twice.isdisjoint(ancestors(pair.second.term)):
            made = _mistake(pair, summary)
            if made is not None:
                sites = found.setdefault(made.earlier, {})
                sites[made.site] = min(sites.get(made.site, made), made, key=_rank)
    said: set[ast.AST] = set()
    here = [m for sites in found.values() for m in _first([m for m in sites.values() if not m.before], said)]
    said.update(m.earlier for m in here)
    across = [m for sites in found.values() for m in sites.values() if m.before]
    each = {m.site for m in here if m.site is m.earlier}
    across = [m for m in across if m.earlier not in said and m.site not in each]
    return here + across + [m for m in _until_next_call(summary, others) if m.site not in said]


def _until_next_call(summary: KeySummary, others: Mapping[str, KeySummary]) -> Iterator[KeyMistake]:
    """A used key that stays in an object, of which a later call of this method, or of another one, uses what is there.

    This one's own calls count where they split it, and it draws: two draws of one method are those of a fixed key.
    """
    for (base, name), kept in summary.cells:
        if not isinstance(base, Passed) or not isinstance(name, str) or kept == FieldOf(base, name):
            continue
        left = {term for _, term in choices(kept)}
        uses = [u for u in summary.drawn if u.term in left and u.sure and u.kind != "handed"]
        held = FieldOf(base, name)
        later = [("", u) for u in summary.drawn if u.term == held and u.kind == "split"]
        later += [(m, u) for m, other in others.items() for u in other.drawn if u.term == held and u.kind == "split"]
        first = next((u for u in uses if u.kind == "draw"), next(iter(uses), None))
        if later and first is not None and (first.kind == "draw" or later[0][0]):
            by, split = later[0]
            site, earlier = _place(first.path), _place(split.path)
            rule = "key-after-split" if first.kind == "draw" else "key-reused"
            kept_in = f"{base.name}.{name}"
            level: Level = "warning" if first.kind == "draw" else "advice"
            yield KeyMistake(rule, level, site, earlier, None, split, first, kept=kept_in, by=by)


def _first(made: Iterable[KeyMistake], said: set[ast.AST]) -> list[KeyMistake]:
    """The gravest of the mistakes with one first use; the others are named by it."""
    left = sorted((m for m in made if m.site not in said), key=_rank)
    said.update(m.site for m in left)
    if not left:
        return []
    others = tuple(m.site for m in left[1:])
    return [left[0]._replace(again=others)]


def _rank(made: KeyMistake) -> tuple[bool, bool, int]:
    return made.level != "warning", made.loop is not None, getattr(made.site, "lineno", 0)


def _mistake(pair: UsePair, summary: KeySummary) -> KeyMistake | None:
    first, second = pair
    if isinstance(second.deep, FieldOf) and first.deep is not None:
        return None  # told of the class, where what its object keeps is used again
    at = next((k for k, (a, b) in enumerate(zip(first.path, second.path, strict=False)) if a != b), None)
    if at is None:
        if first.site is not second.site or first.deep == second.deep:
            return None
        return _made("key-reused", pair, second.site, first.site)
    one, other = first.path[at], second.path[at]
    site, earlier = _place(second.path[at:]), _place(first.path[at:])
    if one.node is other.node and one.loop:
        if site is not earlier or first.deep != second.deep:
            return _made("key-reused", pair, site, earlier)._replace(before=True)
        return _each_trip(pair, site, one, summary)
    return _made("constant-key" if _made_again(pair, other, summary) else "key-reused", pair, site, earlier)


def _is_written(use: KeyUse) -> bool:
    """Whether the key is made where it is used: that it is made alike elsewhere may be meant."""
    return isinstance(use.term, Seeded) and not isinstance(use.term.site, ast.Call)


def _each_trip(pair: UsePair, site: ast.AST, loop: Stage, summary: KeySummary) -> KeyMistake | None:
    """One use on several trips of a loop. A test in the loop may be why there is only one trip, or only one use."""
    rule = "constant-key" if _made_again(pair, loop, summary) else "key-each-trip"
    made = _made(rule, pair, site, site, loop.node)
    tests = pair.second.guards[loop.guards :]
    if any(map(_once, tests)):
        return None
    called = loop.how
    if called in TREES | MAPPED and pair.second.drawn in ALIKE_ON_PURPOSE:
        return None if called in TREES else made._replace(level="advice", mapped=True)
    if tests or called in MAPPED:
        made = made._replace(level="advice")
    return made._replace(mapped=called in MAPPED)


def _once(guard: KeyGuard) -> bool:
    """Whether a test may hold on one trip alone: the first one, or the only one."""
    match guard:
        case KeyGuard(Computed("==" | "is" | "LtE" | "Lt", (_, Const())), True):
            return True
        case KeyGuard(Computed("Gt" | "in", _), False):
            return True
    return False


def _made(rule: str, pair: UsePair, site: ast.AST, earlier: ast.AST, loop: ast.AST | None = None) -> KeyMistake:
    first, second = pair
    if {first.kind, second.kind} == {"draw", "split"} and rule == "key-reused":
        rule = "key-after-split"
    together = first.drawn == second.drawn and first.drawn in TOGETHER
    level: Level = "warning" if _certain(pair) and rule != "constant-key" and not together else "advice"
    return KeyMistake(rule, level, site, earlier, loop, first, second)


def _place(path: tuple[Stage, ...]) -> ast.AST:
    """The first call or use of a path in the function itself."""
    return next(stage.node for stage in path if not stage.loop)


def _made_again(pair: UsePair, stage: Stage, summary: KeySummary) -> bool:
    """Whether the key is made anew, of the same seed, on each trip of a loop or call of a function."""
    key, deep = root(pair.second.term), pair.second.deep
    if not isinstance(key, Seeded):
        return False
    if deep is not None and isinstance(root(deep), Seeded):
        return True
    return any(stage.node is at.node for moment in summary.seeded.get(key.site, ()) for at in moment)


def _certain(pair: UsePair) -> bool:
    """Whether both uses are sure to happen on one path, and are no comparison on purpose.

    One function of the project that is called twice with a key may well compare two arguments.
    """
    first, second = pair
    if "handed" in (first.kind, second.kind) or not (first.sure and second.sure) or _is_written(second):
        return False
    if first.site is not second.site and first.deep is not None and first.deep == second.deep:
        return False
    one, other = set(first.guards), set(second.guards)
    return one <= other or other <= one
