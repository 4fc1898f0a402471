"""Abstract calls: of project functions, of JAX, of builtins and of methods."""

from __future__ import annotations

import ast
from contextlib import suppress

from scanlint.effort import WATCH
from scanlint.jaxapi.host_functions import METHODS_OF, TWINS, Twin
from scanlint.jaxapi.solvers import DRAWS, SOLVERS
from scanlint.jaxapi.words import words
from scanlint.jaxapi.wrappers import INITIALIZERS, KERNELS, PARTIALS, TRANSPARENT, WRAPPERS
from scanlint.trace.calls import callbacks, control_flow, methods, objects, python_calls, solver_calls, transforms
from scanlint.trace.calls.arguments import arguments
from scanlint.trace.calls.jax_results import ARRAY_ROOTS, PRIVATE, PYTHON_VALUED, QUIET, TREES, describe
from scanlint.trace.calls.tree_functions import tree_call
from scanlint.trace.domain.callables import (
    ClassRef,
    Closure,
    Frame,
    Method,
    Named,
    Partial,
    RecordType,
    Transformed,
    Unfinished,
)
from scanlint.trace.domain.elements import items_of, iterated
from scanlint.trace.domain.evidence import Reason, short
from scanlint.trace.domain.modes import Mode
from scanlint.trace.domain.values import (
    AXIS,
    RANK,
    STATIC,
    UNKNOWN,
    Instance,
    Kind,
    OneOf,
    Value,
    but,
    element_of,
    gathered,
    holds_tracer,
    join_all,
    record,
    undecided,
)
from scanlint.trace.evaluator import Evaluator

TUPLES = words(
    "split array_split hsplit vsplit dsplit meshgrid nonzero unravel_index broadcast_arrays histogram histogram2d "
    "modf divmod frexp unstack tril_indices triu_indices ix_ indices svd qr eigh eig slogdet lstsq top_k "
    "sort_key_val atleast_1d atleast_2d lu cho_factor lu_factor schur polydiv linspace_step tril_indices_from "
    "triu_indices_from"
)
LISTS = words("split array_split hsplit vsplit dsplit meshgrid top_k")
SAME_TREE = words(
    "jax.lax.stop_gradient jax.lax.pmean jax.lax.psum jax.lax.pmax jax.lax.pmin jax.device_put jax.device_get "
    "jax.block_until_ready jax.lax.with_sharding_constraint jax.lax.optimization_barrier jax.lax.all_gather "
    "jax.lax.ppermute jax.lax.pvary jax.lax.all_to_all"
)
LIKE = {
    "equinox.tree_deserialise_leaves": 1,
    "equinox.tree_at": 1,
    "equinox.apply_updates": 0,
    "equinox.nn.inference_mode": 0,
    "equinox.filter_shard": 0,
}
"""Functions that give an object like the argument at this place, with other leaves."""


def call(self: Evaluator, node: ast.Call) -> Value:
    """The value of a call; what it runs is interpreted where it is known."""
    WATCH.tick()
    function = self.eval(node.func)
    args = [self.eval(a) for a in node.args]
    keywords = _named_arguments(self, node)
    if ast.Starred in map(type, node.args):
        values = args
        args, rest = _spread(args, node.args)
        if rest is not None:
            if not _takes_any_number(function):
                return _opaque(self, node, function, values)
            keywords["*"] = rest
    return apply(self, node, function, args, keywords)


def _named_arguments(self: Evaluator, node: ast.Call) -> dict[str, Value]:
    """Arguments by name; those of `**options` too where its keys are known, else under the key `**`."""
    found: dict[str, Value] = {}
    for keyword in node.keywords:
        value = self.eval(keyword.value)
        if keyword.arg is not None:
            found[keyword.arg] = value
        elif value.container == "dict" and (value.fields or value.items == ()):
            found |= value.fields
        else:
            found["**"] = value
    return found


def _spread(args: list[Value], nodes: list[ast.expr]) -> tuple[list[Value], Value | None]:
    """Positional arguments with `*items` laid out; and what any that follow are, where their number is not known."""
    out: list[Value] = []
    for place, (value, node) in enumerate(zip(args, nodes, strict=True)):
        if not isinstance(node, ast.Starred):
            out.append(value)
        elif (items := items_of(value)) is None:
            later = zip(args[place:], nodes[place:], strict=True)
            return out, join_all(tuple(iterated(v) if isinstance(n, ast.Starred) else v for v, n in later))
        else:
            out.extend(items)
    return out, None


def _takes_any_number(function: Value) -> bool:
    """Whether the arguments of a call are given to parameters of the project, which may be told of any number."""
    match function.callee:
        case Closure() | ClassRef() | Instance() | RecordType():
            return True
        case Partial(inner) | Transformed(_, inner):
            return _takes_any_number(inner)
        case OneOf(choices):
            return all(map(_takes_any_number, choices))
    return False


