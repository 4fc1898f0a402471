"""What the statements of a module bind, in which order, by their text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .free_names import bound_names, in_scope

ADDS = frozenset(["append", "add", "update", "setdefault", "insert", "extend"])
REGISTERS = frozenset(["defjvp", "defvjp", "def_vmap", "def_partition", "register"])
"""By these methods a function is given what it decorates: `@f.defjvp`."""


def flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements with those of the branches around them, in order."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            for name in ("body", "orelse", "finalbody"):
                yield from flat(getattr(statement, name, ()))
            for handler in getattr(statement, "handlers", ()):
                yield from flat(handler.body)


def binds(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement binds or changes (`TABLE[k] = v`, `TABLE.append(v)`, `@f.defjvp`)."""
    found = bound_names(statement)
    for inner in in_scope(statement):
        match inner:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                found.add(root_name(inner))
            case ast.Expr(value=ast.Call() as call):
                found |= _registered(call)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        called = (d.func if isinstance(d, ast.Call) else d for d in statement.decorator_list)
        found |= {root_name(d) for d in called if isinstance(d, ast.Attribute) and d.attr in REGISTERS}
    return found - {""}


def root_name(node: ast.expr) -> str:
    """The name at the head of a dotted or indexed one, or ""."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _registered(call: ast.Call) -> set[str]:
    """`f.defvjp(...)` changes `f`; `register_pytree_node(C, ...)` changes `C`; `TABLE.append(v)` changes `TABLE`."""
    if not isinstance(call.func, (ast.Attribute, ast.Name)):
        return set()
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    if isinstance(call.func, ast.Attribute) and (name.startswith("def") or name in ADDS):
        return {root_name(call.func)} - {""}
    if name.startswith("register"):
        return {a.id for a in call.args if isinstance(a, ast.Name)}
    return set()


def always(statement: ast.stmt) -> bool:
    """Future imports, star imports and changes of JAX's configuration."""
    match statement:
        case ast.ImportFrom(module="__future__"):
            return True
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute(attr="config"), attr="update"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="config"), attr="update"))):
            return True
    return False


def is_main(statement: ast.stmt) -> bool:
    """Whether a statement is what a module does as a program."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Compare)
        and isinstance(statement.test.left, ast.Name)
        and statement.test.left.id == "__name__"
    )
