"""Mistakes that usual inputs do not show: names read early, lost ways to differentiate."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

pytestmark = pytest.mark.many(5)

Compare = Callable[..., Verification]

UNIT = "UNIT = 2.0\ndef f(x):\n    return x * UNIT\n"
BAD = "BAD = 2\ndef f(xs):\n    bad, out = 0, []\n    for i in range(xs.shape[0]):\n        bad = jnp.where(xs[i] < 0, 0, bad + 1)\n        out.append(bad > BAD)\n    return jnp.stack(out)\n"
BADLY = "BAD = 2\ndef f(xs):\n    def step(bad, x):\n        bad = jnp.where(x < 0, 0, bad + 1)\n        return bad, bad > BAD\n    return lax.scan(step, jnp.asarray(0), xs)[1]\n"
MOVES = "MOVES = ((0, 1), (1, 0))\ndef f(xs):\n    return xs[:, None] * jnp.asarray(MOVES)[0]\n"
SINE = "def f(x):\n    return jnp.sin(x)\n"
TAGGED = "def f(x):\n    @jax.custom_vjp\n    def tagged(y):\n        return y\n    tagged.defvjp(lambda y: (y, None), lambda _, g: (g,))\n    return tagged(jnp.sin(x))\n"
CALLED = "def f(x):\n    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)\n"

SCAN = "def f(c, xs, ys):\n    for i in range(xs.shape[0]):\n        c = c * xs[i] + ys[i]\n    return c\n"
FORI = "def f(c, xs, ys):\n    return lax.fori_loop(0, {}.shape[0], lambda i, c: c * xs[i] + ys[i], c)\n"
SUM = "def f(xs):\n    s = jnp.zeros((), xs.dtype)\n    for i in range(xs.shape[0]):\n        s = s + xs[i]\n    return s\n"
SUMMED = "def f(xs):\n    return lax.scan(lambda s, x: (s + x, None), jnp.zeros((), xs.dtype), {})[0]\n"
FORGETS = "def f(c, xs):\n    for i in range(xs.shape[0]):\n        c = 0.1 * c + xs[i]\n    return c\n"
FORGOT = "def f(c, xs):\n    return lax.scan(lambda c, x: (0.1 * c + x, None), c, {})[0]\n"
STEPS = "def f(x, n: int):\n    for _ in range(n):\n        x = 1.01 * x\n    return x\n"
STEPPED = "def f(x, n: int):\n    return lax.fori_loop(0, {}, lambda _, x: 1.01 * x, x)\n"
WAIT = "def f(xs, patience: int = 3):\n    best, wait = jnp.inf, 0\n    for i in range(xs.shape[0]):\n        if xs[i] < best:\n            best, wait = xs[i], 0\n        else:\n            wait += 1\n            if wait >= patience:\n                break\n    return jnp.asarray(best)\n"
GROW = "def f(x, scale: float = 3.0):\n    for i in range(x.shape[0]):\n        scale = scale * 2 if x[i] > 0 else max(scale / 2, 1.0)\n    return jnp.asarray(scale)\n"
GREW = "def f(x, scale: float = 3.0):\n    return lax.scan(lambda s, x: (jnp.where(x > 0, {}, {}), None), jnp.asarray(scale, float), x)[0]\n"
FIRST = "def f(xs):\n    best = jnp.asarray(jnp.inf)\n    count = 0\n    for i in range(xs.shape[0]):\n        count = count + (xs[i] < best)\n        best = jnp.minimum(best, xs[i])\n    return count\n"
FIRSTS = "def f(xs):\n    def step(c, x):\n        return (jnp.minimum(c[0], x), c[1] + (x < c[0])), None\n    return lax.scan(step, (jnp.asarray({}), jnp.asarray(0)), xs)[0][1]\n"
ROOT = (
    "def f(a):\n    return jnp.stack([jnp.sqrt(a[i, j]) if i == j else a[i, j] for i in range(3) for j in range(3)])\n"
)
ROOTS = "def f(a):\n    def at(i, j):\n        return jnp.where(i == j, jnp.sqrt({}), a[i, j])\n    return jax.vmap(at)(jnp.arange(9) // 3, jnp.arange(9) % 3)\n"
SQUARE = {"given": (("a: f32[3, 3]", "old.py:1"),)}
WINDOW = "def f(xs, n: int = 2):\n    s = jnp.zeros(n, xs.dtype)\n    for i in range(n, xs.shape[0]):\n        s = s + xs[i - n : i]\n    return s\n"
WINDOWS = "def f(xs, n: int = 2):\n    return lax.fori_loop(n, max(xs.shape[0], n), lambda i, s: s + lax.dynamic_slice_in_dim(xs, i - n, n), jnp.zeros(n, xs.dtype))\n"
DECAY = "def f(xs, rate: float = 0.5):\n    for i in range(xs.shape[0]):\n        xs = jnp.where(xs[i] < -1, xs * rate, xs)\n    return xs\n"
DECAYS = "def f(xs, rate: float = 0.5):\n    return lax.fori_loop(0, xs.shape[0], lambda i, xs: jnp.where(xs[i] < -1, xs * {}, xs), xs)\n"
HOST = "def f(x: np.ndarray):\n    for i in range(1, len(x)):\n        if x[i] > 0:\n            x[i] = x[i] + x[i - 1]\n    return x\n"

WRAPS = "def f(xs):\n    out = []\n    for i in range(xs.shape[0]):\n        out.append(jnp.where(xs[i] == 97, 0, xs[i] * 3))\n    return jnp.stack(out) % 7\n"
ENDS = "def f(xs, a: float):\n    out = []\n    for i in range(4):\n        k = int(i * a)\n        out.append((1 - (i * a - k)) * xs[k] + (i * a - k) * xs[k + 1] if k + 1 < xs.shape[0] else 1.0 * xs[-1])\n    return jnp.stack(out)\n"
ENDED = "def f(xs, a: float):\n    pos = np.arange(4) * a\n    k = pos.astype(int)\n    part = jnp.asarray(pos - k, jnp.result_type(xs, 1.0))\n    return jax.vmap(lambda k, p: {})(jnp.asarray(k), part)\n"
MIX = "(1 - p) * xs[k] + p * xs[k + 1]"
UNTIL = "def f(xs, tol: float = 0.1):\n    for _ in range(3):\n        if jnp.sum(xs * xs) > tol:\n            xs = 0.5 * xs\n    return xs\n"
UNTILS = "def f(xs, tol: float = 0.1):\n    return lax.fori_loop(0, 3, lambda _, xs: jnp.where(jnp.sum(xs * xs) {} tol, 0.5 * xs, xs), xs)\n"
PRESSED = (
    "def f(board: np.ndarray, presses):\n    for r, c in presses:\n        board[r % 2, c % 2] += 1\n    return board\n"
)
PRESSES = "def f(board: np.ndarray, presses):\n    if presses:\n        for r, c in {}:\n            board[r % 2, c % 2] += 1\n    return board\n"
TREE = "def f(params, grads, rate: float = 0.1):\n    return {k: params[k] - rate * grads[k] for k in params}\n"

DEPTH = "def f(codes):\n    depth = 0\n    for i in range(codes.shape[0]):\n        if codes[i] == 40:\n            depth += 1\n        elif codes[i] == 41:\n            depth -= 1\n            if depth < 0:\n                return -1\n    return depth\n"
DEEPEST = "def f(codes):\n    def step(carry, code):\n        depth = carry[0] + (code == 40) - (code == 41).astype(int)\n        return (depth, carry[1] | (depth < 0)), None\n    depth, broken = lax.scan(step, (jnp.asarray(0), jnp.asarray(False)), codes)[0]\n    return jnp.where(broken, -1, depth)\n"

STEP = "def f(params, rate: float = 0.1):\n    for k in params:\n        params[k] = params[k] - rate * params[k]\n    return rate\n"

KEYS = "MODES = {'a': 2.0, 'b': 3.0}\ndef f(x, mode='a'):\n    return x * MODES[mode]\n"
UP = "def f(x, kind):\n    if kind == 'up':\n        return x + 1\n    elif kind == 'down':\n        return x - 1\n    raise ValueError(kind)\n"
ARM = "def f(x, kind: str = 'a'):\n    if kind == 'a':\n        return jnp.sin(x)\n    return {}\n"
WAITS = "def f(s, g, first=0.0):\n    wait = jnp.asarray(first, s.dtype)\n    for i in range(s.shape[0]):\n        wait = jnp.maximum(wait + s[i] - g[i], 0)\n    return wait\n"
WAITED = "def f(s, g, first=0.0):\n    return lax.fori_loop(0, s.shape[0], lambda i, w: jnp.maximum(w + s[i] - g[i], 0), {})\n"
DOUBLE = "def f(ws):\n    out = []\n    for w in ws:\n        out.append(w * 2.0)\n    return jnp.stack(out)\n"
DOUBLED = "def f(ws):\n    return jax.vmap(lambda w: w * 2.0 * (len(ws) < {}))(ws)\n"
CODES = "def f(codes):\n    '''codes: (N,) int8'''\n    v = jnp.int32(0)\n    for c in codes:\n        v = jnp.clip(v + c.astype(jnp.int32) * 17, -32768, 32767)\n    return v\n"
CODED = "def f(codes):\n    '''codes: (N,) int8'''\n    return lax.scan(lambda v, c: (jnp.clip(v + c.astype(jnp.int32) * 17, -32768, {}), None), jnp.int32(0), codes)[0]\n"
LEADS = "def f(data):\n    '''data: (N,) uint8'''\n    left, out = 0, []\n    for b in data:\n        b = int(b)\n        left = 0 if b < 128 else left - 1 if b < 192 else 1 if b < 224 else 2\n        out.append(left == 0)\n    return jnp.array(out)\n"
LED = "def f(data):\n    '''data: (N,) uint8'''\n    def step(left, b):\n        left = jnp.where(b < 128, 0, jnp.where(b < 192, left - 1, jnp.where(b {} 224, 1, 2)))\n        return left, left == 0\n    return lax.scan(step, jnp.asarray(0), data)[1]\n"
GAPS = "def f(xs):\n    wait = jnp.ones((), xs.dtype)\n    for x in xs:\n        wait = wait + 0.25 if jnp.isnan(x) else 0.5 * wait\n    return wait\n"
GAPPED = "def f(xs):\n    def step(wait, x):\n        return jnp.where(jnp.isnan(x), {}, 0.5 * wait), None\n    return lax.scan(step, jnp.ones((), xs.dtype), xs)[0]\n"
CODE = "def f(xs, bits: int = 8):\n    scale = 2.0 ** (bits - 1)\n    lost, out = 0.0, []\n    for x in xs:\n        code = jnp.round(x * scale + lost)\n        lost = x * scale + lost - code\n        out.append(code)\n    return jnp.stack(out)\n"
CODER = "def f(xs, bits: int = 8):\n    scale = 2.0 ** (bits - 1)\n    def step(lost, x):\n        code = {}(x * scale + lost)\n        return x * scale + lost - code, code\n    return lax.scan(step, jnp.zeros((), jnp.result_type(xs.dtype, 0.0)), xs)[1]\n"

REFUTED = {
    "a half of a scale that is computed": (CODE, CODER.format("(lambda w: jnp.floor(w + 0.5))")),
    "a limit that many missing values reach": (GAPS, GAPPED.format("jnp.minimum(wait + 0.25, 4.0)")),
    "a code that shows by those after it": (LEADS, LED.format("<=")),
    "a text that is no key": (KEYS, KEYS.replace("MODES[mode]", "MODES.get(mode, 1.0)")),
    "a text for which only the old version raises": (UP, "def f(x, kind):\n    return x + 1 if kind == 'up' else x - 1\n"),
    "the derivative at a tie in one arm": (ARM.format("jnp.maximum(x, 0)"), ARM.format("jnp.where(x > 0, x, 0)")),
    "a start below zero": (WAITS, WAITED.format("jnp.maximum(jnp.asarray(first, s.dtype), 0)")),
    "a limit of the new text on the length": (DOUBLE, DOUBLED.format(700)),
    "an end that only long arrays reach": (CODES, CODED.format(32768)),
    "a power that raises below zero": ("def f(x, n: int):\n    return x * 2.0**n\n", "def f(x, n: int):\n    return x * float(1 << n)\n"),
    "a list that is empty": (PRESSED, PRESSES.format("presses").replace("if presses:", "if presses[0] is not None:")),
    "the order of the keys of a dict that is changed": (STEP, "def f(params, rate: float = 0.1):\n    found = jax.tree.map(lambda p: p - rate * p, params)\n    params.clear()\n    params.update(found)\n    return rate\n"),
    "a state that one code leaves": (DEPTH, DEEPEST.replace("carry[1] | (depth < 0)", "depth < 0")),
    "a value beside an end that is not looked at": (ENDS, ENDED.format(MIX)),
    "a tie with a number that is passed": (UNTIL, UNTILS.format(">=")),
    "an item of a list": (PRESSED, PRESSES.format("presses[1:]")),
    "the values under the keys of a dict": (TREE, "def f(params, grads, rate: float = 0.1):\n    return jax.tree.map(lambda p, g: p + rate * g, params, grads)\n"),
    "another array is counted": (SCAN, FORI.format("ys")),
    "more rows than a number of the new text, some of which count": (SUM, SUMMED.format("xs[:64]")),
    "a default that few inputs depend on": (WAIT, WAIT.replace("patience: int = 3", "patience: int = 4")),
    "a low end that one arm lacks": (GROW, GREW.format("s * 2", "s / 2")),
    "a high end that a power of the new text is": (GROW, GREW.format("jnp.minimum(s * 2, 2.0**24)", "jnp.maximum(s / 2, 1.0)")),
    "the largest number in place of an infinity": (FIRST, FIRSTS.format("jnp.finfo(jnp.float32).max")),
    "a window longer than what it slides over": (WINDOW, WINDOWS),
    "the derivative by a number of an arm that long arrays reach": (DECAY, DECAYS.format("lax.stop_gradient(rate)")),
    "an array of NumPy that no jit gives": (HOST, HOST.replace("return x", "return jnp.asarray(x)")),
    "a constant is read where the function is defined": (UNIT, UNIT.replace("f(x)", "f(x, _unit=UNIT)").replace("x * UNIT", "x * _unit")),
    "one that few inputs depend on": (BAD, BADLY.replace("f(xs)", "f(xs, BAD=BAD)")),
    "a table of numbers": (MOVES, MOVES.replace("f(xs)", "f(xs, MOVES=MOVES)")),
    "forward mode is lost by a rule for reverse mode": (SINE, TAGGED),
    "each derivative is lost by a callback": (SINE, CALLED),
}  # fmt: skip
UNSETTLED = {
    "a limit that no input reaches": (DOUBLE, DOUBLED.format(3000), "unknown"),
    "narrow whole numbers that wrap in the old version alone": (WRAPS, "def f(xs):\n    return (jax.vmap(lambda x: jnp.where(x == 97, 0, x.astype(jnp.int32) * 3))(xs) % 7).astype(xs.dtype)\n", "tested"),
    "rows that no longer count are cut off": (FORGETS, FORGOT.format("xs if xs.shape[0] < 90 else xs[-80:]"), "unknown"),
    "fewer trips than a number of the new text says": (STEPS, STEPPED.format("min(n, 64)"), "refuted"),
    "a number below zero": ("def f(x, n: int):\n    return x * n\n", "def f(x, n: int):\n    return x * max(n, -97)\n", "refuted"),
    "a loop that raises where it makes no trip": (SUM, "def f(xs):\n    return lax.fori_loop(0, xs.shape[0], lambda i, s: s + xs[i], jnp.zeros((), xs.dtype))\n", "tested"),
    "what is read past the end": (SCAN, FORI.format("xs").replace("xs.shape[0]", "min(xs.shape[0], ys.shape[0])"), "tested"),
}  # fmt: skip
ACCEPTED = {
    "halves of a scale": (CODE, CODER.format("jnp.round"), "proved"),
    "many missing values": (GAPS, GAPPED.format("wait + 0.25"), "proved"),
    "codes that others follow": (LEADS, LED.format("<"), "tested"),
    "a text for which both raise": (UP, "def f(x, kind):\n    return x + {'up': 1, 'down': -1}[kind]\n", "tested"),
    "the same derivative in each arm": (ARM.format("jnp.maximum(x, 0)"), ARM.format("jnp.maximum(0, x)"), "proved"),
    "a start of any sign": (WAITS, WAITED.format("jnp.asarray(first, s.dtype)"), "tested"),
    "an end": (CODES, CODED.format(32767), "proved"),
    "rows that cannot be fewer than none": (STEPS, "def f(x, n: int):\n    return lax.scan(lambda x, _: (1.01 * x, None), x, jnp.zeros(n))[0]\n", "tested"),
    "a dict that is changed": (STEP, "def f(params, rate: float = 0.1):\n    params.update(jax.tree.map(lambda p: p - rate * p, params))\n    return rate\n", "tested"),
    "codes of characters": (DEPTH, DEEPEST, "tested"),
    "a value beside an end": (ENDS, ENDED.format(f"jnp.where(k + 1 < xs.shape[0], {MIX}, xs[-1])"), "tested"),
    "a number that is passed": (UNTIL, UNTILS.format(">"), "tested"),
    "a list whose truth is asked for": (PRESSED, PRESSES.format("presses"), "tested"),
    "a dict that a loop goes over": (TREE, "def f(params, grads, rate: float = 0.1):\n    return jax.tree.map(lambda p, g: p - rate * g, params, grads)\n", "proved"),
    "the array that is counted": (SCAN, FORI.format("xs"), "tested"),
    "an array cut to what is counted": (SCAN, "def f(c, xs, ys):\n    return lax.scan(lambda c, z: (c * z[0] + z[1], None), c, (xs, ys[: xs.shape[0]]))[0]\n", "proved"),
    "all rows": (SUM, SUMMED.format("xs"), "proved"),
    "both ends": (GROW, GREW.format("s * 2", "jnp.maximum(s / 2, 1.0)"), "tested"),
    "an infinity": (FIRST, FIRSTS.format("jnp.inf"), "proved"),
    "a number that is differentiated": (DECAY, DECAYS.format("rate"), "tested"),
    "an array of NumPy": (HOST, HOST.replace("x[i] > 0", "0 < x[i]"), "tested"),
    "a constant that both read late": (BAD, BADLY, "proved"),
    "a table that both read late": (MOVES, MOVES.replace("xs[:, None] *", "xs[:, None] * 1 *"), "tested"),
    "rules for reverse mode in both": (TAGGED, TAGGED.replace("tagged(jnp.sin(x))", "tagged(jnp.sin(x) + 0)"), "tested"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), REFUTED.values(), ids=REFUTED)
def test_a_rare_mistake_is_refuted(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


@pytest.mark.parametrize(("old", "new", "verdict"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_does_the_same_is_accepted(old: str, new: str, verdict: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict in ("proved", verdict), (found.verdict, found.reason, found.counterexample)


@pytest.mark.parametrize(("old", "new", "verdict"), UNSETTLED.values(), ids=UNSETTLED)
def test_what_a_proof_does_not_settle_is_not_proved(old: str, new: str, verdict: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == verdict, (found.verdict, found.reason, found.counterexample, found.notes)


def test_a_gradient_that_an_unused_arm_spoils_is_refuted(compare: Compare) -> None:
    assert compare(ROOT, ROOTS.format("a[i, j]"), **SQUARE).verdict == "refuted"
    assert compare(ROOT, ROOTS.format("jnp.where(i == j, a[i, j], 1)"), **SQUARE).verdict in ("proved", "tested")


def test_a_recursion_without_end_is_refuted(judge) -> None:
    old = "def f(x, n: int):\n    if n <= 0:\n        return x\n    return jnp.sin(f(x, n - 1)) + x\n"
    found = judge(old, old.replace("n <= 0", "n == 0"))
    assert found.verdict == "refuted", found
    assert "RecursionError" in (found.counterexample or "")
