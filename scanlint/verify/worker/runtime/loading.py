"""Load the needed slice of a module: what the function under test reaches by name, and nothing else."""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
import importlib
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..imports.absent_packages import ABSENT, STAND, NotInstalledError, listed, loading
from ..imports.side_modules import SIDE, Side
from . import dataclass_defaults
from .cut_loops import shortened
from .free_names import DEFINITIONS, free_names, in_scope
from .jax_errors import in_words
from .line_marks import MARK, marked, reached
from .module_bindings import ADDS, always, binds, flat, is_main, root_name

RELATIVE = re.compile(r"^\s*from\s+(\.+)", re.M)
"""The dots of a relative import."""


@dataclass
class Loaded:
    """One version of the module: its tree, the imports that failed, and notes about how it was loaded.

    `side`: what it imports from, where the other version has modules of its own.
    """

    module: types.ModuleType
    tree: ast.Module
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    failures: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    whole: bool = False
    text: str = ""
    side: Side | None = None

    @property
    def names(self) -> dict[str, object]:
        return self.module.__dict__

    def importing(self) -> contextlib.AbstractContextManager[None]:
        """While its statements run, the modules of its side are those that are imported."""
        return self.side.entered() if self.side is not None else contextlib.nullcontext()

    def resolve(self, dotted: str) -> object:
        """The object of a qualified name; raises AttributeError or KeyError."""
        head, *rest = dotted.split(".")
        value = self.names[head]
        for part in rest:
            value = getattr(value, part)
        return value


