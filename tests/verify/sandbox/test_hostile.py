"""Whatever the code under test does, the run ends in time, says why, harms nothing, and verifies the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import scanlint
from scanlint.verify.verifier import Task, Verifier
from tests.verify.sandbox.hostile import HOSTILE, module

pytestmark = [pytest.mark.long, pytest.mark.slow]
LIMIT = 3.0
GOOD = "def f(x):\n    for _ in range(20):\n        x = jnp.sin(x)\n    return x\n"
ROLLED = "def f(x):\n    return lax.fori_loop(0, 20, lambda _, x: jnp.sin(x), x)\n"
PATCHED = ("replaces_jit",)  # when their module is loaded: no other function of it runs unpatched


class Ran(NamedTuple):
    """One run over all hostile programs."""

    verdicts: dict[str, tuple[str, str]]
    before: dict[str, bytes]
    after: dict[str, bytes]
    left: list[str]
    strays: list[str]
    seconds: float
    said: str


def tree(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes and its mode."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = str(path.lstat().st_mode).encode()
        found[str(path.relative_to(folder))] = mode + (path.read_bytes() if path.is_file() else b"")
    return found


def strays(mark: str) -> list[str]:
    """Processes that still carry the mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    home = tmp_path_factory.mktemp("hostile")
    project, temporary, user = home / "project", home / "temporary", home / "user"
    for folder in (project, temporary, user):
        folder.mkdir()
    target = project / "target.txt"
    target.write_text("kept")
    (user / ".profile").write_text("kept")
    (project / "pyproject.toml").write_text("[tool.scanlint]\n")
    for name in HOSTILE:
        (project / f"{name}.py").write_text(module(name, str(target)))
    package = str(Path(scanlint.__file__).parents[1])
    secret = {"SCANLINT_TEST_SECRET": "42", "PYTHONPATH": package, "TMPDIR": str(temporary), "HOME": str(user)}
    before, started = tree(home), time.monotonic()
    command = [sys.executable, "-P", "-m", "scanlint", "--fix", "--diff", "--no-cache", "-v"]
    command += ["--verify-timeout", str(LIMIT)]
    result = subprocess.run(
        [*command, "--output-format", "json", "--output-file", str(home / "report.json"), "."],
        cwd=project, env={**os.environ, **secret}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - started
    assert result.returncode == 1, result.stderr
    findings = json.loads((home / "report.json").read_text())["findings"]
    (home / "report.json").unlink()
    verdicts = {}
    for finding in findings:
        judged = finding["verification"] or {"verdict": "none", "reason": finding["fix"]["reason"]}
        verdicts[finding["function"]] = (judged["verdict"], judged["reason"] or "")
    left = [str(p) for p in temporary.rglob("*")]
    yield Ran(verdicts, before, tree(home), left, strays(str(temporary)), seconds, result.stderr)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_function_is_unknown_with_a_reason_and_its_neighbours_are_verified(ran: Ran, name: str) -> None:
    verdict, reason = ran.verdicts[f"hostile_{name}"]
    assert verdict in ("proved", "tested") if HOSTILE[name].harmless else verdict == "unknown", (verdict, reason)
    assert reason or HOSTILE[name].harmless
    if name not in PATCHED:
        assert ran.verdicts[f"honest_{name}"][0] == "proved"
        assert ran.verdicts[f"honest_branch_{name}"][0] == "proved"


def test_the_tree_and_the_home_are_as_they_were(ran: Ran) -> None:
    assert ran.after == ran.before


def test_nothing_is_left_running_or_lying_about(ran: Ran) -> None:
    assert ran.strays == []
    assert ran.left == []


def test_every_program_ends_in_time(ran: Ran) -> None:
    late = [name for name, (_, reason) in ran.verdicts.items() if "timed out" in reason]
    assert late
    assert ran.seconds < 3 * LIMIT * len(late) + 5.0 * len(ran.verdicts)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have an audit hook only")
def test_the_protections_are_named_when_asked(ran: Ran) -> None:
    assert "protected by: limits: memory" in ran.said
    assert "protected by: seccomp: no network" in ran.said
    assert "protected by: audit hook" in ran.said


def test_megabytes_of_prints_do_not_break_the_pipe(judge) -> None:
    noise = "import sys, os\ndef noise():\n    print('x' * 3_000_000)\n    os.write(1, b'{}\\n' * 100_000)\n    os.write(2, b'y' * 1_000_000)\n"
    old = noise + "def f(x):\n    noise()\n    for _ in range(20):\n        x = jnp.sin(x)\n    return x\n"
    new = noise + "def f(x):\n    noise()\n    return lax.fori_loop(0, 20, lambda _, x: jnp.sin(x), x)\n"
    assert judge(old, new).verdict == "proved"


def test_what_is_refused_and_forgiven_gives_no_verdict(judge, tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("kept")
    harm = f"import os\ndef harm():\n    try:\n        os.remove({str(target)!r})\n    except OSError:\n        pass\n"
    found = judge(
        harm + GOOD.replace("    for", "    harm()\n    for"),
        harm + ROLLED.replace("    return", "    harm()\n    return"),
    )
    assert found.verdict == "unknown", found
    assert "os.remove" in (found.reason or "")
    assert target.read_text() == "kept"


def test_a_wrong_rewrite_is_not_hidden_by_a_patched_comparison(judge) -> None:
    patch = (
        "import numpy as np\nnp.array_equal = np.allclose = lambda *a, **k: True\nONE = np.array_equal(1, 1) * 1.0\n"
    )
    found = judge(
        patch + GOOD.replace("jnp.sin(x)", "jnp.sin(x) * ONE"), patch + ROLLED.replace("jnp.sin(x)", "jnp.cos(x) * ONE")
    )
    assert found.verdict == "unknown", found
    assert "replaces" in (found.reason or "")


def test_training_at_module_level_is_not_started(judge, tmp_path: Path) -> None:
    training = "import time\n\ntime.sleep(1000)\nfor epoch in range(10**9):\n    loss = epoch\nprint(f(jnp.ones(3)))\n"
    assert judge(GOOD + training, ROLLED + training).verdict == "proved"


def test_an_import_that_fails_is_left_out_when_it_is_not_needed(judge) -> None:
    missing = "import a_module_that_does_not_exist\nfrom another_one import nothing\n"
    assert judge(missing + GOOD, missing + ROLLED).verdict == "proved"


def test_relative_imports_and_neighbours_work(verifier: Verifier, tmp_path: Path) -> None:
    package = tmp_path / "src" / "pkg" / "inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package.parent / "helper.py").write_text("import jax.numpy as jnp\ndef g(x):\n    return jnp.sin(x)\n")
    head = "from jax import lax\nfrom ..helper import g\nfrom pkg.helper import g as h\n"
    old = head + "def f(x):\n    for _ in range(20):\n        x = g(x) + h(x)\n    return x\n"
    new = head + "def f(x):\n    return lax.fori_loop(0, 20, lambda _, x: g(x) + h(x), x)\n"
    file = package / "module.py"
    task = Task(path="module.py", function="f", old=old, new=new, root=str(tmp_path), file=str(file))
    found = verifier.verify(task)
    assert found.verdict == "proved", found
