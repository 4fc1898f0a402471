"""What is computed without XLA is an array like any other; what is not JAX's own, or is unusual, is compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import scanlint

BEGIN = """
import json, os, sys, traceback, warnings
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax._src import compiler
from scanlint.verify.worker.eager import compile_less

compiled = []
usual = compiler.compile_or_get_cached
def counted(backend, module, *others, **named):
    compiled.append(str(module.operation.attributes["sym_name"]).strip('"'))
    return usual(backend, module, *others, **named)
compiler.compile_or_get_cached = counted
if not compile_less.install():
    print("null")
    sys.exit()

def run(code):
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            x = jnp.asarray(np.arange(6, dtype=np.float32))
            compiled.clear()
            exec(code, {**globals(), "x": x})
        except BaseException:
            os.write(writing, traceback.format_exc()[-2000:].encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        return stream.read()

print(json.dumps({name: run(code) for name, code in json.loads(sys.argv[1]).items()}))
"""
CASES = {
    "operations of jax are not compiled": """
        y = jnp.where(x > 2, x * 2, x - 1).reshape(2, 3).T[1:, ::-1]
        z = jnp.concatenate([y, y]).astype(jnp.int32)
        assert [float(a) for a in x] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        assert z.tolist() == [[8, 0], [10, 1], [8, 0], [10, 1]], z.tolist()
        assert not compiled, compiled
    """,
    "a result has the type and the place of any other": """
        a, b = jnp.asarray(2.0) * 3, x + 1
        assert (a.weak_type, b.weak_type) == (True, False) and not compiled
        assert (b.dtype, b.shape, b.devices(), b.is_deleted()) == (np.float32, (6,), {jax.devices()[0]}, False)
        assert not b._committed and jax.jit(lambda v: v * 2)(b).tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
        view = x.reshape(2, 3)
        warnings.simplefilter("ignore")
        jax.jit(lambda v: v + 1, donate_argnums=0)(x)
        assert view.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    """,
    "programs of the user are compiled": """
        jax.jit(lambda v: v + 1)(x)
        lax.scan(lambda c, a: (c + a, c), 0.0, x)
        assert compiled == ["jit__lambda", "jit_scan"], compiled
    """,
    "what is called often is compiled": """
        y = x
        for _ in range(compile_less.MOST_USES + 3):
            y = y * 0.5
        assert compiled == ["jit_multiply"], compiled
    """,
    "what may come out otherwise is compiled": """
        tiny = jnp.asarray(np.float32(1e-39))
        compiled.clear()
        assert float(tiny * 1) == 0.0 and compiled == ["jit_multiply"], compiled
        assert not jnp.isnan(jnp.linalg.norm(x)) and "jit_norm" in compiled
    """,
    "checks for numbers that are none stay": """
        jax.config.update("jax_debug_nans", True)
        try:
            (x - x) / (x - x)
        except FloatingPointError:
            pass
        else:
            raise AssertionError("a NaN was not told")
    """,
    "an array that is gone stays so": """
        x.delete()
        try:
            x + 1
        except (RuntimeError, ValueError) as error:
            assert "deleted" in str(error)
        else:
            raise AssertionError("an array that was deleted was read")
    """,
    "an array that was put on a device stays there": """
        y = jax.device_put(x, jax.devices()[0])
        assert (y + 1)._committed and compiled == ["jit_add"], compiled
    """,
    "the same text is compiled once": """
        for _ in range(3):
            lax.scan(lambda c, a: (c + a, c), 0.0, x)
            lax.scan(lambda c, a: (c - a, c), 0.0, x)
        assert compiled == ["jit_scan"] * 2, compiled
    """,
    "what is measured is compiled again": """
        for _ in range(2):
            compile_less.forget()
            jax.jit(lambda v: v * 3).lower(x).compile()
        assert compiled == ["jit__lambda"] * 2, compiled
    """,
    "a callback is never taken for another one": """
        seen = []
        def told(v, name):
            return jax.jit(lambda v: jax.pure_callback(lambda a: (seen.append(name), a)[1], v, v))(v).block_until_ready()
        told(x, "one"), told(x, "other")
        assert seen == ["one", "other"], seen
    """,
}


@pytest.fixture(scope="module")
def failures() -> dict[str, str]:
    """What each case printed that failed; all begin in one process that has imported JAX."""
    cases = json.dumps({name: textwrap.dedent(code) for name, code in CASES.items()})
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEGIN, cases],
        cwd=Path(scanlint.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] | None = json.loads(done.stdout.splitlines()[-1])  # JAX prints too
    if found is None:
        pytest.skip("this JAX has no place for it")
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.parametrize("case", CASES)
def test_less_is_compiled(case: str, failures: dict[str, str]) -> None:
    assert failures[case] == ""
