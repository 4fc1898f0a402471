"""Input specifications as users write them: `x: f32[8,3], n: static 5, key: key, params: {w: f32[3,3]}, f: jnp.sin`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .specs import Array, Choice, Scalar, Spec, Struct

_TOKEN = re.compile(r"\s*(?:(?P<word>[A-Za-z_][\w.]*)|(?P<mark>[\[\]{}():,])|(?P<rest>[^\s\[\]{}():,]+))")
_DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "bool": "bool", "c64": "complex64", "c128": "complex128", "key": "key",
}  # fmt: skip


class BadSpecification(ValueError):
    """The specification cannot be read; the message says where."""


class _Reader:
    def __init__(self, text: str, names: Mapping[str, object]) -> None:
        self.text, self.names, self.at = text, names, 0

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        return match.group().strip() if match else ""

    def take(self, expected: str | None = None) -> str:
        match = _TOKEN.match(self.text, self.at)
        token = match.group().strip() if match else ""
        if match is None or (expected is not None and token != expected):
            wanted = f"`{expected}`" if expected else "more"
            raise BadSpecification(f"expected {wanted} at `{self.text[self.at :].strip()[:20]}` in `{self.text}`")
        self.at = match.end()
        return token

    def entries(self, end: str) -> tuple[tuple[str, Spec], ...]:
        found: list[tuple[str, Spec]] = []
        while self.peek() not in (end, ""):
            name = self.take()
            self.take(":")
            found.append((name, self.spec()))
            if self.peek() == ",":
                self.take()
        return tuple(found)

    def several(self, end: str) -> tuple[tuple[str, Spec], ...]:
        found: list[tuple[str, Spec]] = []
        while self.peek() not in (end, ""):
            found.append((str(len(found)), self.spec()))
            if self.peek() == ",":
                self.take()
        return tuple(found)

    def spec(self) -> Spec:
        token = self.peek()
        for opening, closing, kind in (("{", "}", "dict"), ("(", ")", "tuple"), ("[", "]", "list")):
            if token == opening:
                self.take()
                items = self.entries(closing) if kind == "dict" else self.several(closing)
                self.take(closing)
                return Struct(kind, items)
        if token == "static":
            self.take()
            return Choice((self.value(),))
        if token in _DTYPES:
            self.take()
            return self.array(_DTYPES[token])
        if token in ("int", "float", "bool"):
            self.take()
            return Scalar(token)
        return Choice((self.value(),))

    def array(self, dtype: str) -> Spec:
        if self.peek() != "[":
            return Array((), dtype)
        self.take("[")
        shape: list[int] = []
        while self.peek() not in ("]", ""):
            token = self.take()
            if not token.isdigit():
                raise BadSpecification(f"`{token}` is not an axis size in `{self.text}`")
            shape.append(int(token))
            if self.peek() == ",":
                self.take()
        self.take("]")
        return Array(tuple(shape), dtype)

    def value(self) -> object:
        """A Python expression up to the next comma or bracket at this level, in the module's names."""
        start, depth = self.at, 0
        while self.at < len(self.text):
            c = self.text[self.at]
            if depth == 0 and c in ",)]}":
                break
            depth += (c in "([{") - (c in ")]}")
            self.at += 1
        source = self.text[start : self.at].strip()
        try:
            return eval(source, dict(self.names))
        except Exception as error:
            raise BadSpecification(f"`{source}` in `{self.text}`: {type(error).__name__}: {error}") from error


def parse(text: str, names: Mapping[str, object]) -> dict[str, Spec]:
    """The specs by parameter; values are evaluated among the module's names."""
    reader = _Reader(text.strip().removeprefix("(").removesuffix(")") if text.strip().startswith("(") else text, names)
    found = dict(reader.entries(""))
    if reader.peek():
        raise BadSpecification(f"cannot read `{reader.text[reader.at :].strip()}` in `{text}`")
    return found
