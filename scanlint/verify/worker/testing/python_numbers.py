"""Numbers of Python where guesses have no axes: Python computes with them exactly, or in double precision."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from functools import partial

from ..comparing.judge import Judge
from ..comparing.refutations import OtherKind, Raises, Unfit
from ..infer.specs import Array, Leaf, Scalar, Spec, Specs, replace, resize, sizes
from ..runtime.calling import Values
from ..runtime.free_names import has_loop
from ..search.case_values import LARGE_NUMBERS, Case, Filling, make

SECONDS = 1.5
MOST = 4
"""Parameters that are taken for numbers of Python, one after the other."""
NUMBERS: tuple[object, ...] = (0.5, -4.0, 3, 2000)
LARGE: dict[object, tuple[type[ast.operator], ...]] = {
    2000: (ast.Mult, ast.Pow),
    50_000: (ast.Mult, ast.Pow),
    100: (ast.LShift, ast.Pow),
}
"""Further whole numbers that are tried, each with the operations of the text by which it leaves 32 bits."""
FAR: tuple[object, ...] = (10.0, 0.1)
TRIPS = 50
"""After so many trips a product with such a number has left single precision, and not double precision."""
PATIENCE = 0.5


def numbers_of_python(judge: Judge, specs: Specs) -> Iterator[str]:
    """Compare where a parameter without axes is a number of Python; raises Refuted where values differ.

    That the new version alone raises, or gives an array where the old one gives a number, is a remark: a caller may
    pass arrays only. A parameter that is a number of Python may be any.
    """
    started = time.process_time()
    for name, numbers in [(n, found) for n, s in specs.items() if (found := _numbers(s, judge))][:MOST]:
        for case in (*_cases(specs, name, numbers), *(_far(specs, name) if has_loop(judge.pair.old.tree) else ())):
            if time.process_time() - started > SECONDS:
                return
            try:
                judge.check(case)
            except (Raises, OtherKind, Unfit) as error:
                if isinstance(error, Raises) and isinstance(specs[name], Scalar):
                    raise
                yield f"only where `{name}` is an array: {error}"
                break


def far_numbers_of_calls(judge: Judge, values: Values) -> Iterator[str]:
    """Compare a call with each whole number as large as takes operations of the text out of 32 bits."""
    for name in [n for n, v in values.items() if type(v) is int and n not in judge.pair.signature.static][:MOST]:
        for number in _large(judge):
            made = partial(dict[str, object], {**values, name: number})
            try:
                judge.check(Case(LARGE_NUMBERS, made, ordinary=False, finite=False, patience=PATIENCE))
            except (Raises, OtherKind, Unfit) as error:
                yield f"on a number that no caller in this file passes: {error}"
                return


def _numbers(spec: Spec, judge: Judge) -> tuple[object, ...]:
    """The numbers of Python that a parameter of this kind is tried as."""
    match spec:
        case Array(shape=(), dtype="float32" | "int32"):
            return (*NUMBERS, *_large(judge)) if spec.dtype == "int32" else NUMBERS
        case Scalar(kind="int", size=None):
            return _large(judge)
    return ()


def _large(judge: Judge) -> tuple[object, ...]:
    """The numbers that an operation of the old version takes out of 32 bits."""
    nodes = list(ast.walk(judge.pair.old.tree))
    used = {type(n.op) for n in nodes if isinstance(n, ast.BinOp | ast.AugAssign)}
    return tuple(number for number, operators in LARGE.items() if used & {*operators})


def _far(specs: Specs, name: str) -> Iterator[Case]:
    """Calls with many trips, whatever they are counted by."""

    def change(leaf: Leaf, path: str) -> Spec:
        return Scalar("int", TRIPS) if isinstance(leaf, Scalar) and leaf.kind == "int" and leaf.size is None else leaf

    lengths = dict.fromkeys(sizes(specs), TRIPS)
    many = {n: replace(resize(spec, lengths), change) for n, spec in specs.items()}
    return _cases(many, name, FAR) if many != specs and isinstance(specs[name], Array) else iter(())


def _cases(specs: Specs, name: str, numbers: tuple[object, ...]) -> Iterator[Case]:
    """Calls with each number, with little patience: it may count trips."""
    for number in numbers:
        values = {**make(specs, Filling("ordinary values"), ()), name: number}
        made = partial(dict[str, object], values)
        yield Case(LARGE_NUMBERS, made, ordinary=False, finite=False, patience=PATIENCE)
