"""Fixing from the command line: what is written, what is printed, and the exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Scanlint = Callable[..., subprocess.CompletedProcess[str]]


def test_what_was_verified_is_written_and_nothing_is_left(project: Path, run: Scanlint) -> None:
    done = run("--fix", ".")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Fixed:\n  loop.py:7:5: unrolled-loop -> fori_loop: proved, ")
    assert "Found 1 finding (1 fixed, 0 remaining)" in done.stdout
    assert "fori_loop" in (project / "loop.py").read_text()
    assert run(".").returncode == 0


FLAG = """import jax
import jax.numpy as jnp


@jax.jit
def clip(gradient, limit, verbose):
    norm = jnp.sqrt(jnp.sum(gradient**2))
    if verbose:
        jax.debug.print("norm {}", norm)
    if norm > limit:
        gradient = gradient * (limit / norm)
    return gradient


print(clip(jnp.ones(3), 1.0, verbose=False))
"""


def test_what_remains_is_what_a_further_run_finds(project: Path, run: Scanlint) -> None:
    (project / "flag.py").write_text(FLAG)
    done = run("--fix", "flag.py")
    assert "static_argnames=" in (project / "flag.py").read_text()
    again = run("flag.py", "--output-format", "json")
    left = json.loads(again.stdout)["summary"]["findings"]
    assert f"{left} remaining)" in done.stdout, done.stdout
    assert left == 0


FOLLOWED = """import jax
import jax.numpy as jnp


@jax.jit
def scaled(v, t):
    big = False
    if t > 0.5:
        big = True
    if big:
        v = v * 10.0
    return v


print(scaled(jnp.ones(3), 1.0))
"""


def test_what_becomes_a_tracer_by_a_rewrite_is_rewritten_with_it(project: Path, run: Scanlint) -> None:
    (project / "scaled.py").write_text(FOLLOWED)
    done = run("--fix", "scaled.py")
    text = (project / "scaled.py").read_text()
    assert "    if " not in text, done.stdout
    assert "Found 2 findings (2 fixed, 0 remaining)" in done.stdout


JUMPS = """import jax
import jax.numpy as jnp


@jax.jit
def damped(xs):
    total = jnp.zeros(())
    for x in xs:
        if x < 0.0:
            continue
        total = total + x
    return total
"""


def test_a_loop_with_a_jump_is_found_with_its_branch_and_both_are_fixed_in_one_run(
    project: Path, run: Scanlint
) -> None:
    (project / "jumps.py").write_text(JUMPS)
    assert [f["line"] for f in json.loads(run("--output-format", "json", "jumps.py").stdout)["findings"]] == [8, 9]
    done = run("--fix", "--output-format", "json", "jumps.py")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["findings"]
    assert [(f["line"], f["fix"]["status"]) for f in found] == [(8, "applied"), (9, "applied")]
    assert "lax.scan(" in (project / "jumps.py").read_text()
    assert run("jumps.py").returncode == 0


STANDS = """import jax
import jax.numpy as jnp


@jax.jit
def longest(x, y):
    before = [0] * (y.shape[0] + 1)
    for i in range(x.shape[0]):
        now = [0]
        for j in range(y.shape[0]):
            if x[i] == y[j]:
                now.append(before[j] + 1)
            else:
                now.append(jnp.maximum(before[j + 1], now[j]))
        before = now
    return before[-1]
