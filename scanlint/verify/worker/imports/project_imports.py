"""Modules of the project imported with another text than that of their file."""

from __future__ import annotations

import ast
import importlib.machinery
import os
import types
from collections.abc import Callable, Mapping

Change = Callable[[str, bytes], "ast.Module | str | None"]
"""Gives what is compiled in place of a file, None where that is the file itself; it may raise SyntaxError."""


def change_imports(change: Change) -> None:
    """From now on imports ask for each source file what is compiled; nothing of what was changed is cached."""
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> types.CodeType | None:
        path = self.get_filename(fullname)
        try:
            source = None if "site-packages" in path else change(os.path.realpath(path), self.get_data(path))
        except (OSError, SyntaxError, ValueError):
            source = None
        if source is None:
            return original(self, fullname)
        code: types.CodeType = self.source_to_code(source, path)
        return code

    loader.get_code = get_code  # type: ignore[assignment, method-assign]


def replace_texts(texts: Mapping[str, str]) -> None:
    """Import these files by other texts, as they will be once everything is written."""
    known = {os.path.realpath(file): text for file, text in texts.items()}
    if known:
        change_imports(lambda path, data: known.get(path))
