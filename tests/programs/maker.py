"""What a random program is put together from: lines, names, and expressions over what is in sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Choose = Callable[[Sequence[str]], str]
ROWS = 9
"""Rows of the arrays that a program gets in its first case; no loop of constant length is longer."""


@dataclass
class Sight:
    """What the body of the loop can read: the index, numbers and vectors of 4."""

    index: str | None = None
    wrapped: bool = False
    numbers: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)


@dataclass
class Maker:
    """One program in the making: what stands before the loop, in it and after it, and which forms it has."""

    choose: Choose
    sight: Sight = field(default_factory=Sight)
    module: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)

    def one(self, *options: str) -> str:
        return self.choose(options)

    def rarely(self) -> bool:
        return self.one("", "", "", "", "", "", "yes") == "yes"

    def often(self) -> bool:
        return self.one("", "yes") == "yes"

    def name(self, wanted: str) -> str:
        """A name that the program does not have yet."""
        count = self.used.get(wanted, 0)
        self.used[wanted] = count + 1
        return f"{wanted}{count + 1}" if count else wanted

    def form(self, name: str) -> None:
        if name not in self.forms:
            self.forms.append(name)

    # -- expressions

    def number(self, depth: int = 2) -> str:
        """A scalar: a float, or an int that is not large."""
        if depth == 0 or self.rarely():
            return self.leaf()
        a = self.number(depth - 1)
        match self.one("leaf", "leaf", "scaled", "sum", "product", "call", "choice", "vector", "minus"):
            case "leaf":
                return self.leaf()
            case "scaled":
                return f"{self.one('0.5', '0.25', '2', 't', '1.5')} * {bracket(a)}"
            case "sum":
                return f"{a} {self.one('+', '-')} {bracket(self.number(depth - 1))}"
            case "product":
                return f"{bracket(a)} * {bracket(self.number(depth - 1))}"
            case "call":
                return f"{self.one('jnp.tanh', 'jnp.sin', 'jnp.abs', 'jnp.sign', 'jnp.float32')}({a})"
            case "choice":
                b = self.number(depth - 1)
                return self.one(f"jnp.where({a} > 0, {a}, {b})", f"jnp.maximum({a}, {b})", f"jnp.minimum({a}, {b})")
            case "minus":
                return f"-{bracket(a)}"
        return f"{self.one('jnp.sum', 'jnp.max', 'jnp.mean')}({self.vector(depth - 1)})"

    def leaf(self) -> str:
        sight = self.sight
        options = [*sight.numbers, *sight.numbers, *[f"jnp.tanh({c})" for c in sight.carried], "t", "v[1]", "0.25", "1"]
        if sight.index is not None:
            options += [self.element()] * 3 + [self.arithmetic()] * 2
        if self.rarely():
            options.append(self.odd())
        return self.one(*options)

    def element(self) -> str:
        """An element of a vector, picked by the index."""
        at = self.index()
        return self.one(f"ys[{at}]", f"ys[{at}]", f"xs[{at}, 1]", f"xs[{at}, -1]", f"xs[{at}][2]", f"xs[{at}].sum()")

    def index(self) -> str:
        """An index expression of the loop variable."""
        i = self.sight.index or "0"
        return self.one(
            i, i, i, i, f"{i} - 1", f"{i} + 1", f"-{i}", f"-{i} - 1", f"{i} // 2", f"{i} % 3", f"({i} * 2) % 5"
        )

    def arithmetic(self) -> str:
        """A number computed from the loop variable alone."""
        i = self.sight.index or "0"
        return self.one(
            i,
            f"{i} * 0.1",
            f"({i} + 1) / 2",
            f"1 / ({i} * {i} + 1)",
            f"{i} ** 2",
            f"2.0 ** -({i} % 4)",
            f"({i} % 2)",
            f"(-{i} // 2)",
            f"(-{i} % 3)",
            f"({i} % 3 == 1)",
            f"jnp.float32({i})",
            f"jnp.arange(10)[{i}]",
            f"(-1) ** ({i} % 4)",
            f"({i} & 1)",
        )

    def odd(self) -> str:
        """What converters get wrong, or cannot convert."""
        i = self.sight.index
        plain = ["(t if t > 0 else -t)", "jnp.float16(0.5)", "jnp.int8(3)", "np.float32(0.5)", "True", "(t > 0)"]
        if i is None:
            return self.one(*plain)
        self.table()
        return self.one(
            *plain,
            f"TABLE[{i} % 4]",
            f"GRID[{i} % 3]",
            f"float({i})",
            f"(t if {i} % 2 else -t)",
            f"(t if {i} == 0 else 0.5)",
            f"abs({i} - 3)",
            f"min({i}, 3)",
            f"half[{i}]",
            f"ints[{i}]",
            f"small[{i}]",
            f"flags[{i}]",
            f"({i} or 2)",
        )

    def table(self) -> None:
        for line in ("TABLE = [0.5, -1.0, 2.0, 0.25]", "GRID = np.array([1.0, 0.5, -0.5])"):
            if line not in self.module:
                self.module.append(line)

    def vector(self, depth: int = 2) -> str:
        """An array of 4 floats."""
        sight = self.sight
        if depth == 0 or self.rarely():
            options = [*sight.vectors, *sight.vectors, "v"]
            if sight.index is not None:
                at = self.index()
                options += [f"xs[{at}]", f"xs[{at}]", f"m[:, {sight.index} % 4]", f"m[{sight.index} % 4]"]
            return self.one(*options)
        a = self.vector(depth - 1)
        match self.one("leaf", "leaf", "scaled", "sum", "call", "product", "roll"):
            case "scaled":
                return f"{bracket(self.number(depth - 1))} * {bracket(a)}"
            case "sum":
                return f"{a} {self.one('+', '-')} {bracket(self.vector(depth - 1))}"
            case "call":
                return f"{self.one('jnp.tanh', 'jnp.cos', 'jnp.abs')}({a})"
            case "product":
                return f"m @ {bracket(a)}"
            case "roll":
                return f"jnp.roll({a}, 1)"
        return a

    def test(self, *, traced: bool = True, static: bool = True) -> str:
        """A condition on the index or on traced values."""
        i = self.sight.index
        options: list[str] = []
        if i is not None and static:
            options += [f"{i} % 2 == 0", f"{i} > 2", f"{i} == 0", f"{i} % 3", f"{i} != 1 and {i} < 5", f"not {i}"]
        if traced or not options:
            a = bracket(self.number(1))
            options += [f"jnp.float32({a}) > 0", f"jnp.sum({self.vector(1)}) < t", f"jnp.abs({a} * t) <= 0.3"]
        return self.one(*options)


def bracket(code: str) -> str:
    """An expression that may stand beside an operator."""
    return code if code.replace("_", "").replace(".", "").isalnum() else f"({code})"


def indent(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
