"""Arrays that guesses make as long as each other: one that is longer shows which of them each version counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing.agreement import Agreement, compare
from ..comparing.judge import Judge, Raises
from ..proof.traced_pair import one_proof
from ..runtime.calling import TookTooLong, Values
from ..runtime.jax_functions import is_key
from ..search.case_values import Case, Family
from ..search.uneven_lengths import UNEVEN
from .far_cases import Weighed
from .program_comparison import made

MORE = 2  # elements that an axis has beyond the others
MOST = 6  # axes that are tried


def compared_longer(weighing: Weighed, families: Sequence[Family]) -> bool:
    """Whether both versions do the same where one array is longer, if the old version ignores what is added.

    Such arguments are calls of it: no other array is read past its end. Where one is, programs that differ are not
    settled. Raises Refuted; that the new version raises is said, for callers may never pass such.
    """
    family = next((f for f in families if f.specs is not None), None)
    values = made(family.cases[0]) if family is not None else None
    judge, settled = weighing.programs.twin or weighing.full, True
    for name, longer in longer_ones(values) if values is not None else ():
        if weighing.is_late():
            return settled
        proof = one_proof(judge.pair, longer) if weighing.proved else None
        if proof is not None and proof.same:
            continue
        if values is None or not _ignored(judge, values, longer):
            settled = settled and not (proof is not None and proof.differs)
            continue
        try:
            weighing.compared(Case(f"{UNEVEN}: {name}", lambda longer=longer: longer))  # type: ignore[misc]
            settled = False
        except Raises as error:
            weighing.remarks.append(f"only for arrays that are as long as each other: {error}")
    return settled


def longer_ones(values: Values) -> Iterator[tuple[str, Values]]:
    """The arguments with more elements along one axis, which is as long as an axis of another argument."""
    arrays = {n: x for n, x in values.items() if isinstance(x, jax.Array | np.ndarray) and not is_key(x.dtype)}
    lengths = Counter(size for x in arrays.values() for size in set(x.shape))
    places = ((n, axis) for n, x in arrays.items() for axis, size in enumerate(x.shape) if lengths[size] > 1 < size)
    for _, (name, axis) in zip(range(MOST), places, strict=False):
        yield name, {**values, name: _longer(arrays[name], axis)}


def _longer(array: jax.Array | np.ndarray, axis: int) -> object:
    more = np.concatenate([array, np.take(np.asarray(array), range(MORE), axis)], axis)
    return jnp.asarray(more) if isinstance(array, jax.Array) else more


def _ignored(judge: Judge, values: Values, longer: Values) -> bool:
    """Whether the old version gives the same without what was added."""
    try:
        before = judge.pair.run_old(values)
        return isinstance(compare(before, judge.pair.run_old(longer)), Agreement)
    except (Exception, TookTooLong):  # noqa: BLE001 - it takes no such arguments
        return False
