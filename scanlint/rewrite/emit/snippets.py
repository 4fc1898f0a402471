"""Source text in small pieces: tuples of names, parentheses, names for one of many and many of one."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from collections.abc import Sequence

from scanlint.jaxapi.words import words

SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


def bare(names: Sequence[str]) -> str:
    """`a` for one name, `a, b` for several, `None` for none."""
    return ", ".join(names) if names else "None"


def pack(names: Sequence[str]) -> str:
    """Several expressions as one: `(a, b)`; a single one is returned as it is."""
    return f"({bare(names)})" if len(names) > 1 else bare(names)


def atom(code: str) -> str:
    """The expression in parentheses unless it is one token or call."""
    node = ast.parse(f"({code})", mode="eval").body
    if isinstance(node, ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript):
        return code
    return f"({code})"


ARITHMETIC = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow


def side(code: str) -> str:
    """An expression as one side of a comparison."""
    node = ast.parse(f"({code})", mode="eval").body
    loose = isinstance(node, ast.Compare | ast.BoolOp | ast.IfExp | ast.Lambda | ast.NamedExpr) or "\n" in code
    return f"({code})" if loose else code


def shifted(code: str, by: int) -> str:
    """A bound moved by some whole numbers."""
    node = ast.parse(code, mode="eval").body
    match node:
        case ast.Constant(value=int(number)):
            return str(number + by)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return str(by - number)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=int(number))):
            by += number if isinstance(op, ast.Add) else -number
            code = ast.unparse(left)
            if not by:
                return code
            node = left
    closed = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    tight = isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC)
    base = code if closed or tight else f"({code})"
    return f"{base} {'+' if by > 0 else '-'} {abs(by)}"


TIGHTER = {
    **dict.fromkeys("+-", (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult, ast.Pow)),
    **dict.fromkeys(("*", "/", "//", "%", "@"), (ast.Pow,)),
}
"""Operators that bind tighter than a sign."""


def operand(code: str, sign: str) -> str:
    """The expression as the right side of an operator with this sign."""
    node = ast.parse(f"({code})", mode="eval").body
    if isinstance(node, ast.BinOp) and isinstance(node.op, TIGHTER.get(sign, ())) and "\n" not in code:
        return code
    loose = isinstance(
        node, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda | ast.UnaryOp | ast.NamedExpr
    )
    return f"({code})" if loose else code


def brackets(element: ast.expr) -> tuple[str, str]:
    """What an expression needs around it to stand by itself: it may go on on the next line only within brackets."""
    return ("", "") if _closed(element) else ("(", ")")


def _closed(node: ast.expr) -> bool:
    """Whether every line break of an expression is within brackets of its own."""
    if node.lineno == node.end_lineno or isinstance(node, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.ListComp):
        return True
    if isinstance(node, ast.Attribute):
        return _closed(node.value) and node.end_lineno == node.value.end_lineno
    return isinstance(node, ast.Call | ast.Subscript) and _closed(
        node.func if isinstance(node, ast.Call) else node.value
    )


def on_one_line(code: str) -> str:
    """An expression without its line breaks and the comments among them."""
    if "\n" not in code:
        return code
    made, last = "", None
    for token in tokenize.generate_tokens(io.StringIO(f"({code}\n)").readline):
        if token.type in (tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.ENDMARKER):
            continue
        if last is not None and token.start[0] == last.end[0]:
            made += token.line[last.end[1] : token.start[1]]
        elif last is not None:
            made += "" if token.string in (*")]}", ".") or last.string in (*"([{", ".") else " "
        made, last = made + token.string, token
    return made[1:-1].strip()


SINGLE = words("obs pos eps cos bias basis axis analysis radius status canvas lens ids gas focus corpus")
"""Names that end in `s` and speak of one thing, or would become the name of a builtin."""


def singular(name: str, otherwise: str) -> str:
    """A name for one element of what has this name: `xs` gives `x`, `batches` gives `batch`."""
    if name.rpartition("_")[2] in SINGLE:
        return otherwise
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith(("sses", "xes", "ches")):
        return name[:-2]
    if name.endswith("s") and not name.endswith("ss") and len(name) > 1:
        return name[:-1]
    return otherwise


def row_name(array: str, index: str) -> str:
    """A name for what a loop reads of an array: `x` for `xs[i]`, `obs_t` for `obs[t]`."""
    return singular(array, f"{array}_{index if 0 < len(index) < 4 else 'row'}")


def plural(name: str) -> str:
    """A name for all values of a variable."""
    if len(name) < 3:
        return f"{name}_all"
    if name.endswith("s"):
        return f"all_{name}"
    return f"{name}es" if name.endswith(("x", "ch")) else f"{name}s"


def fresh(taken: frozenset[str] | set[str], *wanted: str) -> str:
    """The first of these names that is not in use, else the first one with a number: `body_2`."""
    for word in wanted:
        if word not in taken and not keyword.iskeyword(word):
            return word
    name, count = wanted[0], 2
    while name in taken or keyword.iskeyword(name):
        name, count = f"{wanted[0]}_{count}", count + 1
    return name


def claimed(taken: set[str], *wanted: str) -> str:
    """A free name for a new variable, which is added to the names that are taken."""
    taken.add(name := fresh(taken, *wanted))
    return name
