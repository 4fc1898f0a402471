"""Answers on the text of a whole file, worked out once for all units of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property

from scanlint.jaxapi.canonical import canonical
from scanlint.syntax.bindings import binds
from scanlint.syntax.once import Once
from scanlint.syntax.walk import Kinds, by_kind


class WholeFile:
    """The tree of a file as it was read; `imports` maps the names that its imports bind to what they stand for.

    Units ask it for what stands outside of them, so that no unit walks the file again. `once` holds what they work
    out of it and share.
    """

    def __init__(self, tree: ast.Module, imports: Mapping[str, str]) -> None:
        self.tree = tree
        self.imports = imports
        self.once = Once()

    @cached_property
    def kinds(self) -> Kinds:
        """The nodes of the file by their class, operators and contexts left out."""
        return by_kind(self.tree)

    @cached_property
    def calls(self) -> frozenset[ast.Call]:
        """Every call of the file."""
        return frozenset(self.kinds.of(ast.Call))

    @cached_property
    def called(self) -> Mapping[str | ast.expr, list[ast.Call]]:
        """The calls of each name or attribute, and those of each other expression."""
        found: dict[str | ast.expr, list[ast.Call]] = {}
        for call in self.kinds.of(ast.Call):
            match call.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    found.setdefault(name, []).append(call)
                case function:
                    found.setdefault(function, []).append(call)
        return found

    @cached_property
    def targets(self) -> Mapping[ast.expr, list[str]]:
        """The name or attribute that each value is assigned to, where it is the only target."""
        found: dict[ast.expr, list[str]] = {}
        for statement in self.kinds.of(ast.Assign):
            match statement.targets:
                case [ast.Name(id=name) | ast.Attribute(attr=name)]:
                    found.setdefault(statement.value, []).append(name)
        return found

    @cached_property
    def definitions(self) -> Mapping[str, ast.stmt]:
        """The first function or class of each name at the top of the file."""
        found: dict[str, ast.stmt] = {}
        for statement in self.tree.body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                found.setdefault(statement.name, statement)
        return found

    @cached_property
    def binders(self) -> Mapping[str, list[ast.AST]]:
        """The functions, names and parameters that bind each name, in whatever scope of the file."""
        return binders(self.kinds)

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """The first class of each name at the top of the file."""
        found: dict[str, ast.ClassDef] = {}
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef):
                found.setdefault(statement.name, statement)
        return found

    @cached_property
    def bound(self) -> Mapping[str, list[ast.expr | None]]:
        """The expression that each name at the top of the file is bound to; None if that is no plain assignment."""
        found: dict[str, list[ast.expr | None]] = {}
        for statement in self.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found.setdefault(name, []).append(value)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    continue
                case _:
                    for name in binds(statement):
                        found.setdefault(name, []).append(None)
        return found

    @cached_property
    def _functions(self) -> Mapping[ast.AST, ast.AST]:
        """The outermost function around each call of the file."""
        tops = [s for s in self.tree.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
        inside = [m for top in tops for m in (top.body if isinstance(top, ast.ClassDef) else [top])]
        return {call: function for function in inside for call in ast.walk(function) if isinstance(call, ast.Call)}

    def around(self, call: ast.Call) -> ast.AST:
        """The outermost function or method around a call of the file; the file itself where none is."""
        return self._functions.get(call, self.tree)

    def resolve(self, node: ast.AST) -> str | None:
        """The canonical dotted name that an import of the file gives an expression."""
        match node:
            case ast.Name(id=name) if name in self.imports:
                return canonical(self.imports[name])
            case ast.Attribute(value=value, attr=attr):
                base = self.resolve(value)
                return canonical(f"{base}.{attr}") if base else None
        return None


def binders(kinds: Kinds) -> dict[str, list[ast.AST]]:
    """The functions, names and parameters that bind each name, in whatever scope."""
    found: dict[str, list[ast.AST]] = {}
    for function in kinds.of(ast.FunctionDef):
        found.setdefault(function.name, []).append(function)
    for name in kinds.of(ast.Name):
        if not isinstance(name.ctx, ast.Load):
            found.setdefault(name.id, []).append(name)
    for parameter in kinds.of(ast.arg):
        found.setdefault(parameter.arg, []).append(parameter)
    return found
