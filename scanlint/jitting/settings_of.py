"""The parameters of a function that are settings, not arrays: they become static arguments of its jit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from scanlint.jaxapi.words import words
from scanlint.jitting.targets import Function
from scanlint.loops.python_parameters import ALL, KEYWORDS, SECOND
from scanlint.syntax.bindings import Names, binds, defaults

TEXTS = frozenset(["bool", "str", "Callable", "type", "Literal", "DTypeLike", "dtype"])
WHOLE = frozenset(["int", "round", "max", "min", "abs", "len"])
"""Python functions that return whole numbers for whole numbers."""

TAKE_FUNCTIONS = words(
    "grad value_and_grad jacfwd jacrev jacobian hessian vmap pmap jit checkpoint remat jvp vjp linearize custom_jvp "
    "custom_vjp vectorize scan map associative_scan tree_map partial"
)
"""Functions that call, or wrap, the function that is their first argument: it cannot be an array."""


def settings_of(
    function: Function,
    *,
    method: bool,
    callees: Mapping[str, Function] = MappingProxyType({}),
    known: dict[str, tuple[str, ...]] | None = None,
) -> tuple[str, ...]:
    """The names of the parameters that must stay Python values, in their order.

    They are annotated so, have a default of that kind, are called, compared with text, or decide how often a loop runs,
    how deep the function calls itself, or how long an array is; or they are handed to one of the `callees`, functions
    of the module, that takes them for such: `known` are the settings of those that were asked. The first parameter of a
    method is none of them.
    """
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    given = defaults(function.args)
    decide = frozenset(_deciding(function))
    used = frozenset(
        [
            *_used(function, callees, known if known is not None else {}),
            *(name for name in _counted_down(function, parameters) if name in decide),
        ]
    )
    return tuple(
        parameter.arg
        for parameter in parameters[1 if method else 0 :]
        if parameter.arg in used
        or _annotated(parameter.annotation)
        or _defaulted(given.get(parameter.arg), parameter.arg in decide)
    )


def _annotated(annotation: ast.expr | None) -> bool:
    """The annotation names a kind of setting, and no array beside it: what is within `Callable[...]` does not count."""
    match annotation:
        case None:
            return False
        case ast.Constant(value=str() as text):
            try:
                return _annotated(ast.parse(text, mode="eval").body)
            except SyntaxError:  # a name of something else: `"batch features"`
                return False
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _either([left, right])
        case ast.Subscript(value=kind, slice=inner) if _word(kind) in ("Optional", "Union", "Annotated"):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _either(parts[:1] if _word(kind) == "Annotated" else parts)
        case ast.Subscript(value=kind):
            return _word(kind) in TEXTS
    return _word(annotation) in TEXTS


def _either(parts: list[ast.expr]) -> bool:
    """Whether every part of a union annotation other than None names a setting."""
    others = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    return bool(others) and all(_annotated(part) for part in others)


def _word(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _defaulted(default: ast.expr | None, decides: bool) -> bool:
    """Whether the default is a string, or a bool that a Python test reads: `jnp.where(reset, ...)` takes arrays too."""
    if not isinstance(default, ast.Constant):
        return False
    return isinstance(default.value, str) or (isinstance(default.value, bool) and decides)


def _deciding(function: Function) -> Iterator[str]:
    """The names that a test in Python reads, or that are handed on to a function by their own name."""
    for node in ast.walk(function):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
                yield from _names(test)
            case ast.BoolOp(values=values):
                yield from (name for value in values for name in _names(value))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield from _names(operand)
            case ast.keyword(arg=str() as key, value=ast.Name(id=name)) if key == name:
                yield name


def _counted_down(function: Function, parameters: list[ast.arg]) -> Iterator[str]:
    """The parameters for which the function hands itself another whole number: `f(x, depth - 1)`."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=called), args=args, keywords=keywords) if called == function.name:
                given = [*zip((p.arg for p in parameters), args, strict=False), *((k.arg, k.value) for k in keywords)]
            case _:
                continue
        for name, value in given:
            match value:
                case ast.BinOp(ast.Name(id=same), ast.Sub() | ast.Add() | ast.FloorDiv(), ast.Constant(int())):
                    yield from [same] if same == name else []


