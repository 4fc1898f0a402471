"""Computes small programs of JAX's own with NumPy, and compiles no program twice.

JAX compiles each operation anew for each shape, in 15 to 30 ms of a processor; most are one primitive, or a function of
`jax.numpy` that is jitted. Only results that are XLA's bit for bit are computed so; all else, and every program of the
code under test, is compiled. A loop of JAX's that is called outside of `jit` is another function on each call, and was
compiled on each: what is lowered to the same text is compiled once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import jax
import numpy as np

from ..proof.equations import NotUnderstood, called, is_closed, name_of
from ..proof.moved_elements import Operation
from .operations import DTYPES, FLOATS, ROUNDING, Declined, operation

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

    from ..proof.equations import ClosedJaxpr

HOOK, COMPILING = "_pjit_call_impl_python", "compile_or_get_cached"
OUTSIDE = ("callback", "dense_resource")
"""In the text of a program that means more than it says."""
OWN = os.path.join(os.path.dirname(jax.__file__), "")
MOST_STEPS = 24
MOST_USES = 50  # for each result: a call of what is compiled takes 8 us, of this 90; 100 rows compile in half a second
MOST_KNOWN, MOST_EXECUTABLES = 4096, 512
EXECUTABLES: dict[object, object] = {}
"""What this process has compiled, by text, options and devices."""


@dataclass
class Program:
    """The steps of a program, how many of them round, and how often it may still be run so."""

    jaxpr: Jaxpr
    consts: Sequence[object]
    steps: list[tuple[Operation, JaxprEqn]]
    rounding: int
    left: int

    @classmethod
    def of(cls, program: ClosedJaxpr | Jaxpr) -> Program:
        """Raises NotUnderstood where NumPy's results may not be XLA's."""
        inner, consts = cast(
            "tuple[Jaxpr, list[object]]", (program.jaxpr, program.consts) if is_closed(program) else (program, [])
        )
        variables = [*inner.invars, *inner.outvars, *inner.constvars]
        if len(inner.constvars) != len(consts) or inner.effects or len(inner.eqns) > MOST_STEPS:
            raise NotUnderstood("such a program")
        if any(str(getattr(v.aval, "dtype", None)) not in DTYPES for v in variables):
            raise NotUnderstood("a dtype")
        steps = [_step(equation) for equation in inner.eqns]
        rounding = sum(count for _, count in steps)
        literal = any(hasattr(x, "val") and _is_float(x) for e in inner.eqns for x in e.invars)
        if rounding > 1 or (rounding and literal):  # XLA simplifies what is known, and fuses products and sums
            raise NotUnderstood("what may be rounded otherwise")
        left = MOST_USES * max(len(inner.outvars), 1)
        return cls(inner, consts, [(run, e) for (run, _), e in zip(steps, inner.eqns, strict=True)], rounding, left)

    def run(self, *operands: np.ndarray) -> list[np.ndarray]:
        """The results; raises Declined where XLA's may be others."""
        known: dict[Any, np.ndarray] = dict(zip(self.jaxpr.invars, operands, strict=True))
        known.update((v, np.asarray(c)) for v, c in zip(self.jaxpr.constvars, self.consts, strict=True))
        for step, equation in self.steps:
            found = step(*(_value(x, known) for x in equation.invars))
            known.update(zip(equation.outvars, found if isinstance(found, list) else [found], strict=True))
        return [_value(x, known) for x in self.jaxpr.outvars]


def _step(equation: JaxprEqn) -> tuple[Operation, int]:
    """What computes an equation, and how often it rounds."""
    name = name_of(equation)
    if name in ("pjit", "jit"):
        inner = Program.of(called(equation))
        return inner.run, inner.rounding
    return operation(equation), int(name in ROUNDING and any(map(_is_float, equation.outvars)))


def _is_float(variable: Any) -> bool:
    return str(getattr(variable.aval, "dtype", None)) in FLOATS


def _value_of(value: object, variable: Any) -> np.ndarray:
    """A value in the dtype in which a program takes it."""
    return np.asarray(value).astype(variable.aval.dtype, copy=False)


def _value(variable: Any, known: dict[Any, np.ndarray]) -> np.ndarray:
    return _value_of(variable.val, variable) if hasattr(variable, "val") else known[variable]


class Profiled:
    """What JAX takes for a profile that is still being made: it asks again at each call, and may compile later."""

    def is_enabled(self) -> bool:
        return True

    def is_fdo_consumed(self) -> bool:
        return False


def install() -> bool:
    """Compile less from now on; False where this JAX has no place for NumPy to compute."""
    from jax._src import compiler, pjit
    from jax._src.interpreters import pxla

    compiling = getattr(compiler, COMPILING, None)
    if compiling is not None:
        setattr(compiler, COMPILING, _once(compiling))
    original, rebuilt = getattr(pjit, HOOK, None), getattr(pjit, "_need_to_rebuild_with_fdo", None)
    placing = getattr(pxla, "batched_device_put", None)
    if original is None or rebuilt is None or placing is None or not rebuilt(Profiled()):
        return False
    parts = _parts(original)
    if parts not in (3, 4):
        return False
    more: list[list[object]] = [[]] * (parts - 3)
    setattr(pjit, HOOK, _instead(original, placing, more))
    return True


