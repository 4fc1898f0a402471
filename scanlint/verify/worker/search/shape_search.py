"""Search for shapes that the old version accepts, by abstract evaluation; errors say what to change."""

from __future__ import annotations

import ast
import heapq
import itertools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..infer.guess import FRESH, UNARY
from ..infer.specs import Alternatives, Array, Leaf, Scalar, Spec, Specs, every_leaf, leaves, replace, resized, sizes
from ..runtime.jax_errors import Complaint, Fact, Shape, read

MOST_ATTEMPTS = 80  # 28 sufficed in 39 searches, of 754 functions
MAX_SECONDS = 12.0
LARGEST = 64
MOST_QUOTED = 6
MOST_GROWN = 12
NOT_IMPORTED = "ImportError"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt failed: the message, and the lines of the code under test in the traceback, outermost first.

    `meant`: the code under test raises it itself.
    """

    message: str
    lines: tuple[int, ...]
    kind: str = ""
    progress: tuple[int, ...] = ()
    meant: bool = False

    @property
    def says(self) -> Complaint:
        return read(self.message)


@dataclass(frozen=True, slots=True, order=True)
class Open:
    """A failed attempt with changes still to be tried; it is left as soon as one of them gets further."""

    rank: tuple[int, ...]
    cost: float
    order: int
    specs: Specs = field(compare=False)
    changes: Iterator[tuple[float, Specs]] = field(compare=False)


Attempt = Callable[[Specs], Failure | None]


@dataclass(frozen=True, slots=True)
class SearchResult:
    specs: Specs | None
    failure: Failure | None
    attempts: int


def search(
    first: Specs,
    alternatives: Mapping[str, list[Spec]],
    attempt: Attempt,
    tree: ast.AST,
    allow: Callable[[Specs], bool] = lambda specs: True,
) -> SearchResult:
    """Best-first search: by how far the function got, then by how few changes were made."""
    order = itertools.count()
    seen = {repr(first)}
    failure = attempt(first)
    if failure is None:
        return SearchResult(first, None, 1)
    queue = [Open(_rank(failure), 0.0, next(order), first, _changes(first, alternatives, failure, tree))]
    best, attempts, deadline = failure, 1, time.process_time() + MAX_SECONDS
    while queue and attempts < MOST_ATTEMPTS and time.process_time() < deadline:
        at = queue[0]
        step = next(at.changes, None)
        if step is None:
            heapq.heappop(queue)
            continue
        extra, changed = step
        if repr(changed) in seen or not allow(changed):
            continue
        seen.add(repr(changed))
        attempts += 1
        failure = attempt(changed)
        if failure is None:
            return SearchResult(changed, None, attempts)
        if _rank(failure) < _rank(best):
            best = failure
        further = _changes(changed, alternatives, failure, tree)
        heapq.heappush(queue, Open(_rank(failure), at.cost + extra, next(order), changed, further))
    return SearchResult(None, best, attempts)


def unused_sizes(specs: Specs) -> tuple[int, ...]:
    """Sizes that no axis has, at least two."""
    known = sizes(specs)
    found = [n for n in FRESH if n not in known]
    return (*found, max((*known, *FRESH)) + 1, max((*known, *FRESH)) + 2)


def _rank(failure: Failure) -> tuple[int, ...]:
    return tuple(-p for p in failure.progress)


def _changes(
    specs: Specs, alternatives: Mapping[str, list[Spec]], why: Failure, tree: ast.AST
) -> Iterator[tuple[float, Specs]]:
    """Changed specs with their costs, the likeliest first."""
    said = why.says
    involved = _involved(tree, why.lines, set(specs)) | (set(specs) & said.words)
    if Fact.UNMAPPED in said.facts:
        yield from ((0.2, {**specs, name: _mapped(spec)}) for name, spec in specs.items())
    if Fact.WHOLE in said.facts:  # before an array loses the axis along which it is counted
        numbers = [(n, path) for n in sorted(involved) for path, leaf in leaves(specs[n]) if leaf == Array(())]
        yield from ((0.4, {**specs, n: set_leaf(specs[n], path, Scalar("int"))}) for n, path in numbers)
    pairs = [(a, b) for a, b in itertools.permutations(said.numbers[:6], 2) if 1 != b <= LARGEST]
    yield from _resized(specs, pairs, involved)
    for name in sorted(specs, key=lambda n: n not in involved):
        for changed in _named(specs[name], said.quoted):
            yield 1.5, {**specs, name: changed}
    for name in sorted(specs, key=lambda n: n not in involved):
        cost = 2.0 if name in involved else 4.0
        for other in alternatives.get(name, []):
            if other != specs[name]:
                yield cost, {**specs, name: other}
        for changed in _leaf_changes(specs[name], sizes(specs)[:6], Fact.UNCALLABLE in said.facts):
            yield cost, {**specs, name: changed}
    if Fact.SHAPES in said.facts:  # `self.w` is made with sizes that are arguments
        known = [s.count for _, s in every_leaf(specs) if isinstance(s, Scalar)]
        counts = [(a, b) for a in sizes(specs) for b in dict.fromkeys(known) if a != b]
        yield from _resized(specs, counts, involved)


def _mapped(spec: Spec) -> Spec:
    """One for each example: all leaves with a further axis, the first one."""

    def many(leaf: Leaf, path: str) -> Spec:
        match leaf:
            case Array(shape=shape, dtype=dtype):
                return Array((FRESH[0], *shape), dtype)
            case Scalar(kind="int" | "float" | "bool" as kind):
                return Array((FRESH[0],), {"int": "int32", "float": "float32"}.get(kind, "bool"))
        return leaf

    return replace(spec, many)


def _resized(specs: Specs, pairs: list[tuple[int, int]], involved: set[str]) -> Iterator[tuple[float, Specs]]:
    """The axes of one size given another, all of them or one."""
    for a, b in pairs:
        yield 0.5, resized(specs, {a: b})
        for name in sorted(specs, key=lambda n: n not in involved):
            for changed in _axis_to(specs[name], a, b):
                yield 1.0, {**specs, name: changed}


def _named(spec: Spec, quoted: Sequence[str]) -> Iterator[Spec]:
    """A text argument replaced by one that an error quotes: messages often list what is allowed."""
    for path, leaf in leaves(spec):
        if isinstance(leaf, Alternatives) and all(isinstance(v, str) for v in leaf.values):
            for text in [t for t in quoted if t != leaf.values[0]][:MOST_QUOTED]:
                yield set_leaf(spec, path, Alternatives((text, *(v for v in leaf.values if v != text))))


def broadcast(before: Shape, after: Shape) -> bool:
    """Whether broadcasting against another array may have made the second shape of the first."""
    ends = zip(reversed(before), reversed(after), strict=False)
    return len(before) <= len(after) and all(b in (1, a) for b, a in ends)


def grown(specs: Specs, why: Failure) -> Iterator[Specs]:
    """For each carry that got axes, an argument of its initial shape gets its final shape."""
    found = [(name, path, leaf) for name, spec in specs.items() for path, leaf in leaves(spec)]
    pairs = [(before, after) for before, after in why.says.shapes if len(before) < len(after)]
    arrays = [(name, path, leaf) for name, path, leaf in found if isinstance(leaf, Array)]
    choices = [[(*x, after) for x in arrays if x[2].shape == before] for before, after in pairs]
    together = [c for c in choices if c]
    for chosen in itertools.islice(itertools.product(*together) if together else (), MOST_GROWN):
        started = specs
        for name, path, leaf, after in chosen:
            started = {**started, name: set_leaf(started[name], path, Array(after, leaf.dtype))}
        yield started


def _axis_to(spec: Spec, a: int, b: int) -> Iterator[Spec]:
    """One leaf's axis of size `a` made `b`; then all of them."""
    for path, leaf in leaves(spec):
        if isinstance(leaf, Array):
            for axis, size in enumerate(leaf.shape):
                if size == a:
                    shape = (*leaf.shape[:axis], b, *leaf.shape[axis + 1 :])
                    yield set_leaf(spec, path, Array(shape, leaf.dtype))


