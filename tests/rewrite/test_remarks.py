"""What is said beside statements that a rewrite takes the place of: it is neither lost nor left where it says nothing."""

from __future__ import annotations

import re
import subprocess
import sys

import jax.numpy as jnp
import pytest

XS = jnp.linspace(0.1, 0.9, 24).reshape(12, 2)

PLACES = {
    "at the end of a body": (
        "    s = jnp.zeros(2)\n"
        "    for x in xs:\n"
        "        s = jnp.sin(s + x)\n"
        "        # the end\n"
        "    # after it\n"
        "    return s\n",
        "        s = jnp.sin(s + x)\n        # the end\n        return s, None\n",
    ),
    "at the ends of two": (
        "    s = jnp.zeros(())\n"
        "    for i in range(12):\n"
        "        for j in range(12):\n"
        "            s = jnp.sin(s + xs[i, 0] * xs[j, 1])\n"
        "            # the inner end\n"
        "\n"
        "        # the outer end\n"
        "    return s\n",
        "            return jnp.sin(s + xs[i, 0] * xs[j, 1])\n            # the inner end\n\n",
    ),
    "at the end of a while": (
        "    s = xs[0, 0]\n    while s < 5:\n        s = s * 2\n        # the end\n    return s\n",
        "    def body(s):\n        return s * 2\n        # the end\n",
    ),
    "in a batch of one expression": (
        "    ys = []\n    for x in xs:\n        ys.append(jnp.sum(x))\n        # the end\n    return jnp.stack(ys)\n",
        "        return jnp.sum(x)\n        # the end\n",
    ),
    "above an elif that has no function": (
        "    s = xs[0, 0]\n"
        "    if s > 1:\n"
        "        s = s * jnp.sqrt(s)\n"
        "    # or else\n"
        "    elif s < 0.5:\n"
        "        s = jnp.log(s)\n"
        "    return s\n",
        "    # or else\n",
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_comments_stay(rewrite, place: str) -> None:
    body, piece = PLACES[place]
    old = f"@jax.jit\ndef f(xs):\n{body}"
    sample = rewrite(old)
    assert "lax." in sample.body or "vmap" in sample.body
    assert sorted(re.findall("#.*", sample.body)) == sorted(re.findall("#.*", old))
    assert piece in sample.body
    layout = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=88", "-"],
        input=sample.new.encode(),
        capture_output=True,
        check=True,
    )
    assert layout.stdout.decode() == sample.new
    sample.agree("f", [XS], [3 * XS])


def test_words_to_tools_and_of_statements_that_go_are_not_put_elsewhere(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\n"
        "def f(xs):\n"
        "    ys = []  # one each\n"
        "    for x in xs:  # noqa: B007\n"
        "        ys.append(jnp.sum(x))  # type: ignore\n"
        "    return jnp.stack(ys)\n"
    )
    assert "vmap" in sample.body
    assert "# one each" not in sample.body
    assert "    # noqa" not in sample.body.replace(":  # noqa", "")
