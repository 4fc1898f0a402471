"""Compares for arguments of other types and kinds than the usual ones, unless the user specified them."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from itertools import islice

from ...comparing.agreement import kinds_by_name
from ...comparing.refutations import Raises, Refuted, Unfit, Unknown, Weaker
from ...infer.specs import Specs
from ...proof.traced_pair import one_proof
from ...runtime.calling import Values
from ...runtime.jax_functions import enable_x64, x64
from ...search.case_values import NEGATIVE, POSITIVE, Case, Family, Filling, cases
from ...search.other_dtypes import Retyping, halved, narrowed, of_complex
from ...standing.optional_arguments import DEFAULTED
from ...standing.other_numbers import other_numbers
from ..dtypes_evaluated import same_types
from ..edge_sweep import defining
from ..ill_conditioned import same_where_sums_cancel
from ..lists_of_rows import lists_of_rows, of_numpy
from ..mixed_kinds import WIDE, of_mixed_floats, of_mixed_kinds
from ..other_arguments import ALIKE, ONE_ELEMENT, OTHER_SHAPE, broadcasting, lost_error, not_taken
from ..other_dtypes_compared import same_in_other_types
from ..program_comparison import made
from ..python_numbers import far_numbers_of_calls, numbers_of_python
from .derivatives_compared import straight
from .weighed_pair import WeighedPair, first_specs, guessed_specs

NARROW_SECONDS = 3.0
LARGE_HALVES = 300.0
ORDINARY = Filling("ordinary values")
TWO_KINDS = (ORDINARY, Filling("other values", seed=1, mixed=True))
TWO_WIDE = (ORDINARY, Filling("other values", seed=1, scale=3.0, turn=1, mixed=True))


def of_python(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare for lists of rows, and for numbers where versions as they stand take arrays without axes."""
    if (specs := guessed_specs(families)) is not None:
        weighing.remarks += [*lists_of_rows(weighing.full, specs), *of_numpy(weighing.full, specs)]
        if weighing.full.free:
            weighing.remarks += numbers_of_python(weighing.full, specs)
    elif (values := _of_a_caller(weighing, families)) is not None:
        weighing.remarks += far_numbers_of_calls(weighing.full, values)


