"""Sums and scattered additions over examples: `total += f(x)`, `out = out.at[k].add(v)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from scanlint.batching.examples import Batch, row_read
from scanlint.batching.shifted_rows import Rows, shifted_row
from scanlint.dataflow.around import defuse_of
from scanlint.host.callees import by_jax
from scanlint.jaxapi.words import words
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.loop import LoopModel
from scanlint.loops.numbers.tables import weak_table
from scanlint.loops.rows.collected import Output
from scanlint.loops.sizes.trip_limits import ranges_around
from scanlint.loops.streams import is_array
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.trace.domain.callables import Transformed
from scanlint.trace.unit import Unit

Reduction = Literal["sum", "difference", "max", "min", "any", "all"]
CALLS: Mapping[str, Reduction] = {
    "jax.numpy.add": "sum",
    "jax.numpy.maximum": "max",
    "jax.numpy.minimum": "min",
    "jax.numpy.logical_or": "any",
    "jax.numpy.logical_and": "all",
}
OPERATORS: Mapping[type[ast.operator], Reduction] = {ast.BitOr: "any", ast.BitAnd: "all", ast.Sub: "difference"}
LARGE = frozenset(f"jax.numpy.{name}" for name in words("outer kron meshgrid"))
DERIVED = words("grad value_and_grad jacobian jacfwd jacrev hessian vjp vmap")
EFFECTS = ("jax.debug.", "jax.experimental.", "jax.pure_callback")


class Addition(NamedTuple):
    """The statement with which each trip adds `value` to a name; to these `places` of an array, where it has some.

    `by`: or takes away, or takes the larger one of, and so on.
    """

    name: str
    statement: ast.Assign | ast.AugAssign
    value: ast.expr
    places: tuple[ast.expr, ...] = ()
    by: Reduction = "sum"

    @property
    def parts(self) -> tuple[ast.expr, ...]:
        """What differs from trip to trip."""
        return (*self.places, self.value)


class GatheringLoop(NamedTuple):
    """A loop that does nothing but add: with the parts of examples that are more than an array's rows."""

    model: LoopModel
    additions: tuple[Addition, ...]
    plain: bool


def gathering(model: LoopModel) -> GatheringLoop | None:
    """The loop, if all that goes from trip to trip is what JAX computes of examples, added up."""
    node, traced = model.node, model.unit.context(model.node).traced
    if not isinstance(node, ast.For) or model.outputs or not model.carried:
        return None
    if reads(*model.bounds) & set(ranges_around(model.unit, node)):
        return None  # as many rows as the loop around it has come to: it could not be rolled any more
    found = tuple(a for s in node.body if (a := _addition(model.unit, s)) is not None and a.name in model.carried)
    if {a.name for a in found} != set(model.carried) or len(found) != len(model.carried):
        return None
    if not all(_alone(model, a) and (_small if traced else _sums)(model, a) for a in found):
        return None
    if any(not a.places and _weak(model, a.value) for a in found):
        return None  # the sum has a dtype of its own, which each of the numbers takes from what it is added to
    plain = len(node.body) == len(found) and all(row_of(model, part) is not None for a in found for part in a.parts)
    outputs = tuple(Output(a.name, a.statement, (), a.statement, part, ()) for a in found for part in mapped(model, a))
    return GatheringLoop(LoopModel(model.unit, node, model.streams, model.starts, outputs), found, plain)


def _weak(model: LoopModel, value: ast.expr) -> bool:
    """Whether a value is worked out of the index and other Python numbers alone, or of arrays as weakly typed."""
    unit, functions = model.unit, {n for c in ast.walk(value) if isinstance(c, ast.Call) for n in ast.walk(c.func)}
    names = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n not in functions]
    tables = (s for s in model.streams if isinstance(s.array, ast.Name) and weak_table(unit, s.array))
    counts = {n for s in (*(s for s in model.streams if s.kind == "range"), *tables) for n in targets(s.target)}
    weak = lambda n: n.id in counts or (unit.value(n).static and not unit.value(n).array) or weak_table(unit, n)  # noqa: E731
    return bool(names) and all(map(weak, names))


def mapped(model: LoopModel, addition: Addition) -> list[ast.expr]:
    """The parts that are computed: all that are not rows as they stand in an array."""
    return [part for part in addition.parts if row_of(model, part) is None] or [addition.value]


def row_of(model: LoopModel, part: ast.expr) -> Rows | None:
    """The array whose row an expression is, if it is no more than that."""
    for stream in model.streams:
        if stream.kind == "rows" and stream.array is not None and not stream.loose and not stream.reverse:
            if isinstance(part, ast.Name) and targets(stream.target) == [part.id]:
                return Rows(stream.array, 0, target=stream.target)
    bound = binds(*model.node.body) | frozenset(n for s in model.streams for n in targets(s.target))
    counts = {n for s in model.streams if s.kind == "range" and (s.plain or s.counted) for n in targets(s.target)}
    uses = [n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in counts]
    found = row_read(model.unit, uses[0], bound) if len(uses) == 1 else None
    if found is not None and found[0] is part:
        return Rows(part.value, found[1], [part])
    ranges = [s for s in model.streams if s.kind == "range" and len(model.streams) == 1]
    read = (n for s in ranges for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in targets(s.target))
    shifted = [shifted_row(model.unit, ranges[0], use, bound) for use in read]
    return shifted[0] if len(shifted) == 1 and shifted[0] is not None and shifted[0].places == [part] else None


