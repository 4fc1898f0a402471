"""Units made from source text by hand: traced parameters are named, and their values spread by a naive rule."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from scanlint.analysis.unit import FunctionContext, Jit, Source, Unit
from scanlint.analysis.values import STATIC, UNKNOWN, Kind, Value, constant

ARRAY_MODULES = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.random.")
STATIC_ATTRIBUTES = ("shape", "ndim", "dtype", "size")


def unit_of(text: str, name: str, traced: Iterable[str] = (), static: Iterable[str] = (), host: bool = False) -> Unit:
    """The unit of one function: `traced` names are tracers (arrays, in host code), `static` ones Python values."""
    module = ast.parse(text)
    node = next(n for n in ast.walk(module) if isinstance(n, ast.FunctionDef) and n.name == name)
    unit = Unit(Source("sample.py", text), module, node, name, _imports(module), _definitions(module))
    values = _Values(unit, set(traced), set(static), host)
    jit = _jit(unit, node)
    contexts: dict[ast.AST, FunctionContext] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.Lambda):
            own = inner is node
            qualname = name if own else f"{name}.{getattr(inner, 'name', '<lambda>')}"
            contexts[inner] = FunctionContext(
                inner, qualname, not host, static=frozenset(static) if own else frozenset(), jit=jit if own else None
            )
    unit.contexts = contexts
    unit.values = {n: values.of(n) for n in ast.walk(node) if isinstance(n, ast.expr)}
    return unit


def _imports(module: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for statement in module.body:
        match statement:
            case ast.Import(names=names):
                found |= {a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0] for a in names}
            case ast.ImportFrom(module=str(base), names=names):
                found |= {a.asname or a.name: f"{base}.{a.name}" for a in names}
    return found


def _definitions(module: ast.Module) -> dict[str, str]:
    return {s.name: f"sample.{s.name}" for s in module.body if isinstance(s, ast.FunctionDef | ast.ClassDef)}


def _jit(unit: Unit, node: ast.FunctionDef) -> Jit | None:
    for decorator in node.decorator_list:
        if "jit" in ast.unparse(decorator):
            return Jit(decorator, True)
    for call in ast.walk(unit.module):
        match call:
            case ast.Call(args=[ast.Name(id=called), *_]) if called == node.name and unit.resolve(call.func) == "jax.jit":
                return Jit(call, False)
    return None


class _Values:
    """Whether an expression holds a traced name outside what is static of it; names are joined over the function."""

    def __init__(self, unit: Unit, traced: set[str], static: set[str], host: bool) -> None:
        self.unit, self.traced, self.static, self.host = unit, traced, static, host
        self.constants = {}
        grew = True
        while grew:
            size = len(self.traced)
            for node in ast.walk(unit.node):
                match node:
                    case ast.Assign(targets=targets, value=value) if self.of(value).array:
                        self.traced |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                    case ast.AugAssign(target=ast.Name(id=bound), value=value) if self.of(value).array:
                        self.traced.add(bound)
                    case ast.For(target=target, iter=iterable) if self.of(iterable).array:
                        self.traced |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
            grew = len(self.traced) > size

    def of(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value):
                return constant(value)
            case ast.Name(id=name):
                if name in self.traced:
                    return self._array(node)
                return STATIC if name in self.static else UNKNOWN
            case ast.Attribute(value=value, attr=attr):
                return STATIC if attr in STATIC_ATTRIBUTES else self.of(value)
            case ast.Subscript(value=value):
                return self.of(value)
            case ast.Call(func=function, args=args):
                if ast.unparse(function) == "len":
                    return STATIC
                name = self.unit.resolve(function) or ""
                if name.startswith(ARRAY_MODULES) or any(self.of(a).array for a in args):
                    return self._array(node)
                return UNKNOWN
            case ast.Compare(left=left, comparators=others):
                sides = [self.of(v) for v in (left, *others)]
                return Value(self._kind(), array=True, dtype="bool") if any(s.array for s in sides) else _least(sides)
            case ast.List() | ast.Tuple() | ast.Dict() | ast.Lambda():
                return UNKNOWN
        parts = [self.of(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return self._array(node) if any(p.array for p in parts) else _least(parts)

    def _array(self, node: ast.expr) -> Value:
        return Value(self._kind(), array=True, why=f"`{ast.unparse(node)}` is given")

    def _kind(self) -> Kind:
        return Kind.UNKNOWN if self.host else Kind.TRACED


def _least(parts: list[Value]) -> Value:
    return STATIC if parts and all(p.static for p in parts) else UNKNOWN
