"""Runs both versions on cases and compares them: results, errors, behaviour under vmap."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import jax

from ..proof.paths import forget
from ..results.inner_values import holds_local_function
from ..runtime.calling import (
    TookTooLong,
    Values,
    in_time,
    jitted,
    limited,
    without_elements,
)
from ..runtime.jax_errors import Fact, first_line, says, untraceable
from ..runtime.stored_results import changeable
from ..runtime.version_pair import VersionPair
from ..sandbox.outgoing import OUTGOING, Sent, different, reordered, said_otherwise
from ..search.case_values import AS_CALLED, LARGE_NUMBERS, Case
from ..shapes.read_ahead import ReadAhead, read_ahead, rows_of
from .agreement import (
    ACCEPTED_RELATIVE,
    ASKED,
    Agreement,
    Difference,
    compare,
    describe,
    kinds_by_name,
    nowhere_finite,
    of_other_kind,
    telling,
)
from .branch_cover import Coverage, Way
from .changed_arguments import changes_arguments
from .refutations import OtherKind, Raises, Refuted, Unknown
from .result_trees import keys_apart, spread_out, width
from .rounding import AMPLIFIED, FINER, FINEST, compilable, left_in_double, spread
from .spared_errors import place_of, spared, tripless
from .ties import stands
from .weak_types import Weakness
from .wrapped_numbers import jitted_alone, wraps

SPREAD = "where there are no rows, what the loop starts with has the shape of a row"
PAST_THE_END = "compared where `{0}` has {2} more rows than `{1}`, for so many are read"
EMPTY = "where there is nothing to loop over, an empty result differs in shape or dtype"
HOST = "neither version can be traced here: they are compared as plain Python"
WAYS = "the function gives another result under a trace: both are compared without jit, and both with it"
UNDER_JIT, PLAINLY = " (under jit)", " (not under jit)"
MOST_LEFT = 2  # cases after which arguments that were not changed are not looked at again
MISSING = object()
UNSTEADY = "the old version gives another result when it is called again"
ROUNDED = "the versions round differently: they agree in double precision, and in single precision nearly so"


@dataclass(frozen=True, slots=True)
class RunMode:
    """How a version is run: the way in words, and the new and the old version run in it."""

    name: str
    run: Callable[[Values], object]
    old: Callable[[Values], object]


@dataclass
class Judge:
    """Compares two versions, and the evidence: `filled` cases have elements, `blank` ones no numbers.

    `free`: the two are compared as they stand, whether they can be traced or not; `host`: neither can be. `told`: where
    in the results of each case a difference could have been seen. `doubted`: the ways of running differ. `gave`: the
    old version gave a result. `compared`: the kinds of arguments of the cases, in order. `effects`: calls change their
    arguments, and what these hold then was compared. `at_nan`: gradients there were looked at.
    """

    pair: VersionPair
    traced: bool
    differentiated: bool
    stage: Callable[[str], None]
    coverage: Coverage
    cases: int = 0
    skipped: int = 0
    ordinary: int = 0
    filled: int = 0
    blank: int = 0
    slow: bool = False
    partial: bool = False
    free: bool = False
    host: bool = False
    doubted: bool = False
    effects: bool = False
    gave: bool = False
    at_nan: bool = False
    told: list[list[bool | None]] = field(default_factory=list)
    stuck: str = ""
    max_error: float = 0.0
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    weakness: Weakness = field(default_factory=Weakness)
    ran: list[tuple[str, Values, Way]] = field(default_factory=list)
    ties: list[Case] = field(default_factory=list)
    compared: dict[tuple[str, ...], None] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)

    @property
    def ahead(self) -> tuple[ReadAhead, ...]:
        """The arrays of which the old version reads more rows than it counts of another one."""
        function = self.pair.old.function
        return read_ahead(function) if function is not None else ()

    def past(self, values: Values) -> bool:
        """Whether an array has other rows than the old version reads: past its end JAX gives the last one."""
        found = next((one for one in self.ahead if not one.met(rows_of(values))), None)
        if found is not None:
            self.note(PAST_THE_END.format(*found))
        return found is not None

    def note(self, text: str, once: str = "") -> None:
        """Keep a remark, unless it is kept already, or one that begins with `once`."""
        if text not in self.notes and not (once and any(note.startswith(once) for note in self.notes)):
            self.notes.append(text)

    def check(self, case: Case, where: str = "") -> bool:
        """Compare one case; False if the old version gives no result to compare with. Raises Refuted."""
        pair, label = self.pair, f"{case.label}{', ' + where if where else ''}"
        try:
            values = case.make()
            if case.label != AS_CALLED and self.past(values):
                return False
            self.coverage.begin()
            self.stage(f"running the old version on {label}")
            started = time.process_time()
            usual = None if case.ordinary else pair.pace.boundary_patience
            expected = pair.run_old(values, case.patience or usual)
            spent = time.process_time() - started
            sent = OUTGOING.taken()
            way = self.coverage.way()
        except TookTooLong:
            self.slow = self.slow or case.ordinary
            self.late.extend([label] if case.label != LARGE_NUMBERS else [])  # these may be trip counts
            return False
        except (Exception, SystemExit) as error:  # noqa: BLE001
            self.failures.append(f"{type(error).__name__}: {first_line(error, 120)}")
            return False
        self.gave = True
        if any(callable(leaf) or holds_local_function(leaf) for leaf in jax.tree_util.tree_leaves(expected)):
            self.failures.append("it gives functions, which cannot be compared")
            return False
        self.stage(f"running the new version on {label} (the old one took {spent:.2f} s)")
        forget()
        found: object = MISSING
        for how in self.runs(values, plainly=not case.finite or any(s.host for s in sent)):
            try:
                OUTGOING.begin()
                found = self.untraced(lambda how=how: how.run(values), values)  # type: ignore[misc]
                now = OUTGOING.taken()
            except Exception as error:
                if self.fails_alike(how, values):
                    continue
                text = first_line(error, 200)
                if says(error, Fact.EMPTY_SCAN):  # JAX cannot run it with staging disabled
                    self.failures.append(text)
                    return False
                if case.label != AS_CALLED:
                    said, once = spared(pair, values, expected, error, free=self.free)
                    if said:
                        self.note(said, once)
                        return False
                raise Raises(
                    f"{describe(values)}: the new version raises {type(error).__name__}: {text}{how.name}"
                ) from error
            if not self.agree_in(how, values, expected, found, tie=case.tie, called=case.label == AS_CALLED):
                return False
            self.sends(values, sent, now, how.name)
        if found is MISSING:
            return False
        self.coverage.count(way)
        self.compared[kinds_by_name(values)] = None
        if case.tie:
            self.ties.append(case)
        elif case.finite:
            self.ran.append((case.label, values, way))
        if self.cases == 0:
            self.retraces(case)
        if changeable(values) and (self.cases < MOST_LEFT or self.effects):
            self.effects = changes_arguments(self.pair, values) or self.effects
        jitted_alone(self.pair, values, expected, free=self.free)
        self.cases += 1
        self.filled += not without_elements(values)
        self.ordinary += case.ordinary
        self.blank += nowhere_finite(expected)
        self.told.extend([telling(expected)])
        return True

    def untraced(self, run: Callable[[], object], values: Values) -> object:
        """Run the new version; with staging disabled if, like the old one, it needs the value of a tracer elsewhere."""
        try:
            return run()
        except Exception as error:
            if self.free or not untraceable(error) or self.pair.old_traces(values):
                raise
            self.partial = True
            new = self.pair.new
            self.stuck = self.stuck or place_of(error, str(new.module.__file__), new.tree)
            with jax.disable_jit(), limited(self.pair.pace.patience):
                return self.pair.run_new(values)

    def agree(
        self, values: Values, expected: object, found: object, name: str, *, tie: bool = False, called: bool = False
    ) -> bool:
        """Whether the case counts; raises Refuted where the results differ beyond what rounding explains.

        Where nothing is looped over, shapes and dtypes may differ, unless a caller has such arguments (`called`).
        """
        result = compare(expected, found)
        if (
            not called
            and isinstance(result, Difference)
            and spread_out(expected, found)
            and tripless(self.pair, values)
        ):
            self.note(SPREAD)
            return False
        if isinstance(result, Agreement):
            kind = of_other_kind(expected, found) if not self.traced else ""
            if kind and not tripless(self.pair, values):
                raise OtherKind(f"{describe(values)}: {kind}{name}")
            self.max_error = max(self.max_error, result.error)
            if self.free and name != UNDER_JIT and (order := keys_apart(self.pair, values, expected, found)):
                self.note(order)
            if not without_elements(values):
                self.weakness.compared(expected, found, values)
            if result.weak:
                self.note(f"{result.weak}, for {describe(values, 120)}", result.weak)
            if result.empty and called:
                raise Refuted(f"{describe(values)}: {EMPTY}{name}")
            if result.empty:
                self.note(EMPTY)
            return True
        if self.pair.asking and not (result.values_only and result.relative <= ASKED):
            raise Refuted(f"{describe(values)}: {result.text}{name}")
        if tie and (result.values_only or result.discrete) and not stands(self.pair, values, expected, found):
            return False
        if not tie and (result.values_only or result.discrete) and not wraps(self.pair, values, result):
            close = result.values_only and result.relative <= ACCEPTED_RELATIVE.get(width(expected), 1e-4)
            if close and self.left_in_double(values, result) <= FINER:
                self.max_error = max(self.max_error, result.error)
                self.note(ROUNDED)
                return True
            drift = spread(self.pair, values, expected, result.relative, values_only=result.values_only)
            amplified = result.relative <= AMPLIFIED or drift.chaotic > 0  # what means nothing may differ by anything
            near = result.values_only and amplified and not drift.undecided
            lost = result.lost and drift.meaningless
            if lost or drift.explains(result.relative, values_only=result.values_only):
                if close and not drift.undecided:
                    self.max_error = max(self.max_error, result.error)
                    return True
                if not stands(self.pair, values, expected, found):
                    self.skipped += 1
                    return False
            elif result.values_only and not close and self.left_in_double(values, result) <= FINEST:
                if near or self.same_by_operations(values, expected):
                    self.note(ROUNDED)
                    self.skipped += 1
                    return False
        raise Refuted(f"{describe(values)}: {result.text}{name}")

    def left_in_double(self, values: Values, result: Difference) -> float:
        """How much of a difference is left in double precision; raises Unknown where there is no time to see."""
        try:
            return left_in_double(self.pair, values, result.relative)
        except TookTooLong as error:
            text = f"{describe(values)}: {result.text}, by rounding or not: double precision takes too long"
            raise Unknown(text) from error

    def same_by_operations(self, values: Values, expected: object) -> bool:
        """The new version gives the same run operation by operation: only what XLA fuses makes a difference."""
        with jax.disable_jit():
            found = in_time(lambda: [self.pair.run_new(values)], self.pair.pace.patience)
        return found is not None and isinstance(compare(expected, *found), Agreement)

    def sends(self, values: Values, before: list[Sent], after: list[Sent], name: str) -> None:
        """Raise Refuted where the new version sends out something else, or in another order than its Python says."""

        def apart(now: list[Sent]) -> str:
            return different(before, now) or (said_otherwise(before, now) if self.heard(name) else "")

        text = apart(after)
        if text and reordered(before, after):
            with jax.disable_jit(), limited(self.pair.pace.patience):
                OUTGOING.begin()
                self.pair.run_new(values)
                text = apart(OUTGOING.taken())
        if text:
            raise Refuted(f"{describe(values)}: {text}{name}")

    def heard(self, name: str) -> bool:
        """Whether a run in this way says what a call of the user's does: nothing is compiled for it, or taken apart."""
        pace = self.pair.pace
        staged = jitted(self.pair.before) or pace.unstaged or pace.callees is not None
        return self.free and name != UNDER_JIT and not staged

    def retraces(self, case: Case) -> None:
        """Note it if a second call of a jitted new version with equal arguments is traced again."""
        size: Callable[[], int] | None = getattr(self.pair.after, "_cache_size", None)
        if size is None or self.partial:
            return
        sizes = []
        for _ in range(2):
            self.pair.run_new(case.make())
            sizes.append(size())
        if sizes[1] > sizes[0]:
            self.note("a second call with equal arguments is traced again")

    def runs(self, values: Values, *, plainly: bool = False) -> Iterator[RunMode]:
        """The ways to run the new version: under its own jit, or under one made here if the function is traced.

        And without jit where there was no case yet, or `plainly`: XLA hides a NaN where it makes `x * mask` a choice;
        and where neither version can be traced.
        """
        pair = self.pair
        if not self.traced or jitted(pair.after):
            yield RunMode("", pair.new_python, pair.old_as_called)
            return
        eager = RunMode(PLAINLY, pair.new_at_pace if self.host else pair.new_python, pair.run_old)
        ran = plainly or self.cases == 0 or self.host
        if ran:
            yield eager
        if not self.host:
            self.doubted = False
            yield RunMode(UNDER_JIT, pair.under_jit, pair.old_under_jit)
            if (self.host or self.doubted) and not ran:
                yield eager

    def fails_alike(self, how: RunMode, values: Values) -> bool:
        """The old version fails too if it is run in this way: the pair is compared in the other way."""
        if not self.free or how.name == PLAINLY:
            return False
        try:
            how.old(values)
        except Exception as error:  # noqa: BLE001
            if how.name != UNDER_JIT:
                self.failures.append(first_line(error, 120))
                return True
            self.host = True
            self.note(HOST)
        return self.host

    def agree_in(
        self, how: RunMode, values: Values, expected: object, found: object, *, tie: bool = False, called: bool = False
    ) -> bool:
        """The case counts; raises Refuted where both versions, run in the same way, differ.

        A function may ask whether it is traced: where the old version gives the same as the new one in this way, only
        the ways differ.
        """
        if self.free and self.cases == 0:
            return self.agree(values, self.alike(how, values, expected), found, how.name, tie=tie, called=called)
        try:
            return self.agree(values, expected, found, how.name, tie=tie, called=called)
        except Refuted:
            other = self.alike(how, values, expected)
            if other is expected:
                raise
            return self.agree(values, other, found, how.name, tie=tie, called=called)

    def alike(self, how: RunMode, values: Values, expected: object) -> object:
        """What the old version gives in this way, if that differs; raises Unknown if each of its calls does."""
        ran = in_time(lambda: [how.old(values)]) if self.runs_soon(how, values) else None
        if ran is None:
            return expected
        [found] = ran
        result = compare(expected, found)
        if isinstance(result, Agreement):
            return expected
        if how.name == PLAINLY:
            raise Unknown(f"{describe(values)}: {UNSTEADY}")
        if result.relative > ASKED:
            self.pair.asking.add(how.name)
            self.note(WAYS)
        self.doubted = True
        return found

    def runs_soon(self, how: RunMode, values: Values) -> bool:
        """The old version can be run in this way without compiling a program that is too large."""
        compiled = how.name == UNDER_JIT or (how.name != PLAINLY and jitted(self.pair.before))
        return not compiled or compilable(self.pair, values)
