"""The worker's loop: one request per line in, one answer per line out, a forked child for each task."""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import os
import re
import secrets
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from ..sandbox import limits, namespaces
from .plain_json import encoder
from .watch import Message, Watch, exit_text, unknown

TICK = 0.05
ENDING_SECONDS = 5.0
OLDEST = (0, 4, 35)
LOOK_SECONDS = 0.5
TRIAL_SECONDS = 60
NO_PIPE = 113  # exit code of a task's process that cannot answer
QUICKER = "--xla_cpu_use_fusion_emitters=false"
"""A flag of XLA with which it compiles small programs for CPUs in about two thirds of the time."""


def main(arguments: Sequence[str]) -> None:
    """Serve requests until standard input ends; `--once` runs a single request in this very process."""
    limits.end_with_parent()
    requests, answers = os.dup(0), os.fdopen(os.dup(1), "w", encoding="utf-8")
    _silence()
    with _ending_with(requests):
        greeting = _begun()
    _send(answers, greeting)
    if greeting["ready"]:
        _serve(requests, answers, once="--once" in arguments)


def _begun() -> Message:
    """Import all that every task needs; what is said of that."""
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore")
    try:
        import jax

        if older(jax.__version__):
            return {"ready": False, "old": jax.__version__}
        import jax.numpy

        # filtering takes more than half of the time of a failed trace
        jax.config.update("jax_traceback_filtering", "off")  # type: ignore[no-untyped-call]
        from ..harvest import program_run  # noqa: F401
        from . import task  # noqa: F401
    except Exception as error:  # noqa: BLE001
        return {"ready": False, "error": f"{type(error).__name__}: {error}"}
    return {"ready": True, "jax": jax.__version__, "python": sys.version.split()[0]}


@contextlib.contextmanager
def _ending_with(requests: int) -> Iterator[None]:
    """End this process when nobody waits for it any more: an import may never come to its end.

    The thread that looks is gone when processes are forked.
    """
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK_SECONDS):
            if _abandoned(requests):
                os._exit(1)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield
    finally:
        done.set()
        looking.join()


def _serve(requests: int, answers: IO[str], *, once: bool) -> None:
    """Answer one request after the other."""
    if not once:
        limits.adopt_orphans()
        namespaces.probe()
        if "JAX_DISABLE_MOST_OPTIMIZATIONS" in os.environ and os.environ.get("JAX_PLATFORMS") == "cpu":
            _hasten()
        gc.freeze()  # imported objects are no garbage: no child need traverse them
    with os.fdopen(requests, "r", encoding="utf-8") as lines:
        for line in lines:
            request: Message = json.loads(line)
            if once:
                os.close(lines.fileno())
                _task(request, str(request["folder"]), str(request["token"]), answers)
                answers.flush()
                os._exit(0)
            _send(answers, _in_child(request, lines))


def older(version: str) -> bool:
    """Whether a JAX is older than those that the worker reads."""
    numbers = re.findall(r"\d+", version)[:3]
    return tuple(map(int, numbers)) < OLDEST


def _hasten() -> None:
    """Have XLA compile sooner by a flag, which a child process tries first: some versions of XLA exit on it."""
    usual = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{QUICKER} {usual}".strip()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(TRIAL_SECONDS)
            import jax

            jax.devices()
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1] != 0:
        os.environ["XLA_FLAGS"] = usual


