"""Finds by patterns the lines of a file that spell transforms, loops, keys, and plain computing."""

from __future__ import annotations

import ast
import io
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from scanlint.jaxapi.spelled_transforms import loops, transforms
from scanlint.project.code_text import code_text
from scanlint.syntax.regex import regex
from scanlint.syntax.source import is_test

WRITES = regex(r"\n[ \t]+(\w+)\[[^\n=]*\] *(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")
"""An assignment to an item of a name."""
STATIC = "static_arg"
UPDATES = frozenset(["apply_gradients", "apply_updates"])
COMPUTING = frozenset(["apply_gradients", "update", "init"])
LIBRARIES = frozenset(["jax", "jnp", "jr", "jrandom", "random", "optax", "lax"])
CLOCKS = frozenset(["time", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time_ns", "default_timer"])
MAKERS = ("jax.numpy", "jax.random", "jax.lax")
"""Modules of JAX that make arrays."""
STRAIGHT = regex(
    r"\b(?:perf_counter\w*|monotonic\w*|time\.time|time\(\))"
    r"|\.at\[|,[ ]?\*\w+,?[ ]?=(?!=)|\bapply_(?:gradients|updates)\("
    r"|(?:\n|\):|;)[ \t]{1,60}(?:(?:jax|jnp|jr|jrandom|random|optax|lax)\.|[\w.]{1,40}\.(?:update|init)\()"
)
"""What host code is looked into for where it has no loop: a clock, and statements that only compute."""

SOLVERS = ("minimize", "root", "least_squares", "curve_fit", "fmin", "fsolve", "solve_ivp", "odeint", "quad", "brentq")
"""What of SciPy evaluates a function again and again."""
ROOTS = ("sqrt(", "log(")
SINGULAR = regex(
    r"\bsqrt\((?![\d \n]|\w+\.shape)|\blog\(([^\n()]{1,40})\) *\* *\1|([\w.\[\]]{1,40}) *\* *\w+\.log\(\2\)"
)
"""What may be NaN at one point: a root, and what is multiplied by its logarithm."""

BLOCKS = ("body", "orelse", "finalbody")
KEYS = regex(
    r"(?:\b(?<!\.)|\bself\.)(?:\w*_)?(?:sub)?keys?\d*\b(?!\(|=lambda)|\b(?:\w*_)?(?:sub)?rngs?\d*\b|PRNG|prng|Rngs|\brandom\b|fold_in\("
)
"""Spells what may be a random key, or something that is done with one."""
KEY_WORDS = ("key", "rng", "PRNG", "Rngs", "random", "fold_in")
"""Without one of these nothing is."""


class SpelledLines:
    """Whether transforms are spelled in some lines, and control flow and loops in the code there.

    Prose that speaks of a transform counts: a function that documents one is often the way to its callers.
    """

    def __init__(
        self, path: str, text: str, tree: ast.Module, imports: Mapping[str, str], renamed: Sequence[str]
    ) -> None:
        self.tests = is_test(path, text)
        self.scipy = any(target.startswith("scipy.") for target in imports.values())
        self.starts = list(accumulate(map(len, io.StringIO(text, newline="")), initial=0))
        self.text = code_text(text, self.starts, tree)
        self.transforming = transforms(text)
        self.looping = loops(self.text)
        self.makers = "|".join([r"jax\.\w+", *(n for n, target in imports.items() if target.startswith(MAKERS))])
        drawing = [name for name, target in imports.items() if target.startswith("jax.random")]
        self.drawing = re.compile(rf"\b(?:{'|'.join(drawing)})\b") if drawing else None
        kept = re.findall(r"(\w+) *= *[\w.]+\.apply\b", text) if ".init(" in text else []
        self.applying = re.compile(rf"\b(?:{'|'.join(['apply', *kept])})\(") if ".init(" in text else None
        if renamed:
            found = re.finditer(rf"\b(?:{'|'.join(renamed)})\b", text)
            self.transforming = sorted([*self.transforming, *(match.start() for match in found)])

    def draws(self, first: int, last: int) -> bool:
        """Whether a random key may be spelled, or what the file calls `jax.random`, or a function of it."""
        if self.speak_of(KEY_WORDS, first, last) and self.hold(KEYS, first, last):
            return True
        return self.drawing is not None and self.hold(self.drawing, first, last)

    def transforms(self, first: int, last: int) -> bool:
        """Whether a transform is spelled."""
        return self._among(self.transforming, first, last)

    def loops(self, first: int, last: int) -> bool:
        """Whether a loop is spelled."""
        return self._among(self.looping, first, last)

    def straight(self, node: ast.FunctionDef | ast.AsyncFunctionDef, first: int, last: int) -> bool:
        """Whether host code without a loop may hold something to speak of; code of tests never does."""
        return not self.tests and (
            (_is_straight(node) and self.hold(STRAIGHT, first, last))
            or (self.speak_of(ROOTS, first, last) and self.hold(SINGULAR, first, last))
            or (self.applying is not None and self.hold(self.applying, first, last))
            or (self.scipy and self.speak_of(SOLVERS, first, last))
        )

    def writes(self, first: int, last: int) -> bool:
        """Whether an item of a name is assigned to that is bound to what JAX makes."""
        start, end = self.starts[first - 1], self.starts[last]
        written = {match[1] for match in WRITES.finditer(self.text, start, end)}
        if not written:
            return False
        made = re.compile(rf"\b(\w+) *= *(?:{self.makers})\.\w+\(")
        return any(match[1] in written for match in made.finditer(self.text, start, end))

    def speak_of(self, words: Iterable[str], first: int, last: int) -> bool:
        """Whether one of these words is a part of the lines: sooner told than a pattern is found."""
        start, end = self.starts[first - 1], self.starts[last]
        return any(self.text.find(word, start, end) >= 0 for word in words)

    def hold(self, pattern: re.Pattern[str], first: int, last: int) -> bool:
        """Whether a pattern is found from the first to the last line, both 1-based."""
        return pattern.search(self.text, self.starts[first - 1], self.starts[last]) is not None

    def _among(self, places: list[int], first: int, last: int) -> bool:
        at = bisect_left(places, self.starts[first - 1])
        return at < len(places) and places[at] < self.starts[last]


def _is_straight(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A statement of a function only computes, looks at a clock, unpacks into a list, or applies updates."""
    stack: list[ast.AST] = [*function.body]
    while stack:
        statement = stack.pop()
        kind = statement.__class__
        if kind is ast.Expr or kind is ast.Assign or kind is ast.Return:
            if _only_computes(statement):
                return True
            continue
        for name in BLOCKS:
            stack += getattr(statement, name, ())
    return False


def _only_computes(statement: ast.AST) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=attr))):
            at = isinstance(value, ast.Subscript) and getattr(value.value, "attr", "") == "at"
            return at or attr in COMPUTING or _root(value) in LIBRARIES
        case ast.Assign(targets=[ast.Tuple(elts=[*_, ast.Starred()])]):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr))):
            return attr in CLOCKS or attr in UPDATES
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr))):
            return attr in UPDATES
        case (
            ast.Return(value=ast.Call(func=ast.Attribute(attr=attr)))
            | ast.Return(value=ast.Tuple(elts=[ast.Call(func=ast.Attribute(attr=attr)), *_]))
        ):
            return attr in UPDATES
    return False


def _root(value: ast.expr) -> str:
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Module-level statements, those under `if` and `try` too."""
    for statement in body:
        yield statement
        match statement:
            case ast.If():
                yield from top_level([*statement.body, *statement.orelse])
            case ast.Try():
                handlers = [s for h in statement.handlers for s in h.body]
                yield from top_level([*statement.body, *handlers, *statement.orelse, *statement.finalbody])
            case ast.With():
                yield from top_level(statement.body)
