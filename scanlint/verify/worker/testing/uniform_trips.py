"""Whether the trips of a text's loops are all alike: then programs that are equal for few trips are equal for many.

Which trip it is may decide in Python (`if i < 50`), by a remainder, or by rounding: in texts with anything of that kind
a late trip may do what no early one shows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

FEW = 7
"""Usual cases have as many trips: what a number up to it decides has been seen."""
DECIDING = (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.Assert, ast.Try, ast.Match, ast.Break, ast.Continue)
STEPPED = (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
ROUNDED = frozenset(
    ["int", "round", "floor", "ceil", "rint", "trunc", "fix", "mod", "fmod", "remainder", "divmod", "floor_divide",
     "astype", "convert_element_type", "min", "max", "minimum", "maximum", "clip", "sign", "heaviside", "searchsorted",
     "digitize", "select", "globals", "eval", "exec", "getattr", "iter", "next"]
)  # fmt: skip
LIBRARIES = frozenset(["jax", "numpy", "math", "functools", "typing", "__future__", "dataclasses", "collections"])


def alike(statements: Sequence[ast.stmt]) -> bool:
    """Whether no trip of the loops in these statements can be told from the others, but by small numbers.

    The statements are all that a function reads of its module.
    """
    for node in (n for s in statements for n in ast.walk(s)):
        match node:
            case ast.Import(names=names):
                if any(alias.name.partition(".")[0] not in LIBRARIES for alias in names):
                    return False
            case ast.ImportFrom(module=module, level=level):
                if level or str(module).partition(".")[0] not in LIBRARIES:
                    return False
            case ast.BinOp(op=op) | ast.AugAssign(op=op) if isinstance(op, STEPPED):
                return False
            case ast.BinOp(op=ast.Pow(), right=power) if not isinstance(power, ast.Constant):
                return False
            case ast.Constant(value=int() | float() as number) if abs(number) > FEW:
                return False
            case ast.Compare() if sum(_numbers(node)) > FEW or _scales(node):
                return False
            case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) > FEW:
                return False
            case ast.AugAssign(op=ast.Pow()):
                return False
            case ast.comprehension(ifs=[_, *_]):
                return False
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in ROUNDED:
                return False
            case _ if isinstance(node, DECIDING):
                return False
    return True


def _numbers(node: ast.AST) -> Iterator[float]:
    return (abs(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, int | float))


def _scales(node: ast.Compare) -> bool:
    """A comparison may turn late without a large number: `i * 0.1 > 1`, `i / 7 > n`."""
    parts = list(ast.walk(node))
    small = (type(n.value) is float and 0 < abs(n.value) < 1 for n in parts if isinstance(n, ast.Constant))
    return any(isinstance(n, ast.Div) for n in parts) or any(small)
