"""Evidence of a file that has changed since it was recorded: what was shown of a function holds until that changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from scanlint.record.recordings import digest
from scanlint.record.run_evidence import FileEvidence

Spans = Mapping[str, tuple[int, int]]


def spans_of(text: str) -> dict[str, tuple[int, int]]:
    """The functions and methods, and what else stands at the top or in classes: by name and text, first and last line.

    Of a text that does not parse there are none: that is a finding of its own.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # a text that does not parse is a finding of its own
        return {}
    lines = text.split("\n")
    found: dict[str, tuple[int, int]] = {}
    for name, first, last in _statements(tree.body, ""):
        key = name + digest("\n".join(lines[first - 1 : last]).encode("utf-8", "replace"))
        while key in found:
            key += "+"
        found[key] = first, last
    return found


def _statements(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, int, int]]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield from _statements(node.body, f"{prefix}{name}.")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield f"{prefix}{name}:", first, node.end_lineno or node.lineno
            case _:
                yield f"{prefix}:", node.lineno, node.end_lineno or node.lineno


def moved(evidence: FileEvidence, before: Spans, after: Spans) -> FileEvidence:
    """The evidence of statements that are as they were, on the lines where they stand now."""
    offsets = {line: after[k][0] - a for k, (a, b) in before.items() if k in after for line in range(a, b + 1)}

    def at(line: int) -> int:
        return line + offsets[line]

    loops = (one for one in evidence.loops if one.first in offsets and one.last in offsets)
    return replace(
        evidence,
        loops=tuple(one._replace(first=at(one.first), last=at(one.last)) for one in loops),
        compiled=tuple(one._replace(line=at(one.line)) for one in evidence.compiled if one.line in offsets),
        stopped={at(line): error for line, error in evidence.stopped.items() if line in offsets},
    )
