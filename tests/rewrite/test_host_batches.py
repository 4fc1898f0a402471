"""Loops on the host that JAX runs once per example: the callees, destinations and sources that make them batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import jax.numpy as jnp
import pytest

from scanlint.finding import Report, Rewrite
from scanlint.rewrite.driver import Rewriter
from scanlint.rules.registry import rules
from scanlint.settings import Settings
from scanlint.trace.program.project import Project

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]

BATCH = {"unbatched-loop", "unbatched-comprehension"}
HEAD = """
import math
import numpy as np


def energy(x, w):
    return jnp.sum(jnp.tanh(x * w) ** 2)


fast = jax.jit(energy)
slope = jax.grad(energy)


class Well:
    def __init__(self, f, centres):
        self.f = f
        self.centres = jnp.array(centres)

    def at(self, x):
        return jnp.exp(-jnp.sum((self.centres - x) ** 2))

    def values(self):
        return jnp.array([self.f(c) for c in self.centres])

    def own(self):
        out = []
        for i in range(self.centres.shape[0]):
            out.append(self.at(self.centres[i]))
        return jnp.stack(out)


def wells(xs):
    well = Well(jnp.sum, xs)
    return well.values(), well.own()


"""


def xs() -> jnp.ndarray:
    return jnp.sin(jnp.arange(24.0)).reshape(12, 2)


def ys() -> jnp.ndarray:
    return jnp.cos(jnp.arange(24.0)).reshape(12, 2)


CALLEES = {
    "a function jitted at the top of the file": ("jnp.stack([fast(x, ys[0]) for x in xs])", "jax.vmap(lambda x: fast(x, ys[0]))(xs)"),
    "a gradient made there": ("jnp.stack([slope(x, y) for x, y in zip(xs, ys)])", "jax.vmap(slope)(xs[: len(ys)], ys[: len(xs)])"),
    "a gradient taken on the spot": ("jnp.stack([jax.grad(energy)(x, ys[0]) for x in xs])", "jax.vmap(lambda x: jax.grad(energy)(x, ys[0]))(xs)"),
    "a zip that is strict": ("jnp.stack([jnp.dot(x, y) for x, y in zip(xs, ys, strict=True)])", "jax.vmap(jnp.dot)(xs, ys)"),
    "a choice per example": ("jnp.array([jnp.sin(x[0]) if x[0] > 0 else x[1] for x in xs])", "jax.vmap(lambda x: "),
    "a flag that is the same for all": ("jnp.array([jnp.sin(x[0]) if len(ys) > 3 else x[1] for x in xs])", "jax.vmap(lambda x: jnp.sin(x[0]) if len(ys) > 3 else x[1])(xs)"),
    "a dtype that is asked for": ("jnp.array([energy(x, x) for x in xs], dtype=jnp.float16)", "jnp.array(jax.vmap(energy)(xs, xs), dtype=jnp.float16)"),
    "a short comprehension over components": ("jnp.stack([jnp.stack([jnp.sum(x * ys[d]) for d in range(3)]) for x in xs])", "for d in range(3)]))(xs)"),
    "a grid": ("jnp.array([[energy(x, y) for y in ys] for x in xs])", "jax.vmap(lambda x: jax.vmap(energy, in_axes=(None, 0))(x, ys))(xs)"),
    "a grid by numbers": ("jnp.array([[energy(xs[i], ys[j]) for j in range(ys.shape[0])] for i in range(xs.shape[0])])", "jax.vmap(lambda x: jax.vmap(lambda y: energy(x, y))(ys))(xs)"),
    "a pair of each row": ("jnp.array([[jnp.sum(x), jnp.max(x)] for x in xs])", "jax.vmap(lambda x: jnp.array([jnp.sum(x), jnp.max(x)]))(xs)"),
    "an array of NumPy": ("np.array([energy(x, x) for x in xs])", "np.array(jax.vmap(energy)(xs, xs))"),
    "numbers of Python": ("np.array([float(energy(x, x)) for x in xs])", "np.array(jax.vmap(energy)(xs, xs), dtype=float)"),
    "whole numbers of Python": ("np.asarray([int(jnp.argmax(x)) for x in xs])", "np.array(jax.vmap(jnp.argmax)(xs), dtype=int)"),
    "numbers of Python for JAX": ("jnp.array([float(energy(x, x)) for x in xs])", "jax.vmap(energy)(xs, xs).astype(float)"),
    "numbers of Python that are handed in": ("jnp.array([energy(float(x[0]), float(x[1])) for x in xs])", "jax.vmap(lambda x: energy(x[0], x[1]))(xs)"),
    "numbers that a function of the project takes as arrays": ("jnp.stack([energy(xs, k) for k in range(20)])", "jax.vmap(energy, in_axes=(None, 0))(xs, jnp.arange(20))"),
    "rows of a NumPy array": ("np.array([float(jnp.sum(xs * t)) for t in np.linspace(0.0, 1.0, 20)])", "jax.vmap(lambda t: jnp.sum(xs * t))(np.linspace(0.0, 1.0, 20))"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CALLEES.values(), ids=CALLEES)
def test_a_comprehension_on_the_host_is_mapped(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"{HEAD}def f(xs: jax.Array, ys: jax.Array):\n    return {code}\n")
    assert expected.replace(" ", "") in "".join(sample.new.split())
    sample.agree("f", [xs, ys])


LOOPS = {
    "a function that is handed in, on rows": (
        """
        def f(objective, xs: jax.Array):
            out = []
            for i in range(xs.shape[0]):
                out.append(objective(xs[i]))
            return jnp.stack(out)
        """,
        "jax.vmap(objective)(xs)",
        [lambda: jnp.sum, xs],
    ),
    "a NumPy array that is filled": (
        """
        def f(xs: jax.Array):
            out = np.zeros(xs.shape[0])
            for i in range(xs.shape[0]):
                out[i] = energy(xs[i], xs[i])
            out[0] = 1.0
            return out
        """,
        "out = np.array(jax.vmap(energy)(xs, xs), dtype=float)",
        [xs],
    ),
    "one of NaNs, with floats": (
        """
        def f(xs: jax.Array):
            out = np.full(len(xs), np.nan)
            for i, x in enumerate(xs):
                out[i] = float(energy(x, x))
            return out
        """,
        "out = np.array(jax.vmap(energy)(xs, xs), dtype=float)",
        [xs],
    ),
    "one of zeros to which rows are added": (
        """
        def f(xs: jax.Array, ys: jax.Array):
            out = np.zeros(xs.shape)
            for i in range(xs.shape[0]):
                out[i, :] += slope(xs[i], ys[i])
            return out
        """,
        "out = np.array(jax.vmap(slope)(xs, ys), dtype=float)",
        [xs, ys],
    ),
    "columns, beside rows": (
        """
        def f(xs: jax.Array):
            rows = np.zeros((len(xs), xs.shape[1]))
            columns = np.zeros((xs.shape[1], len(xs)), dtype=np.float32)
            for i in range(len(xs)):
                rows[i] = jnp.sin(xs[i])
                columns[:, i] = jnp.cos(xs[i])
            return rows, columns
        """,
        "jax.vmap(per_example, out_axes=(0, 1))(xs)",
        [xs],
    ),
    "a list of floats and one of arrays": (
        """
        def f(xs: jax.Array):
            energies, slopes = [], []
            for i in range(len(xs)):
                energies.append(float(energy(xs[i], xs[i])))
                slopes.append(slope(xs[i], xs[i]))
            return np.array(energies), jnp.stack(slopes)
        """,
        "energies = np.array(energies, dtype=float)",
        [xs],
    ),
    "a list that is made an array under its own name": (
        """
        def f(xs: jax.Array):
            out = [float(energy(x, x)) for x in xs]
            out = np.array(out)
            return out.mean()
        """,
        "    out = np.array(jax.vmap(energy)(xs, xs), dtype=float)\n    return out.mean()",
        [xs],
    ),
    "a value that is masked": (
        """
        def f(xs: jax.Array):
            out = []
            for i in range(xs.shape[0]):
                s = jnp.sum(jnp.log(xs[i]))
                if jnp.isnan(s):
                    s = jnp.zeros(())
                out.append(s)
            return jnp.array(out)
        """,
        "jnp.isnan(s)",
        [xs],
    ),
    "counts of a known number of bins": (
        """
        def f(xs: jax.Array):
            counts = jnp.zeros(20)
            sums = jnp.zeros(20)
            for b in range(20):
                inside = xs == b
                counts = counts.at[b].set(jnp.sum(inside))
                sums = sums.at[b].set(jnp.sum(jnp.where(inside, xs, 0.0)))
            return counts, sums
        """,
        "counts, sums = jax.vmap(per_example)(jnp.arange(20))",
        None,
    ),
    "a grid that is filled, place by place": (
        """
        def f(xs: jax.Array, ys: jax.Array):
            out = np.zeros((xs.shape[0], len(ys)))
            for i in range(xs.shape[0]):
                for j, y in enumerate(ys):
                    value = energy(xs[i], y)
                    out[i, j] = float(value)
            return out
        """,
        "jax.vmap(",
        [xs, ys],
    ),
    "a grid of numbers that the host works out": (
        """
        def f(xs: jax.Array):
            scales = [10**k for k in np.linspace(-2, 0, num=20)]
            shifts = np.linspace(0.0, 1.0, 30)
            out = np.zeros((20, 30))
            for i, scale in enumerate(scales):
                for j in range(30):
                    out[i, j] = jnp.sum(jnp.sin(xs * scale + shifts[j]))
            return out
        """,
        "(jnp.asarray(scales)),",
        [xs],
    ),
    "a grid of a JAX array": (
        """
        def f(xs: jax.Array, ys: jax.Array):
            out = jnp.zeros((xs.shape[0], ys.shape[0]))
            for i in range(xs.shape[0]):
                for j in range(ys.shape[0]):
                    out = out.at[i, j].set(energy(xs[i], ys[j]))
            return out
        """,
        "out = jax.vmap(lambda x: jax.vmap(lambda y: energy(x, y))(ys))(xs)",
        [xs, ys],
    ),
    "columns of what NumPy made": (
        """
        def f(n):
            out = np.zeros((3 * n, 3 * n))
            basis = np.eye(3 * n, dtype=np.float32)
            for i in range(3 * n):
                out[:, i] = jnp.cumsum(jnp.sin(basis[i, :]))
            return out
        """,
        "out_axes=1)(basis),",
        [6],
    ),
    "columns of a JAX array": (
        """
        def f(xs: jax.Array):
            out = jnp.zeros((xs.shape[1], xs.shape[0]))
            for i in range(xs.shape[0]):
                out = out.at[:, i].set(jnp.cumsum(xs[i]))
            return out
        """,
        "out = jax.vmap(jnp.cumsum, out_axes=1)(xs)",
        [xs],
    ),
    "methods, and what __init__ keeps": ("f = wells\n", "jax.vmap(self.at)(self.centres)", [xs]),
    "a function that __init__ was handed": ("f = wells\n", "jax.vmap(self.f)(self.centres)", [xs]),
    "what a derivative is taken at, in a list or an array": (
        """
        def f(ts):
            return jnp.array([jax.grad(jnp.sin)(t) for t in ts])
        """,
        "jax.vmap(jax.grad(jnp.sin))(jnp.asarray(ts))",
        [lambda: jnp.linspace(0.0, 1.0, 12)],
    ),
    "a sum over examples": (
        """
        def f(xs: jax.Array, ys: jax.Array):
            loss = 0.0
            for i in range(xs.shape[0]):
                loss += energy(xs[i], ys[i])
            return loss
        """,
        "loss = jnp.sum(jax.vmap(energy)(xs, ys), axis=0)",
        [xs, ys],
    ),
    "a sum that begins with something": (
        """
        def f(xs: jax.Array, ys: jax.Array):
            loss = jnp.mean(ys)
            for x, y in zip(xs, ys):
                scaled = x * 2.0
                loss = loss + energy(scaled, y)
            return loss
        """,
        "(xs[: len(ys)], ys[: len(xs)])",
        [xs, ys],
    ),
    "places of an array that are added to": (
        """
        def f(xs: jax.Array, bins: jax.Array):
            out = jnp.zeros((3, 2))
            for i in range(xs.shape[0]):
                out = out.at[bins[i]].add(jnp.tanh(xs[i]))
            return out
        """,
        "out = out.at[bins].add(jnp.tanh(xs))",
        [xs, lambda: jnp.arange(12) % 3],
    ),
    "rows that are added to places as they stand": (
        """
        def f(xs: jax.Array, bins: jax.Array):
            out = jnp.zeros((3, 2))
            for i in range(xs.shape[0]):
                out = out.at[bins[i], :].add(xs[i])
            return out
        """,
        "    out = jnp.zeros((3, 2))\n    out = out.at[bins].add(xs)\n    return out",
        [xs, lambda: jnp.arange(12) % 3],
    ),
}


@pytest.mark.parametrize(("code", "expected", "case"), LOOPS.values(), ids=LOOPS)
def test_a_loop_on_the_host_is_mapped(
    code: str, expected: str, case: list[Callable[[], object]] | None, rewrite: Rewriting
) -> None:
    sample = rewrite(f"{HEAD}{dedent(code)}")
    assert expected in sample.new and BATCH & set(sample.codes)
    if case is not None:
        sample.agree("f", case)


LEFT = {
    "a power that has to be a number": "return jnp.stack([jnp.linalg.matrix_power(xs, i) for i in range(20)])",
    "shapes": "return jnp.concatenate([jnp.ones(i) for i in range(20)])",
    "math on each example": "return np.array([math.erf(float(x[0])) for x in xs])",
    "NumPy alone": "points = np.linspace(0.0, 1.0, 50)\n    return np.array([np.sum(p) for p in points])",
    "a function handed in that gets no array": "return np.array([ys(name) for name in ['a', 'b', 'c'] * 9])",
    "a grid that a trip reads": "out = np.zeros((len(xs), len(xs)))\n    for i in range(len(xs)):\n        for j in range(len(xs)):\n            out[i, j] = energy(xs[i], xs[j]) + out[j, i]\n    return out",
    "a part of a grid": "out = np.zeros((len(xs), len(xs)))\n    for i in range(len(xs)):\n        for j in range(i, len(xs)):\n            out[i, j] = energy(xs[i], xs[j])\n    return out",
    "a carry in a NumPy array": "out = np.zeros(len(xs))\n    for i in range(len(xs)):\n        out[i] = energy(xs[i], xs[i]) + out[i - 1]\n    return out",
    "a NumPy array that has another name": "out = np.zeros(len(xs))\n    other = out\n    for i in range(len(xs)):\n        out[i] = energy(xs[i], xs[i])\n        print(other)\n    return out",
    "as many places as are not known to be filled": "out = np.zeros(20)\n    for i in range(len(xs)):\n        out[i] = energy(xs[i], xs[i])\n    return out",
    "a list that stays one": "out = []\n    for x in xs:\n        out.append(float(energy(x, x)))\n    return out",
    "few bins": "out = jnp.zeros(3)\n    for b in range(3):\n        out = out.at[b].set(jnp.sum(xs == b))\n    return out",
    "a sum over slices, as many as memory holds": "out = 0.0\n    for i in range(20):\n        out += energy(xs[i * 5 : i * 5 + 5], 1.0)\n    return out",
    "a sum that a trip reads": "out = jnp.zeros(2)\n    for x in xs:\n        out = out + energy(x, out)\n    return out",
    "a NumPy array that is added to in place": "out = np.zeros(2)\n    for x in xs:\n        out += jnp.sin(x)\n    return out",
    "a sum of Python's numbers": "out = 0.0\n    for x in xs:\n        out += float(energy(x, x))\n    return out",
    "a sum with the key of each trip": "key, out = ys, 0.0\n    for x in xs:\n        key, sub = jax.random.split(key)\n        out += energy(x, jax.random.normal(sub))\n    return out",
    "derivatives of which none is an array": "return {t: slope(t, 1.0) for t in ys}",
    "a number that a function of the project needs": "def moment(n):\n        return jnp.sum(jnp.linalg.matrix_power(xs[:2], n))\n\n    out = jnp.zeros(20)\n    for b in range(20):\n        out = out.at[b].set(moment(b))\n    return out",
    "a number that one behind it needs": "def scale(n):\n        return math.gamma(n + 1)\n\n    def moment(n):\n        return jnp.sum(xs) * scale(n)\n\n    return jnp.stack([moment(b) for b in range(20)])",
    "a number that is asked for its truth": "def moment(n):\n        return jnp.sum(xs) if n else jnp.max(xs)\n\n    return jnp.stack([moment(b) for b in range(20)])",
    "a number that is looked for": "def moment(n):\n        return jnp.sum(xs) * (n in (1, 2) or 3)\n\n    return jnp.stack([moment(b) for b in range(20)])",
    "floats of Python, which take on a dtype": "scales = [0.1 * k for k in range(20)]\n    return jnp.stack([jnp.sum(xs * s) for s in scales])",
    "a list that has grown": "scales = [10**k for k in np.linspace(-2, 0, 20)]\n    scales.append(2.0)\n    return jnp.stack([jnp.sum(xs * s) for s in scales])",
    "a number that chooses": "def moment(n):\n        return jnp.sum(xs) if n > 3 else jnp.max(xs)\n\n    return jnp.stack([moment(b) for b in range(20)])",
    "a number that finds a place in a list": "table = [1.0, 2.0] * 10\n\n    def moment(n):\n        return jnp.sum(xs) * table[n]\n\n    return jnp.stack([moment(b) for b in range(20)])",
}  # fmt: skip


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_is_no_batch_is_left_on_the_host(body: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"{HEAD}def f(xs: jax.Array, ys):\n    {body}\n")
    found = [r for r in sample.reports if r.finding.name in BATCH and r.finding.function == "f"]
    assert not found


def found_in(folder: Path, files: dict[str, str]) -> list[Report]:
    """The findings about batches in a project."""
    for name, text in files.items():
        (folder / name).write_text(text)
    settings = Settings(root=folder, select=("ALL",), level="advice")
    project = Project.load([folder / name for name in files], settings)
    rewriter = Rewriter([rule() for rule in rules()], settings, project.reanalyse, [])
    found = (report for unit in project.units() for report in rewriter.reports(unit, rewriter.rules))
    return [report for report in found if report.finding.name in BATCH]


@pytest.mark.parametrize("callee", ["energy(x, w)", "fast(x, w)", "slope(x, w)", "jax.jacfwd(energy)(x, w)"])
def test_a_callee_may_stand_in_another_file(callee: str, tmp_path: Path) -> None:
    physics = "import jax\nimport jax.numpy as jnp\n\n\ndef energy(x, w):\n    return jnp.sum(jnp.tanh(x * w))\n\n\n"
    physics += "fast = jax.jit(energy)\nslope = jax.grad(energy)\n"
    user = "import jax\nimport jax.numpy as jnp\n\nfrom physics import energy, fast, slope\n\n\n"
    user += f"def f(xs: jax.Array, w: jax.Array):\n    return jnp.stack([{callee} for x in xs])\n"
    assert len(found_in(tmp_path, {"physics.py": physics, "user.py": user})) == 1


def test_a_callee_of_another_file_that_needs_the_host_is_none(tmp_path: Path) -> None:
    physics = "import jax.numpy as jnp\nimport numpy as np\n\n\ndef energy(x, w):\n    return jnp.sum(np.sort(x) * w)\n"
    user = "import jax\nimport jax.numpy as jnp\n\nfrom physics import energy\n\n\n"
    user += "def f(xs: jax.Array, w: jax.Array):\n    return jnp.stack([energy(x, w) for x in xs])\n"
    assert not found_in(tmp_path, {"physics.py": physics, "user.py": user})


def test_arrays_that_are_filled_keep_their_dtypes(rewrite: Rewriting) -> None:
    sample = rewrite(f"{HEAD}{dedent(LOOPS['counts of a known number of bins'][0])}")
    made = [r.outcome for r in sample.reports if isinstance(r.outcome, Rewrite)]
    forms = [form for first in made for form in plainer_of(first)]
    assert any("counts = counts.astype(float)" in edit.text for form in forms for edit in form.edits)


def plainer_of(rewrite: Rewrite) -> Iterator[Rewrite]:
    """The forms that are tried one after the other where the first one is refuted."""
    while (form := rewrite.plainer) is not None:
        yield (rewrite := form)


NUMBERS = {
    "a jitted function": "jnp.array([fast(t, 2.0) for t in range(n)])",
    "numbers worked out of these": "np.array([float(fast(0.5 * t, 2.0)) for t in range(n)])",
    "draws": "jnp.stack([jax.random.normal(jax.random.PRNGKey(t), (3,)) for t in range(n)])",
}


@pytest.mark.parametrize("made", NUMBERS.values(), ids=NUMBERS.keys())
def test_what_jax_makes_of_many_numbers_is_a_batch(rewrite: Rewriting, made: str) -> None:
    sample = rewrite(f"{HEAD}\n\ndef f(n):\n    return {made}\n")
    assert "unbatched-comprehension" in sample.codes
    assert "jnp.arange(n)" in sample.body
    sample.agree("f", (5,), (40,))


def test_few_numbers_and_functions_that_may_need_python_numbers_are_no_batch(rewrite: Rewriting) -> None:
    few = rewrite(f"{HEAD}\n\ndef f():\n    return jnp.array([fast(t, 2.0) for t in range(3)])\n")
    power = "def power(t):\n    return jnp.linalg.matrix_power(jnp.eye(3), t)\n"
    need = rewrite(f"{HEAD}\n\n{power}\n\ndef f(n):\n    return jnp.array([power(t) for t in range(n)])\n")
    assert "arange" not in few.body + need.body
