"""Two versions of the same text are equal, whatever of their results can be compared."""

from __future__ import annotations

import ast

from ..imports.side_modules import Side
from ..runtime.loading import Loaded, cut


def same_text(old: Loaded, new: Loaded, function: str) -> bool:
    """Both versions run the same statements, and import modules of the same text."""
    return _statements(old, function) == _statements(new, function) and _texts(old.side) == _texts(new.side)


def _statements(loaded: Loaded, function: str) -> list[str]:
    body = loaded.tree.body if loaded.whole else cut(loaded.tree, {function.split(".")[0]})
    return [ast.dump(statement) for statement in body]


def _texts(side: Side | None) -> dict[str, bytes]:
    """The modules of a side with what stands in their files."""
    found = {}
    for name, module in side.modules.items() if side is not None else ():
        if isinstance(file := vars(module).get("__file__"), str):
            with open(file, "rb") as stream:
                found[name] = stream.read()
    return found
