"""Functions that a solver of SciPy calls again and again, and that run JAX outside of jit on each evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.host.piecemeal import jitted
from scanlint.host.results.eager_transforms import TRANSFORMS, outermost
from scanlint.host.results.loose_work import operations_of
from scanlint.host.step_loop import measures
from scanlint.host.threaded_state import called_in
from scanlint.jaxapi.words import words
from scanlint.syntax.walk import by_kind
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

HANDED = words("fun func f jac hess hessp fprime Dfun")
LEAST = 6
"""Operations of an evaluation from which one dispatch of them all is worth a word: a solver makes hundreds of them."""
DEEPEST = 3


class EagerEvaluation(NamedTuple):
    """A function that a solver is handed, as it is spelled, and the derivative that it makes anew, if it does."""

    given: ast.expr
    name: str
    transform: str | None
    operations: int


def evaluated(unit: Unit, call: ast.Call) -> Iterator[EagerEvaluation]:
    """The functions of one call of a solver that run JAX piecemeal."""
    if unit.source.tests or measures([call]):
        return
    handed = [*call.args[:2], *(k.value for k in call.keywords if k.arg in HANDED)]
    for given in handed:
        function = unit.value(given)
        name = "the lambda" if isinstance(given, ast.Lambda) else f"`{ast.unparse(given)}`"
        if (transform := _derives(function, 0)) is not None:
            yield EagerEvaluation(given, name, transform, 0)
        elif not jitted(function) and (operations := round(operations_of(unit, function))) >= LEAST:
            yield EagerEvaluation(given, name, None, operations)


def _derives(function: Value, depth: int) -> str | None:
    """The derivative outside of jit that a function is, or calls."""
    if (transform := outermost(function)) in TRANSFORMS:
        return transform
    match function.callee:
        case Partial(function=inner):
            return _derives(inner, depth)
        case Closure(code) if depth < DEEPEST and not code.mode.traced:
            return _derives_inside(code, depth)
    return None


def _derives_inside(code: Code, depth: int) -> str | None:
    for call in by_kind(code.node).of(ast.Call):
        made = code.scope.annotation(call.func.func) if isinstance(call.func, ast.Call) else None
        if made in TRANSFORMS:
            return made
        called = called_in(code, call.func)
        match called.callee:
            case Transformed() if outermost(called) in TRANSFORMS:
                return outermost(called)
            case Closure():
                if (found := _derives(called, depth + 1)) is not None:
                    return found
    return None
