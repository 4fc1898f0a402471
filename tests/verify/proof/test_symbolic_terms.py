"""Terms for all sizes: what is bound is renamed, nothing is captured, and a type wraps what leaves it."""

from __future__ import annotations

import numpy as np
import pytest

from scanlint.verify.worker.proof.symbolic.loops import Algebra
from scanlint.verify.worker.proof.symbolic.polynomials import number, symbol
from scanlint.verify.worker.proof.symbolic.term_table import Term

FLOAT, WHOLE, SMALL = np.dtype("float32"), np.dtype("int32"), np.dtype("int8")
N = symbol("n12")


@pytest.fixture
def algebra() -> Algebra:
    return Algebra()


def matrix(algebra: Algebra, k: int = 0) -> Term:
    return algebra.term("input", k, (), (N, N), FLOAT)


def table(algebra: Algebra, swapped: bool, x: Term) -> Term:
    """The table of `x[i, j] - x[0, 0] * i`, its rows by i or by j."""
    outer, inner = algebra.fresh("t"), algebra.fresh("t")
    with algebra.integers.within(outer, N), algebra.integers.within(inner, N):
        i, j = (symbol(inner), symbol(outer)) if swapped else (symbol(outer), symbol(inner))
        item = algebra.row(algebra.row(x, 0, i), 0, j)
        scaled = algebra.make("convert_element_type", (), [algebra.integer(i, WHOLE)], (), FLOAT)
        found = algebra.make("sub", (), [item, scaled], (), FLOAT)
        return algebra.rows(outer, N, algebra.rows(inner, N, found))


def test_bound_names_do_not_tell_terms_apart(algebra: Algebra) -> None:
    x = matrix(algebra)
    assert table(algebra, False, x) is table(algebra, False, x)


def test_rows_by_the_other_index_are_another_table(algebra: Algebra) -> None:
    x = matrix(algebra)
    assert table(algebra, False, x) is not table(algebra, True, x)


def test_a_row_at_an_outer_trip_is_not_captured(algebra: Algebra) -> None:
    """`row t of the table` for each t, within a binder that has the height of the table's own."""
    x = matrix(algebra)
    made, name = table(algebra, False, x), algebra.fresh("t")
    with algebra.integers.within(name, N) as trip:
        again = algebra.rows(name, N, algebra.row(made, 0, trip))
    assert again is made


def test_a_place_that_is_substituted_into_nested_rows_stays_free(algebra: Algebra) -> None:
    x, outer = matrix(algebra), "t999998"
    with algebra.integers.within(outer, N) as trip:
        row = algebra.row(table(algebra, True, x), 1, trip)
        assert outer in row.free
        assert algebra.substituted(row, {outer: number(0)}) is algebra.row(table(algebra, True, x), 1, number(0))


def test_both_trips_are_replaced_at_once(algebra: Algebra) -> None:
    x, i, j = matrix(algebra), symbol("t1"), symbol("t2")
    with algebra.integers.within("t1", N), algebra.integers.within("t2", N):
        one = algebra.row(algebra.row(x, 0, i), 0, j)
        assert algebra.substituted(one, {"t1": number(0), "t2": number(0)}).free == frozenset()


@pytest.mark.parametrize(("dtype", "value", "exact"), [(SMALL, 100, True), (SMALL, 127, False), (WHOLE, 127, True)])
def test_a_sum_that_leaves_its_type_is_not_its_polynomial(
    algebra: Algebra, dtype: np.dtype[np.generic], value: int, exact: bool
) -> None:
    with algebra.integers.within("t1", number(28)) as trip:
        total = algebra.integer(trip + value, dtype)
        assert (algebra.exact(total) == trip + value) is exact


def test_a_value_that_wraps_is_not_the_wider_value(algebra: Algebra) -> None:
    small = algebra.term("input", 1, (), (), SMALL)
    twice = algebra.make("add", (), [small, small], (), SMALL)
    wide = algebra.make("convert_element_type", (), [small], (), WHOLE)
    assert algebra.make("convert_element_type", (), [twice], (), WHOLE) is not algebra.make(
        "add", (), [wide, wide], (), WHOLE
    )


def test_wrapping_by_substitution_is_seen(algebra: Algebra) -> None:
    """A comparison of a state, which then is known to leave its type."""
    state = algebra.state("s1", (), SMALL)
    wide = algebra.make("convert_element_type", (), [state], (), WHOLE)
    with algebra.integers.within("t1", number(1000)) as trip:
        known = algebra.integer(trip, SMALL)
        assert algebra.exact(algebra.substituted(wide, {"s1": known})) != trip


@pytest.mark.parametrize("reverse", [False, True])
def test_or_is_not_of_and(algebra: Algebra, reverse: bool) -> None:
    a, b = (algebra.term("input", k, (), (), np.dtype(bool)) for k in (3, 4))
    either = algebra.make("or", (), [b, a] if reverse else [a, b], (), a.dtype)
    neither = algebra.make("and", (), [algebra.make("not", (), [x], (), x.dtype) for x in (a, b)], (), a.dtype)
    assert algebra.make("not", (), [neither], (), a.dtype) is either
    assert algebra.make("not", (), [either], (), a.dtype) is neither


def test_a_choice_within_a_choice(algebra: Algebra) -> None:
    a, b = (algebra.term("input", k, (), (), np.dtype(bool)) for k in (3, 4))
    x, y = (algebra.term("input", k, (), (), FLOAT) for k in (5, 6))

    def chosen(which: Term, no: Term, yes: Term) -> Term:
        return algebra.make("select_n", (), [which, no, yes], (), FLOAT)

    either, both = (algebra.make(op, (), [a, b], (), a.dtype) for op in ("or", "and"))
    assert chosen(a, chosen(b, x, y), y) is chosen(either, x, y)
    assert chosen(a, x, chosen(b, x, y)) is chosen(both, x, y)
    assert chosen(a, chosen(b, y, x), y) is not chosen(either, x, y)


def test_rows_of_a_value_that_no_trip_changes(algebra: Algebra) -> None:
    x = matrix(algebra)
    with algebra.integers.within("t1", N):
        found = algebra.rows("t1", N, algebra.row(x, 0, number(0)))
    assert found.op == "broadcast_in_dim"
    assert algebra.row(found, 0, N - 1) is algebra.row(x, 0, number(0))
