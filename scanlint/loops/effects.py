"""What a statement in a loop or in the arm of a branch does besides computing values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.jaxapi.solvers import HANDLED
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import NONE, Names, binds, parameters, reads, walk_scope
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import UNKNOWN, Instance, Kind, Value
from scanlint.trace.unit import Unit

MUTATORS = words("append extend insert pop popleft popitem appendleft setdefault clear remove send")
HOST_MODULES = tuple(words("numpy.random. random. time. os. logging. wandb. sys. builtins.print builtins.input"))
KEPT = words("jax.jit jax.pjit jax.experimental.pjit.pjit equinox.filter_jit flax.nnx.jit")
"""Transforms under which the Python of a function runs for the first trip alone, rolled or not."""
DEPTH = 6
CONTEXTS = ("jax.named_scope", "jax.default_matmul_precision", "jax.profiler.")


def effects(unit: Unit, part: ast.AST, own: Names, *, branch: bool = False, bound: Names = NONE) -> Iterator[Withheld]:
    """What outlives a loop, or would happen on both paths of a `branch`, but for changes of `own` dicts and lists.

    `bound` are the names of the loop.
    """
    line = getattr(part, "lineno", 0)
    if changes(part, own):
        return
    match part:
        case ast.Raise():
            yield Withheld("raises", f"an exception is raised at line {line}")
        case ast.Assert() if branch:
            yield Withheld("asserts", f"`assert` at line {line} would run on both paths")
        case ast.Assert(test=test) if reads(test) & bound:
            yield Withheld("assert", f"`assert` on a value of the loop at line {line}")
        case ast.Expr(value=ast.Call(func=function)):
            if not (unit.resolve(function) or "").startswith(("jax.debug.", *(HANDLED if not branch else ()))):
                yield Withheld("side-effect", f"`{ast.unparse(function)}(...)` is called for its effect at line {line}")
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            yield Withheld("mutation", f"`{ast.unparse(part)}` is assigned in place at line {line}")
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield Withheld("mutation", f"`{names[0]}` belongs to an outer scope (line {line})")
        case ast.Try() | ast.TryStar():
            yield Withheld("try", f"`try` at line {line}")
        case ast.AsyncWith() | ast.AsyncFor():
            yield Withheld("side-effect", f"asynchronous code at line {line}")
        case ast.With(items=items):
            for manager in (item.context_expr for item in items):
                call = manager.func if isinstance(manager, ast.Call) else manager
                if not (unit.resolve(call) or "").startswith(CONTEXTS):
                    yield Withheld("context-manager", f"`with {ast.unparse(manager)}` at line {line}")
        case ast.Call():
            yield from _host_call(unit, part, branch)
            if what := next(outliving(unit, part, unit.value(part.func), own), ""):
                yield Withheld("side-effect", f"`{ast.unparse(part.func)}(...)` {what} at line {line}")
    if isinstance(part, ast.ClassDef) or (branch and isinstance(part, ast.Delete | ast.Import | ast.ImportFrom)):
        yield Withheld("side-effect", f"`{type(part).__name__.lower()}` at line {line}")


def changes(part: ast.AST, own: Names) -> bool:
    """Whether a statement, or its target or call, changes one of these dicts and lists, and nothing else."""
    match part:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name in own
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)))
        ):
            return name in own and attr in MUTATORS
    return False


def on_host(unit: Unit, call: ast.Call) -> bool:
    """Whether a call is one of host code, changes an object in place, or takes the next element of an iterator."""
    name = unit.resolve(call.func)
    if name is not None:
        return name.startswith(HOST_MODULES) or name == "builtins.next"
    return isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS


def outliving(unit: Unit, call: ast.Call, function: Value, own: Names = NONE) -> Iterator[str]:
    """What each run of the Python of a function of the project leaves behind, but for changes of `own`."""
    for trace in _traces(unit, call, function, DEPTH):
        if trace.changed is None:
            yield f"calls `{trace.host}`"
        elif trace.changed not in own:
            yield f"changes `{trace.changed}`"


class _Trace(NamedTuple):
    """What a call leaves behind: the object of a name of its caller is `changed`, or the `host` is called."""

    host: str = ""
    changed: str | None = None


def _traces(unit: Unit, call: ast.Call, function: Value, depth: int) -> Iterator[_Trace]:
    """What a call of a function of the project leaves behind, in the names of the one who calls it."""
    match function.callee:
        case Partial(function=inner):
            yield from _traces(unit, call, inner, depth)
        case Transformed(transform, inner) if transform not in KEPT:
            yield from _traces(unit, call, inner, depth)
        case Instance(name) if (method := unit.method(name, "__call__")) is not None:
            yield from _traces(unit, call, Value(Kind.STATIC, callee=Closure(method, None, function)), depth)
        case Closure(code) as closure if depth and not isinstance(code.node, ast.Lambda):
            given = _given(call, closure)
            for trace in unit.file.once((_traces, code, depth), lambda: tuple(dict.fromkeys(_left(unit, code, depth)))):
                outer = given.get(trace.changed, trace.changed) if trace.changed is not None else None
                if outer != "":
                    yield trace._replace(changed=outer)


def _left(unit: Unit, code: Code, depth: int) -> Iterator[_Trace]:
    """What a run of a function leaves behind, in its own names: objects that it makes itself are left out."""
    assert not isinstance(code.node, ast.Lambda)
    given, made = frozenset(parameters(code.node.args)), binds(*code.node.body)
    for part in walk_scope(code.node.body):
        found: list[_Trace] = []
        match part:
            case ast.Global(names=[name, *_]) | ast.Nonlocal(names=[name, *_]):
                yield _Trace(changed=name)
            case ast.Call(func=called):
                if (code.scope.annotation(called) or "").startswith(HOST_MODULES):
                    yield _Trace(host=ast.unparse(called))
                found += _traces(unit, part, _callee(code, called), depth - 1)
        changed = _changed(part)
        if changed is not None and not code.record.values.get(changed, UNKNOWN).array:
            found.append(_Trace(changed=changed.id))
        yield from (t for t in found if t.changed is None or t.changed in given or t.changed not in made)


def _callee(code: Code, function: ast.expr) -> Value:
    value = code.record.values.get(function, UNKNOWN)
    if value.callee is None and isinstance(function, ast.Name):
        return code.scope.lookup(function.id) or UNKNOWN
    return value


def _given(call: ast.Call, closure: Closure) -> dict[str, str]:
    """The names of the objects that a call hands to parameters; "" for what is made for it, or is not known."""
    names = parameters(closure.code.node.args)
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    arguments = [*([receiver] if closure.receiver is not None else []), *call.args]
    named = {k.arg: k.value for k in call.keywords if k.arg is not None}
    found = {**dict.fromkeys(names), **dict(zip(names, arguments, strict=False)), **named}
    return {name: root.id if (root := _root(node)) is not None else "" for name, node in found.items()}


def _changed(part: ast.AST) -> ast.Name | None:
    """The name whose object a node changes in place: `ys.append(y)`, `next(ys)`, `state["n"] += 1`, `self.seen = n`."""
    match part:
        case ast.Call(func=ast.Attribute(value=node, attr=attr)) if attr in MUTATORS:
            return _root(node)
        case ast.Call(func=ast.Name(id="next"), args=[node, *_]):
            return _root(node)
        case ast.Subscript(value=node, ctx=ast.Store() | ast.Del()) | ast.Attribute(value=node, ctx=ast.Store()):
            return _root(node)
    return None


def _root(node: ast.expr | None) -> ast.Name | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _host_call(unit: Unit, call: ast.Call, branch: bool) -> Iterator[Withheld]:
    name, function = unit.resolve(call.func) or "", call.func
    if name.startswith(HANDLED) and not branch:
        what = f"`{ast.unparse(function)}(...)` at line {call.lineno} counts once for each trip, and once for a scan"
        scan = "numpyro.contrib.control_flow.scan" if name.startswith("numpyro.") else "hk.scan"
        yield Withheld("handled-call", f"{what}; `{scan}` keeps the account")
    elif name == "builtins.next":
        when = "would run on both paths" if branch else "runs once when the loop is rolled"
        yield Withheld("iterator", f"`next()` {when} (line {call.lineno})")
    elif name and on_host(unit, call):
        yield Withheld("side-effect", f"`{ast.unparse(function)}` is host code (line {call.lineno})")
    elif isinstance(function, ast.Attribute) and on_host(unit, call) and not unit.value(function.value).array:
        yield Withheld("mutation", f"`{ast.unparse(function)}(...)` changes an object in place at line {call.lineno}")
