"""Functions that are jitted again and again: what JAX compiles again is reported, and compiled once after the rewrite."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import jax
import jax.numpy as jnp
import pytest

from scanlint.engine.session import RunOutcome, check
from scanlint.fix.run import fix
from scanlint.settings import Settings

HEAD = """\
import functools

import jax
import jax.numpy as jnp

TRACES = []


def g(w, k=1.0):
    TRACES.append(1)
    return jnp.sum(jnp.sin(w) * k)


class Model:
    def __init__(self):
        self.scale = 2.0

    def energy(self, w):
        return g(w, self.scale)


"""
AGAIN = {
    "a_lambda": "for x in xs:\n        w = w + jax.jit(lambda v: g(v))(x)",
    "a_lambda_with_a_name": "for x in xs:\n        f = jax.jit(lambda v: g(v))\n        w = w + f(x)",
    "a_gradient": "for x in xs:\n        f = jax.jit(jax.grad(g))\n        w = w + f(x)",
    "a_gradient_applied_at_once": "for x in xs:\n        w = w + jax.jit(jax.grad(g))(x)",
    "a_partial": "for x in xs:\n        w = w + jax.jit(functools.partial(g, k=2.0))(x)",
    "a_bound_method": "m = Model()\n    for x in xs:\n        w = w + jax.jit(m.energy)(x)",
    "an_inner_function": (
        "for x in xs:\n\n        @jax.jit\n        def f(v):\n            return g(v)\n\n        w = w + f(x)"
    ),
    "an_inner_function_that_is_jitted_by_a_call": (
        "for x in xs:\n\n        def f(v):\n            return g(v)\n\n        h = jax.jit(f)\n        w = w + h(x)"
    ),
    "a_while_loop": "i = 0\n    while i < 3:\n        w = w + jax.jit(lambda v: g(v))(w)\n        i += 1",
    "a_comprehension": "w = sum([jax.jit(lambda v: g(v))(x) for x in xs])",
    "a_jit_under_another_transform": "for x in xs:\n        w = w + jax.jacfwd(jax.jit(lambda v: g(v)))(x)",
}
SOLVED = """
from scipy.optimize import minimize


def f(w, xs):
    weight = 1.0
    for x in xs:
{inner}
        found = minimize({handed}, x, jac={jac}, method="BFGS", options={{"maxiter": 1}})
        weight = weight * 2.0
    return w
