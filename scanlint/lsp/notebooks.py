"""Notebooks: the code cells of one are checked as one program, line for line."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from scanlint.lsp.live_project import OpenText, Sheet
from scanlint.project.cells.ipython import MARK, SAME_NAMESPACE, cell_magic, python
from scanlint.syntax.edits import split_lines

SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[types.NotebookCellLanguage(language="python")]
        )
    ]
)


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
    """A cell as lines of Python, as many as it has: what only IPython understands does nothing, or is not known."""
    whole = split_lines(cell) or [""]
    lines = [line.rstrip("\r\n") for line in whole]
    ends = [old[len(line) :] or "\n" for old, line in zip(whole, lines, strict=True)]
    magic = cell_magic(lines)
    runs = magic is None or magic in SAME_NAMESPACE
    made = python(lines, MARK) if runs else [f"# {line}" for line in lines]
    return "".join(map("".join, zip(made, ends, strict=True)))
