"""Where a run of the project may begin, and how it runs op by op."""

from __future__ import annotations

import ast
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from scanlint.verify.worker.harvest.beginnings import MAIN, beginnings, with_main
from scanlint.verify.worker.harvest.eager_program import eagerly

CORE = "import jax\n\ndef inner(x):\n    return x\n\nclass Model:\n    def step(self, x):\n        return inner(x)\n"
USE = """
import core

def helper(m):
    return m.step(1.0)

def main(count=3):
    return helper(core.Model())

def other():
    return helper(core.Model())

def unrelated():
    return 1

if __name__ == "__main__":
    result = main()
"""
TEST = "from core import inner\n\ndef test_inner():\n    inner(1.0)\n\ndef test_nothing():\n    assert True\n"


def test_tests_come_first_and_only_what_reaches_a_wanted_function_is_run(tmp_path: Path) -> None:
    for name, text in {"core": CORE, "use": USE, "test_core": TEST}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    core = str((tmp_path / "core.py").resolve())
    found = beginnings(str(tmp_path), [(core, "inner"), (core, "Model.step")])
    assert [(Path(e.file).name, e.name) for e in found] == [
        ("test_core.py", "test_inner"),
        ("use.py", MAIN),
        ("use.py", "other"),
    ]
    assert found[0].reaches == {0}
    assert found[1].reaches == {0, 1}


def test_what_a_script_binds_stays_in_its_module() -> None:
    names: dict[str, object] = {"core": None, "__name__": "use"}
    tree = with_main(ast.parse("total = 1\nif __name__ == '__main__':\n    total = total + 1\n"))
    exec(compile(tree, "<script>", "exec"), names)
    main = names[MAIN]
    assert callable(main)
    main()
    assert names["total"] == 2


def test_a_program_runs_op_by_op_with_traced_tests() -> None:
    with eagerly():

        @jax.jit
        def clipped(x: jax.Array) -> jax.Array:
            return x if x > 0 else -x

        def step(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
            carry = carry + clipped(x)
            return carry, carry

        total, seen = jax.lax.scan(step, jnp.float32(0.0), jnp.array([1.0, -2.0, 3.0]))
        rows = jax.vmap(clipped)(jnp.array([1.0, 2.0]))
    np.testing.assert_allclose(seen, [1.0, 3.0, 6.0])
    assert float(total) == 6.0
    np.testing.assert_allclose(rows, [1.0, 2.0])
    assert not isinstance(jax.jit(clipped), type(clipped))
