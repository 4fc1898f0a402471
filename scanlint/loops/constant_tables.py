"""Tables of numbers made before a loop: lists, tuples and NumPy arrays that become arrays where a loop is rolled."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from scanlint.dataflow.around import source_of
from scanlint.jaxapi.words import words
from scanlint.loops.sizes.lengths import rebound, rows_written
from scanlint.syntax.bindings import Names, binds, reads, targets
from scanlint.trace.unit import Unit

_MADE = words(
    "array asarray linspace arange zeros ones full empty eye identity logspace geomspace cumsum cumprod hanning "
    "hamming blackman"
)
NUMPY = frozenset(f"numpy.{name}" for name in _MADE)
JOINED = frozenset(f"numpy.{name}" for name in words("stack vstack hstack column_stack concatenate meshgrid loadtxt"))
ANNOTATIONS = frozenset(("numpy.ndarray", "numpy.typing.NDArray"))
DEEPEST = 4
"""How many names and operators the making of a table is followed through."""


def is_table(unit: Unit, node: ast.expr, carried: Collection[str]) -> bool:
    """Whether an expression is surely an array that NumPy made, or a list of numbers that `jnp.asarray` can replace.

    A number of a list takes the dtype of what it meets, one of `jnp.asarray(list)` does not: whole numbers are to be
    indices, and floats to meet just one of the names that are `carried`.
    """
    if not isinstance(node, ast.Name) or not unit.value(node).static:
        return False
    match number_kind(unit, node):
        case "int":
            return _index(unit, node)
        case "float":
            return met(unit, unit.parents[node], carried) is not None
    return _numpy_made(unit, node)


def number_kind(unit: Unit, node: ast.expr) -> str | None:
    """The one kind of numbers that a list or tuple holds: "int" or "float"."""
    value = unit.value(node)
    if not value.static or value.container not in ("list", "tuple"):
        return None
    numbers = value.items if value.items is not None else (value.element,)
    kinds = {n.dtype if n is not None and n.static else None for n in numbers}
    return next(iter(kinds)) if kinds in ({"int"}, {"float"}) else None


def met(unit: Unit, number: ast.AST, carried: Collection[str]) -> str | None:
    """The one carried name whose dtype a number takes on: the first that it meets in its statement, if it has one."""
    for around in unit.ancestors(number):
        if isinstance(around, ast.stmt) and not isinstance(around, ast.Assign | ast.AugAssign):
            return None
        bound = binds(around) if isinstance(around, ast.stmt) else frozenset()
        names = (reads(around) | bound) & frozenset(carried)
        if names or isinstance(around, ast.stmt):
            uses = [n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id in names]
            alone = len(names) == 1 and all(unit.value(n).container is None for n in uses)
            return next(iter(names)) if alone else None
    return None


def iterable_table(unit: Unit, node: ast.expr) -> bool:
    """Whether what a loop goes over are numbers, as many as are written down, that `jnp.asarray` can hold."""
    if not isinstance(node, ast.Name | ast.List | ast.Tuple | ast.BinOp | ast.Call) or not unit.value(node).static:
        return False
    listed = not isinstance(node, ast.Call) and number_kind(unit, node) is not None
    return (listed or _numpy_made(unit, node)) and rows_written(unit, node) is not None


def array_list(unit: Unit, node: ast.expr) -> ast.List | ast.Tuple | None:
    """The list or tuple, written down, that an expression is: of two arrays or more, and of nothing else.

    What is traced and stands beside an array is one too: each trip does with it what it does with the array.
    """
    display = node
    if isinstance(node, ast.Name):
        made = source_of(unit, node) if node.id in _listed(unit) else None
        others = [n for n in unit.every(ast.Name) if n.id == node.id and n is not node]
        if made is None or any(isinstance(unit.parents.get(n), ast.Attribute | ast.Subscript) for n in others):
            return None
        display = made
    if not isinstance(display, ast.List | ast.Tuple) or len(display.elts) < 2:
        return None
    values = [unit.value(element) for element in display.elts]
    alike = all((v.array or v.traced) and v.container is None for v in values)
    return display if alike and any(v.array for v in values) else None


def _listed(unit: Unit) -> Names:
    """The names to which a list or tuple is assigned anywhere: told sooner than which assignment reaches a use."""
    return unit.once(_listed, lambda: frozenset(_all_listed(unit)))


def _all_listed(unit: Unit) -> Iterator[str]:
    for part in unit.every(ast.Assign):
        if isinstance(part.value, ast.List | ast.Tuple):
            yield from (name for target in part.targets for name in targets(target))
    single: list[ast.AnnAssign | ast.AugAssign | ast.NamedExpr] = [*unit.every(ast.AnnAssign)]
    for one in (*single, *unit.every(ast.AugAssign), *unit.every(ast.NamedExpr)):
        if isinstance(one.value, ast.List | ast.Tuple):
            yield from targets(one.target)


def _index(unit: Unit, table: ast.expr) -> bool:
    """Whether the number that is read from a table is an index itself: `x[order[i]]`."""
    number = unit.parents[table]
    at = unit.parents.get(number)
    if isinstance(at, ast.Tuple):
        number, at = at, unit.parents.get(at)
    return isinstance(at, ast.Subscript) and at.slice is number


def _numpy_made(unit: Unit, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is an array that NumPy made: `np.linspace(...)`, `1.0 - betas`, or a name for one."""
    if depth > DEEPEST:
        return False
    match node:
        case ast.Name():
            made = source_of(unit, node)
            return made is not None and _numpy_made(unit, made, depth + 1)
        case ast.Call(func=function):
            return unit.resolve(function) in NUMPY
        case ast.BinOp(left=left, right=right):
            sides = [_numpy_made(unit, side, depth + 1) for side in (left, right)]
            plain = [isinstance(side, ast.Constant) and type(side.value) in (int, float) for side in (left, right)]
            return any(sides) and all(a or b for a, b in zip(sides, plain, strict=True))
    return False


