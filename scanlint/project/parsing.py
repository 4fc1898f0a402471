"""The tree of a file, or why there is none."""

from __future__ import annotations

import ast
import sys
import warnings

from scanlint.deep import at_bottom
from scanlint.project.files import SourceFile, Unreadable
from scanlint.syntax.regex import regex

QUOTED = regex(r"(?s:(\"{3}|'{3}).*?\1)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*")
NESTING = regex(r"\n|[-+*/%@|&^<>.~\[\](){}]|\b(?:and|or|not|if|elif|lambda|await)\b")
MOST_BRACKETS = 200
"""As many as Python's own parser takes inside one another."""
MOST_PARTS = 1000


def parse(source: SourceFile) -> ast.Module | Unreadable:
    """The tree of a file; a syntax error becomes a record, a warning about the text is nobody's.

    Raises RecursionError where there is room for a deeper one elsewhere.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        if _newer(source.text):
            message = (
                f"written for a newer Python than {sys.version_info[0]}.{sys.version_info[1]}, which scanlint runs on"
            )
            return Unreadable(source.path, source.display, f"{message}: not checked", newer=True)
        message = error.msg + (f": {error.text.strip()}" if error.msg == "invalid syntax" and error.text else "")
        return Unreadable(source.path, source.display, message, error.lineno or 1, error.offset or 1, syntax=True)
    except RecursionError:
        if not at_bottom():
            raise
        return Unreadable(source.path, source.display, "it is nested too deeply for Python's parser", syntax=True)
    except (ValueError, MemoryError) as error:
        return Unreadable(source.path, source.display, f"cannot parse: {error}", syntax=True)


def _newer(text: str) -> bool:
    """Whether a text that this Python does not parse is good Python of a later version, as LibCST reads it.

    LibCST ends the process where a text is nested too deeply for it.
    """
    if not _shallow(text):
        return False
    import libcst

    try:
        libcst.parse_module(text)
    except (libcst.ParserSyntaxError, SyntaxError, ValueError, RecursionError):  # SyntaxError: its nodes are invalid
        return False
    return True


def _shallow(text: str) -> bool:
    """Whether no bracket, statement or chain of `elif`s of a text holds very many parts, told from its words alone."""
    depth = parts = arms = 0
    for found in NESTING.finditer(QUOTED.sub("", text)):
        word = found.group()
        parts = 0 if word == "\n" and not depth else parts + (word != "\n")
        arms += word == "elif"
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth = max(depth - 1, 0)
        if depth > MOST_BRACKETS or parts > MOST_PARTS or arms > MOST_PARTS:
            return False
    return True
