"""Value numbers: every scalar element of every array gets a number; equal numbers mean the same computation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..exact_arithmetic import ARITHMETIC, flushed

Ids = npt.NDArray[np.int64]
Key = tuple[object, ...]
type_name = cache(str)  # NumPy spells a type anew each time


class Unprovable(Exception):
    """The programs cannot be compared symbolically; the message says why."""


class TooLarge(Unprovable):
    """More elements or equations than the budget allows."""


MAX_BETWEEN = 64
COMMUTATIVE = frozenset({"add", "add_any", "mul", "max", "min", "and", "or", "xor", "eq", "ne"})


# Only operations that IEEE and two's complement define exactly: what libm rounds is left symbolic.
FOLD: dict[str, Callable[..., object]] = {
    **ARITHMETIC,
    "add_any": np.add,
    "sign": np.sign,
    "max": np.maximum,
    "min": np.minimum,
}


EXACT = frozenset(["add", "sub", "mul", "neg", "div"])
"""Operations on floats that IEEE fixes to the last bit."""


def folded(name: str, values: Sequence[np.generic], dtype: np.dtype[np.generic]) -> object | None:
    """The value of an operation on known numbers, if every back end gives the same."""
    if name not in FOLD or (dtype.kind not in "iub" and name not in EXACT):
        return None
    if name in ("div", "rem") and dtype.kind in "iu" and not values[1]:
        return None  # the division stays a division
    with np.errstate(all="ignore"):
        found = FOLD[name](*values)
    return None if flushed(*values, found) else found


JOINED = {"add": "sum", "add_any": "sum", "max": "max", "min": "min", "and": "and", "or": "or"}
"""What gives the same in exact arithmetic, in whatever order it is applied to several values."""


def neutral(kind: str, value: np.generic) -> bool:
    """Whether a value leaves every other one of its type as it is; of whole numbers `and` takes every bit."""
    match kind:
        case "sum" | "or":
            return bool(value == 0)
        case "and":
            return bool(value == np.bitwise_not(np.zeros_like(value)))
        case "max":
            return bool(value == -np.inf)
        case "min":
            return bool(value == np.inf)
    return False


class Called(NamedTuple):
    """What came of a program that was called: the program is kept, so that no other one gets its identity."""

    program: object
    results: list[Ids]
    equations: int
    exposed: set[int]
    narrow: set[str]


class Order(Enum):
    """Whether sums and the like are told apart by the order of what they join."""

    AS_WRITTEN = "always"
    UNLESS_EXACT = "where the order changes what is rounded: in sums of floats"
    FREE = "never"


class Numbering:
    """The table shared by both programs. `assumed` maps numbers to constants along one path of decisions."""

    def __init__(self, budget: int = 600_000, *, reassociates: Order = Order.AS_WRITTEN) -> None:
        self.reassociates = reassociates
        self.parts: dict[int, tuple[Key, tuple[int, ...]]] = {}
        self.table: dict[Key, int] = {}
        self.forms: dict[int, Key] = {}
        self.constants: dict[int, np.generic] = {}
        self.assumed: dict[int, int] = {}
        self.budget = budget
        self.operations: dict[Key, int] = {}
        self.folded: dict[Key, int] = {}  # operations on known values
        self.excluded: dict[int, set[int]] = {}
        self.calls: dict[Key, Called] = {}  # by the program's identity and its operands
        self.functions: dict[Key, Called] = {}  # of placeholders: no assumption is about them
        self.whole: set[str] = set()  # primitives whose elements were not told apart
        self.truths: set[int] = set()  # numbers of truth values: an index made of one needs no clamp

    def spend(self, elements: int) -> None:
        self.budget -= elements
        if self.budget < 0:
            raise TooLarge("the unrolled programs are too large to compare symbolically")

    def node(self, key: Key) -> int:
        """The number of an expression, after the assumptions of this path."""
        number = self.table.get(key)
        if number is None:
            number = len(self.table) + 1
            self.table[key] = number
            self.forms[number] = key
        return self.assumed.get(number, number)

    def operation(self, *key: object) -> int:
        """A small number for a primitive with its parameters."""
        return self.operations.setdefault(key, len(self.operations))

    def constant(self, array: object, dtype: np.dtype[np.generic] | None = None) -> Ids:
        """Numbers of known values; equal bits are equal numbers."""
        values = np.asarray(array, dtype)
        self.spend(values.size)
        out = np.empty(values.size, np.int64)
        name = type_name(values.dtype)
        for at, value in enumerate(values.reshape(-1)):
            number = self.node(("const", name, value.tobytes()))
            self.constants[number] = value
            out[at] = number
        return out.reshape(values.shape)

    def one(self, value: object, dtype: np.dtype[np.generic]) -> int:
        return int(self.constant(np.asarray(value, dtype)).reshape(-1)[0])

    def known(self, ids: Ids) -> npt.NDArray[np.generic] | None:
        """The values themselves, where all are constants."""
        found = [self.constants.get(int(i)) for i in ids.reshape(-1)]
        if not found:
            return None
        if any(v is None for v in found):
            return None
        return np.array(found).reshape(ids.shape)

    def block(self, key: Key, shape: Sequence[int], part: int = 0) -> Ids:
        """Numbers for the elements of an array that is computed as a whole."""
        size = int(np.prod(shape, dtype=np.int64))
        self.spend(size)
        whole = self.node(key)
        numbers = [self.node(("of", whole, part, i)) for i in range(size)]
        return np.array(numbers, np.int64).reshape(tuple(shape))

    def rows(self, key: Callable[[Ids], Key], rows: Ids) -> Ids:
        """One number per row along the last axis."""
        self.spend(max(rows.size, 1))
        shape = rows.shape[:-1]
        count = int(np.prod(shape, dtype=np.int64))
        flat = rows.reshape(count, rows.shape[-1])
        return np.array([self.node(key(row)) for row in flat], np.int64).reshape(shape)

    def elementwise(
        self, name: str, parameters: Key, operands: Sequence[Ids], dtype: np.dtype[np.generic] | None
    ) -> Ids:
        """Number an elementwise primitive; folds what is exactly defined on known values."""
        if name in ("gt", "ge"):
            name, operands = {"gt": "lt", "ge": "le"}[name], operands[::-1]
        shape = operands[0].shape
        arrays = operands if all(x.shape == shape for x in operands) else np.broadcast_arrays(*operands)
        self.spend(max(arrays[0].size, 1))
        negated = name == "ne"
        operation = self.operation("eq" if negated else name, parameters, type_name(dtype))
        flat = [a.reshape(-1).tolist() for a in arrays]
        apply = self._apply
        out = [apply("eq" if negated else name, operation, parameters, ids, dtype) for ids in zip(*flat, strict=False)]
        result = np.array(out, np.int64).reshape(arrays[0].shape)
        if negated:
            return self.elementwise("not", (), [result], np.dtype(bool))
        return result

    def _apply(
        self, name: str, operation: int, parameters: Key, ids: tuple[int, ...], dtype: np.dtype[np.generic] | None
    ) -> int:
        if name in COMMUTATIVE and ids[0] > ids[1]:
            ids = (ids[1], ids[0])
        key = (operation, *ids)
        number = self.table.get(key) or self.folded.get(key)
        if number is None:
            number = self._fold(name, parameters, ids, dtype)
            if number is not None:
                if all(i in self.constants for i in ids):
                    self.folded[key] = number
                return self.assumed.get(number, number)
            if name in JOINED and dtype is not None and self.joins(JOINED[name], dtype):
                return self.joined(JOINED[name], str(dtype), ids)
            number = self.node(key)
            exact = dtype == np.bool_ or name == "convert_element_type"
            self.forms[number] = (name if exact else f"{name}!", *ids)
        return self.assumed.get(number, number)

    def joins(self, kind: str, dtype: np.dtype[np.generic]) -> bool:
        """Whether the order of what is joined does not matter."""
        if self.reassociates is Order.AS_WRITTEN:
            return False
        return self.reassociates is Order.FREE or kind != "sum" or dtype.kind in "iub"

    def joined(self, kind: str, dtype: str, ids: Sequence[int]) -> int:
        """The number of a sum, or its like, of some values: equal for equal values in any order."""
        values: list[int] = []
        for number in ids:
            inner = self.parts.get(number)
            values += inner[1] if inner is not None and inner[0] == (kind, dtype) else [number]
        self.spend(len(values))
        left = [n for n in values if not self._neutral(kind, n)] or values[:1]
        left = sorted(left if kind == "sum" else set(left))
        if len(left) == 1:
            return left[0]
        number = self.node(("joined", kind, dtype, *left))
        self.parts[number] = (kind, dtype), tuple(left)
        return number

    def _neutral(self, kind: str, number: int) -> bool:
        value = self.constants.get(number)
        return value is not None and neutral(kind, value)

    def _fold(self, name: str, parameters: Key, ids: tuple[int, ...], dtype: np.dtype[np.generic] | None) -> int | None:
        values = [self.constants.get(i) for i in ids]
        if dtype == np.bool_ and name in ("and", "or"):
            for value, other in ((values[0], ids[1]), (values[1], ids[0])):
                if value is not None and bool(value) == (name == "or"):
                    return self.one(value, np.dtype(bool))
                if value is not None:
                    return other
            if name == "and" and self._impossible(ids):
                return self.one(False, np.dtype(bool))
        if name == "not" and dtype == np.bool_ and values[0] is None:
            form = self.forms.get(ids[0])
            return int(str(form[1])) if form and form[0] == "not" else None
        if dtype is None or any(v is None for v in values):
            return None
        known = [v for v in values if v is not None]
        if name == "convert_element_type":
            with np.errstate(all="ignore"):
                return self._converted(known[0], dtype)
        if name == "clamp":
            low, value, high = known
            return self.one(np.clip(value, low, high), dtype) if dtype.kind in "iu" else None
        found = folded(name, known, dtype)
        return None if found is None else self.one(found, dtype)

    def _converted(self, value: np.generic, dtype: np.dtype[np.generic]) -> int | None:
        """What every back end gives alike: nothing of what is beyond the type, nor of parts of complex numbers."""
        source = value.dtype
        if source.kind == "c" and dtype.kind != "c":
            return None
        if source.kind not in "biu" and dtype.kind in "iu":
            limits = np.iinfo(str(dtype))
            if not limits.min <= np.trunc(np.float64(value)) <= min(limits.max, 2**53):
                return None
        return self.one(value.astype(dtype), dtype)

    def select(self, which: Ids, cases: Sequence[Ids]) -> Ids:
        """`select_n` and `cond` alike: a choice among values by a boolean or an integer."""
        arrays = np.broadcast_arrays(which, *cases)
        self.spend(max(arrays[0].size, 1))
        out = [self._choose(*ids) for ids in zip(*(a.reshape(-1).tolist() for a in arrays), strict=False)]
        return np.array(out, np.int64).reshape(arrays[0].shape)

    def _choose(self, which: int, *cases: int) -> int:
        if len(set(cases)) == 1:
            return cases[0]
        value = self.constants.get(which)
        if value is not None:
            return cases[min(max(int(value), 0), len(cases) - 1)]
        form = self.forms.get(which)
        if form and form[0] == "not" and len(cases) == 2:
            return self._choose(int(str(form[1])), cases[1], cases[0])
        return self.node(("select", which, *cases))

    def assume(self, number: int, value: bool) -> None:
        """Along this path the predicate has this value; what follows from it is assumed too."""
        self.calls.clear()
        self.assumed[number] = self.one(value, np.dtype(bool))
        form = self.forms.get(number)
        if form is None or not all(isinstance(p, int) for p in form[1:]):
            return
        parts = [int(str(p)) for p in form[1:]]
        if form[0] == "not":
            self.assume(parts[0], not value)
        if (form[0] == "and" and value) or (form[0] == "or" and not value):
            for part in parts:
                if part not in self.constants:
                    self.assume(part, value)
        if form[0] == "eq" and value:
            self._unify(*parts)
        elif form[0] == "eq":
            self._exclude(*parts)

    def _unify(self, a: int, b: int) -> None:
        """`a == b` with one an integer constant: the other is that constant."""
        for known, other in ((a, b), (b, a)):
            constant = self.constants.get(known)
            if constant is not None and constant.dtype.kind in "iu" and other not in self.constants:
                self.assumed[other] = known

    def _exclude(self, a: int, b: int) -> None:
        """`a != b` with one an integer constant: the other is not that constant."""
        for known, other in ((a, b), (b, a)):
            value = self._integer(known)
            if value is not None and other not in self.constants:
                self.excluded.setdefault(other, set()).add(value)

    def _integer(self, number: int) -> int | None:
        constant = self.constants.get(number)
        return int(constant) if constant is not None and constant.dtype.kind in "iu" else None

    def _impossible(self, ids: Sequence[int]) -> bool:
        """Whether two comparisons bound an integer to values that the decisions of this path have excluded."""
        if not self.excluded:
            return False
        bounds: dict[str, tuple[int, int]] = {}
        for number in ids:
            form = self.forms.get(number)
            if form is None or form[0] not in ("lt", "le"):
                return False
            a, b = int(str(form[1])), int(str(form[2]))
            low, high = self._integer(a), self._integer(b)
            strict = form[0] == "lt"
            if low is not None:
                bounds["low"] = (b, low + strict)
            elif high is not None:
                bounds["high"] = (a, high - strict)
        if len(bounds) < 2 or bounds["low"][0] != bounds["high"][0]:
            return False
        subject, low = bounds["low"]
        between = range(low, bounds["high"][1] + 1)
        return len(between) <= MAX_BETWEEN and set(between) <= self.excluded.get(subject, set())


def stacked(parts: Iterable[Ids], shape: Sequence[int]) -> Ids:
    """Stack per-trip outputs; `shape` is that of the whole, needed when there are none."""
    found = list(parts)
    return np.stack(found) if found else np.empty(tuple(shape), np.int64)
