"""Proof: both versions are traced, unrolled, numbered and compared output by output."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import jax
import numpy as np

from ..runtime.jax_functions import shape, weakly_typed
from .equations import inner_jaxprs, name_of
from .jaxpr_facts import count, every_equation, narrow_types, ruled, unrolled
from .numbering.induction import Loops
from .numbering.jaxpr_numbers import MAX_EQUATIONS, JaxprNumberer
from .numbering.value_numbers import Ids, Numbering, Order, Unprovable
from .paths import MAX_DECISIONS, Path, TooManyDecisions, paths
from .unfold import Unfolded, gathering

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

    from .equations import ClosedJaxpr

Function = Callable[..., object]
NARROWS = "whole numbers are computed in {} by one version only, and wrap there"
TOO_MANY, DIFFER = "too many paths", "the unrolled programs differ"
FEW_DECISIONS = 6
DIFFERENT = re.compile("differ|wrap there")
NOT_UNDERSTOOD = re.compile(r"not understood|not looked into")
TOO_MUCH = re.compile("took too long|too large to compare|too many equations")


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether the programs are equal for inputs of these shapes; equation counts if they were traced.

    `empty`: outputs without elements differ in shape or dtype, which a loop of no trips cannot determine. `weaker`: an
    output is weakly typed in the new version only. `along`: the programs were compared along the paths of the old
    version, which tests traced values; that takes longer than running it. `narrow` are the types of 8 and 16 bits in
    which either program computes whole numbers; `static` the parameters of which one value was compared. `ruled`: the
    programs say nothing of the derivatives, since parts have their own. `order`: what had to be taken in any order.
    """

    same: bool
    reason: str = ""
    before: int | None = None
    after: int | None = None
    empty: bool = False
    error: Exception | None = None
    weaker: bool = False
    along: bool = False
    narrow: frozenset[str] = frozenset()
    static: frozenset[str] = frozenset()
    order: Order = Order.AS_WRITTEN
    ruled: bool = True

    @property
    def untraced(self) -> bool:
        """Whether the new version takes no such inputs."""
        return self.error is not None and self.after is None

    @property
    def differs(self) -> bool:
        """Whether the programs were compared and are not the same."""
        return not self.same and DIFFERENT.search(self.reason) is not None

    @property
    def remark(self) -> str:
        """The reason why the proof does not understand the programs, if that ends it."""
        return f"not proved: {self.reason}" if not self.same and NOT_UNDERSTOOD.search(self.reason) else ""

    @property
    def beyond(self) -> bool:
        """Whether there was too much to compare."""
        return TOO_MUCH.search(self.reason) is not None


def prove(
    old: Function, new: Function, leaves: Sequence[object], joined: Callable[[], Function | None] = lambda: None
) -> Proof:
    """Compare `old(*leaves)` with `new(*leaves)`, which take and give arrays only.

    `joined` gives the old version with its branches and loops on traced values as calls of `unfold`.
    """
    try:
        after, tree_after = _trace(new, leaves)
    except Exception as error:  # noqa: BLE001
        return Proof(False, f"the new version does not trace: {type(error).__name__}", error=error)
    target = NewProgram(after, tree_after, leaves, count(after.jaxpr))
    narrow = frozenset(narrow_types(after.jaxpr))
    try:
        before, tree_before = _trace(old, leaves)
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerIntegerConversionError) as error:
        return replace(_undecided(old, joined, target, error), narrow=narrow)
    except Exception as error:  # noqa: BLE001
        return Proof(False, f"the old version does not trace: {type(error).__name__}", after=target.equations)
    counted = count(before.jaxpr)
    if not similar(tree_before, tree_after):
        return Proof(False, "the outputs differ in structure", counted, target.equations)
    path, results = Path(before, tree_before, ()), len(before.out_avals)
    reason, order = differ(path, target, results), Order.AS_WRITTEN
    for other in (Order.UNLESS_EXACT, Order.FREE):
        if reason.startswith(DIFFER) and not differ(path, target, results, order=other):
            reason, order = "", other
    pairs = list(zip(before.out_avals, after.out_avals, strict=False))
    empty = any(0 in shape(a) and 0 in shape(b) and (shape(a), a.dtype) != (shape(b), b.dtype) for a, b in pairs)
    weaker, narrow = bool(_weaker(before, after)), narrow | narrow_types(before.jaxpr)
    return Proof(
        not reason,
        reason,
        counted,
        target.equations,
        empty,
        weaker=weaker,
        narrow=narrow,
        order=order,
        ruled=ruled(before.jaxpr) or ruled(after.jaxpr),
    )


