"""Loops on the host that dispatch jitted work and fetch a value of it on each trip: Python waits for the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scanlint.host.piecemeal import long_step, own_statements
from scanlint.host.results.device_values import DeviceValues, adds_up, dispatches, loops_that_dispatch
from scanlint.host.results.each_trip import is_chosen, is_setting, is_warm, warms_up
from scanlint.host.step_loop import long
from scanlint.jaxapi.host_functions import CLOCK_READS
from scanlint.jaxapi.words import words
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.policy.worth import deliberate
from scanlint.settings import Settings
from scanlint.syntax.bindings import binds, reads, targets, walk_scope
from scanlint.syntax.regex import regex
from scanlint.trace.unit import Unit

Purpose = Literal["gathered", "added", "logged", "decided", "left"]
CASTS = words("builtins.float builtins.int builtins.bool builtins.complex builtins.str builtins.repr builtins.format")
METHODS = words("item tolist __array__")
FETCHERS = words("jax.device_get numpy.asarray numpy.array")
COMPARES = words("builtins.min builtins.max builtins.sorted builtins.round builtins.abs builtins.sum")
LOGS = words(
    "info debug warning error critical log write add_scalar add_scalars scalar set_postfix set_description "
    "set_postfix_str"
)
WRITES = words("log log_metrics log_scalar log_scalars log_dict")
LOGGERS = regex(r"(?i)\b(?:log\w*|writer|wandb|run|mlflow|pbar|bar|progress\w*|tqdm\w*|tb|board|neptune|summary\w*)\b")
PRINTS = regex(r"(?i)^(?:print\w*|log|log_(?:metrics?|info|scalars?|stats|to_\w+)|echo)$")
GATHERS = words("append extend add update")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Wait(NamedTuple):
    """One fetch: where, what is fetched, and what becomes of it."""

    at: ast.expr
    value: ast.expr
    purpose: Purpose
    statement: ast.stmt


class WaitingLoop(NamedTuple):
    """A loop with its fetches, in the order of the text, and the jitted function that it dispatches."""

    node: ast.For | ast.While
    step: str
    waits: tuple[Wait, ...]

    @property
    def decides(self) -> bool:
        """Nothing is fetched but to choose by it."""
        return all(wait.purpose in ("decided", "left") for wait in self.waits)


def waiting_loop(model: LoopModel, settings: Settings) -> WaitingLoop | None:
    """The loop, if each of its trips dispatches jitted work and fetches what it gives; worked out once."""
    return model.unit.once((waiting_loop, model.node), lambda: _waiting(model, settings))


def _waiting(model: LoopModel, settings: Settings) -> WaitingLoop | None:
    unit, node = model.unit, model.node
    parts = [p for loop in walk_scope(node.body) if isinstance(loop, ast.For) and adds_up(loop) for p in loop.body]
    own = [*own_statements(node), *parts]
    calls = [p for s in own for p in _parts(s) if isinstance(p, ast.Call)]
    works = [c for c in calls if dispatches(unit, c)]
    if not works or unit.source.tests or any(unit.resolve(c.func) in CLOCK_READS for c in calls):
        return None
    always = [c for c in calls if not is_chosen(unit, c, node)]
    if (
        long_step(unit, always)
        or loops_that_dispatch(unit, node.body, settings)
        or not long(model, settings)
        or deliberate(model)
    ):
        return None
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if _goes_over_entries(node) or (
        len(body) == 1 and isinstance(body[0], ast.Expr)
    ):  # it is there to show what it computes
        return None
    values = DeviceValues(unit, body)
    fetched = [w for s in _reached(unit, body, values, node) for w in _fetches(unit, node, s, values)]
    waits = sorted(fetched, key=lambda wait: (wait.at.lineno, wait.at.col_offset))
    if not waits:
        return None
    named = reads(waits[0].value)
    gives = (c for c in works if named & binds(*(a for a in unit.ancestors(c) if isinstance(a, ast.Assign))))
    return WaitingLoop(node, ast.unparse(next(gives, works[0]).func), tuple(waits))


def _goes_over_entries(node: ast.For | ast.While) -> bool:
    """A loop goes over the entries of a dict, of which there are few."""
    match node:
        case ast.For(iter=ast.Call(func=ast.Attribute(attr="items" | "keys" | "values"), args=[])):
            return True
    return False


# -- what runs on each trip


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, but for those of the statements in it."""
    stack: list[ast.AST] = [statement]
    while stack:
        part = stack.pop()
        yield part
        if not isinstance(part, Function):
            stack += [c for c in ast.iter_child_nodes(part) if not isinstance(c, ast.stmt)]


