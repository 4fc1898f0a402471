"""Arrays that guesses make as long as each other: one that is longer shows which of them each version counts."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing.agreement import Agreement, compare
from ..comparing.judge import Judge
from ..comparing.refutations import Raises
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values, in_time
from ..runtime.free_names import named_parameters
from ..runtime.jax_functions import is_key
from ..search.case_values import Case, Family
from .other_arguments import ALIKE
from .program_comparison import made
from .stages.weighed_pair import WeighedPair

MORE = 2  # elements that an axis has beyond the others
MOST = 6  # axes that are tried
MOST_ROWS = 3  # of a rewrite: whoever calls it, only rows are counted by its loops


def compared_longer(weighing: WeighedPair, families: Sequence[Family]) -> bool:
    """Whether both versions do the same where one array is longer, if the old version ignores what is added.

    Such arguments are calls of it: no other array is read past its end. Where one is, programs that differ are not
    settled. Of arguments that callers pass, only arrays that `zip` goes over are made longer: Python stops at the end
    of the shortest. Raises Refuted; that the new version raises is said, and then of `zip` nothing is proved.
    """
    family, old = next((f for f in families if f.specs is not None), None), weighing.full.pair.old.function
    values = made(family.cases[0]) if family is not None else None
    if values is None or old is None:
        return True
    judge, settled, zipped = weighing.programs.twin or weighing.full, True, list(side_by_side(old))
    for name, longer in longer_ones(values, zipped, rows=not judge.free, others=not families[0].real):
        if weighing.late():
            return settled
        proof = one_proof(judge.pair, longer) if weighing.proved else None
        if proof is not None and proof.same:
            continue
        if name not in zipped and not _ignored(judge, values, longer):
            settled = settled and not (proof is not None and proof.differs)
            continue
        try:
            case = Case(f"arrays of different lengths: {name}", lambda longer=longer: longer)  # type: ignore[misc]
            if weighing.compared(case) or name not in zipped:
                settled = False
        except Raises as error:  # `zip` stops at the end of the shortest: no proof, though callers may pass no such
            weighing.unsettled = weighing.unsettled or name in zipped
            weighing.remarks.append(f"{ALIKE}: {error}")
    return settled or families[0].real


def longer_ones(values: Values, zipped: Iterable[str], *, rows: bool, others: bool) -> Iterator[tuple[str, Values]]:
    """The arguments with more rows in an array that `zip` goes over, whatever is beside it.

    With `others`: with more elements along an axis that another argument has too; along the first one for `rows`.
    """
    arrays = {n: x for n, x in values.items() if isinstance(x, jax.Array | np.ndarray) and not is_key(x.dtype)}
    axes = {n: x.shape[:1] if rows else x.shape for n, x in arrays.items()}
    lengths = Counter(size for shape in axes.values() for size in set(shape))
    first = dict.fromkeys((n, 0) for n in zipped if n in arrays and arrays[n].ndim and len(arrays[n]))
    shared = ((n, axis) for n, shape in axes.items() for axis, size in enumerate(shape) if lengths[size] > 1 < size)
    rest = (place for place in shared if others and place not in first)
    for name, axis in (*first, *islice(rest, MOST_ROWS if rows else MOST)):
        yield name, {**values, name: _longer(arrays[name], axis)}


def side_by_side(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names of what `zip` goes over, but for parameters whose annotation may tell their shape."""
    told = {a.arg for a in named_parameters(function.args) if isinstance(a.annotation, ast.Subscript)}
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="zip"), args=[_, _, *_] as args, keywords=[]):
                for part in args:
                    match part:
                        case (
                            ast.Name(id=name)
                            | ast.Call(func=ast.Name(id="reversed" | "enumerate"), args=[ast.Name(id=name)])
                        ) if name not in told:
                            yield name


def _longer(array: jax.Array | np.ndarray, axis: int) -> object:
    more = np.concatenate([array, np.take(np.asarray(array), range(MORE), axis, mode="wrap")], axis)
    return jnp.asarray(more) if isinstance(array, jax.Array) else more


def _ignored(judge: Judge, values: Values, longer: Values) -> bool:
    """Whether the old version gives the same without what was added."""
    found = in_time(lambda: compare(judge.pair.run_old(values), judge.pair.run_old(longer)))
    return isinstance(found, Agreement)
