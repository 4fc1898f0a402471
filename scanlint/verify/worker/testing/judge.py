"""Runs both versions on cases and compares them: results, errors, behaviour under vmap."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from ..differences.agreement import (
    ACCEPTED_RELATIVE,
    Agreement,
    Difference,
    compare,
    describe,
    nowhere_finite,
    structure,
)
from ..differences.rounding import AMPLIFIED, FINER, FINEST, left_in_double, spread
from ..differences.ties import stands
from ..differences.weak_types import Weakness
from ..proof.paths import forget
from ..runtime.calling import TookTooLong, Values, jitted, limited, split, without_elements, without_trips
from ..runtime.eager_pace import CASE_SECONDS
from ..runtime.jax_errors import Fact, first_line, in_staged_body, of_carried_types, says, untraceable
from ..runtime.jax_functions import is_key, placed, shape, weakly_typed
from ..runtime.line_marks import ReachedLines
from ..runtime.version_pair import VersionPair
from ..search.case_values import LARGE_NUMBERS, Case
from .branch_cover import Coverage, Way
from .untraced_places import place_of

SPREAD = "where there are no rows, what the loop starts with has the shape of a row"
NOTHING = "the new version raises where there are no elements"
EMPTY = "where there is nothing to loop over, an empty result differs in shape or dtype"
ROUNDED = "the versions round differently: they agree in double precision, and in single precision nearly so"
Function = Callable[..., object]
Result = TypeVar("Result")


class Unknown(Exception):
    """No verdict can be given; the message says why and what to do."""


class Refuted(Exception):
    """The versions differ; the message is the counterexample."""

    @property
    def of_carried_types(self) -> bool:
        """Whether the new version raises since a carry, or what arms of a `cond` give, does not keep its type."""
        cause = self.__cause__
        return cause.of_carried_types if isinstance(cause, Refuted) else of_carried_types(cause)


class Weaker(Refuted):
    """A result of the new version is weakly typed, and that of the old version is not."""


class Raises(Refuted):
    """The new version raises where the old one returns a result."""


@dataclass
class Judge:
    """Compares two versions, and the evidence: `filled` cases have elements, `blank` ones no numbers."""

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
    stuck: str = ""
    max_error: float = 0.0
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    weakness: Weakness = field(default_factory=Weakness)
    ran: list[tuple[str, Values, Way]] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def check(self, case: Case, where: str = "") -> bool:
        """Compare one case; False if the old version gives no result to compare with. Raises Refuted."""
        pair, label = self.pair, f"{case.label}{', ' + where if where else ''}"
        try:
            values = case.make()
            self.coverage.begin()
            self.stage(f"running the old version on {label}")
            started = time.process_time()
            usual = None if case.ordinary else pair.pace.boundary_patience
            expected = pair.run_old(values, case.patience or usual)
            spent = time.process_time() - started
            way = self.coverage.way()
        except TookTooLong:
            self.slow = self.slow or case.ordinary
            self.late.extend([label] if case.label != LARGE_NUMBERS else [])  # these may be trip counts
            return False
        except (Exception, SystemExit) as error:  # noqa: BLE001
            self.failures.append(f"{type(error).__name__}: {first_line(error, 120)}")
            return False
        if any(callable(leaf) for leaf in jax.tree_util.tree_leaves(expected)):
            self.failures.append("it gives functions, which cannot be compared")
            return False
        self.stage(f"running the new version on {label} (the old one took {spent:.2f} s)")
        forget()
        for name, run in self.runs(values, plainly=not case.finite):
            try:
                found = self.untraced(run, values)
            except Exception as error:
                text = first_line(error, 200)
                if says(error, Fact.EMPTY_SCAN):  # JAX cannot run it with staging disabled
                    self.failures.append(text)
                    return False
                nothing = without_elements(values) or (case.label != "as called" and self.idle(values, error))
                if _empty(expected) or (nothing and (in_staged_body(error) or not jax.tree_util.tree_leaves(expected))):
                    if not any(note.startswith(NOTHING) for note in self.notes):
                        self.note(f"{NOTHING}: {type(error).__name__}: {text}")
                    return False
                raise Raises(
                    f"{describe(values)}: the new version raises {type(error).__name__}: {text}{name}"
                ) from error
            if not self.agree(values, expected, found, name, tie=case.tie):
                return False
        self.coverage.count(way)
        if case.finite and not case.tie:
            self.ran.append((case.label, values, way))
        if self.cases == 0:
            self.retraces(case)
        self.cases += 1
        self.filled += not without_elements(values)
        self.ordinary += case.ordinary
        self.blank += nowhere_finite(expected)
        return True

    def idle(self, values: Values, error: Exception) -> bool:
        """Whether an error is due to a loop that makes no trip: there are no rows to index, or too few for a window."""
        if without_trips(values, error):
            return True
        return in_staged_body(error) and says(error, Fact.WINDOW) and self.tripless(values)

    def tripless(self, values: Values) -> bool:
        """Whether there are no elements, or a loop of the old version makes no trip."""
        if without_elements(values) or self.pair.old.function is None:
            return without_elements(values)
        reached = ReachedLines()
        with reached.watching():
            self.pair.run_python(values)
        loops = [n for n in ast.walk(self.pair.old.function) if isinstance(n, ast.For)]
        return any(loop.lineno in reached.lines and loop.body[0].lineno not in reached.lines for loop in loops)

    def untraced(self, run: Callable[[], object], values: Values) -> object:
        """Run the new version; with staging disabled if, like the old one, it needs the value of a tracer elsewhere."""
        try:
            return run()
        except Exception as error:
            if not untraceable(error) or self.pair.old_traces(values):
                raise
            self.partial = True
            new = self.pair.new
            self.stuck = self.stuck or place_of(error, str(new.module.__file__), new.tree)
            with jax.disable_jit(), limited(self.pair.pace.patience):
                return self.pair.run_new(values)

    def agree(self, values: Values, expected: object, found: object, name: str, *, tie: bool = False) -> bool:
        """Whether the case counts; raises Refuted where the results differ beyond what rounding explains."""
        result = compare(expected, found)
        if isinstance(result, Difference) and spread_out(expected, found) and self.tripless(values):
            self.note(SPREAD)
            return False
        if isinstance(result, Agreement):
            self.max_error = max(self.max_error, result.error)
            if not without_elements(values):
                self.weakness.compared(expected, found, values)
            if result.weak and not any(note.startswith(result.weak) for note in self.notes):
                self.note(f"{result.weak}, for {describe(values, 120)}")
            if result.empty:
                self.note(EMPTY)
            return True
        if tie and (result.values_only or result.discrete) and not stands(self.pair, values, expected, found):
            return False
        if not tie and (result.values_only or result.discrete):
            close = result.values_only and result.relative <= ACCEPTED_RELATIVE.get(_width(expected), 1e-4)
            if close and left_in_double(self.pair, values, result.relative) <= FINER:
                self.max_error = max(self.max_error, result.error)
                self.note(ROUNDED)
                return True
            drift = spread(self.pair, values, expected, result.relative, values_only=result.values_only)
            amplified = result.relative <= AMPLIFIED or drift.chaotic > 0  # what means nothing may differ by anything
            near = result.values_only and amplified and not drift.undecided
            if drift.explains(result.relative, values_only=result.values_only):
                if close and not drift.undecided:
                    self.max_error = max(self.max_error, result.error)
                    return True
                if not stands(self.pair, values, expected, found):
                    self.skipped += 1
                    return False
            elif near and not close and left_in_double(self.pair, values, result.relative) <= FINEST:
                self.note(ROUNDED)
                self.skipped += 1
                return False
        raise Refuted(f"{describe(values)}: {result.text}{name}")

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

    def runs(self, values: Values, *, plainly: bool = False) -> Iterator[tuple[str, Callable[[], object]]]:
        """The ways to run the new version: under its own jit, or under one made here if the function is traced.

        And without jit where there was no case yet, or `plainly`: XLA hides a NaN where it makes `x * mask` a choice.
        """
        pair, mine = self.pair, self.pair.moved(values)
        if self.traced and not jitted(pair.after):
            yield " (under jit)", lambda: pair.under_jit(values)
            if plainly or self.cases == 0:
                yield " (not under jit)", lambda: pair.signature.call(pair.after, mine)
        else:
            yield "", lambda: pair.signature.call(pair.after, mine)

    def batched(self, case: Case) -> None:
        """Both versions under vmap, where the old one can be batched."""
        pair, values = self.pair, case.make()
        parts = split(pair.own(values), pair.signature.static, numbers=False)
        stack = [_pair(x) for x in parts.leaves]
        if not stack or not any(floating(x) for x in parts.leaves):
            return
        mine = split(pair.moved(values), pair.signature.static, numbers=False)
        try:
            with limited(CASE_SECONDS):
                expected = jax.vmap(lambda *ls: pair.arrays(pair.before, parts, ls))(*stack)
        except (Exception, TookTooLong):  # noqa: BLE001
            return
        self.stage("running the new version under vmap")
        try:
            with limited(2 * CASE_SECONDS):
                found = jax.vmap(lambda *ls: pair.arrays(pair.after, mine, ls))(*stack)
        except TookTooLong:
            self.note("not compared under vmap: the new version takes seconds there")
            return
        except Exception as error:
            raise Refuted(f"under vmap the new version raises {type(error).__name__}: {str(error)[:160]}") from error
        result = compare(expected, found, ulps=1024.0)
        if isinstance(result, Difference) and result.relative > 1e-3 and not self.rough(values, result):
            raise Refuted(f"under vmap: {describe(values)}: {result.text}")

    def rough(self, values: Values, result: Difference) -> bool:
        """Whether rounding explains a difference in a batch of these values and their neighbours."""
        if not (result.values_only or result.discrete):
            return False
        for row in (values, {k: jax.tree_util.tree_map(_scaled, v) for k, v in values.items()}):
            try:
                expected = self.pair.run_old(row)
            except (Exception, TookTooLong):  # noqa: BLE001
                continue
            drift = spread(self.pair, row, expected, result.relative, values_only=result.values_only)
            if drift.explains(result.relative, values_only=result.values_only):
                self.note("not compared under vmap: rounding decides the result there")
                return True
        return False


def _empty(tree: object) -> bool:
    """Whether all results are arrays without elements: a loop of no trips that collects."""
    found = jax.tree_util.tree_leaves(tree)
    return bool(found) and all(isinstance(x, (jax.Array, np.ndarray)) and x.size == 0 for x in found)


def spread_out(before: object, after: object) -> bool:
    """Whether results differ only in that initial values which no trip changed were broadcast."""
    pairs = list(zip(jax.tree_util.tree_leaves(before), jax.tree_util.tree_leaves(after), strict=False))
    return structure(before) == structure(after) and all(
        isinstance(compare(_spread(a, b), b), Agreement) for a, b in pairs
    )


def _spread(before: object, after: object) -> object:
    """The initial value broadcast to the shape of the result; a Python number takes the dtype of the array."""
    numbers = isinstance(before, (jax.Array, np.generic, int, float)) and isinstance(after, jax.Array)
    if not numbers or shape(before) != () or shape(after) == () or is_key(after.dtype):  # type: ignore[attr-defined]
        return before
    return jnp.full(shape(after), before, after.dtype if weakly_typed(before) else None)  # type: ignore[arg-type,attr-defined]


def floating(x: object) -> bool:
    return isinstance(x, (jax.Array, np.ndarray)) and jnp.issubdtype(x.dtype, jnp.floating)


def _scaled(x: object) -> object:
    return placed(np.asarray(x) * 0.5 + 0.25, x.dtype) if floating(x) else x  # type: ignore[attr-defined]


def _pair(x: object) -> jax.Array:
    """A batch of two."""
    return jnp.stack([jnp.asarray(y) for y in (x, _scaled(x))])


def _width(tree: object) -> int:
    found = [np.asarray(x).dtype.itemsize for x in jax.tree_util.tree_leaves(tree) if floating(x)]
    return min(found, default=4)
