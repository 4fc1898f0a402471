"""A name that a test shows not to be None: the other arm of the next test for None is not run."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

PROGRAM = """
import jax
import jax.numpy as jnp
from functools import partial


def neighbors(cutoff):
    def listed(position, old=None, **options):
        def build(position, most=None):
            if old is None:
                if jnp.all(position < cutoff):
                    position = position + 1
            return position

        {made}
        if {test}:
            return build(position)
        {after}
        return jax.lax.cond(jnp.any(position > cutoff), partial(build, most=2), lambda x: x, position)

    def allocate(position):
        return listed(position)

    def update(position, old):
        return listed(position, old)

    return allocate, update
"""


@pytest.mark.parametrize(
    ("made", "test", "after", "expected"),
    [
        pytest.param("kept = old", "old is None", "", [], id="the name itself"),
        pytest.param("kept = old", "kept is None", "", [], id="another name for it"),
        pytest.param("kept = old", "not kept", "", [], id="its truth"),
        pytest.param("kept = old", "cutoff > 3 or kept is None", "", [], id="one of two reasons to leave"),
        pytest.param("kept = old", "cutoff > 3 and kept is None", "", ["SCN201"], id="both of two reasons to leave"),
        pytest.param("kept = old", "kept is not None", "", ["SCN201"], id="the opposite"),
        pytest.param("kept = options", "kept is None", "", ["SCN201"], id="a name for something else"),
        pytest.param("kept = old; kept = options", "kept is None", "", ["SCN201"], id="a name that was bound anew"),
        pytest.param("kept = old", "kept is None", "old = options.get('old')", ["SCN201"], id="a parameter bound anew"),
        pytest.param("kept = old", "old is None", "old = options.get('old')", ["SCN201"], id="bound anew behind the test"),
    ],
)  # fmt: skip
def test_what_is_not_none_behind_a_test_is_not_none_in_functions_called_there(
    made: str, test: str, after: str, expected: list[str]
) -> None:
    text = textwrap.dedent(PROGRAM).format(made=made, test=test, after=after)
    outcome = check_text(text.encode(), Path("program.py"), Settings())
    assert [f.code for f in outcome.findings] == expected
