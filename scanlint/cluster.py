"""The workers of a dask scheduler: what is asked of them is a function of a module and plain data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import scanlint
from scanlint.errors import UsageError

if TYPE_CHECKING:
    from distributed import Client, Future

SCHEME = "dask://"
CONNECT_SECONDS = 20
ENDING_SECONDS = 5
T = TypeVar("T")


class WorkersLost(Exception):
    """What was asked ended several workers, or lost the connection; the message says which, of what was asked."""


def address(executor: str) -> str:
    """HOST:PORT of `dask://HOST:PORT`; raises UsageError for anything else."""
    host, colon, port = executor.removeprefix(SCHEME).rpartition(":")
    if not executor.startswith(SCHEME) or not colon or not host or not port.isdecimal():
        raise UsageError(f"`{executor}` is no executor: write `dask://HOST:PORT`, the address of a dask scheduler")
    return f"{host}:{port}"


class Cluster:
    """A connection to a scheduler whose workers have this version of scanlint."""

    def __init__(self, executor: str) -> None:
        """Raises UsageError where nothing answers there, or where its workers cannot do the work."""
        where = address(executor)
        try:
            from distributed import Client
        except ImportError as error:
            raise UsageError(f"`--executor {executor}` needs dask: install `scanlint[cluster]`") from error
        try:
            self.client: Client = Client(where, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise UsageError(f"no dask scheduler answers at `{where}`: start one, or give its address") from error
        try:
            self.threads = self._checked(where)
        except BaseException:
            self.client.close(timeout=ENDING_SECONDS)  # type: ignore[no-untyped-call]
            raise

    def _checked(self, where: str) -> int:
        """How many tasks the workers do at a time; UsageError where there are none, or others than this run needs."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise UsageError(f"the dask scheduler at `{where}` has no workers: start some with `dask worker {where}`")
        for name, has in self.client.run(versions, on_error="return").items():
            if has != versions():
                raise UsageError(
                    f"the worker {name} has {_told(has)}, and this run {_told(versions())}: install the same there"
                )
        return sum(worker["nthreads"] for worker in workers.values())

    def submit(self, function: Callable[..., T], *arguments: object) -> Future[Any]:
        """Have a function of a module run by a worker, and anew by another one should that end."""
        return self.client.submit(function, *arguments, pure=False)

    def result(self, future: Future[Any]) -> object:
        """What came of it; raises what the function raised, and WorkersLost."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise WorkersLost(f"ended {error.allowed_failures + 1} workers of the cluster") from error
        except (CancelledError, OSError) as error:
            raise WorkersLost("lost the connection to the dask scheduler") from error

    def results(self, futures: Sequence[Future[Any]]) -> Iterator[object]:
        """The results in order, each an exception where there is none."""
        for future in futures:
            try:
                yield self.result(future)
            except WorkersLost as error:
                yield error

    def everywhere(self, function: Callable[..., object], *arguments: object) -> None:
        """Run a function on every worker that answers."""
        self.client.run(function, *arguments, on_error="ignore")

    def close(self) -> None:
        """Leave the cluster; its workers stay."""
        self.client.close(timeout=ENDING_SECONDS)  # type: ignore[no-untyped-call]


def versions() -> tuple[str, str]:
    """What both sides have to have in common: plain data of one version is not always that of another."""
    return scanlint.__version__, f"{sys.version_info[0]}.{sys.version_info[1]}"


def _told(has: object) -> str:
    match has:
        case (str(own), str(python)):
            return f"scanlint {own} on Python {python}"
    return f"no scanlint ({has})"