"""


def test_a_loop_that_still_stands_is_not_called_fixed_for_the_branch_in_it(project: Path, run: Scanlint) -> None:
    (project / "stands.py").write_text(STANDS)
    found = json.loads(run("--fix", "--verify-timeout", "300", "--output-format", "json", "stands.py").stdout)[
        "findings"
    ]
    assert [(f["line"], f["fix"]["status"]) for f in found] == [(8, "withheld"), (11, "applied")]
    assert "    for i in range(x.shape[0]):\n" in (project / "stands.py").read_text()


def test_a_branch_that_is_refuted_alone_and_verified_with_its_loop_is_called_fixed(
    project: Path, run: Scanlint
) -> None:
    (project / "taken.py").write_text(
        "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(v, t):\n    acc = jnp.zeros(())\n"
        "    for y in jnp.linspace(0.0, 1.0, 20):\n        if jnp.float32(jnp.abs(y)) > 0:\n"
        "            acc = 0.5 * acc + jnp.where(jnp.tanh(v[1]) > 0, jnp.tanh(v[1]), jnp.tanh(jnp.sum(acc)))\n"
        "        elif jnp.sum(v) < t:\n"
        "            acc = 0.5 * acc + jnp.where(jnp.tanh(v[1]) > 0, jnp.tanh(v[1]), jnp.tanh(jnp.sum(acc)))\n"
        "    return acc\n"
    )
    done = run("--fix", "--output-format", "concise", "taken.py")
    assert "if " not in (project / "taken.py").read_text()
    assert "Found 2 findings (2 fixed, 0 remaining)" in done.stdout, done.stdout


def test_a_diff_is_printed_and_nothing_is_written(project: Path, run: Scanlint) -> None:
    before = (project / "loop.py").read_bytes()
    done = run("--fix", "--diff", ".")
    assert done.returncode == 1
    assert done.stdout.startswith("--- a/loop.py\n+++ b/loop.py\n")
    assert "loop.py:7:5: SCN101 unrolled-loop -> fori_loop: " in done.stderr
    assert "Would fix 1 finding (0 would remain)" in done.stderr
    assert (project / "loop.py").read_bytes() == before


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_form_for_programs_takes_the_place_of_the_diff(form: str, project: Path, run: Scanlint) -> None:
    before = (project / "loop.py").read_bytes()
    done = run("--fix", "--diff", "--output-format", form, ".")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert (project / "loop.py").read_bytes() == before
    if form == "json":
        (found,) = document["findings"]
        assert (found["fix"]["status"], found["verification"]["verdict"]) == ("available", "proved")
        assert document["summary"]["fixed"] == 0
    else:
        assert len(document["runs"][0]["results"]) == 1


def test_a_diff_of_what_needs_no_fix_is_empty(project: Path, run: Scanlint) -> None:
    done = run("--diff", "clean.py")
    assert (done.returncode, done.stdout) == (0, "")


def test_fixed_text_of_standard_input_goes_to_standard_output(project: Path, run: Scanlint) -> None:
    text = (project / "loop.py").read_text()
    done = run("--fix", "--stdin-filename", "loop.py", "-", stdin=text)
    assert done.returncode == 0
    assert done.stdout.startswith("import jax\n")
    assert "fori_loop" in done.stdout
    assert (project / "loop.py").read_text() == text


INNER = """import jax
import jax.numpy as jnp


@jax.jit
def solved(x, target):
    def miss(x):
        return jnp.sum((jnp.sin(x) - target) ** 2)

    n = 0
    while miss(x) > 1e-2 and n < 50:
        x = x - 0.1 * jax.grad(miss)(x)
        n += 1
    return x, n
