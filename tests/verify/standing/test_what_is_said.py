"""`verify OLD NEW`: what Python prints, logs and warns of in a call, and tests of arrays that no input tried shows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

pytestmark = pytest.mark.many(3)

Compare = Callable[..., Verification]

WARNED = "import warnings\ndef told(t):\n    if t <= 0:\n        warnings.warn('nothing')\ndef f(w):\n    t = w[0] + w[1]\n    told(t)\n    return w / t\n"
LOGGED = "import logging\nlog = logging.getLogger('f')\ndef f(x):\n    for i in range(3):\n        x = x * 0.5\n        log.warning('step %d', i)\n    return x\n"
SCANNED = "import logging\nlog = logging.getLogger('f')\ndef f(x):\n    def step(i, x):\n        log.warning('step %d', 0)\n        return x * 0.5\n    return lax.fori_loop(0, 3, step, x)\n"
PRINTED = "def f(x):\n    for i in range(3):\n        x = x * 0.5\n        print('step', i)\n    return x\n"
FACTOR = "import numpy as np\ndef f(a: np.ndarray, v: float):\n    {}\n    return v\n"
HASH = "def f(xs):\n    h = jnp.uint32(7)\n    for x in xs:\n        h = (h ^ x.astype(jnp.uint32)) * jnp.uint32(16777619)\n    return h\n"
HASHED = "def f(xs):\n    def mix(h, x):\n        h = (h ^ x.astype(jnp.uint32)) * jnp.uint32(16777619)\n        return {}, None\n    return lax.scan(mix, jnp.uint32(7), xs)[0]\n"
WALK = "MOVES = jnp.array([[0, 1], [0, -1], [1, 0], [-1, 0]])\ndef f(walls, at, actions):\n    for a in actions:\n        new = at + MOVES[a]\n        inside = (new[0] >= 0) & (new[0] < walls.shape[0]) & (new[1] >= 0) & (new[1] < walls.shape[1])\n        if inside and not walls[new[0], new[1]]:\n            at = new\n    return at\n"
WALKED = "MOVES = jnp.array([[0, 1], [0, -1], [1, 0], [-1, 0]])\ndef f(walls, at, actions):\n    def step(at, a):\n        new = at + MOVES[a]\n        inside = (new[0] >= 0) & (new[0] < walls.shape[0]) & (new[1] >= 0) & (new[1] < walls.shape[1])\n        return jnp.where(inside & (walls[new[0], new[1]] == 0), new, at), None\n    return lax.scan(step, at, actions)[0]\n"

WROTE = "import sys\ndef f(x):\n    for i in range(3):\n        x = x * 0.5\n        sys.stdout.write('step\\n')\n    return x\n"
FAR = "def f(x):\n    for i in range(3):\n        x = x * 0.5\n        print('step', 1000 + i)\n    return x\n"

REFUTED = {
    "lines are printed in another order": (PRINTED, PRINTED.replace("'step', i", "'step', 2 - i")),
    "nothing is written to the output": (WROTE, WROTE.replace("        sys.stdout.write('step\\n')\n", "")),
    "it is written to it before": (WROTE, WROTE.replace("    for i", "    sys.stderr.write('begin')\n    for i")),
    "a whole number that is printed is one more": (FAR, FAR.replace("1000 + i", "1001 + i")),
    "a helper does not warn any more": (WARNED, WARNED.replace("t <= 0", "t <= -1e30")),
    "a helper warns of another kind": (WARNED, WARNED.replace("'nothing'", "'nothing', DeprecationWarning")),
    "another number is logged": (LOGGED, LOGGED.replace("%d', i", "%d', i + 1")),
    "another level is logged": (LOGGED, LOGGED.replace("log.warning", "log.error")),
    "a loop of JAX logs when it is traced": (LOGGED, SCANNED),
    "nothing is printed": (PRINTED, PRINTED.replace("        print('step', i)\n", "")),
    "a line is printed before": (PRINTED, PRINTED.replace("    for i", "    print('step', -1)\n    for i")),
    "an array of NumPy is not scaled in place": (FACTOR.format("a *= v"), FACTOR.format("a = a * v")),
    "a place before the first": (WALK, WALKED.replace("new[0] >= 0", "new[0] >= -1")),
}  # fmt: skip
ACCEPTED = {
    "a line that is written in place of printed": (WROTE, WROTE.replace("sys.stdout.write('step\\n')", "print('step')")),
    "the same warning, twice": (WARNED, WARNED.replace("    told(t)\n", "    told(t)\n    told(t)\n")),
    "the same log of another loop": (LOGGED, LOGGED.replace("range(3)", "(0, 1, 2)")),
    "lines that `jax.debug.print` prints": (PRINTED, PRINTED.replace("print('step', i)", "jax.debug.print('step {}', i)")),
    "the same hash": (HASH, HASHED.format("h")),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), REFUTED.values(), ids=REFUTED)
def test_what_calls_say_and_leave_differs(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


@pytest.mark.parametrize(("old", "new"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_calls_say_and_leave_is_the_same(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict in ("proved", "tested"), (found.verdict, found.reason, found.counterexample)


@pytest.mark.parametrize(
    "result",
    [
        pytest.param("jnp.where(h == 123456789, jnp.uint32(0), h)", id="it is never true"),
        pytest.param("jnp.where(h % 5003 == 0, jnp.uint32(0), h)", id="it is true where that changes nothing"),
    ],
)
def test_a_test_that_only_the_new_version_has_is_shown_by_an_input(result: str, compare: Compare) -> None:
    found = compare(HASH, HASHED.format(result))
    assert found.verdict in ("unknown", "refuted"), (found.verdict, found.notes)
