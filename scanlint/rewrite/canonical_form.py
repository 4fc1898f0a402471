"""A function in canonical form, in which it is rewritten, told from its tokens.

In canonical form each statement has lines of its own, no string goes over several, and no backslash joins two. The
rewriters move lines of text about: they work on the canonical form, so no layout keeps them from it.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import replace

from scanlint.finding import Edit, Position
from scanlint.rewrite.views import QUOTED, Layer, View
from scanlint.syntax.regex import regex
from scanlint.syntax.source import Source
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

SPACES = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})
ENDS = SPACES | {tokenize.NEWLINE}
"""Kinds of tokens after which a line may end without a backslash."""
OPENING, CLOSING = "([{", ")]}"
BLOCKS = ("body", "orelse", "finalbody")
FIELD = regex(r"((?<!\{)\{(?!\{)[^{}]*(?:\{[^{}]*\}[^{}]*)*\})")
NOT_RAW = str.maketrans("", "", "rR")
NEWLINE = regex(r"(?<!\\)((?:\\\\)*)(\\?)\r?\n")
"""The end of a line in a string; a backslash before it, itself not escaped, takes it out of the string."""


def canonical(unit: Unit) -> View | None:
    """The unit in canonical form; None where it is in it as it stands."""
    if isinstance(unit.node, ast.Lambda) or not unusual(unit):
        return None
    source, made = unit.source, list(_Scan(unit).breaks())
    again = unit.renew(replace(source, text=source.edited(made))) if made else None
    if again is None:
        return None
    changes = tuple((piece,) for piece in made)
    return View((Layer(source, replace(again, wished=unit.wished), changes, "canonical"),))


def unusual(unit: Unit) -> bool:
    """Whether a unit may be in another form: told without a look at each token, for nearly all are in this one."""
    source, node = unit.source, unit.node
    assert not isinstance(node, ast.Lambda)
    docstring = _docstring(node)
    text = _code(source.lines, node, docstring)
    if ";" in text or "\f" in text or re.search(r"\\\r?\n", text):
        return True
    strings: list[ast.Constant | ast.JoinedStr] = [*unit.every(ast.Constant), *unit.every(ast.JoinedStr)]
    said = {id(first.value) for f in unit.every(ast.FunctionDef) if (first := _docstring(f)) is not None}
    if any(n.lineno != n.end_lineno and _is_long(source.lines, n, plain=id(n) in said) for n in strings):
        return True
    compound = (nodes for kind, nodes in unit.kinds.items() if "body" in kind._fields and kind is not ast.Lambda)
    blocks = (getattr(n, name, ()) for nodes in compound for n in nodes for name in BLOCKS)
    firsts = (block[0] for block in blocks if isinstance(block, list) and block)
    return any(source.lines[s.lineno - 1].encode()[: s.col_offset].strip() for s in firsts)


def _is_long(lines: Sequence[str], string: ast.Constant | ast.JoinedStr, *, plain: bool) -> bool:
    """Whether a string over several lines is more than short ones side by side; or one that is `plain` than itself."""
    text = "".join(lines[string.lineno - 1 : string.end_lineno])
    fields = string.values if isinstance(string, ast.JoinedStr) else []
    broken = any(f.lineno != f.end_lineno for f in fields if isinstance(f, ast.FormattedValue))
    return broken or text.count('"""') + text.count("'''") > (2 if plain else 0)


def _code(lines: Sequence[str], node: ast.stmt, docstring: ast.Expr | None) -> str:
    """The lines of a function without those that hold nothing but its docstring, which stays as it is in all forms."""
    if docstring is None:
        return "".join(lines[node.lineno - 1 : node.end_lineno])
    first, last = docstring.lineno, (docstring.end_lineno or docstring.lineno) - 1
    return "".join([*lines[node.lineno - 1 : first], *lines[max(first, last) : node.end_lineno]])


