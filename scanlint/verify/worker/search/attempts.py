"""Tries inputs on a version: abstractly if it traces, else with concrete values."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import numpy as np

from ..infer.specs import Array, OnHost, Spec, Specs, Struct, leaves
from ..proof.paths import TooManyDecisions, answering, in_turns
from ..runtime.calling import Signature, TookTooLong, Values, limited, plain, split
from ..runtime.jax_errors import untraceable
from ..runtime.jax_functions import abstract, x64
from ..runtime.line_marks import ReachedLines
from ..runtime.loading import Loaded
from ..runtime.made_functions import MakerSignature
from ..runtime.transplant import transplant
from .case_values import Filling, make, with_arrays
from .shape_search import NOT_IMPORTED, Failure

ATTEMPT_SECONDS = 2.0
TOO_LONG = "timeout"
Truth = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Attempted:
    """The result of an attempt: why it failed, whether a test was decided, and what it returned."""

    failure: Failure | None
    decided: bool
    empty: bool
    shapes: tuple[tuple[int, ...], ...] | None


Tried = dict[object, Attempted]


@dataclass
class Attempts:
    """Runs one function on inputs described by specs; `trial` is the twin of the module with short loops.

    `fixed`: arguments that callers pass for some parameters, `defaulted`: parameters for which they pass none.
    `decided`: whether an attempt tested the truth of an array or needed its value; `empty`: whether the last attempt
    returned an array without elements; `shapes`: those that it returned, if it was traced. `tried`: what came of
    attempts on the old version, in this task and in those before it.
    """

    loaded: Loaded
    function: Callable[..., object]
    node: ast.FunctionDef | ast.AsyncFunctionDef
    signature: Signature
    owner: type | None = None
    trial: Loaded | None = None
    new: ast.AST | None = None
    decided: bool = False
    empty: bool = False
    shapes: tuple[tuple[int, ...], ...] | None = None
    fixed: Values = field(default_factory=dict)
    defaulted: frozenset[str] = frozenset()
    tried: Tried = field(default_factory=dict)
    _known: Tried = field(default_factory=dict, init=False, repr=False)

    def attempt(
        self,
        specs: Specs,
        function: Callable[..., object] | None = None,
        truth: Truth = in_turns,
        reached: ReachedLines | None = None,
    ) -> Failure | None:
        """Why a version, else the old one, rejects these inputs; None if it accepts them.

        The inputs are abstract where the specs allow; `truth` decides the truth tests on arrays. The same inputs are
        tried once, unless it is asked which lines they reach.
        """
        key = function, truth, x64(), repr(sorted(specs.items()))
        kept = self.tried if function is None else self._known
        known = kept.get(key) if reached is None else None
        if known is None:
            before, self.decided = self.decided, False
            failure = self.anew(specs, function, truth, reached)
            known = Attempted(failure, self.decided, self.empty, self.shapes)
            self.decided = before
            if failure is None or failure.kind != TOO_LONG:
                kept[key] = known
        self.decided, self.empty, self.shapes = self.decided or known.decided, known.empty, known.shapes
        return known.failure

    def anew(
        self,
        specs: Specs,
        function: Callable[..., object] | None = None,
        truth: Truth = in_turns,
        reached: ReachedLines | None = None,
    ) -> Failure | None:
        """Why a version rejects these inputs; it is run, whatever was tried before."""
        self.empty, self.shapes = False, None
        reached = ReachedLines() if reached is None else reached

        def decided(asked: int) -> bool:
            self.decided = True
            return truth(asked)

        try:
            with limited(ATTEMPT_SECONDS), answering(decided), reached.watching():
                values = self.moved(self.abstract(specs), function)
                parts = split(values, self.signature.static, numbers=False)
                given = jax.eval_shape(
                    lambda *ls: self.outcome(parts.rebuild(ls), function or plain(self.function)), *parts.leaves
                )
                self.empty = any(x.size == 0 for x in given)
                self.shapes = tuple(x.shape for x in given)
        except TooManyDecisions:  # the attempt fails, and the next one is made
            return None
        except TookTooLong:
            return Failure("took too long", (), TOO_LONG)
        except Exception as error:  # noqa: BLE001
            if not untraceable(error) and not any(_on_host(spec) for spec in specs.values()):
                return self.failed(error, reached)
            self.decided = True
            return None if self.runs(specs, function) else self.failed(error, reached)
        return None

    def by_arm(self, specs: Specs) -> bool | None:
        """Whether the shapes of the results depend on the truth tests on arrays: one arm leaves a number.

        None where one of the arms fails.
        """
        found = []
        for way in (0, 1):
            if self.attempt(specs, truth=lambda asked, way=way: asked % 2 == way) is not None or self.shapes is None:  # type: ignore[misc]
                return None
            found.append(self.shapes)
        return found[0] != found[1]

    def failed(self, error: Exception, reached: ReachedLines) -> Failure:
        lines, offsets, meant = self.lines_of(error)
        kind, text = type(error).__name__, str(error)
        if isinstance(error, NameError) and error.name in self.loaded.failures:
            kind, text = NOT_IMPORTED, self.loaded.failures[error.name]
        return Failure(text, lines, kind, (reached.events, *offsets), meant)

    def runs(self, specs: Specs, function: Callable[..., object] | None) -> bool:
        """Whether a version that does not trace accepts real arguments: `float(x)`, `int(size / step)`."""
        for mode in (Filling("ordinary values"), Filling("positive values", seed=9, definite=True)):
            try:
                with limited(ATTEMPT_SECONDS):
                    values = self.moved(make(specs, mode, ()), function)
                    self.outcome(values, function or plain(self.function))
                return True
            except TookTooLong:
                return False
            except Exception:  # noqa: BLE001 - the next kind of values is tried
                continue
        return False

    def moved(self, values: dict[str, object], function: Callable[..., object] | None) -> dict[str, object]:
        """Arguments with the classes of the function's own module, or of the twin's."""
        home = self.loaded.module
        name = str(getattr(inspect.unwrap(function), "__module__", "")) if function is not None else ""
        module = sys.modules.get(name) if name.startswith(home.__name__.removesuffix("before")) else None
        module = module or (self.trial.module if self.trial is not None else home)
        return values if module is home else {k: transplant(v, home, module) for k, v in values.items()}

    def outcome(self, values: dict[str, object], function: Callable[..., object]) -> list[jax.Array | np.ndarray]:
        """The result's array leaves (a result need not be a pytree of arrays for the inputs to be good)."""
        result = self.signature.call(function, values)
        return [x for x in jax.tree_util.tree_leaves(result) if isinstance(x, (jax.Array, np.ndarray))]

    def lines_of(self, error: Exception) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
        """Lines and instruction offsets of the frames in the code under test, and whether the innermost is one."""
        at, lines, offsets, inside = error.__traceback__, [], [], False
        while at is not None:
            inside = at.tb_frame.f_code.co_filename == self.loaded.module.__file__
            if inside:
                lines.append(at.tb_lineno)
                offsets.append(at.tb_lasti)
            at = at.tb_next
        return tuple(lines), tuple(offsets), inside

    def abstract(self, specs: Specs) -> dict[str, object]:
        """Arguments with shapes in place of arrays; real ones where a container hides them from JAX."""
        if any(_opaque(s) for s in specs.values()):
            return make(specs, Filling("ordinary"), ())

        outer = self.signature.static if isinstance(self.signature, MakerSignature) else ()
        real = make({n: s for n, s in specs.items() if n in outer}, Filling("ordinary"), ())
        return with_arrays({n: s for n, s in specs.items() if n not in real}, _abstract) | real


def _abstract(spec: Array, path: str) -> object:
    """The shape and dtype of an array."""
    match spec.dtype:
        case "key":
            return abstract(spec.shape, jax.eval_shape(lambda: jax.random.key(0)).dtype)
        case "rawkey":
            return abstract((*spec.shape, 2), np.uint32)
    return abstract(spec.shape, jax.numpy.dtype(spec.dtype))


def _on_host(spec: Spec) -> bool:
    """Whether an argument holds arrays of NumPy, which code may need to change in place."""
    return isinstance(spec, Struct) and (spec.kind is OnHost or any(_on_host(s) for _, s in spec.items))


def _opaque(spec: Spec) -> bool:
    """Whether an instance of a class that is no pytree contains arrays."""
    if not isinstance(spec, Struct):
        return False
    if isinstance(spec.kind, type) and not (issubclass(spec.kind, tuple)):
        return any(isinstance(leaf, Array) for _, leaf in leaves(spec))
    return any(_opaque(s) for _, s in spec.items)
