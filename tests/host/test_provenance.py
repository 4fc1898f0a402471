"""What JAX surely made, as far as the text of a function and of its class tells."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scanlint.host.provenance import of_jax
from scanlint.project.files import read
from scanlint.settings import Settings
from scanlint.trace.program.project import Project

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"
LOOP = "    for i in range(9):\n        print(jnp.sin(float(i)))\n"
SWAPPED = "    a = {}(3)\n    for i in range(9):\n        b = a\n        a = b * 2.0\n    return a + b\n"
NOT_SURE = {
    "what begins in NumPy and is handed round": f"def f():\n{SWAPPED.format('np.zeros')}",
    "an annotation that names NumPy too": f"def f(x: np.ndarray | jax.Array):\n{LOOP}    return x\n",
    "an annotation that names a Python number too": f"def f(x: float | jax.Array):\n{LOOP}    return x\n",
}
KEPT = (
    "class Model:\n    def __init__(self):\n        {}\n\n"
    "    def f(self):\n        for i in range(9):\n            print(jnp.sin(float(i)))\n        return self.w\n"
)
FIELDS = {
    "a field with an annotation where it is set": ("self.w: np.ndarray = np.zeros(3)", False),
    "a field that is unpacked": ("self.w, self.n = np.zeros(3), 1", False),
    "a field set beside another one": ("self.v = self.w = np.zeros(3)", False),
    "a field that JAX makes": ("self.w = jnp.zeros(3)", True),
    "a field that JAX makes and that is added to": ("self.w = jnp.zeros(3); self.w += np.ones(3)", True),
}


def sure(tmp_path: Path, code: str) -> bool:
    """Of what the function that is looked at returns."""
    file = tmp_path / "sample.py"
    file.write_text(HEAD + code)
    units = Project.load([read(file)], Settings(select=("ALL",))).units()
    unit = next(unit for unit in units if unit.qualname in ("f", "Model.f"))
    (returned,) = (node for node in ast.walk(unit.node) if isinstance(node, ast.Return))
    assert returned.value is not None
    return of_jax(unit, returned.value)


@pytest.mark.parametrize("code", NOT_SURE.values(), ids=NOT_SURE)
def test_what_numpy_may_have_made_is_not_surely_of_jax(code: str, tmp_path: Path) -> None:
    assert not sure(tmp_path, code)


@pytest.mark.parametrize(
    "code",
    [f"def f():\n{SWAPPED.format('jnp.zeros')}", f"def f(x: jax.Array | None):\n{LOOP}    return x\n"],
    ids=["what JAX makes and is handed round", "an annotation that names an array of JAX"],
)
def test_what_jax_makes_is_surely_of_jax(code: str, tmp_path: Path) -> None:
    assert sure(tmp_path, code)


@pytest.mark.parametrize(("statement", "of_jax"), FIELDS.values(), ids=FIELDS)
def test_a_field_is_what_all_statements_that_set_it_make(statement: str, of_jax: bool, tmp_path: Path) -> None:
    assert sure(tmp_path, KEPT.format(statement)) is of_jax
