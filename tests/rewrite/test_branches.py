"""Branches on traced values: what they become, that it computes the same, and what is left alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanlint.finding import Report
from scanlint.project.files import read
from scanlint.rewrite.driver import Rewriter, Rewritten
from scanlint.rules.base import Context
from scanlint.rules.traced_if import TracedIf
from scanlint.settings import Settings
from scanlint.trace.program.project import Project
from tests.rewrite.conftest import run

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"
FLOATS = [-np.inf, -3.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 7.0, np.inf, np.nan]

BRANCHES = {
    "both_arms_return": (
        """
        @jax.jit
        def f(x):
            if x > 0:
                return x * 2
            else:
                return x**2
        """,
        "return jnp.where(x > 0, x * 2, x**2)",
    ),
    "the_rest_of_the_block_is_the_other_arm": (
        """
        @jax.jit
        def f(x):
            if x != 0:
                return 1.0 / x
            return jnp.zeros_like(x)
        """,
        "return lax.cond(x != 0, lambda: 1.0 / x, lambda: jnp.zeros_like(x))",
    ),
    "a_name_that_held_a_number_gets_its_dtype": (
        """
        @jax.jit
        def f(x):
            best, at = -1.0, 0
            for k in range(3):
                gap = x - k
                if gap * gap > best:
                    best = gap
                    at = k
            return best + at
        """,
        "lambda: (jnp.asarray(best, gap.dtype), at),\n",
    ),
    "a_number_beside_an_array_gets_its_dtype": (
        """
        @jax.jit
        def f(x):
            if x > 0:
                return jnp.log(x)
            return 0.0
        """,
        "lambda: jnp.asarray(0.0, jnp.result_type(x, float))",
    ),
    "a_missing_arm_keeps_the_old_value": (
        """
        @jax.jit
        def f(x):
            y = jnp.sin(x)
            if y > 0.5:
                y = jnp.sqrt(y)
            return y + 1
        """,
        "y = lax.cond(y > 0.5, lambda: jnp.sqrt(y), lambda: y)",
    ),
    "a_name_that_was_a_python_number_before": (
        """
        @jax.jit
        def f(x):
            scale = 1.0
            if x > 2:
                scale = 2 / x
            return x * scale
        """,
        "lambda: jnp.asarray(scale, ",
    ),
    "a_swap_is_done_at_once": (
        """
        @jax.jit
        def f(x):
            a, b = x + 1, x * 3
            if a > b:
                a, b = b, a
            return a - 2 * b
        """,
        "a, b = jnp.where(a > b, b, a), jnp.where(a > b, a, b)",
    ),
    "a_name_that_is_read_and_rebound_is_an_operand": (
        """
        @jax.jit
        def f(x):
            y = x + 1
            if x > 1:
                z = jnp.sin(y)
                y = y * z
                y = y + 1
            return y
        """,
        "lax.cond(x > 1, above, lambda y: y, y)",
    ),
    "a_chain_is_nested": (
        """
        @jax.jit
        def f(x):
            if x > 2:
                return jnp.sin(x)
            elif x > 0.5:
                return jnp.cos(x)
            else:
                return jnp.tanh(x)
        """,
        "lambda: lax.cond(x > 0.5, ",
    ),
    "an_early_return_in_a_sequence": (
        """
        @jax.jit
        def f(x):
            if x > 2:
                return x
            if x < -2:
                return -x
            y = x * x
            return jnp.sqrt(y)
        """,
        "def otherwise():",
    ),
    "branches_in_branches": (
        """
        @jax.jit
        def f(x):
            y = x
            if x > 0:
                if x > 2:
                    y = x * 3
                else:
                    y = jnp.exp(x)
                y = y + x
            return y
        """,
        "lax.cond(",
    ),
    "and_or_not_in_the_test": (
        """
        @jax.jit
        def f(x):
            if (x > 0 and not x > 2) or x == 3:
                return x * 5
            return x * 7
        """,
        "jnp.where(",
    ),
    "a_chained_comparison": (
        """
        @jax.jit
        def f(x):
            if 0 < x <= 2:
                return x * 5
            return x * 7
        """,
        "(0 < x) & (x <= 2)",
    ),
    "a_ternary": (
        """
        @jax.jit
        def f(x):
            y = 1 / x if x > 1 else jnp.exp(x)
            return y * 2
        """,
        "y = lax.cond(x > 1, lambda: 1 / x, lambda: jnp.exp(x))",
    ),
    "nested_ternaries": (
        """
        @jax.jit
        def f(x):
            return 2 * (x if x > 1 else x * x if x < -1 else -x)
        """,
        "return 2 * jnp.where(x > 1, x, jnp.where(x < -1, x * x, -x))",
    ),
    "both_arms_are_python_numbers": (
        """
        @jax.jit
        def f(x):
            sign = 1.0 if x >= 0 else -1.0
            return sign * x
        """,
        "sign = jnp.where(x >= 0, 1.0, -1.0)",
    ),
    "an_augmented_assignment": (
        """
        @jax.jit
        def f(x):
            y = x * 2
            if x > 1:
                y += x + 1
            return y
        """,
        "y = jnp.where(x > 1, y + (x + 1), y)",
    ),
    "a_static_part_of_a_test_stays_python": (
        """
        @jax.jit
        def f(x):
            y = x
            if x.ndim == 0 and x > 1:
                y = jnp.log(x)
            return y
        """,
        "    if x.ndim == 0:\n        y = lax.cond(x > 1, lambda: jnp.log(x), lambda: y)",
    ),
    "a_number_beside_a_draw_takes_its_dtype": (
        """
        @jax.jit
        def f(x):
            noise = 0.1 * jax.random.normal(jax.random.key(0)) if x > 0 else 0.0
            if x > 1:
                step = x * 2
            else:
                step = 0
            return x + noise + step
        """,
        "noise = jnp.where(x > 0, 0.1 * jax.random.normal(jax.random.key(0)), 0.0)\n    step = jnp.where(x > 1, x * 2, 0)",
    ),
    "a_static_branch_around_stays_python": (
        """
        @jax.jit
        def f(x):
            if x.ndim == 1:
                y = x.sum()
            elif x > 1:
                y = jnp.log(x)
            else:
                y = x
            return y
        """,
        "    else:\n        y = lax.cond(x > 1, lambda: jnp.log(x), lambda: x)",
    ),
}


@pytest.mark.parametrize(("code", "expected"), BRANCHES.values(), ids=BRANCHES)
def test_a_branch_computes_the_same(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(dedent(code).lstrip())
    assert set(sample.codes) == {"traced-if"}
    assert expected in sample.new
    sample.agree("f", *([lambda v=v: jnp.asarray(v, float)] for v in FLOATS))


@pytest.mark.parametrize("code", [code for code, _ in BRANCHES.values()], ids=BRANCHES)
def test_a_formatted_file_stays_formatted(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(dedent(code).lstrip())
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "88", "-"]
    done = subprocess.run(command, input=sample.new, capture_output=True, text=True, check=True)
    assert done.stdout == sample.new


def test_comments_stay_with_their_arm(rewrite: Rewriting) -> None:
    code = """
    @jax.jit
    def f(x):
        # which side
        if x > 0:  # the usual case
            # on the right
            return jnp.log(x)
        # on the left
        return -x
    """
    sample = rewrite(dedent(code).lstrip())
    assert sample.body == dedent(
        """\
        @jax.jit
        def f(x):
            # which side
            def positive():  # the usual case
                # on the right
                return jnp.log(x)

            def otherwise():
                # on the left
                return -x

            return lax.cond(x > 0, positive, otherwise)
        """
    )


def test_comments_and_line_breaks_do_not_choose_the_primitive(rewrite: Rewriting) -> None:
    code = """
    @jax.jit
    def f(x):
        if x > 0:  # the usual case
            y = (
                x *  # on the right
                2
            )
        else:
            y = -x  # on the left
        return y
    """
    sample = rewrite(dedent(code).lstrip())
    assert (
        "    # the usual case\n    # on the right\n    # on the left\n    y = jnp.where(x > 0, x * 2, -x)\n"
        in sample.new
    )
    sample.agree("f", *([lambda v=v: jnp.asarray(v, float)] for v in FLOATS))


CHOICES = [-1, 0, 1, 2, 3, 7]

SWITCHES = {
    "else_is_mapped": """
        @jax.jit
        def f(x, choice):
            if choice == 0:
                return x
            elif choice == 1:
                return jnp.tanh(x)
            else:
                return -x
        """,
    "numbers_in_any_order": """
        @jax.jit
        def f(x, choice):
            if choice == 2:
                return x
            elif choice == 0:
                return jnp.tanh(x)
            elif choice == 1:
                return jnp.sin(x)
            return -x
        """,
    "separate_ifs_that_return": """
        @jax.jit
        def f(x, choice):
            if choice == 0:
                return x
            if choice == 1:
                return jnp.tanh(x)
            y = x * 2
            return y + x
        """,
    "no_else_keeps_the_old_value": """
        @jax.jit
        def f(x, choice):
            y = x
            if choice == 0:
                y = jnp.sin(x)
            elif choice == 1:
                z = jnp.cos(x)
                y = z * z
            return y
        """,
    "a_number_beside_arrays": """
        @jax.jit
        def f(x, choice):
            if choice == 0:
                y = jnp.sin(x)
            elif choice == 1:
                y = 1.5
            else:
                y = 0
            return x + y
        """,
}


@pytest.mark.parametrize("code", SWITCHES.values(), ids=SWITCHES)
def test_a_chain_on_an_integer_becomes_a_switch(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(dedent(code).lstrip())
    assert sample.codes == ["traced-switch"]
    assert "lax.switch(" in sample.new
    sample.agree("f", *([lambda: jnp.asarray(0.25, float), lambda c=c: jnp.asarray(c)] for c in CHOICES))


def test_independent_ifs_are_no_switch(rewrite: Rewriting) -> None:
    code = """
    @jax.jit
    def f(x, choice):
        if choice == 0:
            x = x + 1.0
        if choice == 1:
            x = x * 2.0
        if choice >= 0:
            x = x - 3.0
        return x
    """
    sample = rewrite(dedent(code).lstrip())
    assert set(sample.codes) == {"traced-if"}
    sample.agree("f", *([lambda: jnp.asarray(0.25, float), lambda c=c: jnp.asarray(c)] for c in CHOICES))


LEFT = {
    "raises": ("if x > 0:\n        raise ValueError('x')\n    return x", "raises"),
    "asserts": ("if x > 0:\n        assert y > 0\n        y = y + 1\n    return y", "asserts"),
    "prints": ("if x > 0:\n        print(x.shape)\n        y = y + 1\n    return y", "side-effect"),
    "changes_an_object_in_place": (
        "if x > 0:\n        d['y'] = len(d) + x\n        y = y + 1\n    return y",
        "mutation",
    ),
    "appends_to_an_outer_list": ("out = []\n    if x > 0:\n        out.append(x)\n    return out", "side-effect"),
    "leaves_the_loop": (
        "for z in d:\n        if x > z:\n            break\n        x = x - y\n    return x",
        "iterable",
    ),
    "no_value_on_one_path": ("if x > 0:\n        z = y\n    return z", "maybe-undefined"),
    "returns_nothing_on_one_path": ("if x > 0:\n        return y", "return-on-some-paths"),
    "returns_on_some_paths": (
        "if x > 0:\n        if d:\n            return x\n        y = x\n    y = y + 1\n    y = y * x\n    y = y - 1\n    y = y / 2\n    return y",
        "return-on-some-paths",
    ),
    "a_string_as_a_result": ("kind = 'up' if x > 0 else 'down'\n    return y", "not-an-array"),
    "none_on_one_side": ("z = None\n    if x > 0:\n        z = y\n    return z", "not-an-array"),
    "a_number_beside_what_is_not_evident": ("return d(x) if x > 0 else 0.0", "branch-types-differ"),
    "a_dtype_from_a_name_that_the_arm_has_made_a_number": (
        "y = jnp.sin(y)\n    if x > 0:\n        y = 1.0\n        y = y * 3\n    return y",
        "branch-types-differ",
    ),
    "a_return_beside_a_name_that_the_arm_has_made_a_number": (
        "y = jnp.sin(y)\n    if x > 0:\n        y = 1.0\n        return 0.5\n    return y",
        "branch-types-differ",
    ),
    "a_number_beside_a_float_of_python": (
        "size = float(y.shape[0])\n    if x > 0:\n        z = size\n    else:\n        z = 0\n    return y * z",
        "branch-types-differ",
    ),
    "a_length_beside_an_array": ("return y * (y.shape[0] if x > 0 else y)", "branch-types-differ"),
    "a_bool_beside_a_number": ("z = True if x > 0 else 2.0\n    return z", "branch-types-differ"),
    "tuples_of_different_lengths": ("return (x, y) if x > 0 else (x, y, y)", "branch-types-differ"),
    "more_elifs_than_python_could_nest": (
        "if x > 0:\n        y = -y\n    "
        + "".join(f"elif x > -{i}:\n        y = y * {i}\n    " for i in range(1, 40))
        + "return y",
        "too-long",
    ),
    "a_static_part_that_may_be_what_makes_the_arm_possible": (
        "if d is not None and x > 0:\n        y = y * d\n    else:\n        y = -y\n    return y",
        "static-condition",
    ),
}


@pytest.mark.parametrize(("body", "reason"), LEFT.values(), ids=LEFT)
def test_a_branch_is_left_alone_with_a_reason(body: str, reason: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x, y, d=None):\n    {body}\n")
    assert sample.new == sample.old
    assert sample.reasons == [reason]


SILENT = {
    "a_static_condition": "@jax.jit\ndef f(x):\n    if x.ndim == 1:\n        return x\n    return -x\n",
    "a_missing_value": "@jax.jit\ndef f(x, w=None):\n    if w is None:\n        return x\n    return x * w\n",
    "code_of_the_host": "def f(x):\n    if x > 0:\n        return x\n    return -x\n",
    "eager_differentiation": "@jax.grad\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n",
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_nothing_is_found_in(code: str, rewrite: Rewriting) -> None:
    assert rewrite(code).codes == []


def test_what_a_rewrite_makes_is_looked_at_and_nothing_else(tmp_path: Path) -> None:
    asked: list[ast.AST] = []

    class Counting(TracedIf):
        def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
            asked.append(node)
            return super().check(node, context)

    branches = "".join(f"    if x > {i}:\n        y = jnp.sin(y) / {i}\n" for i in range(1, 30))
    file = tmp_path / "sample.py"
    file.write_text(f"{HEAD}@jax.jit\ndef f(x, y):\n{branches}    return y\n")
    project = Project.load([read(file)], Settings())
    rewriter = Rewriter([Counting()], Settings(), project.reanalyse, [])
    (unit,) = project.units()
    first, *_ = rewriter.reports(unit, rewriter.rules)
    assert len(asked) == 29
    asked.clear()
    assert isinstance(rewriter.apply(unit, first), Rewritten)
    assert not asked


CALLED = """@jax.jit
def f(x):
    s = x * 2
    g = lambda u: u + 0.5 * s
    if x > 0:
        {first}
        s = x + {then}
    else:
        y = x
    return y + g(s)
