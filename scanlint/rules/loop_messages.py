"""Words that the loop rules share; what a message needs is imported with the first one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scanlint.finding import Primitive
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.syntax.bindings import binds, walk_scope

if TYPE_CHECKING:
    from scanlint.rules.base import Context


def quoted(names: Sequence[str]) -> str:
    """`a`, `b` and `c` in backticks."""
    marked = [f"`{n}`" for n in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}" if marked else "nothing"


def times(model: LoopModel) -> str:
    """How often the body is traced, and what is inside a nest."""
    if model.trips is not None:
        from scanlint.policy.cost import nested_trips

        inner = nested_trips(model.unit, model.node.body)
        return (
            f"{model.trips} times" if inner == 1 else f"{model.trips} times, the loop in it {model.trips * inner} times"
        )
    if not model.streams:
        return "once per trip"
    return f"once per {_unit(model, model.streams[0])}"


def _unit(model: LoopModel, stream: Stream) -> str:
    code = model.unit.source.segment
    if stream.array is not None:
        return f"row of `{code(stream.array)}`"
    if stream.counted is not None:
        return f"row of `{code(stream.counted)}`"
    assert isinstance(model.node, ast.For)
    return f"step of `{code(model.node.iter)}`"


def per_trip(model: LoopModel) -> str:
    """The label under the loop's line."""
    from scanlint.policy.cost import body_equations

    count = max(1, round(body_equations(model)))
    return f"each trip adds about {count} equation{'s' if count != 1 else ''}"


CURES = {
    "mutation": "keep the values in an array, written with `.at[...].set(...)`, instead of in places of a list",
    "conditional-append": "compute all values together, from index tables that NumPy makes beforehand",
    "list-made-elsewhere": (
        "compute all values together with `jax.vmap` over the index, or collect them with `lax.scan`"
    ),
    "list-used-otherwise": "keep the values in an array of full size and write them with `.at[...].set(...)`",
    "list-escapes": "collect the values with `lax.scan`, which gives them as one array",
    "list-never-stacked": "collect the values with `lax.scan`, which gives them as one array",
    "carry-shape-grows": "let `lax.scan` stack what a trip adds, and join that to the rest once, after the loop",
    "python-int": "make an array of these numbers before the loop, in Python, and read that",
    "python-float": "make an array of these numbers before the loop, with NumPy in double precision, and read that",
    "index-needs-int": (
        "read with `jnp.take` or `lax.dynamic_slice` of one padded size, so that the index can be traced"
    ),
    "side-effect": "let the body return its values, and carry them through `lax.scan`",
    "break": "carry a flag and go on with `lax.while_loop` until it is set",
    "continue": "choose with `jnp.where` what such a trip leaves as it was",
}


def cure(model: LoopModel, plain: str, by_hand: bool) -> str:
    """What to do about a loop: `plain` where it can be rolled, else what removes the first thing in the way."""
    from scanlint.loops.jumps import JUMPS
    from scanlint.loops.rows.buffers import writes_rows
    from scanlint.loops.rows.growing_arrays import growing

    if by_hand or any(o.code in JUMPS for o in model.obstacles[:1]):
        return CURES.get(model.obstacles[0].reason.partition(":")[0], plain)
    if grown := [one.name for one in growing(model.unit, model.node, model.carried)]:
        return _scanned([name for name in model.carried if name not in grown], grown)
    if writes_rows(model):
        return f"{plain}, or compute all rows at once with `jax.vmap`"
    return plain


def summing(context: Context, model: LoopModel) -> str:
    """What to do about a loop that adds up what it computes of each example; nothing where it is no such."""
    if context.gathering(model) is None:
        return ""
    return f"compute the terms of {quoted(model.carried)} with `jax.vmap`, and reduce them along the first axis"


def stacking(model: LoopModel) -> str:
    """What a scan would carry, and what it would stack."""
    from scanlint.loops.rows.collected import appends
    from scanlint.loops.rows.dict_histories import histories

    lists = list(
        dict.fromkeys([o.name for o in model.outputs] or [one.name for one in appends(model.unit, model.node)])
    )
    lists += [ast.unparse(place) for history in histories(model) for place in history.appends.values()]
    carried = [name for name in model.carried if name not in lists]
    if model.read_back is not None:
        carried.append(f"{model.read_back.name}[-1]")
    return _scanned(carried, lists)


def _scanned(carried: Sequence[str], lists: Sequence[str]) -> str:
    stacked = f"which stacks {quoted(lists)}"
    return f"carry {quoted(carried)} through `lax.scan`, {stacked}" if carried else f"use `lax.scan`, {stacked}"


def one_program(model: LoopModel) -> Primitive:
    """What an expert would write of a loop on the host: a `while_loop` of one that is left when something holds."""
    if isinstance(model.node, ast.While) or any(o.code in ("break", "return-in-loop") for o in model.obstacles):
        return "while_loop"
    rows = any(stream.kind == "rows" for stream in model.streams) or _reads_rows(model)
    return "scan" if model.outputs or rows or model.last_values else "fori_loop"


def _reads_rows(model: LoopModel) -> bool:
    """Whether a trip reads the row of an array that has its number: `xs[i]`."""
    own = binds(*model.node.body) | frozenset(model.targets)
    for part in walk_scope(model.node.body):
        match part:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=index), ctx=ast.Load()):
                if index in model.targets and name not in own:
                    return True
    return False
