"""The worker's loop: one request per line in, one answer per line out, a forked child for each task."""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import itertools
import json
import os
import re
import select
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from ..sandbox import limits, namespaces
from .children import NO_PIPE, ForkedTask, abandoned
from .plain_json import encoder
from .watch import Message, unknown

OLDEST = (0, 4, 35)
LOOK_SECONDS = 0.5
TRIAL_SECONDS = 60
DIED = "the process that verified ended"
IDLE_SECONDS = 10.0  # after which no process waits for another question any more
QUICKER = "--xla_cpu_use_fusion_emitters=false"
"""A flag of XLA with which it compiles small programs for CPUs in about half of the time."""
WITHOUT_FLAG = (0, 11)
"""The first JAX whose XLA ends at a flag of that name."""


def main(arguments: Sequence[str]) -> None:
    """Serve requests until standard input ends; `--once` runs a single request in this very process."""
    limits.end_with_parent()
    requests, answers = os.dup(0), os.fdopen(os.dup(1), "w", encoding="utf-8")
    _silence()
    with _ending_with(requests):
        greeting = _begun()
    _send(answers, greeting)
    if greeting["ready"]:
        _serve(requests, answers, str(greeting["jax"]), once="--once" in arguments)
    os._exit(0)  # to take JAX apart costs a third of what its import does


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
        from ..eager import compile_less
        from ..harvest import program_run  # noqa: F401
        from . import task  # noqa: F401

        compile_less.install()
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
            if abandoned(requests):
                os._exit(1)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield
    finally:
        done.set()
        looking.join()


def _serve(requests: int, answers: IO[str], version: str, *, once: bool) -> None:
    """Answer one request after the other, with a JAX of this version."""
    if not once:
        limits.adopt_orphans()
        namespaces.probe()
        quick = "JAX_DISABLE_MOST_OPTIMIZATIONS" in os.environ and os.environ.get("JAX_PLATFORMS") == "cpu"
        if quick and older(version, WITHOUT_FLAG):
            _hasten()
        gc.freeze()  # imported objects are no garbage: no child need traverse them
    child: ForkedTask | None = None
    with os.fdopen(requests, "r", encoding="utf-8") as lines:
        while True:
            if child is not None and not _comes(requests):
                child.end()
                child = None
            line = lines.readline()
            if not line:
                break
            request: Message = json.loads(line)
            if once:
                os.close(lines.fileno())
                _tasks(request, io.StringIO(), answers, str(request["folder"]), str(request["token"]))
                answers.flush()
                os._exit(0)
            child = _answered(request, child, lines, answers)
        if child is not None:
            child.end()


def _answered(request: Message, child: ForkedTask | None, requests: IO[str], answers: IO[str]) -> ForkedTask | None:
    """Send the answer to one request; the process that gave it, if it waits for another question."""
    if child is not None and not child.takes(request):
        child.end()
        child = None
    child = child or ForkedTask.forked(request, _tasks)
    try:
        said = child.answer(request, requests.fileno())
        if said is None:  # it ended while it waited
            child.end()
            child = ForkedTask.forked(request, _tasks)
            said = child.answer(request, requests.fileno())
    except BaseException:
        child.end()
        raise
    _send(answers, said or unknown(DIED))
    if child.waits:
        return child
    child.end()
    return None


def _comes(requests: int) -> bool:
    """Another request comes soon, or the end of them."""
    ready, _, _ = select.select([requests], [], [], IDLE_SECONDS)
    return bool(ready)


def older(version: str, than: tuple[int, ...] = OLDEST) -> bool:
    """Whether a JAX is older than another one, or than those that the worker reads."""
    numbers = re.findall(r"\d+", version)[:3]
    return tuple(map(int, numbers)) < than


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


def _tasks(first: Message, lines: IO[str], stream: IO[str], folder: str, token: str) -> None:
    """Run one task after the other in this process, while each leaves it as it was."""
    encode = encoder()

    def send(message: Message) -> None:
        try:
            stream.write(f"{token} {encode(message)}\n")
            stream.flush()
        except (OSError, ValueError):
            os._exit(NO_PIPE)

    if "plan" in first:
        from ..harvest.program_run import keep_calls

        send({"answer": _said(lambda: keep_calls(first, folder, lambda stage: send({"stage": stage})))})
        return
    from . import task
    from .ground import Ground

    ground: Ground | None = None
    for request in itertools.chain([first], map(json.loads, lines)):
        ground = ground or Ground.of(request, folder)
        answer = _said(
            functools.partial(
                task.run, request, ground, lambda stage: send({"stage": stage}), lambda kept: send({"kept": kept})
            )
        )
        waits = ground.waits()
        send({"answer": answer, "waits": waits})
        if not waits:
            return


def _said(answer: Callable[[], Message]) -> Message:
    """The answer, or what is wrong with the verifier."""
    from ..imports.absent_packages import NotInstalledError

    try:
        return answer()
    except NotInstalledError as error:
        return unknown(str(error))
    except Exception as error:  # noqa: BLE001 - the verifier's own bug: no verdict, and it is said
        at = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(at.filename)}:{at.lineno}"
        return unknown(f"internal error at {place}: {type(error).__name__}: {error}")
