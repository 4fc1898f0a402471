"""Both versions of a function, and what running them has shown: the most trusted and most telling inputs first."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ...comparing.branch_cover import Coverage
from ...comparing.judge import Judge
from ...comparing.refutations import OtherKind, Raises, Refuted
from ...infer.specs import Specs
from ...runtime.line_marks import Outcome, ReachedLines
from ...runtime.loading import Loaded
from ...search.case_values import GENTLE, GENTLE_POSITIVE, Case, Family, Filling, cases
from ...search.further_ranks import BLAMED
from ...search.input_sources import Inputs
from ...search.longer_axes import LONGER_AXES
from ..program_comparison import ProgramComparison

LONG_SECONDS = 12.0
SHORT_SECONDS = 4.0
MAX_CASES = 48
MOST_AT_LENGTH = 12
PROVED_CASES = 5
TRACED_CASES = 2  # of programs that are only ever run as they were traced
FULL_SECONDS = 0.6  # if the twins are run as well
PATIENCE = 10.0
T = TypeVar("T")


@dataclass
class WeighedPair:
    """Both versions, their twins with short loops if loops are long, and the evidence so far.

    `fades`: the versions differ where one argument alone has half precision. `equal`: the programs are equal for the
    shapes that are tried first, `proved`: whatever is decided in Python; `unsettled`: not for all arguments that may be
    passed.
    """

    full: Judge
    twin: Judge | None
    inputs: Inputs
    coverage: Coverage
    widen: Callable[[Judge, Loaded], Judge]
    wide: Judge | None = None
    programs: ProgramComparison = field(init=False)
    fades: bool = False
    equal: bool = False
    proved: bool = False
    unsettled: bool = False
    remarks: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.process_time)
    taken: ReachedLines = field(default_factory=ReachedLines)
    sought: set[Outcome] = field(default_factory=set)
    late: Callable[[], bool] = lambda: False  # whether most of the task's time is spent
    shortest: Callable[[], Judge | None] = lambda: None  # twins whose long loops end on their first trips

    def __post_init__(self) -> None:
        self.programs = ProgramComparison(self.full, self.twin)

    @property
    def judges(self) -> list[Judge]:
        return [j for j in (self.full, self.twin, self.wide) if j is not None]

    @property
    def cases(self) -> int:
        return sum(j.cases for j in self.judges)

    @property
    def integers(self) -> list[int]:
        """The whole numbers in comparisons and limits of the function."""
        return self.inputs.constants()[1]

    def is_slow(self) -> bool:
        """Most of the task's time is spent, or more than some checks are worth."""
        return self.late() or time.process_time() - self.started > LONG_SECONDS

    def settle(self, same: bool, where: str) -> None:
        """Note where equal programs say nothing, and no input tried shows a difference."""
        if self.proved and not same:
            self.unsettled = True
            self.remarks.append(f"not proved {where}")

    def compared(self, case: Case, label: str = "") -> bool:
        """Whether a case could be compared, on the twins if there are any."""
        return self.quickly(lambda judge: judge.check(case, label))

    def quickly(self, action: Callable[[Judge], T]) -> T:
        """Compare the twins if there are any; a difference between them is checked on the versions themselves."""
        if self.twin is not None:
            try:
                return action(self.twin)
            except Refuted:
                self.twin.cases, self.twin = 0, None
        return action(self.full)


def first_specs(families: Sequence[Family]) -> Specs | None:
    """The specs of the first family that is made from such: the quickest to run."""
    return next((f.specs for f in families if f.specs is not None), None)


def guessed_specs(families: Sequence[Family]) -> Specs | None:
    """The first specs, unless the first inputs are those of the user or of a caller."""
    return None if families[0].real else first_specs(families)


