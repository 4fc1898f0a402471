"""The arms of a branch in the order of its tests."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from scanlint.branches.branch import BranchModel, is_elif, model_branch
from scanlint.branches.switch_chain import Selection
from scanlint.rewrite.lower.branches.branch_arms import Arm


@dataclass(frozen=True, slots=True)
class Choice:
    """Two arms or further choices, of which the test takes one."""

    test: ast.expr
    body: Arm | Choice
    orelse: Arm | Choice


@dataclass(frozen=True, slots=True)
class Options:
    """The arms that the numbers 0, 1, ... stand for; the last one is for all others."""

    subject: ast.expr
    arms: tuple[Arm, ...]


Tree = Arm | Choice | Options


def tree_of(model: BranchModel, results: tuple[str, ...]) -> Choice:
    """The `if` with those of its `elif`s that are traced as well."""
    body = Arm(model.body, model.node, "body")
    match model.orelse:
        case (ast.If() as link, *rest) if is_elif(model.unit, link) and model.unit.value(link.test).traced:
            inner = model_branch(model.unit, link, rest)
            if inner.returns == model.returns and all(o.code == "no-state" for o in inner.obstacles):
                return Choice(model.node.test, body, tree_of(inner, results))
    return Choice(model.node.test, body, Arm(model.orelse, model.node, "orelse"))


def options_of(selection: Selection) -> Options:
    links = (*selection.links, selection.default)
    return Options(selection.subject, tuple(Arm(link.arm, link.model.node, link.side) for link in links))


def arms_of(tree: Tree) -> list[Arm]:
    match tree:
        case Choice(body=body, orelse=orelse):
            return [*arms_of(body), *arms_of(orelse)]
        case Options(arms=arms):
            return list(arms)
    return [tree]
