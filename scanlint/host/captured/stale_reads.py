"""What a jitted function reads while it is traced, and something binds anew later: the compiled program keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scanlint.host.captured.changed_values import sizes, varying
from scanlint.host.captured.script_bindings import bound_between_calls, called_at_top
from scanlint.host.captured.stale_attributes import STEADY, stale_attributes
from scanlint.jaxapi.canonical import JITS
from scanlint.syntax.bindings import Function, Names, binds, free, parameters, targets, walk_scope
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

LOOPS = ast.For | ast.AsyncFor | ast.While
Loop = ast.For | ast.AsyncFor | ast.While


class Stale(NamedTuple):
    """A read while tracing, and the statement that makes it stale, with where that stands in words.

    `sure`: what is bound is known to be another value, and the function to be called before and after it.
    """

    read: ast.AST
    name: str
    write: ast.AST
    where: str
    sure: bool = False


def stale(unit: Unit, node: Function) -> Iterator[Stale]:
    """The reads of a function that is jitted on the host which something binds anew after its first call."""
    context = unit.context(node)
    if context.node is not node or not context.begins or context.jit is None:
        return
    if node is unit.node and isinstance(node, ast.FunctionDef):
        for found in stale_attributes(unit, node):
            yield Stale(found.read, found.name, found.write, f"`{found.writer}` sets it", found.evolves)
        yield from _globals(unit, node)
    elif node is not unit.node:
        yield from _locals(unit, node)


def _reads(function: Function, inner: Mapping[str, Function], *, apart: bool) -> dict[str, ast.AST]:
    """The free names of a function, and those of the functions that it names, each with where it is read.

    Those that stand `apart` are no part of the unit: what they read stands where the function names them.
    """
    found: dict[str, ast.AST] = {}
    seen: set[str] = set()
    waiting: list[tuple[Function, ast.AST | None]] = [(function, None)]
    while waiting:
        at, place = waiting.pop()
        loose = free(at) - frozenset(parameters(at.args))
        for part in sorted(_loads(at, loose), key=lambda n: (n.lineno, n.col_offset)):
            found.setdefault(part.id, place or part if apart else part)
            if part.id in inner and part.id not in seen:
                seen.add(part.id)
                waiting.append((inner[part.id], place or part))
    return found


def _loads(function: Function, names: Names) -> list[ast.Name]:
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    parts = [part for statement in body for part in walk(statement)]
    steady = {p.value for p in parts if isinstance(p, ast.Attribute) and p.attr in STEADY}
    loads = (p for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Load) and p.id in names)
    return [p for p in loads if p not in steady]


# -- names of the module


def _globals(unit: Unit, function: ast.FunctionDef) -> Iterator[Stale]:
    """Names of the module: another function binds them, or a loop of a script that calls this one."""
    if "." in unit.qualname or not (
        ast.Global in unit.file.kinds or _script_loops(unit) or called_at_top(unit, function.name)
    ):
        return
    inner = {n: d for n, d in unit.file.definitions.items() if isinstance(d, ast.FunctionDef) and d is not function}
    read = _reads(function, inner, apart=True)
    fixed = unit.file.imports.keys() | unit.file.definitions.keys()
    read = {name: place for name, place in read.items() if name not in fixed}
    if read:
        yield from _bound_by_functions(unit, function, read)
        yield from _bound_by_scripts(unit, function, read)
        for name, write, sure in bound_between_calls(unit, function, read):
            yield Stale(read[name], name, write, "the script binds it anew", sure)


def _bound_by_functions(unit: Unit, function: ast.FunctionDef, read: dict[str, ast.AST]) -> Iterator[Stale]:
    for writer in unit.file.kinds.of(ast.FunctionDef):
        shared = {n for p in walk_scope(writer.body) if isinstance(p, ast.Global) for n in p.names} & read.keys()
        if not shared or _is_same(writer, function) or _jits_anew(unit, writer, function.name):
            continue
        for part in walk_scope(writer.body):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in shared:
                if not _binds_once(unit, writer, part) or called_at_top(unit, function.name):
                    yield Stale(read[part.id], part.id, part, f"`{writer.name}` binds it anew")
                    return


def _binds_once(unit: Unit, writer: ast.FunctionDef, name: ast.Name) -> bool:
    """The program begins with a function that binds a name: the one call of it stands at the end of the script."""
    runs = [call for call in unit.file.called.get(writer.name, ()) if isinstance(call.func, ast.Name)]
    alone = len(runs) == 1 and runs == called_at_top(unit, writer.name)
    loops = (*_script_loops(unit), *(part for part in walk_scope(writer.body) if isinstance(part, LOOPS)))
    return alone and not any(part in (name, runs[0]) for loop in loops for part in walk(loop))


def _is_same(writer: ast.FunctionDef, function: ast.FunctionDef) -> bool:
    return writer.name == function.name and writer.lineno == function.lineno


def _jits_anew(unit: Unit, writer: ast.FunctionDef, name: str) -> bool:
    """A function jits another one by its name, or clears what was compiled."""
    for part in walk(writer):
        if isinstance(part, ast.Call):
            called = unit.resolve(part.func)
            if called in JITS and any(isinstance(a, ast.Name) and a.id == name for a in part.args):
                return True
            if called == "jax.clear_caches" or getattr(part.func, "attr", "") == "clear_cache":
                return True
    return False


def _script_loops(unit: Unit) -> list[Loop]:
    """The outermost loops that stand outside of functions."""
    return unit.file.once(
        (_script_loops,), lambda: [part for part in walk_scope(unit.file.tree.body) if isinstance(part, LOOPS)]
    )


def _bound_by_scripts(unit: Unit, function: ast.FunctionDef, read: dict[str, ast.AST]) -> Iterator[Stale]:
    for loop in _script_loops(unit):
        changed = unit.file.once((varying, loop), lambda loop=loop: varying(loop)) & read.keys()  # type: ignore[misc]
        if not changed or not _is_called_in(unit, loop, function.name):
            continue
        for part in walk_scope(loop.body):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in changed:
                yield Stale(read[part.id], part.id, part, "a loop binds it anew", not sizes(loop, part.id))
                return


def _is_called_in(unit: Unit, loop: Loop, name: str) -> bool:
    """A loop calls a function by its name, or by one that it was given as it is."""
    names = {name} | {
        bound
        for part in walk_scope(loop.body)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Name | ast.IfExp)
        for mentioned in walk(part.value)
        if isinstance(mentioned, ast.Name) and mentioned.id == name
        for target in part.targets
        for bound in targets(target)
    }
    return any(isinstance(p, ast.Call) and getattr(p.func, "id", None) in names for p in walk_scope(loop.body))


# -- names of the function around


def _locals(unit: Unit, function: Function) -> Iterator[Stale]:
    """A local that is read by a jitted inner function, and bound anew between two of its calls."""
    around = next((a for a in unit.ancestors(function) if isinstance(a, ast.FunctionDef | ast.Lambda)), None)
    if not isinstance(around, ast.FunctionDef) or unit.context(around).traced:
        return
    names = _names_of(unit, around, function)
    calls = [p for p in walk_scope(around.body) if isinstance(p, ast.Call) and getattr(p.func, "id", None) in names]
    if not calls:
        return
    local = binds(*around.body) | frozenset(parameters(around.args))
    inner = {p.name: p for p in walk_scope(around.body) if isinstance(p, ast.FunctionDef) and p is not function}
    read = _reads(function, inner, apart=False)
    for name in sorted(read.keys() & local - names - inner.keys()):
        for write in (p for p in walk_scope(around.body) if _binds(p, name)):
            loop = _between(unit, write, calls, function) if _line(write) > _line(function) else None
            if loop is not None:
                sure = isinstance(loop, LOOPS) and name in varying(loop) and not sizes(loop, name)
                yield Stale(read[name], name, write, f"`{around.name}` binds it anew", sure)
                break


def _names_of(unit: Unit, around: ast.FunctionDef, function: Function) -> frozenset[str]:
    """The names under which a function is called jitted, alone or through another transform."""
    own = getattr(function, "name", "")
    found: set[str] = {own} if getattr(function, "decorator_list", None) else set()
    for part in walk_scope(around.body):
        match part:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call(func=made, args=[first, *_])):
                jitted = unit.resolve(made) in JITS and (first is function or getattr(first, "id", None) == own != "")
                again = getattr(first, "id", None) in found and (unit.resolve(made) or "").startswith("jax.")
                if jitted or again:
                    found.add(bound)
    return frozenset(found)


def _binds(part: ast.AST, name: str) -> bool:
    match part:
        case ast.Assign(targets=bound):
            return any(name in targets(target) for target in bound)
        case ast.AugAssign(target=target) | ast.For(target=target):
            return name in targets(target)
    return False


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _between(unit: Unit, write: ast.AST, calls: list[ast.Call], function: Function) -> ast.AST | None:
    """What brings a statement between two calls: a loop of it that calls and does not make the function, or a block."""
    loops = [a for a in [write, *unit.ancestors(write)] if isinstance(a, LOOPS)]
    for loop in loops:
        if loop not in unit.ancestors(function) and any(loop in unit.ancestors(call) for call in calls):
            return loop
    here = unit.parents.get(write)
    straight = [c for c in calls if here is not None and here in unit.ancestors(c)]
    before = any(_line(c) < _line(write) for c in straight)
    return here if before and any(_line(c) > _line(write) for c in straight) else None
