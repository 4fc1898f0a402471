"""Finds values that NumPy made on the host, as far as the file tells: by its functions, or by callers' arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.syntax.binders import binders_of
from scanlint.syntax.bindings import parameters, targets
from scanlint.trace.unit import Unit

DEEPEST = 6
"""How many names and functions the making of an array is followed through."""
NAMES = ("numpy.", "scipy.", "pandas.")
ARRAYS = frozenset(("numpy.ndarray", "numpy.typing.NDArray"))
"""Annotations of NumPy's arrays."""


def by_numpy(unit: Unit, node: ast.expr) -> bool:
    """Whether some way is known on which NumPy makes this value: then it is an array of doubles, of the host."""
    return _made(unit, unit.node, node, 0)


def _made(unit: Unit, function: ast.AST, node: ast.expr, depth: int) -> bool:
    if depth > DEEPEST:
        return False
    match node:
        case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed" | "list"), args=[first, *_]):
            return _made(unit, function, first, depth + 1)
        case ast.Call(func=called):
            name = unit.file.resolve(called)
            if name is not None or not isinstance(called, ast.Attribute):
                return (name or "").startswith(NAMES)
            return _made(unit, function, called.value, depth + 1)
        case ast.BinOp(left=left, right=right):
            return all(_made(unit, function, side, depth + 1) or _plain(side) for side in (left, right)) and not (
                _plain(left) and _plain(right)
            )
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return _made(unit, function, inner, depth + 1)
        case ast.Name(id=name):
            bound = any(_made(unit, at, value, depth + 1) for at, value in _bound(unit, function, name))
            return bound or any(_hinted(unit, hint) for hint in _hints(function, name))
    return False


def _hints(function: ast.AST, name: str) -> Iterator[ast.expr]:
    """The annotations of a parameter."""
    for part in binders_of(function, name):
        match part:
            case ast.arg(arg=parameter, annotation=ast.expr() as hint) if parameter == name:
                yield hint


def _hinted(unit: Unit, hint: ast.expr) -> bool:
    """Whether an annotation speaks of NumPy's arrays, and of none of JAX."""
    named = {unit.file.resolve(part) or "" for part in ast.walk(hint) if isinstance(part, ast.Name | ast.Attribute)}
    return bool(named & ARRAYS) and not any(name.startswith(("jax.", "jaxtyping.")) for name in named)


def _plain(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _bound(unit: Unit, function: ast.AST, name: str) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Expressions that a name has in a function, from its callers or the top of the file; each with its place."""
    found = False
    for part in (function, *binders_of(function, name)):
        match part:
            case ast.Assign(targets=bound, value=value) if any(name in targets(target) for target in bound):
                found = True
                yield function, value
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                if name in targets(target):
                    found = True
                    yield function, over
            case ast.FunctionDef(args=arguments) if function is not unit.file.tree and name in parameters(arguments):
                found = True
                yield from handed(unit, part, name)
    if not found and function is not unit.file.tree:
        yield from ((unit.file.tree, value) for value in unit.file.bound.get(name, []) if value is not None)


def handed(unit: Unit, function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.AST, ast.expr]]:
    """The arguments that calls in the file hand in for a parameter, and the function around each."""
    names = parameters(function.args)
    for call in unit.file.called.get(function.name, []):
        places = names[1:] if names[:1] == ["self"] and isinstance(call.func, ast.Attribute) else names
        given = [k.value for k in call.keywords if k.arg == name]
        if name in places[: len(call.args)] and not any(isinstance(a, ast.Starred) for a in call.args):
            given.append(call.args[places.index(name)])
        around = unit.file.around(call)
        yield from ((around, value) for value in given)
