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


def _raises(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in RAISES
    return False
