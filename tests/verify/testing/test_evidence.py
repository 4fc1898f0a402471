"""What a verdict rests on: time that is bounded, branches that were taken, gradients, inputs that callers pass."""

from __future__ import annotations

import sys
import time

import pytest

from scanlint.verify.verifier import Verifier

pytestmark = pytest.mark.slow

LONG = "def f(x):\n    for _ in range(1000):\n        x = jnp.sin(x) + jnp.cos(x)\n    return x\n"
SHORT = "def f(x):\n    return lax.fori_loop(0, 1000, lambda _, x: jnp.sin(x) + jnp.cos(x), x)\n"
CAPPED = "def f(x):\n    n = 0\n    while jnp.abs(x) > 1e-3 and n < 1000:\n        x = x * 0.5\n        n += 1\n    return x, n\n"
CLIP = "def f(g, limit):\n    norm = jnp.sqrt(jnp.sum(g**2))\n    if norm > limit:\n        g = g * (limit / norm)\n    return g\n"
CLIPPED = "def f(g, limit):\n    norm = jnp.sqrt(jnp.sum(g**2))\n    return lax.cond(norm > limit, lambda: g * (limit / norm), lambda: g)\n"
DIVIDE = "def f(x, y):\n    if y != 0:\n        return x / y\n    return jnp.zeros_like(x)\n"


def test_a_thousand_trips_are_proved_in_seconds_of_processor_time(judge) -> None:
    with Verifier(sys.executable) as verifier:
        judge("def f(x):\n    return x\n", "def f(x):\n    return x + 0\n", using=verifier)
        started = time.monotonic()
        found = judge(LONG, SHORT, using=verifier)
        assert found.verdict == "proved", found
        assert found.equations_before == 3000
        assert time.monotonic() - started < 15.0


def test_what_differs_only_after_many_trips_is_refuted(judge) -> None:
    old = "def f(x):\n    for i in range(1000):\n        x = x * 1.001 + 1.0\n    return x\n"
    new = "def f(x):\n    return lax.fori_loop(0, {}, lambda i, x: {}, x)\n"
    assert judge(old, new.format(1000, "x * 1.001 + 1.0")).verdict == "proved"
    assert judge(old, new.format(999, "x * 1.001 + 1.0")).verdict == "refuted"
    assert judge(old, new.format(1000, "jnp.where(i == 700, x, x * 1.001 + 1.0)")).verdict == "refuted"


def test_the_limit_of_a_long_while_is_reached(judge) -> None:
    new = "def f(x):\n    return lax.while_loop(lambda c: (jnp.abs(c[0]) > 1e-3) & (c[1] {} 1000), lambda c: (c[0] * 0.5, c[1] + 1), (x, 0))\n"
    assert judge(CAPPED, new.format("<")).verdict == "proved"
    assert judge(CAPPED, new.format("<=")).verdict == "refuted"


def test_a_gradient_lost_at_a_singular_point_is_noted_and_refuted_where_it_matters(judge) -> None:
    found = judge(CLIP, CLIPPED)
    assert found.verdict in ("proved", "tested"), found
    assert any("singular" in note for note in found.notes)
    assert judge(CLIP, CLIPPED, differentiated=True).verdict == "refuted"


def test_a_guarded_division_that_is_computed_after_all_is_refuted(judge) -> None:
    new = "def f(x, y):\n    return jnp.where(y != 0, x / y, jnp.zeros_like(x))\n"
    found = judge(DIVIDE, new)
    assert found.verdict == "refuted", found
    assert "gradient" in (found.counterexample or "")


def test_another_choice_of_the_same_values_is_differentiated_where_it_matters(judge) -> None:
    old = "def f(x, y):\n    return lax.cond(y != 0, lambda: x / y, lambda: jnp.zeros_like(x))\n"
    found = judge(old, "def f(x, y):\n    return jnp.where(y != 0, x / y, jnp.zeros_like(x))\n")
    assert found.verdict == "refuted", found
    assert "gradient" in (found.counterexample or "")


