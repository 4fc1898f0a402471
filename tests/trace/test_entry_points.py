"""Code whose jit stands elsewhere: environments, modules, and what the configuration names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scanlint.engine.unmet import unmet
from scanlint.project.files import read
from scanlint.project.modules import Trees
from scanlint.project.survey import examine
from scanlint.settings import Settings
from scanlint.trace.domain.contexts import FunctionContext
from scanlint.trace.program.project import Project
from scanlint.trace.unit import Unit

MAZE = """
import chex, jax
from flax import struct
from gymnax.environments import environment

@struct.dataclass
class State:
    pos: chex.Array
    walls: int = struct.field(pytree_node=False)

class Base(environment.Environment):
    def inside(self, pos):
        return pos if pos[0] > 0 else -pos

class Maze(Base):
    def __init__(self, n):
        self.n = n if n > 0 else 1

    def step_env(self, key, state: State, action: int, params):
        pos = self.inside(state.pos) if action == 1 else state.pos
        for _ in range(self.n):
            pos = pos if state.walls else pos + 1
        while params:
            pos = pos + 1
        return pos

    def render(self, state):
        return 1 if state else 2
"""
OWN = {
    "jumanji/__init__.py": "",
    "jumanji/env.py": "import abc, jax\nclass Environment(abc.ABC):\n    def step(self, state, action): ...\n",
    "jumanji/game.py": "import jax\nfrom jumanji.env import Environment\nclass Game(Environment[int]):\n    def step(self, state, action):\n        return state if action > 0 else -state\n",
}  # fmt: skip
NET = """
import {library}, jax
class Net({base}):
    def __call__(self, x, y: jax.Array, train, mask=None, n=3):
        a = 1 if x.sum() > 0 else 2
        b = 1 if y > 0 else 2
        c = 1 if train else 2
        d = 1 if mask else 2
        return [x.T for _ in range(n)]
    def setup(self):
        return 1 if self.n else 2
"""
PATTERNS = [
    pytest.param("pkg.mod", ["A.__call__", "A.go", "f"], id="a module"),
    pytest.param("pkg.*", ["A.__call__", "A.go", "f"], id="a glob over names"),
    pytest.param("pkg.mod.A", ["A.__call__", "A.go"], id="a class"),
    pytest.param("pkg.mod.A.go", ["A.go"], id="a method"),
    pytest.param("pkg.mod.A.__init__", ["A.__init__"], id="a constructor in full"),
    pytest.param("*.f", ["f"], id="a function wherever it is"),
    pytest.param("pkg/*.py", ["A.__call__", "A.go", "f"], id="a glob over paths"),
    pytest.param("pkg/", ["A.__call__", "A.go", "f"], id="a folder"),
    pytest.param("mod", [], id="a name that is not whole"),
]
MODULE = """
import jax
class A:
    def __init__(self, n):
        self.n = n if n else 1
    def __call__(self, x):
        return x if x else -x
    def go(self, x):
        return x if x else -x
def f(x, w: jax.Array, n, k):
    a = x.at[0].set(1) if x[0] > 0 else x
    b = 1 if w > 0 else 2
    c = 1 if k > 0 else 2
    return a * n
