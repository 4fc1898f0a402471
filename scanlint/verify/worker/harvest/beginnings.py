"""Where a run of the project may begin: tests, `main` functions and scripts that reach a wanted function by name."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..runtime.free_names import bound_names, names_in, with_defaults
from ..runtime.module_bindings import is_main
from .fixture_calls import fixture, is_test

MOST_PARSED = 400
MOST_LOOKED_AT = 4000
SKIPPED = frozenset(["node_modules", "site-packages", "build", "dist", "__pycache__"])
MOST_BYTES = 400_000
TEST, SCRIPT, FUNCTION = range(3)
MAIN = "__scanlint_main__"
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class CallingPart:
    """A part of a file that calls: the names under which others call it, and the names that it speaks of."""

    file: str
    name: str
    called: frozenset[str]
    mentions: frozenset[str]


@dataclass(frozen=True, order=True)
class Beginning:
    """A beginning; `reaches` are the places of the wanted functions that it may call, at some remove.

    Tests come first, for they take least time, and of these what names a wanted function itself.
    """

    kind: int
    far: bool
    file: str
    line: int
    name: str
    owner: str = field(default="", compare=False)
    reaches: frozenset[int] = field(default=frozenset(), compare=False)


def beginnings(root: str, wanted: Sequence[tuple[str, str]]) -> list[Beginning]:
    """All beginnings that may reach one of the wanted functions, each given by file and qualified name."""
    trees = dict(_trees(root, {file for file, _ in wanted}))
    parts = [part for file, tree in trees.items() for part in _definitions(file, tree)]
    heads = [_head(trees.get(file), qualname) for file, qualname in wanted]
    owners = [frozenset(qualname.split(".")[:1]) for _, qualname in wanted]
    reaching = {names: _reaching(names, parts) for names in {h | o for h, o in zip(heads, owners, strict=True)}}
    table = [reaching[h | o] for h, o in zip(heads, owners, strict=True)]
    found = (e for file, tree in trees.items() for e in _entries(file, tree, heads, table))
    return sorted(e for e in found if e.reaches)


def _trees(root: str, homes: set[str]) -> Iterator[tuple[str, ast.Module]]:
    """The files of the project that speak of JAX or of one of the modules."""
    stems = {os.path.basename(f).removesuffix(".py").encode() for f in homes} - {b"__init__"}
    known = re.compile(rb"\b(?:" + b"|".join(map(re.escape, sorted({b"jax", *stems}))) + rb")\b")
    count = 0
    for path in _python_files(root):
        try:
            with open(path, "rb") as stream:
                data = stream.read(MOST_BYTES)
            if not known.search(data):
                continue
            yield os.path.realpath(path), ast.parse(data)
        except (OSError, SyntaxError, ValueError):  # other files may call it; without inputs the verdict is unknown
            continue
        count += 1
        if count == MOST_PARSED:
            return


def _python_files(root: str) -> Iterator[str]:
    """The Python files below a folder; not those of environments, nor hidden ones."""
    count = 0
    for folder, inner, found in os.walk(root):
        inner[:] = sorted(n for n in inner if n not in SKIPPED and not n.startswith("."))
        if "pyvenv.cfg" in found:
            inner[:] = []
            continue
        for name in sorted(found):
            if name.endswith(".py"):
                count += 1
                if count > MOST_LOOKED_AT:
                    return
                yield os.path.join(folder, name)


def _definitions(file: str, tree: ast.Module) -> Iterator[CallingPart]:
    for node in tree.body:
        if isinstance(node, Definition):
            yield CallingPart(file, node.name, frozenset([node.name]), _mentions(node))
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Definition):
                    special = method.name.startswith("__")
                    names = frozenset([node.name] if special else [method.name])
                    yield CallingPart(file, f"{node.name}.{method.name}", names, _mentions(method))


def _mentions(node: ast.AST) -> frozenset[str]:
    return frozenset(names_in(node))


def _head(tree: ast.Module | None, qualname: str) -> frozenset[str]:
    """The names by which others call a function, or the one that it is defined in."""
    first, *rest = qualname.split(".")
    owner = tree is not None and any(isinstance(n, ast.ClassDef) and n.name == first for n in tree.body)
    if not owner or not rest:
        return frozenset([first])
    return frozenset([first] if rest[0].startswith("__") else [rest[0]])


def _reaching(names: frozenset[str], parts: Sequence[CallingPart]) -> frozenset[str]:
    """These names and those of all that calls them, at any remove."""
    found = set(names)
    while True:
        more = {n for part in parts if part.mentions & found for n in part.called} - found
        if not more:
            return frozenset(found)
        found |= more


def _entries(
    file: str, tree: ast.Module, heads: Sequence[frozenset[str]], table: Sequence[frozenset[str]]
) -> Iterator[Beginning]:
    def entry(kind: int, node: ast.AST, line: int, name: str, owner: str = "") -> Beginning:
        mentions = _mentions(node)
        reaches = frozenset(at for at, names in enumerate(table) if mentions & names)
        far = not any(mentions & heads[at] for at in reaches)
        return Beginning(kind, far, file, line, name, owner, reaches)

    body = script(tree)
    begun = _mentions(ast.Module(body, []))  # what the script calls need not be run for itself
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and is_test(node.name):
            yield entry(TEST, node, node.lineno, node.name)
        elif isinstance(node, ast.FunctionDef) and not (_needs(node) or fixture(node) or node.name in begun):
            yield entry(FUNCTION, node, node.lineno, node.name)
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and is_test(method.name):
                    yield entry(TEST, method, method.lineno, method.name, node.name)
    if body:
        yield entry(SCRIPT, ast.Module(body, []), body[0].lineno, MAIN)


def _needs(node: Definition) -> bool:
    return any(default is None for _, default in with_defaults(node.args))


def script(tree: ast.Module) -> list[ast.stmt]:
    """The statements that a file runs as a program: those under `__main__`, else those that only call."""
    guarded = [s for node in tree.body if is_main(node) for s in node.body]  # type: ignore[attr-defined]
    return guarded or [s for s in tree.body if isinstance(s, ast.For | ast.While | ast.With) or _calls(s)]


def _calls(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def with_main(tree: ast.Module) -> ast.Module:
    """The tree with what the file does when it is run as a function; the names that it binds stay the module's."""
    body = script(tree)
    if not body:
        return tree
    bound = sorted(set[str]().union(*map(bound_names, body)) - {"*"})
    names: list[ast.stmt] = [ast.Global(bound)] if bound else []
    function = ast.parse(f"def {MAIN}(): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [*names, *body]
    ast.copy_location(function, body[0])
    tree.body = [*(s for s in tree.body if not is_main(s)), function]
    return ast.fix_missing_locations(tree)
