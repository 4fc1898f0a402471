"""Functions that make functions: both are called together, with recorded arguments or with made-up ones."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ..infer.static_parameters import static_parameters
from ..runtime.calling import Signature, TookTooLong, Values, limited
from ..runtime.free_names import named_parameters, with_defaults
from ..runtime.loading import Loaded
from ..runtime.made_functions import MakerSignature, product

Function = ast.FunctionDef | ast.AsyncFunctionDef
CHANGED = frozenset([
    "jit", "vmap", "pmap", "grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "checkpoint", "remat", "partial",
    "filter_jit", "filter_vmap", "filter_grad", "filter_value_and_grad", "custom_jvp", "custom_vjp",
])  # fmt: skip
"""These functions give a function for a function; others, such as `lax.scan`, call it."""
SECONDS = 4.0


def recorded_products(
    loaded: Loaded,
    function: Callable[..., object],
    outer: Signature,
    own: Sequence[Values],
    inner: Mapping[str, Callable[[Signature], Sequence[Values]]],
) -> tuple[MakerSignature, tuple[Values, ...]] | None:
    """The calls of a function that this one makes, each with arguments of its maker; None where it makes none."""
    for name, calls in inner.items():
        inside = ast.walk(loaded.function) if loaded.function is not None else ()
        node = next((n for n in inside if isinstance(n, Function) and n.name == name), None)
        if node is None:
            continue
        signature = MakerSignature.by(outer, Signature.of(node, frozenset()), name)
        found = []
        for maker in own or [{}]:
            try:
                with limited(SECONDS):
                    if product(outer.call(function, dict(maker)), name) is None:
                        continue
            except (Exception, SystemExit, TookTooLong):  # noqa: BLE001 - the next call of the maker is tried
                continue
            values = calls(signature.inner)
            found += [{**maker, **{f"{name}.{k}": v for k, v in value.items()}} for value in values]
        if found:
            return signature, tuple(found)
    return None


def making(node: Function, outer: Signature, changed: Collection[int]) -> tuple[MakerSignature, Function] | None:
    """The signature of the product, and a function with the parameters and statements of maker and product.

    None if it returns no function of its own, or none that runs all `changed` lines.
    """
    inside = {s.name: s for s in node.body if isinstance(s, Function)}
    own = {line for line in changed if node.lineno <= line <= (node.end_lineno or node.lineno)}
    given = (inside[name] for name in _given(node) if name in inside)
    inner = next((f for f in given if own and own <= _lines(f, inside)), None)
    if inner is None or inner.args.vararg or inner.args.kwarg:
        return None
    signature = MakerSignature.by(outer, Signature.of(inner, static_parameters(inner, node)), inner.name)
    return signature, _joined(node, inner)


def _lines(function: Function, inside: Mapping[str, Function]) -> set[int]:
    """The lines of a function and of those beside it that it may call."""
    found, left = {function.name: function}, [function]
    while left:
        names = {n.id for n in ast.walk(left.pop()) if isinstance(n, ast.Name)}
        called = {name: f for name, f in inside.items() if name in names and name not in found}
        found |= called
        left += called.values()
    return {line for f in found.values() for line in range(f.lineno, (f.end_lineno or f.lineno) + 1)}


def _given(node: Function) -> Iterator[str]:
    """The names of the functions that a function returns: as they are, compiled, or among others."""
    for statement in node.body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield from _named(statement.value)


def _named(value: ast.expr) -> Iterator[str]:
    match value:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _named(part)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=keywords):
            if name in CHANGED:
                yield from (found for first in args[:1] for found in _named(first))
            elif name.lstrip("_")[:1].isupper():  # a record of functions
                yield from (found for part in (*args, *(k.value for k in keywords)) for found in _named(part))


def _joined(outer: Function, inner: Function) -> Function:
    """A function with the parameters of both, those of the inner one as `inner.name`; for its text alone."""
    mine = {a.arg: f"{inner.name}.{a.arg}" for a in named_parameters(inner.args)}
    body: list[ast.stmt] = []
    for statement in outer.body:
        if statement is inner:
            body += [_Renamed(mine).visit(copy.deepcopy(s)) for s in inner.body]
        elif not isinstance(statement, ast.Return):
            body.append(statement)
    renamed = ((ast.arg(mine[a.arg], a.annotation), default) for a, default in with_defaults(inner.args))
    both = [*with_defaults(outer.args), *renamed]
    args = ast.arguments([], [], None, [a for a, _ in both], [d for _, d in both], None, [])
    made = ast.FunctionDef(outer.name, args, body, [], None)
    made.type_params = []  # type: ignore[attr-defined]
    return ast.fix_missing_locations(ast.copy_location(made, outer))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)
