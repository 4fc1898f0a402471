"""Arrays that are gone over side by side: those that surely have as many rows as each other, or no more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.dataflow.around import defuse_of, source_of
from scanlint.loops.sizes.lengths import made_with, number, rows_of, rows_written
from scanlint.loops.sizes.shape_reads import axis_read
from scanlint.syntax.bindings import reads
from scanlint.syntax.slices import backwards
from scanlint.trace.calls.jax_results import ELEMENTWISE
from scanlint.trace.unit import Unit

DEEPEST = 4
_SAME = frozenset(("astype", "copy", "conj"))


def no_longer(unit: Unit, array: ast.expr, other: ast.expr) -> bool:
    """The array surely has no more rows than the other one."""
    return same_length(unit, array, other) or without_first(unit, array, other) is not None


def without_first(unit: Unit, array: ast.expr, other: ast.expr) -> int | None:
    """How many of the rows of `other` an array leaves out: 1 of `xs[1:]`."""
    made = _made(unit, array)
    match made:
        case ast.Subscript(value=whole, slice=ast.Slice(lower=ast.Constant(value=int(first)), upper=None, step=None)):
            return first if first > 0 and _alike(unit, whole, other) else None
    return None


def same_length(unit: Unit, left: ast.expr, right: ast.expr) -> bool:
    """Both arrays surely have as many rows."""
    if _alike(unit, left, right):
        return True
    written = [rows_written(unit, array) for array in (left, right)]
    if None not in written:
        return written[0] == written[1]
    roots = [list(_as_long(unit, array)) for array in (left, right)]
    pairs = [(one, other) for one in roots[0] for other in roots[1]]
    return any(_equal(unit, one, other) for one, other in pairs)


def _equal(unit: Unit, one: ast.expr, other: ast.expr) -> bool:
    return (
        _alike(unit, one, other)
        or _counted(unit, one, other)
        or _counted(unit, other, one)
        or _same_rows(unit, one, other)
        or _trimmed(unit, one, other)
        or _annotated(unit, one) == _annotated(unit, other) is not None
        or _asserted(unit, one, other)
    )


def _alike(unit: Unit, one: ast.expr, other: ast.expr) -> bool:
    """Both expressions are one array: the same text, of names with one reaching definition."""
    array = isinstance(one, ast.Name | ast.Attribute | ast.Subscript)
    return array and ast.unparse(one) == ast.unparse(other) and _settled(unit, one, other)


def _settled(unit: Unit, *parts: ast.expr) -> bool:
    """All reads of a name in these expressions have the same single reaching definition."""
    flow, seen = defuse_of(unit), dict[str, set[object]]()
    for name in (n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)):
        seen.setdefault(name.id, set()).update(flow.definitions(name))
    return all(len(bindings) <= 1 for bindings in seen.values())


def _as_long(unit: Unit, array: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    """An array, and those of which it is made element by element."""
    yield array
    if depth > DEEPEST:
        return
    match _made(unit, array):
        case ast.BinOp(left=left, right=right):
            sides = [s for s in (left, right) if number(unit, s) is None and not isinstance(s, ast.Constant)]
            if len(sides) == 1:
                yield from _as_long(unit, sides[0], depth + 1)
        case ast.Subscript(value=inner, slice=cut) if backwards(cut):
            yield from _as_long(unit, inner, depth + 1)
        case ast.UnaryOp(operand=inner):
            yield from _as_long(unit, inner, depth + 1)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _SAME and unit.value(inner).array:
            yield from _as_long(unit, inner, depth + 1)
        case ast.Call(func=ast.Call(func=mapped, args=[_], keywords=[]), args=[inner]):
            if unit.resolve(mapped) == "jax.vmap":
                yield from _as_long(unit, inner, depth + 1)
        case ast.Call(func=function, args=[inner], keywords=[]):
            root, _, last = (unit.resolve(function) or "").rpartition(".")
            if root == "jax.numpy" and (last in ELEMENTWISE or last in ("zeros_like", "ones_like", "asarray", "array")):
                yield from _as_long(unit, inner, depth + 1)


def _made(unit: Unit, array: ast.expr) -> ast.expr:
    return (source_of(unit, array) if isinstance(array, ast.Name) else None) or array


def _counted(unit: Unit, array: ast.expr, other: ast.expr) -> bool:
    """The array was made with as many rows as the other has: `jnp.zeros(len(xs))`."""
    rows = rows_of(unit, array)
    if not isinstance(rows, ast.expr) or not made_with(unit, array, rows):
        return False
    return axis_read(unit, rows) == (ast.unparse(other), 0) and _settled(unit, rows, other)


def _same_rows(unit: Unit, one: ast.expr, other: ast.expr) -> bool:
    """One number says how many rows both are made with."""
    rows = rows_of(unit, one)
    return isinstance(rows, ast.expr) and made_with(unit, one, rows) and made_with(unit, other, rows)


def _trimmed(unit: Unit, one: ast.expr, other: ast.expr) -> bool:
    """Both leave out as many rows of one array: `xs[1:]` and `xs[:-1]`."""
    made = [_made(unit, array) for array in (one, other)]
    return _cut(made[0]) == _cut(made[1]) is not None and _settled(unit, *made)


def _cut(array: ast.expr) -> tuple[str, int] | None:
    """What a slice is of, and how many rows it leaves out."""
    match array:
        case ast.Subscript(value=whole, slice=ast.Slice(lower=low, upper=high, step=None)):
            first = 0 if low is None else low.value if isinstance(low, ast.Constant) else None
            match high:
                case None:
                    last = 0
                case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(last))):
                    pass
                case _:
                    return None
            return (ast.unparse(whole), first + last) if isinstance(first, int) and first >= 0 else None
    return None


def _annotated(unit: Unit, array: ast.expr) -> str | None:
    """The name that an annotation gives the first axis: "n" in `Float[Array, "n d"]`."""
    if not isinstance(array, ast.Name) or array.id in _again(unit):
        return None
    for argument in unit.every(ast.arg):
        match argument:
            case ast.arg(
                arg=name, annotation=ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(axes))]))
            ) if name == array.id:
                first = axes.split()[0] if axes.split() else ""
                return first if first.isidentifier() else None
    return None


def _asserted(unit: Unit, one: ast.expr, other: ast.expr) -> bool:
    """The function asserts on every path that both arrays are as long: `assert len(xs) == len(ys)`."""
    names = {ast.unparse(one), ast.unparse(other)}
    tests: list[tuple[ast.expr, type[ast.cmpop]]] = []
    for statement in unit.node.body if isinstance(unit.node.body, list) else ():
        match statement:
            case ast.Assert(test=test):
                tests.append((test, ast.Eq))
            case ast.If(test=test, body=[ast.Raise(), *_]):
                tests.append((test, ast.NotEq))
    for test, operator in tests:
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, operator):
                if {_measured(unit, left), _measured(unit, right)} == names and not reads(one, other) & _again(unit):
                    return True
    return False


def _measured(unit: Unit, side: ast.expr) -> str | None:
    """The array whose length or shape an expression is."""
    if isinstance(side, ast.Attribute) and side.attr == "shape":
        return ast.unparse(side.value)
    found = axis_read(unit, side)
    return found[0] if found is not None and found[1] == 0 else None


def _again(unit: Unit) -> set[str]:
    """The names that the function binds itself, parameters left out."""
    return {n.id for n in unit.every(ast.Name) if not isinstance(n.ctx, ast.Load)}
