"""Takes out what the user does not want to hear, by ignore comments and per file; finds ignores that are in vain."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.errors import did_you_mean
from scanlint.finding import Edit, Finding, Fix, Position
from scanlint.project.summary import marked
from scanlint.rules.registry import SYNTAX_ERROR, UNUSED_IGNORE, codes, entries, matches
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits, split_lines
from scanlint.syntax.regex import regex

if TYPE_CHECKING:
    from scanlint.engine.directives import Directive

WORDS = ("ignore", "ignore-file", "inputs")
SPEC = regex(r"[A-Za-z_]\w*\s*:(?!\s*$)")
"""What begins like inputs do."""


def apply(
    findings: Sequence[Finding], path: str | Path, text: str, settings: Settings, selected_codes: Collection[str]
) -> list[Finding]:
    """The findings of one file that are left, and an SCN901 for each ignore that ignores nothing.

    `path` is the file as it is shown (relative to the working directory), `selected_codes` are the rules that ran:
    an ignore of another rule is not in vain.
    """
    ignored = per_file(path, settings)
    kept = [finding for finding in findings if finding.code not in ignored]
    if not marked(text) or any(finding.code == SYNTAX_ERROR.code for finding in findings):
        return kept
    from scanlint.engine.directives import directives, function_heads, slips  # tokenize: not for a file without marks

    found = directives(text)
    hits: dict[Directive, set[str]] = {directive: set() for directive in found}
    left = [finding for finding in kept if not _hit(finding, hits)]
    live = frozenset(selected_codes) - ignored
    if UNUSED_IGNORE.code in live:
        lines = split_lines(text)
        heads = cache(lambda: function_heads(text))
        left += [vain for d in found for vain in _vain(d, hits[d], live, str(path), lines, heads)]
        left += [_slip(start, end, said, str(path)) for start, end, said in slips(text)]
    return sorted(left, key=lambda finding: (finding.start, finding.code))


def per_file(path: str | Path, settings: Settings) -> frozenset[str]:
    """The codes that `per-file-ignores` turns off for a file; patterns are relative to the project's root."""
    if not settings.per_file_ignores:
        return frozenset()
    named = [listed for pattern, listed in settings.per_file_ignores.items() if names_file(pattern, path, settings)]
    selectors = [selector for listed in named for selector in listed]
    return frozenset(entry.code for entry in entries() if any(matches(s, entry.code) for s in selectors))


def names_file(pattern: str, path: str | Path, settings: Settings) -> bool:
    """Whether a pattern of `per-file-ignores` names a file, or a folder that holds it, below the project's root."""
    absolute = Path(path).absolute()
    inside = absolute.is_relative_to(settings.root)
    name = absolute.relative_to(settings.root).as_posix() if inside else absolute.as_posix()
    below = name.startswith(pattern.rstrip("/") + "/")
    return below or fnmatch(name, pattern) or fnmatch(absolute.name, pattern)


def unparsed(finding: Finding) -> bool:
    """Whether a finding says that its file does not parse: nothing else in it was looked at, so it is always told."""
    return finding.code == SYNTAX_ERROR.code


def ignorable(finding: Finding) -> bool:
    """Whether an ignore comment can suppress a finding."""
    return finding.code not in (SYNTAX_ERROR.code, UNUSED_IGNORE.code)


def add_ignores(text: str, findings: Iterable[Finding]) -> str:
    """The text with an ignore comment for each finding: on its line, or above where a line cannot take one."""
    from scanlint.engine.directives import directives, free_line_ends

    names: dict[int, list[str]] = {}
    for finding in filter(ignorable, findings):
        listed = names.setdefault(finding.start.line, [])
        listed += [] if finding.name in listed else [finding.name]
    here = {d.start.line: d for d in directives(text) if d.word == "ignore" and d.names and not d.alone}
    free = free_line_ends(text)
    lines = split_lines(text)
    edits = []
    for line, wanted in names.items():
        if (directive := here.get(line)) and directive.names:
            edits.append(_edit_names(directive, (*directive.names, *wanted), lines))
        elif line in free:
            at = Position(line, len(lines[line - 1].rstrip()) + 1)
            edits.append(Edit(at, at, f"  # scanlint: ignore[{', '.join(wanted)}]"))
        else:
            edits.append(_above(_statement_line(line, free), wanted, lines))
    return apply_edits(text, edits)


def _statement_line(line: int, free: Collection[int]) -> int:
    """The first line of the statement that holds a line: the one after the last line that ends a statement."""
    while line > 1 and line - 1 not in free:
        line -= 1
    return line


def _above(line: int, wanted: Sequence[str], lines: Sequence[str]) -> Edit:
    text = lines[line - 1]
    indent = text[: len(text) - len(text.lstrip())]
    newline = "\r\n" if text.endswith("\r\n") else "\n"
    at = Position(line, 1)
    return Edit(at, at, f"{indent}# scanlint: ignore[{', '.join(wanted)}]{newline}")


