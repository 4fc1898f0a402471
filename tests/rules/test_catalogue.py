"""The pages of the catalogue are the documentation and the test: each block is run through the real tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import jax
import numpy as np
import pytest

from scanlint.engine.session import RunOutcome, check
from scanlint.fix.run import fix
from scanlint.rules.registry import entries, rules
from scanlint.settings import Settings

pytestmark = pytest.mark.long
PAGES = Path(__file__).parents[2] / "rules"
HEADINGS = [
    "What it does",
    "Why",
    "Example",
    "When to leave it",
    "The fix and its safety",
    "Options",
    "References",
]
FENCE = re.compile(r"^```(\w+) (before|after|call|ok|toml)\n(.*?)^```$", re.M | re.S)
FIXABLE = [rule.name for rule in rules()]


def blocks(name: str, role: str) -> list[str]:
    """The blocks of one role on one page."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    return [code for _, found, code in FENCE.findall(text) if found == role]


def write(folder: Path, name: str, role: str) -> list[Path]:
    paths = []
    for number, code in enumerate(blocks(name, role)):
        path = folder / f"{name.replace('-', '_')}_{role}_{number}.py"
        path.write_text(code, encoding="utf-8")
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name in FIXABLE:
        write(made, name, "before")
        write(made, name, "ok")
    return made


@pytest.fixture(scope="module")
def settings(folder: Path) -> Settings:
    return Settings(root=folder, select=("ALL",), level="advice", verify_timeout=120.0)


@pytest.fixture(scope="module")
def checked(folder: Path, settings: Settings) -> RunOutcome:
    return check([folder], settings)


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Mapping[str, str]:
    folder = tmp_path_factory.mktemp("unmarked")
    for name in FIXABLE:
        for path in write(folder, name, "before"):
            path.write_text(clean(path.read_text(encoding="utf-8")), encoding="utf-8")
    outcome = fix([folder], replace(settings, root=folder), lambda line: None)
    assert not outcome.problems
    return {path.name: new.decode() for path, (_, new) in outcome.changes.items()}


def lines_of(outcome: RunOutcome, path: Path, name: str | None = None) -> list[int]:
    chosen = [f for f in outcome.findings if Path(f.path).name == path.name]
    return [f.start.line for f in chosen if name is None or f.name == name]


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_rule_has_a_page_with_the_same_headings(entry: object) -> None:
    text = (PAGES / f"{entry.name}.md").read_text(encoding="utf-8")  # type: ignore[attr-defined]
    front, body = text.split("---\n", 2)[1:]
    assert f"code: {entry.code}\n" in front  # type: ignore[attr-defined]
    assert f"name: {entry.name}\n" in front  # type: ignore[attr-defined]
    assert f"level: {entry.level}\n" in front  # type: ignore[attr-defined]
    assert re.findall(r"^## (.*)$", body, re.M) == HEADINGS


@pytest.mark.parametrize("name", FIXABLE)
def test_before_blocks_are_reported_on_the_marked_lines(name: str, folder: Path, checked: RunOutcome) -> None:
    for path in write(folder, name, "before"):
        marked = [n for n, line in enumerate(path.read_text().splitlines(), 1) if f"# error: [{name}]" in line]
        assert marked
        assert lines_of(checked, path, name) == marked


@pytest.mark.parametrize("name", FIXABLE)
def test_ok_blocks_have_no_finding(name: str, folder: Path, checked: RunOutcome) -> None:
    paths = write(folder, name, "ok")
    assert paths
    assert [lines_of(checked, path) for path in paths] == [[] for _ in paths]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIXABLE)
def test_after_blocks_are_what_the_tool_writes(
    name: str, folder: Path, fixed: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    written = [fixed[path.name] for path in write(folder, name, "before") if path.name in fixed]
    if request.config.getoption("--update-pages"):
        update(name, written)
    assert blocks(name, "after") == written


@pytest.mark.slow
@pytest.mark.parametrize("name", FIXABLE)
def test_calls_give_the_same_before_and_after(name: str, tmp_path: Path) -> None:
    if not blocks(name, "after"):
        assert not blocks(name, "call")  # a rule that has no rewrite
        return
    for before, after, calls in zip(blocks(name, "before"), blocks(name, "after"), blocks(name, "call"), strict=True):
        for call in calls.splitlines():
            with jax.disable_jit():
                expected = run(before, call)
            assert_same(expected, run(after, call))


def clean(text: str) -> str:
    """A before block without its marks, which are comments like any other."""
    return re.sub(r"  # error: \[[\w-]+\]", "", text)


def update(name: str, written: list[str]) -> None:
    page = PAGES / f"{name}.md"
    made = iter(written)
    text = FENCE.sub(
        lambda m: f"```{m[1]} after\n{next(made)}```" if m[2] == "after" else m[0], page.read_text(encoding="utf-8")
    )
    page.write_text(text, encoding="utf-8")


@cache
def namespace(code: str) -> dict[str, object]:
    made: dict[str, object] = {"__name__": "page"}
    exec(compile(code, "page.py", "exec"), made)
    return made


def run(code: str, call: str) -> object:
    return eval(call, dict(namespace(code)))


def assert_same(expected: object, got: object) -> None:
    before, after = jax.tree.leaves(expected), jax.tree.leaves(got)
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert np.shape(old) == np.shape(new)
        np.testing.assert_allclose(np.asarray(new), np.asarray(old), rtol=1e-5, atol=1e-6)
