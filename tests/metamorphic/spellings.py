"""Edits of how a program is put that leave what it does: names, imports, assignments, arms, aliases, local functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import libcst as cst
from libcst.metadata import Assignment, ClassScope, FunctionScope, MetadataWrapper, PositionProvider, ScopeProvider

Edit = Callable[[str], str]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Renamed(cst.CSTTransformer):
    """Some names, each given another one wherever it stands."""

    METADATA_DEPENDENCIES = (ScopeProvider,)

    def __init__(self, wanted: Callable[[Assignment], bool], named: Callable[[str], str]) -> None:
        super().__init__()
        self.wanted = wanted
        self.named = named
        self.places: set[cst.CSTNode] = set()

    def visit_Module(self, node: cst.Module) -> None:
        for scope in {s for s in self.metadata[ScopeProvider].values() if s is not None}:
            for made in scope.assignments:
                if isinstance(made, Assignment) and not isinstance(scope, ClassScope) and self.wanted(made):
                    name = made.node.name if isinstance(made.node, cst.FunctionDef) else made.node
                    self.places |= {name, *(access.node for access in made.references)}

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return (
            updated_node.with_changes(value=self.named(original_node.value))
            if original_node in self.places
            else updated_node
        )


def _kept(code: str) -> set[str]:
    """Names that others know: parameters, imports, `global` and `nonlocal` names, what stands in strings."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.arg(arg=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found |= {*names}
            case ast.Constant(value=str() as text):
                found |= {*re.findall(r"\w+", text)}
    return found


def renamed_locals(code: str) -> str:
    kept = _kept(code)

    def wanted(made: Assignment) -> bool:
        local = isinstance(made.scope, FunctionScope) and isinstance(made.node, cst.Name)
        return local and made.name not in kept and not made.name.startswith("_")

    return MetadataWrapper(cst.parse_module(code)).visit(_Renamed(wanted, lambda name: f"q_{name}")).code


def renamed_functions(code: str) -> str:
    kept = _kept(code)

    def wanted(made: Assignment) -> bool:
        return isinstance(made.node, cst.FunctionDef) and made.name not in kept

    return (
        MetadataWrapper(cst.parse_module(code))
        .visit(_Renamed(wanted, lambda name: f"fun{len(name)}{name[0]}{name[-1]}"))
        .code
    )


def numpy_called_np(code: str) -> str:
    if "import jax.numpy as jnp" not in code or re.search(r"\bnp\b", code):
        return code
    return re.sub(r"\bjnp\b", "np", code)


def numpy_from_jax(code: str) -> str:
    return code.replace("import jax.numpy as jnp", "from jax import numpy as jnp")


def modules_in_full(code: str) -> str:
    """`jax.lax.scan` for `lax.scan`, and so with `jnp`."""
    if "import jax\n" not in code or not re.search("^import jax.numpy as jnp$", code, re.M):
        return code
    return re.sub(r"(?<![\w.])jnp\.", "jax.numpy.", re.sub(r"(?<![\w.])lax\.", "jax.lax.", code))


class _Plain(cst.CSTTransformer):
    """`x = x + y` for `x += y`."""

    def __init__(self, kept: set[str]) -> None:
        super().__init__()
        self.kept = kept

    def leave_AugAssign(self, original_node: cst.AugAssign, updated_node: cst.AugAssign) -> cst.BaseSmallStatement:
        match updated_node:
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value) if name not in self.kept:
                module = cst.Module([])
                sign = module.code_for_node(operator).strip().removesuffix("=")
                right = module.code_for_node(value)
                if not isinstance(value, cst.Name | cst.Call | cst.Integer | cst.Float | cst.Subscript):
                    right = f"({right})"
                made = cst.parse_statement(f"{name} = {name} {sign} {right}")
                assert isinstance(made, cst.SimpleStatementLine)
                return made.body[0].with_changes(semicolon=updated_node.semicolon)
        return updated_node


