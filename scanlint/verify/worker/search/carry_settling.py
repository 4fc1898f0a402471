"""The types that the carries of the new version take, over all inputs that it is compared on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from ..infer.specs import Array, Specs, leaves, sizes
from ..runtime.calling import plain
from ..runtime.jax_errors import carry_changes
from .carry_avals import Start, Watched, merged
from .input_sources import Inputs
from .other_dtypes import narrowed, retyped
from .shape_search import Failure

MOST = 8
DTYPES = ("int32", "float16")


@dataclass
class Settling:
    """Traces the new version with its loops watched; `function` loads it, None where it does not load.

    `ended` runs the old version, which `decides` by values or not, and tells the dtypes of the names that it ends with
    but the weak ones.
    """

    inputs: Inputs
    watched: Watched
    function: Callable[[], Callable[..., object] | None]
    ended: Callable[[Specs, Collection[str], bool], dict[str, str]]
    seen: dict[str, list[Start]] = field(default_factory=dict)

    def starts(self, specs: Specs) -> list[Start]:
        """The carries of all loops reached with these inputs; a function that is jitted is traced for them once."""
        function, key = self.function(), repr(sorted(specs.items()))
        if function is None:
            return []
        if key not in self.seen:
            self.seen[key] = self.traced(specs, function)
        return self.seen[key]

    def traced(self, specs: Specs, function: Callable[..., object]) -> list[Start]:
        self.watched.starts = []
        self.inputs.attempt(specs, function)
        return self.watched.starts

    def grown(self, specs: Specs) -> Failure | None:
        """Why the new version does not take these even where carries that start as numbers are given another start."""
        function = self.function()
        wrong = [s for s in self.starts(specs) if not (s.fits or (s.weak and s.scalar))]
        failure = self.inputs.attempt(specs, function) if function is not None else None
        if failure is None and wrong:
            return Failure(carry_changes(wrong[0].before, wrong[0].after), (), "TypeError")
        return failure

    def misfits(self, tried: Iterable[Specs]) -> list[Start]:
        """The carries that do not keep the type that they start with, for some of these inputs.

        They are traced with whole and half numbers in place of the usual ones too, where the old version takes them:
        what is written in place of a start must not take its dtype from an array that may have another one. A carry
        that fits otherwise is none to repair: nothing says that such numbers are ever handed in.
        """
        listed = _listed(tried)
        accepted = self.accepted(listed)
        usual = [self.starts(specs) for specs in listed]
        known = {s.key: s for s in merged([*usual, *map(self.starts, accepted)])}
        return [
            start._replace(likes=known[start.key].likes) if start.key in known else start for start in merged(usual)
        ]

    def accepted(self, listed: Iterable[Specs]) -> list[Specs]:
        """The same with other numbers, where the old version takes them."""
        others = [{n: retyped(s, "float32", dtype) for n, s in specs.items()} for specs in listed for dtype in DTYPES]
        return [specs for specs in [*others, *mixed(listed)] if self.inputs.attempt(specs) is None]

    def faded(self, tried: Iterable[Specs]) -> list[Start]:
        """The carries that start as weakly typed as a number and come to a dtype of their own in the old version.

        JAX traces a trip with what they start as: where the bits are as many it lets them stay weak on every trip.
        """
        function, listed = self.function(), _listed(tried)
        if function is None:
            return []
        weak = {s.name for specs in listed for s in self.starts(specs) if s.weak}
        others = self.accepted(listed) if weak else []
        runs = []
        for specs in [*listed, *others] if weak else []:
            self.inputs.decided = False
            self.inputs.attempt(specs)
            self.watched.ended = self.ended(specs, weak, self.inputs.decided)
            ended = [s for s in self.traced(specs, plain(function)) if s.name in self.watched.ended]
            if specs in others and any(s.problem for s in ended):
                continue  # whole numbers that turn into others trip by trip: nothing says that they are handed in
            runs.append(ended)
        self.watched.ended = {}
        axes = {s.key: s.after for run in runs for s in run if not s.after.endswith("[]")}
        return [s._replace(after=axes.get(s.key, s.after)) for s in merged(runs)]


def _listed(tried: Iterable[Specs]) -> list[Specs]:
    """One of each set of ranks."""
    with_rows = (specs for specs in tried if min(sizes(list(specs.values())), default=1))
    return list({_ranks(specs): specs for specs in with_rows}.values())[-MOST:]


def mixed(listed: Iterable[Specs]) -> list[Specs]:
    return [other for specs in listed for other, _ in narrowed(specs)]


def _ranks(specs: Specs) -> str:
    return str(
        [
            (name, path, len(leaf.shape))
            for name, s in specs.items()
            for path, leaf in leaves(s)
            if isinstance(leaf, Array)
        ]
    )
