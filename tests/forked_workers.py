"""Workers of the verifier forked from one that has imported JAX, as it forks for each task: processes of their own, sooner.

A worker in another environment or with another interpreter is started anew, and so is each of a command that a test
starts.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WORKER = Path(__file__).parent.parent / "scanlint" / "verify" / "worker" / "__main__.py"
FREE = frozenset(["HOME", "PATH", "PWD", "TEMP", "TERM", "TMP", "TMPDIR"])
"""Variables that no import of JAX reads."""


def _deciding(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in FREE}


class Workers:
    """The process that workers are forked from; it ends with the one that has started it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="workers"))
        self.path = str(self.folder / "socket")
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.path)
        listening.listen()
        with listening:
            words = [sys.executable, __file__, str(listening.fileno())]
            self.process = subprocess.Popen(
                words, env=dict(environment), stdin=subprocess.PIPE, pass_fds=[listening.fileno()]
            )

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder)


class ForkedWorker:
    """What `subprocess.Popen` gives, of a process that was forked elsewhere."""

    def __init__(self, path: str, options: Sequence[str], environment: Mapping[str, str]) -> None:
        self.returncode: int | None = None
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(path)
        read, self_write = os.pipe()
        self_read, write = os.pipe()
        self.stdin, self.stdout = os.fdopen(self_write, "wb"), os.fdopen(self_read, "rb")
        socket.send_fds(self._connection, [b"\n"], [read, write])
        os.close(read)
        os.close(write)
        request = {"options": [*options], "environment": dict(environment), "cwd": os.getcwd()}
        self._connection.sendall(json.dumps(request).encode() + b"\n")
        self._answers = self._connection.makefile("rb")
        self.pid = int(self._answers.readline())

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("worker", timeout or 0.0)
            self.returncode = int(self._answers.readline())
            self._answers.close()
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):  # it has not ended
            self.wait(0.0)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Forking:
    """The module `subprocess` for what starts workers."""

    def __init__(self, path: str, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = _deciding(environment)

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    def Popen(self, words: Sequence[str], **options: Any) -> ForkedWorker | subprocess.Popen[bytes]:
        python, program, *rest = words
        same = Path(python).parent == Path(sys.executable).parent and Path(program) == WORKER
        if same and _deciding(options["env"]) == self._environment:
            return ForkedWorker(self._path, rest, options["env"])
        return subprocess.Popen(words, **options)


def _run(connection: socket.socket, serve: Any, greeting: object) -> None:
    """Be the worker that is asked for, in a process of which another one waits for the end."""
    _, (read, write), _, _ = socket.recv_fds(connection, 1, 2)
    request = json.loads(connection.makefile("rb").readline())
    worker = os.fork()
    if worker:
        os.close(read)
        os.close(write)
        connection.sendall(f"{worker}\n".encode())
        connection.sendall(f"{os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])}\n".encode())
        os._exit(0)
    os.setsid()
    connection.close()
    for standard, descriptor in enumerate((read, write, os.open(os.devnull, os.O_WRONLY))):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    tempfile.tempdir = None
    sys.argv = [str(WORKER), *request["options"]]
    serve._begun = lambda: greeting
    serve.main(request["options"])


def main(descriptor: int) -> None:
    del sys.path[0]  # the folder of this file
    runpy.run_path(str(WORKER), run_name="worker")["load"]()
    serve = importlib.import_module("_scanlint_worker.session.serve")
    greeting = serve._begun()
    listening = socket.socket(fileno=descriptor)
    while True:
        with contextlib.suppress(ChildProcessError):  # there is none
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        ready, _, _ = select.select([sys.stdin, listening], [], [])
        if sys.stdin in ready:
            os._exit(0)
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _run(connection, serve, greeting)
            return
        connection.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
