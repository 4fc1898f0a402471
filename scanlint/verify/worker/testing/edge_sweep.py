"""Runs both versions on many values at edges: compiled once where both are programs, so that one costs little."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..comparing.agreement import Agreement, compare
from ..comparing.judge import Judge
from ..comparing.refutations import Raises, Refuted, Unknown
from ..comparing.rounding import compilable, joinable
from ..infer.specs import Scalar, Specs, Struct, resized, sizes
from ..proof.prove import Proof
from ..proof.traced_pair import one_proof
from ..runtime.calling import TookTooLong, Values, limited
from ..runtime.free_names import names_in
from ..runtime.loading import Loaded, cut
from ..search.case_values import Case, Family, Filling, cases
from ..search.edge_values import Edge, beside_numbers, drawn, edges, filled, heights, of_texts, stairs, successions
from ..search.input_sources import REMEDY
from ..search.longer_axes import LONGER_AXES, MOST_BEYOND, beyond_numbers
from ..search.other_dtypes import retyped
from ..search.text_numbers import TextNumbers, text_numbers
from .program_comparison import made
from .stages.weighed_pair import WeighedPair

SECONDS = 1.0
DRAWN_SECONDS = 1.0
COMPILE_SECONDS = 2.0
PATIENCE = 3.0
SIZE_SECONDS = 1.0
DOUBTED = 8  # inputs on which rounding may explain a difference
FAR_SIZES = (33, 37, 41, 43, 47)
EQUAL = 4
LONGEST = 1500
LIMIT_SECONDS = 3.0
FEW_ROWS = 8  # usual cases have longer axes
MORE, MOST_MORE, MARGIN = 8, 60, 3  # rows beyond a limit: what is counted from one of its sides alone meets it too
LONG_VALUES = {"all 1": (1,), "all 2": (2,), "0 and 1 in turns": (0, 1), "all 1000": (1000,)}
OF_NAN = frozenset(["isnan", "isfinite", "nan", "nan_to_num"])


def numbers_of(judge: Judge) -> TextNumbers:
    """The numbers with which both versions are written."""
    return text_numbers(defining(judge.pair.old), defining(judge.pair.new))


def defining(version: Loaded) -> list[ast.stmt]:
    """The statements that define the function of a version."""
    named = {s: str(getattr(s, "name", "")) for s in version.tree.body}
    heads = {name for s, name in named.items() if any(n is version.function for n in ast.walk(s))}
    return cut(version.tree, heads)


def at_edges(weighing: WeighedPair, families: Sequence[Family], numbers: TextNumbers) -> bool:
    """Compare at edge values, unless the programs are equal, and in sizes beyond the limits of the new version.

    Whether equal programs are settled there.
    """
    family = next((f for f in families if f.specs is not None), None)
    settled = True
    if family is None:
        return settled
    try:
        if not weighing.proved:
            swept(weighing, family, numbers)
        if not weighing.proved and family.specs is not None:
            kept = [(j, len(j.ran)) for j in (weighing.full, weighing.programs.twin) if j is not None]
            on_drawn(weighing, family.specs, numbers)
            for judge, count in kept:  # boundaries are looked for between each two of the cases that were run
                del judge.ran[count:]
        if not weighing.proved or not family.real:
            on_long_axes(weighing, next((f for f in families if f.label.startswith(LONGER_AXES)), family), numbers)
        if not family.real and (weighing.full.free or not weighing.proved):
            as_floats(weighing, family, numbers)
        if (not weighing.proved or numbers.limits) and not family.real:
            settled = in_other_sizes(weighing, family, numbers)
    except Raises as error:
        if not families[0].real:
            raise
        weighing.remarks.append(f"on inputs that no caller in this file passes: {error}")
    return settled


def on_long_axes(weighing: WeighedPair, family: Family, numbers: TextNumbers) -> None:
    """Compare Python numbers at numbers of the new text, and among values that many trips add up; raises Refuted."""
    started, specs = time.process_time(), family.specs or {}
    further = [*heights(specs, numbers), *beside_numbers(specs)]
    if weighing.full.free:
        further += (replace(case, patience=PATIENCE) for case in successions(specs, numbers))
        further += of_texts(specs, numbers)
    proved = weighing.proved  # what lies beyond numbers that only the new version has is not
    for case in (*_counts(specs, numbers), *(() if proved else further)):
        if time.process_time() - started > SECONDS * (PATIENCE if case.patience else 1) or weighing.late():
            return
        weighing.compared(case)


def _counts(specs: Specs, numbers: TextNumbers) -> Iterator[Case]:
    """Whole numbers on both sides of those of the new text, on axes that are longer: strides, lags and windows.

    And lists with more items than these numbers say.
    """
    sides = dict.fromkeys(n + d for n in numbers.limits if 1 < n <= MOST_BEYOND for d in (1, 0, -1))
    for name, spec in specs.items():
        for number in sides if isinstance(spec, Scalar) and spec.kind == "int" and spec.size is None else ():
            longer = beyond_numbers({**specs, name: Scalar("int", number)})
            found = (*_usual(longer, f"{name} = {number}"), *stairs(longer))
            yield from (replace(case, patience=PATIENCE) for case in found)
        most = max((n for n in numbers.limits if n <= MOST_BEYOND), default=0)
        if isinstance(spec, Struct) and spec.kind in ("list", "tuple") and 0 < len(spec.items) <= most:
            items = tuple((f"*{k}", spec.items[k % len(spec.items)][1]) for k in range(most + MARGIN))
            yield from _usual({**specs, name: Struct(spec.kind, items, spec.positional)}, f"more than {most} items")


def as_floats(weighing: WeighedPair, family: Family, numbers: TextNumbers) -> None:
    """Compare at edge values with floats where whole numbers were guessed, if the old version takes them.

    Unless equal programs are equal for these too; that they differ there is said.
    """
    specs = {name: retyped(spec, "int32", "float32") for name, spec in (family.specs or {}).items()}
    if specs == family.specs or weighing.inputs.attempt(specs) is not None:
        return
    proof = _proof_of(weighing, next(_usual(specs, ""))) if weighing.proved else None
    if proof is not None and proof.same:
        return
    try:
        swept(weighing, Family("floats for whole numbers", specs, []), numbers)
    except Refuted as error:
        if not (weighing.proved or isinstance(error, Raises)):
            raise
        weighing.unsettled = weighing.unsettled or not isinstance(error, Raises)
        weighing.remarks.append(f"with floats for whole numbers: {error}")


def swept(weighing: WeighedPair, family: Family, numbers: TextNumbers) -> None:
    """Compare at the edge values of one family of shapes; raises Refuted."""
    if family.specs is None:
        return
    judge = weighing.programs.twin or weighing.full
    judge.stage("comparing at edge values")
    started, doubted = time.process_time(), 0
    whole = not _loops_for_ever(judge)
    for case in edges(family.specs, numbers):
        if doubted >= DOUBTED or time.process_time() - started > SECONDS or weighing.late():
            break
        values = made(case)
        if values is None or (whole and same_compiled(judge, values)):
            continue
        doubted += not weighing.compared(case)


def on_drawn(weighing: WeighedPair, specs: Specs, numbers: TextNumbers) -> None:
    """Compare on many draws of few numbers; compiled programs tell soon that both versions give the same."""
    judge = weighing.programs.twin or weighing.full
    started, doubted, whole = 0.0, 0, not _loops_for_ever(judge)
    for case in drawn(specs, numbers):
        values = made(case)
        same = same_compiled(judge, values) if whole and values is not None else None
        started, whole = started or time.process_time(), same is not None  # the first one compiles
        late = time.process_time() - started > DRAWN_SECONDS or weighing.late()
        if values is None or doubted >= DOUBTED or late or (same is None and not judge.free):
            return
        doubted += not (same or weighing.compared(case))


def same_compiled(judge: Judge, values: Values) -> bool | None:
    """Whether both versions give the same as compiled programs; None where the old version is none, or one fails."""
    pair = judge.pair
    try:
        if compilable(pair, values):
            function, own = pair.before, pair.own(values)
        elif (found := pair.joined()) is not None and joinable(pair, values):
            function, own = found[1], pair.made_for(found[0], values)
        else:
            return None
        with limited(COMPILE_SECONDS):
            expected = pair.jitted(function, own, numbers=True)
            result = pair.jitted(pair.after, pair.moved(values), numbers=True)
    except (Exception, TookTooLong):  # noqa: BLE001 - what is raised is judged where the case is run by itself
        return None
    return isinstance(compare(expected, result), Agreement)


def _loops_for_ever(judge: Judge) -> bool:
    """A loop on values may not end, which nothing interrupts once it is compiled."""
    trees = judge.pair.old.tree, judge.pair.new.tree
    return "while_loop" in names_in(*trees) or any(isinstance(n, ast.While) for tree in trees for n in ast.walk(tree))


def in_other_sizes(weighing: WeighedPair, family: Family, numbers: TextNumbers) -> bool:
    """Whether both versions do the same in sizes beyond those that both texts name, and where all are equal.

    Of equal programs, whether they are equal there too, or were compared. Raises Refuted, and Unknown where the
    programs differ and no input shows it.
    """
    if family.specs is None:
        return True
    started, settled, pair = time.process_time(), True, weighing.full.pair
    missing = not OF_NAN.isdisjoint(names_in(pair.old.tree, pair.new.tree))
    for label, specs, limit in _sizes(family.specs, numbers):
        if time.process_time() - started > (LIMIT_SECONDS if limit else SIZE_SECONDS) or weighing.late():
            return settled and not limit
        if weighing.inputs.attempt(specs) is not None:
            continue
        listed = [replace(c, patience=PATIENCE if limit else None) for c in _long_cases(specs, label, missing=missing)]
        proof = _proof_of(weighing, listed[0]) if limit and weighing.equal else None
        if proof is not None and proof.same:
            continue
        ran = [weighing.compared(case) for case in listed]
        if proof is not None and proof.differs:
            raise Unknown(f"both versions are the same program for short arrays, and not for {label}; {REMEDY}")
        settled = settled and (not limit or any(ran))
    return settled


def _usual(specs: Specs, label: str) -> Iterator[Case]:
    for case in cases(specs, iter([Filling("ordinary values")]), ()):
        yield Case(f"{case.label}, {label}", case.make, ordinary=False)


def _long_cases(specs: Specs, label: str, *, missing: bool) -> Iterator[Case]:
    """Usual values; equal ones, which fill what counts them; two in turns, which keep a difference near zero.

    `missing`: a text tells NaN apart, of which many may follow one another.
    """
    yield from _usual(specs, label)
    if missing:
        gone = Edge("", (float("nan"),), (0,))
        yield Case(f"all missing, {label}", lambda: filled(specs, gone), ordinary=False, finite=False)
    for name, values in LONG_VALUES.items():
        edge = Edge(name, tuple(map(float, values)), values, turns=True)
        yield Case(f"{name}, {label}", lambda edge=edge: filled(specs, edge), ordinary=False)  # type: ignore[misc]


def _proof_of(weighing: WeighedPair, case: Case) -> Proof | None:
    values = made(case)
    return one_proof(weighing.full.pair, values, LIMIT_SECONDS) if values is not None else None


def _sizes(specs: Specs, numbers: TextNumbers) -> Iterator[tuple[str, Specs, bool]]:
    """Labels and specs; whether they lie beyond a number that only the new text has."""
    known = sizes(specs)
    tables: list[tuple[str, Mapping[int, int], bool]] = []
    far = max((n for n in numbers.limits if n <= LONGEST), default=0)
    if far >= FEW_ROWS:
        longer = far + min(max(far, MORE), MOST_MORE) + MARGIN
        tables += [(f"an axis longer than {far}", {n: longer}, True) for n in known if len(known) > 1]
        tables.append((f"axes longer than {far}", {n: longer + k for k, n in enumerate(known)}, True))
    tables.append(("longer axes", dict(zip(known, FAR_SIZES, strict=False)), False))
    if len(known) > 1:
        tables.append(("equal sizes", dict.fromkeys(known, EQUAL), False))
    for label, table, limit in tables if known else ():
        yield label, resized(specs, table), limit
