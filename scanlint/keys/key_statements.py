"""Runs statements along the path: branches, loops, jumps."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.keys.key_expressions import KeyExpressions, test_guards
from scanlint.keys.machine import functions_in
from scanlint.keys.terms import NOTHING, Computed, Const, External, Guards, InnerFunction, KeyGuard, Term
from scanlint.keys.uses import PathMemory, join


class KeyStatements(KeyExpressions):
    """Runs statements."""

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.path is None:
                return
            handler = _HANDLERS.get(statement.__class__)
            if handler is not None:
                handler(self, statement)

    def _expression(self, node: ast.Expr) -> None:
        self.eval(node.value)

    def _assign(self, node: ast.Assign) -> None:
        term = self.eval(node.value)
        for target in node.targets:
            self.bind(target, term)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.eval(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        old = self.eval(node.target)
        self.bind(node.target, Computed(node.op.__class__.__name__, (old, self.eval(node.value))))

    def _return(self, node: ast.Return) -> None:
        term = self.eval(node.value) if node.value is not None else NOTHING
        self.frames[self.frame].returned.append((self.at, term))
        self.path = None

    def _raise(self, node: ast.Raise) -> None:
        if node.exc is not None:
            self.eval(node.exc)
        self.path = None

    def _break(self, node: ast.Break) -> None:
        self.loops[-1].broken.append(self.at)
        self.path = None

    def _continue(self, node: ast.Continue) -> None:
        self.loops[-1].continued.append(self.at)
        self.path = None

    # -- branches

    def _if(self, node: ast.If) -> None:
        test = self.eval(node.test)
        if isinstance(test, Const):
            self.block(node.body if test.value else node.orelse)
            return
        self._arms(node, [(test_guards(test, True), node.body), (test_guards(test, False), node.orelse)])

    def _arms(self, node: ast.AST, arms: list[tuple[Guards, list[ast.stmt]]]) -> None:
        """Run several blocks, one of which is run; an arm that only raises says nothing of the others."""
        before, ends, leaves = self.at, list[PathMemory](), list[bool]()
        for guards, body in arms:
            self.path = before.copy(*guards)
            self.block(body)
            leaves.append(bool(body) and isinstance(body[-1], ast.Raise))
            if self.path is not None:
                ends.append(self.path)
        self.path = join(ends, node, self.moment)
        if self.path is not None and len(ends) == 1 and any(leaves):
            self.path.guards = before.guards

    def _match(self, node: ast.Match) -> None:
        subject = self.eval(node.subject)
        arms: list[tuple[Guards, list[ast.stmt]]] = []
        rest: Guards = ()
        for k, case in enumerate(node.cases):
            guard = KeyGuard(Computed("case", (subject, Const(ast.unparse(case.pattern)), Const(k))), True)
            for part in ast.walk(case.pattern):
                name = (
                    getattr(part, "rest", None) if isinstance(part, ast.MatchMapping) else getattr(part, "name", None)
                )
                if isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and name is not None:
                    self.bind_name(name, self.opaque(part))
            if case.guard is not None:
                self.eval(case.guard)
            arms.append(((*rest, guard), case.body))
            rest = (*rest, guard._replace(truth=False))
            if case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                return self._arms(node, arms)
        return self._arms(node, [*arms, (rest, [])])

    def _try(self, node: ast.Try) -> None:
        before = self.at
        went = KeyGuard((node, self.moment), True)
        self.path = before.copy(went)
        self.block(node.body)
        body = self.path
        if body is not None:
            self.block(node.orelse)
        ends = [self.path] if self.path is not None else []
        for k, handler in enumerate(node.handlers):
            self.path = before.copy(went._replace(truth=False), KeyGuard((node, self.moment, k), True))
            self.block(handler.body)
            ends += [self.path] if self.path is not None else []
        self.path = join(ends, node, self.moment)
        if self.path is not None:
            self.path.guards = before.guards
            self.block(node.finalbody)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            term = self.eval(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, term)
        self.block(node.body)

    # -- loops

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        count, _, take = self.iterated(node.iter, node)

        def run(trip: int) -> None:
            self.bind(node.target, take(trip))
            self.block(node.body)

        self.trips(node, count, run)
        if self.path is not None:
            self.block(node.orelse)

    def _while(self, node: ast.While) -> None:
        def run(trip: int) -> None:
            self.eval(node.test)
            self.block(node.body)

        self.trips(node, 2, run)
        if self.path is not None:
            self.block(node.orelse)

    # -- definitions

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.made.setdefault(node, self.frame)
        term: Term = InnerFunction(node, self.frame)
        for decorator in reversed(node.decorator_list):
            term = self.decorated(decorator, term)
        self.bind_name(node.name, term)

    def decorated(self, decorator: ast.expr, function: Term) -> Term:
        """A function under a decorator."""
        raise NotImplementedError

    def _class(self, node: ast.ClassDef) -> None:
        self.made.update((f, self.frame) for f in functions_in(node))
        self.bind_name(node.name, self.opaque(node))

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            whole = alias.name if alias.asname or isinstance(node, ast.ImportFrom) else name
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module else ""
            self.bind_name(name, External(f"{module}{whole}"))

    def _delete(self, node: ast.Delete) -> None:
        """A name that is deleted is not read again."""

    def _assert(self, node: ast.Assert) -> None:
        self.eval(node.test)


_HANDLERS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Expr: KeyStatements._expression,
    ast.Assign: KeyStatements._assign,
    ast.AnnAssign: KeyStatements._annotated,
    ast.AugAssign: KeyStatements._augmented,
    ast.Return: KeyStatements._return,
    ast.Raise: KeyStatements._raise,
    ast.Break: KeyStatements._break,
    ast.Continue: KeyStatements._continue,
    ast.If: KeyStatements._if,
    ast.Match: KeyStatements._match,
    ast.Try: KeyStatements._try,
    ast.TryStar: KeyStatements._try,
    ast.With: KeyStatements._with,
    ast.AsyncWith: KeyStatements._with,
    ast.For: KeyStatements._for,
    ast.AsyncFor: KeyStatements._for,
    ast.While: KeyStatements._while,
    ast.FunctionDef: KeyStatements._defined,
    ast.AsyncFunctionDef: KeyStatements._defined,
    ast.ClassDef: KeyStatements._class,
    ast.Import: KeyStatements._import,
    ast.ImportFrom: KeyStatements._import,
    ast.Delete: KeyStatements._delete,
    ast.Assert: KeyStatements._assert,
}