"""


def project(folder: Path, files: dict[str, str], *patterns: str) -> Project:
    paths = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(path)
    return Project.load(paths, Settings(root=folder, assume_traced=patterns))


def contexts(found: Project) -> dict[str, FunctionContext]:
    return {unit.qualname: unit.contexts[unit.node] for unit in found.units()}


def asked_of_tracers(unit: Unit) -> list[str]:
    """The tests of a unit that ask for a tracer, as written."""
    tests = [
        test for group in unit.kinds.values() for node in group if (test := getattr(node, "test", None)) is not None
    ]
    return sorted(unit.source.segment(test) for test in tests if unit.value(test).traced)


def test_an_environment_is_traced_through_the_classes_of_the_project(tmp_path: Path) -> None:
    units = {u.qualname: u for u in project(tmp_path, {"maze.py": MAZE}).units()}
    traced = [name for name, unit in units.items() if unit.contexts[unit.node].traced]
    assert traced == ["Base.inside", "Maze.step_env"]
    assert asked_of_tracers(units["Base.inside"]) == ["pos[0] > 0"]
    assert asked_of_tracers(units["Maze.step_env"]) == ["action == 1"]


@pytest.mark.parametrize("annotation", ["np.ndarray", "npt.NDArray[np.float64]"])
def test_what_a_jitted_function_is_given_is_a_tracer_though_an_array_of_numpy_goes_in(
    annotation: str, tmp_path: Path
) -> None:
    text = (
        "import jax, numpy as np\nimport numpy.typing as npt\n@jax.jit\n"
        f"def f(x: {annotation}, n: int = 3):\n    return np.sqrt(x) if x > 0 else x * n\n"
    )
    (unit,) = project(tmp_path, {"a.py": text}).units()
    assert asked_of_tracers(unit) == ["x > 0"]


def test_the_reason_names_the_base_and_the_method(tmp_path: Path) -> None:
    (link,) = contexts(project(tmp_path, {"maze.py": MAZE}))["Maze.step_env"].chain
    assert link.text == "`Maze` is a `gymnax.environments.environment.Environment`: its `step_env` runs under a trace"
    assert link.link().line == 19


def test_a_library_of_environments_is_known_from_inside(tmp_path: Path) -> None:
    found = contexts(project(tmp_path, OWN))
    assert found["Game.step"].traced
    assert "`jumanji.env.Environment`" in found["Game.step"].chain[0].text


def test_an_environment_of_another_library_is_not(tmp_path: Path) -> None:
    files = {"maze.py": MAZE.replace("gymnax.environments", "dm.environments")}
    assert not any(context.traced for context in contexts(project(tmp_path, files)).values())


SIGNATURES = [
    pytest.param("pgx.core.Env", "_step(self, state, action, key)", "action == 2", True, id="pgx"),
    pytest.param("brax.envs.PipelineEnv", "reset(self, rng)", "rng[0] > 0", True, id="brax"),
    pytest.param("jaxmarl.environments.MultiAgentEnv", "step_env(self, k, s, actions)", "actions['a'] > 0", True, id="JaxMARL"),
    pytest.param("xminigrid.environment.Environment", "step(self, params, timestep, action)", "action > 0", True, id="XLand"),
    pytest.param("xminigrid.environment.Environment", "step(self, params, timestep, action)", "params.n > 0", False, id="XLand's settings"),
    pytest.param("jumanji.env.Environment", "step(self, state, action)", "self.n > 0", False, id="jumanji's settings"),
    pytest.param("jumanji.env.Environment", "render(self, state)", "state.x > 0", False, id="what runs on the host"),
]  # fmt: skip


@pytest.mark.parametrize(("base", "method", "test", "traced"), SIGNATURES)
def test_each_library_says_which_arguments_are_arrays(
    base: str, method: str, test: str, traced: bool, tmp_path: Path
) -> None:
    text = f"import jax, {base.partition('.')[0]}\nclass A({base}):\n    def {method}:\n        return 1 if {test} else 2\n"
    units = list(project(tmp_path, {"a.py": text}).units())
    assert [asked_of_tracers(unit) for unit in units] == ([[test]] if traced else [[]][: len(units)])


@pytest.mark.parametrize("base", ["flax.linen.Module", "flax.nnx.Module", "haiku.Module", "equinox.Module"])
def test_inputs_of_a_module_are_arrays_where_only_an_array_will_do(base: str, tmp_path: Path) -> None:
    text = NET.format(library=base.rpartition(".")[0], base=base)
    units = {u.qualname: u for u in project(tmp_path, {"net.py": text}).units()}
    assert asked_of_tracers(units["Net.__call__"]) == ["x.sum() > 0", "y > 0"]
    assert "Net.setup" not in units or not units["Net.setup"].contexts[units["Net.setup"].node].traced


@pytest.mark.parametrize(
    ("body", "traced"),
    [
        pytest.param("self.dense(x)", True, id="it calls a part"),
        pytest.param("self(x)", True, id="it calls the module"),
        pytest.param("self.apply({}, x)", False, id="it brings the parameters in"),
        pytest.param("jnp.sin(x)", False, id="it needs no parameters"),
    ],
)
@pytest.mark.parametrize("base", ["flax.linen.Module", "haiku.Module"])
def test_methods_of_a_module_that_need_its_parameters_are_traced(
    base: str, body: str, traced: bool, tmp_path: Path
) -> None:
    text = (
        f"import {base.partition('.')[0]}\nimport jax.numpy as jnp\nimport flax.linen\nclass Net({base}):\n    def __call__(self, x):\n        return x\n"
        f"    def roll(self, x: jnp.ndarray):\n        y = {body}\n        return y if x.sum() > 0 else x\n"
    )
    found = {u.qualname: asked_of_tracers(u) for u in project(tmp_path, {"net.py": text}).units()}
    assert found.get("Net.roll", []) == (["x.sum() > 0"] if traced else [])


@pytest.mark.parametrize(
    ("line", "traced"),
    [
        pytest.param("out = np.zeros_like(x)", False, id="NumPy is handed a parameter"),
        pytest.param("out = np.zeros(3)", True, id="NumPy makes a constant"),
        pytest.param("out = jnp.zeros_like(x)", True, id="all of it is JAX"),
    ],
)
def test_a_module_that_could_not_be_traced_is_called_on_the_host(line: str, traced: bool, tmp_path: Path) -> None:
    text = (
        "import equinox, jax, numpy as np, jax.numpy as jnp\nclass A(equinox.Module):\n"
        f"    def __call__(self, x: jax.Array):\n        {line}\n        return out if x.sum() > 0 else x\n"
    )
    units = list(project(tmp_path, {"a.py": text}).units())
    assert [asked_of_tracers(unit) for unit in units] == ([["x.sum() > 0"]] if traced else [[]][: len(units)])


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS)
def test_a_pattern_names_functions(pattern: str, expected: list[str], tmp_path: Path) -> None:
    found = contexts(project(tmp_path, {"pkg/__init__.py": "", "pkg/mod.py": MODULE}, pattern))
    assert sorted(name for name, context in found.items() if context.traced) == expected


def test_parameters_of_what_is_assumed_are_tracers_only_with_evidence(tmp_path: Path) -> None:
    (unit,) = (u for u in project(tmp_path, {"mod.py": MODULE}, "mod.f").units() if u.qualname == "f")
    assert asked_of_tracers(unit) == ["w > 0", "x[0] > 0"]
    assert unit.contexts[unit.node].chain[0].text == "`f` runs under a trace by `mod.f` in `assume-traced`"


def test_what_is_jitted_itself_keeps_its_static_arguments(tmp_path: Path) -> None:
    code = "import jax\nfrom functools import partial\n@partial(jax.jit, static_argnums=1)\ndef f(x, n):\n    return x if n > 0 else -x\n"
    (unit,) = project(tmp_path, {"mod.py": code}, "mod.*").units()
    (test,) = unit.every(ast.Compare)
    assert unit.value(test).static


def test_a_pattern_that_names_nothing_is_noted(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(MODULE)
    settings = Settings(root=tmp_path, assume_traced=("mod.f", "mod.g*"))
    surveyed, _ = examine(read(tmp_path / "mod.py"), settings, Trees())
    assert list(unmet("assume-traced", settings.assume_traced, set(surveyed.assumed), "function")) == [
        "`assume-traced`: `mod.g*` names no function"
    ]