def of_other_numbers(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare the first call of a caller with numbers that it does not pass."""
    if (values := _of_a_caller(weighing, families)) is not None:
        weighing.remarks += other_numbers(weighing.full, values, proved=weighing.proved, straight=straight(weighing))


def _of_a_caller(weighing: WeighedPair, families: Sequence[Family]) -> Values | None:
    """The arguments of the first call, of versions as they stand: a user who gives inputs gives all that count."""
    called = families[0].real and families[0].specs is None and weighing.full.free
    return made(families[0].cases[0]) if called else None


def typed(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare the types of results for other dtypes of arrays."""
    specs = _free_specs(families)
    if specs is None:
        return
    if weighing.full.free and (lost := lost_error(weighing.inputs, weighing.full.pair.after, specs)):
        raise Refuted(lost)
    defaulted = (f.specs for f in families if f.specs is not None and f.label.startswith(DEFAULTED))
    for other in (specs, *islice(defaulted, 1)):
        weighing.remarks += weighing.quickly(functools.partial(same_types, specs=other, wide=False))
    weighing.remarks += weighing.quickly(lambda judge: of_mixed_kinds(judge, specs))
    weighing.remarks += not_taken(weighing.inputs, weighing.full.pair.after, specs)
    _broadcast(weighing, families)


def _free_specs(families: Sequence[Family]) -> Specs | None:
    """The first specs, unless the user gave them."""
    family = next((f for f in families if f.specs is not None), None)
    return family.specs if family is not None and not family.real else None


def _broadcast(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare where one array has one element; that the new version takes no such is said."""
    known = [f.specs for f in families if f.specs is not None and not f.real]
    for name, specs in broadcasting(weighing.inputs, known):
        if (failure := weighing.inputs.attempt(specs, weighing.full.pair.after)) is not None:
            weighing.remarks.append(f"{ALIKE}: with one element in `{name}` the new version raises {failure.kind}")
            continue
        for case in cases(specs, iter((POSITIVE, NEGATIVE)), weighing.integers):
            try:
                weighing.compared(Case(f"one element in `{name}`, {case.label}", case.make, ordinary=False))
            except Refuted as error:
                if not isinstance(error, Raises) and OTHER_SHAPE not in str(error):
                    raise
                said = f"{ALIKE}: {error}" if isinstance(error, Raises) else ONE_ELEMENT.format(name)
                weighing.remarks.append(said)
                break


def cancelling(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare where sums cancel, unless the programs add in the same order."""
    specs = first_specs(families)
    if specs is not None and (not weighing.proved or weighing.programs.inexact):
        weighing.quickly(lambda judge: same_where_sums_cancel(judge, specs))


def in_fewer_bits(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare with each argument in half precision and in whole numbers."""
    if (usual := _free_specs(families)) is None:
        return
    if weighing.is_slow():
        weighing.remarks.append("not compared in half precision: each run takes seconds")
        return
    started = time.process_time()
    for specs, kind in narrowed(usual):
        if time.process_time() - started > NARROW_SECONDS:
            return
        for values in filter(None, map(made, cases(specs, iter(TWO_KINDS), weighing.integers))):
            if _in_fewer_bits(weighing, values, kind):
                break
        if not weighing.proved and kind is Retyping.ALL:  # products of them leave half precision, others do not
            large = iter([Filling("", scale=LARGE_HALVES)])
            for values in filter(None, map(made, cases(specs, large, weighing.integers))):
                _retyped(weighing, values, kind)


def _in_fewer_bits(weighing: WeighedPair, values: Values, kind: Retyping) -> bool:
    """Whether no other values of these types need be compared."""
    differs = False
    if weighing.proved and not (weighing.programs.along and kind is Retyping.WHOLE):
        # else running is quicker than comparing paths
        proof = one_proof((weighing.twin or weighing.full).pair, values)
        if proof.same and not proof.weaker:
            return True
        if proof.untraced and kind is not Retyping.ALL:
            return False
        differs = proof.differs and kind is Retyping.ALL and weighing.full.free
    if remark := _retyped(weighing, values, kind):
        weighing.remarks.append(remark)
        return True
    weighing.settle(not differs, f"for {kinds_by_name(values)[0]}")
    return False


def of_complex_numbers(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare for complex numbers where a text takes such apart."""
    specs, pair = guessed_specs(families), weighing.full.pair
    other = of_complex(specs, defining(pair.old) + defining(pair.new)) if specs is not None else None
    if other is None or other == specs or weighing.inputs.attempt(other) is not None:
        return
    for case in cases(other, iter((ORDINARY, NEGATIVE)), weighing.integers):
        values = made(case)
        if values is not None and not (weighing.proved and one_proof(pair, values).same):
            try:
                weighing.compared(Case("complex numbers", case.make, ordinary=False))
            except Raises as error:
                weighing.remarks.append(f"the new version raises for complex64: {error}")
                return


def in_half_precision(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare sums of many numbers in half precision, where a text says in which type it computes."""
    specs, pair = first_specs(families), weighing.full.pair
    texts = defining(pair.old) + defining(pair.new) if weighing.full.free and specs is not None else []
    started = time.process_time()
    for short, filling in halved(specs or {}, texts):
        if time.process_time() - started < NARROW_SECONDS and weighing.inputs.attempt(short) is None:
            for values in filter(None, map(made, cases(short, iter([filling]), weighing.integers))):
                weighing.remarks += filter(None, [_retyped(weighing, values, Retyping.ALL)])


def _retyped(weighing: WeighedPair, values: Values, kind: Retyping) -> str:
    """A remark on arguments of another type; what differs only where precisions are mixed refutes nothing."""
    try:
        return weighing.quickly(lambda judge: same_in_other_types(judge, values, kind, along=weighing.programs.along))
    except Unfit as error:
        return error.remark
    except Weaker as error:
        if kind is not Retyping.ONE:
            raise
        weighing.fades = True
        return f"only where precisions are mixed: {error}"


def in_64_bits(weighing: WeighedPair, families: Sequence[Family]) -> None:
    """Compare the first cases with 64-bit types."""
    family = next((f for f in families if f.specs is not None), None)
    if family is None or family.specs is None or x64():
        return
    if weighing.is_slow():
        weighing.remarks.append("not compared with x64: each run takes seconds")
        return
    enable_x64(True)
    try:
        weighing.wide = wide = weighing.widen(weighing.twin or weighing.full, weighing.full.pair.old)
        for case in cases(family.specs, iter(TWO_WIDE), weighing.integers, wide=True):
            values = made(case)
            if values is not None and not (weighing.proved and one_proof(wide.pair, values).same):
                wide.check(case, "with x64")
        if not family.real:
            weighing.remarks += same_types(wide, family.specs, wide=True)
            weighing.remarks += of_mixed_floats(wide, family.specs, WIDE)
    except Refuted as error:
        if not (isinstance(error, Raises) and error.of_carried_types and weighing.inputs.narrow()):
            raise Refuted(f"with x64 enabled: {error}") from error
        weighing.remarks.append(f"its types of 32 bits keep it from running with x64 enabled: {error}")
    except Unknown as error:
        weighing.remarks.append(f"not compared with x64: {error}")
    finally:
        enable_x64(False)
