"""nan-gradient: a root, logarithm or quotient at the point where it or its derivative is infinite."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Level, Report
from scanlint.jaxapi.words import words
from scanlint.rules.base import Context, Rule

CALLS = words(
    "jax.numpy.log jax.numpy.log2 jax.numpy.log10 jax.numpy.sqrt jax.lax.sqrt jax.numpy.linalg.norm jax.numpy.where"
)
SAFE = "make the argument safe first: `jnp.where(ok, x, 1.0)` inside of the function, and `where` again on its result"


class NanGradient(Rule[ast.Call]):
    """Where the forward value is masked or multiplied by 0, the derivative is inf * 0."""

    code = "SCN413"
    name = "nan-gradient"
    calls = CALLS

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.branches.singular_points import singular

        found = singular(context.unit, context.unit.resolve(node.func) or "", node)
        if found is None:
            return
        function = ast.unparse(node.func)
        level: Level = "warning"
        match found.kind:
            case "product":
                message = f"`{found.of}` times its logarithm is NaN where it is 0: 0 * -inf"
                cure, level = f"`jax.scipy.special.entr({found.of})` is the negative of it, and 0 at 0", "advice"
            case "rounded":
                message = (
                    f"`{function}` of `{found.of}` is NaN where points are equal: squares less twice the product "
                    "round to less than 0"
                )
                cure = f"{SAFE}; or sum the squares of the differences"
            case "clamped" | "clamps":
                message = (
                    f"the gradient of `{function}` is NaN where `{found.of}` is 0, to which it is clamped: inf * 0"
                )
                cure, level = SAFE, "warning" if found.kind == "clamped" else "advice"
            case "pairs":
                message = f"the gradient of `{function}` is NaN: each point is at distance 0 from itself"
                cure = SAFE
            case _:
                message = (
                    f"the gradient is NaN at {found.where}: `where` leaves `{found.of}` out there, but its derivative "
                    "is inf, times 0"
                )
                cure = SAFE
        yield context.report(node, message, end=node.func, label="NaN at one point", help=cure, level=level)
