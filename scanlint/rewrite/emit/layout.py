"""How new statements sit among the old ones: indentation, empty lines, a `return` folded into what it returns."""

from __future__ import annotations

import ast
import re

from scanlint.finding import Edit, Position
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.emit.snippets import operand
from scanlint.rewrite.late_libcst import cst
from scanlint.syntax.regex import regex
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

BLOCK = regex(r"(?:async )?(?:for|while|if|elif|else|with|try|except|finally|match|case)\b")
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
STAGES = ("fori_loop", "while_loop", "cond", "switch")
"""Functions of `lax` that give the tuple that their bodies return."""


def blank_above(source: Source, node: ast.stmt, newline: str, dropped: set[int]) -> list[Edit]:
    """An empty line before a new definition, where there is a statement right above it or it begins a block.

    Right below the `def` that it stands in there is none: so formatters have it.
    """
    lines = source.lines
    at = node.lineno - 1
    while at > 0 and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    above = at
    while above > 0 and above in dropped:
        above -= 1
    previous = lines[above - 1].strip() if above > 0 else ""
    code = previous.split("#")[0].rstrip()
    if not previous or (code.endswith(":") and not BLOCK.match(code)):
        return []
    return [Edit(Position(at + 1, 1), Position(at + 1, 1), newline)]


def given_back(unit: Unit, node: ast.stmt, names: str) -> ast.Return | None:
    """The `return` of these names, and of nothing else, right below a statement of a function inside another one."""
    block, source = unit.block(node), unit.source
    after = block[block.index(node) + 1 :]
    function = next((a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)), None)
    match after:
        case [ast.Return(value=ast.Name() | ast.Tuple() as value) as returned, *_] if function is not unit.node:
            same = ast.unparse(value).strip("()") == names
            below = returned.lineno == (node.end_lineno or 0) + 1
            remark = "#" in source.lines[(returned.end_lineno or returned.lineno) - 1]
            return returned if same and below and not remark else None
    return None


def fold_return(snippet: Snippet, body: list[cst.BaseStatement], carry: str) -> cst.BaseStatement | None:
    """`x = f(x)` at the end of a body that returns `x` alone, as `return f(x)`; several names if a loop gives them."""
    match body[-1]:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=several))], value=cst.Call() as call)]
        ):
            names = [e.value.value if isinstance(e.value, cst.Name) else "" for e in several]
            if ", ".join(names) == carry and staged(snippet, body[-1]):
                return _return(snippet, body[-1], call)
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
        ):
            if name == carry and not isinstance(value, cst.Tuple):
                return _return(snippet, body[-1], value)
        case cst.SimpleStatementLine(
            body=[cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value)]
        ) if name == carry:
            sign = snippet.module.code_for_node(operator).strip().removesuffix("=")
            right = snippet.module.code_for_node(value)
            return body[-1].with_changes(
                body=[cst.Return(cst.parse_expression(f"{name} {sign} {operand(right, sign)}"))]
            )
    return None


def staged(snippet: Snippet, statement: cst.BaseStatement) -> bool:
    """Whether a statement binds what a staged loop or branch gives."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(value=cst.Call(func=function))]):
            return snippet.module.code_for_node(function).split(".")[-1] in STAGES
    return False


def _return(snippet: Snippet, statement: cst.BaseStatement, value: cst.BaseExpression) -> cst.BaseStatement:
    """The statement that returns this, on one line where it fits now: `return` may be shorter than the names."""
    code = snippet.module.code_for_node(value)
    if "\n" in code and not re.search(r"""["'#]|,\s*\n\s*[)\]}]""", code):
        joined = re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=[(\[{])\s*\n\s*|\s*\n\s*(?=[)\]}])", "", code))
        if len(f"{snippet.margin}{snippet.indent}return {joined}") <= snippet.source.width:
            value = cst.parse_expression(joined)
    return statement.with_changes(body=[cst.Return(value)])
