"""How far rounding alone changes the old version's result: a difference must exceed that to count."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np

from ..infer.guess import KEY_NAMES
from ..proof.jaxpr_facts import count
from ..runtime.calling import Split, Values, in_time, limited, mapped, split
from ..runtime.jax_functions import eps, in_x64, is_key, numeric, placed, tiny, x64
from ..runtime.loading import cut
from ..runtime.version_pair import VersionPair, large, static_key

FACTOR = 16.0
UNITS = (1.0, 1.0, 3.0, 8.0)  # one ULP may be lost in the first sum
SECONDS = 4.0
DECIDING_SECONDS = 20.0  # for the run that tells a wrong result from one that is rounded otherwise
COMPILED_EQUATIONS = 3000
JOINED_EQUATIONS, JOINED_SECONDS = 1000, 1.0
# Random draws differ in double precision: their spread counts up to this many times the one by nudging.
DIFFERENT_NUMBERS = 64.0
NEAR = 1e-3
AMPLIFYING = 1e3
FINER = 1e-3  # of a small difference remains in double precision if it is due to rounding
FINEST = 1e-6  # of an amplified difference: an ULP in double precision is 2e-9 of one in single
AMPLIFIED = 0.05  # a larger difference is not due to rounding, unless the old version's last bits change as much
MEANINGLESS = 0.5  # of the result is not what double precision gives
CHAOTIC = 5e-3  # of the result changes with the last bits of the inputs: it means nothing there


@dataclass(frozen=True, slots=True)
class Apart:
    """The distance of two results; `flips`: whole numbers or NaNs differ; `overflows`: the first one lost a number."""

    relative: float = 0.0
    flips: bool = False
    overflows: bool = False


@dataclass(slots=True)
class Spread:
    """Changes of the old version's result at one input: by compilation, the inputs' last bits, double precision."""

    compiled: Apart | None = None
    nudged: Apart | None = None
    doubled: Apart | None = None
    draws: bool = False

    @property
    def own(self) -> float:
        """The relative change due to its own arithmetic."""
        nudged = self.nudged.relative if self.nudged else 0.0
        if self.doubled is None:
            return nudged
        return min(self.doubled.relative, DIFFERENT_NUMBERS * nudged) if self.draws else self.doubled.relative

    @property
    def relative(self) -> float:
        """The relative difference that rounding explains."""
        return max(self.own, self.compiled.relative if self.compiled else 0.0)

    @property
    def undecided(self) -> bool:
        """Whether rounding decides a whole number or a NaN there.

        If only the inputs' last bits change it and double precision does not, the input is an exact tie, where a
        difference counts, unless those bits alone make it NaN.
        """
        if (self.compiled is not None and self.compiled.flips) or (self.nudged is not None and self.nudged.overflows):
            return True
        if self.doubled is None:
            return self.nudged is not None and self.nudged.flips
        amplifies = max(self.own, self.nudged.relative if self.nudged else 0.0) > AMPLIFYING * eps(jnp.float32)
        nudges = self.nudged is not None and self.nudged.flips
        return self.doubled.overflows or (self.doubled.flips and (nudges or amplifies))

    @property
    def chaotic(self) -> float:
        """The relative change by the inputs' last bits alone, where the old version itself means nothing.

        Where they change whole numbers too, the input is a tie, and the value jumps.
        """
        by_bits = self.nudged
        return by_bits.relative if by_bits is not None and by_bits.relative > CHAOTIC and not by_bits.flips else 0.0

    @property
    def meaningless(self) -> bool:
        """Whether double precision gives something else: what rounds otherwise may overflow there."""
        return self.own > MEANINGLESS

    def explains(self, relative: float, *, values_only: bool) -> bool:
        return self.undecided or (values_only and relative <= FACTOR * max(self.relative, self.chaotic))


def spread(pair: VersionPair, values: Values, expected: object, relative: float, *, values_only: bool) -> Spread:
    """The spread at one input, measured until it explains the difference or everything is measured."""
    found = Spread(draws=pair.draws)
    for _ in _measured(pair, values, expected, found):
        if found.explains(relative, values_only=values_only):
            break
    return found


def _measured(pair: VersionPair, values: Values, expected: object, found: Spread) -> Iterator[None]:
    if compilable(pair, values):
        try:
            compiled = pair.jitted(pair.before, pair.own(values), numbers=not large(values))
            found.compiled = apart(expected, compiled)
            yield
        except Exception:  # noqa: BLE001
            found.compiled = None
    for pattern, units in enumerate(UNITS):
        other = _run(pair, {k: nudged(v, pattern, units) for k, v in values.items()})
        if other is not None:
            moved = apart(expected, other)
            found.nudged = _wider(found.nudged, replace(moved, relative=moved.relative / units))
        if pattern == 0 and not x64():
            exact = in_double(pair, values)
            found.doubled = None if exact is None else apart(expected, exact)
        yield


def draws(tree: ast.Module, function: str) -> bool:
    """Whether a function of a file may draw random numbers, which are others in double precision."""
    used = cut(tree, {function.split(".")[0]})
    imports = [s for s in used if isinstance(s, ast.Import | ast.ImportFrom)]
    modules = {a.asname or a.name.partition(".")[0] for s in imports for a in s.names if _random(s, a)} - {"jax"}
    for node in (n for s in used if s not in imports for n in ast.walk(s)):
        match node:
            case ast.Attribute(attr="random"):
                return True
            case ast.Name(id=name) | ast.arg(arg=name) if name in modules or KEY_NAMES.match(name):
                return True
    return False


def _random(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether an import is of a module for random numbers, or from one."""
    return "random" in alias.name or "random" in (getattr(statement, "module", None) or "")


