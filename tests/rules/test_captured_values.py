"""What a traced function reads or leaves outside of its trace: stale values and leaked tracers, and what is as it should be."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.settings import Settings

HEAD = """\
import functools

import jax
import jax.numpy as jnp
from flax import linen as nn

SEEN, CACHE, LAST, RATE = [], {}, None, 0.1


"""


def findings(text: str, folder: Path, code: str, name: str = "model.py") -> list[Finding]:
    """The findings of a rule about a text."""
    settings = Settings(root=folder, select=(code,), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return list(outcome.findings)


def messages(text: str, folder: Path, code: str, name: str = "model.py") -> list[str]:
    """The messages of a rule about a text."""
    return [finding.message for finding in findings(text, folder, code, name)]


LEAKED = {
    "a list of the module": "@jax.jit\ndef f(x):\n    SEEN.append(x)\n    return x",
    "a dict of the module": "@jax.jit\ndef f(x):\n    CACHE['x'] = 2 * x\n    return x",
    "a global": "@jax.jit\ndef f(x):\n    global LAST\n    LAST = 2 * x\n    return x",
    "a list of the function around": """
        def f(xs):
            kept = []
            y = jax.vmap(lambda x: kept.append(x))(xs)
            def body(c, x):
                kept.append(c + x)
                return c + x, None
            return jax.lax.scan(body, 0.0, xs), kept
        """,
    "an attribute of a static object": """
        class Model:
            @functools.partial(jax.jit, static_argnums=0)
            def f(self, x):
                self.last = 2 * x
                return x
        """,
    "an attribute of the object whose method is jitted": """
        class Model:
            def __init__(self):
                self.run = jax.jit(self.f)

            def f(self, x):
                self.last = 2 * x
                return x
        """,
    "an attribute of an object of the host that a jitted function uses": """
        class Base:
            def __init__(self):
                self.last = None

        class Model(Base):
            def f(self, x):
                self.last = 2 * x
                return x

        class Trainer:
            def __init__(self, model):
                self.model = model

            def loss(self, x):
                return self.model.f(x)

            def run(self, x):
                return jax.jit(self.loss)(x)

        Trainer(Model()).run(jnp.ones(3))
        """,
    "an attribute of an object of the module": """
        class Model:
            def f(self, x):
                self.last = 2 * x
                return x

        MODEL = Model()

        @jax.jit
        def g(x):
            return MODEL.f(x)
        """,
}
KEPT = {
    "an object that is made in the trace": """
        class Model:
            def f(self, x):
                self.last = 2 * x
                return x

        @jax.jit
        def g(x):
            return Model().f(x)
        """,
    "an object that is made in the trace, through a base": """
        class Base:
            def f(self, x):
                self.last = 2 * x
                return x

        class Model(Base):
            def f(self, x):
                return super().f(x)

        @jax.jit
        def g(x):
            return Model().f(x)
        """,
    "an object of the host that no trace uses": """
        class Model:
            def f(self, x):
                self.last = 2 * x
                return x

        MODEL = Model()

        @jax.jit
        def g(x):
            return 2 * x

        print(MODEL.f(g(jnp.ones(3))))
        """,
    "an object that is a pytree": """
        @jax.tree_util.register_pytree_node_class
        class Model:
            def f(self, x):
                self.last = 2 * x
                return x

            def tree_flatten(self):
                return (), None

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls()

        @jax.jit
        def g(model, x):
            return model.f(x)

        g(Model(), jnp.ones(3))
        """,
    "a shape": "@jax.jit\ndef f(x):\n    SEEN.append(x.shape)\n    return x",
    "a list of the same trace": "@jax.jit\ndef f(x):\n    own = []\n    own.append(x)\n    return own[0]",
    "a list of the same trace that an inner function fills": """
        @jax.jit
        def f(x):
            own = []
            def keep(y):
                own.append(y)
            keep(x)
            return own[0]
        """,
    "a list that is handed in": "@jax.jit\ndef f(xs):\n    xs.append(xs[0])\n    return xs",
    "a function of the host": "def f(x):\n    SEEN.append(jax.jit(jnp.sin)(x))\n    return x",
    "a module of flax": """
        class Model(nn.Module):
            @nn.compact
            def __call__(self, x):
                self.last = x
                return x

        run = jax.jit(Model().apply)
        """,
}


@pytest.mark.parametrize("text", LEAKED.values(), ids=LEAKED)
def test_a_tracer_that_outlives_its_trace_is_reported(text: str, tmp_path: Path) -> None:
    [message] = messages(text, tmp_path, "SCN603")
    assert "stands for no value afterwards" in message


@pytest.mark.parametrize(
    "kept, level",
    [
        ("an attribute of a static object", "warning"),
        ("a list of the module", "warning"),
        ("a list of the function around", "advice"),
    ],
)
def test_what_an_object_or_the_module_keeps_is_a_warning(kept: str, level: str, tmp_path: Path) -> None:
    [finding] = findings(LEAKED[kept], tmp_path, "SCN603")
    assert finding.level == level


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_stays_in_its_trace_or_is_no_tracer_is_left(text: str, tmp_path: Path) -> None:
    assert messages(text, tmp_path, "SCN603") == []


METHOD = """
class Model:
    def __init__(self):
        self.scale = 1.0
        self.table = None
        self.run = jax.jit(self.bound)

    {other}

    @functools.partial(jax.jit, static_argnums=0)
    def f(self, x):
        return {read}

    def bound(self, x):
        return x
