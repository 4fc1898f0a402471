"""unrolled-layers: a `for` over like-structured layers or parameter sets, traced once per layer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.analysis.loops import LoopModel, Stream, is_array
from scanlint.rules.base import Context, Report, Rule
from scanlint.rules.loop_words import per_trip, quoted


class UnrolledLayers(Rule):
    """`for layer in layers: x = f(layer, x)`: off by default, for scanning wants the layers stacked."""

    code = "SCN106"
    name = "unrolled-layers"
    default = False
    nodes = (ast.For,)

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        assert isinstance(node, ast.For)
        if not context.traced(node) or not isinstance(node.iter, ast.Name) or is_array(context.unit, node.iter):
            return
        layers = context.unit.value(node.iter)
        model = context.loop(node)
        if layers.static or model.streams or not model.carried or model.collects or not _is_pytree(model):
            return
        rows = LoopModel(context.unit, node, (Stream(node.target, "rows", array=node.iter),))
        yield context.report_loop(
            rows,
            f"tracing `{context.unit.context(node).qualname}` unrolls this loop once per layer in `{node.iter.id}`",
            label=per_trip(rows),
            help=f"stack the leaves of `{node.iter.id}` and carry {quoted(model.carried)} through `lax.scan`",
            primitive="scan",
            stacked=True,
        )


def _is_pytree(model: LoopModel) -> bool:
    """Whether the loop variable is read as a container of arrays: by key, by attribute, unpacked or handed on."""
    assert isinstance(model.node, ast.For)
    if isinstance(model.node.target, ast.Tuple | ast.List):
        return True
    if not isinstance(model.node.target, ast.Name):
        return False
    name = model.node.target.id
    for part in ast.walk(ast.Module(model.node.body, [])):
        match part:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return False
            case ast.Subscript(value=ast.Name(id=base), slice=ast.Constant(value=str())) if base == name:
                return True
            case ast.Attribute(value=ast.Name(id=base)) if base == name:
                return True
    return False
