"""Names and what is known of them, where paths meet."""

from __future__ import annotations

from dataclasses import replace

from scanlint.trace.domain.values import Unset, Value, join

Env = dict[str, Value]


def merge(a: Env, b: Env, *, loop: bool = False) -> Env:
    """What is known of each name where two paths meet."""
    merged = dict(a)
    for name, value in b.items():
        mine = merged.get(name)
        if mine is None:
            merged[name] = value
        elif mine is not value:
            merged[name] = join(mine, value, loop=loop)
    return merged


def widened(value: Value, before: Value | None) -> Value:
    """No constant that changes from trip to trip."""
    if before is not None and value is not before and value.known and value != before:
        return replace(value, constant=Unset.UNSET)
    return value
