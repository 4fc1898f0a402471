"""Whether both versions compute the same for all sizes and numbers of trips: one trip of each is run, and compared."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import jax
import numpy as np

from ...runtime.calling import Signature, Values
from ...runtime.free_names import bound_names, whole_numbers
from ...runtime.jax_functions import of_array
from ...runtime.loading import Loaded
from ..equations import name_of
from ..jaxpr_facts import every_equation
from ..numbering.value_numbers import Unprovable
from ..prove import similar
from .loops import Algebra
from .polynomials import LARGEST, Integers, NotProved
from .programs import Programs
from .python.loops.python_loops import PythonLoops
from .python.python_interpreter import PythonInterpreter
from .python.python_values import (
    ListRows,
    PythonFunction,
    Repeated,
    SymbolicInt,
    UnboundName,
    UnknownNumber,
    Value,
    equal,
)
from .python.same_values import SAME
from .recurrences import Recurrences
from .sizes import SymbolicSizes
from .term_table import Term

if TYPE_CHECKING:
    from ..equations import ClosedJaxpr

LEAST = 1, 2, 3
"""The sizes from which on a proof may speak, tried in this order: with one row there is no second one."""
SMALL = 2
"""Sizes up to it are kept: 1 broadcasts, 2 and 0 are often meant."""


@dataclass(frozen=True)
class ForAllSizes:
    """`reason`: why there is no proof, empty if there is one; for sizes from `least` to `most` that are equal where
    those of the example are; `sizes` are the sizes of the example that stand for all."""

    reason: str = ""
    least: int = 1
    most: int = LARGEST[0]
    sizes: frozenset[int] = frozenset()
    recurrences: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        return not self.reason


@dataclass
class Version:
    """One version of the function: its module and its definition."""

    loaded: Loaded
    node: ast.FunctionDef
    static: frozenset[str] = field(default_factory=frozenset)


def prove(
    old: Version, new: Version, signature: Signature, values: tuple[Values, Values], *, floats: bool = False
) -> ForAllSizes:
    """Compare both versions on arguments like these (of the old version, and of the new one).

    `floats`: the function is traced where it is called, so that floats of Python are arrays in it.
    """
    if floats and key_orders(sorted_values := _as_traced(values)) != key_orders(values):
        proof = prove(old, new, signature, sorted_values, floats=floats)
        if not proof.proved:
            return proof
    kept = numbers_in(old) | numbers_in(new)
    found = {size for size in sizes_of(values[0]) if size > SMALL and size not in kept}
    one, other = (_with_stacks(given, kept) for given in values)
    if one is not None and other is not None:
        lengths = {size for size in sizes_of(one) if size > SMALL and size not in kept}
        proof, _ = _from_some_size_on(old, new, signature, (one, other), lengths, floats=floats)
        if proof.proved:
            return proof
    proof, gone_through = _from_some_size_on(old, new, signature, values, found, floats=floats)
    trips = {size for size in found if f"n{size}" in gone_through}
    trips = trips or {leaf for leaf in jax.tree_util.tree_leaves(values[0]) if type(leaf) is int} & found
    if proof.proved or not trips or trips == found:
        return proof
    again, _ = _from_some_size_on(old, new, signature, values, trips, floats=floats)
    return again if again.proved else proof


def _from_some_size_on(
    old: Version, new: Version, signature: Signature, values: tuple[Values, Values], found: set[int], *, floats: bool
) -> tuple[ForAllSizes, set[str]]:
    """The proof in which these sizes stand for all, from the least size on that it can speak of; and what loops of
    Python go through."""
    reason, gone_through = "", set[str]()
    for least in LEAST:
        integers = Integers(least=least)
        try:
            sizes = SymbolicSizes.of(sorted(found), integers)
            gone_through = sizes.gone_through
            told = _compare(old, new, signature, values, sizes, floats=floats)
        except Unprovable as error:
            reason = str(error)
        except RecursionError:
            return ForAllSizes("too deep to be compared for all sizes"), set()
        except Exception as error:  # noqa: BLE001 - what is not understood is tested
            reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:120]}"
        else:
            return ForAllSizes("", least, integers.most, frozenset(found), tuple(told)), gone_through
    return ForAllSizes(reason), gone_through


def _with_stacks(values: Values, kept: set[int]) -> Values | None:
    """The arguments, lists of items that are alike as stacks; None where there is no such list."""
    met = False

    def stacked(value: object) -> object:
        nonlocal met
        if type(value) is dict:
            return {k: stacked(v) for k, v in value.items()}
        if type(value) is not list or len(value) <= SMALL or len(value) in kept:
            return value
        flat = [jax.tree_util.tree_flatten(item) for item in value]
        if not flat[0][0] or not all(equal(tree, flat[0][1]) for _, tree in flat):
            return value
        if any(key_orders(item) != key_orders(value[0]) for item in value):
            return value
        columns = [*zip(*(leaves for leaves, _ in flat), strict=True)]
        if not all(
            all(isinstance(x, jax.Array) and _type_of(x) == _type_of(column[0]) for x in column) for column in columns
        ):
            return value
        met = True
        stacks = jax.tree_util.tree_unflatten(flat[0][1], [jax.numpy.stack(column) for column in columns])
        return Repeated(_in_order(stacks, value[0]))

    made = {name: stacked(value) for name, value in values.items()}
    return made if met else None


def key_orders(value: object) -> list[object]:
    """The keys of all dicts, in the order in which each is gone over."""
    if isinstance(value, dict):
        return [*value, *map(key_orders, value.values())]
    return [*map(key_orders, value)] if isinstance(value, tuple | list) else []


def _as_traced(values: tuple[Values, Values]) -> tuple[Values, Values]:
    """The arguments as a function gets them that JAX traces: the keys of dicts sorted."""
    one, other = ({n: jax.tree_util.tree_map(lambda x: x, v) for n, v in given.items()} for given in values)
    return one, other


def _in_order(value: object, like: object) -> object:
    """What JAX has put together again, its dicts in the order that they had."""
    match like:
        case dict() if type(like) is dict:
            return {k: _in_order(value[k], v) for k, v in like.items()}  # type: ignore[index]
        case Repeated():
            return Repeated(_in_order(value.leaves, like.leaves))  # type: ignore[attr-defined]
        case tuple() | list():
            parts = [_in_order(a, b) for a, b in zip(value, like, strict=True)]  # type: ignore[call-overload]
            return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)  # type: ignore[arg-type]
    return value


def _type_of(array: object) -> tuple[object, ...]:
    return np.shape(array), array.dtype, getattr(array, "weak_type", False)  # type: ignore[arg-type,attr-defined,unused-ignore]


def _compare(
    old: Version,
    new: Version,
    signature: Signature,
    values: tuple[Values, Values],
    sizes: SymbolicSizes,
    *,
    floats: bool,
) -> list[str]:
    given = _leaves(values[0], old.static)[0]
    if not floats and any(isinstance(x, np.ndarray | np.generic) and not isinstance(x, float) for x in given):
        raise NotProved("an array of NumPy, which may be changed in place")
    leaves = [_traced(leaf, sizes) for leaf in given]
    (one, first), (two, second) = (
        program(version, signature, given, leaves, sizes, floats=floats)
        for version, given in zip((old, new), values, strict=True)
    )
    if not similar(first, second):
        raise NotProved("the outputs differ in structure")
    for a, b in zip(one.out_avals, two.out_avals, strict=True):
        if sizes.shape(a.shape) != sizes.shape(b.shape) or a.dtype != b.dtype:
            raise NotProved("the outputs differ in shape or dtype")
    algebra = Algebra(integers=sizes.integers)
    for algebra.unrolled in (False, True):
        programs = Programs(algebra, sizes)
        inputs = [algebra.term("input", k, (), programs.shape(aval), aval.dtype) for k, aval in enumerate(one.in_avals)]
        results = [programs.closed(found, inputs) for found in (one, two)]
        if all(same(algebra, x, y) for x, y in zip(*results, strict=True)):
            return Recurrences(algebra, _named(values[0], old.static)).told(results[1])
        if not algebra.few_trips:
            break
    raise NotProved("what one trip computes differs")


def _named(values: Values, static: frozenset[str]) -> list[str]:
    """The traced arguments as they are written: `model.a`, `ys`."""
    flat, _ = jax.tree_util.tree_flatten_with_path(values, is_leaf=lambda x: x is None)
    _, _, at = _leaves(values, static)
    return [f"{flat[k][0][0].key}{jax.tree_util.keystr(flat[k][0][1:])}" for k in at]


def same(algebra: Algebra, one: Term, other: Term) -> bool:
    """Whether two arrays are the same, row by row where one of them is given so."""
    if one is other:
        return True
    differ = algebra.differ
    if (one.number, other.number) in differ:
        return False
    found = _same(algebra, one, other)
    if not found:
        differ.add((one.number, other.number))
    return found


def _same(algebra: Algebra, one: Term, other: Term) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if "rows" not in (one.op, other.op):
        alike = one.op == other.op and one.par == other.par and 0 < len(one.args) == len(other.args)
        return alike and all(same(algebra, a, b) for a, b in zip(one.args, other.args, strict=True))
    name = algebra.fresh("t")
    with algebra.integers.within(name, one.shape[0]) as trip:
        return same(algebra, algebra.row(one, 0, trip), algebra.row(other, 0, trip))


def program(
    version: Version,
    signature: Signature,
    values: Values,
    leaves: Sequence[object],
    sizes: SymbolicSizes,
    *,
    floats: bool,
) -> tuple[ClosedJaxpr, object]:
    """A version as a program of these leaves, and the structure of what it returns."""
    bound = Counter(name for n in version.loaded.tree.body for name in bound_names(n))
    if bound[version.node.name] > 1:
        raise NotProved("a function whose name is bound anew")
    functions = {n.name: n for n in version.loaded.tree.body if isinstance(n, ast.FunctionDef) and bound[n.name] == 1}
    trees: list[tuple[object, list[bool]]] = []
    runs: list[PythonLoops] = []

    def flat(*arrays: object) -> list[object]:
        interpreter = PythonLoops(sizes, version.loaded.names, functions)
        interpreter.numbers_traced = floats and any(isinstance(x, float) for x in jax.tree_util.tree_leaves(values))
        runs.append(interpreter)

        def once() -> list[Value]:
            given = _rebuilt(values, version.static, arrays, sizes, interpreter, floats=floats)
            positional, named = arranged(signature, given)
            function = interpreter.of_module(version.node, version.loaded.names.get(version.node.name))
            assert isinstance(function, PythonFunction)
            if function.compiled is not None:
                positional, named = interpreter.as_compiled(function.compiled, positional, named)
            returned = _without_stacks(interpreter.entered(function, positional, named))
            out, tree = jax.tree_util.tree_flatten(interpreter.given(returned))
            if any(isinstance(x, UnboundName) for x in out):
                raise NotProved("a name may have no value")
            trees.append((tree, _floats_in(returned)))
            return [jax.numpy.asarray(x) for x in out]

        return interpreter.asked.explored(once)

    made = jax.make_jaxpr(flat)(*leaves)
    if sum(name_of(e) == SAME for e in every_equation(made.jaxpr)) < runs[-1].duties:
        raise NotProved("what has to be the same was not traced")
    if any(tree != trees[0] for tree in trees):
        raise NotProved("the paths give other structures")
    return made, trees[0]


def _without_stacks(value: Value) -> Value:
    if isinstance(value, ListRows) and value.plain is None:
        raise NotProved("a list of many trips is returned")
    return value


def _floats_in(value: Value) -> list[bool]:
    """Which of the numbers of a result are floats of Python, made of arrays: no array is one of these."""
    leaves = jax.tree_util.tree_leaves(value, is_leaf=lambda x: isinstance(x, UnknownNumber))
    return [isinstance(x, UnknownNumber) and x.of_array for x in leaves]


def arranged(signature: Signature, values: Mapping[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """Arguments as they are passed."""
    if signature.star in values or signature.double in values:
        raise NotProved("arguments that have no parameter")
    positional: list[Value] = []
    named = {n: values[n] for n in signature.keyword if n in values}
    for k, name in enumerate(signature.positional):
        if name in values and len(positional) == k:
            positional.append(values[name])
        elif name in values:
            named[name] = values[name]
    if len(positional) + len(named) < len(values):
        raise NotProved("arguments that have no parameter")
    return positional, named


def _leaves(values: Values, static: frozenset[str]) -> tuple[list[object], object, list[int]]:
    """The traced leaves (arrays, and Python floats and truths that are not static), the structure, and their places."""
    flat, tree = jax.tree_util.tree_flatten(values, is_leaf=lambda x: x is None)
    fixed, _ = jax.tree_util.tree_flatten({k: k in static for k in values})
    owners = [
        name for name in sorted(values) for _ in jax.tree_util.tree_leaves(values[name], is_leaf=lambda x: x is None)
    ]
    assert len(fixed) == len(values)
    at = [
        k for k, (leaf, owner) in enumerate(zip(flat, owners, strict=True))
        if owner not in static and (of_array(leaf) or isinstance(leaf, float | np.generic | np.ndarray))
    ]  # fmt: skip
    return [flat[k] for k in at], tree, at


def _traced(leaf: object, sizes: SymbolicSizes) -> object:
    if isinstance(leaf, float):
        return leaf
    named = {int(name[1:]): expression for name, expression in sizes.symbols.items()}
    shape = tuple(named.get(size, size) for size in np.shape(leaf))  # type: ignore[arg-type,unused-ignore]
    if getattr(leaf, "weak_type", False):
        return jax.ShapeDtypeStruct(shape, leaf.dtype, weak_type=True) if shape else leaf  # type: ignore[attr-defined, no-untyped-call, unused-ignore]
    return jax.ShapeDtypeStruct(shape, leaf.dtype)  # type: ignore[attr-defined, no-untyped-call, unused-ignore]


def _rebuilt(
    values: Values,
    static: frozenset[str],
    arrays: Sequence[object],
    sizes: SymbolicSizes,
    interpreter: PythonInterpreter,
    *,
    floats: bool,
) -> dict[str, Value]:
    """The arguments, arrays traced and whole numbers as symbols."""
    _, tree, at = _leaves(values, static)
    flat, _ = jax.tree_util.tree_flatten(values, is_leaf=lambda x: x is None)
    for k, leaf in enumerate(flat):
        name = f"n{leaf}"
        if type(leaf) is int and name in sizes.symbols:
            flat[k] = SymbolicInt(sizes.polynomial(sizes.symbols[name]))
    for k, array in zip(at, arrays, strict=True):
        flat[k] = UnknownNumber(array) if isinstance(flat[k], float) and not floats else array  # type: ignore[arg-type,unused-ignore]
    made = _in_order(jax.tree_util.tree_unflatten(tree, flat), values)
    return {name: interpreter.taken(v, -1) for name, v in made.items()}  # type: ignore[attr-defined,unused-ignore]


def sizes_of(values: Values) -> set[int]:
    """The sizes of arrays, and the whole numbers of Python."""
    found: set[int] = set()
    for leaf in jax.tree_util.tree_leaves(values):
        shape = getattr(leaf, "shape", ()) if of_array(leaf) else ()
        found |= {leaf} if type(leaf) is int else {size for size in shape if type(size) is int}
    return found


def numbers_in(version: Version) -> set[int]:
    """The whole numbers that a version is written with: a size that equals one of them may be meant by it."""
    targets = (n for n in ast.walk(version.loaded.tree) if isinstance(n, ast.Tuple | ast.List))
    return {len(n.elts) for n in targets if isinstance(n.ctx, ast.Store)} | whole_numbers(version.loaded.tree)