"""
TARGET = "        def target(v):\n            return g(v) + jnp.sum(v**2) * weight\n"
ONCE = {
    "a_function_of_the_module": "for x in xs:\n        w = w + jax.jit(g)(x)",
    "jitted_before": "f = jax.jit(lambda v: g(v))\n    for x in xs:\n        w = w + f(x)",
    "an_inner_function_made_before": (
        "def f(v):\n        return g(v)\n\n    for x in xs:\n        w = w + jax.jit(f)(x)"
    ),
    "made_on_the_first_trip": (
        "f = None\n    for x in xs:\n        if f is None:\n            f = jax.jit(lambda v: g(v))\n        w = w + f(x)"
    ),
    "no_jit_in_the_loop": "f = jax.jit(g)\n    for x in xs:\n        w = w + f(x)",
}


def body(loop: str) -> str:
    return f"{HEAD}def f(w, xs):\n    {loop}\n    return w\n"


def checked(folder: Path, text: str) -> RunOutcome:
    (folder / "model.py").write_text(text, encoding="utf-8")
    outcome = check([folder], Settings(root=folder, select=("SCN404",), cache=False))
    assert not outcome.problems
    return outcome


def traces(text: str) -> int:
    """How often the function is traced in three trips."""
    made: dict[str, object] = {}
    exec(compile(text, "model.py", "exec"), made)
    function, counted = made["f"], made["TRACES"]
    assert callable(function)
    assert isinstance(counted, list)
    jax.block_until_ready(function(jnp.ones(3), [jnp.ones(3), 2 * jnp.ones(3), 3 * jnp.ones(3)]))
    return len(counted)


@pytest.mark.parametrize("loop", AGAIN.values(), ids=AGAIN.keys())
def test_what_jax_traces_on_each_trip_is_reported(loop: str, tmp_path: Path) -> None:
    assert traces(body(loop)) >= 3
    assert len(checked(tmp_path, body(loop)).findings) == 1


@pytest.mark.parametrize("jit", ["equinox.filter_jit", "flax.nnx.jit", "jax.pmap"])
def test_the_jits_of_libraries_compile_each_function_object_too(jit: str, tmp_path: Path) -> None:
    library, _, name = jit.rpartition(".")
    text = body("for x in xs:\n        w = w + jit(lambda v: g(v))(x)")
    assert len(checked(tmp_path, f"from {library} import {name} as jit\n{text}").findings) == 1


def test_what_a_solver_is_handed_on_each_trip_is_reported_with_what_changes(tmp_path: Path) -> None:
    text = HEAD + SOLVED.format(inner=TARGET, handed="jax.jit(target)", jac="jax.jit(jax.grad(jax.jit(target)))")
    findings = checked(tmp_path, text).findings
    assert [(f.start.line, f.fix.reason) for f in findings] == [
        (text.count("\n", 0, text.index("found =")) + 1, "closes-over: it reads `weight`, which each trip binds anew")
    ] * 2


def test_what_a_solver_is_handed_by_a_name_of_the_module_is_compiled_once(tmp_path: Path) -> None:
    made = "\n\nh = jax.grad(g)\n\n\ndef f"
    text = HEAD + SOLVED.format(inner="", handed="jax.jit(g)", jac="jax.jit(h)").replace("\n\ndef f", made)
    assert not checked(tmp_path, text).findings


@pytest.mark.parametrize("loop", ONCE.values(), ids=ONCE.keys())
def test_what_jax_traces_once_is_not_reported(loop: str, tmp_path: Path) -> None:
    assert traces(body(loop)) == 1
    assert not checked(tmp_path, body(loop)).findings


@pytest.mark.parametrize(
    "loop",
    [AGAIN[name] for name in AGAIN if name != "a_comprehension"],
    ids=[name for name in AGAIN if name != "a_comprehension"],
)
def test_the_rewrite_traces_once(loop: str, tmp_path: Path) -> None:
    [finding] = checked(tmp_path, body(loop)).findings
    assert finding.fix.status == "available", finding.fix.reason
    lines = body(loop).splitlines(keepends=True)
    for edit in reversed(finding.fix.edits):
        assert edit.start.column == edit.end.column == 1
        lines[edit.start.line - 1 : edit.end.line - 1] = [edit.text]
    assert traces("".join(lines)) == 1


SILENT = {
    "the_function_is_another_one_on_each_trip": """
        def f(functions, x):
            for function in functions:
                print(jax.jit(function)(x), jax.jit(lambda v: function(v))(x))
    """,
    "a_size_that_changes": """
        def f(x):
            for n in (10, 100):
                print(jax.jit(lambda v: v[:n])(x))
    """,
    "they_are_kept": """
        def f(xs):
            made = []
            for i in range(3):
                made.append(jax.jit(lambda v: g(v)))
            return made
    """,
    "it_is_handed_on": """
        def f(measure, xs):
            for x in xs:
                measure(jax.jit(lambda v: g(v)), x)
    """,
    "it_is_compiled_ahead_of_time": """
        def f(xs):
            for x in xs:
                print(jax.jit(lambda v: g(v)).lower(x).compile())
    """,
    "traced_code": """
        @jax.jit
        def f(x):
            for i in range(3):
                x = jax.jit(lambda v: g(v))(x)
            return x
    """,
    "a_gradient_without_a_jit": """
        def f(w, xs):
            for x in xs:
                w = w - jax.grad(lambda v: g(v))(x)
            return w
    """,
    "a_factory_that_a_loop_calls": """
        def make(rate):
            return jax.jit(lambda w: w * rate)


        def main():
            for rate in (0.1, 0.2):
                make(rate)(jnp.ones(3))
    """,
    "what_is_called_once": """
        def f(x):
            return jax.jit(lambda v: g(v))(x)


        def main():
            print(f(jnp.ones(3)))
    """,
    "what_is_kept_by_a_cache": """
        @functools.cache
        def f():
            step = jax.jit(lambda v: g(v))
            return step(jnp.ones(3))


        def main():
            for _ in range(10):
                f()
    """,
    "compiled_once_for_a_loop_of_its_own": """
        def train(w, xs):
            step = jax.jit(lambda v: g(v))
            for x in xs:
                w = w + step(x)
            return w


        def main(seeds, xs):
            for seed in seeds:
                train(seed, xs)
    """,
    "a_function_that_is_handed_in": """
        def minimize(function, x):
            return jax.jit(jax.grad(function))(x)


        def main(functions, x):
            for function in functions:
                minimize(function, x)
    """,
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_nothing_is_said(text: str, tmp_path: Path) -> None:
    assert not checked(tmp_path, HEAD + dedent(text)).findings


def test_nothing_is_said_of_tests(tmp_path: Path) -> None:
    (tmp_path / "test_model.py").write_text(body(AGAIN["a_lambda"]), encoding="utf-8")
    assert not check([tmp_path], Settings(root=tmp_path, select=("SCN404",), cache=False)).findings


CALLED = """
def predict(w, x):
    return jax.jit(lambda a: (a @ x).sum())(w)


