"""The statements of a loop's body with flags for its `break`, `continue` and `return`, and what follows under them."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field

from scanlint.branches.branch import is_elif
from scanlint.finding import Withheld, mark
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.jumps import Jump, Loop, jumps_in
from scanlint.rewrite.emit.snippets import ARITHMETIC, on_one_line
from scanlint.rewrite.lower.branches.predicates import Spell, predicate
from scanlint.trace.unit import Unit


class Unstructured(Exception):
    """A jump from inside what is no `if`, or a test that has no value under a trace; holds the reason."""

    def __init__(self, why: Withheld) -> None:
        super().__init__(why)
        self.why = why


def comments(lines: Sequence[str]) -> list[str]:
    """The comments in some lines."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("".join(line.lstrip() for line in lines)).readline))
    except (tokenize.TokenError, IndentationError):  # whoever asks looks at whole statements
        return []
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def marked(line: str, place: int) -> str:
    """A line with the mark of the statement that begins on it, by which the driver finds it again."""
    code = line.lstrip()
    return f"{line[: len(line) - len(code)]}{mark(place)}{code}"


@dataclass(slots=True)
class Leaving:
    """Writes blocks of one loop; `flags` are the names that say that it was left: by Break, Return, Continue."""

    unit: Unit
    indent: str
    spell: Spell
    flags: dict[type[ast.stmt], str] = field(default_factory=dict)
    deep: bool = False
    """Whether a `continue` got a flag of its own, to be put down at the start of each trip."""
    _inner: int = 0
    """How many blocks are around the one being written after which the trip goes on."""

    def raw(self, first: int, last: int, shift: int) -> list[str]:
        """Lines of the file, moved to the right."""
        lines = [line.rstrip("\r\n") for line in self.unit.source.lines[first - 1 : last]]
        return [self.indent * shift + line if line.strip() else "" for line in lines]

    def margin(self, node: ast.stmt, shift: int) -> str:
        return self.indent * shift + self.unit.source.margin(node)

    @property
    def newline(self) -> str:
        return self.unit.source.newline

    def below_header(self, node: Loop) -> list[str]:
        """The comments between the header of a loop and its first statement."""
        header = node.iter if isinstance(node, ast.For) else node.test
        lines = self.unit.source.lines[header.end_lineno : node.body[0].lineno - 1]
        return [line.rstrip("\r\n") for line in lines if line.strip().startswith("#")]

    def block(self, statements: Sequence[ast.stmt], shift: int, floor: int) -> list[str]:
        """Statements of one block; what stands on the lines from `floor` on above them goes with them."""
        out: list[str] = []
        for at, statement in enumerate(statements):
            if next(jumps_in(statement), None) is None:
                lines = self.raw(floor + 1, statement.end_lineno or 0, shift)
                if isinstance(statement, ast.If) and is_elif(self.unit, statement):
                    lines = self._as_if(statement, lines, floor)
                out += lines
                floor = statement.end_lineno or 0
                continue
            out += self.raw(floor + 1, statement.lineno - 1, shift)
            match statement:
                case ast.Break() | ast.Return() | ast.Continue():
                    return [*out, f"{self.margin(statement, shift)}{self._flag(statement)} = True"]
                case ast.If():
                    return [*out, *self._branch(statement, statements[at + 1 :], shift)]
            raise Unstructured(_jumped(statement))
        return out

    def _as_if(self, statement: ast.If, lines: list[str], floor: int) -> list[str]:
        place = statement.lineno - floor - 1
        return [*lines[:place], lines[place].replace("elif", "if", 1), *lines[place + 1 :]]

    def _flag(self, jump: ast.stmt) -> str:
        if isinstance(jump, ast.Continue):
            self.deep = True
        return self.flags[type(jump)]

    def _branch(self, node: ast.If, rest: Sequence[ast.stmt], shift: int) -> list[str]:
        """An `if` with a jump somewhere inside, and the rest of its block."""
        *before, last = node.body
        if isinstance(last, Jump) and next(jumps_in(*before, *node.orelse), None) is None:
            return self._leave(node, before, last, rest, shift)
        pad = self.margin(node, shift)
        self._inner += bool(rest)
        arm, other = self.block(node.body, shift, node.body[0].lineno - 1), self._else(node, shift)
        self._inner -= bool(rest)
        lines = self._said(node, node.body[0], pad)
        if _does(arm) or _does(other):
            arm = arm if _does(arm) else [*arm, f"{pad}{self.indent}pass"]
            lines += [f"{pad}if {self.test(node.test)}:", *arm]
        lines += [f"{pad}else:", *other] if _does(other) else []
        if rest:
            flags = dict.fromkeys(self._flag(jump) for jump in jumps_in(node))
            lines += [f"{pad}if {untouched(flags)}:", *self._rest(node, rest, shift)]
        return lines

    def _leave(
        self, node: ast.If, before: list[ast.stmt], jump: ast.stmt, rest: Sequence[ast.stmt], shift: int
    ) -> list[str]:
        """`if test: ...; break`, with what runs otherwise as the other arm."""
        pad = self.margin(node, shift)
        said = self._said(node, node.body[0], pad)
        said += [f"{pad}{c}" for c in comments(self.unit.source.lines[jump.lineno - 1 : jump.lineno]) if before]
        tail = [*self._else(node, shift), *self._rest(node, rest, shift)]
        arm = self.raw(node.body[0].lineno, jump.lineno - 1, shift) if before else []
        if isinstance(jump, ast.Continue) and not self._inner:
            if arm:
                return [*said, f"{pad}if {self.test(node.test)}:", *arm, *([f"{pad}else:", *tail] if tail else [])]
            return [*said, f"{pad}if {negated(self.unit, node.test)}:", *tail] if tail else said
        flag = self._flag(jump)
        named = isinstance(node.test, ast.Name) and node.test.id == flag
        made = said if named else [*said, f"{pad}{flag} = {self.truth(node.test)}"]
        if arm and [line.strip() for line in arm] == [line.strip() for line in tail]:
            return [*made, *(line.removeprefix(self.indent) for line in arm)]
        if arm:
            return [*made, f"{pad}if {flag}:", *arm, *([f"{pad}else:", *tail] if tail else [])]
        return [*made, f"{pad}if not {flag}:", *tail] if tail else made

    def _else(self, node: ast.If, shift: int) -> list[str]:
        """The statements under the `else` of an `if`; an `elif` becomes an `if` one step further in."""
        if not node.orelse:
            return []
        first, above = node.orelse[0], node.body[-1].end_lineno or 0
        if isinstance(first, ast.If) and is_elif(self.unit, first):
            return self.block([first], shift + 1, above)
        pad = self.margin(node, shift + 1)
        said = comments(self.unit.source.lines[above : first.lineno - 1])
        return [*(f"{pad}{c}" for c in said), *self.block(node.orelse, shift, first.lineno - 1)]

    def _rest(self, node: ast.If, rest: Sequence[ast.stmt], shift: int) -> list[str]:
        lines = self.block(rest, shift + 1, node.end_lineno or 0)
        while lines and not lines[0].strip():
            lines = lines[1:]
        return lines

    def _said(self, node: ast.If, first: ast.stmt, pad: str) -> list[str]:
        """The comments beside the test and between it and the first statement, on lines of their own."""
        last = first.lineno if first.lineno == node.lineno or isinstance(first, Jump) else first.lineno - 1
        return [f"{pad}{c}" for c in comments(self.unit.source.lines[node.lineno - 1 : last])]

    def test(self, node: ast.expr) -> str:
        code = self.unit.source.segment(node)
        return ast.unparse(node) if "\n" in code else code

    def truth(self, test: ast.expr) -> str:
        """A test as a value that is a bool. Raises Unstructured where tracers have none."""
        code = predicate(self.unit, test, self.spell)
        if isinstance(code, Withheld):
            raise Unstructured(code)
        code = on_one_line(code)
        number = self.unit.value(test).dtype in ("int", "float") or isinstance(getattr(test, "op", None), ARITHMETIC)
        return f"({code}) != 0" if number and not boolean(self.unit, test) else code


