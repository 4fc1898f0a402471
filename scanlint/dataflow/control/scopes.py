"""The scopes below one function, and which variable a name in each of them means."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from scanlint.dataflow.locations import Variable
from scanlint.syntax.bindings import Function, parameters
from scanlint.syntax.walk import children

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True, eq=False)
class NameScope:
    """One scope and the names that it binds; `elsewhere` are those that it declares global or nonlocal."""

    node: ast.AST
    parent: NameScope | None
    function: NameScope | None = None
    bound: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)

    def home(self) -> NameScope:
        """The innermost function scope, where a walrus in a comprehension binds."""
        return self.function or self


@dataclass(slots=True)
class Capture:
    """A name that an inner function takes from a function around it."""

    node: ast.AST
    variable: Variable
    stores: bool
    reads: bool


class NameScopes:
    """All scopes of one function; `captures` gives for each inner function the names from outside of it."""

    def __init__(self, function: Function) -> None:
        self.root = NameScope(function, None)
        self.of: dict[ast.AST, NameScope] = {function: self.root}
        self.walrus = False
        self.captures: dict[ast.AST, list[Capture]] = {}
        self._names: list[tuple[ast.Name, NameScope]] = []
        self._augmented: set[ast.AST] = set()
        self._stack: list[tuple[ast.AST, NameScope]] = []
        self._known: dict[tuple[ast.AST, str], Variable] = {}
        self.root.bound.update(parameters(function.args))
        self._body(function, self.root)
        self._run()
        for name, scope in self._names:
            self._capture(name, scope)

    def variable(self, scope: NameScope, name: str) -> Variable:
        """The variable that a name means in a scope."""
        found = self._known.get((scope.node, name))
        if found is None:
            found = self._known[scope.node, name] = self._lookup(scope, name)
        return found

    def _lookup(self, scope: NameScope, name: str) -> Variable:
        at: NameScope | None = scope
        while at is not None:
            hidden = at is not scope and isinstance(at.node, ast.ClassDef)
            if name in at.globals:
                return Variable(None, name)
            if name in at.bound and name not in at.nonlocals and not hidden:
                return Variable(at.node, name)
            at = at.parent
        return Variable(None, name)

    def _run(self) -> None:
        while self._stack:
            node, scope = self._stack.pop()
            self._enter(node, scope)

    def _push(self, nodes: Iterator[ast.AST] | list[ast.AST], scope: NameScope) -> None:
        self._stack += [(n, scope) for n in nodes]

    def _inner(self, node: ast.AST, scope: NameScope) -> NameScope:
        inner = self.of[node] = NameScope(node, scope, scope.home() if isinstance(node, COMPREHENSIONS) else None)
        return inner

    def _enter(self, node: ast.AST, scope: NameScope) -> None:
        match node:
            case ast.Name(id=name, ctx=context):
                if not isinstance(context, ast.Load):
                    scope.bound.add(name)
                if scope is not self.root:
                    self._names.append((node, scope))
                return
            case ast.AugAssign(target=ast.Name() as target):
                self._augmented.add(target)
            case ast.NamedExpr(target=target, value=value):
                self.walrus = True
                self._push([target], scope.home())
                self._push([value], scope)
                return
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node, scope)
                return
            case ast.ClassDef(name=name, bases=bases, keywords=keywords, decorator_list=decorators, body=body):
                scope.bound.add(name)
                self._push([*bases, *keywords, *decorators], scope)
                self._push([*body], self._inner(node, scope))
                return
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope)
                return
            case ast.alias(name=name, asname=asname):
                scope.bound.add((asname or name).split(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                scope.bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                scope.bound.add(name)
            case ast.Global(names=names):
                scope.globals.update(names)
            case ast.Nonlocal(names=names):
                scope.nonlocals.update(names)
        self._push(children(node), scope)

    def _function(self, node: Function, scope: NameScope) -> None:
        if not isinstance(node, ast.Lambda):
            scope.bound.add(node.name)
            self._push([*node.decorator_list], scope)
        self._push([d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None], scope)
        inner = self._inner(node, scope)
        inner.bound.update(parameters(node.args))
        self.captures[node] = []
        self._body(node, inner)

    def _body(self, node: Function, scope: NameScope) -> None:
        self._push([node.body] if isinstance(node, ast.Lambda) else [*node.body], scope)

    def _comprehension(self, node: Comprehension, scope: NameScope) -> None:
        first, *rest = node.generators
        inner = self._inner(node, scope)
        if isinstance(node, ast.GeneratorExp):
            self.captures[node] = []  # it runs when it is asked for values
        self._push([first.iter], scope)
        self._push([first.target, *first.ifs, *rest], inner)
        self._push([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], inner)

    def _capture(self, name: ast.Name, scope: NameScope) -> None:
        """Note a name at each function between it and the scope that binds it."""
        variable = self.variable(scope, name.id)
        stores = not isinstance(name.ctx, ast.Load)
        found = Capture(name, variable, stores, not stores or name in self._augmented)
        at: NameScope | None = scope
        while at is not None and at is not self.root and at.node is not variable.scope:
            if at.node in self.captures:
                self.captures[at.node].append(found)
            at = at.parent
