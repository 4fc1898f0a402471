"""Functions of the project that only compute: what they do would be the same inside one traced program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.host.traceable import HARMLESS, JAX, settled
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Names, walk_scope
from scanlint.trace.calls.jax_results import ARRAY_METHODS
from scanlint.trace.domain.callables import Closure, Code, Named, Partial, Transformed
from scanlint.trace.domain.values import Value

HOST = tuple(words("jax.debug. jax.device_get jax.pure_callback jax.profiler. jax.block_until_ready jax.experimental."))
WAITS = words("item tolist block_until_ready __array__")
METHODS = (ARRAY_METHODS - WAITS) | words("set add multiply divide get power apply replace _replace items keys values")
EAGER = words("jax.custom_vjp jax.custom_jvp")
"""Transforms whose function still runs on plain arrays when it is called outside of traced code."""
DEPTH = 6
COMPUTING = frozenset(
    f"builtins.{n}" for n in words("map filter min max abs round sorted slice divmod pow all any int float")
)
"""Builtins without an effect, which may ask for the value of an array."""


def of_jax(name: str) -> bool:
    """Whether a canonical name is a function of JAX (or a library on it) that only computes."""
    return name.startswith(JAX) and not name.startswith(HOST)


def computes(function: Value, depth: int = 0, *, handed_in: bool = False) -> bool:
    """Whether calling this value only computes; `handed_in`: so do the functions that it is given."""
    match function.callee:
        case Transformed(function=inner, transform=transform) if transform in EAGER:
            return computes(inner, depth, handed_in=handed_in)
        case Transformed():
            return True
        case Closure(code):
            return code.mode.traced or pure(code, depth, handed_in=handed_in)
        case Partial(function=inner):
            return computes(inner, depth, handed_in=handed_in)
        case Named(name):
            return of_jax(name) or name in HARMLESS or (handed_in and name in COMPUTING)
    return False


def pure(code: Code, depth: int = 0, *, handed_in: bool = False) -> bool:
    """Whether a function has no effect, and no branch on what an array holds.

    `handed_in`: what it calls of its parameters has none either, and such branches are let be.
    """
    if depth >= DEPTH:
        return False
    body = [code.node.body] if isinstance(code.node, ast.Lambda) else code.node.body
    local = set(_made_here(body))
    used = {p.value for p in walk_scope(body) if isinstance(p, ast.Expr)}
    given = frozenset(a.arg for a in code.parameters()) if handed_in else frozenset[str]()
    return all(
        (isinstance(part, ast.Call) and part not in used and _is_given(code, part.func, given))
        or _pure(code, part, depth, local, handed_in)
        for part in walk_scope(body)
    )


def _made_here(body: list[ast.stmt] | list[ast.expr]) -> Iterator[str]:
    """The names of functions that a function makes, by `def` or as a lambda."""
    for part in walk_scope(body):
        match part:
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                yield name


def _is_given(code: Code, function: ast.expr, given: Names) -> bool:
    """Whether a call runs a parameter or what `self` holds: `model(x, t)`, `model.apply(x, t)`, `self.model(x, t)`."""
    match function:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id=name), attr="apply"):
            return name in given
        case ast.Attribute(value=ast.Name(id=name)) if code.owner is not None and code.positional():
            known = code.record.values.get(function)
            return bool(given) and name == code.positional()[0].arg and (known is None or known.callee is None)
    return False


def only_checks(code: Code) -> bool:
    """Whether a function does nothing but look at its arguments and raise, or assert."""
    if isinstance(code.node, ast.Lambda):
        return False
    statements = [n for n in walk_scope(code.node.body) if isinstance(n, ast.stmt)]
    raises = any(isinstance(s, ast.Raise | ast.Assert) for s in statements)
    checks = ast.Raise | ast.Assert | ast.If | ast.Assign | ast.For | ast.Expr
    return raises and all(isinstance(s, checks) and _is_quiet(s) for s in statements)


def _is_quiet(statement: ast.stmt) -> bool:
    return not isinstance(statement, ast.Expr) or isinstance(statement.value, ast.Constant)


def _pure(code: Code, part: ast.AST, depth: int, local: set[str], handed_in: bool) -> bool:
    match part:
        case ast.Call(func=ast.Name(id=name)) if name in local:
            return True
        case ast.Call(func=function, args=args):
            return _call(code, function, depth, handed_in) or _of_constants(code, function, args)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return handed_in or settled(test) or _static(code, test)
        case ast.Global() | ast.Nonlocal() | ast.Try() | ast.With() | ast.Yield() | ast.YieldFrom() | ast.Await():
            return False
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            return False
    return True


def _static(code: Code, test: ast.expr) -> bool:
    value = code.record.values.get(test)
    return value is not None and value.static


def _call(code: Code, function: ast.expr, depth: int, handed_in: bool) -> bool:
    value = code.record.values.get(function)
    if value is None or value.callee is None:
        value = code.scope.lookup(function.id) if isinstance(function, ast.Name) else None
    if value is not None and value.callee is not None and not _is_method(function, value):
        return computes(value, depth + 1, handed_in=handed_in)
    name = code.scope.annotation(function.func if isinstance(function, ast.Call) else function)
    if name is not None and (of_jax(name) or name in HARMLESS or (handed_in and name in COMPUTING)):
        return True
    return name is None and isinstance(function, ast.Attribute) and function.attr in METHODS


def _of_constants(code: Code, function: ast.expr, args: list[ast.expr]) -> bool:
    """Whether a function of NumPy or of `math` works on Python values alone: `np.sqrt(2.0)`."""
    name = code.scope.annotation(function) or ""
    return name.startswith(("numpy.", "math.")) and all(isinstance(a, ast.Constant) or _static(code, a) for a in args)


def _is_method(function: ast.expr, value: Value) -> bool:
    return isinstance(function, ast.Attribute) and not isinstance(value.callee, Closure | Transformed | Partial | Named)
