"""Whether code of the host would also run on tracers, as far as its source tells."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.decorators import plain
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import parameters
from scanlint.trace.unit import Unit

JAX = ("jax.", "jaxlib.", "flax.", "equinox.", "haiku.", "optax.", "functools.")
_PLAIN = words("range len enumerate zip reversed tuple list dict isinstance getattr hasattr sum abs type")
HARMLESS = frozenset(f"builtins.{name}" for name in _PLAIN)
DEPTH = 3
Known = Callable[[ast.AST], bool]
"""Whether what is known of a call or a branch says that it runs on tracers."""


def nothing(part: ast.AST) -> bool:
    """Nothing more is known of any part."""
    return False


def traceable(
    unit: Unit, node: ast.AST, depth: int = 0, local: frozenset[str] = frozenset(), known: Known = nothing
) -> bool:
    """No call of anything but JAX, methods, and functions of this file that hold no branch on an argument.

    Of what is `known` besides, nothing more is asked.
    """
    return all(known(part) or _fine(unit, part, depth, local, known) for part in ast.walk(node))


def _fine(unit: Unit, part: ast.AST, depth: int, local: frozenset[str], known: Known) -> bool:
    match part:
        case ast.Call(func=function):
            return _call(unit, function, depth, local, known)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
            return settled(test)
        case ast.Raise() | ast.Yield() | ast.YieldFrom() | ast.Await() | ast.Global() | ast.Nonlocal() | ast.Try():
            return False
        case ast.Attribute(attr="item" | "tolist" | "numpy" | "block_until_ready"):
            return unit.resolve(part) is not None  # the module `jax.numpy`, not a method of an array
    return True


def settled(test: ast.expr) -> bool:
    """Whether a test asks for something that is known of a tracer as well."""
    match test:
        case ast.BoolOp(values=values):
            return all(settled(v) for v in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return settled(operand)
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            return any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides) or any(
                isinstance(n, ast.Attribute) and n.attr in ("ndim", "shape", "dtype", "size") for n in ast.walk(test)
            )
        case ast.Call(func=ast.Name(id="isinstance" | "hasattr")):
            return True
    return False


def _call(unit: Unit, function: ast.expr, depth: int, local: frozenset[str], known: Known) -> bool:
    name = unit.resolve(function)
    if name is None:
        match function:
            case ast.Name(id=called):
                return called in local or _nested(unit, called, depth, known)
            case ast.Call():
                return True
            case ast.Attribute(value=value):
                return unit.value(value).array or _chained(value)
        return False
    if name.startswith(JAX) or name in HARMLESS:
        return not name.startswith(("jax.debug.", "jax.device_get", "jax.pure_callback"))
    return isinstance(function, ast.Name) and _defined(unit, function.id, depth, known)


def _chained(value: ast.expr) -> bool:
    """`x.at[i].set(...)`, `f(x).sum()`: methods of what array expressions give."""
    match value:
        case ast.Attribute(attr="at") | ast.Call() | ast.BinOp() | ast.Subscript():
            return True
    return False


def _defined(unit: Unit, name: str, depth: int, known: Known) -> bool:
    match unit.file.definitions.get(name):
        case ast.FunctionDef() as function:
            return _body(unit, function, depth, known)
        case ast.ClassDef(bases=bases):
            return [unit.resolve(base) for base in bases] == ["typing.NamedTuple"]
    return False


def _nested(unit: Unit, name: str, depth: int, known: Known) -> bool:
    for inner in ast.walk(unit.node):
        if isinstance(inner, ast.FunctionDef) and inner.name == name and inner is not unit.node:
            return _body(unit, inner, depth, known)
        match inner:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Lambda(args=args, body=body)) if bound == name:
                return traceable(unit, body, depth + 1, frozenset(parameters(args)), known)
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call(func=function)) if bound == name:
                return (unit.resolve(function) or "").startswith(JAX)
    return False


def _body(unit: Unit, function: ast.FunctionDef, depth: int, known: Known) -> bool:
    if depth >= DEPTH or not plain(unit.resolve, function):
        return False
    inner = frozenset(parameters(function.args)) | frozenset(
        n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef) and n is not function
    )
    return all(traceable(unit, statement, depth + 1, inner, known) for statement in function.body)
