"""Lists of fetched numbers that are fetched once: device values are appended, and `jax.device_get` follows the loop."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Outcome, Rewrite, Withheld
from scanlint.host.results.device_values import dispatches
from scanlint.host.results.waits import Wait, WaitingLoop
from scanlint.rewrite.emit.snippets import fresh
from scanlint.syntax.bindings import reads, targets, walk_scope
from scanlint.trace.unit import Unit

NUMBERS = ("builtins.float", "builtins.int", "builtins.bool")
ARRAYS = ("numpy.asarray", "numpy.array", "jax.device_get")
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LOOPS = ast.For | ast.AsyncFor | ast.While


def fetched_after(unit: Unit, found: WaitingLoop) -> Outcome | None:
    """The loop without its fetches, if all that is fetched is appended to lists that are read behind it."""
    if any(_list_of(wait) is None for wait in found.waits):
        return None
    edits: list[Edit] = []
    imports: list[str] = []
    for wait in found.waits:
        name = _list_of(wait)
        assert name is not None
        again = _again(unit, wait)
        loop = _last_loop(unit, found.node, name)
        if again is None or loop is None:
            return Withheld("list-used-otherwise", f"`{name}` is made elsewhere, or read between two trips")
        if sum(_list_of(other) == name for other in found.waits) > 1:
            return Withheld("list-used-otherwise", f"`{name}` gets several values on a trip")
        if why := _unfit(unit, found, wait, loop):
            return why
        spelled, needed = unit.spell("jax.device_get")
        imports += [needed] if needed is not None else []
        text = f"{name} = {again.format(f'{spelled}({name})')}"
        edits += [unit.source.beneath(loop, text), unit.source.put(wait.at, unit.source.segment(wait.value))]
    return Rewrite(tuple(edits), "other", tuple(dict.fromkeys(imports)))


def _list_of(wait: Wait) -> str | None:
    """The list that a fetched value is appended to, where a statement does nothing else."""
    match wait.statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[only], keywords=[])
        ):
            return name if only is wait.at else None
    return None


def _again(unit: Unit, wait: Wait) -> str | None:
    """The expression that fetches the values of a list of device values; `{}` stands for the list."""
    one = fresh(unit.names, "value", "fetched")
    match wait.at:
        case ast.Call(func=ast.Attribute(attr="item"), args=[], keywords=[]):
            return f"[{one}.item() for {one} in {{}}]"
        case ast.Call(func=function, args=[_], keywords=[]):
            name = unit.resolve(function) or ""
            if name in NUMBERS:
                return f"[{ast.unparse(function)}({one}) for {one} in {{}}]"
            return "{}" if name in ARRAYS else None
    return None


def _last_loop(unit: Unit, loop: ast.For | ast.While, name: str) -> ast.stmt | None:
    """The outermost loop around the trips that the list outlives, if nothing reads the list before that ends."""
    function = next((a for a in unit.ancestors(loop) if isinstance(a, FUNCTIONS)), unit.node)
    body = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    made = [
        p for p in walk_scope(body) if isinstance(p, ast.Assign) and name in [n for t in p.targets for n in targets(t)]
    ]
    if len(made) != 1 or not isinstance(made[0].value, ast.List) or made[0].value.elts:
        return None
    around = [a for a in [loop, *unit.ancestors(loop)] if isinstance(a, LOOPS)]
    outer = [a for a in around if a not in unit.ancestors(made[0])]
    own = {p for p in walk_scope(body) if isinstance(p, ast.Name)}
    mentions = [p for p in unit.mentions.get(name, []) if outer and outer[-1] in unit.ancestors(p)]
    inside = len(mentions) == 1 and all(p in own for p in unit.mentions.get(name, []))
    return outer[-1] if inside else None


def _unfit(unit: Unit, found: WaitingLoop, wait: Wait, loop: ast.stmt) -> Withheld | None:
    """Why a value cannot stay on the device until the loop ends, or the list not be made anew behind it."""
    for around in unit.ancestors(loop):
        if isinstance(around, ast.Try):
            return Withheld(
                "try", f"an exception could end the loop before the values are fetched (line {loop.lineno})"
            )
        if isinstance(around, FUNCTIONS):
            break
    given = [
        a
        for c in walk_scope(found.node.body)
        if isinstance(c, ast.Call) and dispatches(unit, c)
        for a in (*c.args, *(k.value for k in c.keywords))
    ]
    shared = reads(*given) & reads(wait.value)
    if shared and not any(isinstance(part, ast.Call) for part in ast.walk(wait.value)):
        name = min(shared)
        return Withheld("mutation", f"`{name}` is handed to the next step, which may take its memory")
    if not unit.source.alone(loop):
        return Withheld("layout", f"other code stands behind the loop (line {loop.end_lineno})")
    return None
