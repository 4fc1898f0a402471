"""A language client and the real server: from an open file to its verified rewrite."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.conftest import CLEAN, LOOP, Scanlint
from tests.lsp.editor import Editor, capabilities, editing

CHAIN = "import jax\nfrom steps import halve\n\n\n@jax.jit\ndef use(x):\n    return halve(x)\n"
STEPS = "def halve(x):\n    if x > 0:\n        return x / 2\n    return x\n"
KEPT = """\
import jax
import jax.numpy as jnp


@jax.jit
def total(x, names):
    log = []
    for t in range(50):
        x = jnp.sin(x) * 2.0 + jnp.cos(x) * t
        print(t)
    return x
"""
TOUCH = "from pathlib import Path\nPath({mark!r}).write_text('ran')\n"
pytestmark = pytest.mark.long
Body = Callable[[Editor], Awaitable[None]]


def edit(folder: Path, body: Body, **more: object) -> None:
    """Do something in an editor that has a folder open."""

    async def run() -> None:
        async with editing(folder, **more) as editor:  # type: ignore[arg-type]
            await body(editor)
            assert not editor.errors

    asyncio.run(run())


def lines(text: str, word: str) -> int:
    """The first line that holds a word, counted from 0."""
    return next(number for number, line in enumerate(text.splitlines()) if word in line)


def test_the_resolved_action_writes_what_fix_writes(project: Path, run: Scanlint) -> None:
    made: list[str] = []

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        [diagnostic] = await editor.diagnostics(uri)
        assert diagnostic.code == "unrolled-loop"
        action, *_ = await editor.actions(uri, diagnostic.range.start.line)
        assert action.kind == "quickfix" and action.edit is None
        action = await editor.code_action_resolve_async(action)
        assert "proved" in action.title
        assert action.edit is not None
        editor.apply(action.edit)
        assert not await editor.diagnostics(uri)
        made.append(editor.texts[uri])

    edit(project, body)
    run("--fix", "loop.py")
    assert made == [(project / "loop.py").read_text()]


def test_the_whole_file_is_rewritten_as_fix_does(project: Path, run: Scanlint) -> None:
    text = f"{LOOP}\n\n{LOOP[LOOP.index('@') :].replace('rollout', 'again')}"
    (project / "loop.py").write_text(text)
    made: list[str] = []

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        assert len(await editor.diagnostics(uri)) == 2
        [action] = await editor.actions(uri, 0, only=["source.fixAll"])
        assert action.kind == "source.fixAll.scanlint"
        action = await editor.code_action_resolve_async(action)
        assert action.edit is not None
        editor.apply(action.edit)
        made.append(editor.texts[uri])

    edit(project, body)
    run("--fix", "loop.py")
    assert made == [(project / "loop.py").read_text()]


EAGER = """\
import jax.numpy as jnp


def decay(x, steps):
    for _ in range(steps):
        x = 0.9 * x
    return x


def told(x, log):
    log.append(x)
    return x
