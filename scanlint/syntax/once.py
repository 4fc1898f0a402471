"""Keeps what is worked out once, by a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

Made = TypeVar("Made")


class Once:
    """Holds results by a key, which begins with the function that works them out."""

    def __init__(self) -> None:
        self._made: dict[object, object] = {}

    def __call__(self, key: object, make: Callable[[], Made]) -> Made:
        """The object for this key, made when it is first asked for."""
        if key not in self._made:
            self._made[key] = make()
        return cast("Made", self._made[key])

    def clear(self) -> None:
        """Let go of all of it."""
        self._made.clear()
