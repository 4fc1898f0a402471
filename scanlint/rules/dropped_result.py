"""dropped-result: a call that only returns a value, which is thrown away: the update or the new key is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

if TYPE_CHECKING:
    from scanlint.host.results.dropped_results import Dropped
    from scanlint.host.results.lost_states import LostState


class DroppedResult(Rule[ast.Expr | ast.Assign]):
    """JAX changes nothing in place, so that such a call has no effect at all."""

    code = "SCN406"
    name = "dropped-result"

    def check(self, node: ast.Expr | ast.Assign, context: Context) -> Iterator[Report]:
        if context.unit.source.tests or not isinstance(getattr(node, "value", None), ast.Call):
            return
        from scanlint.host.results.dropped_results import dropped, dropped_state, whole_result

        if isinstance(node, ast.Assign):
            unpacked = isinstance(node.targets[0], ast.Tuple)
            state = dropped_state(context.unit, node) if unpacked else whole_result(context.unit, node)
            if state is not None:
                yield _of_state(state, context)
                return
            from scanlint.host.results.lost_states import lost_state

            if (lost := lost_state(context.unit, node)) is not None:
                yield _of_step(lost, context)
            return
        assert isinstance(node, ast.Expr)
        found = dropped(context.unit, node)
        if found is None:
            return
        name = ast.unparse(found.call.func)
        yield context.report(
            node,
            f"`{_short(name)}(...)` {_does(found)}, and nobody takes it: the call does nothing",
            end=found.call.func,
            label=f"`{found.old}` stays as it is" if found.old is not None else "thrown away",
            help=f"bind what it returns: `{found.old} = {_short(name)}(...)`"
            if _assigns(found)
            else "bind what it returns",
            level="advice" if found.meant else None,
        )


def _of_state(found: Dropped, context: Context) -> Report:
    name = ast.unparse(found.call.func)
    if found.into is not None:
        return context.report(
            found.call,
            f"`{found.into}` is all that `{name}` returns, {found.what} included: each trip hands in the "
            f"same `{found.old}`",
            end=found.call.func,
            label=f"`{found.old}` is as old as the loop",
            help=f"unpack it, so that the next trip goes on from the new `{found.old}`",
        )
    return context.report(
        found.call,
        f"`{name}` returns {found.what}, which nobody reads: each trip of this loop hands in the same `{found.old}`",
        end=found.call.func,
        label=f"`{found.old}` is as old as the loop",
        help=f"unpack it into `{found.old}`, so that the next trip goes on from it",
    )


def _of_step(found: LostState, context: Context) -> Report:
    step = (context.named(found.target) or "this step").rpartition(".")[2]
    return context.report(
        found.target,
        f"`{step}` neither returns nor reads the new state of the optimizer: each step starts from the old "
        f"`{found.old}`",
        label="lost when the step ends",
        help=f"return `{found.target.id}` beside the parameters, and hand it to the next step",
    )


def _does(found: Dropped) -> str:
    return f"only returns {found.what}" if found.what else "only returns a value"


def _assigns(found: Dropped) -> bool:
    return found.old is not None and found.what in ("another array", "the new state")


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"...{name[-37:]}"
