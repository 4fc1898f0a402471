"""Finds the parameters of a function that are used as arrays, by its text alone."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence

from scanlint.jaxapi.words import words
from scanlint.policy.names import PYTREES
from scanlint.syntax.bindings import Function
from scanlint.syntax.walk import Kinds, by_kind, kinds_inside, walk
from scanlint.trace.calls.jax_results import ARRAY_ONLY_METHODS, SAME_ATTRIBUTES

Resolve = Callable[[ast.expr], "str | Mapping[str, bool] | None"]
"""What a called expression is: the canonical name of a library function, or the uses of a project function's
parameters by position (keys "0", "1", ...; "1.0" for a part that it unpacks) and name."""

SAME_PARAMETERS = frozenset(f"jax.{name}" for name in words("grad value_and_grad jit checkpoint remat jacfwd jacrev"))
"""Transforms whose result takes the same arguments as the function under them."""
SHAPES = frozenset(["shape", "ndim", "dtype", "size", "at"]) | SAME_ATTRIBUTES
_TAKE_LISTS = words(
    "stack concatenate array asarray vstack hstack column_stack dstack block broadcast_arrays meshgrid zeros ones "
    "full empty scan cond while_loop fori_loop switch map associative_scan stop_gradient psum pmean"
)
_TAKE_NUMBERS = words(
    "arange linspace logspace geomspace eye identity tri indices tril_indices triu_indices diag_indices mask_indices "
    "fftfreq rfftfreq hanning hamming blackman bartlett kaiser iota broadcasted_iota finfo iinfo issubdtype dtype "
    "result_type promote_types can_cast axis_index axis_size broadcast_shapes"
)
"""Functions whose first argument is a Python number, a type or a name, also under a trace."""
_JOIN = frozenset(f"jax.numpy.{name}" for name in words("concatenate hstack vstack column_stack dstack"))
"""Functions that join arrays along an axis; they refuse Python numbers, which have none."""
_TWO_ARRAYS = words("where maximum minimum dot matmul add subtract multiply divide einsum outer vdot power")
_NUMBERS = words("where maximum minimum add subtract multiply divide power")
"""Functions of the above that take a Python number behind an array as well: `jnp.minimum(index, count)`."""
_USES = (ast.Attribute, ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Compare, ast.Subscript, ast.Call)
_OF_ELEMENTS = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Compare, ast.Call)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_CONTAINERS = frozenset(("list", "tuple", "dict", "Sequence", "Iterable", "Mapping"))
ARITHMETIC = (ast.Sub, ast.Div, ast.Mult, ast.Pow, ast.MatMult, ast.Add)


def array_uses(function: Function, resolve: Resolve, *, elements: bool = True) -> dict[str, bool]:
    """Names that are used as arrays somewhere in the function.

    True where nothing but an array allows the use; False where a Python number would do as well (`2 * n`).
    `elements`: what is done with the elements of a name counts as well, though a list of arrays allows that too.
    """
    found: dict[str, bool] = {}
    inside = kinds_inside(function)
    for node in (n for kind in _USES for n in inside.of(kind)):
        for name, strong in _used(node, resolve):
            found[name] = strong or found.get(name, False)
    lists = {name for call in inside.of(ast.Call) for name in _asked_for_list(call)}
    axes = _along_axes(inside.of(ast.Subscript))
    iterations = [pair for loop in inside.of(ast.For) for pair in iterations_of(loop)]
    found |= {name: True for name, element in iterations if name in axes and element not in axes[name]}
    if elements:
        _from_elements(found, iterations)
    for name, strong in _used_by_elements(inside, resolve) if elements else ():
        found[name] = strong or found.get(name, False)
    found |= {whole: True for whole, part in _cut(inside.of(ast.Assign)) if found.get(part)}
    return {name: strong for name, strong in found.items() if name not in lists}


def _from_elements(found: dict[str, bool], iterations: Sequence[tuple[str, str]]) -> None:
    """Adds to `found` the names whose elements are used as arrays, until nothing follows: loops may stand in loops."""
    told = True
    while told:
        told = False
        for name, element in iterations:
            strong = found.get(element, False) or found.get(name, False)
            if element in found and not PYTREES(name) and found.get(name) is not strong:
                found[name], told = strong, True


def _used_by_elements(inside: Kinds, resolve: Resolve) -> Iterator[tuple[str, bool]]:
    """Names whose elements are used as arrays by counting loops and comprehensions."""
    for name, strong in (use for loop in inside.of(ast.For) for use in _indexed(loop, resolve)):
        if not PYTREES(name):
            yield name, strong
    for node in (n for kind in _COMPREHENSIONS for n in inside.of(kind)):
        yield from _comprehended(node, resolve)


def _along_axes(subscripts: Sequence[ast.AST]) -> dict[str, set[str]]:
    """The names that are read at several indices, `xs[i, 1]`, with the names in these: of a dict that may be a key."""
    found: dict[str, set[str]] = {}
    for node in subscripts:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=[_, _, *_]) as place):
                found.setdefault(name, set()).update(n.id for n in walk(place) if isinstance(n, ast.Name))
    return found


def _cut(assignments: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Names of which a slice has a name of its own, and that name: `row = x[a:b]`."""
    bound = [n.id for a in assignments for t in getattr(a, "targets", []) for n in walk(t) if isinstance(n, ast.Name)]
    for assignment in assignments:
        match assignment:
            case ast.Assign(
                targets=[ast.Name(id=part)], value=ast.Subscript(value=ast.Name(id=whole), slice=ast.Slice())
            ) if bound.count(part) == 1 and part != whole:
                yield whole, part


