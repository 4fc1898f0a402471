"""Are two versions the same function after all? Judged by running both, with nothing of the verifier.

Many inputs around the real ones: signs, ties, zeros, NaN and infinities, small integers, the numbers that either
version is written with, shapes as in the calls, 32 and 64 bits; results, dtypes, tree structure, and at finite values
gradients.
"""

from __future__ import annotations

import ast
import itertools
import multiprocessing
import os
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import Empty
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np

Arguments = tuple[tuple[object, ...], dict[str, object]]
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 0.25, 1.5, 2.0, 3.0, -3.0, 10.0, np.nan, np.inf, -np.inf)
INTEGERS = (0, 1, 2, 3, 4, 5, -1, -2, 7, 20)
SEEDS = 12
MAX_NUMBERS = 12
SECONDS = 60.0
UNDECIDED = "an input does not end"
TOLERANCE = {8: 1e-9, 4: 3e-5, 2: 3e-2}  # by the bytes of a float


Question = tuple[str, str, str, str]


class Oracle:
    """Answers from a process of its own, which is ended where an input makes a loop go on for ever."""

    def __init__(self) -> None:
        self.context = multiprocessing.get_context("spawn")
        self.start()

    def start(self) -> None:
        self.asked, self.told = self.context.Queue(), self.context.Queue()
        self.process = self.context.Process(target=_serve, args=(self.asked, self.told), daemon=True)
        self.process.start()

    def ask(self, text: str, other: str, function: str, calls: str) -> str:
        """Empty where no input tells the versions apart; else what does, or UNDECIDED."""
        self.asked.put((text, other, function, calls))
        try:
            return self.told.get(timeout=SECONDS)
        except Empty:
            self.process.kill()
            self.start()
            return UNDECIDED


def _serve(asked: multiprocessing.Queue[Question], told: multiprocessing.Queue[str]) -> None:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    warnings.simplefilter("ignore")
    while True:
        told.put(same(*asked.get()))


def same(text: str, other: str, function: str, calls: str) -> str:
    """Empty where no input tells the versions apart; else what does."""
    if ast.dump(ast.parse(text)) == ast.dump(ast.parse(other)):
        return ""
    numbers = _numbers(text, other)
    floats = FLOATS[:-2] if "while" in text + other else FLOATS  # what halves an infinity goes on for ever
    for wide in (False, True):
        with jax.enable_x64(wide):
            try:
                first, second = _load(text), _load(other)
                bases = _recorded(text, function, calls)
            except Exception as error:  # noqa: BLE001
                return f"does not load: {type(error).__name__}"
            difference = _compare(_resolve(first, function), _resolve(second, function), bases, floats, numbers)
            if difference:
                return difference + (" with x64" if wide else "")
    return ""


def _numbers(text: str, other: str) -> list[float]:
    """The numbers of both versions that are not tried anyway, those first that only one of them has."""
    first, second = (
        {
            float(n.value)
            for n in ast.walk(ast.parse(t))
            if isinstance(n, ast.Constant) and type(n.value) in (int, float)
        }
        for t in (text, other)
    )
    found = [*sorted(first ^ second), *sorted(first & second)]
    return list(dict.fromkeys(s * n for n in found if n not in FLOATS for s in (1.0, -1.0)))[:MAX_NUMBERS]


def _load(text: str) -> types.ModuleType:
    module = types.ModuleType("judged")
    exec(compile(text, "judged.py", "exec"), module.__dict__)
    return module


def _resolve(module: types.ModuleType, function: str) -> Callable[..., object]:
    found: object = module
    for part in function.split("."):
        found = getattr(found, part)
    return cast("Callable[..., object]", found)


def _recorded(text: str, function: str, calls: str) -> list[Arguments]:
    """The arguments that the calls give to the function."""
    module = _load(text)
    found: list[Arguments] = []
    original = _resolve(module, function)

    def record(*positional: object, **keywords: object) -> object:
        if not any(isinstance(x, jax.core.Tracer) for x in jax.tree_util.tree_leaves((positional, keywords))):
            found.append((positional, keywords))
        return original(*positional, **keywords)

    owner, _, name = function.rpartition(".")
    holder = _resolve(module, owner) if owner else module
    setattr(holder, name, record)
    with jax.disable_jit():  # the old version need not trace
        exec(compile(calls, "calls.py", "exec"), module.__dict__)
    return found[:3]


