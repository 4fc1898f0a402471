"""Limits of time count what a process does, not what others do on the machine."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import jax.numpy as jnp
import pytest
from jax._src import core

from scanlint.verify.worker.runtime.calling import TookTooLong, limited
from scanlint.verify.worker.session.watch import Clock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell")


def test_code_that_computes_is_interrupted() -> None:
    with pytest.raises(TookTooLong), limited(0.2):
        while True:
            pass


def test_an_interruption_while_jax_changes_what_it_traces_leaves_it_as_it_was() -> None:
    context = getattr(core, "trace_ctx", None)
    if context is None:
        pytest.skip("this JAX keeps what it traces elsewhere")
    with pytest.raises(TookTooLong), limited(10.0):
        core.take_current_trace().__enter__()
        raise TookTooLong
    assert context.trace is not None
    assert jnp.sum(jnp.ones(3)) == 3


def test_code_that_sleeps_is_interrupted() -> None:
    started = time.monotonic()
    with pytest.raises(TookTooLong), limited(0.2):
        time.sleep(30.0)
    assert time.monotonic() - started < 20.0


def test_an_inner_limit_gives_back_the_outer_one() -> None:
    with pytest.raises(TookTooLong), limited(0.4):
        with limited(5.0):
            pass
        while True:
            pass


@pytest.mark.parametrize("does", ["while True: pass", "import time; time.sleep(60)"], ids=["computes", "sleeps"])
def test_a_task_is_over_when_its_process_has_spent_its_time(does: str) -> None:
    with subprocess.Popen([sys.executable, "-c", does]) as process:
        clock = Clock(process.pid, 0.3)
        deadline = time.monotonic() + 40.0
        while not clock.over() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert time.monotonic() < deadline
