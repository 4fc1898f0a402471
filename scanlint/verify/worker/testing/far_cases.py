"""Runs both versions far from the usual inputs: many trips, long arrays for counts of few bits, other defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from ..comparing.agreement import Agreement, compare, nowhere_finite
from ..comparing.judge import Unknown
from ..proof.traced_pair import one_proof
from ..runtime.calling import TookTooLong
from ..runtime.parameters import defaults_of
from ..search.case_values import Case, Family
from ..search.edge_values import stairs
from ..search.longer_axes import LONGER_AXES
from .program_comparison import made
from .stages.weighed_pair import WeighedPair, first_specs
from .trip_counts import Enlarged, foreign, lengthened

MOST_RAN = 3


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
    try:
        values = case.make()
        expected = judge.pair.run_old(values, case.patience)
        found = next(judge.runs(values)).run(values)
    except (Exception, TookTooLong):  # noqa: BLE001 - told where the case is judged
        return False
    return not nowhere_finite(expected) and isinstance(compare(expected, found), Agreement)


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
