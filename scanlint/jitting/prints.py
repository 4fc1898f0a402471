"""`print` in a function that is to be jitted, as `jax.debug.print`, which prints on each call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from scanlint.finding import Edit
from scanlint.jitting.site import imported_as
from scanlint.jitting.targets import Function
from scanlint.rewrite.emit.imports import add_imports
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
                pieces = [p for argument in (first, *rest) for p in (" ", *_pieces(argument))][1:]
                if all(p is not None for p in pieces):
                    edits.append(source.put(call, f"{name}({_arguments(pieces)})"))
    return add_imports(apply_edits(text, edits), imports) if edits else text


def _arguments(pieces: list[str | tuple[ast.expr, str] | None]) -> str:
    """The format, and what it shows."""
    said = "".join(p if isinstance(p, str) else f"{{{p[1]}}}" for p in pieces if p is not None)
    shown = [ast.unparse(p[0]) for p in pieces if isinstance(p, tuple)]
    quoted = said.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return ", ".join([f'"{quoted}"', *shown])


def _pieces(argument: ast.expr) -> Iterator[str | tuple[ast.expr, str] | None]:
    """What `print` shows of an argument: texts, and values with their formats; None for what cannot be said again."""
    match argument:
        case ast.Constant(value=str(text)):
            yield text if not {"{", "}"} & {*text} else None
        case ast.JoinedStr(values=values):
            for part in values:
                yield from _pieces(part)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            yield value, ""
        case ast.FormattedValue(
            value=value, conversion=-1, format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)])
        ):
            yield value, f":{spec!s}"
        case ast.FormattedValue() | ast.Starred():
            yield None
        case _:
            yield argument, ""
