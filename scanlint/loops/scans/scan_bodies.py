"""The function that a call of `lax.scan` runs, found through names, wrappers and `functools.partial`."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.locations import Definition, DefinitionKind
from scanlint.jaxapi.decorators import plain
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Function
from scanlint.trace.unit import Unit

HANDED_ON = words("jax.checkpoint jax.remat jax.jit functools.partial jax.named_call jax.ad_checkpoint.checkpoint")
"""What gives a function that returns what its first argument returns."""


class GivenBefore(NamedTuple):
    """The arguments that a body has before a scan calls it: how many by position, and the names of the others."""

    first: int = 0
    named: frozenset[str] = frozenset()


NOTHING_GIVEN = GivenBefore()


class ScanBody(NamedTuple):
    """A function that a scan runs, the definition by which it has a name, and the arguments that it has by then."""

    function: Function
    definition: Definition | None
    given: GivenBefore

    @property
    def name(self) -> str:
        """The function as a message calls it."""
        return "the lambda" if isinstance(self.function, ast.Lambda) else f"`{self.function.name}`"


def body_argument(call: ast.Call) -> ast.expr | None:
    """The argument of a scan that is its body."""
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    return next((k.value for k in call.keywords if k.arg == "f"), None)


def scan_body(unit: Unit, body: ast.expr, given: GivenBefore = NOTHING_GIVEN) -> ScanBody | None:
    """The function that an expression stands for, if one definition reaches it and no decorator reads its arguments."""
    match body:
        case ast.Lambda():
            return ScanBody(body, None, given)
        case ast.Call(func=wrapper, args=[inner, *rest], keywords=named) if unit.resolve(wrapper) in HANDED_ON:
            if unit.resolve(wrapper) != "functools.partial":
                return scan_body(unit, inner, given)
            if any(isinstance(a, ast.Starred) for a in rest) or any(k.arg is None for k in named):
                return None
            names = given.named.union(k.arg for k in named if k.arg is not None)
            return scan_body(unit, inner, GivenBefore(given.first + len(rest), names))
        case ast.Name(id=name):
            found = [*defuse_of(unit).definitions(body)]
            return _defined(unit, name, found[0], given) if len(found) == 1 else None
    return None


def _defined(unit: Unit, name: str, definition: Definition, given: GivenBefore) -> ScanBody | None:
    """The function of one definition: an inner function, one of the file, or what an assignment wraps."""
    if definition.kind is DefinitionKind.ASSIGN:
        source = defuse_of(unit).source(definition)
        found = scan_body(unit, source, given) if source is not None else None
        return found._replace(definition=found.definition or definition) if found is not None else None
    of_file = definition.kind is DefinitionKind.OUTER
    match unit.file.binders.get(name, []) if of_file else [definition.node]:
        case [ast.FunctionDef() as function] if plain(unit.resolve, function):
            return ScanBody(function, definition, given)
    return None
