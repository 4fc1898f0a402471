"""Comments that a rewrite would lose, put above what stands in the place of their statements."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scanlint.finding import Edit, Position
from scanlint.syntax.edits import apply_edits, split_lines, unmarked
from scanlint.syntax.regex import regex

TOOLS = regex(r"#\s*(?:type:|noqa|fmt:|isort:|pragma\b|pylint:|pyright:|mypy:|ruff:|scanlint:)")
"""What tools are told about the line that a comment stands on."""


class _KeptComment(NamedTuple):
    place: Position
    text: str


def with_remarks(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with the comments above them that they leave out; those of a statement that is only taken out go."""
    lines, made = split_lines(text), list(edits)
    if not any("#" in line for e in edits if e.text for line in lines[e.start.line - 1 : e.end.line]):
        return made
    try:
        left = Counter(comment.text for comment in _comments(unmarked(apply_edits(text, edits))[0]))
    except (tokenize.TokenError, SyntaxError):
        return made  # it is refused where it is parsed
    lost: dict[int, list[str]] = {}
    owners = [(next((i for i, e in enumerate(edits) if e.start <= c.place < e.end), None), c) for c in _comments(text)]
    for at, comment in sorted(owners, key=lambda pair: pair[0] is not None):  # those that no edit touches first
        if left[comment.text]:
            left[comment.text] -= 1
        elif at is not None and edits[at].text and not TOOLS.match(comment.text):
            lost.setdefault(at, []).append(comment.text)
    for at, remarks in lost.items():
        edit = edits[at]
        if edit.start.column == 1:
            made[at] = edit._replace(text=_above(edit.text, remarks))
        else:
            line = Position(edit.start.line, 1)
            if not any(e.start < line < e.end for e in edits):
                code = lines[line.line - 1]
                made.append(Edit(line, line, _above(code, remarks).removesuffix(code)))
    return made


def _comments(text: str) -> list[_KeptComment]:
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return [_KeptComment(Position(t.start[0], t.start[1] + 1), t.string) for t in tokens if t.type == tokenize.COMMENT]


def _above(code: str, remarks: Sequence[str]) -> str:
    """Comments on lines of their own above the first statement of a text."""
    blank = re.match(r"(?:[ \t]*\r?\n)*", code)
    start = blank.end() if blank is not None else 0
    margin = code[start : len(code) - len(code[start:].lstrip(" \t"))]
    newline = "\r\n" if "\r\n" in code else "\n"
    return code[:start] + "".join(f"{margin}{remark}{newline}" for remark in remarks) + code[start:]
