"""Reaches a verdict: proves where possible, tests everywhere, and requires that every changed branch was run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ..comparing.agreement import kinds_by_name, named_once
from ..comparing.branch_boundaries import ties_of_numbers, turns
from ..comparing.judge import Judge
from ..comparing.refutations import Unknown, Weaker
from ..comparing.vmapped import same_in_batches
from ..proof.all_sizes import for_all_sizes
from ..proof.traced_pair import traced_lines
from ..results.held_for import Held, held_for
from ..results.seen_results import unseen_results
from ..results.statements_reached import never_run
from ..runtime.calling import jitted
from ..runtime.free_names import has_loop
from ..search.case_values import OTHERWISE, Case, Family, cases, searching
from ..search.edge_values import of_texts
from ..search.input_sources import REMEDY
from ..search.longer_axes import LONGER_AXES
from ..search.text_numbers import TextNumbers
from .decided_by_python import compared_both_ways, equal_both_ways, seen_both_ways
from .edge_sweep import at_edges, numbers_of
from .far_cases import leaving, run_far, unless_far, wraps_with_numbers
from .longer_alone import compared_longer
from .program_comparison import made
from .stages.derivatives_compared import (
    derivatives,
    differentiable_far_out,
    resummed,
    reversible,
    ruled_alike,
    straight,
)
from .stages.other_types import (
    cancelling,
    in_64_bits,
    in_fewer_bits,
    in_half_precision,
    of_complex_numbers,
    of_other_numbers,
    of_python,
    typed,
)
from .stages.weighed_pair import WeighedPair, first_specs, try_all, try_blamed
from .trip_counts import enlarged, negative

DERIVED = 1  # gradients that are compared for equal programs
MAX_NAMED = 3
BEYOND = "beyond the numbers that only the new version is written with"
WRAPPING = "for whole numbers of which Python computes what leaves 32 bits"
WITHOUT_ELEMENTS = "where there are no elements: the new version raises, or the result is of another type"
LONGER_ALONE = "where one array is longer than those beside it"
SEARCH_SECONDS = 3.0
TURN_SECONDS = 2.0
MOST_SHORTEST = 12  # cases for the twins whose loops end on their first trips


@dataclass
class Weighing(WeighedPair):
    """The evidence on both versions, gathered stage by stage.

    `kinds`: the arguments that the verdict rests on; `ran`: those with which both versions were run.
    """

    kinds: list[tuple[str, ...]] = field(default_factory=list)
    ran: list[tuple[str, ...]] = field(default_factory=list)

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
            run = self._run(families)
            self._compare(families, run)
            return self._verdict(families)

    def _run(self, families: list[Family]) -> list[Family]:
        """Prove and run; the families that were run. Raises Unknown where nothing could be compared."""
        try_blamed(self, families)
        large = list(enlarged(families, self.integers, numbers_of(self.full).limits))
        self.programs.every = for_all_sizes(self.full.pair, made(families[0].cases[0]))
        below = list(negative(families, self.integers))
        self.equal = self.programs.proved(families, [*large, *below])
        self.proved = self.equal and equal_both_ways(self, families) and not passed_over(self, families)
        small = self.programs.small() if self.proved and self.full.traced and not families[0].real else None
        run = families if small is None else [small]
        try_all(self, run)
        if self.proved and not self.full.cases and small is not None:
            try_all(self, families)
        far = [e for e in large if not (self.proved and self.programs.holds_for(e))]
        far += [e for e in below if f"{e.name} = {e.trips}" == self.programs.apart]
        self.settle(run_far(self, families, far, proved=self.proved), BEYOND)
        self.settle(not self._of_python_alone(families), WRAPPING)
        if self.programs.apart:
            told = "both versions are the same program for small numbers, and not for"
            raise Unknown(f"{told} {self.programs.apart}: no input tried shows what that changes; {REMEDY}")
        if self.full.free:
            self.settle(not self.programs.nothing, WITHOUT_ELEMENTS)
        self.strongly_typed()
        self._require_results(real=families[0].real)
        return run

    def _of_python_alone(self, families: list[Family]) -> bool:
        """Whether a version that nothing jits computes exactly what the proof traced in 32 bits."""
        pair, names = self.full.pair, self.programs.traced_numbers
        if not (self.proved and self.full.free and names) or (jitted(pair.before) and jitted(pair.after)):
            return False
        values = made(families[0].cases[0])
        return values is not None and wraps_with_numbers(pair, values)

    def _require_results(self, *, real: bool) -> None:
        """Raise Unknown where no input gave a result that tells anything."""
        if not self.full.cases:
            failures = [f for j in (self.full, self.twin) if j is not None for f in j.failures]
            late = "the old version took too long" if self.cases else "no case ran to its end"
            why = failures[0] if failures else late
            raise Unknown(f"no input gave a result to compare: {why}; {REMEDY}")
        if not any(j.filled for j in self.judges) and not real:
            raise Unknown(f"the versions could only be compared on arrays without elements; {REMEDY}")
        seen = [case for judge in self.judges for case in judge.told]
        effects = any(judge.effects for judge in self.judges)
        if unseen := unseen_results(seen, effects=effects, proved=self.proved):
            raise Unknown(f"{unseen}; {REMEDY}")

    def _compare(self, families: list[Family], run: list[Family]) -> None:
        """Compare where a difference might show that usual inputs do not; raises Refuted or Unknown."""
        numbers, proved = numbers_of(self.full), self.proved
        self.in_time("for numbers that no caller passes", lambda: of_other_numbers(self, families))
        if not proved and not ruled_alike(self):
            derivatives(self, next((f for f in run if f.specs is not None), run[0]), DERIVED, families)
        if not proved:
            self.in_time("where tests come out otherwise", lambda: compared_both_ways(self, families))
            cover(self, families, numbers)
        self.in_time("at edge values", lambda: self.settle(at_edges(self, families, numbers), BEYOND))
        tried = self.full.skipped + self.full.cases
        if not proved and self.full.skipped and (self.full.ordinary == 0 or tried > 4 * self.full.cases):
            raise Unknown(f"rounding decides the result on {self.full.skipped} of {tried} inputs tried; {REMEDY}")
        if not proved and self.full.free:
            new_statements(self, families)
        if not proved:
            self.in_time("between the ways that inputs take", lambda: self.quickly(turned))
        self.traceable()
        family = next((f for f in run if f.specs is not None), run[0])
        reversible(self, family)
        same = proved and straight(self) and not self.programs.reordered
        if self.programs.ruled or not same:
            derivatives(self, family, DERIVED if same else None, families)
        if not same and not straight(self):
            self.in_time("far from zero", lambda: differentiable_far_out(self, families))
        if not proved:
            self.in_time("under vmap", lambda: self.quickly(lambda judge: same_in_batches(judge, family.cases[0])))
        self.in_time("with one array longer", lambda: self.settle(compared_longer(self, families), LONGER_ALONE))
        self.in_time("for numbers and lists of Python", lambda: of_python(self, families))
        self.in_time("for other dtypes", lambda: typed(self, families))
        self.in_time("for complex numbers", lambda: of_complex_numbers(self, families))
        in_fewer_bits(self, families)
        if not proved:
            self.in_time("for long arrays in half precision", lambda: in_half_precision(self, families))
        self.strongly_typed()
        in_64_bits(self, families)
        self.in_time("where sums cancel", lambda: cancelling(self, families))

    def _verdict(self, families: list[Family]) -> str:
        """The verdict, with what it rests on among the remarks."""
        proved = self.counted(families) and self.proved and not self.unsettled
        self.traceable()
        if not self.proved:
            seen_both_ways(self)
        if self.twin is not None and self.twin.cases:
            self.remarks.append(f"{self.twin.cases} of the inputs were tried with the long loops cut short")
        self.ran = list(dict.fromkeys(kinds_by_name(values) for judge in self.judges for _, values, _ in judge.ran))
        self.kinds = shapes = self.programs.compared if proved else self.ran
        more = f"; and {len(shapes) - MAX_NAMED} more" if len(shapes) > MAX_NAMED else ""
        self.remarks += self.programs.told() if proved else []
        if self.programs.reordered or (not proved and resummed(self)):
            order = "terms are taken in another order: the same in exact arithmetic"
            self.remarks.append(f"{order}, results differ by up to {self.max_error:.1e}")
        head = "the same program for" if proved else "inputs tried:"
        self.remarks += [f"{head} {named_once(shapes[:MAX_NAMED])}{more}"] if shapes else []
        return "proved" if proved and not self.fades and not self.programs.inexact else "tested"

    def held_for(self, verdict: str) -> Held:
        """The sizes, dtypes and trips that a verdict holds for: all trips where it is proved by induction."""
        dtypes = {dtype for judge in self.judges for dtype in judge.typed}
        counts = self.programs.counts.keys()
        old = self.full.pair.old.function
        loops = old is None or has_loop(old)
        known = self.programs.every
        free = bool(self.programs.any - counts) or (known is not None and known.complete)
        every = verdict == "proved" and (not loops or free)
        compared = chain.from_iterable(judge.compared for judge in self.judges)
        kinds = list(dict.fromkeys([*self.kinds, *self.ran, *compared]))
        return held_for(kinds, sorted(dtypes), "all" if every else self.coverage.trips, self.remarks)

    def evidence(self) -> list[str]:
        """The lines of evidence under a verdict: programs that are equal, and runs that agree."""
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

    def counted(self, families: list[Family]) -> bool:
        """Whether counters of 32 bits do for loops of all lengths; raises Unknown where they do not for usual ones."""
        values = made(families[0].cases[0])
        if values is None or self.late():
            return True
        found = leaving(self.full.pair, values, (self.twin or self.full).pair)
        said = unless_far(found, whole=self.full.cases > 0 and self.twin is None)
        self.remarks += [said] if said else []
        return not said

    def in_time(self, where: str, action: Callable[[], None]) -> None:
        """Compare more, unless little of the task's time is left."""
        if self.late():
            self.remarks.append(f"not compared {where}: each run takes seconds")
        else:
            action()

    def strongly_typed(self) -> None:
        """Raise Weaker if a result has become weakly typed."""
        lost = self.programs.weaker or next((text for judge in self.judges if (text := judge.weakness.lost())), "")
        if lost and not self.full.free:
            raise Weaker(lost)
        self.remarks += [f"only the dtype is another kind: {lost}"] if lost else []

    def measurable(self, families: list[Family]) -> Case:
        return families[0].cases[0]


