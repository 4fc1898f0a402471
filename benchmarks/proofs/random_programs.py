"""Random programs over hard values, their mutants, and whether what is proved of the two is so."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from scanlint.verify.worker.proof.equations import NotUnderstood
from scanlint.verify.worker.proof.numbering.induction import Loops
from scanlint.verify.worker.proof.numbering.jaxpr_numbers import JaxprNumberer
from scanlint.verify.worker.proof.numbering.value_numbers import Numbering, Unprovable
from scanlint.verify.worker.proof.prove import symbols

from .operations import DTYPES, OPERATIONS, SHAPES, Array, Operation, Option, Type, constant, drawn, gentle, hard

if TYPE_CHECKING:
    from scanlint.verify.worker.proof.equations import ClosedJaxpr

INPUTS, NODES, MUTANTS, FILLINGS, TRIES = 3, 5, 8, 3, 30
VARIED = ["neutral", "folding", "folded", "shaped", "indexed", "stored", "chosen", "selected", "loop", "called", "cast"]
"""Operations that can be written in several ways."""


class Node(NamedTuple):
    """An operation with its options, on inputs and on what earlier nodes give."""

    name: str
    operands: tuple[int, ...]
    option: Option
    constant: Type | None = None

    @property
    def operation(self) -> Operation:
        return OPERATIONS[self.name]


@dataclass(frozen=True, slots=True)
class Program:
    """It gives what its last node gives; `types` are those of the inputs and of all nodes."""

    inputs: tuple[Type, ...]
    nodes: tuple[Node, ...] = ()
    types: tuple[Type, ...] = ()

    def __call__(self, *leaves: object) -> object:
        values = list(leaves)
        for node in self.nodes:
            values.append(given(node, values))
        return values[-1]


@dataclass(frozen=True, slots=True)
class Wrong:
    """Two programs that were proved equal, with inputs for which they are not."""

    before: Program
    after: Program
    leaves: list[Array]
    results: tuple[object, object]


def given(node: Node, values: Sequence[object]) -> object:
    if node.constant is not None:
        return constant(node.option, node.constant)
    return node.operation.gives(node.option, *(values[k] for k in node.operands))


def type_of(node: Node, types: Sequence[Type]) -> Type | None:
    """The type of what a node gives; None if JAX does not take these operands."""
    if node.constant is not None:
        return node.constant
    leaves = [jax.ShapeDtypeStruct(types[k].shape, types[k].dtype) for k in node.operands]
    try:
        found = jax.eval_shape(lambda *xs: node.operation.gives(node.option, *xs), *leaves)
    except (TypeError, ValueError, NotImplementedError, OverflowError):
        return None
    return Type(found.shape, str(found.dtype))


def program(dice: random.Random) -> Program:
    """Inputs of one type, or of that and a truth; nodes that take what came last."""
    main = Type(dice.choice(SHAPES), dice.choice(DTYPES))
    inputs = (*(main for _ in range(INPUTS - 1)), dice.choice([main, Type((), "bool"), Type(main.shape, "bool")]))
    made = Program(inputs, (), inputs)
    for _ in range(dice.randint(2, NODES)):
        node = drawn_node(dice, made.types)
        if node is not None:
            made = extended(made, *node)
    return made if made.nodes else program(dice)


def extended(made: Program, node: Node, kind: Type) -> Program:
    return replace(made, nodes=(*made.nodes, node), types=(*made.types, kind))


def drawn_node(dice: random.Random, types: Sequence[Type]) -> tuple[Node, Type] | None:
    for _ in range(TRIES):
        if dice.random() < 0.1:
            kind = dice.choice(types)
            return Node("constant", (), drawn(dice, kind), kind), kind
        name = dice.choice(VARIED if dice.random() < 0.4 else list(OPERATIONS))
        weights = [3 if k >= len(types) - 2 else 1 for k in range(len(types))]
        operands = tuple(dice.choices(range(len(types)), weights, k=OPERATIONS[name].operands))
        chosen = [types[k] for k in operands]
        if not OPERATIONS[name].takes(chosen):
            continue
        node = Node(name, operands, OPERATIONS[name].options(dice, chosen))
        kind = type_of(node, types)
        if kind is not None:
            return node, kind
    return None


def mutants(dice: random.Random, before: Program) -> Iterator[Program]:
    """Programs that differ in one node that the result depends on."""
    used = dependencies(before)
    for _ in range(MUTANTS):
        at = dice.choice(used)
        node, types = before.nodes[at], before.types[: len(before.inputs) + at]
        other = mutated(dice, node, types)
        if other != node and type_of(other, types) == before.types[len(before.inputs) + at]:
            yield replace(before, nodes=(*before.nodes[:at], other, *before.nodes[at + 1 :]))


def dependencies(made: Program) -> list[int]:
    first, needed = len(made.inputs), {len(made.types) - 1}
    for at in range(len(made.nodes) - 1, -1, -1):
        if first + at in needed:
            needed.update(made.nodes[at].operands)
    return [at for at in range(len(made.nodes)) if first + at in needed]


def mutated(dice: random.Random, node: Node, types: Sequence[Type]) -> Node:
    if node.constant is not None:
        return node._replace(option=drawn(dice, node.constant))
    chosen = [types[k] for k in node.operands]
    alike = [[k for k, kind in enumerate(types) if kind == own] for own in chosen]
    match dice.choice(["option", "option", "operand", "swap", "operation"]):
        case "operand":
            at = dice.randrange(len(node.operands))
            operands = list(node.operands)
            operands[at] = dice.choice(alike[at])
            return node._replace(operands=tuple(operands))
        case "swap":
            return node._replace(operands=node.operands[::-1]) if node.operation.takes(chosen[::-1]) else node
        case "operation":
            names = [n for n, o in OPERATIONS.items() if o.operands == len(chosen) and o.takes(chosen)]
            name = dice.choice(names)
            return Node(name, node.operands, OPERATIONS[name].options(dice, chosen))
    return node._replace(option=node.operation.options(dice, chosen))


def leaves_of(dice: random.Random, types: Sequence[Type], values: Callable[[str], list[object]]) -> list[Array]:
    filled = [dice.choices(values(t.dtype), k=int(np.prod(t.shape))) for t in types]
    return [constant(tuple(v), t) for v, t in zip(filled, types, strict=True)]


def equal(before: Traced, after: Traced, *, reassociates: bool) -> bool:
    """Whether the numbers of what the two programs give are the same."""
    numbering = Numbering(reassociates=reassociates)
    try:
        inputs, loops = symbols(numbering, before.leaves), Loops(numbering)
        first, second = (JaxprNumberer(numbering, loops).closed(p.jaxpr, inputs) for p in (before, after))
    except NotUnderstood:
        raise
    except Unprovable:
        return False
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


class Traced(NamedTuple):
    """A program with its jaxpr."""

    program: Program
    jaxpr: ClosedJaxpr
    leaves: list[Array]


def traced(made: Program, leaves: list[Array]) -> Traced:
    return Traced(made, jax.make_jaxpr(made)(*leaves), leaves)


def wrong(dice: random.Random, before: Program, after: Program, *, reordered: bool) -> Wrong | None:
    """Inputs for which equal programs give other results; sums in another order are compared where they are exact."""
    for _ in range(FILLINGS):
        leaves = leaves_of(dice, before.inputs, gentle if reordered else hard)
        results = run(before, leaves), run(after, leaves)
        if not alike(*results, near=reordered):
            return Wrong(before, after, leaves, results)
    return None


def run(made: Program, leaves: Sequence[Array]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(made(*leaves))


def alike(a: np.ndarray, b: np.ndarray, *, near: bool) -> bool:
    """Equal, NaN too; floats up to what vectors of another length round."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    eps = float(jnp.finfo(a.dtype).eps)
    with np.errstate(all="ignore"):
        return bool(np.allclose(a.astype(wide), b.astype(wide), rtol=(64 if near else 8) * eps, atol=0, equal_nan=True))


