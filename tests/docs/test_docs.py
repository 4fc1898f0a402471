"""The site and the README: every code has its row, every option and key exists, every link leads somewhere, it builds."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import scanlint
from scanlint.command.config import KEYS
from scanlint.finding import Edit, Position
from scanlint.report.output import FORMATS
from scanlint.rules.registry import entries
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits
from scanlint.syntax.walk import walk
from tests.rewritten import rewritten

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
PACKAGE = Path(scanlint.__file__).parent
ROOT = PACKAGE.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def codes_in(file: Path) -> Iterator[str]:
    """The codes of reasons in a module: what `Withheld` and its like are called with, wherever it was put together."""
    nodes = [*walk(ast.parse(file.read_text(encoding="utf-8")))]
    bound = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="Withheld") | ast.Attribute(attr="_note"), args=[first, _, *_]):
                name = first.id if isinstance(first, ast.Name) else ""
                for part in walk(bound.get(name, first)):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.isupper():
                for part in walk(value):
                    if isinstance(part, ast.Constant) and re.match(r"[a-z]+(-[a-z]+)*: \w", str(part.value)):
                        yield str(part.value).partition(":")[0]


def test_every_reason_has_its_row_and_every_row_its_reason() -> None:
    files = [file for file in PACKAGE.rglob("*.py") if "worker" not in file.parts]
    used = {code for file in files for code in codes_in(file) if CODE.fullmatch(code)} - {"Break", "error"}
    rows = re.findall(r"^\| (`[^|]+`) \|", (ROOT / "docs/withheld.md").read_text(), re.MULTILINE)
    listed = [code for row in rows for code in re.findall(r"`([^`]+)`", row)]
    assert sorted(listed) == sorted(set(listed))
    assert used - set(listed) == set()
    assert set(listed) - used == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        made = file.parent.name == "rules" and (ROOT / "rules" / file.name).exists()
        assert made or file.exists(), target
        if anchor and file.suffix == ".md":
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads]


def test_commands_and_options_in_the_text_exist(run: Scanlint) -> None:
    known = run("--help").stdout
    for command in ("report", "record", "rule", "verify", "lsp", "jit", "mcp", "cache"):
        assert f"  {command} " in known
        known += run(command, "--help").stdout
    for page in PAGES:
        blocks = re.findall(r"```(?:sh|yaml|text)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        lines = [line for block in blocks for line in block.splitlines() if re.search(r"\bscanlint (?!@)", line)]
        for line in lines:
            call = line[line.index("scanlint ") :].partition("#")[0].partition(" -- ")[0]
            assert [word for word in re.findall(r"(?<!\S)--[a-z-]+", call) if word not in known] == [], line


def test_keys_of_the_configuration_are_all_documented_and_exist() -> None:
    text = (ROOT / "docs/configuration.md").read_text()
    block = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    table = tomllib.loads(block[1])["tool"]["scanlint"]
    assert set(table) <= set(KEYS)
    assert [key for key in KEYS if key not in text] == []


def test_outputs_and_rules_are_all_documented() -> None:
    commands = (ROOT / "docs/commands.md").read_text()
    assert [form for form in FORMATS if f"`{form}`" not in commands] == []
    readme = (ROOT / "README.md").read_text()
    assert [entry.name for entry in entries() if f"`{entry.name}`" not in readme] == []


def test_the_tour_says_what_each_stage_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/tour.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "decayed.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", page, re.DOTALL))
    told: list[str] = []
    made = doctest.DocTestParser().get_doctest(session, {}, "tour", None, None)
    counts = doctest.DocTestRunner(verbose=False).run(made, out=told.append)
    assert (counts.failed, "".join(told)) == (0, "")
    assert counts.attempted > 20


def test_the_readme_fits_a_screen_and_a_half() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


@pytest.mark.slow
@pytest.mark.skipif(find_spec("sphinx") is None, reason="the extra `docs` is not installed")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for entry in entries():
        assert (tmp_path / "rules" / f"{entry.name}.html").is_file()


def test_the_tutorial_shows_what_is_printed_and_written(project: Path, run: Scanlint) -> None:
    """All of it but the seconds: the finding, and, as `--fix` would write it, the code."""
    text = (ROOT / "docs/tutorial.md").read_text()
    (project / "pendulum.py").write_text((ROOT / "docs/pendulum.py").read_text())
    assert f"$ scanlint pendulum.py\n{run('pendulum.py').stdout}```" in text
    document = json.loads(run("--output-format", "json", "pendulum.py").stdout)
    edits = [
        Edit(Position(**edit["start"]), Position(**edit["end"]), edit["text"])
        for edit in document["findings"][0]["fix"]["edits"]
    ]
    before, after = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert before in (ROOT / "docs/pendulum.py").read_text()
    assert after in apply_edits((ROOT / "docs/pendulum.py").read_text(), edits)


def how_to() -> list[tuple[str, str]]:
    """The pairs of blocks on the page of questions: as people write it, and as it is rewritten."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/how-to.md").read_text(), re.DOTALL)
    return list(zip(blocks[::2], blocks[1::2], strict=True))


