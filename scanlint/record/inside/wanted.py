"""Reads the plan that scanlint writes for the recorder: what is recorded, and where to."""

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
    """The functions to record, and the folder to write to; scanlint writes the plan."""

    root: str
    parts: str
    kept: int
    functions: list[Function]
    spans: dict[str, list[tuple[int, int]]]
    loops: dict[str, list[tuple[int, int]]]
