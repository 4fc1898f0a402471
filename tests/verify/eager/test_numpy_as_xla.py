"""NumPy computes each primitive that it is trusted with bit for bit as XLA does, or leaves it to XLA."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from scanlint.verify.worker.eager.compile_less import Program
from scanlint.verify.worker.eager.operations import FLOATS, READERS, WHOLE, Declined
from scanlint.verify.worker.proof.equations import NotUnderstood
from scanlint.verify.worker.runtime.jax_functions import in_x64

pytestmark = pytest.mark.skipif(not hasattr(lax, "reduce_sum"), reason="all is left to XLA before JAX 0.5")
DTYPES = ["float32", "float16", "bfloat16", "int32", "int8", "uint32", "bool"]
OTHERS = ["int16", "uint8", "uint16"]
Case = tuple[Callable[..., object], int]
NUMBERS: dict[str, Case] = {
    "add": (lax.add, 2),
    "sub": (lax.sub, 2),
    "mul": (lax.mul, 2),
    "div": (lax.div, 2),
    "rem": (lax.rem, 2),
    "neg": (lax.neg, 1),
    "abs": (lax.abs, 1),
    "sign": (lax.sign, 1),
    "square": (lax.square, 1),
    "sqrt": (lax.sqrt, 1),
    "floor": (lax.floor, 1),
    "ceil": (lax.ceil, 1),
    "round": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), 1),
    "is_finite": (lax.is_finite, 1),
    "max": (lax.max, 2),
    "min": (lax.min, 2),
    "eq": (lax.eq, 2),
    "ne": (lax.ne, 2),
    "lt": (lax.lt, 2),
    "le": (lax.le, 2),
    "gt": (lax.gt, 2),
    "ge": (lax.ge, 2),
    "and": (lax.bitwise_and, 2),
    "or": (lax.bitwise_or, 2),
    "xor": (lax.bitwise_xor, 2),
    "not": (lax.bitwise_not, 1),
    "integer_pow 2": (lambda x: lax.integer_pow(x, 2), 1),
    "integer_pow 3": (lambda x: lax.integer_pow(x, 3), 1),
    "integer_pow 7": (lambda x: lax.integer_pow(x, 7), 1),
    "clamp": (lambda a, x, b: lax.clamp(a, x, b), 3),
    **{f"convert_element_type {d}": (lambda x, d=d: lax.convert_element_type(x, d), 1) for d in (*DTYPES, *OTHERS)},
    "select_n": (lambda x, y: lax.select(lax.full_like(x, True, bool), x, y), 2),
    "reduce_sum": (lambda x: lax.reduce_sum(x, (0,)), 1),
    "reduce_max": (lambda x: lax.reduce_max(x, (0,)), 1),
    "reduce_min": (lambda x: lax.reduce_min(x, (0,)), 1),
    "reduce_and": (lambda x: lax.reduce_and(x, (0,)), 1),
    "reduce_or": (lambda x: lax.reduce_or(x, (0,)), 1),
    "argmax": (lambda x: lax.argmax(x, 0, np.int32), 1),
    "argmin": (lambda x: lax.argmin(x, 0, np.int32), 1),
}
SHAPES: dict[str, Callable[..., object]] = {
    "reduce_sum": lambda x, at: lax.reduce_sum(x, (0, 2)),
    "reduce_max": lambda x, at: lax.reduce_max(x, (1,)),
    "iota": lambda x, at: lax.broadcasted_iota(x.dtype, (3, 2), 1),
    "broadcast_in_dim": lambda x, at: lax.broadcast_in_dim(x, (*x.shape[:2], 4, x.shape[2]), (0, 1, 3)),
    "reshape": lambda x, at: lax.reshape(x, (x.size,)),
    "squeeze": lambda x, at: lax.squeeze(lax.slice_in_dim(x, 0, 1, axis=1), (1,)),
    "expand_dims": lambda x, at: lax.expand_dims(x, (1,)),
    "transpose": lambda x, at: lax.transpose(x, (2, 0, 1)),
    "slice": lambda x, at: lax.slice(x, (0, 1, 0), (2, 2, 3), (1, 1, 2)),
    "dynamic_slice": lambda x, at: lax.dynamic_slice(x, (at, at, at), (1, 2, 2)),
    "dynamic_update_slice": lambda x, at: lax.dynamic_update_slice(x, x[:1, :, :2], (at, at, at)),
    "concatenate": lambda x, at: lax.concatenate([x, x], 1),
    "stack": lambda x, at: jnp.stack([x, x], 1),
    "unstack": lambda x, at: list(x),
    "split": lambda x, at: jnp.split(x, 3, 2),
    "tile": lambda x, at: jnp.tile(x, (2, 1, 3)),
    "pad": lambda x, at: lax.pad(x, x[0, 0, 0], ((1, 2, 0), (0, 1, 2), (0, 0, 1))),
    "rev": lambda x, at: lax.rev(x, (0, 2)),
    "copy": lambda x, at: jnp.array(x, copy=True),
}


def values(dtype: str, seed: int) -> np.ndarray:
    """Ordinary numbers, then all that is extreme in this dtype, in another order for each seed."""
    draws = np.random.default_rng(seed)
    if dtype == "bool":
        return draws.integers(0, 2, 12).astype(bool)
    if dtype in WHOLE:
        kind = np.iinfo(dtype)
        edge = np.array([kind.min, kind.max, 0, 1, 2, 3, kind.max - 1, kind.min + 1], dtype)
        return draws.permutation(np.concatenate([edge, draws.integers(kind.min, kind.max, 8, dtype, endpoint=True)]))
    kind = jnp.finfo(dtype)
    edge = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, 2.5, -1.5, kind.max, kind.tiny, 1e9, 3.7, -4.1])
    ordinary = draws.normal(size=9) * 10.0 ** draws.integers(-3, 4, 9)
    with np.errstate(over="ignore"):
        return draws.permutation(np.concatenate([edge, ordinary])).astype(dtype)


def same(one: object, other: object) -> bool:
    """Bit for bit; a NaN is a NaN."""
    x, y = np.asarray(one), np.asarray(other)
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if str(x.dtype) not in FLOATS:
        return bool(np.array_equal(x, y))
    nan = np.isnan(x) & np.isnan(y)
    return bool((nan | ((x == y) & (np.signbit(x) == np.signbit(y)))).all())


def found(function: Callable[..., object], operands: list[np.ndarray]) -> bool | None:
    """Whether NumPy gives what XLA does; None where it leaves that to XLA."""
    try:
        jaxpr = jax.make_jaxpr(function)(*operands)
    except (TypeError, ValueError):  # no such operation on this dtype, or on no elements
        return None
    try:
        program = Program.of(jaxpr)
        with np.errstate(all="ignore"):
            ours = program.run(*operands)
    except (NotUnderstood, Declined):
        return None
    return all(map(same, ours, jax.tree_util.tree_leaves(jax.jit(function)(*operands))))


def trials(arity: int, dtype: str) -> Iterator[list[np.ndarray]]:
    """Many elements at once, then each by itself: one that is left to XLA leaves all beside it there."""
    rows = [values(dtype, seed) for seed in range(arity)]
    yield rows
    finite = [
        np.array([x for x in row if np.isfinite(np.asarray(x, np.float64)) and x != 0], row.dtype) for row in rows
    ]
    least = min(map(len, finite))
    yield [row[:least] for row in finite]
    yield [row[: min(least, 5)] for row in finite]
    yield [row[:0] for row in rows]


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_xla(name: str) -> None:
    function, arity = NUMBERS[name]
    seen = [found(function, row) for dtype in DTYPES for row in trials(arity, dtype)]
    assert False not in seen
    assert True in seen


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_other_types_are_those_of_xla(name: str) -> None:
    function, arity = NUMBERS[name]
    assert False not in [found(function, row) for dtype in OTHERS for row in trials(arity, dtype)]
    with in_x64():
        for dtype in ("float64", "int64", "uint64"):
            assert False not in [found(function, row) for row in trials(arity, dtype)]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("at", [-2, 0, 1, 5])
def test_elements_are_moved_as_by_xla(name: str, at: int) -> None:
    draws = np.random.default_rng(0)
    operands = [draws.normal(size=(2, 3, 3)).astype(np.float32), np.asarray(at, np.int32)]
    assert found(SHAPES[name], operands) is True


def test_every_primitive_is_compared() -> None:
    assert set(READERS) - {*(name.split()[0] for name in NUMBERS), *SHAPES} <= {"copy_p"}
