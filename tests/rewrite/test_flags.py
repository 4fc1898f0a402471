"""Flags of jitted functions: what is one, and how it is made static."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]

BODY = '    if mode == "train":\n        return x * 2\n    return x\n'

SPELLINGS = {
    "a_bare_decorator": (f"@jax.jit\ndef f(x, mode):\n{BODY}", '@partial(jax.jit, static_argnames=("mode",))'),
    "a_call_as_decorator": (
        f'@jax.jit(static_argnames="n")\ndef f(x, n, mode):\n{BODY}',
        '@jax.jit(static_argnames=("n", "mode"))',
    ),
    "static_names_are_extended": (
        f'@jax.jit(static_argnames=("n",), donate_argnums=0)\ndef f(x, n, mode):\n{BODY}',
        '@jax.jit(static_argnames=("n", "mode"), donate_argnums=0)',
    ),
    "static_numbers_are_extended": (
        f"@jax.jit(static_argnums=(1,))\ndef f(x, n, mode):\n{BODY}",
        "@jax.jit(static_argnums=(1, 2))",
    ),
    "a_call_elsewhere": (
        f"def f(x, mode):\n{BODY}\n\nfast = jax.jit(f)\n",
        'fast = jax.jit(f, static_argnames=("mode",))',
    ),
    "numbers_behind_what_a_partial_gives": (
        f"from functools import partial\n\n\ndef f(n, x, count, mode):\n{BODY}\n\nfast = jax.jit(partial(f, 3), static_argnums=(1,))\n",
        "static_argnums=(1, 2))",
    ),
}


@pytest.mark.parametrize(("code", "expected"), SPELLINGS.values(), ids=SPELLINGS)
def test_static_in_the_spelling_of_the_file(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(code)
    assert set(sample.codes) == {"flag-argument"}
    assert expected in sample.new


FLAGS = {
    "asked_for_by_name": "@jax.jit\ndef f(x, use_bias):\n    if use_bias:\n        x = x + 1\n    return x\n",
    "annotated": "@jax.jit\ndef f(x, fancy: bool):\n    return x if fancy else -x\n",
    "given_a_bool": "@jax.jit\ndef f(x, fancy):\n    return x if fancy else -x\n\n\ny = f(1.0, True)\n",
    "asked_what_it_is": "@jax.jit\ndef f(x, causal):\n    if causal is True:\n        x = jnp.tril(x)\n    return x\n",
    "asked_what_it_is_not": "@jax.jit\ndef f(x, causal):\n    return x if causal is not False else -x\n",
    "handed_on": "@jax.jit\ndef f(g, x, training):\n    if not training:\n        x = x * 2\n    return g(x, training=training)\n",
}


REFUSED = {
    "text": ("@jax.jit\ndef f(x, how: str):\n    return getattr(jnp, how)(x)\n", "error"),
    "text or nothing": ("@jax.jit\ndef f(x, how: Optional[str] = None):\n    return x if how is None else getattr(jnp, how)(x)\n", "warning"),
    "one of some words": ('@jax.jit\ndef f(x, how: "Literal[\'sin\', \'cos\']"):\n    return getattr(jnp, how)(x)\n', "error"),
    "a dtype with a default": ("@jax.jit\ndef f(x, dtype: jnp.dtype | None = None):\n    return jnp.asarray(x, dtype)\n", "warning"),
    "a dtype that a call gives": ("@jax.jit\ndef f(x, dtype: jnp.dtype = None):\n    return jnp.asarray(x, dtype)\n\n\ndef g(x, kind):\n    return f(x, kind)\n", "error"),
}  # fmt: skip
TYPING = "from typing import Callable, Literal, Optional\n\nimport equinox as eqx\n\n\n"


@pytest.mark.parametrize(("code", "level"), REFUSED.values(), ids=REFUSED)
def test_a_parameter_of_a_type_that_no_jit_takes_is_found(code: str, level: str, rewrite: Rewriting) -> None:
    sample = rewrite(TYPING + code)
    assert [(r.finding.name, r.finding.level) for r in sample.reports] == [("flag-argument", level)]
    assert "static_argnames" in sample.new


TAKEN = {
    "an array too": "@jax.jit\ndef f(x, how: str | jax.Array = 'a'):\n    return x\n",
    "what may be a pytree that is called": "@jax.jit\ndef f(model: Callable, x):\n    return model(x)\n",
    "a jit that leaves it alone": "@eqx.filter_jit\ndef f(x, how: str):\n    return getattr(jnp, how)(x)\n",
    "static": "@jax.jit(static_argnames='how')\ndef f(x, how: str):\n    return getattr(jnp, how)(x)\n",
    "another class of that name": "class str:\n    pass\n\n\n@jax.jit\ndef f(x, how: str):\n    return x\n",
}


@pytest.mark.parametrize("code", TAKEN.values(), ids=TAKEN)
def test_a_parameter_that_may_be_of_another_type_is_left(code: str, rewrite: Rewriting) -> None:
    assert "flag-argument" not in rewrite(TYPING + code).codes


@pytest.mark.parametrize("code", FLAGS.values(), ids=FLAGS)
def test_a_flag_is_found(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(code)
    assert "flag-argument" in sample.codes
    assert "static_argnames" in sample.new


GIVEN = f"from functools import partial\n\n\ndef f(mode, x):\n{BODY}\n\n"

NO_FLAGS = {
    "static_already": f'@jax.jit(static_argnames=("mode",))\ndef f(x, mode):\n{BODY}',
    "an_array_by_its_call": "@jax.jit\ndef f(x, is_big):\n    return x if is_big else -x\n\n\ny = f(1.0, jnp.array(True))\n",
    "a_comparison_by_its_call": "@jax.jit\ndef f(x, use_x):\n    return x if use_x else -x\n\n\ndef g(x):\n    return f(x, x > 0)\n",
    "used_as_a_number": "@jax.jit\ndef f(x, use_x):\n    return x * use_x if use_x else -x\n",
    "a_default_never_overridden": "@jax.jit\ndef f(x, training=False):\n    return x if training else -x\n",
    "static_arguments_that_are_computed": f'NAMES = ("n",)\n\n\n@jax.jit(static_argnames=NAMES)\ndef f(x, n, mode):\n{BODY}',
    "given_by_a_partial": f'{GIVEN}y = jax.jit(partial(f, "train"))([1.0])\n',
    "given_by_a_partial_under_vmap": f'{GIVEN}y = jax.jit(jax.vmap(partial(f, "a")))([1.0])\n',
    "a_call_of_the_same_name": (
        'jax.config.update("jax_enable_x64", True)\n\n\n@jax.jit\ndef update(params, x):\n    return params * x\n'
    ),
    "not_jitted": f"def f(x, mode):\n{BODY}",
}


@pytest.mark.parametrize("code", NO_FLAGS.values(), ids=NO_FLAGS)
def test_no_flag_is_found(code: str, rewrite: Rewriting) -> None:
    assert "flag-argument" not in rewrite(code).codes


def test_two_flags_of_one_function_are_both_made_static(rewrite: Rewriting) -> None:
    code = (
        '@jax.jit\ndef f(x, mode, training: bool):\n    if mode == "a" and training:\n        x = x + 1\n    return x\n'
    )
    sample = rewrite(code)
    assert sample.codes == ["flag-argument", "flag-argument"]
    assert 'static_argnames=("mode", "training")' in sample.new or 'static_argnames=("training", "mode")' in sample.new


LINEN = """from flax import linen as nn


class Net(nn.Module):
    width: int

    @{decorator}
    def shift(self, x):
        return x + self.width
"""


def test_a_method_of_a_flax_module_has_a_jit_of_its_own(rewrite: Rewriting) -> None:
    assert rewrite(LINEN.format(decorator="jax.jit")).reasons == ["flax-module"]
    assert rewrite(LINEN.format(decorator="nn.jit")).codes == []
