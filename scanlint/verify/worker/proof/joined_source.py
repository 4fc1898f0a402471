"""Source in which branches and loops on traced values are calls of `unfold`: the arms become functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from . import unfold

FUNCTIONS = ("branch", "choice", "repeat", "over", "read", "both", "either", "negated")
GIVEN: dict[str, object] = {
    **{f"__scanlint_{name}__": getattr(unfold, name) for name in FUNCTIONS},
    "__scanlint_unbound__": unfold.UNBOUND,
}
PURE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass, ast.If, ast.While, ast.For, ast.Assert)
CHANGING = frozenset(
    {"append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault", "add", "discard"}
)
CALLS = frozenset({"next", "setattr", "delattr", "locals", "vars", "super", "print", "exec", "eval"})
Statements = list[ast.stmt]


def joined(tree: ast.Module) -> ast.Module:
    """The tree with every function changed; call it on a tree of its own."""
    _Joiner().visit(tree)
    ast.fix_missing_locations(tree)
    return tree


def keeps(statements: Statements) -> bool:
    """Whether no function in some statements mutates objects that it did not create: both arms of a branch are run."""
    functions = [f for s in statements for f in ast.walk(s) if isinstance(f, ast.FunctionDef) and f.name != "__init__"]
    return all(_keeps(f) for f in functions)


def _keeps(function: ast.FunctionDef) -> bool:
    own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(function):
        match node:
            case ast.Global() | ast.Nonlocal():
                return False
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return False
            case ast.Subscript(ctx=ast.Store() | ast.Del(), value=owner):
                if not (isinstance(owner, ast.Name) and owner.id in own):
                    return False
            case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in CHANGING and not _indexed(owner):
                if not (isinstance(owner, ast.Name) and owner.id in own):
                    return False
    return True


class _Joiner(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0
        self.local: list[set[str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.local.append(set())
        outer = any(isinstance(s, (ast.Global, ast.Nonlocal)) for s in ast.walk(node))
        if not outer and not any(isinstance(s, (ast.Yield, ast.YieldFrom)) for s in ast.walk(node)):
            node.body = [s for statement in node.body for s in self.several(statement)]
        names = self.local.pop()
        if names:
            unset = ast.parse(f"if 0: {' = '.join(sorted(names))} = None").body
            node.body[:0] = [ast.copy_location(s, node.body[0]) for s in unset]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        outer, self.local = self.local, []
        self.generic_visit(node)
        self.local = outer
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_If(self, node: ast.If) -> ast.AST | Statements:
        stored = _stored([*node.body, *node.orelse])
        self.inside(node)
        if not self.local or not stored:
            return node
        return self.call("branch", [self.truth(node.test)], [node.body, node.orelse or [ast.Pass()]], stored, node)

    def visit_While(self, node: ast.While) -> ast.AST | Statements:
        stored = _stored(node.body)
        self.inside(node)
        if not self.local or not stored or node.orelse or not _pure(node.test):
            return node
        return self.call("repeat", [_function(self.truth(node.test))], [node.body], stored, node)

    def visit_For(self, node: ast.For) -> ast.AST | Statements:
        stored = _stored(node.body)
        self.inside(node)
        match node:
            case ast.For(
                target=ast.Name(id=target), iter=ast.Call(func=ast.Name(id="range"), args=limits, keywords=[])
            ):
                if not self.local or stored is None or node.orelse or not all(map(_pure, limits)):
                    return node
            case _:
                return node
        stored = {*stored, target}
        name = f"_scanlint_target_{self.count}"
        given = f"_scanlint_given_{self.count}"
        head = ast.parse(f"def {name}({given}):\n    nonlocal {target}\n    {target} = {given}").body
        first = [ast.Tuple(list(limits), ast.Load()), ast.Name(name, ast.Load())]
        return [*head, *self.call("over", first, [node.body], stored, node)]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if not _pure(node):
            return node
        return _called("choice", self.truth(node.test), _function(node.body), _function(node.orelse))

    def inside(self, node: ast.If | ast.While | ast.For) -> None:
        """Change what stands within: inner statements first."""
        for block in (node.body, node.orelse):
            block[:] = [s for statement in block for s in self.several(statement)]
        if isinstance(node, ast.For):
            node.iter = self.visit(node.iter)
        else:
            node.test = self.visit(node.test)

    def several(self, statement: ast.stmt) -> Statements:
        found = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def truth(self, test: ast.expr) -> ast.expr:
        """A test whose parts are not decided either."""
        match test:
            case ast.BoolOp(op=op, values=[first, *rest]):
                other = rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
                name = "both" if isinstance(op, ast.And) else "either"
                return _called(name, _function(self.truth(first)), _function(self.truth(other)))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _called("negated", self.truth(operand))
            case ast.Compare(left=left, ops=[op, *more], comparators=[middle, *rest]) if more and _simple(middle):
                first, other = ast.Compare(left, [op], [middle]), ast.Compare(middle, more, rest)
                return _called("both", _function(first), _function(self.truth(other)))
        return test

    def call(
        self, name: str, first: Sequence[ast.expr], blocks: Sequence[Statements], stored: set[str], node: ast.stmt
    ) -> Statements:
        """Functions for the blocks and for the local names that they store, and a call that is given them."""
        self.local[-1] |= stored
        made: Statements = []
        arguments = [*first]
        declared = ast.parse(f"nonlocal {', '.join(sorted(stored))}").body
        for block in blocks:
            arm = f"_scanlint_arm_{self.count}"
            self.count += 1
            function = ast.parse(f"def {arm}(): pass").body[0]
            assert isinstance(function, ast.FunctionDef)
            function.body = [*declared, *map(_Rebinding().visit, block)]
            made.append(function)
            arguments.append(ast.Name(arm, ast.Load()))
        names = sorted(stored)
        put = f"_scanlint_put_{self.count}"
        held = f"_scanlint_held_{self.count}"
        lines = [f"def {put}({held}):", f"    nonlocal {', '.join(names)}", f"    {', '.join(names)}, = {held}"]
        lines += [f"    if {n} is __scanlint_unbound__: del {n}" for n in names]
        made += ast.parse("\n".join(lines)).body
        get = ast.parse(f"lambda: __scanlint_read__({', '.join(f'lambda: {n}' for n in names)})", mode="eval").body
        call = ast.Expr(_called(name, *arguments, get, ast.Name(put, ast.Load())))
        return [ast.copy_location(s, node) for s in (*made, call)]


class _Rebinding(ast.NodeTransformer):
    """`x += y` as `x = x + y`: a list is not changed in place."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                changed = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], changed), node)
        return node


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f"__scanlint_{name}__", ast.Load()), list(arguments), [])