def _wider(a: Apart | None, b: Apart) -> Apart:
    return b if a is None else Apart(max(a.relative, b.relative), a.flips or b.flips, a.overflows or b.overflows)


def _run(pair: VersionPair, values: Values) -> list[object] | None:
    return in_time(lambda: [pair.run_old(values)], SECONDS)


def in_double(pair: VersionPair, values: Values) -> object | None:
    """The old version's result in double precision, which shows its own rounding error."""
    with in_x64():
        return _run(pair, mapped(doubled, values))


def left_in_double(pair: VersionPair, values: Values, relative: float) -> float:
    """The ratio of the versions' difference in double precision to this one in single; infinite if unknown.

    A Python number has twice as many digits as the same number in a traced array: `0.999 ** t`. Raises TookTooLong.
    """
    if x64():
        return float("inf")
    try:
        with in_x64(), limited(DECIDING_SECONDS):
            wide = mapped(widest, values)
            moved = apart(pair.run_old(wide, DECIDING_SECONDS), pair.run_new(wide))
    except Exception:  # noqa: BLE001 - what does not run so tells nothing of rounding
        return float("inf")
    return float("inf") if moved.flips else moved.relative / max(relative, tiny(np.float32))


def compilable(pair: VersionPair, values: Values) -> bool:
    """Whether the old version traces to a program that compiles in reasonable time, at these sizes and trip counts."""
    return _compilable(pair, pair.before, pair.own(values), COMPILED_EQUATIONS, SECONDS)


def joinable(pair: VersionPair, values: Values) -> bool:
    """The same of the old version with its branches and loops joined."""
    found = pair.joined()
    return found is not None and _compilable(
        pair, found[1], pair.made_for(found[0], values), JOINED_EQUATIONS, JOINED_SECONDS
    )


def _compilable(pair: VersionPair, function: Callable[..., object], own: Values, most: int, seconds: float) -> bool:
    known, parts = pair.pace.compilable, split(own, pair.signature.static, numbers=True)
    kinds = tuple((getattr(x, "shape", ()), str(getattr(x, "dtype", type(x)))) for x in parts.leaves)
    key = (id(function), static_key(parts), kinds)
    if key not in known:
        known[key] = _compiles_soon(pair, function, parts, most, seconds)
    return known[key]


