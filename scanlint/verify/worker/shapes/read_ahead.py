"""Arrays that a loop over another one reads ahead of: `values[t + 1]` in `range(rewards.shape[0])`.

JAX gives the last element where there is no further one, and says that nothing may rest on it: such arrays have more
rows than the other one, and inputs in which they do not are none that the function is meant for.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import jax
import numpy as np

from ..infer.specs import Array, Specs


class ReadAhead(NamedTuple):
    """`name` has `by` rows more than the array whose rows are counted: so many are read."""

    name: str
    counted: str
    by: int

    def met(self, rows: Mapping[str, int]) -> bool:
        """Just these rows are there, as far as that is known."""
        return self.spare(rows) in (0, None)

    def spare(self, rows: Mapping[str, int]) -> int | None:
        """How many rows are there that are not read; None where that is not known, or nothing is read."""
        if self.name not in rows or not rows.get(self.counted):
            return None
        return rows[self.name] - rows[self.counted] - self.by


@functools.cache
def read_ahead(function: ast.AST) -> tuple[ReadAhead, ...]:
    """The arrays that a function reads ahead of others, each with the most rows that it does."""
    lengths, found = dict(_lengths(function)), dict[tuple[str, str], int]()
    for loop in ast.walk(function):
        if isinstance(loop, ast.For | ast.comprehension) and isinstance(loop.target, ast.Name):
            last = _last(loop.iter, lengths)
            for name, by in _reads(function, loop.target.id) if last is not None else ():
                assert last is not None
                if name != last[0] and (more := last[1] + by + 1) > 0:
                    found[name, last[0]] = max(found.get((name, last[0]), 0), more)
    return tuple(ReadAhead(name, counted, by) for (name, counted), by in found.items())


def rows_of(values: Mapping[str, object]) -> dict[str, int]:
    """The rows of the arguments that are arrays."""
    arrays = ((n, v) for n, v in values.items() if isinstance(v, (jax.Array, np.ndarray)))
    return {n: int(v.shape[0]) for n, v in arrays if v.ndim}


def rows_wanted(specs: Specs) -> dict[str, int]:
    """The rows of the arrays of specs."""
    return {n: s.shape[0] for n, s in specs.items() if isinstance(s, Array) and s.shape}


def with_more(specs: Specs, ahead: tuple[ReadAhead, ...]) -> Specs:
    """Specs in which what is read ahead of has the rows for it."""
    for one in ahead:
        spec, counted = specs.get(one.name), specs.get(one.counted)
        if isinstance(spec, Array) and isinstance(counted, Array) and spec.shape and counted.shape:
            if spec.shape[0] != (rows := counted.shape[0] + one.by):
                specs = {**specs, one.name: Array((rows, *spec.shape[1:]), spec.dtype)}
    return specs


def _lengths(function: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that stand for the length of an array, each bound once."""
    bound = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound.count(name) == 1:
                if (array := _length(value)) is not None:
                    yield name, array


def _length(node: ast.expr) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=array)]):
            return array
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="shape"), slice=ast.Constant(value=0)):
            return array
    return None


def _last(over: ast.expr, lengths: Mapping[str, str]) -> tuple[str, int] | None:
    """The largest number of a range, as the length of an array and what is added to it."""
    match over:
        case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
            return _last(inner, lengths)
        case ast.Call(func=ast.Name(id="range"), args=[stop] | [_, stop]):
            found = _sum(stop, lengths)
            return (found[0], found[1] - 1) if found is not None else None
        case ast.Call(func=ast.Name(id="range"), args=[start, _, ast.UnaryOp(op=ast.USub())]):
            return _sum(start, lengths)
    return None


def _sum(node: ast.expr, lengths: Mapping[str, str]) -> tuple[str, int] | None:
    """A length with a number added or taken away."""
    match node:
        case ast.Name(id=name) if name in lengths:
            return lengths[name], 0
        case ast.BinOp(left=left, op=ast.Sub() | ast.Add() as op, right=ast.Constant(value=int(by))):
            found = _sum(left, lengths)
            return (found[0], found[1] + (by if isinstance(op, ast.Add) else -by)) if found is not None else None
    array = _length(node)
    return (array, 0) if array is not None else None


def _reads(function: ast.AST, index: str) -> Iterator[tuple[str, int]]:
    """The arrays that are read by an index plus a number, with that number."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=at, ctx=ast.Load()):
                first = at.elts[0] if isinstance(at, ast.Tuple) and at.elts else at
                match first:
                    case ast.Name(id=read) if read == index:
                        yield name, 0
                    case ast.BinOp(left=ast.Name(id=read), op=ast.Add(), right=ast.Constant(value=int(by))):
                        if read == index:
                            yield name, by
                    case ast.BinOp(left=ast.Constant(value=int(by)), op=ast.Add(), right=ast.Name(id=read)):
                        if read == index:
                            yield name, by
