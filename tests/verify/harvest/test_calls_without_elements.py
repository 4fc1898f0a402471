"""Arrays without elements: what JAX raises or spreads there is a note, unless a caller hands in such arrays."""

from __future__ import annotations

import pytest

INDEXED = (
    "def f(x):\n    s = 0.0\n    for i in range(1, x.shape[0]):\n        s = s * 0.5 + x[i] * x[i - 1]\n    return s\n",
    "def f(x):\n    return lax.fori_loop(1, x.shape[0], lambda i, s: s * 0.5 + x[i] * x[i - 1], 0.0)\n",
    "jnp.zeros((0,))",
)
SPREAD = (
    "def f(x):\n    s = 0.0\n    for row in x:\n        s = s * 0.5 + row\n    return s\n",
    "def f(x):\n    return lax.scan(lambda s, row: (s * 0.5 + row, None), jnp.zeros(x.shape[1:], x.dtype), x)[0]\n",
    "jnp.zeros((0, 3))",
)
STACKED = (
    "def f(x):\n    out = []\n    for row in x:\n        out.append(jnp.sin(row))\n    return jnp.array(out)\n",
    "def f(x):\n    return jax.vmap(jnp.sin)(x)\n",
    "jnp.zeros((0, 3))",
)
PAIRS = {
    "an index into no rows": INDEXED,
    "a start in the shape of a row": SPREAD,
    "rows of a shape where there are none": STACKED,
}


@pytest.mark.parametrize(("old", "new", "given"), PAIRS.values(), ids=PAIRS)
def test_a_caller_without_elements_refutes(judge, old: str, new: str, given: str) -> None:
    found = judge(f"{old}\n\nf({given})\n", f"{new}\n\nf({given})\n")
    assert (found.verdict, found.inputs) == ("refuted", "harvested"), found


@pytest.mark.parametrize(("old", "new", "given"), PAIRS.values(), ids=PAIRS)
def test_without_such_a_caller_it_is_a_note(judge, old: str, new: str, given: str) -> None:
    call = f"\n\nf({given.replace('(0', '(7')})\n"
    found = judge(old + call, new + call)
    assert found.verdict in ("proved", "tested"), found
    assert any("no elements" in note or "no rows" in note or "nothing to loop over" in note for note in found.notes)
