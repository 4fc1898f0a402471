"""Reductions over slices of changing length as reductions over whole rows: `jnp.sum(x, where=jnp.arange(n) < i)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from scanlint.loops.sizes.affine import Polynomial
from scanlint.loops.sizes.extents import extent
from scanlint.loops.sizes.masked_reductions import Masked, indices
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.normalize.exits.counting_while import side

Spell = Callable[[str], str]


def use_mask(found: Masked, known: Mapping[str, Polynomial], snippet: Snippet, spell: Spell) -> None:
    """Write one reduction with a mask; `known` are the lengths that have a name."""
    read = min(found.slices, key=lambda one: len(indices(one)))
    axis = next(k for k, part in enumerate(indices(read)) if isinstance(part, ast.Slice))
    mask = _mask(found.cut, f"{spell('jax.numpy.arange')}({_length(read.value, axis, known, snippet)})", snippet)
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


def _length(array: ast.expr, axis: int, known: Mapping[str, Polynomial], snippet: Snippet) -> str:
    """The length of an axis, by the name that it has in the function."""
    size = extent(array, axis)
    length = known.get(size, {(size,): 1})
    named = [name for name, other in known.items() if other == length and name.isidentifier()]
    named += [term[0] for term, factor in length.items() if len(length) == factor == len(term) == 1]
    if named and named[0].isidentifier():
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
