"""`print` in a function that is to be jitted, as `jax.debug.print`, which prints on each call."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from scanlint.finding import Edit
from scanlint.jitting.site import imported_as
from scanlint.jitting.targets import Function
from scanlint.rewrite.emit.imports import add_imports
from scanlint.rewrite.emit.printed import pieces, quoted
from scanlint.syntax.edits import apply_edits
from scanlint.syntax.source import Source


def with_debug_prints(text: str, functions: Iterable[Function]) -> str:
    """The text in which these functions print what they are called with; a print that is kept is as it was."""
    tree, source = ast.parse(text), Source("", text)
    if any(
        "print" in (getattr(n, "arg", ""), getattr(n, "asname", "") or getattr(n, "name", "")) for n in ast.walk(tree)
    ):
        return text  # it may be another one
    name, imports = imported_as(tree, "jax", "debug.print")
    edits = list[Edit]()
    for call in (n.value for function in functions for n in ast.walk(function) if isinstance(n, ast.Expr)):
        match call:
            case ast.Call(func=ast.Name(id="print"), args=[first, *rest], keywords=[]):
                shown = [p for argument in (first, *rest) for p in (" ", *pieces(argument))][1:]
                if all(p is not None for p in shown):
                    edits.append(source.put(call, f"{name}({_arguments(shown)})"))
    return add_imports(apply_edits(text, edits), imports) if edits else text


def _arguments(parts: list[str | tuple[ast.expr, str] | None]) -> str:
    """The format, and what it shows."""
    said = "".join(p if isinstance(p, str) else f"{{{p[1]}}}" for p in parts if p is not None)
    shown = [ast.unparse(p[0]) for p in parts if isinstance(p, tuple)]
    return ", ".join([f'"{quoted(said)}"', *shown])
