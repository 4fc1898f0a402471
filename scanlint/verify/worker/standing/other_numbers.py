"""Numbers and texts of which a caller shows one value: what it passes, leaves at its default, and what objects hold."""

from __future__ import annotations

import ast
import copy
import itertools
import time
from collections.abc import Iterator, Sequence
from functools import partial

from ..comparing.derivatives.gradients import still_finite
from ..comparing.judge import Judge
from ..comparing.refutations import OtherKind, Raises, Refuted, Unfit
from ..comparing.result_trees import floating
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values, mapped
from ..runtime.free_names import defaults_of
from ..runtime.jax_functions import attribute
from ..search.case_values import Case
from .module_constants import others

SECONDS = 3.0
PATIENCE = 1.0
MOST_TEXTS = 8


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
    """The arguments with one number or text changed: an argument, a default, or what an object holds."""
    function, trees = judge.pair.old.function, (judge.pair.old.tree, judge.pair.new.tree)
    defaults = defaults_of(function.args) if function is not None else {}
    usual = {**{n: d.value for n, d in defaults.items() if isinstance(d, ast.Constant)}, **values}
    texts = list(dict.fromkeys(text for tree in trees for text in _texts(tree)))[:MOST_TEXTS]
    for name, value in usual.items():
        for other in _other(value, texts):
            yield f"{name} = {other!r}", {**values, name: other}
        if type(value) is float:  # what is compared with it is equal where all is zero
            yield f"{name} = 0.0", {**values, name: 0.0}
            yield f"{name} = 0.0 and all zero", {**mapped(_zero, values), name: 0.0}
    modes = {name: _modes(value, texts) for name, value in usual.items()}
    for one, two in itertools.combinations([name for name, found in modes.items() if found], 2):
        for first, second in itertools.product(modes[one], modes[two]):
            yield f"{one} = {first!r}, {two} = {second!r}", {**values, one: first, two: second}
    named = {n.attr for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    module = judge.pair.home.module.__name__
    for name, value in values.items():
        held = attribute(value, "__dict__", None) if type(value).__module__ == module else None
        for part, number in held.items() if isinstance(held, dict) else ():
            for other in _other(number, texts) if part in named else ():
                made = copy.copy(value)
                vars(made)[part] = other
                yield f"{name}.{part} = {other!r}", {**values, name: made}


def _other(value: object, texts: Sequence[str]) -> list[object]:
    if isinstance(value, str):
        return [text for text in texts if text != value] if value in texts else []
    return others(value) if isinstance(value, int | float) else []


def _modes(value: object, texts: Sequence[str]) -> list[object]:
    """What a parameter is otherwise that counts together with another one: a truth, a text, no trip."""
    return [0] if type(value) is int else _other(value, texts) if isinstance(value, bool | str) else []


def _texts(tree: ast.AST) -> Iterator[str]:
    """The texts that a text tells apart: what it compares with, and the keys of its tables."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=compared):
                parts = [p for c in (left, *compared) for p in (c.elts if isinstance(c, ast.Tuple | ast.List) else [c])]
            case ast.Dict(keys=keys):
                parts = [key for key in keys if key is not None]
            case ast.MatchValue(value=value):
                parts = [value]
            case _:
                continue
        yield from (part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
