"""A file of a large project is answered by itself until the project has been read, which is told as progress."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from scanlint.lsp.child import FEW
from tests.lsp.editor import capabilities, editing

SLOW = 200.0
STEP = "def step(x):\n    if x > 0:\n        return x\n    return -x\n"
RUN = "import jax\n\nfrom step import step\n\n\n@jax.jit\ndef run(x):\n    return step(x)\n"
OWN = "\n\nimport jax\n\n\n@jax.jit\ndef own(x):\n    if x > 1:\n        x = 2 * x\n    return x\n"


@pytest.mark.parametrize("cached", [False, True], ids=["never read", "read before"])
@pytest.mark.parametrize("pull", [False, True], ids=["pushed", "pulled"])
def test_a_file_is_answered_before_its_project(tmp_path: Path, cached: bool, pull: bool) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'many'\n")
    (tmp_path / "step.py").write_text(STEP + OWN)
    (tmp_path / "run.py").write_text(RUN)
    for n in range(FEW):
        (tmp_path / f"other{n}.py").write_text(f"def f(x):\n    return x + {n}\n")

    async def lines() -> list[list[int]]:
        async with editing(tmp_path, able=capabilities(pull=pull)) as editor:
            uri = editor.open(tmp_path / "step.py")
            found = (await editor.pulled(uri)).items if pull else await editor.diagnostics(uri)
            first = [d.range.start.line for d in found]
            await editor.until(lambda: any(value["kind"] == "end" for value in editor.progress), SLOW)
            await editor.until(lambda: editor.refreshed if pull else len(editor.published[uri].diagnostics) > 1, SLOW)
            found = (await editor.pulled(uri)).items if pull else editor.published[uri].diagnostics
            assert editor.progress[0]["title"] == f"scanlint: reading {tmp_path.name}"
            return [first, [d.range.start.line for d in found]]

    if cached:
        asyncio.run(lines())
    assert asyncio.run(lines()) == [[11], [1, 11]]
