"""Small random programs, and runs of them that note which definition each read really saw."""

from __future__ import annotations

import ast
import contextlib
import copy
import random
import textwrap
from collections.abc import Callable

Place = tuple[int, int, int]
Seen = dict[Place, set[Place | None]]
FUEL = 400


class Tagged(int):
    """A number that knows the place that bound it."""

    place: Place | None = None


class Fuel(BaseException):
    """The program ran long enough."""


def place_of(node: ast.AST) -> Place:
    """The place of a node in the text."""
    return node.lineno, node.col_offset, node.end_col_offset  # type: ignore[attr-defined]


class _Instrument(ast.NodeTransformer):
    """Tags each bound value with its place, and notes the tag of each value that is read."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Load) or node.id.startswith("_") or node.id in ("range", "ValueError"):
            return node
        return _see(node, node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value = self.visit(node.value)
        targets = [self.visit(t) for t in node.targets]
        match node.targets[0]:
            case ast.Name() as target:
                value = _tag(target, value)
            case ast.Tuple(elts=elements) if isinstance(value, ast.Tuple):
                value.elts = [_tag(t, v) for t, v in zip(elements, value.elts, strict=True)]
        return ast.Assign(targets=targets, value=value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        read = copy.deepcopy(node.target)
        read.ctx = ast.Load()
        value = ast.BinOp(_see(node.target, read), node.op, self.visit(node.value))
        return ast.Assign(targets=[self.visit(node.target)], value=_tag(node.target, value))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        return ast.NamedExpr(node.target, _tag(node.target, self.visit(node.value)))

    def visit_For(self, node: ast.For) -> ast.AST:
        place = ast.Constant(place_of(node.target))
        node.iter = ast.Call(ast.Name("_rows", ast.Load()), [self.visit(node.iter), place], [])
        node.body = [ast.Expr(ast.Call(ast.Name("_tick", ast.Load()), [], [])), *map(self.visit, node.body)]
        node.orelse = [self.visit(s) for s in node.orelse]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_tick", ast.Load()), [], [])))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        place = ast.Constant(place_of(node.target))
        node.iter = ast.Call(ast.Name("_rows", ast.Load()), [self.visit(node.iter), place], [])
        node.ifs = [self.visit(test) for test in node.ifs]
        return node


def _call(name: str, node: ast.AST, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(place_of(node)), argument], [])


def _tag(node: ast.AST, value: ast.expr) -> ast.Call:
    return _call("_tag", node, value)


def _see(node: ast.AST, value: ast.AST) -> ast.Call:
    empty = ast.arguments([], [], None, [], [], None, [])
    assert isinstance(value, ast.expr)
    thunk = ast.Lambda(empty, ast.parse(ast.unparse(value), mode="eval").body)
    return _call("_see", node, thunk)


def run(source: str, seed: int) -> Seen:
    """Run the function `f` of a program, and give for each read the places that bound what it saw; None is missing."""
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    starts = [
        ast.Assign([ast.Name(a.arg, ast.Store())], _tag(a, ast.Name(a.arg, ast.Load()))) for a in function.args.args
    ]
    function.body = [*starts, *(_Instrument().visit(s) for s in function.body)]
    seen: Seen = {}
    left = FUEL
    chance = random.Random(seed)

    def tag(place: Place, value: object) -> object:
        if type(value) not in (int, bool, Tagged):
            return value
        made = Tagged(value)  # type: ignore[call-overload]
        made.place = place
        return made

    def see(place: Place, thunk: Callable[[], object]) -> object:
        tick()
        try:
            value = thunk()
        except (NameError, LookupError):
            seen.setdefault(place, set()).add(None)
            return 0
        if isinstance(value, Tagged):
            seen.setdefault(place, set()).add(value.place)
        return value

    def rows(values: list[int], place: Place) -> list[object]:
        return [tag(place, v) for v in values]

    def tick() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Fuel

    scope = {"_tag": tag, "_see": see, "_rows": rows, "_tick": tick}
    exec(compile(ast.fix_missing_locations(tree), "<program>", "exec"), scope)
    with contextlib.suppress(Fuel, ValueError, RecursionError, NameError, TypeError, LookupError, AttributeError):
        scope["f"](*(chance.randrange(5) for _ in function.args.args))  # type: ignore[operator]
    return seen


class Writer:
    """Writes a random function of ints; `straight`: without branches and loops."""

    def __init__(self, seed: int, straight: bool = False) -> None:
        self.chance = random.Random(seed)
        self.names = ["a", "b", "c", "d"]
        self.straight = straight
        self.loops = 0
        self.functions: list[str] = []

    def program(self) -> str:
        """One function `f`."""
        body = [*self.block(2 if self.straight else 3, 7), "return a"]
        return "def f(a, b):\n" + textwrap.indent("\n".join(body), "    ") + "\n"

    def block(self, depth: int, most: int) -> list[str]:
        return [line for _ in range(self.chance.randint(1, most)) for line in self.statement(depth)]

    def name(self) -> str:
        return self.chance.choice(self.names)

    def expression(self) -> str:
        kind = self.chance.random()
        if kind < 0.3:
            return f"{self.name()} + {self.name()}"
        if kind < 0.5:
            return self.name()
        if kind < 0.6:
            return f"({self.name()} := {self.name()} + 1)"
        if kind < 0.66:
            return f"len_([{self.name()} + {(n := self.name())} for {n} in range(2)])".replace("len_", "") + "[0]"
        if kind < 0.72 and self.functions:
            return f"{self.chance.choice(self.functions)}()"
        if kind < 0.8 and not self.straight:
            return f"({self.name()} and ({self.name()} := {self.name()}))"
        return str(self.chance.randrange(5))

    def statement(self, depth: int) -> list[str]:
        simple = self.straight or depth == 0
        kind = self.chance.random() * (0.45 if simple else 1.0)
        if kind < 0.45:
            return self.simple()
        return self.compound(depth, kind)

    def simple(self) -> list[str]:
        pick = self.chance.randrange(7)
        x, y = self.name(), self.name()
        if pick < 3:
            return [f"{x} = {self.expression()}"]
        if pick == 3:
            return [f"{x} += {self.expression()}"]
        if pick == 4:
            return [f"{x}, {y} = {y}, {x}"] if x != y else [f"{x} = 1"]
        if pick == 5:
            return [f"{x} = {y}", f"del {x}"] if self.chance.random() < 0.3 else [f"{x} = {y}"]
        if pick == 6 and not self.straight and self.loops:
            return [self.chance.choice(["if a % 3 == 1: break", "if b % 2: continue", "if c: raise ValueError"])]
        return [f"{x} = {self.expression()}"]

    def compound(self, depth: int, kind: float) -> list[str]:
        inner = depth - 1
        if kind < 0.62:
            lines = [f"if {self.expression()} % 2:", *self.indented(inner)]
            if self.chance.random() < 0.3:
                lines += [f"elif {self.name()}:", *self.indented(inner)]
            return lines + (["else:", *self.indented(inner)] if self.chance.random() < 0.5 else [])
        if kind < 0.82:
            self.loops += 1
            head = f"for {self.name()} in range({self.chance.randrange(4)}):"
            lines = [head if self.chance.random() < 0.7 else f"while {self.expression()} % 3:", *self.indented(inner)]
            self.loops -= 1
            return lines + (["else:", *self.indented(inner)] if self.chance.random() < 0.3 else [])
        if kind < 0.92:
            lines = ["try:", *self.indented(inner)]
            if self.chance.random() < 0.7:
                lines += ["except ValueError:", *self.indented(inner)]
                return lines + (["finally:", *self.indented(inner)] if self.chance.random() < 0.4 else [])
            return [*lines, "finally:", *self.indented(inner)]
        name = f"g{len(self.functions)}"
        self.functions.append(name)
        shared = [f"    nonlocal {self.chance.choice(['a', 'b'])}"] if self.chance.random() < 0.6 else []
        stored = shared[0].split()[-1] if shared else "z"
        return [f"def {name}():", *shared, f"    {stored} = a + b", f"    return {stored}"]

    def indented(self, depth: int) -> list[str]:
        return [f"    {line}" for line in self.block(depth, 3)]
