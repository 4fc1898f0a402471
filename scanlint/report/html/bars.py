"""Charts of a page: what each rewrite was before and is after, as two bars on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from scanlint.report.html.markup import NOTHING, Markup, element, joined

MOST = 25


class Pair(NamedTuple):
    """One quantity of a rewrite, by the function's name and the place of its finding."""

    name: str
    target: str
    before: float
    after: float


def chart(title: str, unit: str, pairs: Sequence[Pair]) -> Markup:
    """The pairs that differ most first; nothing where there are none."""
    if not pairs:
        return NOTHING
    ranked = sorted(pairs, key=lambda pair: pair.after / pair.before if pair.before else 1.0)
    smallest, largest = _ends(ranked)
    head = element("h3", title, element("small", f"{unit}, logarithmic scale, the largest change first"))
    rows = [_row(pair, smallest, largest) for pair in ranked[:MOST]]
    more = element("p", f"and {len(ranked) - MOST} more", class_="more") if len(ranked) > MOST else NOTHING
    return element("figure", head, _legend(), joined(*rows), more, class_="chart")


def _ends(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The ends of the scale: powers of ten around all values."""
    values = [value for pair in pairs for value in (pair.before, pair.after) if value > 0] or [1.0]
    low, high = math.floor(math.log10(min(values)) - 0.2), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _legend() -> Markup:
    marks = (element("span", element("i", class_=kind), kind) for kind in ("before", "after"))
    return element("p", *marks, class_="legend")


def _row(pair: Pair, smallest: float, largest: float) -> Markup:
    bars = (
        element("div", _bar(kind, value, smallest, largest), element("b", number(value)))
        for kind, value in (("before", pair.before), ("after", pair.after))
    )
    return element(
        "div", element("a", pair.name, href=f"#{pair.target}"), element("div", *bars, class_="bars"), class_="row"
    )


def _bar(kind: str, value: float, smallest: float, largest: float) -> Markup:
    part = (math.log10(value) - smallest) / (largest - smallest) if value > 0 else 0.0
    return element("i", class_=kind, style=f"width:{80 * max(part, 0.004):.2f}%")


def number(value: float) -> str:
    """A count with its thousands, or seconds with two digits."""
    return f"{int(value):,}" if value == int(value) else f"{value:.2g}"
