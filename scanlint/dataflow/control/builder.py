"""Builds the control flow of a function from its statements; a stack of steps instead of recursion, for deep code."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.dataflow.control.blocks import Block, Define, Region
from scanlint.dataflow.control.handlers import Handlers, LoopFrame, Resolve
from scanlint.dataflow.locations import DefinitionKind
from scanlint.syntax.bindings import Function

_FOREVER = (True, 1)


class FlowBuilder(Handlers):
    """The graph of one function."""

    def __init__(self, function: Function, resolve: Resolve) -> None:
        super().__init__(function, resolve)
        self._parameters(function)
        if isinstance(function, ast.Lambda):
            self.push((self._returns, ast.Return(value=function.body)), (self.visit, function.body))
        else:
            self.block(function.body)
        self.run()
        last = self.graph.add(*self.ends, self.here)
        self.graph.exit = last.id

    def _parameters(self, function: Function) -> None:
        a = function.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        for argument in every:
            variable = self.scopes.variable(self.scope, argument.arg)
            self.here.events.append(Define(argument, variable, DefinitionKind.PARAMETER, None))

    # -- statements

    def block(self, statements: list[ast.stmt]) -> None:
        """The steps of some statements."""
        self.push(*((self._statement, s) for s in reversed(statements)))

    def _statement(self, node: ast.stmt) -> None:
        self.graph.places[node] = (self.here.id, len(self.here.events))
        self.push((self._ended, node))
        handler = _STATEMENTS.get(node.__class__)
        if handler is not None:
            handler(self, node)
        else:
            self.visit(node)

    def _ended(self, *nodes: ast.stmt) -> None:
        self.graph.ends.update(dict.fromkeys(nodes, (self.here.id, len(self.here.events))))

    def _if(self, node: ast.If) -> None:
        self.push((self._arms, node), (self.visit, node.test))

    def _arms(self, node: ast.If) -> None:
        """Both arms; an `elif` of the last one is taken on in the same join."""
        self._chain(node, [], [])

    def _chain(self, node: ast.If, ends: list[Block], others: list[ast.If]) -> None:
        start = self.here

        def other(_: None) -> None:
            ends.append(self.here)
            self.here = self.graph.add(start)
            match node.orelse:
                case [ast.If() as inner]:
                    self.graph.places[inner] = (self.here.id, 0)
                    on = (lambda _: self._chain(inner, ends, [*others, inner]), None)
                    self.push(on, (self.visit, inner.test))
                case _:
                    self.push((join, None))
                    self.block(node.orelse)

        def join(_: None) -> None:
            self.here = self.graph.add(*ends, self.here)
            self._ended(*others)

        self.here = self.graph.add(start)
        self.push((other, None))
        self.block(node.body)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self.push((self._for_body, node), (self.visit, node.iter))

    def _for_body(self, node: ast.For | ast.AsyncFor) -> None:
        head = self.graph.add(self.here)
        self.frames.append(frame := LoopFrame(head))
        self.here = self.graph.add(head)

        def end(_: None) -> None:
            self._close(node, head)
            self.here = self.graph.add(head)
            self.push((lambda _: self._after(frame), None))
            self.block(node.orelse)

        self.push((end, None))
        self.block(node.body)
        self.bind(node.target, DefinitionKind.FOR, None)

    def _while(self, node: ast.While) -> None:
        head = self.graph.add(self.here)
        self.here = head
        forever = isinstance(node.test, ast.Constant) and node.test.value in _FOREVER
        never = isinstance(node.test, ast.Constant) and not node.test.value

        def body(_: None) -> None:
            test = self.here
            self.frames.append(frame := LoopFrame(head))
            self.here = self.graph.add() if never else self.graph.add(test)

            def end(_: None) -> None:
                self._close(node, head)
                self.here = self.graph.add() if forever else self.graph.add(test)
                self.push((lambda _: self._after(frame), None))
                self.block(node.orelse)

            self.push((end, None))
            self.block(node.body)

        self.push((body, None), (self.visit, node.test))

    def _close(self, node: ast.For | ast.AsyncFor | ast.While, head: Block) -> None:
        """The back edge of a loop; what follows is outside of it."""
        self.graph.connect(self.here, head)
        self.frames.pop()
        self.graph.loops[node] = Region(head.id, len(self.graph.blocks))

    def _after(self, frame: LoopFrame) -> None:
        self.here = self.graph.add(self.here, *frame.breaks)

    def _jump(self, node: ast.stmt) -> None:
        self.leave(node.__class__, self.here)
        self.here = self.graph.add()

    def _return(self, node: ast.Return) -> None:
        self.push((self._returns, node), (self.visit, node.value))

    def _returns(self, node: ast.Return) -> None:
        self.leave(ast.Return, self.here)
        self.here = self.graph.add()

    def _raise(self, node: ast.Raise) -> None:
        def thrown(_: None) -> None:
            self.throws(self.here)
            self.here = self.graph.add()

        self.push((thrown, None), (self.visit, node.cause), (self.visit, node.exc))

    def _match(self, node: ast.Match) -> None:
        ends: list[Block] = []

        def case(at: int) -> None:
            if at == len(node.cases):
                self.here = self.graph.add(*ends, self.here)
                return
            arm, start = node.cases[at], self.here

            def body(_: None) -> None:
                test = self.here

                def end(_: None) -> None:
                    ends.append(self.here)
                    sure = arm.guard is None and _irrefutable(arm.pattern)
                    self.here = self.graph.add() if sure else self.graph.add(start, test)
                    case(at + 1)

                self.here = self.graph.add(test)
                self.push((end, None))
                self.block(arm.body)

            self.here = self.graph.add(start)
            self.push((body, None), (self.visit, arm.guard), (self._pattern, arm.pattern))

        def begin(_: None) -> None:
            case(0)

        self.push((begin, None), (self.visit, node.subject))

    def _pattern(self, pattern: ast.pattern) -> None:
        """The names that a pattern captures."""
        for part in ast.walk(pattern):
            match part:
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                    self.define(part, name, DefinitionKind.MATCH, None)
                case ast.MatchValue(value=value) | ast.MatchClass(cls=value):
                    self.push((self.visit, value))

    # -- statements without blocks

    def _assign(self, node: ast.Assign) -> None:
        self.push(*((self._target, (t, node.value)) for t in reversed(node.targets)), (self.visit, node.value))

    def _target(self, pair: tuple[ast.expr, ast.expr]) -> None:
        self.bind(pair[0], DefinitionKind.ASSIGN, pair[1])

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.push((self._target, (node.target, node.value)), (self.visit, node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        """Reads the target, then the value, then sets the target."""

        def stored(_: None) -> None:
            if isinstance(node.target, ast.Name):
                self.define(node.target, node.target.id, DefinitionKind.AUGMENT, node.value)

        self.push((stored, None), (self.visit, node.value))
        self.read_target(node.target)

    def _delete(self, node: ast.Delete) -> None:
        self.push(*((self.unset, t) for t in reversed(node.targets)))

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.define(alias, (alias.asname or alias.name).split(".")[0], DefinitionKind.IMPORT, None)

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.push((self._named, node), (self.visit, node))

    def _named(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        kind = DefinitionKind.CLASS if isinstance(node, ast.ClassDef) else DefinitionKind.FUNCTION
        self.define(node, node.name, kind, None)

    def _class(self, node: ast.ClassDef) -> None:
        """The body of a class is run where it stands, in a scope of its own."""
        outer = self.scope

        def enter(_: None) -> None:
            self.scope = self.scopes.of[node]

        def leave(_: None) -> None:
            self.scope = outer

        self.push((self._named, node), (leave, None))
        self.block(node.body)
        self.push((enter, None), *((self.visit, b) for b in (*node.bases, *node.keywords, *node.decorator_list)))


def _irrefutable(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _irrefutable(inner)
        case ast.MatchOr(patterns=patterns):
            return any(map(_irrefutable, patterns))
    return False


_STATEMENTS: dict[type[ast.AST], Callable[..., None]] = {
    ast.If: FlowBuilder._if,
    ast.For: FlowBuilder._for,
    ast.AsyncFor: FlowBuilder._for,
    ast.While: FlowBuilder._while,
    ast.Break: FlowBuilder._jump,
    ast.Continue: FlowBuilder._jump,
    ast.Return: FlowBuilder._return,
    ast.Raise: FlowBuilder._raise,
    ast.Try: FlowBuilder.try_,
    ast.TryStar: FlowBuilder.try_,
    ast.With: FlowBuilder.with_,
    ast.AsyncWith: FlowBuilder.with_,
    ast.Match: FlowBuilder._match,
    ast.Assign: FlowBuilder._assign,
    ast.AnnAssign: FlowBuilder._annotated,
    ast.AugAssign: FlowBuilder._augmented,
    ast.Delete: FlowBuilder._delete,
    ast.Import: FlowBuilder._import,
    ast.ImportFrom: FlowBuilder._import,
    ast.FunctionDef: FlowBuilder._defined,
    ast.AsyncFunctionDef: FlowBuilder._defined,
    ast.ClassDef: FlowBuilder._class,
}
