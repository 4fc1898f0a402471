"""What a recorded run shows: it confirms findings, adds what the text does not show, and changes nothing of the program."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
Run = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., None]
Json = dict[str, object]

PROGRAM = """\
    import jax
    import jax.numpy as jnp


    def step(x, v, dt):
        v = v - jnp.sin(x) * dt
        return x + v * dt, v


    def simulate(n, integrator):
        x, v = jnp.ones(3), jnp.zeros(3)
        for i in range(n):
            x, v = integrator(x, v, 0.01)
        return x


    def layers(functions, x):
        for function in functions:
            x = jnp.tanh(function(x)) + x * 2.0
        return x.sum()


    @jax.jit
    def grow(x):
        return jnp.sort(x) * 2


    def check(x):
        return 1 if x > 0 else 0


    @jax.jit
    def rollout(x):
        for t in range(60):
            x = jnp.sin(x) * 2.0 + jnp.cos(x) * t
        return x


    def known(n):
        x = jnp.ones(3)
        for i in range(n):
            x = step_of_two(x)
        return x


    @jax.jit
    def step_of_two(x):
        return jnp.sin(x) + 1.0


    REGISTRY = {"step": step}


    def main():
        print(simulate(600, REGISTRY["step"]))
        print(jax.jit(lambda x: layers([jnp.sin, jnp.cos] * 20, x))(jnp.ones(3)))
        print(rollout(jnp.ones(3)), known(1500))
        for n in range(2, 10):
            grow(jnp.ones(n))
        try:
            jax.jit(globals()["check"])(1.0)
        except jax.errors.TracerBoolConversionError as error:
            print(type(error).__name__)


    if __name__ == "__main__":
        main()
    """


def found(done: subprocess.CompletedProcess[str]) -> dict[tuple[str, str], Json]:
    shown = json.loads(done.stdout)["findings"]
    return {(f["name"], f["function"]): f for f in shown}


@pytest.fixture
def recorded(tmp_path: Path, write: Write, plain: Run, scanlint_: Run) -> Path:
    """The program in a folder, with the evidence of one run; the run is as ever."""
    write(sim_py=PROGRAM)
    as_ever = plain("python", "sim.py")
    done = scanlint_("record", "-q", "--", "python", "sim.py")
    assert (done.returncode, done.stdout, done.stderr) == (as_ever.returncode, as_ever.stdout, as_ever.stderr)
    return tmp_path


def test_a_run_confirms_findings_and_adds_what_the_text_does_not_show(recorded: Path, scanlint_: Run) -> None:
    told = found(scanlint_("check", "--output-format", "json", "--extend-select", "recompiled", "."))
    evidence = {key: finding["evidence"] for key, finding in told.items()}
    assert evidence == {
        ("unrolled-loop", "rollout"): "text",
        ("eager-step-loop", "simulate"): "recorded",
        ("unrolled-loop", "layers"): "recorded",
        ("recompiled", None): "recorded",
        ("traced-if", "check"): "recorded",
    }
    assert told["unrolled-loop", "rollout"]["measured"]["repeats"] == 60  # type: ignore[index]
    loop = told["eager-step-loop", "simulate"]
    assert 2900 <= loop["measured"]["dispatches"] <= 3600  # type: ignore[index]
    assert 0 < loop["measured_seconds"] < loop["measured"]["run_seconds"]  # type: ignore[index,operator]
    assert "compiled 8 times for 8 kinds of arguments: `float32[2]`" in str(told["recompiled", None]["message"])
    text = scanlint_("check", ".").stdout
    assert "dispatches, " in text and "the same equations 60 times in one trace" in text


def test_rules_that_are_chosen_and_ignores_hold_for_what_a_run_shows(recorded: Path, scanlint_: Run) -> None:
    chosen = found(scanlint_("check", "--output-format", "json", "--select", "unrolled-loop", "."))
    assert set(chosen) == {("unrolled-loop", "rollout"), ("unrolled-loop", "layers")}
    ignored = found(scanlint_("check", "--output-format", "json", "--ignore", "eager-step-loop", "."))
    assert ("eager-step-loop", "simulate") not in ignored


def test_an_ignore_of_what_only_a_run_shows_is_not_in_vain(tmp_path: Path, write: Write, scanlint_: Run) -> None:
    marked = PROGRAM.replace(
        "in range(n):\n            x, v", "in range(n):  # scanlint: ignore[eager-step-loop]\n            x, v"
    )
    write(sim_py=marked)
    scanlint_("record", "-q", "--", "python", "sim.py")
    told = found(scanlint_("check", "--output-format", "json", "."))
    assert not any(name in ("eager-step-loop", "unused-ignore") for name, _ in told)


def test_evidence_of_a_function_holds_until_the_function_changes(recorded: Path, scanlint_: Run) -> None:
    file = recorded / "sim.py"
    before = found(scanlint_("check", "--output-format", "json", "."))
    file.write_text("# more\n" + file.read_text().replace("print(known", "print(0.0, known"))
    after = found(scanlint_("check", "--output-format", "json", "."))
    assert {key: f["line"] + 1 for key, f in before.items()} == {key: f["line"] for key, f in after.items()}  # type: ignore[operator]
    assert {key: f["measured"] for key, f in before.items()} == {key: f["measured"] for key, f in after.items()}
    file.write_text(file.read_text().replace("return 1 if x > 0 else 0", "return 2 if x > 0 else 0"))
    assert before.keys() - found(scanlint_("check", "--output-format", "json", ".")).keys() == {("traced-if", "check")}


def test_what_a_run_has_shown_remains_when_another_function_is_rewritten(recorded: Path, scanlint_: Run) -> None:
    fixed = scanlint_("--fix", "--output-format", "json", "--verify-timeout", "300", "--select", "SCN1,SCN2", ".")
    told = found(fixed)
    assert fixed.returncode == 1
    assert told["unrolled-loop", "rollout"]["fix"]["status"] == "applied"  # type: ignore[index]
    assert told["traced-if", "check"]["evidence"] == "recorded"
    again = scanlint_("check", "--output-format", "json", "--select", "SCN1,SCN2", ".")
    assert again.returncode == 1 and ("traced-if", "check") in found(again)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": {"sim.py": {}}}', '{"files": {"sim.py": {"loops": 3}}}'])
def test_damaged_evidence_gives_a_note(tmp_path: Path, write: Write, scanlint_: Run, text: str) -> None:
    write(sim_py="import jax\n")
    (tmp_path / ".scanlint").mkdir()
    (tmp_path / ".scanlint" / "evidence.json").write_text(text)
    done = scanlint_("check", ".")
    assert done.returncode == 0
    assert "evidence.json: cannot be read: `scanlint record` makes it anew" in done.stderr
