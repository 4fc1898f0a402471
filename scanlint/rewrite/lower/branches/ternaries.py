"""`a if test else b` on a traced test, into `lax.cond` or `jnp.where`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from scanlint.finding import Outcome, Primitive, Rewrite, Withheld, first_of
from scanlint.loops.effects import on_host
from scanlint.rewrite.emit.in_place import in_place
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.lower.branches.arm_types import Leaf, number, unify
from scanlint.rewrite.lower.branches.predicates import scalar_predicate
from scanlint.rewrite.lower.branches.selections import filled, promoted
from scanlint.syntax.walk import levels
from scanlint.trace.unit import Unit

DEEPEST_CHOICE = 80
"""Each may become a call with a cast around it, and Python's parser takes 200 brackets inside one another."""


def to_choice(unit: Unit, node: ast.IfExp) -> Outcome:
    """A ternary, with those in its arms that are decided by traced values too."""
    return placed(unit, node, lambda spelling, cast: choice(unit, node, spelling, cast=cast))


def placed(unit: Unit, node: ast.expr, made: Callable[[Spelling, bool], Chosen | Withheld]) -> Outcome:
    """A choice in the place of an expression; in the plainer form its numbers are cast to the dtype of the arrays."""
    if levels(node) > DEEPEST_CHOICE:
        return Withheld("too-deep", f"more than {DEEPEST_CHOICE} parts stand inside one another (line {node.lineno})")
    found: list[Outcome] = []
    for cast in (False, True):
        spelling = Spelling(unit)
        chosen = made(spelling, cast)
        if not isinstance(chosen, Withheld):
            rewrite = in_place(unit, node, chosen.code, chosen.primitive, spelling)
            found += [rewrite] if not any(isinstance(f, Rewrite) and f.edits == rewrite.edits for f in found) else []
        elif not found:
            found.append(chosen)
    return first_of(found)


class Chosen(NamedTuple):
    """The expression that a ternary becomes."""

    code: str
    primitive: Primitive


def choice(unit: Unit, node: ast.IfExp, spell: Spelling, *, cast: bool) -> Chosen | Withheld:
    """The code of a ternary, which need not stand in the unit: its parts do."""
    return _Ternary(unit, node, spell).made(cast=cast)


@dataclass
class _Ternary:
    unit: Unit
    node: ast.IfExp
    spell: Spelling

    def __post_init__(self) -> None:
        self.source = self.unit.source
        self.codes: dict[ast.expr, str] = {}

    def made(self, *, cast: bool) -> Chosen | Withheld:
        arms = self._arms(self.node)
        for arm in arms:
            if problem := self._effect(arm):
                return problem
        numbers = all(number(self.unit, arm) is not None for arm in arms)
        plain = filled(self.unit, [Leaf("", arm) for arm in arms]) or (
            not cast and (promoted(self.unit, arms) or numbers)
        )
        if (cast or numbers or not plain) and (problem := self._unify(arms)):
            return problem
        primitive: Primitive = "where" if plain else "cond"
        code = self._code(self.node, primitive)
        return code if isinstance(code, Withheld) else Chosen(code, primitive)

    def _arms(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.IfExp) and self.unit.value(node.test).traced:
            return [*self._arms(node.body), *self._arms(node.orelse)]
        return [node]

    def _effect(self, arm: ast.expr) -> Withheld | None:
        """The reason why an arm cannot be traced: it does something besides computing its value."""
        for part in ast.walk(arm):
            match part:
                case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                    return Withheld("side-effect", f"`{ast.unparse(part)}` stands in an arm (line {part.lineno})")
                case ast.Call(func=function) if on_host(self.unit, part):
                    return Withheld("side-effect", f"`{ast.unparse(function)}(...)` at line {part.lineno}")
        return None

    def _unify(self, arms: list[ast.expr]) -> Withheld | None:
        """Cast numbers that stand beside arrays."""
        split = all(isinstance(a, ast.Tuple) for a in arms)
        rows = [a.elts if split and isinstance(a, ast.Tuple) else [a] for a in arms]
        if len({len(r) for r in rows}) > 1:
            return Withheld(
                "branch-types-differ", f"the arms are tuples of different lengths (line {self.node.lineno})"
            )
        for column in zip(*rows, strict=True):
            leaves = [Leaf(self.source.segment(n), n) for n in column]
            new = unify(self.unit, leaves, "the value", self.spell)
            if isinstance(new, Withheld):
                return new
            self.codes |= {column[i]: code for i, code in new.items()}
        return None

    def _code(self, node: ast.expr, primitive: Primitive) -> str | Withheld:
        if not (isinstance(node, ast.IfExp) and self.unit.value(node.test).traced):
            return self._arm(node)
        test = scalar_predicate(self.unit, node.test, self.spell)
        body, orelse = self._code(node.body, primitive), self._code(node.orelse, primitive)
        for part in (test, body, orelse):
            if isinstance(part, Withheld):
                return part
        if primitive == "where":
            return f"{self.spell('jax.numpy.where')}({test}, {body}, {orelse})"
        return f"{self.spell('jax.lax.cond')}({test}, lambda: {body}, lambda: {orelse})"

    def _arm(self, node: ast.expr) -> str:
        if isinstance(node, ast.Tuple):
            inner = ", ".join(self.codes.get(e, self.source.segment(e)) for e in node.elts)
            return f"({inner}{',' if len(node.elts) == 1 else ''})"
        return self.codes.get(node, self.source.segment(node))
