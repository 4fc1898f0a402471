"""Reaches a verdict: proves where possible, tests everywhere, and requires that every changed branch was run."""

from __future__ import annotations

import ast
import functools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeVar

from ..comparing.agreement import kinds_by_name, named_once
from ..comparing.branch_boundaries import ties_of_numbers, turns
from ..comparing.branch_cover import Coverage
from ..comparing.gradients import same_gradients, same_in_other_ways, still_finite
from ..comparing.judge import Judge, OtherKind, Raises, Refuted, Unfit, Unknown, Weaker
from ..comparing.reverse_mode import same_way_back
from ..proof.all_sizes import for_all_sizes
from ..proof.traced_pair import one_proof, traced_lines
from ..results.held_for import Held, held_for
from ..results.seen_results import unseen_results
from ..results.statements_reached import never_run
from ..runtime.calling import Values
from ..runtime.jax_functions import enable_x64, x64
from ..runtime.line_marks import Outcome, ReachedLines
from ..runtime.loading import Loaded, cut
from ..search.case_values import (
    GENTLE,
    GENTLE_POSITIVE,
    NEGATIVE,
    OTHERWISE,
    POSITIVE,
    Case,
    Family,
    Filling,
    cases,
    searching,
)
from ..search.edge_values import of_texts
from ..search.higher_ranks import BLAMED
from ..search.input_sources import REMEDY, Inputs
from ..search.longer_axes import LONGER_AXES
from ..search.other_dtypes import Retyping, halved, narrowed, of_complex
from ..search.text_numbers import TextNumbers
from ..search.uneven_lengths import uneven
from ..standing.optional_arguments import DEFAULTED
from .decided_by_python import compared_both_ways, equal_both_ways
from .dtypes_evaluated import same_types
from .edge_sweep import at_edges, defining, numbers_of
from .far_cases import run_far
from .far_counters import leaving, unless_far
from .ill_conditioned import same_where_sums_cancel
from .lists_of_rows import lists_of_rows
from .longer_alone import compared_longer
from .mixed_kinds import of_mixed_kinds
from .other_arguments import ALIKE, ONE_ELEMENT, OTHER_SHAPE, broadcasting, not_taken
from .other_dtypes_compared import same_in_other_types
from .program_comparison import ProgramComparison, made
from .python_numbers import numbers_of_python
from .trip_counts import enlarged
from .uniform_trips import alike

MAX_CASES = 48
MOST_AT_LENGTH = 12
PROVED_CASES = 5
TRACED_CASES = 2  # of programs that are only ever run as they were traced
RULED = 4  # inputs on which forward mode and second derivatives are compared
DERIVED = 1  # gradients that are compared for equal programs
CHOICES = frozenset(["cond", "where", "select", "switch", "stop_gradient"])
RULES = frozenset(["custom_jvp", "custom_vjp", "custom_gradient", "stop_gradient"])
"""What has derivatives that the operations do not tell."""
FULL_SECONDS = 0.6  # if the twins are run as well
SHORT_SECONDS = 4.0
SEARCH_SECONDS = 3.0
TURN_SECONDS = 2.0
NARROW_SECONDS = 3.0
PATIENCE = 10.0
LONG_SECONDS = 12.0
MAX_NAMED = 3
LARGE_HALVES = 300.0
FAR = (1e5, 1e20)  # values of which the tenth power, or the square, is too large for single precision
BEYOND = "beyond the numbers that only the new version is written with"
WITHOUT_ELEMENTS = "where there are no elements: the new version raises, or the result is of another type"
LONGER_ALONE = "where one array is longer than those beside it"
LOOPS = ast.For | ast.While | ast.comprehension
T = TypeVar("T")


MOST_SHORTEST = 12  # cases for the twins whose loops end on their first trips