def find(tree: ast.Module, dotted: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The definition of a qualified name; the last one, as at run time."""
    body: Iterable[ast.stmt] = tree.body
    node: ast.stmt | None = None
    for part in dotted.split("."):
        node = None
        for statement in flat(body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and statement.name == part:
                node = statement
        if node is None:
            return None
        body = node.body if isinstance(node, ast.ClassDef) else []
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def cut(tree: ast.Module, wanted: set[str]) -> list[ast.stmt]:
    """The top-level statements needed to define the wanted names, in order."""
    needed = set(wanted)
    chosen = {i for i, s in enumerate(tree.body) if always(s)}
    for i in chosen:
        needed |= free_names(tree.body[i])
    fillers = _fillers(tree)
    bound = [binds(s) | _filled(s, fillers) for s in tree.body]
    changed = True
    while changed:
        changed = False
        for i, statement in enumerate(tree.body):
            if i not in chosen and bound[i] & needed and not is_main(statement):
                chosen.add(i)
                needed |= free_names(statement)
                changed = True
    return [tree.body[i] for i in sorted(chosen)]


def _fillers(tree: ast.Module) -> dict[str, set[str]]:
    """For the names of the module that functions or objects put something into: by whom, and what is changed.

    `def register(name): ... TABLE[name] = f` changes `TABLE`; what `@TABLE.register` decorates changes `TABLE` itself.
    """
    held = {t.id for s in tree.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)}
    held |= {s.target.id for s in tree.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
    found: dict[str, set[str]] = {name: {name} for name in held}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and (changed := _changes_within(statement) & held):
            found[statement.name] = changed
    return found


def _changes_within(function: ast.FunctionDef) -> set[str]:
    """The names whose items a function sets, or to which it appends."""
    found: set[str] = set()
    nodes = list(ast.walk(function))
    for node in nodes:
        match node:
            case ast.Subscript(value=value, ctx=ast.Store()):
                found.add(root_name(value))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in ADDS:
                found.add(name)
    return found - {a.arg for a in nodes if isinstance(a, ast.arg)}


def _filled(statement: ast.stmt, fillers: Mapping[str, set[str]]) -> set[str]:
    """The tables of the module that a decorated definition, or a call at its top, is put into."""
    match statement:
        case ast.FunctionDef(decorator_list=listed) | ast.ClassDef(decorator_list=listed):
            calls = [d.func if isinstance(d, ast.Call) else d for d in listed]
        case ast.Expr(value=ast.Call(func=ast.Call(func=function))) | ast.Expr(value=ast.Call(func=function)):
            calls = [function]
        case _:
            return set()
    return {name for call in calls for name in fillers.get(_root_of(call), ())}


def _root_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else root_name(node)


def place(file: str, text: str | None = None) -> tuple[str, str, str]:
    """Import root, module name and package of a file, whose text may be given: the folder above its outermost package.

    A folder without `__init__.py` is a package too where the relative imports of the file reach beyond it.
    """
    if text is None:
        with open(file, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    above = max(map(len, RELATIVE.findall(text)), default=0)
    folder, name = os.path.split(os.path.abspath(file))
    stem, kind = os.path.splitext(name)
    if kind != ".py":  # a notebook or a text, which is no part of a package
        return folder, stem, ""
    parts: list[str] = []
    while folder != os.path.dirname(folder) and (
        len(parts) < above or os.path.exists(os.path.join(folder, "__init__.py"))
    ):
        folder, last = os.path.split(folder)
        parts.insert(0, last)
    package = ".".join(parts)
    if stem == "__init__":
        return folder, package, package
    return folder, f"{package}.{stem}" if package else stem, package


def load(
    text: str,
    file: str,
    root: str,
    function: str,
    suffix: str,
    *,
    table: Mapping[int, int] | None = None,
    instrument: Callable[[ast.Module], ast.Module] = lambda tree: tree,
    given: Mapping[str, object] | None = None,
    side: Side | None = None,
    whole: bool = False,
) -> Loaded:
    """Run the slice of `text` that defines `function`; import the whole module if a name is missing from the slice.

    Or if that is asked for. Its imports are those of its `side`, if it has one.

    With a `table` of numbers it loads the twin with short loops. `instrument` changes the tree that runs, not the tree
    that is kept; `given` are the names that the change needs. If modules import packages that are not installed here,
    or make dataclasses that this Python refuses, loading is repeated with stand-ins for them.
    """
    source = _Source(text, file, root, function, suffix, side)
    while True:
        missing: set[str] = set()
        try:
            with loading():
                loaded = _load(source, table or {}, instrument, given or {}, missing, whole)
        except Exception as error:
            if dataclass_defaults.refused(error):
                dataclass_defaults.allow()
                continue
            if missing <= ABSENT.names:
                if STAND in str(error):
                    raise NotInstalledError(f"{listed(ABSENT.names)} not installed here, and used: {error}") from error
                raise
        else:
            if missing <= ABSENT.names:
                loaded.notes += [f"`{name}` is not installed where the code was run" for name in sorted(ABSENT.names)]
                loaded.notes += [dataclass_defaults.NOTE] if dataclass_defaults.allowed() else []
                return loaded
        ABSENT.stand_in(missing)


@dataclass(frozen=True)
class _Source:
    """The text of a module, the file that it stands in, and the function that is wanted of it."""

    text: str
    file: str
    root: str
    function: str
    suffix: str
    side: Side | None

    @property
    def head(self) -> str:
        return self.function.split(".")[0]

    def fresh(self, tree: ast.Module, missing: set[str], given: Mapping[str, object]) -> Loaded:
        """A module of which nothing was run yet, and the packages around it."""
        home, name, package = place(self.file, self.text)
        for folder in () if self.side is not None else folders(self.root, home):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        module = types.ModuleType(f"{name}__{self.suffix}")
        module.__file__ = self.file
        module.__package__ = package
        module.__spec__ = None
        sys.modules[module.__name__] = module
        vars(module).update({SIDE: self.side} if self.side is not None else {})
        loaded = Loaded(module, tree, find(tree, self.function), missing=missing, text=self.text, side=self.side)
        with loaded.importing():
            loaded.notes = _packages(package, home)
        loaded.names.update(given)
        return loaded


def _load(
    source: _Source,
    table: Mapping[int, int],
    instrument: Callable[[ast.Module], ast.Module],
    given: Mapping[str, object],
    missing: set[str],
    asked: bool,
) -> Loaded:
    """Load a module without stand-ins for packages; those that are missing are added to `missing`."""
    tree, running = (shortened(ast.parse(source.text, source.file), table) for _ in range(2))
    running = marked(instrument(running))
    statements = cut(running, {source.head})
    given = {MARK: functools.partial(reached, version=source.suffix.partition("_")[0]), **given}
    loaded = source.fresh(tree, missing, given)
    try:
        if asked:
            raise KeyError(source.function)
        _execute(statements, loaded, source.file, source.head)
        loaded.resolve(source.function)
    except (NameError, KeyError, AttributeError):
        whole = source.fresh(tree, missing, given)
        whole.whole, whole.notes = True, loaded.notes
        try:
            _execute([s for s in running.body if not is_main(s)], whole, source.file, source.head)
        except NameError as error:
            raise ImportError(whole.failures[error.name]) if error.name in whole.failures else error from None
        return whole
    return loaded


def complete(loaded: Loaded, wanted: set[str]) -> None:
    """Define further names of a module of which only a slice was run."""
    missing = wanted - set(loaded.names)
    statements = cut(loaded.tree, missing) if missing else []
    _execute([s for s in statements if not binds(s) <= set(loaded.names)], loaded, str(loaded.module.__file__))


def folders(root: str, home: str) -> list[str]:
    """The folders that a file imports from: the project's, and at last the one that it stands in."""
    return [folder for folder in (root, os.path.join(root, "src"), home) if folder and os.path.isdir(folder)]


def _packages(dotted: str, home: str) -> list[str]:
    """Import the packages that contain a module; one that fails is left empty, so that its submodules are found."""
    parts = dotted.split(".") if dotted else []
    notes: list[str] = []
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - the code of others: whatever it raises, its modules may be fine
            package = types.ModuleType(name)
            package.__path__ = [os.path.join(home, *parts[:count])]
            sys.modules[name] = package
            if count > 1:
                setattr(sys.modules[".".join(parts[: count - 1])], parts[count - 1], package)
            notes.append(f"`{name}` does not import ({error}): its modules were loaded without it")
    return notes


def _execute(statements: list[ast.stmt], loaded: Loaded, file: str, tested: str = "") -> None:
    """Run statements one by one; record an import that fails, and a failing call of the tested function, and go on."""
    future: list[ast.stmt] = [s for s in statements if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    with loaded.importing():
        for statement in statements:
            _run(statement, [statement] if statement in future else [*future, statement], loaded, file, tested)


def _run(statement: ast.stmt, body: list[ast.stmt], loaded: Loaded, file: str, tested: str) -> None:
    code = compile(ast.Module(body, []), file, "exec", dont_inherit=True)
    try:
        exec(code, loaded.names)
    except ImportError:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            raise
        _import_apart(statement, loaded, file)
    except Exception as error:
        if isinstance(statement, DEFINITIONS) and isinstance(error, (AttributeError, NameError, TypeError)):
            _unannotated(body, loaded, file)
        elif tested in loaded.names and _calls(statement, tested):
            loaded.notes.append(f"line {statement.lineno}, which calls `{tested}`, was left out: {in_words(error)}")
        else:
            raise


def _calls(statement: ast.stmt, function: str) -> bool:
    """A statement outside of definitions that calls a function of the module, so that it fails where that does."""
    calls = (n for n in in_scope(statement) if isinstance(n, ast.Call))
    return any(_root_of(call.func) == function for call in calls)


def _unannotated(body: list[ast.stmt], loaded: Loaded, file: str) -> None:
    """Run a definition without its annotations, which may use names that this version of a library lacks."""
    flags = __future__.annotations.compiler_flag
    exec(compile(ast.Module(body, []), file, "exec", flags=flags, dont_inherit=True), loaded.names)


def _import_apart(statement: ast.Import | ast.ImportFrom, loaded: Loaded, file: str) -> None:
    """Import each name by itself, so that one that fails does not prevent the others."""
    for alias in statement.names:
        one: ast.stmt
        if isinstance(statement, ast.Import):
            one = ast.Import([alias])
        else:
            one = ast.ImportFrom(statement.module, [alias], statement.level)
        ast.copy_location(one, statement)
        try:
            exec(compile(ast.Module([one], []), file, "exec", dont_inherit=True), loaded.names)
        except ImportError as error:
            if isinstance(error, ModuleNotFoundError) and error.name:
                loaded.missing.add(error.name)
            loaded.failures[alias.asname or alias.name.split(".")[0]] = in_words(error).partition(": ")[2]
