"""How many rows arrays have, as index arithmetic on numbers and on the lengths of other arrays."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from scanlint.dataflow.around import defuse_of, source_of
from scanlint.jaxapi.words import words
from scanlint.loops.numbers.tables import table_rows
from scanlint.loops.sizes.affine import Polynomial, add, polynomial, scale, surely_at_most
from scanlint.loops.sizes.extents import extent, widths
from scanlint.loops.sizes.shape_reads import measured
from scanlint.syntax.bindings import reads
from scanlint.syntax.regex import regex
from scanlint.syntax.slices import backwards
from scanlint.trace.calls.jax_results import ELEMENTWISE
from scanlint.trace.unit import Unit

DEEPEST = 4
DOCUMENTED = r"(?m)^[^:\n]*\b%s\b[^:\n]*:[^(\n]*\((?P<axis>[A-Za-z_]\w*),[^)\n]*\)"
"""How a docstring tells the shape of a parameter: `xs, ys: arrays of shape (n, d)`."""
SUMS = ast.BinOp | ast.UnaryOp
_SHAPED = words("zeros ones empty full")
_DRAWN = words("normal uniform bits truncated_normal exponential gumbel laplace logistic")
_SPACED = words("linspace logspace geomspace")
_SAME = words("astype copy conj")
_ALIKE = ELEMENTWISE | words("zeros_like ones_like asarray array")


def rows_written(unit: Unit, array: ast.expr) -> int | None:
    """The length of the first axis: of `jnp.zeros((8, 3))`, `jax.random.split(key, 80)`, or a name for one of these."""
    return _written(rows(unit, array))


def rows_at_most(unit: Unit, array: ast.expr) -> int | None:
    """How many rows an array has at most, as a slice says: of `x[:2]`, `x[1:4, :]`, `x[-3:]`."""
    written = rows_written(unit, array)
    match array:
        case ast.Subscript(value=whole, slice=ast.Slice() as cut):
            return _smallest(written, _cut(unit, cut), rows_at_most(unit, whole))
        case ast.Subscript(value=whole, slice=ast.Tuple(elts=[ast.Slice() as cut, *_])):
            return _smallest(written, _cut(unit, cut), rows_at_most(unit, whole))
        case ast.Name() if written is None and (made := source_of(unit, array)) is not None:
            return rows_at_most(unit, made) if isinstance(made, ast.Subscript) else None
    return written


def _smallest(*counts: int | None) -> int | None:
    return min((count for count in counts if count is not None), default=None)


def _cut(unit: Unit, cut: ast.Slice) -> int | None:
    """How many rows a slice leaves at most; a step leaves fewer."""
    low, high = (unit.value(p).constant if p is not None else None for p in (cut.lower, cut.upper))
    low = 0 if cut.lower is None else low
    if isinstance(low, int) and cut.upper is None and low < 0:
        return -low
    if not (isinstance(low, int) and isinstance(high, int)) or (low < 0) is not (high < 0):
        return None
    return max(high - low, 0)


def made_with(unit: Unit, array: ast.expr, count: ast.expr) -> bool:
    """Whether an array is known to have so many rows."""
    have = rows(unit, array)
    return have is not None and have == size(unit, count)


def no_longer(unit: Unit, array: ast.expr, other: ast.expr) -> bool:
    """The array surely has no more rows than the other one."""
    have, most = rows(unit, array), rows(unit, other)
    if have is None or most is None:
        return False
    gap = add(have, scale(most, -1))
    return surely_at_most(have, most) or any(gap in (fact, scale(fact, -1)) for fact in _asserted(unit))


def without_first(unit: Unit, array: ast.expr, other: ast.expr) -> int | None:
    """How many rows fewer than `other` an array has: 1, where it is `other[1:]`."""
    have, most = rows(unit, array), rows(unit, other)
    if have is None or most is None or _written(most) is not None:
        return None
    fewer = _written(add(most, scale(have, -1)))
    return fewer if fewer is not None and fewer > 0 else None


# -- the rows of one array


def rows(unit: Unit, array: ast.expr, depth: int = 0) -> Polynomial | None:
    """How many rows an array has; a length of its own where nothing tells how long it is made."""
    value = unit.value(array)
    if value.container in ("list", "tuple") and value.items is not None:
        return exactly(len(value.items))
    made = _made(unit, array, depth) if depth <= DEEPEST else None
    return made if made is not None else _own(unit, array)


def _made(unit: Unit, array: ast.expr, depth: int) -> Polynomial | None:
    """How many rows an array is made with, of whatever it is made."""
    match array:
        case ast.Name():
            made = source_of(unit, array) or _updated(unit, array)
            return rows(unit, made, depth + 1) if made is not None else None
        case ast.ListComp(generators=[ast.comprehension(iter=over, ifs=[])]):
            return _counted(unit, over, depth)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return None if any(isinstance(p, ast.Starred) for p in parts) else exactly(len(parts))
        case ast.BinOp(left=ast.List() | ast.Tuple() as part, op=ast.Mult(), right=count):
            times, each = _written(size(unit, count, depth)), _written(rows(unit, part, depth + 1))
            return exactly(times * each) if times is not None and each is not None else None
        case ast.Subscript(value=whole, slice=ast.Slice() as cut):
            return _sliced(unit, whole, cut, depth)
        case ast.Call(func=ast.Attribute(attr="set")) if (filled := table_rows(unit, array)) is not None:
            return size(unit, filled, depth)
    if (padded := _padded(unit, array, 0, depth)) is not None:
        return padded
    if (alike := _alike(unit, array)) is not None:
        return rows(unit, alike, depth + 1)
    if isinstance(array, ast.Call) and not _spread(array):
        named = {k.arg or "": k.value for k in array.keywords}
        return _call(unit, unit.resolve(array.func) or "", array.args, named, depth)
    return None


def _updated(unit: Unit, array: ast.Name) -> ast.expr | None:
    """What an array is made of that is only changed by `x = x.at[i].set(v)` after that, which keeps its length."""
    if array.id not in unit.local_names:
        return None
    flow, made = defuse_of(unit), list[ast.expr | None]()
    reaching = flow.definitions(array)
    for definition in reaching:
        match source := flow.source(definition):
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=name) as own, attr="at")), attr=change
                )
            ) if change != "get" and name == array.id and {*flow.definitions(own)} <= {*reaching}:
                continue
        made.append(source)
    return made[0] if len(made) == 1 else None


def _alike(unit: Unit, array: ast.expr) -> ast.expr | None:
    """The array that another one is made of element by element."""
    match array:
        case ast.BinOp(left=left, right=right):
            sides = [s for s in (left, right) if number(unit, s) is None and not isinstance(s, ast.Constant)]
            return sides[0] if len(sides) == 1 else None
        case ast.UnaryOp(operand=inner):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _SAME and unit.value(inner).array:
            return inner
        case ast.Call(func=ast.Call(func=mapped, args=[_], keywords=[]), args=[inner]):
            return inner if unit.resolve(mapped) == "jax.vmap" else None
        case ast.Call(func=function, args=[inner], keywords=[]):
            root, _, last = (unit.resolve(function) or "").rpartition(".")
            return inner if root == "jax.numpy" and last in _ALIKE else None
    return None


def _sliced(unit: Unit, whole: ast.expr, cut: ast.Slice, depth: int) -> Polynomial | None:
    """The rows of `xs[1:]`, `xs[:-1]` and `xs[::-1]`."""
    have = rows(unit, whole, depth + 1)
    if have is None or backwards(cut):
        return have
    match cut:
        case ast.Slice(lower=None, upper=upper, step=None):
            first = 0
        case ast.Slice(lower=ast.Constant(value=int(first)), upper=upper, step=None):
            pass
        case _:
            return None
    match upper:
        case None:
            last = 0
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(last))):
            pass
        case _:
            return None
    left, written = add(have, {(): -(first + last)}), _written(have)
    return left if written is None else exactly(max(0, written - first - last))


def _padded(unit: Unit, made: ast.expr, axis: int, depth: int) -> Polynomial | None:
    """The length of `jnp.pad(x, ...)` along an axis."""
    match made:
        case ast.Call(func=function, args=[array, width, *_]) if unit.resolve(function) == "jax.numpy.pad":
            pairs = widths(width)
            around = pairs[axis] if axis < len(pairs) else ()
            parts = [along(unit, array, axis, depth + 1), *(size(unit, part, depth) for part in around)]
            total: Polynomial = {}
            for part in parts:
                if part is None or not around:
                    return None
                total = add(total, part)
            return total
    return None


def _spread(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _call(
    unit: Unit, name: str, args: Sequence[ast.expr], keywords: Mapping[str, ast.expr], depth: int
) -> Polynomial | None:
    root, _, last = name.rpartition(".")
    match "numpy" if root == "jax.numpy" else root, last, args:
        case "numpy", "arange", [stop] if not keywords.keys() - {"dtype"}:
            return size(unit, stop, depth)
        case "numpy", "arange", [_, _] | [_, _, _] if not keywords.keys() - {"dtype"}:
            return _in_range(unit, args)
        case "numpy", _, [_, _, *given] if last in _SPACED and not keywords.keys() - {"dtype", "endpoint", "num"}:
            count = given[0] if given else keywords.get("num")
            return size(unit, count, depth) if count is not None else None
        case "numpy", "array" | "asarray" | "stack", [ast.List() | ast.Tuple() | ast.ListComp() as listed]:
            return rows(unit, listed, depth + 1) if not keywords.keys() - {"dtype"} else None
        case "numpy", "array" | "asarray", [ast.Name() | ast.BinOp() as listed] if (
            root == "numpy" and not keywords.keys() - {"dtype"}
        ):
            return rows(unit, listed, depth + 1)
        case "numpy", "eye" | "identity", [count, *_]:
            return size(unit, count, depth)
        case "numpy", _, [shape, *_] if last in _SHAPED:
            return _first(unit, shape, depth)
        case "jax.random", "split", [_, count]:
            return _first(unit, count, depth)
        case "jax.random", _, [_, shape, *_] if last in _DRAWN:
            return _first(unit, shape, depth)
        case "jax.random", _, [_] if last in _DRAWN and "shape" in keywords:
            return _first(unit, keywords["shape"], depth)
    return None


def _counted(unit: Unit, iterable: ast.expr, depth: int) -> Polynomial | None:
    """How many elements a comprehension makes of this."""
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
            return size(unit, stop, depth)
        case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]):
            return _in_range(unit, bounds)
    return rows(unit, iterable, depth + 1)


def _in_range(unit: Unit, args: Sequence[ast.expr]) -> Polynomial | None:
    bounds = [unit.value(a).constant for a in args]
    whole = [b for b in bounds if isinstance(b, int)]
    return exactly(len(range(*whole))) if len(whole) == len(bounds) and whole[2:] != [0] else None


def _first(unit: Unit, shape: ast.expr, depth: int) -> Polynomial | None:
    first = shape.elts[0] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else shape
    return size(unit, first, depth)


def _own(unit: Unit, array: ast.expr) -> Polynomial | None:
    """The length of an array as a number of its own: that of the axis that an annotation names, where there is one."""
    if not isinstance(array, ast.Name | ast.Attribute | ast.Subscript):
        return None
    text = _settled(unit, array)
    axis = _annotated(unit, array) if isinstance(array, ast.Name) else None
    return {(f"axis {axis}" if axis is not None else f"len({text})",): 1} if text is not None else None


def _annotated(unit: Unit, array: ast.Name) -> str | None:
    """The name that an annotation or a docstring gives the first axis: "n" in `Float[Array, "n d"]`, `xs: (n, d)`."""
    if array.id in rebound(unit):
        return None
    for function in unit.every(ast.FunctionDef):
        for argument in (a for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.arg == array.id):
            match argument.annotation:
                case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(axes))])):
                    first = axes.split()[0] if axes.split() else ""
                    return first if first.isidentifier() else None
            found = regex(DOCUMENTED % array.id).search(ast.get_docstring(function) or "")
            return found["axis"] if found else None
    return None


# -- numbers


def size(unit: Unit, node: ast.expr, depth: int = 0, free: Collection[str] = ()) -> Polynomial | None:
    """A number of rows, in which a name means the one thing that it is bound to; None where that is not one.

    Names that are `free` stand for themselves.
    """
    if (constant := number(unit, node)) is not None or depth > DEEPEST:
        return exactly(constant) if constant is not None else None
    known: dict[str, Polynomial] = {}
    parts, inside = list(ast.walk(node)), set[ast.AST]()
    for part in parts:
        found = measured(unit, part)
        have = along(unit, *found, depth + 1) if found is not None else None
        if found is not None and have is not None:
            known[part.id if isinstance(part, ast.Name) else extent(*found)] = have
            inside |= set(ast.walk(part))
    for part in (p for p in parts if isinstance(p, ast.Name) and p not in inside):
        constant, text = number(unit, part), _settled(unit, part)
        made = source_of(unit, part) if part.id not in free and constant is None else None
        summed = size(unit, made, depth + 1, free) if isinstance(made, SUMS | ast.Name) else None
        if part.id in free or constant is not None:
            known[part.id] = {(part.id,): 1} if constant is None else exactly(constant)
        elif summed is not None:
            known[part.id] = summed
        elif text is None or (text != part.id and part is not node and not isinstance(unit.parents.get(part), SUMS)):
            return None
        else:
            known[part.id] = {(text,): 1}
    return polynomial(node, known)


def _settled(unit: Unit, node: ast.expr) -> str | None:
    """The text of an expression, with marks on names that the unit binds more than once; None where two reach one."""
    text, flow = ast.unparse(node), defuse_of(unit)
    for name in [n for n in ast.walk(node) if isinstance(n, ast.Name) and _bindings(unit, n.id) > 1]:
        match [*flow.definitions(name)]:
            case [only]:
                text += f"@{getattr(only.node, 'lineno', 0)}"
            case _:
                return None
    return text


def _bindings(unit: Unit, name: str) -> int:
    """How often a name is bound in the unit, parameters included."""
    stores = sum(not isinstance(n.ctx, ast.Load) for n in unit.mentions.get(name, ()))
    return stores + sum(n.arg == name for n in unit.every(ast.arg))


def _asserted(unit: Unit) -> Iterator[Polynomial]:
    """What the function asserts to be 0 on every path: `assert len(xs) == len(ys)`, `assert xs.shape == ys.shape`."""
    for statement in unit.node.body if isinstance(unit.node.body, list) else ():
        match statement:
            case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
                pass
            case ast.If(test=ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]), body=[ast.Raise(), *_]):
                pass
            case _:
                continue
        match left, right:
            case ast.Attribute(value=one, attr="shape"), ast.Attribute(value=other, attr="shape"):
                sides = rows(unit, one), rows(unit, other)
            case _:
                sides = size(unit, left), size(unit, right)
        if sides[0] is not None and sides[1] is not None and not reads(left, right) & rebound(unit):
            yield add(sides[0], scale(sides[1], -1))


def rebound(unit: Unit) -> set[str]:
    """The names that the function binds itself, parameters left out."""
    return {n.id for n in unit.every(ast.Name) if not isinstance(n.ctx, ast.Load)}


def along(unit: Unit, array: ast.expr, axis: int, depth: int = 0) -> Polynomial | None:
    """How long an array is along an axis."""
    made = source_of(unit, array) if axis and isinstance(array, ast.Name) else None
    if made is not None and (longer := _padded(unit, made, axis, depth)) is not None:
        return longer
    text = _settled(unit, array) if axis else None
    return rows(unit, array, depth) if not axis else {(f"{text}.shape[{axis}]",): 1} if text is not None else None


def exactly(value: int) -> Polynomial:
    """A number that is written down."""
    return {(): value} if value else {}


def _written(size: Polynomial | None) -> int | None:
    """The number that a polynomial is, if it is one."""
    return size.get((), 0) if size is not None and not size.keys() - {()} else None


def number(unit: Unit, node: ast.expr | None) -> int | None:
    """The whole number that an expression is known to be."""
    known = node.value if isinstance(node, ast.Constant) else unit.value(node).constant
    return known if isinstance(known, int) and not isinstance(known, bool) else None
