"""Draws `docs/picture.svg`: what `scanlint` and `scanlint --fix --diff` print for the program of the tutorial.

    python docs/picture.py          # extra `docs`; scanlint and JAX in the same environment

A test runs it again and compares the words: the picture cannot age.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.color import Color
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HERE = Path(__file__).parent
PICTURE = HERE / "picture.svg"
COMMANDS = (("pendulum.py",), ("--fix", "--diff", "pendulum.py"))
WIDTH = 88
COLOURS = ["#484f58", "#f85149", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#c9d1d9"]
BRIGHT = ["#6e7681", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc"]
THEME = TerminalTheme(
    Color.parse("#1b1f24").get_truecolor(),
    Color.parse("#d6dbe1").get_truecolor(),
    [Color.parse(colour).get_truecolor() for colour in COLOURS],
    [Color.parse(colour).get_truecolor() for colour in BRIGHT],
)
FONTS = re.compile(r"\s*@font-face \{[^}]*\}")
"""Fonts that the drawing would load from elsewhere; those of the reader's own machine do."""


def said(words: tuple[str, ...]) -> str:
    """What a command prints in colour, for the file beside this one: the findings or the diff, then the verdicts."""
    done = subprocess.run(
        [sys.executable, "-m", "scanlint", "--no-cache", "--exit-zero", *words],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "FORCE_COLOR": "1"},
    )
    return f"{done.stdout}{done.stderr}"


def drawn() -> str:
    """The picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for number, words in enumerate(COMMANDS):
        console.print(Text("\n$ " if number else "$ ", "bold green") + Text(f"scanlint {' '.join(words)}", "bold"))
        console.print(Text.from_ansi(said(words)))
    return FONTS.sub("", console.export_svg(title="scanlint", theme=THEME, unique_id="scanlint"))


def words(picture: str) -> list[str]:
    """The words that stand in a picture, in order."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    return " ".join(texts).replace("&#160;", " ").split()


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
