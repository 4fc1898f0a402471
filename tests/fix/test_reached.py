"""Of a module's text only what a function may reach decides its digest."""

from __future__ import annotations

import pytest

from scanlint.fix.answers.reached import reached

MODULE = """\
import jax

SCALE = 2.0


def helper(x):
    return SCALE * x


def by_name(x):
    return x + 1


TABLE = {"other": lambda x: globals()["by_name"](x)}


@jax.jit
def f(x):
    return helper(x)


class Unused:
    size = 3

    def double(self, x):
        return 2 * x


def unused(x, y=1):
    return x * y
"""

WITHOUT_MEANING = {
    "a comment": ("    return helper(x)", "    return helper(x)  # twice"),
    "blank lines above": ("@jax.jit", "\n\n@jax.jit"),
    "the body of a function that nothing names": ("return x * y", "return x / y"),
    "a method of a class that nothing names": ("return 2 * x", "return 3 * x"),
}
WITH_MEANING = {
    "its own body": ("return helper(x)", "return helper(-x)"),
    "its decorator": ("@jax.jit", "@jax.checkpoint"),
    "what it calls": ("return SCALE * x", "return x"),
    "a global": ("SCALE = 2.0", "SCALE = 3.0"),
    "what a string names": ("return x + 1", "return x + 2"),
    "a default elsewhere, which is worked out on import": ("y=1", "y=print(1)"),
    "an attribute of a class elsewhere": ("size = 3", "size = 4"),
}


@pytest.mark.parametrize(("old", "new"), WITHOUT_MEANING.values(), ids=WITHOUT_MEANING)
def test_what_it_does_not_reach_does_not_count(old: str, new: str) -> None:
    assert old in MODULE
    assert reached(MODULE.replace(old, new), "f") == reached(MODULE, "f")


@pytest.mark.parametrize(("old", "new"), WITH_MEANING.values(), ids=WITH_MEANING)
def test_what_it_reaches_counts(old: str, new: str) -> None:
    assert old in MODULE
    assert reached(MODULE.replace(old, new), "f") != reached(MODULE, "f")


def test_a_method_counts_with_its_class() -> None:
    assert reached(MODULE.replace("3 ", "3 "), "Unused.double") == reached(MODULE, "Unused.double")
    assert reached(MODULE.replace("2 * x", "3 * x"), "Unused.double") != reached(MODULE, "Unused.double")


def test_a_text_that_is_no_python_counts_as_a_whole() -> None:
    assert reached("def f(:", "f") != reached("def f(: ", "f")
