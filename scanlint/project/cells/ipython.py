"""Replaces lines that only IPython understands by lines of Python, one for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanlint.jaxapi.words import words
from scanlint.syntax.regex import regex

MARK = "ipython:"
"""Stands in each line that was made of one of IPython's."""
ESCAPES = "%!?,;/"
"""With one of these no statement of Python begins."""
SAME_NAMESPACE = frozenset(
    {"capture", "debug", "memit", "mprun", "prun", "time", "timeit", "lprun", "scalene", "ipytest"}
)
"""Magics of a whole cell under which it runs as Python, beside the others."""
ELSEWHERE = words(
    "! HTML R SVG bash bigquery cmd cpp cython file html javascript js julia latex markdown perl pypy python python2 "
    "python3 ruby script sh sql svg sx system writefile"
)
"""Magics under which a cell is of another language, or a program of its own."""
PIECE = regex(r"(?P<comment>\#[^\n]*)|(?P<quote>'''|\"\"\"|'|\")|(?P<open>[\[({])|(?P<close>[\])}])", re.DOTALL)
ENDS = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in ("'''", '"""')}
ENDS |= {quote: re.compile(rf"(?:\\(?:.|\n)|[^\\\n{quote}])*(?:{quote}|\n|$)") for quote in ("'", '"')}
ASSIGNED = regex(r"^(?P<target>[\w\s.,*\[\]'\"()]+?)\s*=\s*[!%]")
BARE = regex(
    r"(?:timeit|time|prun|pip|conda|cd|ls|mkdir|rm|cp|mv|cat|run|load|load_ext|who|whos|reset|pylab)"
    r"[ \t]+(?:-\w+[ \t]+)*(?!(?:and|or|in|is|if|for|not)\b)[\w/~.]"
)
"""Magics that people call without a `%`, with a word behind them: in Python no word follows a name."""
GIVEN = regex(r"=\s*[!%]")
DEFINED = regex(r"(?:async\s+)?def\s")


class Logical(NamedTuple):
    """A statement or head of one: its first line, the line after it, its text without comments and strings."""

    first: int
    end: int
    code: str


def cell_magic(lines: Sequence[str]) -> str | None:
    """The magic of a whole cell, if it has one."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return next(iter(first[2:].split()), "") if first.startswith("%%") else None


def unknown_magic(magic: str) -> bool:
    """A magic of a whole cell of which nobody knows whether the cell is Python."""
    return magic not in SAME_NAMESPACE and magic not in ELSEWHERE


def python(lines: Sequence[str], mark: str) -> list[str]:
    """The lines of a cell (without their ends) as Python; each that is none becomes one that tells of it.

    Those in functions become calls of what is not known, as they do something each time; others comments, or `pass`.
    """
    made = list(lines)
    if not any(_suspect(line) for line in lines):
        return made
    suites: list[tuple[int, bool]] = []
    for part in _logical(lines):
        line = lines[part.first]
        indent = line[: len(line) - len(line.lstrip())]
        while suites and len(indent) <= suites[-1][0]:
            suites.pop()
        if _escaped(part.code):
            inside = any(function for _, function in suites)
            made[part.first] = _stand_in(line, indent, mark, inside=inside)
            made[part.first + 1 : part.end] = [
                f"{indent}# {mark} {below}" for below in lines[part.first + 1 : part.end]
            ]
        elif part.code.strip():
            suites.append((len(indent), DEFINED.match(part.code.strip()) is not None))
    return made


def _suspect(line: str) -> bool:
    """Whether a line may be none of Python: a quick look, which code may fail."""
    body = line.strip()
    if not body:
        return False
    return body[0] in ESCAPES or "?" in body or bool(BARE.match(body) or GIVEN.search(body))


def _stand_in(line: str, indent: str, mark: str, *, inside: bool) -> str:
    body = line.strip()
    if assigned := ASSIGNED.match(body):
        return f"{indent}{assigned['target']} = get_ipython().getoutput({line!r})"
    if inside:
        return f"{indent}get_ipython().run_cell({line!r})"
    return f"{indent}pass  # {mark} {line}" if indent else f"# {mark} {line}"


def _escaped(code: str) -> bool:
    body = code.strip()
    if not body:
        return False
    return body[0] in ESCAPES or body[-1] == "?" or bool(BARE.match(body) or ASSIGNED.match(body))


def _logical(lines: Sequence[str]) -> Iterator[Logical]:
    """The statements of a cell, line by line; what IPython has of its own goes on below a backslash alone."""
    at = 0
    while at < len(lines):
        body = lines[at].strip()
        if body[:1] and body[0] in ESCAPES:
            end = at + 1
            while lines[end - 1].endswith("\\") and end < len(lines):
                end += 1
            yield Logical(at, end, body)
        else:
            end, code = _statement(lines, at)
            yield Logical(at, end, code)
        at = end


def _statement(lines: Sequence[str], first: int) -> tuple[int, str]:
    """The line after a statement that begins on a line, and its code."""
    text = "\n".join(lines[first:])
    at, depth, code = 0, 0, ""
    while at < len(text):
        piece = PIECE.search(text, at)
        stop = piece.start() if piece else len(text)
        for found in re.finditer(r"\n", text[at:stop]):
            before = code + text[at : at + found.start()]
            if not depth and not before.endswith("\\"):
                return first + text.count("\n", 0, at + found.start()) + 1, before
        code += text[at:stop]
        if piece is None:
            break
        at = piece.end()
        if piece["quote"]:
            closed = ENDS[piece["quote"]].match(text, at)
            at = closed.end() if closed else len(text)
            at -= closed is not None and closed[0].endswith("\n") and len(piece["quote"]) == 1
            code += '""'
        elif not piece["comment"]:
            depth = max(depth + (1 if piece["open"] else -1), 0)
            code += piece[0]
    return len(lines), code
