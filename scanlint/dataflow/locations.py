"""The names of a scope, and the places that give them a value."""

from __future__ import annotations

import ast
from enum import StrEnum
from typing import NamedTuple


class DefinitionKind(StrEnum):
    """The kind of statement that makes a definition."""

    PARAMETER = "parameter"
    ASSIGN = "assign"
    AUGMENT = "augment"
    FOR = "for"
    WITH = "with"
    IMPORT = "import"
    FUNCTION = "function"
    CLASS = "class"
    EXCEPT = "except"
    MATCH = "match"
    WALRUS = "walrus"
    DELETE = "delete"
    CALL = "call"
    OUTER = "outer"
    UNBOUND = "unbound"


MISSING = frozenset({DefinitionKind.UNBOUND, DefinitionKind.DELETE})
"""Definitions that leave nothing to read: a name is not bound yet, or deleted."""


class Variable(NamedTuple):
    """A name of one scope: a function, lambda, comprehension or class; None is all that lies outside."""

    scope: ast.AST | None
    name: str

    def __str__(self) -> str:
        return self.name


class Definition(NamedTuple):
    """One place that gives a name a value; the node and the name are its identity."""

    node: ast.AST
    location: Variable
    kind: DefinitionKind

    @property
    def missing(self) -> bool:
        """Whether reading the name fails where this definition reaches."""
        return self.kind in MISSING
