"""What becomes of a program, judged by running both versions: the old one eagerly, the new one under `jit`."""

from __future__ import annotations

import contextlib
import io
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from generate import COLLECTS, Program
from maker import ROWS

from scanlint.engine.session import RunOutcome, Session
from scanlint.finding import Finding, Verification
from scanlint.fix.fixer import Fixer
from scanlint.fix.unit_fixer import NO_ROWS
from scanlint.problem import Problem
from scanlint.project.files import decode
from scanlint.settings import Settings
from scanlint.verify.worker.comparing.spared_errors import NOTHING

SETTINGS = Settings(max_unrolled_trips=3, min_unrolled_equations=1, exclude=("nothing",), cache=False, jobs=1)
SPACE = "program.py"
LIMIT = 60.0
SOON = 5.0
ULPS = 512
"""How far floats may lie apart, in units of the last place of the largest value of the array: XLA sums in another order."""


class Verdict(NamedTuple):
    """What was said of a program, what it became, and what is wrong with that."""

    program: Program
    findings: tuple[Finding, ...]
    new: str | None
    wrong: str | None = None
    compared: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def reported(self) -> bool:
        return bool(self.findings)

    @property
    def withheld(self) -> list[str]:
        return [f.fix.reason or f.fix.status for f in self.findings if f.fix.status != "applied"]

    @property
    def needed(self) -> bool:
        return any(f.name.startswith("traced-") for f in self.findings)

    @property
    def converted(self) -> bool:
        return self.reported and not self.withheld


TOLD = {NO_ROWS: "type: ", NOTHING: r"raises \w+Error: "}
"""What may be wrong where there are no rows, by what the user is told."""
FROM_SECOND = re.compile(r"\[1:\]|range\(1,|, 0, -1\)")
"""Loops that leave out the first row, or the last."""


def sound(verdict: Verdict) -> bool:
    """Whether nothing is wrong but what is told: numbers that have a dtype of their own now, what is without any rows."""
    if verdict.wrong is None or "): stronger: " in verdict.wrong:
        return True
    notes = [n for f in verdict.findings if f.verification is not None for n in f.verification.notes]
    number = re.search(r"\): type: weak (\w+)(\[.*?\]) became (?:weak )?\w+\2 ", verdict.wrong)
    if number is not None and any(f"the dtype was {number[1]} (weak, as that of" in note for note in notes):
        return True
    told = [kind for note, kind in TOLD.items() if any(n.startswith(note) for n in notes)]
    without = "[01]" if FROM_SECOND.search(verdict.program.text) else "0"  # rows with which a loop makes no trip
    if any(re.match(rf"Case\(rows={without},.*?\): {kind}", verdict.wrong) is not None for kind in told):
        return True
    return refuses(verdict) and any(n.startswith(("the same program for", "inputs tried:")) for n in notes)


def refuses(verdict: Verdict) -> bool:
    """Whether JAX refuses to trace what it refused before too, and what no traced program could give.

    `if x > 0: return a` and `return b` of another shape: `lax.cond` is right for all inputs for which there is a
    program, and the user is told for which shapes it was compared.
    """
    raised = re.search(r"raises TypeError: .*must have equal (output )?types", verdict.wrong or "") is not None
    return raised and verdict.needed and (shapeless(verdict.program) or "").startswith("the shape")


class Unverified(Fixer):
    """Writes what the rewriters make of a program, with nothing verified."""

    def __init__(self, session: Session, progress: Callable[[str], None]) -> None:
        super().__init__(session, progress)
        self.questions.verdict = lambda unit, old, new: Verification("proved")  # type: ignore[method-assign]


def rewritten(
    text: str, fixer: type[Fixer] = Unverified, settings: Settings = SETTINGS
) -> tuple[RunOutcome, str | None]:
    """What is found in a text, and what it becomes."""
    with Session(settings) as run:
        path = Path(SPACE).absolute()
        run.load_text(decode(text.encode(), path))
        with fixer(run, lambda _: None) as made:
            made.fix_all()
        outcome = run.outcome()
        new = outcome.changes.get(path)
        return outcome, new[1].decode() if new is not None else None


def judged(program: Program) -> Verdict:
    """Rewrite a program without verification and run both versions."""
    return concluded(program, *rewritten(program.text))


def concluded(program: Program, outcome: RunOutcome, new: str | None) -> Verdict:
    """What is wrong with what became of a program."""
    verdict = Verdict(program, outcome.findings, new, problems=outcome.problems)
    if outcome.problems:
        return verdict._replace(wrong=f"a rule failed: {outcome.problems[0]}")
    if new is None:
        return verdict
    wrong, compared = compare(program, new, partly=not verdict.converted, needed=verdict.needed)
    return verdict._replace(wrong=wrong, compared=compared)


