"""Whole numbers as polynomials in sizes and trips, with the bounds that decide questions about them.

A polynomial is exact: Python's whole numbers have no end. That a value has a place in a type of JAX is asked apart, by
`Integers.fits`, which may lower the largest size that a proof speaks of.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..numbering.value_numbers import Unprovable

LARGEST = (2**31 - 1, 2**30, 2**29, 2**24, 46340, 2**15)
"""The sizes up to which a proof may speak, tried in this order: 46,340 squared is the last that 32 bits hold."""
DEEPEST = 30
MOST_TERMS = 40

Monomial = tuple[str, ...]


class NotProved(Unprovable):
    """Why no induction speaks for all sizes; says nothing of whether the versions differ."""


@dataclass(frozen=True, eq=False)
class Polynomial:
    """Coefficients by monomial, each a sorted tuple of symbols; zero coefficients are left out."""

    terms: Mapping[Monomial, int]

    def __post_init__(self) -> None:
        if len(self.terms) > MOST_TERMS:
            raise NotProved("a whole number of too many terms")

    @functools.cached_property
    def key(self) -> tuple[tuple[Monomial, int], ...]:
        return tuple(sorted(self.terms.items()))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.key == other.key

    def __add__(self, other: Polynomial | int) -> Polynomial:
        found = dict(self.terms)
        for monomial, c in number(other).terms.items():
            found[monomial] = found.get(monomial, 0) + c
        return _kept(found)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        found: dict[Monomial, int] = {}
        for a, c in self.terms.items():
            for b, d in number(other).terms.items():
                monomial = tuple(sorted(a + b))
                found[monomial] = found.get(monomial, 0) + c * d
        return _kept(found)

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -number(other)

    def __rsub__(self, other: int) -> Polynomial:
        return number(other) - self

    def __str__(self) -> str:
        text = ""
        for monomial, c in sorted(self.terms.items(), key=lambda term: (not term[0], term)):
            size = "*".join([*([str(abs(c))] if abs(c) != 1 or not monomial else []), *monomial])
            text += f"{' - ' if c < 0 else ' + '}{size}" if text else f"{'-' if c < 0 else ''}{size}"
        return text or "0"

    @functools.cached_property
    def symbols(self) -> frozenset[str]:
        return frozenset(symbol for monomial in self.terms for symbol in monomial)

    @property
    def constant(self) -> int | None:
        """Its value where it has no symbols."""
        return None if self.symbols else self.terms.get((), 0)

    def substituted(self, meant: Mapping[str, Polynomial]) -> Polynomial:
        """With others in the place of symbols, all at once: what is put in is left as it is."""
        found = number(0)
        for monomial, c in self.terms.items():
            part = number(c)
            for name in monomial:
                part = part * meant.get(name, symbol(name))
            found = found + part
        return found

    def replaced(self, symbol: str, by: Polynomial) -> Polynomial:
        return self.substituted({symbol: by})

    def evaluated(self, value: Callable[[str], object]) -> object:
        """What it is for values of its symbols that can be added and multiplied."""
        total: object = self.terms.get((), 0)
        for monomial, factor in self.terms.items():
            part: object = factor
            for name in monomial:
                part = part * value(name)  # type: ignore[operator]
            total = total + part if monomial else total  # type: ignore[operator]
        return total

    def by_power(self, symbol: str) -> dict[int, Polynomial]:
        """The polynomials beside each power of a symbol."""
        found: dict[int, Polynomial] = {}
        for monomial, c in self.terms.items():
            rest = Polynomial({tuple(s for s in monomial if s != symbol): c})
            power = monomial.count(symbol)
            found[power] = found.get(power, number(0)) + rest
        return found


def _scaled(polynomial: Polynomial, name: str, quotient: Quotient) -> Polynomial | None:
    """`by` times a polynomial at its least, for all rests that the division of a quotient in it may leave."""
    parts = polynomial.by_power(name)
    factor = parts[1].constant if parts.keys() <= {0, 1} else None
    if factor is None:
        return None
    least = quotient.of - (quotient.by - 1 if factor > 0 else 0)
    return parts.get(0, number(0)) * quotient.by + least * factor


def _kept(terms: Mapping[Monomial, int]) -> Polynomial:
    return Polynomial({monomial: c for monomial, c in terms.items() if c})


def type_of(dtype: object) -> np.dtype[np.generic]:
    return np.dtype(dtype)  # type: ignore[call-overload, no-any-return]


def limits(dtype: object) -> tuple[int, int]:
    """The least and the largest of a type of whole numbers."""
    info = np.iinfo(type_of(dtype))  # type: ignore[type-var]
    return int(info.min), int(info.max)


def number(value: Polynomial | int) -> Polynomial:
    if isinstance(value, Polynomial):
        return value
    return Polynomial({(): int(value)} if value else {})


def symbol(name: str) -> Polynomial:
    return Polynomial({(name,): 1})


@dataclass(frozen=True)
class Quotient:
    """`of // by`, or `of % by`, which no polynomial says; `by` is positive."""

    of: Polynomial
    by: int
    rest: bool


@dataclass
class Integers:
    """What is known of symbols: least and largest values, and what quotients they stand for.

    `least` is the smallest size that a proof speaks of, `most` the largest; the latter falls where a value would leave
    its type. `values` are bounds of symbols that stand for values of the program, `inside` what those depend on.
    """

    least: int = 1
    most: int = LARGEST[0]
    ranges: dict[str, tuple[Polynomial, Polynomial]] = field(default_factory=dict)
    quotients: dict[str, Quotient] = field(default_factory=dict)
    values: dict[str, tuple[Polynomial, Polynomial]] = field(default_factory=dict)
    inside: dict[str, frozenset[str]] = field(default_factory=dict)

    @contextlib.contextmanager
    def within(self, name: str, count: Polynomial) -> Iterator[Polynomial]:
        """A trip of a loop that makes `count` of them: 0 <= trip < count."""
        before = self.ranges.get(name)
        self.ranges[name] = number(0), count - 1
        try:
            yield symbol(name)
        finally:
            if before is None:
                del self.ranges[name]
            else:
                self.ranges[name] = before

    def bounds(self, name: str) -> tuple[Polynomial, Polynomial]:
        if name in self.ranges:
            return self.ranges[name]
        if name in self.values:
            return self.values[name]
        if name in self.quotients:
            quotient = self.quotients[name]
            if quotient.rest:
                return number(0), number(quotient.by - 1)
            positive = self.at_least_zero(quotient.of)
            return number(0 if positive else -(2**63)), quotient.of if positive else number(2**63)
        return number(self.least), number(self.most)

    def free(self, polynomial: Polynomial) -> frozenset[str]:
        """The symbols that it depends on, those inside of quotients too."""
        found: set[str] = set()
        for name in polynomial.symbols:
            quotient = self.quotients.get(name)
            found |= self.free(quotient.of) if quotient is not None else self.inside.get(name, {name})
        return frozenset(found)

    def at_least_zero(self, polynomial: Polynomial, depth: int = 0) -> bool:
        """Whether it is 0 or more wherever its symbols may be; False where that is not found."""
        if (value := polynomial.constant) is not None:
            return value >= 0
        if depth > DEEPEST:
            return False
        within = list(self.ranges)  # the innermost loop last: how many trips it makes may depend on those outside
        name = max(
            polynomial.symbols, key=lambda s: (s in self.quotients, within.index(s) + 1 if s in within else 0, s)
        )
        quotient = self.quotients.get(name)
        if quotient is not None and not quotient.rest and (scaled := _scaled(polynomial, name, quotient)) is not None:
            return self.at_least_zero(scaled, depth + 1)
        low, high = self.bounds(name)
        parts = polynomial.by_power(name)
        higher = [part for power, part in parts.items() if power]
        if max(parts) > 1 and not self.at_least_zero(low, depth + 1):
            return False  # monotonous in its powers from 0 on only
        if all(self.at_least_zero(part, depth + 1) for part in higher):
            return self.at_least_zero(polynomial.replaced(name, low), depth + 1)
        if all(self.at_least_zero(-part, depth + 1) for part in higher):
            return self.at_least_zero(polynomial.replaced(name, high), depth + 1)
        return False

    def below_zero(self, polynomial: Polynomial) -> bool | None:
        """Whether it is negative, for all values of its symbols or for none; None where neither is found."""
        if self.at_least_zero(polynomial):
            return False
        return True if self.at_least_zero(-polynomial - 1) else None

    def is_zero(self, polynomial: Polynomial) -> bool | None:
        if polynomial.constant is not None:
            return polynomial.constant == 0
        differs = self.at_least_zero(polynomial - 1) or self.at_least_zero(-polynomial - 1)
        return False if differs else None

    def fits(self, polynomial: Polynomial, dtype: object) -> bool:
        """Whether it has a place in a type of whole numbers, for sizes up to a limit that falls where it must."""
        (low, high), first = limits(dtype), self.most
        for self.most in (first, *(size for size in LARGEST if size < first)):
            if self.at_least_zero(high - polynomial) and self.at_least_zero(polynomial - low):
                return True
        self.most = first
        return False

    def divided(self, polynomial: Polynomial, by: int) -> tuple[Polynomial, Polynomial]:
        """`polynomial // by` and `polynomial % by`, rounded down as Python does, for `by` > 0."""
        whole = _kept({monomial: c // by for monomial, c in polynomial.terms.items()})
        left = _kept({monomial: c % by for monomial, c in polynomial.terms.items()})
        if left.constant is not None or (self.at_least_zero(left) and self.at_least_zero(by - 1 - left)):
            return whole, left
        names = f"({left})//{by}", f"({left})%{by}"
        for name, rest in zip(names, (False, True), strict=True):
            self.quotients.setdefault(name, Quotient(left, by, rest))
        return whole + symbol(names[0]), symbol(names[1])
