"""The two versions of one function: how each is called, traced and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import jax
import jax.numpy as jnp
import numpy as np

from ..sandbox.outgoing import OUTGOING
from .calling import Signature, Split, Values, split
from .jax_functions import finished
from .loading import Loaded
from .pace.eager_pace import Pace
from .stored_results import copied
from .transplant import transplant

Function = Callable[..., object]
MOST_ITEMS = 1000
MOST_NUMBER = 64
NEW_SECONDS = 10.0
TRACED = "<traced>"


@dataclass(frozen=True, eq=False)
class VersionPair:
    """Both versions; arguments are made for the module `home`, of which `old` may be a twin with short loops.

    `joined` is the old version with its branches and loops joined, `draws` whether it may draw random numbers,
    `traced` whether it is traced where it is called. `donating`: a version may take the memory of its arguments.
    `asking`: the ways to run the old version in which it gives another result, since it asks whether it is traced: no
    rounding explains what differs between them.
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
    donating: bool = False
    asking: set[str] = field(default_factory=set)
    paces: dict[str, Pace] = field(default_factory=dict)

    def moved(self, values: Values) -> Values:
        """Arguments with the classes of the new version's module."""
        return self.made_for(self.new, values)

    def own(self, values: Values) -> Values:
        """Arguments with the classes of the old version's module."""
        return self.fresh(values) if self.old is self.home else self.made_for(self.old, values)

    def fresh(self, values: Values) -> Values:
        """Arguments whose memory a version may take, where one does."""
        return jax.tree_util.tree_map(again, values) if self.donating else values

    def made_for(self, version: Loaded, values: Values) -> Values:
        values = self.fresh(values)
        return {k: transplant(v, self.home.module, version.module) for k, v in values.items()}

    def run_old(self, values: Values, patience: float | None = None) -> object:
        """The result of the old version's Python, line by line. Raises TookTooLong, and what it raises."""
        OUTGOING.begin()
        mine = self.own(copied(values))
        return self.given(self.pace.run(lambda f: drained(self.signature.call(f, mine)), patience))

    def new_python(self, values: Values) -> object:
        """The result of the new version as it is called, without a `jit` made here."""
        return self.given(drained(self.run_new(values)))

    def new_at_pace(self, values: Values) -> object:
        """The result of the new version's Python, run in the way that is quick, as the old one is."""
        mine = self.moved(copied(values))
        pace = self.paces.setdefault("new", Pace(self.new, self.after, patience=NEW_SECONDS))
        return self.given(pace.run(lambda f: drained(self.signature.call(f, mine))))

    def old_as_called(self, values: Values) -> object:
        """The result of the old version as it is called, with the `jit` that it may have."""
        return self.given(drained(finished(self.signature.call(self.before, self.own(copied(values))))))

    def given(self, result: object) -> object:
        """A result as whoever calls the function gets it: traced code gives no arrays of NumPy."""
        return taken_by_jax(result) if self.traced else result

    def run_new(self, values: Values) -> object:
        return finished(self.signature.call(self.after, self.moved(copied(values))))

    def old_traces(self, values: Values) -> bool:
        """Whether the old version can be traced with the arrays and numbers of these arguments."""
        return self.refusal(self.before, self.own(values), numbers=True) is None

    def new_traces(self, values: Values) -> bool:
        """Whether the new version can be traced with the arrays of these arguments."""
        return self.refusal(self.after, self.moved(values), numbers=False) is None

    def refusal(self, function: Function, values: Values, *, numbers: bool) -> Exception | None:
        """Why a version cannot be traced with the arrays of its arguments, and their `numbers`; None if it can."""
        parts = split(values, self.signature.static, numbers=numbers)
        try:
            jax.eval_shape(lambda *ls: self.arrays(function, parts, ls), *parts.leaves)
        except Exception as error:  # noqa: BLE001 - code of others, whatever it raises
            return error
        return None

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

    def old_under_jit(self, values: Values) -> object:
        """The old version, compiled here in the same way."""
        own = self.own(values)
        return self.jitted(self.before, own, numbers=self.old_traces(values))


def large(values: Values) -> bool:
    """Whether a number of Python is so large that what is made of it may leave a type of JAX."""
    return any(type(x) in (int, float) and abs(x) > MOST_NUMBER for x in jax.tree_util.tree_leaves(values))


def counted(values: Values, pair: VersionPair) -> Values:
    """The arguments with whole numbers of Python as a `jit` takes them, in 32 bits; the same where there are none."""
    whole = {n for n, v in values.items() if n not in pair.signature.static and type(v) is int and abs(v) < 2**31}
    return {n: jnp.asarray(v) if n in whole else v for n, v in values.items()} if whole else values


def again(leaf: object) -> object:
    """A copy of an array of JAX, which a call may take the memory of."""
    copies = isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer)
    return leaf.copy() if copies else leaf  # type: ignore[attr-defined]


def drained(result: object) -> object:
    """A result with the items of a generator, at most so many, in place of it."""
    return list(islice(result, MOST_ITEMS)) if isinstance(result, Iterator) else result


def taken_by_jax(tree: object) -> object:
    """A result with its arrays of NumPy as JAX takes them: traced code can give no others.

    One without such stays what it is: JAX would sort the keys of its dicts.
    """

    def plain(x: object) -> bool:
        return isinstance(x, (np.ndarray, np.generic)) and np.asarray(x).dtype.kind in "biufc"

    if not any(map(plain, jax.tree_util.tree_leaves(tree))):
        return tree
    return jax.tree_util.tree_map(lambda x: jnp.asarray(x) if plain(x) else x, tree)


def static_key(parts: Split) -> object:
    """A key that is equal for arguments which differ in traced leaves only."""
    marked = parts.rebuild([TRACED] * len(parts.leaves))  # not None, which an optional argument is where it is absent
    flat, tree = jax.tree_util.tree_flatten(marked)
    return (str(tree), tuple(x if isinstance(x, (str, int, float, bool)) else id(x) for x in flat))
