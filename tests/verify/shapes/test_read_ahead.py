"""Arrays of which a loop over another one reads more rows than that has: `values[t + 1]`."""

from __future__ import annotations

import ast

import pytest

from scanlint.verify.worker.infer.specs import Array
from scanlint.verify.worker.shapes.read_ahead import ReadAhead, read_ahead, with_more

BODY = "    for t in {}:\n        last = rewards[t] + 0.9 * values[{}] - values[t] + 0.5 * last\n    return last\n"
HEAD = "def f(rewards, values, last=0.0):\n    n = rewards.shape[0]\n"
FOUND = {
    "the next one, from the last": ("reversed(range(n))", "t + 1", [ReadAhead("values", "rewards", 1)]),
    "the next one of a range that falls": ("range(n - 1, -1, -1)", "t + 1", [ReadAhead("values", "rewards", 1)]),
    "the one after the next": ("range(len(rewards))", "2 + t", [ReadAhead("values", "rewards", 2)]),
    "the next one, but for the last trip": ("range(n - 1)", "t + 1", []),
    "one before": ("range(1, n)", "t - 1", []),
    "the next one of the array that is counted": ("range(values.shape[0])", "t + 1", []),
    "a number that nothing is known of": ("range(k)", "t + 1", []),
}  # fmt: skip


@pytest.mark.parametrize(("over", "index", "expected"), FOUND.values(), ids=FOUND)
def test_what_is_read_ahead_of_is_found(over: str, index: str, expected: list[ReadAhead]) -> None:
    function = ast.parse(HEAD + BODY.format(over, index)).body[0]
    assert list(read_ahead(function)) == expected


def test_an_array_that_is_read_ahead_has_the_rows_for_it() -> None:
    specs = {"rewards": Array((3,)), "values": Array((3, 2))}
    assert with_more(specs, (ReadAhead("values", "rewards", 1),)) == {"rewards": Array((3,)), "values": Array((4, 2))}


OLD = "def f(rewards, values, gamma=0.99, lam=0.95):\n    out, last = [], 0.0\n    for t in reversed(range(len(rewards))):\n        last = rewards[t] + gamma * values[t + 1] - values[t] + gamma * lam * last\n        out.append(last)\n    return jnp.array(out[::-1])\n"
NEW = "def f(rewards, values, gamma=0.99, lam=0.95):\n    def step(last, inputs):\n        reward, value, following = inputs\n        last = reward + gamma * following - value + gamma * lam * last\n        return last, last\n    return lax.scan(step, 0.0, (rewards, {}), reverse=True)[1]\n"


@pytest.mark.parametrize(
    ("rows", "verdicts"),
    [("values[:-1], values[1:]", ("proved", "tested")), ("values[1:], values[:-1]", ("refuted",))],
    ids=["each value with the next one", "each value with the one before"],
)
def test_a_scan_over_values_and_the_next_ones_is_judged_where_there_is_a_next_one(
    judge,  # type: ignore[no-untyped-def]
    rows: str,
    verdicts: tuple[str, ...],
) -> None:
    found = judge(OLD, NEW.format(rows), traced=True)
    assert found.verdict in verdicts, (found.verdict, found.reason, found.counterexample)
