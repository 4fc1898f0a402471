"""Index arithmetic as polynomials with integer coefficients, to see what does not change from trip to trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from scanlint.syntax.bindings import Names, reads
from scanlint.syntax.regex import regex

Polynomial = dict[tuple[str, ...], int]
QUOTIENT = regex(r"\(1\*(?P<name>\w+)\) // \((?P<by>[1-9]\d*)\*\)")
"""How the quotient of a name and a number is written as a variable."""
EMPTY: Mapping[str, Polynomial] = MappingProxyType({})


def polynomial(node: ast.expr, known: Mapping[str, Polynomial] = EMPTY) -> Polynomial:
    """`(i + 1) * k` as {("i", "k"): 1, ("k",): 1}; what is not arithmetic is a variable of its own.

    `known` gives the polynomials that stand for some names, and lengths. `x.shape[0]` is written `len(x)`.
    """
    match node:
        case ast.Name(id=name) if name in known:
            return known[name]
        case (
            ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=0))
            | ast.Call(func=ast.Name(id="len"), args=[array], keywords=[])
        ):
            length = f"len({ast.unparse(array)})"
            return known.get(length, {(length,): 1})
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant()) if ast.unparse(node) in known:
            return known[ast.unparse(node)]
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return {(f"({text(polynomial(left, known))}) // ({text(polynomial(right, known))})",): 1}
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return {(): number} if number else {}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return scale(polynomial(operand, known), -1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return add(polynomial(left, known), polynomial(right, known))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return add(polynomial(left, known), scale(polynomial(right, known), -1))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return multiply(polynomial(left, known), polynomial(right, known))
    return {(ast.unparse(node),): 1}


def add(a: Polynomial, b: Polynomial) -> Polynomial:
    total = {term: a.get(term, 0) + b.get(term, 0) for term in {**a, **b}}
    return {term: factor for term, factor in total.items() if factor}


def scale(a: Polynomial, by: int) -> Polynomial:
    return {term: factor * by for term, factor in a.items()}


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for left, x in a.items():
        out = add(out, {tuple(sorted(left + right)): x * y for right, y in b.items()})
    return out


def window(part: ast.Slice, moving: Names) -> tuple[ast.expr, str] | None:
    """The start and the length (as source) of a slice whose length is the same whatever the `moving` names are."""
    if part.lower is None or part.upper is None or part.step is not None:
        return None
    length = add(polynomial(part.upper), scale(polynomial(part.lower), -1))
    match list(length.items()):
        case [((), int() as number)] if number > 0:
            return part.lower, str(number)
        case [((name,), 1)] if not reads(ast.parse(name, mode="eval").body) & moving:
            return part.lower, name
    return None


def moving_arange(call: ast.Call, moving: Names) -> tuple[ast.expr, str] | None:
    """The start of `jnp.arange(i, i + n, k)` and what is added to it, whose length is the same for all trips."""
    match call:
        case ast.Call(args=[low, high, *step], keywords=[]) if len(step) < 2 and not reads(*step) & moving:
            found = window(ast.Slice(low, high, None), moving)
            if found is not None:
                return low, ", ".join(["0", found[1], *map(ast.unparse, step)]) if step else found[1]
    return None


def text(a: Polynomial) -> str:
    """One spelling for equal polynomials."""
    return " + ".join(f"{factor}*{'*'.join(term)}" for term, factor in sorted(a.items())) or "0"


def surely_at_most(a: Polynomial, b: Polynomial) -> bool:
    """Whether `a <= b` for all values of the variables; `(n // k) * k` counts as at most `n`, and not as much less."""
    for term, factor in list(a.items()):
        for dividend in _multiples(term, factor):
            a = add({t: f for t, f in a.items() if t != term}, {(dividend,): 1 if len(term) == 1 else factor})
    gap = add(b, scale(a, -1))
    for term, factor in list(gap.items()):
        gap = _at_least(gap, term, factor)
    return not gap or (list(gap) == [()] and gap[()] >= 0)


def _at_least(gap: Polynomial, term: tuple[str, ...], factor: int) -> Polynomial:
    """A polynomial with `k * (n // k)` as the least that it can be, `n - (k - 1)`, where `k` is a number."""
    found = QUOTIENT.fullmatch(term[0]) if len(term) == 1 else None
    if found is None or factor <= 0 or factor % int(found["by"]):
        return gap
    times = factor // int(found["by"])
    least = scale({(found["name"],): 1, (): 1 - int(found["by"])}, times)
    return add({t: f for t, f in gap.items() if t != term}, {t: f for t, f in least.items() if f})


def _multiples(term: tuple[str, ...], factor: int) -> Iterator[str]:
    """What `n // k` times `k` is at most, where that is one variable."""
    pairs = [(term[0], f"1*{term[1]}"), (term[1], f"1*{term[0]}")] if len(term) == 2 else []
    pairs += [(term[0], f"{factor}*")] if len(term) == 1 else []
    for quotient, divisor in pairs:
        if factor > 0 and quotient.endswith(f" // ({divisor})"):
            dividend = quotient.removesuffix(f" // ({divisor})")[1:-1]
            if dividend.startswith("1*") and " + " not in dividend:
                yield dividend[2:]
                return
