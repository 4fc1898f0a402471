"""Reads by the loop variable: rows that a scan can hand in, and slices of constant length at a moving start."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import TypeGuard

from scanlint.analysis.affine import Polynomial, add, moving_arange, polynomial, surely_at_most, window
from scanlint.analysis.flow import binds, parameters, reads, targets, walk_scope
from scanlint.analysis.loops import LoopModel, is_array
from scanlint.analysis.spelled import in_test, is_logic, number_cast
from scanlint.analysis.tables import is_table, met, number_kind
from scanlint.outcome import Withheld
from scanlint.rewrite.predicates import predicate
from scanlint.rewrite.syntax import Snippet
from scanlint.rewrite.words import singular


def rows_read_by_index(model: LoopModel) -> tuple[str, str] | None:
    """The array and a name for its row, where `i` of `range(len(xs))` serves only to read `xs[i]`."""
    if len(model.streams) != 1 or not model.streams[0].plain or not isinstance(model.streams[0].target, ast.Name):
        return None
    stream = model.streams[0]
    match stream.stop:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=array) as base, attr="shape"), slice=ast.Constant(value=0)
        ):
            pass
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=array) as base]):
            pass
        case _:
            return None
    if not is_array(model.unit, base) or array in binds(*model.node.body):
        return None
    index, gone = model.streams[0].target.id, model.gone
    for part in ast.walk(ast.Module(model.node.body, [])):
        if isinstance(part, ast.Name) and part.id == index and part not in gone and not _reads_row(model, part, array):
            return None
    return (array, singular(array, f"{array}_row")) if model.used(index) else None


def _reads_row(model: LoopModel, index: ast.Name, array: str) -> bool:
    match model.unit.parents[index]:
        case ast.Subscript(value=ast.Name(id=base), slice=at, ctx=ast.Load()):
            return base == array and at is index
    return False


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
    """`not done` becomes `jnp.logical_not(done)`, and `float(i)` becomes `i * 1.0`, as weakly typed as before."""
    unit = model.unit
    done: set[ast.AST] = set()
    for part in ast.walk(ast.Module(model.node.body, [])):
        if part in done or not isinstance(part, ast.expr) or not reads(part) & model.staged:
            continue
        code: str | Withheld | None = None
        if (number := number_cast(unit, part)) is not None:
            code = snippet.expression(number)
            loose = not isinstance(number, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
            if isinstance(part, ast.Call) and unit.resolve(part.func) == "builtins.float":
                code, loose = f"({code}) * 1.0" if loose else f"{code} * 1.0", True
        elif is_logic(unit, part) and not in_test(unit, part):
            code, loose = predicate(unit, part, spell), True
        if isinstance(code, str):
            done |= set(ast.walk(part))
            plain = isinstance(unit.parents[part], ast.stmt | ast.Call | ast.keyword) or not loose
            snippet.replace(part, code if plain else f"({code})")


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


def use_windows(model: LoopModel, snippet: Snippet, spell: Callable[[str], str]) -> Withheld | None:
    """`x[i : i + 3]` becomes `lax.dynamic_slice_in_dim(x, i, 3)`, for a tracer cannot bound a slice."""
    for part in ast.walk(ast.Module(model.node.body, [])):
        match part:
            case ast.Subscript(value=array, slice=ast.Slice() as cut, ctx=ast.Load()) if _moves(model, cut):
                pass
            case ast.Tuple(elts=parts) if any(isinstance(p, ast.Slice) and _moves(model, p) for p in parts):
                return Withheld("slice-in-tuple", f"a moving slice stands among other indices at line {part.lineno}")
            case _:
                continue
        found = window(cut, model.staged)
        if found is None:
            return Withheld("index-needs-int", f"the length of a slice changes with the index (line {part.lineno})")
        low, length = found
        if not is_array(model.unit, array):
            return Withheld(
                "index-needs-int", f"`{ast.unparse(array)}` is not known to be an array (line {part.lineno})"
            )
        if not _never_negative(model, low):
            return Withheld(
                "negative-start", f"the slice at line {part.lineno} can start below 0, which counts from the end"
            )
        if not _within(model, array, cut):
            return Withheld(
                "slice-may-run-over", f"the slice at line {part.lineno} is not known to end within its array"
            )
        code = (
            f"{spell('jax.lax.dynamic_slice_in_dim')}({snippet.expression(array)}, {snippet.expression(low)}, {length})"
        )
        snippet.replace(part, code)
    return None


def _moves(model: LoopModel, cut: ast.Slice) -> bool:
    return bool(reads(cut.lower, cut.upper, cut.step) & model.staged)


def _never_negative(model: LoopModel, low: ast.expr) -> bool:
    """Whether the start of a window is surely 0 or more on every trip."""
    least = _least(model, low)
    return least is not None and least >= 0


def _least(model: LoopModel, node: ast.expr) -> int | None:
    """The smallest value of an index expression over all trips, where it is evident."""
    unit = model.unit
    match node:
        case ast.Name(id=name) if name in model.targets:
            stream = next(s for s in model.streams if isinstance(s.target, ast.Name) and s.target.id == name)
            if stream.kind != "range":
                return None
            start = 0 if stream.start is None else unit.value(stream.start).constant
            step = 1 if stream.step is None else unit.value(stream.step).constant
            return start if isinstance(start, int) and isinstance(step, int) and step > 0 else None
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _least(model, left), _least(model, right)
            if isinstance(op, ast.Mult) and 0 in (a, b) and _sizes(model, left, right):
                return 0
            if a is None or b is None:
                return None
            constant = isinstance(unit.value(right).constant, int) or isinstance(right, ast.Constant)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub() if constant:
                    return a - b
                case ast.Mult() if a >= 0 and b >= 0:
                    return a * b
            return None
        case ast.Constant(value=int(number)):
            return number
    known = unit.value(node).constant
    return known if isinstance(known, int) else None


def _sizes(model: LoopModel, *nodes: ast.expr) -> bool:
    """Whether the factors beside a smallest index of 0 are lengths: a Python value used as one is not negative."""
    return all(_least(model, n) is not None or model.unit.value(n).static for n in nodes)


def _within(model: LoopModel, array: ast.expr, cut: ast.Slice) -> bool:
    """Whether a window surely ends within its array: `dynamic_slice` would move one that does not."""
    known = _definitions(model)
    if not isinstance(array, ast.Name) or array.id not in bound_once(model):
        return False
    for stream in model.streams:
        if stream.kind != "range" or not isinstance(stream.target, ast.Name):
            continue
        if stream.counted is not None:
            stop: Polynomial = {(f"len({ast.unparse(stream.counted)})",): 1}
            if stream.start is not None:
                stop = add(stop, polynomial(stream.start, known))
        elif stream.stop is not None:
            stop = polynomial(stream.stop, known)
        else:
            continue
        known[stream.target.id] = add(stop, {(): -1})
    assert cut.upper is not None
    length: Polynomial = {(f"len({ast.unparse(array)})",): 1}
    return surely_at_most(polynomial(cut.upper, known), length)


def _definitions(model: LoopModel) -> dict[str, Polynomial]:
    """What the names that are bound once in the function stand for, as index arithmetic."""
    known: dict[str, Polynomial] = {}
    once = bound_once(model)
    for part in walk_scope(getattr(model.flow.function, "body", [])):
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in once:
                known[name] = polynomial(value, known)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=array, attr="shape")):
                for axis, name in enumerate(n.id for n in names if isinstance(n, ast.Name)):
                    shape = f"len({ast.unparse(array)})" if axis == 0 else f"{ast.unparse(array)}.shape[{axis}]"
                    if name in once:
                        known[name] = {(shape,): 1}
    return known


def bound_once(model: LoopModel) -> set[str]:
    """Names with one binding in the whole function, parameters included."""
    function = model.flow.function
    stores = [n.id for n in walk_scope(getattr(function, "body", [])) if _is_store(n)]
    counts = Counter([*parameters(function.args), *stores])
    return {name for name, count in counts.items() if count == 1}


def _is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
