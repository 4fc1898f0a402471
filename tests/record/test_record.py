"""`scanlint record`: what is kept of which calls, that nothing else changes, and what the verifier makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scanlint.record.recordings import recorded
from scanlint.verify.verifier import Task, Verifier

pytestmark = [pytest.mark.long, pytest.mark.slow]
MODEL = """\
    import dataclasses
    from functools import partial
    from typing import NamedTuple

    import jax
    import jax.numpy as jnp


    class State(NamedTuple):
        position: jax.Array
        velocity: jax.Array


    @partial(jax.jit, static_argnames="steps")
    def rollout(state, table, steps):
        for t in range(40):
            force = table["w"] @ state.position + table["b"]
            state = State(state.position + 0.1 * state.velocity, jnp.tanh(force) * 0.9)
        return state


    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Layer:
        weight: jax.Array

        @jax.jit
        def run(self, x):
            for t in range(30):
                x = jnp.sin(self.weight * x) + jnp.cos(x)
            return x


    def make(scale):
        @jax.jit
        def noise(x, key):
            for t in range(20):
                x = x * scale + jax.random.normal(key, x.shape)
            return x

        return noise


    def helper(function, x):
        for t in range(25):
            x = function(x) + 1.0
        return x


    @jax.jit
    def outer(x):
        return helper(lambda v: jnp.sin(v) * 2.0, x).sum()
    """
TESTS = """\
    import jax
    import jax.numpy as jnp
    import model


    def test_rollout():
        for size in (3, 4):
            state = model.State(jnp.ones(size), jnp.zeros(size))
            table = {"w": jnp.eye(size), "b": jnp.ones(size)}
            assert model.rollout(state, table, 5).position.shape == (size,)


    def test_others():
        assert model.Layer(jnp.array(0.5)).run(jnp.ones(2)).shape == (2,)
        assert model.make(0.3)(jnp.ones((2, 3)), jax.random.key(3)).shape == (2, 3)
        assert model.outer(jnp.ones(5)).shape == ()
    """
Write = Callable[..., None]
Run = Callable[..., subprocess.CompletedProcess[str]]


def calls(folder: Path, name: str) -> list[dict[str, dict[str, object]]]:
    """The arguments of the recorded calls of one function."""
    with zipfile.ZipFile(folder / ".scanlint" / "recorded" / f"{name}.npz") as archive:
        return [call["arguments"] for call in json.loads(archive.read("calls.json"))["calls"]]


def tree(folder: Path) -> dict[str, bytes]:
    files = (f for f in folder.rglob("*") if f.is_file() and ".scanlint" not in f.parts and "pytest" not in str(f))
    return {str(f.relative_to(folder)): f.read_bytes() for f in files}


def verdicts(done: str) -> dict[str, dict[str, object]]:
    return {f["function"]: f["verification"] for f in json.loads(done)["findings"]}


def test_a_test_run_is_recorded_and_used(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    write(model_py=MODEL, test_model_py=TESTS)
    before = tree(tmp_path)
    done = scanlint_("record", "--", "python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recorded 7 calls of 6 functions (6 watched)" in done.stderr
    assert tree(tmp_path) == before
    assert (tmp_path / ".scanlint" / ".gitignore").read_text().endswith("*\n")

    first, second = calls(tmp_path, "model--rollout")
    assert first["state"]["namedtuple"] == {"module": "model", "file": "model.py", "name": "State"}
    assert (first["steps"], second["table"]["dict"][0][1]["shape"]) == (5, [4, 4])
    (noise,) = calls(tmp_path, "model--make.noise")
    assert noise["key"]["dtype"] == "key<fry>"
    (helper,) = calls(tmp_path, "model--helper")
    assert (helper["x"]["aval"], helper["function"]["line"]) == ([5], 52)

    found = verdicts(scanlint_("--fix", "--output-format", "json", ".").stdout)
    assert {name: (v["verdict"], v["inputs"]) for name, v in found.items()} == {
        "rollout": ("proved", "recorded"),
        "Layer.run": ("proved", "recorded"),
        "make.<locals>.noise": ("proved", "recorded"),
        "helper": ("proved", "recorded"),
    }


def test_costs_are_shown_until_the_function_changes(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    write(model_py=MODEL, test_model_py=TESTS)
    scanlint_("record", "-q", "--", "python", "-m", "pytest", "-q")
    shown = scanlint_("model.py").stdout
    assert "measured: 240 of the 240 equations of `rollout`, which took" in shown
    found = json.loads(scanlint_("--output-format", "json", "model.py").stdout)["findings"]
    assert all(f["cost"]["equations"] <= f["cost"]["total_equations"] for f in found)
    text = (tmp_path / "model.py").read_text()
    assert "range(40)" in text
    (tmp_path / "model.py").write_text(text.replace("range(40)", "range(41)"))
    changed = scanlint_("model.py").stdout
    assert "equations of `rollout`, which took" not in changed
    assert "measured: " in changed  # those of the other functions still hold


def test_a_function_that_is_unknown_without_is_verified_with_a_recording(write: Write, scanlint_: Run) -> None:
    write(
        model_py="""\
        import jax
        import jax.numpy as jnp


        class Plan:
            def __init__(self, folder):
                self.rows = [open(f"{folder}/{k}").read() for k in range(3)]


        def settle(x, plan):
            if not isinstance(plan, Plan) or len(plan.rows) != 3:
                raise TypeError("no plan")
            for t in range(30):
                x = jnp.sin(x) * plan.rows[1]["gain"] + plan.rows[2]["shift"]
            return x


        def run(x, plan):
            return jax.jit(lambda x: settle(x, plan))(x)
        """,
        use_py="""\
        import sys

        import jax.numpy as jnp
        import model

        plan = object.__new__(model.Plan)
        plan.rows = [None, {"gain": float(sys.argv[1])}, {"shift": jnp.ones(3)}]
        model.run(jnp.ones(3), plan)
        """,
    )
    without = verdicts(scanlint_("--fix", "--output-format", "json", "model.py").stdout)
    assert without["settle"]["verdict"] == "unknown"
    assert scanlint_("record", "--", "python", "use.py", "0.5").returncode == 0
    found = verdicts(scanlint_("--fix", "--output-format", "json", "model.py").stdout)
    assert found["settle"]["verdict"] in ("proved", "tested")
    assert found["settle"]["inputs"] == "recorded"


def test_a_mode_that_no_recorded_call_took_is_tried_as_well(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    write(
        model_py="""\
        from functools import partial

        import jax
        import jax.numpy as jnp


        @partial(jax.jit, static_argnames=("mode", "table"))
        def settle(x, mode="fast", table=None):
            for t in range(30):
                if mode == "slow":
                    x = jnp.sin(x) * t
                elif table is not None:
                    x = jnp.sin(x) * table[1]
                else:
                    x = jnp.cos(x)
            return x
        """,
        use_py="import jax.numpy as jnp\nimport model\n\nmodel.settle(jnp.ones(3), 'fast', (0.5, 2.0))\n",
    )
    assert scanlint_("record", "--", "python", "use.py").returncode == 0
    found = verdicts(scanlint_("--fix", "--output-format", "json", "model.py").stdout)
    assert (found["settle"]["verdict"], found["settle"]["inputs"]) == ("proved", "recorded")


def test_what_was_recorded_is_kept_when_the_run_is_ended(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    write(
        model_py=MODEL,
        use_py="""\
        import os, signal, time
        import jax.numpy as jnp
        import model

        model.outer(jnp.ones(5))
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(60)
        """,
    )
    done = scanlint_("record", "--python", sys.executable, "--", sys.executable, "use.py")
    assert done.returncode == 128 + 15
    assert len(calls(tmp_path, "model--helper")) == 1
    assert not list((tmp_path / ".scanlint").glob("parts-*"))


def test_a_function_that_another_one_makes_is_rewritten(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    write(
        model_py="""\
            import jax
            import jax.numpy as jnp


            def make(scale):
                def settle(x):
                    for i in range(50):
                        x = jnp.sin(x * scale) + jnp.cos(x + i)
                        if i % 3 == 0:
                            x = x - 1
                    return x

                return settle
            """,
        run_py="import jax\nimport jax.numpy as jnp\nfrom model import make\n\njax.jit(make(2.0))(jnp.ones(3))\n",
    )
    assert scanlint_("record", "--", "python", "run.py").returncode == 0
    done = scanlint_("--fix", "--no-cache", "--output-format", "concise", ".")
    assert "Found 1 finding (1 fixed, 0 remaining)" in done.stdout, done.stdout
    text = (tmp_path / "model.py").read_text()
    assert "jax.lax.fori_loop(0, 50, body, x)" in text
    assert "            return jnp.where(i % 3 == 0, x - 1, x)" in text


def test_functions_of_all_kinds_are_rebuilt(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    write(
        model_py="""\
        import enum

        import jax.numpy as jnp


        class Mode(enum.Enum):
            FAST = 1


        def settle(x, jacobian, mode, parts):
            if mode is not Mode.FAST:
                raise ValueError(mode)
            for t in range(30):
                x = jnp.tanh(jacobian(x) @ x) + sum(part(x) for part in parts)
            return x
        """,
        use_py="""\
        import functools

        import jax
        import jax.numpy as jnp
        from model import Mode, settle


        def scaled(a, v):
            return a * v


        class Net:
            def __init__(self):
                self.w = jnp.eye(3)

            def apply(self, v):
                return self.w @ v


        class Late:
            def __init__(self, gain):
                def apply(self, v):
                    return self.gain * v

                self.gain = gain
                setattr(type(self), "apply", apply)


        def main():
            q = jnp.arange(3.0)
            jacobian = jax.jacfwd(lambda v: jnp.sin(v) * q)
            parts = [functools.partial(scaled, 0.1), Net().apply, jax.vmap(lambda r: r * 2), jnp.cos, Late(0.2).apply]
            print(jax.grad(lambda x: settle(x, jacobian, Mode.FAST, parts).sum())(jnp.ones(3)).shape)
            jax.jit(lambda x: settle(x, jacobian, Mode.FAST, parts))(jnp.ones(3))


        main()
        """,
        tried_py="%timeit settle(x)\n",  # an error in a file, which is no reason not to record others
    )
    assert scanlint_("record", "--", "python", "use.py").stdout == "(3,)\n"
    (kept,) = calls(tmp_path, "model--settle")
    assert kept["x"]["array"] == 0  # the value that is differentiated at, not its tracer
    kinds = [next(iter(part)) for part in kept["parts"]["list"]]
    assert (next(iter(kept["jacobian"])), kinds) == ("closure", ["partial", "method", "closure", "import", "method"])
    text = (tmp_path / "model.py").read_text()
    (tmp_path / "new.py").write_text(text.replace("range(30)", "list(range(30))"))
    with Verifier(sys.executable) as verifier:
        task = Task(
            "model.py", "settle", text, (tmp_path / "new.py").read_text(), str(tmp_path), str(tmp_path / "model.py")
        )
        found = verifier.verify(replace(task, recorded=recorded(tmp_path, tmp_path / "model.py", "settle")))
    assert (found.verdict, found.inputs) == ("proved", "recorded"), found.reason


SCRIPT = """\
    import sys

    import jax
    import jax.numpy as jnp


    class Local:
        pass


    @jax.jit
    def settle(x):
        for t in range(30):
            x = jnp.sin(x) + jnp.cos(x) * t
        return x


    def fail():
        raise ValueError("as it should")


    if __name__ == "__main__":
        print(sys.argv, __file__, __name__, __spec__, sys.path[0], Local.__module__)
        print(settle(jnp.ones(3)))
        print("to stderr", file=sys.stderr)
        {end}
    """


@pytest.mark.parametrize(
    ("end", "code"),
    [
        pytest.param("", 0, id="a script that ends"),
        pytest.param("sys.exit(7)", 7, id="one that exits"),
        pytest.param("fail()", 1, id="one that raises"),
        pytest.param("import os; os._exit(5)", 5, id="one that ends at once"),
        pytest.param("import os; sys.stdout.flush(); os.kill(os.getpid(), 9)", 137, id="one that is killed"),
    ],
)
def test_a_script_runs_as_ever(end: str, code: int, tmp_path: Path, write: Write, plain: Run, scanlint_: Run) -> None:
    write(train_py=SCRIPT.replace("{end}", end))
    before = tree(tmp_path)
    expected = plain("python", "train.py", "--rate", "2")
    done = scanlint_("record", "-q", "--", "python", "train.py", "--rate", "2")
    assert done.returncode == code
    assert expected.returncode in (code, code - 128 - 2 * (code - 128))
    assert done.stdout.replace("'python'", "") == expected.stdout.replace("'python'", "")
    assert done.stderr == expected.stderr
    assert tree(tmp_path) == before
    assert len(calls(tmp_path, "train--settle")) == 1


def test_other_processes_are_recorded_and_another_sitecustomize_still_runs(
    tmp_path: Path, write: Write, scanlint_: Run
) -> None:
    write(
        model_py=MODEL,
        site__sitecustomize_py="import builtins\nbuiltins.hello = 'from the site'\n",
        run_py="""\
        import multiprocessing
        import subprocess
        import sys

        import jax.numpy as jnp


        def work(size):
            import model

            return model.Layer(jnp.ones(size)).run(jnp.ones(size)).shape


        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(hello, pool.map(work, [2]))
            code = "import model, jax.numpy as jnp; print(hello, model.outer(jnp.ones(6)).shape)"
            subprocess.run([sys.executable, "-c", code], check=True)
        """,
    )
    done = scanlint_("record", "--", "python", "run.py", PYTHONPATH=str(tmp_path / "site"))
    assert done.stdout == "from the site [(2,)]\nfrom the site ()\n", done.stderr
    assert len(calls(tmp_path, "model--Layer.run")) == 1
    assert len(calls(tmp_path, "model--helper")) == 1


def test_few_calls_are_kept_of_many_and_distinct_shapes_come_first(
    tmp_path: Path, write: Write, scanlint_: Run
) -> None:
    write(
        model_py="""\
        import jax.numpy as jnp
        import jax


        def settle(x, n):
            for t in range(30):
                x = jnp.sin(x) + jnp.cos(x) * t
            return x


        run = jax.jit(settle)
        """,
        use_py="""\
        import numpy as np
        from model import settle

        for k in range(300):
            settle(np.full(2 if k < 200 else k % 3 + 1, float(k)), k)
        settle(np.zeros(1_000_000), open("use.py"))
        settle(np.zeros(1_000_000), 1)
        """,
    )
    done = scanlint_("record", "--", "python", "use.py")
    assert done.returncode == 0, done.stderr
    kept = calls(tmp_path, "model--settle")
    assert 2 <= len(kept) <= 6
    assert (tmp_path / ".scanlint" / "recorded" / "model--settle.npz").stat().st_size < 20_000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["record"], "record needs a command", id="no command"),
        pytest.param(["record", "--", "no-such-thing"], "`no-such-thing`: no such command", id="no such command"),
    ],
)
def test_what_cannot_be_run_is_said(words: list[str], said: str, write: Write, scanlint_: Run) -> None:
    write(model_py=MODEL)
    done = scanlint_(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
