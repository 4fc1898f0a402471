"""The part of a module that a function's behaviour rests on: what stands elsewhere in the file may change."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def reached(text: str, function: str) -> str:
    """A digest of the statements of a module that decide what one function does, the same wherever they stand.

    Every statement runs when the module is imported, except for the bodies of functions and classes that nothing
    names, as a name, an attribute or a string, on the way from the function and those statements. Comments, positions
    and blank lines do not count. A text that is no Python, or is nested too deeply, counts as a whole.
    """
    try:
        module = ast.parse(text)
        words = "\n".join(_kept(module, function.partition(".")[0]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = text
    return hashlib.sha256(words.encode(errors="surrogatepass")).hexdigest()


def _kept(module: ast.Module, function: str) -> Iterator[str]:
    """The statements that matter, each by its tree; of a definition that does not, what runs where it stands."""
    defined: dict[str, list[Definition]] = {}
    for statement in module.body:
        if isinstance(statement, Definition):
            defined.setdefault(statement.name, []).append(statement)
    seen, left = set[str](), [function]
    for statement in module.body:
        left += (w for part in _run(statement) for w in _words(part) if w in defined)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += (w for one in defined.get(name, ()) for w in _words(one) if w in defined)
    for statement in module.body:
        if isinstance(statement, Definition) and statement.name not in seen:
            yield f"{statement.name}: {[ast.dump(part) for part in _run(statement)]}"
        else:
            yield ast.dump(statement)


def _run(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that run when the module is imported: the body of a function does not."""
    if not isinstance(statement, Definition):
        yield statement
        return
    yield from statement.decorator_list
    if isinstance(statement, ast.ClassDef):
        yield from (*statement.bases, *statement.keywords)
        for inner in statement.body:
            yield from _run(inner)
    else:
        yield statement.args


def _words(tree: ast.AST) -> Iterator[str]:
    """The names by which a part of a module may reach a definition."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(value=str(text)):
                yield from text.split()