def _addition(unit: Unit, statement: ast.stmt) -> Addition | None:
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return _operation(unit, statement, name, op, None, value)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left, op, right)):
            return _operation(unit, statement, name, op, left, right)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[left, right], keywords=[])):
            by = CALLS.get(unit.resolve(func) or "")
            return _either(statement, name, left, right, by) if by is not None else None
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="at"), slice=at), attr="add"
                ),
                args=[value],
                keywords=[],
            ),
        ) if array == name:
            places = tuple(_places(at))
            return Addition(name, statement, value, places) if places else None
    return None


def _operation(
    unit: Unit,
    statement: ast.Assign | ast.AugAssign,
    name: str,
    op: ast.operator,
    left: ast.expr | None,
    right: ast.expr,
) -> Addition | None:
    """`name + value`, on either side where that is the same; `left` is None where it is the name."""
    by = "sum" if isinstance(op, ast.Add) else OPERATORS.get(type(op))
    if by is None:
        return None
    if left is None:
        found: Addition | None = Addition(name, statement, right, by=by)
    elif by == "difference":
        found = Addition(name, statement, right, by=by) if isinstance(left, ast.Name) and left.id == name else None
    else:
        found = _either(statement, name, left, right, by)
    logical = by not in ("any", "all") or (found is not None and boolean(unit, found.value))
    return found if logical else None


def _either(
    statement: ast.Assign | ast.AugAssign, name: str, left: ast.expr, right: ast.expr, by: Reduction
) -> Addition | None:
    for own, value in ((left, right), (right, left)):
        if isinstance(own, ast.Name) and own.id == name:
            return Addition(name, statement, value, by=by)
    return None


def _places(at: ast.expr) -> Iterator[ast.expr]:
    """The indices of a place, which come before all of the axes that are meant as a whole; none where it is not so."""
    parts = at.elts if isinstance(at, ast.Tuple) else [at]
    whole = [isinstance(part, ast.Slice) for part in parts]
    bare = all(ast.unparse(part) == ":" for part, slice in zip(parts, whole, strict=True) if slice)
    if bare and whole == sorted(whole) and not any(isinstance(part, ast.Starred | ast.Constant) for part in parts):
        yield from (part for part, slice in zip(parts, whole, strict=True) if not slice)


def _alone(model: LoopModel, addition: Addition) -> bool:
    """Whether the loop only adds to a name what does not depend on it."""
    name = addition.name
    mentions = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(model.node))
    own = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(addition.statement))
    return mentions == own and name not in reads(*addition.parts)


def _sums(model: LoopModel, addition: Addition) -> bool:
    """Whether a name on the host, like what is added to it, holds a number or an array of JAX."""
    unit = model.unit
    if addition.by != "sum" or not (addition.places or _starts(model, addition)):
        return False
    if row_of(model, addition.value) is not None:
        return bool(addition.places) and is_array(unit, addition.value)
    return by_jax(unit, addition.value) or is_array(unit, addition.value)


def _small(model: LoopModel, addition: Addition) -> bool:
    """Whether arrays are added, in traced code, that take no more memory together than the examples do.

    Outer products and derivatives of each example are larger than it; nested batches are as large as their product.
    """
    unit = model.unit
    value = unit.value(addition.value)
    if addition.places or value.static or value.container is not None:
        return False
    return not any(_large(unit, part) for statement in model.node.body for part in ast.walk(statement))


def reads_whole(batch: Batch) -> bool:
    """Whether an example is set beside all the others: together they take the square of the memory."""
    rows = {n for row in batch.rows for place in row.places for n in ast.walk(place)}
    arrays = {ast.unparse(row.array) for row in batch.rows}
    parts = (n for part in (*batch.statements, *batch.elements) for n in ast.walk(part))
    return any(isinstance(n, ast.expr) and n not in rows and ast.unparse(n) in arrays for n in parts)


def _large(unit: Unit, part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return False
    name, callee = unit.resolve(part.func) or "", unit.value(part.func).callee
    while isinstance(callee, Transformed):
        if callee.transform.rpartition(".")[2] in DERIVED:
            return True
        callee = callee.function.callee
    return name in LARGE or name.startswith(EFFECTS)


def _starts(model: LoopModel, addition: Addition) -> bool:
    """Whether a number or an array of JAX is added to: those of NumPy change in place, for all that hold them."""
    unit, defuse = model.unit, defuse_of(model.unit)
    made = [defuse.source(d) for d in defuse.entering(model.node, addition.name)]
    numbers = [type(unit.value(s).constant) in (int, float) for s in made if s is not None]
    arrays = [is_array(unit, s) for s in made if s is not None]
    return bool(made) and len(arrays) == len(made) and all(a or n for a, n in zip(arrays, numbers, strict=True))
