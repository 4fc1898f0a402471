"""A Python file with lines of IPython in it, as Colab and Jupytext export notebooks: the same lines as plain Python."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scanlint.project.cells.ipython import MARK, SAME_NAMESPACE, cell_magic, python, unknown_magic
from scanlint.syntax.regex import regex

HEAD = regex(r"#[ \t]*(?:%%|In\[[\d ]*\]|<codecell>)")


@dataclass(frozen=True)
class CellScript:
    """A file of cells as plain Python: as many lines as the file has, each of IPython's with one that stands for it.

    Lines and columns of the program are those of the file. `left_out` says which cells may have been meant to be read,
    `refused` why the file cannot hold a change that `holds` denies.
    """

    text: str
    stand_ins: dict[str, str]
    left_out: tuple[str, ...] = ()
    refused: str = "cells: a line of IPython would be lost or change its place"

    def holds(self, text: str) -> bool:
        """A changed program still has every line that stands for one of IPython's, in order."""
        return [*self._marked(text)] == [*self._marked(self.text)]

    def written(self, text: str) -> str:
        """The file of a changed program."""
        return "".join(self.shown(line) for line in text.splitlines(keepends=True))

    def shown(self, line: str) -> str:
        """A line of the program as it stands in the file."""
        body = line.rstrip("\r\n")
        return self.stand_ins.get(body, body) + line[len(body) :]

    def _marked(self, text: str) -> Iterator[str]:
        return (line for line in text.splitlines() if line in self.stand_ins)


def cell_script(text: str) -> CellScript | None:
    """The program in a file of cells; None where the file is plain Python."""
    if parses(text):
        return None
    whole = text.split("\n")
    ends = ["\r" if line.endswith("\r") else "" for line in whole]
    lines = [line.removesuffix("\r") for line in whole]
    mark = unused(MARK, text)
    made: list[str] = []
    left_out: list[str] = []
    for first, cell in _cells(lines):
        head = 1 if cell and HEAD.match(cell[0]) else 0
        magic = cell_magic(cell[head:])
        if magic is None or magic in SAME_NAMESPACE:
            made += [*cell[:head], *python(cell[head:], mark)]
            continue
        made += [*cell[:head], *(f"# {mark} {line}" for line in cell[head:])]
        if unknown_magic(magic):
            left_out.append(
                f"the cell at line {first + 1} is left out: whether `%%{magic}` runs it as Python is not known"
            )
    return CellScript("\n".join(map("".join, zip(made, ends, strict=True))), stand_ins(made, lines), tuple(left_out))


def parses(text: str, *, unless_deep: bool = True) -> bool:
    """Whether a text is Python; `unless_deep` is the answer for what is nested too deeply for the parser."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError:
        return False
    except (ValueError, RecursionError, MemoryError):  # said by who parses the file
        return unless_deep
    return True


def stand_ins(made: Sequence[str], lines: Sequence[str]) -> dict[str, str]:
    """The lines of a program that stand for others, with those."""
    return {new: old for new, old in zip(made, lines, strict=True) if new != old}


def unused(mark: str, text: str) -> str:
    """The mark, longer where the text has it."""
    while mark in text:
        mark += ":"
    return mark


def _cells(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """The cells of a file, each from its head on, with the number of its first line from 0."""
    heads = [at for at, line in enumerate(lines) if HEAD.match(line)]
    starts = [0, *(at for at in heads if at)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield start, lines[start:end]
