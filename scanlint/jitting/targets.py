"""What `scanlint jit` is told to convert: `FILE::QUALNAME`, `module:qualname`, or a file with all its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scanlint.errors import UsageError

Function = ast.FunctionDef | ast.AsyncFunctionDef
HOW = "give `FILE::FUNCTION` (`model.py::Filter.update`), `module:function`, or a file"
SOURCES = ("", "src")
Named = tuple[str, Function, ast.ClassDef | None]


class JitTarget(NamedTuple):
    """A file, and the qualified name of one of its functions; None for all of them."""

    file: Path
    qualname: str | None

    def __str__(self) -> str:
        return f"{self.file}::{self.qualname}" if self.qualname else str(self.file)


def target(text: str, root: Path) -> JitTarget:
    """What a text names; modules are looked for below the root of the project. Raises UsageError."""
    if "::" in text:
        name, _, qualname = text.partition("::")
        return JitTarget(_file(name), qualname.replace("::", ".") or None)
    if Path(text).exists():
        return JitTarget(_file(text), None)
    module, colon, qualname = text.partition(":")
    if not colon:
        raise UsageError(f"{text}: no such file; {HOW}")
    return JitTarget(_of_module(module, root), qualname)


def _file(name: str) -> Path:
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{name}: is a folder; {HOW}")
    if not path.is_file():
        raise UsageError(f"{name}: no such file")
    if path.suffix != ".py":
        raise UsageError(f"{name}: only Python files can be converted")
    return path


def _of_module(module: str, root: Path) -> Path:
    below = Path(*module.split("."))
    for source in SOURCES:
        for path in (root / source / below.with_suffix(".py"), root / source / below / "__init__.py"):
            if path.is_file():
                return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    raise UsageError(f"{module}: no such module below {root}; {HOW}")


def functions(tree: ast.Module) -> Iterator[tuple[str, Function, ast.ClassDef | None]]:
    """The functions of a module and the methods of its classes: qualified name, definition, class.

    Those under an `if` or in a `try` are among them; what sets or deletes a property is not.
    """
    return _within(tree.body, "", None)


def begins_at(text: str, line: int) -> str | None:
    """The function whose `def` stands on a line of a text that names JAX, if it could be jitted there."""
    try:
        listed = functions(ast.parse(text)) if "jax" in text else ()
    except (SyntaxError, ValueError, RecursionError):  # nothing is offered in what does not parse
        return None
    for name, node, _ in listed:
        if node.lineno == line and not any("jit" in ast.unparse(decorator) for decorator in node.decorator_list):
            return name
    return None


def _within(body: list[ast.stmt], prefix: str, owner: ast.ClassDef | None) -> Iterator[Named]:
    for node in body:
        if isinstance(node, Function):
            if not any(ast.unparse(d).endswith((".setter", ".deleter")) for d in node.decorator_list):
                yield f"{prefix}{node.name}", node, owner
        elif isinstance(node, ast.ClassDef):
            yield from _within(node.body, f"{prefix}{node.name}.", node)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _within(node.body, prefix, owner)
            yield from _within(getattr(node, "orelse", []), prefix, owner)


def found(tree: ast.Module, wanted: JitTarget) -> tuple[Function, ast.ClassDef | None]:
    """The function that is named: the last one of the name, as at run time. Raises UsageError."""
    known = list(functions(tree))
    named = [(node, owner) for qualname, node, owner in known if qualname == wanted.qualname]
    if named:
        return named[-1]
    last = str(wanted.qualname).rpartition(".")[2]
    near = next((qualname for qualname, node, _ in known if node.name == last), None)
    if near is not None:
        raise UsageError(f"{wanted.file}: no function `{wanted.qualname}`: did you mean `{near}`?")
    inner = any(isinstance(n, Function) and n.name == last for n in ast.walk(tree))
    why = ", or it stands in another function, where it cannot be jitted from outside" if inner else ""
    raise UsageError(f"{wanted.file}: no function `{wanted.qualname}`{why}")