@pytest.mark.parametrize(("before", "after"), how_to(), ids=["scan", "where", "while_loop", "vmap"])
def test_the_answers_by_question_are_what_is_written(before: str, after: str, tmp_path: Path) -> None:
    head = "import jax\nimport jax.numpy as jnp\n\n\n"
    made, _ = rewritten(head + before, tmp_path / "m.py", Settings(root=tmp_path, line_length=120))
    assert made == head + after


def test_the_page_on_jit_shows_what_is_printed(tmp_path: Path, run: Scanlint) -> None:
    """The diff and the verdict; what it rests on may be told in other words."""
    text = (ROOT / "docs/jit.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (shown,) = re.findall(r"```text\n\$ scanlint jit pendulum.py::simulate\n(.*?)```", text, re.DOTALL)
    (tmp_path / "pendulum.py").write_text(code)
    done = run("jit", "--verify-timeout", "120", "pendulum.py::simulate")
    said = [re.sub(r"^    (?!pendulum\.py).*\n", "", listed, flags=re.MULTILINE) for listed in (shown, done.stdout)]
    assert said[0] == said[1]
    assert done.returncode == 0


def test_the_page_on_own_conversions_shows_what_is_said(tmp_path: Path, run: Scanlint) -> None:
    """Each function with its verdict and where it stands; what the verdicts rest on may be told in other words."""
    text = (ROOT / "docs/verify-since.md").read_text()
    before, after = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    (tmp_path / "control.py").write_text(before)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "old")):
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True)
    (tmp_path / "control.py").write_text(after)
    (shown,) = re.findall(r"```text\n\$ scanlint verify --since HEAD\n(.*?)```", text, re.DOTALL)
    done = run("verify", "--since", "HEAD", "--verify-timeout", "120")
    said = [re.findall(r"^\S.*?(?= \(\w{7}\)|,|$)", listed, re.MULTILINE) for listed in (shown, done.stdout)]
    assert said[0] == said[1]
    assert done.returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(find_spec("rich") is None, reason="the extra `docs` is not installed")
def test_the_picture_is_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    picture = importlib.import_module("picture")
    kept = picture.PICTURE.read_text(encoding="utf-8")
    assert picture.words(picture.drawn()) == picture.words(kept)
    assert "proved," in picture.words(kept)
    assert "](docs/picture.svg)" in (ROOT / "README.md").read_text()


def test_the_proof_that_is_shown_is_the_one_that_is_made(tmp_path: Path) -> None:
    text = (ROOT / "docs/verification.md").read_text()
    before, after = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "before.py").write_text(before)
    (tmp_path / "after.py").write_text(after)
    (console,) = re.findall(r"```console\n\$ (.*?)```", text, re.DOTALL)
    command, *said = console.splitlines()
    done = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(said) <= set(done.stdout.splitlines())
