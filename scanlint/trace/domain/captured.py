"""What a function takes from the functions around it, by value: runs for equal values give the same."""

from __future__ import annotations

from collections.abc import Mapping

from scanlint.syntax.bindings import free
from scanlint.trace.domain.callables import Closure, Code, Frame, Method, Partial, Transformed
from scanlint.trace.domain.values import NO_FIELDS, OneOf, Value, but, within

Captured = tuple[object, ...]


def captured(code: Code, frame: Frame | None, args: Mapping[str, Value] = NO_FIELDS) -> Captured:
    """The arguments of a function and the values of its free names, and of those of the functions among them.

    Functions are told apart by their texts and by what they capture, not by the activations that made them.
    """
    met = _Capture()
    if frame is not None:
        met.place(code, frame)
    given = [(name, met.bare(value)) for name, value in args.items()]
    return *given, *(found for function, around in met.functions for found in met.taken(function, around))


class _Capture:
    """Meets each function once, in the order in which names lead to it."""

    def __init__(self) -> None:
        self.functions: list[tuple[Code, Frame]] = []
        self._places: dict[tuple[Code, Frame], int] = {}

    def place(self, code: Code, frame: Frame) -> int:
        """The number that stands for a function."""
        key = code, frame
        if key not in self._places:
            self._places[key] = len(self.functions)
            self.functions.append(key)
        return self._places[key]

    def taken(self, code: Code, frame: Frame) -> list[object]:
        """A function, and what it takes by name."""
        if code.free is None:
            code.free = tuple(free(code.node))
        found: list[object] = [code]
        for name in code.free:
            value = frame.lookup(name)
            found.append(value if value is None else self.bare(value))
        return found

    def bare(self, value: Value) -> Value:
        """A value with numbers in place of the functions in it."""
        inner = value if value.container is None else within(value, self.bare)
        if inner.callee is None:
            return inner
        callee = self._callee(inner.callee)
        return inner if callee is inner.callee else but(inner, callee=callee)

    def _callee(self, callee: object) -> object:
        match callee:
            case Closure(code, None, None):
                return callee
            case Closure(code, frame, receiver):
                own = self.place(code, frame) if frame is not None else None
                return code, own, receiver and self.bare(receiver)
            case Transformed(transform, function, static, auxiliary):
                return transform, self.bare(function), static, auxiliary
            case Partial(function, args, keywords):
                given = {name: self.bare(value) for name, value in keywords.items()}
                return self.bare(function), tuple(map(self.bare, args)), given
            case Method(receiver, name):
                return self.bare(receiver), name
            case OneOf(values):
                return tuple(map(self.bare, values))
        return callee
