"""The text of a file in which one function is jitted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scanlint.jitting.once_only import changes
from scanlint.jitting.settings_of import settings_of
from scanlint.jitting.targets import Function
from scanlint.rewrite.emit.imports import add_imports
from scanlint.syntax.edits import split_lines

STATEFUL = (
    "writes `self.{}` (line {}): a jitted method cannot change its object; return the new value and assign it where "
    "the method is called"
)
STALE = (
    "reads `self.{}`, which line {} changes later: a jitted method with static `self` keeps what it read at first; "
    "pass the value as an argument"
)
UNHASHABLE = (
    "is a method of a dataclass that cannot be hashed, so `self` cannot be static: write `@dataclass(frozen=True)`, or "
    "make the class a pytree"
)
GENERATOR = "is a generator or a coroutine, which cannot be traced; give the values back as one array"
MAKERS = ("__init__", "__post_init__", "setup")
PYTREES = ("Module", "NamedTuple", "PyTreeNode")
PYTREE_MAKERS = ("struct.dataclass", "register_pytree_node_class", "register_dataclass", "pytree_dataclass")


class JitSite(NamedTuple):
    """A text with the function jitted, its static parameters, and why it cannot be: empty where it can.

    `known`: it is jitted already, and the text is as it was.
    """

    text: str
    static: tuple[str, ...] = ()
    obstacle: str = ""
    known: bool = False


def jitted(text: str, function: Function, owner: ast.ClassDef | None) -> JitSite:
    """The text with `@jax.jit` above a function, its settings static."""
    tree = ast.parse(text)
    kinds = {_last(d) for d in function.decorator_list}
    method = owner is not None and "staticmethod" not in kinds
    if any(_is_jit(d) for d in function.decorator_list):
        return JitSite(text, known=True)
    if isinstance(function, ast.AsyncFunctionDef) or _yields(function):
        return JitSite(text, obstacle=GENERATOR)
    placed = [*function.args.posonlyargs, *function.args.args]
    first = placed[0].arg if method and placed else None
    if first and owner is not None and (obstacle := _of_method(function, first, owner, tree)):
        return JitSite(text, obstacle=obstacle)
    callees = {node.name: node for node in tree.body if isinstance(node, Function)}
    static = settings_of(function, method=method, callees=callees)
    if first and owner is not None and not _is_pytree(owner):
        static = (first, *static)
    only_placed = {a.arg: place for place, a in enumerate(function.args.posonlyargs)}
    decorator, imports = _spelled(tree, static, only_placed)
    lines = split_lines(text)
    at = function.lineno - 1  # innermost, below the other decorators
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    newline = "\r\n" if lines[at].endswith("\r\n") else "\n"
    changed = "".join([*lines[:at], f"{indent}@{decorator}{newline}", *lines[at:]])
    return JitSite(add_imports(changed, imports), static)


def _spelled(tree: ast.Module, static: tuple[str, ...], places: Mapping[str, int]) -> tuple[str, list[str]]:
    """The decorator as this file would write it, and the imports that it lacks.

    `places` are those of the parameters that have no name for callers.
    """
    jit, imports = imported_as(tree, "jax", "jit")
    if not static:
        return jit, imports
    partial, more = imported_as(tree, "functools", "partial")
    named, placed = [f'"{n}"' for n in static if n not in places], [str(places[n]) for n in static if n in places]
    listed = {"static_argnums": placed, "static_argnames": named}
    options = [f"{k}=({', '.join(v)}{',' if len(v) == 1 else ''})" for k, v in listed.items() if v]
    return f"{partial}({', '.join([jit, *options])})", [*imports, *more]


def imported_as(tree: ast.Module, module: str, name: str) -> tuple[str, list[str]]:
    """How a file spells a name of a module, and the import that it lacks for it."""
    for node in _at_import(tree.body):
        match node:
            case ast.ImportFrom(module=found, names=names, level=0) if found == module:
                for alias in names:
                    if alias.name == name:
                        return alias.asname or name, []
            case ast.Import(names=names):
                for alias in names:
                    if alias.name == module:
                        return f"{alias.asname or module}.{name}", []
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    taken |= {n.name for n in ast.walk(tree) if isinstance(n, Function | ast.ClassDef)}
    if module == "functools" and name not in taken:
        return name, [f"from {module} import {name}"]
    return f"{module}.{name}", [f"import {module}"]


def _at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a file is imported, those of `try` and `if` among them."""
    for node in body:
        yield node
        if isinstance(node, ast.Try | ast.If):
            yield from _at_import(node.body)


