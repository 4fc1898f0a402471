"""Notebooks: the code cells of one are checked as one program, line for line."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from scanlint.lsp.live_project import OpenText, Sheet
from scanlint.syntax.edits import split_lines
from scanlint.syntax.regex import regex

SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[types.NotebookCellLanguage(language="python")]
        )
    ]
)
MAGIC = regex(r"\s*(?:[%!?]|[\w.]+\?\??\s*$)")
"""What only IPython understands: `%magic`, `!command`, `?name`, `name?`."""


def notebook_text(notebook: types.NotebookDocument, workspace: Workspace) -> OpenText | None:
    """The program of a notebook on disk, or of one that will be."""
    path = to_fs_path(notebook.uri)
    if path is None:
        return None
    sheets: list[Sheet] = []
    pieces: list[str] = []
    above = 0
    for cell in notebook.cells:
        if cell.kind != types.NotebookCellKind.Code:
            continue
        document = workspace.get_text_document(cell.document)
        if (document.language_id or "python") != "python":
            continue
        sheets.append(Sheet(cell.document, document.version, document.source, above))
        program = plain(document.source)
        pieces.append(program)
        above += len(split_lines(program))
    return OpenText(notebook.uri, Path(path), notebook.version, "".join(pieces), tuple(sheets))


def plain(cell: str) -> str:
    """A cell as lines of Python, as many as it has: what only IPython understands does nothing."""
    lines = split_lines(cell)
    if lines and lines[0].startswith("%%"):
        lines = [f"# {line}" for line in lines]
    made = [_quiet(line) if MAGIC.match(line) else line for line in lines]
    if not made or not made[-1].endswith(("\n", "\r")):
        made = [*made[:-1], f"{made[-1] if made else ''}\n"]
    return "".join(made)


def _quiet(line: str) -> str:
    body = line.rstrip("\r\n")
    return f"{body[: len(body) - len(body.lstrip())]}pass{line[len(body) :]}"
