"""Where a tracer comes from that should be a Python value: an argument of a jitted function, a loop's index, values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.branches.traced_sizes import size_asked_at
from scanlint.dataflow.around import source_of
from scanlint.jaxapi.host_functions import TWINS
from scanlint.jaxapi.words import words
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import Value, contents
from scanlint.trace.hints.setting_parameters import given_by_calls, named_static
from scanlint.trace.unit import Unit

OF_MATH = words("ceil floor sqrt log log2 log10 exp")
UNCHANGED = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Starred),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
"""What a Python number is worked out with, so that it is one as soon as its parts are."""


class Argument(NamedTuple):
    """A parameter that reaches a place as it was handed in; `function` is the one of this unit that is jitted with it.

    It is None where the parameter belongs to a function elsewhere, or to one that is traced without a jit of its own.
    """

    name: str
    parameter: ast.arg
    owner: str
    path: str
    line: int
    function: ast.FunctionDef | None


def argument_behind(unit: Unit, needed: ast.expr) -> Argument | None:
    """The parameter that a tracer is, or is worked out of by Python's own arithmetic alone."""
    if not _plain(needed):
        return None
    reason = _reason(unit.value(needed))
    while reason is not None and reason.cause is not None:
        if not _handed_on(reason):
            return None
        reason = reason.cause
    if reason is None or not isinstance(reason.node, ast.arg):
        return None
    link, owner = reason.link(), reason.text.rpartition(" of ")[2]
    own = reason.file.path == unit.source.path
    parameter, function = _jitted_here(unit, reason.node.arg, owner) if own else (None, None)
    return Argument(reason.node.arg, parameter or reason.node, owner, link.path, link.line, function)


def may_be_static(unit: Unit, found: Argument) -> bool:
    """Whether a jit names an argument as static, or may do so, or some call in the file hands in None."""
    if found.function is None:
        return False
    context = unit.contexts[found.function]
    assert context.jit is not None
    named = named_static(context.jit.node)
    return named is None or found.name in named | context.static | context.jit.given or _may_be_none(unit, found)


def _may_be_none(unit: Unit, found: Argument) -> bool:
    """Whether some call in the file hands in None for an argument, which no trace changes."""
    if found.function is None:
        return False
    given = given_by_calls(unit, found.function, unit.contexts[found.function], found.name)
    return any(isinstance(value, ast.Constant) and value.value is None for value in given)


def doubtful(unit: Unit, needed: ast.expr) -> bool:
    """Whether a tracer may be a Python value after all, or is one only if what comes before it has not failed.

    Parts of a tree of which nothing is known may be static data of it; what a call hands in by `*args` may be for
    another parameter; the variable of a `for` over a traced range, and what `int` or NumPy makes of a tracer, are
    never reached.
    """
    value = unit.value(needed)
    if value.traced and not value.array and not _plain(needed):
        return True
    trail = list(_trail(_reason(value)))
    return any(_fails_before(unit, reason) for reason in trail) or _by_stars(unit, needed, trail)


def _fails_before(unit: Unit, reason: Reason) -> bool:
    match reason.node:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
            return True
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.AugAssign(value=value):
            return any(isinstance(part, ast.Call) and unit.resolve(part.func) in TWINS for part in ast.walk(value))
    return False


def _by_stars(unit: Unit, needed: ast.expr, trail: list[Reason]) -> bool:
    """Whether a parameter was handed in by a call with `*args` or `**options`."""
    chain = unit.context(needed).chain
    if not chain or not any(isinstance(r.node, ast.arg) and r.cause is not None for r in trail):
        return False
    call = chain[0].node
    if not isinstance(call, ast.Call):
        return False
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _trail(reason: Reason | None) -> Iterator[Reason]:
    while reason is not None:
        yield reason
        reason = reason.cause


def _reason(value: Value) -> Reason | None:
    """Why a value, or the first tracer in a tuple, is traced."""
    if value.traced:
        return value.why
    return next((why for part in contents(value) if (why := _reason(part)) is not None), None)


def _handed_on(reason: Reason) -> bool:
    match reason.node:
        case ast.arg():
            return True
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.AugAssign(value=value):
            return _plain(value)
    return False


def _plain(node: ast.expr) -> bool:
    return all(isinstance(part, UNCHANGED) or _to_int(part) for part in ast.walk(node))


def _to_int(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[_], keywords=[]):
            return True
    return False


def ints_for_sizes(unit: Unit) -> frozenset[ast.AST]:
    """The calls of `int` whose results are sizes, which no cast makes known: the size is the place to speak of."""
    return unit.once(ints_for_sizes, lambda: frozenset(c for needed in _asked(unit) for c in _casts(unit, needed)))


def _asked(unit: Unit) -> list[ast.expr]:
    """The expressions that have to be known as sizes."""
    calls = [*unit.every(ast.Call), *unit.every(ast.Subscript)]
    return [found.needed for node in calls if (found := size_asked_at(unit, node)) is not None]


def asks_for_sizes(unit: Unit, test: ast.expr) -> bool:
    """Whether a test is one of arguments that are sizes as well: once they are static it is no matter of tracers."""
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name) and unit.value(n).traced}
    if not names:
        return False
    sizes, around = unit.once(asks_for_sizes, lambda: _sizes(unit)), list(unit.ancestors(test))
    return all(any((function, name) in sizes for function in around) for name in names)


def _sizes(unit: Unit) -> frozenset[tuple[ast.AST, str]]:
    """The arguments that are sizes, by their functions."""
    behind = [argument for needed in _asked(unit) if (argument := argument_behind(unit, needed)) is not None]
    return frozenset((a.function, a.name) for a in behind if a.function is not None and not _may_be_none(unit, a))


def _casts(unit: Unit, needed: ast.expr) -> Iterator[ast.AST]:
    statements = [reason.node for reason in _trail(_reason(unit.value(needed)))]
    values = [s.value for s in statements if isinstance(s, ast.Assign)]
    yield from (part for value in (needed, *values) for part in ast.walk(value) if _to_int(part))


def _jitted_here(unit: Unit, name: str, owner: str) -> tuple[ast.arg | None, ast.FunctionDef | None]:
    """The parameter of that name of the jitted function of this unit that goes by `owner`, quoted as in evidence."""
    for function, context in unit.contexts.items():
        if isinstance(function, ast.FunctionDef) and context.jit is not None and f"`{function.name}`" == owner:
            arguments = function.args
            for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                if parameter.arg == name:
                    return parameter, function
    return None, None


class PythonNumbers(NamedTuple):
    """A call of JAX that makes a tracer of Python numbers alone, the function that does as well, and its call."""

    call: ast.Call
    function: str
    text: str


def python_numbers(unit: Unit, needed: ast.expr) -> PythonNumbers | None:
    """The call of JAX, if it is all that makes a tracer of what should be a Python value."""
    made = source_of(unit, needed) if isinstance(needed, ast.Name) else needed
    while isinstance(made, ast.Call) and unit.resolve(made.func) in ("builtins.int", "builtins.round"):
        made = made.args[0] if len(made.args) == 1 else None
    if not isinstance(made, ast.Call) or made.keywords or not made.args:
        return None
    name = unit.resolve(made.func) or ""
    last, given = name.rpartition(".")[2], ", ".join(map(ast.unparse, made.args))
    if last not in OF_MATH or name != f"jax.numpy.{last}" or any(not unit.value(a).static for a in made.args):
        return None
    return PythonNumbers(made, f"math.{last}", f"math.{last}({given})")