def _jumped(statement: ast.stmt) -> Withheld:
    """Why a statement with a jump in it stays as it is."""
    jump = next(jumps_in(statement))
    word = type(jump).__name__.lower()
    inside = f"`{word}` at line {jump.lineno} stands inside `{type(statement).__name__.lower()}`"
    return Withheld("return-in-loop" if isinstance(jump, ast.Return) else word, f"{inside} (line {statement.lineno})")


def _does(lines: Sequence[str]) -> bool:
    """Whether lines hold a statement: a `continue` at the end of a trip leaves none."""
    return any(line.strip() and not line.strip().startswith("#") for line in lines)


def untouched(flags: Sequence[str] | dict[str, None]) -> str:
    """The test that none of these flags is set."""
    return " and ".join(f"not {flag}" for flag in flags)


TURNED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
ORDERED: dict[type[ast.cmpop], str] = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<"}


def negated(unit: Unit, test: ast.expr) -> str:
    """The opposite of a test; `<` turns into `>=` only between whole numbers, for NaN is neither."""
    code = unit.source.segment
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"({code(operand)})" if "\n" in code(operand) else code(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            whole = all(unit.value(side).dtype == "int" for side in (left, right))
            sign = TURNED.get(type(op)) or (ORDERED.get(type(op)) if whole else None)
            if sign is not None:
                turned = f"{code(left)} {sign} {code(right)}"
                return f"({turned})" if "\n" in turned else turned
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            return f"not {code(test)}"
    return f"not ({code(test)})"
