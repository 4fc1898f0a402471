"""Assignments to items of arrays that are not rewritten: nobody would see the change, or somebody else would."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\n"
REASONS = {
    "a row of another array": (
        "def f(x):\n    row = x[0]\n    row[1] = 5.0\n    return x * 2.0, row\n",
        "shared-array",
    ),
    "the same in another shape": (
        "def f(x):\n    y = (2 * x).reshape(-1)\n    y[0] = 1.0\n    return y\n",
        "shared-array",
    ),
    "another name": ("def f(x):\n    y = 2 * x\n    z = y\n    y[0] = 1.0\n    return z, y\n", "shared-array"),
    "the caller's array": ("def f(x, v):\n    s = x.sum()\n    x[0] = v\n    return s\n", "shared-array"),
    "nobody reads it": ("def f(x):\n    y = 2 * x\n    y[0] = 1.0\n    return x\n", "nobody-reads"),
}
WRITTEN = {
    "what is returned": "def f(x):\n    y = 2 * x\n    y[0] = 1.0\n    return y\n",
    "an argument that is returned": "def f(x, v):\n    s = x.sum()\n    x[0] = v * s\n    return x\n",
}
HOST = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"
FAILS = {
    "an array that is bound to another one afterwards": (
        "def f(n):\n    x = jnp.zeros(n)\n    x[0] = 1.0\n    x = x[None]\n    return x\n"
    ),
    "an array in a method": (
        "class Model:\n    def setup(self):\n        x = jnp.zeros(self.n)\n        x[0::2] = 1.0\n        self.x = x[None]\n"
    ),
}
WORKS = {
    "an array of NumPy that becomes one of JAX": "def f(n):\n    x = np.zeros(n)\n    x[0] = 1.0\n    x = jnp.asarray(x)\n    return x\n",
    "an array of NumPy on one path": (
        "def f(n, flag):\n    x = jnp.zeros(n)\n    if flag:\n        x = np.zeros(n)\n    x[0] = 1.0\n    x = jnp.ones(3)\n    return x\n"
    ),
    "an array of JAX before it": (
        "def f(n):\n    x = jnp.zeros(n)\n    y = np.array(x)\n    x = y.copy()\n    x[0] = 1.0\n    return x\n"
    ),
}


@pytest.mark.parametrize("body", FAILS.values(), ids=FAILS)
def test_what_is_an_array_of_jax_at_that_line_is_reported(body: str, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=("SCN208",))
    [finding] = check_text((HOST + body).encode(), tmp_path / "model.py", settings).findings
    assert finding.level == "error"


@pytest.mark.parametrize("body", WORKS.values(), ids=WORKS)
def test_what_is_an_array_of_numpy_there_is_left(body: str, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=("SCN208",))
    assert not check_text((HOST + body).encode(), tmp_path / "model.py", settings).findings


def fix_of(body: str, folder: Path) -> tuple[str, str | None]:
    settings = Settings(root=folder, select=("SCN208",))
    (finding,) = check_text((HEAD + body).encode(), folder / "model.py", settings).findings
    return finding.fix.status, finding.fix.reason


@pytest.mark.parametrize(("body", "code"), REASONS.values(), ids=REASONS)
def test_what_somebody_else_would_see_is_not_rewritten(body: str, code: str, tmp_path: Path) -> None:
    status, reason = fix_of(body, tmp_path)
    assert (status, (reason or "").partition(":")[0]) == ("withheld", code)


@pytest.mark.parametrize("body", WRITTEN.values(), ids=WRITTEN)
def test_what_only_the_function_sees_is_rewritten(body: str, tmp_path: Path) -> None:
    assert fix_of(body, tmp_path)[0] == "available"
