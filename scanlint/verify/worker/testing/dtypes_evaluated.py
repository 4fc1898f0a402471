"""Evaluates both versions abstractly for every dtype that an array may have: types of results tell a lost promotion."""

from __future__ import annotations

import ast
import contextlib
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing.agreement import kinds
from ..comparing.judge import Judge
from ..comparing.refutations import Raises, Refuted, Unfit
from ..infer.docstring_hints import Hint, hints
from ..infer.specs import Array, Specs, leaves
from ..proof.equations import name_of
from ..proof.jaxpr_facts import every_equation
from ..proof.paths import answering, in_turns, opposite
from ..proof.traced_pair import one_proof
from ..runtime.calling import TookTooLong, Values, in_time, jitted, limited, plain, split
from ..runtime.jax_errors import first_line, untraceable
from ..runtime.jax_functions import abstract, attribute, is_key, placed, shape, weakly_typed
from ..runtime.version_pair import Function, VersionPair
from ..search.case_values import Filling, make
from ..search.other_dtypes import Retyping, retyped
from .other_dtypes_compared import same_in_other_types

if TYPE_CHECKING:
    from ..proof.equations import ClosedJaxpr

SECONDS = 1.5
WAYS: tuple[Callable[[int], bool], ...] = (in_turns, opposite, lambda asked: False, lambda asked: asked < 8)
KINDS: dict[str, tuple[str, ...]] = {
    "float": ("float16", "bfloat16", "float32", "float64"),
    "int": ("int8", "uint8", "int32", "int64"),
    "bool": ("bool",),
    "complex": ("complex64",),
}
WIDE = frozenset(["float64", "int64"])
NARROW = frozenset(["int8", "uint8"])
MOST_ALONE = 3
ONE_TYPE = "the result has one type whichever path is taken,"
HOST = frozenset(["float16", "float32", "float64"])
IN_X64 = WIDE | NARROW | {"float32", "int32"}
ANNOTATED = re.compile(r"\b(Float|BFloat|Int|UInt|Bool|Complex|Inexact|Real)\w*\[")


class Type(NamedTuple):
    """The type of a result."""

    shape: tuple[int, ...]
    dtype: str
    weak: bool


class Outcome(NamedTuple):
    """How types differ, if they do, and whether anything is promoted: else the dtype speaks for all of its kind.

    `several`: the paths of the old version give results of several types; `mixed`: one of which the new version gives.
    """

    difference: str
    promotes: bool
    mixed: bool = False
    several: bool = False


class Evaluated(Exception):
    """The new version raises for these types; the message says what.

    `spared`: nothing is lost. The old one leaves these types, or cannot be traced either, as it is called.
    """

    def __init__(self, text: str, spared: bool) -> None:
        super().__init__(text)
        self.spared = spared


def same_types(judge: Judge, specs: Specs, *, wide: bool) -> list[str]:
    """Remarks on the dtypes for which the new version alone raises, or numbers of its text wrap; raises Refuted.

    A result of another type or shape refutes, and an error for floats that the old version takes and whose type it
    keeps. That a result is weakly typed in one version only does not. What an annotation rules out is not tried.
    `wide`: types of 64 bits are enabled, and what a docstring calls floats are such.
    """
    free = not_annotated(judge, specs)
    of_width = {n: retyped(s, "int32", "int64") for n, s in specs.items()} if wide else specs
    called_floats = {n for n, hint in _hinted(judge.pair.old.function) if hint.kind == "Float"}
    started, holds, fails = time.process_time(), list[str](), list[str]()
    spoken, begun, remarks, mixed = set[str](), set[str](), list[str](), list[str]()
    judge.stage("evaluating both versions for other dtypes")
    for dtype, kind in _dtypes(wide) if free else ():
        if time.process_time() - started > SECONDS and kind in begun:
            break
        begun.add(kind)
        if wide and dtype in NARROW and not ("int32" in fails and "int64" in holds):
            continue  # what is so for all whole numbers has been told
        if kind in spoken:
            holds.append(dtype)
            continue
        values = filled(of_width, free - called_floats if wide and kind != "float" else free, dtype)
        try:
            if (outcome := evaluated(judge, values, host=dtype in HOST)) is None:
                continue
        except Evaluated as error:
            if kind == "float" and not error.spared:
                raise Raises(f"{kinds(values)}: the new version raises {error}") from error.__cause__
            fails.append(dtype)
            if dtype in NARROW and not wide:
                _one_by_one(judge, of_width, free, dtype)
            continue
        if outcome.difference and wide and dtype in NARROW:
            remarks.append(f"with x64 enabled for {dtype}: {outcome.difference}")
            continue
        if outcome.difference:
            raise Refuted(f"{kinds(values)}: {outcome.difference}")
        try:
            if outcome.promotes and dtype in NARROW and not wide:
                _same_at_the_ends(judge, values)
        except Unfit as error:  # callers who pass so narrow a type are rare, and the number is not
            remarks.append(error.remark)
        mixed += [dtype] if outcome.mixed else []
        holds.append(dtype)
        spoken |= set() if outcome.promotes else {kind}
    judge.typed.update(holds)
    remarks += _beside_wide(judge, specs) if wide and of_width != specs else []
    if mixed:
        remarks.append(f"{ONE_TYPE} for {_listed_dtypes(mixed)}")
    if fails and holds:
        remarks.append(f"holds for {_listed_dtypes(holds)}; the new version raises for {_listed_dtypes(fails)}")
    return remarks


