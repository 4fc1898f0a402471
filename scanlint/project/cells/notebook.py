"""A notebook as one program: the code of its cells, and the way of a changed program back into them."""

from __future__ import annotations

import ast
import builtins
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, cast

from scanlint.finding import Position
from scanlint.project.cells import json_text
from scanlint.project.cells.cell_script import parses
from scanlint.project.cells.ipython import MARK, SAME_NAMESPACE, cell_magic, python, unknown_magic
from scanlint.project.cells.json_text import JsonValue
from scanlint.project.cells.redefined import told_apart
from scanlint.syntax.edits import split_lines

SUFFIX = ".ipynb"


class NotNotebookError(Exception):
    """A file that is no notebook, and the place that shows it."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class CodeCell(NamedTuple):
    """A cell of code: its number among all cells, where its source stands, and the first line of it in the program."""

    number: int
    source: JsonValue
    above: int
    lines: tuple[str, ...]

    @property
    def below(self) -> int:
        """The line of the program after it."""
        return self.above + len(self.lines)


@dataclass(frozen=True)
class Notebook:
    """The text of a file, the cells that hold Python, and the program that they are.

    Above each cell stands a line that `mark`s it; so does each line that stands for one of IPython's, in `stand_ins`.
    `left_out` says what is no part of the program and may have been meant to be. The cells of which the numbers are in
    `broken` are no Python: each of their lines is a comment in the program. `written_as` has the letters by which the
    program tells definitions of one name apart.
    """

    raw: str
    cells: tuple[CodeCell, ...]
    text: str
    mark: str
    stand_ins: dict[str, str]
    left_out: tuple[str, ...] = ()
    broken: tuple[int, ...] = ()
    written_as: Mapping[int, str] = field(default_factory=dict)

    def place(self, position: Position) -> tuple[int, Position]:
        """The cell of a place in the program, and the place in it; 1 and the first line where there is none."""
        for cell in self.cells:
            if position.line < cell.below or cell is self.cells[-1]:
                return cell.number, position._replace(line=max(position.line - cell.above + 1, 1))
        return 1, Position(1, 1)

    def cell(self, number: int) -> CodeCell | None:
        """The cell with a number, if it holds Python."""
        return next((cell for cell in self.cells if cell.number == number), None)

    def alone(self, number: int) -> str:
        """One cell as it stands in the file, with nothing but empty lines above it."""
        cell = self.cell(number)
        assert cell is not None
        return "\n" * (cell.above - 1) + "\n".join(python(_lines(cell.source.value) or (), self.mark))

    def holds(self, text: str) -> bool:
        """Whether a changed program can be put back, and what each cell needs stands in it or above it."""
        made = self._divided(text)
        if made is None or [*self._marked(text)] != self._kept:
            return False
        known = set(dir(builtins))
        try:
            for old, new in zip(self._sources, made, strict=True):
                before, after = ast.parse("\n".join(old)), ast.parse("\n".join(new))
                known |= _bound(after)
                if not _read(after) - _read(before) <= known:
                    return False
        except SyntaxError:  # a statement that begins in one cell and ends in another
            return False
        return True

    def written(self, text: str) -> str:
        """The file with the cells of a changed program. ValueError where it does not hold them."""
        made = self._divided(text)
        if made is None:
            raise ValueError("the cells of the notebook are not found again")
        raw = self.raw
        for cell, old, new in reversed(list(zip(self.cells, self._sources, made, strict=True))):
            if old != new:
                lines = [self.stand_ins.get(line, line).translate(self.written_as) for line in new]
                raw = raw[: cell.source.start] + self._source(cell, lines) + raw[cell.source.end :]
        return raw

    @cached_property
    def _sources(self) -> list[list[str]]:
        made = self._divided(self.text)
        assert made is not None
        return made

    @cached_property
    def _kept(self) -> list[str]:
        return [*self._marked(self.text)]

    def _marked(self, text: str) -> Iterator[str]:
        """The lines that stand for others, in order."""
        return (line for line in text.split("\n") if line in self.stand_ins)

    def _divided(self, text: str) -> list[list[str]] | None:
        """The lines of each cell, without their ends; None if a mark is missing."""
        made: list[list[str]] = []
        for line in text.split("\n")[:-1]:
            if len(made) < len(self.cells) and line == _head(self.mark, self.cells[len(made)].number):
                made.append([])
            elif made:
                made[-1].append(line)
            else:
                return None
        return made if len(made) == len(self.cells) else None

    def _source(self, cell: CodeCell, lines: Sequence[str]) -> str:
        """The source of a cell as the file spells sources: one string, or a list of lines."""
        text = "\n".join(lines)
        ascii_only = json_text.plain(self.raw)
        if isinstance(cell.source.value, str):
            return json.dumps(text, ensure_ascii=ascii_only)
        before = "\n".join(self.stand_ins.get(line, line) for line in cell.lines)
        plain = split_lines(before) == cell.source.value
        listed = split_lines(text) if plain else text.splitlines(keepends=True)
        return json_text.relisted(self.raw, cell.source, listed, ascii_only=ascii_only)


def parse(raw: str) -> Notebook:
    """The notebook in a text; one of another language holds no cells. Raises NotNotebookError."""
    try:
        whole = json_text.value(raw)
        if rest := raw[whole.end :].strip():
            raise json.JSONDecodeError("Extra data", raw, raw.index(rest, whole.end))
    except json.JSONDecodeError as error:
        raise NotNotebookError(f"this is no JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        raise NotNotebookError("this is no notebook: it is nested too deeply") from None
    match whole.value:
        case {"cells": [*cells], "nbformat": int(version)} if version >= 4:
            pass
        case {"worksheets": _}:
            raise NotNotebookError(
                "this is a notebook of a format before 4: `jupyter nbconvert --to notebook` updates it"
            )
        case _:
            raise NotNotebookError("this is no notebook: it has no cells")
    language = _language(whole.value)
    if language != "python":
        return replace(_joined(raw, []), left_out=(f"a notebook of {language}: not checked",) if cells else ())
    sources = [*_sources(raw, whole, cells)]
    inside = [source for source in sources if cell_magic(source[2]) in (None, *SAME_NAMESPACE)]
    unknown = [(n, magic) for n, _, lines in sources if (magic := cell_magic(lines)) is not None]
    return replace(_whole(raw, inside), left_out=tuple(_left_out(n, m) for n, m in unknown if unknown_magic(m)))


def _left_out(number: int, magic: str) -> str:
    return f"cell {number} is left out: whether `%%{magic}` runs it as Python is not known"


def _language(document: object) -> str:
    match document:
        case {"metadata": {"language_info": {"name": str(name)}}} | {
            "metadata": {"kernelspec": {"language": str(name)}}
        }:
            return "python" if name.lower() in ("python", "ipython") else name
    return "python"


def _sources(raw: str, whole: JsonValue, cells: Sequence[object]) -> Iterator[tuple[int, JsonValue, list[str]]]:
    """The cells of code: number, place and lines."""
    [array] = [span for key, span in json_text.members(raw, whole.start) if key == "cells"][-1:]
    for number, (cell, span) in enumerate(zip(cells, json_text.items(raw, array.start), strict=True), start=1):
        if not isinstance(cell, dict):
            raise NotNotebookError(f"this is no notebook: cell {number} is no object")
        if cell.get("cell_type") != "code":
            continue
        found = [inner for key, inner in json_text.members(raw, span.start) if key == "source"]
        lines = _lines(found[-1].value) if found else None
        if lines is None:
            raise NotNotebookError(f"this is no notebook: cell {number} has no source")
        yield number, found[-1], lines


def _lines(source: object) -> list[str] | None:
    """The lines of a source, without their ends; an empty one at the end where the last has one."""
    if isinstance(source, list) and all(isinstance(item, str) for item in source):
        source = "".join(cast("list[str]", source))
    return source.split("\n") if isinstance(source, str) else None


def _whole(raw: str, sources: Sequence[tuple[int, JsonValue, list[str]]]) -> Notebook:
    """The program of all cells, or, where that is no Python, of those that are on their own."""
    made = _joined(raw, sources)
    if parses(made.text):
        return made
    broken = tuple(cell.number for cell in made.cells if not parses("\n".join(cell.lines)))
    rest = _joined(raw, sources, broken)
    return rest if parses(rest.text) else made


def _joined(raw: str, sources: Sequence[tuple[int, JsonValue, list[str]]], broken: tuple[int, ...] = ()) -> Notebook:
    mark = MARK
    while any(mark in line for _, _, lines in sources for line in lines):
        mark += ":"
    cells: list[CodeCell] = []
    text: list[str] = []
    stand_ins: dict[str, str] = {}
    codes = [[f"# {mark} {x}" for x in lines] if n in broken else python(lines, mark) for n, _, lines in sources]
    both = [[*zip(code, lines, strict=True)] for code, (_, _, lines) in zip(codes, sources, strict=True)]
    fixed = [frozenset(at for at, (new, old) in enumerate(pairs) if new != old) for pairs in both]
    apart, written_as = told_apart(codes, fixed)
    for code, own, pairs, (number, source, _) in zip(codes, apart, both, sources, strict=True):
        stand_ins |= {new: old for new, old in pairs if new != old}
        text += [_head(mark, number), *own]
        cells.append(CodeCell(number, source, len(text) - len(code) + 1, tuple(code)))
    whole = "".join(f"{line}\n" for line in text)
    return Notebook(raw, tuple(cells), whole, mark, stand_ins, broken=broken, written_as=written_as)


def _head(mark: str, number: int) -> str:
    return f"# {mark} cell {number}"


def _read(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _bound(tree: ast.Module) -> set[str]:
    """The names that anything in a cell binds."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=given):
                found.add(given or name.partition(".")[0])
    return found
