"""The two versions of one function: how each is called, traced and compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from .calling import Signature, Split, Values, split
from .eager_pace import Pace
from .jax_functions import attribute, finished
from .loading import Loaded
from .transplant import transplant

Function = Callable[..., object]


@dataclass(frozen=True, eq=False)
class VersionPair:
    """Both versions; arguments are made for the module `home`, of which `old` may be a twin with short loops.

    `joined` is the old version with its branches and loops joined, `draws` whether it may draw random numbers,
    `traced` whether it is traced where it is called. `extents` are those of inputs for which it is a small program, of
    which the parameters `fixed` are static.
    """

    old: Loaded
    new: Loaded
    before: Function
    after: Function
    signature: Signature
    home: Loaded
    joined: Callable[[], tuple[Loaded, Function] | None]
    draws: bool
    pace: Pace
    traced: bool = False
    compiled: dict[object, Function] = field(default_factory=dict)
    extents: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)

    def moved(self, values: Values) -> Values:
        """The same arguments for the new version."""
        return self.made_for(self.new, values)

    def own(self, values: Values) -> Values:
        """The same arguments for the old version."""
        return values if self.old is self.home else self.made_for(self.old, values)

    def made_for(self, version: Loaded, values: Values) -> Values:
        return {k: transplant(v, self.home.module, version.module) for k, v in values.items()}

    def run_old(self, values: Values, patience: float | None = None) -> object:
        mine = self.own(values)
        with self.pace.as_whole(self.small(values)):
            result = self.pace.run(lambda f: self.signature.call(f, mine), patience)
        return taken_by_jax(result) if self.traced else result

    def compile_old(self, small: Sequence[Values], counts: frozenset[str]) -> None:
        """Run the old version as one program from now on for inputs of these shapes and numbers; `counts` are static.

        It is known to be that of the new version, and small there.
        """
        static = self.signature.static | counts
        self.pace.compile_whole(static)
        self.extents.update(extent(values, static) for values in small)
        self.fixed.update(static)

    def small(self, values: Values) -> bool:
        """Whether the whole program is known to be small for these inputs."""
        return extent(values, self.fixed) in self.extents

    def run_new(self, values: Values) -> object:
        return finished(self.signature.call(self.after, self.moved(values)))

    def old_traces(self, values: Values) -> bool:
        """Whether the old version can be traced with the arrays and numbers of these arguments."""
        parts = split(self.own(values), self.signature.static, numbers=True)
        try:
            jax.eval_shape(lambda *ls: self.arrays(self.before, parts, ls), *parts.leaves)
        except Exception:  # noqa: BLE001
            return False
        return True

    def arrays(self, function: Function, parts: Split, leaves: tuple[object, ...]) -> list[object]:
        result = self.signature.call(function, parts.rebuild(leaves))
        return [x for x in jax.tree_util.tree_leaves(result) if isinstance(x, jax.Array)]

    def jitted(self, function: Function, values: Values, *, numbers: bool) -> object:
        """Compiled once per set of static values; `values` are those of the version."""
        parts = split(values, self.signature.static, numbers=numbers)
        key = (id(function), numbers, static_key(parts))
        if key not in self.compiled:
            self.compiled[key] = jax.jit(lambda *ls: self.signature.call(function, parts.rebuild(ls)))
        return finished(self.compiled[key](*parts.leaves))

    def under_jit(self, values: Values) -> object:
        """The new version, compiled here."""
        mine = self.moved(values)
        try:
            return self.jitted(self.after, mine, numbers=True)
        except Exception:
            # Python numbers may be static where the function is really called.
            if self.old_traces(values):
                raise
            return self.jitted(self.after, mine, numbers=False)


def extent(values: Values, static: Collection[str]) -> str:
    """The shapes of all arrays and the values of what is static: the size of a program depends on no more."""
    traced = {name: value for name, value in values.items() if name not in static}
    flat, tree = jax.tree_util.tree_flatten(traced)
    fixed = sorted((name, _told(value)) for name, value in values.items() if name in static)
    return f"{tree} {[attribute(x, 'shape', type(x).__name__) for x in flat]} {fixed}"


def _told(value: object) -> str:
    return repr(value) if isinstance(value, (str, int, float)) else str(id(value))


def taken_by_jax(tree: object) -> object:
    """A result with its arrays of NumPy as JAX takes them: traced code can give no others."""

    def leaf(x: object) -> object:
        plain = isinstance(x, (np.ndarray, np.generic)) and np.asarray(x).dtype.kind in "biufc"
        return jnp.asarray(x) if plain else x

    return jax.tree_util.tree_map(leaf, tree)


def static_key(parts: Split) -> object:
    """What the compiled program depends on besides its traced leaves."""
    marked = parts.rebuild([None] * len(parts.leaves))
    flat, tree = jax.tree_util.tree_flatten(marked)
    return (str(tree), tuple(x if isinstance(x, (str, int, float, bool)) else id(x) for x in flat))
