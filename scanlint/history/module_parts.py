"""The parts of a module in a normal form: functions, methods, classes without these, and what else binds names.

Docstrings, comments and layout are no part of it: two parts of one form do the same if what they name is the same.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from scanlint.verify.worker.runtime.free_names import DEFINITIONS, free_names
from scanlint.verify.worker.runtime.module_bindings import always, binds, flat, is_main

SUPER = "super()"
LOOSE = ""
"""The part of statements that concern the whole module, as those that configure JAX."""
Chain = tuple[str, ...]
YIELDS = (ast.Yield, ast.YieldFrom)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class ImportedName(NamedTuple):
    """The origin of an imported name: a module, or `name` of a module; `level` counts the dots."""

    module: str
    name: str | None
    level: int


@dataclass(frozen=True, slots=True)
class ModulePart:
    """A definition by its qualified name: its normal form, and the names and dotted names that it takes from outside.

    `receiver` is what a method calls its object; `compared`: it can be called, and compared with another version.
    """

    name: str
    line: int
    form: str
    nodes: tuple[ast.AST, ...]
    names: frozenset[str]
    chains: frozenset[Chain]
    receiver: str
    compared: bool

    @property
    def is_class(self) -> bool:
        """The part is a class without its methods."""
        return isinstance(self.nodes[-1], ast.ClassDef)

    @property
    def bases(self) -> list[Chain]:
        """The classes that it is derived from, by their names."""
        heads = [base for node in self.nodes if isinstance(node, ast.ClassDef) for base in node.bases]
        spelled = [base.value if isinstance(base, ast.Subscript) else base for base in heads]
        return [tuple(ast.unparse(base).split(".")) for base in spelled if isinstance(base, ast.Name | ast.Attribute)]

    @property
    def is_program(self) -> bool:
        """The part is a function that takes nothing and gives nothing: no call of it shows what it does."""
        node = self.nodes[-1]
        if not isinstance(node, FunctionNode) or ast.unparse(node.args):
            return False
        return not any(
            (isinstance(n, ast.Return) and n.value is not None) or isinstance(n, YIELDS) for n in ast.walk(node)
        )

    @property
    def owner(self) -> str:
        """The class of a method, else ""."""
        return self.name.rpartition(".")[0]


@dataclass(slots=True)
class ModuleParts:
    """A module by its parts; `stars` are the modules of which it imports all names."""

    parts: dict[str, ModulePart] = field(default_factory=dict)
    imports: dict[str, ImportedName] = field(default_factory=dict)
    stars: list[ImportedName] = field(default_factory=list)

    @classmethod
    def of(cls, tree: ast.Module) -> ModuleParts:
        """The parts of a tree, which loses its docstrings."""
        _without_docstrings(tree)
        module = cls()
        found: dict[str, list[ast.AST]] = {}
        for statement in flat(tree.body):
            match statement:
                case ast.Import() | ast.ImportFrom():
                    module._import(statement)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    found.setdefault(statement.name, []).append(statement)
                case ast.ClassDef():
                    _add_class(statement, "", found)
                case ast.If() | ast.Try() | ast.With():
                    pass  # what it binds is told by the statements in it
                case _ if always(statement):
                    found.setdefault(LOOSE, []).append(statement)
                case _ if not is_main(statement):
                    for name in binds(statement):
                        found.setdefault(name, []).append(statement)
        functions = {name for name, nodes in found.items() if any(isinstance(n, FunctionNode) for n in nodes)}
        module.parts = {name: _part(name, nodes, functions) for name, nodes in found.items()}
        return module

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                head = alias.name.partition(".")[0]
                self.imports[alias.asname or head] = ImportedName(alias.name if alias.asname else head, None, 0)
            elif alias.name == "*":
                self.stars.append(ImportedName(statement.module or "", None, statement.level))
            else:
                said = ImportedName(statement.module or "", alias.name, statement.level)
                self.imports[alias.asname or alias.name] = said


def _without_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, *DEFINITIONS)):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str())), *others]:
                    node.body = others or [ast.Pass()]


def _add_class(node: ast.ClassDef, around: str, found: dict[str, list[ast.AST]]) -> None:
    """Add a class without its methods and inner classes, and these."""
    name = f"{around}{node.name}"
    head = copy.copy(node)
    head.body = [s for s in node.body if not isinstance(s, DEFINITIONS)] or [ast.Pass()]
    found.setdefault(name, []).append(head)
    for statement in flat(node.body):
        if isinstance(statement, ast.ClassDef):
            _add_class(statement, f"{name}.", found)
        elif isinstance(statement, FunctionNode):
            found.setdefault(f"{name}.{statement.name}", []).append(statement)


def _part(name: str, nodes: list[ast.AST], functions: set[str]) -> ModulePart:
    last = nodes[-1]
    return ModulePart(
        name,
        getattr(nodes[0], "lineno", 1),
        "\n".join(map(ast.dump, nodes)),
        tuple(nodes),
        frozenset().union(*map(free_names, nodes)),
        frozenset(chain for node in nodes for chain in _chains(node)),
        _receiver(last) if "." in name else "",
        any(isinstance(node, FunctionNode) or _makes_function(node, name, functions) for node in nodes),
    )


def _chains(node: ast.AST) -> Iterator[Chain]:
    """The dotted names in a node, also `super().method`."""
    for inner in ast.walk(node):
        parts: list[str] = []
        while isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        match inner:
            case ast.Name(id=name) if parts:
                yield name, *parts
            case ast.Call(func=ast.Name(id="super")) if parts:
                yield SUPER, parts[0]


def _receiver(node: ast.AST) -> str:
    """The first parameter of a method, which is its object or its class; else ""."""
    if not isinstance(node, FunctionNode):
        return ""
    listed = [*node.args.posonlyargs, *node.args.args]
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    return listed[0].arg if listed and not static else ""


def _makes_function(node: ast.AST, name: str, functions: set[str]) -> bool:
    """The statement binds a name to a function: `f = lambda x: ...`, `f = jax.jit(g)`."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=found)], value=value)
            | ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value)
        ) if found == name:
            first = value.args[0] if isinstance(value, ast.Call) and value.args else value
            return isinstance(first, ast.Lambda) or (
                isinstance(value, ast.Call) and isinstance(first, ast.Name) and first.id in functions
            )
    return False
