"""Arguments that no guess has and a caller may pass: where the new version alone does not take them, it is said."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator, Sequence

import jax.numpy as jnp

from ..infer.specs import Alternatives, Array, Scalar, Specs, resized, sizes
from ..runtime.calling import TookTooLong, limited, plain
from ..runtime.jax_functions import shape
from ..search.attempts import ATTEMPT_SECONDS, TOO_LONG, Attempts
from ..search.case_values import Filling, make
from ..search.other_dtypes import retyped

SECONDS = 0.5
MOST = 3
FLOATS = ("float16", "bfloat16", "float32")
BESIDE = ("int8", "uint8", "int32", "bool")
ONES, FLAG = (Array(()), Array((), "int32"), Array((), "bool")), Alternatives((True, False))
NUMBERS = (1.0, 0.0)
ARMS = (ast.If, ast.IfExp, ast.BoolOp)
ONE_ELEMENT, OTHER_SHAPE = "results have other shapes where `{0}` is an array of one element", "the shape was"
STACKS_NOTHING = re.compile(r"(?i)need at least one array to (?:stack|concatenate)")
ALIKE = "only for arrays that are as long as each other"
UNKNOWN_TEXT = "no such name"


def not_taken(inputs: Attempts, after: Callable[..., object], specs: Specs) -> Iterator[str]:
    """Remarks on floats for whole numbers, and on arrays of one element for numbers; by their types."""
    if inputs.owner is not None:
        return
    started = time.process_time()
    for remarks in (_of_no_rows, _of_floats, _of_one_element):
        for remark in remarks(inputs, after, specs):
            if remark:
                yield remark
            if time.process_time() - started > SECONDS:
                return


def lost_error(inputs: Attempts, after: Callable[..., object], specs: Specs) -> str:
    """The counterexample in which only the old version raises, for a text that it does not know; empty without one."""
    for name in [n for n, s in specs.items() if isinstance(s, Alternatives) and isinstance(s.values[0], str)]:
        unknown: Specs = {**specs, name: Alternatives((UNKNOWN_TEXT,))}
        failure = inputs.attempt(unknown)
        if failure is not None and failure.kind != TOO_LONG and inputs.attempt(unknown, after) is None:
            return f"{name} = {UNKNOWN_TEXT!r}: only the old version raises {failure.kind}: {failure.message}"
    return ""


def _of_no_rows(inputs: Attempts, after: Callable[..., object], specs: Specs) -> Iterator[str]:
    """Arrays without elements, on which the old version fails: callers may rely on its error.

    Nobody does where that only stacks nothing, and the new version gives as many rows as there are.
    """
    for size in sizes(specs)[:MOST]:
        nothing = resized(specs, {size: 0})
        failure = inputs.attempt(nothing)
        if failure is not None and inputs.attempt(nothing, after) is None:
            if not STACKS_NOTHING.search(failure.message):
                yield f"where there are no elements only the old version raises {failure.kind}"
            return


def _of_floats(inputs: Attempts, after: Callable[..., object], specs: Specs) -> Iterator[str]:
    """Floats for each whole number and flag: their types, for a Python number those of the arrays beside it too."""
    for name in [n for n, s in specs.items() if _counts(s)][:MOST]:
        fails = [d for d in FLOATS if _lost(inputs, after, {**specs, name: Array((), d)})]
        yield f"the new version raises for {', '.join(fails)} in `{name}`" if fails else ""
        if len(fails) == len(FLOATS) or not isinstance(specs[name], Scalar):
            continue
        beside = {**specs, name: Scalar("float")}
        tried = {d: {n: retyped(s, "float32", d) for n, s in beside.items()} for d in BESIDE}
        fails = [d for d, changed in tried.items() if changed != beside and _lost(inputs, after, changed)]
        yield f"the new version raises for {', '.join(fails)} beside a float `{name}`" if fails else ""


def _counts(spec: object) -> bool:
    one = spec == FLAG or (isinstance(spec, Array) and not spec.shape and spec.dtype in ("int32", "bool"))
    return one or (isinstance(spec, Scalar) and spec.kind == "int" and spec.size is None)


def _lost(inputs: Attempts, after: Callable[..., object], specs: Specs) -> bool:
    """Whether only the old version takes these."""
    return inputs.attempt(specs) is None and inputs.attempt(specs, after) is not None


def _of_one_element(inputs: Attempts, after: Callable[..., object], specs: Specs) -> Iterator[str]:
    """Arrays of one element have a truth; where both arms are computed, these get the axes of what is tested."""
    if not any(isinstance(n, ARMS) for n in ast.walk(inputs.node)):
        return
    for name in [n for n, s in specs.items() if s in ONES or s == FLAG][:MOST]:
        changed = {**specs, name: Array((1, 1))}
        arms = list(_shapes_by_arm(inputs, changed, name))
        if len(arms) < len(NUMBERS) or inputs.attempt(changed, after) is not None:
            continue
        found = inputs.shapes or ()
        if any(len(arm) == len(found) and arm != found for arm in arms):
            yield ONE_ELEMENT.format(name)


def broadcasting(inputs: Attempts, listed: Sequence[Specs]) -> Iterator[tuple[str, Specs]]:
    """The first specs in which arrays share an axis, with one element in each of these; if the old version takes that.

    Only one arm may have the axes of the others.
    """
    if inputs.owner is not None or not any(isinstance(n, ARMS) for n in ast.walk(inputs.node)):
        return
    for specs in listed:
        arrays = {n: s for n, s in specs.items() if isinstance(s, Array) and "key" not in s.dtype}
        sharing = [n for n, s in arrays.items() if any(_share(s, t) for o, t in arrays.items() if o != n)]
        for name in sharing[:MOST]:
            changed = {**specs, name: Array((1,) * len(arrays[name].shape), arrays[name].dtype)}
            if inputs.by_arm(changed) is not None:
                yield name, changed
        if sharing:
            return


def _share(one: Array, other: Array) -> bool:
    return bool({n for n in one.shape if n > 1} & set(other.shape))


def _shapes_by_arm(inputs: Attempts, specs: Specs, name: str) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The shapes that the old version gives for each number; a truth of more than a number is asked of values only."""
    for number in NUMBERS:
        values = {**make(specs, Filling("ordinary values"), ()), name: jnp.full((1, 1), number)}
        try:
            with limited(ATTEMPT_SECONDS):
                yield tuple(shape(x) for x in inputs.outcome(inputs.moved(values, None), plain(inputs.function)))
        except (Exception, TookTooLong):  # noqa: BLE001 - it takes no such array
            return