@dataclass
class Weighing:
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
    head: str = ""  # the name of the module that the function is, or is part of
    shortest: Callable[[], Judge | None] = lambda: None  # twins whose long loops end on their first trips
    kinds: list[tuple[str, ...]] = field(default_factory=list)  # the arguments that the verdict rests on
    ran: list[tuple[str, ...]] = field(default_factory=list)  # those with which both versions were run

    def __post_init__(self) -> None:
        self.programs = ProgramComparison(self.full, self.twin)

    def spent(self) -> float:
        """Seconds of processor time since the weighing began."""
        return time.process_time() - self.started

    @property
    def judges(self) -> list[Judge]:
        return [j for j in (self.full, self.twin, self.wide) if j is not None]

    @property
    def cases(self) -> int:
        return sum(j.cases for j in self.judges)

    @property
    def max_error(self) -> float:
        return max(j.max_error for j in self.judges)

    @property
    def notes(self) -> list[str]:
        late = list(dict.fromkeys(label for j in self.judges for label in j.late))
        more = f" and {len(late) - 1} more" if len(late) > 1 else ""
        slow = [f"{late[0]}{more}: the old version took too long; not compared"] if late else []
        return [*self.programs.remarks, *self.remarks, *(n for j in self.judges for n in j.notes), *slow]

    def verdict(self, families: list[Family]) -> str:
        """ "proved" or "tested"; raises Refuted or Unknown."""
        with self.taken.watching():
            return self.weighed(families)

    def weighed(self, families: list[Family]) -> str:
        self.try_blamed(families)
        numbers = numbers_of(self.full)
        large = list(enlarged(families, self.inputs.constants()[1], numbers.limits))
        self.programs.every = for_all_sizes(self.full.pair, made(families[0].cases[0]))
        telling = [e for e in large if e.limit] if self.programs.for_all or self.trips_are_alike() else large
        self.equal = self.programs.proved(families, telling)
        self.proved = proved = self.equal and equal_both_ways(self, families) and not self.passed_over(families)
        small = self.programs.small() if proved and self.full.traced and not families[0].real else None
        run = families if small is None else [small]
        self.try_all(run)
        if proved and not self.full.cases and small is not None:
            self.try_all(families)
        far = [e for e in (telling if proved else large) if not (proved and self.programs.holds_for(e))]
        self.settle(run_far(self, families, far, proved=proved), BEYOND)
        if self.programs.apart:
            told = "both versions are the same program for small numbers, and not for"
            raise Unknown(f"{told} {self.programs.apart}: no input tried shows what that changes; {REMEDY}")
        if self.full.free:
            self.settle(not self.programs.nothing, WITHOUT_ELEMENTS)
        self.strongly_typed()
        if not self.full.cases:
            failures = [f for j in (self.full, self.twin) if j is not None for f in j.failures]
            why = (
                failures[0] if failures else "the old version took too long" if self.cases else "no case ran to its end"
            )
            raise Unknown(f"no input gave a result to compare: {why}; {REMEDY}")
        if not any(j.filled for j in self.judges) and not families[0].real:
            raise Unknown(f"the versions could only be compared on arrays without elements; {REMEDY}")
        seen = [case for judge in self.judges for case in judge.told]
        if unseen := unseen_results(seen, effects=any(judge.effects for judge in self.judges), proved=proved):
            raise Unknown(f"{unseen}; {REMEDY}")
        if not proved:
            self.in_time("where tests come out otherwise", lambda: compared_both_ways(self, families))
            self.cover(families, numbers)
        self.in_time("at edge values", lambda: self.settle(at_edges(self, families, numbers), BEYOND))
        tried = self.full.skipped + self.full.cases
        if not proved and self.full.skipped and (self.full.ordinary == 0 or tried > 4 * self.full.cases):
            raise Unknown(f"rounding decides the result on {self.full.skipped} of {tried} inputs tried; {REMEDY}")
        if not proved and self.full.free:
            self.new_statements(families)
        if not proved:
            self.in_time("between the ways that inputs take", lambda: self.quickly(self.turned))
        self.traceable()
        family = self.short(run)
        self.reversible(family)
        same = proved and self.straight() and not self.programs.reordered
        if self.programs.ruled or not same:
            self.derivatives(family, DERIVED if same else None, families)
        if not same and not self.straight():
            self.in_time("far from zero", lambda: self.differentiable_far_out(families))
        if not proved:
            self.in_time("under vmap", lambda: self.quickly(lambda judge: judge.batched(family.cases[0])))
        self.unevenly(families)
        if not families[0].real:
            self.in_time("with one array longer", lambda: self.settle(compared_longer(self, families), LONGER_ALONE))
        self.in_time("for numbers and lists of Python", lambda: self.of_python(families))
        self.in_time("for other dtypes", lambda: self.typed(families))
        self.in_time("for complex numbers", lambda: self.complex(families))
        self.narrowed(families, proved)
        if not proved:
            self.in_time("for long arrays in half precision", lambda: self.halved(families))
        self.strongly_typed()
        self.widened(families, proved)
        self.in_time("where sums cancel", lambda: self.cancelling(families))
        proved = self.counted(families) and proved and not self.unsettled
        self.traceable()
        if self.twin is not None and self.twin.cases:
            self.remarks.append(f"{self.twin.cases} of the inputs were tried with the long loops cut short")
        self.ran = list(dict.fromkeys(kinds_by_name(values) for judge in self.judges for _, values, _ in judge.ran))
        self.kinds = shapes = self.programs.compared if proved else self.ran
        more = f"; and {len(shapes) - MAX_NAMED} more" if len(shapes) > MAX_NAMED else ""
        self.remarks += self.programs.told() if proved else []
        if self.programs.reordered or (not proved and self.resummed()):
            order = "terms are taken in another order: the same in exact arithmetic"
            self.remarks.append(f"{order}, results differ by up to {self.max_error:.1e}")
        head = "the same program for" if proved else "inputs tried:"
        self.remarks += [f"{head} {named_once(shapes[:MAX_NAMED])}{more}"] if shapes else []
        return "proved" if proved and not self.fades and not self.programs.inexact else "tested"

    def held_for(self, verdict: str) -> Held:
        """What a verdict holds for; a proof by induction over the trips, or without loops, for all numbers of them."""
        typed = {dtype for judge in self.judges for dtype in judge.typed}
        counts = self.programs.counts.keys()
        old = self.full.pair.old.function
        loops = old is None or any(isinstance(n, LOOPS) for n in ast.walk(old))
        known = self.programs.every
        free = bool(self.programs.any - counts) or (known is not None and known.complete)
        every = verdict == "proved" and (not loops or free)
        compared = chain.from_iterable(judge.compared for judge in self.judges)
        kinds = list(dict.fromkeys([*self.kinds, *self.ran, *compared]))
        return held_for(kinds, sorted(typed), "all" if every else self.coverage.trips, self.remarks)

    def evidence(self) -> list[str]:
        """What the verdict rests on, a line each: programs that are equal, and what was run."""
        equal = self.programs.compared
        return [
            *(
                f"{'the same program' if kinds in equal else 'inputs tried'}: {', '.join(kinds)}"
                for kinds in self.kinds
            ),
            *self.programs.told(),
            *self.unsaid(),
            f"both versions were run on {self.cases} inputs",
        ]

    def unsaid(self) -> list[str]:
        """Why nothing is proved for all sizes."""
        every = self.programs.every
        return [f"not proved for all sizes: {every.proof.reason}"] if every is not None and every.proof.reason else []

    def traceable(self) -> None:
        """Raise Unknown where neither version can be traced: nothing that is traced or differentiated tells more."""
        if any(judge.partial for judge in self.judges):
            stuck = dict.fromkeys(judge.stuck for judge in self.judges if judge.stuck)
            named = f": {', '.join(stuck)}" if stuck else ""
            raise Unknown(f"the versions agree, but other places still keep the function from being traced{named}")

    def trips_are_alike(self) -> bool:
        """Whether the loops of both versions do the same on each trip: a late one shows no more than an early one."""
        versions = (self.full.pair.old, self.full.pair.new)
        return bool(self.head) and all(alike(cut(ast.parse(v.text), {self.head})) for v in versions)

    def settle(self, same: bool, where: str) -> None:
        """Note where equal programs say nothing, and no input tried shows a difference."""
        if self.proved and not same:
            self.unsettled = True
            self.remarks.append(f"not proved {where}")

    def counted(self, families: list[Family]) -> bool:
        """Whether counters of 32 bits do for loops of all lengths; raises Unknown where they do not for usual ones."""
        values = made(families[0].cases[0])
        if values is None or self.late():
            return True
        found = leaving(self.full.pair, values, (self.twin or self.full).pair)
        said = unless_far(found, whole=self.full.cases > 0 and self.twin is None)
        self.remarks += [said] if said else []
        return not said

    def passed_over(self, families: list[Family]) -> bool:
        """Whether a statement of versions as they stand was not traced: equal programs prove nothing of it."""
        left = self.untaken(families) if self.full.free else []
        self.remarks += [f"not proved: no input reaches line {left[0][1]} of the {left[0][0]} version"] if left else []
        return bool(left)

    def untaken(self, families: list[Family]) -> list[tuple[str, int]]:
        """The statements of both versions that no input reached, by version and line."""
        left = self.left()
        for values in filter(None, (made(family.cases[0]) for family in families if left)):
            traced_lines(self.full.pair, values)  # what was traced before is not traced again
        return self.left() if left else []

    def left(self) -> list[tuple[str, int]]:
        """The same, as far as is known."""
        pair = self.full.pair
        sides = ("old", pair.old, "before"), ("new", pair.new, "after")
        return [
            (n, line) for n, v, mark in sides for line in never_run(v.function, v.tree, self.taken.of.get(mark, ()))
        ]

    def in_time(self, where: str, action: Callable[[], None]) -> None:
        """Compare more, unless little of the task's time is left."""
        if self.late():
            self.remarks.append(f"not compared {where}: each run takes seconds")
        else:
            action()

    def compared(self, case: Case) -> bool:
        """Whether a case could be compared, on the twins if there are any."""
        return self.quickly(lambda judge: judge.check(case))

    def is_late(self) -> bool:
        return self.late()

    def quickly(self, action: Callable[[Judge], T]) -> T:
        """Compare the twins if there are any; a difference between them is checked on the versions themselves."""
        if self.twin is not None:
            try:
                return action(self.twin)
            except Refuted:
                self.twin.cases, self.twin = 0, None
        return action(self.full)

    def try_all(self, families: list[Family]) -> None:
        """Run the cases within their time limits: the most trusted and most telling first."""
        for at, family in enumerate(families):
            slow = self.late() or (not family.real and self.spent() > LONG_SECONDS)
            if at and slow and self.full.cases > 1:
                self.remarks.append("fewer sizes were tried: each run takes seconds")
                return
            few = TRACED_CASES if self.full.traced else PROVED_CASES
            limit = (few if at == 0 or (families[0].real and at == 1) else 0) if self.proved else MAX_CASES
            if family.label:
                limit = min(limit, MOST_AT_LENGTH if family.label.startswith(LONGER_AXES) else 2)
            try:
                if family.real or at == 0:
                    self.run(family, limit, self.full.check, FULL_SECONDS if self.twin is not None else SHORT_SECONDS)
                    for modes in (GENTLE, GENTLE_POSITIVE):
                        if self.full.slow and not self.full.cases and self.gentler(families, modes):
                            self.run(family, limit, self.full.check, SHORT_SECONDS)
                    if self.full.slow and not self.full.cases:
                        self.smallest(family)
                if self.twin is not None or not (family.real or at == 0):
                    self.run(family, limit, lambda c, w: self.quickly(lambda judge: judge.check(c, w)), SHORT_SECONDS)
            except (Raises, OtherKind) as error:
                if family.real or not families[0].real:
                    raise
                # No caller passes these sizes or values, so an error on them is only noted.
                if not any(f.specs is None and not f.real for f in families):
                    self.remarks.append(f"on inputs that no caller in this file passes: {error}")
                family.specs = None

    def try_blamed(self, families: list[Family]) -> None:
        """Run first what only the new version was found to reject: nothing else is run where that refutes it."""
        judge = self.twin or self.full
        for family in families if not families[0].real else ():
            if family.label.startswith(BLAMED):
                before = judge.cases
                self.quickly(lambda one, family=family: one.check(family.cases[0], family.label))  # type: ignore[misc]
                judge.cases = before  # what is only done for the first case is done for the first one of all

    def run(self, family: Family, limit: int, check: Callable[[Case, str], bool], seconds: float) -> None:
        """Run the first cases of a family: at least two, more if there is time, one more if no result was finite.

        Of equal programs few are run: where rounding decided all of them, others are.
        """
        started, good, blank = time.process_time(), 0, sum(j.blank for j in self.judges)
        for at, case in enumerate(family.cases):
            blanks = at == limit and good and sum(j.blank for j in self.judges) - blank == good
            others = self.proved and not good and 0 < limit <= at < MOST_AT_LENGTH
            if at >= limit and not (blanks or others):
                return
            spent = time.process_time() - started
            if self.cases >= 2 * MAX_CASES or spent > seconds * (1 if good > 1 else 4 if good else 12):
                return
            if good > 1 and self.late():
                return
            good += check(case, family.label)
            if not good and self.full.slow and check == self.full.check:
                return

    def gentler(self, families: list[Family], modes: Sequence[Filling]) -> bool:
        """Use small values, on which more iterations converge, if a `while` of the old version does not end."""
        made = [f for f in families if f.specs is not None and not f.real]
        old = self.full.pair.old.function
        if old is None or not any(isinstance(n, ast.While) for n in ast.walk(old)):
            return False
        _, integers = self.inputs.constants()
        for family in made:
            family.cases = list(cases(family.specs or {}, iter(modes), integers))
        self.full.slow = False
        return bool(made)

    def smallest(self, family: Family) -> None:
        """Use the smallest sizes that the old version accepts, with more patience, if its runs are slow."""
        specs = self.inputs.smallest(family.specs) if family.specs is not None else None
        if specs is not None:
            _, integers = self.inputs.constants()
            small = Family("smallest sizes", specs, list(cases(specs, iter([Filling("ordinary values")]), integers)))
            self.full.pair.pace.patience = PATIENCE
            self.run(small, 1, self.full.check, SHORT_SECONDS)

    def cover(self, families: list[Family], numbers: TextNumbers) -> None:
        """Require that every changed branch of the old version was taken; search for inputs that take the rest."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        floats, integers = self.inputs.constants()
        self.take_other_choices(families[0])
        started = time.process_time()
        if self.coverage.missing() and specs is not None:
            self.full.stage("searching for inputs that take every branch")
            longer = next((f.specs for f in families if f.label.startswith(LONGER_AXES)), None) or specs
            for case in chain(of_texts(longer, numbers), cases(specs, searching(floats), integers)):
                self.quickly(lambda judge, case=case: judge.check(case))  # type: ignore[misc]
                if not self.coverage.missing() or time.process_time() - started > SEARCH_SECONDS:
                    break
        if self.coverage.missing() and not self.late() and (shortest := self.shortest()) is not None:
            for case in islice((c for f in families for c in f.cases), MOST_SHORTEST):
                if self.coverage.missing():
                    shortest.check(case)
        missing = self.coverage.missing()
        if missing:
            raise Unknown(f"{missing[0]} never taken by the inputs tried; {REMEDY}")

    def new_statements(self, families: list[Family]) -> None:
        """Require that the statements which the new version alone has were run; raises Unknown."""
        known = set(self.full.pair.old.text.splitlines())
        text = self.full.pair.new.text.splitlines()
        lines = [line for name, line in self.untaken(families) if name == "new" and text[line - 1] not in known]
        if lines:
            raise Unknown(f"line {lines[0]} of the new version was never run by the inputs tried; {REMEDY}")

    def take_other_choices(self, family: Family) -> None:
        """Run real calls with another mode or truth value that earlier stages had no time for."""
        started = time.process_time()
        for case in (c for c in family.cases if c.label.startswith(OTHERWISE)):
            if not self.coverage.missing() or time.process_time() - started > SEARCH_SECONDS:
                return
            self.quickly(lambda judge, case=case: judge.check(case))  # type: ignore[misc]

    def turned(self, judge: Judge) -> None:
        """Run cases at the boundaries between the paths that inputs took."""
        judge.stage("searching for the boundaries of the tests")
        started = time.process_time()
        for case in chain(ties_of_numbers(judge), turns(judge)):
            judge.check(case)
            if time.process_time() - started > TURN_SECONDS:
                return

    def short(self, families: list[Family]) -> Family:
        """The family whose cases are made from specs: the quickest to run."""
        return next((f for f in families if f.specs is not None), families[0])

    def straight(self) -> bool:
        """Whether both versions use the same branching operations: each is differentiated in its own way."""
        before, after = (
            Counter(n for n in _names(version.tree) if n in CHOICES)
            for version in (self.full.pair.old, self.full.pair.new)
        )
        return before == after

    def resummed(self) -> bool:
        """Whether the new version reduces arrays where the old one added one value after the other."""
        before, after = (
            sum(isinstance(n, ast.Attribute) and n.attr == "sum" for n in ast.walk(version.tree))
            for version in (self.full.pair.old, self.full.pair.new)
        )
        return after > before

    def reversible(self, family: Family) -> None:
        """Require that reverse-mode differentiation is not lost, whoever calls the function."""
        if family.smooth:
            self.quickly(lambda judge: same_way_back(judge, family.smooth[0]))

    def derivatives(self, family: Family, most: int | None, families: list[Family]) -> None:
        """Compare the gradients on the `most` telling inputs; what has rules of its own on long axes too."""
        started, pair = time.process_time(), self.full.pair
        ruled = any(not RULES.isdisjoint(_names(version.tree)) for version in (pair.old, pair.new))
        longer = next((f for f in families if f.label.startswith(LONGER_AXES) and f is not family), None)
        smooth = [*(longer.smooth[:1] if ruled and longer is not None else []), *family.smooth[:most]]
        if ruled and self.full.free and family.specs is not None:  # rules are written for where there is no derivative
            zeros = cases(family.specs, iter([Filling("zeros", fill=0.0)]), self.inputs.constants()[1])
            smooth += [Case(case.label, case.make, ordinary=False) for case in zeros]
        for at, case in enumerate(smooth):
            if self.late() and not self.full.differentiated:
                self.remarks.append(f"gradients were compared on {at or 'no'} inputs: each takes seconds")
                return
            compared = self.quickly(lambda judge, case=case: same_gradients(judge, case))  # type: ignore[misc]
            if (at == 0 and not self.proved) or (ruled and at < RULED):
                self.quickly(functools.partial(same_in_other_ways, case=case, ruled=ruled))
            if not compared and at == 0:
                return
            if time.process_time() - started > SHORT_SECONDS:
                self.remarks.append(f"gradients were compared on {at + 1} inputs only: each takes seconds")
                return

    def of_python(self, families: list[Family]) -> None:
        """Compare for lists of rows, and for numbers where versions as they stand take arrays without axes."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        if specs is None or families[0].real:
            return
        self.remarks += lists_of_rows(self.full, specs)
        if self.full.free:
            self.remarks += numbers_of_python(self.full, specs)

    def typed(self, families: list[Family]) -> None:
        """Compare the types of results for other dtypes of arrays, unless the user specified the types."""
        family = next((f for f in families if f.specs is not None), None)
        if family is not None and family.specs is not None and not family.real:
            specs = family.specs
            defaulted = (f.specs for f in families if f.specs is not None and f.label.startswith(DEFAULTED))
            for other in (specs, *islice(defaulted, 1)):
                self.remarks += self.quickly(lambda judge, other=other: same_types(judge, other, wide=False))  # type: ignore[misc]
            self.remarks += self.quickly(lambda judge: of_mixed_kinds(judge, specs))
            self.remarks += not_taken(self.inputs, self.full.pair.after, specs)
            self.broadcast(families)

    def broadcast(self, families: list[Family]) -> None:
        """Compare where one array has one element; that the new version takes no such is said."""
        known = [f.specs for f in families if f.specs is not None and not f.real]
        for name, specs in broadcasting(self.inputs, known):
            if (failure := self.inputs.attempt(specs, self.full.pair.after)) is not None:
                self.remarks.append(f"{ALIKE}: with one element in `{name}` the new version raises {failure.kind}")
                continue
            for case in cases(specs, iter((POSITIVE, NEGATIVE)), self.inputs.constants()[1]):
                try:
                    self.compared(Case(f"one element in `{name}`, {case.label}", case.make, ordinary=False))
                except Refuted as error:
                    if not isinstance(error, Raises) and OTHER_SHAPE not in str(error):
                        raise
                    self.remarks.append(f"{ALIKE}: {error}" if isinstance(error, Raises) else ONE_ELEMENT.format(name))
                    break

    def cancelling(self, families: list[Family]) -> None:
        """Compare where sums cancel, unless the programs add in the same order."""
        family = next((f for f in families if f.specs is not None), None)
        if family is not None and family.specs is not None and (not self.proved or self.programs.inexact):
            specs = family.specs
            self.quickly(lambda judge: same_where_sums_cancel(judge, specs))

    def differentiable_far_out(self, families: list[Family]) -> None:
        """Compare where gradients are numbers, for values whose powers and products leave their type."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        if specs is None or families[0].real:
            return
        chosen = [Filling(f"values of about {scale:g}", seed=seed, scale=scale) for scale in FAR for seed in (0, 1, 2)]
        for case in cases(specs, iter(chosen), self.inputs.constants()[1]):
            self.quickly(lambda judge, case=case: still_finite(judge, case))  # type: ignore[misc]

    def strongly_typed(self) -> None:
        """Raise Weaker if a result has become weakly typed."""
        lost = self.programs.weaker or next((text for judge in self.judges if (text := judge.weakness.lost())), "")
        if lost and not self.full.free:
            raise Weaker(lost)
        self.remarks += [f"only the dtype is another kind: {lost}"] if lost else []

    def unevenly(self, families: list[Family]) -> None:
        """Compare where what a loop goes over side by side differs in length, if the old version takes that."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        old = self.full.pair.old.function
        for case in uneven(specs, old) if specs is not None and old is not None and not self.late() else ():
            try:
                self.quickly(lambda judge, case=case: judge.check(case))  # type: ignore[misc]
            except Raises as error:  # the loop stops at the end of the shortest: said, for callers may never pass such
                self.remarks.append(f"{ALIKE}: {error}")

    def narrowed(self, families: list[Family], proved: bool) -> None:
        """Compare with each argument in half precision and in whole numbers, unless the user specified the types."""
        family = next((f for f in families if f.specs is not None), None)
        if family is None or family.specs is None or family.real:
            return
        if self.late() or self.spent() > LONG_SECONDS:
            self.remarks.append("not compared in half precision: each run takes seconds")
            return
        started, (_, integers) = time.process_time(), self.inputs.constants()
        for specs, kind in narrowed(family.specs):
            if time.process_time() - started > NARROW_SECONDS:
                return
            chosen = [Filling("ordinary values"), Filling("other values", seed=1, mixed=True)]
            for values in filter(None, map(made, cases(specs, iter(chosen), integers))):
                told = proved and not (self.programs.along and kind is Retyping.WHOLE)
                differs = False
                if told:  # else running is quicker than comparing paths
                    proof = one_proof((self.twin or self.full).pair, values)
                    if proof.same and not proof.weaker:
                        break
                    if proof.untraced and kind is not Retyping.ALL:
                        continue
                    differs = proof.differs and kind is Retyping.ALL and self.full.free
                if remark := self.retyped(values, kind):
                    self.remarks.append(remark)
                    break
                self.settle(not differs, f"for {kinds_by_name(values)[0]}")
            if not proved and kind is Retyping.ALL:  # products of them leave half precision, where others do not
                for values in filter(None, map(made, cases(specs, iter([Filling("", scale=LARGE_HALVES)]), integers))):
                    self.retyped(values, kind)

    def complex(self, families: list[Family]) -> None:
        """Compare for complex numbers where a text takes such apart."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        other = of_complex(specs or {}, defining(self.full.pair.old) + defining(self.full.pair.new))
        if other is None or other == specs or families[0].real or self.inputs.attempt(other) is not None:
            return
        for case in cases(other, iter((Filling("ordinary values"), NEGATIVE)), self.inputs.constants()[1]):
            values = made(case)
            if values is not None and not (self.proved and one_proof(self.full.pair, values).same):
                try:
                    self.compared(Case("complex numbers", case.make, ordinary=False))
                except Raises as error:
                    self.remarks.append(f"the new version raises for complex64: {error}")
                    return

    def halved(self, families: list[Family]) -> None:
        """Compare sums of many numbers in half precision, where a text says in which type it computes."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        pair, (_, integers) = self.full.pair, self.inputs.constants()
        texts = defining(pair.old) + defining(pair.new) if self.full.free and specs is not None else []
        started = time.process_time()
        for short, filling in halved(specs or {}, texts):
            if time.process_time() - started < NARROW_SECONDS and self.inputs.attempt(short) is None:
                for values in filter(None, map(made, cases(short, iter([filling]), integers))):
                    self.remarks += filter(None, [self.retyped(values, Retyping.ALL)])

    def retyped(self, values: Values, kind: Retyping) -> str:
        """A remark on arguments of another type; what differs only where precisions are mixed refutes nothing."""
        try:
            return self.quickly(lambda judge: same_in_other_types(judge, values, kind, along=self.programs.along))
        except Unfit as error:
            return error.remark
        except Weaker as error:
            if kind is not Retyping.ONE:
                raise
            self.fades = True
            return f"only where precisions are mixed: {error}"

    def widened(self, families: list[Family], proved: bool) -> None:
        """Compare the first cases with 64-bit types."""
        family = next((f for f in families if f.specs is not None), None)
        if family is None or family.specs is None or x64():
            return
        if self.spent() > LONG_SECONDS or self.late():
            self.remarks.append("not compared with x64: each run takes seconds")
            return
        enable_x64(True)
        try:
            self.wide = wide = self.widen(self.twin or self.full, self.full.pair.old)
            chosen = [Filling("ordinary values"), Filling("other values", seed=1, scale=3.0, turn=1, mixed=True)]
            for case in cases(family.specs, iter(chosen), self.inputs.constants()[1], wide=True):
                values = made(case)
                if values is not None and not (proved and one_proof(wide.pair, values).same):
                    wide.check(case, "with x64")
            if not family.real:
                self.remarks += same_types(wide, family.specs, wide=True)
        except Refuted as error:
            if not (isinstance(error, Raises) and error.of_carried_types and self.inputs.narrow()):
                raise Refuted(f"with x64 enabled: {error}") from error
            self.remarks.append(f"its types of 32 bits keep it from running with x64 enabled: {error}")
        except Unknown as error:
            self.remarks.append(f"not compared with x64: {error}")
        finally:
            enable_x64(False)

    def measurable(self, families: list[Family]) -> Case:
        return families[0].cases[0]


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name):
                yield name
