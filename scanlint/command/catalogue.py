"""The pages of the catalogue: one Markdown file per rule, in the wheel or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from scanlint.errors import UsageError, did_you_mean
from scanlint.rules.registry import Entry, entries

PACKAGE = Path(__file__).parent.parent
FOLDERS = (PACKAGE / "_catalogue", PACKAGE.parent / "rules")


def page(word: str) -> str:
    """The page of a rule, by its code or name, without its front matter."""
    entry = find(word)
    for folder in FOLDERS:
        if (file := folder / f"{entry.name}.md").is_file():
            text = file.read_text(encoding="utf-8")
            body = text.split("---\n", 2)[-1].lstrip() if text.startswith("---\n") else text
            state = "on by default" if entry.default else "off unless selected"
            return body.replace(f"# {entry.name}", f"# {entry.name} ({entry.code}, {state})", 1)
    return f"{entry.code} {entry.name}: {entry.summary}\n"


def find(word: str) -> Entry:
    """The rule that a code or name stands for."""
    for entry in entries():
        if word in (entry.name, entry.code):
            return entry
    choices = [name for entry in entries() for name in (entry.name, entry.code)]
    raise UsageError(f"unknown rule `{word}`{did_you_mean(word, choices)}")


def listing() -> str:
    """All rules, one a line: code, name, whether it runs by default, what it finds."""
    width = max(len(entry.name) for entry in entries())
    rows = (f"{e.code}  {e.name:<{width}}  {'on ' if e.default else 'off'}  {e.summary}" for e in entries())
    return "\n".join(rows) + "\n"
