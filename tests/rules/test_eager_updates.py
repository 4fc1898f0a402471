"""eager-update: steps of an optimizer that run again and again outside of jit, and those that do not."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state
from helpers import batches

optimizer = optax.adam(1e-3)


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


"""


def found(text: str, folder: Path, name: str = "train.py") -> list[Finding]:
    """The findings of eager-update in a text."""
    settings = Settings(root=folder, select=("SCN412",), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return list(outcome.findings)


WHOLE = {
    "a loop that prints": """
        def fit(params, state):
            for batch in batches():
                value, grads = jax.value_and_grad(loss)(params, batch)
                updates, state = optimizer.update(grads, state, params)
                params = optax.apply_updates(params, updates)
                print(value)
            return params
        """,
    "a loop of a script": """
        params = jnp.ones(3)
        state = optimizer.init(params)
        for batch in batches():
            grads = jax.grad(loss)(params, batch)
            updates, state = optimizer.update(grads, state, params)
            params = optax.apply_updates(params, updates)
        """,
    "a method that keeps the parameters, of a loss that is jitted": """
        class Agent:
            def __init__(self, params):
                self.params, self.state = params, optimizer.init(params)
                self.loss = jax.jit(loss)

            def train(self, batch):
                grads = jax.grad(self.loss)(self.params, batch)
                updates, self.state = optimizer.update(grads, self.state, self.params)
                self.params = optax.apply_updates(self.params, updates)
        """,
    "a function that a loop calls": """
        def step(params, state, batch):
            grads = jax.grad(loss)(params, batch)
            updates, state = optimizer.update(grads, state, params)
            return optax.apply_updates(params, updates), state

        def fit(params, state):
            for batch in batches():
                params, state = step(params, state, batch)
            return params

        fit(jnp.ones(3), None)
        """,
    "two optimizers in one step": """
        class Agent:
            def train(self, batch):
                first = jax.grad(loss)(self.actor, batch)
                second = jax.grad(loss)(self.critic, batch)
                updates, self.state = optimizer.update(first, self.state, self.actor)
                self.actor = optax.apply_updates(self.actor, updates)
                updates, self.other = optimizer.update(second, self.other, self.critic)
                self.critic = optax.apply_updates(self.critic, updates)
        """,
}
UPDATES = {
    "a gradient that is jitted": """
        gradient = jax.jit(jax.grad(loss))

        def fit(params, state):
            for batch in batches():
                updates, state = optimizer.update(gradient(params, batch), state, params)
                params = optax.apply_updates(params, updates)
                print(params)
            return params
        """,
    "a tree map of parameters and gradients": """
        gradient = jax.jit(jax.grad(loss))

        def fit(params, rate):
            for batch in batches():
                grads = gradient(params, batch)
                params = jax.tree.map(lambda p, g: p - rate * g, params, grads)
                print(params)
            return params
        """,
    "a training state of flax": """
        gradient = jax.jit(jax.grad(loss))

        def fit(state):
            for batch in batches():
                state = state.apply_gradients(grads=gradient(state.params, batch))
                print(state.step)
            return state
        """,
}
LEFT = {
    "a tree map of one tree": """
        def show(params):
            for batch in batches():
                params = jax.tree.map(lambda p: p + 1, params)
                print(params)
        """,
    "a tree map that is bound to another name": """
        def fit(params, grads):
            for batch in batches():
                scaled = jax.tree.map(lambda p, g: p * g, params, grads)
                print(scaled)
        """,
    "a tree map under a jit": """
        @jax.jit
        def step(params, grads):
            params = jax.tree.map(lambda p, g: p - g, params, grads)
            return params
        """,
    "a jitted step": """
        @jax.jit
        def step(params, state, batch):
            grads = jax.grad(loss)(params, batch)
            updates, state = optimizer.update(grads, state, params)
            return optax.apply_updates(params, updates), state

        def fit(params, state):
            for batch in batches():
                params, state = step(params, state, batch)
                print(params)
        """,
    "a step that is jitted where it is called": """
        def step(params, state, batch):
            grads = jax.grad(loss)(params, batch)
            updates, state = optimizer.update(grads, state, params)
            return optax.apply_updates(params, updates), state

        def fit(params, state):
            run = jax.jit(step)
            for batch in batches():
                params, state = run(params, state, batch)
                print(params)
        """,
    "a few steps inside of what is differentiated": """
        def adapt(params, state, batch):
            for _ in range(5):
                grads = jax.grad(loss)(params, batch)
                updates, state = optimizer.update(grads, state, params)
                params = optax.apply_updates(params, updates)
            return loss(params, batch)

        outer = jax.jit(jax.grad(adapt))
        """,
    "a step that a library hands out": """
        def build(loss):
            def step(params, state, batch):
                grads = jax.grad(loss)(params, batch)
                updates, state = optimizer.update(grads, state, params)
                return optax.apply_updates(params, updates), state
            return step
        """,
    "steps of which nobody knows who runs them": """
        def adapt(params, state, batch):
            for _ in range(5):
                grads = jax.grad(loss)(params, batch)
                updates, state = optimizer.update(grads, state, params)
                params = optax.apply_updates(params, updates)
            return params
        """,
    "one step": """
        def once(params, state, batch):
            grads = jax.grad(loss)(params, batch)
            updates, state = optimizer.update(grads, state, params)
            return optax.apply_updates(params, updates)
        """,
    "a body of scan": """
        def fit(params, state, data):
            def body(carry, batch):
                params, state = carry
                grads = jax.grad(loss)(params, batch)
                updates, state = optimizer.update(grads, state, params)
                return (optax.apply_updates(params, updates), state), None
            return jax.lax.scan(body, (params, state), data)
        """,
}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_whole_step_outside_of_jit_is_a_warning(text: str, tmp_path: Path) -> None:
    [finding] = found(text, tmp_path)
    assert finding.level == "warning" and "no jit is around them" in finding.message


@pytest.mark.parametrize("text", UPDATES.values(), ids=UPDATES)
def test_an_update_outside_of_jit_is_advice(text: str, tmp_path: Path) -> None:
    [finding] = found(text, tmp_path)
    assert finding.level == "advice"


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_is_jitted_or_not_known_to_run_again_is_left(text: str, tmp_path: Path) -> None:
    assert found(text, tmp_path) == []


def test_tests_are_left(tmp_path: Path) -> None:
    assert found(WHOLE["a loop that prints"], tmp_path, "test_train.py") == []
