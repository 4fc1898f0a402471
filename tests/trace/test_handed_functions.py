"""Functions and objects as values: what a factory makes is followed to where another file traces it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.session import check
from scanlint.settings import Settings

HEADER = """\
import jax
import jax.numpy as jnp
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
"""
STEP = """\
def step(x):
    if x.sum() > 0:  # here
        return x
    return -x
"""
MODEL = """\
class Model:
    def step(self, x):
        if x.sum() > 0:  # here
            return x
        return -x
"""


def nested(text: str, depth: int = 1) -> str:
    """A text as it stands in a function."""
    return "".join(" " * 4 * depth + line for line in text.splitlines(keepends=True))


CLOSURE = f"def make(n):\n{nested(STEP)}    return step\n"
PAIR = f"def make(n):\n    def init(key):\n        return jnp.ones(n)\n{nested(STEP)}    return "
LOSS = "@jax.jit\ndef loss(x):\n    return {call}(x)\n"
CHAIN = """\
def chain(*functions):
    def apply(x):
        for function in functions:
            x = function(x)
        return x
    return apply
"""
LAYERS = """\
def Layer():
    def init_fun(key, size):
        def direct(params, x):
            if x.sum() > 0:  # here
                return x
            return -x
        def inverse(params, x):
            return x
        return (), direct, inverse
    return init_fun
def Serial(*layers):
    def init_fun(key, size):
        params, directs, inverses = [], [], []
        for layer in layers:
            key, own = jax.random.split(key)
            param, direct, inverse = layer(own, size)
            params.append(param)
            directs.append(direct)
            inverses.append(inverse)
        def feed(params, functions, x):
            for param, function in zip(params, functions):
                x = function(param, x)
            return x
        def direct(params, x):
            return feed(params, directs, x)
        def inverse(params, x):
            return feed(reversed(params), reversed(inverses), x)
        return params, direct, inverse
    return init_fun
