"""What calls of library functions do with what they are given.

A function that is not here is one of which nothing is known.
"""

from __future__ import annotations

from typing import NamedTuple

from scanlint.jaxapi.words import words


class Effect(NamedTuple):
    """What a call does with its arguments: it may call them; what it returns may be, or hold, a part of them."""

    invokes: bool = False
    gives: bool = False


PURE = Effect()
VIEW = Effect(gives=True)
RUNS = Effect(invokes=True, gives=True)

_COMPUTE = words(
    "abs all any ascii bin bool breakpoint bytes callable chr complex delattr divmod float format frozenset hash hex "
    "id input int isinstance issubclass len oct open ord pow print range repr round setattr slice str sum type"
)
_WRAP = words("dict enumerate getattr hasattr iter list reversed set tuple vars zip")

FUNCTIONS: dict[str, Effect] = {
    **{f"builtins.{name}": PURE for name in _COMPUTE},
    **{f"builtins.{name}": VIEW for name in _WRAP},
    **{f"builtins.{name}": RUNS for name in words("max min next sorted")},
    **{f"collections.{name}": VIEW for name in words("deque OrderedDict Counter")},
    **{f"numpy.{name}": VIEW for name in words("asarray atleast_1d atleast_2d reshape ravel transpose")},
    **{f"jax.{name}": VIEW for name in words("block_until_ready device_put device_get")},
    **{f"jax.{name}": RUNS for name in words("tree.map tree.reduce tree_util.tree_map eval_shape")},
    **{f"jax.{name}": PURE for name in words("debug.print debug.breakpoint config.update")},
    "copy.copy": VIEW,
    "copy.deepcopy": PURE,
    "functools.reduce": RUNS,
}
"""Functions by their canonical name."""

PREFIXES: dict[str, Effect] = {
    "jax.lax": RUNS,
    **{f"jax.{name}": PURE for name in words("numpy random nn scipy image ops dtypes profiler")},
    **{f"jax.{name}": VIEW for name in words("tree tree_util")},
    **dict.fromkeys(words("numpy random math cmath operator time os sys logging warnings wandb"), PURE),
}
"""Functions of a module; the longest prefix counts."""


def effect_of(name: str | None) -> Effect | None:
    """What a function of this canonical name does, if that is known."""
    if name is None or name in FUNCTIONS:
        return FUNCTIONS.get(name or "")
    parts = name.split(".")
    found = (PREFIXES.get(".".join(parts[:cut])) for cut in range(len(parts) - 1, 0, -1))
    return next((effect for effect in found if effect is not None), None)
