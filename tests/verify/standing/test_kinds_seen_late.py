"""Mistakes in what no ordinary call shows: rules of derivatives, defaults, keys of dicts, what a module holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

Compare = Callable[..., Verification]

RULE = "@jax.custom_jvp\ndef g(x):\n    return jnp.sqrt(x)\n\n@g.defjvp\ndef g_jvp(p, t):\n    return g(p[0]), t[0] / (2 * g(p[0]) + 1e-6)\n\ndef f(x):\n    return {}\n"
PLAIN = "def f(x):\n    return jnp.sqrt(x) * 2.0\n"
SINC = "def f(x):\n    return jnp.where(x == 0, 1.0, jnp.sin(x) / {})\n"
SAFE = "jnp.where(x == 0, 1.0, x)"
SCALED = "def f(x, scale={}, *, axis={}):\n    return scale * x.sum(axis)\n"
STATE = "def f(state, x):\n    return {}\n"
KEPT = "{**state, 'velocity': 0.9 * state['velocity'] + x}"
COUNTED = "class Meter:\n    def __init__(self):\n        self.seen = 0\n    def __call__(self, x):\n        self.seen += 1\n        return jnp.sin(x)\n\nMETER = Meter()\nCALLS = 0\n\n{}def step(x):\n    global CALLS\n    CALLS += 1\n    return jnp.sin(x)\n\ndef f(x):\n    {}\n"
LOOPED = "for _ in range(5):\n        x = {}(x)\n    return x"
ROLLED = "return lax.fori_loop(0, 5, lambda _, x: {}(x), x)"
TESTED = "def f(x):\n    if not x:\n        return 1.0 + x\n    return 2.0 / x\n"
ARM = "def f(x, limit):\n    if x > limit:\n        return limit + 0.1 * (x - {})\n    return x\n"
PAIRED = "def f(x, n: int):\n    if n % 2 and n {}:\n        x = x + n\n    return x\n"
LISTED = "SEEN = []\n\ndef f(x):\n    {}\n    return jnp.sin(x)\n"

WRONG = {
    "a rule that a decorator gives": (RULE.format("g(x) * 2.0"), PLAIN),
    "a quotient at zero": (SINC.format(SAFE), SINC.format("x")),
    "a default that shows in other ranks": (SCALED.format(1.0, 0), SCALED.format(1.0, -1)),
    "a default that shows for whole numbers": (SCALED.format(1.0, 0), SCALED.format(1, 0)),
    "a key that nothing names": (STATE.format(KEPT), STATE.format(KEPT.replace("**state, ", ""))),
    "a list of the module": (LISTED.format("pass"), LISTED.format("SEEN.append(1)")),
    "a number of the module": (COUNTED.format("", LOOPED.format("step")), COUNTED.format("", ROLLED.format("step"))),
    "a number that is tested for its truth": (TESTED, TESTED.replace("2.0 / x", "2.0 + 0.0 * x")),
    "a derivative of an arm that few inputs take": (ARM.format("limit"), ARM.format("lax.stop_gradient(limit)")),
    "a whole number far below zero": (PAIRED.format("> 0"), PAIRED.format("!= -1")),
    "an object of the module": (COUNTED.format("", LOOPED.format("METER")), COUNTED.format("", ROLLED.format("METER"))),
}
RIGHT = {
    "the same rule": (RULE.format("g(x) * 2.0"), RULE.format("2.0 * g(x)")),
    "a quotient at zero, written otherwise": (SINC.format(SAFE), SINC.format("jnp.where(x != 0, x, 1.0)")),
    "a default that means the same": (SCALED.format(1.0, 0), SCALED.format(1.0, "False").replace("sum(axis)", "sum(int(axis))")),
    "a further key": (STATE.format(KEPT), STATE.format("dict(state, velocity=x + 0.9 * state['velocity'])")),
    "a list of the module": (LISTED.format("SEEN.append(1)"), LISTED.format("SEEN.extend([1])")),
    "a number of the module that a trace changes": (COUNTED.format("@jax.jit\n", LOOPED.format("step")), COUNTED.format("@jax.jit\n", ROLLED.format("step"))),
    "an object of the module that each trip would have": (COUNTED.format("", LOOPED.format("METER")), COUNTED.format("", LOOPED.format("METER").replace("5", "2 + 3"))),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
def test_a_mistake_that_no_ordinary_call_shows_is_refuted(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


@pytest.mark.parametrize(("old", "new"), RIGHT.values(), ids=RIGHT)
def test_what_is_right_there_is_accepted(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict in ("proved", "tested"), (found.verdict, found.reason, found.counterexample)


CLIP = "class Clip:\n    def __init__(self, limit=1.0):\n        self.limit = limit\n    def f(self, x):\n        return jnp.where(x > {}, {}, x)\nClip().f(jnp.arange(4.0))\n"


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        pytest.param(CLIP.format("self.limit", "1.0"), "refuted", id="it is the one that the caller has"),
        pytest.param(CLIP.format("1 * self.limit", "self.limit"), "proved", id="it is read"),
    ],
)
def test_a_number_that_an_object_holds_is_an_input(new: str, verdict: str, compare: Compare) -> None:
    found = compare(CLIP.format("self.limit", "self.limit"), new, "Clip.f")
    assert found.verdict == verdict, (found.reason, found.counterexample)


RATE = "def f(x, rate=0.5):\n    return {}\nf(jnp.arange(3.0))\n"
POWER = "def f(x, power=8.0):\n    return lax.cond(x[2] > 0, lambda: x[0] + {}**power, lambda: x[0])\nf(jnp.arange(1.0, 4.0))\n"
SIGN = "def f(x, kind='call'):\n    return {{'call': 1.0, 'put': {}}}[kind] * x\nf(jnp.arange(3.0))\n"
BOTH = "def f(x, kind='call', twice=False):\n    s = {{'call': 1.0, 'put': -1.0}}[kind]\n    if twice:\n        return {}\n    return s * x\nf(jnp.arange(3.0))\n"
SMALL = "def f(x, y, least=1e-6):\n    return lax.while_loop(lambda s: (s[0] {} least) & (s[1] < 9), lambda s: (s[0] / 2, s[1] + 1), (x[2] * y[1], 0))\nf(jnp.arange(1.0, 4.0), jnp.ones(2))\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param(RATE.format("x * rate"), RATE.format("x * 0.5"), "refuted", id="the default is a constant"),
        pytest.param(RATE.format("x * rate"), RATE.format("rate * x"), "proved", id="it is read"),
        pytest.param(
            POWER.format("x[2]"),
            POWER.format("x[2]").replace("lax.cond", "jnp.where").replace("lambda: ", ""),
            "refuted",
            id="the derivative of a root that is not taken",
        ),
        pytest.param(SIGN.format("-1.0"), SIGN.format("1.0"), "refuted", id="a text that a table has"),
        pytest.param(SIGN.format("-1.0"), SIGN.format("-1"), "proved", id="each text of it"),
        pytest.param(BOTH.format("s * x * 2"), BOTH.format("x * 2"), "refuted", id="a truth beside a text"),
        pytest.param(SMALL.format(">"), SMALL.format(">="), "refuted", id="a tie with it"),
    ],
)
def test_a_default_that_a_caller_leaves_is_an_input(old: str, new: str, verdict: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == verdict, (found.reason, found.counterexample)