def _leaf_changes(spec: Spec, known: list[int], called: bool) -> Iterator[Spec]:
    """One leaf made another one; a function only where something is `called`."""
    for path, leaf in leaves(spec):
        if isinstance(leaf, Array) and leaf.dtype == "float32" and len(leaf.shape) < 2:
            for size in known:
                yield set_leaf(spec, path, Array((*leaf.shape, size)))
        for changed in _other_leaf(leaf, called):
            yield set_leaf(spec, path, changed)


def _other_leaf(leaf: Leaf, called: bool) -> Iterator[Spec]:
    match leaf:
        case Array(shape=shape, dtype="float32"):
            used = set(shape)
            fresh = next(n for n in FRESH if n not in used)
            if len(shape) < 4:
                yield Array((*shape, fresh))
                yield Array((fresh, *shape))
            if len(shape) == 2:
                yield Array((shape[0], shape[0]))
            for size in (2, 3):
                for axis in range(len(shape)):
                    yield Array((*shape[:axis], size, *shape[axis + 1 :]))
            if shape:
                yield Array(shape[1:])
                yield Array(shape[:-1])
            yield Array(shape, "int32")
            yield Array(shape, "bool")
            if not shape:
                yield Scalar("int")
                yield Array((), "key")
                if called:
                    yield Alternatives(UNARY)
        case Array(shape=shape, dtype="int32"):
            yield Scalar("int")
            yield Array((*shape, 3), "int32")
            yield Array(shape)
        case Array(shape=shape, dtype="key"):
            yield Array(shape, "rawkey")
            yield Array((*shape, 3), "key")
            yield Array(shape)
        case Scalar(kind="int", size=size):
            if size is None and leaf.usual is None:
                yield Scalar("int", 2 * leaf.count)  # `steps` is more than `burn`
            yield Array((), "int32")
            yield Scalar("float")
            yield Array(())
        case Scalar():
            yield Array(())
            yield Scalar("int")
        case Alternatives():
            yield Array(())
            yield Scalar("int")


def set_leaf(spec: Spec, path: str, value: Spec) -> Spec:
    """One leaf changed, and with it the same leaf of the other entries of a list."""
    wanted = re.sub(r"\*\d+", "*", path)
    return replace(spec, lambda leaf, at: value if re.sub(r"\*\d+", "*", at) == wanted else leaf)


def _involved(tree: ast.AST, lines: tuple[int, ...], parameters: set[str]) -> set[str]:
    """The parameters that the failing lines name; all where these name none."""
    names = (n for n in ast.walk(tree) if isinstance(n, ast.Name))
    found = {n.id for n in names if any(n.lineno <= line <= (n.end_lineno or n.lineno) for line in lines)}
    return found & parameters or parameters
