"""Generated statements broken into lines the way ruff and black do it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.finding import Edit
from scanlint.syntax.source import Source

STEP = 4


def within(source: Source, statement: ast.stmt, edits: Sequence[Edit]) -> Sequence[Edit]:
    """Edits in a simple statement on lines of its own, laid out anew where they leave it without line breaks."""
    start, end = source.start(statement), source.end(statement)
    behind = source.lines[end.line - 1][end.column - 1 :].strip()
    if behind or not source.alone(statement) or not isinstance(statement, ast.Assign | ast.Return | ast.Expr):
        return edits
    code, margin = source.between(start, end, edits), source.margin(statement)
    if "\n" in code:
        return edits
    return [source.instead(statement, *fit(code, len(margin), source.width).split("\n"))]


def fit(code: str, margin: int, width: int) -> str:
    """A one-line statement, in several lines where it is too long for its place `margin` columns in."""
    if margin + len(code) <= width or "\n" in code:
        return code
    try:
        statement = ast.parse(code).body[0]
    except (SyntaxError, RecursionError, MemoryError):
        return code  # too deep for Python's parser: said where the whole rewrite is parsed
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.expr):
        return code
    written = code.encode()
    head, tail = written[: value.col_offset].decode(), written[value.end_col_offset :].decode()
    while head.endswith("(") and tail.startswith(")"):
        head, tail = head[:-1], tail[1:]
    return head + _break(code, value, len(head), width - margin - len(tail)) + tail


def _text(code: str, node: ast.AST) -> str:
    """The text of a node of code that is one line."""
    assert isinstance(node, ast.expr | ast.keyword) and node.end_col_offset is not None
    if code.isascii():
        return code[node.col_offset : node.end_col_offset]
    return code.encode()[node.col_offset : node.end_col_offset].decode()


def _break(code: str, node: ast.expr, column: int, width: int) -> str:
    """The expression, which starts at `column`, within `width` columns if it has brackets to break at."""
    text = _text(code, node)
    if column + len(text) <= width:
        return text
    match node:
        case ast.Lambda(body=body) if text.endswith(_text(code, body)):
            head = text[: len(text) - len(_text(code, body))]
            return head + _break(code, body, column + len(head), width)
        case ast.Call(func=ast.Call() as function) if column + len(_text(code, function)) >= width:
            inside = _items(code, [*function.args, *function.keywords], width)
            return f"{_text(code, function.func)}({inside}){text[len(_text(code, function)) :]}"
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner) as method) if (
            column + len(_text(code, method)) >= width
        ):
            broken = _break(code, inner, column, min(width, column + len(_text(code, inner)) - 1))
            return f"{broken}{text[len(_text(code, inner)) :]}"
        case ast.Call(func=function, args=args, keywords=keywords) if args or keywords:
            return f"{_text(code, function)}({_items(code, [*args, *keywords], width)})"
        case ast.List(elts=[_, *_] as items):
            return f"[{_one_each(code, items, width)}]"
        case ast.Tuple(elts=[_, _, *_] as items):
            return f"({_one_each(code, items, width)})"
    return text


def _items(code: str, items: Sequence[ast.AST], width: int) -> str:
    """The arguments of a call, on a line of their own or on one each."""
    joined = ", ".join(_text(code, item) for item in items)
    if STEP + len(joined) <= width:
        return f"\n{' ' * STEP}{joined}\n"
    return _one_each(code, items, width)


def _one_each(code: str, items: Sequence[ast.AST], width: int) -> str:
    lines: list[str] = []
    for item in items:
        head, value = (f"{item.arg}=", item.value) if isinstance(item, ast.keyword) and item.arg else ("", item)
        text = _break(code, value, len(head), width - STEP - 1) if isinstance(value, ast.expr) else _text(code, value)
        lines += f"{head}{text},".split("\n")
    return "\n" + "".join(f"{' ' * STEP}{line}\n" for line in lines)
