"""Terms: values of a program for all sizes and trips at once; equal terms are the same object.

What a binder binds has a canonical name by the height of the binder, so that terms which differ in the names of bound
trips alone are the same, and nothing is captured: free names are never canonical.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .polynomials import Integers, NotProved, Polynomial, limits, number, symbol, type_of

Shape = tuple[Polynomial, ...]
Meant = Mapping[str, "Polynomial | Term"]
BOOL = np.dtype(bool)
WHOLE = np.dtype(np.int32)
BOUND = "tsbx"
"""How names begin: trips and states; once bound, those of a height. Sizes begin with `n`, values with `a`."""
MOST = 60_000
UNIFORM = 9
"""Elements of a constant array that are looked at before all are."""


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """`op` on `args` with static `par`; `free` are the trips and states that it depends on, `height` its binders."""

    op: str
    par: Hashable
    args: tuple[Term, ...]
    shape: Shape
    dtype: object
    number: int
    free: frozenset[str]
    height: int

    @property
    def whole(self) -> bool:
        return isinstance(self.dtype, np.dtype) and self.dtype.kind in "iu"


@dataclass(eq=False, slots=True)
class LoopTerm:
    """n trips of `steps` from `inits`; with a `test` as many as it holds. `trip` and `states` are bound in steps."""

    trip: str
    count: Polynomial | None
    states: tuple[Term, ...]
    inits: tuple[Term, ...]
    steps: tuple[Term, ...]
    test: Term | None
    height: int
    free: frozenset[str]


@dataclass
class TermTable:
    """The table of terms and loops, and what is known of whole numbers."""

    integers: Integers = field(default_factory=Integers)
    table: dict[object, Term] = field(default_factory=dict)
    listed: list[Term] = field(default_factory=list)
    loops: list[LoopTerm] = field(default_factory=list)
    by_loop: dict[object, int] = field(default_factory=dict)
    counted: Iterator[int] = field(default_factory=itertools.count)

    def term(
        self,
        op: str,
        par: Hashable,
        args: Sequence[Term],
        shape: Shape,
        dtype: object,
        *,
        within: Sequence[object] = (),
        binds: str = "",
    ) -> Term:
        """The term; `within` are the polynomials and loops in its parameters, `binds` the name that is bound in it."""
        key = (op, par, tuple(a.number for a in args), shape, str(dtype))
        found = self.table.get(key)
        if found is None:
            if len(self.listed) >= MOST:
                raise NotProved("too large to be compared for all sizes")
            free = frozenset[str]().union(*(a.free for a in args), *(self.free_of(x) for x in within))
            height = max([0, *(a.height for a in args), *(self.height_of(x) for x in within)]) + bool(binds)
            found = Term(op, par, tuple(args), shape, dtype, len(self.listed), free - {binds}, height)
            self.table[key] = found
            self.listed.append(found)
        return found

    def fresh(self, kind: str) -> str:
        """A name that nothing else has; later ones are greater."""
        return f"{kind}{next(self.counted):06d}"

    def state(self, name: str, shape: Shape, dtype: object) -> Term:
        """What a loop carries, before a trip."""
        key = ("state", name, (), shape, str(dtype))
        if key not in self.table:
            made = Term("state", name, (), shape, dtype, len(self.listed), frozenset([name]), 0)
            self.table[key] = made
            self.listed.append(made)
        return self.table[key]

    def free_of(self, thing: object) -> frozenset[str]:
        if isinstance(thing, Polynomial):
            return frozenset(n for n in self.integers.free(thing) if n[0] in BOUND)
        return thing.free if isinstance(thing, Term | LoopTerm) else frozenset()

    def height_of(self, thing: object) -> int:
        if isinstance(thing, Polynomial):
            return max(
                (self.listed[v].height for v in map(self.valued, self.symbols_of(thing)) if v is not None), default=0
            )
        return thing.height if isinstance(thing, Term | LoopTerm) else 0

    def symbols_of(self, polynomial: Polynomial) -> Iterator[str]:
        """All symbols, those inside of quotients too."""
        for name in polynomial.symbols:
            quotient = self.integers.quotients.get(name)
            yield from self.symbols_of(quotient.of) if quotient is not None else [name]

    @staticmethod
    def valued(name: str) -> int | None:
        """The number of the term that a symbol stands for."""
        return int(name[1:]) if name[0] == "a" else None

    def polynomial(self, term: Term) -> Polynomial:
        """The value of a whole number without axes, itself a symbol where nothing is known of it."""
        if isinstance(term.par, Polynomial) and term.op == "int":
            return term.par
        return self.opaque(term)

    def exact(self, term: Term) -> Polynomial:
        """The value itself, not only up to multiples of what its type holds."""
        found = self.polynomial(term)
        return found if self.integers.fits(found, term.dtype) else self.opaque(term)

    def opaque(self, term: Term) -> Polynomial:
        name = f"a{term.number}"
        if name not in self.integers.values:
            low, high = limits(term.dtype)
            self.integers.values[name] = number(low), number(high)
            self.integers.inside[name] = term.free
        return symbol(name)

    def integer(self, value: Polynomial | int, dtype: object) -> Term:
        """A whole number, wrapped where it is known and leaves its type."""
        value = number(value)
        if (known := value.constant) is not None:
            low, high = limits(dtype)
            value = number((known - low) % (high - low + 1) + low)
        elif len(value.terms) == 1:
            [(monomial, factor)] = value.terms.items()
            at = self.valued(monomial[0]) if len(monomial) == 1 and factor == 1 else None
            if at is not None and self.listed[at].dtype == dtype:
                return self.listed[at]
        return self.term("int", value, (), (), type_of(dtype), within=[value])

    def constant(self, value: object, dtype: object) -> Term:
        """An array that is known; one of equal elements is a number that is broadcast."""
        array = np.asarray(value, type_of(dtype))
        shape = tuple(number(size) for size in array.shape)
        if array.ndim and array.size:
            first = array.flat[0].tobytes()
            few = all(x.tobytes() == first for x in array.flat[:UNIFORM])
            if few and array.tobytes() == first * array.size:
                return self.broadcast(self.constant(array.flat[0], dtype), shape)
        if not array.ndim and array.dtype.kind in "iu":
            return self.integer(int(array), array.dtype)
        return self.term("const", array.tobytes(), (), shape, array.dtype)

    def truth(self, value: bool) -> Term:
        return self.constant(value, BOOL)

    @staticmethod
    def known(term: Term) -> np.generic | None:
        """The value of a number that is known."""
        if term.op == "int" and isinstance(term.par, Polynomial) and (value := term.par.constant) is not None:
            return type_of(term.dtype).type(value)
        if term.op == "const" and not term.shape and isinstance(term.par, bytes):
            found: np.generic = np.frombuffer(term.par, type_of(term.dtype))[0]
            return found
        return None

    def compared(self, op: str, difference: Polynomial) -> Term:
        """`difference < 0` (below) or `difference == 0` (zero)."""
        below = op == "below"
        known = self.integers.below_zero(difference) if below else self.integers.is_zero(difference)
        if known is not None:
            return self.truth(known)
        if not below and min(difference.key)[1] < 0:
            difference = -difference
        return self.term(op, difference, (), (), BOOL, within=[difference])

    def broadcast(self, term: Term, shape: Shape) -> Term:
        """A number in all places."""
        return self.make("broadcast_in_dim", (), [term], shape, term.dtype)

    def make(self, op: str, par: Hashable, args: Sequence[Term], shape: Shape, dtype: object) -> Term:
        raise NotImplementedError

    def rows(self, trip: str, count: Polynomial, body: Term) -> Term:
        raise NotImplementedError

    def row(self, term: Term, axis: int, place: Polynomial) -> Term:
        raise NotImplementedError

    def substituted(self, term: Term, meant: Meant) -> Term:
        raise NotImplementedError


def without(shape: Shape, axis: int) -> Shape:
    return shape[:axis] + shape[axis + 1 :]


def trip_at(height: int) -> str:
    """The name of the trip that a binder of this height binds."""
    return f"b{height:06d}"


def state_at(height: int, place: int) -> str:
    return f"x{height:06d}.{place}"
