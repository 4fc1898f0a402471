"""How a test is called: with parametrised values and fixtures as its source tells them, without its framework."""

from __future__ import annotations

import ast
import contextlib
import os
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

from ..runtime.free_names import free_names, with_defaults
from ..runtime.loading import Loaded, complete, load

MOST_PARAMETERS = 2
Definition = ast.FunctionDef | ast.AsyncFunctionDef
Run = Callable[[], object]


class NotCallable(Exception):
    """No value can be made for a parameter of a test."""


@dataclass
class Caller:
    """A file of tests or scripts, of which a slice is run without the decorators of test frameworks."""

    file: str
    root: str
    tree: ast.Module
    text: str
    slice: Loaded | None = None
    change: Callable[[ast.Module], ast.Module] = field(default_factory=lambda: undecorated)

    @classmethod
    def read(cls, file: str, root: str) -> Caller:
        """Raises OSError, UnicodeError, or SyntaxError."""
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        return cls(file, root, ast.parse(text), text)

    def loaded(self, name: str) -> Loaded:
        """The slice of the file that defines a name."""
        if self.slice is None:
            self.slice = load(self.text, self.file, self.root, name, "caller", instrument=self.change)
            self.slice.tree = self.change(ast.parse(self.text))
        complete(self.slice, {name})
        return self.slice

    def begin(self, name: str, owner: str = "") -> None:
        """Run one function or test with its sets of values; raises NotCallable, or what it raises."""
        top = next(n for n in self.tree.body if getattr(n, "name", None) == (owner or name))
        if isinstance(top, ast.ClassDef):
            method = next(m for m in top.body if isinstance(m, ast.FunctionDef) and m.name == name)
            runs = self.of_class(top, method)
        else:
            runs = self.of_function(cast("ast.FunctionDef", top))
        next(runs)()
        for run in runs:
            with contextlib.suppress(NotCallable):  # the next run of the test is tried
                run()

    def of_function(self, node: Definition) -> Iterator[Run]:
        for chosen in range(MOST_PARAMETERS if _parametrised(node) else 1):
            yield lambda at=chosen: self.call(node, self.loaded(node.name).names[node.name], at)  # type: ignore[misc]

    def of_class(self, node: ast.ClassDef, method: ast.FunctionDef) -> Iterator[Run]:
        """A test method of an instance; frameworks that make several of one name them alike."""

        def run(at: int) -> object:
            cls = self.loaded(node.name).names[node.name]
            known = [n for n in dir(cls) if n.startswith(method.name) and callable(getattr(cls, n))]
            if not isinstance(cls, type) or at >= len(known):
                raise NotCallable(method.name)
            if hasattr(cls, "setUp"):
                test = cls(known[at])
                test.setUp()
                return getattr(test, known[at])()
            test = cls()
            for name in ("setup_method", "setup"):
                if hasattr(test, name):
                    cast("Run", getattr(test, name))()
            return self.call(method, getattr(test, method.name), at, bound=True)

        for chosen in range(MOST_PARAMETERS):
            yield lambda at=chosen: run(at)  # type: ignore[misc]

    def call(self, node: Definition, function: object, at: int, *, bound: bool = False) -> object:
        """Call a function with what its decorators and the fixtures say; raises NotCallable."""
        needed = [a.arg for a, default in with_defaults(node.args)[bound:] if default is None]
        given = self.parametrised(node, at)
        values = {name: given[name] if name in given else self.fixture(name, at) for name in needed}
        if not callable(function):
            raise NotCallable(node.name)
        return function(**{k: v for k, v in given.items() if k not in values}, **values)

    def parametrised(self, node: Definition, at: int) -> dict[str, object]:
        """The values of `pytest.mark.parametrize`, the first or another set of them."""
        found: dict[str, object] = {}
        for call in _parametrised(node):
            names, values = (self.evaluated(a) for a in call.args[:2])
            listed = [n.strip() for n in names.split(",")] if isinstance(names, str) else [*cast("list[str]", names)]
            several = [*cast("list[object]", values)]
            chosen = several[min(at, len(several) - 1)]
            chosen = getattr(chosen, "values", chosen) if type(chosen).__name__ == "ParameterSet" else (
                chosen if len(listed) > 1 else (chosen,)
            )  # fmt: skip
            found |= dict(zip(listed, cast("tuple[object, ...]", chosen), strict=True))
        return found

    def evaluated(self, node: ast.expr) -> object:
        """An expression of a decorator, among the names of the file."""
        assert self.slice is not None
        complete(self.slice, free_names(node))
        value: object = eval(compile(ast.Expression(node), self.file, "eval"), self.slice.names)
        return value

    def fixture(self, name: str, at: int) -> object:
        """The value of a fixture of this file, or of a `conftest.py` above it; raises NotCallable."""
        node = next((n for n in self.tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
        if node is None or fixture(node) is None:
            return self.above().fixture(name, at)
        function = self.loaded(name).names[name]
        given: dict[str, object] = {}
        options = {k.arg: k.value for k in getattr(fixture(node), "keywords", ())}
        if "params" in options:
            several = cast("list[object]", self.evaluated(options["params"]))
            given["request"] = types.SimpleNamespace(param=several[min(at, len(several) - 1)])
        needed = [a.arg for a in node.args.args if a.arg not in given]
        if not callable(function):
            raise NotCallable(name)
        made = function(**{n: v for n, v in given.items() if n in {a.arg for a in node.args.args}},
                        **{n: self.fixture(n, at) for n in needed})  # fmt: skip
        return next(made) if isinstance(made, types.GeneratorType) else made

    def above(self) -> Caller:
        """The nearest `conftest.py` that has not been looked into; raises NotCallable."""
        folder = os.path.dirname(self.file)
        if os.path.basename(self.file) == "conftest.py":
            folder = os.path.dirname(folder)
        while folder.startswith(self.root):
            file = os.path.join(folder, "conftest.py")
            if os.path.isfile(file):
                return Caller.read(file, self.root)
            folder = os.path.dirname(folder)
        raise NotCallable("no fixture of that name")


def undecorated(tree: ast.Module) -> ast.Module:
    """The file with its tests as plain functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = [d for d in node.decorator_list if not _of_pytest(d)]
    return tree


def _of_pytest(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).startswith("pytest.") or _called(decorator) in ("fixture", "parametrize")


def _called(decorator: ast.expr) -> str:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _parametrised(node: Definition) -> list[ast.Call]:
    return [d for d in node.decorator_list if isinstance(d, ast.Call) and _called(d) == "parametrize"]


def fixture(node: Definition) -> ast.expr | None:
    return next((d for d in node.decorator_list if _called(d) == "fixture"), None)


def is_test(name: str) -> bool:
    return name.lower().startswith("test")
