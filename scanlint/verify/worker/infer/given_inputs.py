"""Inputs as users write them: `x: f32[8, 3], n: static 5, key: key, params: {w: f32[3, 3]}, f: jnp.sin`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..runtime.jax_functions import placed
from .specs import Alternatives, Array, Scalar, Spec, Struct

_TOKEN = re.compile(r"""\s*(?:[A-Za-z_][\w.]*|[\[\]{}():,=]|"[^"]*"|'[^']*'|[^\s\[\]{}():,=]+)""")
_SCALARS = ("int", "float", "bool", "complex")
_DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "bool": "bool", "c64": "complex64", "c128": "complex128", "key": "key", "rawkey": "rawkey",
}  # fmt: skip
Items = tuple[tuple[str, Spec], ...]


class BadSpecification(ValueError):
    """The specification cannot be read; the message says where, and what to write."""


class _Reader:
    """Reads one specification from left to right."""

    def __init__(self, text: str, names: Mapping[str, object]) -> None:
        self.text, self.names, self.at = text, names, 0

    def peek(self, ahead: int = 0) -> str:
        """The token that comes next, or the one after `ahead` others; empty at the end."""
        at, token = self.at, ""
        for _ in range(ahead + 1):
            match = _TOKEN.match(self.text, at)
            token, at = (match.group().strip(), match.end()) if match else ("", at)
        return token

    def take(self, expected: str | None = None) -> str:
        match = _TOKEN.match(self.text, self.at)
        token = match.group().strip() if match else ""
        if match is None or (expected is not None and token != expected):
            wanted = f"`{expected}`" if expected else "more"
            rest = self.text[self.at :].strip()[:20]
            raise BadSpecification(f"expected {wanted} {f'before `{rest}`' if rest else 'at the end'}")
        self.at = match.end()
        return token

    def separated(self, end: str) -> Iterator[None]:
        """Once per entry, up to the closing bracket or the end of the text."""
        while self.peek() not in (end, ""):
            yield
            if self.peek() != end and self.peek():
                self.take(",")

    def entries(self, end: str) -> Items:
        found: list[tuple[str, Spec]] = []
        for _ in self.separated(end):
            name = self.take().strip("\"'")
            if not name.isidentifier():
                raise BadSpecification(f"`{name}` is no name; an entry is `name: what`")
            if name in dict(found):
                raise BadSpecification(f"`{name}` is given twice")
            self.take(":")
            found.append((name, self.spec()))
        return tuple(found)

    def several(self, end: str) -> Items:
        found: list[tuple[str, Spec]] = []
        for _ in self.separated(end):
            found.append((str(len(found)), self.spec()))
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
            return Alternatives((self.value(),))
        if token in _SCALARS and self.peek(1) != "[":
            self.take()
            return Scalar(token, self.fixed())
        if token in _DTYPES:
            self.take()
            return self.array(_DTYPES[token])
        if self.peek(1) == "(" and (found := self.record()) is not None:
            return found
        return Alternatives((self.value(),))

    def array(self, dtype: str) -> Spec:
        shape: list[int] = []
        if self.peek() == "[":
            self.take("[")
            for _ in self.separated("]"):
                token = self.take()
                if not token.isdigit():
                    raise BadSpecification(f"`{token}` is not an axis size; shapes are numbers, as in `f32[8, 3]`")
                shape.append(int(token))
            self.take("]")
        spec = Array(tuple(shape), dtype)
        value = self.fixed()
        return spec if value is None else Alternatives((_filled(spec, value),))

    def fixed(self) -> object:
        """What stands after `=`; None where there is nothing."""
        if self.peek() != "=":
            return None
        self.take("=")
        return self.value()

    def record(self) -> Spec | None:
        """`State(pos: f32[3], vel: f32[3])`; None for a call that is a Python expression."""
        name, start = self.peek(), self.at
        named = self.peek(2).isidentifier() and self.peek(3) == ":"
        if not named and self.peek(2) not in (*_DTYPES, "static", "{", "(", ")"):
            return None
        cls: object = self.names.get(name.partition(".")[0])
        for part in name.split(".")[1:]:
            cls = getattr(cls, part, None)
        if not isinstance(cls, type):
            if named:
                raise BadSpecification(f"`{name}` is no class of the module")
            return None
        self.take()
        self.take("(")
        items = self.entries(")") if named else self.several(")")
        self.take(")")
        if not named and not items:
            self.at = start
            return None
        return Struct(cls, items, positional=not named)

    def value(self) -> object:
        """The shortest Python expression that ends before a comma or a closing bracket, in the module's names."""
        ends = [self.at + m.start() for m in re.finditer(r"[,)\]}]|$", self.text[self.at :])]
        for end in ends:
            source = self.text[self.at : end].strip()
            try:
                code = compile(source, "<inputs>", "eval", dont_inherit=True)
            except (SyntaxError, ValueError):  # the value ends at a later comma; where none fits, that is said
                continue
            try:
                found: object = eval(code, dict(self.names))
            except Exception as error:
                raise BadSpecification(f"`{source}` {_why(source, error)}") from error
            self.at = end
            return found
        raise BadSpecification(f"`{self.text[self.at :].strip()}` is neither a dtype with a shape nor Python")


def _why(source: str, error: Exception) -> str:
    """What is wrong with an expression; a dtype that is misspelled is found here."""
    if not isinstance(error, NameError):
        return f"raises {type(error).__name__}: {error}"
    near = difflib.get_close_matches(source.partition("[")[0], _DTYPES, n=1)
    return f"is neither a dtype nor a name of the module{f'; did you mean `{near[0]}`?' if near else ''}"


def _filled(spec: Array, value: object) -> object:
    """An array of the shape with these values."""
    if spec.dtype in ("key", "rawkey"):
        raise BadSpecification("a key takes no value")
    try:
        return placed(np.broadcast_to(np.asarray(value), spec.shape), spec.dtype)
    except (TypeError, ValueError):
        raise BadSpecification(f"`{value}` does not fill an array of shape {spec.shape}") from None


def parse(text: str, names: Mapping[str, object], parameters: Sequence[str] = ()) -> dict[str, Spec]:
    """The specs by parameter; values are evaluated among the module's names."""
    stripped = text.strip()
    whole = stripped[1:-1] if stripped.startswith("(") and stripped.endswith(")") else stripped
    reader = _Reader(whole, names)
    try:
        found = dict(reader.entries(""))
        for name in found if parameters else ():
            if name not in parameters:
                raise BadSpecification(
                    f"there is no parameter `{name}`, only {', '.join(f'`{p}`' for p in parameters)}"
                )
    except BadSpecification as error:
        raise BadSpecification(f"{error} (in `{stripped}`)") from error
    return found