def _reached(unit: Unit, block: list[ast.stmt], values: DeviceValues, loop: ast.For | ast.While) -> Iterator[ast.stmt]:
    """The statements that every trip reaches: none under a test of the host, nor behind an early end of the trip.

    What a loop skips until it has gathered enough it reaches on all later trips.
    """
    for statement in block:
        yield statement
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                if values.holds_any(test):
                    yield from _reached(unit, body, values, loop)
                    yield from _reached(unit, orelse, values, loop)
                elif is_setting(unit, test, loop) or is_warm(loop, statement):
                    asked = reads(test) & unit.local_names and not is_warm(loop, statement)
                    reached = _reached(unit, body, values, loop)
                    yield from (s for s in reached if not asked or _is_logged(unit, s))
                if not values.holds_any(test) and any(not _is_set(unit, j, loop) for j in jumps_in(*body)):
                    if not warms_up(loop, statement):
                        return
            case ast.For(body=body) | ast.While(body=body) | ast.With(body=body) | ast.Try(body=body):
                yield from _reached(unit, body, values, loop)


def _is_set(unit: Unit, jump: ast.AST, loop: ast.For | ast.While) -> bool:
    """A setting decides that a loop is left: on the first trip that comes to it, or on none."""
    match unit.parents.get(jump):
        case ast.If(test=test):
            return isinstance(jump, ast.Break) and is_setting(unit, test, loop)
    return False


def _is_logged(unit: Unit, statement: ast.stmt) -> bool:
    """A statement hands something to a logger; what a setting asks to be printed is to be seen at once."""
    match statement:
        case ast.Expr(value=ast.Call(func=function)):
            name = unit.resolve(function) or ""
            return is_log(function, name) and name != "builtins.print"
    return False


# -- fetches


def _fetches(unit: Unit, node: ast.For | ast.While, statement: ast.stmt, values: DeviceValues) -> Iterator[Wait]:
    """The outermost fetches of a statement whose purpose is known."""
    if isinstance(statement, ast.If | ast.While):
        if values.holds_any(statement.test) and not (isinstance(statement, ast.While)):
            leaves = next(jumps_in(*statement.body), None) is not None
            yield Wait(statement.test, statement.test, "left" if leaves else "decided", statement)
        return
    if isinstance(statement, ast.For | ast.With | ast.Try):
        return
    for part in _parts(statement):
        value = _fetched(unit, part, values) if isinstance(part, ast.expr) else None
        purpose = _purpose(unit, node, part, statement) if value is not None else None
        if value is not None and purpose is not None and isinstance(part, ast.expr):
            yield Wait(part, value, purpose, statement)
            return


def _fetched(unit: Unit, part: ast.expr, values: DeviceValues) -> ast.expr | None:
    """The value of the device that an expression fetches."""
    match part:
        case ast.FormattedValue(value=value) if values.holds(value):
            return value
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=value) if values.holds(value):
            return value
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in METHODS and values.holds(inner):
            return inner
        case ast.Call(func=function, args=args, keywords=keywords):
            given = [*args, *(k.value for k in keywords)]
            held = next((a for a in given if values.holds(a)), None)
            name = unit.resolve(function) or ""
            if name in CASTS or name in FETCHERS or name in COMPARES or name.startswith("numpy."):
                return held
            told = isinstance(unit.parents.get(part), ast.Expr) and is_log(function, name)
            return held or _inside(given, values) if told else None
    return None


