"""What an object holds is an input like a parameter: a caller shows one value of it."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Iterator
from functools import partial

from ..comparing.judge import Judge, OtherKind, Raises, Refuted, Unfit
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values
from ..runtime.jax_functions import attribute
from ..search.case_values import Case
from .module_constants import others

SECONDS = 3.0
PATIENCE = 1.0


def held_otherwise(judge: Judge, values: Values, *, proved: bool) -> Iterator[str]:
    """Compare a call where objects of the module hold other numbers, one by one; raises Refuted where results differ.

    `proved`: the programs are equal for the usual numbers. A number that the new version alone does not take is said.
    """
    started = time.process_time()
    for label, changed in _changed(judge, values):
        if time.process_time() - started > SECONDS:
            return
        if proved and one_proof(judge.pair, changed, SECONDS).same:
            continue
        try:
            judge.check(Case(label, partial(dict[str, object], changed), ordinary=False, patience=PATIENCE))
        except (Raises, OtherKind, Unfit) as error:
            yield f"where `{label}`, which no caller in this file passes: {error}"
        except Refuted as error:
            raise Refuted(f"where `{label}`: {error}") from error


def _changed(judge: Judge, values: Values) -> Iterator[tuple[str, Values]]:
    """The arguments with one number of one object changed, of those that a text names."""
    trees = judge.pair.old.tree, judge.pair.new.tree
    named = {n.attr for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    module = judge.pair.home.module.__name__
    for name, value in values.items():
        held = attribute(value, "__dict__", None) if type(value).__module__ == module else None
        for part, number in held.items() if isinstance(held, dict) else ():
            for other in others(number) if part in named and isinstance(number, int | float) else ():
                made = copy.copy(value)
                vars(made)[part] = other
                yield f"{name}.{part} = {other:g}", {**values, name: made}
