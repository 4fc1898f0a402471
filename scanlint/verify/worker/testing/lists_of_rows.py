"""Lists and NumPy arrays where guesses are arrays of JAX: a loop takes them, a scan no list, a tracer no NumPy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from ..comparing.judge import Judge
from ..comparing.refutations import Raises
from ..infer.specs import Array, Specs
from ..runtime.calling import TookTooLong, Values, in_time, jitted, limited
from ..runtime.jax_errors import first_line, untraceable
from ..runtime.jax_functions import is_key
from ..runtime.version_pair import Function
from ..search.case_values import Case, Filling, make

SECONDS = 1.0
MOST = 3
NUMPY = "only where `{0}` is an array of JAX: for one of NumPy the new version raises {1}"
LISTS = "only where `{0}` is an array: for a list of its rows the new version raises {1}"


def lists_of_rows(judge: Judge, specs: Specs) -> Iterator[str]:
    """Remarks on parameters that may be lists in the old version only; raises Refuted where both take lists and differ.

    Parameters whose annotation says what they are are arrays.
    """
    function = judge.pair.old.function
    told = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.annotation} if function else set()
    arrays = [n for n, s in specs.items() if isinstance(s, Array) and s.shape and "key" not in s.dtype]
    for name in [n for n in arrays if n not in told][:MOST]:
        values = make(specs, Filling("ordinary values"), ())
        listed = {**values, name: list(values[name])}  # type: ignore[call-overload]
        unlike = _refused(judge, judge.pair.before, judge.pair.own(listed))
        if unlike is not None and not untraceable(unlike):
            continue
        if (why := _refused(judge, judge.pair.after, judge.pair.moved(listed))) is not None:
            if unlike is None or _runs(judge, listed):
                yield LISTS.format(name, f"{type(why).__name__}: {first_line(why, 80)}")
            continue
        if unlike is not None:
            continue
        try:
            judge.check(Case(f"`{name}` is a list", lambda listed=listed: dict(listed), ordinary=False))  # type: ignore[misc]
        except Raises as error:
            yield LISTS.format(name, error)


def of_numpy(judge: Judge, specs: Specs) -> Iterator[str]:
    """Remarks on parameters that may be arrays of NumPy in the old version only: no jit makes tracers of them."""
    function = judge.pair.old.function
    if jitted(judge.pair.after) or function is None:
        return
    told = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.annotation}
    for name in [n for n, s in specs.items() if isinstance(s, Array) and s.shape and n not in told][:MOST]:
        values = make(specs, Filling("ordinary values"), ())
        if is_key(getattr(values[name], "dtype", None)):
            continue
        given = {**values, name: np.asarray(values[name])}
        if _runs(judge, given) and (why := _raised(judge, given)) is not None:
            yield NUMPY.format(name, f"{type(why).__name__}: {first_line(why, 80)}")


def _raised(judge: Judge, values: Values) -> Exception | None:
    """What the new version raises as Python runs it."""
    try:
        with limited(SECONDS):
            judge.pair.run_new(values)
    except TookTooLong:  # nothing is said of what was not seen to the end
        return None
    except Exception as error:  # noqa: BLE001 - code of others, whatever it raises
        return error
    return None


def _refused(judge: Judge, function: Function, values: Values) -> Exception | TookTooLong | None:
    """Why a version takes no such arguments where they are traced; None if it does."""
    try:
        with limited(SECONDS):
            return judge.pair.refusal(function, values, numbers=False)
    except TookTooLong as error:
        return error


def _runs(judge: Judge, values: Values) -> bool:
    """Whether the old version takes such arguments where its Python sees their values."""
    return in_time(lambda: [judge.pair.run_old(values)], SECONDS) is not None
