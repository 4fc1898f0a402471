"""Arguments from the file itself: calls at module level, under `__main__`, in other functions, in doctests."""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Callable, Iterator, Mapping

from ..runtime.calling import TookTooLong, limited
from ..runtime.free_names import free_names
from ..runtime.jax_functions import attribute
from ..runtime.loading import cut
from ..runtime.module_bindings import binds

MAX_CALLS = 4
TAKE_THE_SAME = frozenset(["jit", "filter_jit", "checkpoint", "remat", "grad", "value_and_grad", "filter_grad"])
"""The transforms whose result is called with the arguments of the function."""
SECONDS = 3.0

Values = dict[str, object]
Recorder = Callable[..., None]


def harvest(
    tree: ast.Module, names: dict[str, object], function: str, target: Callable[..., object]
) -> Iterator[Values]:
    """Arguments by parameter, from each call that can be evaluated on its own."""
    parts = function.split(".")
    found: list[Values] = []
    signature = inspect.signature(target)
    for context, call in _calls(tree, parts):
        values = _evaluate(tree, names, context, call, signature, method=len(parts) > 1)
        if values is not None and len(found) < MAX_CALLS:
            found.append(values)
    yield from found


def _calls(tree: ast.Module, parts: list[str]) -> Iterator[tuple[list[ast.stmt], ast.Call]]:
    """Calls of the function with the statements around them that may define their arguments."""
    names = {
        statement.targets[0].id: statement.value
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name == parts[0]:
                yield from _doctests(statement, parts)
            case ast.FunctionDef() as other:
                yield from ((other.body, c) for c in _in(other, parts, names))
            case ast.If(body=body) if "__name__" in free_names(statement.test):
                yield from ((body, c) for s in body for c in _in(s, parts, names))
            case _:
                yield from (([], c) for c in _in(statement, parts, names))


def _in(node: ast.AST, parts: list[str], names: Mapping[str, ast.expr]) -> Iterator[ast.Call]:
    """The calls of the function, `jax.jit(f)(x)` and `g(x)` after `g = jax.jit(f)` as calls of `f`."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        match function := _transformed(call.func, names):
            case ast.Name(id=name) if [name] == parts:
                pass
            case ast.Attribute(attr=name) if [name] == parts[1:]:
                pass
            case _:
                continue
        yield ast.copy_location(ast.Call(function, call.args, call.keywords), call)


def _transformed(function: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """The function of which a transform that takes the same arguments is called, else the function itself."""
    match names.get(function.id) if isinstance(function, ast.Name) else function:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inner, *_]) if name in TAKE_THE_SAME:
            return _transformed(inner, {})
    return function


def _doctests(node: ast.FunctionDef | ast.ClassDef, parts: list[str]) -> Iterator[tuple[list[ast.stmt], ast.Call]]:
    texts = [ast.get_docstring(n) for n in ast.walk(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    for text in filter(None, texts):
        try:
            examples = doctest.DocTestParser().get_examples(text)
            body = ast.parse("".join(e.source for e in examples)).body
        except (ValueError, SyntaxError):  # a docstring without examples that can be run
            continue
        yield from ((body, c) for s in body for c in _in(s, parts, {}))


def _evaluate(
    tree: ast.Module,
    names: dict[str, object],
    context: list[ast.stmt],
    call: ast.Call,
    signature: inspect.Signature,
    *,
    method: bool,
) -> Values | None:
    """Run only what the arguments need, then bind them to the parameters."""
    arguments = [*call.args, *(k.value for k in call.keywords)]
    needed = set().union(*(free_names(a) for a in arguments)) if arguments else set()
    receiver = call.func.value if method and isinstance(call.func, ast.Attribute) else None
    if receiver is not None:
        needed |= free_names(receiver)
    before = [s for s in context if (s.lineno, s.col_offset) < (call.lineno, call.col_offset)]
    local = [
        s
        for s in cut(ast.Module(before, []), needed)
        if isinstance(s, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom))
    ]
    for statement in local:
        needed |= free_names(statement)
    scope = dict(names)
    outer = [s for s in cut(tree, needed) if not set(binds(s)) <= set(names)]
    kept: list[Values] = []

    def record(*positional: object, **keywords: object) -> None:
        bound = signature.bind(*positional, **keywords)
        kept.append(dict(bound.arguments))

    first = [receiver] if receiver is not None else []
    recorded = ast.Call(ast.Name("__record__", ast.Load()), [*first, *call.args], call.keywords)
    body = [*outer, *local, ast.Expr(recorded)]
    module = ast.fix_missing_locations(ast.Module([_placed(s, call) for s in body], []))
    scope["__record__"] = record
    try:
        with limited(SECONDS):
            exec(compile(module, "<call site>", "exec", dont_inherit=True), scope)
    except (Exception, SystemExit, TookTooLong):  # noqa: BLE001 - this call gives no inputs, another one may
        return None
    return kept[-1] if kept and not any(_odd(v) for v in kept[-1].values()) else None


def _placed(statement: ast.stmt, like: ast.Call) -> ast.stmt:
    return statement if hasattr(statement, "lineno") else ast.copy_location(statement, like)


def _odd(value: object) -> bool:
    """Generators and open files are not inputs that can be used twice."""
    return inspect.isgenerator(value) or attribute(value, "fileno") is not None
