"""Runs both versions far from the usual inputs: many trips, long arrays for counts of few bits, other defaults.

And tells of loops so long that whole numbers made of their counters leave 32 bits in the new version, not in Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import jax
import numpy as np

from ..comparing.agreement import Agreement, compare, nowhere_finite
from ..comparing.refutations import Unknown
from ..proof.counted import LONG, first_trip, leaves_its_type, leaves_with_numbers
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values, in_time, plain, split
from ..runtime.free_names import defaults_of, whole_numbers
from ..runtime.version_pair import VersionPair
from ..search.case_values import Case, Family
from ..search.edge_values import stairs
from ..search.longer_axes import LONGER_AXES
from .program_comparison import made
from .stages.weighed_pair import WeighedPair, first_specs
from .trip_counts import Enlarged, foreign, lengthened

if TYPE_CHECKING:
    from ..proof.equations import ClosedJaxpr

MOST_RAN = 3
TRACE_SECONDS = 2.0


def run_far(weighing: WeighedPair, families: Sequence[Family], large: Sequence[Enlarged], *, proved: bool) -> bool:
    """Compare with large numbers, with the defaults of each version and with long arrays; raises Refuted or Unknown.

    `proved`: the programs are equal for small numbers, and too large to be compared for these. Whether all that lies
    beyond limits of the new text was compared.
    """
    settled = defaults_agree(weighing, families)
    for enlarged in large:
        if weighing.late():
            return settled and not enlarged.limit
        told = (proved and alike(weighing, enlarged.cases[0])) or tells(weighing, enlarged.cases)
        settled = settled and (told or not enlarged.limit)
        weighing.remarks.append(f"{'tried with' if told else 'not compared for'} {enlarged.name} = {enlarged.trips}")
    far_ends(weighing, families)
    return settled


def defaults_agree(weighing: WeighedPair, families: Sequence[Family]) -> bool:
    """Whether calls without the parameters whose default is not written as before are the same; raises Refuted.

    Equal programs were compared with values given for these.
    """
    judge, settled = weighing.full, True
    longer = next((f for f in families if f.label.startswith(LONGER_AXES)), families[0])
    plateaus = Family(longer.label, longer.specs, list(stairs(longer.specs)) if longer.specs is not None else [])
    for case in (c for family in (families[0], longer, plateaus) for c in defaults(weighing, family)):
        values = made(case)
        if values is not None and not (weighing.proved and one_proof(judge.pair, values).same):
            judge.check(case)
            settled = False
    return settled


def tells(weighing: WeighedPair, cases: Sequence[Case]) -> bool:
    """Whether a case could be compared whose results are numbers: those without any are alike whatever made them."""
    judges = list(weighing.judges)  # the twins are let go where they differ
    blank = sum(judge.blank for judge in judges)
    ran = sum(weighing.compared(case) for case in cases)
    return ran > sum(judge.blank for judge in judges) - blank


def alike(weighing: WeighedPair, case: Case) -> bool:
    """Whether both versions give the same numbers there, without a search for what rounding explains."""
    judge = weighing.programs.twin or weighing.full

    def ran() -> tuple[object, object]:
        values = case.make()
        return judge.pair.run_old(values, case.patience), next(judge.runs(values)).run(values)

    found = in_time(ran)  # what it raises is told where the case is judged
    return found is not None and not nowhere_finite(found[0]) and isinstance(compare(*found), Agreement)


def defaults(weighing: WeighedPair, family: Family) -> Iterator[Case]:
    """Calls that leave out the parameters whose default is not written as before."""
    old, new = weighing.full.pair.old.function, weighing.full.pair.new.function
    if old is None or new is None:
        return
    before, after = (
        {name: ast.dump(value) for name, value in defaults_of(function.args).items()} for function in (old, new)
    )
    changed = {name for name, text in before.items() if after.get(name) != text}
    for case in islice(family.cases if changed else [], MOST_RAN):
        values = made(case)
        if values is not None and changed & values.keys():
            kept = {k: v for k, v in values.items() if k not in changed}
            yield Case(f"{case.label}, with the defaults", lambda kept=kept: dict(kept))  # type: ignore[misc]


def far_ends(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare on arrays too long for the types of few bits that only the new version counts in; raises Unknown."""
    specs, old = first_specs(families), weighing.full.pair.old.function
    values = made(families[0].cases[0])
    narrow = weighing.programs.narrow
    if not narrow or specs is None or old is None or values is None or not (types := foreign(narrow, old, values)):
        return
    ran = False
    for long, listed in lengthened(specs, types, weighing.inputs.constants()[1]):
        if weighing.inputs.attempt(long) is None:
            ran = tells(weighing, listed) or ran
    if not ran and not any(n.startswith("tried with") for n in weighing.remarks):
        most = min(np.iinfo(n).max for n in types)
        raise Unknown(f"it counts in {' and '.join(sorted(types))}, and more than {most} could not be tried")


class LeavesInt32(NamedTuple):
    """A whole number leaves its type within so many trips; `written`: within as many as the texts say there are."""

    trips: int
    written: bool

    def __str__(self) -> str:
        return f"within {self.trips} trips a whole number that a loop counts with leaves int32, where Python's does not"


def leaving(pair: VersionPair, values: Values, before: VersionPair) -> LeavesInt32 | None:
    """Where only the new version computes with counters in 32 bits; `before` has the old version with short loops."""
    program = _traced(pair, values, new=True)
    exact = whole_numbers(pair.old.tree, pair.new.tree)
    found = first_trip(program, exact) if program is not None else None
    if program is None or found is None:
        return None
    old = _traced(before, values, new=False)
    if old is not None and first_trip(old, exact) is not None:
        return None  # it wraps there as well
    return LeavesInt32(found, bool(leaves_its_type(program, exact, 0)))


def wraps_with_numbers(pair: VersionPair, values: Values) -> bool:
    """Whether a traced version computes in 32 bits, of numbers of Python, what Python computes exactly."""
    for new in (False, True):
        own = pair.moved(values) if new else pair.own(values)
        leaves = split(own, pair.signature.static, numbers=True).leaves
        program = _traced(pair, values, new=new)
        whole = [k for k, leaf in enumerate(leaves) if type(leaf) is int]
        if program is None:
            return True
        needs_them = len(program.jaxpr.invars) != len(leaves)  # then they are numbers of Python in it
        if not needs_them and leaves_with_numbers(program, whole):
            return True
    return False


def unless_far(found: LeavesInt32 | None, *, whole: bool) -> str:
    """The remark on a number that leaves int32, or ""; raises Unknown where loops of usual lengths are concerned.

    `whole`: the loops made all their trips on the inputs that were compared.
    """
    if found is None or (found.written and whole):
        return ""
    if found.trips <= LONG:
        raise Unknown(f"{found}: no input tried has so many")
    return f"not for loops so long: {found}"


def _traced(pair: VersionPair, values: Values, *, new: bool) -> ClosedJaxpr | None:
    """The program of one version, whole numbers as parameters or, where it needs them, as they are; None without."""
    whole = frozenset(name for name, value in values.items() if isinstance(value, int))
    function, own = (pair.after, pair.moved(values)) if new else (plain(pair.before), pair.own(values))
    for static in dict.fromkeys((pair.signature.static, pair.signature.static | whole)):
        parts = split(own, static, numbers=True)
        made = jax.make_jaxpr(lambda *ls, p=parts: pair.arrays(function, p, ls))
        program: ClosedJaxpr | None = in_time(lambda made=made, p=parts: made(*p.leaves), TRACE_SECONDS)  # type: ignore[misc]
        if program is not None:
            return program
    return None
