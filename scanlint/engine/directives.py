"""The `# scanlint: ...` comments of a file: where each stands, what it says and which lines it speaks of."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scanlint.finding import Position
from scanlint.syntax.edits import split_lines
from scanlint.syntax.regex import regex

if TYPE_CHECKING:
    import ast

MARK = "scanlint"
_DIRECTIVE = regex(r"#\s*scanlint:\s*(?P<word>[\w-]+)(?P<space>\s*)(?P<names>\[[^\]]*\])?")
_SLIP = regex(
    r"#[ \t]*(?:noqa:[^#\r\n]*\bSCN\d|scanlint"
    r"(?:[ \t]*:[ \t]*(?:(?:disable|enable)(?:-next-line|-line)?|noqa|skip|off|ignores)\b"
    r"|[ \t]+:[ \t]*ignore\b|[ \t]+(?:ignore(?:-file)?|disable|noqa)[ \t]*(?:[\[=(:]|$)))[^#\r\n]*",
    re.IGNORECASE | re.MULTILINE,
)
"""What other tools would take for an ignore."""
_LAYOUT = frozenset(
    {tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment. `lines` are the first and last line that it speaks of, `names` what stands in its brackets.

    `start` and `end` bound the directive alone: a comment before it (`# why  # scanlint: ...`) or after it is not
    part of it. `alone`: nothing but the comment stands on the line. `top`: no code stands above it.
    """

    word: str
    names: tuple[str, ...] | None
    rest: str
    start: Position
    end: Position
    lines: tuple[int, int]
    alone: bool
    top: bool


class Given(NamedTuple):
    """One set of inputs that the user gives, and the line where it begins."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class _Comment:
    token: tokenize.TokenInfo
    alone: bool
    top: bool
    lines: tuple[int, int]


def directives(text: str) -> tuple[Directive, ...]:
    """All directives of a file in order; strings that look like one are none."""
    if MARK not in text:
        return ()
    return tuple(d for comment in _comments(text) for d in _parse(comment))


def slips(text: str) -> Iterator[tuple[Position, Position, str]]:
    """Comments that are meant as ignores and are none: where each begins and ends, and its text."""
    for token in _tokens(text) if _SLIP.search(text) else ():
        for match in _SLIP.finditer(token.string) if token.type == tokenize.COMMENT else ():
            line, column = token.start
            said = match[0].rstrip()
            start = column + match.start() + 1
            yield Position(line, start), Position(line, start + len(said)), said


def _parse(comment: _Comment) -> Iterator[Directive]:
    text, (line, column) = comment.token.string, comment.token.start
    for match in _DIRECTIVE.finditer(text):
        after = text.find("#", match.end()) if match["word"] != "inputs" else -1
        end = len(text) if after < 0 else after
        names = match["names"]
        listed = tuple(name.strip() for name in names[1:-1].split(",") if name.strip()) if names is not None else None
        yield Directive(
            word=match["word"],
            names=listed,
            rest=text[match.end() : end].strip(),
            start=Position(line, column + match.start() + 1),
            end=Position(line, column + len(text[:end].rstrip()) + 1),
            lines=comment.lines,
            alone=comment.alone and not text[: match.start()].strip() and after < 0,
            top=comment.top,
        )


def _comments(text: str) -> Iterator[_Comment]:
    """The comments that hold the mark.

    One at the end of a line speaks of that line, and of the whole statement where it ends it; one alone on its line
    speaks of the statement below, or inside brackets of the next line.
    """
    lines = split_lines(text)
    top = True
    for group in _statements(text):
        code = [token for token in group if token.type not in _LAYOUT]
        first, last = (code[0].start[0], code[-1].end[0]) if code else (0, 0)
        for token in group:
            if token.type != tokenize.COMMENT or MARK not in token.string:
                continue
            line, column = token.start
            alone = not lines[line - 1][:column].strip()
            if not alone:
                spoken = (first if line == last else line, line)
            elif line < first:
                spoken = (first, last)
            else:
                spoken = (line + 1, line + 1) if code else (line, line)
            yield _Comment(token, alone, top and (not first or line < first), spoken)
        top = top and (not code or (len(code) == 1 and code[0].type == tokenize.STRING))


def _statements(text: str) -> Iterator[list[tokenize.TokenInfo]]:
    """The tokens of each statement (of a compound one: its head), with the comments above it."""
    group: list[tokenize.TokenInfo] = []
    for token in _tokens(text):
        if token.type == tokenize.NEWLINE:
            yield group
            group = []
        group.append(token)
    yield group


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens up to the place where the file stops being Python, if there is one."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    except (tokenize.TokenError, SyntaxError):  # what does not parse is a finding of its own
        return


def function_heads(text: str) -> frozenset[int]:
    """The lines on which functions begin, for whoever reads from above: at the `def` or a decorator."""
    import ast

    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(line for node in functions for line in _heads(node))


def _heads(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    return {node.lineno, *(decorator.lineno for decorator in node.decorator_list)}


def given_inputs(text: str) -> dict[int, tuple[Given, ...]]:
    """The inputs that `# scanlint: inputs ...` comments give, by the line of the `def` below.

    Several above one function are joined, until one speaks of a parameter again: that begins a further set of inputs.
    """
    inputs = [d for d in directives(text) if d.word == "inputs" and d.alone]
    if not inputs:
        return {}
    import ast

    given: dict[int, tuple[Given, ...]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if found := _sets([d for d in inputs if d.lines[0] in _heads(node)]):
                given[node.lineno] = found
    return given


def _sets(inputs: Sequence[Directive]) -> tuple[Given, ...]:
    found: list[Given] = []
    said: set[str] = set()
    for directive in inputs:
        rest = directive.rest.strip(", ")
        names = set(_parameters(rest))
        if found and not names & said:
            found[-1] = Given(f"{found[-1].text}, {rest}", found[-1].line)
        else:
            found.append(Given(rest, directive.start.line))
            said = set()
        said |= names
    return tuple(found)


def _parameters(spec: str) -> Iterator[str]:
    """The names before a colon that stand outside of all brackets."""
    depth = 0
    for match in re.finditer(r"[\[({]|[\])}]|([A-Za-z_]\w*)\s*:", spec):
        depth += (match[0] in "[({") - (match[0] in "])}")
        if match[1] and depth == 0:
            yield match[1]


def free_line_ends(text: str) -> frozenset[int]:
    """The lines whose end can take a comment: not inside a string, not before a backslash's line break."""
    lines: set[int] = set()
    for token in _tokens(text):
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            lines.add(token.start[0])
    return frozenset(lines)