def _silence() -> None:
    """What user code prints goes nowhere; standard input is empty."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _send(stream: IO[str], message: Message) -> None:
    stream.write(json.dumps(message) + "\n")
    stream.flush()


def _in_child(request: Message, requests: IO[str]) -> Message:
    """Fork, run the task there, and give its answer or how it ended."""
    reading, writing = os.pipe()
    kept = "plan" in request
    folder = str(request["folder"]) if kept else tempfile.mkdtemp(prefix="task-", dir=str(request["folder"]))
    token = secrets.token_hex(16)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            _close_all_but(writing)
            with os.fdopen(writing, "w", encoding="utf-8") as stream:
                _task(request, folder, token, stream)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    watch = Watch(child, token, float(str(request["timeout"])), folder)
    try:
        return _await(watch, reading, requests.fileno())
    finally:
        _end(child)
        os.close(reading)
        if not kept:
            remove(folder)


def _close_all_but(kept: int) -> None:
    """Close every descriptor beyond the standard ones, which lead nowhere."""
    os.closerange(3, kept)
    os.closerange(kept + 1, 4096)


def _task(request: Message, folder: str, token: str, stream: IO[str]) -> None:
    """Run one task in this process, its lines marked with the token."""
    from ..harvest.program_run import keep_calls
    from ..imports.absent_packages import NotInstalledError
    from .task import run

    encode = encoder()

    def send(message: Message) -> None:
        try:
            stream.write(f"{token} {encode(message)}\n")
            stream.flush()
        except (OSError, ValueError):
            os._exit(NO_PIPE)

    answer: Message
    try:
        if "plan" in request:
            answer = keep_calls(request, folder, lambda stage: send({"stage": stage}))
        else:
            answer = run(request, folder, lambda stage: send({"stage": stage}), lambda kept: send({"kept": kept}))
    except NotInstalledError as error:
        answer = unknown(str(error))
    except Exception as error:  # noqa: BLE001 - the verifier's own bug: no verdict, and it is said
        at = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(at.filename)}:{at.lineno}"
        answer = unknown(f"internal error at {place}: {type(error).__name__}: {error}")
    send({"answer": answer})


def _await(watch: Watch, reading: int, requests: int) -> Message:
    """Read the child's lines until its answer, its end, or its time is over."""
    closed = False
    while not closed and watch.running():
        ready, _, _ = select.select([reading], [], [], TICK)
        if ready:
            chunk = os.read(reading, 1 << 16)
            watch.feed(chunk)
            closed = not chunk
        elif _abandoned(requests):
            watch.over = "the run was ended"
    status = _poll(watch.process)
    deadline = time.monotonic() + TICK
    while closed and status is None and time.monotonic() < deadline:
        time.sleep(0.002)
        status = _poll(watch.process)
    if closed and status in (None, NO_PIPE):
        watch.over = watch.over or "the code under test closed the verifier's pipe"
    return watch.verdict(exit_text(status) if status is not None else "")


def _abandoned(requests: int) -> bool:
    """Whether nobody waits for the answer any more."""
    if not hasattr(select, "poll"):
        return False
    look = select.poll()
    look.register(requests, select.POLLHUP)
    return any(event & select.POLLHUP for _, event in look.poll(0))


def _poll(child: int) -> int | None:
    """The exit code of the child, which is left to be waited for; None while it runs."""
    found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _end(child: int) -> None:
    """Kill the child, its group, and whatever it left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the group has ended by itself
        os.killpg(child, signal.SIGKILL)
    deadline = time.monotonic() + ENDING_SECONDS
    while time.monotonic() < deadline:
        for process in {child, *_children()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # the process has ended by itself
                os.kill(process, signal.SIGKILL)
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:  # no child is left
            return
        if not done:
            time.sleep(0.002)


def _children() -> list[int]:
    """The processes that are this one's children now, orphans of the task among them; Linux only."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as stream:
            return [int(x) for x in stream.read().split()]
    except (OSError, ValueError):  # systems that list no children: the group is ended
        return []


def remove(folder: str) -> None:
    """Remove a folder, whatever modes its contents were given and however deep it is.

    Inner folders are moved up one by one: no path is longer than that of a folder in the folder.
    """
    fresh = itertools.count()
    while names := _within(folder):
        known = len(names)
        for name in names:
            at = os.path.join(folder, name)
            if os.path.isdir(at) and not os.path.islink(at):
                for inner in _within(at):
                    _moved_up(os.path.join(at, inner), os.path.join(folder, f".left-{next(fresh)}"))
                _try(os.rmdir, at)
            else:
                _try(os.unlink, at)
            known -= not os.path.lexists(at)
        if known == len(names):  # nothing can be removed
            return
    _try(os.rmdir, folder)


def _within(folder: str) -> list[str]:
    with contextlib.suppress(OSError):  # it is gone already
        os.chmod(folder, 0o700)
        return os.listdir(folder)
    return []


def _moved_up(path: str, place: str) -> None:
    """Remove a file; move a folder to a place where it is removed later."""
    if os.path.isdir(path) and not os.path.islink(path):
        _try(lambda p: os.chmod(p, 0o700), path)
        _try(lambda p: os.rename(p, place), path)
    else:
        _try(os.unlink, path)


def _try(action: Callable[[str], object], path: str) -> None:
    """Do it, if need be with the file made writable: Windows removes no others."""
    try:
        action(path)
    except OSError:
        with contextlib.suppress(OSError):  # temporary files; the next run sweeps them
            if not os.path.islink(path):
                os.chmod(path, 0o700)
            action(path)