def _weaker(before: ClosedJaxpr, after: ClosedJaxpr) -> set[int]:
    """The outputs that are as weakly typed as Python numbers in the second program only."""
    pairs = enumerate(zip(before.out_avals, after.out_avals, strict=False))
    return {k for k, (a, b) in pairs if weakly_typed(b) and not weakly_typed(a) and 0 not in shape(a)}


@dataclass(frozen=True, slots=True)
class NewProgram:
    """The new version as a program, with the structure of its outputs and the inputs that it was traced for."""

    program: ClosedJaxpr
    tree: object
    leaves: Sequence[object]
    equations: int

    def refused(self, reason: str) -> Proof:
        return Proof(False, reason, None, self.equations)


def _undecided(old: Function, joined: Callable[[], Function | None], target: NewProgram, error: Exception) -> Proof:
    """The old version tests traced values: compare it with its arms joined, or along each of its paths."""
    proof = target.refused(f"the old version does not trace: {type(error).__name__}")
    if isinstance(error, jax.errors.ConcretizationTypeError):
        proof = _by_path(old, target, FEW_DECISIONS)
        if proof.same or proof.reason.startswith(DIFFER):
            return proof
    many, other = proof.reason == TOO_MANY, joined()
    if other is not None:
        proof = _by_path(other, target, MAX_DECISIONS, joined=True)
    return _by_path(old, target, MAX_DECISIONS) if many and not proof.same else proof


def _trace(function: Function, leaves: Sequence[object]) -> tuple[ClosedJaxpr, object]:
    trees: list[object] = []

    def flat(*arguments: object) -> list[object]:
        out, tree = jax.tree_util.tree_flatten(function(*arguments))
        trees.append(tree)
        return out

    program = jax.make_jaxpr(flat)(*leaves)
    return program, trees[-1]


def similar(a: object, b: object) -> bool:
    """Equal trees, where classes of the two versions of the module count as equal by name."""
    return a == b or str(a).replace("__before.", ".") == str(b).replace("__after.", ".")


def symbols(numbering: Numbering, leaves: Sequence[object]) -> list[Ids]:
    """Fresh numbers for the elements of each input."""
    return [numbering.block(("input", k, shape(x)), shape(x)) for k, x in enumerate(leaves)]


def differ(path: Path, target: NewProgram, results: int, duties: int = 0, order: Order = Order.AS_WRITTEN) -> str:
    """Why the new version differs along a path of the old one; empty where it does not.

    After its results the program of the path gives pairs of values that must be equal: `duties`, each of them counted.
    """
    numbering = Numbering(reassociates=order)
    rolled = max(unrolled(path.program.jaxpr), unrolled(target.program.jaxpr)) > MAX_EQUATIONS
    try:
        loops, inputs = Loops(numbering), symbols(numbering, target.leaves)
        old, new = (JaxprNumberer(numbering, loops, rolled=rolled) for _ in range(2))
        first = _under(path, old, inputs)
        if first is None:
            return ""
        second = new.closed(target.program, _assumed(numbering, inputs))
    except Unprovable as error:
        return str(error)
    pairs = first[results : results + duties]
    if not all(np.array_equal(a, b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)):
        return "what is carried changes its type on the way"
    return (
        _compare(first[:results], second, path.program, target.program, numbering)
        or _exposes(old, new)
        or _narrows(old, new)
    )


def _compare(
    first: Sequence[Ids], second: Sequence[Ids], before: ClosedJaxpr, after: ClosedJaxpr, numbering: Numbering
) -> str:
    for a, b, x, y in zip(first, second, before.out_avals, after.out_avals, strict=False):
        if a.size == 0 and b.size == 0:
            continue
        if a.shape != b.shape or x.dtype != y.dtype:
            return "the outputs differ in shape or dtype"
        if not np.array_equal(a, b):
            whole = ", ".join(f"`{name}`" for name in sorted(numbering.whole))
            return f"{DIFFER}, and {whole} is not looked into" if whole else DIFFER
    return ""


