"""Calls of `lax.scan` whose stacked outputs nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.locations import Definition, DefinitionKind
from scanlint.jaxapi.canonical import SCANS
from scanlint.loops.jumps import SUSPENDS
from scanlint.loops.scans.scan_bodies import HANDED_ON, ScanBody, body_argument, scan_body
from scanlint.syntax.bindings import Function, walk_scope
from scanlint.syntax.walk import by_kind
from scanlint.trace.calls.transforms import functions_in
from scanlint.trace.domain.values import UNKNOWN, Value
from scanlint.trace.unit import Unit

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class UnreadOutputs(NamedTuple):
    """A scan that builds outputs for nobody.

    `name`: its body as a message calls it; `pairs`: all that this returns; `others`: how many scans run it too.
    """

    call: ast.Call
    body: Function
    name: str
    pairs: tuple[ast.Tuple, ...]
    others: int


def unread_outputs(unit: Unit, call: ast.Call) -> UnreadOutputs | None:
    """The scan, if its outputs are never read, nor those of any other scan with its body; told of the first one."""
    given = body_argument(call) if _is_scan(unit, call) and _unread(unit, call) else None
    body = scan_body(unit, given) if given is not None else None
    if given is None or body is None or not _may_change(unit, body):
        return None
    values, pairs = _values(unit, given), returned_pairs(body.function) or []
    void = _element(body.function) if _counts_alone(unit, call) else ""
    if not any(_builds(values, pair.elts[1], void) for pair in pairs):
        return None
    scans = list(_scans(unit, body.function, body.definition))
    if None in scans or any(other is not None and _before(other, call) for other in scans):
        return None
    return UnreadOutputs(call, body.function, body.name, tuple(pairs), len(scans) - 1)


def _may_change(unit: Unit, body: ScanBody) -> bool:
    """Whether a body may return something else: of a function of the file, whether no other file names it."""
    decorators = [] if isinstance(body.function, ast.Lambda) else body.function.decorator_list
    if body.definition is None or body.definition.kind is not DefinitionKind.OUTER:
        return all(unit.resolve(decorator) in HANDED_ON for decorator in decorators)
    return not (decorators or unit.shared is None or unit.shared(str(body.definition.location)))


def returned_pairs(function: Function) -> list[ast.Tuple] | None:
    """The pairs that a body returns, one for each path; None where it is not seen what it returns."""
    if isinstance(function, ast.Lambda):
        return _pairs(function.body)
    parts = list(walk_scope(function.body))
    returned = [part.value for part in parts if isinstance(part, ast.Return)]
    if not returned or any(isinstance(part, SUSPENDS) for part in parts):
        return None
    found = [_pairs(value) if value is not None else None for value in returned]
    return None if None in found else [pair for pairs in found for pair in pairs or ()]


def _pairs(value: ast.expr) -> list[ast.Tuple] | None:
    match value:
        case ast.Tuple(elts=[first, second]) if not any(isinstance(e, ast.Starred) for e in (first, second)):
            return [value]
        case ast.IfExp(body=one, orelse=other):
            found = [_pairs(one), _pairs(other)]
            return None if None in found else [pair for pairs in found for pair in pairs or ()]
    return None


def is_none(node: ast.expr) -> bool:
    """Whether an output is written as None."""
    return isinstance(node, ast.Constant) and node.value is None


def _values(unit: Unit, given: ast.expr) -> Mapping[ast.AST, Value]:
    """The inferred values of the expressions of the unit, and of a body that is defined outside of it."""
    found = functions_in(unit.value(given))
    return {**found[0].code.record.values, **unit.values} if found else unit.values


def _element(body: Function) -> str:
    """The parameter of a body that is given an element of `xs`."""
    positional = [*body.args.posonlyargs, *body.args.args]
    return positional[-1].arg if positional else ""


def _counts_alone(unit: Unit, call: ast.Call) -> bool:
    """Whether a scan has no `xs`: its body is given None."""
    given = call.args[2] if len(call.args) > 2 else next((k.value for k in call.keywords if k.arg == "xs"), None)
    return given is None or (unit.value(given).known and unit.value(given).constant is None)


def _builds(values: Mapping[ast.AST, Value], output: ast.expr, void: str) -> bool:
    """Whether an output is surely more than nothing: `None` and empty containers stack to nothing."""
    match output:
        case ast.Constant(value=None):
            return False
        case ast.Name(id=name) if name == void:
            return False
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return any(_builds(values, part, void) for part in parts)
    value = values.get(output, UNKNOWN)
    empty = value.container is not None and not value.items and not value.fields and value.element is None
    return not (empty or (value.known and value.constant is None))


# -- what is done with the result of a scan


def _is_scan(unit: Unit, node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and unit.resolve(node.func) in SCANS


def _unread(unit: Unit, result: ast.expr) -> bool:
    """Whether the second part of a pair is never read."""
    match unit.parents.get(result):
        case ast.Subscript(value=value, slice=ast.Constant(value=int() as place)) if value is result:
            return place == 0 and not isinstance(place, bool)
        case ast.Assign(targets=[target], value=value) if value is result:
            return _dropped(unit, target)
        case ast.AnnAssign(target=target, value=value) if value is result:
            return _dropped(unit, target)
    return False


def _dropped(unit: Unit, target: ast.expr) -> bool:
    """Whether of what a target is given the second part is never read."""
    match target:
        case ast.Tuple(elts=[_, ast.Name() as outputs]) | ast.List(elts=[_, ast.Name() as outputs]):
            return _shared(unit, outputs.id) is False and not _uses(unit, outputs)
        case ast.Name(id=name):
            uses = _uses(unit, target)
            return not _shared(unit, name) and bool(uses) and all(_unread(unit, use) for use in uses)
    return False


def _uses(unit: Unit, target: ast.AST) -> list[ast.expr]:
    """The places that may read the value bound at a name."""
    flow = defuse_of(unit)
    found = [use for definition in flow.made(target) for use in flow.uses(definition)]
    return [use for use in dict.fromkeys(found) if isinstance(use, ast.expr)]


def _shared(unit: Unit, name: str) -> bool:
    """Whether a name is one of the module or of a function around."""
    shared = [part.names for part in unit.every(ast.Global)] + [part.names for part in unit.every(ast.Nonlocal)]
    return any(name in names for names in shared)


# -- who else runs the body of a scan


def _scans(unit: Unit, body: Function, definition: Definition | None) -> Iterator[ast.Call | None]:
    """All scans that run a body; None for a use that is no scan, or one whose outputs are read."""
    if definition is None:
        yield _scan_around(unit, body)
    elif definition.kind is DefinitionKind.OUTER:
        yield from _in_module(unit, str(definition.location))
    else:
        for use in defuse_of(unit).uses(definition):
            yield from _followed(unit, use)


def _followed(unit: Unit, use: ast.AST) -> Iterator[ast.Call | None]:
    """The scans that a function comes to from one place, through names of what wraps it."""
    around = _wrapped(unit, use)
    match unit.parents.get(around):
        case ast.Assign(targets=[ast.Name() as target]):
            for other in _uses(unit, target):
                yield from _followed(unit, other)
            return
    yield _scan_around(unit, around)


def _wrapped(unit: Unit, node: ast.AST) -> ast.AST:
    """The outermost of the calls that hand a function on."""
    parent = unit.parents.get(node)
    while isinstance(parent, ast.Call) and parent.args[:1] == [node] and unit.resolve(parent.func) in HANDED_ON:
        node, parent = parent, unit.parents.get(parent)
    return node


def _scan_around(unit: Unit, node: ast.AST) -> ast.Call | None:
    """The scan that is given a function, if its outputs are never read."""
    given = _wrapped(unit, node)
    parent = unit.parents.get(given)
    call = unit.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or not _is_scan(unit, call) or body_argument(call) is not given:
        return None
    return call if _unread(unit, call) else None


def _in_module(unit: Unit, name: str) -> Iterator[ast.Call | None]:
    """The scans of a whole file that run a function of the module."""
    functions = dict(_outermost(unit.file.tree.body))
    inside = {id(n) for function in functions.values() for n in by_kind(function).of(ast.Name)}
    named = [n for n in unit.file.kinds.of(ast.Name) if n.id == name]
    if any(id(n) not in inside for n in named) or _listed(unit.file.tree, name):
        yield None
    for qualname, function in functions.items():
        there = unit if qualname == unit.qualname else _beside(unit, function)
        for use in [n for n in there.every(ast.Name) if n.id == name]:
            yield from _followed(there, use)


def _outermost(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function]]:
    """The functions of a module and the methods of its classes, by their qualified names."""
    for statement in body:
        if isinstance(statement, FUNCTIONS):
            yield f"{prefix}{statement.name}", statement
        elif isinstance(statement, ast.ClassDef):
            yield from _outermost(statement.body, f"{prefix}{statement.name}.")


def _beside(unit: Unit, function: Function) -> Unit:
    """Another function of the same file, with its text alone."""
    return Unit(unit.source, unit.file, function, unit.qualname, unit.imports, unit.definitions)


def _listed(module: ast.Module, name: str) -> bool:
    """Whether a module offers a name to others."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=offered):
                return any(isinstance(n, ast.Constant) and n.value == name for n in ast.walk(offered))
    return False


def _before(one: ast.AST, other: ast.AST) -> bool:
    return (one.lineno, one.col_offset) < (other.lineno, other.col_offset)  # type: ignore[attr-defined]
