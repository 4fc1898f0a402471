"""Runs both versions on many values at edges: compiled once where both are programs, so that one costs little."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping, Sequence

from ..comparing.agreement import Agreement, compare
from ..comparing.judge import Judge, Raises
from ..comparing.rounding import compilable
from ..infer.specs import Specs, resize, sizes
from ..runtime.calling import TookTooLong, Values, limited
from ..runtime.loading import Loaded, cut
from ..search.case_values import Case, Family, Filling, cases
from ..search.edge_values import edges
from ..search.other_dtypes import retyped
from ..search.text_numbers import TextNumbers, text_numbers
from .far_cases import Weighed
from .program_comparison import made

SECONDS = 1.0
SIZE_SECONDS = 1.0
DOUBTED = 8  # inputs on which rounding may explain a difference
FAR_SIZES = (33, 37, 41, 43, 47)
EQUAL = 4
LONGEST = 600


def numbers_of(judge: Judge) -> TextNumbers:
    """The numbers with which both versions are written."""
    return text_numbers(_defining(judge.pair.old), _defining(judge.pair.new))


def _defining(version: Loaded) -> list[ast.stmt]:
    """The statements that define the function of a version."""
    named = {s: str(getattr(s, "name", "")) for s in version.tree.body}
    heads = {name for s, name in named.items() if any(n is version.function for n in ast.walk(s))}
    return cut(version.tree, heads)


def at_edges(weighing: Weighed, families: Sequence[Family], numbers: TextNumbers) -> None:
    """Compare at edge values, unless the programs are equal, and in sizes beyond the limits of the new version."""
    family = next((f for f in families if f.specs is not None), None)
    if family is None:
        return
    try:
        if not weighing.proved:
            swept(weighing, family, numbers)
        if not weighing.proved and not family.real:
            as_floats(weighing, family, numbers)
        if (not weighing.proved or numbers.limits) and not family.real:
            resized(weighing, family, numbers)
    except Raises as error:
        if not families[0].real:
            raise
        weighing.remarks.append(f"on inputs that no caller in this file passes: {error}")


def as_floats(weighing: Weighed, family: Family, numbers: TextNumbers) -> None:
    """Compare at edge values with floats where whole numbers were guessed, if the old version takes them."""
    specs = {name: retyped(spec, "int32", "float32") for name, spec in (family.specs or {}).items()}
    if specs == family.specs or weighing.inputs.attempt(specs) is not None:
        return
    try:
        swept(weighing, Family("floats for whole numbers", specs, []), numbers)
    except Raises as error:
        weighing.remarks.append(f"with floats for whole numbers: {error}")


def swept(weighing: Weighed, family: Family, numbers: TextNumbers) -> None:
    """Compare at the edge values of one family of shapes; raises Refuted."""
    if family.specs is None:
        return
    judge = weighing.programs.twin or weighing.full
    judge.stage("comparing at edge values")
    started, doubted = time.process_time(), 0
    whole = not _loops_for_ever(judge)
    for case in edges(family.specs, numbers):
        if doubted >= DOUBTED or time.process_time() - started > SECONDS or weighing.is_late():
            return
        values = made(case)
        if values is None or (whole and same_compiled(judge, values)):
            continue
        doubted += not checked(weighing, case, values)


def checked(weighing: Weighed, case: Case, values: Values) -> bool:
    """The case could be compared by itself; an error is no difference for negative numbers of Python."""
    try:
        return weighing.compared(case)
    except Raises:
        if any(type(x) is int and x < 0 for x in values.values()):
            return False
        raise


def same_compiled(judge: Judge, values: Values) -> bool:
    """Both versions give the same as compiled programs."""
    pair = judge.pair
    try:
        if not compilable(pair, values):
            return False
        with limited(SECONDS):
            expected = pair.jitted(pair.before, pair.own(values), numbers=True)
            found = pair.jitted(pair.after, pair.moved(values), numbers=True)
    except (Exception, TookTooLong):  # noqa: BLE001 - what is raised is judged where the case is run by itself
        return False
    return isinstance(compare(expected, found), Agreement)


def _loops_for_ever(judge: Judge) -> bool:
    """A loop on values may not end, which nothing interrupts once it is compiled."""
    return any(
        isinstance(n, ast.While) or getattr(n, "attr", getattr(n, "id", "")) == "while_loop"
        for tree in (judge.pair.old.tree, judge.pair.new.tree)
        for n in ast.walk(tree)
    )


def resized(weighing: Weighed, family: Family, numbers: TextNumbers) -> None:
    """Compare in sizes beyond those that both texts name, and where all are equal; raises Refuted."""
    if family.specs is None:
        return
    started = time.process_time()
    for label, specs in _sizes(family.specs, numbers):
        if time.process_time() - started > SIZE_SECONDS or weighing.is_late():
            return
        if weighing.inputs.attempt(specs) is not None:
            continue
        for case in cases(specs, iter([Filling("ordinary values")]), ()):
            weighing.compared(Case(f"{case.label}, {label}", case.make, ordinary=False))


def _sizes(specs: Specs, numbers: TextNumbers) -> Iterator[tuple[str, Specs]]:
    known = sizes(list(specs.values()))
    tables: list[tuple[str, Mapping[int, int]]] = [("longer axes", dict(zip(known, FAR_SIZES, strict=False)))]
    far = max((n for n in numbers.limits if n <= LONGEST), default=0)
    if far > FAR_SIZES[0] - 3:
        tables.insert(0, (f"axes longer than {far}", {n: far + 3 + k for k, n in enumerate(known)}))
        tables += [(f"an axis longer than {far}", {n: far + 3}) for n in known]
    if len(known) > 1:
        tables.append(("equal sizes", dict.fromkeys(known, EQUAL)))
    for label, table in tables if known else ():
        yield label, {name: resize(spec, dict(table)) for name, spec in specs.items()}
