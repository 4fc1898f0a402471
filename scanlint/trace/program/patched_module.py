"""A module in which one function has another text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from scanlint.project.facts import ModuleFacts, imports
from scanlint.syntax.bindings import Function
from scanlint.syntax.source import Source
from scanlint.trace.domain.callables import ClassInfo, Code
from scanlint.trace.domain.values import Value
from scanlint.trace.program.module_scope import ModuleScope


class Patched(ModuleScope):
    """A module with another text of one of its functions; all else is what it is in the module as it was."""

    def __init__(self, scope: ModuleScope, qualname: str, node: Function, source: Source) -> None:
        super().__init__(scope.project, scope.module, scope.width)
        self._scope = scope
        self._qualname = qualname
        self._source, self._tree = scope.source, scope.tree
        self._nodes[qualname] = node  # type: ignore[assignment]
        self.located = source
        self.definitions = scope.definitions
        self.whole = scope.whole
        self.chooses = scope.chooses
        self.added = _added_imports(source.added)
        if self.added:
            self.facts = replace(self.facts, imports={**self.facts.imports, **self.added})

    @property
    def base(self) -> ModuleScope:
        return self._scope

    def node(self, qualname: str) -> ast.stmt | None:
        return self._nodes.get(qualname) or self._scope.node(qualname)

    def code(self, qualname: str) -> Code | None:
        return super().code(qualname) if qualname == self._qualname else self._scope.code(qualname)

    def class_info(self, name: str) -> ClassInfo | None:
        return self._scope.class_info(name)

    def lookup(self, name: str) -> Value | None:
        own = name == self._qualname or name in self.added
        return super().lookup(name) if own else self._scope.lookup(name)

    def window(self, qualname: str) -> Source:
        return self.located if qualname == self._qualname else self._scope.window(qualname)


def _added_imports(statements: Sequence[str]) -> dict[str, str]:
    """The names that import statements bind, each with what it stands for."""
    facts = ModuleFacts("", jax=True)
    for statement in statements:
        imports(ast.parse(statement).body[0], facts)
    return facts.imports
