"""Inputs on which a test comes out in the way in which it never did: of the numbers, shapes and dtypes of the texts.

A test on `x.shape == (1,)`, `f"{len(xs)}" == "5"`, `n.bit_length() > 6` or `x.dtype == jnp.int8` is decided by Python:
neither the programs nor other values of arrays show what lies behind it. Nothing is tried where all tests have come out
in both ways.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain

from ..infer.guess import FRESH
from ..infer.specs import Array, Scalar, Spec, Specs, Struct, every_leaf, leaves, replace, resized, sizes
from ..runtime.free_names import words_in
from ..runtime.line_marks import Outcome, ReachedLines
from ..search.attempts import Attempts
from ..search.case_values import Case, Family
from ..search.longer_axes import beyond_numbers
from ..search.other_dtypes import FLOATS, INTEGERS, retyped

SECONDS = 2.0
LABEL = "for a test that came out in one way only"
MOST_BASES = 6
LONGEST, MOST_ITEMS, MOST_AXES = 300, 12, 4
SPELLED = 31
"""Lengths below it are tried where a text is made of numbers: their digits, their hashes."""
TEXTS = frozenset(["str", "repr", "format", "hash", "chr", "ord", "hex", "oct", "bin", "ascii", "join", "encode"])
POWERS = frozenset(["bit_length", "bit_count", "log2", "log10", "log", "sqrt", "isqrt", "pow"])
RANKS = frozenset(["ndim", "shape", "rank"])
DTYPES = frozenset(["bool", "int8", "uint8", "int16", "int32", "uint32", "float16", "bfloat16", "complex64"])
KINDS = {
    "integer": "int32", "signedinteger": "int32", "unsignedinteger": "uint32", "int_": "int32", "bool_": "bool",
    "complexfloating": "complex64", "iscomplexobj": "complex64", "complex128": "complex64", "half": "float16",
}  # fmt: skip


def reaching(
    inputs: Attempts,
    after: Callable[..., object],
    families: Sequence[Family],
    wanted: Collection[Outcome],
    texts: Sequence[ast.AST],
    fillings: Callable[[Specs], list[Case]],
) -> Iterator[Family]:
    """Families on whose shapes a wanted outcome comes, of those that the old version accepts."""
    left, started = set(wanted), time.process_time()
    bases = _bases(families)
    for specs in chain.from_iterable(candidates(base, texts) for base in bases):
        if not left or time.process_time() - started > SECONDS:
            return
        reached = ReachedLines()
        if inputs.attempt(specs, reached=reached) is not None:
            continue
        if any(choice.version == "new" for choice, _ in left):
            inputs.attempt(specs, after, reached=reached)
        found = {(choice, outcome) for choice, outcome in left if outcome in reached.choices.get(choice, ())}
        if found:
            left -= found
            yield Family(LABEL, specs, fillings(specs))


def _bases(families: Sequence[Family]) -> list[Specs]:
    """Specs with other ranks or dtypes than those before them."""
    found: dict[str, Specs] = {}
    for family in families:
        if family.specs is not None:
            found.setdefault(repr({n: _rank(s) for n, s in family.specs.items()}), family.specs)
    return list(found.values())[:MOST_BASES]


def _rank(spec: Spec) -> Spec:
    return replace(spec, lambda leaf, _: Array((0,) * len(leaf.shape), leaf.dtype) if isinstance(leaf, Array) else leaf)


def candidates(base: Specs, texts: Sequence[ast.AST]) -> Iterator[Specs]:
    """Specs like these, the likeliest first: other sizes, numbers, lists, shapes, dtypes, and last other ranks."""
    numbers = list(lengths(texts))
    yield from _sized(base, numbers)
    yield from _counted(base, numbers)
    yield from _shaped(base, texts)
    named = words_in(*texts)
    for dtype in dict.fromkeys([*sorted(named & DTYPES), *(KINDS[w] for w in sorted(named & KINDS.keys()))]):
        for of in (FLOATS, INTEGERS):
            yield {n: retyped(s, of, dtype) for n, s in base.items()}
            yield from ({**base, n: retyped(s, of, dtype)} for n, s in base.items())
    if named & RANKS:
        for other in _ranked(base):
            yield other
            yield from _sized(other, [n for n in numbers if n <= MOST_ITEMS])
            yield from _shaped(other, texts)


def lengths(texts: Sequence[ast.AST]) -> Iterator[int]:
    """Lengths at which a text may do otherwise: its numbers, those beside them, and what it spells."""
    exact = list(dict.fromkeys([*_numbers(texts), 1, 2]))
    near = [n + d for n in exact for d in (1, -1)]
    words = words_in(*texts)
    spelled = [*range(SPELLED), 99, 100, 101] if words & TEXTS or any(map(_formats, _nodes(texts))) else []
    raised = words & POWERS or any(isinstance(n, ast.Pow | ast.LShift | ast.RShift) for n in _nodes(texts))
    powers = [m for n in exact if 0 <= n < 9 for m in (2**n, 2**n - 1, 10**n, n * n)] if raised else []
    shifted = (
        [2**n for n in exact if n < 9] if any(isinstance(n, ast.LShift | ast.RShift) for n in _nodes(texts)) else []
    )
    yield from dict.fromkeys(n for n in (*exact, *near, *spelled, *powers, *shifted) if 0 <= n <= LONGEST)


def _sized(base: Specs, numbers: Sequence[int]) -> Iterator[Specs]:
    """Every size by itself, and all of them, as long as each number."""
    known = sizes(base)
    for number in numbers if known else ():
        tables = [{n: number} for n in known if n != number]
        for table in (*tables, *([dict.fromkeys(known, number)] if len(known) > 1 else [])):
            yield resized(base, table)


def _counted(base: Specs, numbers: Sequence[int]) -> Iterator[Specs]:
    """Whole numbers and the lengths of lists."""
    for name, spec in base.items():
        whole = [path for path, leaf in leaves(spec, name) if isinstance(leaf, Scalar) and leaf.kind == "int"]
        for path in whole:
            for number in numbers:
                other = Scalar("int", number)
                counted = {**base, name: replace(spec, lambda leaf, at, o=other, p=path: o if at == p else leaf, name)}  # type: ignore[misc]
                yield from (beyond_numbers(counted), counted)
        if isinstance(spec, Struct) and spec.kind in ("list", "tuple") and spec.items:
            for number in (n for n in numbers if 0 < n <= MOST_ITEMS):
                items = tuple((f"*{k}", spec.items[min(k, len(spec.items) - 1)][1]) for k in range(number))
                yield {**base, name: Struct(spec.kind, items, spec.positional)}


def _shaped(base: Specs, texts: Sequence[ast.AST]) -> Iterator[Specs]:
    """Each array in each shape that a text names, with what has its sizes."""
    named = dict.fromkeys(_shapes(texts))
    for shape in named:
        for leaf in (leaf for _, leaf in every_leaf(base) if isinstance(leaf, Array)):
            if len(leaf.shape) == len(shape) and leaf.shape != shape:
                table = dict(zip(leaf.shape, shape, strict=True))
                yield resized(base, table)


def _ranked(base: Specs) -> Iterator[Specs]:
    """One and two axes more, one less and none, of all arrays and of each."""
    known = sizes(base)
    fresh = [n for n in FRESH if n not in known][:2]
    changes: list[Callable[[tuple[int, ...]], tuple[int, ...]]] = [
        lambda shape: (*shape, *fresh[:1]),
        lambda shape: (*fresh[:1], *shape),
        lambda shape: shape[1:],
        lambda shape: shape[:-1],
        lambda shape: (*shape, *fresh),
        lambda shape: (),
    ]
    for change in changes:
        for names in (list(base), *([n] for n in base if len(base) > 1)):
            changed = {n: _with_axes(s, change) if n in names else s for n, s in base.items()}
            if changed != base:
                yield changed


def _with_axes(spec: Spec, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Spec:
    def other(leaf: object, path: str) -> Spec:
        if isinstance(leaf, Array) and leaf.dtype not in ("key", "rawkey") and len(change(leaf.shape)) <= MOST_AXES:
            return Array(change(leaf.shape), leaf.dtype)
        return leaf  # type: ignore[return-value]

    return replace(spec, other)


def _nodes(texts: Sequence[ast.AST]) -> Iterator[ast.AST]:
    return chain.from_iterable(map(ast.walk, texts))


def _formats(node: ast.AST) -> bool:
    """Whether a node makes a text of a number."""
    match node:
        case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return True
    return False


def _numbers(texts: Sequence[ast.AST]) -> Iterator[int]:
    """The whole numbers of the texts, also those that are spelled, and the codes of single characters."""
    for node in _nodes(texts):
        match node:
            case ast.Constant(value=int() as number) if type(number) is not bool:
                yield number
            case ast.Constant(value=float() as real) if real.is_integer():
                yield int(real)
            case ast.Constant(value=str() | bytes() as text):
                spelled = text if isinstance(text, str) else text.decode("latin-1")
                yield from map(int, re.findall(r"\d{1,3}", spelled))
                yield from map(ord, spelled if len(spelled) == 1 else "")
            case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) > 2:
                yield len(items)
            case ast.BinOp(left=ast.List(elts=[_]), op=ast.Mult(), right=ast.Constant(value=int() as number)):
                yield number


def _shapes(texts: Sequence[ast.AST]) -> Iterator[tuple[int, ...]]:
    for node in _nodes(texts):
        match node:
            case ast.Tuple(elts=[*items]) if 0 < len(items) <= MOST_AXES:
                found = tuple(i.value for i in items if isinstance(i, ast.Constant) and type(i.value) is int)
                if len(found) == len(items):
                    yield found
