"""A rule's page for a terminal: what, why, one example, when to leave it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

from scanlint.report.paint import Paint
from scanlint.syntax.regex import regex

MOST_LINES = 60
SHOWN = ("What it does", "Why", "Example", "When to leave it")
FENCE = regex(r"^```(?P<role>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = regex(r"^(#+) (.*)$")
QUOTED = regex(r"`([^`]+)`")
ERROR = regex(r"\s*# error: \[[\w-]+\]")
IMPORTS = regex(r"(?:(?:import|from) [^\n]*\n|\n)+")


def brief(page: str, name: str, paint: Paint, width: int) -> str:
    """The page in at most 60 lines; what does not fit is left out from the end of what is said about leaving it."""
    sections = _sections(page)
    tail = ["", f"The whole page: {paint.bold(f'scanlint rule {name} --full')}"]
    title = page.partition("\n")[0].removeprefix("# ")
    lines = [paint.bold(title)]
    for heading in SHOWN:
        body = sections.get(heading, "")
        if made := list(_example(body, paint) if heading == "Example" else _prose(body, paint, width)):
            lines += ["", paint.bold(heading), *made]
    room = MOST_LINES - len(tail)
    if len(lines) > room:
        lines = [*lines[: room - 1], "  ..."]
    return "\n".join([*lines, *tail]) + "\n"


def styled(page: str, paint: Paint) -> str:
    """The whole page, with its headings and what it quotes in colour."""
    if not paint.on:
        return page
    made: list[str] = []
    code = False
    for line in page.split("\n"):
        code = code != line.startswith("```")
        heading = HEADING.match(line)
        made.append(line if code else paint.bold(heading[2]) if heading else _quoted(line, paint))
    return "\n".join(made)


def _sections(page: str) -> Mapping[str, str]:
    """The text below each heading of the second level."""
    _, *parts = re.split(r"^## ", page, flags=re.MULTILINE)
    return {heading: body for heading, _, body in (part.partition("\n") for part in parts)}


def _prose(body: str, paint: Paint, width: int) -> Iterator[str]:
    """The paragraphs of a section that are no code, wrapped."""
    for paragraph in filter(None, (part.strip() for part in FENCE.sub("", body).split("\n\n"))):
        text = " ".join(paragraph.split())
        yield from (
            _quoted(line, paint) for line in textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ")
        )


def _quoted(line: str, paint: Paint) -> str:
    return QUOTED.sub(lambda found: paint.blue(found[1]), line) if paint.on else line


def _example(body: str, paint: Paint) -> Iterator[str]:
    """The first program of a section, and what becomes of it, without their imports."""
    blocks = [(found["role"].split()[-1:], found["code"]) for found in FENCE.finditer(body)]
    first = next((code for role, code in blocks if role in (["before"], ["text"])), None)
    if first is None:
        return
    after = next((code for role, code in blocks if role == ["after"]), None)
    for line in _code(first):
        plain = ERROR.sub("", line)
        yield f"  {paint.removed(plain) if plain != line else plain}".rstrip()
    if after is not None:
        yield "  becomes"
        yield from (f"  {line}".rstrip() for line in _code(after))


def _code(code: str) -> list[str]:
    """The lines of a program below its imports."""
    imports = IMPORTS.match(code)
    return code[imports.end() if imports else 0 :].rstrip("\n").split("\n")