def without_augmented(code: str) -> str:
    """Where the name is no list or array of NumPy: those are changed in place."""
    kept = {
        target.id
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Assign) and _mutable(node.value)
        for part in node.targets
        for target in ast.walk(part)
        if isinstance(target, ast.Name)
    }
    return cst.parse_module(code).visit(_Plain(kept)).code


def _mutable(value: ast.expr) -> bool:
    return any(
        isinstance(n, ast.List | ast.ListComp | ast.Dict | ast.Set) or getattr(n, "id", "") == "list"
        for n in ast.walk(value)
    )


class _Swapped(cst.CSTTransformer):
    """`if not t: B else: A` for `if t: A else: B`."""

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        match updated_node:
            case cst.If(
                test=test, body=cst.IndentedBlock() as body, orelse=cst.Else(body=cst.IndentedBlock() as other) as last
            ):
                inner = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
                negated = cst.UnaryOperation(operator=cst.Not(), expression=inner)
                return updated_node.with_changes(
                    test=negated,
                    whitespace_before_test=cst.SimpleWhitespace(" "),
                    body=other,
                    orelse=last.with_changes(body=body),
                )
        return updated_node


class _Aliased(cst.CSTTransformer):
    """`y = f(x)`, `x = y` for `x = f(x)` in loops and branches."""

    def __init__(self, taken: set[str]) -> None:
        super().__init__()
        self.taken = taken
        self.depth = 0

    def _in(self, node: cst.CSTNode) -> None:
        self.depth += 1

    def _out(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:
        self.depth -= 1
        return updated_node

    visit_For = visit_While = visit_If = _in  # type: ignore[assignment]
    leave_For = leave_While = leave_If = _out  # type: ignore[assignment]

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        match updated_node:
            case cst.SimpleStatementLine(
                body=[
                    cst.Assign(
                        targets=[cst.AssignTarget(target=cst.Name(value=name))],
                        value=cst.Call() | cst.BinaryOperation() as value,
                    )
                ]
            ) if self.depth:
                other = f"{name}_made"
                if other in self.taken:
                    return updated_node
                target = cst.AssignTarget(cst.Name(other))
                first = updated_node.with_changes(body=[cst.Assign([target], value)])
                return cst.FlattenSentinel([first, cst.parse_statement(f"{name} = {other}")])
        return updated_node


def aliased(code: str) -> str:
    return cst.parse_module(code).visit(_Aliased(set(re.findall(r"\w+", code)))).code


class _Replaced(cst.CSTTransformer):
    """Statements by the line and column at which they begin."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, made: dict[tuple[int, int], Callable[[cst.For], list[cst.BaseStatement]]]) -> None:
        super().__init__()
        self.made = made

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        where = self.get_metadata(PositionProvider, original_node).start
        change = self.made.get((where.line, where.column))
        return cst.FlattenSentinel(change(updated_node)) if change else updated_node


def body_in_function(code: str) -> str:
    """Each innermost loop's body as a local function of what the trip reads, which gives what it binds."""
    module = ast.parse(code)
    taken = set(re.findall(r"\w+", code))
    made = {
        (loop.lineno, loop.col_offset): _called(arguments, results)
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef) and "trip" not in taken
        for loop in _loops(function)
        for arguments, results in _interface(function, loop)
    }
    return MetadataWrapper(cst.parse_module(code)).visit(_Replaced(made)).code


def _loops(function: ast.FunctionDef) -> Iterator[ast.For]:
    """Loops of a function that hold none of their own, are not left early and stand in no loop."""
    for node in function.body:
        match node:
            case ast.For(orelse=[]) if not any(
                isinstance(
                    p,
                    ast.For
                    | ast.While
                    | ast.Return
                    | ast.Break
                    | ast.Continue
                    | ast.Yield
                    | ast.Await
                    | ast.FunctionDef
                    | ast.Global
                    | ast.Nonlocal
                    | ast.Lambda
                    | ast.ListComp
                    | ast.GeneratorExp
                    | ast.DictComp,
                )
                for s in node.body
                for p in ast.walk(s)
            ):
                yield node


