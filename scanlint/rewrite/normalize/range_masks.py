"""Reductions over slices of changing length as reductions over whole rows: `jnp.sum(x, where=jnp.arange(n) < i)`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.loops.sizes.lengths import along, size
from scanlint.loops.sizes.masked_reductions import Masked, indices
from scanlint.loops.sizes.shape_reads import axis_read
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.emit.snippets import side
from scanlint.trace.unit import Unit

Spell = Callable[[str], str]


def use_mask(unit: Unit, found: Masked, snippet: Snippet, spell: Spell) -> None:
    """Write one reduction with a mask."""
    read = min(found.slices, key=lambda one: len(indices(one)))
    axis = next(k for k, part in enumerate(indices(read)) if isinstance(part, ast.Slice))
    mask = _mask(found.cut, f"{spell('jax.numpy.arange')}({_length(unit, read.value, axis, snippet)})", snippet)
    for one in found.slices:
        parts = [":" if isinstance(p, ast.Slice) else snippet.expression(p) for p in indices(one)]
        while parts and parts[-1] == ":":
            parts.pop()
        whole = snippet.expression(one.value)
        snippet.replace(one, f"{whole}[{', '.join(parts)}]" if parts else whole)
    if found.left is not None:
        snippet.replace(found.left, f"{spell('jax.numpy.where')}({mask}, {snippet.expression(found.left)}, 0)")
        return
    assert isinstance(found.node, ast.Call)
    code = snippet.expression(found.node).rstrip().removesuffix(")").rstrip().removesuffix(",")
    snippet.replace(found.node, f"{code}{'' if code.endswith('(') else ', '}where={mask})")


def _length(unit: Unit, array: ast.expr, axis: int, snippet: Snippet) -> str:
    """The length of an axis, by the name that it has in the function."""
    bound = [n.id for a in unit.every(ast.Assign) for n in ast.walk(a.targets[0]) if isinstance(n, ast.Name)]
    length = along(unit, array, axis) or {}
    for name in dict.fromkeys(bound):
        if axis_read(unit, ast.Name(name, ast.Load())) == (ast.unparse(array), axis):
            return name
        read = next((n for n in unit.mentions.get(name, ()) if isinstance(n.ctx, ast.Load)), None)
        if length.keys() - {()} and bound.count(name) == 1 and read is not None and size(unit, read) == length:
            return name
    named = [factor for term in length for factor in term if length == {(factor,): 1} and factor.isidentifier()]
    if named:
        return named[0]
    code = snippet.expression(array)
    return f"{code}.shape[{axis}]" if axis else f"len({code})"


def _mask(cut: ast.Slice, numbers: str, snippet: Snippet) -> str:
    """Which of the numbers of an axis a slice takes."""
    tests = []
    for bound, signs in ((cut.lower, (">=", ">")), (cut.upper, ("<", "<="))):
        match bound:
            case None:
                pass
            case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
                tests.append(f"{numbers} {signs[1]} {side(snippet.expression(left))}")
            case _:
                tests.append(f"{numbers} {signs[0]} {side(snippet.expression(bound))}")
    return tests[0] if len(tests) == 1 else " & ".join(f"({test})" for test in tests)
