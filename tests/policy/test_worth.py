"""Which loops are worth a word: many trips, or much work in each, as far as the file tells."""

from __future__ import annotations

import textwrap
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.settings import Settings

HEADER = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom functools import partial\n\n\n"


def found(text: str, **settings: int) -> list[Finding]:
    """The findings about loops in a program."""
    program = HEADER + textwrap.dedent(text)
    outcome = check_text(program.encode(), Path("program.py"), Settings(**settings))  # type: ignore[arg-type]
    assert not outcome.problems
    return [f for f in outcome.findings if f.code.startswith(("SCN10", "SCN30"))]


STEP = "x = jnp.sin(x) * 2.0 + jnp.cos(x) - jnp.exp(-x)"

CONFIGURED = f"""
from typing import NamedTuple

class Config(NamedTuple):
    count: int = {{count}}
    rate: float = 0.1

@partial(jax.jit, static_argnames="config")
def run(x, config: Config):
    for _ in range(config.count):
        {STEP}
    return x
"""

REPORTED = [
    pytest.param(
        CONFIGURED.format(count=200),
        None,
        id="a count that a configuration gives by default",
    ),
    pytest.param(
        """
        @jax.jit
        def forward(initial, transition, emission, observations):
            alpha = initial
            for o in observations[1:]:
                alpha = (alpha @ transition) * emission[:, o]
            return alpha
        """,
        None,
        id="rows that are used as indices into a part of an array",
    ),
    pytest.param(
        """
        @jax.jit
        def lstm(params, xs, h, c):
            for x in xs:
                i, f, g, o = jnp.split(jnp.concatenate([x, h]) @ params["w"], 4)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
                h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return h
        """,
        None,
        id="rows that are joined with a state",
    ),
    pytest.param(
        """
        import equinox as eqx

        @eqx.filter_jit
        def loss(model, xs: jax.Array, ys):
            total = 0.0
            h = jnp.zeros(3)
            for x in xs:
                h = model(x, h)
            return jnp.mean((h - ys) ** 2)
        """,
        None,
        id="rows that a function gets which is not known",
    ),
    pytest.param(
        """
        @jax.jit
        def epoch(state, xs, ys):
            losses = []
            for i in range(xs.shape[0]):
                def loss(params):
                    return state.measure(params, xs[i], ys[i]).mean()

                value, grads = jax.value_and_grad(loss)(state.params)
                state = state.apply_gradients(grads=grads)
                losses.append(value)
            return state, jnp.mean(jnp.array(losses))
        """,
        None,
        id="losses of a function that is not known",
    ),
    pytest.param(
        """
        from flax import struct

        @struct.dataclass
        class Params:
            rate: float = 0.1
            limit: int = 200

        @jax.jit
        def run(x, params: Params):
            done, t = False, 0
            while not done:
                x, t = jnp.sin(x) * params.rate, t + 1
                done = t >= params.limit
            return x
        """,
        None,
        id="a whole number among the leaves of a pytree",
    ),
    pytest.param(
        """
        @jax.jit
        def advantages(rewards, values):
            last = 0.0
            for t in range(rewards.shape[0] - 1, -1, -1):
                last = rewards[t] + 0.99 * values[t + 1] - values[t] + 0.9 * last
            return last
        """,
        None,
        id="a count down from the length of an array",
    ),
    pytest.param(
        """
        def project(degree_max):
            @jax.jit
            def run(m):
                out = [0 for _ in range(degree_max**2)]
                for l in range(degree_max + 1):
                    for k in range(2 * l + 1):
                        out[l * l + k] = m[l * l + k] * jnp.cos(m[0]) + m[l * l + 2 * l - k] * jnp.sin(m[1])
                return jnp.array(out)
            return run
        """.replace("degree_max", "l_max"),
        None,
        id="nested ranges over an argument of the function around, filling a list",
    ),
    pytest.param(
        """
        @partial(jax.jit, static_argnames="n")
        def integrals(x, n):
            parts = []
            for l in range(n):
                for m in range(l + 1):
                    if m % 2:
                        parts.append(jnp.sin(x) ** m * jnp.cos(x) ** l)
                    else:
                        parts.append(jnp.zeros_like(x))
            return jnp.stack(parts)
        """,
        "conditional-append",
        id="nested ranges that append on several branches",
    ),
    pytest.param(
        """
        @jax.jit
        def rollout(env, loss, controls, gains):
            count = env.horizon
            states, actions = [None] * (count + 1), [None] * count
            states[0], cost = env.start(), 0.0
            for t in range(count):
                actions[t] = controls[t] + gains[t] @ (states[t].flatten() - controls[0])
                states[t + 1], _ = env(states[t], actions[t])
                cost += loss(states[t], actions[t])
            return states, actions, cost
        """,
        "mutation",
        id="a rollout into lists that were made as long as the loop",
    ),
    pytest.param(
        """
        class World:
            def __init__(self, n):
                self.size = (n, n)

            @partial(jax.jit, static_argnums=0)
            def draw(self, image, place):
                for i in range(max(int(0.1 * self.size[0]), 1)):
                    for j in range(max(int(0.1 * self.size[1]), 1)):
                        image = image.at[place + i, place + j].set(1.0)
                return image
        """,
        None,
        id="a grid of pixels whose sides are attributes",
    ),
    pytest.param(
        """
        @jax.jit
        def draw(image, place):
            for i in range(6):
                for j in range(6):
                    image = image.at[place + i, place + j].set(1.0)
            return image
        """,
        None,
        id="a small square of pixels, for the trips of a nest multiply",
    ),
    pytest.param(
        """
        class Game:
            def __init__(self, num_agents):
                self.num_agents = num_agents

            @partial(jax.jit, static_argnums=0)
            def step(self, places, moves, table):
                new = jnp.zeros_like(places)
                for agent in range(self.num_agents):
                    seen = table[agent, moves[agent]]
                    new = new.at[agent].set(jnp.where(seen > 0, places[agent] + 1, moves[agent]))
                return new
        """,
        None,
        id="each agent's row made from the agent's rows",
    ),
    pytest.param(
        """
        @partial(jax.jit, static_argnums=1)
        def rings(f, count):
            # Rings of one length go together to reduce the size of the unrolled graph
            def spectrum(part, n):
                return jnp.fft.fftshift(jnp.fft.fft(part)) * n
            rows = []
            start = 0
            for t in range(0, count - 1):
                rows.append(spectrum(f[start : start + 4 * t], 4 * t)[:4])
                start += 4 * t
            return jnp.stack(rows)
        """,
        "index-needs-int",
        id="a comment about the cost of unrolling",
    ),
    pytest.param(
        """
        class Statistics:
            def correlate(self, u, v):
                cells = self.domain.number_of_cells
                first, second = [], []
                if self.parallel:
                    for shift in range(cells[1] // 2):
                        first.append(jnp.mean(u * jnp.roll(u, shift=shift, axis=-2)) / jnp.mean(u * u))
                        second.append(jnp.mean(v * jnp.roll(v, shift=shift, axis=-2)) / jnp.mean(v * v))
                else:
                    first.append(u)
                    second.append(v)
                return jnp.array(first), jnp.array(second)

            def all(self, us, vs):
                return jax.vmap(self.correlate)(us, vs)
        """,
        "list-made-elsewhere",
        id="two lists made before a branch, as long as an axis of the grid",
    ),
    pytest.param(
        """
        @partial(jax.jit, static_argnums=1)
        def blocks(x, n):
            def heavy(y):
                q, r = jnp.linalg.qr(y)
                return q @ r @ jnp.linalg.inv(y)
            out = []
            for i in range(n):
                out.append(heavy(x[: i + 1, : i + 1]).sum())
            return jnp.stack(out)
        """,
        "index-needs-int",
        id="a list without a carry that vmap cannot make, with its work in a local function",
    ),
]  # fmt: skip

