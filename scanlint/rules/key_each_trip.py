"""key-each-trip: a random key that is the same on each trip of a loop."""

from __future__ import annotations

from scanlint.rules.key_messages import KeyRule


class KeyEachTrip(KeyRule):
    """Each trip gets the same random bits, in a loop of Python, a scan, or a batch."""

    code = "SCN503"
    name = "key-each-trip"
