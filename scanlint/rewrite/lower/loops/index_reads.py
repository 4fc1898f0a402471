"""Reads by the loop variable: rows that a scan can hand in, and slices of constant length at a moving start."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.finding import Withheld
from scanlint.loops.concrete_uses import in_test, is_logic, limit, number_cast
from scanlint.loops.constant_tables import is_table, met, number_kind
from scanlint.loops.loop import LoopModel
from scanlint.loops.sizes.affine import moving_arange
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.lower.branches.predicates import predicate
from scanlint.rewrite.lower.expressions.quantifiers import folded
from scanlint.syntax.bindings import reads, targets
from scanlint.trace.unit import Unit


def use_arrays(model: LoopModel, snippet: Snippet, spell: Callable[[str], str]) -> None:
    """`table[i]` becomes `jnp.asarray(table)[i]`, and `jnp.arange(i, i + n)` becomes `i + jnp.arange(n)`."""
    for part in ast.walk(ast.Module(model.node.body, [])):
        match part:
            case ast.Subscript(value=ast.Name() as table, slice=index, ctx=ast.Load()):
                if reads(index) & model.staged and is_table(model.unit, table, model.carried):
                    snippet.replace(table, as_array(model, table, part, spell))
            case ast.Call(func=function, args=[low, high, *_]) if reads(low, high) & model.staged:
                found = moving_arange(part, model.staged)
                if found is not None and model.unit.resolve(function) == "jax.numpy.arange":
                    code = f"{snippet.expression(found[0])} + {snippet.expression(function)}({found[1]})"
                    outer = model.unit.parents[part]
                    snippet.replace(
                        part, f"({code})" if isinstance(outer, ast.BinOp | ast.UnaryOp | ast.Attribute) else code
                    )


def use_tracers(model: LoopModel, snippet: Snippet, spell: Callable[[str], str]) -> None:
    """`not done` becomes `jnp.logical_not(done)`, and `float(i)` becomes `i * 1.0`, as weakly typed as before.

    `min(i, 3)` becomes `jnp.minimum(i, 3)`.
    """
    unit, moving = model.unit, model.staged | set(model.carried)
    done: set[ast.AST] = set()
    for part in ast.walk(ast.Module(model.node.body, [])):
        if part in done or not isinstance(part, ast.expr) or not reads(part) & moving:
            continue
        code: str | Withheld | None = None
        python = bool(reads(part) & model.staged)
        if python and (number := number_cast(unit, part)) is not None:
            code = snippet.expression(number)
            loose = not isinstance(number, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
            if isinstance(part, ast.Call) and unit.resolve(part.func) == "builtins.float":
                code, loose = f"({code}) * 1.0" if loose else f"{code} * 1.0", True
        elif python and limit(unit, part) is not None:
            code, loose = _limited(unit, part, snippet, spell), False
        elif is_logic(unit, part) and not in_test(unit, part):
            code, loose = predicate(unit, part, spell), True
        if isinstance(code, str):
            done |= set(ast.walk(part))
            plain = isinstance(unit.parents[part], ast.stmt | ast.Call | ast.keyword | ast.Lambda) or not loose
            snippet.replace(part, code if plain else f"({code})")


def _limited(unit: Unit, number: ast.expr, snippet: Snippet, spell: Callable[[str], str]) -> str:
    """`max(0, min(i, n))` as `jnp.maximum(0, jnp.minimum(i, n))`."""
    found = limit(unit, number)
    if found is None:
        return snippet.expression(number)
    return folded(spell, found[0], [_limited(unit, n, snippet, spell) for n in found[1]])


def use_weak(model: LoopModel, snippet: Snippet) -> None:
    """`1 / i` becomes `1.0 / i`: an index out of an array would divide into a float that is not as weak as Python's."""
    for part in ast.walk(ast.Module(model.node.body, [])):
        match part:
            case ast.BinOp(left=left, op=ast.Div(), right=right) if reads(part) & model.staged:
                if not (_whole(model, left) and _whole(model, right)):
                    continue
                literal = next((s for s in (left, right) if isinstance(s, ast.Constant)), None)
                if literal is not None:
                    snippet.replace(literal, f"{literal.value!r}.0")
                elif isinstance(left, ast.Name):
                    snippet.replace(left, f"{left.id} * 1.0")


def _whole(model: LoopModel, node: ast.expr) -> bool:
    """Whether an expression is a whole number of Python's before the loop is rolled."""
    match node:
        case ast.Constant(value=number):
            return type(number) is int
        case ast.Name(id=name) if name in model.targets:
            return any(s.kind == "range" and name in targets(s.target) for s in model.streams)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Mod() | ast.FloorDiv(), right=right):
            return _whole(model, left) and _whole(model, right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _whole(model, operand)
    value = model.unit.value(node)
    return value.static and value.dtype == "int" and not value.array


def as_array(model: LoopModel, table: ast.expr, number: ast.AST, spell: Callable[[str], str]) -> str:
    """A table as an array; floats of a list get the dtype that `number`, where one is read, takes from the carry."""
    code = model.unit.source.segment(table)
    name = met(model.unit, number, model.carried) if number_kind(model.unit, table) == "float" else None
    if name is None:
        return f"{spell('jax.numpy.asarray')}({code})"
    before = model.unit.before.get((model.node, name))
    kind = f"{name}.dtype" if before is not None and before.dtype == "float" and before.array else ""
    return f"{spell('jax.numpy.asarray')}({code}, {kind or spell('jax.numpy.result_type') + f'({name}, float)'})"