NEVER = {
    "a ternary": ("def f(x):\n    y = x * 3 if jnp.sum(x) == 1e30 / 7 else x\n    return y\n", "def f(x):\n    return jnp.where(jnp.sum(x) == 1e30 / 7, x * 5, x)\n"),
    "an if on one line": ("def f(x):\n    if jnp.sum(x) == 1e30 / 7: x = x * 3\n    return x\n", "def f(x):\n    return jnp.where(jnp.sum(x) == 1e30 / 7, x * 5, x)\n"),
    "an operand of or": ("def f(x):\n    if x > 0 or x == -1e30 / 7:\n        return x\n    return -2 * x\n", "def f(x):\n    return jnp.where(x > 0, x, -2 * x)\n"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), NEVER.values(), ids=NEVER.keys())
def test_an_outcome_that_never_came_is_unknown(judge, old: str, new: str) -> None:
    found = judge(old, new)
    assert found.verdict == "unknown", found
    assert "never taken" in (found.reason or "")


def test_sizes_that_no_caller_passes_do_not_refute_by_raising(judge) -> None:
    call = "\nif __name__ == '__main__':\n    f(jnp.zeros((3, 2)))\n"
    old = "def f(x):\n    for _ in range(12):\n        x = x * x\n    return x\n" + call
    new = "def f(x):\n    return lax.fori_loop(0, 12, lambda _, x: x * jnp.broadcast_to(x, (3, 2)), x)\n" + call
    found = judge(old, new)
    assert found.inputs == "harvested"
    assert found.verdict == "tested", found
    assert any("no caller" in note for note in found.notes)


def test_an_empty_collection_without_its_shape_is_noted(judge) -> None:
    old = "def f(xs):\n    out = []\n    for x in xs:\n        out.append(jnp.sin(x) * jnp.ones(3))\n    return jnp.array(out)\n"
    new = "def f(xs):\n    return jax.vmap(lambda x: jnp.sin(x) * jnp.ones(3))(xs)\n"
    found = judge(old, new)
    assert found.verdict in ("proved", "tested"), found
    assert any("empty" in note for note in found.notes)


def test_a_proof_names_the_shapes_that_it_holds_for(judge) -> None:
    old = "def f(x):\n    for i in range(x.shape[0]):\n        x = x.at[i].set(jnp.sin(x[i - 1]))\n    return x\n"
    new = "def f(x):\n    return lax.fori_loop(0, x.shape[0], lambda i, x: x.at[i].set(jnp.sin(x[i - 1])), x)\n"
    found = judge(old, new, given=(("x: f32[4]", "module.py:1"), ("x: f32[7]", "module.py:2")))
    assert found.verdict == "proved", found
    (said,) = [note for note in found.notes if note.startswith("the same program for")]
    assert "x: f32[4]" in said
    assert "x: f32[7]" in said


def test_what_is_the_same_in_all_inputs_is_named_once(judge) -> None:
    given = (("x: f32[4], scale: f32[]", "module.py:1"), ("x: f32[7], scale: f32[]", "module.py:2"))
    old = "def f(x, scale):\n    for i in range(3):\n        x = jnp.sin(x) * scale\n    return x\n"
    new = "def f(x, scale):\n    return lax.fori_loop(0, 3, lambda i, x: jnp.sin(x) * scale, x)\n"
    (said,) = [note for note in judge(old, new, given=given).notes if note.startswith("the same program for")]
    assert said.count("scale: f32[]") == 1
    assert "x: f32[4], scale: f32[]; x: f32[7]" in said


def test_measuring_fills_the_compile_times(judge) -> None:
    with Verifier(sys.executable, measure=True) as verifier:
        found = judge(LONG.replace("1000", "60"), SHORT.replace("1000", "60"), using=verifier)
    assert found.verdict == "proved", found
    assert found.compile_seconds_before and found.compile_seconds_after
    assert any("one run takes" in note for note in found.notes)


