"""Compares derivatives: gradients on telling inputs, what has rules of its own, values far out."""

from __future__ import annotations

import ast
import functools
import time
from collections import Counter
from collections.abc import Sequence

from ...comparing.branch_boundaries import of_each_outcome
from ...comparing.derivatives.gradients import same_gradients, same_in_other_ways, still_finite
from ...comparing.derivatives.reverse_mode import same_way_back
from ...comparing.refutations import Unknown
from ...runtime.free_names import names_in
from ...search.case_values import Case, Family, Filling, cases, ties_of_choices
from ...search.edge_values import roots
from ...search.input_sources import REMEDY
from ...search.longer_axes import LONGER_AXES
from .weighed_pair import SHORT_SECONDS, WeighedPair, first_specs, guessed_specs

RULED = 4  # inputs on which forward mode and second derivatives are compared
CHOICES = frozenset(["cond", "where", "select", "switch", "stop_gradient"])
RULES = frozenset(["custom_jvp", "custom_vjp", "custom_gradient", "stop_gradient"])
"""What has derivatives that the operations do not tell."""
FAR = (1e5, 1e20)  # values of which the tenth power, or the square, is too large for single precision


def straight(weighing: WeighedPair) -> bool:
    """Whether both versions use the same branching operations: each is differentiated in its own way."""
    return _as_often(weighing, CHOICES)


def ruled_alike(weighing: WeighedPair) -> bool:
    """Whether both versions have derivatives of their own in as many places."""
    return _as_often(weighing, RULES)


def _as_often(weighing: WeighedPair, words: frozenset[str]) -> bool:
    before, after = (Counter(n for n in names_in(tree) if n in words) for tree in _trees(weighing))
    return before == after


def resummed(weighing: WeighedPair) -> bool:
    """Whether the new version reduces arrays where the old one added one value after the other."""
    before, after = (
        sum(isinstance(n, ast.Attribute) and n.attr == "sum" for n in ast.walk(tree)) for tree in _trees(weighing)
    )
    return after > before


def _trees(weighing: WeighedPair) -> tuple[ast.AST, ast.AST]:
    return weighing.full.pair.old.tree, weighing.full.pair.new.tree


def reversible(weighing: WeighedPair, family: Family) -> None:
    """Require that reverse-mode differentiation is not lost, whoever calls the function."""
    if family.smooth:
        weighing.quickly(lambda judge: same_way_back(judge, family.smooth[0]))


def derivatives(weighing: WeighedPair, family: Family, most: int | None, families: Sequence[Family]) -> None:
    """Compare the gradients on the `most` telling inputs; what has rules of its own on long axes too."""
    started, full = time.process_time(), weighing.full
    ruled = any(not RULES.isdisjoint(names_in(tree)) for tree in _trees(weighing))
    longer = next((f for f in families if f.label.startswith(LONGER_AXES) and f is not family), None)
    smooth = [*(longer.smooth[:1] if ruled and longer is not None else []), *family.smooth[:most]]
    if ruled and full.free and family.specs is not None:  # rules are written for where there is no derivative
        zeros = cases(family.specs, iter([Filling("zeros", fill=0.0)]), weighing.integers)
        smooth += [Case(case.label, case.make, ordinary=False) for case in zeros]
    if not weighing.proved:
        smooth += of_each_outcome(weighing.judges, {case.label for case in smooth})
        specs = guessed_specs(families) or {}
        smooth += cases(specs, ties_of_choices(specs), weighing.integers)
    for at, case in enumerate(smooth):
        if weighing.late() and not full.differentiated:
            if at == 0 and not ruled_alike(weighing):
                raise Unknown(f"only one version has derivatives of its own, which were not compared in time; {REMEDY}")
            weighing.remarks.append(f"gradients were compared on {at or 'no'} inputs: each takes seconds")
            return
        compared = weighing.quickly(functools.partial(same_gradients, case=case))
        if (at == 0 and not weighing.proved) or (ruled and at < RULED):
            weighing.quickly(functools.partial(same_in_other_ways, case=case, ruled=ruled))
        if not compared and at == 0:
            return
        if time.process_time() - started > SHORT_SECONDS:
            weighing.remarks.append(f"gradients were compared on {at + 1} inputs only: each takes seconds")
            return


def differentiable_far_out(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare where gradients are numbers, for values whose powers and products leave their type, and for roots."""
    for case in roots(first_specs(families) or {}) if weighing.full.free else ():
        weighing.quickly(functools.partial(still_finite, case=case))
    if (specs := guessed_specs(families)) is None:
        return
    chosen = [Filling(f"values of about {scale:g}", seed=seed, scale=scale) for scale in FAR for seed in (0, 1, 2)]
    for case in cases(specs, iter(chosen), weighing.integers):
        weighing.quickly(functools.partial(still_finite, case=case))
