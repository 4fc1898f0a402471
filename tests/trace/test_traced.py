"""Which functions are traced, and why."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from scanlint.settings import Settings
from scanlint.trace.domain.contexts import FunctionContext
from scanlint.trace.program.project import Project

HEADER = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n"


def load(folder: Path, **files: str) -> Project:
    """A project of these files."""
    return load_files(folder, {f"{name}.py": text for name, text in files.items()})


def load_files(folder: Path, files: dict[str, str]) -> Project:
    """A project of files by their paths."""
    paths = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        paths.append(path)
    return Project.load(paths, Settings(root=folder))


def contexts(project: Project) -> dict[str, FunctionContext]:
    """How each function of the project is run, by its own name."""
    return {
        context.qualname.rpartition(".")[2]: context for unit in project.units() for context in unit.contexts.values()
    }


SPELLINGS = [
    pytest.param("@jax.jit\ndef step(x):\n    return x if x.shape else -x\n", id="a decorator"),
    pytest.param("@partial(jax.jit, static_argnames='n')\ndef step(x, n=1):\n    return x if n else -x\n", id="partial"),
    pytest.param("@jax.jit(static_argnames='n')\ndef step(x, n=1):\n    return x if n else -x\n", id="a called decorator"),
    pytest.param("from jax import jit as fast\n@fast\ndef step(x):\n    return x if x.shape else -x\n", id="an alias"),
    pytest.param("def step(x):\n    return x if x.shape else -x\nstep = jax.jit(step)\n", id="the name is rebound"),
    pytest.param("def step(x):\n    return x if x.shape else -x\nfast = jax.jit(step)\n", id="jit of a function"),
    pytest.param("def step(k, x):\n    return x if k else -x\nf = jax.jit(partial(step, 2))\n", id="jit of a partial"),
    pytest.param("def step(x):\n    return x if x.shape else -x\nf = jax.jit(lambda x: step(x))\n", id="jit of a lambda"),
    pytest.param("def step(x):\n    return x if x.shape else -x\ndef run(xs):\n    return jax.vmap(step)(xs)\n", id="vmap"),
    pytest.param("def step(c, x):\n    return (c, x) if x.shape else (c, -x)\ndef run(xs):\n    return jax.lax.scan(step, 0., xs)\n", id="the body of a scan"),
    pytest.param("def step(i, c):\n    return c if c.shape else -c\ndef run(c):\n    return jax.lax.fori_loop(0, 9, step, c)\n", id="the body of a fori_loop"),
    pytest.param("def step(c):\n    return c if c.shape else -c\ndef run(c):\n    return jax.lax.while_loop(lambda c: c > 0, step, c)\n", id="the body of a while_loop"),
    pytest.param("def step(c):\n    return c if c.shape else -c\ndef run(p, c):\n    return jax.lax.cond(p, step, lambda c: c, c)\n", id="a branch of a cond"),
    pytest.param("def step(c):\n    return c if c.shape else -c\ndef run(p, c):\n    return jax.lax.switch(p, [step, step], c)\n", id="a branch of a switch"),
    pytest.param("def step(x):\n    return x if x.shape else -x\n@jax.jit\ndef outer(x):\n    return step(x)\n", id="a helper of traced code"),
    pytest.param("class A:\n    def step(self, x):\n        return x if x.shape else -x\n    def __init__(self):\n        self.fast = jax.jit(self.step)\n", id="jit of a bound method"),
    pytest.param("class A:\n    def step(self, x):\n        return x if x.shape else -x\n    @partial(jax.jit, static_argnums=0)\n    def run(self, x):\n        return self.step(x)\n", id="a method called through self"),
    pytest.param("class B:\n    def step(self, x):\n        return x if x.shape else -x\nclass A(B):\n    @partial(jax.jit, static_argnums=0)\n    def run(self, x):\n        return self.step(x)\n", id="a method of a base class"),
    pytest.param("def run(xs):\n    @jax.jit\n    def step(x):\n        return x if x.shape else -x\n    return step(xs)\n", id="a nested function"),
    pytest.param("import equinox as eqx\n@eqx.filter_jit\ndef step(x):\n    return x if x.shape else -x\n", id="filter_jit"),
    pytest.param("from flax import nnx\n@nnx.jit\ndef step(x):\n    return x if x.shape else -x\n", id="nnx.jit"),
    pytest.param("@jax.checkpoint\ndef step(x):\n    return x if x.shape else -x\n", id="checkpoint"),
    pytest.param("def step(x):\n    return x if x.shape else -x\nrun = jax.jit(jax.value_and_grad(step))\n", id="jit of a gradient"),
    pytest.param("import flax.linen as nn\nclass M(nn.Module):\n    @nn.compact\n    def __call__(self, x):\n        return self.step(x)\n    def step(self, x):\n        return x if x.shape else -x\n", id="a method of a flax module"),
    pytest.param("if True:\n    @jax.jit\n    def step(x):\n        return x if x.shape else -x\n", id="a definition under an if"),
]  # fmt: skip

HOST = [
    pytest.param("def step(x):\n    return x if x.shape else -x\ny = step(jnp.ones(3))\n", id="only called on the host"),
    pytest.param("def step(x):\n    return x if x.shape else -x\ng = jax.grad(step)\n", id="a gradient alone"),
    pytest.param("from numba import jit\n@jit\ndef step(x):\n    return x if x.shape else -x\n", id="jit of numba"),
    pytest.param("def step(x):\n    return x if x.shape else -x\n@jax.jit\ndef run(x):\n    return jax.pure_callback(step, x, x)\n", id="a callback"),
    pytest.param("from jax.experimental import pallas as pl\ndef step(x, o):\n    o[...] = x if x.shape else -x\n@jax.jit\ndef run(x):\n    return pl.pallas_call(step, out_shape=x)(x)\n", id="a Pallas kernel"),
]  # fmt: skip


@pytest.mark.parametrize("text", SPELLINGS)
def test_a_spelling_of_tracing_is_seen(tmp_path: Path, text: str) -> None:
    found = contexts(load(tmp_path, program=HEADER + text))["step"]
    assert found.traced
    assert found.chain[0].text.startswith("`step` <- ") or "flax" in found.chain[-1].text
    assert all(link.link().path.endswith("program.py") for link in found.chain)


@pytest.mark.parametrize("text", HOST)
def test_what_runs_on_the_host_is_not_traced(tmp_path: Path, text: str) -> None:
    assert not any(c.traced for name, c in contexts(load(tmp_path, program=HEADER + text)).items() if name == "step")


def test_a_helper_in_another_module_is_traced_through_a_re_export(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .core import step\n",
        "pkg/core.py": "def step(x):\n    return x if x.shape else -x\n",
        "pkg/main.py": "import jax\nfrom . import step\n@jax.jit\ndef run(x):\n    return step(x)\n",
    }
    project = load_files(tmp_path, files)
    found = contexts(project)["step"]
    assert found.traced
    assert [link.text for link in found.chain] == ["`step` <- `run`", "`run` <- `@jax.jit`"]


STEP = "def step(x):\n    if x > 0:\n        return x\n    return -x\n"
MAIN = "import jax\n{imports}\n@jax.jit\ndef run(x):\n    return {step}(x)\n"
FOLDERS = {
    "a folder": ({"kit/ops.py": STEP, "main.py": MAIN.format(imports="from kit.ops import step", step="step")}, "kit/ops.py"),
    "a folder, by an attribute": ({"kit/ops.py": STEP, "main.py": MAIN.format(imports="import kit.ops", step="kit.ops.step")}, "kit/ops.py"),
    "a folder, by a star": ({"kit/ops.py": STEP, "main.py": MAIN.format(imports="from kit.ops import *", step="step")}, "kit/ops.py"),
    "a folder below a package": ({"kit/__init__.py": "", "kit/deep/ops.py": STEP, "main.py": MAIN.format(imports="from kit.deep.ops import step", step="step")}, "kit/deep/ops.py"),
    "a package below such a folder": ({"kit/__init__.py": "", "kit/deep/own/__init__.py": "", "kit/deep/own/ops.py": STEP, "main.py": MAIN.format(imports="from kit.deep.own.ops import step", step="step")}, "kit/deep/own/ops.py"),
    "a package in a folder": ({"lib/kit/__init__.py": "", "lib/kit/ops.py": STEP, "main.py": MAIN.format(imports="from lib.kit.ops import step", step="step")}, "lib/kit/ops.py"),
    "the namesake that lies beside it": ({"one/ops.py": "def step(x):\n    return x\n", "two/ops.py": STEP, "two/main.py": MAIN.format(imports="from ops import step", step="step")}, "two/ops.py"),
    "the namesake that is named": ({"one/ops.py": "def step(x):\n    return x\n", "two/ops.py": STEP, "main.py": MAIN.format(imports="from two.ops import step", step="step")}, "two/ops.py"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "path"), FOLDERS.values(), ids=FOLDERS)
def test_imports_go_through_folders_that_are_no_packages(tmp_path: Path, files: dict[str, str], path: str) -> None:
    traced = [
        u.source.path for u in load_files(tmp_path, files).units() if u.qualname == "step" and u.contexts[u.node].traced
    ]
    assert [p.removeprefix(f"{tmp_path}/") for p in map(str, traced)] == [path]


def test_a_number_by_default_is_a_tracer_where_a_call_gives_it(tmp_path: Path) -> None:
    function = "@jax.jit\ndef step(x, rate=1.0):\n    return x if rate < 1.0 else -x\n"
    for call, traced in [("step(x)", False), ("step(x, 0.9)", True), ("step(x, rate=r)", True)]:
        text = f"{HEADER}{function}def use(x, r):\n    return {call}\n"
        (unit,) = (u for u in load(tmp_path, program=text).units() if u.qualname == "step")
        assert unit.value(next(iter(unit.every(ast.Compare)))).traced is traced, call


def test_what_in_axes_leaves_alone_is_no_tracer_though_it_is_given_by_place(tmp_path: Path) -> None:
    text = f"{HEADER}def step(x, orders):\n    return x if orders[0] > 1 else -x\naxes = (0, None)\njax.vmap(step, axes)(jnp.ones(3), (2, 3))\n"
    (unit,) = (u for u in load(tmp_path, program=text).units() if u.qualname == "step")
    assert not unit.value(next(iter(unit.every(ast.Compare)))).traced


def test_static_parameters_are_known_by_name(tmp_path: Path) -> None:
    text = (
        "@partial(jax.jit, static_argnums=(1,), static_argnames=['m'])\ndef step(x, n, m):\n    return x if n else m\n"
    )
    assert contexts(load(tmp_path, program=HEADER + text))["step"].static == {"n", "m"}


def test_a_function_under_a_gradient_is_differentiated(tmp_path: Path) -> None:
    text = "def loss(x):\n    return x if x.shape else -x\nstep = jax.jit(jax.grad(loss))\n"
    assert contexts(load(tmp_path, program=HEADER + text))["loss"].differentiated


def test_the_jit_of_a_function_is_its_decorator_or_the_call(tmp_path: Path) -> None:
    text = "@jax.jit\ndef one(x):\n    return x if x.shape else -x\ndef two(x):\n    return x if x.shape else -x\nf = jax.jit(two)\n"
    found = contexts(load(tmp_path, program=HEADER + text))
    assert found["one"].jit is not None and found["one"].jit.decorator
    assert found["two"].jit is not None and not found["two"].jit.decorator and found["two"].jit.node.lineno == 9


def test_the_configuration_can_say_what_is_traced(tmp_path: Path) -> None:
    (tmp_path / "env.py").write_text(
        "import jax\nclass Env:\n    def step(self, x):\n        return x if x.shape else -x\n"
    )
    project = Project.load([tmp_path / "env.py"], Settings(root=tmp_path, assume_traced=("env.Env.*",)))
    assert contexts(project)["step"].traced


def test_a_file_that_does_not_parse_is_an_error_with_its_place(tmp_path: Path) -> None:
    project = load(
        tmp_path, bad="import jax\ndef f(:\n", good=HEADER + "@jax.jit\ndef step(x):\n    return x if x.shape else x\n"
    )
    assert [(e.line, e.syntax) for e in project.errors] == [(2, True)]
    assert "step" in contexts(project)
