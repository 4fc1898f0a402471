"""Commands in processes forked from one that has imported scanlint: each is a process as a user starts it, but sooner.

What is decided when Python starts cannot be had in this way: such commands are started anew (see `needs_start`).
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
OWN_PROCESSES = ("scanlint.__main__", "scanlint.verify.worker", "scanlint.record.inside", "scanlint.record.startup")
OPTIONAL = ("scanlint.lsp", "scanlint.mcp", "scanlint.cluster", "scanlint.engine.team.cluster_pool")
Completed = subprocess.CompletedProcess[str]


def needs_start(cwd: Path, changed: Mapping[str, str]) -> bool:
    """Python reads some variables as it starts, and a module in the working directory could be taken for another."""
    return (
        not hasattr(os, "fork")
        or any(name.startswith("PYTHON") for name in changed)
        or any(entry.stem in sys.stdlib_module_names or entry.stem in DEPENDENCIES for entry in cwd.iterdir())
    )


DEPENDENCIES = frozenset(["scanlint", "click", "libcst", "pathspec", "yaml", "numpy", "jax"])


class Commands:
    """The process that commands are forked from, started with the first of them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.ours, theirs = socket.socketpair()
        with theirs:
            words = [sys.executable, __file__, str(theirs.fileno())]
            self.process = subprocess.Popen(words, env=dict(environment), pass_fds=[theirs.fileno()])

    def close(self) -> None:
        self.ours.close()
        self.process.wait()

    def run(self, words: Sequence[str], cwd: Path, stdin: str | None, environment: Mapping[str, str]) -> Completed:
        """What the command `scanlint` with these words gives."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write((stdin or "").encode())
            given.seek(0)
            request = json.dumps({"words": words, "cwd": str(cwd), "environment": dict(environment)}).encode()
            socket.send_fds(self.ours, [len(request).to_bytes(8, "big")], [f.fileno() for f in (given, out, err)])
            self.ours.sendall(request)
            code = int.from_bytes(_read(self.ours, 8), "big", signed=True)
            for stream in (out, err):
                stream.seek(0)
            with open(out.fileno(), closefd=False) as said, open(err.fileno(), closefd=False) as told:
                return Completed([*words], code, said.read(), told.read())


def _read(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        chunk = connection.recv(size - len(found))
        if not chunk:
            raise EOFError("the other process has ended")
        found += chunk
    return found


def _import_all() -> None:
    """Import what a command may need, but for what is optional or runs in other processes."""
    scanlint = importlib.import_module("scanlint")
    for module in pkgutil.walk_packages(scanlint.__path__, "scanlint."):
        if not module.name.startswith((*OWN_PROCESSES, *OPTIONAL)):
            importlib.import_module(module.name)


def _serve(connection: socket.socket) -> list[str] | None:
    """Fork for each request: None where there are no more; in the forked process the words of its command."""
    while True:
        size, descriptors, _, _ = socket.recv_fds(connection, 8, 3)
        if not size:
            return None
        request = json.loads(_read(connection, int.from_bytes(size, "big")))
        child = os.fork()
        if child == 0:
            connection.close()
            for standard, descriptor in enumerate(descriptors):
                os.dup2(descriptor, standard)
                os.close(descriptor)
            os.environ.clear()
            os.environ.update(request["environment"])
            os.chdir(request["cwd"])
            return list(request["words"])
        for descriptor in descriptors:
            os.close(descriptor)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(code.to_bytes(8, "big", signed=True))


def main(descriptor: int) -> None:
    del sys.path[0]  # the folder of this file
    from scanlint.verify import process
    from scanlint.verify.process_environment import cleaned
    from tests.forked_workers import Forking, Workers

    _import_all()
    environment = cleaned()
    workers = Workers(environment)
    words = _serve(socket.socket(fileno=descriptor))
    if words is None:
        workers.close()
        return
    process.subprocess = Forking(workers.path, environment)
    sys.argv[1:] = words
    runpy.run_module("scanlint", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
