"""eager-update: a step of an optimizer that the host takes again and again outside of jit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

NAMES = frozenset(["apply_updates", "incremental_update", "apply_gradients", "map", "tree_map", "tree_multimap"])
SHOWN = 60


class EagerUpdate(Rule[ast.Call]):
    """An update is some ten operations for each array of the parameters, and each of them is dispatched alone."""

    code = "SCN412"
    name = "eager-update"

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if getattr(node.func, "attr", getattr(node.func, "id", "")) not in NAMES:
            return
        from scanlint.host.results.eager_updates import eager_update

        found = eager_update(context.unit, node)
        if found is None or context.unit.once((EagerUpdate, context.unit.context(node).node), lambda: node) is not node:
            return  # of several updates in one function the first is told of
        update = ast.unparse(node.func)
        if found.derivative is None:
            yield context.report(
                node,
                f"each call of `{update}` runs the update of all parameters one operation after the other: "
                "no jit is around it",
                end=node.func,
                label="outside of jit",
                help=f"jit one function that computes the update and calls `{update}`, together with the gradient",
                level="advice",
            )
            return
        call = found.derivative.call
        function = " ".join(ast.unparse(call.func).split())
        shown = function if len(function) <= SHOWN else found.derivative.transform
        yield context.report(
            call,
            f"each step traces `{shown}` again and applies its update operation by operation on line {node.lineno}: "
            "no jit is around them",
            end=call.func,
            label="outside of jit",
            help=f"jit one function from the gradient to `{update}`, which takes and returns parameters and "
            "optimizer state",
        )
