"""A chain of `if`s that compares one traced integer with 0, 1, 2, ...: what `lax.switch` is for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from scanlint.branches.branch import Block, BranchModel, model_branch, returns
from scanlint.trace.unit import Unit


@dataclass(frozen=True, slots=True)
class Selection:
    """A chain of comparisons of one integer with 0, 1, ..., k - 1.

    `head` is the model of the first `if`. `links` are the models of its tests in the order of those numbers, `default`
    is what is done for any other number.
    """

    head: BranchModel
    subject: ast.expr
    links: tuple[BranchModel, ...]
    default: Block


def model_selection(unit: Unit, node: ast.If) -> Selection | None:
    """The chain that starts at this `if`, if it is one with at least two tests that numbers 0 to k - 1 all pass."""
    first = _case(unit, node)
    if first is None:
        return None
    head = model_branch(unit, node)
    name = ast.unparse(first[0])
    cases = {first[1]: head}
    model = head
    while True:
        model_next = _next(unit, model)
        case = _case(unit, model_next.node) if model_next is not None else None
        if model_next is None or case is None or ast.unparse(case[0]) != name or case[1] in cases:
            break
        cases[case[1]] = model = model_next
    if len(cases) < 2 or sorted(cases) != list(range(len(cases))):
        return None
    return Selection(head, first[0], tuple(cases[k] for k in range(len(cases))), model.orelse)


def _next(unit: Unit, model: BranchModel) -> BranchModel | None:
    """The `if` that decides what the other arm does, if that is all that this arm is."""
    match model.orelse:
        case (ast.If() as only,) if not model.returns or returns([only]):
            return model_branch(unit, only, ())
        case (ast.If() as only, *rest) if model.returns and (returns(only.body) or returns(only.orelse)):
            return model_branch(unit, only, rest)
    return None


def _case(unit: Unit, node: ast.If) -> tuple[ast.Name | ast.Attribute | ast.Subscript, int] | None:
    """The subject and the number of `subject == number`, where the subject is a traced integer."""
    match node.test:
        case ast.Compare(
            left=ast.Name() | ast.Attribute() | ast.Subscript() as subject,
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=int(number))],
        ) if not isinstance(number, bool):
            value = unit.value(subject)
            if unit.value(node.test).traced and value.dtype in (None, "int"):
                return subject, number
    return None


def member_of_selection(unit: Unit, node: ast.If) -> bool:
    """Whether an `if` is one of the tests of a chain that makes a switch."""
    if _case(unit, node) is None:
        return False
    for start in chain_starts(unit, node):
        found = model_selection(unit, start)
        if found is not None and any(link.node is node for link in found.links):
            return True
    return False


def chain_starts(unit: Unit, node: ast.If) -> Iterator[ast.If]:
    """The `if`s that this one may continue, the first one first."""
    starts = [node]
    while True:
        at = starts[-1]
        parent = unit.parents.get(at)
        block = unit.block(at)
        place = block.index(at)
        if isinstance(parent, ast.If) and parent.orelse[:1] == [at]:
            starts.append(parent)
        elif place > 0 and isinstance(block[place - 1], ast.If):
            previous = block[place - 1]
            assert isinstance(previous, ast.If)
            starts.append(previous)
        else:
            break
    yield from reversed(starts)
