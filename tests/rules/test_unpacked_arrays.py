"""Rows of an array that are unpacked and stacked again: slices where they are, and what stays a list."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.fix.run import fix
from scanlint.settings import Settings

HEAD = "import jax\nimport jax.numpy as jnp\n\n\ndef draw(key, xs, keep):\n"
SPLIT = "key, *subs = jax.random.split(key, xs.shape[0] + 1)\n"


def findings(body: str, folder: Path) -> tuple[Finding, ...]:
    text = HEAD + indent(body, "    ") + "\n"
    outcome = check_text(text.encode(), folder / "keys.py", Settings(root=folder, select=("SCN407",)))
    assert not outcome.problems
    return outcome.findings


AGAIN = {
    "an array of the list": "return jax.vmap(jax.random.normal)(jnp.array(subs))",
    "a stack of the list": "return jax.vmap(jax.random.normal)(jnp.stack(subs))",
    "an array under the name of the list": "subs = jnp.asarray(subs)\nreturn jax.vmap(jax.random.normal)(subs)",
    "a row beside the array": "return jnp.array(subs), subs[0], len(subs)",
}
LISTS = {
    "a list": "return subs",
    "rows in turn": "return [jax.random.normal(k) for k in subs]",
    "an array along another axis": "return jnp.stack(subs, axis=1)",
}
MIXED = {
    "a list that is handed on": "keep(subs)\nreturn jnp.array(subs)",
    "a list that loses a row": "subs.pop()\nreturn jnp.array(subs)",
    "a list that is cut": "return jnp.array(subs), subs[1:]",
}


@pytest.mark.parametrize("rest", AGAIN.values(), ids=AGAIN)
def test_rows_that_are_stacked_again_have_a_rewrite(rest: str, tmp_path: Path) -> None:
    [found] = findings(SPLIT + rest, tmp_path)
    assert found.fix.status == "available"


@pytest.mark.parametrize("rest", LISTS.values(), ids=LISTS)
def test_rows_that_stay_a_list_are_left(rest: str, tmp_path: Path) -> None:
    assert findings(SPLIT + rest, tmp_path) == ()


@pytest.mark.parametrize("rest", MIXED.values(), ids=MIXED)
def test_rows_that_are_used_as_a_list_too_are_withheld(rest: str, tmp_path: Path) -> None:
    [found] = findings(SPLIT + rest, tmp_path)
    assert found.fix.status == "withheld"
    assert (found.fix.reason or "").startswith("list-used-otherwise")


def test_few_rows_are_left(tmp_path: Path) -> None:
    assert findings("key, *subs = jax.random.split(key, 4)\nreturn jnp.array(subs)", tmp_path) == ()


@pytest.mark.slow
def test_what_is_written_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "keys.py"
    path.write_text(HEAD + indent(SPLIT + AGAIN["an array under the name of the list"], "    ") + "\n")
    outcome = fix([path], Settings(root=tmp_path, select=("SCN407",), verify_timeout=120.0), lambda line: None)
    [written] = [after.decode() for _, after in outcome.changes.values()]
    assert "    keys = jax.random.split(key, xs.shape[0] + 1)\n    key, subs = keys[0], keys[1:]\n" in written
    assert "asarray" not in written
