"""`scanlint jit` as it is run: the diff, what is written, what is in the way."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.trace.hints.asked_arrays import asked_arrays

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

MODEL = '''import jax.numpy as jnp


def simulate(x, v, steps, dt=0.01):
    """Integrate a pendulum."""
    xs = []
    for _ in range(steps):
        v = v - dt * jnp.sin(x)
        x = x + dt * v
        xs.append(x)
    return jnp.stack(xs)


def limited(x):
    """A helper that only runs eagerly."""
    if x > 1:
        return x - 1
    return 2 * x


def twice(x):
    """Call the helper."""
    return limited(limited(x))


def told(x):
    """Print on each call."""
    print(x, sep="")
    return 2 * x


def checked(x):
    """Refuse what is negative."""
    assert x > 0
    return jnp.sqrt(x)
'''


def test_a_function_is_rewritten_jitted_and_verified(tmp_path: Path, run: Scanlint) -> None:
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    shown = run("jit", "model.py::simulate")
    assert shown.returncode == 0, shown.stderr
    assert '+@partial(jax.jit, static_argnames=("steps",))' in shown.stdout
    assert "would be jitted, `steps` static: proved" in shown.stdout
    assert file.read_text() == MODEL
    done = run("jit", "--fix", "model.py::simulate")
    assert done.returncode == 0, done.stderr
    text = file.read_text()
    assert "jax.lax.scan" in text
    assert 'def limited(x):\n    """A helper that only runs eagerly."""\n    if x > 1:' in text
    again = run("jit", "model.py::simulate")
    assert "is jitted already" in again.stdout
    assert again.returncode == 0


def test_what_is_left_in_a_jitted_function_is_said(tmp_path: Path, run: Scanlint) -> None:
    text = "import jax\n\n\n@jax.jit\ndef f(x):\n    '\\d'\n    while x < 9.0:\n        print(x, file=None)\n        x = 2 * x\n    return x\n"
    (tmp_path / "model.py").write_text(text)
    left = run("jit", "model.py::f")
    assert left.returncode == 1
    assert "model.py::f: is jitted already; what is left:\n    model.py:7:5: SCN103 traced-while" in left.stdout
    assert not left.stderr


def test_what_it_calls_is_rewritten_too_unless_that_is_not_wanted(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    whole = run("jit", "model.py::twice", "--output-format", "json")
    (found,) = json.loads(whole.stdout)["targets"]
    assert found["converted"], found
    assert found["verification"]["verdict"] in ("proved", "tested")
    assert "+    return jnp.where(x > 1, x - 1, 2 * x)" in found["diff"]
    alone = run("jit", "--no-callees", "model.py::twice")
    assert alone.returncode in (1, 3)
    assert "cannot be jitted yet" in alone.stdout


def test_what_is_in_the_way_is_said_with_its_line_and_nothing_is_written(tmp_path: Path, run: Scanlint) -> None:
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    done = run("jit", "--fix", "model.py::told", "model.py::checked")
    assert done.returncode == 1
    assert "model.py:28: `print` prints when it is traced" in done.stdout
    assert "model.py:34:" in done.stdout
    assert "traced-assert" in done.stdout
    assert file.read_text() == MODEL


def test_the_functions_of_a_file_are_listed_best_first(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    done = run("jit", "model.py")
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines()[:-1]]
    assert set(names) == {"simulate", "limited"}
    assert done.stdout.splitlines()[-1].startswith("`scanlint jit model.py::")
    refused = run("jit", "--fix", "model.py")
    assert refused.returncode == 2
    assert "name the function" in refused.stderr


def test_a_file_that_does_not_parse_is_named_with_its_line(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "model.py").write_text("x = 1\ndef f(:\n")
    done = run("jit", "model.py::f")
    assert done.returncode == 2
    assert "model.py:2: " in done.stderr


CONVERTED = {
    "elements_that_decide": (
        "def f(items):\n    s = 0\n    for c in items:\n        if c % 2 > 0:\n            continue\n        s += c\n    return s\n",
        "jax.lax.",
    ),
    "rows_that_are_handed_on": (
        "def g(s, z):\n    return 0.5 * s + z\n\n\ndef f(s, zs):\n    out = []\n    for z in zs:\n        s = g(s, z)\n"
        "        out.append(s)\n    return jnp.stack(out)\n",
        "jax.lax.scan(",
    ),
    "what_it_prints": (
        'def f(x, n):\n    for i in range(n):\n        x = jnp.sin(x)\n        print("step", i, f"{x:.2f}")\n    return x\n',
        'jax.debug.print("step {} {:.2f}", i, x)',
    ),
    "what_xla_fuses": (
        "def f(x, y):\n    if jnp.any(jnp.isnan(x)):\n        return jnp.zeros_like(x)\n    d = x - y\n"
        "    return y + d / jnp.linalg.norm(d)\n",
        "jax.lax.cond(",
    ),
}


@pytest.mark.parametrize(("code", "expected"), CONVERTED.values(), ids=CONVERTED)
def test_what_an_expert_would_convert_is_converted(code: str, expected: str, tmp_path: Path, run: Scanlint) -> None:
    file = tmp_path / "model.py"
    file.write_text(f"import jax.numpy as jnp\n\n\n{code}")
    done = run("jit", "--fix", "model.py::f")
    assert done.returncode == 0, done.stdout + done.stderr
    assert expected in file.read_text()


NO_ARRAYS = {
    "layers": "def f(stages, x):\n    for stage in stages:\n        x = stage(x)\n    return x\n",
    "keys": "def f(table, x):\n    for k in table:\n        if k > 3:\n            x = x + table[k]\n    return x\n",
    "names": "def f(table, x):\n    for k in table:\n        if k != 'bias':\n            x = 2 * x\n    return x\n",
    "nodes": "def f(nodes, x):\n    for node in nodes:\n        if x > 0:\n            x = x + node.offset\n    return x\n",
}


@pytest.mark.parametrize("code", NO_ARRAYS.values(), ids=NO_ARRAYS)
def test_what_is_taken_apart_is_no_array(code: str) -> None:
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert not list(asked_arrays(function))
