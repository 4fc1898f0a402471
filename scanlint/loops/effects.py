"""What a statement in a loop or in the arm of a branch does besides computing values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Withheld
from scanlint.jaxapi.solvers import HANDLED
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import NONE, Names, reads
from scanlint.trace.unit import Unit

MUTATORS = words("append extend insert pop popleft popitem appendleft setdefault clear remove send")
HOST_MODULES = tuple(words("numpy.random. random. time. os. logging. wandb. sys. builtins.print builtins.input"))
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
