"""Sizes of axes as unknowns: linear terms over variables, made equal by substitution."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SMALLEST = 2  # an axis of one broadcasts, and is seldom meant
TRIED = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
MOST_TRIED = 4
LARGEST = 64


@dataclass(frozen=True, slots=True)
class Dim:
    """`const` and a multiple of each variable."""

    const: int = 0
    terms: tuple[tuple[int, int], ...] = ()

    def plus(self, other: Dim, times: int = 1) -> Dim:
        found = dict(self.terms)
        for name, count in other.terms:
            found[name] = found.get(name, 0) + times * count
        return Dim(self.const + times * other.const, tuple(sorted((n, c) for n, c in found.items() if c)))

    def times(self, count: int) -> Dim:
        return Dim().plus(self, count)

    @property
    def number(self) -> int | None:
        """Its size, where no variable is left."""
        return None if self.terms else self.const


ONE = Dim(1)
Shape = tuple[Dim, ...]


@dataclass
class Dims:
    """The variables, and what is known of them: each that is solved for has a term in its place."""

    solved: dict[int, Dim] = field(default_factory=dict)
    count: int = 0

    def fresh(self) -> Dim:
        self.count += 1
        return Dim(0, ((self.count, 1),))

    def of(self, dim: Dim) -> Dim:
        """The same without variables that are solved for."""
        while found := next(((n, c) for n, c in dim.terms if n in self.solved), None):
            name, count = found
            dim = dim.plus(Dim(0, ((name, 1),)), -count).plus(self.solved[name], count)
        return dim

    def unify(self, a: Dim, b: Dim) -> bool:
        """Have two sizes be equal; whether they can be."""
        rest = self.of(a.plus(b, -1))
        if not rest.terms:
            return rest.const == 0
        signs = {count > 0 for _, count in rest.terms}
        if len(signs) == 1 and len(rest.terms) > 1 and (rest.const >= 0) == signs.pop():
            return False
        if len(rest.terms) == 1:
            ((name, count),) = rest.terms
            size, left = divmod(-rest.const, count)
            if left or size < SMALLEST:
                return False
            self.solved[name] = Dim(size)
            return True
        plain = [(n, c) for n, c in reversed(rest.terms) if abs(c) == 1]
        if plain:  # for the one that is a sum of the others, where there is one
            name, count = max(plain, key=lambda one: sum(c * one[1] < 0 for _, c in rest.terms))
            self.solved[name] = rest.plus(Dim(0, ((name, count),)), -1).times(-count)
        return True

    def numbers(self, dims: Iterable[Dim], avoided: Iterable[int] = ()) -> Mapping[Dim, int] | None:
        """A size for each of these, distinct where they may be, also from those avoided; None where none was found."""
        wanted = list(dict.fromkeys(map(self.of, dims)))
        free = list(dict.fromkeys(name for dim in wanted for name, _ in dim.terms))
        taken = {dim.const for dim in wanted if not dim.terms} | set(avoided)
        best: tuple[int, dict[Dim, int]] | None = None
        for skipped in range(MOST_TRIED):
            pool = itertools.islice((n for n in TRIED if n not in taken), skipped, None, 1 + skipped)
            sizes = dict(zip(free, itertools.chain(pool, itertools.count(TRIED[-1] + 1)), strict=False))
            for order in (free, free[::-1]):
                table = dict(zip(order, sizes.values(), strict=True))
                found = {dim: dim.const + sum(c * table[n] for n, c in dim.terms) for dim in wanted}
                if min(found.values(), default=SMALLEST) >= SMALLEST and max(found.values(), default=0) <= LARGEST:
                    same = len(found) - len(set(found.values()))
                    if best is None or same < best[0]:
                        best = same, found
            if best is not None and best[0] == 0:
                break
        return best[1] if best is not None else None
