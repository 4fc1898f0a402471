"""Advice on loops of the host that run JAX piecemeal: what stands in the way is named, and what to do about it first."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.settings import Settings

HEAD = """\
import time
from functools import partial

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from jax import lax


@jax.jit
def step(x):
    return x - 0.1 * jnp.sin(x), jnp.sum(x)


@partial(jax.jit, static_argnums=1)
def lanczos(x, n):
    for _ in range(n):
        x = jnp.cos(x)
    return x, jnp.linalg.norm(x)


@jax.jit
def sample(key):
    return jax.random.normal(key, (3,))


@jax.jit
def relaxed(x):
    return lax.fori_loop(0, 100, lambda i, y: y - 0.1 * jnp.sin(y), x)


def smooth(x):
    y = jnp.roll(x, 1) + jnp.roll(x, -1) - 2 * x
    z = y + jnp.sin(x) * jnp.cos(x) - jnp.tanh(x) * 0.1
    return x + 0.1 * z.at[0].set(0.0).at[-1].set(0.0)


def loss(x):
    return jnp.sum(x**2)


def epoch(x, key, batches):
    losses = []
    for batch in batches:
        key, subkey = jax.random.split(key)
        x, loss = step(x + smooth(batch) + sample(subkey))
        losses.append(loss)
    return x, np.mean(jax.device_get(losses))


