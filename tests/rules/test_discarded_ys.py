"""Scans whose outputs nobody reads: which are found, and what their bodies return then."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check
from scanlint.fix.run import fix
from scanlint.settings import Settings

HEAD = "import functools\n\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"


def checked(folder: Path, *texts: str, head: str = HEAD) -> list[str]:
    """What is said of the files of a project."""
    for number, text in enumerate(texts):
        (folder / f"part{number}.py").write_text(head + dedent(text), encoding="utf-8")
    outcome = check([folder], Settings(root=folder, select=("SCN402",), cache=False))
    assert not outcome.problems
    return [f"{f.function}: {f.fix.status}" for f in outcome.findings]


FOUND = {
    "the_second_of_a_pair_is_never_read": """
        def f(x, xs):
            def step(c, v):
                return c + v, c * v

            final, _ = lax.scan(step, x, xs)
            return final
    """,
    "only_the_first_item_is_taken": """
        def f(x, xs):
            return lax.scan(lambda c, v: (c + v, c * v), x, xs)[0]
    """,
    "the_pair_has_a_name_of_which_one_item_is_read": """
        def f(x, xs):
            out = lax.scan(lambda c, v: (c + v, c * v), x, xs)
            return out[0] * 2
    """,
    "a_name_that_is_unpacked_later": """
        def f(x, xs):
            out = lax.scan(lambda c, v: (c + v, c * v), x, xs)
            final, history = out
            return final
    """,
    "a_carry_of_several_names": """
        def f(x, xs):
            (a, b), unused = lax.scan(lambda c, v: ((c[0] + v, c[1]), v), (x, x), xs)
            return a + b
    """,
    "each_path_returns_a_pair": """
        def f(x, xs, flag):
            def step(c, v):
                if flag:
                    return c + v, c
                return c, v

            return lax.scan(step, x, xs)[0]
    """,
    "the_body_is_wrapped": """
        def f(x, xs, k):
            def step(k, c, v):
                return c * k + v, c

            body = jax.checkpoint(functools.partial(step, k))
            return lax.scan(body, x, xs)[0]
    """,
    "two_scans_with_one_body_are_told_once": """
        def f(x, xs):
            def step(c, v):
                return c + v, c

            x, _ = lax.scan(step, x, xs)
            x, _ = lax.scan(step, x, xs)
            return x
    """,
    "zeros_are_stacked_too": """
        def f(x, xs):
            return lax.scan(lambda c, v: (c + v, 0), x, xs)[0]
    """,
}


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND.keys())
def test_a_scan_is_found_and_can_be_rewritten(text: str, tmp_path: Path) -> None:
    assert checked(tmp_path, text) == ["f: available"]


SILENT = {
    "outputs_are_read": """
        def f(x, xs):
            final, ys = lax.scan(lambda c, v: (c + v, c), x, xs)
            return final, ys
    """,
    "outputs_are_read_by_an_inner_function": """
        def f(x, xs):
            final, ys = lax.scan(lambda c, v: (c + v, c), x, xs)

            def later():
                return ys

            return final, later
    """,
    "the_pair_is_handed_on": """
        def f(x, xs):
            out = lax.scan(lambda c, v: (c + v, c), x, xs)
            return out
    """,
    "there_is_no_output": """
        def f(x, xs):
            return lax.scan(lambda c, v: (c + v, None), x, xs)[0]
    """,
    "the_output_is_an_empty_tuple": """
        def f(x, xs):
            return lax.scan(lambda c, v: (c + v, ()), x, xs)[0]
    """,
    "the_output_is_the_element_of_no_xs": """
        def idle(c, v):
            return c + 1, v

        def f(x):
            return lax.scan(idle, x, None, length=3)[0]
    """,
    "another_scan_reads_the_outputs": """
        def f(x, xs):
            def step(c, v):
                return c + v, c

            a, _ = lax.scan(step, x, xs)
            b, ys = lax.scan(step, x, xs)
            return a + b, ys
    """,
    "the_body_is_called_by_itself": """
        def f(x, xs):
            def step(c, v):
                return c + v, c

            first, y = step(x, xs[0])
            return lax.scan(step, first, xs)[0] + y
    """,
    "what_the_body_returns_is_not_seen": """
        def f(x, xs, step):
            def body(c, v):
                return step(c, v)

            return lax.scan(body, x, xs)[0]
    """,
    "a_global_name_is_bound": """
        def f(x, xs):
            global history
            final, history = lax.scan(lambda c, v: (c + v, c), x, xs)
            return final
    """,
    "the_module_offers_the_body": """
        __all__ = ["step"]

        def step(c, v):
            return c + v, c

        def f(x, xs):
            return lax.scan(step, x, xs)[0]
    """,
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_nothing_is_said(text: str, tmp_path: Path) -> None:
    assert checked(tmp_path, text) == []


STEP = "def step(c, v):\n    return c + v, c\n\n\ndef f(x, xs):\n    return lax.scan(step, x, xs)[0]\n"
OTHERS = {
    "no_other_file_names_the_body": ("def g(x):\n    return x\n", ["f: available"]),
    "another_file_imports_the_body": ("from part0 import step\n", []),
    "another_file_imports_the_module": ("import part0\n", []),
    "another_file_imports_all_of_the_module": ("from part0 import *\n", []),
    "another_file_imports_another_function": ("from part0 import f\n", ["f: available"]),
}


@pytest.mark.parametrize(("other", "said"), OTHERS.values(), ids=OTHERS.keys())
def test_a_function_of_the_module_is_no_body_alone_where_others_can_name_it(
    other: str, said: list[str], tmp_path: Path
) -> None:
    assert checked(tmp_path, STEP, other) == said


EFFECTS = {
    "a_debug_print": "def shown(v):\n    jax.debug.print('{}', v)\n    return v\n",
    "a_print_in_a_callee_of_a_callee": "def seen(v):\n    print(v)\n    return v\n\n\ndef shown(v):\n    return seen(v)\n",
}


@pytest.mark.parametrize("text", EFFECTS.values(), ids=EFFECTS.keys())
def test_what_may_do_more_than_compute_is_not_left_out(text: str, tmp_path: Path) -> None:
    body = "def f(x, xs):\n    return lax.scan(lambda c, v: (c + v, shown(c)), x, xs)[0]\n"
    assert checked(tmp_path, f"{text}\n\n{body}") == ["f: withheld"]


RETURNS = {
    "plain": ("return c + v, c * v", "return c + v, None"),
    "in_brackets_of_its_own": ("return c + v, (c * v)", "return c + v, None"),
    "a_pair_in_brackets": ("return (c + v, (c, v))", "return (c + v, None)"),
    "several_lines": ("return (c + v), (\n        c\n        * v\n    )", "return (c + v), None"),
    "a_dict": ('return (c + v, {"c": c, "v": v})', "return (c + v, None)"),
}


@pytest.mark.parametrize(("before", "after"), RETURNS.values(), ids=RETURNS.keys())
def test_the_output_alone_is_replaced(before: str, after: str, tmp_path: Path) -> None:
    text = HEAD + f"def step(c, v):\n    {before}\n\n\ndef f(x, xs):\n    return lax.scan(step, x, xs * 1.0)[0]\n"
    path = tmp_path / "part0.py"
    path.write_text(text, encoding="utf-8")
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN402",), cache=False))
    [edit] = outcome.findings[0].fix.edits
    lines = text.splitlines(keepends=True)
    new = "".join([*lines[: edit.start.line - 1], edit.text, *lines[edit.end.line - 1 :]])
    assert new == text.replace(before, after)


def test_a_rewrite_is_verified_and_written(tmp_path: Path) -> None:
    path = tmp_path / "part0.py"
    path.write_text(HEAD + STEP, encoding="utf-8")
    settings = Settings(root=tmp_path, select=("SCN402",), cache=False, verify_timeout=120.0)
    outcome = fix([tmp_path], settings, lambda line: None)
    [(_, new)] = outcome.changes.values()
    assert new.decode() == HEAD + STEP.replace("c + v, c", "c + v, None")
    assert outcome.findings[0].verification is not None
    assert outcome.findings[0].verification.verdict == "proved"
