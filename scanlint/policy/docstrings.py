"""Reads docstrings on parameters: that one is a degree, or that it is usually small."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from scanlint.policy.names import AT_MOST
from scanlint.syntax.regex import regex
from scanlint.trace.unit import Unit

ENTRY = regex(r"^\W*(?:param\s+(?:\w+\s+)?)?(\w+)\W*(?:\([^)]*\))?\s*:\s*(.+)$", re.MULTILINE)
QUALIFIED = regex(r"[.,;:(]| (?:of|per|for|in|to|from|at|when|if|on|with|by|that|which|used) ")
AMOUNT = regex(r"(?i)^(?:the |an? )?(?:total |maximum |max |minimum )?(?:number|count|amount) of ")


def described(unit: Unit, node: ast.AST, names: Iterable[str]) -> str:
    """The words by which docstrings around a node describe these parameters, without what qualifies them.

    Of "Number of layers of the model" only "layers" is left.
    """
    entries = _entries(unit, node, frozenset(names))
    return " ".join(QUALIFIED.split(AMOUNT.sub("", entry), maxsplit=1)[0] for entry in entries)


def _entries(unit: Unit, node: ast.AST, names: frozenset[str]) -> Iterator[str]:
    for function in unit.ancestors(node):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(function) or ""
            yield from (said for name, said in ENTRY.findall(text) if name in names)


def said_short(unit: Unit, node: ast.stmt | ast.expr, names: Iterable[str], most: int) -> bool:
    """Whether an entry of a docstring, or the comment right above a loop, says that there are few trips."""
    texts = [*_entries(unit, node, frozenset(names)), *_comment_above(unit, node)]
    return any(_is_short(text, most) for text in texts)


def _is_short(text: str, most: int) -> bool:
    found = AT_MOST.pattern.search(text)
    return found is not None and (found["most"] is None or int(found["most"]) <= most)


def _comment_above(unit: Unit, node: ast.stmt | ast.expr) -> list[str]:
    """The comment on the lines right above a statement, and the one at the end of its own."""
    lines = unit.source.lines
    at = node.lineno - 1
    found = [lines[at].partition("#")[2]] if "#" in lines[at] else []
    while at > 0 and lines[at - 1].lstrip().startswith("#"):
        at -= 1
        found.insert(0, lines[at].strip().lstrip("# "))
    return [" ".join(found)] if found else []