def _parts(original: Callable[..., Any]) -> int:
    """How many values JAX's function gives: results, executable, profile, and from JAX 0.8 on its constants."""
    returned = [n.value for n in ast.walk(ast.parse(inspect.getsource(original))) if isinstance(n, ast.Return)]
    last = returned[-1] if returned else None
    return len(last.elts) if isinstance(last, ast.Tuple) else 0


def forget() -> None:
    """Have every program compiled again, as is meant where that is measured."""
    EXECUTABLES.clear()


def _once(compiling: Callable[..., Any]) -> Callable[..., Any]:
    """JAX's function that compiles a lowered program, which gives the same executable for the same text."""

    def compiled(
        backend: object, module: object, devices: Any, options: Any, callbacks: Any, *others: object
    ) -> object:
        text = str(module)
        if callbacks or any(word in text for word in OUTSIDE):
            return compiling(backend, module, devices, options, callbacks, *others)
        key = text, options.SerializeAsString(), tuple(device.id for device in devices.flat)
        if key not in EXECUTABLES:
            if len(EXECUTABLES) >= MOST_EXECUTABLES:
                forget()
            EXECUTABLES[key] = compiling(backend, module, devices, options, callbacks, *others)
        return EXECUTABLES[key]

    return compiled


def _instead(original: Callable[..., Any], placing: Callable[..., Any], more: list[list[object]]) -> Callable[..., Any]:
    """JAX's function that compiles and runs a program, for all but those that NumPy computes."""
    known: dict[int, tuple[object, Program | None]] = {}

    def call(*arguments: object, jaxpr: ClosedJaxpr, **options: Any) -> object:
        if id(jaxpr) not in known:
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[id(jaxpr)] = jaxpr, small(jaxpr)
        program = known[id(jaxpr)][1]
        if program is not None and program.left > 0 and _usual(arguments, options):
            program.left -= 1
            try:
                return (_computed(program, arguments, jaxpr, placing), None, Profiled(), *more)
            except Exception:  # noqa: BLE001 - XLA computes it, and raises what there is to raise
                program.left = 0
        return original(*arguments, jaxpr=jaxpr, **options)

    return call


def small(jaxpr: ClosedJaxpr) -> Program | None:
    """A program that JAX's own code made, if NumPy's results are XLA's; else None."""
    about = getattr(getattr(jaxpr.jaxpr, "debug_info", None), "func_src_info", None)
    if f" at {OWN}" not in str(about):
        return None
    try:
        return Program.of(jaxpr)
    except NotUnderstood:  # XLA computes it
        return None


def _usual(arguments: Sequence[object], options: dict[str, Any]) -> bool:
    """Whether nothing says on which device, in whose memory or with which checks it is to be computed."""
    if any(options["donated_invars"]) or options.get("compiler_options_kvs"):
        return False
    if jax.config.jax_debug_nans or jax.config.jax_debug_infs or jax.config.jax_default_device is not None:
        return False
    mesh = options.get("ctx_mesh") or getattr(options.get("resource_env"), "physical_mesh", None)
    if not getattr(mesh, "empty", True):
        return False
    placements = (*options["in_shardings"], *options["out_shardings"], *options["in_layouts"], *options["out_layouts"])
    if any(x is not None and type(x).__name__ != "UnspecifiedValue" for x in placements):
        return False
    return all(_here(x) for x in arguments)


def _here(argument: Any) -> bool:
    """Whether it is a number, or an array that may lie on any device."""
    if not isinstance(argument, jax.Array):
        return isinstance(argument, np.ndarray | np.generic | bool | int | float)
    return not argument._committed and not argument.is_deleted() and argument.is_fully_addressable  # type: ignore[attr-defined]


def _computed(
    program: Program, arguments: Sequence[object], jaxpr: ClosedJaxpr, placing: Callable[..., Any]
) -> list[jax.Array]:
    """The results as arrays that nothing else holds; raises Declined, and what NumPy raises."""
    device = _device()
    with np.errstate(all="ignore"):
        operands = [_value_of(x, v) for x, v in zip(arguments, program.jaxpr.invars, strict=True)]
        found = program.run(*operands)
    placed = []
    for result, aval in zip(found, jaxpr.out_avals, strict=True):
        if result.shape != aval.shape or result.dtype != aval.dtype:
            raise Declined
        placed.append(placing(aval, device[1], [np.array(result, order="C")], [device[0]], False))
    return placed


@functools.cache
def _device() -> tuple[jax.Device, jax.sharding.Sharding]:
    device = jax.devices()[0]
    if device.platform != "cpu":
        raise Declined
    return device, jax.sharding.SingleDeviceSharding(device)