# -- what the inputs reach


def passed_over(weighing: WeighedPair, families: Sequence[Family]) -> bool:
    """Whether a statement of versions as they stand was not traced: equal programs prove nothing of it."""
    left = _untaken(weighing, families) if weighing.full.free else []
    weighing.remarks += [f"not proved: no input reaches line {left[0][1]} of the {left[0][0]} version"] if left else []
    return bool(left)


def new_statements(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Require that the statements which the new version alone has were run; raises Unknown."""
    known = set(weighing.full.pair.old.text.splitlines())
    text = weighing.full.pair.new.text.splitlines()
    lines = [n for name, n in _untaken(weighing, families) if name == "new" and text[n - 1] not in known]
    if lines:
        raise Unknown(f"line {lines[0]} of the new version was never run by the inputs tried; {REMEDY}")


def _untaken(weighing: WeighedPair, families: Sequence[Family]) -> list[tuple[str, int]]:
    """The statements of both versions that no input reached, by version and line."""
    left = _left(weighing)
    for values in filter(None, (made(family.cases[0]) for family in families if left)):
        traced_lines(weighing.full.pair, values)  # what was traced before is not traced again
    return _left(weighing) if left else []


def _left(weighing: WeighedPair) -> list[tuple[str, int]]:
    """The statements of both versions that no run so far has reached, by version and line."""
    pair = weighing.full.pair
    sides = ("old", pair.old, "before"), ("new", pair.new, "after")
    taken = weighing.taken.of
    return [(n, line) for n, v, mark in sides for line in never_run(v.function, v.tree, taken.get(mark, ()))]


def cover(weighing: WeighedPair, families: Sequence[Family], numbers: TextNumbers) -> None:
    """Require that every changed branch of the old version was taken; search for inputs that take the rest."""
    specs, missing = first_specs(families), weighing.coverage.missing
    floats, integers = weighing.inputs.constants()
    # real calls with another mode or truth value that earlier stages had no time for
    _until_covered(weighing, (c for c in families[0].cases if c.label.startswith(OTHERWISE)))
    if missing() and specs is not None:
        weighing.full.stage("searching for inputs that take every branch")
        longer = next((f.specs for f in families if f.label.startswith(LONGER_AXES)), None) or specs
        _until_covered(weighing, chain(of_texts(longer, numbers), cases(specs, searching(floats), integers)))
    if missing() and not weighing.late() and (shortest := weighing.shortest()) is not None:
        for case in islice((c for f in families for c in f.cases), MOST_SHORTEST):
            if missing():
                shortest.check(case)
    if left := missing():
        raise Unknown(f"{left[0]} never taken by the inputs tried; {REMEDY}")


def _until_covered(weighing: WeighedPair, tried: Iterable[Case]) -> None:
    """Run cases until every changed branch was taken, or the time for that is over."""
    started = time.process_time()
    for case in _while_missing(weighing, tried):
        weighing.compared(case)
        if time.process_time() - started > SEARCH_SECONDS:
            return


def _while_missing(weighing: WeighedPair, tried: Iterable[Case]) -> Iterator[Case]:
    for case in tried:
        if not weighing.coverage.missing():
            return
        yield case


def turned(judge: Judge) -> None:
    """Run cases at the boundaries between the paths that inputs took."""
    judge.stage("searching for the boundaries of the tests")
    started = time.process_time()
    for case in chain(ties_of_numbers(judge), turns(judge)):
        judge.check(case)
        if time.process_time() - started > TURN_SECONDS:
            return
