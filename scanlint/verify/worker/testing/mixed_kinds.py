"""Arguments of different kinds beside each other: whole numbers beside floats, numbers of Python beside arrays."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp

from ..comparing.agreement import kinds
from ..comparing.judge import Judge
from ..comparing.refutations import Refuted
from ..infer.specs import Array, Scalar, Spec, Specs, resized, sizes
from ..proof.equations import name_of
from ..proof.jaxpr_facts import every_equation
from ..runtime.calling import TookTooLong, Values, plain
from ..runtime.free_names import has_loop
from ..runtime.jax_errors import untraceable
from ..runtime.version_pair import Function
from ..search.case_values import Filling, make
from ..standing.interface import annotated
from .dtypes_evaluated import ONE_TYPE, Evaluated, evaluated, filled, not_annotated, traced, types_of

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

SECONDS = 0.7
MOST = 3
DIFFER = "where arguments differ in dtype"
NO_TRIP = "where there is nothing to loop over"
WRAPS = "what is computed from an index is {0} for such in `{1}`: values wrap or become infinite there"
NARROW = ("uint8", "int8")
ARITHMETIC = frozenset(["add", "sub", "mul", "neg", "integer_pow", "shift_left", "dot_general"])
Said = Iterator[str]


class Mixture(NamedTuple):
    """A float of one type in one argument beside another type in the others, and how that is told.

    No type is a number of Python.
    """

    given: str
    beside: str
    told: str

    def fits(self, spec: Spec) -> bool:
        """Whether a parameter is not of that type in any case."""
        if not isinstance(spec, Array):
            return self.given != ""
        return self.given != self.beside if self.given else spec == Array(())


HALVES = (
    Mixture("", "float16", "float16, bfloat16 beside a Python float in {0}"),
    Mixture("float32", "float16", "float16, bfloat16 beside float32 in {0}"),
)
WIDE = (
    Mixture("", "float32", "float32 beside a Python float in {0}, with x64 enabled"),
    Mixture("float32", "float32", "float32 in {0}, with x64 enabled"),
    Mixture("float64", "float32", "float32 beside float64 in {0}"),
)


def of_mixed_floats(judge: Judge, specs: Specs, mixtures: Sequence[Mixture]) -> list[str]:
    """Remarks on floats of different types that only the old version takes.

    Raises Refuted where a result has another type beside a number of Python.
    """
    started, free = time.process_time(), not_annotated(judge, specs)
    floats = free | {n for n, s in specs.items() if _number(s, "float") and not annotated(judge.pair, n)}
    names = sorted(floats - set(judge.pair.signature.static))[:MOST]
    found = dict[str, list[str]]()
    for mixture, name in itertools.product(mixtures, names):
        if free - {name} and mixture.fits(specs[name]) and time.process_time() - started < SECONDS:
            given = jnp.ones(getattr(specs[name], "shape", ()), mixture.given) if mixture.given else 1.0
            values = {**filled(specs, free - {name}, mixture.beside), name: given}
            if said := _beside(judge, values, mixture.told, refutes=not mixture.given):
                found.setdefault(said, []).append(f"`{name}`")
    return [said.format(", ".join(listed)) for said, listed in found.items()]


def of_mixed_kinds(judge: Judge, specs: Specs) -> list[str]:
    """Remarks on what only the old version takes, and on types that no longer depend on a path; by types alone.

    One of each kind is told. Raises Refuted where a result has another type.
    """
    started, static = time.process_time(), judge.pair.signature.static
    free = sorted(not_annotated(judge, specs))[:MOST]
    judge.stage("evaluating both versions for arguments of different kinds")
    ways: list[tuple[Callable[[Judge, Specs, str], str], list[str]]] = [
        (_whole_beside_floats, free if len(free) > 1 and "int32" in judge.typed else []),
        (
            _whole_for_number,
            [n for n, s in specs.items() if _number(s) and n not in static and not annotated(judge.pair, n)],
        ),
        (_python_before_trips, [n for n in free if specs[n] == Array(()) and _loops(judge)]),
        (_narrow_index, [n for n, s in specs.items() if _counts(s) and n not in static and _loops(judge)][:MOST]),
    ]
    found = []
    for way, names in ways:
        said = (way(judge, specs, name) for name in names if time.process_time() - started < SECONDS)
        found += [next(filter(None, said), "")]
    return [*filter(None, found), *of_mixed_floats(judge, specs, HALVES)]


def _whole_beside_floats(judge: Judge, specs: Specs, name: str) -> str:
    return _beside(judge, filled(specs, {name}, "int32"), f"int32 (with x64 int64) in `{name}` beside floats")


def _whole_for_number(judge: Judge, specs: Specs, name: str) -> str:
    values = {**make(specs, Filling("ordinary values"), ()), name: jnp.ones((), "int32")}
    return _beside(judge, values, f"int32 (with x64 int64) in `{name}`")


def _beside(judge: Judge, values: Values, what: str, *, refutes: bool = True) -> str:
    try:
        outcome = evaluated(judge, values, host=False)
    except Evaluated:
        return f"the new version raises for {what}"
    if outcome is None or not (outcome.mixed or outcome.difference):
        return ""
    if not outcome.several:
        if not refutes:
            return f"only where precisions are mixed: {kinds(values)}: {outcome.difference}"
        raise Refuted(f"{kinds(values)}: {outcome.difference}")
    return f"{ONE_TYPE} {DIFFER}: for {what}"


def _python_before_trips(judge: Judge, specs: Specs, name: str) -> str:
    """A carry that starts as a number of Python has the type of later trips, also where there is none."""
    nothing = resized(specs, dict.fromkeys(sizes(specs), 0))
    values = {**make(nothing, Filling("ordinary values"), ()), name: 1}
    with contextlib.suppress(Exception, TookTooLong):  # what a version raises there is told elsewhere
        before = types_of(judge.pair, plain(judge.pair.before), judge.pair.own(values))[0]
        after = types_of(judge.pair, judge.pair.after, judge.pair.moved(values))[0]
        for a, b in zip(before, after, strict=True):
            if a.dtype != b.dtype:
                return f"{NO_TRIP} the result is {b.dtype}, not {a.dtype}, for a Python int in `{name}`"
    return ""


def _number(spec: object, kind: str = "int") -> bool:
    return isinstance(spec, Scalar) and spec.kind == kind


def _counts(spec: object) -> bool:
    return spec == Array((), "int32") or _number(spec)


def _loops(judge: Judge) -> bool:
    old = judge.pair.old.function
    return old is not None and has_loop(old)


def _narrow_index(judge: Judge, specs: Specs, name: str) -> str:
    """Python counts without bounds where the bound of a loop is a narrow whole number; a loop of JAX does not."""
    pair, said = judge.pair, list[str]()
    for dtype in NARROW:
        values = {**make(specs, Filling("ordinary values"), ()), name: jnp.ones((), dtype)}
        try:
            if _program(judge, plain(pair.before), pair.own(values)) is not None:
                return ""  # the same arrays in both versions
            program = _program(judge, pair.after, pair.moved(values))
        except TookTooLong:  # slow is not different
            return ""
        except Exception as error:  # noqa: BLE001 - code of others, whatever it raises
            said += [] if untraceable(error) else [f"the new version raises for {dtype} in `{name}`"]
            continue
        said += [WRAPS.format(dtype, name)] if program and _wraps(program, dtype) else []
    return "; ".join(said)


def _program(judge: Judge, function: Function, values: Values) -> Jaxpr | None:
    """The program for these arguments; None where it needs more of them than their types."""
    try:
        return traced(judge.pair, function, values).jaxpr
    except Exception as error:
        if untraceable(error):
            return None
        raise


def _wraps(jaxpr: Jaxpr, dtype: str) -> bool:
    """Whether it computes with narrow whole numbers: not where it counts by one, or counts an index from the end."""
    equations = list(every_equation(jaxpr))
    chosen = {v for e in equations if name_of(e) == "select_n" for v in e.invars if not hasattr(v, "val")}
    return any(
        name_of(e) in ARITHMETIC
        and str(getattr(e.outvars[0].aval, "dtype", "")) == dtype
        and not any(str(getattr(v, "val", "")) == "1" for v in e.invars)
        and e.outvars[0] not in chosen
        for e in equations
    )
