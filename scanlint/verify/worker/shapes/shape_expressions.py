"""Expressions on shapes alone: arithmetic, indexing, attributes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from .dims import ONE, Dim
from .library_shapes import LibraryShapes
from .shape_values import IMPOSSIBLE, Arr, ItemValues, LocalFunction, ManyValues, NamedValues, Num, Value

MOST_NODES = 6000
Names = dict[str, Value]


class TooManyNodes(Exception):
    """The function has more parts than are looked at."""


class ShapeExpressions(LibraryShapes):
    """Evaluates expressions in the `names` of a function, one method for each kind.

    `numbers` are the constants of its module.
    """

    def __init__(
        self, functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef], numbers: Collection[str] = ()
    ) -> None:
        super().__init__()
        self.functions = functions
        self.numbers = numbers
        self.names: Names = {}
        self.seen = 0

    def call(self, node: ast.Call) -> Value:
        raise NotImplementedError

    def bind(self, target: ast.expr, value: Value) -> None:
        raise NotImplementedError

    def entry(self, iterable: ast.expr) -> Value:
        raise NotImplementedError

    def of(self, node: ast.expr) -> Value:
        """What an expression evaluates to."""
        self.seen += 1
        if self.seen > MOST_NODES:
            raise TooManyNodes
        match node:
            case ast.Constant(value=bool()):
                return Num()
            case ast.Constant(value=int() as n):
                return Num(Dim(n))
            case ast.Constant(value=float() | complex()):
                return Num()
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id=name):
                found = self.names.get(name, Num() if name in self.numbers else None)
                written = self.functions.get(name)
                return LocalFunction(written, {}) if found is None and isinstance(written, ast.FunctionDef) else found
            case ast.Lambda():
                return LocalFunction(node, self.names)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return ItemValues(tuple(map(self.of, elts)))
            case ast.Dict(keys=keys, values=values):
                named = zip(keys, values, strict=True)
                return NamedValues({str(k.value): self.of(v) for k, v in named if isinstance(k, ast.Constant)})
            case ast.ListComp(elt=elt, generators=[made]) | ast.GeneratorExp(elt=elt, generators=[made]):
                before = dict(self.names)
                self.bind(made.target, self.entry(made.iter))
                found, self.names = self.of(elt), before
                return ManyValues(found)
            case ast.BinOp(left=left, op=op, right=right):
                return self.operation(self.of(left), op, self.of(right))
            case ast.UnaryOp(operand=operand):
                found = self.of(operand)
                negative = isinstance(node.op, ast.USub) and isinstance(found, Num) and found.size is not None
                return Num(found.size.times(-1)) if negative else found  # type: ignore[union-attr]
            case ast.Compare(left=left, comparators=others):
                parts = [self.of(left), *map(self.of, others)]
                return self.broadcast(parts, mask=True) if any(isinstance(v, Arr) for v in parts) else Num()
            case ast.BoolOp(values=operands):
                return [self.of(p) for p in operands][-1]
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.truth(self.of(test))
                first, last = self.of(body), self.of(orelse)
                return last if first is None or isinstance(first, Num) else first
            case ast.Subscript(value=base, slice=place):
                return self.indexed(self.of(base), place)
            case ast.Attribute(value=base, attr=attr):
                return self.attribute(self.of(base), attr)
            case ast.NamedExpr(target=target, value=value):
                self.bind(target, found := self.of(value))
                return found
            case ast.Call():
                return self.call(node)
        return None

    def operation(self, left: Value, op: ast.operator, right: Value) -> Value:
        if isinstance(op, ast.MatMult):
            return self.product(left, right)
        match left, right:
            case Num(size=a), Num(size=b):
                return Num(self.counted(a, op, b), trip=left.trip or right.trip)
            case ItemValues(parts=a), ItemValues(parts=b) if isinstance(op, ast.Add):
                return ItemValues((*a, *b))
            case ItemValues(parts=[one]), Num() if isinstance(op, ast.Mult):
                return ManyValues(one)
        if isinstance(op, ast.Add | ast.Sub):
            self.added(left, right)
        return self.broadcast([left, right])

    def counted(self, a: Dim | None, op: ast.operator, b: Dim | None) -> Dim | None:
        """Arithmetic on sizes."""
        if a is None or b is None:
            return None
        match op:
            case ast.Add():
                return a.plus(b)
            case ast.Sub():
                return a.plus(b, -1)
            case ast.Mult() if a.number is not None or b.number is not None:
                return b.times(a.number) if a.number is not None else a.times(b.number or 0)
            case ast.FloorDiv() if b.number:
                part = self.dims.fresh()
                return part if self.dims.unify(a, part.times(b.number)) else None
        return None

    def attribute(self, base: Value, attr: str) -> Value:
        match base:
            case NamedValues(held=held):
                return held.get(attr)
            case Arr(shape=shape):
                match attr:
                    case "T" | "mT":
                        return self.transposed(base)
                    case "shape":
                        return ItemValues(tuple(Num(size) for size in shape))
                    case "ndim":
                        return Num(Dim(len(shape)))
                    case "size":
                        return Num(shape[0] if len(shape) == 1 else None)
                    case "real" | "imag":
                        return base
        return None

    def indexed(self, base: Value, place: ast.expr) -> Value:
        match base:
            case NamedValues(held=held):
                key = self.of(place)
                return held.get(key) if isinstance(key, str) else None
            case ItemValues(parts=parts):
                found = self.of(place) if not isinstance(place, ast.Slice) else None
                at = found.size.number if isinstance(found, Num) and found.size is not None else None
                if at is not None:
                    return parts[at] if -len(parts) <= at < len(parts) else None
                return parts[0] if parts and isinstance(found, Num) else None
            case ManyValues(element=element):
                return base if isinstance(place, ast.Slice) else element
            case Arr():
                return self.taken(base, place.elts if isinstance(place, ast.Tuple) else [place])
        return None

    def taken(self, base: Arr, places: Sequence[ast.expr]) -> Value:
        """Some of an array: numbers take an axis away, slices keep it, other arrays bring theirs."""
        left, shape, by = list(base.shape), list[Dim](), base.by
        used = sum(not (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in places)
        indices = [None if isinstance(p, ast.Slice) else self.of(p) for p in places]
        trips = [isinstance(v, Arr | Num) and v.trip for v in indices]
        if all(trips):
            self.noted(self.read, base, len(places))
        if len(places) > 1 and all(isinstance(v, Num) for v in indices):
            self.noted(self.named, base, len(places))
        for at, place in enumerate(places):
            if isinstance(place, ast.Constant) and place.value is None:
                shape.append(ONE)
                continue
            if isinstance(place, ast.Constant) and place.value is ...:
                kept = max(len(left) - sum(not _new(p) for p in places[at + 1 :]), 0)
                shape, left = [*shape, *left[:kept]], left[kept:]
                continue
            if not left or used > len(base.shape):
                self.against(IMPOSSIBLE, base.by)
                return None
            size = left.pop(0)
            if isinstance(place, ast.Slice):
                shape.append(self.sliced(size, place))
                continue
            match self.of(place):
                case Num(below=below):
                    if below is not None:
                        self.dims.unify(below, size)
                case Arr(shape=rows, by=others, mask=False):
                    shape, by = [*shape, *rows], by | others
                case _:
                    return None
        return Arr((*shape, *left), by, row=len(places) > 1 and len(shape) == 1 < len(base.shape), trip=any(trips))

    def sliced(self, size: Dim, place: ast.Slice) -> Dim:
        ends = [self.of(e) if e is not None else None for e in (place.lower, place.upper)]
        sizes = [e.size if isinstance(e, Num) else None for e in ends]
        if any(e is not None and s is None for e, s in zip(ends, sizes, strict=True)):
            return self.dims.fresh()
        if place.step is not None:
            return size if ends == [None, None] and ast.unparse(place.step) == "-1" else self.dims.fresh()
        first, last = sizes[0] or Dim(), sizes[1] or size
        negative = [bool(s.number is not None and s.number < 0) for s in (first, last)]
        first, last = (size.plus(s) if n else s for s, n in zip((first, last), negative, strict=True))
        return last.plus(first, -1)


def _new(place: ast.expr) -> bool:
    return isinstance(place, ast.Constant) and place.value is None
