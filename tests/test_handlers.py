"""No handler of an error returns nothing without a word: what is lost is a problem or a note, or a comment says why
nothing is lost."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import scanlint
from scanlint.syntax.walk import walk

PACKAGE = Path(scanlint.__file__).parent
EMPTY_CALLS = ("set", "frozenset", "dict", "tuple", "list")
TOOLS = re.compile(r"#|noqa(:\s*[\w, ]+\d)?|type:\s*ignore(\[[\w,-]+\])?|pragma:.*")
FEWEST_WORDS = 3


def silent(body: list[ast.stmt]) -> bool:
    """Whether nothing is done about an error: the result is empty, or the next thing is begun."""
    match body:
        case [ast.Pass() | ast.Continue() | ast.Break() | ast.Return(value=None | ast.Constant(value=None | ""))]:
            return True
        case [ast.Return(value=ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Set(elts=[]) | ast.Dict(keys=[]))]:
            return True
        case [ast.Return(value=ast.Call(func=ast.Name(id=name), args=[], keywords=[]))]:
            return name in EMPTY_CALLS
    return False


def handlers(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The lines of what passes errors over: `except` with an empty body, and `suppress`, up to its body."""
    for node in walk(tree):
        match node:
            case ast.ExceptHandler(body=body) if silent(body):
                yield node.lineno, node.end_lineno or node.lineno
            case ast.With(items=items, body=[first, *_]):
                called = [i.context_expr.func for i in items if isinstance(i.context_expr, ast.Call)]
                if any(ast.unparse(function).endswith("suppress") for function in called):
                    yield node.lineno, max(node.lineno, first.lineno - 1)


def unexplained(text: str) -> list[int]:
    """The lines of handlers that do nothing and say nothing."""
    places = list(handlers(ast.parse(text)))
    words: dict[int, int] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if places else ():
        if token.type == tokenize.COMMENT:
            words[token.start[0]] = len(TOOLS.sub("", token.string).split())
    found = []
    for first, last in places:
        above = first - 1 if text.split("\n")[first - 2].strip().startswith("#") else first
        if max(words.get(line, 0) for line in range(above, last + 1)) < FEWEST_WORDS:
            found.append(first)
    return found


def test_every_handler_that_does_nothing_says_why_nothing_is_lost() -> None:
    listed = [
        f"{file.relative_to(PACKAGE.parent)}:{line}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for line in unexplained(file.read_text(encoding="utf-8"))
    ]
    assert listed == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param("    return []\n", False, id="an empty list"),
        pytest.param("    return frozenset()\n", False, id="an empty set that is called"),
        pytest.param("    return None  # noqa: BLE001\n", False, id="a comment for a tool"),
        pytest.param("    continue  # it is gone by now\n", True, id="a reason behind it"),
        pytest.param("    # it is gone by now\n    pass\n", True, id="a reason above it"),
        pytest.param("    problems.append(error)\n    return []\n", True, id="a problem"),
        pytest.param("    return default\n", True, id="another result"),
    ],
)
def test_what_passes_an_error_over_is_found(body: str, told: bool) -> None:
    text = f"for x in y:\n try:\n  f()\n except OSError:\n{body}"
    assert (unexplained(text) == []) is told
