"""Methods under `@jax.jit` whose object is an argument of the jit, and no pytree: JAX cannot take it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.syntax.regex import regex
from scanlint.trace.domain.contexts import Jit
from scanlint.trace.hints.setting_parameters import named_static
from scanlint.trace.unit import Unit
from scanlint.trace.whole_file import WholeFile

PLAIN_BASES = frozenset(("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"))
"""Bases that make no pytree of a class."""
PLAIN_DECORATORS = frozenset(("dataclasses.dataclass", "functools.total_ordering", "typing.final"))
REGISTERS = regex(r"register_\w*(?:pytree|static|dataclass)\w*|tree_flatten|__jax_array__")
LINEN = "flax.linen.Module"
"""No pytree, and more than its attributes: a jit of its methods is `flax.linen.jit`."""
DEEPEST = 5


class JittedMethod(NamedTuple):
    """A method that is jitted with its object as a traced argument; `changes`: where its attributes are set later.

    `linen`: the object is a module of flax, to which a call adds parameters.
    """

    function: ast.FunctionDef
    jit: Jit
    receiver: str
    owner: ast.ClassDef
    hashed: bool
    changes: int | None
    linen: bool


def jitted_method(unit: Unit, node: ast.AST) -> JittedMethod | None:
    """The method that a node is, if its jit surely fails for the object."""
    context = unit.contexts.get(node)
    if node is not unit.node or not isinstance(node, ast.FunctionDef) or context is None or context.jit is None:
        return None
    owner = _owner(unit)
    positional = [*node.args.posonlyargs, *node.args.args]
    if owner is None or not positional or not context.jit.decorator or not _outermost(unit, node, context.jit):
        return None
    receiver = positional[0].arg
    if receiver not in ("self", "cls"):  # a function that a class only gives a name
        return None
    named = named_static(context.jit.node)
    if named is None or receiver in context.static | named | context.jit.given:
        return None
    if not _plain_class(unit, owner, 0):
        return None
    decorated = any(_dataclass(unit, d) for d in owner.decorator_list)
    compared = any(isinstance(m, ast.FunctionDef) and m.name == "__eq__" for m in owner.body)
    hashed, linen = not decorated and not compared, _is_linen(unit, owner, 0)
    return JittedMethod(node, context.jit, receiver, owner, hashed, _changed(owner, receiver), linen)


def _owner(unit: Unit) -> ast.ClassDef | None:
    name = unit.qualname.rpartition(".")[0]
    return unit.file.classes.get(name)


def _outermost(unit: Unit, node: ast.FunctionDef, jit: Jit) -> bool:
    """Whether the jit gets `self` as its first argument: the innermost decorator of a method, not a static one."""
    names = [unit.resolve(d) for d in node.decorator_list]
    return "builtins.staticmethod" not in names and node.decorator_list[-1] is jit.node


def _plain_class(unit: Unit, owner: ast.ClassDef, depth: int) -> bool:
    """Whether a class is known whole, and none of what is known makes a pytree of it."""
    if owner.keywords or depth > DEEPEST:
        return False
    if any(_called(unit, d) not in PLAIN_DECORATORS for d in owner.decorator_list):
        return False
    if any(isinstance(m, ast.FunctionDef) and m.name in _HOOKS for m in owner.body):
        return False
    return not _registered(unit, owner.name) and all(_plain_base(unit, base, depth) for base in owner.bases)


_HOOKS = frozenset(("__init_subclass__", "__jax_array__", "tree_flatten", "__class_getitem__"))


def _plain_base(unit: Unit, base: ast.expr, depth: int) -> bool:
    head = base.value if isinstance(base, ast.Subscript) else base
    if isinstance(head, ast.Name) and head.id in unit.file.classes:
        return _plain_class(unit, unit.file.classes[head.id], depth + 1)
    return unit.resolve(head) in PLAIN_BASES or unit.resolve(head) == LINEN


def _is_linen(unit: Unit, owner: ast.ClassDef, depth: int) -> bool:
    """The class, or a base of it in the same file, derives from `flax.linen.Module`."""
    if depth > DEEPEST:
        return False
    local = [unit.file.classes[b.id] for b in owner.bases if isinstance(b, ast.Name) and b.id in unit.file.classes]
    return any(unit.resolve(b) == LINEN for b in owner.bases) or any(_is_linen(unit, c, depth + 1) for c in local)


def _registered(unit: Unit, name: str) -> bool:
    """Whether some file that knows the class registers pytrees: which ones may be computed."""
    files = [unit.file, *(file for _, file in unit.elsewhere(name))]
    return any(map(_registers, files))


def _registers(file: WholeFile) -> bool:
    """A file speaks of registering a pytree; asked once for all of its classes."""
    return file.once(_registers, lambda: any(map(REGISTERS.search, _spelled(file))))


def _spelled(file: WholeFile) -> set[str]:
    return {*(n.id for n in file.kinds.of(ast.Name)), *(n.attr for n in file.kinds.of(ast.Attribute))}


def _called(unit: Unit, node: ast.expr) -> str | None:
    return unit.resolve(node.func if isinstance(node, ast.Call) else node)


def _dataclass(unit: Unit, node: ast.expr) -> bool:
    """Whether a decorator makes a dataclass that can be compared and so has no hash."""
    if _called(unit, node) != "dataclasses.dataclass":
        return False
    said = {k.arg: k.value for k in node.keywords} if isinstance(node, ast.Call) else {}
    frozen, eq = said.get("frozen"), said.get("eq")
    return not (_is(frozen, True) or _is(eq, False))


def _is(node: ast.expr | None, wanted: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is wanted


def _changed(owner: ast.ClassDef, receiver: str) -> int | None:
    """The first line outside of `__init__` on which a method sets an attribute of its object."""
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name not in ("__init__", "__post_init__"):
            for part in ast.walk(method):
                match part:
                    case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name == receiver:
                        return part.lineno
    return None
