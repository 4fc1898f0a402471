"""Runs a function of either version on arrays whose sizes may be symbols: what it does not know by name it refuses.

Each statement and expression that is known has its meaning here; loops are run by `trips`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import jax
import numpy as np

from ..polynomials import NotProved
from .calls import Calls
from .python_values import (
    BREAK,
    CONTINUE,
    UNBOUND,
    ListRows,
    NameFrame,
    Returned,
    Signal,
    Table,
    Value,
    kept,
    refuse,
)


class PythonInterpreter(Calls):
    """One version, run once."""

    def suite(self, body: Sequence[ast.stmt], frame: NameFrame) -> Signal:
        for statement in body:
            signal = self.statement(statement, frame)
            if signal is not None:
                return signal
        return None

    def statement(self, node: ast.stmt, frame: NameFrame) -> Signal:
        match node:
            case ast.Assign(targets=targets, value=value):
                found = self.value(value, frame)
                for target in targets:
                    self.assign(target, found, frame)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.value(value, frame), frame)
            case ast.AugAssign():
                self.augmented(node, frame)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.value(value, frame)
            case ast.If(test=test, body=body, orelse=orelse):
                return self.suite(body if self.truth(self.value(test, frame)) else orelse, frame)
            case ast.For() | ast.While():
                left = self.for_loop(node, frame) if isinstance(node, ast.For) else self.while_loop(node, frame)
                return self.suite(node.orelse, frame) if left is None else left if isinstance(left, Returned) else None
            case ast.Assert(test=test) if self.asked.alone(lambda: None, lambda: self.truth(self.value(test, frame))):
                pass
            case ast.Delete(targets=targets):
                for target in targets:
                    if not isinstance(target, ast.Name) or frame.holder(target.id) is not frame:
                        refuse(node)
                    frame.names[target.id] = UNBOUND
            case ast.Return(value=value):
                return Returned(self.value(value, frame) if value is not None else None)
            case ast.FunctionDef():
                frame.names[node.name] = self.closure(node, frame)
            case ast.Break():
                return BREAK
            case ast.Continue():
                return CONTINUE
            case _:
                refuse(node)
        return None

    def for_loop(self, node: ast.For, frame: NameFrame) -> Signal:
        raise NotImplementedError

    def while_loop(self, node: ast.While, frame: NameFrame) -> Signal:
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value, frame: NameFrame) -> None:
        kept(value)
        match target:
            case ast.Name(id=name):
                frame.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if any(isinstance(t, ast.Starred) for t in targets):
                    refuse(target)
                items = self.unpacked(value, len(targets))
                for part, item in zip(targets, items, strict=True):
                    self.assign(part, item, frame)
            case ast.Subscript(value=owner, slice=key):
                self.set_item(self.value(owner, frame), self.value(key, frame), value)
            case _:
                refuse(target, "an object that is changed")

    def augmented(self, node: ast.AugAssign, frame: NameFrame) -> None:
        match node.target:
            case ast.Name(id=name):
                old = self.known(name, frame)
                if isinstance(old, np.ndarray):
                    refuse(node, "an array of NumPy that is changed")
                new = self.value(node.value, frame)
                if isinstance(old, ListRows):
                    if not isinstance(node.op, ast.Add):
                        refuse(node)
                    self.extend(old, new)
                else:
                    frame.names[name] = self.binary(type(node.op), old, new)
            case ast.Subscript(value=owner, slice=key):
                held, at = self.value(owner, frame), self.value(key, frame)
                if not isinstance(held, Table | ListRows):
                    refuse(node, "an object that is changed")
                old = self.item(held, at)
                if isinstance(old, np.ndarray | ListRows):
                    refuse(node, "an object that is changed")
                self.set_item(held, at, self.binary(type(node.op), old, self.value(node.value, frame)))
            case _:
                refuse(node, "an object that is changed")

    def unpacked(self, value: Value, count: int) -> Sequence[Value]:
        if isinstance(value, tuple):
            items: Sequence[Value] = value
        elif isinstance(value, ListRows) and value.plain is not None:
            items = value.plain
        elif isinstance(value, jax.Array) and value.ndim and self.sizes.polynomial(value.shape[0]).constant == count:
            items = [value[k] for k in range(count)]
        else:
            raise NotProved("something is unpacked whose parts are not known")
        if len(items) != count:
            raise NotProved("another number of parts is unpacked")
        return items


def leaves_by_break(loop: ast.For | ast.While) -> bool:
    """Whether a `break` of the loop itself stands in it."""
    todo: list[ast.AST] = list(loop.body)
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Break):
            return True
        if isinstance(part, ast.For | ast.While):
            todo += part.orelse
        elif not isinstance(part, ast.FunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(part)
    return False
