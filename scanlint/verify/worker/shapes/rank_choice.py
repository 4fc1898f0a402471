"""The ranks of arguments that fit together, the most general ones first, with sizes that differ where they may."""

from __future__ import annotations

import ast
import contextlib
import heapq
import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ..infer.need import Need
from ..infer.specs import Alternatives, Array, Leaf, Scalar, Spec, Specs, Struct, leaves, replace
from ..runtime.free_names import whole_numbers
from .dims import Dim, Dims
from .shape_expressions import TooManyNodes
from .shape_values import Arr, ItemValues, ManyValues, NamedValues, Num, Value
from .shape_walk import ShapeWalk

MOST_RANKS = 3
MOST_TRIED = 160
MOST_STEPS = 100_000  # expressions that are looked at for one function
FOUND = 3
ABOVE, BELOW, RARE = 0.99, 1.0, 0.8
"""The costs of one axis more and one less than guessed; three are seldom meant."""
THIRD = 2.0  # what a third axis costs
HELD = 0.97  # what one of the parameters of a model costs: they are matrices rather than their inputs
DTYPES = ("float32", "int32", "bool")
Place = tuple[str, str]


@dataclass(frozen=True)
class SolvedLeaf:
    """An array among the arguments, with the rank that was guessed and the one that its uses need at least."""

    place: Place
    guessed: int
    least: int
    fixed: bool


