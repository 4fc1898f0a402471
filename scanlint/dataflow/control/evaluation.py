"""The events of an expression, in the order of its evaluation."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.dataflow.control.blocks import Block, Calling, MakeInner, Region, Use
from scanlint.dataflow.control.scopes import Comprehension
from scanlint.dataflow.control.steps import Step, Steps
from scanlint.dataflow.locations import DefinitionKind
from scanlint.syntax.walk import children


class Evaluation(Steps):
    """The steps of expressions."""

    def visit(self, node: ast.AST | None) -> None:
        """Evaluate a node."""
        if node is None:
            return
        handler = _EXPRESSIONS.get(node.__class__)
        if handler is not None:
            handler(self, node)
        else:
            self.visit_all(children(node))

    def _name(self, node: ast.Name) -> None:
        self.emit(Use(node, self.scopes.variable(self.scope, node.id)))

    def _constant(self, node: ast.Constant) -> None:
        """Nothing happens."""

    def _dict(self, node: ast.Dict) -> None:
        self.visit_all([p for pair in zip(node.keys, node.values, strict=True) for p in pair if p is not None])

    def _call(self, node: ast.Call) -> None:
        self.push((self._called, node))
        self.visit_all([node.func, *node.args, *node.keywords])

    def _called(self, node: ast.Call) -> None:
        self.emit(Calling(node))
        self.changed()

    def _walrus(self, node: ast.NamedExpr) -> None:
        def bound(_: None) -> None:
            inner, self.scope = self.scope, self.scope.home()
            self.define(node.target, node.target.id, DefinitionKind.WALRUS, node.value)
            self.scope = inner

        self.push((bound, None), (self.visit, node.value))

    def _bool(self, node: ast.BoolOp) -> None:
        self._short([(self.visit, value) for value in node.values])

    def _compare(self, node: ast.Compare) -> None:
        parts = [node.left, *node.comparators]
        first = [(self.visit, p) for p in parts[:2]]
        self._todo += [(self._later, parts[2:]), *first[::-1]]

    def _later(self, parts: list[ast.expr]) -> None:
        self._short([(self.visit, None), *((self.visit, p) for p in parts)])

    def _short(self, steps: list[Step]) -> None:
        """The first step, and others that may be left out, with all that come after it."""
        if not self.scopes.walrus:
            self.push(*reversed(steps))
            return
        skipped: list[Block] = []

        def skip(_: None) -> None:
            skipped.append(self.here)
            self.here = self.graph.add(self.here)

        def join(_: None) -> None:
            self.here = self.graph.add(*skipped, self.here)

        later = [part for step in steps[1:] for part in ((skip, None), step)]
        self.push((join, None), *reversed(later), steps[0])

    def _choice(self, node: ast.IfExp) -> None:
        if not self.scopes.walrus:
            self.visit_all([node.test, node.body, node.orelse])
            return

        def arms(_: None) -> None:
            start = self.here
            ends: list[Block] = []

            def other(_: None) -> None:
                ends.append(self.here)
                self.here = self.graph.add(start)

            def join(_: None) -> None:
                self.here = self.graph.add(*ends, self.here)

            self.here = self.graph.add(start)
            self.push((join, None), (self.visit, node.orelse), (other, None), (self.visit, node.body))

        self.push((arms, None), (self.visit, node.test))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        self.push((self.emit, MakeInner(node)))
        self.visit_all([d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None])
        if not isinstance(node, ast.Lambda):
            self.visit_all([*node.decorator_list])

    # -- comprehensions

    def _comprehension(self, node: Comprehension) -> None:
        outer = self.scope

        def leave(_: None) -> None:
            self.scope = outer
            if isinstance(node, ast.GeneratorExp):
                self.emit(MakeInner(node))

        self.push((leave, None))
        self._generator((node, 0))

    def _generator(self, place: tuple[Comprehension, int]) -> None:
        """One `for` of a comprehension, and what is inside it."""
        node, at = place
        if at == len(node.generators):
            self.visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
            return
        self.push((self._generate, place), (self.visit, node.generators[at].iter))

    def _generate(self, place: tuple[Comprehension, int]) -> None:
        node, at = place
        part = node.generators[at]
        self.scope = self.scopes.of[node]
        head = self.graph.add(self.here)
        self.here = self.graph.add(head)
        skipped: list[Block] = []

        def skip(_: None) -> None:
            skipped.append(self.here)
            self.here = self.graph.add(self.here)

        def close(_: None) -> None:
            for block in (*skipped, self.here):
                self.graph.connect(block, head)
            self.graph.loops[node if at == 0 else part] = Region(head.id, len(self.graph.blocks))
            self.here = self.graph.add(head)

        tests = [step for test in reversed(part.ifs) for step in ((skip, None), (self.visit, test))]
        self.push((close, None), (self._generator, (node, at + 1)), *tests)
        self.bind(part.target, DefinitionKind.FOR, None)


_EXPRESSIONS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Name: Evaluation._name,
    ast.Constant: Evaluation._constant,
    ast.Call: Evaluation._call,
    ast.Compare: Evaluation._compare,
    ast.BoolOp: Evaluation._bool,
    ast.IfExp: Evaluation._choice,
    ast.NamedExpr: Evaluation._walrus,
    ast.Dict: Evaluation._dict,
    ast.Lambda: Evaluation._function,
    ast.FunctionDef: Evaluation._function,
    ast.AsyncFunctionDef: Evaluation._function,
    ast.ListComp: Evaluation._comprehension,
    ast.SetComp: Evaluation._comprehension,
    ast.DictComp: Evaluation._comprehension,
    ast.GeneratorExp: Evaluation._comprehension,
}