def _inside(given: list[ast.expr], values: DeviceValues) -> ast.expr | None:
    """The value of the device in a dict that is logged."""
    entries = [v for g in given if isinstance(g, ast.Dict) for v in g.values]
    return next((v for v in entries if values.holds(v)), None)


def is_log(function: ast.expr, name: str) -> bool:
    """A call writes what it is given: a print, a logger, a writer of summaries, a progress bar."""
    if name == "builtins.print" or name.startswith(("logging.", "absl.logging.")):
        return True
    if name.startswith(("numpy.", "jax.", "math.", "scipy.")):
        return False
    match function:
        case ast.Name(id=called):
            return PRINTS.search(called) is not None
        case ast.Attribute(attr=attr) if attr in WRITES:
            return True
        case ast.Attribute(value=owner, attr=attr):
            return attr in LOGS and (
                LOGGERS.search(ast.unparse(owner)) is not None or attr.startswith(("set_", "add_"))
            )
    return False


# -- what becomes of them


def _purpose(unit: Unit, node: ast.For | ast.While, part: ast.AST, statement: ast.stmt) -> Purpose | None:
    """What a fetched value is for; None where the trip may need it at once: an environment, a solver, NumPy."""
    match statement:
        case ast.Expr(value=ast.Call(func=function)):
            if is_log(function, unit.resolve(function) or "") or isinstance(part, ast.FormattedValue):
                return "logged"
            if isinstance(function, ast.Attribute) and function.attr in GATHERS and unit.resolve(function) is None:
                return "gathered"
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()):
            return "added" if _only_told(unit, node, name) else None
        case ast.Assign(targets=[ast.Subscript()]):
            return "gathered"
        case ast.Assign(targets=bound):
            names = [n for target in bound for n in targets(target)]
            return _of_names(unit, node, names)
    return None


def _of_names(unit: Unit, node: ast.For | ast.While, names: list[str]) -> Purpose | None:
    """What names that hold fetched values are for, if each is only told, gathered, added up or compared in the loop."""
    if not names or not all(_only_told(unit, node, name) for name in names):
        return None
    return "logged"


def _only_told(unit: Unit, node: ast.For | ast.While, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """A loop does nothing with a name, or with its copies, but log it, keep it, compare it or add it up."""
    uses = [p for p in walk_scope(node.body) if isinstance(p, ast.Name) and p.id == name and _is_read(p)]
    for use in uses:
        match unit.parents.get(use):
            case ast.Assign(targets=[ast.Name(id=copy)], value=value) if value is use and copy not in seen:
                if not _only_told(unit, node, copy, seen | {name}):
                    return False
            case _ if not _is_told(unit, use):
                return False
    return True


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _is_told(unit: Unit, use: ast.Name) -> bool:
    for around in unit.ancestors(use):
        match around:
            case ast.Call(func=function):
                name = unit.resolve(function) or ""
                if is_log(function, name) and isinstance(unit.parents.get(around), ast.Expr):
                    return True
                if name in CASTS or name in COMPARES or name.startswith(("numpy.", "math.")):
                    continue
                gathers = isinstance(function, ast.Attribute) and function.attr in (*GATHERS, "format")
                return gathers and not name
            case ast.Compare() | ast.FormattedValue() | ast.AugAssign() | ast.Return():
                return True
            case ast.Assign(targets=[ast.Subscript()]):
                return True
            case ast.Assign(targets=[ast.Name(id=bound)]) if bound == use.id:
                return True
            case ast.stmt():
                return isinstance(around, ast.If | ast.While | ast.Assert)
    return False
