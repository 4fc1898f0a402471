"""Notebooks: one program in cells, reported by cell and line, changed in the lines concerned and nowhere else."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scanlint.project.cells import json_text
from scanlint.project.cells.ipython import python
from scanlint.project.cells.notebook import NotNotebookError, parse

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

IMPORTS = "import jax\nimport jax.numpy as jnp"
LOOP = """\
@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state"""
CALL = "%timeit rollout(jnp.ones(3))\nrollout?"


def notebook(*sources: str, language: str = "python", prose: str = "# Text") -> dict[str, object]:
    code = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": f"c{number}",
            "metadata": {},
            "outputs": [],
            "source": text.splitlines(keepends=True),
        }
        for number, text in enumerate(sources)
    ]
    words = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": [prose]}
    kernel = {"kernelspec": {"display_name": "K", "language": language, "name": "k"}}
    return {"cells": [words, *code], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def sources(data: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


def test_a_finding_is_told_by_cell_and_line(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(IMPORTS, "x = 1\n" + LOOP, CALL)))
    done = run(".")
    assert done.returncode == 1
    assert " --> a.ipynb:cell 3:4:5\n" in done.stdout
    assert "4 |     for t in range(50):" in done.stdout
    assert "`rollout` <- `@jax.jit` at a.ipynb:cell 3:2\n" in done.stdout
    assert run("--output-format", "concise").stdout.startswith("a.ipynb:cell 3:4:5: SCN101 ")


def test_json_has_the_cell_beside_the_line_in_it(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(IMPORTS, LOOP, CALL)))
    (found,) = json.loads(run("--output-format", "json").stdout)["findings"]
    assert (found["cell"], found["line"], found["column"], found["end_line"]) == (3, 3, 5, 3)
    (edit,) = found["fix"]["edits"]
    assert (edit["cell"], edit["start"], edit["end"]["line"]) == (3, {"line": 3, "column": 1}, 5)
    (link,) = found["related"]
    assert (link["cell"], link["line"]) == (3, 1)


@pytest.mark.parametrize("form", ["sarif", "github", "gitlab", "junit"])
def test_forms_that_know_only_files_name_the_cell_in_words(form: str, tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(IMPORTS, LOOP)))
    text = run("--output-format", form).stdout
    assert re.search(r"cell 3(, line |:)3", text)
    assert not re.search(r'(line=|line="|"line": |"startLine": )3', text)


@pytest.mark.parametrize(
    ("indent", "ascii_only", "end"),
    [
        pytest.param(1, False, "\n", id="as Jupyter writes it"),
        pytest.param(2, True, "", id="escapes, another indentation and no newline at the end"),
        pytest.param(None, True, "\n", id="on one line"),
        pytest.param("\t", False, "\r\n", id="tabs"),
    ],
)
def test_a_fix_changes_its_lines_and_nothing_else(
    indent: int | str | None, ascii_only: bool, end: str, tmp_path: Path, run: Scanlint
) -> None:
    document = notebook(f"%matplotlib inline\n{IMPORTS}", f"x = '€'\n{LOOP}\n", CALL, prose="Ünïcödé")
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only) + end
    file = tmp_path / "a.ipynb"
    file.write_bytes(text.encode())
    done = run("--fix", "a.ipynb")
    assert done.returncode == 0, done.stdout
    now = file.read_bytes().decode()
    old, new = sources(text), sources(now)
    assert "fori_loop(0, 50, body, state)" in new[2] and new[2].startswith("x = '€'\n@jax.jit\ndef rollout(state):\n")
    assert [new[0], new[1], new[3]] == [old[0], old[1], old[3]]
    assert json.dumps(json.loads(now), indent=indent, ensure_ascii=ascii_only) + end == now
    assert run("a.ipynb").returncode == 0


def test_a_source_that_is_one_string_stays_one(tmp_path: Path, run: Scanlint) -> None:
    document = notebook(IMPORTS, LOOP)
    for cell in document["cells"]:  # type: ignore[attr-defined]
        cell["source"] = "".join(cell["source"])
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps(document))
    assert run("--fix", ".").returncode == 0
    assert "fori_loop" in json.loads(file.read_text())["cells"][2]["source"]


def test_a_diff_is_one_of_the_file(tmp_path: Path, run: Scanlint) -> None:
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps(notebook(IMPORTS, LOOP), indent=1) + "\n")
    done = run("--fix", "--diff", ".")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=done.stdout, text=True, check=True)
    assert "fori_loop" in sources(file.read_text())[2]


def test_what_a_shell_line_does_in_a_loop_keeps_the_loop(tmp_path: Path, run: Scanlint) -> None:
    loud = LOOP.replace("        state", "        !echo {t}\n        state")
    text = json.dumps(notebook(IMPORTS, loud))
    (tmp_path / "a.ipynb").write_text(text)
    done = run("--fix", ".")
    assert done.returncode == 1
    assert "at line 4" in done.stdout
    assert (tmp_path / "a.ipynb").read_text() == text


def test_an_import_that_stands_in_a_later_cell_is_not_used(tmp_path: Path, run: Scanlint) -> None:
    early = "import jax.numpy as jnp\nfrom jax import jit"
    text = json.dumps(notebook(early, LOOP.replace("jax.jit", "jit"), "rollout(jnp.ones(3))", "from jax import lax"))
    (tmp_path / "a.ipynb").write_text(text)
    done = run("--fix", ".")
    now = sources((tmp_path / "a.ipynb").read_text())
    assert done.returncode == 1
    assert "[not rewritten: cells: what it needs does not stand in the same cell" in done.stdout
    assert now[2] == LOOP.replace("jax.jit", "jit")


def test_an_ignore_in_a_cell_silences_it(tmp_path: Path, run: Scanlint) -> None:
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps(notebook(IMPORTS, LOOP), indent=1))
    assert run("--add-ignore", ".").returncode == 0
    assert "range(50):  # scanlint: ignore[unrolled-loop]" in sources(file.read_text())[2]
    assert run(".").returncode == 0


def test_standard_input_may_be_a_notebook(tmp_path: Path, run: Scanlint) -> None:
    text = json.dumps(notebook(IMPORTS, LOOP), indent=1)
    done = run("--fix", "--stdin-filename", "x.ipynb", "-", stdin=text)
    assert "fori_loop" in sources(done.stdout)[2]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        pytest.param("{", "1:2", "no JSON", id="half a file"),
        pytest.param("", "1:1", "no JSON", id="an empty file"),
        pytest.param("{}\n{}", "2:1", "Extra data", id="two documents"),
        pytest.param("[]", "1:1", "no cells", id="another document"),
        pytest.param('{"worksheets": [], "nbformat": 3}', "1:1", "format before 4", id="an old format"),
        pytest.param('{"cells": [1], "nbformat": 4}', "1:1", "cell 1 is no object", id="cells that are none"),
        pytest.param(json.dumps(notebook("x = 1", "if x:\ny")), "cell 3:2:1", "indented block", id="wrong syntax"),
    ],
)
def test_a_broken_notebook_is_a_syntax_error(
    text: str, place: str, message: str, tmp_path: Path, run: Scanlint
) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    done = run("--output-format", "concise", ".")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(f"a.ipynb:{place}: SCN900 ")
    assert message in done.stdout


@pytest.mark.parametrize("language", ["julia", "R"])
def test_a_notebook_of_another_language_holds_no_python(language: str, tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook("x <- 1; end", language=language)))
    assert run(".").returncode == 0


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["%magic x", "y = 1"], ["# M %magic x", "y = 1"], id="a magic at the top"),
        pytest.param(["if a:", "    !ls"], ["if a:", "    pass  # M     !ls"], id="a shell line in a branch"),
        pytest.param(
            ["def f():", "    if a:", "        %x", "    return 1", "%y"],
            ["def f():", "    if a:", "        get_ipython().run_cell('        %x')", "    return 1", "# M %y"],
            id="a magic in a function",
        ),
        pytest.param(["a = (b", "  % c)", "d = b \\", "  % c"], None, id="a remainder on a line of its own"),
        pytest.param(["s = '''", "%magic", "!ls?", "'''"], None, id="a string over several lines"),
        pytest.param(["x = 'why?'  # really?", "f(a)  # x?"], None, id="question marks in strings and comments"),
        pytest.param(["x = {'a': \"it's\"}", "%y"], ["x = {'a': \"it's\"}", "# M %y"], id="quotes in quotes"),
        pytest.param(["f.g?", "??h"], ["# M f.g?", "# M ??h"], id="help"),
        pytest.param(["!ls \\", "  -l", "x"], ["# M !ls \\", "# M   -l", "x"], id="a shell line that goes on"),
        pytest.param(
            ["a, b = %magic c"], ["a, b = get_ipython().getoutput('a, b = %magic c')"], id="what a magic gives"
        ),
        pytest.param(["a %= 3", "a != b", "x = y % 3"], None, id="operators"),
    ],
)
def test_lines_of_ipython_become_python(lines: Sequence[str], expected: Sequence[str] | None) -> None:
    assert python(lines, "M") == (list(lines) if expected is None else expected)


@pytest.mark.parametrize(
    ("first", "runs"),
    [("%%time", True), ("%%capture out", True), ("%%bash", False), ("%%writefile a.py", False), ("%%html", False)],
)
def test_a_magic_of_the_whole_cell_says_whether_it_is_python(first: str, runs: bool) -> None:
    made = parse(json.dumps(notebook(f"{first}\nx = 1")))
    assert ("x = 1" in made.text) is runs


def test_a_list_of_one_line_grows_in_the_style_of_the_file() -> None:
    text = '{"source": [\n   "a"\n  ]}'
    (span,) = [found for key, found in json_text.members(text, 0) if key == "source"]
    made = json_text.relisted(text, span, ["a\n", "b"], ascii_only=True)
    assert made == '[\n   "a\\n",\n   "b"\n  ]'


def test_no_program_comes_from_what_is_no_notebook() -> None:
    with pytest.raises(NotNotebookError):
        parse("[" * 100_000)


def cells(*sources: str, **metadata: object) -> str:
    return json.dumps({**notebook(*sources), "metadata": metadata})


def test_a_cell_under_an_unknown_magic_is_said_to_be_left_out(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "n.ipynb").write_text(cells(IMPORTS, f"%%stopwatch -n 3\n{LOOP}", "%%bash\nls", f"%%time\n{LOOP}"))
    done = run("--output-format", "concise", "n.ipynb")
    assert "note: n.ipynb: cell 3 is left out: whether `%%stopwatch` runs it as Python is not known" in done.stderr
    assert done.stderr.count("note:") == 1 and "SCN101" in done.stdout
    again = run("--output-format", "concise", ".")
    assert "cell 3 is left out" in again.stderr


def test_notebooks_of_another_language_are_said_not_to_be_checked(tmp_path: Path, run: Scanlint) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.ipynb").write_text(cells("x <- 1", language_info={"name": "R"}))
    done = run(".")
    assert "note: a.ipynb, b.ipynb: a notebook of R: not checked" in done.stderr and done.returncode == 0


def test_a_cell_that_is_no_python_leaves_the_others_checked_and_as_they_are(tmp_path: Path, run: Scanlint) -> None:
    broken = "%magic x\ncontroller.step(,)"
    (tmp_path / "a.ipynb").write_text(cells(IMPORTS, broken, LOOP, "f(x)\n  y = ("))
    done = run("--output-format", "concise", "a.ipynb")
    told = [line.split(": ")[0] for line in done.stdout.splitlines() if ".ipynb:" in line]
    assert told == ["a.ipynb:cell 3:2:17", "a.ipynb:cell 4:3:5", "a.ipynb:cell 5:2:2"]
    assert done.returncode == 1
    run("--fix", "a.ipynb")
    now = sources((tmp_path / "a.ipynb").read_text())
    assert "fori_loop" in now[3] and now[2] == broken


def test_cells_that_only_parse_together_are_one_program(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(cells(IMPORTS, "if True:", "    x = jnp.ones(3)", LOOP))
    done = run("--output-format", "concise", "a.ipynb")
    assert "SCN900" not in done.stdout and "cell 5:3:5: SCN101" in done.stdout


def test_further_places_of_one_finding_are_told_by_cell(tmp_path: Path, run: Scanlint) -> None:
    use = "x = jax.tree_map(abs, [1])"
    (tmp_path / "a.ipynb").write_text(cells("import jax", use, f"y = 1\n{use}", use))
    done = run("--output-format", "concise", "a.ipynb")
    assert "also on line 2 of cell 4, line 1 of cell 5" in done.stdout


@pytest.mark.parametrize(
    ("last", "dropped"),
    [
        pytest.param("x.at[0].set(1.0)", False, id="the value of the cell"),
        pytest.param("x.at[0].set(1.0)\n# shown", False, id="a comment behind it"),
        pytest.param("x.at[0].set(1.0)\ny = 2", True, id="a statement behind it"),
        pytest.param("if x.size:\n    x.at[0].set(1.0)", True, id="a block"),
    ],
)
def test_what_ends_a_cell_is_shown_and_not_dropped(last: str, dropped: bool, tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(cells(f"{IMPORTS}\nx = jnp.ones(3)", last, "for z in (1, 2):\n    print(z)"))
    (tmp_path / "b.py").write_text(f"{IMPORTS}\nx = jnp.ones(3)\n# %%\n{last}\n# %%\nfor z in (1, 2):\n    print(z)\n")
    for file in ("a.ipynb", "b.py"):
        assert ("SCN406" in run("--output-format", "concise", file).stdout) is dropped