def test_a_gradient_that_differs_at_zero_is_refuted_where_the_old_one_is_smooth(judge) -> None:
    old = "def f(a):\n    for _ in range(21):\n        a = jnp.sin(a + jnp.tanh(0.9 * a))\n    return a\n"
    new = "def f(a):\n    return lax.fori_loop(0, {}, lambda _, a: jnp.sin(a + jnp.tanh(0.9 * a)), a)\n"
    assert judge(old, new.format(21)).verdict == "proved"
    assert judge(old, new.format(20)).verdict == "refuted"


def test_a_tie_that_shows_only_with_another_sign_beside_is_refuted(judge) -> None:
    old = "def f(x, y):\n    if x > 0:\n        return jnp.abs(x)\n    if x > y:\n        return jnp.arctan(x) + 1.0\n    return x * y\n"
    new = "def f(x, y):\n    return lax.cond(x {} 0, lambda: jnp.abs(x), lambda: lax.cond(x > y, lambda: jnp.arctan(x) + 1.0, lambda: x * y))\n"
    assert judge(old, new.format(">")).verdict == "proved"
    assert judge(old, new.format(">=")).verdict == "refuted"


def test_a_lost_gradient_of_a_while_is_found_in_forward_mode(judge) -> None:
    old = "def f(x):\n    while jnp.abs(x) > 0.1:\n        x = 0.7 * x\n    return x\n"
    new = "def f(x):\n    return lax.while_loop(lambda x: jnp.abs(x) > 0.1, lambda x: {}, x)\n"
    assert judge(old, new.format("0.7 * x")).verdict == "proved"
    assert judge(old, new.format("lax.stop_gradient(0.7 * x)")).verdict == "refuted"


def test_inputs_on_which_the_old_version_does_not_end_are_told_in_one_note(judge) -> None:
    old = "def f(x):\n    while jnp.max(jnp.abs(x)) > 0.1:\n        x = 0.7 * x\n    return x\n\nif __name__ == '__main__':\n    f(jnp.ones(3))\n"
    new = "def f(x):\n    return lax.while_loop(lambda x: jnp.max(jnp.maximum(x, -x)) > 0.1, lambda x: 0.7 * x, x)\n"
    found = judge(old, new)
    assert found.verdict == "tested", found
    (said,) = [n for n in found.notes if "took too long" in n]
    assert said.startswith("an infinity")


def test_a_python_number_that_becomes_an_array_is_noted_with_where(judge) -> None:
    old = "def f(xs):\n    total = 0\n    for x in xs:\n        total = total + 0.5 * x\n    return total\n"
    new = "def f(xs):\n    return lax.scan(lambda t, x: (t + 0.5 * x, None), jnp.zeros(()), xs)[0]\n"
    found = judge(old, new, given=(("xs: f32[4]", "module.py:1"), ("xs: f32[0]", "module.py:2")))
    assert found.verdict in ("proved", "tested"), found
    assert any("was int32 (weak" in note and "is float32" in note and "float32[0]" in note for note in found.notes)