SILENT = [
    pytest.param(
        CONFIGURED.format(count=4),
        id="a small count that a configuration gives by default",
    ),
    pytest.param(
        """
        RATES, COUNT = jnp.linspace(0.0, 1.0, 17), 8

        @jax.jit
        def price(inputs):
            total = jnp.float32(0.0)
            for i in range(min(len(inputs), COUNT)):
                total = total + inputs[i] * jnp.exp(-jnp.interp(0.5 * i, RATES, inputs))
            for i in range(inputs.shape[0], COUNT):
                total = total + inputs[min(i, 8)] * jnp.exp(-jnp.interp(0.5 * i, RATES, inputs))
            return total
        """,
        id="at most as many trips as a constant says, or as are left to it",
    ),
    pytest.param(
        f"""
        @jax.jit
        def few(x):
            for k, row in zip(range(100), jnp.ones((4, 3))):
                {STEP} + row * k
            return x
        """,
        id="a range that stops where the rows beside it do",
    ),
    pytest.param(
        """
        from typing import Tuple

        def without(c, parts: Tuple[jax.Array, ...]):
            for i in range(len(parts)):
                c = jnp.tanh(c - jnp.sin(parts[i]) * jnp.cos(parts[i]) + jnp.exp(c))
            return c

        @jax.jit
        def run(c, parts):
            return without(c, parts)
        """,
        id="the arrays of a tuple, as its annotation says",
    ),
    pytest.param(
        """
        @jax.jit
        def corners(image, place):
            for i in range(2):
                for j in range(2):
                    image = image.at[place + i, place + j].set(jnp.sin(image[i, j]) + jnp.cos(image[j, i]))
            return image
        """,
        id="the four corners of a cell",
    ),
    pytest.param(
        """
        @jax.jit
        def record(times, tape):
            tapes = []
            for t in jnp.sort(times) * 2.0:
                parts, weights = split(tape, jnp.sin(t) + jnp.cos(t) * jnp.exp(t))
                weights = weights + jnp.sin(t) * jnp.linalg.inv(jnp.eye(3) * t)
                tapes.extend(shift(tape, parts))
            return tapes, weights
        """,
        id="a loop that builds a list of Python objects",
    ),
    pytest.param(
        f"""
        def polar(a, rounds=4):
            return turned(a.T, rounds) if a.shape[0] < a.shape[1] else straight(a, rounds)

        @partial(jax.jit, static_argnums=1)
        def turned(a, rounds):
            return straight(a, rounds).T

        @partial(jax.jit, static_argnums=1)
        def straight(x, rounds):
            for k in range(rounds):
                {STEP}
            return x
        """,
        id="a count that a default gives through two calls",
    ),
    pytest.param(
        f"""
        def simulate(x0, steps=1, unroll=False):
            def forward(x):
                if unroll:
                    for _ in range(steps):
                        {STEP}
                    return x
                else:
                    return jax.lax.fori_loop(0, steps, lambda _, x: jnp.sin(x), x)
            return jax.vmap(jax.remat(forward))(x0)

        print(jax.make_jaxpr(lambda x: simulate(x, 100, unroll=True))(1.0))
        """,
        id="the unrolled form behind a flag that this call sets",
    ),
    pytest.param(
        f'''
        @jax.jit
        def factor(x):
            """Blocked factorisation, as an unrolled loop."""
            for k in range(x.shape[0]):
                {STEP}
            return x
        ''',
        id="a docstring that says that it is unrolled",
    ),
    pytest.param(
        f"""
        @jax.jit
        def series(x):
            # unrolled on purpose: every operation stays elementwise
            # and is fused
            for k in range(50):
                {STEP}
            return x
        """,
        id="a comment that says why it is unrolled",
    ),
    pytest.param(
        """
        def rotate(l_max, tables):
            @jax.jit
            def run(m):
                parts = []
                for l in range(l_max + 1):
                    parts.append(m[l * l : l * l + 2 * l + 1] @ tables[l])
                return jnp.concatenate(parts)
            return run
        """,
        id="a few equations per trip in a loop that nothing can roll",
    ),
    pytest.param(
        """
        class Game:
            @partial(jax.jit, static_argnums=0)
            def view(self, types, seen):
                for agent in range(self.num_agents):
                    types = types * seen[agent] + 2 * agent * (1 - seen[agent])
                return types
        """,
        id="a carry over the agents",
    ),
    pytest.param(
        f"""
        class Model:
            @partial(jax.jit, static_argnums=0)
            def run(self, x):
                for _ in range(self.order):
                    {STEP}
                return x
        """,
        id="a carry over a setting of the object",
    ),
    pytest.param(
        """
        @jax.jit
        def images(model, kwargs):
            xs, ys = model.images(kwargs)
            total = jnp.zeros(9)
            for i in range(len(xs)):
                total += jnp.sin(model.draw(xs[i], ys[i]))
            return total
        """,
        id="as many trips as something of unknown type is long",
    ),
    pytest.param(
        """
        @jax.jit
        def track(x):
            out, best = np.zeros(x.shape), x[0]
            for i in range(x.shape[0]):
                best = jnp.maximum(best * 0.9, jnp.sin(x[i])) + jnp.cos(best) - jnp.exp(-best) * jnp.tanh(x[i])
                out[i : i + 1] = np.array(best)
            return out, best
        """,
        id="rows that go to the host, which works outside a trace alone",
    ),
    pytest.param(
        """
        def loss(params, x):
            for w, b in params[:-1]:
                x = jnp.tanh(x @ w + b)
            w, b = params[-1]
            return jnp.sum(x @ w + b)

        step = jax.jit(jax.grad(loss))
        """,
        id="the layers of a network but the last",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), REPORTED)
