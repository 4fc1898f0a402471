"""The records that every stage passes on: places, edits, findings, verdicts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

Level = Literal["error", "warning", "advice"]
KEY_CODES = ("SCN501", "SCN502", "SCN503", "SCN504", "SCN505")
"""Of these the chain says where a random key is used."""
LEVELS: tuple[Level, ...] = get_args(Level)
"""The gravest first: tracing fails here; it is right to change this; JAX runs piecemeal or compiles again here."""
FixStatus = Literal["available", "applied", "withheld", "none"]
Verdict = Literal["proved", "tested", "refuted", "unknown"]
InputSource = Literal["recorded", "given", "harvested", "synthesised"]
Primitive = Literal[
    "fori_loop", "scan", "while_loop", "cond", "where", "switch", "vmap", "static_argnames", "logical", "other"
]


class Position(NamedTuple):
    """A place in a file: both numbers are 1-based, columns count characters."""

    line: int
    column: int


class Link(NamedTuple):
    """One step of the reason why something is traced, with the place that it speaks of."""

    text: str
    path: str
    line: int
    column: int
    cell: int | None = None

    def __str__(self) -> str:
        cell = f"cell {self.cell}:" if self.cell is not None else ""
        return f"{self.text} at {self.path}:{cell}{self.line}"


class Edit(NamedTuple):
    """Replace the text from `start` up to, not including, `end`; `origin`: where the first line of it was written."""

    start: Position
    end: Position
    text: str
    cell: int | None = None
    origin: Position | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """What became of a finding's rewrite, and why."""

    status: FixStatus
    reason: str | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def code(self) -> str | None:
        """The stable code that the reason begins with, as `carry-shape-grows`; None where it has none."""
        code, colon, _ = (self.reason or "").partition(": ")
        return code if colon and code.replace("-", "").isalpha() and code.islower() else None


class Like(NamedTuple):
    """What local arrays broadcast to without their first axes, and promote to; mostly it is a single array.

    `arrays` are their names, each with how many axes it is without (-1: its last one); `typed`: the dtype is meant too;
    `floated`: it is what they promote to with a Python float; `counted`: with a Python int, as a count of truths is.
    """

    arrays: tuple[tuple[str, int], ...]
    typed: bool
    floated: bool
    counted: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The arrays by name."""
        return frozenset(name for name, _ in self.arrays)


class Carry(NamedTuple):
    """One carry of a staged loop whose type changes in the first trip, by the line and name in the new text.

    `weak`: it starts as a Python number. `likes` are the arrays whose shape it has in the end, for all inputs tried;
    `problem` says why no start of another type would do. `scalar`: it starts without axes for all of them. `late`: it
    takes the dtype of an argument in a later trip than the first, up to which JAX itself would find one.
    """

    line: int
    name: str
    before: str
    after: str
    weak: bool
    likes: tuple[Like, ...]
    problem: str
    scalar: bool
    late: bool = False

    @property
    def fades(self) -> bool:
        """Whether it is as weakly typed as a number to the end, and was not."""
        return self.before.startswith("weak ")


@dataclass(frozen=True, slots=True)
class HoldsFor:
    """The scope of a verdict: numbers of trips (None for all), sizes (`x: 3x2`) and dtypes of arguments, remarks."""

    trips: tuple[int, ...] | None
    sizes: tuple[str, ...]
    dtypes: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict on one rewrite, with its evidence; what it holds for is told of versions that are the same.

    `elsewhere`: another cache tells it, it was not reached here.
    """

    verdict: Verdict
    reason: str | None = None
    inputs: InputSource = "synthesised"
    cases: int = 0
    max_abs_error: float | None = None
    equations_before: int | None = None
    equations_after: int | None = None
    compile_seconds_before: float | None = None
    compile_seconds_after: float | None = None
    counterexample: str | None = None
    notes: tuple[str, ...] = ()
    carries: tuple[Carry, ...] = ()
    holds_for: HoldsFor | None = None
    evidence: tuple[str, ...] = ()
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What the code of a finding was measured to cost, in the program where it has most equations.

    `program` is the name of the jitted function; the seconds are those of the whole program.
    """

    equations: int
    total_equations: int
    program: str
    trace_seconds: float
    compile_seconds: float

    @property
    def seconds(self) -> float:
        """The part of the program's seconds that its part of the equations stands for."""
        return (self.trace_seconds + self.compile_seconds) * self.equations / max(self.total_equations, 1)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a recorded run showed at the place of a finding; `alone`: nothing but the run shows it.

    `dispatches` are the operations that JAX ran one by one there, and `seconds` what that took of `run_seconds`;
    `repeats` says how often one trace gave the same equations, of which there are `equations` in all.
    """

    alone: bool
    seconds: float | None = None
    run_seconds: float = 0.0
    dispatches: int = 0
    repeats: int = 0
    equations: int = 0

    @property
    def text(self) -> str:
        """`120,000 dispatches, 41 s of 48 s`."""
        parts = [f"{self.dispatches:,} dispatches"] if self.dispatches else []
        parts += (
            [f"the same equations {self.repeats:,} times in one trace, {self.equations:,} in all"]
            if self.repeats
            else []
        )
        parts += [f"{self.seconds:.2g} s of {self.run_seconds:.2g} s"] if self.seconds is not None else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that is reported, where it is, why, and what can be done.

    In a report, places in a notebook are those in one of its cells; before, they are those in the program of all cells.
    `weight` is what it may cost where that is reckoned, in additions that are run one by one.
    """

    code: str
    name: str
    path: str
    start: Position
    end: Position
    function: str | None
    message: str
    help: str | None = None
    chain: tuple[Link, ...] = ()
    label: str | None = None
    trips: int | None = None
    primitive: Primitive = "other"
    fix: Fix = Fix("none")
    verification: Verification | None = None
    cost: Cost | None = None
    measured: Measured | None = None
    cell: int | None = None
    level: Level = "warning"
    weight: float = 0.0

    @property
    def reasons(self) -> str:
        """What stands above the chain."""
        return "because" if self.code in KEY_CODES else "traced because"

    @property
    def seconds(self) -> float:
        """What it was measured to cost; 0 where that is not known."""
        measured = self.measured.seconds if self.measured is not None else None
        return max(self.cost.seconds if self.cost is not None else 0.0, measured or 0.0)

    @property
    def span(self) -> tuple[Position, Position]:
        """Where it stands in the file: of a notebook, the beginning, for its lines are not those of a cell."""
        return (self.start, self.end) if self.cell is None else (Position(1, 1), Position(1, 2))

    @property
    def place(self) -> str:
        """Where it begins: `path:line:column`, with the cell of a notebook before the line."""
        cell = f"cell {self.cell}:" if self.cell is not None else ""
        return f"{self.path}:{cell}{self.start.line}:{self.start.column}"


