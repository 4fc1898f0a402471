"""The pages of the catalogue: one Markdown file per rule, in the wheel or beside the package in a checkout."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import click

from scanlint.command.page import brief, styled
from scanlint.errors import UsageError, did_you_mean
from scanlint.report.console import out
from scanlint.report.paint import paint_for
from scanlint.rules.registry import Entry, entries

PACKAGE = Path(__file__).parent.parent
FOLDERS = (PACKAGE / "_catalogue", PACKAGE.parent / "rules")


WIDEST = 100


def explain(word: str | None, *, full: bool, every: bool = False) -> None:
    """Print the list of rules, what matters of one rule, or whole pages in a pager. Raises UsageError."""
    paint = paint_for(sys.stdout, "auto")
    if every:
        pages = "\n".join(styled(page(entry.name), paint) for entry in entries())
        click.echo_via_pager(pages, color=paint.on or None)
    elif word is None:
        out(listing())
    elif full:
        click.echo_via_pager(styled(page(word), paint), color=paint.on or None)
    else:
        width = min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)
        out(brief(page(word), find(word).name, paint, width))


def print_json(word: str | None, *, every: bool) -> None:
    """Print one rule as an object, or all as a list of them; with their pages where one or `every` is asked for."""
    asked = entries() if word is None else (find(word),)
    rows = [
        {
            "code": entry.code,
            "name": entry.name,
            "level": entry.level,
            "summary": entry.summary,
            **({"page": page(entry.name)} if every or word is not None else {}),
        }
        for entry in asked
    ]
    out(json.dumps(rows if word is None else rows[0], indent=2) + "\n")


def page(word: str) -> str:
    """The page of a rule, by its code or name, without its front matter."""
    entry = find(word)
    if (file := page_file(entry.name)) is not None:
        text = file.read_text(encoding="utf-8")
        body = text.split("---\n", 2)[-1].lstrip() if text.startswith("---\n") else text
        return body.replace(f"# {entry.name}", f"# {entry.name} ({entry.code}, {entry.level})", 1)
    return f"{entry.code} {entry.name}: {entry.summary}\n"


def page_file(name: str) -> Path | None:
    """The file that holds the page of a rule."""
    files = (folder / f"{name}.md" for folder in FOLDERS)
    return next((file for file in files if file.is_file()), None)


def find(word: str) -> Entry:
    """The rule that a code or name stands for."""
    for entry in entries():
        if word in (entry.name, entry.code):
            return entry
    choices = [name for entry in entries() for name in (entry.name, entry.code)]
    raise UsageError(f"unknown rule `{word}`{did_you_mean(word, choices)}")


def listing() -> str:
    """All rules, one a line: code, name, level, what it finds."""
    width = max(len(entry.name) for entry in entries())
    rows = (f"{e.code}  {e.name:<{width}}  {e.level:<7}  {e.summary}" for e in entries())
    return "\n".join(rows) + "\n"
