"""Which functions are looked into at all, told from the text of their files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.project.facts import collect
from scanlint.project.files import SourceFile, decode
from scanlint.project.parsing import parse
from scanlint.settings import Settings

HEADER = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n\n\n"
PLAIN = "@jax.jit\ndef f(x, y):\n    return x + y\n"
JITTED = {
    "that nobody calls": (PLAIN, []),
    "that calls what works on elements": ("@jax.jit\ndef f(x, y):\n    return jnp.sin(x) + y\n", []),
    "that nobody calls, beside another": (f"{PLAIN}\n\n@jax.jit\ndef g(x):\n    if x > 0:\n        x = -x\n    return x\n", ["g"]),
    "that the file calls": (f'{PLAIN}\n\nprint(f("a", 1))\n', ["f"]),
    "that the file hands on": (f"{PLAIN}\n\nh = jax.vmap(f)\n", ["f"]),
    "that says what it takes": ("@jax.jit\ndef f(x, y: str):\n    return x + y\n", ["f"]),
    "with settings": ("@partial(jax.jit, static_argnums=(1,))\ndef f(x, y):\n    return x + y\n", ["f"]),
    "that calls what may need a number": ("@jax.jit\ndef f(x, y):\n    return x.sum(y)\n", ["f"]),
    "with a table": ("@jax.jit\ndef f(x, y):\n    return {0: x}[y]\n", ["f"]),
    "of a class": ("class C:\n    @jax.jit\n    def f(self, y):\n        return y + y\n", ["C.f"]),
    "that draws": ("@jax.jit\ndef f(x, key):\n    return x + jax.random.normal(key)\n", ["f"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), JITTED.values(), ids=JITTED)
def test_a_jit_alone_is_nothing_to_look_into(text: str, expected: list[str]) -> None:
    source = decode((HEADER + text).encode(), Path("program.py"))
    assert isinstance(source, SourceFile)
    tree = parse(source)
    assert isinstance(tree, ast.Module)
    functions = collect(tree, source).functions
    assert [name for name, span in functions.items() if span.control] == expected


def test_what_a_call_hands_to_a_plain_jitted_function_is_found() -> None:
    text = f'{HEADER}{PLAIN}\n\nprint(f("a", 1))\n'
    findings = check_text(text.encode(), Path("program.py"), Settings()).findings
    assert [(finding.name, finding.function) for finding in findings] == [("flag-argument", "f")]
