"""Each finding says why its function is traced and why its value is, link by link with places."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from tests.conftest import Scanlint

JAX = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"

PROGRAMS = [
    pytest.param(
        {"a.py": "@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return x * 0\n"},
        ["a.py:7:10: `x` is a parameter of `relu`", "a.py:6:2: `relu` <- `@jax.jit`"],
        id="a decorator",
    ),
    pytest.param(
        {
            "helper.py": "def clip(g):\n    norm = jnp.linalg.norm(g)\n    return g / norm if norm > 1 else g\n",
            "train.py": "import helper as h\nstep = jax.jit(lambda p, g: p - h.clip(g))\n",
        },
        [
            "helper.py:7:5: `norm` = `jnp.linalg.norm(g)`",
            "train.py:7:33: `clip` <- `<lambda>`",
            "train.py:7:8: `<lambda>` <- `jax.jit`",
        ],
        id="a helper in another file, through an alias of its module",
    ),
    pytest.param(
        {
            "train.py": """\
            def error(a, b):
                return jnp.abs(a - b).max()

            def loss(w, x):
                err = error(w, x)
                half = err / 2
                return half * 2 if half > 1.0 else half

            def make_step(rate):
                def step(w, x):
                    return w - rate * jax.grad(loss)(w, x)
                return jax.jit(step)
            """
        },
        [
            "train.py:11:5: `half` = `err / 2`",
            "train.py:10:5: `err` = `error(w, x)`",
            "train.py:7:12: `jnp.abs(a - b)` returns a traced array",
            "train.py:16:27: `loss` <- `jax.grad` in `step`",
            "train.py:17:12: `step` <- `jax.jit` in `make_step`",
        ],
        id="a gradient in a function that a factory jits",
    ),
    pytest.param(
        {
            "sim.py": """\
            class Sim:
                def __init__(self):
                    self.run = jax.jit(self._run)

                def _run(self, state):
                    def body(carry, t):
                        ahead, back = carry - t, carry + t
                        return (carry * 2 if ahead > 0 else back), t
                    return lax.scan(body, state, None, length=5)
            """
        },
        [
            "sim.py:12:13: `ahead` = `carry - t`",
            "sim.py:11:18: `carry` is a parameter of `body`",
            "sim.py:10:20: `state` is a parameter of `_run`",
            "sim.py:14:16: `body` <- `jax.lax.scan` in `_run`",
            "sim.py:8:20: `_run` <- `jax.jit` in `__init__`",
        ],
        id="the body of a scan in a method that is jitted through self",
    ),
    pytest.param(
        {
            "walk.py": """\
            def total(xs):
                acc = jnp.zeros(3)
                for row in xs:
                    acc = jnp.sin(acc) + row * jnp.cos(acc) + jnp.tanh(acc * row)
                return acc

            @jax.vmap
            def each(x):
                return total(jnp.reshape(x, (40, 3)))
            """
        },
        [
            "walk.py:6:11: `xs` is a parameter of `total`",
            "walk.py:14:18: `jnp.reshape(x, (40, 3))` returns a traced array",
            "walk.py:14:12: `total` <- `each`",
            "walk.py:12:2: `each` <- `@jax.vmap`",
        ],
        id="the rows of an argument",
    ),
    pytest.param(
        {
            "maze.py": """\
            import chex
            from brax.envs.base import PipelineEnv
            from flax import struct

            @struct.dataclass
            class State:
                pos: chex.Array

            class Maze(PipelineEnv):
                def step(self, state: State, action):
                    return self.move(state.pos, action)

                def move(self, pos, action):
                    while pos[0] < action:
                        pos = pos + 1
                    return pos
            """
        },
        [
            "maze.py:18:20: `pos` is a parameter of `move`",
            "maze.py:12:10: `pos` is an array of `State`",
            "maze.py:15:20: `state` is a parameter of `step`",
            "maze.py:16:16: `move` <- `step`",
            "maze.py:15:5: `Maze` is a `brax.envs.base.PipelineEnv`: its `step` runs under a trace",
        ],
        id="an environment",
    ),
    pytest.param(
        {
            "mod.py": "def f(x: jax.Array):\n    return -x if x.sum() > 0 else x\n",
            "pyproject.toml": '[tool.scanlint]\nassume-traced = ["mod.*"]\n',
        },
        [
            "mod.py:6:7: `x` is a parameter of `f`",
            "mod.py:6:1: `f` runs under a trace by `mod.*` in `assume-traced`",
        ],
        id="what the configuration says",
    ),
    pytest.param(
        {"scale.py": 'def scale(x, mode):\n    return x * 2 if mode == "train" else x\n\nfast = jax.jit(scale)\n'},
        ["scale.py:6:14: `mode` is compared with a string", "scale.py:9:8: `scale` <- `jax.jit`"],
        id="a flag",
    ),
    pytest.param(
        {"é.py": '@jax.jit\ndef f(x):\n    ü = "ö"; y = x\n    return (ü, -y) if y > 0 else (ü, y)\n'},
        ["é.py:8:14: `y` = `x`", "é.py:7:7: `x` is a parameter of `f`", "é.py:6:2: `f` <- `@jax.jit`"],
        id="columns in characters",
    ),
    pytest.param(
        {
            "deep.py": "@jax.jit\ndef f(a):\n"
            + "".join(f"    {y} = {x} + 1\n" for x, y in zip("abcdefgh", "bcdefghi", strict=True))
            + "    return i if i > 0 else a\n"
        },
        [
            "deep.py:15:5: `i` = `h + 1`",
            "deep.py:14:5: `h` = `g + 1`",
            "deep.py:13:5: `g` = `f + 1`",
            "deep.py:12:5: `f` = `e + 1`",
            "deep.py:11:5: `e` = `d + 1`",
            "deep.py:7:7: 3 steps further: `a` is a parameter of `f`",
            "deep.py:6:2: `f` <- `@jax.jit`",
        ],
        id="a long way",
    ),
]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text((JAX if name.endswith(".py") else "") + dedent(text), encoding="utf-8")


HELPER = (
    "import functools\n"
    + JAX
    + "def total(x):\n    out = 0.0\n    for i in range(200):\n        out = out + jnp.sin(x[i])\n    return out\n"
)
HELPER += "\n\n@functools.partial(jax.jit, static_argnames=('n',))\ndef scaled(x, n):\n    return jnp.sin(x) * n\n"
STATIC = (
    "import jax\nfrom helper import scaled\n\n\n@jax.jit\ndef waves(x):\n    out = 0.0 * x\n"
    "    for i in range(200):\n        out = out + scaled(x, i)\n    return out\n"
)
CALLER = "import jax\nfrom helper import total\n\n\n@jax.jit\ndef run(x):\n    if x[0] > 0:\n        x = -x\n    return total(x)\n"


@pytest.mark.parametrize("options", [["--no-cache"], []])
def test_a_file_that_is_named_alone_is_checked_with_its_callers(
    tmp_path: Path, run: Scanlint, options: list[str]
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "static.py").write_text(STATIC)
    (tmp_path / "broken.py").write_text("def f(:\n")
    whole = json.loads(run(*options, "--output-format", "json", ".").stdout)["findings"]
    assert [f["path"] for f in whole] == ["broken.py", "caller.py", "helper.py", "static.py"]
    assert whole[-1]["fix"]["reason"].startswith("index-needs-int: a static argument of `scaled`")
    for name in ("helper.py", "caller.py", "static.py"):
        alone = json.loads(run(*options, "--output-format", "json", name).stdout)
        assert alone["findings"] == [f for f in whole if f["path"] == name]
        assert alone["summary"]["files"] == 1


@pytest.mark.parametrize(("files", "expected"), PROGRAMS)
def test_the_chain_is_told_with_its_places(
    files: dict[str, str], expected: list[str], run: Scanlint, tmp_path: Path
) -> None:
    write(tmp_path, files)
    (found,) = json.loads(run("--output-format", "json").stdout)["findings"]
    links = found["related"]
    assert [f"{k['path']}:{k['line']}:{k['column']}: {k['message']}" for k in links] == expected
    told = [f"{k['message']} at {k['path']}:{k['line']}" for k in links]
    assert found["chain"] == told
    indent = "\n    " + " " * (len(str(found["line"])) + len("traced because:"))
    assert f"= traced because: {indent.join(told)}\n" in run().stdout


def test_the_chain_is_in_sarif_from_its_root_to_the_finding(run: Scanlint, tmp_path: Path) -> None:
    files, expected = PROGRAMS[1].values
    assert isinstance(files, dict) and isinstance(expected, list)
    write(tmp_path, files)
    (result,) = json.loads(run("--output-format", "sarif").stdout)["runs"][0]["results"]
    assert [spelled(location) for location in result["relatedLocations"]] == expected
    (flow,) = result["codeFlows"]
    (thread,) = flow["threadFlows"]
    *steps, last = [spelled(step["location"]) for step in thread["locations"]]
    assert steps == expected[::-1]
    assert last == "helper.py:8:12: tracing `clip` fails here: `if` needs a Python bool"


def spelled(location: dict[str, dict[str, dict[str, str]]]) -> str:
    place = location["physicalLocation"]
    region = place["region"]
    path = place["artifactLocation"]["uri"]
    return f"{path}:{region['startLine']}:{region['startColumn']}: {location['message']['text']}"


def test_the_order_of_the_arguments_changes_nothing(run: Scanlint, tmp_path: Path) -> None:
    files, _ = PROGRAMS[1].values
    assert isinstance(files, dict)
    write(tmp_path, files)
    assert run("helper.py", "train.py").stdout == run("train.py", "helper.py").stdout


WISHED = """\
@partial(jit, static_argnums=1)
def helper(x, n):
    return x if n else -x