"""


def test_a_function_is_made_jittable_where_it_is_defined(project: Path) -> None:
    (project / "eager.py").write_text(EAGER)

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "eager.py")
        assert not await editor.diagnostics(uri)
        assert not await editor.actions(uri, 4)
        [action] = await editor.actions(uri, 9, only=["refactor"])
        assert (await editor.code_action_resolve_async(action)).edit is None
        assert "the argument `log` is changed in place" in editor.messages[-1]
        [action] = await editor.actions(uri, 3)
        assert (action.kind, action.edit) == ("refactor.rewrite", None)
        action = await editor.code_action_resolve_async(action)
        assert action.edit is not None
        editor.apply(action.edit)
        assert '@partial(jax.jit, static_argnames=("steps",))\ndef decay' in editor.texts[uri]
        assert "jax.lax.fori_loop" in editor.texts[uri]
        assert "eager.py::decay: jitted, `steps` static: proved" in editor.messages[-1]

    edit(project, body)


@pytest.mark.skipif(sys.platform == "win32", reason="the counting interpreter is a shell script")
@pytest.mark.parametrize("saved", [True, False], ids=["as it was saved", "with another file unsaved"])
def test_what_was_verified_before_is_not_run_again(saved: bool, project: Path, run: Scanlint) -> None:
    """A verdict rests on files that the worker imports from disk: it is kept for those alone."""
    log, python = project.parent / "starts.log", project / "counting-python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *worker*) echo started >> "{log}";; esac\nexec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    (project / "pyproject.toml").write_text(f'[tool.scanlint]\npython = "{python}"\n')
    run("--fix", "--diff", ".")
    log.write_text("")
    made: list[str] = []

    async def body(editor: Editor) -> None:
        if not saved:
            editor.replace(editor.open(project / "clean.py"), CLEAN + "\nTWO = 2\n")
        uri = editor.open(project / "loop.py")
        [diagnostic] = await editor.diagnostics(uri)
        [action, *_] = await editor.actions(uri, diagnostic.range.start.line, only=["quickfix"])
        action = await editor.code_action_resolve_async(action)
        assert action.edit is not None
        editor.apply(action.edit)
        made.append(editor.texts[uri])

    edit(project, body)
    assert "fori_loop" in made[0]
    assert bool(log.read_text()) is not saved


def test_an_editor_that_does_not_resolve_gets_commands(project: Path) -> None:
    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        action, *_ = await editor.actions(uri, 6)
        assert action.command is not None
        await editor.command(action.command.command, *(action.command.arguments or []))
        assert "fori_loop" in editor.texts[uri]
        assert editor.progress[0]["kind"] == "begin" and editor.progress[-1]["kind"] == "end"

    edit(project, body, able=capabilities(lazy=False))


def test_a_job_ends_when_it_is_cancelled(project: Path) -> None:
    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        await editor.diagnostics(uri)
        editor.cancels = True
        await editor.command("scanlint.fixAll", uri)
        assert not editor.applied
        editor.cancels = False
        await editor.command("scanlint.fixAll", uri)
        assert len(editor.applied) == 1

    edit(project, body)


@pytest.mark.parametrize("verify", ["on-demand", "off"])
def test_code_runs_only_when_the_user_asks(project: Path, tmp_path: Path, verify: str) -> None:
    mark = tmp_path / "ran"
    (project / "loop.py").write_text(TOUCH.format(mark=str(mark)) + LOOP)

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        await editor.diagnostics(uri)
        editor.change(uri, 0, 0, "\n")
        await editor.diagnostics(uri)
        editor.save(uri)
        [diagnostic] = (await editor.pulled(uri)).items
        actions = await editor.actions(uri, diagnostic.range.start.line)
        await editor.hover(uri, diagnostic.range.start.line, 6)
        assert (actions[0].edit is None) == (verify == "on-demand")
        assert ("(not verified)" in actions[0].title) == (verify == "off")
        assert not editor.progress

    edit(project, body, options={"verify": verify})
    assert not mark.exists()


def test_a_saved_file_is_verified_where_that_is_wanted(project: Path) -> None:
    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        await editor.diagnostics(uri)
        editor.save(uri)
        await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
        action, *_ = await editor.actions(uri, 6)
        assert "proved" in action.title
        assert "can be rewritten: proved" in await editor.hover(uri, 6, 6)

    edit(project, body, options={"verify": "on-save"})


def test_a_withheld_rewrite_says_why(project: Path) -> None:
    (project / "loop.py").write_text(KEPT)

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        [diagnostic] = await editor.diagnostics(uri)
        line = diagnostic.range.start.line
        why, ignore, *_ = await editor.actions(uri, line)
        assert why.command is not None
        await editor.command(why.command.command, *(why.command.arguments or []))
        await editor.until(lambda: editor.messages)
        assert "not rewritten" in editor.messages[0]
        assert "not rewritten" in await editor.hover(uri, line, 6)
        ignore = await editor.code_action_resolve_async(ignore)
        assert ignore.edit is not None
        editor.apply(ignore.edit)
        assert "# scanlint: ignore[unrolled-loop]" in editor.texts[uri].splitlines()[line]
        assert not await editor.diagnostics(uri)

    edit(project, body)


def test_a_diagnostic_says_why_it_is_traced_and_where_the_rule_is_explained(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    (project / "steps.py").write_text(STEPS)
    (project / "use.py").write_text(CHAIN)

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "steps.py")
        [diagnostic] = await editor.diagnostics(uri)
        assert diagnostic.severity == types.DiagnosticSeverity.Error
        assert diagnostic.code_description is not None
        assert Path(diagnostic.code_description.href.removeprefix("file://")).name == "traced-if.md"
        related = {Path(r.location.uri).name for r in diagnostic.related_information or []}
        assert "use.py" in related

    edit(project, body)


STEPPED = """\
import jax

