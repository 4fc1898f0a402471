"""Finds host functions that return functions or objects: their calls are worth following."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from scanlint.syntax.bindings import Function
from scanlint.syntax.walk import dotted, kinds_inside
from scanlint.trace.calls.methods import MUTATORS
from scanlint.trace.domain.callables import ClassRef, Closure, Code, Partial, RecordType, Transformed, World
from scanlint.trace.domain.held import holds_functions
from scanlint.trace.domain.values import OneOf, Value
from scanlint.trace.members import lineage

Made = ast.expr | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
"""An expression that a function returns, or a definition."""


def hands_out(world: World, code: Code) -> bool:
    """Whether a function may return a function or object that it makes, has from another such, or from a table.

    What it is handed and hands on is told by its arguments.
    """
    if code.makes is None:
        code.makes = False  # of a function that is being asked already
        code.makes = any(_is_handed(world, code, part) for part in _returned(code.node))
    return code.makes


def _is_handed(world: World, code: Code, part: Made) -> bool:
    """Whether one expression that is returned, or one function that is made, gives a function or object."""
    match part:
        case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return True
        case ast.Call(func=function):
            return _calls_maker(world, code, function)
        case ast.Name(id=name):
            found = code.scope.lookup(name)
            return found is not None and holds_functions(found)
        case ast.Subscript(value=ast.Name(id=name)):
            found = code.scope.lookup(name)
            return found is not None and holds_functions(found)
        case ast.Attribute(value=ast.Name(id=owner)) if code.owner is not None:
            return owner == code.first
    return False


def _calls_maker(world: World, code: Code, function: ast.expr) -> bool:
    """Whether a call gives a function or object, by what is called."""
    match function:
        case ast.Subscript(value=ast.Name() | ast.Dict()) | ast.Call(func=ast.Attribute(value=ast.Name(), attr="get")):
            return True
        case ast.Attribute(value=ast.Name(id=owner), attr=attr) if code.owner is not None and owner == code.first:
            methods = (info.methods.get(attr) for info in lineage(world, code.owner))
            return any(method is not None and hands_out(world, method) for method in methods)
    name = dotted(function)
    if name is None:
        return isinstance(function, ast.Call) and _calls_maker(world, code, function.func)
    if name.rpartition(".")[2] == "partial":
        return True
    spelled = code.scope.lookup(name) if "." not in name else world.find(code.scope.annotation(function) or name)
    return spelled is not None and _makes(world, spelled)


def _makes(world: World, function: Value) -> bool:
    """Whether a call of a value gives a function or object."""
    match function.callee:
        case ClassRef() | RecordType():
            return True
        case Closure(code):
            return hands_out(world, code)
        case Partial(inner) | Transformed(_, inner):
            return _makes(world, inner)
        case OneOf(choices):
            return any(_makes(world, choice) for choice in choices)
    return False


def _returned(node: Function) -> Iterator[Made]:
    """The expressions that may be what a function returns, or a part of it; names by what they are bound to."""
    if isinstance(node, ast.Lambda):
        yield from _parts(node.body)
        return
    inside = kinds_inside(node)
    left = [part for n in inside.of(ast.Return) if n.value is not None for part in _parts(n.value)]
    if not left:
        return
    bound = _bound(node)
    parameters = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    seen: set[str] = set()
    while left:
        part = left.pop()
        name = part.id if isinstance(part, ast.Name) else None
        if name is None or (name not in bound and name not in parameters):
            yield part
        elif name not in seen:
            seen.add(name)
            for given in bound.get(name, ()):
                if isinstance(given, ast.expr):
                    left += _parts(given)
                else:
                    yield given


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """An expression, or what a display of several holds."""
    match value:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for part in elts:
                yield from _parts(part)
        case ast.Dict(values=values):
            for part in values:
                yield from _parts(part)
        case ast.ListComp(elt=part) | ast.DictComp(value=part) | ast.GeneratorExp(elt=part) | ast.Starred(value=part):
            yield from _parts(part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield value


def _bound(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Mapping[str, list[Made]]:
    """The values that the names of a function are bound to, and those put into lists and dicts."""
    found: dict[str, list[Made]] = {}
    inside = kinds_inside(node)
    for function in inside.of(ast.FunctionDef):
        found.setdefault(function.name, []).append(function)
    for made in inside.of(ast.ClassDef):
        found.setdefault(made.name, []).append(made)
    for assignment in inside.of(ast.Assign):
        for name in (name for target in assignment.targets for name in _names(target)):
            found.setdefault(name, []).append(assignment.value)
    for added in inside.of(ast.AugAssign):
        for name in _names(added.target):
            found.setdefault(name, []).append(added.value)
    for noted in inside.of(ast.AnnAssign):
        for name in _names(noted.target) if noted.value is not None else ():
            found.setdefault(name, []).append(noted.value)  # type: ignore[arg-type]
    for call in inside.of(ast.Call):
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in MUTATORS:
                found.setdefault(name, []).extend(call.args)
    return found


def _names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment binds or puts something into."""
    match target:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            yield name
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for part in elts:
                yield from _names(part)
