"""Elements, rows and parts of abstract values."""

from __future__ import annotations

import ast

from scanlint.trace.domain.values import (
    STATIC,
    STATIC_INT,
    UNKNOWN,
    Unset,
    Value,
    but,
    element_of,
    gathered,
    join,
    join_all,
    record,
)


def unpacked(value: Value, targets: list[ast.expr]) -> list[Value]:
    """The parts of a value, one for each target."""
    count = len(targets)
    starred = any(isinstance(t, ast.Starred) for t in targets)
    if value.items is not None and len(value.items) == count and not starred:
        return list(value.items)
    if value.fields and value.container != "dict" and len(value.fields) == count and not starred:
        return list(value.fields.values())
    inner = element_of(value) if value.items is not None or value.element is not None else row_of(value)
    return [gathered("list", None, inner) if isinstance(t, ast.Starred) else inner for t in targets]


def items_of(value: Value) -> tuple[Value, ...] | None:
    """The elements of a tuple or list one by one, where they are known; those of a NamedTuple are its fields."""
    if value.items is None and value.fields and value.container != "dict":
        return tuple(value.fields.values())
    return value.items


def row_of(value: Value) -> Value:
    """One element of a value, as iterating over it or indexing it gives."""
    if value.container is not None:
        return UNKNOWN if value.container == "dict" else element_of(value)
    if value.array or value.traced:
        return but(value, ndim=value.ndim - 1 if value.ndim else None, constant=Unset.UNSET, callee=None)
    return STATIC if value.static else UNKNOWN


def stored(container: Value, key: ast.expr, value: Value) -> Value:
    """A list or dict after `container[key] = value`."""
    if container.container == "dict" and isinstance(key, ast.Constant) and isinstance(key.value, str):
        return record("dict", {**container.fields, key.value: value})
    if container.container == "dict" and container.items == ():
        return gathered("dict", None, value)
    if container.container in ("dict", "list"):
        return gathered(container.container, None, join(element_of(container), value))
    return container


def length_of(value: Value) -> int | None:
    """The number of elements that iterating gives; None where it is not known."""
    if value.items is not None:
        return len(value.items)
    if isinstance(value.constant, range | tuple | list | str):
        return len(value.constant)
    return None


def element(value: Value, key: Value, node: ast.expr) -> Value:
    """An element of a tuple, list or dict."""
    if value.fields and value.container == "dict":
        found = value.fields.get(key.constant) if isinstance(key.constant, str) else None
        return found or join_all(tuple(value.fields.values()))
    items = value.items if value.items is not None else tuple(value.fields.values()) or None
    if items is not None and isinstance(key.constant, int) and -len(items) <= key.constant < len(items):
        return items[key.constant]
    if isinstance(node, ast.Slice):
        if items is not None and all(literal(p) for p in (node.lower, node.upper, node.step)):
            parts = [None if p is None else ast.literal_eval(p) for p in (node.lower, node.upper, node.step)]
            return gathered(value.container or "tuple", items[slice(*parts)])
        inner = element_of(value)
        return gathered(value.container or "list", None, inner)
    inner = element_of(value)
    return but(inner, constant=Unset.UNSET) if inner.known else inner


def literal(node: ast.expr | None) -> bool:
    match node:
        case None | ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
    return False


def indexed_ndim(ndim: int | None, node: ast.expr) -> int | None:
    """Axes left after indexing with ints and slices."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    if ndim is None or not all(isinstance(p, ast.Slice) or literal(p) for p in parts):
        return None
    return max(ndim - sum(not isinstance(p, ast.Slice) for p in parts), 0)


def iterated(value: Value) -> Value:
    """The value of the variable of a loop over this value."""
    if isinstance(value.constant, range):
        return STATIC_INT
    if value.container == "dict":
        return STATIC
    if value.container is not None:
        inner = element_of(value)
        return but(inner, constant=Unset.UNSET) if inner.known and not isinstance(inner.constant, str) else inner
    if value.traced and not value.array:
        return UNKNOWN
    return row_of(value)