def _compiles_soon(pair: VersionPair, function: Callable[..., object], parts: Split, most: int, seconds: float) -> bool:
    traced = jax.make_jaxpr(lambda *ls: pair.arrays(function, parts, ls))
    program = in_time(lambda: traced(*parts.leaves), seconds)
    return program is not None and count(program.jaxpr) <= most


def apart(expected: object, other: object) -> Apart:
    """The distance of two results of the same program, whose dtypes may differ in width."""
    first, second = (jax.tree_util.tree_leaves(x) for x in (expected, other))
    found: Apart | None = Apart()
    if len(first) != len(second):
        return Apart(float("inf"), True)
    for a, b in zip(first, second, strict=True):
        found = _wider(found, _leaves_apart(a, b))
    assert found is not None
    return found


def near(a: object, b: object) -> bool:
    """Whether two results are the same but for what rounding does on the way."""
    distance = apart(a, b)
    return distance.relative <= NEAR and not distance.flips


def _leaves_apart(a: object, b: object) -> Apart:
    x, y = _plain(a), _plain(b)
    if x is None or y is None:
        return Apart()
    if x.shape != y.shape:
        return Apart(float("inf"), True)
    if x.dtype.kind in "biu":
        return Apart(flips=not np.array_equal(x, y))
    wide = np.complex128 if "c" in (x.dtype.kind, y.dtype.kind) else np.float64
    unit = max(tiny(x.dtype), tiny(np.float32))  # beside an exact 0 both precisions have the same measure
    x, y = x.astype(wide), y.astype(wide)
    usual = np.isfinite(x) & np.isfinite(y)
    same = usual | (np.isnan(x) & np.isnan(y)) | (x == y)
    overflows = bool(((~np.isfinite(x) & np.isfinite(y)) | (np.isnan(x) & ~np.isnan(y))).any())
    if not usual.any():
        return Apart(0.0, not bool(same.all()), overflows)
    scale = max(float(np.max(np.abs(x[usual]))), unit)
    return Apart(float(np.max(np.abs(x[usual] - y[usual]))) / scale, not bool(same.all()), overflows)


def _plain(value: object) -> np.ndarray | None:
    if isinstance(value, jax.Array) and is_key(value.dtype):
        return np.asarray(jax.random.key_data(value))
    if not numeric(value):
        return None
    found = np.asarray(value)
    return found if found.dtype.kind in "biufc" else found.astype(np.float64)


def _inexact(value: object) -> bool:
    return isinstance(value, (jax.Array, np.ndarray)) and jnp.issubdtype(value.dtype, jnp.inexact)


def nudged(tree: object, pattern: int, units: float = 1.0) -> object:
    """The float arrays with every element moved by some ULPs, up or down at random; zeros stay."""

    def leaf(at: list[int], x: object) -> object:
        if not _inexact(x):
            return x
        at[0] += 1
        signs = np.random.default_rng([at[0], pattern]).integers(0, 2, np.asarray(x).shape) * 2.0 - 1.0
        return placed(np.asarray(x) * (1 + signs * units * eps(x.dtype)), x.dtype)  # type: ignore[attr-defined,operator,unused-ignore]

    at = [0]
    return jax.tree_util.tree_map(lambda x: leaf(at, x), tree)


def doubled(value: object) -> object:
    """A value in double precision."""
    if not _inexact(value):
        return value
    kind = np.complex128 if jnp.issubdtype(value.dtype, jnp.complexfloating) else np.float64  # type: ignore[attr-defined]
    return placed(value, kind)


def widest(value: object) -> object:
    """A value in double precision, whole numbers in 64 bits: functions make floats of that width of them."""
    whole = isinstance(value, (jax.Array, np.ndarray)) and value.dtype == np.int32
    return placed(value, np.int64) if whole else doubled(value)
