"""What is recorded, and where to, as scanlint writes it for the recorder."""

from __future__ import annotations

from typing import TypedDict


class Function(TypedDict):
    """One function of the plan."""

    path: str
    file: str
    qualname: str
    line: int
    parameters: list[str]


class Plan(TypedDict):
    """What is recorded, and where to; the plan is written by scanlint."""

    root: str
    parts: str
    kept: int
    functions: list[Function]
    spans: dict[str, list[tuple[int, int]]]
    loops: dict[str, list[tuple[int, int]]]