def not_annotated(judge: Judge, specs: Specs) -> set[str]:
    """The parameters that have floats, and whose dtype no annotation tells."""
    fixed = _annotated(judge.pair.old.function)
    return {n for n, s in specs.items() if n not in fixed and any(_numbers(leaf) for _, leaf in leaves(s))}


def _beside_wide(judge: Judge, specs: Specs) -> list[str]:
    """What is said of whole numbers of 32 bits where those of Python have 64; raises Refuted where a type differs."""
    values = make(specs, Filling("positive values", seed=9, definite=True), ())
    try:
        outcome = evaluated(judge, values, host=False)
    except Evaluated as error:
        return [f"with x64 enabled the new version raises for int32: {error}"]
    if outcome is not None and outcome.difference:
        raise Refuted(f"{kinds(values)}: {outcome.difference}")
    return []


def _listed_dtypes(names: list[str]) -> str:
    """Dtypes in words, floats first and narrow before wide."""
    return ", ".join(name for known in KINDS.values() for name in known if name in names)


def _same_at_the_ends(judge: Judge, values: Values) -> None:
    """Compare at the ends of narrow whole numbers: what wraps there does not in a wider type; raises Refuted.

    Equal programs are the same there too.
    """
    proof = one_proof(judge.pair, values)
    if proof.same and not proof.weaker:
        return
    for how in (_lowest, _largest, _drawn):
        ends = jax.tree_util.tree_map(lambda x, how=how: how(x) if _narrow(x) else x, dict(values))
        same_in_other_types(judge, ends, Retyping.WHOLE, weakly=False)


def _one_by_one(judge: Judge, specs: Specs, free: set[str], dtype: str) -> None:
    """Remarks on one argument of a narrow type beside floats, where the new version does not take all of them."""
    for name in sorted(free)[:MOST_ALONE] if len(free) > 1 else ():
        values = filled(specs, {name}, dtype)
        try:
            outcome = evaluated(judge, values, host=False)
        except Evaluated:
            continue  # an error for whole numbers has been told
        if outcome is not None and not outcome.difference and outcome.promotes:
            with contextlib.suppress(Unfit):  # told where all arguments are so narrow
                _same_at_the_ends(judge, values)


def _narrow(x: object) -> bool:
    return isinstance(x, jax.Array) and str(x.dtype) in NARROW


def _lowest(x: jax.Array) -> jax.Array:
    return jnp.full_like(x, np.iinfo(str(x.dtype)).min)


def _largest(x: jax.Array) -> jax.Array:
    return jnp.full_like(x, np.iinfo(str(x.dtype)).max)


def _drawn(x: jax.Array) -> jax.Array:
    limits = np.iinfo(str(x.dtype))
    return placed(np.random.default_rng(3).integers(limits.min, limits.max + 1, x.shape), x.dtype)


def _dtypes(wide: bool) -> Iterator[tuple[str, str]]:
    """The dtypes to ask for, with their kinds: one of each kind before the others."""
    fitting = {kind: [n for n in names if (n in IN_X64 if wide else n not in WIDE)] for kind, names in KINDS.items()}
    if wide:
        fitting["int"].sort(key=lambda name: name in NARROW)
    for at in range(max(map(len, fitting.values()))):
        yield from ((names[at], kind) for kind, names in fitting.items() if at < len(names))


def _numbers(leaf: object) -> bool:
    return isinstance(leaf, Array) and leaf.dtype == "float32"