"""
STALE = {
    "an attribute that a method sets": METHOD.format(
        other="def set_scale(self, s):\n        self.scale = s", read="x * self.scale"
    ),
    "an attribute that an init sets again": METHOD.format(
        other="def init_scale(self, s):\n        self.scale = s", read="x * self.scale"
    ),
    "an attribute that a method of its own reads": METHOD.format(
        other="def set_scale(self, s):\n        self.scale = s\n    def inner(self, x):\n        return x * self.scale",
        read="self.inner(x)",
    ),
    "an attribute that a bound method reads": """
        class Model:
            def __init__(self):
                self.w = 1.0
                self.run = jax.jit(self.f)

            def f(self, x):
                return x * self.w

            def train(self, xs):
                for x in xs:
                    self.w = self.w - self.run(x)
        """,
    "a global": "def change(r):\n    global RATE\n    RATE = r\n\n\n@jax.jit\ndef f(x):\n    return x * RATE",
    "a local that a loop binds anew": """
        def train(xs, rate):
            @jax.jit
            def f(x):
                return x * rate
            for x in xs:
                y = f(x)
                rate = rate * 0.9
            return y
        """,
    "a local that is bound between two calls": """
        def train(x, rate):
            f = jax.jit(lambda x: x * rate)
            y = f(x)
            rate = 2.0
            return y + f(x)
        """,
}
STEADY = {
    "an attribute that decides whether to raise": METHOD.format(
        other="def set_scale(self, s):\n        self.scale = s",
        read="x\n\n    @functools.partial(jax.jit, static_argnums=0)\n    def g(self, x):\n"
        "        if self.scale is None:\n            raise ValueError\n        return x",
    ),
    "an attribute that a callback reads": METHOD.format(
        other="def set_scale(self, s):\n        self.scale = s\n    def tell(self, x):\n        print(self.scale, x)",
        read="jax.experimental.io_callback(self.tell, None, x)",
    ),
    "an attribute of __init__": METHOD.format(other="pass", read="x * self.scale"),
    "an attribute that is set where it was None": METHOD.format(
        other="def fill(self):\n        if self.table is None:\n            self.table = 2.0", read="x * self.table"
    ),
    "an attribute that is None until an init fills it": METHOD.format(
        other="def init_table(self, n):\n        self.table = jnp.ones(n)", read="x * self.table"
    ),
    "an attribute that what __init__ calls sets": METHOD.format(
        other="def _fill(self):\n        self.table = 2.0\n    def __post_init__(self):\n        self._fill()",
        read="x * self.table",
    ),
    "an object that is compared by its attributes": METHOD.format(
        other=(
            "def set_scale(self, s):\n        self.scale = s\n    def __hash__(self):\n        return hash(self.scale)\n"
            "    def __eq__(self, other):\n        return self.scale == other.scale"
        ),
        read="x * self.scale",
    ),
    "a method that jits anew": METHOD.format(
        other="def set_scale(self, s):\n        self.scale = s\n        self.run = jax.jit(self.bound)",
        read="x * self.scale",
    ),
    "a part of a state that stays": METHOD.format(
        other="def train(self, g):\n        self.scale = self.scale.apply(g)", read="self.scale.apply_fn(x)"
    ),
    "an attribute that only a method of __init__ sets": """
        class Model:
            def __init__(self):
                self.transform()

            def transform(self):
                self.scale = 2.0

            @functools.partial(jax.jit, static_argnums=0)
            def f(self, x):
                return x * self.scale
        """,
    "an attribute of a pytree": """
        @jax.tree_util.register_pytree_node_class
        class Model:
            def train(self, g):
                self.scale = self.scale - g

            @jax.jit
            def f(self, x):
                return x * self.scale

            def tree_flatten(self):
                return (self.scale,), None

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls()
        """,
    "a default that is evaluated where the function is made": """
        def train(xs, rate):
            @jax.jit
            def f(x, rate=rate):
                return x * rate
            for x in xs:
                y = f(x)
                rate = rate * 0.9
            return y
        """,
    "a name of a script that a loop hands over": """
        @jax.jit
        def f(x, scale):
            return x * scale

        scale, x = 1.0, jnp.ones(3)
        for _ in range(10):
            scale = scale * 0.9
            x = f(x, scale)
        """,
    "a name of a script that each trip binds to the same": """
        @jax.jit
        def f(x):
            return x * scale

        x = jnp.ones(3)
        for _ in range(10):
            scale = jnp.sqrt(2.0)
            x = f(x)
        """,
    "an argument": METHOD.format(other="def set_scale(self, s):\n        self.other = s", read="x * self.scale"),
    "a name of a script that is bound before its first call": """
        rate = 0.1

        @jax.jit
        def f(x):
            return x * rate

        rate = 0.2
        print(f(1.0))
        print(f(2.0))
        """,
    "a name of a script of which another function is made": """
        rate = 0.1

        @jax.jit
        def f(x):
            return x * rate

        print(f(1.0))
        rate = 0.2

        @jax.jit
        def f(x):
            return x + rate

        print(f(1.0))
        """,
    "the function of a state": """
        def train(state, xs):
            def loss(params, x):
                return jnp.sum(state.apply_fn(params, x))

            @jax.jit
            def step(state, x):
                return state.apply_gradients(grads=jax.grad(loss)(state.params, x))

            for x in xs:
                state = step(state, x)
            return state
        """,
    "a global that the program begins with": """
        @jax.jit
        def f(x):
            return x * RATE

        @hydra.main(config_name="config")
        def main(rate):
            global RATE
            RATE = rate
            for _ in range(3):
                print(f(1.0))

        if __name__ == "__main__":
            main(0.2)
        """,
    "a global that nobody binds": "@jax.jit\ndef f(x):\n    return x * RATE",
    "a local that is bound before": """
        def train(x, rate):
            rate = 2.0 * rate
            f = jax.jit(lambda x: x * rate)
            return f(x) + f(x)
        """,
    "a function that each trip makes": """
        def train(xs, rate):
            for x in xs:
                rate = rate * 0.9
                f = jax.jit(lambda x: x * rate)
                y = f(x)
            return y
        """,
}


CHANGED = {
    "an attribute that is computed from its old value": METHOD.format(
        other="def train(self, g):\n        self.scale = self.scale - g", read="x * self.scale"
    ),
    "an attribute that is computed through a local": METHOD.format(
        other="def train(self, g):\n        new = self.scale - g\n        self.scale = new", read="x * self.scale"
    ),
    "an attribute that a method of a base changes in place": """
        class Base:
            def decay(self):
                self.scale *= 0.9

        class Model(Base):
            def __init__(self):
                self.scale = 1.0

            @functools.partial(jax.jit, static_argnums=0)
            def f(self, x):
                return x * self.scale
        """,
    "a local that a loss of its own reads": """
        def fit(w, X, key):
            def loss(w, batch):
                return jnp.sum((w * X - batch) ** 2)

            @jax.jit
            def step(w, batch):
                return w - jax.grad(loss)(w, batch)

            for epoch in range(5):
                key, sub = jax.random.split(key)
                X = jax.random.permutation(sub, X)
                w = step(w, X)
            return w
        """,
    "a local whose gradient function is called": """
        def train(actor, world, xs):
            @jax.jit
            def dream(actor, x):
                return jnp.sum(actor * world * x)

            grads = jax.value_and_grad(dream)
            for x in xs:
                world = world - 0.1 * x
                loss, g = grads(actor, x)
                actor = actor - g
            return actor
        """,
    "a name of a script that it binds to another number": """
        rate = 0.1

        @jax.jit
        def f(x):
            return x * rate

        print(f(1.0))
        rate = 0.2
        print(f(1.0))
        """,
    "a name of a script that its loop computes": """
        def loss(w, x):
            return jnp.sum(w * x * scale)

        @jax.jit
        def step(w, x):
            return w - jax.grad(loss)(w, x)

        scale, w, x = 1.0, jnp.ones(3), jnp.ones(3)
        for _ in range(10):
            scale = scale * 0.9
            w = step(w, x)
        """,
}
SET = {
    "an attribute that a method sets": STALE["an attribute that a method sets"],
    "an attribute that is handed over to a device": METHOD.format(
        other="def move(self, d):\n        self.scale = jax.device_put(self.scale, d)", read="x * self.scale"
    ),
    "an attribute that an operator changes": METHOD.format(
        other="def __mul__(self, s):\n        self.scale *= s\n        return self", read="x * self.scale"
    ),
    "a global that another function binds, which jits something else": """
        @jax.jit
        def f(x):
            return x * LIMIT

        def run(limit, x):
            global LIMIT
            LIMIT = limit
            return jax.jit(jnp.sin)(f(x))
        """,
    "a global that a program binds again and again": """
        @jax.jit
        def f(x):
            return x * LIMIT

        def run(limit):
            global LIMIT
            LIMIT = limit
            return f(1.0)

        for limit in (1.0, 2.0):
            run(limit)
        """,
    "a size of what is handed in": """
        def f(x, n):
            g = jax.jit(lambda x: x.reshape(n, -1))
            for _ in range(3):
                n = 2 * n
                y = g(jnp.ones(n))
            return y
        """,
}


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED)
def test_what_is_known_to_change_between_two_calls_is_a_warning(text: str, tmp_path: Path) -> None:
    [finding] = findings(text, tmp_path, "SCN602")
    assert finding.level == "warning"


@pytest.mark.parametrize("text", SET.values(), ids=SET)
def test_what_may_be_set_before_the_first_call_is_advice(text: str, tmp_path: Path) -> None:
    [finding] = findings(text, tmp_path, "SCN602")
    assert finding.level == "advice"


@pytest.mark.parametrize("text", STALE.values(), ids=STALE)
def test_what_a_compiled_program_does_not_see_change_is_reported(text: str, tmp_path: Path) -> None:
    [message] = messages(text, tmp_path, "SCN602")
    assert "of its first call" in message


@pytest.mark.parametrize("text", STEADY.values(), ids=STEADY)
def test_what_stays_as_it_was_traced_is_left(text: str, tmp_path: Path) -> None:
    assert messages(text, tmp_path, "SCN602") == []


@pytest.mark.parametrize("code", ["SCN602", "SCN603"])
def test_tests_are_left(code: str, tmp_path: Path) -> None:
    text = LEAKED["a list of the module"] + "\n" + dedent(STALE["a global"])
    assert messages(text, tmp_path, code, "test_model.py") == []