def host_array(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is surely an array of NumPy that the host makes, however many rows it has."""
    if unit.value(node).array:
        return False
    match node:
        case ast.Name(id=name) if (hint := _annotation(unit, node)) is not None:
            named = unit.resolve(hint) in ANNOTATIONS and name not in rebound(unit)
            return named and not unit.context(node).traced
        case ast.Name():
            made = source_of(unit, node)
            return isinstance(made, ast.Call) and host_array(unit, made)
        case ast.Call(func=function):
            return unit.resolve(function) in NUMPY | JOINED and not unit.context(node).traced
    return False


def host_numbers(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is a list of NumPy's floats that the host works out: `[10**k for k in np.linspace(...)]`.

    Floats of Python would do otherwise: they take on the dtype of what they meet.
    """
    made = source_of(unit, node) if isinstance(node, ast.Name) else node
    match made:
        case ast.ListComp(elt=element, generators=[ast.comprehension(target=ast.Name(id=name), iter=over, ifs=[])]):
            parts = [p for p in ast.walk(element) if isinstance(p, ast.expr)]
            on_host = not unit.context(node).traced and not _grows(unit, node)
            return on_host and _spaced(unit, over) and all(_arithmetic(unit, part, name) for part in parts)
    return False


def _grows(unit: Unit, node: ast.expr) -> bool:
    """Whether a method is called on a list by its name: it may be longer than it was made."""
    places = unit.mentions.get(node.id, []) if isinstance(node, ast.Name) else []
    return any(isinstance(unit.parents.get(place), ast.Attribute) for place in places)


def _arithmetic(unit: Unit, part: ast.expr, name: str) -> bool:
    match part:
        case ast.Name(id=read):
            return read == name or isinstance(unit.parents.get(part), ast.Attribute)
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.Call(func=function):
            return (unit.resolve(function) or "").startswith("numpy.")
    return isinstance(part, ast.BinOp | ast.UnaryOp | ast.Attribute)


def _spaced(unit: Unit, over: ast.expr) -> bool:
    """Whether it goes over floats that NumPy spaces."""
    made = source_of(unit, over) if isinstance(over, ast.Name) else over
    named = unit.resolve(made.func) if isinstance(made, ast.Call) else None
    return named in ("numpy.linspace", "numpy.logspace", "numpy.geomspace")


def _annotation(unit: Unit, name: ast.Name) -> ast.expr | None:
    """The annotation of a parameter, without what stands in brackets."""
    hints = [a.annotation for a in unit.every(ast.arg) if a.arg == name.id]
    hint = hints[0] if len(hints) == 1 else None
    return hint.value if isinstance(hint, ast.Subscript) else hint
