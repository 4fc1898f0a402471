"""Functions whose comments say what is expected: `return x  # x: 2, 4` reads what lines 2 and 4 bind."""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterator

from scanlint.dataflow.defuse import DefUse
from scanlint.dataflow.locations import Definition, DefinitionKind

MODULES = {"jnp": "jax.numpy", "lax": "jax.lax", "jax": "jax", "np": "numpy", "contextlib": "contextlib"}


def resolve(node: ast.AST) -> str | None:
    """Canonical names of builtins and a few modules."""
    match node:
        case ast.Name(id=name):
            return MODULES.get(name) or (f"builtins.{name}" if hasattr(builtins, name) else None)
        case ast.Attribute(value=value, attr=attr):
            base = resolve(value)
            return f"{base}.{attr}" if base else None
    return None


def function_of(code: str) -> ast.FunctionDef:
    """The first function of a text, whose first line is line 1."""
    function = ast.parse(textwrap.dedent(code).strip()).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def flow_of(code: str) -> DefUse:
    return DefUse(function_of(code), resolve)


def line_of(definition: Definition) -> int | str:
    """Where a definition stands: `missing` where there is nothing to read, `before` where it comes from outside."""
    if definition.missing:
        return "missing"
    if definition.kind is DefinitionKind.OUTER:
        return "before"
    return definition.node.lineno  # type: ignore[attr-defined]


def reads(function: ast.FunctionDef) -> Iterator[ast.Name]:
    """All names that are read, those of augmented assignments included."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target


def expected(code: str) -> dict[tuple[int, str], set[str]]:
    """What the comments say, by line and expression."""
    found = {}
    for number, line in enumerate(textwrap.dedent(code).strip().splitlines(), 1):
        for part in line.partition("# ")[2].split("; ") if "# " in line else ():
            name, _, lines = part.rpartition(": ")
            found[number, name] = {token.strip() for token in lines.split(",")}
    return found


def found(code: str) -> dict[tuple[int, str], set[str]]:
    """What reaches the marked reads, by line and expression."""
    function, marks = function_of(code), expected(code)
    flow = DefUse(function, resolve)
    answer: dict[tuple[int, str], set[str]] = {key: set() for key in marks}
    for node in reads(function):
        if (key := (node.lineno, ast.unparse(node))) in answer:
            answer[key] |= {str(line_of(d)) for d in flow.definitions(node)}
    return answer
