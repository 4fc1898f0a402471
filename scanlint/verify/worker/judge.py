"""Run both versions on cases and judge: results, errors, gradients, behaviour under vmap."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from .call import Reached, Signature, Split, TookTooLong, jitted, limited, plain, split
from .compare import ACCEPTED_RELATIVE, Agreement, Difference, compare, describe
from .jaxes import eps, finished
from .module import Loaded
from .specs import transplant
from .values import Case, Values

CASE_SECONDS = 4.0
Function = Callable[..., object]
Result = TypeVar("Result")


class Refuted(Exception):
    """The versions differ; the message is the counterexample."""


@dataclass
class Judge:
    """Both versions, how they are called, and the evidence so far."""

    old: Loaded
    new: Loaded
    before: Function
    after: Function
    signature: Signature
    traced: bool
    differentiated: bool
    stage: Callable[[str], None]
    reached: Reached = field(default_factory=lambda: Reached(frozenset()))
    staged: bool = False
    cases: int = 0
    max_error: float = 0.0
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    compiled: dict[object, Function] = field(default_factory=dict)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def moved(self, values: Values) -> Values:
        """The same arguments for the new version."""
        return {k: transplant(v, self.old.module, self.new.module) for k, v in values.items()}

    def check(self, case: Case, where: str = "") -> bool:
        """One case; False where the old version gives nothing to compare with. Raises Refuted."""
        label = f"{case.label}{', ' + where if where else ''}"
        try:
            values = case.make()
            expected = self.run_old(values)
        except TookTooLong:
            self.note(f"{label}: the old version took too long; not compared")
            return False
        except (Exception, SystemExit) as error:  # noqa: BLE001
            self.failures.append(f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}")
            return False
        self.stage(f"running the new version on {label}")
        for name, run in self.runs(values):
            try:
                found = run()
            except Exception as error:
                text = str(error).splitlines()[0][:200] if str(error) else ""
                if _empty(expected):
                    self.note(f"the new version raises where the result is empty: {type(error).__name__}: {text}")
                    return False
                raise Refuted(
                    f"{describe(values)}: the new version raises {type(error).__name__}: {text}{name}"
                ) from error
            if not self.agree(values, expected, found, name):
                return False
        self.cases += 1
        return True

    def agree(self, values: Values, expected: object, found: object, name: str) -> bool:
        """Whether the case counts; raises Refuted where the results differ beyond what rounding explains."""
        result = compare(expected, found)
        if isinstance(result, Agreement):
            self.max_error = max(self.max_error, result.error)
            if result.weak:
                self.note("a dtype differs in weakness only")
            return True
        if result.values_only:
            drift = self.sensitivity(values, expected)
            if result.relative <= 32 * drift:
                if result.relative <= ACCEPTED_RELATIVE.get(_width(expected), 1e-4):
                    self.max_error = max(self.max_error, result.error)
                    return True
                self.note("a case that magnifies rounding errors was not counted")
                return False
        raise Refuted(f"{describe(values)}: {result.text}{name}")

    def run_old(self, values: Values) -> object:
        watching = self.reached.watching() if self.reached.codes else contextlib.nullcontext()
        with limited(CASE_SECONDS), watching:
            return finished(self.eagerly(lambda f: self.signature.call(f, values)))

    def eagerly(self, call: Callable[[Function], Result]) -> Result:
        """Run the old version's Python. Where it traces as it is, what it calls may stay compiled (much faster)."""
        if self.staged:
            return call(plain(self.before))
        with jax.disable_jit():
            return call(self.before)

    def runs(self, values: Values) -> Iterator[tuple[str, Callable[[], object]]]:
        """The ways the new version is run: under its own jit, or under ours where it is traced."""
        mine = self.moved(values)
        if self.traced and not jitted(self.after):
            yield " (under jit)", lambda: self.under_jit(mine)
            if self.cases == 0:
                yield " (not under jit)", lambda: self.signature.call(self.after, mine)
        else:
            yield "", lambda: self.signature.call(self.after, mine)

    def under_jit(self, values: Values) -> object:
        try:
            return self.jitted(self.after, values, numbers=True)
        except Exception:
            # Python numbers may be static where the function is really called.
            if self.traces(self.before, values):
                raise
            return self.jitted(self.after, values, numbers=False)

    def traces(self, function: Function, values: Values) -> bool:
        parts = split(values, self.signature.static, numbers=True)
        try:
            jax.eval_shape(lambda *ls: self.arrays(function, parts, ls), *parts.leaves)
        except Exception:  # noqa: BLE001
            return False
        return True

    def arrays(self, function: Function, parts: Split, leaves: tuple[object, ...]) -> list[object]:
        result = self.signature.call(function, parts.rebuild(leaves))
        return [x for x in jax.tree_util.tree_leaves(result) if isinstance(x, jax.Array)]

    def jitted(self, function: Function, values: Values, *, numbers: bool) -> object:
        """Compiled once per set of static values."""
        parts = split(values, self.signature.static, numbers=numbers)
        key = (id(function), numbers, _static_key(values, parts))
        if key not in self.compiled:
            self.compiled[key] = jax.jit(lambda *ls: self.signature.call(function, parts.rebuild(ls)))
        return finished(self.compiled[key](*parts.leaves))

    def sensitivity(self, values: Values, expected: object) -> float:
        """How much the old version's result moves, relatively, when its float inputs move by one rounding unit,
        or when it is compiled."""
        worst = 0.0
        for sign in (1.0, -1.0):
            moved = jax.tree_util.tree_map(lambda x, s=sign: _nudged(x, s), values)
            try:
                worst = max(worst, _relative(compare(expected, self.run_old(moved), ulps=1.0)))
            except (Exception, TookTooLong):  # noqa: BLE001
                continue
        try:
            worst = max(worst, _relative(compare(expected, self.jitted(self.before, values, numbers=True), ulps=1.0)))
        except Exception:  # noqa: BLE001
            return worst
        return worst

    def gradients(self, case: Case) -> bool:
        """Reverse-mode gradients where the old version has them; False where it has none."""
        values = case.make()
        try:
            with limited(CASE_SECONDS):
                expected = self.eagerly(lambda f: self.gradient(f, values))
        except (Exception, TookTooLong):  # noqa: BLE001
            return False
        if expected is None:
            return False
        self.stage(f"differentiating the new version on {case.label}")
        mine = self.moved(values)
        try:
            found = self.gradient(self.after, mine)
        except Exception as error:
            text = str(error).splitlines()[0][:160] if str(error) else ""
            if self.differentiated:
                raise Refuted(
                    f"{describe(values)}: the gradient of the new version raises {type(error).__name__}: {text}"
                ) from error
            self.note("the new version has no reverse-mode gradient; the old one has")
            return False
        result = compare(expected, found, ulps=1024.0)
        if isinstance(result, Difference) and result.relative > 1e-3 and not _negligible(expected, result):
            became = (
                found is not None
                and any(np.isnan(np.asarray(x)).any() for x in found)
                and all(np.isfinite(np.asarray(x)).all() for x in expected)
            )
            text = f"{describe(values)}: gradient {result.text}"
            if (
                became
                or self.differentiated
                or (case.ordinary and case.finite and not self.rough(values, expected, result))
            ):
                raise Refuted(text)
            self.note(f"the gradient differs at a boundary: {result.text}")
        return True

    def rough(self, values: Values, expected: list[object], result: Difference) -> bool:
        """Whether the old version's own gradient moves as much under one rounding unit."""
        moved = jax.tree_util.tree_map(lambda x: _nudged(x, 1.0), values)
        try:
            with limited(CASE_SECONDS):
                other = self.eagerly(lambda f: self.gradient(f, moved))
        except (Exception, TookTooLong):  # noqa: BLE001
            return False
        return result.relative <= 64 * _relative(compare(expected, other, ulps=1.0))

    def gradient(self, function: Function, values: Values) -> list[object] | None:
        """The gradient of a fixed random projection of the float outputs, for each float leaf."""
        parts = split(values, self.signature.static, numbers=False)
        at = [i for i, x in enumerate(parts.leaves) if _floating(x)]
        if not at:
            return None

        def objective(floats: list[object]) -> object:
            leaves = list(parts.leaves)
            for i, x in zip(at, floats, strict=False):
                leaves[i] = x
            result = self.signature.call(function, parts.rebuild(leaves))
            outputs = [x for x in jax.tree_util.tree_leaves(result) if isinstance(x, jax.Array) and _floating(x)]
            total: object = jnp.zeros(())
            for k, x in enumerate(outputs):
                weights = np.random.default_rng(k).standard_normal(x.shape)
                total = total + jnp.sum(x * jnp.asarray(weights, x.dtype))  # type: ignore[operator]
            return total

        found: list[object] = jax.grad(objective)([parts.leaves[i] for i in at])
        return found

    def batched(self, case: Case) -> None:
        """Both versions under vmap, where the old one can be batched."""
        values = case.make()
        parts = split(values, self.signature.static, numbers=False)
        stack = [_pair(x) for x in parts.leaves]
        if not stack or not any(_floating(x) for x in parts.leaves):
            return
        mine = split(self.moved(values), self.signature.static, numbers=False)
        try:
            with limited(CASE_SECONDS):
                expected = jax.vmap(lambda *ls: self.arrays(self.before, parts, ls))(*stack)
        except (Exception, TookTooLong):  # noqa: BLE001
            return
        self.stage("running the new version under vmap")
        try:
            found = jax.vmap(lambda *ls: self.arrays(self.after, mine, ls))(*stack)
        except Exception as error:
            raise Refuted(f"under vmap the new version raises {type(error).__name__}: {str(error)[:160]}") from error
        result = compare(expected, found, ulps=1024.0)
        if isinstance(result, Difference) and result.relative > 1e-3:
            raise Refuted(f"under vmap: {describe(values)}: {result.text}")


