"""The traced programs of both versions, compared on one input of each shape."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from ..proof.traced_pair import PROOF_SECONDS, nothing_in, one_proof, shape_of
from ..runtime.calling import TookTooLong, Values, without_elements
from ..runtime.jax_errors import in_staged_body
from ..search.case_values import Case, Family
from ..search.higher_ranks import GUESSED
from .agreement import describe, kinds
from .judge import EMPTY, NOTHING, Judge, Weaker
from .weak_types import WEAKER

SHAPES = 24


@dataclass
class ProgramComparison:
    """Compares the programs of both versions, or of their twins with short loops; and what that has shown so far.

    `before` and `after` are equation counts, `compared` the shapes for which the programs are equal. `along`: they were
    compared along the paths of the old version.
    """

    full: Judge
    twin: Judge | None
    before: int | None = None
    after: int | None = None
    along: bool = False
    remarks: list[str] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)

    def proved(self, families: list[Family]) -> bool:
        """Whether the programs are equal for all shapes and static values tried, first with loops of full length."""
        self.full.stage("comparing the traced programs")
        seen: set[str] = set()
        filled = False
        started = time.process_time()
        for family, values in self.distinct(families, seen):
            judge = self.full if len(seen) == 1 or self.twin is None else self.twin
            proof = one_proof(judge.pair, values)
            if judge is self.full:
                self.before, self.after = _larger(self.before, proof.before), _larger(self.after, proof.after)
            nothing = proof.error is not None and nothing_in(values, proof.error) and in_staged_body(proof.error)
            self.remarks += [NOTHING] if nothing else []
            if nothing or (not proof.same and proof.before is None and self.fails(judge, values)):
                continue
            if proof.beyond and family.label.startswith(GUESSED) and self.compared:
                continue  # a guessed rank makes a carry grow on every trip
            if not proof.same:
                return False
            if proof.weaker and not without_elements(values):
                raise Weaker(f"{describe(values)}: {WEAKER}")
            self.compared.append(kinds(values))
            self.along = self.along or proof.along
            filled = filled or families[0].real or not without_elements(values)
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

    def distinct(self, families: list[Family], seen: set[str]) -> Iterator[tuple[Family, Values]]:
        """One input of each shape, first one of each family."""
        listed = ([(family, case) for case in family.cases] for family in families)
        for family, case in filter(None, chain(*zip_longest(*listed))):
            values = made(case)
            key = shape_of(values) if values is not None else ""
            if values is None or key in seen or len(seen) >= SHAPES:
                continue
            seen.add(key)
            yield family, values


def made(case: Case) -> Values | None:
    """The arguments of a case; None if a class of the code under test raises for these values."""
    try:
        return case.make()
    except Exception:  # noqa: BLE001
        return None


def _larger(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)
