"""Move an assignment that only matters in the last trip after the loop: `last = f(x)` becomes `last = f(xs[-1])`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import is_array
from scanlint.rewrite.emit.snippets import atom
from scanlint.rewrite.lower.loops.range_bounds import last_target
from scanlint.syntax.bindings import binds, reads

NUMBERS = frozenset(["builtins.abs", "builtins.float", "builtins.int", "builtins.len"])
EFFECTS = ("jax.debug.", "jax.experimental.", "jax.pure_callback")


def last_after(model: LoopModel) -> Step:
    """The loop without the statements of which only the last trip's outcome is read, which follow it."""
    node = model.node
    if not isinstance(node, ast.For) or node.orelse or model.obstacles:
        return NOT_APPLICABLE
    if next(jumps_in(*node.body), None) is not None:
        return NOT_APPLICABLE
    moved = list(_moved(model, node))
    names = {name for _, name in moved}
    if not moved or not (set(model.carried) - names or model.outputs):
        return NOT_APPLICABLE
    return _written(model, node, moved)


def _moved(model: LoopModel, node: ast.For) -> Iterator[tuple[ast.Assign, str]]:
    """The statements that need no trip but the last one, with the names that they bind."""
    bound, live = binds(*node.body) | _changed(model), model.flow.live_after(node)
    known = {t for t in model.targets if last_target(model, t) is not None}
    runs = _surely_runs(model) or set(model.live_targets) - model.flow.bound_before(node)
    for at, statement in enumerate(node.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in live:
                others = [s for k, s in enumerate(node.body) if k != at]
                if name in reads(*node.body) | binds(*others) | _closed_over(model) | set(model.targets):
                    continue
                if not runs and name in model.flow.bound_before(node):
                    continue  # where there is no trip it keeps what it is
                own = reads(value)
                if not own & bound and own & set(model.targets) <= known and _plain(model, value):
                    yield statement, name


def _surely_runs(model: LoopModel) -> bool:
    """Whether the loop makes a trip whatever the function is called with: defaults say nothing of that."""
    if not model.trips or len(model.streams) != 1:
        return False
    made = model.streams[0].array
    written = made is None or (isinstance(made, ast.Call) and all(isinstance(a, ast.Constant) for a in made.args))
    return written and all(model.unit.value(bound).certain for bound in model.bounds)


def _changed(model: LoopModel) -> frozenset[str]:
    """The names whose objects the body changes in place: lists, dicts and arrays whose items it sets, objects."""
    body = (n for statement in model.node.body for n in ast.walk(statement))
    stores = (n for n in body if isinstance(n, ast.Attribute | ast.Subscript) and not isinstance(n.ctx, ast.Load))
    roots = {n.id for store in stores for n in ast.walk(store) if isinstance(n, ast.Name)}
    return frozenset({*roots, *model.carried, *model.items, *(o.name for o in model.outputs)})


def _closed_over(model: LoopModel) -> frozenset[str]:
    """The names that functions inside this one read, whenever they are called, and those that it does not own."""
    found: set[str] = set()
    for part in ast.walk(model.flow.function):
        if isinstance(part, ast.Global | ast.Nonlocal):
            found |= set(part.names)
        elif part is not model.flow.function and isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found |= {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
    return frozenset(found)


def _plain(model: LoopModel, value: ast.expr) -> bool:
    """Whether an expression may be evaluated any number of times: it calls array functions alone."""
    for part in ast.walk(value):
        match part:
            case ast.Lambda() | ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.JoinedStr():
                return False
            case ast.comprehension():
                return False
            case ast.Call(func=func):
                name = model.unit.resolve(func) or ""
                pure = name in NUMBERS or (name.startswith("jax.") and not name.startswith(EFFECTS))
                if not pure and not (isinstance(func, ast.Attribute) and is_array(model.unit, func.value)):
                    return False
    return True


def _written(model: LoopModel, node: ast.For, moved: list[tuple[ast.Assign, str]]) -> Rewrite:
    """The moved statements below the loop, with the comments above them, and without first values that none reads."""
    source, names = model.unit.source, {name for _, name in moved}
    edits, lines = list[Edit](), list[str]()
    for statement, _ in moved:
        top = Position(source.top(statement), 1)
        edits.append(Edit(top, source.drop(statement).end, ""))
        comments = [line.strip() for line in source.lines[top.line - 1 : statement.lineno - 1]]
        lines += [*comments, *(source.body([statement], _last_targets(model, statement.value), "") or ())]
    edits.append(source.beneath(node, *lines))
    block = model.unit.block(node)
    before = block[: block.index(node)]
    for at, first in enumerate(before):
        match first:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() | ast.Name()) if name in names:
                if name not in reads(*before[at + 1 :], node.iter) and source.alone(first):
                    edits.append(source.drop(first))
    rows = model.outputs or any(s.kind == "rows" for s in model.streams)
    return Rewrite(tuple(edits), "scan" if rows else "fori_loop", next=(Next(node, model.starts),))


def _last_targets(model: LoopModel, value: ast.expr) -> Iterator[Edit]:
    """The loop variables of an expression as they are in the last trip."""
    source = model.unit.source
    for part in ast.walk(value):
        if isinstance(part, ast.Name) and part.id in model.targets:
            code = last_target(model, part.id)
            assert code is not None
            yield source.put(part, code if part is value else atom(code))
