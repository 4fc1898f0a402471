"""The schema by which editors complete `[tool.scanlint]`: it accepts and refuses what the program does."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from scanlint.command.config import KEYS

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "editors" / "scanlint.schema.json").read_text())
VALUES: tuple[object, ...] = (["a"], [1], "error", "x", 3, -1, 0, 2.5, True, {"a": ["b"]}, {"a": "b"}, {"a": 1})


def test_it_has_every_key_with_what_it_is_for() -> None:
    assert list(SCHEMA["properties"]) == list(KEYS)
    assert all(about["description"] for about in SCHEMA["properties"].values())


@pytest.mark.parametrize("key", KEYS)
def test_it_takes_the_values_that_the_program_takes(key: str) -> None:
    validator = pytest.importorskip("jsonschema").Draft7Validator(SCHEMA)

    def taken(value: object) -> bool:
        try:
            KEYS[key](value)
        except TypeError:
            return False
        return True

    said = {repr(value): validator.is_valid({key: value}) for value in VALUES}
    assert said == {repr(value): taken(value) for value in VALUES}


def test_the_example_of_the_page_fits() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    table = tomllib.loads(page.split("```toml\n")[1].split("```")[0])["tool"]["scanlint"]
    assert pytest.importorskip("jsonschema").Draft7Validator(SCHEMA).is_valid(table)