def unpacked_uses(function: Function, positional: Sequence[str], found: Mapping[str, bool]) -> dict[str, bool]:
    """The uses of the parts of parameters that the function unpacks, `x, y = batch`: by places, `1.0` and `1.1`."""
    parts: dict[str, bool] = {}
    for statement in function.body if isinstance(function.body, list) else ():
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id=name)) if name in positional:
                place = positional.index(name)
                used = ((k, n.id) for k, n in enumerate(names) if isinstance(n, ast.Name) and n.id in found)
                parts |= {f"{place}.{k}": found[part] for k, part in used}
    return parts


def _comprehended(node: ast.AST, resolve: Resolve) -> Iterator[tuple[str, bool]]:
    """Names that a comprehension iterates, by what it does with their elements (its variables are its own)."""
    parts = by_kind(node)
    inside: dict[str, bool] = {}
    for name, strong in (use for kind in _USES for part in parts.of(kind) for use in _used(part, resolve)):
        inside[name] = strong or inside.get(name, False)
    for generator in getattr(node, "generators", []):
        for iterable, element in iterations_of(generator):
            if element in inside and not PYTREES(iterable):
                yield iterable, inside[element]


def _asked_for_list(node: ast.AST) -> Iterator[str]:
    """`isinstance(x, list)`: the author knows that it may be no array."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds]):
            if any(isinstance(n, ast.Name) and n.id in _CONTAINERS for n in walk(kinds)):
                yield name


def _indexed(loop: ast.AST, resolve: Resolve) -> Iterator[tuple[str, bool]]:
    """Names whose elements a counting loop reads by its index, `xs[i]`, by what it does with these."""
    index = counter(loop)
    if index is None:
        return
    parts = by_kind(*loop.body)  # type: ignore[attr-defined]
    elements = {id(n): ast.Name(name) for n in parts.of(ast.Subscript) if (name := read_at(n, index)) is not None}
    for node in (n for kind in _OF_ELEMENTS for n in parts.of(kind)) if elements else ():
        named = _with_names(node, elements)
        if named is not None:
            yield from _used(named, resolve)


def counter(loop: ast.AST) -> str | None:
    """The name that counts the trips of a loop over a range."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="reversed"), args=[ast.Call() as inner])):
            counted = inner
        case ast.For(target=ast.Name(id=name), iter=ast.Call() as counted):
            pass
        case _:
            return None
    return name if isinstance(counted.func, ast.Name) and counted.func.id == "range" else None


def read_at(node: ast.Subscript, index: str) -> str | None:
    """The name that `xs[i]`, `xs[i + 1]` or `xs[n - 1 - i]` reads."""
    at = [node.slice] if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load) else []
    while at:
        match at.pop():
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                at += [left, right]
            case ast.Name(id=name):
                if name == index and isinstance(node.value, ast.Name):
                    return node.value.id
    return None


def _with_names(node: ast.AST, names: Mapping[int, ast.Name]) -> ast.AST | None:
    """A node with names in the place of some of its operands; None where it has none of them."""

    def named(operand: ast.expr) -> ast.expr:
        return names.get(id(operand), operand)

    match node:
        case ast.BinOp(left=left, op=op, right=right) if id(left) in names or id(right) in names:
            return ast.BinOp(named(left), op, named(right))
        case ast.UnaryOp(op=op, operand=operand) if id(operand) in names:
            return ast.UnaryOp(op, named(operand))
        case ast.AugAssign(target=target, op=op, value=value) if id(value) in names:
            return ast.AugAssign(target, op, named(value))
        case ast.Compare(left=left, ops=ops, comparators=others) if id(left) in names:
            return ast.Compare(named(left), ops, others)
        case ast.Call(func=function, args=args) if any(id(a) in names for a in args):
            return ast.Call(function, [named(a) for a in args], [])
    return None


