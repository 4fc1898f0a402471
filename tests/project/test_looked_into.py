"""Whether functions are looked into, whatever their text is."""

from __future__ import annotations

from pathlib import Path

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEADER = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n\n\n"
PLAIN = "@jax.jit\ndef f(x, y):\n    return x + y\n"


def test_what_a_call_hands_to_a_plain_jitted_function_is_found() -> None:
    text = f'{HEADER}{PLAIN}\n\nprint(f("a", 1))\n'
    findings = check_text(text.encode(), Path("program.py"), Settings()).findings
    assert [(finding.name, finding.function) for finding in findings] == [("flag-argument", "f")]