def verified(program: Program) -> Verdict:
    """The same with verification, as a user gets it."""
    return concluded(program, *rewritten(program.text, Fixer, replace(SETTINGS, verify_timeout=60.0)))


# -- running


class Endless(Exception):
    """A program that does not come to an end."""


def interrupt(number: int, frame: FrameType | None) -> None:
    raise Endless


def quietly(work: Callable[[], object], limit: float = LIMIT) -> object:
    """What a program gives, or the exception with which it ends."""
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return work()
    except Exception as error:  # noqa: BLE001  whatever a random program raises
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def compare(program: Program, new: str, *, partly: bool, needed: bool) -> tuple[str | None, int]:
    """What differs on some input on which the old version runs, and on how many it does.

    `partly`: something was left as it is, which may not run under `jit` before and after. `needed`: what was rewritten
    is Python on traced values, so that the old version does not run under `jit`.
    Values that differ with 32 bits have to agree with 64: rounding that a chaotic program makes large is no difference.
    """
    compared = 0
    old, jitted = loaded(program.text).__wrapped__, loaded(new)  # type: ignore[attr-defined]
    cases = CASES if VARIES & set(program.names) else CASES[:2]
    for case in (*cases, *(PATHS if program.of == "branches" else ())):
        given = inputs(program, case)
        want = quietly(lambda given=given: old(**given))
        if isinstance(want, Exception) or (case.trips == 0 and not compared):
            continue  # where no trip goes well, none at all is no evidence
        got = quietly(lambda given=given: jitted(**given))
        if isinstance(got, Exception) and not needed and fails(program, given):
            continue
        compared += 1
        if isinstance(got, Exception) and partly:
            got = quietly(lambda given=given: jitted.__wrapped__(**given))
        if too_small(got, case):
            continue
        problem = difference(want, got, settled=case.trips < 2 or bool(EARLY & set(program.forms)))
        if problem is not None and problem.startswith("type") and not case.trips and collects(program):
            continue
        if problem is not None and problem.startswith("values"):
            with jax.enable_x64(True):
                given = inputs(program, case)
                want, got = quietly(lambda given=given: old(**given)), quietly(lambda given=given: jitted(**given))
                problem = difference(want, got, settled=True) and problem
        if problem is not None:
            return f"{case}: {problem}", compared
    return None, compared


EARLY = {"break", "return", "loop-else", "while"}
"""Forms of loops that may end before their first trip does anything, whatever the inputs."""


def too_small(got: object, case: Case) -> bool:
    """Whether the body, which is traced also where no trip is made, reads what an array does not have."""
    if isinstance(got, TypeError) and "slice_sizes" in str(got):
        return case.rows < 2
    return isinstance(got, IndexError) and not case.rows


def collects(program: Program) -> bool:
    """Whether lists are stacked: one that stays empty becomes an array that does not know its other axes."""
    return bool({*COLLECTS} & {*program.forms})


DRAWS = 12
"""Calls with values of one shape by which `shapeless` judges."""


def shapeless(program: Program) -> str | None:
    """Why no traced program gives what the old one gives: for values of one shape it raises, or gives other types.

    Judged by running the old version eagerly; None where nothing speaks against one.
    """
    old = loaded(program.text).__wrapped__  # type: ignore[attr-defined]
    types: list[list[tuple[str, bool]]] = []
    trees, raised = set(), 0
    for seed in range(DRAWS):
        given = inputs(program, Case(ROWS, ROWS, seed), scale=(1.0, 4.0)[seed % 2])
        if "k0" in given:
            given["k0"] = jnp.int32(seed % 6)
        result = quietly(lambda given=given: old(**given), SOON)
        if isinstance(result, Exception):
            raised += 1
            continue
        leaves, tree = jax.tree.flatten(result)
        arrays = [jnp.asarray(leaf) for leaf in leaves]
        trees.add(f"{tree} {[a.shape for a in arrays]}")
        types.append([(str(a.dtype), a.weak_type) for a in arrays])
    if len(trees) > 1:
        return "the shape of what it gives depends on values"
    if raised and types:
        return "whether it raises depends on values"
    if any(_apart(leaf) for leaf in zip(*types, strict=True)):
        return "the dtype of what it gives depends on values"
    return None


NUMBERS = {"b": True, "i": 1, "u": 1, "f": 1.0, "c": 1j}


def _apart(leaf: tuple[tuple[str, bool], ...]) -> bool:
    """Whether one result has several dtypes, where a number does not take that of the array in its place."""
    strong = {dtype for dtype, weak in leaf if not weak}
    loose = {dtype for dtype, weak in leaf if weak}
    if not strong:
        return len(loose) > 1
    numbers = [NUMBERS[jnp.dtype(d).kind] for d in loose]
    return len(strong) > 1 or any(str(jnp.result_type(d, n)) != d for d in strong for n in numbers)


