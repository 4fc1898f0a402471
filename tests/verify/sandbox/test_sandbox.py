"""The kernel's protections by themselves, without the audit hook; and what other systems do without them."""

from __future__ import annotations

import platform
import re
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
    "limits": "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
    "priority": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "scheduling": "os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))",
    "processors": "os.sched_setaffinity(os.getppid(), {0})",
    "owner": "fcntl.fcntl(0, 8, os.getppid())",
    "signal_of_files": "fcntl.fcntl(0, 10, 9)",
    "lease": "fcntl.fcntl(os.open(kept, os.O_RDONLY), 1024, fcntl.F_RDLCK)",
    "flags": "fcntl.ioctl(os.open(kept, os.O_RDONLY), 0x40086602, b'12345678')",
    "keys_of_a_terminal": "fcntl.ioctl(0, 0x5412, b'x')",
    "pair_of_datagrams": "socket.socketpair(type=socket.SOCK_DGRAM)",
    "opened_to_empty": "os.open(kept, os.O_RDONLY | os.O_TRUNC)",
    "shared_memory": "failed(libc.shmget(0, 4096, 0o1600))",
    "semaphores": "failed(libc.semget(0, 1, 0o1600))",
    "messages": "failed(libc.msgget(0, 0o1600))",
    "input_output": "failed(libc.syscall(251 if x86 else 30, 1, os.getppid(), 0))",
    "attributes_of_newer_kernels": "failed(libc.syscall(463, -100, kept.encode(), 0, b'user.x', b'y', 1, 0))",
    "session": "os.setsid()",
    "process_handle": "os.pidfd_open(os.getppid())",
    "secrets": "open(f'/proc/{os.getppid()}/environ').read()",
}
WORKS = {
    "own_file": "open('own', 'w').close()",
    "own_folder": "os.mkdir('folder')",
    "null": "open(os.devnull, 'w').close()",
    "thread": "thread = threading.Thread(target=print); thread.start(); thread.join()",
    "own_signal": "os.kill(os.getpid(), 0)",
    "reading": "open(kept).read()",
    "own_limits": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "own_processors": "os.sched_setaffinity(0, os.sched_getaffinity(0))",
    "pair": "socket.socketpair()",
    "flags_of_descriptors": "fcntl.fcntl(0, fcntl.F_GETFL)",
    "lock": "fcntl.flock(os.open('.', os.O_RDONLY), fcntl.LOCK_SH)",
    "own_file_again": "open('own', 'w').close()",
}
SCRIPT = """
    import ctypes, fcntl, os, platform, resource, socket, sys, threading
    sys.path.insert(0, {package!r})
    from scanlint.verify.worker.sandbox import landlock, limits, seccomp
    libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"

    def failed(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "refused")

    kept, folder = {kept!r}, {folder!r}
    os.chdir({inside!r})
    limits.drop_privileges()
    if {with_landlock}:
        assert landlock.confine({inside!r}, writable=[os.devnull])
    assert seccomp.refuse(files=not {with_landlock}, devices=False)
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
        steps = seccomp._filter(machine, files=True, devices=False)
        assert len(steps) < 4096
        assert all(at + 1 + max(step.yes, step.no) < len(steps) for at, step in enumerate(steps[:-1]))


APART = """
    import ctypes, os, socket, sys
    from scanlint.verify.worker.sandbox import limits, namespaces
    libc = ctypes.CDLL(None, use_errno=True)
    if {ordinary} and os.geteuid() == 0:
        os.setgroups([]), os.setgid(65534), os.setuid(65534), libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc is its own
    user, key, made = os.geteuid(), 0x5CA1 + os.getpid(), libc.msgget(0x5CA1 + os.getpid(), 0o1600)
    assert made >= 0
    namespaces.probe()
    child = os.fork()
    if child == 0:
        if namespaces.usable:
            assert namespaces.leave()
            limits.drop_privileges()
            others = [name for _, name in socket.if_nameindex() if name != "lo"]
            print([os.geteuid() == user, libc.msgget(key, 0), others], flush=True)
        os._exit(0)
    ended = os.waitpid(child, 0)[1]
    libc.msgctl(made, 0, None)
    sys.exit(ended)
"""


@LINUX
@pytest.mark.parametrize("ordinary", [False, True])
def test_a_task_sees_neither_the_network_nor_the_queues_of_the_machine(ordinary: bool) -> None:
    script = dedent(APART.format(ordinary=ordinary))
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    if not result.stdout:
        pytest.skip("this system gives no namespaces")
    assert result.stdout.strip() == "[True, -1, []]"


HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}
TABLES = [
    "FILES",
    "EVENTS",
    "MEMORY",
    "THREADS",
    "SIGNALS",
    "TIME",
    "QUESTIONS",
    "CHANGES",
    "TRUNCATE",
    "PROGRAMS",
    "SOCKETS",
]


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_of_system_calls_are_those_of_the_kernel(machine: str) -> None:
    header = Path("/usr/include", HEADERS[machine])
    if not header.exists():
        pytest.skip("the headers of the kernel are not installed")
    found = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR(?:3264)?_(\w+) (\d+)", header.read_text())}
    found["newfstatat"] = found.get("newfstatat", found.get("fstatat", -1))
    ours = {name: numbers[seccomp.ARCHITECTURES[machine][1]] for table in TABLES for name, numbers in getattr(seccomp, table).items()}  # fmt: skip
    older = {"epoll_pwait2", "faccessat2", "futex_waitv", "close_range"} - set(found)
    assert ours == {name: found.get(name, -1) for name in ours} | {name: ours[name] for name in older}


PROBES = {335, 336}
"""What the kernel itself puts into probed programs (x86_64): it ends whoever else calls it, before any filter."""


@LINUX
@pytest.mark.parametrize("devices", [False, True])
def test_no_other_system_call_is_let_pass_not_even_those_of_newer_kernels(devices: bool) -> None:
    passed = seccomp.allowed(platform.machine(), files=True, devices=devices, truncate=False)
    others = sorted(set(range(700)) - passed - PROBES)
    script = f"""
        import ctypes, errno, sys
        from scanlint.verify.worker.sandbox import limits, seccomp
        limits.drop_privileges()
        assert seccomp.refuse(files=True, devices={devices})
        call = ctypes.CDLL(None, use_errno=True).syscall
        codes = [call(ctypes.c_long(n), *[ctypes.c_long(-1)] * 6) and ctypes.get_errno() for n in {others}]
        print([n for n, code in zip({others}, codes) if code not in (errno.EPERM, errno.ENOSYS)])
    """
    result = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "[]", result.stderr


@LINUX
def test_drivers_listen_to_themselves_and_reach_no_network() -> None:
    script = """
        import socket
        from scanlint.verify.worker.sandbox import limits, seccomp
        limits.drop_privileges()
        assert seccomp.refuse(files=False, devices=True)
        own = socket.socket(socket.AF_UNIX)
        own.bind("\\0scanlint-driver")
        own.listen()
        for attempt in (lambda: socket.socket(socket.AF_INET), lambda: socket.socket(socket.AF_UNIX).connect("\\0other")):
            try:
                attempt()
            except PermissionError:
                print("refused")
    """
    result = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["refused", "refused"], result.stderr


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
        missing = [f"not protected by {name}: not available here" for name in ("namespaces", "Landlock", "seccomp")]
        assert [p for p in verifier.protections if p.startswith("not ")] == missing
    assert not home.exists()
    assert target.read_text() == "kept"
    assert not (tmp_path / "target.txt.new").exists()