step = jax.jit(lambda x: x * 2.0)


def run(x):
    for _ in range(1000):
        x = step(x)
    return x
"""


def test_advice_is_a_hint_where_it_is_asked_for(project: Path) -> None:
    for level, shown in (("warning", []), ("advice", [types.DiagnosticSeverity.Hint])):
        (project / "pyproject.toml").write_text(f'[tool.scanlint]\nlevel = "{level}"\n')

        async def body(editor: Editor, shown: list[types.DiagnosticSeverity] = shown) -> None:
            found = await editor.diagnostics(editor.open(project / "stepped.py", STEPPED))
            assert [diagnostic.severity for diagnostic in found] == shown

        edit(project, body)


def test_a_file_that_does_not_parse_keeps_what_still_fits(project: Path) -> None:
    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py", LOOP + LOOP[LOOP.index("@") :].replace("rollout", "again"))
        assert len(await editor.diagnostics(uri)) == 2
        editor.change(uri, 0, 0, "x = (\n")
        error, *kept = await editor.diagnostics(uri)
        assert error.code == "syntax-error"
        assert [d.range.start.line for d in kept] == [7, 12]
        last = editor.texts[uri].rindex("range(50)")
        editor.change(uri, last, last + 9, "range(")
        _, *kept = await editor.diagnostics(uri)
        assert [d.range.start.line for d in kept] == [7]
        assert not any("carry" in action.title for action in await editor.actions(uri, 7))

    edit(project, body)


def test_unsaved_texts_are_checked_in_each_other(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    (project / "steps.py").write_text("")
    (project / "use.py").write_text("")

    async def body(editor: Editor) -> None:
        steps = editor.open(project / "steps.py", STEPS)
        assert not await editor.diagnostics(steps)
        use = editor.open(project / "use.py", CHAIN)
        assert not await editor.diagnostics(use)
        await editor.until(lambda: editor.published[steps].diagnostics)
        editor.close(use)
        await editor.until(lambda: not editor.published[steps].diagnostics)

    edit(project, body)


@pytest.mark.parametrize(
    "encoding", [types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16, types.PositionEncodingKind.Utf32]
)
def test_columns_count_the_units_that_were_agreed_on(project: Path, encoding: types.PositionEncodingKind) -> None:
    text = "import jax\n\n\n@jax.jit\ndef f(x):\n    é = '😀'; y = x if x > 0 else -x; '\x0c\u2028'\n    return y\n"
    units = {"utf-8": 21, "utf-16": 18, "utf-32": 17}[encoding.value]

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py", text)
        [diagnostic] = await editor.diagnostics(uri)
        assert diagnostic.range.start == types.Position(5, units)
        editor.change(uri, text.index("-x"), text.index("-x") + 2, "x")
        editor.change(uri, 0, 0, "\x0c\n")
        [diagnostic] = await editor.diagnostics(uri)
        assert diagnostic.range.start == types.Position(6, units)

    edit(project, body, encoding=encoding)


def test_diagnostics_are_pulled_by_an_editor_that_can(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    (project / "steps.py").write_text(STEPS)

    async def body(editor: Editor) -> None:
        steps = editor.open(project / "steps.py")
        first = await editor.pulled(steps)
        assert not first.items
        assert (await editor.pulled(steps, first.result_id)).kind == "unchanged"
        editor.open(project / "use.py", CHAIN)
        await editor.pulled((project / "use.py").as_uri())
        assert (await editor.pulled(steps, first.result_id)).items
        assert editor.refreshed and not editor.published

    edit(project, body, able=capabilities(pull=True))


def test_each_root_has_its_own_settings_and_they_are_read_again(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "loop.py").write_text(LOOP)
        (folder / "pyproject.toml").write_text("[tool.scanlint]\n")
    (two / "pyproject.toml").write_text('[tool.scanlint]\nignore = ["unrolled-loop"]\n')

    async def run() -> None:
        async with editing(one, two) as editor:
            first, second = editor.open(one / "loop.py"), editor.open(two / "loop.py")
            assert await editor.diagnostics(first)
            assert not await editor.diagnostics(second)
            (two / "pyproject.toml").write_text("[tool.scanlint]\n")
            event = types.FileEvent((two / "pyproject.toml").as_uri(), types.FileChangeType.Changed)
            editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await editor.until(lambda: editor.published[second].diagnostics)
            editor.settings = {"ignore": ["unrolled-loop"]}
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
            await editor.until(lambda: not any(editor.published[uri].diagnostics for uri in (first, second)))
            editor.settings = {"ignored": []}
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
            await editor.until(lambda: any("unknown setting" in message for message in editor.messages))

    asyncio.run(run())


def test_a_configuration_that_cannot_be_used_is_told_and_the_last_one_goes_on(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text("[tool.scanlint]\n")

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        assert await editor.diagnostics(uri)
        file.write_text("[tool.scanlint]\nselekt = []\n")
        event = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
        editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await editor.until(lambda: any("unknown key `selekt`" in message for message in editor.messages))
        editor.change(uri, 0, 0, "\n")
        assert await editor.diagnostics(uri)

    edit(project, body)


def test_excluded_files_are_silent(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.scanlint]\nexclude = ["loop.py"]\n')

    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        other = editor.open(project / "clean.py", CLEAN.replace("2 * x", "x if x > 0 else -x"))
        assert await editor.diagnostics(other)
        assert uri not in editor.published
        assert not (await editor.pulled(uri)).items
        assert not await editor.actions(uri, 6)

    edit(project, body)


def test_an_action_of_an_older_text_is_refused(project: Path) -> None:
    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        action, *_ = await editor.actions(uri, 6)
        editor.change(uri, 0, 0, "\n")
        with pytest.raises(JsonRpcException, match="changed"):
            await editor.code_action_resolve_async(action)

    edit(project, body)


def test_a_burst_of_changes_ends_in_one_check_of_the_last(project: Path) -> None:
    async def body(editor: Editor) -> None:
        uri = editor.open(project / "loop.py")
        await editor.diagnostics(uri)
        published: list[int | None] = []

        @editor.feature("$/scanlint-test")
        def unused(params: object) -> None: ...

        for _ in range(200):
            editor.change(uri, 0, 0, "\n")
        [diagnostic] = await editor.diagnostics(uri)
        published.append(editor.published[uri].version)
        assert diagnostic.range.start.line == 206
        assert published == [editor.versions[uri]]

    edit(project, body)


def test_the_cells_of_a_notebook_are_one_program(project: Path) -> None:
    cells = ["%matplotlib inline\nimport jax\nimport jax.numpy as jnp", "# text", f"!ls\n{LOOP[LOOP.index('@') :]}"]
    notebook, uris = (project / "book.ipynb").as_uri(), [f"vscode-notebook-cell:/book#{n}" for n in range(3)]
    kinds = [types.NotebookCellKind.Code, types.NotebookCellKind.Markup, types.NotebookCellKind.Code]

    async def body(editor: Editor) -> None:
        listed = [types.NotebookCell(kind, uri) for kind, uri in zip(kinds, uris, strict=True)]
        items = [types.TextDocumentItem(uri, "python", 1, cell) for uri, cell in zip(uris, cells, strict=True)]
        document = types.NotebookDocument(notebook, "jupyter-notebook", 1, listed)
        editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))
        await editor.until(lambda: uris[2] in editor.published)
        assert not editor.published[uris[0]].diagnostics
        [diagnostic] = editor.published[uris[2]].diagnostics
        assert diagnostic.range.start.line == 3
        action, *_ = await editor.actions(uris[2], 3)
        action = await editor.code_action_resolve_async(action)
        assert action.edit is not None
        [change] = action.edit.document_changes or []
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == uris[2]
        assert "fori_loop" in "".join(e.new_text for e in change.edits if isinstance(e, types.TextEdit))

    edit(project, body)


def test_without_pygls_the_command_says_what_to_install(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pygls'] = None\n")
    done = run("lsp", PYTHONPATH=os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    assert done.returncode == 2
    assert "pip install 'scanlint[lsp]'" in done.stderr


def test_the_server_ends_when_the_client_hangs_up(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "scanlint", "lsp"]
    done = subprocess.run(words, cwd=tmp_path, input=b"", capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
