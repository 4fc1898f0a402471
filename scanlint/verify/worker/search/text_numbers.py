"""The numbers that both versions are written with: what they compute may change its form at each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..runtime.free_names import defaults_of

LIMITS = frozenset(["min", "max", "minimum", "maximum", "clip", "clamp"])
ENDS, ROUNDS = frozenset(["finfo", "iinfo"]), frozenset(["round", "around", "rint", "floor", "ceil", "trunc"])
MOST_NUMBERS = 12
LARGEST = 1e30
MOST_HEIGHTS = 4
MOST_BASE, MOST_POWER = 10, 30  # of `2**24` and `10**6`
MOST_WHOLE = 5000  # larger ones are moduli and the like: no axis and no number of trips is so long


@dataclass(frozen=True, slots=True)
class TextNumbers:
    """Whole numbers and floats of both texts, those first that only the new one has.

    `limits` are the whole numbers, with their signs, that only the new text has: what it computes may end there.
    `heights` are its numbers that are so, for floats; `ends`: a text asks for the ends of a type; `rounds`: it rounds.
    """

    wholes: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    limits: tuple[int, ...] = ()
    heights: tuple[float, ...] = ()
    ends: bool = False
    rounds: bool = False

    def sides(self) -> list[int]:
        """One whole number on each side of the first three multiples of each, and the multiples."""
        found = (k * n + d for n in self.wholes for k in (1, 2, 3) for d in (0, -1, 1))
        return list(dict.fromkeys(found))

    def boundaries(self) -> list[float]:
        """All numbers of the texts, of either sign."""
        found = dict.fromkeys((*self.floats, *map(float, self.wholes)))
        return list(dict.fromkeys(s * n for n in found for s in (1.0, -1.0)))


def text_numbers(old: Sequence[ast.AST], new: Sequence[ast.AST]) -> TextNumbers:
    """The numbers of the statements that define both versions."""
    before, after = (list(dict.fromkeys(n for node in nodes for n in signed_numbers(node))) for nodes in (old, new))
    ordered = [*(n for n in after if n not in before), *before]
    wholes = dict.fromkeys(abs(n) for n in ordered if isinstance(n, int) and 1 < abs(n) <= MOST_WHOLE)
    floats = dict.fromkeys(abs(float(n)) for n in ordered if isinstance(n, float) or abs(n) > MOST_WHOLE)
    limits = [n for n in after if n not in before and isinstance(n, int) and 1 < abs(n) <= MOST_WHOLE]
    heights = [n for n in (*floats, *map(float, limits)) if n and abs(n) not in map(abs, before)]
    ends, rounds = (any(_asks(node, names) for node in (*old, *new)) for names in (ENDS, ROUNDS))
    known = tuple(wholes)[:MOST_NUMBERS], tuple(floats)[:MOST_NUMBERS]
    return TextNumbers(*known, tuple(limits), tuple(heights[:MOST_HEIGHTS]), ends, rounds)


def signed_numbers(node: ast.AST) -> Iterator[int | float]:
    """The numbers of a statement with the signs that are written before them."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if abs(value) < LARGEST:
            yield -value
        case ast.Constant(value=int() | float() as value) if type(value) is not bool and abs(value) < LARGEST:
            yield value
        case ast.BinOp(
            left=ast.Constant(value=int() | float() as base), op=ast.Pow(), right=ast.Constant(value=int() as n)
        ) if 1 < abs(base) <= MOST_BASE and 0 < n <= MOST_POWER:
            yield base**n
        case _:
            for part in ast.iter_child_nodes(node):
                yield from signed_numbers(part)


def _asks(node: ast.AST, names: frozenset[str]) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in names for part in ast.walk(node))


def compared_numbers(function: ast.AST, module: ast.Module) -> tuple[list[float], list[int]]:
    """Constants in the comparisons and limits of a function, also by name; whole numbers with their neighbours."""
    held = held_numbers(function, module)
    found = [n for node in ast.walk(function) if _limits(node) for n in signed_numbers(node)]
    tests = [n.test for n in ast.walk(function) if isinstance(n, ast.If | ast.IfExp)]
    named = [n.id for test in tests for n in ast.walk(test) if isinstance(n, ast.Name)]
    found += [held[name] for name in dict.fromkeys(named) if name in held and abs(held[name]) < LARGEST]
    integers = dict.fromkeys(m for n in found if isinstance(n, int) for m in (n, n - 1, n + 1))
    return list(dict.fromkeys(map(float, found))), [n for n in integers if abs(n) < 10_000]


def held_numbers(function: ast.AST | None, module: ast.Module) -> dict[str, int | float]:
    """The numbers that names stand for: constants of the module, defaults of parameters."""
    pairs = [(s.targets[0].id, s.value) for s in module.body if isinstance(s, ast.Assign) and _single(s)]  # type: ignore[attr-defined]
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        pairs += defaults_of(function.args).items()
    constants = {name: value.value for name, value in pairs if isinstance(value, ast.Constant)}
    return {n: v for n, v in constants.items() if isinstance(v, int | float) and not isinstance(v, bool)}


def _single(node: ast.Assign) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def _limits(node: ast.AST) -> bool:
    """Whether the value of an expression changes its form at the numbers in it: `x > 1`, `min(n, 64)`."""
    match node:
        case ast.Compare():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in LIMITS
    return False