def _variants(base: Arguments, special: Sequence[float], numbers: Sequence[float]) -> Iterator[Arguments]:
    leaves, tree = jax.tree_util.tree_flatten(base)
    floats = [k for k, x in enumerate(leaves) if _kind(x) == "f"]
    integers = [k for k, x in enumerate(leaves) if _kind(x) in ("i", "u") and not isinstance(x, int)]

    def made(changes: Mapping[int, object]) -> Arguments:
        new = [changes.get(k, x) for k, x in enumerate(leaves)]
        return cast("Arguments", jax.tree_util.tree_unflatten(tree, new))

    yield base
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        yield made(
            {k: _like(leaves[k], rng.normal(size=np.shape(leaves[k])) * (0.3, 1.0, 3.0)[seed % 3]) for k in floats}
        )
    few = floats[:2]
    for values in itertools.product(special, repeat=len(few)):
        yield made({k: _like(leaves[k], np.full(np.shape(leaves[k]), v)) for k, v in zip(few, values, strict=True)})
    for k, value in itertools.product(floats, (*special, *numbers)):
        spotted = np.array(leaves[k], dtype=float, copy=True)
        spotted[np.unravel_index(spotted.size // 2, spotted.shape)] = value
        yield made({k: _like(leaves[k], spotted)})
    for k, value in itertools.product(integers, INTEGERS):
        yield made({k: _like(leaves[k], np.full(np.shape(leaves[k]), value))})


def _kind(x: object) -> str:
    if isinstance(x, bool) or not isinstance(x, (jax.Array, np.ndarray, float)):
        return ""
    dtype = np.asarray(x).dtype if not isinstance(x, jax.Array) else x.dtype
    return dtype.kind if isinstance(dtype, np.dtype) else ""


def _like(x: object, value: np.ndarray) -> object:
    return float(value) if isinstance(x, float) else jnp.asarray(value, x.dtype)  # type: ignore[attr-defined]


def _compare(
    first: Callable[..., object],
    second: Callable[..., object],
    bases: list[Arguments],
    floats: Sequence[float],
    numbers: Sequence[float],
) -> str:
    for base in bases:
        for arguments in _variants(base, floats, numbers):
            outcomes = [_outcome(f, arguments) for f in (first, second)]
            if outcomes[0] is None:
                continue
            if outcomes[1] is None:
                return "raises"
            if text := _differ(outcomes[0], outcomes[1]):
                return text
            if not _finite((arguments, outcomes[0])):
                continue  # `where` gives NaN there where `cond` does not: both are right
            gradients = [_gradient(f, arguments) for f in (first, second)]
            if gradients[0] is None:
                continue
            if gradients[1] is None:
                return "has no gradient"
            if text := _differ(gradients[0], gradients[1], 30.0):
                return f"gradient: {text}"
    return ""


def _outcome(function: Callable[..., object], arguments: Arguments) -> object:
    try:
        return jax.block_until_ready(function(*arguments[0], **arguments[1]))  # type: ignore[no-untyped-call]
    except Exception:  # noqa: BLE001
        return None


def _finite(tree: object) -> bool:
    numbers = [np.asarray(x) for x in jax.tree_util.tree_leaves(tree) if _kind(x) == "f"]
    return all(np.isfinite(x).all() for x in numbers)


def _gradient(function: Callable[..., object], arguments: Arguments) -> object:
    leaves, tree = jax.tree_util.tree_flatten(arguments)
    at = [k for k, x in enumerate(leaves) if _kind(x) == "f"]
    if not at:
        return None

    def objective(*floats: object) -> jax.Array:
        new = list(leaves)
        for k, x in zip(at, floats, strict=True):
            new[k] = x
        positional, keywords = jax.tree_util.tree_unflatten(tree, new)
        results = jax.tree_util.tree_leaves(function(*positional, **keywords))
        floating = [x for x in results if jnp.issubdtype(_dtype(x), jnp.floating)]
        return sum((jnp.sum(x * (k + 1.0)) for k, x in enumerate(floating)), jnp.zeros(()))

    try:
        return jax.grad(objective, argnums=tuple(range(len(at))))(*(leaves[k] for k in at))
    except Exception:  # noqa: BLE001
        return None


def _dtype(x: object) -> object:
    """Random keys have a dtype that promotes with nothing."""
    return x.dtype if isinstance(x, jax.Array) else jnp.result_type(x)


def _differ(a: object, b: object, times: float = 1.0) -> str:
    first, tree = jax.tree_util.tree_flatten(a)
    second, other = jax.tree_util.tree_flatten(b)
    if str(tree) != str(other):
        return "tree"
    for x, y in zip(first, second, strict=True):
        if jnp.shape(x) != jnp.shape(y) or _dtype(x) != _dtype(y):
            return "shape or dtype"
        if jnp.issubdtype(_dtype(x), jax.dtypes.prng_key):
            x, y = jax.random.key_data(x), jax.random.key_data(y)
        p, q = np.asarray(x), np.asarray(y)
        exact = p.dtype.kind not in "fc"
        tolerance = times * TOLERANCE.get(np.real(p).dtype.itemsize, 3e-5)
        if not (np.array_equal(p, q) if exact else np.allclose(p, q, rtol=tolerance, atol=tolerance, equal_nan=True)):
            return f"values {p.reshape(-1)[:3]} and {q.reshape(-1)[:3]}"
    return ""
