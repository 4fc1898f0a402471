"""The settings of a run in words, for `--show-settings`."""

from __future__ import annotations

from dataclasses import fields, replace

from scanlint.settings import Settings


def settings_text(settings: Settings) -> str:
    """One setting a line, as `key = value`."""
    from scanlint.project.discovery.folders import DEFAULT_EXCLUDES
    from scanlint.rules.registry import selected_codes

    if settings.exclude is None:
        settings = replace(settings, exclude=DEFAULT_EXCLUDES)
    rows = [f"{field.name.replace('_', '-')} = {_spell(getattr(settings, field.name))}" for field in fields(settings)]
    return "\n".join([*rows, f"rules = {_spell(tuple(sorted(selected_codes(settings))))}"]) + "\n"


def _spell(value: object) -> str:
    match value:
        case tuple():
            return f"[{', '.join(_spell(item) for item in value)}]"
        case dict():
            return "{" + ", ".join(f"{_spell(key)} = {_spell(item)}" for key, item in value.items()) + "}"
        case bool():
            return str(value).lower()
        case None:
            return "none"
        case int() | float():
            return str(value)
    return f'"{value}"'
