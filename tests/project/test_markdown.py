"""The blocks of Python in a file of Markdown are one program; all else stays to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanlint.project.cells.markdown import markdown_program
from scanlint.project.files import SourceFile, read
from tests.conftest import Scanlint

HEAD = """# A guide with `# scanlint: ignore[unrolled-loop]` in its prose

```python
import jax
import jax.numpy as jnp
```

Then the loop:

"""
LOOP = """@jax.jit
def run(xs):
    out = []
    for x in xs:
        out.append(jnp.sin(x) * 2)
    return jnp.stack(out)
"""
TAIL = """
- a list
  ~~~text
  indented
  ~~~

The end.
"""
FENCES = {
    "python": ("```python\n", "```\n"),
    "with attributes": ('````python title="run.py"\n', "````\n"),
    "py between tildes": ("~~~ py\n", "~~~\n"),
    "a cell of MyST": ("```{code-cell} ipython3\n:tags: [a]\n\n", "```\n"),
    "a cell of MyST with options between dashes": ("```{code-cell}\n---\ntags: [a]\n---\n", "```\n"),
    "a cell of Quarto with a magic": ("```{python}\n%matplotlib inline\n", "```\n"),
}


@pytest.mark.parametrize("fences", FENCES.values(), ids=FENCES.keys())
def test_a_loop_in_a_block_is_found_at_its_line_and_rewritten_there_alone(
    fences: tuple[str, str], tmp_path: Path, run: Scanlint
) -> None:
    opens, closes = fences
    (tmp_path / "guide.md").write_text(f"{HEAD}{opens}{LOOP}{closes}{TAIL}")
    line = (HEAD + opens).count("\n") + 4
    done = run("--fix", "--output-format", "json", "guide.md")
    assert [(f["line"], f["fix"]["status"]) for f in json.loads(done.stdout)["findings"]] == [(line, "applied")]
    rewritten = "@jax.jit\ndef run(xs):\n    return jnp.sin(xs) * 2\n"
    assert (tmp_path / "guide.md").read_text() == f"{HEAD}{opens}{rewritten}{closes}{TAIL}"


OTHERS = {
    "of another language": "```bash\nls $HOME\n```\n",
    "a session": "```python\n>>> 1 + 1\n2\n```\n",
    "a cell of another language": "```{code-cell} julia\nx = 1;\n```\n",
    "no fence": "    for x in xs:\n",
    "fences in a fence": "````text\n```python\nfor x in xs:\n```\n````\n",
}


@pytest.mark.parametrize("block", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_no_python_is_prose(block: str) -> None:
    program = markdown_program(f"Text\n\n{block}")
    assert not program.left_out
    assert all(not line or line.startswith("#") for line in program.text.splitlines())
    assert program.written(program.text) == f"Text\n\n{block}"


LEFT_OUT = {
    "it is no Python": "```python\ndef f(\n```\n",
    "it is indented": "  ```python\n  x = 1\n  ```\n",
}


@pytest.mark.parametrize(("why", "block"), LEFT_OUT.items(), ids=LEFT_OUT.keys())
def test_a_block_that_cannot_be_read_is_said(why: str, block: str) -> None:
    assert markdown_program(block).left_out == (f"the block at line 1 is left out: {why}",)


def test_nothing_is_written_between_blocks(tmp_path: Path) -> None:
    path = tmp_path / "guide.md"
    path.write_bytes(f"{HEAD}```python\n{LOOP}```\n{TAIL}".replace("\n", "\r\n").encode())
    source = read(path)
    assert isinstance(source, SourceFile)
    assert source.encode(source.text) == source.data
    assert (
        source.refusal("import jax\n" + source.text)
        == "cells: what it needs does not stand between the fences of a block"
    )
    assert source.refusal(source.text.replace("markdown opens: 10", "")) != ""
    assert source.refusal(source.text.replace("    out = []\r\n", "    out = []\r\n    more = []\r\n")) == ""


@pytest.mark.parametrize("words", [("--markdown",), ()], ids=["by an option", "by the configuration"])
def test_texts_in_folders_are_checked_on_request(words: tuple[str, ...], tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "guide.md").write_text(f"{HEAD}```python\n{LOOP}```\n")
    assert run(".").returncode == 0
    if not words:
        (tmp_path / "pyproject.toml").write_text("[tool.scanlint]\nmarkdown = true\n")
    assert run(*words, ".").returncode == 1
