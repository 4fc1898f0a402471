"""What the tool says of itself: help in groups, and what matters of a rule."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.command.catalogue import page
from scanlint.command.page import MOST_LINES, brief
from scanlint.report.paint import Paint
from scanlint.rules.registry import entries

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

UNUSED = """\
unused-ignore (SCN901, warning)

What it does
  Reports a `# scanlint: ignore[...]` comment that ignores nothing, that names a rule which does not
"""


@pytest.mark.parametrize("words", [("--help",), ("check", "--help")], ids=" ".join)
def test_help_lists_the_options_in_groups(words: tuple[str, ...], run: Scanlint) -> None:
    text = run(*words, COLUMNS="100").stdout
    heads = re.findall(r"^(\w[\w ]+):$", text, re.MULTILINE)
    groups = ["What is done", "Rules", "Files", "Verification", "Output", "Known findings", "Settings", "Other options"]
    assert [head for head in heads if head != "Commands"] == groups
    assert text.index("--select RULES") > text.index("\nRules:")
    assert ("Commands:" in text) is (words == ("--help",))


@pytest.mark.parametrize("name", [entry.name for entry in entries()])
def test_a_rule_is_told_in_at_most_sixty_lines_and_whole(name: str) -> None:
    text = brief(page(name), name, Paint(False), 100)
    assert text.count("\n") <= MOST_LINES
    assert "  ...\n" not in text
    assert [head for head in ("What it does", "Why", "When to leave it") if f"\n{head}\n  " not in text] == []
    assert "```" not in text and "# error:" not in text


def test_a_page_that_is_too_long_is_cut_and_says_so() -> None:
    long = "# x (SCN1, on)\n\n## What it does\n\n" + "\n\n".join(f"Paragraph {n}." for n in range(100))
    lines = brief(long, "x", Paint(False), 80).splitlines()
    assert len(lines) == MOST_LINES
    assert lines[-3:] == ["  ...", "", "The whole page: scanlint rule x --full"]


def test_an_example_is_shown_with_what_becomes_of_it(run: Scanlint) -> None:
    text = run("rule", "SCN101").stdout
    example = text[text.index("\nExample\n") : text.index("\nWhen to leave it\n")]
    assert "  @jax.jit\n  def relax(grid):\n      for _ in range(200):\n" in example
    assert example.count("  becomes\n") == 1 and "lax.fori_loop(0, 200, body, grid)" in example
    assert "import jax" not in example


def test_without_a_terminal_a_rule_is_plain_text(run: Scanlint) -> None:
    done = run("rule", "unused-ignore", COLUMNS="100")
    assert done.stdout.startswith(UNUSED)
    assert "\033" not in done.stdout


def test_the_whole_page_is_the_page(run: Scanlint) -> None:
    assert run("rule", "--full", "unrolled-loop").stdout.rstrip() == page("unrolled-loop").rstrip()


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_in_a_terminal_a_rule_is_rendered_and_the_page_goes_through_the_pager(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    text = in_terminal("rule", "unused-ignore", PAGER="cat")
    assert "\033[1mWhat it does\033[0m" in text and "`# scanlint" not in text
    whole = in_terminal("rule", "--full", "unused-ignore", PAGER=str(pager))
    assert "PAGED" in whole and "References" in whole


def in_terminal(*words: str, **variables: str) -> str:
    """What a command prints where standard output is a terminal."""
    import pty

    parent, child = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment = kept | {"TERM": "xterm", "COLUMNS": "100"} | variables
    process = subprocess.Popen(
        [sys.executable, "-m", "scanlint", *words], stdin=child, stdout=child, stderr=child, env=environment
    )
    os.close(child)
    data = b""
    try:
        while chunk := os.read(parent, 65536):
            data += chunk
    except OSError:  # the other side is closed
        pass
    os.close(parent)
    assert process.wait() == 0
    return data.decode()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        pytest.param("unroled-loop", "; did you mean `unrolled-loop`?", id="a letter is missing"),
        pytest.param("scn101", "; did you mean `SCN101`?", id="small letters"),
        pytest.param("SCN999", "", id="another number is another rule"),
        pytest.param("banana", "", id="nothing is near"),
        pytest.param("loop", "", id="a part of many"),
    ],
)
def test_a_suggestion_is_made_only_where_one_is_near(word: str, said: str, run: Scanlint) -> None:
    done = run("rule", word)
    assert (done.returncode, done.stderr) == (2, f"error: unknown rule `{word}`{said}\n")
