"""Derivative rules of `custom_jvp` and `custom_vjp`: functions that run where the function does that they stand for."""

from __future__ import annotations

from scanlint.trace.calls.transforms import constants, functions_in
from scanlint.trace.domain.callables import Closure, Transformed
from scanlint.trace.domain.values import UNKNOWN, Value
from scanlint.trace.evaluator import Evaluator

RULES = frozenset(("defjvp", "defvjp"))


def define(self: Evaluator, target: Transformed, name: str, args: list[Value]) -> Value:
    """`f.defjvp(rule)` or `f.defvjp(forward, backward)`; a decorator gives the rule back."""
    for primal in functions_in(target.function):
        numbers = [n for n in constants(target.options.get("nondiff_argnums")) if isinstance(n, int)]
        positional = [a.arg for a in primal.code.positional()]
        given = {positional[n] for n in numbers if -len(positional) <= n < len(positional)}
        for place, rule in enumerate(args):
            for closure in functions_in(rule):
                if name == "defvjp" and place == 0:
                    skip = frozenset(_same_place(closure, positional, given))
                else:
                    skip = frozenset(a.arg for a in closure.code.positional()[: len(given) + (name == "defvjp")])
                self.world.stand_in(primal, closure, skip)
    return args[0] if args else UNKNOWN


def _same_place(closure: Closure, positional: list[str], given: set[str]) -> list[str]:
    """The parameters of the forward rule in the places of those that the function does not differentiate."""
    return [a.arg for a, name in zip(closure.code.positional(), positional, strict=False) if name in given]
