"""Numbers of which a caller shows one value: what it passes, leaves at its default, and what objects hold."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Iterator
from functools import partial

from ..comparing.gradients import still_finite
from ..comparing.judge import Judge, OtherKind, Raises, Refuted, Unfit
from ..comparing.result_trees import floating
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values, mapped
from ..runtime.free_names import defaults_of
from ..runtime.jax_functions import attribute
from ..search.case_values import Case
from .module_constants import others

SECONDS = 3.0
PATIENCE = 1.0


def other_numbers(judge: Judge, values: Values, *, proved: bool, straight: bool) -> Iterator[str]:
    """Compare a call with other numbers, one by one; raises Refuted where results differ.

    `proved`: the programs are equal for the usual numbers. A number that the new version alone does not take is said.
    `straight`: both versions choose in the same way, so that they have the same derivatives.
    """
    started = time.process_time()
    for label, changed in _changed(judge, values):
        if time.process_time() - started > SECONDS:
            return
        if proved and one_proof(judge.pair, changed, SECONDS).same:
            continue
        case = Case(label, partial(dict[str, object], changed), ordinary=False, patience=PATIENCE)
        try:
            if judge.check(case) and not straight:
                still_finite(judge, case)
                still_finite(judge, Case(label, partial(mapped, _negative, changed), ordinary=False))
        except (Raises, OtherKind, Unfit) as error:
            yield f"where `{label}`, which no caller in this file passes: {error}"
        except Refuted as error:
            raise Refuted(f"where `{label}`: {error}") from error


def _negative(leaf: object) -> object:
    """An array of floats with the other signs: what a test of it keeps from a root comes to one."""
    return -leaf if floating(leaf) else leaf  # type: ignore[operator]


def _zero(leaf: object) -> object:
    return 0 * leaf if floating(leaf) else leaf  # type: ignore[operator]


def _changed(judge: Judge, values: Values) -> Iterator[tuple[str, Values]]:
    """The arguments with one number changed: an argument, a default, or what an object holds and a text names."""
    function = judge.pair.old.function
    defaults = defaults_of(function.args) if function is not None else {}
    usual = {**{n: d.value for n, d in defaults.items() if isinstance(d, ast.Constant)}, **values}
    for name, number in usual.items():
        for other in others(number) if isinstance(number, int | float) else ():
            yield f"{name} = {other!r}", {**values, name: other}
        if type(number) is float:  # what is compared with it is equal where all is zero
            yield f"{name} = 0.0", {**values, name: 0.0}
            yield f"{name} = 0.0 and all zero", {**mapped(_zero, values), name: 0.0}
    trees = judge.pair.old.tree, judge.pair.new.tree
    named = {n.attr for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    module = judge.pair.home.module.__name__
    for name, value in values.items():
        held = attribute(value, "__dict__", None) if type(value).__module__ == module else None
        for part, number in held.items() if isinstance(held, dict) else ():
            for other in others(number) if part in named and isinstance(number, int | float) else ():
                made = copy.copy(value)
                vars(made)[part] = other
                yield f"{name}.{part} = {other!r}", {**values, name: made}