def test_a_loop_with_much_work_is_reported(text: str, reason: str | None) -> None:
    first = found(text)[0]
    assert first.fix.reason is None or first.fix.reason.partition(":")[0] == reason
    assert (first.fix.status == "withheld") is (reason is not None)


@pytest.mark.parametrize("text", SILENT)
def test_a_loop_that_may_well_be_short_or_meant_is_not(text: str) -> None:
    assert found(text) == []


def test_the_help_of_a_loop_in_the_way_of_a_rewrite_says_what_would_cure_it() -> None:
    text = """
    @partial(jax.jit, static_argnames="n")
    def run(x, n):
        parts = []
        for k in range(n):
            if k % 2:
                parts.append(jax.random.normal(jax.random.key(k), (3,)) + x)
        return jnp.stack(parts)
    """
    assert "index tables" in (found(text)[0].help or "")


def test_a_nest_that_nothing_can_roll_is_one_finding() -> None:
    text = """
    @partial(jax.jit, static_argnames="n")
    def run(x, n):
        out = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                out[i][j] = jnp.sin(x[i]) * jnp.cos(x[j]) + jnp.exp(x[i] * x[j]) - jnp.sqrt(x[i])
        return jnp.array(out)
    """
    assert [f.start.line for f in found(text)] == [found(text)[0].start.line]