class Tally(NamedTuple):
    """How many pairs there were, how many of them were proved, and those that are not the same."""

    pairs: int
    proved: int
    wrong: list[Wrong]


def fuzz(cases: int, seed: int, told: Callable[[Wrong], None] = lambda wrong: None) -> Tally:
    """Compare so many pairs of programs that are not the same jaxpr; 64-bit types have to be on."""
    dice, pairs, proved, found = random.Random(seed), 0, 0, list[Wrong]()
    while pairs < cases:
        made = program(dice)
        before = traced(made, leaves_of(dice, made.inputs, gentle))
        for other in mutants(dice, made):
            after = traced(other, before.leaves)
            if str(after.jaxpr) == str(before.jaxpr):
                continue
            pairs += 1
            same = equal(before, after, reassociates=False)
            if not same and not equal(before, after, reassociates=True):
                continue
            proved += 1
            if (refuted := wrong(dice, made, other, reordered=not same)) is not None:
                found.append(refuted)
                told(refuted)
    return Tally(pairs, proved, found)


def text(made: Program) -> str:
    """A program, a node a line."""
    first = len(made.inputs)
    lines = [f"  {k}: input {t.dtype}{list(t.shape)}" for k, t in enumerate(made.inputs)]
    lines += [f"  {first + k}: {n.name}{list(n.operands)} {n.option}" for k, n in enumerate(made.nodes)]
    return "\n".join(lines)
