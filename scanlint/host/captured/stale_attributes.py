"""Attributes of a static object that its jitted method reads while it is traced, and that a method sets later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.host.captured.changed_values import evolves
from scanlint.host.captured.leaks import are_plain
from scanlint.jaxapi.canonical import JITS
from scanlint.jaxapi.words import words
from scanlint.policy.names import SETS_UP
from scanlint.syntax.bindings import Names, walk_scope
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

MAKERS = words("__init__ __post_init__ __new__ __setstate__ setup __enter__")
"""Methods that run before any other."""
COMPARED = words("__hash__ __eq__")
STEADY = words("apply_fn tx apply init update shape dtype ndim")
"""Parts of a state that stay as they are while its arrays change."""
Methods = dict[str, ast.FunctionDef]


class StaleAttribute(NamedTuple):
    """A read while tracing, and the method that sets the attribute later; `evolves`: computed from its old value."""

    read: ast.AST
    name: str
    write: ast.AST
    writer: str
    evolves: bool


def stale_attributes(unit: Unit, method: ast.FunctionDef) -> Iterator[StaleAttribute]:
    """The attributes that a jitted method reads of an object which no argument of the trace stands for."""
    methods, context = _methods(unit), unit.context(method)
    first = [a.arg for a in method.args.args[:1]]
    if not methods or not first:
        return
    bound = context.jit is not None and not context.jit.decorator
    if not (bound or (first[0] in context.static and COMPARED.isdisjoint(methods))):
        return
    reads = _read_attributes(method, methods, {method.name})
    found: dict[str, StaleAttribute] = {}
    for name, write, writer in _writes(unit, methods, method):
        if name in reads and not (name in found and found[name].evolves):
            setter = methods[writer]
            grows = not writer.startswith("__") and evolves(setter.body, name, setter.args.args[0].arg)
            if grows or name not in found:
                found[name] = StaleAttribute(reads[name], f"self.{name}", write, writer, grows)
    yield from found.values()


def _methods(unit: Unit) -> Methods:
    """The methods of a plain class, those of its bases included; none where something makes it more than that."""
    owner = unit.qualname.rpartition(".")[0]
    found = unit.file.definitions.get(owner) if owner else None
    if not isinstance(found, ast.ClassDef) or found.decorator_list:
        return {}
    above = unit.lineage()
    if not are_plain(above):
        return {}
    inherited: Methods = {}
    for info in reversed(above):
        inherited |= {name: code.node for name, code in info.methods.items() if isinstance(code.node, ast.FunctionDef)}
    return inherited | {s.name: s for s in found.body if isinstance(s, ast.FunctionDef)}


def _read_attributes(method: ast.FunctionDef, methods: Methods, seen: set[str]) -> dict[str, ast.AST]:
    """The attributes that a method reads of its object, itself or by the methods that it calls.

    What a callback reads it reads when the program runs; what decides whether to raise is no part of the program.
    """
    receiver = method.args.args[0].arg
    found: dict[str, ast.AST] = {}
    later = _not_traced(method)
    for part in walk(method):
        match part:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Load()) if name == receiver:
                if part in later:
                    continue
                if attr not in methods:
                    found.setdefault(attr, part)
                elif attr not in seen and methods[attr].args.args and not methods[attr].decorator_list:
                    inner = _read_attributes(methods[attr], methods, seen | {attr})
                    found = {**dict.fromkeys(inner, part), **found}
    return found


def _not_traced(method: ast.FunctionDef) -> frozenset[ast.AST]:
    """What callbacks are handed, the tests that only decide whether to raise, and what of a state never changes."""
    found: set[ast.AST] = set()
    for part in walk(method):
        match part:
            case ast.Call(func=function, args=args) if "callback" in ast.unparse(function):
                found.update(args[:1])
            case ast.If(test=test, body=body, orelse=orelse) if _raises(body) or _raises(orelse):
                found.update(walk(test))
            case ast.Assert(test=test):
                found.update(walk(test))
            case ast.Attribute(value=whole, attr=attr) if attr in STEADY:
                found.add(whole)
    return frozenset(found)


def _raises(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], ast.Raise)


def _writes(unit: Unit, methods: Methods, jitted: ast.FunctionDef) -> Iterator[tuple[str, ast.AST, str]]:
    """What methods set that may run after the first call, once they have jitted nothing anew themselves."""
    early, made = _early(unit, methods), _made_with(methods)
    for name, method in methods.items():
        if name in early or method is jitted or not method.args.args or _is_traced(method) or jits(unit, method):
            continue
        receiver = method.args.args[0].arg
        for part in walk_scope(method.body):
            match part:
                case ast.Attribute(value=ast.Name(id=owner), attr=attr, ctx=ast.Store()) if owner == receiver:
                    begins = attr not in made and SETS_UP(name)
                    if not begins and not _only_once(method, part, attr):
                        yield attr, part, name


def _made_with(methods: Methods) -> Names:
    """The attributes that an object has from the first: None is no value yet."""
    found: set[str] = set()
    for part in (p for name in MAKERS & methods.keys() for p in walk(methods[name])):
        match part:
            case ast.Assign(targets=bound, value=value) if not (
                isinstance(value, ast.Constant) and value.value is None
            ):
                found.update(n.attr for t in bound for n in walk(t) if isinstance(n, ast.Attribute))
            case ast.AnnAssign(target=ast.Attribute(attr=attr), value=ast.expr()):
                found.add(attr)
    return frozenset(found)


def _early(unit: Unit, methods: Methods) -> frozenset[str]:
    """The methods that run before any other, and those that only they call: hidden ones, or such as the file shows."""
    early = set(MAKERS)
    callers: dict[str, set[str]] = {name: set() for name in methods}
    for name, method in methods.items():
        for part in walk(method):
            if isinstance(part, ast.Attribute) and part.attr in callers:
                callers[part.attr].add(name)
    for _ in methods:
        early |= {
            n for n, by in callers.items() if by and by <= early and (n.startswith("_") or _only(unit, n, methods))
        }
    return frozenset(early)


def _only(unit: Unit, name: str, methods: Methods) -> bool:
    """A file calls a method within a class only."""
    inside = {part for method in methods.values() for part in walk(method)}
    return all(call in inside for call in unit.file.called.get(name, ()))


def _is_traced(method: ast.FunctionDef) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in method.decorator_list)


def jits(unit: Unit, method: ast.FunctionDef) -> bool:
    """A method jits something itself: what it sets is read by the new program."""
    return any(isinstance(p, ast.Call) and unit.resolve(p.func) in JITS for p in walk(method))


def _only_once(method: ast.FunctionDef, target: ast.AST, attr: str) -> bool:
    """A value is set where there was none: under `if self.x is None`."""
    for part in walk(method):
        match part:
            case ast.If(test=test, body=body) if any(target is inner for s in body for inner in walk(s)):
                return attr in {n.attr for n in walk(test) if isinstance(n, ast.Attribute)}
    return False