def _function(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def _simple(value: ast.expr) -> bool:
    return isinstance(value, (ast.Name, ast.Constant))


def _pure(node: ast.AST) -> bool:
    """Whether an expression or statement mutates nothing, stays in its block, and binds names only by assignment."""
    for inner in ast.walk(node):
        match inner:
            case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom():
                return False
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                return False
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                return False
            case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in CHANGING and not _indexed(owner):
                return False
            case ast.Return() | ast.Delete() | ast.Raise() | ast.Try() | ast.With() | ast.Import() | ast.ImportFrom():
                return False
            case (
                ast.FunctionDef()
                | ast.ClassDef()
                | ast.AsyncFunctionDef()
                | ast.Match()
                | ast.Global()
                | ast.Nonlocal()
            ):
                return False
    return True


def _indexed(owner: ast.expr) -> bool:
    """`x.at[i]`, whose `add` gives another array."""
    return isinstance(owner, ast.Subscript) and isinstance(owner.value, ast.Attribute) and owner.value.attr == "at"


def _stored(block: Statements) -> set[str] | None:
    """The names that a block stores; None where it does more than that."""
    if not all(_pure(s) for s in block) or any(_leaves(s) for s in block):
        return None
    for statement in _statements(block):
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not isinstance(statement, PURE) and not docstring:
            return None
    return {n.id for s in block for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _statements(block: Statements) -> Iterator[ast.stmt]:
    for statement in block:
        yield from (n for n in ast.walk(statement) if isinstance(n, ast.stmt))


def _leaves(statement: ast.stmt, loops: int = 0) -> bool:
    """Whether a `break` or `continue` in it belongs to a loop around it."""
    match statement:
        case ast.Break() | ast.Continue():
            return loops == 0
        case ast.For(body=body, orelse=rest) | ast.While(body=body, orelse=rest):
            return any(_leaves(s, loops + 1) for s in body) or any(_leaves(s, loops) for s in rest)
        case ast.If(body=body, orelse=rest):
            return any(_leaves(s, loops) for s in [*body, *rest])
    return False
