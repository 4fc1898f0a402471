"""Colours for a terminal, or none."""

from __future__ import annotations

import os
from typing import IO, Literal, NamedTuple

from scanlint.finding import Level

ColorChoice = Literal["auto", "always", "never"]


class Paint(NamedTuple):
    """Wraps words in escape codes where that is wanted."""

    on: bool = False

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def grave(self, text: str, level: Level) -> str:
        """Text in the colour of a level: red, yellow or cyan."""
        return self._wrap({"error": "1;31", "warning": "1;33", "advice": "1;36"}[level], text)

    def red(self, text: str) -> str:
        return self._wrap("1;31", text)

    def green(self, text: str) -> str:
        return self._wrap("32", text)

    def removed(self, text: str) -> str:
        return self._wrap("31", text)

    def blue(self, text: str) -> str:
        return self._wrap("1;34", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.on and text else text


def paint_for(stream: IO[str] | None, choice: ColorChoice) -> Paint:
    """Whether to colour what goes to a stream; NO_COLOR and FORCE_COLOR speak where the user did not."""
    if choice != "auto":
        return Paint(choice == "always")
    if os.environ.get("NO_COLOR"):
        return Paint(False)
    if os.environ.get("FORCE_COLOR"):
        return Paint(True)
    return Paint(stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb")
