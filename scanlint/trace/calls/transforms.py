"""JAX's transforms and control flow: which functions they run, with what, and whether under a trace."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from scanlint.jaxapi.derivatives import REVERSE
from scanlint.jaxapi.wrappers import DIFFERENTIATE, OPTIONS, POSITIONAL, TRACING, Wrapper
from scanlint.trace.calls.arguments import arguments
from scanlint.trace.calls.callbacks import functions_of, want
from scanlint.trace.domain.callables import Closure, Differentiated, Named, Partial, Transformed
from scanlint.trace.domain.contexts import Jit
from scanlint.trace.domain.elements import row_of
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.modes import Mode, one_above
from scanlint.trace.domain.values import (
    STATIC,
    UNKNOWN,
    Instance,
    Kind,
    OneOf,
    Unset,
    Value,
    concrete,
    gathered,
    join_all,
    staged,
    within,
)
from scanlint.trace.evaluator import Evaluator


def functions_in(value: Value) -> list[Closure]:
    """The functions of the project that a value would run."""
    match value.callee:
        case Closure() as closure:
            return [closure]
        case Partial(function) | Transformed(_, function):
            return functions_in(function)
        case OneOf(choices):
            return [c for v in choices for c in functions_in(v)]
    inner = [*(value.items or ()), *([value.element] if value.element else [])]
    return [c for v in inner for c in functions_in(v)]


def wrap(self: Evaluator, wrapper: Wrapper, node: ast.expr, function: Value, keywords: dict[str, Value]) -> Value:
    """`jax.jit(f, ...)` and its like, called or as a decorator."""
    static: frozenset[str] = frozenset()
    function = as_function(self, function)
    closures = functions_in(function)
    if wrapper.name in ("jax.jit", "jax.pmap", "jax.checkpoint", "jax.make_jaxpr"):
        static = static_names(function, keywords)
    if not closures and isinstance(node, ast.Call) and node.args:
        want(self, node.args[0])
    if isinstance(node, ast.Call) and len(node.args) > 1 and wrapper.name in POSITIONAL:
        keywords = {**keywords, POSITIONAL[wrapper.name]: self.eval(node.args[1])}
    mode = below(self, wrapper.name, closures, node, traced=wrapper.traced)
    jit = (
        Jit(self.decorator or node, self.decorator is not None)
        if wrapper.name == "jax.jit" and not wrapper.auxiliary
        else None
    )
    if wrapper.name in ("jax.jit", "jax.pmap") and not self.traced:
        self.frame.code.jits.add(self.decorator or node)
    unsaid = any(n.startswith("static_arg") and constants(v) == [Unset.UNSET] for n, v in keywords.items())
    for closure in closures:
        if wrapper.traced and not wrapper.auxiliary and not unsaid:
            skip = static | _unmapped(closure, function, keywords) | given(closure, function)
            if _beyond(closure, function, keywords):
                skip |= _gathering(closure)
        else:
            skip = frozenset(a.arg for a in closure.code.parameters()) | _gathering(closure)
        closure.code.filtered = wrapper.auxiliary and jit is None and wrapper.name == "jax.jit"
        closure.code.guessed = not (wrapper.traced or closure.code.rooted)
        own = jit._replace(given=given(closure, function)) if jit is not None else None
        self.world.root(closure, wrapper.name, mode, skip, static, own)
    options = {k: v for k, v in keywords.items() if k in OPTIONS}
    if wrapper.name in REVERSE:
        self.world.differentiate(node, Differentiated(self.frame.code, wrapper.name, function, options))
    made = Transformed(wrapper.name, function, static, wrapper.auxiliary, options)
    if jit is not None and not static and not options:
        made = replace(made, function=_unjitted(function))
    return Value(Kind.STATIC, callee=made)


def _gathering(closure: Closure) -> frozenset[str]:
    """The parameters of a function that take any number of arguments."""
    arguments = closure.code.node.args
    return frozenset(a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None)


def _beyond(closure: Closure, function: Value, keywords: dict[str, Value]) -> bool:
    """Whether some argument that no parameter is named for, as of `*args`, may be static, or not mapped."""
    if not _gathering(closure):
        return False
    axes, excluded = keywords.get("in_axes"), keywords.get("excluded")
    if excluded is not None or not (axes is None or isinstance(axes.constant, int)):
        return True
    names = {a.arg for a in closure.code.parameters()}
    static = constants(keywords.get("static_argnames"))
    numbers = constants(keywords.get("static_argnums") or keywords.get("static_broadcasted_argnums"))
    named = all(name in names for name in static)
    return not (named and all(isinstance(n, int) and 0 <= n < len(filled(closure, function)) for n in numbers))


def _unjitted(function: Value) -> Value:
    """A function under no plain jit: `f = jax.jit(f)`, run again, adds nothing to what it was."""
    match function.callee:
        case Transformed("jax.jit", inner, static, auxiliary, options) if not (static or auxiliary or options):
            return _unjitted(inner)
        case OneOf(choices):
            left = {choice.callee: choice for choice in map(_unjitted, choices)}
            return replace(function, callee=OneOf(tuple(left.values()))) if len(left) > 1 else next(iter(left.values()))
    return function


def as_function(self: Evaluator, value: Value) -> Value:
    """An object stands for its `__call__`."""
    from scanlint.trace.members import member

    if isinstance(value.callee, OneOf):
        return replace(value, callee=OneOf(tuple(as_function(self, choice) for choice in value.callee.values)))
    if not isinstance(value.callee, Instance):
        return value
    return member(self.world, value, "__call__", self.frame.mode) or value


def below(self: Evaluator, transform: str, closures: list[Closure], node: ast.AST, *, traced: bool) -> Mode:
    """The mode in which a transform applied here runs its function."""
    mode = self.frame.mode
    code = closures[0].code if closures else None
    above = mode.above.with_(one_above(transform))
    if not (traced or mode.traced):
        return Mode(False, above)
    if code is not None and code.mode.traced and above.within(code.mode.above):
        return code.mode
    return Mode(True, above, (link(self, code.name if code else "?", transform, node), *mode.chain))


def link(self: Evaluator, name: str, transform: str, node: ast.AST) -> Reason:
    """One step of the reason why a function is traced."""
    code = self.frame.code
    applied = f"`@{transform}`" if self.decorator is not None else f"`{transform}`"
    inside = "" if self.decorator is not None or code.qualname == "<module>" else f" in `{code.name}`"
    return Reason(f"`{name}` <- {applied}{inside}", code.scope, node)


def static_names(function: Value, keywords: dict[str, Value]) -> frozenset[str]:
    """The parameters that `static_argnums` and `static_argnames` name."""
    names = {c for c in constants(keywords.get("static_argnames")) if isinstance(c, str)}
    numbers = constants(keywords.get("static_argnums") or keywords.get("static_broadcasted_argnums"))
    for closure in functions_in(function):
        positional = filled(closure, function)
        for number in numbers:
            if isinstance(number, int) and -len(positional) <= number < len(positional):
                names.add(positional[number])
    return frozenset(names)


def constants(value: Value | None) -> list[object]:
    """The constants of an option that is one, or a tuple of several; none where the option is not given."""
    if value is None:
        return []
    if value.items is not None:
        return [v.constant for v in value.items]
    return [value.constant]


def _unmapped(closure: Closure, function: Value, keywords: dict[str, Value]) -> frozenset[str]:
    """Parameters that `in_axes=(0, None)` leaves as they are."""
    axes = keywords.get("in_axes")
    excluded = constants(keywords.get("excluded"))
    positional = filled(closure, function)
    if excluded:
        places = {positional[i] for i in excluded if isinstance(i, int) and i < len(positional)}
        return frozenset(places | {n for n in excluded if isinstance(n, str)})
    if axes is None:
        return frozenset()
    if axes.items is None:
        return frozenset() if isinstance(axes.constant, int) else frozenset(positional)
    return frozenset(n for n, a in zip(positional, axes.items, strict=False) if a.constant is None)


def given(closure: Closure, function: Value) -> frozenset[str]:
    """Parameters that a `partial` has given: Python values, or at least no arguments of the transform."""
    first = {a.arg for a in closure.code.positional()}.difference(filled(closure, function))
    return frozenset(first.union(*(keywords for _, keywords in _partials(closure, function))))


def filled(closure: Closure, function: Value) -> list[str]:
    """The parameters that positional arguments fill: not the receiver, nor what a `partial` has given by place."""
    taken = (closure.receiver is not None) + sum(count for count, _ in _partials(closure, function))
    return [a.arg for a in closure.code.positional()][taken:]


def _partials(closure: Closure, function: Value) -> list[tuple[int, Mapping[str, Value]]]:
    """For each `partial` around a function: the number of arguments by place, and the names of the others."""
    match function.callee:
        case Partial(inner, args, keywords):
            return [(len(args), keywords), *_partials(closure, inner)]
        case Transformed(_, inner):
            return _partials(closure, inner)
        case OneOf(choices):
            holder = (c for c in choices if any(f.code is closure.code for f in functions_in(c)))
            return _partials(closure, next(holder, UNKNOWN))
    return []


def call_transformed(
    self: Evaluator, node: ast.Call, target: Transformed, args: list[Value], keywords: dict[str, Value]
) -> Value:
    """Call a transformed function: its own arguments are staged, what comes out belongs to the caller."""
    traced = target.transform in TRACING
    closures = functions_in(target.function)
    mode = below(self, target.transform, closures, node, traced=traced)
    if target.transform == "jax.vmap" and not target.auxiliary:
        args = mapped_rows(args, target.options.get("in_axes"))
        keywords = {k: rows(v) for k, v in keywords.items()}
    elif target.transform in DIFFERENTIATE and not target.auxiliary:
        args = (
            [differentiated(a) for a in args[:1]] + args[1:]
            if "argnums" not in target.options
            else [differentiated(a) for a in args]
        )
    elif traced:
        leaf = not target.auxiliary
        names = filled(closures[0], target.function) if closures else []
        args = [a if i < len(names) and names[i] in target.static else staged(a, leaf=leaf) for i, a in enumerate(args)]
        keywords = {k: v if k in target.static else staged(v, leaf=leaf) for k, v in keywords.items()}
    result = run(self, node, target.function, args, keywords, mode)
    return _derived(self, node, target, result, args)


def mapped_rows(args: list[Value], axes: Value | None) -> list[Value]:
    """The arguments as a function under `vmap` sees them: rows of what is mapped, the rest as it is."""
    if axes is None:
        return [rows(v) for v in args]
    if axes.items is None:
        return [_mapped_row(v, axes) for v in args]
    return [_mapped_row(v, a) for v, a in zip(args, (*axes.items, *[UNKNOWN] * len(args)), strict=False)]


def _mapped_row(value: Value, axis: Value) -> Value:
    """One argument, by its part of `in_axes`: a number maps all of it, None nothing, a tree its parts."""
    if axis.known:
        return rows(value) if axis.constant is not None else value
    if value.container == "dict" and axis.fields:
        fields = {k: _mapped_row(v, axis.fields.get(k, UNKNOWN)) for k, v in value.fields.items()}
        return replace(value, kind=Kind.UNKNOWN, fields=fields)
    if value.items is not None and axis.items is not None:
        items = tuple(_mapped_row(v, a) for v, a in zip(value.items, axis.items, strict=False))
        return replace(value, kind=Kind.UNKNOWN, items=items)
    return value if value.callee is not None and value.container is None else UNKNOWN


def rows(value: Value) -> Value:
    """One slice of each array in a tree."""
    if value.container is not None:
        return within(value, rows, Kind.UNKNOWN)
    if value.known and value.constant is None:
        return value
    return staged(row_of(value) if value.array else replace(value, ndim=None))


def differentiated(value: Value) -> Value:
    """An argument that is differentiated: a number of Python is an array inside, with its value but no constant."""
    if value.container is not None and value.callee is None:
        return within(value, differentiated, Kind.UNKNOWN)
    if value.static and value.callee is None and not (value.known and isinstance(value.constant, str | None)):
        return Value(Kind.UNKNOWN, dtype=value.dtype)
    return value


def _derived(self: Evaluator, node: ast.AST, target: Transformed, result: Value, args: list[Value]) -> Value:
    """The result of the transformed function (`grad`, `vmap`, ...), made from the result of the function."""
    aux = target.options.get("has_aux")
    plain = aux is None or (aux.known and not aux.constant)
    argnums = target.options.get("argnums")
    first = staged(args[0]) if args and self.traced and argnums is None else UNKNOWN
    if argnums is not None and self.traced and args:
        first = _of_numbers(argnums, [staged(a) for a in args])
    match target.transform:
        case "jax.grad" | "jax.jacrev" | "jax.jacfwd" | "jax.hessian":
            if target.transform != "jax.grad":
                first = replace(first, ndim=None) if first.container is None else UNKNOWN
            return first if plain else gathered("tuple", (first, _part(result, 1)))
        case "jax.value_and_grad":
            loss = settle(self, result if plain else _part(result, 0))
            if loss.container is None and loss.callee is None and not loss.known:
                loss = self.made(node, loss.why, loss.dtype, 0, operands=args)  # a scalar, whatever the function is
            return gathered("tuple", (loss if plain else gathered("tuple", (loss, _part(result, 1))), first))
        case "jax.vmap" | "jax.numpy.vectorize":
            outcome = settle(self, batched(result))
            plain_axes = "out_axes" not in target.options and target.transform == "jax.vmap"
            return outcome if plain_axes or outcome.container is not None else replace(outcome, ndim=None)
        case "jax.make_jaxpr" | "jax.eval_shape":
            return STATIC
        case "jax.checkify":
            return gathered("tuple", (UNKNOWN, settle(self, result)))
        case "haiku.transform" | "jax.transform_with_state":
            return UNKNOWN
    return settle(self, result)


def _part(value: Value, place: int) -> Value:
    return value.items[place] if value.items is not None and len(value.items) > place else UNKNOWN


def _of_numbers(numbers: Value, args: list[Value]) -> Value:
    """The arguments that `argnums` names."""
    if isinstance(numbers.constant, int):
        return args[numbers.constant] if -len(args) <= numbers.constant < len(args) else UNKNOWN
    if numbers.items is None:
        return UNKNOWN
    return gathered("tuple", tuple(_of_numbers(n, args) for n in numbers.items))


def batched(value: Value) -> Value:
    """The results of all rows, stacked."""
    if value.container is not None:
        return within(value, batched)
    if value.known and value.constant is None:
        return value
    return replace(value, ndim=None if value.ndim is None else value.ndim + 1)


def settle(self: Evaluator, value: Value) -> Value:
    """A result as the code around sees it: staged under a trace, concrete on the host."""
    return staged(value, leaf=False) if self.traced else concrete(staged(value, leaf=False))


def run(
    self: Evaluator, node: ast.AST, function: Value, args: list[Value], keywords: dict[str, Value], mode: Mode
) -> Value:
    """Run whatever a function value stands for."""
    match function.callee:
        case Closure() as closure:
            return self.world.invoke(closure, arguments(closure, args, keywords), mode)
        case Partial(inner, given, named):
            return run(self, node, inner, [*given, *args], {**named, **keywords}, mode)
        case Transformed() as target:
            if target.transform == "jax.vmap":
                args = mapped_rows(args, target.options.get("in_axes"))
            result = run(self, node, target.function, args, keywords, mode)
            return _derived(self, node, target, result, args)
        case Instance():
            called = as_function(self, function)
            return UNKNOWN if called is function else run(self, node, called, args, keywords, mode)
        case OneOf(choices):
            return join_all(tuple(run(self, node, choice, args, keywords, mode) for choice in choices))
        case None if isinstance(node, ast.Call) and mode.traced:
            for part in functions_of(node):
                want(self, part)
        case Named(name) if name.startswith(("jax.numpy.", "jax.nn.", "jax.lax.", "jax.scipy.")):
            return Value(
                Kind.TRACED if mode.traced else Kind.UNKNOWN, array=True, why=Reason("", self.frame.code.scope, node)
            )
    return UNKNOWN