class ShapeSolver:
    """Looks for shapes of one function's arguments, which have the structure of `specs`."""

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef],
        specs: Specs,
        needs: Mapping[str, Need],
        numbers: Collection[str] = (),
    ) -> None:
        self.node, self.functions, self.specs, self.constants = node, functions, specs, numbers
        self.leaves = list(_leaves(specs, needs))
        self.steps = 0
        self.index = {leaf.place: at for at, leaf in enumerate(self.leaves)}

    def found(self) -> Iterator[Specs]:
        """Specs in which nothing speaks against the ranks, or the least; the best first."""
        kept: list[tuple[float, int, Specs]] = []
        order = itertools.count()
        for cost, ranks in self.searched():
            if kept and (cost > kept[0][0] + 1.5 or len(kept) == FOUND):
                break
            solved = self.specs_of(ranks)
            if solved is not None:
                kept.append((cost, next(order), solved))
        yield from (specs for *_, specs in kept)

    def searched(self) -> list[tuple[float, tuple[int, ...]]]:
        """The ranks that were tried, with what speaks against them: best first, from the guess on."""
        first = tuple(leaf.guessed for leaf in self.leaves)
        seen = {first}
        tried: list[tuple[float, tuple[int, ...]]] = []
        queue: list[tuple[float, int, tuple[int, ...], Mapping[int, float]]] = []
        order = itertools.count()

        def look(ranks: tuple[int, ...]) -> None:
            walk = self.walked(ranks)
            cost = walk.cost + self.distance(ranks)
            tried.append((cost, ranks))
            heapq.heappush(queue, (cost, next(order), ranks, walk.blamed))

        look(first)
        while queue and len(tried) < MOST_TRIED and self.steps < MOST_STEPS:
            ranks, blamed = heapq.heappop(queue)[2:]
            if not blamed:
                break
            for at in sorted(blamed, key=lambda leaf: -blamed[leaf]):
                for rank in (ranks[at] + 1, ranks[at] - 1):
                    changed = (*ranks[:at], rank, *ranks[at + 1 :])
                    leaf = self.leaves[at]
                    most = max(MOST_RANKS, leaf.guessed)
                    if leaf.fixed or not leaf.least <= rank <= most or changed in seen:
                        continue
                    seen.add(changed)
                    look(changed)
        return sorted(tried)

    def distance(self, ranks: tuple[int, ...]) -> float:
        """How far ranks are from the guess."""
        pairs = list(zip(ranks, self.leaves, strict=True))
        more = (
            THIRD if axis > 1 else HELD if leaf.place[1] else ABOVE
            for rank, leaf in pairs
            for axis in range(leaf.guessed, rank)
        )
        fewer = (RARE if axis > 1 else BELOW for rank, leaf in pairs for axis in range(rank, leaf.guessed))
        return sum(more) + sum(fewer)

    def walked(self, ranks: tuple[int, ...]) -> ShapeWalk:
        """The function run on arrays of these ranks."""
        walk = ShapeWalk(self.functions, self.constants)
        self.shapes: dict[Place, tuple[Dim, ...]] = {}
        self.numbers: dict[Place, Dim] = {}
        shared: dict[int, Dim] = {}
        for at, leaf in enumerate(self.leaves):
            sizes = dict(leaves(self.specs[leaf.place[0]]))[leaf.place[1]]
            assert isinstance(sizes, Array)
            named = [shared.setdefault(n, walk.dims.fresh()) for n in sizes.shape] if leaf.fixed else None
            self.shapes[leaf.place] = tuple(named or [walk.dims.fresh() for _ in range(ranks[at])])
        walk.names = {name: self.value(spec, name, "", walk.dims) for name, spec in self.specs.items()}
        with contextlib.suppress(TooManyNodes, RecursionError):  # what is solved by then is tried; runs decide
            walk.run(self.node.body)
        self.steps += walk.seen
        return walk

    def value(self, spec: Spec, name: str, path: str, dims: Dims) -> Value:
        """The value of an argument in the walk over shapes."""
        match spec:
            case Array() if (name, path) in self.index:
                return Arr(self.shapes[name, path], frozenset([self.index[name, path]]))
            case Array(shape=()):
                return Arr(())
            case Scalar(kind="int", usual=None):
                self.numbers[name, path] = size = dims.fresh()
                return Num(size)
            case Scalar(kind="int", usual=int() as usual):
                return Num(Dim(usual))
            case Scalar():
                return Num()
            case Struct(kind="list", items=items) if items and items[0][0].startswith("*"):
                return ManyValues(self.value(items[0][1], name, f"{path}.{items[0][0]}", dims))
            case Struct(kind="list" | "tuple", items=items):
                return ItemValues(tuple(self.value(s, name, f"{path}.{n}", dims) for n, s in items))
            case Struct(items=items):
                return NamedValues({n: self.value(s, name, f"{path}.{n}", dims) for n, s in items})
            case Alternatives(values=[str() as text, *_]):
                return text
        return None

    def specs_of(self, ranks: tuple[int, ...], avoided: Collection[int] = ()) -> Specs | None:
        """The specs with the shapes that follow from these ranks; None where no sizes fit."""
        walk = self.walked(ranks)
        dims = [d for shape in self.shapes.values() for d in shape]
        counted = {d for dim in dims for d in walk.dims.of(dim).terms}
        numbers = {
            p: d for p, d in self.numbers.items() if set(walk.dims.of(d).terms) & counted or walk.dims.of(d) != d
        }
        table = walk.dims.numbers([*dims, *numbers.values()], {*whole_numbers(self.node), *avoided})
        if table is None:
            return None
        sizes = {place: tuple(table[walk.dims.of(d)] for d in shape) for place, shape in self.shapes.items()}
        axes = {walk.dims.of(d) for d in dims}
        counts = {place: walk.dims.of(d) for place, d in numbers.items()}

        def changed(name: str, leaf: Leaf, path: str) -> Spec:
            place = name, _first_of_list(path)
            if isinstance(leaf, Array) and place in sizes:
                return Array(sizes[place], leaf.dtype)
            if isinstance(leaf, Scalar) and place in counts:
                size = table[counts[place]]
                return Scalar("int", None, size) if counts[place] in axes else Scalar("int", size)
            return leaf

        return {name: replace(spec, lambda s, p, n=name: changed(n, s, p)) for name, spec in self.specs.items()}  # type: ignore[misc]


def _first_of_list(path: str) -> str:
    """The path of the first entry of a list, in the place of those of the others."""
    return ".".join("*0" if part.startswith("*") else part for part in path.split("."))


def _leaves(specs: Specs, needs: Mapping[str, Need]) -> Iterator[SolvedLeaf]:
    for name, spec in specs.items():
        for path, leaf in leaves(spec):
            if isinstance(leaf, Array) and leaf.dtype in DTYPES and path == _first_of_list(path):
                need = needs[name].inside(path) if name in needs else None
                told = _told(needs.get(name))
                least = need.least_rank() if need is not None else len(leaf.shape)
                rank = len(leaf.shape)
                fixed = told or need is None or need.exact is not None
                yield SolvedLeaf((name, path), rank, min(least, rank), fixed)


def _told(need: Need | None) -> bool:
    """Whether an annotation or a docstring names the axes."""
    return (
        need is not None
        and isinstance(need.annotation, ast.Subscript)
        and '"' in ast.unparse(need.annotation).replace("'", '"')
    )
