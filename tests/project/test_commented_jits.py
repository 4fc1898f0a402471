"""Commented-out jits: which comments are wishes, and what the granted file looks like."""

from __future__ import annotations

import pytest

from scanlint.project.commented_jits import granted, wishes

WISHES = [
    pytest.param("# @jax.jit\ndef f(x): ...\n", [(1, 2, "jax.jit")], id="a comment above"),
    pytest.param("#@jit\ndef f(x): ...\n", [(1, 2, "jit")], id="no blanks"),
    pytest.param(
        "# @partial(jax.jit, static_argnums=0)\ndef f(x): ...\n",
        [(1, 2, "partial(jax.jit, static_argnums=0)")],
        id="a partial",
    ),
    pytest.param(
        "# @partial(\n#     jax.jit,\n#     static_argnums=0,\n# )\ndef f(x): ...\n",
        [(1, 5, "partial(jax.jit, static_argnums=0)")],
        id="over several lines",
    ),
    pytest.param("# @jax.jit\n# too slow\nasync def f(x): ...\n", [(1, 3, "jax.jit")], id="with another comment"),
    pytest.param("@a\n# @jax.jit\n@b(\n  1,\n)\ndef f(x): ...\n", [(2, 6, "jax.jit")], id="among decorators"),
    pytest.param("class A:\n# @jax.jit\n    def f(x): ...\n", [(2, 3, "jax.jit")], id="out of line"),
    pytest.param("# @eqx.filter_jit\ndef f(x): ...\n", [(1, 2, "eqx.filter_jit")], id="a jit of another library"),
    pytest.param("# @jax.jit\n\ndef f(x): ...\n", [], id="a blank line between"),
    pytest.param("# @jax.jit\n# def f(x): ...\ndef g(x): ...\n", [], id="a commented-out function"),
    pytest.param("# @jax.jit makes this slow\ndef f(x): ...\n", [], id="prose"),
    pytest.param("# @jax.jit - slow\ndef f(x): ...\n", [], id="prose that parses"),
    pytest.param("# @jax.jit\n@jax.jit\ndef f(x): ...\n", [], id="above another jit"),
    pytest.param("@partial(jax.jit, static_argnums=0)\n# @jax.jit\ndef f(x): ...\n", [], id="below another jit"),
    pytest.param("# @partial(f, 1)\ndef jitter(x): ...\n", [], id="another partial"),
    pytest.param("# @jax.jit\nclass A: ...\n", [], id="a class"),
]


@pytest.mark.parametrize(("text", "expected"), WISHES)
def test_a_comment_is_a_wish_only_above_a_function(text: str, expected: list[tuple[int, int, str]]) -> None:
    import ast

    assert [(w.line, w.definition, ast.unparse(w.decorator)) for w in wishes(text)] == expected


def test_what_is_granted_keeps_every_line_in_its_place() -> None:
    text = "import jax\r\nclass A:\r\n    # @partial(\r\n    #     jit)\r\n    def f(x): ...\r\n"
    assert granted(text, wishes(text), {"jax", "A"}) == (
        "import jax\r\nclass A:\r\n    @partial(jit)\r\n    #     jit)\r\n    def f(x): ...\r\n"
        "\nfrom functools import partial\n\nfrom jax import jit\n"
    )
