"""Host loops that run JAX's operations one by one: what they become, what is left and why, what is not said."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import pytest

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]

HEAD = """
def energy(w):
    bent = jnp.sum((w[1:] - w[:-1]) ** 2) + 0.1 * jnp.sum(jnp.cos(w) * jnp.exp(-w * w))
    return 0.5 * jnp.sum(w**2) + bent - 0.1 * jnp.sum(jnp.tanh(w) * jnp.sin(w)) + 0.1 * jnp.mean(w * w * w)


def force(w):
    return -jax.grad(energy)(w)


"""


def w() -> jax.Array:
    return jnp.linspace(0.1, 0.5, 3)


def x() -> jax.Array:
    return jnp.sin(jnp.arange(12.0)).reshape(4, 3)


def key() -> jax.Array:
    return jax.random.PRNGKey(7)


def model(w: jax.Array, t: object) -> jax.Array:
    return jnp.sin(w) + 0.1 * jnp.asarray(t, w.dtype)


ROLLED = {
    "a_key_is_split_on_each_trip": (
        """
        def f(key, w, n):
            states = [w]
            for _ in range(n):
                key, subkey = jax.random.split(key)
                w = w + 0.1 * force(w) + jax.random.normal(subkey, (3,))
                states.append(w)
            return key, jnp.stack(states)
        """,
        "key, w = carry",
        [(key, w, 1), (key, w, 4)],
    ),
    "a_key_is_folded_with_the_index": (
        """
        def f(key, w, n):
            for i in range(n):
                w = 0.9 * w + 0.1 * force(w) + jax.random.uniform(jax.random.fold_in(key, i), (3,))
            return w
        """,
        "jax.random.fold_in(key, i)",
        [(key, w, 0), (key, w, 4)],
    ),
    "a_gradient_is_followed": (
        """
        def f(w):
            for i in range(12):
                w = w + 0.1 * 0.9**i * force(w)
            return w
        """,
        "lax.scan(step, w, numbers)",
        [(w,)],
    ),
    "a_helper_maps_a_function_that_it_makes": (
        """
        def smooth(w, x):
            def one(row):
                return row @ w

            return w + 0.1 * jnp.mean(jax.vmap(one)(x)) + 0.1 * force(w)

        def f(w, x, n):
            for _ in range(n):
                w = smooth(w, x)
            return w
        """,
        "lax.fori_loop(0, n, ",
        [(w, x, 0), (w, x, 4)],
    ),
    "a_trip_is_taken_or_refused": (
        """
        def f(key, w, n):
            for _ in range(n):
                key, subkey, chance = jax.random.split(key, 3)
                new = w + 0.3 * force(w) + 0.1 * jax.random.normal(subkey, w.shape)
                if jnp.log(jax.random.uniform(chance)) < energy(w) - energy(new):
                    w = new
            return w
        """,
        "lax.fori_loop(0, n, ",
        [(key, w, 0), (key, w, 4)],
    ),
    "it_stops_when_it_converges": (
        """
        def f(w, n):
            for _ in range(n):
                step = 0.1 * force(w)
                w = w + step
                if jnp.linalg.norm(step) < 1e-2:
                    break
            return w
        """,
        "lax.while_loop(",
        [(w, 0), (w, 3), (w, 40)],
    ),
    "the_number_that_decides_is_fetched": (
        """
        def f(w, n):
            for _ in range(n):
                step = 0.1 * force(w)
                w = w + step
                if float(jnp.linalg.norm(step)) < 1e-2:
                    break
            return w
        """,
        "jnp.linalg.norm(step) < 0.01",
        [(w, 0), (w, 3), (w, 40)],
    ),
    "a_change_that_builtin_abs_measures": (
        """
        def f(w, tol):
            cost = jnp.inf
            for _ in range(100):
                w = w + 0.1 * force(w)
                before, cost = cost, energy(w)
                if abs(cost - before) < tol:
                    break
            return w
        """,
        "done = abs(cost - before) < tol",
        [(w, 1e-3), (w, 0.0)],
    ),
    "a_tolerance_is_waited_for": (
        """
        def f(w, tol):
            step = force(w)
            count = 0
            while jnp.max(jnp.abs(step)).item() > tol and count < 100:
                w = w + 0.1 * step
                step = force(w)
                count += 1
            return w, step
        """,
        "(jnp.max(jnp.abs(step)) > tol) & (count < 100)",
        [(w, 1e-2), (w, 10.0), (w, 0.0)],
    ),
    "an_episode_ends": (
        """
        def f(w, n):
            total = 0.0
            for t in range(n):
                w = w + 0.3 * force(w) + 0.1 * jnp.float32(t)
                total = total + jnp.sum(w)
                done = jnp.abs(w[0]) > 0.6
                if bool(done):
                    break
            return w, total
        """,
        "lax.while_loop(",
        [(w, 1), (w, 2), (w, 9)],
    ),
    "a_line_is_searched": (
        """
        def f(w, best, n):
            new, value, rate = w, best, jnp.float32(1.0)
            for _ in range(n):
                new = w + rate * force(w)
                value = energy(new)
                if value <= best:
                    break
                rate = 0.5 * rate
            return new, value
        """,
        "lax.while_loop(",
        [(w, 0.0, 0), (w, 0.2, 9), (w, -9.0, 9)],
    ),
    "a_model_is_handed_in": (
        """
        def f(model, key, w, n):
            for t in reversed(range(n)):
                key, subkey = jax.random.split(key)
                w = 0.9 * w - 0.1 * model(w, t) + 0.1 * jax.random.normal(subkey, w.shape)
            return w
        """,
        "lax.fori_loop(0, n, body, (key, w))",
        [(lambda: model, key, w, 0), (lambda: model, key, w, 4)],
    ),
    "only_the_first_trips_draw": (
        """
        def f(key, w, n):
            for t in range(n):
                key, subkey = jax.random.split(key)
                noise = jax.random.normal(subkey, w.shape) if t < 3 else jnp.zeros(w.shape)
                w = w + 0.1 * force(w) + noise
            return w
        """,
        "lax.cond(",
        [(key, w, 0), (key, w, 7)],
    ),
    "numbers_that_are_fetched_are_collected": (
        """
        def f(w, n):
            energies = []
            for _ in range(n):
                w = w + 0.1 * force(w)
                energies.append(energy(w).item())
            return w, energies
        """,
        "energies = energies.tolist()",
        [(w, 1), (w, 4)],
    ),
    "parameters_in_a_tree": (
        """
        def f(p, x, n):
            for _ in range(n):
                grads = jax.grad(lambda p: energy(x @ p["w"] + p["b"]))(p)
                p = jax.tree.map(lambda a, g: a - 0.1 * g, p, grads)
            return p
        """,
        "lax.fori_loop(0, n, ",
        [(lambda: {"w": w(), "b": jnp.ones(4)}, x, 0), (lambda: {"w": w(), "b": jnp.ones(4)}, x, 9)],
    ),
}


@pytest.mark.parametrize(("code", "expected", "calls"), ROLLED.values(), ids=ROLLED.keys())
def test_a_loop_of_single_operations_becomes_one_program(
    rewrite: Rewriting, code: str, expected: str, calls: list[tuple[object, ...]]
) -> None:
    sample = rewrite(HEAD + dedent(code).strip() + "\n")
    assert "eager-step-loop" in sample.codes
    assert expected in sample.body, sample.body
    sample.agree("f", *calls)


def test_an_array_that_each_trip_copies_makes_work_of_few_operations(rewrite: Rewriting) -> None:
    sample = rewrite(
        HEAD
        + """
