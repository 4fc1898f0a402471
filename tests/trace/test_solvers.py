"""Functions that libraries run under a trace of their own: terms of ODEs, objectives, models of a sampler."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanlint.jaxapi.solvers import ROWS, SOLVERS
from tests.conftest import Scanlint
from tests.trace.test_entry_points import asked_of_tracers, project

CALLS = [
    pytest.param("from jax.experimental.ode import odeint", "odeint(f, y, t, 2.0)", ["a > 0", "b > 0", "c > 0"], id="odeint"),
    pytest.param("from jax.scipy.optimize import minimize", "minimize(f, y, method='BFGS')", ["a > 0", "b > 0", "c > 0"], id="minimize"),
    pytest.param("import jax.numpy as jnp", "jnp.apply_along_axis(f, 0, y)", ["a > 0", "b > 0", "c > 0"], id="apply_along_axis"),
    pytest.param("import jax.numpy as jnp", "jnp.piecewise(y, [y < 0], [f, 1.0])", ["a > 0", "b > 0", "c > 0"], id="piecewise"),
    pytest.param("import diffrax", "diffrax.ODETerm(f)", ["a > 0", "b > 0"], id="a term, but not what the caller hands on"),
    pytest.param("import diffrax", "diffrax.SaveAt(ts=t, fn=f)", ["a > 0", "b > 0"], id="a function given by name alone"),
    pytest.param("import optimistix as optx", "optx.root_find(f, optx.Newton(1e-3, 1e-3), y)", ["a > 0"], id="optimistix"),
    pytest.param("import jaxopt", "jaxopt.LBFGS(fun=f, maxiter=3).run(y)", ["a > 0"], id="jaxopt"),
    pytest.param("import jaxopt", "jaxopt.OptaxSolver(opt, fun=f)", ["a > 0"], id="jaxopt's second argument"),
    pytest.param("import blackjax", "blackjax.nuts(f, 0.1, y)", ["a > 0", "b > 0", "c > 0"], id="blackjax"),
    pytest.param("import blackjax", "blackjax.window_adaptation(blackjax.nuts, f)", ["a > 0", "b > 0", "c > 0"], id="its adaptation"),
    pytest.param("from numpyro.infer import NUTS", "NUTS(f)", [], id="a model is given what the caller has"),
    pytest.param("from numpyro.infer import NUTS", "NUTS(potential_fn=f)", ["a > 0", "b > 0", "c > 0"], id="a potential is not"),
    pytest.param("import scipy.optimize", "scipy.optimize.minimize(f, y)", [], id="SciPy's runs on the host"),
    pytest.param("from functools import partial\nimport blackjax", "blackjax.nuts(partial(f, 1.0), 0.1, y)", ["b > 0", "c > 0"], id="what a partial has given is no tracer"),
]  # fmt: skip
SITES = """
import jax, numpyro
import jax.numpy as jnp
import numpyro.distributions as dist
from numpyro.infer import NUTS

def model(n, y):
    z = jnp.zeros(3)
    for t in range({trips}):
        z = jnp.tanh(z) * 2 + numpyro.sample(f"z_{{t}}", dist.Normal(jnp.sin(z), jnp.exp(z)))
        z = jnp.cos(z) * jnp.exp(z) + jnp.sin(z) / (1 + z * z)
    return z

def infer():
    return NUTS(model)
"""
MODEL = """
import jax, numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

def model(x, y=None):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(a, 1.0), obs=y)
    c = numpyro.deterministic("c", a * 2)
    u, v, w = 1 if a > 0 else 2, 1 if b > 0 else 2, 1 if c > 0 else 2
    for t in range(1, 99):
        {statement}

def infer(x, y, key):
    MCMC(NUTS(model), num_warmup=9, num_samples=9).run(key, x, y)
"""


@pytest.mark.parametrize(("imports", "call", "traced"), CALLS)
def test_a_function_given_to_a_solver_is_traced(imports: str, call: str, traced: list[str], tmp_path: Path) -> None:
    text = (
        f"import jax\n{imports}\ndef f(a, b, c):\n    return (1 if a > 0 else 2) + (1 if b > 0 else 2) + (1 if c > 0 else 2)\n"
        f"def solve(y, t, opt):\n    return {call}\n"
    )
    found = {u.qualname: asked_of_tracers(u) for u in project(tmp_path, {"a.py": text}).units()}
    assert found.get("f", []) == traced


def test_the_reason_names_the_solver(tmp_path: Path) -> None:
    text = "import jax, diffrax\ndef f(t, y, args):\n    return y if t > 0 else -y\ndef g(y):\n    return diffrax.ODETerm(vector_field=f)\n"
    (unit,) = (u for u in project(tmp_path, {"a.py": text}).units() if u.qualname == "f")
    assert unit.contexts[unit.node].chain[0].text == "`f` <- `diffrax.ODETerm` in `g`"


def test_what_a_model_draws_is_a_tracer_and_what_is_observed_is_not(tmp_path: Path) -> None:
    (unit,) = (u for u in project(tmp_path, {"a.py": MODEL.format(statement="pass")}).units() if u.qualname == "model")
    assert asked_of_tracers(unit) == ["a > 0", "c > 0"]


@pytest.mark.parametrize(("trips", "said"), [("99", ["unrolled-loop"]), ("n", [])])
def test_sites_that_a_loop_names_are_many_only_where_their_number_is_known(
    trips: str, said: list[str], tmp_path: Path, run: Scanlint
) -> None:
    (tmp_path / "a.py").write_text(SITES.format(trips=trips))
    found = run("--output-format", "json", "a.py")
    assert [f["name"] for f in json.loads(found.stdout)["findings"]] == said


def test_a_function_that_hands_a_solver_what_it_is_given_is_followed(tmp_path: Path) -> None:
    text = (
        "import jax, jaxopt\ndef f(a):\n    return 1 if a > 0 else 2\n"
        "def fit(loss, y):\n    return jaxopt.LBFGS(loss).run(y)\ndef main(y):\n    return fit(f, y)\n"
    )
    found = {u.qualname: asked_of_tracers(u) for u in project(tmp_path, {"a.py": text}).units()}
    assert found["f"] == ["a > 0"]


def test_a_checked_function_gives_its_error_and_its_result(tmp_path: Path) -> None:
    text = (
        "import jax\nfrom jax.experimental import checkify\ndef f(a):\n    return 1 if a > 0 else 2\n"
        "@jax.jit\ndef g(a):\n    err, out = checkify.checkify(f)(a)\n    return 1 if out > 1 else 2\n"
    )
    found = {u.qualname: asked_of_tracers(u) for u in project(tmp_path, {"a.py": text}).units()}
    assert found["f"] == ["a > 0"]


def test_rows_name_each_function_once() -> None:
    named = [f"{module}.{name}" for module, names, _ in ROWS for name in names.split()]
    assert sorted(named) == sorted(SOLVERS)
    assert all(slot.place >= -1 and slot.name.isidentifier() for s in SOLVERS.values() for slot in s.slots)
