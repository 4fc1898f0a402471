"""Abstract locations: the names of a scope, and the items and attributes of the objects that a function holds."""

from __future__ import annotations

import ast
from enum import StrEnum
from typing import NamedTuple


class DefinitionKind(StrEnum):
    """What makes a definition."""

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
    STORE = "store"
    ITEM = "item"
    CALL = "call"
    OUTER = "outer"
    UNBOUND = "unbound"
    INITIAL = "initial"
    ABSENT = "absent"


MISSING = frozenset({DefinitionKind.UNBOUND, DefinitionKind.DELETE, DefinitionKind.ABSENT})
"""Definitions that leave nothing to read: a name not bound yet or deleted, an item that is not there."""


class Key(NamedTuple):
    """How a location is reached from an object: an item under a constant, an attribute, or any other part of it."""

    kind: str
    value: object

    def __str__(self) -> str:
        match self.kind:
            case "item":
                return f"[{self.value!r}]"
            case "attr":
                return f".{self.value}"
        return "[...]"


REST = Key("rest", None)


class Variable(NamedTuple):
    """A name of one scope: a function, lambda, comprehension or class; None is all that lies outside."""

    scope: ast.AST | None
    name: str

    def __str__(self) -> str:
        return self.name


class Object(NamedTuple):
    """All objects that one expression makes, or that come in from one place.

    `fresh`: made in this function, by `origin`, and nobody else has it before it escapes. Others stand for whatever
    comes in: a parameter, what a call returns, a global, or what `path` leads to from one of these.
    """

    origin: ast.AST | str
    fresh: bool
    path: tuple[Key, ...] = ()

    def __str__(self) -> str:
        match self.origin:
            case str(name) | ast.arg(arg=name):
                pass
            case ast.AST() as node:
                name = f"<{ast.unparse(node)}>"
        return name + "".join(map(str, self.path))


class Cell(NamedTuple):
    """An item or attribute of an object."""

    object: Object
    key: Key

    def __str__(self) -> str:
        return f"{self.object}{self.key}"


Location = Variable | Cell


class Definition(NamedTuple):
    """One place that gives a location a value; the node and the location are its identity."""

    node: ast.AST
    location: Location
    kind: DefinitionKind

    @property
    def missing(self) -> bool:
        """Whether reading the location fails where this definition reaches."""
        return self.kind in MISSING


class Part(NamedTuple):
    """What stands under a key of a value: `pair[0]` for the first name of `a, b = pair`."""

    base: Source
    key: Key


Source = ast.expr | Part | None
"""Where the value of a definition comes from; None is a value of which nothing is known."""


def constant_key(index: ast.expr) -> Key:
    """The key of an index: an item under a constant, else any item."""
    match index:
        case ast.Constant(value=value) if isinstance(value, str | int | float | bytes | None):
            return Key("item", value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return Key("item", -value)
    return REST