def f(noise, dt, s):
    n = noise.shape[0]
    path = jnp.ones((n, 4)) * s
    for i in range(1, n):
        path = path.at[i, :].set(path[i - 1, :] * (1 + 0.5 * dt + s * jnp.sqrt(dt) * noise[i - 1, :]))
    return path
"""
    )
    assert sample.codes == ["eager-step-loop"]
    sample.agree("f", (jnp.ones((40, 4)), 0.01, 0.3))


def test_a_model_that_a_method_runs_for_the_loop_is_handed_in(rewrite: Rewriting) -> None:
    sample = rewrite(
        HEAD
        + """
class Flow:
    def __init__(self, model):
        self.model = model

    def step(self, x, start, end):
        middle = jnp.full((x.shape[0],), (start + end) / 2.0)
        return x + (end - start) * self.model(x, middle)

    def sample(self, x, n: int = 50):
        times = jnp.linspace(0.0, 1.0, n + 1)
        for k in range(n):
            x = self.step(x, times[k], times[k + 1])
        return x / 2.0
"""
    )
    assert sample.codes == ["eager-step-loop"]


LEFT = {
    "progress-bar": """
        for _ in tqdm(range(n)):
            w = w + force(w)
        """,
    "occasional-print": """
        for i in range(n):
            w = w + force(w)
            if i % 100 == 0:
                print(i, energy(w))
        """,
    "iterator": """
        keys = iter(jax.random.split(key, n))
        for i in range(n):
            w = w + force(w) + jax.random.normal(next(keys), (3,))
        """,
    "mutation": """
        outputs = [None] * n
        for i in range(1, n):
            w = jnp.tanh(force(w) + jnp.sum(outputs[i - 1]))
            outputs[i] = w * 2
        """,
    "carry-shape-grows": """
        for _ in range(n):
            w = jnp.append(w, jnp.sum(force(w)))
        """,
    "python-float": """
        rate = 1.0
        for _ in range(n):
            w = w + rate * force(w)
            if jnp.max(w) > 3:
                break
            rate = 0.5 * rate
        """,
}


def of(loop: str) -> str:
    body = "".join(f"    {line}\n" for line in dedent(loop).strip().splitlines())
    return f"import numpy\n{HEAD}def f(w, x, n, key, loader, env, logger, save):\n{body}    return w\n"


@pytest.mark.parametrize(("reason", "loop"), LEFT.items(), ids=LEFT.keys())
def test_a_loop_of_single_operations_is_reported_and_left_with_its_reason(
    rewrite: Rewriting, reason: str, loop: str
) -> None:
    sample = rewrite(of(loop))
    assert [code for code in sample.codes if code != "growing-array"] == ["eager-step-loop"]
    assert sample.reasons == [reason]
    advice = "in a buffer of the full size" if reason == "carry-shape-grows" else "jit the body"
    assert advice in (sample.reports[0].finding.help or "")


def test_what_is_said_when_it_ends_keeps_the_loop_on_the_host(rewrite: Rewriting) -> None:
    loop = """
        for i in range(n):
            w = w + force(w)
            if jnp.max(w) > 3:
                print("diverged after", i)
                break
        """
    assert rewrite(of(loop)).reasons == ["occasional-print"]


BESIDE_THE_HOST = {
    "logs_on_each_trip": (
        "side-effect",
        """
        for i in range(n):
            w = w + force(w)
            print(energy(w))
        """,
    ),
    "logs_through_an_object": (
        "side-effect",
        """
        for i in range(n):
            w = w + force(w)
            logger.write(i, w)
        """,
    ),
    "writes_now_and_then": (
        "side-effect",
        """
        for i in range(n):
            w = w + force(w)
            if i % 100 == 0:
                save(w)
        """,
    ),
    "waits_for_an_environment": (
        "host-work",
        """
        done = False
        while not done:
            w = w + force(w)
            done = env.over()
        """,
    ),
    "arrays_that_are_read_back": (
        "side-effect",
        """
        path = []
        for i in range(n):
            w = w + force(w)
            path.append(numpy.asarray(w))
        """,
    ),
}


@pytest.mark.parametrize(("reason", "loop"), BESIDE_THE_HOST.values(), ids=BESIDE_THE_HOST.keys())
def test_of_a_loop_that_does_other_things_too_the_first_of_them_is_said(
    rewrite: Rewriting, reason: str, loop: str
) -> None:
    sample = rewrite(of(loop))
    assert sample.codes == ["eager-step-loop"]
    finding = sample.reports[0].finding
    assert (finding.fix.reason or "").partition(":")[0] == reason
    assert "jit what a trip computes" in (finding.help or "")


ON_THE_HOST = {
    "reads_a_loader": """
        for batch in loader:
            w = w + force(w + batch)
        """,
    "asks_an_environment": """
        for i in range(n):
            observation, reward, done, info = env.step(w)
            w = w + force(w + observation)
            if done:
                break
        """,
    "draws_from_numpy": """
        for i in range(n):
            w = w + force(w + numpy.random.normal(size=3))
        """,
    "few_trips": """
        for i in range(5):
            w = w + force(w)
        """,
    "few_operations": """
        for i in range(n):
            w = w + jnp.sin(w)
        """,
    "operations_on_numbers": """
        for i in range(n):
            w = 0.5 * w + i * 2 - 3 * i / 4 + (i - 1) * (i - 2) * (i - 3) / (i + 1) - i + 2 - 3 * i + 4 + i * i
        """,
    "the_number_of_the_trip_as_an_axis": """
        for i in range(n):
            w = force(jnp.moveaxis(x.reshape((2,) * n), i, 0).reshape(4, i))
        """,
    "each_trip_for_itself": """
        out = []
        for i in range(n):
            out.append(force(x[i]))
        """,
    "sums_of_what_each_trip_gives": """
        for i in range(n):
            w = w + force(x[i]) - energy(x[i])
        """,
    "places_that_each_trip_sets": """
        for i in range(n):
            w = w.at[i].set(energy(x[i]) + jnp.sum(force(x[i])))
        """,
    "a_kernel_that_is_handed_in": """
        for i in range(n):
            key, subkey = jax.random.split(key)
            w = save(i, subkey, w)
        """,
    "a_jitted_function_is_given_the_state": """
        gradient = jax.jit(force)
        for i in range(n):
            g = gradient(w)
            w = w + 0.1 * g / jnp.sqrt(1.0 + jnp.sum(g**2)) - 0.1 * jnp.tanh(w) * jnp.exp(-w * w) + 0.1 * jnp.cos(w)
        """,
    "a_jitted_step_makes_the_state": """
        step = jax.jit(force)
        for i in range(n):
            energies = [energy(w), energy(w), energy(w)]
            w = step(w)
        """,
}


@pytest.mark.parametrize("loop", ON_THE_HOST.values(), ids=ON_THE_HOST.keys())
def test_nothing_is_said_of_a_loop_that_belongs_on_the_host(rewrite: Rewriting, loop: str) -> None:
    assert "eager-step-loop" not in rewrite(of(loop)).codes


def test_a_nest_is_reported_once(rewrite: Rewriting) -> None:
    loop = """
        for i in range(n):
            for j in range(20):
                w = w + 0.1 * force(w)
            w = w / jnp.max(w)
        """
    sample = rewrite(of(loop))
    assert sample.codes == ["eager-step-loop"]
    assert sample.body.count("lax.fori_loop(") == 2


def test_nothing_is_said_of_a_loop_that_is_jitted_around(rewrite: Rewriting) -> None:
    loop = """
        for i in range(n):
            w = w + 0.1 * force(w)
        """
    code = of(loop).replace("def f(", "@jax.jit\ndef f(")
    assert "eager-step-loop" not in rewrite(code).codes


def test_rows_under_a_bar_are_arrays_that_functions_which_are_handed_in_take(rewrite: Rewriting) -> None:
    loop = """
        times = jnp.linspace(1.0, 0.0, 500)
        score = jax.jit(force)
        for t in tqdm(times):
            g = env(t)
            mean = w + g**2 * score(w + t) * 0.1
            key, sub = jax.random.split(key)
            w = mean + jnp.sqrt(0.1) * g * jax.random.normal(sub, w.shape)
        """
    sample = rewrite(of(loop))
    assert (sample.codes, sample.reasons) == (["eager-step-loop"], ["progress-bar"])