def spot(finding: Finding) -> tuple[object, ...]:
    """What tells one finding of a file from the others."""
    return finding.code, finding.start, finding.end, finding.message


def mark(place: int) -> str:
    """What stands in the text of an edit where the statement begins that is the next one to be rewritten, by number."""
    return f"\0{place}\0"


class Next(NamedTuple):
    """A statement that a step leaves, which has to be rewritten next.

    `node`: one that no edit takes away; None: it is in the text of an edit, behind the `mark` of its number.
    `starts`: names whose first values are set just above it for its sake alone, and may move into it. `reported`: it is
    rewritten as the rule that reports it would have it, where one does.
    """

    node: ast.stmt | None = None
    starts: frozenset[str] = frozenset()
    reported: bool = False


class Rewrite(NamedTuple):
    """New text for parts of a file. `imports` are the import statements that the new text needs.

    `next`: it is one step, after which these statements have to be rewritten, in this order. `plainer`: what to write
    where this one is refuted; it may have a plainer one in its turn. `weak`: it is the form
    before it with numbers that are as weakly typed as Python's, in the place of ones with a type of their own.
    """

    edits: tuple[Edit, ...]
    primitive: Primitive
    imports: tuple[str, ...] = ()
    next: tuple[Next, ...] = ()
    plainer: Rewrite | None = None
    weak: bool = False

    def choices(self) -> Iterator[Rewrite]:
        """The rewrite, and its plainer ones after it."""
        yield self._replace(plainer=None)
        if self.plainer is not None:
            yield from self.plainer.choices()


class Withheld(NamedTuple):
    """No rewrite, and why: a stable code and a sentence that names the variable and the line."""

    code: str
    message: str

    @property
    def reason(self) -> str:
        return f"{self.code}: {self.message}"


class LeftLoop(NamedTuple):
    """A loop on the host of which nothing is said: where it stands, and why, by a stable code; "no-jax" for most."""

    path: str
    line: int
    code: str
    message: str


class NotApplicable(NamedTuple):
    """A step has nothing to do with a loop or branch: it is for others to speak of it."""


NOT_APPLICABLE = NotApplicable()
Outcome = Rewrite | Withheld
Step = Rewrite | Withheld | NotApplicable
"""What a step of a rewrite gives: one that knows a form and cannot take it says why."""


def first_of(outcomes: Sequence[Outcome]) -> Outcome:
    """The first rewrite, those after it as plainer ones; the last outcome where there is none."""
    each = [choice for outcome in outcomes for choice in _choices(outcome)]
    best = each[-1]
    for outcome in reversed(each[:-1]):
        if isinstance(outcome, Rewrite):
            best = outcome._replace(plainer=best) if isinstance(best, Rewrite) else outcome
    return best


def _choices(outcome: Outcome) -> Sequence[Outcome]:
    return list(outcome.choices()) if isinstance(outcome, Rewrite) else [outcome]


def first_step(steps: Iterable[Step]) -> Step:
    """The first step that can be taken; else why the first one cannot be that knew the form."""
    why: Step = NOT_APPLICABLE
    for step in steps:
        if isinstance(step, Rewrite):
            return step
        if isinstance(why, NotApplicable):
            why = step
    return why


class Report(NamedTuple):
    """A finding with its rewrite, before anything was verified or written.

    `view`: the form of its unit in which the node stands and the edits of the rewrite do; None for the text as written.
    """

    finding: Finding
    outcome: Outcome | None
    node: ast.AST
    view: object | None = None