"""


def found(body: str) -> list[Finding]:
    """What is found at the level of advice in a program that ends with some functions."""
    settings = Settings(level="advice", cache=False, jobs=1)
    outcome = check_text((HEAD + dedent(body)).encode(), Path("loops.py"), settings)
    assert not outcome.problems
    return [finding for finding in outcome.findings if finding.start.line > HEAD.count("\n")]


def function(loop: str, *, parameters: str = "x, n", last: str = "x") -> str:
    """A function around a loop."""
    return f"def run({parameters}):\n{indent(dedent(loop), '    ')}    return {last}\n"


IN_THE_WAY = {
    "a file that is written every so often": (
        """
        for i in range(n):
            x, total = step(x)
            if i % 100 == 0:
                with open("state", "wb") as file:
                    file.write(x.tobytes())
        """,
        "host-step-loop",
        "context-manager",
        "run the trips in between as one program",
    ),
    "a call for its effect": (
        """
        for i in range(n):
            x, _ = step(x)
            record(x)
        """,
        "host-step-loop",
        "side-effect",
        "do it after each",
    ),
    "a log that computes": (
        """
        for i in range(n):
            x, _ = step(x)
            if i % 100 == 0:
                v = loss(x)
                print(i, v)
        """,
        "host-step-loop",
        "side-effect",
        "run the trips in between as one program",
    ),
    "an array of NumPy that takes what is measured": (
        """
        losses = np.zeros(n)
        for i in range(n):
            x, losses[i] = step(x)
        """,
        "host-step-loop",
        "mutation",
        "store both after the loop",
    ),
    "an exception": (
        """
        for i in range(n):
            x, total = step(x)
            if jnp.isnan(total):
                raise ValueError(i)
        """,
        "host-step-loop",
        "raises",
        "raise after the loop",
    ),
    "another static argument on each trip": (
        """
        norm, order = jnp.inf, 5
        while norm > 1e-3:
            order += 20
            y, norm = lanczos(x, int(order))
            record(order)
        """,
        "host-step-loop",
        "index-needs-int",
        "another program to compile",
    ),
    "operations one by one and a print": (
        """
        for i in range(n):
            x = smooth(smooth(x))
            print(i, loss(x))
        """,
        "eager-step-loop",
        "side-effect",
        "jit what a trip computes: it is one dispatch then",
    ),
    "a count in a while": (
        """
        i = 0
        while i < n:
            x, total = step(x)
            record(total)
            i += 1
        """,
        "host-step-loop",
        "side-effect",
        "a `lax.fori_loop` of the step is one program",
    ),
}


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_what_stands_in_the_way_of_one_program_is_named(name: str) -> None:
    loop, rule, code, cure = IN_THE_WAY[name]
    [finding] = found(function(loop, parameters="x, n, record"))
    assert (finding.name, finding.level, finding.fix.status) == (rule, "advice", "withheld")
    assert (finding.fix.reason or "").startswith(f"{code}: ")
    assert cure in (finding.help or "")


def test_state_that_is_kept_in_an_object_is_state() -> None:
    [finding] = found(
        """
        class Trainer:
            @partial(jax.jit, static_argnums=0)
            def step(self, state):
                return state - 0.1 * jnp.sin(state), jnp.sum(state)

            def fit(self, n):
                for i in range(n):
                    self.state, total = self.step(self.state)
                    self.done = i
        """
    )
    assert (finding.name, finding.label) == ("host-step-loop", "`self.state` goes through the host between trips")


def test_state_of_an_object_that_operations_make_one_by_one_is_state() -> None:
    [finding] = found(
        """
        class Smoother:
            def fit(self, tol):
                for _ in range(1000):
                    new = smooth(smooth(smooth(self.state)))
                    if jnp.max(jnp.abs(new - self.state)) < tol:
                        break
                    self.state = new
        """
    )
    assert (finding.name, finding.label) == ("eager-step-loop", "`self.state` goes through the host between trips")
    assert (finding.fix.reason or "").startswith("break: ")


def test_a_bar_that_is_bound_on_one_of_several_paths_is_a_bar() -> None:
    [finding] = found(
        """
        def run(x, n, few, record):
            if few:
                bar = tqdm(range(8))
                record(bar)
            else:
                bar = tqdm(range(n))
                for i in bar:
                    x, total = step(x)
                    record(total)
            return x
        """
    )
    assert finding.name == "host-step-loop"


def test_an_order_of_numpy_is_gone_over_like_numbers() -> None:
    [finding] = found(
        """
        def run(x, batches, record):
            order = np.array(range(len(batches)))
            np.random.shuffle(order)
            for j in order:
                x, total = step(x + batches[j])
                record(total)
            return x
        """
    )
    assert finding.name == "host-step-loop"


SILENT = {
    "a few numbers of NumPy": """
        for rate in np.array([0.1, 0.2, 0.3]):
            x, _ = step(x * rate)
            record(x)
        """,
    "a context that one trip enters": """
        for i in range(n):
            if i == 1:
                with jax.log_compiles():
                    x, total = step(x)
            else:
                x, total = step(x)
            record(x)
        """,
    "a file that each trip opens": """
        for i in range(n):
            x, total = step(x)
            with open("log", "a") as log:
                log.write(str(i))
        """,
    "few trips": """
        for i in range(8):
            x, _ = step(x)
            record(x)
        """,
    "a clock in the loop": """
        for i in range(n):
            begun = time.perf_counter()
            x, _ = jax.block_until_ready(step(x))
            record(time.perf_counter() - begun)
        """,
    "a picture on each trip": """
        for i in range(n):
            x, _ = step(x)
            plt.plot(x)
        """,
    "a step that is a long program itself": """
        for i in range(n):
            x = relaxed(x)
            record(x)
        """,
    "chunks of trips": """
        for i in range(0, n, 100):
            x, _ = step(x)
            record(x)
        """,
    "data from a loader": """
        for i in range(n):
            batch = record.sample()
            x, _ = step(x + batch)
            y, _ = step(batch)
            record(y)
        """,
    "tries until one will do": """
        y = x
        while jnp.sum(y) < n:
            y = smooth(smooth(x + record.sample()))
            print(y)
        """,
    "a few operations": """
        for i in range(n):
            x = x * 0.5
            record(x)
        """,
    "epochs over data": """
        for i in range(n):
            x, loss = epoch(x, jax.random.key(i), record)
            print(f"{loss:.3f}")
        """,
    "operations of every hundredth trip": """
        for i in range(n):
            x = jnp.sin(x) * 0.5
            if i % 100 == 0:
                record(smooth(smooth(x)))
            else:
                record(x)
        """,
    "cheap trips, of which there are not many": """
        for i in range(50):
            x = smooth(x)
            record(x)
        """,
}


@pytest.mark.parametrize("name", SILENT)
def test_where_an_expert_would_say_nothing_nothing_is_said(name: str) -> None:
    assert found(function(SILENT[name], parameters="x, n, record")) == []


BATCHES = {
    "a key for each trip": (
        """
        for _ in range(n):
            key, sub = jax.random.split(key)
            drawn.append(sample(sub))
        """,
        "unbatched-loop",
        "with keys that are split before (`jax.random.split(key, n)`)",
    ),
    "a part of each result": (
        "drawn = [step(x)[0] for x in jnp.linspace(0.0, 1.0, n)]\n",
        "unbatched-comprehension",
        "`jax.vmap`",
    ),
    "a comprehension that may stop early": (
        "drawn = any(step(x)[1] > 0 for x in jnp.linspace(0.0, 1.0, n))\n",
        "",
        "",
    ),
    "results in a list that is handed on": (
        "drawn = [step(t) for t in jnp.linspace(0.0, 1.0, 500)]\n",
        "unbatched-comprehension",
        "`jax.vmap`",
    ),
    "a sum of numbers": (
        "drawn = sum(loss_of(t) for t in jnp.linspace(0.0, 1.0, 500))\n",
        "unbatched-comprehension",
        "`jax.vmap`",
    ),
    "each trip another shape": (
        """
        for i in range(1, n):
            drawn.append(step(x[:i]))
        """,
        "",
        "",
    ),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_jitted_function_that_is_called_for_one_example_at_a_time_is_advice(name: str) -> None:
    loop, rule, cure = BATCHES[name]
    body = "loss_of = jax.jit(loss)\n\n\n" + function(loop, parameters="x, key, n, drawn", last="drawn")
    findings = found(body)
    assert [(f.name, f.level) for f in findings] == ([(rule, "advice")] if rule else [])
    assert all(cure in (f.help or "") for f in findings)
