"""Reads the client's configuration: when code may run, and settings that overrule the pyproject.toml of each root."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from scanlint.command.config import KEYS, Overrides
from scanlint.errors import UsageError, did_you_mean

Verify = Literal["on-demand", "on-save", "off"]
MODES = ("on-demand", "on-save", "off")
OVER = {
    "select": "select",
    "ignore": "ignore",
    "extend-select": "extend_select",
    "level": "level",
    "exclude": "exclude",
    "extend-exclude": "extend_exclude",
    "python": "python",
    "verify-timeout": "verify_timeout",
    "measure": "measure",
    "jobs": "jobs",
    "cache-dir": "cache_dir",
}
PATHS = ("cache-dir",)
REPLACING = ("select", "exclude")
"""Lists that stand in the place of others: an empty one is what a client sends that was told nothing."""
OWN = ("verify", "config", "cache")


@dataclass(frozen=True)
class ClientOptions:
    """`verify`: user code runs when the user asks, also when a file is saved, or never."""

    verify: Verify = "on-demand"
    config: Path | None = None
    overrides: Overrides = field(default_factory=Overrides)


def options_from(said: object) -> ClientOptions:
    """The options in a section of the client's settings, in camel case or as pyproject.toml has them.

    Raises UsageError for a key or value that is none.
    """
    table = said.get("scanlint", said) if isinstance(said, Mapping) else None
    if not isinstance(table, Mapping):
        return ClientOptions()
    values = {_kebab(str(key)): value for key, value in table.items() if value is not None}
    over: dict[str, object] = {}
    for key, value in values.items():
        if key in OWN:
            continue
        if key not in OVER:
            raise UsageError(f"unknown setting `scanlint.{key}`{did_you_mean(key, (*OVER, *OWN))}")
        try:
            made = KEYS[key](value)
        except TypeError as error:
            raise UsageError(f"the setting `scanlint.{key}` must be {error}") from None
        if made or key not in REPLACING:
            over[OVER[key]] = Path(str(made)) if key in PATHS else made
    over["no_cache"] = values.get("cache") is False
    config = values.get("config")
    return ClientOptions(
        _verify(values.get("verify", MODES[0])),
        Path(config) if isinstance(config, str) and config else None,
        Overrides(**over),  # type: ignore[arg-type]
    )


def _verify(value: object) -> Verify:
    if value not in MODES:
        raise UsageError(f"the setting `scanlint.verify` must be one of {', '.join(map(repr, MODES))}")
    return cast("Verify", value)


def _kebab(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", key).lower().replace("_", "-")
