"""Reads a class statement: its kind, its fields, its methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple

from scanlint.jaxapi.decorators import applied
from scanlint.jaxapi.frameworks import BASES, Roles
from scanlint.jaxapi.words import words
from scanlint.trace.domain.callables import ClassInfo, Code, Scope, World
from scanlint.trace.members import lineage

DATACLASSES = words(
    "dataclasses.dataclass flax.struct.dataclass chex.dataclass flax.struct.PyTreeNode equinox.Module "
    "jax_dataclasses.pytree_dataclass tjax.dataclasses.dataclass simple_pytree.Pytree brax.base.Base "
    "jax.tree_util.register_dataclass penzai.core.struct.pytree_dataclass mjx._src.dataclasses.PyTreeNode"
)
MODULES = words(
    "flax.linen.Module haiku.Module flax.nnx.Module haiku.RNNCore objax.Module treex.Module flax.linen.RNNCellBase"
)
TREES = words("flax.struct.dataclass flax.struct.PyTreeNode chex.dataclass")
"""Of these all fields are leaves of a pytree, but those that are said to be none."""
TUPLES = frozenset(["typing.NamedTuple", "collections.namedtuple"])


def describe_class(scope: Scope, node: ast.ClassDef, name: str, codes: Callable[[str], Code | None]) -> ClassInfo:
    """The facts of a class, by its full name; `codes` gives its methods by name."""
    bases = tuple(base for b in node.bases if (base := scope.annotation(_head(b))) is not None)
    fields: dict[str, ast.expr] = {}
    constants: dict[str, ast.expr] = {}
    defaults: dict[str, ast.expr] = {}
    static: set[str] = set()
    methods: dict[str, Code] = {}
    for part in node.body:
        match part:
            case ast.AnnAssign(target=ast.Name(id=field), annotation=annotation, value=value):
                if "ClassVar" not in ast.unparse(annotation):
                    fields[field] = annotation
                if value is not None:
                    defaults[field] = value
                    if _is_static(value):
                        static.add(field)
            case ast.Assign(targets=[ast.Name(id=field)], value=value):
                constants[field] = value
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                code = codes(part.name)
                if code is not None:
                    methods[part.name] = code
    kind = _kind(scope, node, bases)
    tree = bool(TREES & {*bases, *_decorators(scope, node)})
    return ClassInfo(
        name, scope, kind, bases, fields, frozenset(static), methods, constants, defaults=defaults, tree=tree
    )


def _head(base: ast.expr) -> ast.expr:
    """`Generic[T]` is `Generic`."""
    return base.value if isinstance(base, ast.Subscript) else base


def _is_static(value: ast.expr) -> bool:
    """`eqx.field(static=True)`, `struct.field(pytree_node=False)`, `metadata={"static": True}`."""
    text = ast.unparse(value)
    return "static=True" in text or "pytree_node=False" in text or "static_field" in text or "'static': True" in text


def _decorators(scope: Scope, node: ast.ClassDef) -> set[str]:
    """The canonical names of the decorators of a class."""
    return {applied(scope.annotation, decorator) or "" for decorator in node.decorator_list}


def _kind(scope: Scope, node: ast.ClassDef, bases: tuple[str, ...]) -> str:
    decorators = _decorators(scope, node)
    if TUPLES & set(bases):
        return "namedtuple"
    if MODULES & set(bases):
        return "module"
    if DATACLASSES & (set(bases) | decorators):
        return "dataclass"
    return "plain"


class Membership(NamedTuple):
    """The known base of a class, and which of its methods are traced."""

    base: str
    methods: Mapping[str, Roles]


def membership(world: World, name: str) -> Membership | None:
    """The first known base of a class, with its methods; bases in the project are looked through."""
    for info in lineage(world, name):
        for base in (*info.bases, info.name):
            known = BASES.get((base.partition(".")[0], base.rpartition(".")[2]))
            if known is not None:
                return Membership(base, known.methods)
            if base in MODULES or base == "equinox.Module":
                return Membership(base, {"__call__": ()})
    return None
