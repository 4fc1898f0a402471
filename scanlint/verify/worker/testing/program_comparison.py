"""The traced programs of both versions, compared on one input of each shape."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from ..comparing.agreement import describe, kinds_by_name
from ..comparing.judge import EMPTY, Judge
from ..comparing.spared_errors import NOTHING
from ..comparing.weak_types import WEAKER
from ..infer.specs import Alternatives
from ..proof.all_sizes import AllSizes
from ..proof.numbering.value_numbers import Order
from ..proof.prove import Proof
from ..proof.traced_pair import PROOF_SECONDS, nothing_in, one_proof, shape_of, shapes_of_parts
from ..runtime.calling import TookTooLong, Values, without_elements
from ..runtime.jax_errors import in_staged_body
from ..search.case_values import Case, Family
from ..search.further_ranks import GUESSED
from ..search.longer_axes import LONGER_AXES
from .trip_counts import Enlarged

SHAPES = 32
TOGETHER = 4
MAX_WHOLE = 400  # equations of a program that compiles soon
LARGE_SECONDS = 4.0  # a run on so large a number takes as long


@dataclass
class ProgramComparison:
    """Compares the programs of both versions, or of their twins with short loops; and what that has shown so far.

    `before` and `after` are equation counts, `compared` the shapes for which the programs are equal, `counts` the whole
    numbers of static parameters, `any` the parameters whose whole number does not matter. `along`: they were compared
    along the paths of the old version. `narrow`: the types of few bits in which a version counts.
    `weaker`: where a result is weakly typed in the new version alone. `reordered`: values are joined in another order,
    `inexact`: floats are added so.
    `nothing`: without elements the new version raises, or the result has another type.
    `ruled`: parts have derivatives of their own. `apart`: where programs that are equal for small numbers differ.
    `every`: what is proved for all sizes at once.
    `quickest`: the family whose first program is the smallest of those that make several trips, and its equations.
    """

    full: Judge
    twin: Judge | None
    before: int | None = None
    after: int | None = None
    along: bool = False
    remarks: list[str] = field(default_factory=list)
    compared: list[tuple[str, ...]] = field(default_factory=list)
    counts: dict[str, set[int]] = field(default_factory=dict)
    any: set[str] = field(default_factory=set)
    narrow: frozenset[str] = frozenset()
    weaker: str = ""
    reordered: bool = False
    inexact: bool = False
    ruled: bool = False
    nothing: bool = False
    quickest: tuple[int, Family] | None = None
    apart: str = ""
    every: AllSizes | None = None

    @property
    def for_all(self) -> bool:
        """Whether all sizes and trips are proved by one trip of each version."""
        return self.every is not None and self.every.proved

    @property
    def induced(self) -> frozenset[str]:
        """The parameters of which every whole number is proved, by one trip of each version."""
        return self.every.numbers if self.every is not None else frozenset()

    @property
    def traced_numbers(self) -> set[str]:
        """The parameters whose whole number was traced, as one of 32 bits."""
        return self.any - self.counts.keys() - self.induced

    def proved(self, families: list[Family], large: list[Enlarged]) -> bool:
        """Whether the programs are equal for all shapes and static values tried, small, large and more than one."""
        return self.equal(families) and all(map(self.lasting, large)) and self.varied(families)

    def lasting(self, enlarged: Enlarged) -> bool:
        """Whether nothing shows that the programs differ where one number is large."""
        judge, values = self.twin or self.full, made(enlarged.cases[0])
        if values is None or self.holds_for(enlarged):
            return True
        proof = one_proof(judge.pair, values, LARGE_SECONDS)
        if proof.same:
            self.note(proof, values)
        elif proof.differs:
            self.apart = f"{enlarged.name} = {enlarged.trips}"
        return not proof.differs

    def small(self) -> Family | None:
        """Shapes on which the old version compiles soon as one program, if it makes several trips there."""
        return self.quickest[1] if self.quickest is not None and self.quickest[0] <= MAX_WHOLE else None

    def varied(self, families: list[Family]) -> bool:
        """Whether every static whole number had several values, unless the user gave it."""
        given = {n for f in families for n, s in (f.specs or {}).items() if isinstance(s, Alternatives)}
        known = given | self.induced
        alone = sorted(name for name, values in self.counts.items() if len(values) == 1 and name not in known)
        self.remarks += [f"`{n}` could only be {min(self.counts[n])}: nothing is proved for others" for n in alone]
        return not alone

    def note(self, proof: Proof, values: Values) -> None:
        """Keep the static numbers of equal programs."""
        for name, value in values.items():
            if type(value) is int and name in proof.static:
                self.counts.setdefault(name, set()).add(value)
            elif type(value) is int:
                self.any.add(name)

    def told(self) -> list[str]:
        """The whole numbers that a proof holds for, in words."""
        fixed = {n: v for n, v in sorted(self.counts.items()) if n not in self.induced}
        some = [f"proved for {n} = {', '.join(map(str, sorted(v)))}" for n, v in fixed.items()]
        every = [f"proved for every {n}, by induction over the trips" for n in sorted(self.traced_numbers)]
        if self.every is not None:
            ends = self.every.from_to
            every += [f"proved for every {n} {ends}, by induction over the trips" for n in sorted(self.induced)]
        if self.every is not None and self.for_all:
            every.append(f"proved for all sizes, by one trip of each version{self.every.limits}")
            every += [f"both versions compute {line}" for line in self.every.proof.recurrences]
        return some + every

    def holds_for(self, enlarged: Enlarged) -> bool:
        """Whether the programs are equal where this number is large, or for any value of it."""
        if self.every is not None and self.every.speaks_of(enlarged.name, enlarged.trips):
            return True
        numbers = self.counts.get(enlarged.name)
        return enlarged.trips in numbers if numbers is not None else enlarged.name in self.any

    def equal(self, families: list[Family]) -> bool:
        """Whether the programs are equal for all shapes and static values tried, first with loops of full length."""
        self.full.stage("comparing the traced programs")
        seen, parts = set[str](), set[str]()
        filled, met = False, list[Family]()
        started = time.process_time()
        for family, values in self.distinct(families, seen, parts):
            if self.compared and not family.real and self.every is not None and self.every.covers(values):
                continue
            judge = self.full if len(seen) == 1 or self.twin is None else self.twin
            judge.coverage.begin()
            proof = one_proof(judge.pair, values)
            self.narrow |= proof.narrow
            if judge is self.full:
                self.before, self.after = _larger(self.before, proof.before), _larger(self.after, proof.after)
            nothing = proof.error is not None and nothing_in(values, proof.error) and in_staged_body(proof.error)
            nothing = nothing and not family.real  # a caller that has no elements refutes
            self.remarks += [NOTHING] if nothing else []
            self.nothing = self.nothing or nothing or proof.empty
            if nothing or (not proof.same and proof.before is None and self.fails(judge, values)):
                continue
            if proof.beyond and family.label.startswith((*GUESSED, LONGER_AXES)) and self.compared:
                continue  # a guessed rank makes a carry grow on every trip; more rows are more equations
            if not proof.same:
                self.remarks += [proof.remark] if proof.remark else []
                if proof.differs and self.compared and shapes_of_parts(_numbers_aside(values)) <= parts:
                    self.apart = ", ".join(f"{n} = {v}" for n, v in values.items() if type(v) is int)
                return False
            parts |= shapes_of_parts(values)
            judge.coverage.traced()
            if proof.weaker and not without_elements(values):
                self.weaker = self.weaker or f"{describe(values)}: {WEAKER}"
            self.compared += [said] if (said := kinds_by_name(values)) not in self.compared else []
            self.note(proof, values)
            self.along = self.along or proof.along
            self.reordered = self.reordered or proof.order is not Order.AS_WRITTEN
            self.inexact = self.inexact or proof.order is Order.FREE
            self.ruled = self.ruled or proof.ruled
            first = all(family is not other for other in met)
            wide = not family.label.startswith("size 1 ")  # what has one element broadcasts
            if first and wide and proof.before and proof.after and proof.before > proof.after:
                if not without_elements(values) and (self.quickest is None or proof.before < self.quickest[0]):
                    self.quickest = proof.before, family
            met.append(family)
            filled = filled or not without_elements(values)
            if proof.empty and family.real:
                return False
            if proof.empty:
                self.remarks.append(EMPTY)
            if time.process_time() - started > PROOF_SECONDS:
                self.remarks.append(f"compared as programs for {len(seen)} of the shapes tried")
                break
        return filled

    def fails(self, judge: Judge, values: Values) -> bool:
        """Whether the old version gives no result for these arguments, so that nothing can be proved."""
        try:
            judge.pair.run_old(values)
        except Exception:  # noqa: BLE001
            return True
        except TookTooLong:
            return False
        return False

    def distinct(self, families: list[Family], seen: set[str], parts: set[str]) -> Iterator[tuple[Family, Values]]:
        """Inputs with the shape of an array or a static value that is not among the `parts` that were compared.

        The first, those of longer axes, then others; the first `TOGETHER` are compared whatever is new in them.
        """
        listed = [[(family, case) for case in family.cases] for family in families]
        longer = [pair for pairs in listed for pair in pairs if pair[0].label == LONGER_AXES]
        for family, case in filter(None, chain(listed[0][:1], longer, *zip_longest(*listed))):
            values = made(case)
            key = shape_of(values) if values is not None else ""
            if values is None or key in seen or len(seen) >= SHAPES:
                continue
            if shapes_of_parts(values) <= parts and len(seen) >= TOGETHER:
                continue
            seen.add(key)
            yield family, values


def _numbers_aside(values: Values) -> Values:
    return {name: value for name, value in values.items() if type(value) is not int}


def made(case: Case) -> Values | None:
    """The arguments of a case; None if a class of the code under test raises for these values."""
    try:
        return case.make()
    except Exception:  # noqa: BLE001 - whoever counts the cases sees that there are none
        return None


def _larger(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)
