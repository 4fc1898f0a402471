"""Points where the old version computes something whose derivative is not finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from ...proof.paths import TooManyDecisions, trace
from ...runtime.calling import TookTooLong, Values, limited, plain, split
from ...runtime.version_pair import Function, VersionPair
from ..result_trees import finite, floating

if TYPE_CHECKING:
    from ...proof.equations import ClosedJaxpr

SECONDS = 3.0


def singular(pair: VersionPair, values: Values) -> bool | None:
    """Whether the old version computes a value there whose derivative is not finite, used or not; None: not found out.

    Any version that passes such a value to `cond` multiplies it by zero and gets NaN: `sqrt(sum(g**2))` at zero. A
    value that the old version does not compute there, such as a guarded division, must not affect the gradient.
    """
    parts = split(pair.own(values), pair.signature.static, numbers=False)
    at = [i for i, x in enumerate(parts.leaves) if floating(x)]

    def old(*leaves: object) -> object:
        with jax.disable_jit():
            return pair.signature.call(plain(pair.before), parts.rebuild(leaves))

    try:
        with limited(SECONDS):
            return not finite(_zero_weighted(_taken(old, parts.leaves), parts.leaves, at))
    except (Exception, TookTooLong, TooManyDecisions):  # noqa: BLE001 - it is not found out
        return None


def _taken(function: Function, leaves: Sequence[object]) -> ClosedJaxpr:
    """The program along the path that these values take: each trace decides at least one test more as they do."""
    plan: list[bool] = []
    while True:
        path = trace(function, leaves, plan)
        outputs = jaxpr_as_fun(path.program)(*leaves)
        truths = [bool(x) for x in outputs[len(outputs) - len(path.decisions) :]] if path.decisions else []
        if truths == list(path.decisions):
            return path.program
        plan = truths


def _widened(program: ClosedJaxpr) -> ClosedJaxpr:
    """The program with every float that it computes on the way as a further result."""
    jaxpr = program.jaxpr
    between = [v for e in jaxpr.eqns for v in e.outvars if type(v).__name__ != "DropVar" and _is_float(v)]
    outputs = [*jaxpr.outvars, *between]
    debug = getattr(jaxpr, "debug_info", None)
    changed: dict[str, object] = {"outvars": outputs}
    if debug is not None and hasattr(debug, "_replace"):
        changed["debug_info"] = debug._replace(result_paths=None)
    return cast("ClosedJaxpr", program.replace(jaxpr=jaxpr.replace(**changed)))  # type: ignore[no-untyped-call]


def _is_float(variable: object) -> bool:
    dtype = getattr(getattr(variable, "aval", None), "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "f"


def _zero_weighted(program: ClosedJaxpr, leaves: Sequence[object], at: Sequence[int]) -> list[object]:
    """The gradient of zero times all intermediate values: not finite where a derivative is not."""
    run = jaxpr_as_fun(_widened(program))

    def objective(floats: list[object]) -> object:
        changed = list(leaves)
        for i, x in zip(at, floats, strict=True):
            changed[i] = x
        return sum((jnp.sum(x * 0.0) for x in run(*changed) if floating(x)), jnp.zeros(()))

    found: list[object] = jax.grad(objective)([leaves[i] for i in at])
    return found
