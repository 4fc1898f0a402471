"""The values of a function's parameters, from how it is run, its annotations, defaults and their uses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from scanlint.trace.domain.callables import Closure, Code, World
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import (
    STATIC,
    STATIC_BOOL,
    UNKNOWN,
    Kind,
    Unset,
    Value,
    but,
    constant,
    gathered,
    staged,
)
from scanlint.trace.members import instance, noted


def _entered(note: Value, why: Reason) -> Value:
    """An annotation, in traced code: its arrays are traced, numbers need not be."""
    if note.container is not None:
        items = None if note.items is None else tuple(_entered(v, why) for v in note.items)
        element = None if note.element is None else _entered(note.element, why)
        return gathered(note.container, items, element)
    if note.array:
        return staged(note, why)
    return UNKNOWN if note.static else note


Uses = Callable[[], Mapping[str, bool]]
"""Asks which names of the function are used as arrays: the answer costs a walk."""

OF_NUMPY = ("numpy.ndarray", "numpy.typing.NDArray")
TREES = ("PyTree", "ArrayTree", "Params", "Any", "dict", "Dict", "Mapping", "tuple", "Tuple", "list", "List")


def direct(world: World, code: Code, skip: frozenset[str], uses: Uses) -> dict[str, Value]:
    """The parameters of a function that a transform is applied to: tracers, but for those in `skip`."""
    defaults = code.defaults()
    table: dict[str, Value] = {}
    for place, arg in enumerate(code.parameters()):
        if place == 0 and _is_receiver(code, arg):
            table[arg.arg] = instance(world, code.owner or "", traced=arg.arg not in skip)
            continue
        if arg.arg in skip:
            table[arg.arg] = _given(code, arg, defaults.get(arg.arg), arg.arg in code.static)
            if code.filtered and arg.arg not in code.static:
                table[arg.arg] = _filtered(code, arg, uses)
            continue
        table[arg.arg] = _tracer(world, code, arg, defaults.get(arg.arg), uses)
    vararg = code.node.args.vararg
    if vararg is not None:
        tracer = Value(Kind.TRACED, why=_why(code, vararg, "are parameters"))
        table[vararg.arg] = gathered("tuple", None, UNKNOWN if vararg.arg in skip else tracer)
    kwarg = code.node.args.kwarg
    if kwarg is not None:
        each = UNKNOWN if kwarg.arg in skip else Value(Kind.TRACED, why=_why(code, kwarg, "are parameters"))
        table[kwarg.arg] = Value(Kind.UNKNOWN, container="dict", element=each)
    return table


def _is_receiver(code: Code, arg: ast.arg) -> bool:
    return code.owner is not None and arg.arg in ("self", "cls")


def _why(code: Code, arg: ast.arg, what: str = "is a parameter", cause: Reason | None = None) -> Reason:
    name = "the lambda" if code.name == "<lambda>" else f"`{code.name}`"
    return Reason(f"`{arg.arg}` {what} of {name}", code.scope, arg, cause)


def _given(code: Code, arg: ast.arg, default: ast.expr | None, static: bool) -> Value:
    """A static parameter: its default where it has one that is a constant."""
    if not static:
        return UNKNOWN
    known = _assumed(default)
    if known is not None:
        return known
    note = noted(code, arg)
    plain = note if note is not None and note.static else STATIC
    return but(plain, origin="argument")


def _filtered(code: Code, arg: ast.arg, uses: Uses) -> Value:
    """An argument that is traced if it is an array: so it is annotated, or nothing else could be used so."""
    note = noted(code, arg)
    if note is not None:
        plain = note.array and note.container is None and note.dtype not in ("bool", "str", "mixed", "arraylike")
        return staged(note, _why(code, arg)) if plain else UNKNOWN
    strong = arg.annotation is None and uses().get(arg.arg, False)
    return Value(Kind.TRACED, array=True, why=_why(code, arg)) if strong else UNKNOWN


def _assumed(default: ast.expr | None) -> Value | None:
    """The number that a default is, which a call may override."""
    known = literal(default)
    if known is None or not isinstance(known.constant, int | float) or isinstance(known.constant, bool):
        return None
    return but(known, origin="argument")


def uncalled_parameters(world: World, code: Code, uses: Uses) -> dict[str, Value]:
    """The parameters of a function that no known call runs: a caller may choose other flags than the defaults."""
    table = received(world, code, _unsaid(code), uses)
    chosen = {n for n, v in table.items() if v.known and (v.constant is None or isinstance(v.constant, bool))}
    return {n: (STATIC_BOOL if v.dtype == "bool" else UNKNOWN) if n in chosen else v for n, v in table.items()}


def _unsaid(code: Code) -> dict[str, Value]:
    """The parameters of a function whose callers are not known: a default may be overridden by any of them."""
    defaults = code.defaults()
    flags = {n for n, d in defaults.items() if isinstance(d, ast.Constant) and isinstance(d.value, bool | None)}
    return {n: _assumed(default) or _function(code, default) for n, default in defaults.items() if n not in flags}


def _function(code: Code, default: ast.expr) -> Value:
    """The function of the module that a default names, which a call may override."""
    known = code.scope.lookup(default.id) if isinstance(default, ast.Name) else None
    return known if known is not None and isinstance(known.callee, Closure) else UNKNOWN


def overridable(code: Code) -> frozenset[str]:
    """The parameters of a jitted function that are Python numbers by default, and tracers where a call gives them."""
    if code.jit is None:
        return frozenset()
    numbers = {n for n, default in code.defaults().items() if _assumed(default) is not None}
    return frozenset(numbers) - code.static - code.jit.given


def passed(code: Code, name: str) -> Reason:
    """Why such a parameter is traced."""
    return _why(code, next(a for a in code.parameters() if a.arg == name), "is an argument in a call")


def literal(default: ast.expr | None) -> Value | None:
    """The constant that a default expression is."""
    match default:
        case ast.Constant(value=value):
            return constant(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return constant(-value)
        case ast.Tuple(elts=elts):
            items = [literal(e) for e in elts]
            return gathered("tuple", tuple(i for i in items if i is not None)) if None not in items else None
    return None


def _tracer(world: World, code: Code, arg: ast.arg, default: ast.expr | None, uses: Uses) -> Value:
    """One argument of a traced function, as far as there is evidence that it is traced."""
    why = _why(code, arg)
    flag = literal(default)
    flag = flag if flag is not None and isinstance(flag.constant, bool) else None
    if isinstance(default, ast.Tuple | ast.List | ast.Dict):
        return UNKNOWN
    note = noted(code, arg)
    if note is not None:
        if note.dtype in ("bool", "str", "mixed"):
            return flag or UNKNOWN
        if note.dtype == "arraylike":
            return Value(Kind.TRACED, array=arg.arg in uses(), why=why)
        if note.dtype in ("int", "float") and default is not None:
            return UNKNOWN
        return staged(note, why)
    if arg.annotation is not None:
        return _foreign(world, code, arg, uses, why)
    if default is not None:
        return flag or UNKNOWN
    return Value(Kind.TRACED, array=arg.arg in uses(), why=why)


def _foreign(world: World, code: Code, arg: ast.arg, uses: Uses, why: Reason) -> Value:
    """A parameter annotated with a class, or with something that is not understood."""
    head = arg.annotation.value if isinstance(arg.annotation, ast.Subscript) else arg.annotation
    name = code.scope.annotation(head)
    if name is not None and world.class_info(name) is not None:
        return instance(world, name, traced=True, why=why, direct=True)
    if name in OF_NUMPY:
        return Value(Kind.TRACED, array=True, why=why)  # it is said of what goes in: JAX makes a tracer of it
    last = (name or "").rpartition(".")[2]
    used = arg.arg in uses()
    if used or last in TREES:
        return Value(Kind.TRACED, array=used, why=why)
    return UNKNOWN


def received(world: World, code: Code, args: Mapping[str, Value], uses: Uses) -> dict[str, Value]:
    """The parameters of a function that is called with these arguments; defaults fill the rest.

    Where nothing but `vmap` or a derivative traces, an argument of which nothing is known may be a concrete array.
    """
    defaults = code.defaults()
    table = dict(args)
    traced = code.mode.traced and not code.mode.batched
    for place, arg in enumerate(code.parameters()):
        name = arg.arg
        if name not in table and place == 0 and _is_receiver(code, arg):
            table[name] = instance(world, code.owner or "", traced=False)
        elif name not in table:
            table[name] = literal(defaults.get(name)) or world.default(code, name)
        table[name] = _hinted(world, code, arg, table[name], traced, uses)
    return table


def _hinted(world: World, code: Code, arg: ast.arg, value: Value, traced: bool, uses: Uses) -> Value:
    """An argument, with what the annotation and the uses of the parameter add to it."""
    if value.traced:
        used = value.array or arg.arg in uses()
        why = _why(code, arg, cause=value.why)
        return but(value, array=used, constant=Unset.UNSET, why=why)
    if value.kind is not Kind.UNKNOWN or value.container or value.callee is not None:
        return value
    note = noted(code, arg)
    if note is not None and (note.array or note.container):
        return _entered(note, _why(code, arg)) if traced else note
    if note is not None and note.static and not traced:
        return note
    if arg.annotation is not None and note is None:
        name = code.scope.annotation(arg.annotation)
        if name is not None and world.class_info(name) is not None:
            return instance(world, name, traced=traced, why=_why(code, arg) if traced else None)
    if not traced and arg.annotation is None and uses().get(arg.arg, False):
        return but(value, array=True)
    return value
