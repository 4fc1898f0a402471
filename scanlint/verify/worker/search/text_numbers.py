"""The numbers that both versions are written with: what they compute may change its form at each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_NUMBERS = 12
MOST_WHOLE = 5000  # larger ones are moduli and the like: no axis and no number of trips is so long


@dataclass(frozen=True, slots=True)
class TextNumbers:
    """Whole numbers and floats of both texts, those first that only the new one has; `limits` are its whole numbers."""

    wholes: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    limits: tuple[int, ...] = ()

    def sides(self) -> list[int]:
        """One whole number on each side of the first three multiples of each, and the multiples."""
        found = (k * n + d for n in self.wholes for k in (1, 2, 3) for d in (0, -1, 1))
        return list(dict.fromkeys(found))

    def boundaries(self) -> list[float]:
        """All numbers of the texts, of either sign."""
        found = dict.fromkeys((*self.floats, *map(float, self.wholes)))
        return list(dict.fromkeys(s * n for n in found for s in (1.0, -1.0)))


def text_numbers(old: Iterable[ast.AST], new: Iterable[ast.AST]) -> TextNumbers:
    """The numbers of the statements that define both versions."""
    before, after = (list(dict.fromkeys(n for node in nodes for n in _numbers(node))) for nodes in (old, new))
    ordered = [*(n for n in after if n not in before), *before]
    wholes = [n for n in ordered if isinstance(n, int) and 1 < n <= MOST_WHOLE]
    floats = [float(n) for n in ordered if isinstance(n, float) or n > MOST_WHOLE]
    limits = [n for n in after if n not in before and isinstance(n, int) and 1 < n <= MOST_WHOLE]
    return TextNumbers(tuple(wholes[:MOST_NUMBERS]), tuple(floats[:MOST_NUMBERS]), tuple(limits))


def _numbers(node: ast.AST) -> Iterator[int | float]:
    """The numbers of a statement as they are written, without their signs."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and type(part.value) in (int, float) and abs(part.value) < 1e30:  # type: ignore[arg-type]
            yield part.value  # type: ignore[misc]
