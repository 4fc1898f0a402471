"""The operations of random programs: what each takes, the options that it may be written with, and what it gives.

Options of one operation are different programs, or different ways to write one: both are drawn alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Option = object
Array = jax.Array
BOOLS, FLOATS, COMPLEX = ["bool"], ["float16", "bfloat16", "float32", "float64"], ["complex64"]
INTEGERS = ["int8", "uint8", "int16", "int32", "uint32", "int64"]
REAL = INTEGERS + FLOATS
DTYPES = BOOLS + REAL + COMPLEX
SHAPES = [(), (3,), (2, 3), (1, 3), (3, 3)]


class Type(NamedTuple):
    shape: tuple[int, ...]
    dtype: str


class Operation(NamedTuple):
    """`takes` says whether operands of these types will do, `options` draws one, `gives` computes."""

    operands: int
    takes: Callable[[Sequence[Type]], bool]
    options: Callable[[random.Random, Sequence[Type]], Option]
    gives: Callable[..., object]


def hard(dtype: str) -> list[object]:
    """Values at which laws of arithmetic fail."""
    if dtype == "bool":
        return [False, True]
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        values = {0, 1, 2, 3, 5, 7, limits.max, limits.max - 1, limits.min, limits.min + 1}
        return sorted(values | ({-1, -2, -3, -7} if limits.min < 0 else {200}))
    largest = float(jnp.finfo(dtype).max)
    real = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 300.0, np.inf, -np.inf, np.nan, largest, -largest]
    return [*real, complex(0, 1), complex(1, -2.5), complex(np.nan, 1)] if dtype in COMPLEX else list(real)


def gentle(dtype: str) -> list[object]:
    """Values whose sums are exact."""
    if dtype == "bool":
        return [False, True]
    return [0, 1, 2, 3] if dtype in INTEGERS else [0.0, 1.0, 2.0, -1.0, 0.5, 3.0]


def among(*dtypes: str) -> Callable[[Sequence[Type]], bool]:
    """Whether all operands have one type, of these."""
    return lambda types: types[0].dtype in dtypes and len(set(types)) == 1


def of(*options: Option) -> Callable[[random.Random, Sequence[Type]], Option]:
    return lambda dice, types: dice.choice(options)


def binary(*names: str, dtypes: Sequence[str]) -> Operation:
    return Operation(2, among(*dtypes), of(*names), lambda name, x, y: getattr(lax, str(name))(x, y))


def unary(*names: str, dtypes: Sequence[str]) -> Operation:
    return Operation(1, among(*dtypes), of(*names), lambda name, x: getattr(lax, str(name))(x))


def axes(dice: random.Random, types: Sequence[Type]) -> tuple[int, ...]:
    return tuple(sorted(dice.sample(range(len(types[0].shape)), dice.randint(1, len(types[0].shape)))))


def drawn(dice: random.Random, value: Type) -> tuple[object, ...]:
    """A constant: one hard value everywhere, or one for each element."""
    count = int(np.prod(value.shape))
    return tuple(
        [dice.choice(hard(value.dtype))] * count if dice.random() < 0.6 else dice.choices(hard(value.dtype), k=count)
    )


def constant(values: Option, value: Type) -> Array:
    return jnp.asarray(np.array(values).astype(jnp.dtype(value.dtype)).reshape(value.shape))


def ranked(types: Sequence[Type]) -> bool:
    return len(types[0].shape) > 0


NEUTRAL = ["add", "mul", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor", "sub"]


def _combined(option: Option, x: Array) -> Array:
    """With a constant that is neutral for some operation and some type."""
    name, values, dtype, first = option  # type: ignore[misc]
    other = constant(values, Type(x.shape, dtype))
    return getattr(lax, name)(*((other, x) if first else (x, other)))


def _neutral(dice: random.Random, types: Sequence[Type]) -> Option:
    dtype = types[0].dtype
    names = ["bitwise_and", "bitwise_or", "bitwise_xor"]
    if dtype not in BOOLS:
        names = ["add", "sub", "mul", "max", "min"] + (names if dtype in INTEGERS else [])
    return dice.choice(names), drawn(dice, types[0]), dtype, dice.random() < 0.5


REDUCED = {
    "add": "sum", "mul": "prod", "max": "max", "min": "min",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
}  # fmt: skip


def _folded(option: Option, *operands: Array) -> Array:
    """Some values and constants combined: one after the other, or as a reduction of their stack."""
    name, order, values, chained = option  # type: ignore[misc]
    given = [*operands, *(jnp.full(operands[0].shape, v, operands[0].dtype) for v in values)]
    rows = [given[k] for k in order if k < len(given)]
    if chained:
        total = rows[0]
        for row in rows[1:]:
            total = getattr(lax, name)(total, row)
        return total
    return _reduced(name, jnp.stack(rows), (0,))


def _reduced(name: str, x: Array, over: tuple[int, ...]) -> Array:
    made = {"add": "add", "mul": "mul", "max": "max", "min": "min"}.get(name, name)
    start = {"add": 0, "mul": 1, "bitwise_or": 0, "bitwise_xor": 0}.get(name)
    if start is None:
        start = _extreme(x.dtype, largest=name in ("min", "bitwise_and"), bits=name == "bitwise_and")
    return lax.reduce(x, np.array(start).astype(x.dtype), getattr(lax, made), over)


def _extreme(dtype: np.dtype, *, largest: bool, bits: bool) -> object:
    if dtype == np.bool_:
        return largest
    if jnp.issubdtype(dtype, jnp.integer):
        limits = np.iinfo(dtype)
        return limits.max if largest and (not bits or limits.min == 0) else -1 if bits else limits.min
    return np.inf if largest else -np.inf


def _fold(dice: random.Random, types: Sequence[Type]) -> Option:
    dtype = types[0].dtype
    names = ["bitwise_and", "bitwise_or", "bitwise_xor"] if dtype not in FLOATS else []
    names += ["add", "mul", "max", "min"] if dtype not in BOOLS else []
    order = list(range(3))
    dice.shuffle(order)
    count = dice.randint(0, 2)
    order = [*order, *range(3, 3 + count)]
    return dice.choice(names), tuple(order), tuple(dice.choices(hard(dtype), k=count)), dice.random() < 0.5


def _loop(option: Option, x: Array, y: Array) -> object:
    """Trips unrolled, or in one of the loops of JAX."""
    kind, trips, body, reverse = option  # type: ignore[misc]
    bodies = {
        "add": lambda c, i: c + y, "index": lambda c, i: c + i.astype(c.dtype), "max": lambda c, i: lax.max(c, y),
        "other": lambda c, i: y - c, "twice": lambda c, i: c * 2,
    }  # fmt: skip
    step = bodies[body]
    if kind == "python":
        order = range(trips - 1, -1, -1) if reverse else range(trips)
        for i in order:
            x = step(x, jnp.int32(i))
        return x
    if kind == "fori":
        return lax.fori_loop(0, trips, lambda i, c: step(c, (trips - 1 - i if reverse else i).astype(jnp.int32)), x)
    if kind == "while":
        return lax.while_loop(lambda s: s[0] < trips, lambda s: (s[0] + 1, step(s[1], s[0])), (jnp.int32(0), x))[1]
    # scanlint: ignore[discarded-ys] outputs that nobody reads are a part of the programs
    return lax.scan(lambda c, i: (step(c, i), c), x, jnp.arange(trips, dtype=jnp.int32), reverse=reverse)[0]


def _chosen(option: Option, test: Array, x: Array, y: Array) -> Array:
    how, swapped = option  # type: ignore[misc]
    if swapped:
        test, x, y = ~test, y, x
    if how == "cond":
        return lax.cond(test, lambda: x, lambda: y)
    if how == "switch":
        return lax.switch(test.astype(jnp.int32), [lambda: y, lambda: x])
    return lax.select(jnp.broadcast_to(test, x.shape), x, y)


def _indexed(option: Option, x: Array) -> Array:
    how, at = option  # type: ignore[misc]
    places = jnp.asarray(at)
    match how:
        case "fill" | "clip" | "wrap":
            return x.at[places].get(mode=how)
        case "zero":
            return x.at[places].get(mode="fill", fill_value=0)
        case "slices":
            return jnp.stack([lax.dynamic_index_in_dim(x, jnp.int32(i), keepdims=False) for i in at])
    return jnp.take(x, places, axis=0)


def _stored(option: Option, x: Array, y: Array) -> Array:
    how, at, mode = option  # type: ignore[misc]
    place = x.at[jnp.asarray(at)]
    if how == "apply":
        return place.apply(lax.neg if x.dtype != np.bool_ else lax.bitwise_not, mode=mode)
    return getattr(place, how)(y[: len(at)], mode=mode)


def _stored_options(dice: random.Random, types: Sequence[Type]) -> Option:
    ways = (
        ["set", "apply"] if types[0].dtype in (*BOOLS, *COMPLEX) else ["set", "add", "multiply", "min", "max", "apply"]
    )
    return dice.choice(ways), dice.choice([(0,), (-1, 0), (1, 1), (5, 0), (0, 2)]), dice.choice([None, "clip", "drop"])


def _converted(option: Option, x: Array) -> Array:
    first, last = option  # type: ignore[misc]
    return lax.convert_element_type(lax.convert_element_type(x, first), last)


def _cast(option: Option, x: Array) -> Array:
    """A constant of another type, converted: what is known is folded."""
    values, source = option  # type: ignore[misc]
    return x * 0 + lax.convert_element_type(constant(values, Type(x.shape, source)), x.dtype)


def _casting(dice: random.Random, types: Sequence[Type]) -> Option:
    source = dice.choice(BOOLS + REAL)
    return drawn(dice, Type(types[0].shape, source)), source


def _folding(option: Option, x: Array) -> Array:
    """Constants that are computed with."""
    name, first, second = option  # type: ignore[misc]
    kind = Type(x.shape, str(x.dtype))
    return lax.select(x == x, getattr(lax, name)(constant(first, kind), constant(second, kind)), x)


def _folding_options(dice: random.Random, types: Sequence[Type]) -> Option:
    dtype = types[0].dtype
    names = ["add", "sub", "mul", "div", "max", "min"] + (["rem"] if dtype not in COMPLEX else [])
    names = names[:4] if dtype in COMPLEX else names
    return dice.choice(names), drawn(dice, types[0]), drawn(dice, types[0])


def _sorted(option: Option, x: Array, y: Array) -> Array:
    dimension, keys, which = option  # type: ignore[misc]
    return lax.sort((x, y), dimension=dimension, num_keys=keys)[which]


def _last(dice: random.Random, types: Sequence[Type]) -> int:
    return dice.randrange(len(types[0].shape))


def _product(option: Option, x: Array, y: Array) -> Array:
    contracted, swapped = option  # type: ignore[misc]
    return lax.dot_general(*((y, x) if swapped else (x, y)), (((contracted[0],), (contracted[1],)), ((), ())))


def _random(option: Option, x: Array) -> Array:
    seed, fold, how = option  # type: ignore[misc]
    key = jax.random.fold_in(jax.random.key(seed), fold)
    key = jax.random.split(key)[0] if how == "split" else jax.random.wrap_key_data(jax.random.key_data(key))
    return x + jax.random.bits(key, x.shape, np.uint32).astype(x.dtype)


def _called(option: Option, x: Array) -> Array:
    how, name = option  # type: ignore[misc]
    function = getattr(lax, name)
    if how == "jvp":
        ruled = jax.custom_jvp(lambda x: function(x))
        ruled.defjvp(lambda p, t: (ruled(*p), t[0]))
        return ruled(x)
    return {"jit": jax.jit, "checkpoint": jax.checkpoint, "plain": lambda f: f}[how](function)(x)


def _shaped(option: Option, x: Array) -> Array:
    match option:
        case ("transpose", tuple(order)):
            return lax.transpose(x, order)
        case ("rev", tuple(over)):
            return lax.rev(x, over)
        case ("twice", tuple(over)):
            return lax.rev(lax.rev(x, over), over)
        case ("reshape", _):
            return x.reshape(-1).reshape(x.shape)
        case ("roll", int(by)):
            return jnp.roll(x, by, 0)
        case ("halves", int(at)):
            return lax.concatenate([x[:at], x[at:]], 0)
        case ("tile", int(by)):
            return jnp.tile(x, (by,) + (1,) * (x.ndim - 1))[: x.shape[0]]
    return jnp.pad(x, [(1, 0)] * x.ndim)[(slice(0, -1),) * x.ndim]


def _shaping(dice: random.Random, types: Sequence[Type]) -> Option:
    shape = types[0].shape
    order = list(range(len(shape)))
    over = axes(dice, types)
    dice.shuffle(order)
    turned = ("transpose", tuple(order)) if len(set(shape)) == 1 else ("rev", over)
    ways = [
        turned,
        ("rev", over),
        ("twice", over),
        ("reshape", 0),
        ("roll", dice.randint(0, 2)),
        ("halves", 1),
        ("tile", 2),
        ("pad", 0),
    ]
    return dice.choice(ways)


SINGLE = ["sin", "cos", "tan", "tanh", "exp", "log", "log1p", "expm1", "logistic", "sqrt", "rsqrt", "cbrt", "erf", "asinh", "atan", "sinh", "cosh", "lgamma", "digamma", "erfc", "erf_inv", "exp2", "acos", "asin", "acosh", "atanh", "bessel_i0e", "bessel_i1e"]  # fmt: skip

OPERATIONS: dict[str, Operation] = {
    "float": unary(*SINGLE, dtypes=FLOATS[2:]),
    "rounded": unary("floor", "ceil", "round", "abs", "neg", "sign", "square", dtypes=FLOATS),
    "integer": unary("abs", "neg", "sign", "bitwise_not", "population_count", "clz", "square", dtypes=INTEGERS),
    "truth": unary("bitwise_not", dtypes=BOOLS),
    "imaginary": unary("conj", "neg", "square", dtypes=COMPLEX),
    "arithmetic": binary("add", "sub", "mul", "max", "min", "div", "rem", dtypes=REAL),
    "powers": binary("pow", "atan2", "nextafter", dtypes=FLOATS[2:]),
    "special": binary("igamma", "igammac", "zeta", "polygamma", dtypes=FLOATS[2:]),
    "of complex": binary("add", "sub", "mul", "div", dtypes=COMPLEX),
    "bits": binary("bitwise_and", "bitwise_or", "bitwise_xor", dtypes=BOOLS + INTEGERS),
    "shifts": binary("shift_left", "shift_right_logical", "shift_right_arithmetic", dtypes=INTEGERS),
    "comparison": binary("eq", "ne", "lt", "le", "gt", "ge", dtypes=BOOLS + REAL),
    "equality": binary("eq", "ne", dtypes=COMPLEX),
    "power": Operation(1, among(*FLOATS), of(-1, 0, 1, 2, 3), lambda y, x: lax.integer_pow(x, y)),
    "precision": Operation(1, among("float32"), of((8, 7), (5, 10), (8, 23)), lambda p, x: lax.reduce_precision(x, *p)),
    "finite": Operation(1, among(*FLOATS), of(0, 1), lambda k, x: [lax.is_finite(x), ~lax.is_finite(x)][k]),
    "clamp": Operation(3, among(*REAL), of(0), lambda _, low, x, high: lax.clamp(low, x, high)),
    "converted": Operation(1, among(*BOOLS, *REAL), lambda d, t: (d.choice(REAL), t[0].dtype), _converted),
    "cast": Operation(1, among(*REAL), _casting, _cast),
    "bitcast": Operation(1, among("float32", "int32"), of(0, 1), lambda k, x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, [jnp.int32, jnp.uint32][k]), x.dtype)),
    "neutral": Operation(1, among(*DTYPES), _neutral, _combined),
    "folding": Operation(1, among(*REAL, *COMPLEX), _folding_options, _folding),
    "folded": Operation(3, among(*BOOLS, *REAL), _fold, _folded),
    "reduction": Operation(1, lambda t: ranked(t) and t[0].dtype in REAL, lambda d, t: (d.choice(["add", "mul", "max", "min"]), axes(d, t)), lambda o, x: _reduced(o[0], x, o[1])),
    "reduced bits": Operation(1, lambda t: ranked(t) and t[0].dtype in BOOLS + INTEGERS, lambda d, t: (d.choice(["bitwise_and", "bitwise_or", "bitwise_xor"]), axes(d, t)), lambda o, x: _reduced(o[0], x, o[1])),
    "extreme": Operation(1, lambda t: ranked(t) and t[0].dtype in REAL, lambda d, t: (d.choice(["argmax", "argmin"]), _last(d, t)), lambda o, x: getattr(lax, o[0])(x, o[1], np.int32)),
    "cumulative": Operation(1, lambda t: ranked(t) and t[0].dtype in REAL[3:], lambda d, t: (d.choice(["cumsum", "cumprod", "cummax", "cummin"]), _last(d, t), d.random() < 0.5), lambda o, x: getattr(lax, o[0])(x, o[1], o[2])),
    "sort": Operation(2, lambda t: ranked(t) and t[0].dtype in REAL and t[0] == t[1], lambda d, t: (_last(d, t), d.randint(1, 2), d.randint(0, 1)), _sorted),
    "product": Operation(2, lambda t: t[0] == t[1] and t[0].shape == (3, 3) and t[0].dtype in REAL, lambda d, t: ((d.randint(0, 1), d.randint(0, 1)), d.random() < 0.5), _product),
    "shaped": Operation(1, lambda t: ranked(t), _shaping, _shaped),
    "indexed": Operation(1, lambda t: ranked(t) and t[0].shape[0] == 3, lambda d, t: (d.choice(["fill", "clip", "wrap", "zero", "slices", "take"]), d.choice([(0, 1, 2), (2, 0, 1), (-1, 0, 1), (0, 5, 1), (0, -4, 1)])), _indexed),
    "stored": Operation(2, lambda t: ranked(t) and t[0].shape[0] >= 2 and t[0] == t[1], _stored_options, _stored),
    "chosen": Operation(3, lambda t: t[0] == ((), "bool") and t[1] == t[2], lambda d, t: (d.choice(["cond", "select", "switch"]), d.random() < 0.5), _chosen),
    "selected": Operation(3, lambda t: t[0] == (t[1].shape, "bool") and t[1] == t[2], of(False, True), lambda s, t, x, y: lax.select(~t, y, x) if s else lax.select(t, x, y)),
    "loop": Operation(2, lambda t: t[0] == t[1] and t[0].dtype in REAL, lambda d, t: (d.choice(["python", "fori", "while", "scan"]), d.randint(2, 4), d.choice(["add", "index", "max", "other", "twice"]), d.random() < 0.3), _loop),
    "random": Operation(1, among("float32", "uint32"), lambda d, t: (d.randint(0, 1), d.randint(0, 2), d.choice(["split", "wrapped"])), _random),
    "called": Operation(1, among(*FLOATS[2:]), lambda d, t: (d.choice(["jit", "checkpoint", "plain", "jvp"]), d.choice(["sin", "cos", "neg"])), _called),
}  # fmt: skip
