"""What a verdict says that it holds for: the trips, sizes and dtypes that were compared, and on what it rests."""

from __future__ import annotations

import ast
import json
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.verify.worker.comparing.branch_cover import MARK, Coverage
from scanlint.verify.worker.results.held_for import held_for

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"
OLD = (
    HEAD
    + """\
def f(x, ws):
    for w in ws:
        x = jnp.tanh(x * w)
    return x
"""
)
NEW = (
    HEAD
    + """\
def f(x, ws):
    return jax.lax.scan(lambda x, w: (jnp.tanh(x * w), None), x, ws)[0]
"""
)


def test_a_proof_by_one_trip_holds_for_all_trips(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW)
    found = json.loads(run("verify", "old.py", "new.py", "-f", "f", "--output-format", "json").stdout)
    assert (found["verdict"], found["holds_for"]["trips"]) == ("proved", "all")
    assert "proved for all sizes, by one trip of each version" in found["evidence"]
    told = "".join(line for line in found["evidence"] if line.startswith("both versions compute "))
    assert "s0 = x, then tanh(" in told and "ws[t]" in told


def test_another_proof_names_trips_sizes_and_dtypes(tmp_path: Path, run: Scanlint) -> None:
    asked = "    if len(ws) > 4:\n        return x\n"  # some sizes are answered so, others not
    (tmp_path / "old.py").write_text(OLD.replace("    for", f"{asked}    for"))
    (tmp_path / "new.py").write_text(NEW.replace("    return", f"{asked}    return"))
    found = json.loads(run("verify", "old.py", "new.py", "-f", "f", "--output-format", "json").stdout)
    held = found["holds_for"]
    assert found["verdict"] in ("proved", "tested")
    rows = {int(size.split(": ")[1].split("x")[0]) for size in held["sizes"] if size.startswith("ws")}
    assert rows >= {trips for trips in held["trips"] if trips}
    assert len(held["trips"]) > 1 and "float32" in held["dtypes"]
    assert any(line.startswith("not proved for all sizes: ") for line in found["evidence"])
    assert any(line.startswith("both versions were run on ") for line in found["evidence"])


def test_a_refuted_version_holds_for_nothing(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW.replace("x * w", "x + w"))
    found = json.loads(run("verify", "old.py", "new.py", "-f", "f", "--output-format", "json").stdout)
    assert (found["verdict"], found["holds_for"], found["evidence"]) == ("refuted", None, [])


def test_sizes_and_dtypes_are_spelled_out() -> None:
    compared = [("x: f32[3, 2]", "n: 4", "s: (bf16[], key[2])"), ("x: i32[5]", "n: 4")]
    held = held_for(compared, ["float16"], {3, 0}, ["only so"])
    assert held == {
        "trips": [0, 3],
        "sizes": ["x: 3x2", "s: scalar, 2", "x: 5"],
        "dtypes": ["float32", "bfloat16", "int32", "float16"],
        "notes": ["only so"],
    }


LOOPS = {
    "each loop by itself": ("for i in range(n):\n    for j in range(i):\n        x += j", 3, {0, 1, 2, 3}),
    "no trip": ("for i in range(n):\n    x += i", 0, {0}),
    "a loop that is not come to": ("if n > 5:\n    for i in range(n):\n        x += i", 3, set()),
    "a while loop": ("while x < n:\n    x += 1", 4, {4}),
    "a loop that is left": ("for i in range(n):\n    if i == 2:\n        break", 7, {3}),
    "a while loop with and": ("while x < n and x < 2:\n    x += 1", 4, {2}),
}


@pytest.mark.parametrize("name", LOOPS)
def test_trips_are_counted_where_a_loop_runs(name: str) -> None:
    body, n, trips = LOOPS[name]
    text = "def f(n):\n    x = 0\n" + textwrap.indent(body, "    ") + "\n"
    coverage = Coverage(frozenset(range(1, 20)))
    names: dict[str, object] = {MARK: coverage.record}
    exec(compile(coverage.instrument(ast.parse(text), "f"), "f.py", "exec"), names)
    coverage.begin()
    names["f"](n)  # type: ignore[operator]
    coverage.count(coverage.way())
    assert coverage.trips == trips
