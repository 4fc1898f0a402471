"""Proof: both versions are traced, unrolled, numbered and compared output by output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import numpy as np

from .interpret import Interpreter, count
from .jaxes import shape
from .numbers import Ids, Numbering, Unprovable
from .paths import TooManyDecisions, paths

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

Function = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether the programs are the same for inputs of these shapes; equation counts where they were traced.

    `empty` where outputs without elements differ in shape or dtype: a loop of no trips has nothing to take these from.
    """

    same: bool
    reason: str = ""
    before: int | None = None
    after: int | None = None
    empty: bool = False
    error: Exception | None = None


def prove(old: Function, new: Function, leaves: Sequence[object]) -> Proof:
    """Compare `old(*leaves)` with `new(*leaves)`, which take and give arrays only."""
    try:
        after, tree_after = _trace(new, leaves)
    except Exception as error:  # noqa: BLE001
        return Proof(False, f"the new version does not trace: {type(error).__name__}", error=error)
    equations = count(after.jaxpr)
    try:
        before, tree_before = _trace(old, leaves)
    except Exception as error:  # noqa: BLE001
        if not isinstance(error, jax.errors.ConcretizationTypeError):
            return Proof(False, f"the old version does not trace: {type(error).__name__}", after=equations)
        return _by_path(old, after, tree_after, leaves, equations)
    counted = count(before.jaxpr)
    if not similar(tree_before, tree_after):
        return Proof(False, "the outputs differ in structure", counted, equations)
    reason = _differ(before, after, leaves)
    pairs = zip(before.out_avals, after.out_avals, strict=False)
    empty = any(0 in shape(a) and 0 in shape(b) and (shape(a), a.dtype) != (shape(b), b.dtype) for a, b in pairs)
    return Proof(not reason, reason, counted, equations, empty)


def _trace(function: Function, leaves: Sequence[object]) -> tuple[ClosedJaxpr, object]:
    trees: list[object] = []

    def flat(*arguments: object) -> list[object]:
        out, tree = jax.tree_util.tree_flatten(function(*arguments))
        trees.append(tree)
        return out

    program = jax.make_jaxpr(flat)(*leaves)
    return program, trees[-1]


def similar(a: object, b: object) -> bool:
    """Equal trees, where classes of the two versions of the module count as equal by name."""
    return a == b or str(a).replace("__before.", ".") == str(b).replace("__after.", ".")


def symbols(numbering: Numbering, leaves: Sequence[object]) -> list[Ids]:
    """Fresh numbers for the elements of each input."""
    return [numbering.block(("input", k, shape(x)), shape(x)) for k, x in enumerate(leaves)]


def _differ(before: ClosedJaxpr, after: ClosedJaxpr, leaves: Sequence[object]) -> str:
    numbering = Numbering()
    inputs = symbols(numbering, leaves)
    try:
        first = Interpreter(numbering).closed(before, inputs)
        second = Interpreter(numbering).closed(after, inputs)
    except Unprovable as error:
        return str(error)
    return _compare(first, second, before, after)


def _compare(first: Sequence[Ids], second: Sequence[Ids], before: ClosedJaxpr, after: ClosedJaxpr) -> str:
    for a, b, x, y in zip(first, second, before.out_avals, after.out_avals, strict=False):
        if a.size == 0 and b.size == 0:
            continue
        if a.shape != b.shape or x.dtype != y.dtype:
            return "the outputs differ in shape or dtype"
        if not np.array_equal(a, b):
            return "the unrolled programs differ"
    return ""


def _by_path(old: Function, after: ClosedJaxpr, tree: object, leaves: Sequence[object], equations: int) -> Proof:
    """The old version branches on traced values: compare along each of its paths."""
    largest = 0

    def eager(*arguments: object) -> object:
        with jax.disable_jit():
            return old(*arguments)

    try:
        for path in paths(eager, leaves):
            largest = max(largest, count(path.program.jaxpr))
            if not similar(path.tree, tree):
                return Proof(False, "the outputs differ in structure", None, equations)
            numbering = Numbering()
            inputs = symbols(numbering, leaves)
            outputs = len(path.program.jaxpr.outvars) - len(path.decisions)
            first = _under(path.program, numbering, inputs, path.decisions)
            if first is None:
                continue
            inputs = _assumed(numbering, inputs)
            second = Interpreter(numbering).closed(after, inputs)
            reason = _compare(first[:outputs], second, path.program, after)
            if reason:
                return Proof(False, reason, None, equations)
    except TooManyDecisions:
        return Proof(False, "too many paths", None, equations)
    except Unprovable as error:
        return Proof(False, str(error), None, equations)
    except Exception as error:  # noqa: BLE001
        return Proof(False, f"a path does not trace: {type(error).__name__}", None, equations)
    return Proof(True, "", largest, equations)


def _assumed(numbering: Numbering, inputs: list[Ids]) -> list[Ids]:
    table = numbering.assumed
    return [np.array([table.get(i, i) for i in x.reshape(-1).tolist()], np.int64).reshape(x.shape) for x in inputs]


def _under(
    program: ClosedJaxpr, numbering: Numbering, inputs: list[Ids], decisions: tuple[bool, ...]
) -> list[Ids] | None:
    """The outputs under the path's decisions; None where these contradict each other."""
    for _ in range(len(decisions) + 2):
        outputs = Interpreter(numbering).closed(program, _assumed(numbering, inputs))
        settled = True
        for number, decision in zip(
            outputs[len(outputs) - len(decisions) :] if decisions else [], decisions, strict=False
        ):
            known = numbering.constants.get(int(number))
            if known is None:
                numbering.assume(int(number), decision)
                settled = False
                break
            if bool(known) != decision:
                return None
        if settled:
            return outputs
    raise Unprovable("the decisions of a path are not settled")
