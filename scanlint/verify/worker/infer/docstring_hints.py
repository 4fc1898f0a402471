"""Shapes and dtypes that a docstring gives for parameters: `log_transition: (S, S)`, `x : array of shape (T, D)`."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from ..runtime.free_names import named_parameters

NAMES = re.compile(r"\b((?:[A-Za-z_]\w*\s*,\s*)*[A-Za-z_]\w*)\s*(?:\([^()\n]*\))?\s*:(?!:)")
SHAPE = re.compile(r"[(\[]\s*((?:[A-Za-z_]\w*|\d+)\s*(?:,\s*(?:[A-Za-z_]\w*|\d+)\s*)*,?)\s*[)\]]")
TYPES = {
    "u?int(?:8|16|32|64)|float(?:16|32|64)": "",
    "ints?|integers?|indices": "Int",
    "bools?|booleans?": "Bool",
    "floats?": "Float",
}
HELD = re.compile(r"\b(?:lists?|tuples?|dicts?|sequences?|pairs)\b")  # of such: `a list of (row, column)`
END = re.compile(r"[;\n]")


class Hint(NamedTuple):
    """The names of the axes, and what jaxtyping calls the type; an empty type leaves it to the uses."""

    axes: tuple[str, ...]
    kind: str


def hints(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Hint]:
    """The shape that the docstring gives for each parameter, for those with one."""
    text = ast.get_docstring(node) or ""
    parameters = {parameter.arg for parameter in named_parameters(node.args)}
    found: dict[str, Hint] = {}
    listed = [m for m in NAMES.finditer(text) if parameters & set(_words(m[1]))]
    ends = [*(m.start() for m in listed[1:]), len(text)]
    for match, end in zip(listed, ends, strict=False):
        told = text[match.end() : end]
        hint = _hint(END.split(told.strip())[0])
        for name in _words(match[1]) if hint is not None else ():
            if name in parameters and hint is not None:
                found.setdefault(name, hint)
    return found


def annotation(hint: Hint, kind: str) -> ast.expr:
    """The hint in the form of jaxtyping; `kind` is its type where the hint has none."""
    return ast.parse(f"{hint.kind or kind}[Array, {' '.join(hint.axes)!r}]", mode="eval").body


def _words(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]


def _hint(told: str) -> Hint | None:
    shape = SHAPE.search(told)
    if shape is not None and HELD.search(told, 0, shape.start()):
        return None
    if shape is not None and "," in shape[1]:
        axes = tuple(part.strip() for part in shape[1].split(",") if part.strip())
    elif re.search(r"\bscalars?\b", told):
        axes = ()
    else:
        return None
    for pattern, kind in TYPES.items():
        if (word := re.search(rf"\b(?:{pattern})\b", told)) is not None:
            return Hint(axes, kind or word[0])
    return Hint(axes, "")
