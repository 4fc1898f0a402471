"""Calls that do nothing but return a value which is thrown away: what they compute never gets anywhere."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of, source_of
from scanlint.host.threaded_state import called_in
from scanlint.jaxapi.canonical import COMPILERS
from scanlint.jaxapi.words import words
from scanlint.policy.names import CLOCKS
from scanlint.project.cells.displayed import ends_cell
from scanlint.syntax.bindings import binds, reads, targets, walk_scope
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import walk
from scanlint.trace.calls.jax_results import ARRAY_ROOTS, PYTHON_VALUED
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

INDEXED = words("set add multiply mul divide power min max apply get")
"""What `x.at[i]` offers: each gives another array."""
RUNS = words(
    "jax.numpy.save jax.numpy.savez jax.numpy.set_printoptions jax.numpy.vectorize jax.numpy.apply_along_axis "
    "jax.numpy.apply_over_axes jax.numpy.piecewise jax.numpy.fromfunction jax.lax.cond jax.lax.switch jax.lax.scan "
    "jax.lax.map jax.lax.while_loop jax.lax.fori_loop jax.lax.associative_scan jax.lax.custom_root jax.lax.reduce "
    "jax.lax.custom_linear_solve jax.lax.with_sharding_constraint jax.lax.reduce_window"
)
"""Those of JAX that run functions which they are given, or have an effect."""
CHECKS = words("jax.numpy.asarray jax.numpy.array jax.numpy.broadcast_to jax.numpy.broadcast_arrays")
"""Those that are called to see whether they raise."""
PURE = words("optax.apply_updates optax.incremental_update optax.global_norm jax.device_put")
OPTAX = ("optax.",)
UPDATES = words("update init")
CHECKING = ast.With | ast.AsyncWith | ast.Try | ast.Assert
"""Around a call that is only to raise: `with pytest.raises(...)`."""
EFFECTS = regex(r"(?i)callback|debug|print|checkify|infeed|outfeed|log_|report|tap")
DEEPEST = 4
LOOPS = ast.For | ast.AsyncFor | ast.While
NOBODY = "_"


class Dropped(NamedTuple):
    """One result that nobody gets, in words where they are known; `old` goes on being used in its place.

    `meant`: it may be thrown away on purpose, to have a program compiled. `into`: the name for all that a call gives.
    """

    call: ast.Call
    what: str
    old: str | None
    meant: bool = False
    into: str | None = None


def dropped(unit: Unit, statement: ast.Expr) -> Dropped | None:
    """What a statement that is a call throws away, if the call surely does nothing else."""
    call = statement.value
    if not isinstance(call, ast.Call) or any(isinstance(a, CHECKING) for a in unit.around(statement)):
        return None
    if not statement.col_offset and ends_cell(unit.source.path, unit.source.lines, statement.end_lineno or 0):
        return None  # a notebook shows it
    match call.func:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=owner, attr="at")), attr=method):
            return Dropped(call, "another array", ast.unparse(owner)) if method in INDEXED else None
        case ast.Attribute(value=owner, attr="apply_gradients") if _only_named(call, "grads"):
            return Dropped(call, "the new state", ast.unparse(owner)) if _has_flax(unit) else None
        case ast.Attribute(value=owner, attr="replace" | "_replace" as method) if _only_fields(call):
            pure = method == "_replace" or unit.context(call).traced or _has_flax(unit)
            return Dropped(call, "a changed copy", ast.unparse(owner)) if pure else None
        case ast.Attribute(value=owner, attr=method) if method in UPDATES and _is_optimizer(unit, owner):
            what = "the updates and the new state" if method == "update" else "the state of the optimizer"
            return Dropped(call, what, None)
    name = unit.resolve(call.func) or ""
    if name in PURE or _of_library(unit, call, name):
        return Dropped(call, _given_by(name), _first(call))
    return _of_project(unit, statement, call)


def _only_named(call: ast.Call, name: str) -> bool:
    return not call.args and any(k.arg == name for k in call.keywords)


def _has_flax(unit: Unit) -> bool:
    return any(target.startswith(("flax.training", "flax.struct")) for target in unit.imports.values())


def _only_fields(call: ast.Call) -> bool:
    """A call names what it replaces, as those of dataclasses and tuples do: pandas alone replaces in place so."""
    named = [k.arg for k in call.keywords]
    return bool(named) and not call.args and None not in named and "inplace" not in named


def _is_optimizer(unit: Unit, owner: ast.expr) -> bool:
    """An expression surely is an optimizer of optax, which keeps no state of its own."""
    made = source_of(unit, owner) if isinstance(owner, ast.Name) else owner
    return isinstance(made, ast.Call) and (unit.resolve(made.func) or "").startswith(OPTAX)


def _of_library(unit: Unit, call: ast.Call, name: str) -> bool:
    """A function of JAX that computes something of arrays that it is given; one of numbers may be to start JAX up."""
    if not name.startswith(ARRAY_ROOTS) or name in PYTHON_VALUED or name in RUNS or name in CHECKS or _has_clock(unit):
        return False
    return bool(reads(*call.args, *(k.value for k in call.keywords)) & unit.local_names)


def _given_by(name: str) -> str:
    match name:
        case "jax.random.split":
            return "the new keys"
        case "optax.apply_updates":
            return "the new parameters"
    return ""


def _first(call: ast.Call) -> str | None:
    match call.args:
        case [ast.Name(id=name), *_]:
            return name
    return None


# -- functions of the project


def _of_project(unit: Unit, statement: ast.Expr, call: ast.Call) -> Dropped | None:
    """A jitted function without effects that each trip of a loop calls with other arguments."""
    function = unit.value(call.func)
    code = code_of(function)
    if code is None:
        return None
    loop = next((a for a in unit.around(statement) if isinstance(a, LOOPS)), None)
    if loop is None or unit.context(statement).traced or not _compiled(function):
        return None
    given = reads(*call.args, *(k.value for k in call.keywords))
    if not given & (binds(*loop.body) | _bound(loop)) or _has_clock(unit) or not _gives(code) or _has_effect(code, 0):
        return None
    return Dropped(call, "", None, meant=True)


def code_of(function: Value) -> Code | None:
    """The function of the project that a call runs, below its transforms."""
    match function.callee:
        case Transformed(function=inner) | Partial(function=inner):
            return code_of(inner)
        case Closure(code):
            return code
    return None


def _compiled(function: Value) -> bool:
    """A function is jitted by JAX itself: what `flax.nnx.jit` compiles changes its arguments in place."""
    match function.callee:
        case Transformed(transform=transform, function=inner):
            return transform in COMPILERS or _compiled(inner)
        case Partial(function=inner):
            return _compiled(inner)
    return False


def _gives(code: Code) -> bool:
    """A function gives a value, and raises nothing of its own."""
    if isinstance(code.node, ast.Lambda):
        return True
    parts = list(walk_scope(code.node.body))
    gives = any(isinstance(p, ast.Return) and p.value is not None for p in parts)
    return gives and not any(isinstance(p, ast.Raise | ast.Assert | ast.Yield | ast.YieldFrom) for p in parts)


def _has_effect(code: Code, depth: int) -> bool:
    """A compiled function calls back, prints or checks, as far as its text tells."""
    if depth > DEEPEST:
        return True
    for part in walk(code.node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) if EFFECTS.search(name):
                return True
            case ast.Call(func=function):
                inner = code_of(called_in(code, function))
                if inner is not None and inner is not code and _has_effect(inner, depth + 1):
                    return True
    return False


def _bound(loop: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    return frozenset(targets(loop.target)) if not isinstance(loop, ast.While) else frozenset()


def _has_clock(unit: Unit) -> bool:
    return CLOCKS(*(ast.unparse(call.func) for call in unit.every(ast.Call)))


# -- a new state that is unpacked and never read


def dropped_state(unit: Unit, statement: ast.Assign) -> Dropped | None:
    """The new version of a state that a training loop unpacks and forgets, while each trip hands in the old one.

    `params, _, loss = step(params, opt_state, batch)`: another result of the same call is handed on, so that the loop
    does train.
    """
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=into)], value=ast.Call() as call):
            pass
        case _:
            return None
    loop, code = _loop_around(unit, statement), code_of(unit.value(call.func))
    if loop is None or code is None or unit.context(statement).traced or any(isinstance(t, ast.Starred) for t in into):
        return None
    kept = renewed(code)
    given = _handed(code, call)
    if kept is None or len(kept) != len(into) or given is None:
        return None
    pairs = [(target, given.get(name or "")) for target, name in zip(into, kept, strict=True)]
    if {ast.unparse(a) for a in given.values()}.isdisjoint(map(ast.unparse, into)):
        return None
    bound = binds(*loop.body)
    for target, old in pairs:
        if isinstance(old, ast.Name) and old.id not in bound and isinstance(target, ast.Name) and _unread(unit, target):
            return Dropped(call, f"the new `{old.id}`", old.id)
    return None


def whole_result(unit: Unit, statement: ast.Assign) -> Dropped | None:
    """What a step gives, its new state included, that a training loop binds to one name and takes for the loss.

    `loss = step(state, batch)`: nothing of the loop unpacks it, and each trip hands in the old state.
    """
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as call):
            pass
        case _:
            return None
    loop, code = _loop_around(unit, statement), code_of(unit.value(call.func))
    if loop is None or code is None or unit.context(statement).traced:
        return None
    given, bound = _handed(code, call) or {}, binds(*loop.body) | _bound(loop)
    if not given or not _is_number(unit, loop, target):
        return None
    for name in renewed(code) or ():
        if name is not None and isinstance(old := given.get(name), ast.Name) and old.id not in bound:
            return Dropped(call, f"the new `{old.id}`", old.id, into=target.id)
    return None


def _loop_around(unit: Unit, statement: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
    return next((a for a in unit.around(statement) if isinstance(a, LOOPS)), None)


def _is_number(unit: Unit, loop: ast.AST, target: ast.Name) -> bool:
    """What a trip makes of a result: it tells it or computes with it as a number, and takes no part of it."""
    flow, number = defuse_of(unit), False
    for use in [use for made in flow.made(target) for use in flow.uses(made)]:
        if loop not in unit.ancestors(use):
            continue
        match unit.parents.get(use):
            case ast.FormattedValue(format_spec=ast.JoinedStr()) | ast.BinOp() | ast.AugAssign() | ast.Compare():
                number = True
            case ast.Call(func=ast.Name(id="float")) | ast.Attribute(attr="item"):
                number = True
            case ast.FormattedValue() | ast.Dict() | ast.Call() | ast.keyword():
                pass
            case _:
                return False
    return number


def _unread(unit: Unit, target: ast.Name) -> bool:
    flow = defuse_of(unit)
    return target.id == NOBODY or not any(flow.uses(made) for made in flow.made(target))


def _handed(code: Code, call: ast.Call) -> dict[str, ast.expr] | None:
    """The arguments of a call by the parameters that they are given to."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    names = [a.arg for a in code.positional()]
    names = names[1:] if code.owner is not None and names[:1] == ["self"] else names
    return dict(zip(names, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg is not None}


def renewed(code: Code) -> list[str | None] | None:
    """Of each value that a function returns, the parameter of which it is the next version."""
    if isinstance(code.node, ast.Lambda):
        return None
    parts = list(walk_scope(code.node.body))
    returned = [p.value for p in parts if isinstance(p, ast.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple):
        return None
    versions = {a.arg: a.arg for a in code.parameters()} | _versions(parts)
    rebound = binds(*code.node.body)
    return [
        versions.get(e.id) if isinstance(e, ast.Name) and (e.id in rebound or e.id not in versions) else None
        for e in returned[0].elts
    ]


def _versions(parts: list[ast.AST]) -> dict[str, str]:
    """The names that hold the new state of an optimizer, or parameters with updates, by what they were made of."""
    found: dict[str, str] = {}
    for part in parts:
        match part:
            case ast.Assign(
                targets=[ast.Tuple(elts=[_, ast.Name(id=new)])],
                value=ast.Call(func=ast.Attribute(attr="update"), args=[_, ast.Name(id=old), *_]),
            ):
                found[new] = old
            case ast.Assign(
                targets=[ast.Name(id=new)],
                value=ast.Call(func=ast.Attribute(attr="apply_updates"), args=[ast.Name(id=old), *_]),
            ):
                found[new] = old
            case ast.Assign(
                targets=[ast.Name(id=new)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=old), attr="apply_gradients")),
            ):
                found[new] = old
    return found