def _by_path(old: Function, target: NewProgram, decisions: int, *, joined: bool = False) -> Proof:
    """The old version branches on traced values: compare along each of its paths."""
    largest, weaker = 0, set(range(len(target.program.out_avals)))

    def eager(*arguments: object) -> object:
        with jax.disable_jit(), gathering() as duties:
            return old(*arguments), duties.pairs

    try:
        for path in paths(eager, target.leaves, decisions):
            if not joined:
                largest = max(largest, count(path.program.jaxpr))
            weaker &= _weaker(path.program, target.program)  # weak on one path of the old version: may be weak
            reason = _along(path, target, joined=joined)
            if reason:
                return target.refused(reason)
    except TooManyDecisions:
        return target.refused(TOO_MANY)
    except Exception as error:  # noqa: BLE001
        why = f": {error}" if isinstance(error, Unfolded) else ""
        return target.refused(f"a path does not trace: {type(error).__name__}{why}")
    weak = bool(weaker) and not joined  # a joined result is as strongly typed as its strongest arm
    return Proof(True, "", largest or None, target.equations, weaker=weak, along=True)


def _along(path: Path, target: NewProgram, *, joined: bool) -> str:
    """Why the new version does not do what the old one does along a path; empty where it does."""
    tree, pairs = path.tree.children()  # type: ignore[attr-defined]
    if not similar(tree, target.tree):
        return "the outputs differ in structure"
    if joined and (len(_float_types(path.program.jaxpr)) > 1 or _host_floats(path.program.jaxpr)):
        return "the old version computes with Python floats, or with floats of several types"
    return differ(path, target, tree.num_leaves, pairs.num_leaves)


def _exposes(old: JaxprNumberer, new: JaxprNumberer) -> str:
    """Whether the new version computes unconditionally what the old one guards: its gradient may become NaN there."""
    return "what a branch guards is computed in any case" if new.exposed - old.exposed else ""


def _narrows(old: JaxprNumberer, new: JaxprNumberer) -> str:
    """Whether only one version computes counts or indices in a type of few bits: equal for short loops only."""
    widths = old.narrow ^ new.narrow
    return NARROWS.format(" and ".join(sorted(widths))) if widths else ""


def _float_types(jaxpr: Jaxpr) -> set[object]:
    """The float dtypes of a program; if there is one only, weak and strong floats give the same."""
    variables = [*jaxpr.invars, *jaxpr.constvars, *(v for e in jaxpr.eqns for v in e.outvars)]
    dtypes = {getattr(getattr(v, "aval", None), "dtype", None) for v in variables}
    found: set[object] = {d for d in dtypes if isinstance(d, np.dtype) and jax.numpy.issubdtype(d, np.inexact)}
    for equation in jaxpr.eqns:
        for inner in inner_jaxprs(equation):
            found |= _float_types(inner)
    return found


def _host_floats(jaxpr: Jaxpr) -> bool:
    """Whether Python ints may become Python floats: these have double precision outside of JAX."""
    converted = (e for e in every_equation(jaxpr) if name_of(e) == "convert_element_type")
    return any(all(getattr(v.aval, "weak_type", False) for v in (*e.invars[:1], *e.outvars)) for e in converted)


def _assumed(numbering: Numbering, inputs: list[Ids]) -> list[Ids]:
    table = numbering.assumed
    return [np.array([table.get(i, i) for i in x.reshape(-1).tolist()], np.int64).reshape(x.shape) for x in inputs]


def _under(path: Path, interpreter: JaxprNumberer, inputs: list[Ids]) -> list[Ids] | None:
    """The outputs under the path's decisions; None if the decisions contradict each other.

    All that are still open are assumed at once: each holds on this path, whatever was assumed before.
    """
    decisions, numbering = path.decisions, interpreter.numbering
    for _ in range(len(decisions) + 2):
        interpreter.begin()
        outputs = interpreter.closed(path.program, _assumed(numbering, inputs))
        settled = True
        asked = outputs[len(outputs) - len(decisions) :] if decisions else []
        for number, decision in zip(map(int, asked), decisions, strict=False):
            known = numbering.constants.get(numbering.assumed.get(number, number))
            if known is None:
                numbering.assume(number, decision)
                settled = False
            elif bool(known) != decision:
                return None
        if settled:
            return outputs
    raise Unprovable("the decisions of a path are not settled")
