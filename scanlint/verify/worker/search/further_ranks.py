"""Arrays with one axis more than was guessed: an index along the last axis may be one along the first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal

from ..infer.specs import Array, Specs, resize, sizes
from ..runtime.jax_errors import Fact
from .carry_avals import Start
from .input_sources import Inputs
from .shape_search import Failure, unused_sizes

BLAMED, ARMS = "another rank", "one more axis, which one arm lacks,"
GUESSED = ("one more axis", "two axes")
"""How the labels begin of shapes whose ranks are only guessed."""
WHOLE = ("int32", "bool")
MAX_ALONE = 3
MOST_FEWER = 4
LARGER = 3
MOST_AXES = 3
Names = tuple[str, ...]


class _Asked(Exception):
    """The code tests the truth of a traced value."""


def _straight(asked: int) -> bool:
    raise _Asked


@dataclass
class FurtherRanks:
    """The specs with one axis more for all float arrays together, or for some, where both versions accept them.

    Where arms of the old version give different shapes, these count only if the ranks were not `seen` in calls: no
    rewrite without a branch gives the number of one arm.

    Numbers of unknown rank are also tried with two axes, and with one more than the arrays beside them have. If only
    the new version fails, because a carry starts as a Python number, it is to blame in these cases: rows replace
    numbers that a loop reads; the array may be a matrix, on the left of a product; it is added to the carry as it is;
    or arrays replace all numbers of a function that has none. It is not to blame for a single number (`rate`), which is
    seldom meant as an array, unless that is the initial value of a carry and no trip reads it. `refused` are rows that
    it does not take, and is not to blame for.
    """

    inputs: Inputs
    after: Callable[..., object]
    specs: Specs
    starts: Callable[[Specs], list[Start]]
    seen: bool = False
    refused: list[Specs] = field(default_factory=list)
    unread: bool = field(default=False, init=False)  # whether no trip reads the initial value of some carry
    together: bool = field(default=False, init=False)  # whether all arrays may have one axis more, as a carry may

    def __post_init__(self) -> None:
        node, specs = self.inputs.node, self.specs
        told = self.inputs.told_ranks(specs)
        self.ranks = {n: len(s.shape) for n, s in specs.items() if isinstance(s, Array) and s.dtype == "float32"}
        self.ranks = {n: rank for n, rank in self.ranks.items() if rank < MOST_AXES and n not in told}
        self.numbers = [n for n, rank in self.ranks.items() if not rank]
        self.read = self.inputs.read_by_loops(specs)
        self.plainly, self.begins = _numbers(node), _begins(node)
        self.matrices = {n for n in _multiplied(node) if self.ranks.get(n, 2) < 2}
        self.meant = {*self.series, *self.matrices, *_added(node, self.plainly)}
        # Operands of `and` and of chained comparisons are meant to have one shape, though a first one that is false is
        # all that such an expression gives.
        self.branches = any(isinstance(n, ast.If | ast.IfExp | ast.While) for n in ast.walk(node))

    @property
    def series(self) -> Names:
        """The arrays of which loops read elements."""
        return tuple(n for n, rank in self.ranks.items() if self.read.get(n) == rank)

    @property
    def plain(self) -> bool:
        """Whether all arrays are numbers."""
        return len(self.numbers) == len(self.ranks)

    def found(self) -> Iterator[tuple[str, Specs]]:
        """The specs with more axes, each with a label that says which."""
        if self.inputs.owner is not None:
            return
        for names, lone in self.sets():
            for changed in self.longer(names):
                found = self.tried(changed, names, self.plain or set(names) <= self.meant, lone)
                if found is not None:
                    self.together = self.together or (not found and names == tuple(self.ranks) != self.series)
                    yield f"{found or GUESSED[0]} for {', '.join(names)}", changed
                    break
        yield from self.of_numbers()
        for name, spec in self.specs.items():
            if isinstance(spec, Array) and spec.dtype in WHOLE and len(spec.shape) == self.read.get(name):
                self.refuse(_longer(self.specs, (name,)))

    def sets(self) -> Iterator[tuple[Names, bool]]:
        """Arrays that get an axis together, and whether they are few: all, those that loops read, each alone.

        All but one get it where a carry starts as that one and no trip reads its initial value.
        """
        every = tuple(self.ranks)
        sets = list(dict.fromkeys([every, self.series, *((n,) for n in every[:MAX_ALONE])]))
        yield from ((names, len(names) == 1 and self.ranks[names[0]] < 2) for names in sets if names)
        others = [tuple(a for a in every if a != n) for n in self.numbers[-MAX_ALONE:]]
        yield from ((names, True) for names in others if names and names not in sets and self.unread)

    def longer(self, names: Names) -> Iterator[Specs]:
        """One axis of one new size more; the sizes that are solved for with these ranks; and squares.

        A version that takes another axis for the first one only accepts squares.
        """
        yield _longer(self.specs, names)
        solved = self.inputs.with_ranks(self.specs, {n: rank + 1 for n, rank in self.ranks.items() if n in names})
        if solved is not None:
            yield solved
        yield _longer(self.specs, names, square=True)

    def of_numbers(self) -> Iterator[tuple[str, Specs]]:
        """Numbers with two axes, and with one more than the arrays beside them have."""
        listed, numbers = ", ".join(self.numbers), tuple(self.numbers)
        new = unused_sizes(self.specs)
        twice = {n: Array(new[:2]) if n in numbers else s for n, s in self.specs.items()}
        if numbers and self.tried(twice, numbers, self.plain) is not None:
            yield f"{GUESSED[1]} for {listed}", twice
        shapes = (s.shape for n, s in self.specs.items() if n in self.ranks and isinstance(s, Array))
        longest = max(shapes, key=len, default=())
        above = {n: Array((new[0], *longest)) if n in numbers else s for n, s in self.specs.items()}
        if numbers and longest and self.branches and (found := self.tried(above, numbers, False)) is not None:
            yield f"{found or GUESSED[0]} for {listed}, which all broadcast to", above

    def tried(self, changed: Specs, names: Names, meant: bool, lone: bool = False) -> str | None:
        """BLAMED if only the new version fails and is to blame, "" if both versions accept the specs, ARMS if the
        old one gives different shapes for them, else None.

        `names` have more axes, `lone` if they are few.
        """
        decides = self.inputs.attempt(changed, truth=_straight) is not None
        if decides and self.inputs.attempt(changed) is not None:
            return None
        failure = self.inputs.attempt(changed, self.after)
        if failure is None:
            differ = self.inputs.by_arm(changed) if decides else False
            return "" if differ is False else ARMS if differ and self.branches and not self.seen else None
        found = BLAMED if self.to_blame(failure, changed, names, meant, lone) else None
        if found is None and set(names) <= set(self.series):
            self.refuse(changed)
        return found

    def to_blame(self, failure: Failure, changed: Specs, names: Names, meant: bool, lone: bool) -> bool:
        """Whether the new version is to blame for rejecting what the old one accepts."""
        said = failure.says
        if failure.kind == "ValueError" and Fact.FEWER_AXES in said.facts:
            return True  # an initial value was given the shape of one array, and has that of another one already
        if failure.kind != "TypeError":
            return False
        # The arms of a `cond` differ where one of them keeps a value that got no axis.
        arms = said.mismatch is not None and said.mismatch.primitive == "cond"
        wrong = [s for s in self.starts(changed) if not s.fits] if arms or said.carry else []
        if arms and not wrong:
            blamed = meant and set(names) <= set(self.series) and not self.together and bool(self.plainly)
            return blamed or self.refuse(changed)
        self.unread = self.unread or any(s.unread for s in wrong)
        return bool(wrong) and all(
            (s.unread and ((lone and s.scalar) or self.begins.get(s.name) in names))
            or (meant and s.scalar and (s.weak or s.name in self.plainly))
            for s in wrong
        )

    def refuse(self, changed: Specs) -> Literal[False]:
        """Keep rows that only the old version takes."""
        if self.inputs.attempt(changed) is None and self.inputs.attempt(changed, self.after) is not None:
            self.refused.append(changed)
        return False


def fewer(inputs: Inputs, after: Callable[..., object], specs: Specs) -> Iterator[tuple[str, Specs]]:
    """The specs with a number in place of one array, where the old version accepts that and a carry changes its size.

    A number broadcasts to any shape, so it is not what changes the size of a carry: the guessed array only hid the
    change. Axes of size one are left out, since they broadcast too.
    """
    told = inputs.told_ranks(specs)
    floats = {n: s for n, s in specs.items() if isinstance(s, Array) and s.dtype == "float32"}
    arrays = [n for n, s in floats.items() if s.shape and n not in told]
    larger = {size: size + LARGER for size in sizes(specs)}
    for name in arrays[:MOST_FEWER] if inputs.owner is None else ():
        changed = {n: Array(()) if n == name else resize(s, larger) for n, s in specs.items()}
        failure = inputs.attempt(changed, after) if inputs.attempt(changed) is None else None
        if failure is None or failure.kind != "TypeError" or failure.says.carry is None:
            continue
        if any(_resized(*shapes) for shapes in failure.says.shapes):
            yield f"{BLAMED} for {name}", changed


def _resized(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether two shapes of one rank differ in an axis by more than broadcasting."""
    return len(before) == len(after) and any(b != a and 1 not in (b, a) for b, a in zip(before, after, strict=True))


