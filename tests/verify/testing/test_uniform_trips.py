"""Texts in which a late trip may do what no early one shows, and texts in which it cannot."""

from __future__ import annotations

import ast

import pytest

from scanlint.verify.worker.testing.uniform_trips import alike

HEAD = "import jax.numpy as jnp\nfrom jax import lax\n"
ALIKE = {
    "a state": "def f(x, n):\n    for _ in range(n):\n        x = 1.01 * x\n    return x\n",
    "the number of the trip as a value": "def f(x, n):\n    for i in range(n):\n        x = x + jnp.sin(i * 0.1)\n    return x\n",
    "a row for each trip": "def f(xs, n):\n    out = []\n    for i in range(n):\n        out.append(2 * xs[i])\n    return jnp.stack(out)\n",
    "what values decide": "def f(x, n):\n    for _ in range(n):\n        x = jnp.where(x > 1, 0.5 * x, x + 1)\n    return x\n",
    "a scan": "def f(x, n):\n    return lax.scan(lambda x, _: (1.01 * x, None), x, length=n)[0]\n",
}
TOLD_APART = {
    "a test in Python": "def f(x, n):\n    for i in range(n):\n        if i * i > n:\n            x = 2 * x\n    return x\n",
    "a large float": "def f(x, n):\n    return jnp.stack([jnp.where(i < 50.0, x, 2 * x) for i in range(n)])\n",
    "a product that grows late": "def f(x, n):\n    return jnp.stack([jnp.where(i * 0.1 > 1.0, x, 2 * x) for i in range(n)])\n",
    "a limit by minimum": "def f(x, n):\n    return jnp.stack([x * jnp.minimum(i, n) for i in range(n)])\n",
    "a table with many rows": "T = (1, 2, 3, 1, 2, 3, 1, 2, 3)\ndef f(x, n):\n    return jnp.stack([x * T[i] for i in range(n)])\n",
    "a power that is taken in place": "def f(x, n):\n    for i in range(n):\n        x **= i\n    return x\n",
    "a large number": "def f(x, n):\n    return lax.scan(lambda x, _: (1.01 * x, None), x, length=min(n, 64))[0]\n",
    "numbers that are large together": "def f(x, n):\n    for i in range(n):\n        x = jnp.where(i < 5 * 5, x, 2 * x)\n    return x\n",
    "every so many trips": "def f(x, n):\n    for i in range(n):\n        x = x + xs[i % 6]\n    return x\n",
    "a quotient that is cut off": "def f(x, n):\n    for i in range(n):\n        x = x + int(i / 7)\n    return x\n",
    "a conversion to whole numbers": "def f(x, n):\n    return x + (jnp.arange(n) / 5).astype(jnp.int32).sum()\n",
    "rows that are left out": "def f(x, n):\n    return sum(x for i in range(n) if i != n - 1)\n",
    "a number of the module": "MOST = 40\ndef f(x, n):\n    return lax.fori_loop(0, jnp.minimum(n, MOST), lambda i, x: 2 * x, x)\n",
    "a helper of the project": "from .steps import step\ndef f(x, n):\n    for i in range(n):\n        x = step(x, i)\n    return x\n",
    "an end that is caught": "def f(xs, n):\n    x = 0\n    try:\n        for i in range(n):\n            x = x + xs[i]\n    except IndexError:\n        pass\n    return x\n",
}  # fmt: skip


@pytest.mark.parametrize("text", ALIKE.values(), ids=ALIKE)
def test_no_trip_can_be_told_from_the_others(text: str) -> None:
    assert alike(ast.parse(HEAD + text).body)


@pytest.mark.parametrize("text", TOLD_APART.values(), ids=TOLD_APART)
def test_a_late_trip_may_differ(text: str) -> None:
    assert not alike(ast.parse(HEAD + text).body)
