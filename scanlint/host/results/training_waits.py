"""Training loops that wait for each step only to tell of it: nothing of the next step depends on what is fetched."""

from __future__ import annotations

import ast

from scanlint.host.results.device_values import dispatches
from scanlint.host.results.waits import WaitingLoop
from scanlint.syntax.bindings import Names, reads, targets, walk_scope
from scanlint.trace.unit import Unit

TOLD = ("gathered", "added", "logged")


def only_tells(unit: Unit, found: WaitingLoop) -> bool:
    """Each trip hands its batch and the state of the last one to a jitted step, and fetches a by-product to tell of it.

    Where the trip waits for something else, an environment or a decision, the fetch is not what it waits for.
    """
    if not isinstance(found.node, ast.For) or any(wait.purpose not in TOLD for wait in found.waits):
        return False
    fetched = reads(found.waits[0].value)
    fed = _made_of(found.node)
    for part in walk_scope(found.node.body):
        match part:
            case ast.Assign(targets=[target], value=ast.Call() as call) if dispatches(unit, call):
                given = reads(*call.args, *(k.value for k in call.keywords))
                bound = frozenset(targets(target))
                state = bound & given
                if state and given & fed - state and fetched & bound and not fetched & state:
                    return True
    return False


def _made_of(loop: ast.For) -> Names:
    """The names of a trip that are made of what the loop goes over."""
    found = frozenset(targets(loop.target))
    if "range" in ast.unparse(loop.iter):
        return frozenset()
    for part in walk_scope(loop.body):
        match part:
            case ast.Assign(targets=bound, value=value) if reads(value) & found:
                found |= frozenset(name for target in bound for name in targets(target))
    return found