# @partial(jax.jit, static_argnames="n")
def roll(x, n, m):
    for _ in range(n):
        x = jnp.sin(x) * jnp.cos(x) + jnp.tanh(x)
    return helper(x, 1) if m > 0 else x

def factory():
    # @jit
    def inner(x):
        return x if x > 0 else -x
    return inner
"""


def test_a_commented_out_jit_is_a_wish_that_is_off_by_default(run: Scanlint, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "from functools import partial\nfrom jax import jit\n" + WISHED})
    assert run().returncode == 0
    found = json.loads(run("--extend-select", "commented-out-jit", "--output-format", "json").stdout)["findings"]
    assert [(f["line"], f["code"], f["message"].partition(", ")[2]) for f in found] == [
        (14, "SCN207", "tracing `roll` unrolls this loop once per step of `range(n)`"),
        (16, "SCN207", "tracing `roll` fails here: `if` needs a Python bool"),
        (21, "SCN207", "tracing `factory.<locals>.inner` fails here: `if` needs a Python bool"),
    ]
    assert found[1]["chain"] == [
        "`m` is a parameter of `roll` at a.py:13",
        "`roll` <- the commented-out `@jax.jit` at a.py:12",
    ]
    assert found[2]["help"] == "choose between the two with `lax.cond` or `jnp.where`, and jit it again"
    assert {f["fix"]["status"] for f in found} == {"none"}


def test_what_is_only_wished_for_changes_nothing_else(run: Scanlint, tmp_path: Path) -> None:
    text = "from functools import partial\nfrom jax import jit\n" + WISHED
    other = "@jax.jit\ndef g(x):\n    return x if x > 0 else -x\n\ndef h(y):\n    return y if y > 0 else -y\n"
    write(tmp_path, {"a.py": text + other + "# @jax.jit\ndef k(y):\n    return h(y)\n"})
    found = json.loads(run("--extend-select", "SCN207", "--output-format", "json").stdout)["findings"]
    assert [f["function"] for f in found if f["code"] != "SCN207"] == ["g"]
    assert "h" not in [f["function"] for f in found]


def test_the_wish_is_found_where_nothing_else_begins(run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n# @jax.jit\ndef f(x):\n    return x if x > 0 else -x\n")
    assert "SCN207" in run("--select", "SCN207", "--output-format", "concise").stdout


@pytest.mark.parametrize(("count", "found"), [(60, 1), (6, 0)])
def test_a_function_of_many_operations_whose_jit_is_commented_out_is_told(
    count: int, found: int, run: Scanlint, tmp_path: Path
) -> None:
    sets = "".join(f"    m = m.at[{n}, 0].set(a * {n})\n" for n in range(count))
    write(
        tmp_path,
        {"a.py": f"# @jax.jit\ndef matrix(a):\n    m = jnp.zeros((99, 9))\n{sets}    return m\n\n\nmatrix(2.0)\n"},
    )
    done = run("--select", "SCN207", "--output-format", "concise").stdout
    assert done.count("its jit is commented out") == found
