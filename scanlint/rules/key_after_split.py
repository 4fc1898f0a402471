"""key-after-split: a random key that is drawn from and split."""

from __future__ import annotations

from scanlint.rules.key_messages import KeyRule


class KeyAfterSplit(KeyRule):
    """A split hashes the key as a draw does: the keys that it gives are tied to the numbers that are drawn."""

    code = "SCN502"
    name = "key-after-split"