def fails(program: Program, given: dict[str, object]) -> bool:
    """Whether the old version, which runs eagerly, fails under `jit`."""
    return isinstance(quietly(lambda: loaded(program.text)(**given)), Exception)


def loaded(text: str) -> Callable[..., object]:
    space: dict[str, object] = {"__name__": "program"}
    exec(compile(text, SPACE, "exec"), space)
    function = space["f"]
    assert callable(function)
    return function


class Case(NamedTuple):
    """One call: how many rows the arrays have, what bounds of ranges are, and the seed of the values."""

    rows: int
    trips: int
    seed: int


VARIES = {"xs", "ys", "half", "ints", "small", "flags", "k0", "n"}
PATHS = tuple(Case(ROWS, seed % 7, 10 + seed) for seed in range(12))
"""Values that take the ways through branches."""
CASES = (Case(ROWS, ROWS, 0), Case(ROWS, ROWS, 1), Case(ROWS, 0, 2), Case(1, 1, 3), Case(0, 0, 4))


def inputs(program: Program, case: Case, scale: float = 1.0) -> dict[str, object]:
    """Values for the parameters of a program; floats are less than `scale`."""
    chance = np.random.default_rng(case.seed)
    rows = case.rows

    def floats(*shape: int) -> jax.Array:
        return jnp.asarray(chance.integers(-16, 17, shape) / 16 * scale)

    values: dict[str, object] = {
        "xs": floats(rows, 4),
        "ys": floats(rows),
        "v": floats(4),
        "m": floats(4, 4) * 0.5,
        "t": floats(),
        "k0": jnp.int32(min(case.trips, 5)),
        "key": jax.random.PRNGKey(case.seed),
        "half": jnp.asarray(chance.integers(-16, 17, rows) / 8, jnp.float16),
        "ints": jnp.asarray(chance.integers(-5, 6, rows), jnp.int32),
        "small": jnp.asarray(chance.integers(-5, 6, rows), jnp.int8),
        "flags": jnp.asarray(chance.integers(0, 2, rows), bool),
        "n": case.trips,
    }
    return {name: values[name] for name in program.names}


# -- comparing


def difference(want: object, got: object, *, settled: bool) -> str | None:
    """What differs between the results of both versions.

    `settled`: what is weakly typed before may have the type that it gets with the first trips.
    """
    if isinstance(want, Exception):
        return None
    if isinstance(got, Exception):
        return f"raises {type(got).__name__}: {str(got)[:400]}"
    left, right = jax.tree.flatten(want), jax.tree.flatten(got)
    if str(left[1]) != str(right[1]):
        return f"tree: {left[1]} became {right[1]}"
    for place, (a, b) in enumerate(zip(left[0], right[0], strict=True)):
        problem = unlike(jnp.asarray(a), jnp.asarray(b), settled=settled)
        if problem is not None:
            return f"{problem} (result {place})"
    return None


def unlike(a: jax.Array, b: jax.Array, *, settled: bool) -> str | None:
    if settled and a.size == b.size == 0 and a.dtype == b.dtype:
        return None  # a list of nothing has no axes but one
    if settled and a.weak_type and a.shape == b.shape and jnp.result_type(a, b) == b.dtype:
        a = jax.lax.convert_element_type(a, b.dtype)
        b = jax.lax.convert_element_type(b, b.dtype)
    if a.dtype == b.dtype and a.shape == b.shape and a.weak_type != b.weak_type:
        return f"{'stronger' if a.weak_type else 'weak'}: {a.aval} became {b.aval}"
    types = [f"{'weak ' if x.weak_type else ''}{x.dtype}{list(x.shape)}" for x in (a, b)]
    if types[0] != types[1]:
        return f"type: {types[0]} became {types[1]}"
    x, y = np.asarray(a), np.asarray(b)
    if not jnp.issubdtype(a.dtype, jnp.inexact):
        return None if np.array_equal(x, y) else f"values: {x} became {y}"
    finite = np.isfinite(x)
    same = np.array_equal(np.isnan(x), np.isnan(y)) and np.array_equal(x[~finite], y[~finite], equal_nan=True)
    scale = np.max(np.abs(x[finite]), initial=1e-3)
    far = np.abs(x[finite].astype(float) - y[finite].astype(float)) > ULPS * float(jnp.finfo(a.dtype).eps) * float(
        scale
    )
    return f"values: {x} became {y}" if not same or far.any() else None


def sort_of(wrong: str | None) -> str:
    """What sort of difference it is: an error by its type, or what differs."""
    text = re.sub(r"^Case\(.*?\): ", "", wrong or "")
    raised = re.match(r"raises \w+", text)
    return raised[0] if raised else text.partition(":")[0]
