"""Changes to nodes of LibCST, made from the inside out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst

Replacement = cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.BaseStatement]
Change = Callable[[cst.CSTNode], Replacement]


def changed(node: cst.CSTNode, changes: Mapping[cst.CSTNode, Change]) -> object:
    """The node with what each change gives in the place of its own."""
    return node.visit(_Changing(changes))


class _Changing(cst.CSTTransformer):
    def __init__(self, changes: Mapping[cst.CSTNode, Change]) -> None:
        super().__init__()
        self.changes = changes

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Replacement:  # type: ignore[override]
        change = self.changes.get(original_node)
        return change(updated_node) if change else updated_node