def test_the_configuration_sets_how_much_work_is_worth_a_word() -> None:
    text = f"""
    @jax.jit
    def run(x):
        for k in range(8):
            {STEP}
        return x
    """
    assert found(text) == []
    assert len(found(text, max_unrolled_trips=4, min_unrolled_equations=20)) == 1


def test_a_nest_says_how_often_the_loop_in_it_runs_and_counts_its_equations() -> None:
    text = """
    @jax.jit
    def run(x):
        for i in range(3):
            for j in range(2, 42):
                x = jnp.sin(x + i) * jnp.cos(x - j)
        return x
    """
    outer = found(text)[0]
    assert "unrolls this loop 3 times, the loop in it 120 times" in outer.message
    trip = jax.make_jaxpr(lambda x: [jnp.sin(x + 1) * jnp.cos(x - j) for j in range(2, 42)])(1.0)
    stated = int((outer.label or "").split()[-2])
    assert len(trip.eqns) <= stated <= 3 * len(trip.eqns)


def test_what_branches_are_given_counts_in_the_size_of_a_trip() -> None:
    program = """
    def heavy(x):
        return jnp.sin(x) * jnp.cos(x) + jnp.exp(-x) * jnp.tanh(x)

    @jax.jit
    def run(x):
        for i in range(11):
            x = jax.lax.cond(x[i] > 0, heavy, lambda x: x - 1.0, x)
        return x
    """
    assert [f.trips for f in found(program)] == [11]
    assert not found(program.replace("heavy, lambda x: x - 1.0", "abs, abs"))


def test_calls_of_a_function_under_transforms_tell_its_trips() -> None:
    text = """
        def loss(weights, steps, cost, simulate, y):
            for h in range(steps):
                y = simulate(y, weights[h] @ weights[h])
            return cost(y)

        grads = jax.jit(jax.grad(loss), static_argnums=(1, 2, 3))
    """
    calls = """
        def train(weights, cost, simulate, y):
            steps, rate = {}, 0.1
            return weights - rate * grads(weights, steps, cost, simulate, y)
    """
    assert len(found(text)) == 1
    assert len(found(text + calls.format(30))) == 1
    assert not found(text + calls.format(3))


def test_a_copy_of_a_traced_array_is_traced() -> None:
    program = """
    import copy

    @jax.jit
    def run(x):
        y = copy.deepcopy(x)
        for i in range(180):
            y = jax.lax.cond(x[i] == 1, lambda: y.at[i].set(1.0), lambda: y)
        return y
    """
    assert [f.trips for f in found(program)] == [180]


@pytest.mark.parametrize(
    ("taken", "count"),
    [
        pytest.param('batch["x"][i]', 1, id="rows of an entry"),
        pytest.param('batch[i]["w"]', 0, id="entries of dicts in a list"),
    ],
)
def test_a_row_has_no_entries_with_names(taken: str, count: int) -> None:
    text = f"@jax.jit\ndef f(batch, x):\n    for i in range(x.shape[0]):\n        x = jnp.sin(x @ x) + {taken}\n    return x\n"
    assert len(found(text)) == count
