"""Branches and loops on traced values without decisions: both arms are run and joined, a trip is traced once.

The old version runs with its `if`, `while` and `for ... in range(...)` statements as calls of these functions. They
have the semantics of Python as far as it can be traced: arms and bodies may only change local names.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..runtime.jax_functions import numeric

Action = Callable[[], object]
Values = tuple[object, ...]


class Unfolded(Exception):
    """A statement cannot be evaluated without deciding its tests."""


class Unbound:
    """Stands for a name without a value."""


UNBOUND = Unbound()
MAX_FIRST = 3
ARM = "scanlint-arm"


@dataclass
class Duties:
    """Conditions under which a trace has the semantics of Python: pairs that must be equal."""

    pairs: list[tuple[object, object]] = field(default_factory=list)


class _Current:
    duties = Duties()


@contextlib.contextmanager
def gathering() -> Iterator[Duties]:
    """Within, duties are collected."""
    _Current.duties = Duties()
    try:
        yield _Current.duties
    finally:
        _Current.duties = Duties()


def read(*names: Action) -> Values:
    """The values of local names."""
    return tuple(_value(name) for name in names)


def _value(name: Action) -> object:
    try:
        return name()
    except NameError:
        return UNBOUND


def both(first: Action, second: Action) -> object:
    """The truth of `first and second`."""
    value = first()
    return jnp.logical_and(truth(value), truth(second())) if _is_traced(value) else value and second()


def either(first: Action, second: Action) -> object:
    """The truth of `first or second`."""
    value = first()
    return jnp.logical_or(truth(value), truth(second())) if _is_traced(value) else value or second()


def negated(value: object) -> object:
    """`not value`"""
    return jnp.logical_not(truth(value)) if _is_traced(value) else not value


def truth(value: object) -> jax.Array:
    """The truth of a value, as `bool(value)` gives it; for tracers too."""
    if not numeric(value) or _type(value)[0] != ():
        raise Unfolded("the truth of what is no number")
    array = jnp.asarray(value)
    return array if array.dtype == np.bool_ else array != 0


def choice(test: object, yes: Action, no: Action) -> object:
    """`yes() if test else no()`"""
    if not _is_traced(test):
        return yes() if test else no()
    with jax.named_scope(ARM):
        arms = yes(), no()
    return _merged(truth(test), *arms)


def branch(test: object, yes: Action, no: Action, get: Callable[[], Values], put: Callable[[Values], None]) -> None:
    """`if test: yes() else: no()`, where the arms change the local names that `get` reads and `put` sets."""
    if not _is_traced(test):
        (yes if test else no)()
        return
    before = get()
    with jax.named_scope(ARM):
        yes()
        first = get()
        put(before)
        no()
    put(tuple(_merged(truth(test), a, b) for a, b in zip(first, get(), strict=True)))


def repeat(test: Action, body: Action, get: Callable[[], Values], put: Callable[[Values], None]) -> None:
    """`while test(): body()`"""
    if _is_traced(test()):
        _staged(lambda counter: test(), lambda counter: body(), get, put, ())
        return
    while test():
        body()


def over(
    limits: Sequence[object], target: Callable[[object], None], body: Action,
    get: Callable[[], Values], put: Callable[[Values], None],
) -> None:  # fmt: skip
    """`for target in range(*limits): body()`"""
    if not any(_is_traced(x) for x in limits):
        for i in range(*limits):  # type: ignore[call-overload]
            target(i)
            body()
        return
    start, stop, step = {1: (0, *limits, 1), 2: (*limits, 1)}.get(len(limits), tuple(limits))
    if type(step) is not int or step == 0 or not all(_is_integer(x) for x in (start, stop)):
        raise Unfolded("a range with a traced step")

    def trip(counter: Values) -> None:
        target(counter[0])
        body()
        counter[1].append(counter[0] + step)  # type: ignore[attr-defined,operator]

    _staged(lambda c: c[0] < stop if step > 0 else c[0] > stop, trip, get, put, (start,))  # type: ignore[operator]


def _staged(
    test: Callable[[Values], object], trip: Callable[[Values], object],
    get: Callable[[], Values], put: Callable[[Values], None], counters: Values,
) -> None:  # fmt: skip
    """A `while_loop` over the local names, and over a counter where the source has none of its own."""
    names = get()
    flat, tree = _flat((counters, names))
    moving = [i for i, x in enumerate(flat) if numeric(x)]

    def enter(values: Sequence[object]) -> Values:
        whole = list(flat)
        for i, x in zip(moving, values, strict=True):
            whole[i] = x
        held, local = jax.tree_util.tree_unflatten(tree, whole)
        put(local)
        return (*held, [])

    def holds(values: Sequence[object]) -> jax.Array:
        return truth(test(enter(values)))

    def one(values: Sequence[object]) -> list[object]:
        held = enter(values)
        trip(held)
        after = tuple(UNBOUND if a is UNBOUND else b for a, b in zip(names, get(), strict=True))
        found, other = _flat((tuple(held[-1]), after))  # type: ignore[arg-type]
        if other != tree or any(a is not b for i, (a, b) in enumerate(zip(flat, found)) if i not in moving):  # noqa: B905
            raise Unfolded("a loop changes what is no array")
        return [found[i] for i in moving]

    initial = [flat[i] for i in moving]
    with jax.disable_jit(False):
        final = lax.while_loop(holds, lambda values: [jnp.asarray(x) for x in one(values)], initial)
    types = [_type(x) for x in final]
    if types != [_type(x) for x in initial] or any(isinstance(x, float) for x in initial):
        _promise(initial, [_cast(x, kind[1]) for x, kind in zip(initial, types, strict=True)], holds, one)
    enter(final)


def _promise(
    state: Sequence[object], cast: Sequence[object],
    holds: Callable[[Sequence[object]], object], one: Callable[[Sequence[object]], list[object]],
) -> None:  # fmt: skip
    """While a carried float is a Python float or of its first type, a trip must equal one with the last type."""
    for _ in range(MAX_FIRST):
        after, other = one(state), one(cast)
        _Current.duties.pairs += [(holds(state), holds(cast))]
        _Current.duties.pairs += [(_cast(a, _type(b)[1]), b) for a, b in zip(after, other, strict=True)]
        if not any(isinstance(b, float) and a is not b for a, b in zip(state, after, strict=True)):
            return
        state, cast = after, other
    raise Unfolded("a Python float is computed in a loop")


def _cast(x: object, dtype: np.dtype[np.generic]) -> object:
    """As an array of this dtype."""
    return jnp.asarray(x) if _type(x)[1] == dtype else lax.convert_element_type(x, dtype)  # type: ignore[arg-type]


def _merged(test: jax.Array, a: object, b: object) -> object:
    if a is b:
        return a
    if a is UNBOUND or b is UNBOUND:
        return UNBOUND
    first, tree = _flat(a)
    second, other = _flat(b)
    if tree != other:
        raise Unfolded("the arms of a branch differ in structure")
    return jax.tree_util.tree_unflatten(tree, [_leaf(test, x, y) for x, y in zip(first, second, strict=True)])


def _leaf(test: jax.Array, a: object, b: object) -> object:
    if a is b or (type(a) is type(b) and isinstance(a, (bool, int, float, str)) and repr(a) == repr(b)):
        return a
    if not (numeric(a) and numeric(b)) or (isinstance(a, float) and isinstance(b, float)):
        raise Unfolded("the arms of a branch differ in what is no array")
    (shape, dtype, weak), other = _type(a), _type(b)
    if (shape, dtype) != other[:2] or (weak != other[2] and dtype.kind not in "fb"):
        raise Unfolded("the arms of a branch differ in type")
    return jnp.where(test, a, b)  # type: ignore[call-overload]


def _flat(tree: object) -> tuple[list[object], object]:
    return jax.tree_util.tree_flatten(tree)


def _type(x: object) -> tuple[tuple[int, ...], np.dtype[np.generic], bool]:
    weak = isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic)
    array = jnp.asarray(x)
    return array.shape, array.dtype, weak or bool(getattr(x, "weak_type", False))


def _is_traced(x: object) -> bool:
    return isinstance(x, jax.core.Tracer)


def _is_integer(x: object) -> bool:
    return numeric(x) and _type(x)[0] == () and np.issubdtype(_type(x)[1], np.integer)
