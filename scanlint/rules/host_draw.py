"""host-draw: numbers that NumPy or `random` draws while a function is traced."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.jaxapi.words import words
from scanlint.rules.base import Context, Rule

NUMPY = words(
    "normal rand randn randint uniform choice permutation shuffle random random_sample ranf sample "
    "binomial poisson beta "
    "gamma exponential standard_normal multivariate_normal bytes laplace logistic lognormal dirichlet "
    "multinomial gumbel"
)
PYTHON = words(
    "random randint uniform choice choices shuffle sample gauss normalvariate randrange getrandbits betavariate"
)

ALIKE = {
    **dict.fromkeys(("rand", "random", "random_sample", "ranf"), "uniform"),
    **dict.fromkeys(("randn", "standard_normal", "gauss", "normalvariate"), "normal"),
    **dict.fromkeys(("sample", "choices"), "choice"),
    "shuffle": "permutation",
    "randrange": "randint",
    "bytes": "bits",
    "getrandbits": "bits",
    "betavariate": "beta",
}
"""What `jax.random` calls them."""


class HostDraw(Rule[ast.Call]):
    """The trace happens once: every later call of what was compiled gets the numbers of the first."""

    code = "SCN506"
    name = "host-draw"
    calls = frozenset({*(f"numpy.random.{name}" for name in NUMPY), *(f"random.{name}" for name in PYTHON)})
    staged = True
    apart = True

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.bare:
            return
        name = context.unit.resolve(node.func) or ""
        last = name.rpartition(".")[2]
        drawn = f"jax.random.{ALIKE.get(last, last)}"
        yield context.report(
            node,
            f"`{ast.unparse(node.func)}` draws while `{context.named(node)}` is traced: each later call "
            "repeats the numbers",
            end=node.func,
            label="drawn once, when it is traced",
            help=f"take a key as an argument and draw with JAX, `{drawn}(key, ...)`, or hand the numbers in",
        )
