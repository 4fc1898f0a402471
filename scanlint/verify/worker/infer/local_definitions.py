"""The text of a function that is not defined under its own name: `f = jax.vmap(lambda x: ...)`, `f = make(3.0)`."""

from __future__ import annotations

import ast
import inspect

from ..runtime.calling import innermost
from ..runtime.free_names import placed_parameters
from ..runtime.jax_functions import attribute


def definition_of(tree: ast.Module, name: str, value: object) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The definition of what a name is bound to, with the parameters that it takes there; None where none is found."""
    code = attribute(innermost(value), "__code__")
    if code is None or not callable(value):
        return None
    found = next((n for n in ast.walk(tree) if _begins(n) == code.co_firstlineno and _named(n) == code.co_name), None)
    match found:
        case ast.Lambda():
            body: list[ast.stmt] = [ast.copy_location(ast.Return(found.body), found.body)]
            made = ast.FunctionDef(name, found.args, body, [], None, None)
            return _taken(ast.fix_missing_locations(ast.copy_location(made, found)), value)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _taken(found, value)
    return None


def _begins(node: ast.AST) -> int:
    """The line that the code of a function begins on: that of its first decorator."""
    listed = getattr(node, "decorator_list", None)
    return int(listed[0].lineno if listed else getattr(node, "lineno", 0))


def _named(node: ast.AST) -> str:
    match node:
        case ast.Lambda():
            return "<lambda>"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
    return ""


def _taken(
    node: ast.FunctionDef | ast.AsyncFunctionDef, value: object
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The definition without the parameters that a partial call has given."""
    try:
        left = inspect.signature(value).parameters if callable(value) else {}
    except (TypeError, ValueError):
        return node
    a = node.args
    places = placed_parameters(a)
    if {p.arg for p in (*places, *a.kwonlyargs)} <= set(left):
        return node
    optional = dict(zip([p.arg for p in places][::-1], a.defaults[::-1], strict=False))
    kept = [p for p in places if p.arg in left and left[p.arg].kind is not inspect.Parameter.KEYWORD_ONLY]
    named = [(p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if p.arg in left]
    named += [(p, optional.get(p.arg)) for p in places if p.arg in left and p not in kept]
    arguments = ast.arguments(
        [], kept, a.vararg, [p for p, _ in named], [d for _, d in named], a.kwarg,
        [optional[p.arg] for p in kept if p.arg in optional],
    )  # fmt: skip
    made = ast.FunctionDef(node.name, arguments, node.body, [], node.returns, None)
    return ast.fix_missing_locations(ast.copy_location(made, node))