def _used(node: ast.AST, resolve: Resolve) -> Iterator[tuple[str, bool]]:
    """Names that this node uses as arrays, and whether only arrays can be used so."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in SHAPES:
            yield name, True
        case ast.BinOp(left=left, right=right, op=op) if isinstance(op, ARITHMETIC):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ast.Name) and not isinstance(other, ast.List | ast.ListComp | ast.Tuple):
                    yield one.id, isinstance(op, ast.MatMult)
                elif isinstance(one, ast.Subscript) and isinstance(part := _sliced(one), ast.Name):
                    if not isinstance(op, ast.Add | ast.Mult) or isinstance(other, ast.Call):  # lists know these two
                        yield part.id, True
        case ast.UnaryOp(operand=ast.Name(id=name), op=ast.USub() | ast.Invert()):
            yield name, False
        case ast.AugAssign(value=ast.Name(id=name)):
            yield name, False
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()]):
            yield name, False
        case ast.Subscript(value=array, slice=ast.Tuple(elts=elts)):
            if any(map(_of_array, elts)):
                yield from ((e.id, False) for e in elts if isinstance(e, ast.Name))
                if isinstance(array, ast.Name):
                    yield array.id, True
        case ast.Call(func=function, args=args):
            match function:
                case (
                    ast.Attribute(value=ast.Name(id=name), attr=attr)
                    | ast.Attribute(value=ast.Subscript(value=ast.Name(id=name), slice=ast.Slice()), attr=attr)
                ) if attr in ARRAY_ONLY_METHODS:
                    yield name, True
            yield from _passed(function, args, resolve)


def _passed(function: ast.expr, args: list[ast.expr], resolve: Resolve) -> Iterator[tuple[str, bool]]:
    """Names, or slices of names, handed to a function that takes arrays there, or a list of them."""
    match args:
        case [ast.List(elts=joined) | ast.Tuple(elts=joined), *_]:
            together = [e.id for e in joined if isinstance(e, ast.Name)]
            if together and isinstance(joins := resolve(function), str) and joins in _JOIN:
                yield from ((name, True) for name in together)
    named = [_sliced(arg) for arg in args]
    if not any(isinstance(a, ast.Name | ast.Tuple) for a in named):
        return
    target = resolve(function)
    for place, arg in enumerate(named):
        if isinstance(arg, ast.Tuple) and target is not None and not isinstance(target, str):
            for k, part in enumerate(arg.elts):
                if isinstance(part, ast.Name) and f"{place}.{k}" in target:
                    yield part.id, target[f"{place}.{k}"]
        if not isinstance(arg, ast.Name):
            continue
        if isinstance(target, str):
            last = target.rpartition(".")[2]
            if _takes_arrays(target) and (place == 0 or last in _TWO_ARRAYS):
                yield arg.id, place == 0 or last not in _NUMBERS
        elif target is not None and str(place) in target:
            yield arg.id, target[str(place)]


def _of_array(index: ast.expr) -> bool:
    """Whether one of several indices can be no key of a dict: a slice, `None`, `...`, a place counted from the end."""
    match index:
        case ast.Slice() | ast.Constant(value=None) | ast.Constant(value=builtins.Ellipsis):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return False


def _sliced(arg: ast.expr) -> ast.expr:
    """`x` of `x[a:b]`: a slice of a list is a list, which is no array either."""
    while isinstance(arg, ast.Subscript) and isinstance(arg.slice, ast.Slice):
        arg = arg.value
    return arg


def _takes_arrays(name: str) -> bool:
    root, _, last = name.rpartition(".")
    inside = root in ("jax.numpy", "jax.nn", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.scipy.linalg")
    return inside and last not in _TAKE_LISTS and last not in _TAKE_NUMBERS


def iterations_of(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Pairs of an iterated name and the name of its element."""
    return ((name, part.id) for name, part in gone_over(node) if isinstance(part, ast.Name))


def gone_over(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Pairs of a name that a loop goes over and what its elements are bound to."""
    match node:
        case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
            yield from _pairs(target, iterable)


def _pairs(target: ast.expr, iterable: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match _sliced(iterable), target:
        case ast.Name(id=name), _:
            yield name, target
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]), ast.Tuple(elts=[_, element]):
            yield from _pairs(element, inner)
        case ast.Call(func=ast.Name(id="reversed"), args=[inner]), _:
            yield from _pairs(target, inner)
        case ast.Call(func=ast.Name(id="zip"), args=parts), ast.Tuple(elts=elements) if len(parts) == len(elements):
            for part, element in zip(parts, elements, strict=True):
                yield from _pairs(element, part)
