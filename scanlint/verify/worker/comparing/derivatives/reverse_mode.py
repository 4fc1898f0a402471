"""Checks that reverse-mode differentiation is not lost: a loop of unknown trips keeps nothing to go back through."""

from __future__ import annotations

import ast
from collections.abc import Callable

import jax

from ...proof.equations import name_of
from ...proof.jaxpr_facts import every_equation
from ...runtime.calling import Signature, TookTooLong, Values, limited, split
from ...runtime.free_names import names_in
from ...runtime.jax_errors import Fact, first_line, says, untraceable
from ...runtime.pace.eager_pace import CASE_SECONDS
from ...runtime.version_pair import Function
from ...search.case_values import Case
from ..judge import Judge
from ..refutations import Refuted
from ..result_trees import floating
from .differentiated import projection
from .gradients import LOST

LOOPS = frozenset(["while_loop", "fori_loop"])
"""Loops without a reverse mode where their number of trips is a tracer."""
SECONDS = 2 * CASE_SECONDS
Objective = Callable[[list[object]], object]


def same_way_back(judge: Judge, case: Case) -> None:
    """Raise Refuted where the old version can be differentiated in reverse mode under `jit`, and the new one cannot.

    Of an old version that no `jit` takes it is said.
    """
    pair = judge.pair
    if not _loops(pair.new.tree):
        return
    values = case.make()
    judge.stage(f"tracing the gradient of the new version on {case.label}")
    error = _raised(_gradient, pair.signature, pair.after, pair.moved(values))
    if error is None or not says(error, Fact.IRREVERSIBLE):
        return
    judge.stage(f"tracing the old version on {case.label}")
    kept = _raised(_without_while, pair.signature, pair.before, pair.own(values))
    if kept is not None and untraceable(kept):
        judge.note(LOST)
    if kept is None:
        text = first_line(error, 120)
        raise Refuted(f"irreversible: the old version can be differentiated in reverse mode, the new one not: {text}")


def _loops(tree: ast.AST) -> bool:
    """Whether a text has loops that may have lost their way back."""
    return not LOOPS.isdisjoint(names_in(tree))


def _raised(
    trace: Callable[[Objective, list[object], list[int]], None],
    signature: Signature,
    function: Function,
    values: Values,
) -> BaseException | None:
    """The exception of tracing a version in some way, with all of its arrays as tracers; None if there is none."""
    parts = split(values, signature.static, numbers=False)
    at = [i for i, x in enumerate(parts.leaves) if floating(x)]
    try:
        with limited(SECONDS):
            trace(lambda leaves: projection(signature.call(function, parts.rebuild(leaves))), parts.leaves, at)
    except (Exception, TookTooLong) as error:  # noqa: BLE001  whatever the code under test raises
        return error
    return None


def _gradient(objective: Objective, leaves: list[object], at: list[int]) -> None:
    def gradient(leaves: list[object]) -> object:
        def of_floats(floats: list[object]) -> object:
            changed = list(leaves)
            for i, x in zip(at, floats, strict=True):
                changed[i] = x
            return objective(changed)

        return jax.grad(of_floats)([leaves[i] for i in at])

    jax.eval_shape(gradient, leaves)


def _without_while(objective: Objective, leaves: list[object], at: list[int]) -> None:
    """Raise unless the traced program has a way back: a gradient of thousands of equations takes too long."""
    if any(name_of(e) == "while" for e in every_equation(jax.make_jaxpr(objective)(leaves).jaxpr)):
        _gradient(objective, leaves, at)
