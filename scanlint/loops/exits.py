"""What decides whether a loop is left from inside, and what keeps its jumps from becoming flags."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Withheld
from scanlint.loops.jumps import Loop, jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.trace.unit import Unit


def loop_left_by(unit: Unit, node: ast.If) -> Loop | None:
    """The loop that an `if` leaves by `break` or `return`, if it does."""
    jumps = {type(jump) for jump in jumps_in(*node.body, *node.orelse)}
    if not jumps & {ast.Break, ast.Return}:
        return None
    for ancestor in unit.ancestors(node):
        if isinstance(ancestor, ast.For | ast.While):
            return ancestor
        if not isinstance(ancestor, ast.If | ast.With | ast.Try):
            return None
    return None


def unfit(model: LoopModel) -> Withheld | None:
    """Why a loop that is left from inside stays as it is, whatever else it does."""
    unit, node = model.unit, model.node
    for jump in jumps_in(*node.body):
        word = type(jump).__name__.lower()
        code = "return-in-loop" if isinstance(jump, ast.Return) else word
        tests = list(_tests(unit, node, jump))
        if not tests:
            return Withheld(code, f"`{word}` at line {jump.lineno} is no branch of an `if` of the loop")
        decided = unit.value(tests[0]).static and not reads(tests[0]) & (model.staged | frozenset(model.targets))
        if decided and not isinstance(jump, ast.Continue):
            return Withheld(code, f"whether `{word}` at line {jump.lineno} is reached is known when tracing")
    if not decided_by_data(model):
        jump = next(j for j in jumps_in(*node.body) if not isinstance(j, ast.Continue))
        code = "return-in-loop" if isinstance(jump, ast.Return) else "break"
        return Withheld(code, f"the loop is left at line {jump.lineno} by a test that is known when tracing")
    if isinstance(node, ast.While) and unit.context(node).differentiated:
        return Withheld("reverse-mode", "the function is differentiated in reverse, which `while_loop` does not allow")
    return None


def decided_by_data(model: LoopModel) -> bool:
    """Whether a traced value decides if the loop is left: by its own test, or by one that leaves it from inside.

    On the host that is whatever the trips change: rolled, all of it is traced.
    """
    unit, node = model.unit, model.node
    jumps = (j for j in jumps_in(*node.body) if not isinstance(j, ast.Continue))
    tests = [test for jump in jumps for test in _tests(unit, node, jump)]
    tests += [node.test] if isinstance(node, ast.While) else []
    if any(unit.value(test).traced for test in tests):
        return True
    changes = binds(*node.body) | frozenset(model.targets)
    return not unit.context(node).traced and any(reads(test) & changes for test in tests)


def _tests(unit: Unit, loop: Loop, jump: ast.stmt) -> Iterator[ast.expr]:
    """The tests of the `if`s between a jump and its loop, the innermost first; none where others lie between."""
    found: list[ast.expr] = []
    for ancestor in unit.ancestors(jump):
        if ancestor is loop:
            yield from found
            return
        if not isinstance(ancestor, ast.If):
            return
        found.append(ancestor.test)


def forever(node: Loop) -> bool:
    """`while True`"""
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def successor(node: Loop, name: str) -> str | None:
    """The name that the body hands another one on to (`x = x_new`), or the number that it starts each trip with."""
    first = next((s for s in node.body if name in binds(s)), None)
    match first:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int() | float()) as number):
            return repr(number.value)
        case ast.Assign(targets=[ast.Name()], value=ast.UnaryOp(operand=ast.Constant(value=int() | float())) as number):
            return ast.unparse(number)
    for statement in reversed(node.body):
        match statement:
            case ast.Assign(targets=[target], value=ast.Name(id=given)) if given == name:
                found = targets(target)
                return found[0] if len(found) == 1 and isinstance(target, ast.Name) else None
            case ast.Assign(targets=[ast.Tuple(elts=lefts)], value=ast.Tuple(elts=rights)) if len(lefts) == len(rights):
                for left, right in zip(lefts, rights, strict=True):
                    if isinstance(right, ast.Name) and right.id == name and isinstance(left, ast.Name):
                        return left.id
    return None