"""

FOUND = [
    pytest.param(CLOSURE, "from made import make\nf = jax.jit(make(3))\n", id="a closure"),
    pytest.param(CLOSURE, "from made import make as build\ng = build(3)\n" + LOSS.format(call="g"), id="a factory under another name"),
    pytest.param(CLOSURE, "import made\ng = made.make(3)\n" + LOSS.format(call="g"), id="a factory of a module"),
    pytest.param(PAIR + "init, step\n", "from made import make\ninit, step = make(3)\n" + LOSS.format(call="step"), id="a tuple"),
    pytest.param(
        PAIR + "init, step\n",
        "from made import make\ndef main():\n    init, step = make(3)\n" + nested(LOSS.format(call="step")) + "    return loss(init(0))\n",
        id="a tuple that is unpacked in a function",
    ),
    pytest.param(
        PAIR + "{'init': init, 'step': step}\n",
        "import made\nfunctions = made.make(3)\n" + LOSS.format(call="functions['step']"),
        id="a dict",
    ),
    pytest.param(
        "class Pair(NamedTuple):\n    init: object\n    step: object\n" + PAIR + "Pair(init, step)\n",
        "import made\npair = made.make(3)\n" + LOSS.format(call="pair.step"),
        id="a NamedTuple",
    ),
    pytest.param(
        "from collections import namedtuple\nPair = namedtuple('Pair', 'init step')\n" + PAIR + "Pair(init, step)\n",
        "import made\npair = made.make(3)\n" + LOSS.format(call="pair.step"),
        id="a NamedTuple that is made by a call",
    ),
    pytest.param(
        "@dataclass\nclass Pair:\n    init: object\n    step: object\n" + PAIR + "Pair(init=init, step=step)\n",
        "import made\npair = made.make(3)\n" + LOSS.format(call="pair.step"),
        id="a dataclass",
    ),
    pytest.param(
        CLOSURE,
        "from types import SimpleNamespace\nfrom made import make\nspace = SimpleNamespace(step=make(3))\n" + LOSS.format(call="space.step"),
        id="a namespace",
    ),
    pytest.param(MODEL, "from made import Model\nmodel = Model()\n" + LOSS.format(call="model.step"), id="a method of an object"),
    pytest.param(
        MODEL + "def make(name):\n    if name == 'plain':\n        return Model()\n    raise ValueError(name)\n",
        "from made import make\ndef train(name, x):\n    model = make(name)\n" + nested(LOSS.format(call="model.step")) + "    return loss(x)\n",
        id="an object that a function of the host chooses",
    ),
    pytest.param(
        MODEL + "def make():\n    return other()\ndef other():\n    model = Model()\n    return model\n",
        "from made import make\nmodel = make()\n" + LOSS.format(call="model.step"),
        id="an object two factories further",
    ),
    pytest.param(
        MODEL
        + "class Trainer:\n    def __init__(self, model):\n        self.model = model\n    def run(self, x):\n        return jax.jit(self.loss)(x)\n"
        "    def loss(self, x):\n        return self.model.step(x)\n",
        "from made import Model, Trainer\nif __name__ == '__main__':\n    Trainer(Model()).run(jnp.ones(3))\n",
        id="an object that another object was handed",
    ),
    pytest.param(
        MODEL
        + "class Trainer:\n    def __init__(self):\n        self.model = None\n    def prepare(self):\n        self.model = Model()\n"
        "    @partial(jax.jit, static_argnums=0)\n    def run(self, x):\n        return self.model.step(x)\n",
        "from made import Trainer\n",
        id="an object that a method sets later",
    ),
    pytest.param(
        CLOSURE + "class Optimizer:\n    def __init__(self, n):\n        self.step = make(n)\n",
        "from made import Optimizer\noptimizer = Optimizer(3)\n" + LOSS.format(call="optimizer.step"),
        id="an attribute",
    ),
    pytest.param(
        f"class Factory:\n    def __init__(self, n):\n        self.n = n\n    def build(self):\n{nested(STEP, 2)}        return step\n",
        "from made import Factory\ndef main(x):\n    return jax.jit(Factory(3).build())(x)\n",
        id="a method that returns a closure",
    ),
    pytest.param(
        STEP.replace("step(x)", "step(n, x)") + "def make(n):\n    return partial(step, n)\n",
        "from made import make\ng = make(3)\n" + LOSS.format(call="g"),
        id="a partial",
    ),
    pytest.param(
        f"def make(n):\n    def inner(m):\n{nested(STEP, 2)}        return step\n    return inner\n",
        "from made import make\ng = make(3)(4)\n" + LOSS.format(call="g"),
        id="a factory that a factory returns",
    ),
    pytest.param(
        CLOSURE + CHAIN,
        "from made import chain, make\nrun = chain(make(3), make(4))\n" + LOSS.format(call="run"),
        id="functions that another one calls in turn",
    ),
    pytest.param(
        CLOSURE + CHAIN + "def build(k):\n    functions = []\n    for _ in range(k):\n        functions += [make(k)]\n    return chain(*tuple(functions))\n",
        "from made import build\nrun = build(3)\n" + LOSS.format(call="run"),
        id="functions that a loop adds to a list",
    ),
    pytest.param(
        CLOSURE + CHAIN + "def build(k):\n    functions = []\n    for _ in range(k):\n        functions.append(make(k))\n    return chain(*functions)\n",
        "from made import build\nrun = build(3)\n" + LOSS.format(call="run"),
        id="functions that a loop appends to a list",
    ),
    pytest.param(
        CLOSURE,
        "from made import make\nfunctions = [make(i) for i in range(3)]\n@jax.jit\ndef loss(x):\n    for function in functions:\n        x = function(x)\n    return x\n",
        id="functions of a comprehension",
    ),
    pytest.param(
        LAYERS,
        "import made\nparams, direct, inverse = made.Serial(made.Layer(), made.Layer())(jax.random.PRNGKey(0), 3)\n"
        "@jax.jit\ndef loss(params, x):\n    return direct(params, x).sum()\n",
        id="layers that return their functions",
    ),
    pytest.param(
        STEP + "TABLE = {'step': step}\ndef get(name):\n    return TABLE[name]\n",
        "from made import get\ndef main(name, x):\n    return jax.jit(get(name))(x)\n",
        id="a function out of a table",
    ),
    pytest.param(
        PAIR + "init, step\n",
        "from made import make\n" + LOSS.format(call="step") + "if __name__ == '__main__':\n    for fold in range(3):\n        init, step = make(fold)\n        loss(init(0))\n",
        id="a global that a loop at the top of a file binds",
    ),
    pytest.param(
        CLOSURE,
        "from made import make\nstep = make(3)\n" + LOSS.format(call="step") + "loss(jnp.ones(3))\nstep = make(4)\n",
        id="a global that is bound twice",
    ),
    pytest.param(
        STEP + "def other(x):\n    return x\n",
        "import sys\nfrom made import other, step\nif len(sys.argv) > 1:\n    chosen = step\nelse:\n    chosen = other\n" + LOSS.format(call="chosen"),
        id="a global that a branch binds",
    ),
    pytest.param(STEP, "from made import step\nstep = jax.jit(step)\n", id="an import that is bound anew"),
    pytest.param(
        STEP + "def make(f=step):\n    def run(x):\n        return f(x)\n    return run\n",
        "from made import make\nrun = make()\n" + LOSS.format(call="run"),
        id="a default",
    ),
    pytest.param(
        CLOSURE,
        "from made import make\ndef main(x):\n    table = {}\n    for n in (1, 2):\n        table[n] = make(n)\n    return jax.jit(lambda x: table[1](x))(x)\n",
        id="a dict that a loop fills",
    ),
    pytest.param(
        STEP + "from functools import reduce\ndef compose(*functions):\n    return reduce(lambda f, g: lambda x: g(f(x)), functions)\n",
        "from made import compose, step\nrun = compose(step, step)\n" + LOSS.format(call="run"),
        id="functions that are composed",
    ),
    pytest.param(
        MODEL + "def make(name):\n    return {'model': Model}[name]()\n",
        "from made import make\nmodel = make('model')\n" + LOSS.format(call="model.step"),
        id="an object out of a table of classes",
    ),
    pytest.param(
        MODEL
        + "class Net:\n    def __init__(self, n):\n        self.layers = []\n        for _ in range(n):\n            self.layers.append(Model())\n"
        "    def apply(self, x):\n        for layer in self.layers:\n            x = layer.step(x)\n        return x\n",
        "from made import Net\nnet = Net(3)\n" + LOSS.format(call="net.apply"),
        id="objects that are appended to an attribute",
    ),
    pytest.param(
        "def step(x, y):\n    if y > 0:  # here\n        return x\n    return -x\n",
        "from made import step\n@jax.jit\ndef run(*args):\n    return step(*args)\n",
        id="an argument of `*args`",
    ),
]  # fmt: skip

SILENT = [
    pytest.param(CLOSURE, "from made import make\nstep = make(3)\ndef main():\n    return step(jnp.ones(3))\n", id="a closure of the host"),
    pytest.param(
        PAIR + "init, step\n",
        "from made import make\ninit, step = make(3)\n@jax.jit\ndef loss(x):\n    return init(0) + x\nprint(step(init(0)))\n",
        id="the other function of a tuple is traced",
    ),
    pytest.param(
        "class Model:\n    def __init__(self, f):\n        self.f = f\ndef other(x):\n    return x\n" + STEP,
        "from made import Model, other, step\nm, n = Model(other), Model(step)\n" + LOSS.format(call="m.f") + "print(n.f(jnp.ones(3)))\n",
        id="another object of the class is traced",
    ),
    pytest.param(
        "class Model:\n    def __init__(self, f):\n        self.f = f\ndef other(x):\n    return x\n" + STEP + "def build(f):\n    return Model(f)\n",
        "from made import build, other, step\nm, n = build(other), build(step)\n" + LOSS.format(call="m.f") + "print(n.f(jnp.ones(3)))\n",
        id="another object of the class is traced, both of one factory",
    ),
    pytest.param(
        "def other(x):\n    return x\n" + STEP + CHAIN,
        "from made import chain, other, step\nrun, host = chain(other, other), chain(step, other)\n" + LOSS.format(call="run") + "print(host(jnp.ones(3)))\n",
        id="another chain is traced",
    ),
    pytest.param(
        STEP + "def other(x):\n    return x\nTABLE = {'step': step, 'other': other}\n",
        "from made import TABLE\nf = jax.jit(TABLE['other'])\nprint(TABLE['step'](jnp.ones(3)))\n",
        id="another entry of a table is traced",
    ),
    pytest.param(
        "def step(x, flag):\n    if flag:\n        return x.sum()\n    return -x.sum()\n",
        "from made import step\n@partial(jax.jit, static_argnums=1)\ndef run(*args):\n    return step(*args)\nrun(jnp.ones(3), True)\n",
        id="an argument of `*args` that is static",
    ),
    pytest.param(
        "def step(x, flag):\n    if flag:\n        return x.sum()\n    return -x.sum()\n",
        "from made import step\nrun = jax.vmap(lambda *args: step(*args), in_axes=(0, None))\nrun(jnp.ones(3), True)\n",
        id="an argument of `*args` that is not mapped",
    ),
    pytest.param(
        "def step(x, flag):\n    if flag:\n        return x.sum()\n    return -x.sum()\n",
        "from made import step\nrun = jax.grad(lambda *args: step(*args))\nrun(jnp.ones(3), True)\n",
        id="an argument of `*args` that is not differentiated",
    ),
]  # fmt: skip


def errors(folder: Path, made: str, used: str) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """Where two files are marked, and where errors and warnings are found in them, but those on what is bound anew."""
    files = {"made.py": HEADER + made, "used.py": HEADER + used}
    for name, text in files.items():
        (folder / name).write_text(text)
    lines = {
        (name, i) for name, text in files.items() for i, line in enumerate(text.splitlines(), 1) if "# here" in line
    }
    found = check([folder], Settings(root=folder, jobs=1, cache=False, ignore=("stale-value",))).findings
    return lines, {(Path(f.path).name, f.start.line) for f in found if f.level in ("error", "warning")}


@pytest.mark.parametrize(("made", "used"), FOUND)
def test_what_a_factory_makes_is_followed_to_where_it_is_traced(tmp_path: Path, made: str, used: str) -> None:
    marked, found = errors(tmp_path, made, used)
    assert found == marked


@pytest.mark.parametrize(("made", "used"), SILENT)
def test_what_nothing_traces_is_left_alone(tmp_path: Path, made: str, used: str) -> None:
    assert errors(tmp_path, made, used)[1] == set()