class _Scan:
    """One pass over the tokens of a unit."""

    def __init__(self, unit: Unit) -> None:
        self.unit, self.source = unit, unit.source
        self.above = getattr(unit.node, "lineno", 1) - 1
        statements = [n for n in walk(unit.node) if isinstance(n, ast.stmt)]
        self.starts = {unit.source.start(n): n for n in statements}
        self.kept = {unit.source.start(first) for n in statements if (first := _docstring(n)) is not None}
        self.margins: dict[ast.stmt, str] = {}

    def breaks(self) -> Iterator[Edit]:
        """All departures from the canonical form, in the order of the text."""
        tokens = _tokens(self.source.lines[self.above : getattr(self.unit.node, "end_lineno", 1)])
        before = sign = last = next(tokens)
        for token in tokens:
            if token.type not in SPACES:
                gap = last.type not in ENDS and token.start[0] > last.end[0]
                yield from self._before(token, sign, before, gap and token.start[0] > sign.end[0])
                yield from self._string(token)
                before, sign = sign, token
            last = token

    def _place(self, place: tuple[int, int]) -> Position:
        return Position(place[0] + self.above, place[1] + 1)

    def _before(
        self, token: tokenize.TokenInfo, sign: tokenize.TokenInfo, before: tokenize.TokenInfo, gap: bool
    ) -> Iterator[Edit]:
        """What stands between a token and the one before it, where it is not as it is to be."""
        start, ends = self._place(token.start), sign.type == tokenize.OP and sign.string
        statement = self.starts.get(start)
        if statement is not None and ends in (";", ":"):
            left = before if ends == ";" else sign
            self.margins[statement] = self._margin(statement)
            yield Edit(self._place(left.end), start, f"{self.source.newline}{self.margins[statement]}")
        elif ends == ";":
            yield Edit(self._place(before.end), self._place(sign.end), "")
        elif statement is not None and "\f" in (ahead := _indentation(self.source, start.line)):
            yield Edit(start._replace(column=1), start, ahead.replace("\f", ""))
        elif gap:
            tight = token.string in (*CLOSING, ".") or sign.string in (*OPENING, ".")
            yield Edit(self._place(sign.end), start, "" if tight else " ")

    def _string(self, token: tokenize.TokenInfo) -> Iterator[Edit]:
        start = self._place(token.start)
        if token.type == tokenize.STRING and token.start[0] != token.end[0] and start not in self.kept:
            if (text := _on_one_line(token.string)) is not None:
                yield Edit(start, self._place(token.end), text)

    def _margin(self, statement: ast.stmt) -> str:
        """The indentation of a statement that gets a line of its own."""
        first, owner = self.unit.block(statement)[0], self.unit.parents[statement]
        if statement is not first:
            return self._stands(first)
        head = owner.pattern if isinstance(owner, ast.match_case) else owner
        return self._stands(head) + self.unit.indent

    def _stands(self, node: ast.AST) -> str:
        given = self.margins.get(node) if isinstance(node, ast.stmt) else None
        line: int = node.lineno  # type: ignore[attr-defined]
        return _indentation(self.source, line).replace("\f", "") if given is None else given


def _indentation(source: Source, number: int) -> str:
    line = source.lines[number - 1]
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _docstring(node: ast.AST) -> ast.Expr | None:
    match node:
        case ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_]):
            return first
    return None


def _tokens(lines: Sequence[str]) -> Iterator[tokenize.TokenInfo]:
    """The tokens of some lines; an f-string is one, as up to Python 3.11."""
    rest = iter(lines)
    first, depth = None, 0
    for token in tokenize.generate_tokens(lambda: next(rest, "")):
        match tokenize.tok_name[token.type]:
            case "FSTRING_START":
                first, depth = first or token, depth + 1
            case "FSTRING_END" if depth > 1:
                depth -= 1
            case "FSTRING_END" if first is not None:
                text = list(lines[first.start[0] - 1 : token.end[0]])
                text[-1] = text[-1][: token.end[1]]
                text[0] = text[0][first.start[1] :]
                yield tokenize.TokenInfo(tokenize.STRING, "".join(text), first.start, token.end, first.line)
                first, depth = None, 0
            case _ if first is None:
                yield token


def _on_one_line(string: str) -> str | None:
    """A string over several lines on one, of the same value; line breaks in the fields of an f-string stay."""
    found = QUOTED.fullmatch(string)
    if found is None:
        return None
    prefix, quotes, text = found.groups()
    parts = FIELD.split(text) if "f" in prefix.lower() else [text]
    raw = "r" in prefix.lower()
    plain = "".join(part if at % 2 else _escaped(part, raw) for at, part in enumerate(parts))
    made = f"{prefix.translate(NOT_RAW)}{quotes}{plain}{quotes}"
    return made if made != string and _value(made) == _value(string) else None


def _escaped(text: str, raw: bool) -> str:
    if raw:
        return re.sub(r"\r?\n", r"\\n", text.replace("\\", "\\\\"))
    return NEWLINE.sub(lambda end: end[1] + ("" if end[2] else "\\n"), text)


def _value(code: str) -> str | None:
    try:
        return ast.dump(ast.parse(code, mode="eval"))
    except SyntaxError:  # it differs from what does parse, and is left as it was
        return None