def _numbers(function: ast.AST) -> set[str]:
    """The names that are bound to Python numbers somewhere."""
    bound = (n for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant))
    return {t.id for n in bound for t in n.targets if isinstance(t, ast.Name)}


def _begins(function: ast.AST) -> dict[str, str]:
    """The names that are first bound to another name, each with that name: `best = x`."""
    bound = [n for n in ast.walk(function) if isinstance(n, ast.Assign)]
    pairs = [
        (t.id, n.value.id)
        for n in bound
        for t in n.targets
        if isinstance(t, ast.Name) and isinstance(n.value, ast.Name)
    ]
    return dict(reversed(pairs))


def _added(function: ast.AST, numbers: Collection[str]) -> set[str]:
    """The names that are added, as they are, to one of these: `total += v`."""
    found = set()
    for node in ast.walk(function):
        match node:
            case (
                ast.AugAssign(target=ast.Name(id=left), op=ast.Add() | ast.Sub(), value=ast.Name(id=right))
                | ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub(), right=ast.Name(id=right))
            ):
                found |= {right} if left in numbers else {left} if right in numbers else set()
    return found


def _multiplied(function: ast.AST) -> set[str]:
    """The names that stand on the left of a matrix product."""
    products = (n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult))
    return {n.left.id for n in products if isinstance(n.left, ast.Name)}


def _longer(specs: Specs, names: Collection[str], *, square: bool = False) -> Specs:
    """Some arrays with a last axis of a new size more, or as long as their first one."""
    new = unused_sizes(specs)[0]
    arrays = {n: s for n, s in specs.items() if n in names and isinstance(s, Array)}
    sizes = {n: s.shape[0] if square and s.shape else new for n, s in arrays.items()}
    return {**specs, **{n: Array((*s.shape, sizes[n]), s.dtype) for n, s in arrays.items()}}
