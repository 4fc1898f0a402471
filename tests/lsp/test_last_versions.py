"""In the editor what does not parse takes no finding away: the last version that did goes on counting, or it is said."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import Editor, editing

STEPS = "def halve(x):\n    if x > 0:\n        return x / 2\n    return x\n"
CALLER = "import jax\nfrom steps import halve\n\nfast = jax.jit(halve)\n"
HALF_TYPED = f"{CALLER}\n\ndef more(\n"
pytestmark = pytest.mark.long


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """`steps.py` has a finding only because `use.py` jits it."""
    for name, text in {"pyproject.toml": "", "steps.py": STEPS, "use.py": CALLER}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def changed(editor: Editor, file: Path) -> None:
    event = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
    editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


async def names(editor: Editor, uri: str) -> list[object]:
    """What is found in a text after a change of it that means nothing."""
    editor.change(uri, len(editor.texts[uri]), len(editor.texts[uri]), "# x\n")
    return [found.code for found in await editor.diagnostics(uri)]


def test_a_caller_that_does_not_parse_on_disk_counts_as_it_was(package: Path) -> None:
    async def body() -> None:
        async with editing(package) as editor:
            uri = editor.open(package / "steps.py")
            assert [found.code for found in await editor.diagnostics(uri)] == ["traced-if"]
            await asyncio.sleep(3)  # the process has nothing to do meanwhile, and holds the files
            for text in (HALF_TYPED, "def f(:\n", f"{CALLER}\nx = = 1\n"):
                (package / "use.py").write_text(text)
                changed(editor, package / "use.py")
                assert await names(editor, uri) == ["traced-if"]
            (package / "use.py").write_text("import jax\n")
            changed(editor, package / "use.py")
            assert await names(editor, uri) == []
            (package / "use.py").write_text(CALLER)
            changed(editor, package / "use.py")
            assert await names(editor, uri) == ["traced-if"]
            assert not editor.messages and not editor.errors

    asyncio.run(body())


def test_a_caller_that_is_saved_half_typed_and_closed_counts_as_it_was(package: Path) -> None:
    async def body() -> None:
        async with editing(package) as editor:
            uri, caller = editor.open(package / "steps.py"), editor.open(package / "use.py")
            assert [found.code for found in await editor.diagnostics(uri)] == ["traced-if"]
            editor.replace(caller, HALF_TYPED)
            assert await names(editor, uri) == ["traced-if"]
            editor.save(caller)
            assert await names(editor, uri) == ["traced-if"]
            editor.close(caller)
            assert await names(editor, uri) == ["traced-if"]
            caller = editor.open(package / "use.py")
            assert "syntax-error" in [found.code for found in await editor.diagnostics(caller)]
            assert await names(editor, uri) == ["traced-if"]
            (package / "use.py").unlink()
            editor.close(caller)
            assert await names(editor, uri) == []
            assert not editor.errors

    asyncio.run(body())


NEWER = pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python knows all syntax that there is")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(:\n", id="a syntax error"),
        pytest.param("x = t'{1}'\n", id="a newer Python", marks=NEWER),
    ],
)
def test_a_caller_of_which_no_version_parsed_is_named(text: str, package: Path) -> None:
    (package / "use.py").write_text(text)

    async def body() -> None:
        async with editing(package) as editor:
            uri = editor.open(package / "steps.py")
            await editor.diagnostics(uri)
            await editor.until(lambda: any("use.py" in message for message in editor.messages))
            assert len(editor.messages) == 1

    asyncio.run(body())


@NEWER
def test_an_open_file_for_a_newer_python_is_said_not_to_be_checked(package: Path) -> None:
    async def body() -> None:
        async with editing(package) as editor:
            uri = editor.open(package / "use.py", f"{CALLER}x = t'{{1}}'\n")
            await editor.diagnostics(uri)
            await editor.until(lambda: any("use.py: written for a newer Python" in said for said in editor.messages))

    asyncio.run(body())