def _is_jit(decorator: ast.expr) -> bool:
    """A decorator that jits: `jax.jit`, `partial(jax.jit, ...)`, `eqx.filter_jit`."""
    match decorator:
        case ast.Call(func=func, args=args):
            return _is_jit(func) or (_last(decorator) == "partial" and any(_is_jit(a) for a in args[:1]))
    return _last(decorator) in ("jit", "filter_jit", "pmap", "filter_pmap", "pjit")


def _last(node: ast.expr) -> str:
    match node:
        case ast.Call(func=func):
            return _last(func)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _yields(function: Function) -> bool:
    """A function gives its values one by one, or waits; functions in it may do so."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            return True
        if not isinstance(node, Function | ast.Lambda):
            left += ast.iter_child_nodes(node)
    return False


def _of_method(function: Function, own: str, owner: ast.ClassDef, tree: ast.Module) -> str:
    """Why a method cannot be jitted with its object as it is; empty where it can."""
    classes = _family(owner, tree)
    methods = [m for c in classes for m in c.body if isinstance(m, Function) and (m.args.posonlyargs or m.args.args)]
    reached = _reached(function, own, methods)
    written = next((w for method in reached for w in _written(method, _receiver(method))), None)
    if written is not None:
        return STATEFUL.format(written.attr, written.lineno)
    if _is_pytree(owner):
        return ""
    if any(_last(d) == "dataclass" and not _hashed(d) for d in owner.decorator_list):
        return UNHASHABLE
    read = {
        n.attr
        for m in reached
        for n in ast.walk(m)
        if isinstance(n, ast.Attribute) and ast.unparse(n.value) == _receiver(m)
    }
    others = [m for m in methods if m.name not in MAKERS]
    changed = [w for method in others for w in _written(method, _receiver(method))]
    changed += _set_from_outside(tree, classes)
    first = next((w for w in changed if w.attr in read), None)
    return STALE.format(first.attr, first.lineno) if first is not None else ""


def _receiver(method: Function) -> str:
    return [*method.args.posonlyargs, *method.args.args][0].arg


def _family(owner: ast.ClassDef, tree: ast.Module) -> list[ast.ClassDef]:
    """A class with those of the file that it is derived from."""
    known = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
    found, left = list[ast.ClassDef](), [known.get(owner.name, owner)]
    while left:
        one = left.pop()
        if one not in found:
            found.append(one)
            left += [known[b.id] for b in one.bases if isinstance(b, ast.Name) and b.id in known]
    return found


def _reached(function: Function, own: str, methods: list[Function]) -> list[Function]:
    """A method with those of its object that it calls or reads."""
    found, left = list[Function](), [function]
    while left:
        one = left.pop()
        if one not in found:
            found.append(one)
            names = {n.attr for n in ast.walk(one) if isinstance(n, ast.Attribute) and ast.unparse(n.value) == own}
            left += [method for method in methods if method.name in names]
    return found


def _set_from_outside(tree: ast.Module, classes: list[ast.ClassDef]) -> Iterator[ast.Attribute]:
    """The attributes that code outside of these classes sets: `agent.eps = 0.1`."""
    inside = {id(n) for c in classes for n in ast.walk(c)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and id(node) not in inside:
            yield node


def _hashed(decorator: ast.expr) -> bool:
    """A dataclass whose objects have a hash."""
    keywords = {k.arg: ast.unparse(k.value) for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
    return "True" in (keywords.get("frozen"), keywords.get("unsafe_hash")) or keywords.get("eq") == "False"


def _written(function: Function, own: str) -> Iterator[ast.Attribute]:
    """The attributes of its object that a method sets, or whose value it changes in place."""
    for node in ast.walk(function):
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                place: ast.AST = node
            case _ if (changed := changes(node)) is not None:
                place = changed
            case _:
                continue
        chain = list[ast.Attribute]()
        while isinstance(place, ast.Attribute | ast.Subscript):
            chain += [place] if isinstance(place, ast.Attribute) else []
            place = place.value
        if chain and isinstance(place, ast.Name) and place.id == own:
            yield chain[-1]


def _is_pytree(owner: ast.ClassDef) -> bool:
    """A class that JAX takes apart: a module of Equinox, a NamedTuple, a dataclass of flax or chex."""
    made = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in owner.decorator_list]
    return any(_last(base) in PYTREES for base in owner.bases) or any(name.endswith(PYTREE_MAKERS) for name in made)
