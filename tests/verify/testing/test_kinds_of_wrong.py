"""What wrong rewrites of these kinds show: NumPy's arrays, unequal lengths, gradients far out, what is sent out."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.many(4)

NUMPY = "import numpy as np\ndef f(data):\n    return {}\ndef main():\n    return f(np.linspace(0.0, 1.0, 12).reshape(3, 4))\nx = f(np.ones((3, 4)))\n"
CENTRED = "np.stack([row - row.mean() for row in data])"
ZIP = "def f(c, xs, ys):\n    for x, y in zip(xs, ys):\n        c = jnp.tanh(c * x + y)\n    return c\n"
SCAN = "def f(c, xs, ys):\n    def step(c, inputs):\n        x, y = inputs\n        return jnp.tanh(c * x + y), None\n    return lax.scan(step, c, {})[0]\n"
ROWS = "def f(xs, ys):\n    return jnp.stack([xs[i] * ys[i] for i in range(len(xs))])\n"
MAPPED = "def f(xs, ys):\n    return jax.vmap(lambda x, y: x * y)(xs, {})\n"
CHOICE = "def f(x, y):\n    return {} if x > 0.5 else y\n"
WHERE = "def f(x, y):\n    return jnp.where(x > 0.5, {}, y)\n"
STEP = (
    "def progress(f):\n    def inner(c, i):\n        jax.debug.print('step {{i}}', i=i)\n        return f(c, i)\n    return inner\n"
    "@jax.jit\ndef f(x):\n    @progress\n    def step(c, _):\n        return c * 1.5, None\n    return lax.scan(step, x, {})[0]\n"
)
EACH = "@jax.jit\ndef f(x):\n    for i in range(6):\n        jax.debug.callback(print, x * i)\n    return x\n"
ORDER = "from jax.experimental import io_callback\ndef f(x):\n    for i in {}:\n        io_callback(print, None, x * i, ordered=True)\n    return x\n"
ASKED = "import numpy as np\ndef f(x):\n    return {}\n"

SIGNS = "@jax.jit\ndef f(x):\n    return jnp.stack([(-1) ** k * x[k] / 7.0 for k in range(5)])\n"
MIXED = "@jax.jit\ndef f(x, y):\n    for k in range(5):\n        y = y + (-1) ** k * x[k]\n    return y\n"
SAYS = "@jax.jit\ndef f(x, rate):\n    loss = jnp.sum(x**2)\n    print(f'loss {loss:.3f}', 'at', rate)\n    return x - rate * x\n"
DEBUGS = "@jax.jit\ndef f(x, rate):\n    loss = jnp.sum(x**2)\n    jax.debug.print('loss {:.3f} at {}', {})\n    return x - rate * x\n"

WEIGHED = "def f(xs, weights=None):\n    total = 0.0\n    for i in range(len(xs)):\n        total = total + (xs[i] if weights is None else xs[i] * weights[i])\n    return total\n"
WEIGHTS = "def f(xs, weights=None):\n    return lax.fori_loop(0, len(xs), lambda i, t: t + (xs[i] if weights is None else xs[i] * weights[{}]), 0.0)\n"

REFUTED = {
    "what an optional argument does": (WEIGHED, WEIGHTS.format("i - 1"), True),
    "what wraps in narrow whole numbers, before a float": (SIGNS, "@jax.jit\ndef f(x):\n    return jax.vmap(lambda k: (-1) ** k * x[k] / 7.0)(jnp.arange(5))\n", True),
    "the same in one argument beside floats": (MIXED, "@jax.jit\ndef f(x, y):\n    return lax.fori_loop(0, 5, lambda k, y: y + (-1) ** k * x[k], y)\n", True),
    "doubles of NumPy become singles of JAX": (NUMPY.format(CENTRED), NUMPY.format("np.array(jax.vmap(lambda row: row - row.mean())(data))"), False),
    "an array of NumPy becomes one of JAX": ("import numpy as np\ndef f(x):\n    return np.asarray(x + 1.0)\n", "def f(x):\n    return x + 1.0\n", False),
    "both arms of a choice of high powers": (CHOICE.format("0.5 * x**10"), WHERE.format("0.5 * x**10"), True),
    "both arms of a choice of an exponential": (CHOICE.format("1 / (1 + jnp.exp(-x))"), WHERE.format("1 / (1 + jnp.exp(-x))"), True),
    "both arms of a choice of a sine of a product": (CHOICE.format("jnp.sin(x * y)"), WHERE.format("jnp.sin(x * y)"), True),
    "what a decorator prints": (STEP.format("jnp.arange(5)"), STEP.format("None, length=5"), True),
    "what a callback gets": (EACH, EACH.replace("x * i", "x * (i + 1)"), True),
    "a number that is printed": (SAYS, DEBUGS.replace("{})", "loss + 1, rate)"), True),
    "the words that are printed": (SAYS, DEBUGS.replace(" at ", " of ").replace("{})", "loss, rate)"), True),
    "a line that is printed beside that of Python": (SAYS, SAYS.replace("    return", "    jax.debug.print('{}', loss)\n    return"), True),
    "how often a callback is called": (EACH, EACH.replace("range(6)", "range(5)"), True),
    "what does nothing with a number": ("def f(x, width):\n    if width > 0:\n        return jnp.pad(x, width)\n    return x\n", "def f(x, width):\n    return lax.cond(width > 0, lambda: jnp.pad(x, width), lambda: x)\n", False),
    "an arm that broadcasts where it is not taken": ("@jax.jit\ndef f(x, by):\n    if jnp.any(x > 1.0):\n        out = x - by\n    else:\n        out = x\n    return out.sum() + out.size\n", "@jax.jit\ndef f(x, by):\n    out = jnp.where(jnp.any(x > 1.0), x - by, x)\n    return out.sum() + out.size\n", True),
    "the order of what is sent in order": (ORDER.format("range(4)"), ORDER.format("reversed(range(4))"), True),
    "a pure callback of what is not asked for": (ASKED.format("lax.cond(x > 0, lambda: jax.pure_callback(np.sin, x, x), lambda: x)"), ASKED.format("jnp.where(x > 0, jax.pure_callback(np.sin, x, x), x)"), True),
}  # fmt: skip
ACCEPTED = {
    "what an optional argument does": (WEIGHED, WEIGHTS.format("i"), True),
    "numbers as weakly typed as Python's": (SIGNS, "@jax.jit\ndef f(x):\n    signs = jnp.full(5, 0).at[:].set(jnp.array([(-1) ** k for k in range(5)]))\n    return jax.vmap(lambda k, sign: sign * x[k] / 7.0)(jnp.arange(5), signs)\n", True),
    "arrays of NumPy that stay so": (NUMPY.format(CENTRED), NUMPY.format("np.asarray(data) - np.asarray(data).mean(axis=1, keepdims=True)"), False),
    "arrays cut to the shorter": (ZIP, SCAN.format("(xs[: len(ys)], ys[: len(xs)])"), True),
    "an array cut to what is counted": (ROWS, MAPPED.format("ys[: len(xs)]"), True),
    "a choice of one product": (CHOICE.format("x * y"), WHERE.format("x * y"), True),
    "an arm of its own": (CHOICE.format("0.5 * x**10"), "def f(x, y):\n    return lax.cond(x > 0.5, lambda: 0.5 * x**10, lambda: y)\n", True),
    "the same steps of a decorator": (STEP.format("jnp.arange(5)"), STEP.format("jnp.array([0, 1, 2, 3, 4])"), True),
    "a line of Python that a program prints": (SAYS, DEBUGS.replace("{})", "loss, rate)"), True),
    "a line of Python on each trip": ("@jax.jit\ndef f(x):\n    for i in range(6):\n        x = jnp.sin(x)\n        print('x', x)\n    return x\n", "@jax.jit\ndef f(x):\n    def body(i, x):\n        x = jnp.sin(x)\n        jax.debug.print('x {}', x)\n        return x\n    return lax.fori_loop(0, 6, body, x)\n", True),
    "a loop that sends the same": (EACH, "@jax.jit\ndef f(x):\n    def body(i, c):\n        jax.debug.callback(print, x * i)\n        return c\n    return lax.fori_loop(0, 6, body, x)\n", True),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "traced"), REFUTED.values(), ids=REFUTED)
def test_a_wrong_rewrite_is_refuted(judge, old: str, new: str, traced: bool) -> None:
    found = judge(old, new, traced=traced)
    assert found.verdict == "refuted", (found.verdict, found.reason)


@pytest.mark.parametrize(("old", "new", "traced"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_says_the_same_is_accepted(judge, old: str, new: str, traced: bool) -> None:
    found = judge(old, new, traced=traced)
    assert found.verdict in ("proved", "tested"), (found.verdict, found.reason, found.counterexample)


def test_arrays_of_different_lengths_are_said_not_to_be_taken(judge) -> None:  # type: ignore[no-untyped-def]
    """The loop stops at the end of the shortest; a scan raises: no other result, and no proof."""
    verdict = judge(ZIP, SCAN.format("(xs, ys)"), traced=True)
    assert verdict.verdict == "tested", verdict
    assert any("only for arrays that are as long as each other" in note for note in verdict.notes), verdict


STEPS = "STEPS = [lambda x: x + 1, lambda x: x * 2]\n@jax.jit\ndef f(which, x):\n    {}\n"
OFFSET = "@jax.jit\ndef f(x, by=0):\n    {}\n    return x\n"
STAMP = "@jax.jit\ndef f(t):\n    {}\n"
TOTAL = "@jax.jit\ndef f(xs):\n    t = jnp.zeros(())\n    {}\n    return t\n"
BIASED = "@jax.jit\ndef f(x, bias):\n    {}\n    return y\n"
SAID = {
    "a float chooses": (
        STEPS.format("return STEPS[0](x) if which == 0 else STEPS[1](x) if which == 1 else x"),
        STEPS.format(
            "return lax.switch(jnp.where((which >= 0) & (which < 2), which, 2), [*(lambda s=s: s(x) for s in STEPS), lambda: x])"
        ),
        "the new version raises for float16, bfloat16, float32 in `which`",
    ),
    "a float beside whole numbers": (
        OFFSET.format("if by:\n        x = x + by"),
        OFFSET.format("x = lax.cond(by, lambda: x + by, lambda: x)"),
        "the new version raises for int8, uint8, int32, bool beside a float `by`",
    ),
    "a number that does not fit": (
        STAMP.format("if t > 100:\n        return 70_000\n    return t"),
        STAMP.format("return jnp.where(t > 100, 70_000, t)"),
        "70000 does not fit int8, uint8, int16, uint16: values wrap or become infinite there",
    ),
    "rows in the place of numbers": (
        TOTAL.format("for x in xs:\n        t = t + x"),
        TOTAL.format("t, _ = lax.scan(lambda t, x: (t + x, None), t, xs)"),
        "with rows in the place of numbers the new version raises for xs: float32[3, 4] (not float32[3])",
    ),
    "one element that is tested": (
        BIASED.format("if x:\n        y = x + bias\n    else:\n        y = bias"),
        BIASED.format("y = jnp.where(x, x + bias, bias)"),
        "results have other shapes where `x` is an array of one element",
    ),
}


@pytest.mark.parametrize(("old", "new", "said"), SAID.values(), ids=SAID)
def test_arguments_that_the_new_version_does_not_take_are_said(judge, old: str, new: str, said: str) -> None:  # type: ignore[no-untyped-def]
    verdict = judge(old, new, traced=True)
    assert verdict.verdict in ("proved", "tested"), verdict
    assert said in verdict.notes, verdict
