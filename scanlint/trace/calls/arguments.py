"""The arguments of a call by the parameters that they are given to."""

from __future__ import annotations

from scanlint.trace.domain.callables import Closure
from scanlint.trace.domain.values import UNKNOWN, Kind, Value, gathered, join_all, record

_NONE_LEFT = Value(Kind.STATIC, container="dict", items=())


def arguments(closure: Closure, args: list[Value], keywords: dict[str, Value]) -> dict[str, Value]:
    """Arguments by parameter name; those left to their defaults are absent.

    Under `*` stands what any further positional argument is, under `**` what any other keyword is.
    """
    code = closure.code
    positional = [a.arg for a in code.positional()]
    given: dict[str, Value] = {}
    if closure.receiver is not None and positional:
        given[positional.pop(0)] = closure.receiver
    for name, value in zip(positional, args, strict=False):
        given[name] = value
    rest = keywords.get("*")
    if rest is not None:
        required = set(positional) - code.defaults().keys()
        given |= {name: rest if name in required else UNKNOWN for name in positional[len(args) :]}
    if code.node.args.vararg is not None:
        given[code.node.args.vararg.arg] = _gathered(args[len(positional) :], rest)
    names = {a.arg for a in code.parameters()} if keywords else set[str]()
    given |= {k: v for k, v in keywords.items() if k in names}
    if code.node.args.kwarg is not None and "**" not in keywords:
        others = {k: v for k, v in keywords.items() if k not in names and k != "*"}
        given[code.node.args.kwarg.arg] = record("dict", others) if others else _NONE_LEFT
    if "**" in keywords:
        given = dict.fromkeys(names, UNKNOWN) | given
    return given


def argument(args: list[Value], keywords: dict[str, Value], place: int, name: str) -> Value:
    """An argument of a library function, which a call gives by place or by name; by name alone where `place` is -1."""
    return args[place] if 0 <= place < len(args) else keywords.get(name, UNKNOWN)


def _gathered(args: list[Value], rest: Value | None) -> Value:
    """The value of a parameter such as `*items`."""
    return gathered("tuple", tuple(args)) if rest is None else gathered("tuple", None, join_all((*args, rest)))