def _opaque(self: Evaluator, node: ast.Call, function: Value, args: list[Value]) -> Value:
    """A call whose arguments are not known one by one."""
    match function.callee:
        case Named(name) if name.startswith(ARRAY_ROOTS) or name in PYTHON_VALUED:
            return _jax(self, node, name, [], {})
        case Named("builtins.zip") if len(args) == 1 and (row := element_of(args[0])).items is not None:
            return gathered("view", tuple(gathered("tuple", None, part) for part in row.items))
        case Named(name):
            return python_calls.call(self, node, name, [UNKNOWN], {})
        case None if self.traced:
            callbacks.want(self, node.func)
    return UNKNOWN


def apply(self: Evaluator, node: ast.Call, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Call a value."""
    match function.callee:
        case Named(name):
            return named(self, node, name, args, keywords)
        case Closure() as closure:
            if not self.traced and self.decorator is None:
                closure.code.callers[node] = self.frame.code
            result = self.world.invoke(closure, arguments(closure, args, keywords), calling(self, closure, node))
            if closure.code is self.frame.code and closure.code.running and not closure.code.answered:
                raise Unfinished
            callbacks.hand_on(self, node, closure, len(args))
            return result
        case Partial(inner, given, named_args):
            return apply(self, node, inner, [*given, *args], {**named_args, **keywords})
        case Transformed() as target:
            return transforms.call_transformed(self, node, target, args, keywords)
        case ClassRef(name):
            return objects.construct(self, node, name, args, keywords)
        case RecordType(name, fields):
            told = dict(zip(fields, args, strict=False)) | {k: v for k, v in keywords.items() if k in fields}
            return record(name, {**dict.fromkeys(fields, UNKNOWN), **told})
        case Instance():
            return objects.call_instance(self, node, function, args, keywords)
        case Method(receiver, name):
            return methods.method(self, node, receiver, name, args, keywords)
        case OneOf(choices):
            return _any_of(self, node, choices, args, keywords)
        case None if self.traced:
            if (made := objects.initialized(self, node, args)) is not None:
                return made
            callbacks.want(self, node.func)
            return _argument(self, node, function, args)
    return UNKNOWN


def _any_of(
    self: Evaluator, node: ast.Call, choices: tuple[Value, ...], args: list[Value], keywords: dict[str, Value]
) -> Value:
    """The join of the results of several functions, of which one is called; those that do not end yet give nothing."""
    found: list[Value] = []
    for choice in choices:
        with suppress(Unfinished):  # the fixpoint asks again until it ends
            found.append(apply(self, node, choice, args, keywords))
    if not found:
        raise Unfinished
    return join_all(tuple(found))


def _argument(self: Evaluator, node: ast.Call, function: Value, args: list[Value]) -> Value:
    """The result of a function that was handed in: nothing is known of it but that it is run with tracers.

    It is a static argument, a parameter of this function or of one around it, or what an object was given.
    """
    tracer = next((a for a in args if a.traced), None)
    if tracer is None or not (undecided(function) or _handed_in(self, node.func)):
        return UNKNOWN
    text = f"`{short(node)}` is computed from traced values"
    return but(UNKNOWN, origin="called", why=Reason(text, self.frame.code.scope, node, tracer.why))


def _handed_in(self: Evaluator, function: ast.expr) -> bool:
    """Whether a function is a parameter of which nothing is known, or an attribute that `__init__` was given."""
    match function:
        case ast.Name(id=name):
            frame: Frame | None = self.frame
            while frame is not None and name not in frame.env:
                frame = frame.parent
            known = frame is not None and frame.env[name] == UNKNOWN
            return frame is not None and known and name in {a.arg for a in frame.code.parameters()}
        case ast.Attribute(value=owner, attr=name):
            return callbacks.given(self, owner, name)
    return False


def calling(self: Evaluator, closure: Closure, node: ast.AST) -> Mode:
    """The mode of a plain call: the caller's, with one more link in the chain."""
    mode, code = self.frame.mode, closure.code
    if not mode.traced:
        return mode
    if code.mode.traced and mode.above.within(code.mode.above):
        return code.mode
    here = self.frame.code
    link = Reason(f"`{code.name}` <- `{here.name}`", here.scope, node)
    return Mode(True, mode.above, (link, *mode.chain))


def named(self: Evaluator, node: ast.Call, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Call something outside the project."""
    if name in PARTIALS and args:
        return Value(Kind.STATIC, callee=Partial(args[0], tuple(args[1:]), keywords))
    if (solver := SOLVERS.get(name)) is not None:
        return solver_calls.solver(self, solver, node, args, keywords)
    if name in DRAWS:
        return solver_calls.draw(self, node)
    if name == "numpyro.deterministic":
        return args[1] if len(args) > 1 else UNKNOWN
    if (runner := control_flow.RUNNERS.get(name)) is not None:
        return runner(self, node, args, keywords)
    if name.startswith(("jax.", "flax.", "equinox.", "haiku.")):
        wrapper = WRAPPERS.get(name)
        if wrapper is not None:
            function = args[0] if args else keywords.get("fun", keywords.get("f", UNKNOWN))
            if not args and function is UNKNOWN:
                return Value(Kind.STATIC, callee=Partial(Value(Kind.STATIC, callee=Named(name)), (), keywords))
            return transforms.wrap(self, wrapper, node, function, keywords)
        if name in KERNELS:
            return UNKNOWN
        return _jax(self, node, name, args, keywords)
    if name == "functools.reduce" and len(args) > 1:
        return _reduced(self, node, args)
    if (made := objects.of_library(name, args, keywords)) is not None:
        return made
    if name == "functools.wraps" and args:
        return UNKNOWN
    if name in TRANSPARENT and args:
        return args[0]
    if name.startswith("builtins."):
        return python_calls.call(self, node, name, args, keywords)
    if name in ("numpy.asarray", "numpy.array") and args:
        python_calls.asked(self, args[0])
    twin = TWINS.get(name)
    if name in METHODS_OF and args and args[0].traced:
        return array_call(self, node, f"jax.{name}", args, keywords)
    if twin is not None and any(holds_tracer(v) for v in (*args, *keywords.values())):
        return _on_the_host(self, node, twin, args, keywords)
    return python_calls.library(name, [*args, *keywords.values()])


def _reduced(self: Evaluator, node: ast.Call, args: list[Value]) -> Value:
    """`functools.reduce(f, items, first)`, where the items are known one by one."""
    function, items = args[0], items_of(args[1])
    if items is None or not 0 < len(items) <= MOST_REDUCED:
        return UNKNOWN
    first, *rest = (*args[2:], *items)
    for item in rest:
        first = apply(self, node, function, [first, item], {})
    return first


MOST_REDUCED = 8


def _on_the_host(self: Evaluator, node: ast.Call, twin: Twin, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A function of the host that fails for tracers: what its twin of JAX gives in its place."""
    if self.caught:
        return UNKNOWN
    made = array_call(self, node, twin.name, args, keywords)
    cause = next((v.why for v in (*args, *keywords.values()) if v.traced), None)
    if made.container is not None:
        return made
    return but(made, dtype=made.dtype if twin.gives == "same" else twin.gives, why=cause or made.why)


def _jax(self: Evaluator, node: ast.Call, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """One of JAX's own functions."""
    if name in PYTHON_VALUED:
        if name == "jax.numpy.shape":
            return Value(Kind.STATIC, container="tuple", element=AXIS)
        if name.endswith((".ndim", ".size")):
            return RANK if name.endswith(".ndim") else AXIS
        return STATIC
    if name in SAME_TREE:
        return args[0] if args else UNKNOWN
    if len(args) > (place := LIKE.get(name, len(args))) and isinstance(args[place].callee, Instance):
        return args[place]
    if name.startswith(TREES):
        return tree_call(self, node, name, args, keywords)
    if name.startswith(INITIALIZERS):
        if name.endswith((".zeros", ".ones")):
            return self.made(node, operands=tuple(args))
        return Value(Kind.STATIC, callee=Named(f"{INITIALIZERS[0]}zeros"))
    if name.startswith(ARRAY_ROOTS):
        if PRIVATE.search(name):
            return UNKNOWN
        return array_call(self, node, name, args, keywords)
    return STATIC if name.startswith(QUIET) else UNKNOWN


def array_call(self: Evaluator, node: ast.Call, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A call that makes an array: under a trace always a tracer, whatever its arguments are."""
    for value in (*args, *keywords.values()):
        for closure in transforms.functions_in(value) if value.callee is not None else ():
            self.world.invoke(closure, {}, calling(self, closure, node))
    result = describe(name, args, keywords)
    last = name.rpartition(".")[2]
    made = self.made(node, None, result.dtype, result.ndim, operands=(*args, *keywords.values()))
    if (last in TUPLES and not name.startswith("jax.random.")) or (last == "where" and len(args) == 1):
        if (last in ("svd", "qr") and (keywords or len(args) > 1)) or last.startswith("atleast"):
            return UNKNOWN
        return gathered("list" if last in LISTS else "tuple", None, made)
    if last == "unique" and keywords:
        return UNKNOWN
    return made
