"""The lines that an answer names, counted from the function that it is about: so it holds wherever that stands."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

Answer = Mapping[str, object]
COUNTED = "lines_counted"
"""Marks answers whose lines are counted from the first one of their function."""
SAID = ("reason", "counterexample", "notes", "evidence")
"""The fields of an answer in which lines may be named."""
LINE = re.compile(r"\bline (\d+)")
ELSEWHERE = re.compile(r"\blines \d|:\d|\bline \d+ (?:of|in) ")
"""Words that name several lines, or those of some file."""


class DefinitionLines(NamedTuple):
    """The first and the last line of a function or class in a text."""

    first: int
    last: int


class NotCountable(Exception):
    """An answer names a line outside of its function, or one that its two texts count otherwise."""


def counted(answer: Answer, old: str, new: str, function: str) -> Answer | None:
    """The answer with its lines counted from the function's first; None where that does not tell which they are."""
    before, after = span(old, function), span(new, function)

    def inside(line: int, place: DefinitionLines | None) -> int:
        if place is None or not place.first <= line <= place.last:
            raise NotCountable
        return line - place.first

    def number(line: int) -> int:
        if before is None or after is None or before.first != after.first:
            raise NotCountable
        return inside(line, DefinitionLines(before.first, max(before.last, after.last)))

    rest = json.dumps({name: value for name, value in answer.items() if name not in (*SAID, "carries")})
    if LINE.search(rest) or any(ELSEWHERE.search(text) for text in (rest, *_texts(answer))):
        return None
    try:
        return {**_changed(answer, number, lambda line: inside(line, after)), COUNTED: True}
    except NotCountable:  # the answer is asked for anew
        return None


def placed(answer: Answer, old: str, new: str, function: str) -> Answer | None:
    """A kept answer with the lines of these texts; None where they do not count them alike."""
    if COUNTED not in answer:
        return answer
    before, after = span(old, function), span(new, function)

    def number(line: int) -> int:
        if before is None or after is None or before.first != after.first:
            raise NotCountable
        return line + before.first

    def carried(line: int) -> int:
        if after is None:
            raise NotCountable
        return line + after.first

    try:
        found = _changed(answer, number, carried)
    except NotCountable:  # the answer is asked for anew
        return None
    return {name: value for name, value in found.items() if name != COUNTED}


def span(text: str, function: str) -> DefinitionLines | None:
    """Where the function, or the class whose method it is, stands in a text; None where it stands there not once."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # lines are not counted in what does not parse
        return None
    name = function.partition(".")[0]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = [s for s in module.body if isinstance(s, kinds) and s.name == name]
    if len(found) != 1:
        return None
    first = min([found[0].lineno, *(d.lineno for d in found[0].decorator_list)])
    return DefinitionLines(first, found[0].end_lineno or first)


def part(text: str, function: str) -> str:
    """The lines of the function, or of the class whose method it is."""
    place = span(text, function)
    return "".join(text.splitlines(keepends=True)[place.first - 1 : place.last]) if place is not None else text


def _texts(answer: Answer) -> list[str]:
    """What an answer says in words."""
    said = [answer.get(name) for name in SAID]
    return [text for part in said for text in (part if isinstance(part, list) else [part]) if isinstance(text, str)]


def _changed(answer: Answer, number: Callable[[int], int], carried: Callable[[int], int]) -> dict[str, object]:
    """The answer with other numbers of lines, in what it says and of the carries of the new version."""

    def words(value: object) -> object:
        if isinstance(value, list):
            return [words(part) for part in value]
        return LINE.sub(lambda m: f"line {number(int(m[1]))}", value) if isinstance(value, str) else value

    found = {**answer, **{name: words(answer[name]) for name in SAID if name in answer}}
    carries = cast("list[dict[str, object]]", answer.get("carries") or [])
    if carries:
        found["carries"] = [{**carry, "line": carried(int(str(carry["line"])))} for carry in carries]
    return found
