"""The types that the carries of the new version take, over all inputs that it is compared on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .carries import Start, Watched, merged
from .inputs import Inputs
from .specs import Array, Choice, Scalar, Spec, leaves, replace, sizes
from .values import Specs

MOST = 8
DTYPES = ("int32", "float16")


@dataclass
class Settling:
    """Traces the new version with its loops watched; `function` loads it, None where it does not load."""

    inputs: Inputs
    watched: Watched
    function: Callable[[], Callable[..., object] | None]
    seen: dict[str, list[Start]] = field(default_factory=dict)

    def starts(self, specs: Specs) -> list[Start]:
        """The carries of all loops reached with these inputs; a function that is jitted is traced for them once."""
        function, key = self.function(), repr(sorted(specs.items()))
        if function is None:
            return []
        if key not in self.seen:
            self.watched.starts = []
            self.inputs.attempt(specs, function)
            self.seen[key] = self.watched.starts
        return self.seen[key]

    def misfits(self, tried: Iterable[Specs]) -> list[Start]:
        """The carries that do not keep the type that they start with, for some of these inputs.

        They are traced with whole and half numbers in place of the usual ones too, where the old version takes them:
        what is written in place of a start must not take its dtype from an array that may have another one. A carry
        that fits otherwise is none to repair: nothing says that such numbers are ever handed in.
        """
        listed = list({_ranks(specs): specs for specs in tried if min(sizes(list(specs.values())), default=1)}.values())
        listed = listed[-MOST:]
        others = [_retyped(specs, dtype) for specs in listed for dtype in DTYPES]
        accepted = [specs for specs in others if self.inputs.attempt(specs) is None]
        usual = [self.starts(specs) for specs in listed]
        known = {s.key: s for s in merged([*usual, *map(self.starts, accepted)])}
        return [
            start._replace(likes=known[start.key].likes) if start.key in known else start for start in merged(usual)
        ]


def _ranks(specs: Specs) -> str:
    return str(
        [
            (name, path, len(leaf.shape))
            for name, s in specs.items()
            for path, leaf in leaves(s)
            if isinstance(leaf, Array)
        ]
    )


def _retyped(specs: Specs, dtype: str) -> Specs:
    def change(leaf: Array | Scalar | Choice, path: str) -> Spec:
        return Array(leaf.shape, dtype) if isinstance(leaf, Array) and leaf.dtype == "float32" else leaf

    return {name: replace(spec, change, name) for name, spec in specs.items()}