"""


@pytest.mark.parametrize(
    ("first", "then", "right"),
    [
        ("y = g(x)", "g(y)", True),
        ("y = x", "g(g(x))", True),
        ("y = s = g(x)", "g(x)", False),
        ("h = lambda u: g(u); y = x", "h(x)", False),
        ("h = jax.vmap(g)", "1.0; y = h(x[None])[0]", False),
    ],
)
def test_a_function_is_called_before_what_it_reads_is_rebound(
    rewrite: Rewriting, first: str, then: str, right: bool
) -> None:
    sample = rewrite(CALLED.format(first=first, then=then))
    assert sample.reasons == ([] if right else ["closure"])
    if right:
        sample.agree("f", *([lambda v=v: jnp.asarray(v, float)] for v in FLOATS))


NUMBERS = {
    "a sum": ("acc = 0.0", "acc -= y", "acc = jnp.where(y > 0.3, acc - y, acc)"),
    "the largest": ("acc = 0", "acc = y", "acc = jnp.where(y > 0.3, y, acc)"),
    "the largest so far": ("acc = -jnp.inf", "acc = y", "acc = jnp.where(y > 0.3, y, acc)"),
    "what a reduction of floats gives": (
        "acc = 0.0",
        "acc = jnp.maximum(acc, jnp.log(ys).sum())",
        "lambda: jnp.asarray(acc, jnp.result_type(ys, float)),\n",
    ),
    "what may not be worked out in any case": (
        "acc = 0.0",
        "acc = acc - jnp.log(y)",
        "lambda: jnp.asarray(acc, jnp.result_type(y, float)),\n",
    ),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_name_that_is_a_number_in_the_first_trip_of_a_loop_in_python(rewrite: Rewriting, kind: str) -> None:
    start, arm, new = NUMBERS[kind]
    sample = rewrite(
        "@jax.jit\n"
        "def f(ys):\n"
        f"    {start}\n"
        "    for i in range(3):\n"
        "        y = ys[i]\n"
        "        if y > 0.3:\n"
        f"            {arm}\n"
        "    return acc\n"
    )
    assert new in sample.body
    sample.agree("f", [jnp.linspace(0.1, 0.9, 3)])


CHOSEN = {
    "a bound that another argument gives": ("x = x * 2\n    if x < y:\n        x = y\n    return x", "x = jnp.where(x < y, y, x)"),
    "the larger of two arguments": ("return x if x > y else y", "return jnp.where(x > y, x, y)"),
    "a number in the place of what was computed": ("x = x + y * 2\n    if x > 10:\n        x = 10.0\n    return x", "x = jnp.where(x > 10, 10.0, x)"),
    "a sum in one arm": ("if x < 0:\n        x = x + y\n    return x", "x = jnp.where(x < 0, x + y, x)"),
    "a slope below zero": ("return x if x > 0 else 0.1 * x", "return jnp.where(x > 0, x, 0.1 * x)"),
    "a bound that may be left out": (
        "if y is not None and x < y:\n        x = y\n    return x * 2",
        "if y is not None:\n        x = jnp.where(x < y, y, x)\n    return x * 2",
    ),
    "a swap": ("if x > y:\n        x, y = y, x\n    return x - 2 * y", "x, y = jnp.where(x > y, y, x), jnp.where(x > y, x, y)"),
    "the larger one and which it is": (
        "best, who = x, 0\n    if y > best:\n        best, who = y, 1\n    return best * 2 + who",
        "best, who = jnp.where(y > best, y, best), jnp.where(y > best, 1, who)",
    ),
    "whether it is so": ("if x > y:\n        return True\n    return False", "return x > y"),
    "whether it is not": ("if x > y:\n        return False\n    return True", "return jnp.logical_not(x > y)"),
    "a flag that is set, put down or kept": (
        "on = y > 0\n    if x > 1:\n        on = True\n    elif x < -1:\n        on = False\n    return on * x",
        "on = jnp.where(x > 1, True, jnp.where(x < -1, False, on))",
    ),
    "a flag that is turned": (
        "on = y > 0\n    if x > 1:\n        on = not on\n    return on * x",
        "on = jnp.where(x > 1, jnp.logical_not(on), on)",
    ),
    "three in a chain": (
        "if x > y:\n        y = x\n    elif x < -y:\n        y = -x\n    return y",
        "y = jnp.where(x > y, x, jnp.where(x < -y, -x, y))",
    ),
}  # fmt: skip
PAIRS = [(2.0, 1.0), (-3, 1.5), (0.5, 2), (1.0, 1.0), (float("nan"), 1.0), (-0.5, float("inf"))]


@pytest.mark.parametrize(("body", "expected"), CHOSEN.values(), ids=CHOSEN)
def test_where_chooses_between_arrays_and_promotes_them(body: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x, y):\n    {body}\n")
    assert expected in sample.body
    for x, y in PAIRS:
        with jax.disable_jit():
            before = run(sample.old, "f", [jnp.asarray(x), y])
        np.testing.assert_allclose(run(sample.new, "f", [jnp.asarray(x), y]), before)
    if jnp.asarray(before).dtype == bool:
        return
    with jax.disable_jit():
        slopes = [jax.grad(lambda x: run(sample.old, "f", [x, 1.5]))(v) for v in (2.0, -3.0)]  # type: ignore[arg-type]
    assert [jax.grad(lambda x: run(sample.new, "f", [x, 1.5]))(v) for v in (2.0, -3.0)] == slopes  # type: ignore[arg-type]


TREES = {
    "arguments that may be trees": "return x if t > 0 else y",
    "names that may hold trees": "z = x\n    if t > 0:\n        z = y\n    return z",
}


@pytest.mark.parametrize("body", TREES.values(), ids=TREES)
def test_cond_chooses_between_what_may_be_trees(body: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(t, x, y):\n    {body}\n")
    assert "lax.cond(" in sample.body and "where" not in sample.body
    trees = [
        lambda: jnp.asarray(1.0),
        lambda: (jnp.ones(2), {"a": jnp.zeros(3)}),
        lambda: (jnp.zeros(2), {"a": jnp.ones(3)}),
    ]
    sample.agree("f", trees)


def test_cond_is_the_plainer_form_of_a_choice_that_promotes(rewrite: Rewriting) -> None:
    code = "@jax.jit\ndef f(x, y):\n    if x < y:\n        x = y\n    return x\n"
    assert "x = lax.cond(x < y, lambda: y, lambda: x)" in rewrite(code, plainest=True).body
