"""Tracers that a traced function leaves in what outlives its trace: a list, a dict, an attribute, a global."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Function, Names, binds, parameters, walk_scope
from scanlint.trace.domain.callables import ClassInfo
from scanlint.trace.domain.values import Instance, holds_tracer
from scanlint.trace.unit import Unit

ADDS = words("append extend insert add update setdefault")
TRACES = words(
    "jax.lax.scan jax.lax.fori_loop jax.lax.while_loop jax.lax.cond jax.lax.switch jax.lax.map "
    "jax.lax.associative_scan jax.vmap jax.pmap jax.jit jax.grad jax.value_and_grad jax.jacfwd jax.jacrev "
    "jax.hessian jax.checkpoint jax.remat"
)
PLAIN = frozenset(["builtins.object", "object", "abc.ABC", "typing.Protocol"])
"""Bases that make nothing a pytree."""
MAKERS = words("__init__ __post_init__ __new__ __setstate__")
MODULE = "the module"
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Leak(NamedTuple):
    """A tracer that is stored: where, in what, whose that is, and the traced function.

    `lasting`: an object or the module keeps it, and not only a call of the function around.
    """

    at: ast.AST
    value: ast.expr
    kept: str
    owner: str
    function: Function
    lasting: bool


def leak(unit: Unit, node: ast.AST) -> Leak | None:
    """What a statement stores of a trace in something that was made outside of it."""
    for kept, value in _stores(node):
        own = unit.context(node).node
        if isinstance(kept, ast.Name) and _rebinds(node) and not (_shares(unit) and kept.id in _names(unit, own)[1]):
            continue  # most statements: told before anything is evaluated
        if not holds_tracer(unit.value(value)):
            continue
        owner = _outlives(unit, node, kept)
        if owner is not None:
            lasting = isinstance(kept, ast.Attribute) or owner == MODULE
            return Leak(node, value, ast.unparse(kept), owner, unit.context(node).node, lasting)
    return None


def _shares(unit: Unit) -> bool:
    """Some function of a unit binds names that are not its own."""
    return bool(unit.every(ast.Global) or unit.every(ast.Nonlocal))


def _stores(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is changed in place by a node, and the values that it is given."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as kept, attr=method), args=args)):
            if method in ADDS:
                yield from ((kept, value) for value in args)
        case ast.Assign(targets=[ast.Subscript(value=ast.Name() as kept)], value=value):
            yield kept, value
        case ast.Assign(targets=[ast.Attribute(value=ast.Name()) as kept], value=value):
            yield kept, value
        case (
            ast.Assign(targets=[ast.Name() as kept], value=value)
            | ast.AugAssign(target=ast.Name() as kept, value=value)
        ):
            yield kept, value


def _outlives(unit: Unit, node: ast.AST, kept: ast.expr) -> str | None:
    """Whose it is that is changed, in words, if a trace that ends with the function does not end with it."""
    if isinstance(kept, ast.Attribute):
        return _of_object(unit, node, kept)
    assert isinstance(kept, ast.Name)
    begins = False
    for function in (a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)):
        own, outer = _names(unit, function)
        if kept.id in own and kept.id not in outer:
            around = getattr(function, "name", "a lambda")
            return f"`{around}`" if begins and not _is_parameter(function, kept.id) else None
        begins = begins or unit.context(function).begins or _is_run_by_jax(unit, function)
    return MODULE if begins and kept.id in unit.file.bound else None


def _is_run_by_jax(unit: Unit, function: Function) -> bool:
    """A function is handed to a transform that traces it by itself: the body of a scan, an arm of a cond."""
    for name, call in unit.calls:
        if name in TRACES:
            given = [*call.args, *(k.value for k in call.keywords)]
            if function in given or any(isinstance(a, ast.Name) and a.id == _name(function) for a in given):
                return True
    return False


def _name(function: Function) -> str | None:
    return getattr(function, "name", None)


def _rebinds(node: ast.AST) -> bool:
    """A statement binds a name: that of another scope only where its function says so."""
    item = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    return isinstance(node, ast.Assign | ast.AugAssign) and not item


def _is_parameter(function: Function, name: str) -> bool:
    return name in parameters(function.args)


def _body(function: Function) -> list[ast.AST]:
    return [function.body] if isinstance(function, ast.Lambda) else list(function.body)


def _names(unit: Unit, function: Function) -> tuple[Names, Names]:
    """The names that a function binds, and those of them that are not its own; worked out once."""
    own = parameters(function.args)
    return unit.once((_names, function), lambda: (binds(*_body(function)) | frozenset(own), _declared(function)))


def _declared(function: Function) -> frozenset[str]:
    """The names that a function shares with the one around it, or the module."""
    parts = walk_scope(_body(function))
    return frozenset(n for p in parts if isinstance(p, ast.Global | ast.Nonlocal) for n in p.names)


def _of_object(unit: Unit, node: ast.AST, kept: ast.Attribute) -> str | None:
    """An attribute of `self` in a method that a transform runs, `self` being no argument of the trace."""
    context = unit.context(node)
    function, owner = context.node, unit.qualname.rpartition(".")[0]
    first = [a.arg for a in function.args.args[:1]]
    assert isinstance(kept.value, ast.Name)
    if function is not unit.node or first != [kept.value.id] or not owner:
        return None
    if not context.begins:
        return f"`{kept.value.id}`" if context.traced and _made_before(unit, kept.value) else None
    found = unit.file.definitions.get(owner)
    if not isinstance(found, ast.ClassDef) or found.decorator_list or not are_plain(unit.lineage()):
        return None
    jitted = context.jit is not None and (first[0] in context.static or not context.jit.decorator)
    return f"`{kept.value.id}`" if jitted and not unit.value(kept.value).traced else None


def _made_before(unit: Unit, receiver: ast.expr) -> bool:
    """A method runs under a trace for an object that the host made, and that is no pytree: it outlives the trace."""
    made = unit.value(receiver)
    if not isinstance(made.callee, Instance) or made.callee.fresh or made.traced or made.fields:
        return False
    if unit.code is None or unit.code.name in MAKERS:
        return False
    return are_plain(unit.lineage()) and not _registered(unit)


def are_plain(above: Sequence[ClassInfo]) -> bool:
    """A class and its bases are all known, and nothing makes their objects pytrees.

    A base is known by its last name: a package may hand on what a module of it defines.
    """
    known = {info.name.rpartition(".")[2] for info in above}
    bases = {base for info in above for base in info.bases if base.rpartition(".")[2] not in known}
    return bases <= PLAIN and all(info.kind == "plain" and "tree_flatten" not in info.methods for info in above)


def _registered(unit: Unit) -> bool:
    """Something in the file is made a pytree."""
    spelled = (*unit.file.called, *unit.file.imports, *unit.file.imports.values())
    return any(isinstance(name, str) and "pytree" in name for name in spelled)
