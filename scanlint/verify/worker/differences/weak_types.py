"""Results that are weakly typed in one version only: a computation with them gives another dtype."""

from __future__ import annotations

from dataclasses import dataclass, field

import jax
import numpy as np

from ..differences.agreement import describe
from ..runtime.jax_functions import weakly_typed

Pair = tuple[bool, bool]
LOST = (False, True)
WEAKER = "the dtype is weak, as that of a Python number, and was not"


@dataclass
class Weakness:
    """For each result, the pairs of weak types (before, after) that were met, each with the first arguments."""

    met: dict[tuple[int, int], dict[Pair, str]] = field(default_factory=dict)

    def compared(self, before: object, after: object, values: dict[str, object]) -> None:
        """Note the types of two results that agree otherwise."""
        first, second = (jax.tree_util.tree_leaves(x) for x in (before, after))
        for at, (a, b) in enumerate(zip(first, second, strict=False)):
            if isinstance(a, (jax.Array, np.ndarray)) and a.size == 0:
                continue
            pairs = self.met.setdefault((len(first), at), {})
            pair = (weakly_typed(a), weakly_typed(b))
            if pair not in pairs:
                pairs[pair] = f"{describe(values)}: {_place(at, len(first))}"

    def lost(self) -> str:
        """A result that is strongly typed in the old version and weakly typed in the new one."""
        found = next((pairs[LOST] for pairs in self.met.values() if LOST in pairs), "")
        return f"{found}{WEAKER}" if found else ""


def _place(at: int, count: int) -> str:
    return f"output {at}: " if count > 1 else ""