def try_blamed(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Run first what only the new version was found to reject: nothing else is run where that refutes it."""
    judge = weighing.twin or weighing.full
    for family in families if not families[0].real else ():
        if family.label.startswith(BLAMED):
            before = judge.cases
            weighing.compared(family.cases[0], family.label)
            judge.cases = before  # what is only done for the first case is done for the first one of all


def try_all(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Run the cases of all families, of equal programs few."""
    for at, family in enumerate(families):
        slow = weighing.late() or (not family.real and weighing.is_slow())
        if at and slow and weighing.full.cases > 1:
            weighing.remarks.append("fewer sizes were tried: each run takes seconds")
            return
        try:
            _try(weighing, families, family, first=at == 0, limit=_limit(weighing, families, at))
        except (Raises, OtherKind) as error:
            if family.real or not families[0].real:
                raise
            # No caller passes these sizes or values, so an error on them is only noted.
            if not any(f.specs is None and not f.real for f in families):
                weighing.remarks.append(f"on inputs that no caller in this file passes: {error}")
            family.specs = None


def _limit(weighing: WeighedPair, families: Sequence[Family], at: int) -> int:
    """How many cases of a family are run."""
    label, limit = families[at].label, MAX_CASES
    if weighing.proved:
        few = TRACED_CASES if weighing.full.traced else PROVED_CASES
        limit = few if at == 0 or (families[0].real and at == 1) else 0
    return min(limit, MOST_AT_LENGTH if label.startswith(LONGER_AXES) else 2) if label else limit


def _try(weighing: WeighedPair, families: Sequence[Family], family: Family, *, first: bool, limit: int) -> None:
    """Run one family on the versions themselves if it is trusted, and on the twins."""
    full, whole = weighing.full, family.real or first
    if whole:
        _run(weighing, family, limit, full.check, FULL_SECONDS if weighing.twin is not None else SHORT_SECONDS)
        for modes in (GENTLE, GENTLE_POSITIVE):
            if full.slow and not full.cases and _gentler(weighing, families, modes):
                _run(weighing, family, limit, full.check, SHORT_SECONDS)
        if full.slow and not full.cases:
            _smallest(weighing, family)
    if weighing.twin is not None or not whole:
        _run(weighing, family, limit, weighing.compared, SHORT_SECONDS)


def _run(weighing: WeighedPair, family: Family, limit: int, check: Callable[[Case, str], bool], seconds: float) -> None:
    """Run the first cases of a family: at least two, more if there is time, one more if no result was finite.

    Of equal programs few are run: where rounding decided all of them, others are.
    """
    full = weighing.full
    started, good, blank = time.process_time(), 0, sum(j.blank for j in weighing.judges)
    for at, case in enumerate(family.cases):
        blanks = at == limit and good and sum(j.blank for j in weighing.judges) - blank == good
        others = weighing.proved and not good and 0 < limit <= at < MOST_AT_LENGTH
        if at >= limit and not (blanks or others):
            return
        spent = time.process_time() - started
        if weighing.cases >= 2 * MAX_CASES or spent > seconds * (1 if good > 1 else 4 if good else 12):
            return
        if good > 1 and weighing.late():
            return
        good += check(case, family.label)
        if not good and full.slow and check == full.check:
            return


def _gentler(weighing: WeighedPair, families: Sequence[Family], modes: Sequence[Filling]) -> bool:
    """Use small values, on which more iterations converge, if a `while` of the old version does not end."""
    made = [f for f in families if f.specs is not None and not f.real]
    old = weighing.full.pair.old.function
    if old is None or not any(isinstance(n, ast.While) for n in ast.walk(old)):
        return False
    for family in made:
        family.cases = list(cases(family.specs or {}, iter(modes), weighing.integers))
    weighing.full.slow = False
    return bool(made)


def _smallest(weighing: WeighedPair, family: Family) -> None:
    """Use the smallest sizes that the old version accepts, with more patience, if its runs are slow."""
    specs = weighing.inputs.smallest(family.specs) if family.specs is not None else None
    if specs is not None:
        listed = cases(specs, iter([Filling("ordinary values")]), weighing.integers)
        weighing.full.pair.pace.patience = PATIENCE
        _run(weighing, Family("smallest sizes", specs, list(listed)), 1, weighing.full.check, SHORT_SECONDS)