def _empty(tree: object) -> bool:
    """Whether all results are arrays without elements: a loop of no trips that collects."""
    found = jax.tree_util.tree_leaves(tree)
    return bool(found) and all(isinstance(x, (jax.Array, np.ndarray)) and x.size == 0 for x in found)


def _relative(result: Difference | Agreement) -> float:
    if isinstance(result, Agreement):
        return 0.0
    return result.relative if result.values_only else 0.0


def _negligible(gradients: list[object], result: Difference) -> bool:
    """Whether a difference is rounding noise beside the largest gradient, or beside one."""
    largest = max((float(np.max(np.abs(np.asarray(x)), initial=0.0)) for x in gradients), default=0.0)
    return bool(result.values_only and result.error <= 1e-5 * max(1.0, largest))


def _floating(x: object) -> bool:
    return isinstance(x, (jax.Array, np.ndarray)) and jnp.issubdtype(x.dtype, jnp.floating)


def _nudged(x: object, sign: float) -> object:
    if not _floating(x):
        return x
    return jnp.asarray(np.asarray(x) * (1 + sign * eps(x.dtype)), x.dtype)  # type: ignore[attr-defined]


def _scaled(x: object) -> object:
    return jnp.asarray(np.asarray(x) * 0.5 + 0.25, x.dtype) if _floating(x) else x  # type: ignore[attr-defined]


def _pair(x: object) -> jax.Array:
    """A batch of two."""
    return jnp.stack([jnp.asarray(y) for y in (x, _scaled(x))])


def _width(tree: object) -> int:
    found = [np.asarray(x).dtype.itemsize for x in jax.tree_util.tree_leaves(tree) if _floating(x)]
    return min(found, default=4)


def _static_key(values: Values, parts: Split) -> object:
    """What the compiled program depends on besides its traced leaves."""
    marked = parts.rebuild([None] * len(parts.leaves))
    flat, tree = jax.tree_util.tree_flatten(marked)
    return (str(tree), tuple(x if isinstance(x, (str, int, float, bool)) else id(x) for x in flat))
