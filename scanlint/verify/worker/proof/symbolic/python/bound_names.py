"""The parameters of a call by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..polynomials import NotProved
from .python_values import PythonFunction, Value


def bound(closure: PythonFunction, arguments: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a call by name."""
    a = closure.node.args
    places = [x.arg for x in (*a.posonlyargs, *a.args)]
    if a.kwarg is not None or (a.vararg is None and len(arguments) > len(places)):
        raise NotProved("arguments that have no parameter")
    found = dict(zip(places[len(places) - len(closure.defaults) :], closure.defaults, strict=True)) | closure.named
    found |= dict(zip(places, arguments, strict=False))
    if named.keys() - {x.arg for x in (*a.args, *a.kwonlyargs)} or named.keys() & set(places[: len(arguments)]):
        raise NotProved("arguments that have no parameter")
    found |= named
    if set(places) | {x.arg for x in a.kwonlyargs} != found.keys():
        raise NotProved("a parameter without an argument")
    return found | ({a.vararg.arg: tuple(arguments[len(places) :])} if a.vararg is not None else {})
