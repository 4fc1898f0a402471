"""Verdicts that get from one checkout into another: as data, or as verdicts of that checkout where they are trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import LOOP, Scanlint

VERDICT = '"verdict": "proved"'


@pytest.fixture
def verified(tmp_path: Path, run: Scanlint) -> Path:
    """A project whose rewrite was proved, and its verdicts in a file; its cache is gone."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'sample'\n")
    (tmp_path / "loop.py").write_text(LOOP)
    assert "fori_loop" in run("--fix", "--diff", "--cache-dir", "first", ".").stdout
    said = run("cache", "--export", "verdicts.json", "--cache-dir", "first")
    assert (said.returncode, said.stderr) == (0, "1 verdict written to verdicts.json\n")
    return tmp_path / "verdicts.json"


def relabelled(file: Path, verdict: str) -> None:
    """Make the file say another verdict than it did."""
    text = file.read_text()
    assert VERDICT in text
    file.write_text(text.replace(VERDICT, f'"verdict": "{verdict}"'))


def test_what_was_tested_elsewhere_is_shown_and_not_written(verified: Path, run: Scanlint) -> None:
    relabelled(verified, "tested")
    assert run("cache", "--import", "verdicts.json").stderr == "1 verdict taken from verdicts.json\n"
    found = json.loads(run("--fix", "--output-format", "json", ".").stdout)["findings"][0]
    assert found["verification"]["verdict"] == "tested"
    assert found["fix"]["status"] == "withheld"
    assert found["fix"]["reason_code"] == "verified-elsewhere"
    assert verified.with_name("loop.py").read_text() == LOOP


def test_what_is_trusted_is_written(verified: Path, run: Scanlint) -> None:
    relabelled(verified, "tested")
    run("cache", "--import", "verdicts.json")
    run("--fix", ".")
    assert run("cache", "--import", "verdicts.json", "--trust").returncode == 0
    found = json.loads(run("--fix", "--output-format", "json", ".").stdout)["findings"][0]
    assert (found["verification"]["verdict"], found["fix"]["status"]) == ("tested", "applied")
    assert "fori_loop" in verified.with_name("loop.py").read_text()


def test_what_was_proved_elsewhere_is_proved_again(verified: Path, run: Scanlint) -> None:
    text = verified.read_text().replace('"cases": ', '"cases": 1000')
    verified.write_text(text)
    run("cache", "--import", "verdicts.json")
    found = json.loads(run("--fix", "--diff", "--output-format", "json", ".").stdout)["findings"][0]
    assert found["verification"]["verdict"] == "proved"
    assert found["verification"]["cases"] < 1000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("verdicts", "not a file of `scanlint cache --export`"),
        ('{"form": "scanlint verdicts 1", "answers": {"../../x": {"verdict": "proved"}}}', "`../../x` is no answer"),
        (f'{{"form": "scanlint verdicts 1", "answers": {{"{"0" * 64}": {{"verdict": "good"}}}}}}', "is no answer"),
        (f'{{"form": "scanlint verdicts 1", "answers": {{"{"0" * 64}": []}}}}', "is no answer"),
        (
            f'{{"form": "scanlint verdicts 1", "answers": {{"{"0" * 64}": {{"verdict": "proved", "carries": [1]}}}}}}',
            "is no answer",
        ),
    ],
    ids=["no JSON", "a key that is a path", "a verdict that there is not", "no mapping", "carries that cannot be read"],
)
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, run: Scanlint, content: str, said: str) -> None:
    (tmp_path / "verdicts.json").write_text(content)
    done = run("cache", "--import", "verdicts.json")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / ".scanlint_cache" / "foreign").exists()


@pytest.mark.parametrize(
    "words",
    [(), ("--export", "a", "--import", "b"), ("--export", "a", "--trust")],
    ids=["neither", "both", "an export is not trusted"],
)
def test_one_of_both_ways_is_given(run: Scanlint, words: tuple[str, ...]) -> None:
    assert run("cache", *words).returncode == 2


def test_a_cache_in_which_nothing_is_gives_an_empty_file(tmp_path: Path, run: Scanlint) -> None:
    assert run("cache", "--export", "verdicts.json").stderr == "0 verdicts written to verdicts.json\n"
    assert json.loads((tmp_path / "verdicts.json").read_text())["answers"] == {}
