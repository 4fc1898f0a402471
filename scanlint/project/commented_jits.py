"""Commented-out `# @jax.jit` above a function: where they stand, and the text of a file in which they hold."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from scanlint.syntax.regex import regex

RULE = ("SCN207", "commented-out-jit")
"""The rule that needs all this; nothing is looked for where other rules are selected."""
MARK = regex(r"^[ \t]*#[ \t]*@[ \t]*[\w.]*(?:jit|partial)\b", re.M)
COMMENTED_CODE = regex(r"#\s*(?:async\s+)?(?:def|class)\b")
DEFINITION = regex(r"(?:async\s+)?def\b")
LONGEST = 16
IMPORTS = {
    "jit": "from jax import jit",
    "jax": "import jax",
    "partial": "from functools import partial",
    "functools": "import functools",
}


class Wish(NamedTuple):
    """A decorator in a comment: the lines of the comment and of the definition that it would decorate, 1-based."""

    line: int
    definition: int
    decorator: ast.expr


def wishes(text: str) -> list[Wish]:
    """The commented-out jits of a file, in order."""
    if "jit" not in text or MARK.search(text) is None:
        return []
    lines = list(io.StringIO(text, newline=""))
    return [wish for place, line in enumerate(lines) if MARK.match(line) and (wish := _wish(lines, place))]


def _wish(lines: Sequence[str], place: int) -> Wish | None:
    """The decorator in the comment that begins at a line, if it stands above a function that no other jit wraps."""
    decorator = _decorator(lines, place)
    if decorator is None or "jit" not in ast.unparse(decorator):
        return None
    for above in reversed(lines[:place]):
        if not above.lstrip().startswith(("@", "#")):
            break
        if above.lstrip().startswith("@") and "jit" in above:
            return None
    depth = 0
    for number, line in enumerate(lines[place + 1 :], place + 2):
        code = line.strip()
        if not depth and DEFINITION.match(code):
            return Wish(place + 1, number, decorator)
        if COMMENTED_CODE.match(code):
            return None
        if code.startswith("#"):
            continue
        if (not depth and not code.startswith("@")) or "jit" in code:
            return None
        depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
    return None


def _decorator(lines: Sequence[str], place: int) -> ast.expr | None:
    """The decorator that a comment holds, over as many lines as it needs."""
    written = ""
    for line in lines[place : place + LONGEST]:
        code = line.strip()
        if not code.startswith("#"):
            return None
        written += code.lstrip("#").strip() + "\n"
        try:
            (definition,) = ast.parse(f"{written}def f(): ...").body
        except (SyntaxError, ValueError):  # the comment is longer than one line, or is none
            continue
        decorators = getattr(definition, "decorator_list", [])
        plain = len(decorators) == 1 and isinstance(decorators[0], ast.Name | ast.Attribute | ast.Call)
        return decorators[0] if plain else None
    return None


def granted(text: str, found: Sequence[Wish], bound: Collection[str]) -> str:
    """The text with the comments made decorators; every line keeps its number.

    Imports that went with the decorators (`bound` are the names that the module has) are added at the end.
    """
    lines = list(io.StringIO(text, newline=""))
    for wish in found:
        definition, end = lines[wish.definition - 1], lines[wish.line - 1]
        indent = definition[: len(definition) - len(definition.lstrip())]
        lines[wish.line - 1] = f"{indent}@{ast.unparse(wish.decorator)}{end[len(end.rstrip()) :]}"
    missing = dict.fromkeys(name for wish in found for name in _roots(wish.decorator) if name not in bound)
    added = [IMPORTS[name] for name in missing if name in IMPORTS]
    return "".join(lines) + "".join(f"\n{line}\n" for line in added)


def _roots(decorator: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(decorator) if isinstance(node, ast.Name))
