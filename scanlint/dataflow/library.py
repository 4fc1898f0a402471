"""What calls of library functions and methods of Python's containers do: one row each.

A row that is not here is a call of which nothing is known.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outside(StrEnum):
    """What a call has to do with besides its arguments."""

    NOTHING = "nothing"
    IO = "io"
    RANDOM = "random"
    GLOBAL = "global"


class Effect(NamedTuple):
    """What a call does: whether it changes its receiver or an argument, keeps its arguments, calls those handed in.

    `mutates` are places of arguments, -1 is the receiver. `keeps`: the receiver holds the arguments afterwards.
    `gives`: what it returns may be, or hold, a part of what it was given.
    """

    mutates: tuple[int, ...] = ()
    keeps: bool = False
    invokes: bool = False
    gives: bool = False
    world: Outside = Outside.NOTHING

    @property
    def pure(self) -> bool:
        """Whether it does nothing but return a value."""
        return not self.mutates and self.world is Outside.NOTHING


PURE = Effect()
VIEW = Effect(gives=True)
RUNS = Effect(invokes=True, gives=True)
CHANGES = Effect(mutates=(-1,))
KEEPS = Effect(mutates=(-1,), keeps=True)
TAKES = Effect(mutates=(-1,), gives=True)
IO = Effect(world=Outside.IO)
RANDOM = Effect(world=Outside.RANDOM)
GLOBAL = Effect(world=Outside.GLOBAL)

_COMPUTE = (
    "abs all any ascii bin bool bytes callable chr complex divmod float format frozenset hash hex id int isinstance "
    "issubclass len oct ord pow range repr round slice str sum type"
)
_WRAP = "dict enumerate getattr hasattr iter list reversed set tuple vars zip"

METHODS: dict[str, Effect] = {
    "list.append": KEEPS,
    "list.extend": KEEPS,
    "list.insert": KEEPS,
    "list.pop": TAKES,
    "list.clear": CHANGES,
    "list.sort": Effect(mutates=(-1,), invokes=True),
    "list.reverse": CHANGES,
    "list.remove": CHANGES,
    "list.copy": VIEW,
    "list.index": PURE,
    "list.count": PURE,
    "dict.update": KEEPS,
    "dict.pop": TAKES,
    "dict.popitem": TAKES,
    "dict.setdefault": Effect(mutates=(-1,), keeps=True, gives=True),
    "dict.clear": CHANGES,
    "dict.get": VIEW,
    "dict.keys": PURE,
    "dict.values": VIEW,
    "dict.items": VIEW,
    "dict.copy": VIEW,
    "set.add": KEEPS,
    "set.update": KEEPS,
    "set.discard": CHANGES,
    "set.remove": CHANGES,
    "set.pop": TAKES,
    "set.clear": CHANGES,
    "set.union": VIEW,
    "set.intersection": VIEW,
    "set.difference": VIEW,
    "set.copy": VIEW,
    "tuple.index": PURE,
    "tuple.count": PURE,
    "deque.append": KEEPS,
    "deque.appendleft": KEEPS,
    "deque.extend": KEEPS,
    "deque.extendleft": KEEPS,
    "deque.insert": KEEPS,
    "deque.pop": TAKES,
    "deque.popleft": TAKES,
    "deque.clear": CHANGES,
    "deque.rotate": CHANGES,
    "deque.reverse": CHANGES,
    "deque.remove": CHANGES,
}
"""Methods by the type of the receiver."""

FUNCTIONS: dict[str, Effect] = {
    **{f"builtins.{name}": PURE for name in _COMPUTE.split()},
    **{f"builtins.{name}": VIEW for name in _WRAP.split()},
    "builtins.max": RUNS,
    "builtins.min": RUNS,
    "builtins.sorted": RUNS,
    "builtins.next": Effect(mutates=(0,), invokes=True, gives=True),
    "builtins.setattr": Effect(mutates=(0,), keeps=True),
    "builtins.delattr": Effect(mutates=(0,)),
    "builtins.print": IO,
    "builtins.input": IO,
    "builtins.open": IO,
    "builtins.breakpoint": IO,
    "collections.deque": VIEW,
    "collections.OrderedDict": VIEW,
    "collections.Counter": VIEW,
    "copy.copy": VIEW,
    "copy.deepcopy": PURE,
    "functools.reduce": RUNS,
    "operator.itemgetter": PURE,
    "operator.attrgetter": PURE,
    "jax.tree.map": RUNS,
    "jax.tree_util.tree_map": RUNS,
    "jax.tree.reduce": RUNS,
    "jax.debug.print": IO,
    "jax.debug.breakpoint": IO,
    "jax.block_until_ready": VIEW,
    "jax.device_put": VIEW,
    "jax.device_get": VIEW,
    "jax.eval_shape": RUNS,
    "jax.config.update": GLOBAL,
    "numpy.copyto": Effect(mutates=(0,)),
    "numpy.put": Effect(mutates=(0,)),
    "numpy.place": Effect(mutates=(0,)),
    "numpy.putmask": Effect(mutates=(0,)),
    "numpy.fill_diagonal": Effect(mutates=(0,)),
    "numpy.save": IO,
    "numpy.savez": IO,
    "numpy.load": IO,
    "numpy.asarray": VIEW,
    "numpy.atleast_1d": VIEW,
    "numpy.atleast_2d": VIEW,
    "numpy.reshape": VIEW,
    "numpy.ravel": VIEW,
    "numpy.transpose": VIEW,
}
"""Functions by their canonical name."""

PREFIXES: dict[str, Effect] = {
    "jax.lax.": RUNS,
    "jax.numpy.": PURE,
    "jax.random.": PURE,
    "jax.nn.": PURE,
    "jax.scipy.": PURE,
    "jax.tree.": VIEW,
    "jax.tree_util.": VIEW,
    "jax.image.": PURE,
    "jax.ops.": PURE,
    "jax.dtypes.": PURE,
    "jax.profiler.": IO,
    "numpy.random.": RANDOM,
    "numpy.": PURE,
    "random.": RANDOM,
    "math.": PURE,
    "cmath.": PURE,
    "operator.": PURE,
    "time.": IO,
    "os.path.": PURE,
    "os.": IO,
    "sys.": IO,
    "logging.": IO,
    "warnings.": IO,
    "wandb.": IO,
}
"""Functions of a module; the longest prefix counts."""

MAKERS: dict[str, str] = {
    "builtins.list": "list",
    "builtins.dict": "dict",
    "builtins.set": "set",
    "builtins.tuple": "tuple",
    "builtins.sorted": "list",
    "collections.deque": "deque",
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
}
"""Functions that make a container of their own, and its type."""


def effect_of(name: str | None) -> Effect | None:
    """What a function of this canonical name does, if that is known."""
    if name is None:
        return None
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        if (found := PREFIXES.get(".".join(parts[:cut]) + ".")) is not None:
            return found
    return None