def _handed_on(
    function: Function, callees: Mapping[str, Function], known: dict[str, tuple[str, ...]]
) -> Iterator[ast.expr]:
    """Yield what the function hands to functions of the module as settings; each of them is asked once."""
    known.setdefault(function.name, ())
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=called), args=args, keywords=keywords) if called in callees:
                callee = callees[called]
            case _:
                continue
        if called not in known:
            known[called] = settings_of(callee, method=False, callees=callees, known=known)
        wanted = known[called]
        placed = [parameter.arg for parameter in (*callee.args.posonlyargs, *callee.args.args)]
        yield from (value for name, value in zip(placed, args, strict=False) if name in wanted)
        yield from (keyword.value for keyword in keywords if keyword.arg in wanted)


def _used(function: Function, callees: Mapping[str, Function], known: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """The parameters that some statement needs as Python values, also by way of other names."""
    origins: dict[str, set[str]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if all(
                isinstance(n.func, ast.Name) and n.func.id in WHOLE for n in ast.walk(value) if isinstance(n, ast.Call)
            ):
                origins.setdefault(name, set()).update(_names(value))
    own = binds(*function.body)
    parts = [part for node in ast.walk(function) for part in _needs(node, own)]
    for needed in {name for part in (*parts, *_handed_on(function, callees, known)) for name in _names(part)}:
        yield from _sources(needed, origins, set())


def _sources(name: str, origins: dict[str, set[str]], seen: set[str]) -> Iterator[str]:
    yield name
    seen.add(name)
    for other in origins.get(name, set()) - seen:
        yield from _sources(other, origins, seen)


def _needs(node: ast.AST, own: Names) -> Iterator[ast.expr]:
    """Yield the expressions that fail under `jit` if they are traced: bounds of `range`, names of attributes, callees.

    `own` are the names that the function binds itself: a local `scan` is not the one of JAX.
    """
    match node:
        case ast.Call(func=ast.Name(id="range"), args=args):
            yield from args
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, name, *_]):
            yield name
        case ast.Call(
            func=ast.Attribute(attr=called) | ast.Name(id=called) as name, args=[ast.Name() as first, *_]
        ) if called in TAKE_FUNCTIONS and not (isinstance(name, ast.Name) and called in own):
            yield first
        case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=keywords):
            yield from args if name in ALL else args[1:] if name in SECOND else ()
            yield from (k.value for k in keywords if k.arg in KEYWORDS)
        case ast.Compare(left=left, comparators=[right]):
            texts = [isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node)]
            yield from [left, right] if any(texts) else []
        case (
            ast.BinOp(left=ast.List(), op=ast.Mult(), right=count)
            | ast.BinOp(left=count, op=ast.Mult(), right=ast.List())
        ):
            yield count
        case ast.Slice(lower=ast.expr() as lower, upper=ast.BinOp(left=same, op=ast.Add(), right=length)) if ast.dump(
            lower
        ) == ast.dump(same):  # a window: where it begins may be traced
            yield length
        case ast.Slice(lower=lower, upper=upper, step=step):
            yield from (part for part in (lower, upper, step) if part is not None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.func


def _names(node: ast.AST) -> set[str]:
    """The names whose value the expression depends on: `x.shape[0]` needs the shape of `x`, not its value."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Attribute() | ast.Subscript() | ast.Lambda() | ast.comprehension():
            return set()
        case ast.Call(func=ast.Name(id="len")):
            return set()
        case ast.Call(func=ast.Name(), args=args):
            return set().union(*map(_names, args), set())
    return set().union(*map(_names, ast.iter_child_nodes(node)), set())
