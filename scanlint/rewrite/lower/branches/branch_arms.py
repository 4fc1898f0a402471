"""One arm of a branch as written: its values, whether it is only an expression, its comments."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from scanlint.branches.branch import Block, BranchModel
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.emit.snippets import SIGNS, operand
from scanlint.rewrite.late_libcst import cst
from scanlint.rewrite.lower.branches.arm_types import Leaf
from scanlint.syntax.bindings import binds, reads
from scanlint.syntax.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """The statements that run on one side of `owner`."""

    statements: Block
    owner: ast.If
    side: Literal["body", "orelse"]

    @property
    def simple(self) -> bool:
        """Whether it is one `return`, or assignments that do not depend on each other."""
        match self.statements:
            case (ast.Return(),):
                return True
        bound: set[str] = set()
        for statement in self.statements:
            own = binds(statement)
            if assigned(statement) is None or reads(statement) & bound or own & bound:
                return False
            bound |= own
        return True

    @property
    def returns_tuple(self) -> bool:
        match self.statements:
            case (*_, ast.Return(value=ast.Tuple())):
                return True
        return False

    @property
    def lines(self) -> frozenset[int]:
        """The lines that are this arm's: its header, its statements and what stands between them."""
        if not self.statements:
            return frozenset()
        end = self.statements[-1].end_lineno or self.statements[-1].lineno
        if self.side == "body" and self.owner.orelse:
            end = max(end, self.owner.orelse[0].lineno - 1)
        start = self.owner.test.end_lineno or self.owner.lineno
        if self.side == "orelse":
            start = (self.owner.body[-1].end_lineno or self.owner.lineno) + 1
        return frozenset(range(start, end + 1))

    def written(self, snippet: Snippet) -> tuple[cst.IndentedBlock | None, Sequence[cst.EmptyLine]]:
        """The block that it is written in, for its comments, and the comments above its `elif` or `else`."""
        try:
            node = snippet.find(self.owner, cst.If)
        except KeyError:
            return None, ()
        if self.side == "body":
            block = node.body if isinstance(node.body, cst.IndentedBlock) else None
            return block, node.leading_lines if snippet.first_line != self.owner.lineno else ()
        match node.orelse:
            case cst.Else(body=cst.IndentedBlock() as block, leading_lines=above):
                return block, above
        return None, ()


def chained(node: ast.If) -> int:
    """How many arms an `if` has with its `elif`s, the `else` not counted."""
    count = 1
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node, count = node.orelse[0], count + 1
    return count


@lru_cache(maxsize=4)
def comment_lines(text: str) -> frozenset[int]:
    """The lines of a file that hold a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return frozenset(t.start[0] for t in tokens if t.type == tokenize.COMMENT)


def assigned(statement: ast.stmt) -> tuple[list[str], list[ast.expr]] | None:
    """The names and expressions of `a = x` or `a, b = x, y`."""
    match statement:
        case ast.Pass():
            return [], []
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [name], [value]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [name], [value]
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            if all(isinstance(n, ast.Name) for n in names) and not any(isinstance(v, ast.Starred) for v in values):
                return [n.id for n in names if isinstance(n, ast.Name)], values
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return [name], [ast.copy_location(whole, statement)]
    return None


def plain_values(model: BranchModel, arm: Arm, old: Callable[[str], Leaf]) -> list[Leaf] | None:
    """What the arm gives for each result; None where it is not evident."""
    source = model.unit.source
    if model.returns:
        match arm.statements:
            case (*before, ast.Return(value=ast.expr() as value)) if not any(_returns(s) for s in before):
                local = _local(before)
                parts = value.elts if isinstance(value, ast.Tuple) else [value]
                if any(isinstance(p, ast.Starred) for p in parts):
                    return None
                return [Leaf(source.segment(p), p, local) for p in parts]
        return None
    found: dict[str, Leaf] = {}
    local = _local(arm.statements)
    for statement in arm.statements:
        made = assigned(statement)
        found |= dict.fromkeys(binds(statement), Leaf(""))
        for name, value in zip(*(made or ([], [])), strict=True):
            own = {k: v for k, v in local.items() if k != name}
            if isinstance(statement, ast.AugAssign):
                found[name] = Leaf(_augmented(source, statement), value, own, written=False)
            else:
                found[name] = Leaf(source.segment(value), value, own)
    return [found.get(name) or old(name) for name in model.results]


def _augmented(source: Source, statement: ast.stmt) -> str:
    """`x += y` as `x + y`."""
    assert isinstance(statement, ast.AugAssign)
    sign = SIGNS[type(statement.op)]
    return f"{source.segment(statement.target)} {sign} {operand(source.segment(statement.value), sign)}"


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Return) for n in ast.walk(statement))


def _local(statements: Sequence[ast.stmt]) -> dict[str, ast.expr | None]:
    """What an arm binds its names to, where each is bound once."""
    made: dict[str, ast.expr | None] = {}
    for statement in statements:
        pairs = zip(*(assigned(statement) or ([], [])), strict=True)
        new: dict[str, ast.expr | None] = {**dict.fromkeys(binds(statement)), **dict(pairs)}
        made |= {name: None if name in made else value for name, value in new.items()}
    return made


_VERBS = {
    ast.Gt: ("positive", "above"), ast.GtE: ("nonnegative", "above"), ast.Lt: ("negative", "below"),
    ast.LtE: ("nonpositive", "below"), ast.Eq: ("zero", "equal"), ast.NotEq: ("nonzero", "unequal"),
}  # fmt: skip
"""How a comparison with zero is called, and one with anything else."""


def verb(test: ast.expr) -> str:
    """A name for the function of the arm that a test leads to."""
    match test:
        case ast.Compare(ops=[op], comparators=[right]) if type(op) in _VERBS:
            return _VERBS[type(op)][not (isinstance(right, ast.Constant) and right.value == 0)]
        case ast.Name(id=name) if not name.startswith("_"):
            return f"when_{name}"
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)) if not name.startswith("_"):
            return f"unless_{name}"
    return "then"
