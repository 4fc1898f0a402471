"""Odd texts: nothing makes the checker crash, and no rule fails on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n"
ODD = {
    "an expression hundreds of levels deep": f"{HEAD}    for i in range(20):\n        x = {'+'.join(['x'] * 900)}\n    return x\n",
    "calls of calls of calls": f"{HEAD}    for i in range(20):\n        x = x{'()' * 2000}\n    return x\n",
    "subscripts of subscripts": f"{HEAD}    if x{'[0]' * 500} > 0:\n        x = 1\n    return x\n",
    "a ternary of hundreds of arms": f"{HEAD}    return {' if x > 0 else '.join(['x'] * 400)}\n",
    "branches in branches": HEAD
    + "".join(f"{' ' * (4 + i)}if x > {i}:\n" for i in range(14))
    + f"{' ' * 18}x = 1.0\n    return x\n",
    "functions that call each other": "".join(
        f"import jax\n\n\n@jax.jit\ndef f{i}(x):\n    if x > 0:\n        x = f{(i + 1) % 60}(f{(i + 7) % 60}(x))\n    return x\n"
        for i in range(60)
    ),
    "a bound that fits no machine word": f"{HEAD}    for i in range(2**63 * 4):\n        x = x + i\n    return x\n",
    "a bound of thousands of digits": f"{HEAD}    for i in range({'9' * 4300}):\n        x = x + i\n    return x\n",
    "loops in a class in a function": f"{HEAD}    class A:\n        y = 0\n        for i in range(20):\n            y = y + x\n    return A.y\n",
    "targets that are no names": f"{HEAD}    for [a, *b] in x:\n        x = a\n    for x[0] in x:\n        x = x + 1\n    for x.y in x:\n        x = x + 1\n    return x\n",
    "a property that takes nothing": "import jax\n\n\nclass A:\n    @property\n    def p():\n        return 1\n\n    @jax.jit\n"
    "    def m(self, x):\n        for i in range(self.p):\n            x = x + 1\n        return x\n\n\nA().m(1.0)\n",
    "form feeds before indented lines": f"{HEAD}\f    if x > 0:\n\f        x = 1.0\n    return x\n",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_no_rule_fails_on_odd_code(text: str) -> None:
    outcome = check_text(text.encode(), Path("odd.py"), Settings(select=("SCN",), level="advice", cache=False))
    assert outcome.problems == ()
    assert not any(finding.code == "SCN900" for finding in outcome.findings)


def test_what_the_grammar_allows_and_python_does_not_is_a_syntax_error() -> None:
    outcome = check_text(b"names = ['a' b'c']\n", Path("odd.py"), Settings(cache=False))
    assert [finding.message for finding in outcome.findings] == ["cannot mix bytes and nonbytes literals"]


@pytest.mark.parametrize("codec", ["undefined", "utf-16", "rot13", "nonsense", "idna", "unicode_escape"])
def test_a_strange_coding_line_is_no_crash(codec: str) -> None:
    outcome = check_text(f"# coding: {codec}\n{HEAD}    return x\n".encode(), Path("odd.py"), Settings(cache=False))
    assert outcome.problems == ()


LOOP = f"{HEAD}    for i in range(50):\n        x = jnp.sin(x) + i\n    return x\n"


def scanlint(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "scanlint", *arguments]
    return subprocess.run(run, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices with names")
def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    assert "Found 1 finding " in scanlint(".", "--no-cache", cwd=tmp_path).stdout
    for name in ("pipe.py", "endless.py"):
        done = scanlint(name, "--no-cache", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (2, f"error: {name}: cannot read: not a regular file\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "coding, text",
    [
        pytest.param("unicode_escape", LOOP, id="newlines would be escaped"),
        pytest.param("utf-7", LOOP.replace("+ i", "- i") + 'T = "+AOk-+AOk-"\n', id="letters would be joined"),
    ],
)
def test_a_file_whose_encoding_does_not_give_it_back_is_not_written(coding: str, text: str, tmp_path: Path) -> None:
    data = f"# coding: {coding}\n{text}".encode()
    (tmp_path / "odd.py").write_bytes(data)
    done = scanlint("odd.py", "--fix", "--no-cache", cwd=tmp_path)
    assert f"encoding: written as {coding}" in done.stdout
    assert (tmp_path / "odd.py").read_bytes() == data
    scanlint("odd.py", "--add-ignore", "--no-cache", cwd=tmp_path)
    assert (tmp_path / "odd.py").read_bytes() == data
