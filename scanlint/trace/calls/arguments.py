"""The arguments of a call by the parameters that they are given to."""

from __future__ import annotations

from scanlint.trace.domain.callables import Closure
from scanlint.trace.domain.values import UNKNOWN, Kind, Value, gathered, record

_NONE_LEFT = Value(Kind.STATIC, container="dict", items=())


def arguments(closure: Closure, args: list[Value], keywords: dict[str, Value]) -> dict[str, Value]:
    """Arguments by parameter name; those left to their defaults are absent."""
    code = closure.code
    positional = [a.arg for a in code.positional()]
    given: dict[str, Value] = {}
    if closure.receiver is not None and positional:
        given[positional.pop(0)] = closure.receiver
    for name, value in zip(positional, args, strict=False):
        given[name] = value
    if code.node.args.vararg is not None:
        given[code.node.args.vararg.arg] = gathered("tuple", tuple(args[len(positional) :]))
    names = {a.arg for a in code.parameters()}
    given |= {k: v for k, v in keywords.items() if k in names}
    if code.node.args.kwarg is not None and "**" not in keywords:
        others = {k: v for k, v in keywords.items() if k not in names}
        given[code.node.args.kwarg.arg] = record("dict", others) if others else _NONE_LEFT
    if "**" in keywords:
        given = dict.fromkeys(names, UNKNOWN) | given
    return given
