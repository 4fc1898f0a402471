"""A module without the statements that only look at values: assertions and prints, which may not trace."""

from __future__ import annotations

import ast
from collections import Counter

LOGS = frozenset(["debug", "info", "warning", "error", "critical", "log", "exception"])
LOGGERS = frozenset(["logging", "logger", "log", "_logger", "LOGGER", "LOG"])


class _Without(ast.NodeTransformer):
    """Puts `pass` in the place of each of them, on the same line; counts the texts of those that are left out."""

    def __init__(self) -> None:
        self.texts: Counter[str] = Counter()

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return self._passed(node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return self._passed(node) if _tells(node.value) else node

    def _passed(self, node: ast.stmt) -> ast.stmt:
        self.texts[ast.unparse(node)] += 1
        return ast.copy_location(ast.Pass(), node)


def without_checks(tree: ast.Module) -> ast.Module:
    """The tree without assertions and prints; it changes the tree that it is given."""
    _Without().visit(tree)
    return tree


def same_checks(old: str, new: str) -> bool:
    """Whether two modules hold the same assertions and prints, and any: what one of them drops is no detail."""
    first, second = _Without(), _Without()
    first.visit(ast.parse(old))
    second.visit(ast.parse(new))
    return first.texts == second.texts and bool(first.texts)


def _tells(node: ast.expr) -> bool:
    """Whether a call prints or logs. What `jax.debug` does can be traced."""
    match node:
        case ast.Call(func=ast.Name(id="print")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
            return owner in LOGGERS and name in LOGS
    return False
