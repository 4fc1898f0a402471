"""The workers of a real dask cluster: what they say is what is said here, whatever becomes of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scanlint.cluster import address
from scanlint.errors import UsageError
from scanlint.settings import Settings
from scanlint.verify.interpreter import VerifierUnavailable
from scanlint.verify.remote_verifier import Terms, answered
from scanlint.verify.verifier import Task
from tests.conftest import LOOP, ROOT, Scanlint

pytestmark = pytest.mark.long
CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    count = int(sys.argv[1])
    with LocalCluster(n_workers=count, threads_per_worker=1, scheduler_port=0, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, *(nanny.pid for nanny in cluster.workers.values()), flush=True)
        sys.stdin.read()
"""
# what nothing but the project's own call tells: a dictionary of functions
OWN = """
import jax
import jax.numpy as jnp


@jax.jit
def total(table, x):
    for t in range(50):
        x = jnp.sin(x) * table["scale"] + jnp.cos(x) * table["shifts"][t]
    return x


def main():
    print(total({"scale": jnp.float32(2.0), "shifts": jnp.linspace(0.0, 1.0, 50)}, jnp.ones(3)))


if __name__ == "__main__":
    main()
"""


class Started:
    """A scheduler and its workers, in processes of their own."""

    def __init__(self, folder: Path, workers: int) -> None:
        script = folder / "cluster.py"
        script.write_text(CLUSTER)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        where, *pids = self.process.stdout.readline().split()
        self.executor = where.replace("tcp://", "dask://")
        self.pids = [int(pid) for pid in pids]

    def end(self) -> None:
        self.process.communicate("", timeout=60)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    started = Started(tmp_path_factory.mktemp("two"), 2)
    yield started
    started.end()


def said(run: Scanlint, *words: str) -> dict[str, Any]:
    """What a run says, without what the time allowed."""
    done = run("--no-cache", "--output-format", "json", *words)
    assert done.returncode == 1, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    report["summary"].pop("seconds")
    for finding in report["findings"]:
        for key in ("cases", "max_abs_error", "notes", "holds_for", "evidence"):
            (finding["verification"] or {}).pop(key, None)
    return report


def test_a_cluster_finds_what_is_found_here(two: Started, run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("import jax.numpy as jnp\n\n\ndef step(x):\n    return jnp.sin(x)\n")
    caller = (
        "import jax\nfrom steps import step\n\n\n@jax.jit\ndef f(x):\n    for _ in range({}):\n        x = step(x)\n"
    )
    for number in range(20):
        (tmp_path / f"loop{number}.py").write_text(caller.format(300 + number) + "    return x\n")
    (tmp_path / "broken.py").write_text("def (:\n")
    here = said(run, ".")
    assert len(here["findings"]) == 21
    assert said(run, "--executor", two.executor, ".") == here


@pytest.mark.slow
def test_a_cluster_verifies_as_is_verified_here(two: Started, run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "loop.py").write_text(LOOP)
    here = said(run, "--fix", "--diff", ".")
    assert [f["verification"]["verdict"] for f in here["findings"]] == ["proved", "proved"]
    assert said(run, "--fix", "--diff", "--executor", two.executor, ".") == here


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_what_a_dead_worker_was_asked_another_one_answers(
    run: Scanlint, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    started = Started(tmp_path_factory.mktemp("dying"), 2)
    answers: list[dict[str, Any]] = []
    words = ("--fix", "--diff", "--executor", started.executor, ".")
    asking = threading.Thread(target=lambda: answers.append(said(run, *words)))
    asking.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (busy := [pid for pid in started.pids if verifying(pid)]):
        time.sleep(0.05)
    for pid in busy:
        os.kill(pid, signal.SIGKILL)
    asking.join()
    started.end()
    assert len(busy) == 1
    assert [f["verification"]["verdict"] for f in answers[0]["findings"]] == ["proved"]


def verifying(pid: int) -> bool:
    """Whether a worker has a process that verifies."""
    told = subprocess.run(["ps", "-o", "args=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return "scanlint" in told.stdout and "worker" in told.stdout


@pytest.mark.parametrize("executor", ["dask://", "dask://host", "tcp://host:1", "dask://host:port", "spark://host:1"])
def test_what_is_no_address_is_refused(executor: str) -> None:
    with pytest.raises(UsageError, match="write `dask://HOST:PORT`"):
        address(executor)


def test_a_run_without_a_cluster_says_so(run: Scanlint, tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    done = run("--executor", "spark://host:1", ".")
    assert done.returncode == 2
    assert "`spark://host:1` is no executor" in done.stderr


def test_a_scheduler_without_workers_is_no_cluster(
    run: Scanlint, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    started = Started(tmp_path_factory.mktemp("none"), 0)
    done = run("--executor", started.executor, ".")
    started.end()
    assert done.returncode == 2
    assert "has no workers: start some with `dask worker" in done.stderr


def test_a_worker_with_other_packages_says_so(tmp_path: Path) -> None:
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    task = Task("loop.py", "rollout", LOOP, LOOP, str(tmp_path), str(file))
    terms = Terms("run", sys.executable, tmp_path, 30.0, False, (), "others")
    with pytest.raises(VerifierUnavailable, match="the same environment"):
        answered(terms, task, None, {})


def test_a_worker_with_another_file_at_the_path_says_so(tmp_path: Path) -> None:
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    task = Task("loop.py", "rollout", LOOP, LOOP, str(tmp_path), str(file))
    terms = Terms("run", sys.executable, Settings().root, 30.0, False, (), None)
    with pytest.raises(VerifierUnavailable, match="need the project at the same path"):
        answered(terms, task, "another", {})
