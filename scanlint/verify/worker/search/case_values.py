"""Values for specs: ordinary, zero, tied, negative, not finite, at each boundary, and every discrete choice."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np

from ..infer.specs import Alternatives, Array, Leaf, Scalar, Spec, Specs, build, every_leaf, key_of
from ..runtime.calling import Values, mapped
from ..runtime.jax_functions import placed

MAX_ALONE = 3
MOST_TRIPS = 130
LARGE_NUMBERS = "large whole numbers"
OTHERWISE = "as called, but "
WIDE = {"float32": "float64", "complex64": "complex128", "int32": "int64"}
AROUND = 10
FEW = 4
MOST_TURNS = 6
SCATTERED = 0.2  # of the elements
LARGE = 40_000  # exceeds 16 bits, and its square 32


@dataclass(frozen=True)
class Case:
    """One call: a label for the counterexample, and how to make its arguments (anew each time).

    On a `tie`, where a test of the old version changes its outcome, a difference counts only if rounding cannot explain
    it. `patience`: seconds that the old version may take, if not the usual ones.
    """

    label: str
    make: Callable[[], Values]
    ordinary: bool = True
    finite: bool = True
    tie: bool = False
    patience: float | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """How the leaves of one case are filled; `turn` selects among discrete values, of the leaf `only` if that is given.

    `spot` is the first element, or the `last` one; `large`: arrays of whole numbers get large ones; `few`: floats are
    small whole numbers, so that some are equal; `around`: floats lie near these numbers; `upto`: arrays of whole
    numbers get ones below it; `scattered`: some floats of each array are this number; `diagonal`: square matrices are.
    """

    name: str
    seed: int = 0
    scale: float = 1.0
    fill: float | None = None
    spot: float | None = None
    turn: int = 0
    only: str | None = None
    mixed: bool = False
    sign: int = 0
    definite: bool = False
    last: bool = False
    large: bool = False
    few: bool = False
    around: tuple[float, ...] = ()
    upto: int = 0
    scattered: float | None = None
    diagonal: bool = False


AS_CALLED = "as called"
AROUND_CONSTANTS, LARGE_VALUES = "values around the constants", "large values"
POSITIVE = Filling("positive values", seed=9, definite=True)
NEGATIVE = Filling("negative values", seed=8, sign=-1)
USUAL = (Filling("ordinary values"), Filling("other values", seed=1, turn=1, mixed=True), POSITIVE)


@dataclass
class Family:
    """Cases that share shapes; `specs` where they are made from specs, `real` where a caller or the user gave them."""

    label: str
    specs: Specs | None
    cases: list[Case]
    real: bool = False

    @property
    def smooth(self) -> list[Case]:
        """The cases for gradients: a few ordinary ones, of which those with positive values come early, and others."""
        finite = [c for c in self.cases if c.finite]
        usual, others = ([c for c in finite if c.ordinary is wanted] for wanted in (True, False))

        def positive_first(cases: list[Case]) -> list[Case]:
            return sorted(cases, key=lambda c: not c.label.startswith(POSITIVE.name))

        return [*usual[:1], *positive_first(usual[1:3]), *positive_first(others)[:3]]


GENTLE = (
    Filling("small values", scale=0.1),
    Filling("other small values", seed=1, scale=0.05, turn=1, mixed=True),
    Filling("small positive values", seed=9, scale=0.1, definite=True),
    Filling("small negative values", seed=8, scale=0.1, sign=-1),
    Filling("still other small values", seed=5, scale=0.2, turn=2, mixed=True),
    Filling("zeros", fill=0.0),
)
"""For an iteration that does not converge on ordinary values."""
GENTLE_POSITIVE = tuple(
    Filling(f"small positive values {at}", seed=8 + at, scale=scale, definite=True, turn=at - 1, mixed=at > 1)
    for at, scale in enumerate((0.2, 0.1, 0.3, 0.05, 0.5), start=1)
)
"""For a loop that only ends if a step is positive: `t += dt`."""


def make(specs: Specs, mode: Filling, integers: Sequence[int], wide: bool = False) -> Values:
    """Arguments by parameter."""

    def pick(spec: Spec, path: str) -> object:
        turn = mode.turn if mode.only is None or mode.only == path else 0
        if mode.mixed:
            turn = zlib.crc32(f"{path}:{mode.turn}".encode()) % 97
        match spec:
            case Array():
                return _array(spec, path, mode, turn, integers, wide)
            case Scalar():
                return scalar_values(spec, integers)[turn % len(scalar_values(spec, integers))]
            case Alternatives(values=values):
                return values[turn % len(values)]
        raise TypeError(f"no value for {spec}")

    return {name: build(spec, pick, name) for name, spec in specs.items()}


def invented(shape: tuple[int, ...], dtype: str, seed: int, *, weak: bool) -> object:
    """An array of which the type alone is known: ordinary values; a number of Python where it is as weak as one."""
    spec = Array(shape, "key" if dtype.startswith("key<") else dtype)
    found = make({"": spec}, Filling("ordinary values", seed=seed), ())[""]
    return found.item() if weak and not shape and isinstance(found, jax.Array) else found


def with_arrays(specs: Specs, array: Callable[[Array, str], object]) -> Values:
    """Arguments by parameter: arrays that are made by their spec and path, and the usual numbers and choices."""

    def pick(spec: Spec, path: str) -> object:
        match spec:
            case Array():
                return array(spec, path)
            case Scalar():
                return scalar_values(spec, ())[0]
            case Alternatives(values=values):
                return values[0]
        raise TypeError(f"no value for {spec}")

    return {name: build(spec, pick, name) for name, spec in specs.items()}


def scalar_values(spec: Scalar, integers: Sequence[int]) -> list[object]:
    """Python numbers, the usual one first; for ints the trip counts 0, 1, 2 and more."""
    if spec.size is not None:
        return list(dict.fromkeys(max(n, 0) for n in (spec.size, spec.size - 1, 1, 0) if n <= spec.size))
    first: list[object] = [] if spec.usual is None else [spec.usual]
    match spec.kind:
        case "int":
            small = [n for n in integers if -4 <= n <= MOST_TRIPS]
            return list(dict.fromkeys([*(first or [spec.count]), 0, 1, 2, 3, *small, 7]))
        case "float":
            return [*(first or [0.7]), 0.0, 1.0, -1.5, 0.25]
        case "bool":
            return [True, False]
    return [*first, 0.5 + 0.25j]


def _array(spec: Array, path: str, mode: Filling, turn: int, integers: Sequence[int], wide: bool) -> object:
    rng = np.random.default_rng([zlib.crc32(path.encode()), mode.seed])
    if spec.dtype in ("key", "rawkey"):
        return key_of(mode.seed + 7, spec.shape, spec.dtype == "key")
    dtype = WIDE.get(spec.dtype, spec.dtype) if wide else spec.dtype
    if spec.dtype == "bool":
        return placed(rng.random(spec.shape) < 0.5 if spec.shape else (turn + mode.seed) % 2 == 0, bool)
    if "int" in spec.dtype:
        if mode.large and np.iinfo(dtype).max > 2 * LARGE:
            return placed(LARGE + rng.integers(0, LARGE, spec.shape), dtype)
        if mode.large and np.dtype(dtype).itemsize < 4:
            return placed(rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, spec.shape), dtype)
        pool = list(dict.fromkeys([1, 0, 2, -1, 3, *integers, 9]))
        if spec.shape and 0 < mode.upto <= np.iinfo(dtype).max:
            return placed(rng.integers(0, mode.upto, spec.shape), dtype)
        if spec.shape:
            return placed(rng.integers(0, 3, spec.shape), dtype)
        return placed(pool[turn % len(pool)] if mode.seed < 2 else int(rng.integers(-2, 8)), dtype)
    values = rng.standard_normal(spec.shape) * mode.scale
    if mode.few:
        values = rng.integers(-1, 3, spec.shape).astype(float)
    if mode.around:
        values = rng.choice(mode.around, spec.shape) + 0.5 * values
    if "complex" in spec.dtype:
        values = values + 1j * rng.standard_normal(spec.shape)
    elif mode.sign:
        values = mode.sign * np.abs(values)
    elif mode.definite:
        values = _definite(values) if _square(spec) else np.abs(values)
        values = values * np.eye(values.shape[-1]) if mode.diagonal and _square(spec) else values
    if mode.fill is not None:
        values = np.full(spec.shape, mode.fill)
    if mode.spot is not None and (mode.only is None or mode.only == path):
        values = np.array(values)
        values.reshape(-1)[-1 if mode.last else 0 :][: 1 if values.size else 0] = mode.spot
    if mode.scattered is not None and spec.shape:
        values = np.where(rng.random(spec.shape) < SCATTERED, mode.scattered, values)
    return placed(values, dtype)


def _square(spec: Spec) -> bool:
    return isinstance(spec, Array) and len(spec.shape) > 1 and spec.shape[-1] == spec.shape[-2] > 0


def _definite(values: np.ndarray) -> np.ndarray:
    """Symmetric positive definite, diagonally dominant matrices: solvers and iterations converge on them."""
    size = values.shape[-1]
    return np.asarray(values @ np.swapaxes(values, -1, -2) / size + 2.0 * np.eye(size))


def modes(specs: Specs, floats: Sequence[float], integers: Sequence[int]) -> Iterator[Filling]:
    """The fillings for one set of specs, the most telling first."""
    yield Filling("ordinary values")
    yield Filling("other values", seed=1, scale=3.0, turn=1, mixed=True)
    paths = every_leaf(specs)
    found = [leaf for _, leaf in paths]
    matrices = any(map(_square, found))
    yield replace(POSITIVE, name="positive values and matrices") if matrices else POSITIVE
    if matrices:
        yield replace(POSITIVE, name="positive values, diagonal matrices", diagonal=True)
    yield NEGATIVE
    for name, fill in (("zeros", 0.0), ("ones", 1.0), ("minus ones", -1.0)):
        yield Filling(name, fill=fill)
    yield Filling("few different values", seed=12, few=True)
    if sum(isinstance(leaf, Array) and "float" in leaf.dtype for leaf in found) > 1:
        yield from (Filling(f"other few values {k}", seed=12 + k, few=True, turn=k, mixed=True) for k in range(1, FEW))
    yield from _alone(specs, floats)
    yield from _not_finite_alone(specs)
    options = max((_options(leaf, integers) for leaf in found), default=1)
    for k in range(max(AROUND, min(3 * options, 2 * AROUND)) if floats else 0):
        yield Filling(f"{AROUND_CONSTANTS} {k}", seed=30 + k, turn=k % options, around=tuple(floats))
    for value in floats:
        for near in (value, value - 1, value + 1, value / 2):  # halves: `x + y` is on a boundary
            yield Filling(f"all {near:g}", fill=near)
    for path, leaf in paths:
        for turn in range(1, _options(leaf, integers)):  # other values each time: those of one seed may lie alike
            yield Filling(f"choice {turn} of {path}", seed=turn - 1, turn=turn, only=path)
    yield Filling("a NaN", seed=2, spot=float("nan"))
    if any(isinstance(leaf, Array) and leaf.shape and "float" in leaf.dtype for leaf in found):
        yield Filling("a NaN at the end", seed=2, spot=float("nan"), last=True)
        for k in range(2):  # `x * mask` and `jnp.where(mask, x, 0)` differ where a NaN is masked, and no other
            yield Filling(f"scattered NaNs {k}", seed=17 + k, scattered=float("nan"))
    if any(isinstance(leaf, Array) and "int" in leaf.dtype for leaf in found):
        yield Filling(LARGE_NUMBERS, large=True)
    yield Filling("an infinity", seed=3, spot=float("inf"))
    yield Filling(LARGE_VALUES, seed=4, scale=1e4)
    yield Filling("large negative values", seed=4, scale=1e4, sign=-1)
    for k in range(3):
        yield Filling(f"mixture {k}", seed=5 + k, scale=(0.1, 1.0, 10.0)[k], turn=k + 2, mixed=True)


def at_length(specs: Specs, integers: Sequence[int]) -> Iterator[Filling]:
    """Fillings for axes longer than any number: each whole number on its own, equal neighbours, NaNs in the middle."""
    found = every_leaf(specs)
    yield Filling("ordinary values")
    for path, leaf in found:
        if isinstance(leaf, Scalar) and leaf.kind == "int":
            turns = range(1, min(len(scalar_values(leaf, integers)), MOST_TURNS))
            yield from (Filling(f"choice {turn} of {path}", turn=turn, only=path) for turn in turns)
    yield from (Filling(f"few different values {k}", seed=12 + k, few=True) for k in range(FEW))
    yield Filling("scattered NaNs", seed=17, scattered=float("nan"))
    if 1 < len(found) <= MAX_ALONE:
        numbers = [path for path, leaf in found if isinstance(leaf, Array) and leaf == Array((), "float32")]
        yield from (Filling(f"nan in {path}", seed=13, spot=float("nan"), only=path) for path in numbers)
    yield POSITIVE


def _alone(specs: Specs, floats: Sequence[float]) -> Iterator[Filling]:
    """One number on a boundary, the others on either side of zero: the outcome of `x >= 0` may depend on `y`."""
    found = every_leaf(specs)
    numbers = [p for p, leaf in found if isinstance(leaf, Array) and leaf.shape == () and "float" in leaf.dtype]
    if 1 < len(numbers) <= MAX_ALONE:
        for value in dict.fromkeys([0.0, *floats[:1]]):
            for path in numbers:
                for sign in (-1, 1):
                    yield Filling(f"{path} at {value:g}", seed=10 + sign, spot=value, only=path, sign=sign)


def _not_finite_alone(specs: Specs) -> Iterator[Filling]:
    """A NaN or an infinity in one leaf, with the others on either side of zero, or zero: `(t > 0) * jnp.exp(x)`."""
    found = every_leaf(specs)
    floats = [path for path, leaf in found if isinstance(leaf, Array) and "float" in leaf.dtype]
    if 1 < len(floats) <= MAX_ALONE:
        for path in floats:
            for value, sign in ((float("inf"), -1), (float("inf"), 1), (float("nan"), -1), (float("nan"), 1)):
                yield Filling(f"{value:g} in {path}", seed=14 + sign, spot=value, only=path, sign=sign)
            yield Filling(f"inf in {path} beside zeros", fill=0.0, spot=float("inf"), only=path)


def _options(leaf: Leaf, integers: Sequence[int]) -> int:
    match leaf:
        case Alternatives(values=values):
            return min(len(values), 6)
        case Scalar():
            return min(len(scalar_values(leaf, integers)), 8)
        case Array(shape=(), dtype="bool"):
            return 2
        case Array(shape=(), dtype=dtype) if "int" in dtype:
            return min(len(dict.fromkeys([1, 0, 2, -1, 3, *integers, 9])), 10)
    return 1


def ties_of_choices(specs: Specs) -> Iterator[Filling]:
    """Equal values and zeros beside each text or flag but the first: each arm has its own derivative there."""
    found = every_leaf(specs)
    for path, leaf in found:
        for turn in range(1, _options(leaf, ())) if isinstance(leaf, Alternatives) else ():
            tied = [Filling("ones", fill=1.0), *(Filling(f"few {k}", seed=12 + k, few=True) for k in range(FEW))]
            for mode in (*tied, Filling("zeros", fill=0.0)):
                yield replace(mode, name=f"{mode.name}, choice {turn} of {path}", turn=turn, only=path)


def searching(floats: Sequence[float]) -> Iterator[Filling]:
    """Further fillings, tried until every line has been reached."""
    for k in range(40):
        yield Filling(f"searching {k}", seed=20 + k, scale=10.0 ** (k % 5 - 2), turn=k, mixed=True)


def cases(specs: Specs, found: Iterator[Filling], integers: Sequence[int], *, wide: bool = False) -> Iterator[Case]:
    for mode in found:
        yield Case(
            mode.name,
            lambda mode=mode: make(specs, mode, integers, wide),  # type: ignore[misc]
            ordinary=mode.fill is mode.spot is mode.scattered is None and not (mode.large or mode.few or mode.diagonal),
            finite=all(x is None or bool(np.isfinite(x)) for x in (mode.spot, mode.scattered)),
        )


def varied(values: Values, floats: Sequence[float]) -> Iterator[Case]:
    """Cases around harvested arguments: unchanged, then with other values in their float leaves."""
    yield Case(AS_CALLED, lambda: values)

    def changed(change: Callable[[np.ndarray, int], np.ndarray]) -> Callable[[], Values]:
        def leaf(at: list[int], x: object) -> object:
            if not isinstance(x, (jax.Array, np.ndarray)) or not jnp.issubdtype(x.dtype, jnp.inexact):
                return x
            at[0] += 1
            return placed(change(np.array(x), at[0]), x.dtype)

        def make() -> Values:
            at = [0]
            return mapped(lambda x: leaf(at, x), values)

        return make

    def spot(x: np.ndarray, value: float) -> np.ndarray:
        x.reshape(-1)[:1] = value
        return x

    for seed in (1, 2):
        yield Case(
            f"random values {seed}",
            changed(lambda x, k, s=seed: np.random.default_rng([k, s]).standard_normal(x.shape) * s),  # type: ignore[misc]
        )
    for value in dict.fromkeys([0.0, 1.0, -1.0, *floats]):
        yield Case(f"all {value:g}", changed(lambda x, k, v=value: np.full_like(x, v)), ordinary=False)  # type: ignore[misc]
    for name, value in (("a NaN", float("nan")), ("an infinity", float("inf"))):
        yield Case(
            name,
            changed(lambda x, k, v=value: spot(x, v)),  # type: ignore[misc]
            ordinary=False,
            finite=False,
        )
