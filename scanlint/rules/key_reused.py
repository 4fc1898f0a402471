"""key-reused: a random key that two draws, or two splits, take their numbers from."""

from __future__ import annotations

from scanlint.rules.key_messages import KeyRule


class KeyReused(KeyRule):
    """Equal keys give equal bits: what is drawn second depends on what was drawn first, or repeats it."""

    code = "SCN501"
    name = "key-reused"
