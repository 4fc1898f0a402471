"""Code whose author has chosen: behind a test for tracers, at compile time, or unrolled beside a rolled form."""

from __future__ import annotations

import ast
import re

from scanlint.syntax.regex import regex
from scanlint.syntax.walk import by_kind

TRACER_GUARD = regex(r"Tracer\b|\bis_concrete\b|core\.eval_context")
"""What JAX itself offers to ask whether something is a tracer."""
CATCHES = regex(r"Concretization|Tracer\w*Error|UnexpectedTracer|\bTypeError\b")
"""The errors that a tracer raises where Python needs a value; they are all a TypeError."""
COMPILE_TIME = regex(r"ensure_compile_time_eval")
CHOICES = ("Tracer", "is_concrete", "eval_context")
"""One of them is in the text of a file in which some test can be one for tracers."""
ROLLED = regex(r"\b(?:scan|fori_loop|while_loop|vmap|lax\.map)\b")
CHOSEN = regex(r"\b(?:cond|switch)\b")


_PYTHON_FORMS: tuple[tuple[tuple[type[ast.stmt], ...], re.Pattern[str]], ...] = (
    ((ast.For, ast.While), ROLLED),
    ((ast.If,), CHOSEN),
)
_SPELLED: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.Constant: "value",
    ast.keyword: "arg",
    ast.arg: "arg",
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
    ast.alias: "name",
}


def spelled(*roots: ast.AST) -> str:
    """The names, attributes (behind the name before the dot) and strings of trees, in no particular order.

    To look for words in; `ast.unparse` takes ten times as long.
    """
    found: list[str] = []
    inside = by_kind(*roots)
    for kind, field in _SPELLED.items():
        for node in inside.get(kind, ()):
            word = getattr(node, field, None)
            if isinstance(word, str):
                base = node.value if isinstance(node, ast.Attribute) else None
                found.append(f"{base.id}.{word}" if isinstance(base, ast.Name) else word)
    return " ".join(found)


def _holds(statements: list[ast.stmt], kinds: tuple[type[ast.stmt], ...]) -> bool:
    """Whether one of these statements, or of those in their blocks, is of some kind."""
    for statement in statements:
        if isinstance(statement, kinds):
            return True
        if isinstance(statement, ast.If | ast.With | ast.Try):
            inner = [*statement.body, *getattr(statement, "orelse", []), *getattr(statement, "finalbody", [])]
            if _holds(inner, kinds):
                return True
    return False


def unrolled(arm: list[ast.stmt], other: list[ast.stmt]) -> bool:
    """Whether this arm does in Python what the other arm does with `scan`, or with `cond`: the author chose both."""
    if not arm or not other:
        return False
    forms = [form for kinds, form in _PYTHON_FORMS if _holds(arm, kinds) and not _holds(other, kinds)]
    words = spelled(*other) if forms else ""
    return any(form.search(words) for form in forms)


def rolled_before(node: ast.If, rest: list[ast.stmt]) -> bool:
    """`if use_scan: return scan(...)` before the unrolled form."""
    ends = not node.orelse and isinstance(node.body[-1], ast.Return)
    return ends and unrolled(rest, node.body)
