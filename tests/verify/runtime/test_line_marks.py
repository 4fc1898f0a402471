"""Statements say that they are about to be run, and change nothing else."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from textwrap import dedent

import pytest

from scanlint.verify.worker.runtime.line_marks import MARK, LocalNames, ReachedLines, marked, reached

SOURCE = dedent('''
    def f(x, flag):
        """What f gives."""
        total = 0
        for i in range(3):
            total += x
        else:
            total += 1
        match flag:
            case True:
                total *= 2
            case _:
                total *= 3
        try:
            total = total / (x - 1)
        except ZeroDivisionError:
            total = -1

        def inner():
            nonlocal total
            total += 1

        class Held:
            size = 2

        inner()
        return total * Held.size
''').lstrip()


def run(watch: ReachedLines, *arguments: object) -> tuple[object, dict[str, object]]:
    names: dict[str, object] = {MARK: reached}
    exec(compile(marked(ast.parse(SOURCE)), "<marked>", "exec"), names)
    with watch.watching():
        return names["f"](*arguments), names  # type: ignore[operator]


def test_results_and_docstrings_stay_and_the_lines_that_ran_are_known() -> None:
    plain: dict[str, object] = {}
    exec(SOURCE, plain)
    for x, flag in ((1, True), (3, False)):
        watch = ReachedLines()
        given, names = run(watch, x, flag)
        assert given == plain["f"](x, flag)  # type: ignore[operator]
        assert names["f"].__doc__ == "What f gives."
        text = SOURCE.splitlines()
        assert ("total *= 2" in {text[n - 1].strip() for n in watch.lines}) is flag
        assert ("total = -1" in {text[n - 1].strip() for n in watch.lines}) is (x == 1)
        assert sum(text[n - 1].strip() == "total += x" for n in watch.lines) == 1
    assert watch.events > len(watch.lines)


def test_nothing_is_noted_outside_and_the_inner_watch_hides_the_outer_one() -> None:
    outer, inner = ReachedLines(), ReachedLines()
    with outer.watching():
        run(inner, 3, True)
    assert inner.events and not outer.events


def test_local_names_are_those_of_the_last_statement() -> None:
    names = LocalNames(function="f")
    run(names, 3, True)
    assert names.found["i"] == 2
    assert names.found["total"] == 11.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are spawned there")
def test_a_flag_that_ends_processes_is_not_kept() -> None:
    text = "import os, jax; from scanlint.verify.worker.session import serve; {0}; serve._hasten(); print(os.environ['XLA_FLAGS'])"
    environment = os.environ | {"XLA_FLAGS": "--xla_dump_to=", "JAX_PLATFORMS": "cpu"}
    for change, kept in (
        ("serve.QUICKER = '--xla_cpu_enable_fast_math=false'", "--xla_cpu_enable_fast_math=false --xla_dump_to="),
        ("serve.QUICKER = '--no_such=1'", "--xla_dump_to="),
    ):
        command = [sys.executable, "-c", text.format(change)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == kept
