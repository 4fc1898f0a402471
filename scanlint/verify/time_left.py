"""The line that tells how far a run has come: `verifying 3 of 12: kalman_filter, about 40 s left`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

LEAST_DONE = 2
LEAST_SECONDS = 3.0
"""What has to be done before anything is known of the rest."""


@dataclass
class VerifyingLine:
    """Counts the functions of a run, of which there are `total`; one that is verified again counts once."""

    total: int = 0
    _seen: dict[str, None] = field(default_factory=dict)
    _begun: float = field(default_factory=time.monotonic)

    def at(self, key: str, name: str) -> str:
        """The line for the function whose turn it is now; `key` tells it from others of its name."""
        self._seen.setdefault(key)
        number = list(self._seen).index(key) + 1
        total = max(self.total, len(self._seen))
        left = time_left(time.monotonic() - self._begun, number - 1, total)
        return f"verifying {number} of {total}: {name}{left}"


def time_left(spent: float, done: int, total: int) -> str:
    """How long the rest takes if it goes on as before; empty while nothing is known of that."""
    if done < LEAST_DONE or spent < LEAST_SECONDS:
        return ""
    seconds = spent / done * (total - done)
    return f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", about {seconds:.0f} s left"
