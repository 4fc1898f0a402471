"""The blocks of Python in a file of Markdown, as one program with as many lines as the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scanlint.project.cells.cell_script import CellScript, parses, stand_ins, unused
from scanlint.project.cells.ipython import MARK, python
from scanlint.syntax.regex import regex

FENCE = regex(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)\Z")
LANGUAGES = frozenset(["python", "py", "python3", "ipython", "ipython3", "{python}", "{code-cell}", "{code-block}"])
OTHERS = frozenset(["{code-cell}", "{code-block}"])
"""Directives of MyST, which name the language behind them, or the notebook's."""
PROSE, OPENS, CLOSES = "markdown:", "markdown opens:", "markdown closes:"
"""Stand with the number of the line: what prose says of ignores and types is none of the program's."""
PROMPT = ">>>"


class FencedBlock(NamedTuple):
    """Lines between two fences, from 0: those of the fences, and whether they are said to hold Python."""

    opens: int
    closes: int
    python: bool
    indented: bool


@dataclass(frozen=True)
class MarkdownProgram(CellScript):
    """Prose and fences are comments; a change stays between the fences of a block."""

    refused: str = "cells: what it needs does not stand between the fences of a block"

    def holds(self, text: str) -> bool:
        """Every line of prose and every fence is there, in order, and all that is new stands in a block."""
        inside = False
        for line in text.splitlines():
            if line not in self.stand_ins and line.strip() and not inside:
                return False
            inside = OPENS in line if line in self.stand_ins and (OPENS in line or CLOSES in line) else inside
        return super().holds(text)


def markdown_program(text: str) -> MarkdownProgram:
    """The program that the blocks of Python in a text of Markdown are together, in their order.

    What parses as no Python is left out, as are blocks that are indented.
    """
    whole = text.split("\n")
    ends = ["\r" if line.endswith("\r") else "" for line in whole]
    lines = [line.removesuffix("\r") for line in whole]
    mark, prose, opens, closes = (unused(words, text) for words in (MARK, PROSE, OPENS, CLOSES))
    made = [f"# {prose} {at}" if line.strip() else line for at, line in enumerate(lines, 1)]
    left_out = []
    for block in _blocks(lines):
        body = lines[block.opens + 1 : block.closes]
        code = python([*_without_options(body, mark)], mark)
        if not block.python or not any(map(str.strip, body)):
            continue
        if block.indented or not parses("\n".join(code), unless_deep=False):
            if not body[0].lstrip().startswith(PROMPT):
                why = "it is indented" if block.indented else "it is no Python"
                left_out.append(f"the block at line {block.opens + 1} is left out: {why}")
            continue
        made[block.opens] = f"# {opens} {block.opens + 1}"
        made[block.opens + 1 : block.closes] = code
        if block.closes < len(lines):
            made[block.closes] = f"# {closes} {block.closes + 1}"
    program = "\n".join(map("".join, zip(made, ends, strict=True)))
    return MarkdownProgram(program, stand_ins(made, lines), tuple(left_out))


def _blocks(lines: Sequence[str]) -> Iterator[FencedBlock]:
    """The fenced blocks, one that is not closed up to the end."""
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening is None:
            at += 1
            continue
        closes = next((n for n in range(at + 1, len(lines)) if _closes(lines[n], opening["fence"])), len(lines))
        yield FencedBlock(at, closes, _of_python(opening["info"].split()), bool(opening["indent"]))
        at = closes + 1


def _closes(line: str, fence: str) -> bool:
    body = line.strip()
    return len(body) >= len(fence) and set(body) == {fence[0]}


def _of_python(info: Sequence[str]) -> bool:
    """The words behind an opening fence name Python."""
    language = info[0].lower() if info else ""
    named = info[1].lower() if len(info) > 1 and language in OTHERS else "python"
    return language in LANGUAGES and named in LANGUAGES


def _without_options(body: Sequence[str], mark: str) -> Iterator[str]:
    """The lines of a block with the options of a directive (`:tags: [x]`, or between two `---`) as comments."""
    fenced = bool(body) and body[0].strip() == "---"
    options = True
    for at, line in enumerate(body):
        if options and (fenced or line.startswith(":")):
            options = not (fenced and at and line.strip() == "---")
            yield f"# {mark} {line}"
        else:
            options = False
            yield line
