"""unrolled-layers: a `for` over like-structured layers or parameter sets, traced once per layer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Report, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream, is_array
from scanlint.policy.worth import stages_arrays
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import per_trip, quoted

if TYPE_CHECKING:
    from scanlint.loops.module_layers import Blocks


class UnrolledLayers(Rule[ast.For]):
    """`for layer in layers: x = f(layer, x)`: advice, for scanning wants the layers stacked."""

    code = "SCN106"
    name = "unrolled-layers"
    level = "advice"
    staged = True

    def check(self, node: ast.For, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.loops.module_layers import kept_blocks, made_blocks

        model = context.loop(node)
        if (blocks := made_blocks(model)) is not None:
            yield _modules(context, model, blocks, "use `nn.scan` over the block")
        elif (blocks := kept_blocks(model)) is not None:
            yield _modules(context, model, blocks, "keep the blocks stacked and scan over them")
        elif isinstance(node.iter, ast.Name):
            yield from _sets(context, model)


def _modules(context: Context, model: LoopModel, blocks: Blocks, cure: str) -> Report:
    """A finding on modules; no rewrite can stack parameters that are stored one by one."""
    node = model.node
    assert isinstance(node, ast.For)
    times = f"{blocks.number} times" if blocks.number is not None else f"once per step of `{ast.unparse(node.iter)}`"
    return context.report(
        node,
        f"tracing `{context.unit.context(node).qualname}` unrolls this loop of `{blocks.maker}` blocks {times}",
        end=node.iter,
        label="every block has the same structure",
        help=f"{cure}; the parameters are then stored stacked, so checkpoints change",
        trips=model.trips,
        primitive="scan",
        outcome=Withheld("changes-parameters", f"the parameters of `{blocks.maker}` would be stored stacked"),
    )


def _sets(context: Context, model: LoopModel) -> Iterator[Report]:
    """Parameter sets in a list: their leaves can be stacked in place."""
    from scanlint.loops.module_layers import FEWEST
    from scanlint.loops.parameter_sets import alike_sets

    node = model.node
    assert isinstance(node, ast.For) and isinstance(node.iter, ast.Name)
    layers = context.unit.value(node.iter)
    if is_array(context.unit, node.iter) or layers.static or model.streams:
        return
    if layers.items is not None and len(layers.items) < FEWEST:
        return
    if not model.carried or model.collects or not _is_pytree(node) or not alike_sets(model):
        return
    if not stages_arrays(model):
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


def _is_pytree(node: ast.For) -> bool:
    """Whether the loop variable is read as a container of arrays: by key, by attribute, unpacked or handed on."""
    if isinstance(node.target, ast.Tuple | ast.List):
        return True
    if not isinstance(node.target, ast.Name):
        return False
    name = node.target.id
    for part in ast.walk(ast.Module(node.body, [])):
        match part:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return False
            case ast.Subscript(value=ast.Name(id=base), slice=ast.Constant(value=str())) if base == name:
                return True
            case ast.Attribute(value=ast.Name(id=base)) if base == name:
                return True
    return False
