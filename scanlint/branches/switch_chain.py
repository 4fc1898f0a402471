"""A chain of `if`s that compares one traced integer with 0, 1, 2, ...: what `lax.switch` is for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scanlint.branches.branch import Block, BranchModel, model_branch, returns
from scanlint.trace.unit import Unit


class NumberedArm(NamedTuple):
    """An `if` of a chain with the arm that runs for its number: the first, or the other one where `not` says so."""

    model: BranchModel
    side: Literal["body", "orelse"]

    @property
    def arm(self) -> Block:
        return self.model.body if self.side == "body" else self.model.orelse

    @property
    def other(self) -> NumberedArm:
        """The same `if` with the arm that runs for all other numbers."""
        return NumberedArm(self.model, "orelse" if self.side == "body" else "body")


@dataclass(frozen=True, slots=True)
class Selection:
    """A chain of comparisons of one integer with 0, 1, ..., k - 1.

    `head` is the model of the first `if`. `links` are its tests in the order of those numbers, `default` is what is
    done for any other number.
    """

    head: BranchModel
    subject: ast.expr
    links: tuple[NumberedArm, ...]
    default: NumberedArm


def model_selection(unit: Unit, node: ast.If) -> Selection | None:
    """The chain that starts at this `if`, if it is one with at least two tests that numbers 0 to k - 1 all pass."""
    first = _case(unit, node)
    if first is None:
        return None
    head = model_branch(unit, node)
    name = ast.unparse(first.subject)
    link = NumberedArm(head, first.side)
    cases = {first.number: link}
    while (model := _next(unit, link)) is not None:
        case = _case(unit, model.node)
        if case is None or ast.unparse(case.subject) != name or case.number in cases:
            break
        cases[case.number] = link = NumberedArm(model, case.side)
    if len(cases) < 2 or sorted(cases) != list(range(len(cases))):
        return None
    return Selection(head, first.subject, tuple(cases[k] for k in range(len(cases))), link.other)


def _next(unit: Unit, link: NumberedArm) -> BranchModel | None:
    """The `if` that decides what the other arm does, if that is all that this arm is."""
    model = link.model
    match link.other.arm:
        case (ast.If() as only,) if not model.returns or returns([only]):
            return model_branch(unit, only, ())
        case (ast.If() as only, *rest) if model.returns and (returns(only.body) or returns(only.orelse)):
            return model_branch(unit, only, rest)
    return None


class _Case(NamedTuple):
    subject: ast.Name | ast.Attribute | ast.Subscript
    number: int
    side: Literal["body", "orelse"]


def _case(unit: Unit, node: ast.If) -> _Case | None:
    """What an `if` compares with which number, where it is a traced integer, and the arm that runs for that."""
    test, turned = node.test, False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, turned = test.operand, not turned
    match test:
        case ast.Compare(
            left=ast.Name() | ast.Attribute() | ast.Subscript() as subject,
            ops=[ast.Eq() | ast.NotEq() as sign],
            comparators=[ast.Constant(value=int(number))],
        ) if not isinstance(number, bool):
            value = unit.value(subject)
            if unit.value(node.test).traced and value.dtype in (None, "int"):
                return _Case(subject, number, "orelse" if turned != isinstance(sign, ast.NotEq) else "body")
    return None


def member_of_selection(unit: Unit, node: ast.If) -> bool:
    """Whether an `if` is one of the tests of a chain that makes a switch."""
    if _case(unit, node) is None:
        return False
    for start in chain_starts(unit, node):
        found = model_selection(unit, start)
        if found is not None and any(link.model.node is node for link in found.links):
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
        if isinstance(parent, ast.If) and place == 0:
            starts.append(parent)
        elif place > 0 and isinstance(block[place - 1], ast.If):
            previous = block[place - 1]
            assert isinstance(previous, ast.If)
            starts.append(previous)
        else:
            break
    yield from reversed(starts)
