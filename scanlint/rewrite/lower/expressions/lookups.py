"""Lists of numbers and arrays of NumPy under a traced index, as arrays of JAX."""

from __future__ import annotations

import ast

from scanlint.branches.python_lookups import TracedSubscript
from scanlint.finding import Outcome, Withheld
from scanlint.rewrite.emit.in_place import in_place
from scanlint.rewrite.emit.snippets import on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.trace.domain.values import contents
from scanlint.trace.unit import Unit


def to_lookup(unit: Unit, found: TracedSubscript) -> Outcome:
    """`TABLE[i]` as `jnp.asarray(TABLE)[i]`."""
    line = found.node.lineno
    if not isinstance(found.node.ctx, ast.Load):
        return Withheld("item-is-written", f"the element is assigned to (line {line})")
    if not found.numbers or found.holder in ("dict", "range"):
        return Withheld("no-numbers", f"`{ast.unparse(found.node.value)}` may hold what makes no array (line {line})")
    held, code = found.node.value, on_one_line(unit.source.segment(found.node.value))
    if found.holder == "numpy":
        spelling = Spelling(unit)
        return in_place(unit, held, f"{spelling('jax.numpy.asarray')}({code})", "other", spelling)
    spelling, met = Spelling(unit), _met(unit, found.node)
    array = spelling("jax.numpy.array")
    alone = in_place(unit, held, f"{array}({code})", "other", spelling)
    if met is None:
        return alone
    kind = "float" if any(v.dtype == "float" for v in contents(unit.value(held))) else "int"
    met_kind = f"{spelling('jax.numpy.result_type')}({met}, {kind})"
    return alone._replace(plainer=in_place(unit, held, f"{array}({code}, {met_kind})", "other", spelling))


def _met(unit: Unit, node: ast.Subscript) -> str | None:
    """The array that an element meets in an operation, whose dtype a number of Python takes."""
    outer = unit.parents.get(node)
    if not isinstance(outer, ast.BinOp):
        return None
    other = outer.right if outer.left is node else outer.left
    return other.id if isinstance(other, ast.Name) and unit.value(other).traced else None
