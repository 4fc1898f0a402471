"""Places where the author reckons with a failure of tracing: a `try` that catches it, `with pytest.raises(...)`."""

from __future__ import annotations

import ast

from scanlint.loops.obstacles import caught
from scanlint.trace.unit import Unit

RAISES = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress"))


def expected(unit: Unit, node: ast.AST) -> bool:
    """A failure at a node is caught there, or where its function is transformed or called."""
    if caught(unit, node) is not None:
        return True
    places = [(node.lineno, unit.source.path)]  # type: ignore[attr-defined]
    places += [(r.node.lineno, r.file.path) for r in unit.context(node).chain if hasattr(r.node, "lineno")]
    lines = _lines(unit)
    return any(first <= line <= last for line, path in places if path == unit.source.path for first, last in lines)


def _lines(unit: Unit) -> list[tuple[int, int]]:
    """The first and last lines of the file's `with pytest.raises(...)`."""
    blocks = (b for b in unit.file.kinds.of(ast.With) if any(_raises(item.context_expr) for item in b.items))
    return unit.file.once(_lines, lambda: [(block.lineno, block.end_lineno or block.lineno) for block in blocks])


def tried(unit: Unit, node: ast.AST) -> bool:
    """A test calls the function around a node in a `try` that catches all, and nowhere else: it shows the failure."""
    names = {a.name for a in unit.ancestors(node) if isinstance(a, ast.FunctionDef)}
    return unit.source.tests and any(name in names for name in unit.once(tried, lambda: _only_tried(unit)))


def _only_tried(unit: Unit) -> frozenset[str]:
    """The functions made in a unit that it calls in such a `try` alone."""
    made = {function.name for function in unit.every(ast.FunctionDef)}
    read = [n for n in unit.every(ast.Name) if n.id in made and isinstance(n.ctx, ast.Load)]
    outside = {n.id for n in read if not _is_tried(unit, n)}
    return frozenset(n.id for n in read) - outside


def _is_tried(unit: Unit, name: ast.Name) -> bool:
    block = caught(unit, name)
    call = unit.parents.get(name)
    kinds = [handler.type for handler in block.handlers] if block is not None else []
    broad = any(kind is None or (isinstance(kind, ast.Name) and kind.id == "Exception") for kind in kinds)
    return broad and isinstance(call, ast.Call) and call.func is name


def _raises(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in RAISES
    return False