def _hit(finding: Finding, hits: dict[Directive, set[str]]) -> bool:
    """Whether a directive speaks of the finding; every one that does is in use."""
    found = False
    for directive, used in hits.items():
        spoken = directive.word == "ignore" and directive.lines[0] <= finding.start.line <= directive.lines[1]
        if spoken or (directive.word == "ignore-file" and directive.top):
            mine = {name for name, code in codes(directive.names or ()).items() if code == finding.code}
            used |= mine
            found = found or bool(mine)
    return found


def _idle_inputs(directive: Directive, path: str, heads: Callable[[], Collection[int]]) -> Iterator[Finding]:
    """Inputs that are given for no function: verdicts would rest on made-up ones."""
    if not directive.alone or directive.lines[0] not in heads():
        help = "write it on a line of its own, right above the function"
        yield _finding(directive, path, "`inputs` stands above no function: nothing is called with them", help)
    elif not SPEC.match(directive.rest):
        help = "name each parameter: `# scanlint: inputs x: f32[3], n: 2`"
        yield _finding(directive, path, "`inputs` says nothing of a parameter", help)


def _vain(
    directive: Directive,
    used: set[str],
    live: Collection[str],
    path: str,
    lines: Sequence[str],
    heads: Callable[[], Collection[int]],
) -> Iterator[Finding]:
    """The fault of one directive: no rule named, an unknown one, a wrong place, or nothing to suppress."""
    if directive.word == "inputs":
        yield from _idle_inputs(directive, path, heads)
        return
    if directive.word not in ("ignore", "ignore-file"):
        near = did_you_mean(directive.word, WORDS)
        if directive.names is not None or near or SPEC.match(directive.rest):
            yield _finding(directive, path, f"unknown directive `{directive.word}`{near}")
        return
    if not directive.names:
        help = f"name what it is for: `# scanlint: {directive.word}[unrolled-loop]`"
        yield _finding(directive, path, f"`{directive.word}` without the name of a rule suppresses nothing", help)
        return
    meant = codes(directive.names)
    choices = [name for entry in entries() for name in (entry.name, entry.code)]
    for name in (name for name, code in meant.items() if code is None):
        yield _finding(directive, path, f"unknown rule `{name}` in an ignore{did_you_mean(name, choices)}")
    if directive.word == "ignore-file" and not directive.top:
        help = "move it above the first statement"
        yield _finding(directive, path, "`ignore-file` suppresses nothing below the first statement", help)
        return
    vain = [n for n, code in meant.items() if code in live and n not in used and code != UNUSED_IGNORE.code]
    if vain:
        kept = tuple(name for name in directive.names if name not in vain)
        edit = _edit_names(directive, kept, lines) if kept else _remove(directive, lines)
        where = "in this file" if directive.word == "ignore-file" else "here"
        listed = ", ".join(f"`{name}`" for name in vain)
        message = f"nothing {where} to ignore for {listed}"
        yield _finding(directive, path, message, "remove it", Fix("available", edits=(edit,)))


def _slip(start: Position, end: Position, said: str, path: str) -> Finding:
    """A comment in the spelling of another tool, with how it is spelled here."""
    rules = {word for entry in entries() for word in (entry.name, entry.code)}
    named = [word for word in re.findall(r"[\w-]+", said) if word in rules]
    return Finding(
        code=UNUSED_IGNORE.code,
        name=UNUSED_IGNORE.name,
        path=path,
        start=start,
        end=end,
        function=None,
        message=f"`{said}` suppresses nothing: it is not how an ignore is spelled",
        help=f"write `# scanlint: ignore[{', '.join(named) or 'unrolled-loop'}]`, with the names of the rules",
        fix=Fix("none", "what was meant is for its author to say"),
    )


def _finding(directive: Directive, path: str, message: str, help: str | None = None, fix: Fix | None = None) -> Finding:
    return Finding(
        code=UNUSED_IGNORE.code,
        name=UNUSED_IGNORE.name,
        path=path,
        start=directive.start,
        end=directive.end,
        function=None,
        message=message,
        help=help,
        fix=fix or Fix("none", "what was meant is for its author to say"),
    )


def _edit_names(directive: Directive, names: Sequence[str], lines: Sequence[str]) -> Edit:
    """Put other names in the brackets of a directive."""
    text = lines[directive.start.line - 1]
    opening = text.index("[", directive.start.column - 1)
    closing = text.index("]", opening)
    line = directive.start.line
    return Edit(Position(line, opening + 2), Position(line, closing + 1), ", ".join(names))


def _remove(directive: Directive, lines: Sequence[str]) -> Edit:
    """Take a directive away: the whole line if it is alone, otherwise with the blanks that set it off."""
    line = directive.start.line
    if directive.alone:
        return Edit(Position(line, 1), Position(line + 1, 1), "")
    text = lines[line - 1]
    before = text[: directive.start.column - 1]
    after = text[directive.end.column - 1 :]
    if after.strip():
        end = directive.end.column + len(after) - len(after.lstrip())
        return Edit(directive.start, Position(line, end), "")
    return Edit(Position(line, len(before.rstrip()) + 1), directive.end, "")
