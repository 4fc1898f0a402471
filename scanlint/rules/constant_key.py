"""constant-key: a random key that is made of the same seed on each trip of a loop or call of a function."""

from __future__ import annotations

from scanlint.rules.key_messages import KeyRule


class ConstantKey(KeyRule):
    """What looks random is the same each time."""

    code = "SCN504"
    name = "constant-key"
    level = "advice"
