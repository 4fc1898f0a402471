"""Find names that are only returned as elements of the arrays that a scan or a map stacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.branches.branch import BranchModel
from scanlint.rewrite.lower.branches.arm_types import total
from scanlint.syntax.bindings import parameters, reads
from scanlint.trace.unit import Unit


def stacked_by_number(model: BranchModel, nodes: Sequence[ast.expr | None]) -> bool:
    """Whether a branch of a staged body, chosen by the number of the trip, gives a name that is stacked and no more.

    `nodes` are the values of its arms, which must be cheap and total. Stacking promotes the elements as `jnp.where`
    does, where `lax.cond` asks for one dtype; they had one shape before: the list that was stacked held those of each
    arm, whatever the values.
    """
    unit, node, step = model.unit, model.node, model.unit.parents.get(model.node)
    cheap = all(part is not None and not isinstance(part, ast.Tuple) and total(unit, part) for part in nodes)
    if not cheap or model.returns or len(model.results) != 1 or not isinstance(step, ast.FunctionDef):
        return False
    names = [n for n in ast.walk(step) if isinstance(n, ast.Name) and n.id in model.results]
    read = [n for n in names if isinstance(n.ctx, ast.Load)]
    tests = [branch.test for branch in ast.walk(node) if isinstance(branch, ast.If | ast.IfExp)]
    return any(
        reads(*tests) <= numbers and all(n in elements for n in read) for numbers, elements in _staged(unit, step)
    )


def _staged(unit: Unit, step: ast.FunctionDef) -> Iterator[tuple[frozenset[str], list[ast.expr]]]:
    """For each use of a function as a body: the names that number its trips, and the names whose values are stacked."""
    match step.body[-1]:
        case ast.Return(value=ast.expr() as value):
            pass
        case _:
            return
    for call in (n for n in ast.walk(unit.node) if isinstance(n, ast.Call)):
        match unit.resolve(call.func), call.args, value:
            case "jax.lax.scan", [_, _, rows], ast.Tuple(elts=[_, given]):
                body, place = call.args[0], 1
            case "jax.lax.map", [body, rows], given:
                place = 0
            case None, [rows], given:
                match call.func:
                    case ast.Call(func=maker, args=[body]) if unit.resolve(maker) == "jax.vmap":
                        place = 0
                    case _:
                        continue
            case _:
                continue
        if isinstance(body, ast.Name) and body.id == step.name:
            yield _numbers(unit, step, rows, place), (list(given.elts) if isinstance(given, ast.Tuple) else [given])


def _numbers(unit: Unit, step: ast.FunctionDef, rows: ast.expr, place: int) -> frozenset[str]:
    """The names that stand for elements of a `jnp.arange(...)` among the rows that a body is given."""
    names = list(parameters(step.args))
    if place >= len(names):
        return frozenset()
    whole = names[place]
    if _counts(unit, rows):
        return frozenset([whole])
    for statement in step.body:
        match statement, rows:
            case (ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Name(id=taken)), ast.Tuple(elts=arrays)) if (
                taken == whole and len(targets) == len(arrays)
            ):
                pairs = zip(targets, arrays, strict=True)
                return frozenset(t.id for t, a in pairs if isinstance(t, ast.Name) and _counts(unit, a))
    return frozenset()


def _counts(unit: Unit, rows: ast.expr) -> bool:
    return isinstance(rows, ast.Call) and unit.resolve(rows.func) == "jax.numpy.arange"