class Agent:
    def __init__(self, w):
        self.w = w

    def act(self, x):
        return jax.jit(self.policy)(self.w, x)

    def policy(self, w, x):
        return jnp.tanh(w @ x)


def once(w, x):
    return predict(w, x)
"""
LOOP = """
def main(w, xs):
    agent = Agent(w)
    for x in xs:
        once(w, x)
        agent.act(x)
"""


def said(outcome: RunOutcome) -> list[tuple[str | None, str | None, list[str]]]:
    return [(f.function, f.fix.reason, [link.text for link in f.chain]) for f in outcome.findings]


PREDICT = (
    "predict",
    "closes-over: it reads `x`, which is another one on each call",
    ["`predict` is called in `once`", "`once` is called in a loop in `main`"],
)
ACT = (
    "Agent.act",
    "closes-over: it reads `self`: only the class can keep it",
    ["`act` is called in a loop in `main`"],
)


def test_a_function_that_whoever_uses_the_project_calls_is_reported_with_what_is_known(tmp_path: Path) -> None:
    known = [(*PREDICT[:2], ["`predict` is called in `once`"]), (*ACT[:2], [])]
    assert said(checked(tmp_path, HEAD + CALLED)) == known


def test_a_function_that_a_loop_calls_is_reported_with_the_chain(tmp_path: Path) -> None:
    assert said(checked(tmp_path, HEAD + CALLED + "\n" + LOOP)) == [PREDICT, ACT]


def test_the_loop_may_stand_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(f"import jax\n\nfrom model import Agent, once\n\n{LOOP}", encoding="utf-8")
    assert said(checked(tmp_path, HEAD + CALLED)) == [PREDICT, ACT]


INNER = """\
for x in xs:

        def scale(v):
            return 2.0 * v

        def forward(v):
            return g(scale(v))

        h = jax.jit(forward)
        w = w + h(x)"""


def test_the_inner_functions_that_it_needs_go_with_it(tmp_path: Path) -> None:
    [finding] = checked(tmp_path, body(INNER)).findings
    assert finding.fix.edits[0].text == (
        "    def scale(v):\n        return 2.0 * v\n\n"
        "    def forward(v):\n        return g(scale(v))\n\n"
        "    h = jax.jit(forward)\n"
    )


WITHHELD = {
    "data_that_each_trip_binds": (
        "for x in xs:\n        y = jnp.sin(x)\n        w = w + jax.jit(lambda v: v * y)(x)",
        "closes-over: it reads `y`, which each trip binds anew",
    ),
    "an_object_that_a_method_may_change": (
        "m = Model()\n    for x in xs:\n        w = w + jax.jit(lambda v: m.energy(v))(x)\n        m.scale = 3.0",
        "may-change: `m`, which a lambda reads, may change (line 26)",
    ),
    "a_list_that_grows": (
        "seen = []\n    for x in xs:\n        w = w + jax.jit(lambda v: v * len(seen))(x)\n        seen.append(x)",
        "may-change: `seen`, which a lambda reads, may change (line 26)",
    ),
    "a_print_while_tracing": (
        "for x in xs:\n        w = w + jax.jit(lambda v: print(v) or v)(x)",
        "side-effect: `print` is called while tracing (line 24)",
    ),
    "a_name_that_is_bound_twice": (
        "h = 1.0\n    for x in xs:\n        h = jax.jit(lambda v: g(v))\n        w = w + h(x)",
        "rebinds: `h` is bound elsewhere too",
    ),
}


@pytest.mark.parametrize(("loop", "reason"), WITHHELD.values(), ids=WITHHELD.keys())
def test_what_would_mean_something_else_stays(loop: str, reason: str, tmp_path: Path) -> None:
    assert [f.fix.reason for f in checked(tmp_path, body(loop)).findings] == [reason]


def test_the_outermost_loop_that_changes_nothing_is_left(tmp_path: Path) -> None:
    loop = (
        "for k in (1.0, 2.0):\n        y = k * w\n        for x in xs:\n            w = w + jax.jit(lambda v: g(v))(x)"
    )
    [finding] = checked(tmp_path, body(loop)).findings
    assert finding.fix.edits[0].text == "    jitted = jax.jit(lambda v: g(v))\n"
    assert finding.fix.edits[0].start.line == 23


MOVED = """
def forward_all(w, x):
    @jax.jit
    def forward(w, x):
        return jnp.tanh(x @ w)

    return forward(w, x)


