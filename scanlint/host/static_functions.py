"""Functions that are static arguments of a jitted one, and others on each call: it is compiled again for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.locations import DefinitionKind
from scanlint.host.rebuilt_jits import is_cached, loops_around
from scanlint.syntax.bindings import Function, free
from scanlint.trace.domain.callables import Closure, Partial, Transformed
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import Value
from scanlint.trace.program.repeats import loop_around
from scanlint.trace.unit import Unit

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class StaticFunction(NamedTuple):
    """`given` is the argument of a `call` of a jitted function, made in `function`, or by each trip of a `loop`.

    `reads` are the names of the function around that it reads.
    """

    call: ast.Call
    given: ast.expr
    function: Function
    loop: ast.AST | None
    why: tuple[Reason, ...]
    reads: tuple[str, ...]


def static_function(unit: Unit, node: ast.AST) -> StaticFunction | None:
    """The call that a lambda or inner function is a static argument of, if it is another one again and again."""
    if node is unit.node or not isinstance(node, ast.Lambda | ast.FunctionDef) or getattr(node, "decorator_list", []):
        return None
    function = next((a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)), None)
    if function is None or unit.context(function).traced:
        return None
    static = [(given, call) for given, call in _handed(unit, node) if given in _static_arguments(unit, call)]
    handed = [(given, call) for given, call in static if function in unit.ancestors(call)]
    if not handed or is_cached(unit, node):
        return None
    taken = tuple(sorted(free(node) & unit.local_names))
    for given, call in handed:
        made = list(loops_around(unit, node, function))
        if made:
            return StaticFunction(call, given, function, made[0], (), taken)
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        if loop_around(body, call) or isinstance(function, ast.Lambda):
            return None  # it is compiled once for all these trips
        why = unit.repeats(function) or unit.several(function)
        return StaticFunction(call, given, function, None, why, taken) if why is not None else None
    return None


def _handed(unit: Unit, node: ast.Lambda | ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.Call]]:
    """The arguments that a function is, where nothing else is known under its name, with their calls."""
    if isinstance(node, ast.Lambda) and isinstance(call := _call_of(unit, node), ast.Call):
        yield node, call
        return
    binding = _binding(unit, node)
    name = getattr(binding, "name", getattr(binding, "id", ""))
    calls = {use: call for use in unit.mentions.get(name, ()) if (call := _call_of(unit, use)) is not None}
    calls = {use: call for use, call in calls.items() if use in _static_arguments(unit, call)}
    if binding is None or not calls:
        return
    flow = defuse_of(unit)
    made = flow.made(binding)
    for use in (use for definition in made for use in flow.uses(definition)):
        alone = flow.definitions(use) == frozenset(made) and all(d.kind is not DefinitionKind.OUTER for d in made)
        if alone and isinstance(use, ast.Name) and use in calls:
            yield use, calls[use]


def _binding(unit: Unit, node: ast.Lambda | ast.FunctionDef) -> ast.AST | None:
    """What gives a function its name."""
    if isinstance(node, ast.FunctionDef):
        return node
    match unit.parents.get(node):
        case ast.Assign(targets=[ast.Name() as target]) | ast.AnnAssign(target=ast.Name() as target):
            return target
    return None


def _call_of(unit: Unit, argument: ast.expr) -> ast.Call | None:
    parent = unit.parents.get(argument)
    outer = unit.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    return outer if isinstance(outer, ast.Call) and outer.func is not argument else None


def _static_arguments(unit: Unit, call: ast.Call) -> list[ast.expr]:
    """The arguments of a call of a jitted function that JAX compares with those of the calls before."""
    match unit.value(call.func).callee:
        case Transformed("jax.jit" | "jax.pmap", inner, static) if static:
            names = _positional(inner)
            placed = [a for a, name in zip(call.args, names, strict=False) if name in static]
            return [*placed, *(k.value for k in call.keywords if k.arg in static)]
    return []


def _positional(function: Value) -> list[str]:
    """The names of the parameters that positional arguments fill."""
    match function.callee:
        case Closure(code, _, receiver):
            return [a.arg for a in code.positional()][receiver is not None :]
        case Partial(inner, args):
            return _positional(inner)[len(args) :]
        case Transformed(_, inner):
            return _positional(inner)
    return []