"""


def test_a_helper_that_is_differentiated_does_not_keep_a_while_around_it(project: Path, run: Scanlint) -> None:
    (project / "inner.py").write_text(INNER)
    done = run("--fix", "inner.py")
    assert done.returncode == 0, done.stdout
    assert "jax.lax.while_loop(" in (project / "inner.py").read_text()


def test_text_that_needs_no_fix_comes_back_as_it_is(project: Path, run: Scanlint) -> None:
    text = (project / "clean.py").read_text()
    assert run("--fix", "-", stdin=text).stdout == text


def test_a_run_that_fixed_something_can_be_told_by_its_exit_code(project: Path, run: Scanlint) -> None:
    assert run("--fix", "--exit-non-zero-on-fix", "loop.py").returncode == 1
    assert run("--fix", "--exit-non-zero-on-fix", "loop.py").returncode == 0


def test_json_says_what_was_applied_on_what_evidence(project: Path, run: Scanlint) -> None:
    document = json.loads(run("--fix", "--output-format", "json", ".").stdout)
    (found,) = document["findings"]
    assert found["fix"]["status"] == "applied"
    assert found["verification"]["verdict"] in ("proved", "tested")
    assert found["verification"]["equations_before"] > found["verification"]["equations_after"]
    assert document["summary"]["fixed"] == 1


@pytest.mark.parametrize(
    ("encode", "newline"),
    [
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.encode(), "\r\n", id="a byte order mark and carriage returns"),
        pytest.param(lambda text: f"# coding: latin-1\n# é\n{text}".encode("latin-1"), "\n", id="Latin-1"),
    ],
)
def test_encoding_and_newlines_are_kept(
    encode: Callable[[str], bytes], newline: str, project: Path, run: Scanlint
) -> None:
    file = project / "loop.py"
    file.write_bytes(encode(file.read_text().replace("\n", newline)))
    assert run("--fix", "loop.py").returncode == 0
    after = file.read_bytes()
    assert b"fori_loop" in after
    assert after[:9] == encode("import jax")[:9]
    assert after.count(b"\r\n") == (after.count(b"\n") if newline == "\r\n" else 0)


def test_an_interpreter_without_jax_is_named(project: Path, run: Scanlint, tmp_path: Path) -> None:
    before = (project / "loop.py").read_bytes()
    done = run("--fix", "--python", str(tmp_path / "no-python"), "loop.py")
    assert done.returncode == 2
    assert "no-python" in done.stderr
    assert (project / "loop.py").read_bytes() == before


TRIANGLE = """import jax
import jax.numpy as jnp


@jax.jit
def solve(low, b):
    x = jnp.zeros(b.shape[0])
    for i in range(b.shape[0]):
        s = b[i]
        for j in range(i):
            s = s - low[i, j] * x[j]
        x = x.at[i].set(s / low[i, i])
    return x


print(solve(jnp.eye(12), jnp.ones(12)))
"""


@pytest.mark.slow
def test_an_inner_loop_of_changing_length_keeps_its_way_back(run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "triangle.py").write_text(TRIANGLE)
    done = run("--fix", ".")
    text = (tmp_path / "triangle.py").read_text()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "j < i" in text and "for j in" not in text, text


BOTH = """\
import jax
import jax.numpy as jnp


@jax.jit
def f(xs, x, t):
    s, x = t * 0.5, jnp.asarray(x)
    for j in range(len(xs)):
        if jnp.sum(x) < 0.5:
            s = jnp.sum(x)
            x = x + t
        s = s * 0.5 + j * 0.1
    return s, jnp.stack([y if y > 0 else -y for y in x])
"""


def test_a_lambda_of_an_earlier_rewrite_is_not_taken_for_the_one_of_a_later_one(run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BOTH)
    found = run("--fix", "--output-format", "json", "a.py")
    assert [f["fix"]["status"] for f in json.loads(found.stdout)["findings"]] == ["applied"] * 3, found.stdout
    assert "jax.vmap(lambda y: jnp.where(y > 0, y, -y))(x)" in (tmp_path / "a.py").read_text()


COUNTED = """\
import jax
import jax.numpy as jnp


@jax.jit
def resample(u, cdf):
    idx, j = [], 0
    for i in range(u.shape[0]):
        while j < cdf.shape[0] - 1 and cdf[j] < u[i]:
            j += 1
        idx.append(j)
    return jnp.array(idx)
"""


def test_an_array_of_numbers_of_python_keeps_its_dtype(run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(COUNTED)
    found = run("--fix", "--output-format", "json", "a.py")
    assert {f["fix"]["status"] for f in json.loads(found.stdout)["findings"]} == {"applied"}, found.stdout
    assert "idx = idx.astype(int)" in (tmp_path / "a.py").read_text()