def _interface(function: ast.FunctionDef, loop: ast.For) -> Iterator[tuple[list[str], list[str]]]:
    """What the function of a body takes and gives; nothing where it changes what it does not bind."""
    inside = {id(n) for n in ast.walk(loop)}
    bound = list(
        dict.fromkeys(
            n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )
    )
    targets = [n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)]
    before = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} | {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno < loop.lineno
    }
    after = {
        n.id for n in ast.walk(function) if isinstance(n, ast.Name) and id(n) not in inside and n.lineno > loop.lineno
    }
    carried = [n for n in bound if n in before]
    results = [n for n in bound if n in before or n in after]
    changed = any(
        isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store)
        for s in loop.body
        for n in ast.walk(s)
    )
    if results and not changed and not set(targets) & set(bound):
        yield [*targets, *carried], results


def _called(arguments: list[str], results: list[str]) -> Callable[[cst.For], list[cst.BaseStatement]]:
    def change(loop: cst.For) -> list[cst.BaseStatement]:
        given = ", ".join(results)
        define = cst.parse_statement(f"def trip({', '.join(arguments)}):\n    return {given}\n")
        assert isinstance(define, cst.FunctionDef) and isinstance(define.body, cst.IndentedBlock)
        suite = loop.body if isinstance(loop.body, cst.IndentedBlock) else _indented(loop.body)
        body = suite.with_changes(body=[*suite.body, *define.body.body])
        call = cst.parse_statement(f"{given} = trip({', '.join(arguments)})\n")
        block = suite.with_changes(body=[call], header=cst.TrailingWhitespace(), footer=[])
        return [
            define.with_changes(body=body, leading_lines=loop.leading_lines),
            loop.with_changes(body=block, leading_lines=[]),
        ]

    return change


def _indented(suite: cst.BaseSuite) -> cst.IndentedBlock:
    """A suite that stands on the line of its colon, on a line of its own."""
    assert isinstance(suite, cst.SimpleStatementSuite)
    return cst.IndentedBlock([cst.SimpleStatementLine(suite.body)])


def indexed(code: str) -> str:
    """`for i in range(len(xs)): x = xs[i]` for `for x in xs`, where `xs` is a parameter that is an array."""
    made = {}
    taken = set(re.findall(r"\w+", code))
    for function in ast.walk(ast.parse(code)):
        if not isinstance(function, ast.FunctionDef):
            continue
        parameters = {a.arg for a in function.args.args}
        for node in ast.walk(function):
            match node:
                case ast.For(target=ast.Name(id=name), iter=ast.Name(id=rows)) if (
                    rows in parameters and "at" not in taken
                ):
                    made[node.lineno, node.col_offset] = _by_index(name, rows)
    return MetadataWrapper(cst.parse_module(code)).visit(_Replaced(made)).code


def _by_index(name: str, rows: str) -> Callable[[cst.For], list[cst.BaseStatement]]:
    def change(loop: cst.For) -> list[cst.BaseStatement]:
        assert isinstance(loop.body, cst.IndentedBlock)
        first = cst.parse_statement(f"{name} = {rows}[at]\n")
        body = loop.body.with_changes(body=[first, *loop.body.body])
        return [loop.with_changes(target=cst.Name("at"), iter=cst.parse_expression(f"range(len({rows}))"), body=body)]

    return change


NAMES: dict[str, Edit] = {
    "locals renamed": renamed_locals,
    "functions renamed": renamed_functions,
    "jax.numpy called np": numpy_called_np,
    "from jax import numpy": numpy_from_jax,
    "modules in full": modules_in_full,
}
MEANINGS: dict[str, Edit] = {
    "x = x + y for x += y": without_augmented,
    "arms swapped under not": lambda code: cst.parse_module(code).visit(_Swapped()).code,
    "an alias in between": aliased,
    "the body in a local function": body_in_function,
    "rows by their number": indexed,
}
SAME_LOOP = frozenset({"rows by their number"})
"""After these another rule may speak of the same loop."""