def main(w, xs):
    for x in xs:
        forward_all(w, x)
"""


NAMED = """
def score(w):
    f = jax.jit(lambda v: jnp.sum(v))
    return f(w)


def main(w):
    for _ in range(10):
        score(w)
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [(HEAD + NAMED, None), (HEAD + "f = 1\n" + NAMED, "name-taken: the module has a `f` of its own")],
    ids=["free_name", "name_of_the_module"],
)
def test_a_named_lambda_goes_to_the_module(text: str, reason: str | None, tmp_path: Path) -> None:
    [finding] = checked(tmp_path, text).findings
    assert finding.fix.reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD + MOVED, None),
        (HEAD + "forward = 1\n" + MOVED, "name-taken: the module has a `forward` of its own"),
    ],
    ids=["free_name", "name_of_the_module"],
)
def test_an_inner_function_goes_to_the_module(text: str, reason: str | None, tmp_path: Path) -> None:
    [finding] = checked(tmp_path, text).findings
    assert finding.fix.reason == reason


RESTARTS = """
def restarts(a, starts):
    def descend(x):
        @jax.jit
        def step(x):
            return x - 0.1 * (a @ x)

        for _ in range(100):
            x = step(x)
        return x

    return [descend(x) for x in starts]
"""


def test_what_an_inner_function_jits_for_its_own_loop_goes_above_it(tmp_path: Path) -> None:
    [finding] = checked(tmp_path, HEAD + RESTARTS).findings
    assert "each call of `descend`" in finding.message and finding.help == "jit it above `descend`"
    assert finding.fix.status == "available"


def test_what_changes_between_its_calls_is_handed_in(tmp_path: Path) -> None:
    text = RESTARTS.replace(
        "    return [descend(x) for x in starts]\n",
        "    found = []\n    for x in starts:\n        a = a * 0.9\n        found.append(descend(x))\n    return found\n",
    ).replace("def restarts(a, starts)", "def restarts(a: jax.Array, starts)")
    [finding] = checked(tmp_path, HEAD + text).findings
    assert finding.fix.reason == "closes-over: it reads `a`, which is another one on each call"


def test_what_is_bound_again_later_is_not_read_above(tmp_path: Path) -> None:
    text = RESTARTS.replace(
        "    return [descend(x)", "    first = descend(starts[0])\n    a = a * 0.5\n    return first, [descend(x)"
    )
    [finding] = checked(tmp_path, HEAD + text).findings
    assert finding.fix.reason == "may-change: `a`, which `step` reads, is bound several times, or later"


def test_one_that_nobody_calls_again_is_silent(tmp_path: Path) -> None:
    assert not checked(tmp_path, HEAD + RESTARTS.replace("[descend(x) for x in starts]", "descend(starts)")).findings


