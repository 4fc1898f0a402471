"""Assignments to items of arrays of JAX, which fail: run with the meaning that they have for arrays of NumPy."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

import jax
import numpy as np

from ..runtime.free_names import own_names

MARK = "__scanlint_item__"
INDEX = "__scanlint_index__"
NOTE = "arrays of JAX cannot be assigned to: the old version was run as if they could, as those of NumPy"
RAN: list[bool] = []
"""Not empty where an array of JAX was assigned to."""
_OPERATORS: dict[str, Callable[[object, object], object]] = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "MatMult": operator.imatmul,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
}


class _Index:
    """Gives what stands in the brackets of a subscript."""

    def __getitem__(self, index: object) -> object:
        return index


def assigned(array: object, index: object, value: object, sign: str = "") -> object:
    """The value of a name after `array[index] = value`, or with an operator; all but arrays of JAX change in place.

    NumPy gives an array of JAX its new items; of a tracer it asks the values, which is an error of JAX.
    """
    if not isinstance(array, jax.Array):
        container: dict[object, object] = array  # type: ignore[assignment]
        container[index] = _OPERATORS[sign](container[index], value) if sign else value
        return array
    RAN.append(True)
    items, changed = np.array(array), _OPERATORS[sign](array[index], value) if sign else value
    operator.setitem(items, _plain(index), np.asarray(changed))  # type: ignore[call-overload]
    return array.at[...].set(items)  # keeps the type, however weak


def _plain(index: object) -> object:
    """An index with arrays of NumPy in the place of those of JAX."""
    if isinstance(index, tuple):
        return tuple(_plain(part) for part in index)
    return np.asarray(index) if isinstance(index, jax.Array) else index


GIVEN: dict[str, object] = {MARK: assigned, INDEX: _Index()}


class _Assigns(ast.NodeTransformer):
    """Binds the name anew in each assignment to an item of a name that its function binds."""

    def __init__(self) -> None:
        self.local: list[set[str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.local.append(own_names(node))
        self.generic_visit(node)
        self.local.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.local.append(set())
        self.generic_visit(node)
        self.local.pop()
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets:
            case [ast.Subscript(value=ast.Name(id=name), slice=index)]:
                return self._bound_anew(node, name, [index], node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        match node.target:
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self._bound_anew(node, name, [index], node.value, type(node.op).__name__)
        return node

    def _bound_anew(self, node: ast.stmt, name: str, index: list[ast.expr], value: ast.expr, sign: str = "") -> ast.AST:
        if not self.local or name not in self.local[-1]:
            return node
        place = ast.Subscript(ast.Name(INDEX, ast.Load()), index[0], ast.Load())
        given = {"array": ast.Name(name, ast.Load()), "index": place, "value": value, "sign": ast.Constant(sign)}
        order = ("array", "index", "value", "sign") if sign else ("value", "array", "index", "sign")  # as Python's
        options = [ast.keyword(key, given[key]) for key in order]
        made = ast.Assign([ast.Name(name, ast.Store())], ast.Call(ast.Name(MARK, ast.Load()), [], options))
        return ast.fix_missing_locations(ast.copy_location(made, node))


def with_assigned_items(tree: ast.Module) -> ast.Module:
    """The tree whose assignments to items mean for arrays of JAX what they do for NumPy's; it changes the one given."""
    _Assigns().visit(tree)
    return tree
