"""What `print` shows of its arguments, piece by piece, for a format of `jax.debug.print`."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def quoted(text: str) -> str:
    """A text as it stands between double quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def pieces(argument: ast.expr) -> Iterator[str | tuple[ast.expr, str] | None]:
    """What `print` shows of an argument: texts, and values with their formats; None for what cannot be said again."""
    match argument:
        case ast.Constant(value=str(text)):
            yield text if not {"{", "}"} & {*text} else None
        case ast.JoinedStr(values=values):
            for part in values:
                yield from pieces(part)
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
