"""Arguments from the rest of the project: its tests and other callers are run until they call the function."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import re
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import jax

from ..runtime.calling import TookTooLong, Values, limited
from ..runtime.loading import Loaded, complete, find, place
from ..runtime.transplant import transplant
from .caught_calls import ENOUGH, Catcher
from .fixture_calls import Caller, Run, mentions

MOST_FILES = 6
MOST_NAMES = 40
MOST_RUNS = 3
MOST_LOOKED_AT = 4000
RUN_SECONDS = 8.0
SECONDS = 12.0
LEAST_SECONDS = 1.0
SKIPPED = frozenset(["node_modules", "site-packages", "build", "dist", "__pycache__"])
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Search:
    """Looks for calls of one function of a file; `deadline` is in seconds of processor time."""

    loaded: Loaded
    root: str
    function: str
    deadline: float = 0.0

    @property
    def file(self) -> str:
        return str(self.loaded.module.__file__)

    def found(self) -> dict[str, list[Values]]:
        """Arguments by function: under "" those of the function itself, others of functions defined in it."""
        self.deadline = time.process_time() + SECONDS
        names = reaching(self.loaded.tree, self.function)
        found = self.caught(self.own(names), self.loaded.tree)
        if found:
            return found
        try:
            with open(self.file, encoding="utf-8") as stream:
                tree = ast.parse(stream.read())
        except (OSError, UnicodeError, SyntaxError):  # without inputs the verdict is unknown
            return {}
        for caller in files(self.root, self.file, names, self.function):
            found = self.caught(self.within(caller, names), tree)
            if found:
                return self.moved(found)
        return {}

    def own(self, names: set[str]) -> Iterator[Run]:
        """Functions of the same file that need no arguments."""
        for node in self.loaded.tree.body:
            if isinstance(node, ast.FunctionDef) and not needs(node) and mentions(node, names):
                yield lambda n=node.name: self.called(n)  # type: ignore[misc]

    def called(self, name: str) -> object:
        complete(self.loaded, {name})
        function = self.loaded.names[name]
        return function() if callable(function) else None

    def within(self, file: str, names: set[str]) -> Iterator[Run]:
        try:
            yield from Caller.read(file, self.root).runs(names)
        except (OSError, UnicodeError, SyntaxError):  # other files may call it; without inputs the verdict is unknown
            return

    def caught(self, runs: Iterator[Run], tree: ast.Module) -> dict[str, list[Values]]:
        """What the first few of these hand in; where that is traced, once more with `jax.jit` disabled."""
        wanted = dict(definitions(tree, self.function))
        found: dict[str, list[Values]] = {}
        good = 0
        for run in runs:
            left = self.deadline - time.process_time()
            if left < (SECONDS / 2 if good else 0) or good == MOST_RUNS or len(found.get("", ())) >= ENOUGH:
                break
            staged = Catcher(self.file, wanted)
            self.run(run, staged, contextlib.nullcontext)
            eager = Catcher(self.file, wanted, staged.traced)
            if any(staged.traced.values()):
                self.run(run, eager, jax.disable_jit)
            good += bool(staged.kept)
            for name, several in {**staged.kept, **eager.kept}.items():
                found.setdefault(name, []).extend(several)
        return found

    def run(self, run: Run, catcher: Catcher, way: Callable[[], contextlib.AbstractContextManager[object]]) -> None:
        """Run a caller for what it calls; whatever it raises, its calls may be good."""
        left = max(self.deadline - time.process_time(), LEAST_SECONDS)
        try:
            with limited(min(RUN_SECONDS, left)), way(), catcher.watching():
                run()
        except (Exception, SystemExit, TookTooLong):  # noqa: BLE001 - its calls up to there are kept
            return

    def moved(self, found: dict[str, list[Values]]) -> dict[str, list[Values]]:
        """The same arguments with classes of the version under test in place of those of the imported module."""
        module = self.loaded.module
        imported = _imported(self.file)
        if imported is None:
            return found
        with contextlib.suppress(Exception, SystemExit):  # classes that are not made stay those of the module
            complete(self.loaded, {n.name for n in self.loaded.tree.body if isinstance(n, ast.ClassDef)})
        return {
            name: [{k: transplant(v, imported, module) for k, v in values.items()} for values in several]
            for name, several in found.items()
        }


def _imported(file: str) -> types.ModuleType | None:
    """The module as the project imports it."""
    try:
        return importlib.import_module(place(file)[1])
    except Exception:  # noqa: BLE001 - the arguments stay as they were found
        return None


def needs(node: Definition) -> bool:
    a = node.args
    return len(a.posonlyargs) + len(a.args) > len(a.defaults) or any(d is None for d in a.kw_defaults)


def definitions(tree: ast.Module, function: str) -> Iterator[tuple[tuple[str, int], str]]:
    """The function, as "", and those defined in it, each by its name and the line that its code begins at."""
    node = find(tree, function)
    if node is None:
        return
    yield (node.name, _first(node)), ""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef) and inner is not node:
            yield (inner.name, _first(inner)), inner.name


def _first(node: Definition) -> int:
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def reaching(tree: ast.Module, function: str) -> set[str]:
    """The names of the function and of what calls it in its file, at any remove; of a method also its class."""
    owner, _, leaf = function.rpartition(".")
    names = {n for n in (leaf, owner.rpartition(".")[2]) if n and not n.startswith("__")}
    changed = True
    while changed and len(names) < MOST_NAMES:
        changed = False
        for node in tree.body:
            inside = node.body if isinstance(node, ast.ClassDef) else [node]
            for inner in inside:
                if isinstance(inner, ast.FunctionDef) and inner.name not in names and mentions(inner, names):
                    special = isinstance(node, ast.ClassDef) and inner.name.startswith("__")
                    more = {node.name} if special and isinstance(node, ast.ClassDef) else {inner.name}
                    changed = changed or not more <= names
                    names |= more
    return names


def files(root: str, file: str, names: set[str], function: str) -> list[str]:
    """Files of the project that speak of the function's module and of a name that reaches it, tests first."""
    parts = place(file)[1].split(".")
    homes = {parts[-1].encode(), parts[0].encode()}
    wanted = re.compile(rb"\b(?:" + b"|".join(re.escape(n.encode()) for n in sorted(names)) + rb")\b")
    own = os.path.realpath(file)
    leaf = re.compile(rb"\b" + re.escape(function.rpartition(".")[2].encode()) + rb"\b")
    ranked: list[tuple[bool, bool, bool, str]] = []
    for path in python_files(root):
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError:  # other files may call it; without inputs the verdict is unknown
            continue
        if os.path.realpath(path) != own and any(h in data for h in homes) and wanted.search(data):
            is_test = "test" in os.path.relpath(path, root).lower()
            ranked.append((not is_test, leaf.search(data) is None, parts[-1].encode() not in data, path))
    return [path for *_, path in sorted(ranked)[:MOST_FILES]]


def python_files(root: str) -> Iterator[str]:
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