def test_a_rewrite_is_verified_and_written(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(HEAD.replace("    TRACES.append(1)\n", "") + MOVED, encoding="utf-8")
    settings = Settings(root=tmp_path, select=("SCN404",), cache=False, verify_timeout=120.0)
    outcome = fix([tmp_path], settings, lambda line: None)
    [(_, new)] = outcome.changes.values()
    assert "@jax.jit\ndef forward(w, x):\n    return jnp.tanh(x @ w)\n\n\ndef forward_all(w, x):\n" in new.decode()


SOLVES = """
def approximate(step, x):
    return jax.lax.while_loop(lambda x: jnp.max(x) > 1e-3, step, x)


solver = jax.jit(approximate, static_argnums=0)


@functools.partial(jax.jit, static_argnames="step")
def once_more(x, step):
    return step(x)
"""
STATIC = {
    "a lambda, called in two places": (
        "def f(a, x):\n    step = lambda v: v * a\n    return solver(step, x)\n\n\ndef g(x):\n    return f(0.5, x) + f(0.1, x)\n",
        ["f"],
    ),
    "an inner function, by its keyword": (
        "def f(a, x):\n    def step(v):\n        return v * a\n\n    return once_more(x, step=step)\n",
        ["f"],
    ),
    "a lambda in a loop": (
        "def main(xs):\n    for x in xs:\n        print(solver(lambda v: v * x[0], x))\n",
        ["main"],
    ),
    "made before the loop that calls it": (
        "def f(a, xs):\n    step = lambda v: v * a\n    return [solver(step, x) for x in xs]\n",
        [],
    ),
    "a function of the module": ("def f(a, x):\n    return solver(g, x)\n", []),
    "what is no static argument": (
        "def f(a, x):\n    return jax.lax.while_loop(lambda v: jnp.max(v) > a, lambda v: v * a, x)\n",
        [],
    ),
    "called once": (
        "def f(a, x):\n    return solver(lambda v: v * a, x)\n\n\ndef main():\n    print(f(0.5, jnp.ones(3)))\n",
        [],
    ),
}


@pytest.mark.parametrize(("text", "functions"), STATIC.values(), ids=STATIC)
def test_another_static_argument_each_time_is_reported(text: str, functions: list[str], tmp_path: Path) -> None:
    found = checked(tmp_path, HEAD + SOLVES + "\n\n" + text).findings
    assert [f.function for f in found] == functions
    assert all("static argument" in f.message for f in found)


@pytest.mark.parametrize(
    ("step", "help", "reason"),
    [
        ("lambda v: v * a", "and `a` as arguments", "closes-over: a lambda reads `a`"),
        ("lambda v: v * 0.5", "hand `solver` a function of the module", "this rule has no rewrite"),
    ],
)
def test_what_a_static_argument_reads_is_named(step: str, help: str, reason: str, tmp_path: Path) -> None:
    [found] = checked(tmp_path, f"{HEAD}{SOLVES}\n\ndef f(a, x):\n    return solver({step}, x)\n").findings
    assert (found.help or "").endswith(help) and found.fix.reason == reason


MADE = """
def make(rate):
    def step(w, x):
        return w - rate * x

    return jax.jit(step)


@functools.lru_cache
def make_once(rate):
    return jax.jit(lambda w, x: w - rate * x)


def f(w, xs):
    {body}
    return w
"""
FACTORIES = {
    "a factory": ("for x in xs:\n        step = make(0.1)\n        w = step(w, x)", ["available"]),
    "a factory that is called at once": ("for x in xs:\n        w = make(0.1)(w, x)", ["available"]),
    "a factory before the loop": ("step = make(0.1)\n    for x in xs:\n        w = step(w, x)", []),
    "a factory for each of some settings": (
        "for rate in (0.1, 0.2):\n        step = make(rate)\n        for x in xs:\n            w = step(w, x)",
        [],
    ),
    "a factory that keeps what it makes": ("for x in xs:\n        w = make_once(0.1)(w, x)", []),
    "functions that are kept": ("w = [make(0.1) for x in xs]", []),
}


@pytest.mark.parametrize(("body", "found"), FACTORIES.values(), ids=FACTORIES)
def test_what_a_factory_jits_is_made_before_the_loop(body: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "factory.py").write_text(HEAD + MADE.partition("def f(")[0])
    text = "import functools\n\nimport jax\n\nfrom factory import make, make_once\n\n\ndef f("
    (tmp_path / "train.py").write_text(text + MADE.format(body=body).partition("def f(")[2])
    (tmp_path / "both.py").write_text(HEAD + MADE.format(body=body))
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN404",)))
    assert [f.fix.status for f in outcome.findings] == 2 * found


CLEARED = {
    "on each trip": ("for x in xs:\n        w = step(w, x)\n        jax.clear_caches()", 1),
    "every so many trips": (
        "for i, x in enumerate(xs):\n        w = step(w, x)\n        if i % 9 == 0:\n            jax.clear_caches()",
        0,
    ),
    "after the loop": ("for x in xs:\n        w = step(w, x)\n    jax.clear_caches()", 0),
    "where nothing is jitted": ("for x in xs:\n        w = w + x\n        jax.clear_caches()", 0),
}


@pytest.mark.parametrize(("loop", "count"), CLEARED.values(), ids=CLEARED)
def test_a_loop_that_clears_what_it_runs_is_reported(loop: str, count: int, tmp_path: Path) -> None:
    step = "@jax.jit\ndef step(w, x):\n    return w + x\n\n\n"
    text = f"{HEAD}{step}def f(w, xs):\n    {loop}\n    return w\n"
    found = checked(tmp_path, text).findings
    assert len([f for f in found if "throws away" in f.message]) == count
