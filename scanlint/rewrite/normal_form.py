"""A function in normal form: equal loops in one spelling, in which they are judged where their own says too little.

Each layer is one step of the normal form on the text of the layer below it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scanlint.rewrite.normalize.meaning.aggregates import scalars
from scanlint.rewrite.normalize.meaning.aliases import appends, bound_methods
from scanlint.rewrite.normalize.meaning.changes import Change
from scanlint.rewrite.normalize.meaning.copies import copies, split_copies
from scanlint.rewrite.normalize.meaning.counting import counted_whiles, counters
from scanlint.rewrite.normalize.meaning.inlining import inlined
from scanlint.rewrite.normalize.meaning.left_targets import left_targets
from scanlint.rewrite.normalize.meaning.matches import matches
from scanlint.rewrite.normalize.meaning.partial_returns import partial_returns
from scanlint.rewrite.normalize.meaning.rows import rows
from scanlint.rewrite.normalize.meaning.sums import summing, sums
from scanlint.rewrite.views import Layer, View
from scanlint.trace.unit import Unit

STEPS: tuple[Callable[[Unit], Iterator[Change]], ...] = (
    matches, bound_methods, inlined, scalars, counted_whiles, counters, appends, split_copies, copies, rows,
    left_targets, partial_returns, sums,
)  # fmt: skip
BLOCKS: tuple[type[ast.AST], ...] = (ast.For, ast.While, ast.If, ast.Match)
LOOPS: tuple[type[ast.AST], ...] = (
    ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""What the rules on the host ask for: branches are Python's there, and no other spelling of one says anything else."""
MOST = 24
"""Steps after which a function is taken as it is by then."""


def normal(unit: Unit, form: View | None) -> View | None:
    """The unit in normal form, from its canonical one; None where it is in it as it stands."""
    kinds = BLOCKS if unit.holds_traced else LOOPS
    if isinstance(unit.node, ast.Lambda) or not (any(unit.kinds.of(kind) for kind in kinds) or summing(unit)):
        return None
    layers: list[Layer] = []
    at = form.unit if form is not None else unit
    while len(layers) < MOST and (layer := _next(at)) is not None:
        layers.append(layer)
        at = layer.unit
    return View((*(form.layers if form is not None else ()), *layers)) if layers else None


def _next(unit: Unit) -> Layer | None:
    """The next step that changes anything."""
    for step in STEPS:
        changes = _apart(step(unit))
        if not changes:
            continue
        source = unit.source
        text = source.edited(p for change in changes for p in change)
        again = unit.renew(replace(source, text=text))
        if again is None:
            return None
        return Layer(source, replace(again, wished=unit.wished), tuple(changes))
    return None


def _apart(found: Iterable[Change]) -> list[Change]:
    """Changes of which none reaches into the lines of another; those that come first."""
    taken: list[tuple[int, int]] = []
    kept: list[Change] = []
    for change in found:
        spans = [(p.start.line, p.end.line) for p in change]
        low, high = min(s[0] for s in spans), max(s[1] for s in spans)
        if all(high < first or last < low for first, last in taken):
            taken.append((low, high))
            kept.append(change)
    return kept
