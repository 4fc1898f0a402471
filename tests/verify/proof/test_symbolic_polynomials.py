"""Bounds of polynomials: what is said of all sizes and trips has to be so for each."""

from __future__ import annotations

import itertools

import pytest

from scanlint.verify.worker.proof.symbolic.polynomials import Integers, Polynomial, number, symbol

N, M, T, U = (symbol(name) for name in ("n12", "n7", "t0", "t1"))


@pytest.fixture
def integers() -> Integers:
    """`t0` in range(n12), `t1` in range(t0)."""
    made = Integers()
    made.ranges["t0"] = number(0), N - 1
    made.ranges["t1"] = number(0), T - 1
    return made


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (N - 1 - T, True), (N - 2 - T, False), (T - U - 1, True), (T - U - 2, False), (N - U - 2, True),
        (N * M - 1, True), (N * M - 2, False), (N - M, False), (N * N - N, False), (N * N - N - 1, False),
        (T * T, True), (T * T - T, False), (N * T - T * U, False), ((N - 1) * (N - 1) - T * T, True),
    ],
)  # fmt: skip
def test_what_is_found_to_be_at_least_zero(integers: Integers, value: Polynomial, known: bool) -> None:
    assert integers.at_least_zero(value) is known


@pytest.mark.parametrize("power", [1, 2, 3])
def test_what_is_said_of_all_holds_for_each(integers: Integers, power: int) -> None:
    """Many polynomials against their values at small sizes."""
    factors, said = (N, M, T, U), 0
    for k, (a, b, c) in enumerate(itertools.product((-2, -1, 1, 2), repeat=3)):
        one, other = factors[k % 4], factors[(k // 4) % 4]
        value = one * a + other * b + c
        for _ in range(power - 1):
            value = value * one + b
        if not integers.at_least_zero(value):
            continue
        said += 1
        for n, m in itertools.product((1, 2, 5), repeat=2):
            for t, u in itertools.combinations(range(n), 2):
                at = {"n12": n, "n7": m, "t0": u, "t1": t}
                found = value
                for name, known in at.items():
                    found = found.replaced(name, number(known))
                assert found.constant is not None
                assert found.constant >= 0, (str(value), at)
    assert said


def test_a_square_of_a_negative_value_is_not_taken_for_monotonous() -> None:
    integers = Integers()
    integers.values["a1"] = number(-3), number(2)
    assert not integers.at_least_zero(symbol("a1") * symbol("a1") - 1)
    assert not integers.at_least_zero(-(symbol("a1") * symbol("a1")) + 4)


@pytest.mark.parametrize("by", [2, 3, 7])
def test_quotients_round_down(by: int) -> None:
    integers = Integers()
    integers.ranges["t0"] = number(0), number(by - 1)
    quotient, rest = integers.divided(T - by, by)
    assert (quotient, rest) == (number(-1), T)
    integers.ranges["t0"] = number(0), number(by)
    assert integers.divided(T, by)[0].constant is None


def test_a_type_that_is_too_small_lowers_the_largest_size() -> None:
    integers = Integers()
    assert integers.fits(N * N, "int32")
    assert integers.most**2 < 2**31
    assert not integers.fits(N, "int8")
    assert integers.most == 46340


def test_a_trip_is_inside_only_while_its_loop_is_open() -> None:
    integers = Integers()
    with integers.within("t0", N), integers.within("t0", M):
        assert integers.at_least_zero(M - 1 - T)
        assert not integers.at_least_zero(N - 1 - T)
    assert "t0" not in integers.ranges