KALMAN = """
def f(y, A, C, Q, R, mu, Sigma):
    mus = []
    loglik = 0.0
    for k in range(y.shape[0]):
        if k > 0:
            mu = A @ mu
            Sigma = A @ Sigma @ A.T + Q
        e = y[k] - C @ mu
        S = C @ Sigma @ C.T + R
        K = Sigma @ C.T @ jnp.linalg.inv(S)
        mu = mu + K @ e
        Sigma = Sigma - K @ C @ Sigma
        loglik = loglik - 0.5 * (e @ jnp.linalg.solve(S, e) + jnp.log(jnp.linalg.det(2 * jnp.pi * S)))
        mus.append(mu)
    return jnp.array(mus), loglik
"""
ROLLED_KALMAN = """
def f(y, A, C, Q, R, mu, Sigma):
    def step(carry, k):
        mu, Sigma, loglik = carry
        mu, Sigma = lax.cond(k > 0, lambda: (A @ mu, A @ Sigma @ A.T + Q), lambda: (mu, Sigma))
        e = y[k] - C @ mu
        S = C @ Sigma @ C.T + R
        K = Sigma @ C.T @ jnp.linalg.inv(S)
        mu = mu + K @ e
        Sigma = Sigma - K @ C @ Sigma
        loglik = loglik - 0.5 * (e @ jnp.linalg.solve(S, e) + jnp.log(jnp.linalg.det(2 * jnp.pi * S)))
        return (mu, Sigma, loglik), mu
    (_, _, loglik), mus = lax.scan(step, (mu, Sigma, 0.0), jnp.arange(y.shape[0]))
    return mus, loglik
"""


def test_a_gradient_that_is_not_finite_for_rounding_alone_is_no_counterexample(judge) -> None:
    found = judge(KALMAN, ROLLED_KALMAN)
    assert found.verdict == "proved", found


AMPLIFIED = """
def f(x):
    x = jnp.tanh(x)
    for t in range(4):
        x = jnp.sin(3.0 * x * (1 - 0.999 ** (t + 1)) / (0.001 * (t + 1)))
    return x
"""
ROLLED_AMPLIFIED = """
def f(x):
    return lax.fori_loop(0, 4, lambda t, x: jnp.sin(3.0 * x * (1 - {power}) / (0.001 * (t + 1))), jnp.tanh(x))
"""


@pytest.mark.parametrize(
    ("power", "verdicts"),
    [("0.999 ** (t + 1)", {"tested"}), ("0.999001 ** (t + 1)", {"refuted"}), ("0.999 ** (t + 2)", {"refuted"})],
)
def test_a_power_that_rounds_in_an_array_is_no_counterexample_where_steps_amplify_it(
    judge, power: str, verdicts: set[str]
) -> None:
    found = judge(AMPLIFIED, ROLLED_AMPLIFIED.format(power=power))
    assert found.verdict in verdicts, found


@pytest.mark.parametrize(("power", "wrong"), [("0.999 ** (t + 1)", False), ("0.999 ** (t + 2)", True)])
def test_where_the_last_bits_decide_all_a_difference_is_no_counterexample_unless_doubles_show_it(
    judge, power: str, wrong: bool
) -> None:
    old, new = (
        text.replace("range(4)", "range(10)").replace("0, 4,", "0, 10,") for text in (AMPLIFIED, ROLLED_AMPLIFIED)
    )
    found = judge(old, new.format(power=power))
    assert (found.verdict == "refuted") is wrong, found


@pytest.mark.parametrize(
    ("before", "after"), [("jnp.array(out).mean(0)", "out.mean(0)"), ("sum(out)", "jnp.sum(out, axis=0)")]
)
def test_what_is_a_number_where_no_trip_is_made_is_noted(judge, before: str, after: str) -> None:
    old = f"def f(xs, v):\n    out = []\n    for i in range(xs.shape[0] - 1, 0, -1):\n        out.append(v * 1.0 + i)\n    return {before}\n"
    new = "def f(xs, v):\n    out = jax.vmap(lambda i: v * 1.0 + i)(jnp.arange({start}, 0, -1))\n    return {after}\n"
    found = judge(old, new.format(start="xs.shape[0] - 1", after=after))
    assert found.verdict in ("proved", "tested"), found
    assert "where there are no rows, what the loop starts with has the shape of a row" in found.notes
    for start, wrong in (("xs.shape[0]", after), ("xs.shape[0] - 1", f"{after} + jnp.zeros(2)")):
        assert judge(old, new.format(start=start, after=wrong)).verdict == "refuted"
