"""What really reaches a read, in runs of random programs, is always among its definitions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from generated import Place, Seen, Writer, place_of, run
from marked import function_of, reads, resolve

from scanlint.dataflow.defuse import DefUse
from scanlint.dataflow.locations import Definition, DefinitionKind

RUNS = 3
BATCH = 25


def seen_in(code: str) -> Seen:
    seen: Seen = {}
    for seed in range(RUNS):
        for place, found in run(code, seed).items():
            seen.setdefault(place, set()).update(found)
    return seen


def place(definition: Definition) -> Place | None:
    outside = definition.kind is DefinitionKind.OUTER
    return None if definition.missing or outside else place_of(definition.node)


def compared(code: str) -> Iterator[tuple[str, set[Place | None], set[Place | None]]]:
    """For each read that a run came to: what it really saw, and what may reach it."""
    function = function_of(code)
    flow, seen = DefUse(function, resolve), seen_in(code)
    for node in reads(function):
        if isinstance(node, ast.Name) and (real := seen.get(place_of(node))):
            yield f"{ast.unparse(node)} in line {node.lineno}", real, {place(d) for d in flow.definitions(node)}


def programs(first: int, straight: bool = False) -> Iterator[str]:
    return (Writer(seed, straight).program() for seed in range(first, first + BATCH))


@pytest.mark.parametrize("first", range(0, 200, BATCH))
def test_what_a_name_really_is_reaches_it(first: int) -> None:
    for code in programs(first):
        for name, real, may in compared(code):
            assert real <= may, f"{name}:\n{code}"


@pytest.mark.parametrize("first", range(3000, 3100, BATCH))
def test_just_one_definition_reaches_a_name_in_straight_code(first: int) -> None:
    for code in programs(first, straight=True):
        for name, real, may in compared(code):
            assert real == may, f"{name}:\n{code}"
