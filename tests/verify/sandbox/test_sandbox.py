"""The kernel's protections by themselves, without the audit hook; and what other systems do without them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.verify.verifier import Verifier
from scanlint.verify.worker.sandbox import landlock, seccomp
from tests.verify.sandbox.hostile import HOSTILE, module

ACTIONS = {
    "create": "open(kept + '.new', 'w')",
    "write": "open(kept, 'r+')",
    "truncate": "os.truncate(kept, 0)",
    "unlink": "os.unlink(kept)",
    "rename": "os.rename(kept, 'away')",
    "link": "os.link(kept, 'link')",
    "rmdir": "os.rmdir(folder)",
    "chmod": "os.chmod(kept, 0)",
    "utime": "os.utime(kept)",
    "socket": "socket.socket()",
    "datagram": "socket.socket(type=socket.SOCK_DGRAM)",
    "unix": "socket.socket(socket.AF_UNIX)",
    "fork": "os.fork()",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "exec": "os.execv('/bin/true', ['true'])",
    "signal": "os.kill(os.getppid(), 0)",
    "memory": "os.memfd_create('x')",
    "secrets": "open(f'/proc/{os.getppid()}/environ').read()",
}
WORKS = {
    "own_file": "open('own', 'w').close()",
    "own_folder": "os.mkdir('folder')",
    "null": "open(os.devnull, 'w').close()",
    "thread": "thread = threading.Thread(target=print); thread.start(); thread.join()",
    "own_signal": "os.kill(os.getpid(), 0)",
    "reading": "open(kept).read()",
}
SCRIPT = """
    import os, socket, sys, threading
    sys.path.insert(0, {package!r})
    from scanlint.verify.worker.sandbox import landlock, limits, seccomp
    kept, folder = {kept!r}, {folder!r}
    os.chdir({inside!r})
    limits.drop_privileges()
    if {with_landlock}:
        assert landlock.confine({inside!r}, writable=[os.devnull])
    assert seccomp.refuse(files=not {with_landlock}, run=False)
    for name, action in {actions!r}.items():
        try:
            exec(action)
        except OSError as error:
            sys.stderr.write(f"{{name}}\\n")
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections")


def refused(tmp_path: Path, actions: dict[str, str], *, with_landlock: bool) -> set[str]:
    """The actions that the kernel refused."""
    inside, kept, folder = tmp_path / "inside", tmp_path / "kept", tmp_path / "folder"
    inside.mkdir()
    folder.mkdir()
    kept.write_text("kept")
    package = str(Path(__file__).parents[3])
    script = dedent(SCRIPT).format(package=package, kept=str(kept), folder=str(folder), inside=str(inside), with_landlock=with_landlock, actions=actions)  # fmt: skip
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert kept.read_text() == "kept"
    assert folder.exists()
    return set(result.stderr.split())


@LINUX
@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_landlock_and_seccomp_refuse_all_harm(tmp_path: Path) -> None:
    assert refused(tmp_path, ACTIONS, with_landlock=True) == set(ACTIONS)


@LINUX
@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_what_verification_needs_still_works(tmp_path: Path) -> None:
    assert refused(tmp_path, WORKS, with_landlock=True) == set()


@LINUX
def test_without_landlock_nothing_is_written_at_all(tmp_path: Path) -> None:
    harm = {k: v for k, v in ACTIONS.items() if k != "secrets"}
    assert refused(tmp_path, harm, with_landlock=False) == set(harm)


@LINUX
def test_every_instruction_of_the_filter_is_reached_or_jumped_over() -> None:
    for machine in seccomp.ARCHITECTURES:
        steps = seccomp._filter(machine, files=True, run=False)
        assert len(steps) < 4096
        assert all(at + 1 + max(step.yes, step.no) < len(steps) for at, step in enumerate(steps[:-1]))


PORTABLE = [
    "loops_when_called", "leaves_when_called", "exits_at_import", "crashes", "sleeps_at_import", "removes_a_file",
    "unlinks_through_ctypes", "empties_a_file", "starts_a_program", "connects", "forges_a_verdict", "closes_its_output",
    "leaves_locked_folders", "reads_a_secret", "replaces_jit", "starts_threads", "prints_megabytes", "kills_its_parent",
]  # fmt: skip
OWN_FOLDER = "leaves_locked_folders"  # nothing refuses that where the kernel does not help; it is removed all the same


@pytest.mark.slow
def test_other_systems_spawn_a_process_for_each_task(judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What macOS and Windows do: no fork, no help from the kernel; timeouts, a temporary folder and the audit hook."""
    monkeypatch.setenv("SCANLINT_TEST_SECRET", "42")
    target = tmp_path / "target.txt"
    target.write_text("kept")
    good = "def f(x):\n    for _ in range(20):\n        x = jnp.sin(x)\n    return x\n"
    with Verifier(sys.executable, timeout=6.0, fork=False, kernel=False) as verifier:
        rolled = "def f(x):\n    return lax.fori_loop(0, {}, lambda _, x: jnp.sin(x), x)\n"
        assert judge(good, rolled.format(20), using=verifier).verdict == "proved"
        assert judge(good, rolled.format(19), using=verifier).verdict == "refuted"
        for name in PORTABLE:
            text = module(name, str(target))
            found = judge(text, text.replace("range(40)", "range(20 + 20)"), f"hostile_{name}", using=verifier)
            assert found.verdict == "unknown" or HOSTILE[name].harmless or name == OWN_FOLDER, (name, found)
        assert judge(good, rolled.format(20), using=verifier).verdict == "proved"
        home = Path(verifier._home())
        assert not any("seccomp" in p or "Landlock" in p for p in verifier.protections)
    assert not home.exists()
    assert target.read_text() == "kept"
    assert not (tmp_path / "target.txt.new").exists()
