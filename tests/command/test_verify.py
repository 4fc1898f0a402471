"""`scanlint verify`: the verdict on two versions, and its exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

OLD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n    for _ in range(30):\n        x = jnp.sin(x) * 2.0\n    return x\n"
NEW = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n    return jax.lax.fori_loop(0, 30, lambda _, x: jnp.sin(x) * 2.0, x)\n"


@pytest.mark.parametrize(
    ("new", "code", "verdicts"),
    [
        pytest.param(NEW, 0, {"proved", "tested"}, id="equivalent"),
        pytest.param(NEW.replace("30", "29"), 1, {"refuted"}, id="one trip too few"),
    ],
)
def test_the_verdict_is_one_object_and_the_exit_code(
    new: str, code: int, verdicts: set[str], tmp_path: Path, run: Scanlint
) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(new)
    done = run("verify", "old.py", "new.py", "-f", "f", "--output-format", "json")
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["verdict"] in verdicts


def test_the_counterexample_is_printed(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW.replace("2.0", "2.5"))
    done = run("verify", "old.py", "new.py", "-f", "f")
    assert done.returncode == 1
    assert done.stdout.startswith("f: refuted: ")
    assert "counterexample: x = " in done.stdout