def _annotated(function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> set[str]:
    """The parameters whose dtype an annotation tells: `Float[Array, "n"]`."""
    arguments = [n for n in ast.walk(function.args) if isinstance(n, ast.arg)] if function is not None else []
    return {a.arg for a in arguments if a.annotation is not None and ANNOTATED.search(ast.unparse(a.annotation))}


def _hinted(function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> Iterator[tuple[str, Hint]]:
    yield from hints(function).items() if function is not None else ()


def filled(specs: Specs, free: set[str], dtype: str) -> Values:
    """Small examples of these types."""
    changed = {n: retyped(s, "float32", dtype) if n in free else s for n, s in specs.items()}
    return make(changed, Filling("positive values", seed=9, definite=True), ())


def evaluated(judge: Judge, values: Values, *, host: bool) -> Outcome | None:
    """How the types of the results differ; None where the old version takes no such arguments.

    One that leaves JAX for the host is asked for types that promote alike there (`host`): NumPy knows no bfloat16, and
    makes doubles of whole numbers.
    """
    pair, promotes, fails = judge.pair, True, False
    try:
        types, promotes = types_of(pair, plain(pair.before), pair.own(values))
        before = [types]
    except TookTooLong:  # slow is not different
        return None
    except Exception as error:  # noqa: BLE001
        if not untraceable(error):
            return None
        fails = judge.traced or jitted(pair.before)
        before = list(_by_way(pair, values)) or (list(_examples(pair, values)) if host else [])
    if not before:
        return None
    try:
        after, promotes_too = types_of(pair, pair.after, pair.moved(values))
    except TookTooLong:  # slow is not different
        return None
    except Exception as error:
        if untraceable(error):
            return None
        text = f"{type(error).__name__}: {first_line(error, 120)}"
        raise Evaluated(text, fails or all(map(_leaves(values), before))) from error
    found = [_differ(types, after) for types in before]
    mixed, several = "" in found and any(found), len({tuple(types) for types in before}) > 1
    return Outcome("" if "" in found else found[0], promotes or promotes_too, mixed, several)


def types_of(pair: VersionPair, function: Function, values: Values) -> tuple[list[Type], bool]:
    """The types of the results, and whether anything is promoted on the way; the arguments are abstract."""
    program = traced(pair, function, values)
    return _listed(program.out_avals), any(name_of(e) == "convert_element_type" for e in every_equation(program.jaxpr))


def traced(pair: VersionPair, function: Function, values: Values) -> ClosedJaxpr:
    """The program of a version for abstract arguments of these types."""
    parts = split(values, pair.signature.static, numbers=False)
    given = [abstract(shape(x), x.dtype) for x in parts.leaves]  # type: ignore[attr-defined]
    with limited(SECONDS):
        return jax.make_jaxpr(lambda *ls: pair.signature.call(function, parts.rebuild(ls)))(*given)


def _listed(tree: object) -> list[Type]:
    return [
        Type(shape(x), str(attribute(x, "dtype", None) or jnp.result_type(x)), weakly_typed(x))
        for x in jax.tree_util.tree_leaves(tree)
        if not is_key(attribute(x, "dtype", np.dtype(bool)))
    ]


def _by_way(pair: VersionPair, values: Values) -> Iterator[list[Type]]:
    """The types that the old version gives where its truth tests on arrays have these outcomes."""
    for way in WAYS:
        with answering(way):
            found = in_time(lambda: types_of(pair, plain(pair.before), pair.own(values))[0])
        if found is not None:
            yield found


def _leaves(values: Values) -> Callable[[list[Type]], bool]:
    """Results are floats of other types than the arguments: one promotes half precision by what it adds."""
    given = {str(x.dtype) for x in jax.tree_util.tree_leaves(dict(values)) if _floating(attribute(x, "dtype"))}
    return lambda types: any(_floating(t.dtype) and t.dtype not in given for t in types)


def _floating(dtype: object) -> bool:
    return dtype is not None and not is_key(dtype) and bool(jnp.issubdtype(dtype, jnp.floating))  # type: ignore[arg-type]


def _examples(pair: VersionPair, values: Values) -> Iterator[list[Type]]:
    """The types that the old version gives on some inputs of either sign: on its paths they may differ."""
    for factor in (1, 0, -1, 8):
        scaled = jax.tree_util.tree_map(lambda x, by=factor: _scaled(x, by), dict(values))
        if (found := in_time(lambda scaled=scaled: _listed(pair.run_old(scaled)))) is not None:  # type: ignore[misc]
            yield found


def _scaled(x: object, factor: int) -> object:
    if not isinstance(x, jax.Array) or is_key(x.dtype) or x.dtype == bool or (factor < 0 and x.dtype.kind == "u"):
        return x
    return (x * factor).astype(x.dtype)


def _differ(before: list[Type], after: list[Type]) -> str:
    """How types differ; "" if they do not but for what is weakly typed."""
    if len(before) != len(after):
        return f"{len(before)} results before and {len(after)} after"
    for at, (a, b) in enumerate(zip(before, after, strict=True)):
        place = f"output {at}: " if len(before) > 1 else ""
        if 0 in a.shape and 0 in b.shape:
            continue
        if a.shape != b.shape:
            return f"{place}the shape was {a.shape} and is {b.shape}"
        if a.dtype != b.dtype and not (a.weak and str(jnp.promote_types(a.dtype, b.dtype)) == b.dtype):
            return f"{place}the dtype was {a.dtype} and is {b.dtype}"
    return ""
