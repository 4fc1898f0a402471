"""Loops of callers end when further trips tell nothing new; all others run as they are."""

from __future__ import annotations

import ast

import pytest

from scanlint.verify.worker.harvest.short_loops import EACH, MORE, TripGate, shortened_loops

SOURCE = """
def wanted(n):
    told(0)
    return [x for x in range(n)] + list(own(n))

def own(n):
    out = []
    for i in range(n):
        out.append(i)
    return out

def with_for(n):
    seen = []
    for i in range(n):
        seen.append(i)
        told(0)
    return seen

def with_while(n):
    i = 0
    while i < n:
        told(0)
        i += 1
    else:
        i += 100
    return i

def late(n):
    seen = []
    for i in range(n):
        seen.append(i)
        told(min(i, 4))
    return seen

def without(n):
    return own(n)
"""


class Calls:
    def __init__(self) -> None:
        self.count = 0
        self.seen: set[int] = set()

    def told(self, function: int) -> None:
        self.count += 1
        self.seen.add(function)


def run(function: str, active: bool = True) -> object:
    calls = Calls()
    gate = TripGate(lambda: calls.count, lambda: len(calls.seen), active)
    names: dict[str, object] = {EACH: gate.each, MORE: gate.more, "told": calls.told}
    exec(compile(shortened_loops(ast.parse(SOURCE), {("wanted", 2): 0}), "<source>", "exec"), names)
    called = names[function]
    assert callable(called)
    return called(1000)


@pytest.mark.parametrize(
    ("function", "result"),
    [("with_for", [0, 1]), ("with_while", 102), ("late", [0, 1, 2, 3, 4, 5]), ("without", list(range(1000)))],
    ids=["a for ends", "a while ends as if its test were false", "what is new goes on", "no call, no end"],
)
def test_loops_end_when_nothing_new_is_called(function: str, result: object) -> None:
    assert run(function) == result


def test_without_the_gate_loops_run_to_their_end() -> None:
    assert run("with_for", active=False) == list(range(1000))


def test_the_loops_of_wanted_functions_stay() -> None:
    tree = shortened_loops(ast.parse("def wanted(n):\n    for i in range(n):\n        pass\n"), {("wanted", 1): 0})
    assert EACH not in ast.unparse(tree)
