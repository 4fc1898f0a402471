"""The site: `sphinx-build -W docs build/site`; a page for each rule is made from rules/."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from scanlint.rules.registry import entries

HERE = Path(__file__).parent
PAGES = HERE / "rules"

project = "scanlint"
author = "scanlint developers"
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "scanlint"
exclude_patterns = ["_build"]
nitpicky = True
ROLE = re.compile(r"^(```+)(python|toml) [\w ]+$", re.MULTILINE)


def rule_page(text: str) -> str:
    """A page of the catalogue without its front matter and the roles of its examples, one folder further down."""
    body = text.split("---\n", 2)[-1].lstrip() if text.startswith("---\n") else text
    return ROLE.sub(r"\1\2", body).replace("](../docs/", "](../")


def index(names: list[str]) -> str:
    """The page that leads to the others: a row for each rule by code, then the contents."""
    rows = sorted((entry.code, f"[{entry.name}]({entry.name}.md)", entry.level, entry.summary) for entry in entries())
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    head = "# Rules\n\n`scanlint rule NAME` shows the same in a terminal. Advice is listed with `--level advice`.\n\n"
    listed = "\n".join(names)
    contents = f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    return f"{head}| code | rule | level | finds |\n| --- | --- | --- | --- |\n{table}\n{contents}"


def make_pages() -> None:
    """Write the rules' pages below docs/, where the generator reads them."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir()
    sources = sorted((HERE.parent / "rules").glob("*.md"))
    for source in sources:
        (PAGES / source.name).write_text(rule_page(source.read_text(encoding="utf-8")), encoding="utf-8")
    (PAGES / "index.md").write_text(index([source.stem for source in sources]), encoding="utf-8")


make_pages()
