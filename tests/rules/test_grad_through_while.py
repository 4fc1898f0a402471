"""Derivatives that would have to go back through a loop: what is reported is what JAX refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import pytest

from scanlint.engine.session import check
from scanlint.settings import Settings

HEAD = """\
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def halve(x):
    return lax.while_loop(lambda s: jnp.max(s) > 0.1, lambda s: s * 0.5, x)


def counted(x):
    return lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * 0.5, s[1] + 1), (x, 0))


"""
REFUSED = {
    "the_argument_is_carried": "f = jax.grad(lambda x: halve(x).sum())",
    "value_and_grad": "f = jax.value_and_grad(lambda x: halve(x).sum())",
    "jacrev": "f = jax.jacrev(halve)",
    "hessian": "f = jax.hessian(lambda x: halve(x).sum())",
    "vjp": "def f(x):\n    y, back = jax.vjp(halve, x)\n    return back(y)",
    "in_a_jitted_function": "@jax.jit\ndef f(x):\n    return jax.grad(lambda v: halve(v).sum())(x)",
    "what_is_carried_with_a_counter": "f = jax.grad(lambda x: counted(x)[0].sum())",
    "the_body_closes_over_the_argument": (
        "def run(w, x):\n"
        "    def body(s):\n        return s[0] * w, s[1] + 1\n\n"
        "    return lax.while_loop(lambda s: s[1] < 3, body, (x, 0))[0].sum()\n\n\n"
        "def f(x):\n    return jax.grad(run)(x, jnp.ones(3))"
    ),
    "the_second_argument": "f = partial(jax.grad(lambda n, x: halve(x * n).sum(), argnums=1), 2.0)",
    "a_bound_that_is_traced": (
        "@jax.jit\ndef g(x, n):\n"
        "    return jax.grad(lambda v: lax.fori_loop(0, n, lambda i, c: jnp.sin(c), v).sum())(x)\n\n\n"
        "def f(x):\n    return g(x, 3)"
    ),
    "under_a_scan_and_vmap": (
        "def step(c, v):\n    return jax.vmap(halve)(c * v), None\n\n\n"
        "f = jax.grad(lambda x: lax.scan(step, x, jnp.ones(2))[0].sum())"
    ),
    "a_method": (
        "class Model:\n    def energy(self, q):\n        return halve(q).sum()\n\n"
        "    def force(self, q):\n        return -jax.grad(self.energy)(q)\n\n\n"
        "def f(x):\n    return Model().force(x)"
    ),
    "items_of_parameters": (
        "def loss(p):\n    return halve(p['w'] * 2.0).sum()\n\n\ndef f(x):\n    return jax.grad(loss)({'w': x})"
    ),
    "a_long_chain_of_choices": (
        "import os\n\n\ndef f0(x, fast):\n    return halve(x)\n\n\n"
        + "".join(
            f"def f{n + 1}(x, fast):\n    if fast:\n        return f{n}(x, fast)\n    return 2.0 * f{n}(x, fast)\n\n\n"
            for n in range(20)
        )
        + "f = jax.grad(lambda x: f20(x, 'FAST' in os.environ).sum())"
    ),
    "with_something_beside_the_result": "f = jax.grad(lambda x: (halve(x).sum(), x), has_aux=True)",
}
LEGAL = {
    "forward_mode": "f = jax.jacfwd(halve)",
    "linearize": "def f(x):\n    return jax.linearize(halve, x)[0]",
    "behind_stop_gradient": "f = jax.grad(lambda x: (x * lax.stop_gradient(halve(x))).sum())",
    "stopped_before": "f = jax.grad(lambda x: (x * halve(lax.stop_gradient(x))).sum())",
    "of_another_argument": "f = partial(jax.grad(lambda n, x: (n * halve(x)).sum()), 2.0)",
    "static_bounds": "f = jax.grad(lambda x: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c), x).sum())",
    "only_the_counter_comes_out": "f = jax.grad(lambda x: (counted(x)[1] * x).sum())",
    "beside_the_result": "f = jax.grad(lambda x: (x.sum(), halve(x)), has_aux=True)",
    "a_rule_of_its_own": (
        "@jax.custom_vjp\ndef root(x):\n    return halve(x)\n\n\n"
        "root.defvjp(lambda x: (root(x), x), lambda x, g: (g,))\n\n\nf = jax.grad(lambda x: root(x).sum())"
    ),
    "whole_numbers": "f = jax.grad(lambda x: x.sum() * lax.while_loop(lambda i: i < 3, lambda i: i + 1, x.ndim))",
    "the_place_of_the_largest": "f = jax.grad(lambda x: x.sum() * halve(1.0 * jnp.argmax(x)))",
    "a_bound_of_the_shape": "f = jax.grad(lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: jnp.sin(c), x).sum())",
}


def reported(folder: Path, text: str) -> int:
    (folder / "model.py").write_text(HEAD + text + "\n", encoding="utf-8")
    outcome = check([folder], Settings(root=folder, select=("SCN403",), cache=False))
    assert not outcome.problems
    return len(outcome.findings)


def function(text: str) -> Callable[[object], object]:
    made: dict[str, object] = {}
    exec(compile(HEAD + text, "model.py", "exec"), made)
    found = made["f"]
    assert callable(found)
    return found


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_jax_refuses_is_reported(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        function(text)(jnp.array([1.0, 2.0, 3.0]))
    assert reported(tmp_path, text) == 1


@pytest.mark.parametrize("text", LEGAL.values(), ids=LEGAL.keys())
def test_what_jax_differentiates_is_not_reported(text: str, tmp_path: Path) -> None:
    function(text)(jnp.array([1.0, 2.0, 3.0]))
    assert reported(tmp_path, text) == 0


def test_the_chain_leads_from_the_loop_to_the_derivative_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "solver.py").write_text(HEAD, encoding="utf-8")
    (tmp_path / "train.py").write_text(
        "import jax\n\nfrom solver import halve\n\n\ndef loss(w, x):\n    return halve(w * x).sum()\n\n\n"
        "@jax.jit\ndef update(w, x):\n    return w - 0.1 * jax.grad(loss)(w, x)\n",
        encoding="utf-8",
    )
    [finding] = check([tmp_path], Settings(root=tmp_path, select=("SCN403",), cache=False)).findings
    assert Path(finding.path).name == "solver.py"
    assert [link.text for link in finding.chain] == [
        "the loop carries what is differentiated",
        "`halve` <- `loss`",
        "`loss` <- `jax.grad` in `update`",
    ]


def test_a_derivative_in_what_is_differentiated_is_followed_too(tmp_path: Path) -> None:
    (tmp_path / "solver.py").write_text(
        HEAD + "def force(x):\n    return jax.grad(lambda q: halve(q).sum())(x)\n", encoding="utf-8"
    )
    (tmp_path / "train.py").write_text(
        "import jax\n\nimport solver\n\n\ndef loss(w):\n    return solver.force(w).sum()\n\n\n"
        "@jax.jit\ndef update(w):\n    return jax.grad(loss)(w)\n",
        encoding="utf-8",
    )
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN403",), cache=False))
    assert not outcome.problems
    assert [Path(finding.path).name for finding in outcome.findings] == ["solver.py"]
