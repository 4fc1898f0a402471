"""Connects jumps and exceptions, which leave a block before its end, with the handlers that they come to."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from scanlint.dataflow.control.blocks import Block
from scanlint.dataflow.control.evaluation import Evaluation
from scanlint.dataflow.control.steps import Step
from scanlint.dataflow.locations import DefinitionKind
from scanlint.syntax.bindings import Function

Resolve = Callable[[ast.AST], str | None]
SUPPRESSES = frozenset({"contextlib.suppress", "pytest.raises", "contextlib.ExitStack"})
MOST_COPIES = 3
"""How deep the bodies of `finally` in one another are told apart by the way into them."""


@dataclass(slots=True, eq=False)
class LoopFrame:
    """A loop that is being built."""

    head: Block
    breaks: list[Block] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Catch:
    """Handlers, or a `finally` (`last`), of a try that is being built: the blocks that may raise or jump into it."""

    last: bool
    raising: list[Block] = field(default_factory=list)
    jumps: dict[type[ast.stmt], list[Block]] = field(default_factory=dict)


class Handlers(Evaluation):
    """The steps of `try` and `with`, and the frames around the place that is being built."""

    def __init__(self, function: Function, resolve: Resolve) -> None:
        super().__init__(function)
        self.resolve = resolve
        self.frames: list[LoopFrame | Catch] = []
        self.ends: list[Block] = []
        self.copies = 0

    def block(self, statements: list[ast.stmt]) -> None:
        """The steps of some statements."""
        raise NotImplementedError

    def leave(self, kind: type[ast.stmt], block: Block) -> None:
        """A break, continue or return goes to the innermost loop, or first to the `finally` that is before it."""
        for frame in reversed(self.frames):
            if isinstance(frame, Catch):
                if frame.last:
                    frame.jumps.setdefault(kind, []).append(block)
                    return
            elif kind is ast.Break:
                frame.breaks.append(block)
                return
            elif kind is ast.Continue:
                self.graph.connect(block, frame.head)
                return
        self.ends.append(block)

    def throws(self, block: Block) -> None:
        """An exception may leave a block."""
        if self.catch is not None:
            self.catch.raising.append(block)

    @property
    def catch(self) -> Catch | None:
        """The innermost try around the place that is being built."""
        return next((f for f in reversed(self.frames) if isinstance(f, Catch)), None) if self.frames else None

    def changed(self) -> None:
        """After a change, an exception may see it: what follows in a try is another block."""
        if (catch := self.catch) is not None:
            catch.raising.append(self.here)
            self.here = self.graph.add(self.here)

    def try_(self, node: ast.Try) -> None:
        final = Catch(True)
        if node.finalbody:
            self._open(final)
            self.push((lambda _: self._final(node, final), None))
        if node.handlers:
            self._open(catch := Catch(False))
            self.push((lambda _: self._handlers(node, catch), None))
        else:
            self.block([*node.body, *node.orelse])
            return
        self.block(node.body)

    def _open(self, frame: Catch) -> None:
        frame.raising.append(self.here)
        self.here = self.graph.add(self.here)
        self.frames.append(frame)

    def _handlers(self, node: ast.Try, catch: Catch) -> None:
        self.frames.pop()
        ends: list[Block] = []
        dispatch: list[Block] = []

        def caught(handler: ast.ExceptHandler | None) -> None:
            ends.append(self.here)
            if not dispatch:
                dispatch.append(self.graph.add(*catch.raising))
                if not any(h.type is None for h in node.handlers):
                    self.throws(dispatch[0])
            if handler is None:
                self.here = self.graph.add(*ends)
                return
            self.here = self.graph.add(dispatch[0])
            if handler.name:
                self.push((self._unbind, handler))
            self.block(handler.body)
            if handler.name:
                self.push((self._caught, handler))
            self.visit(handler.type)

        steps: list[Step] = [(caught, None), *((caught, h) for h in reversed(node.handlers))]
        self.push(*steps)
        self.block(node.orelse)

    def _caught(self, handler: ast.ExceptHandler) -> None:
        assert handler.name is not None
        self.define(handler, handler.name, DefinitionKind.EXCEPT, None)

    def _unbind(self, handler: ast.ExceptHandler) -> None:
        assert handler.name is not None
        self.define(handler, handler.name, DefinitionKind.DELETE, None)

    def _final(self, node: ast.Try, frame: Catch) -> None:
        """The body of `finally`, once for the normal way into it, once for exceptions and jumps."""
        self.frames.pop()
        normal = self.here
        jumps = {kind: [b for b in blocks if b.live] for kind, blocks in frame.jumps.items()}
        others = [*frame.raising, *(b for blocks in jumps.values() for b in blocks)]
        apart = self.copies < MOST_COPIES

        def left(_: None) -> None:
            self.throws(self.here)
            for kind, blocks in jumps.items():
                if blocks:
                    self.leave(kind, self.here)
            self.copies -= 1
            if not apart:
                self.here = self.graph.add(self.here) if normal.live else self.graph.add()
                return
            self.here = self.graph.add(normal)
            self.block(node.finalbody)

        self.copies += 1
        self.here = self.graph.add(*others) if apart else self.graph.add(normal, *others)
        self.push((left, None))
        self.block(node.finalbody)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        suppresses = [i for i in node.items if self.resolve(_called(i.context_expr)) in SUPPRESSES]
        catch = Catch(False)

        def end(_: None) -> None:
            self.frames.pop()
            self.here = self.graph.add(self.here, *catch.raising)

        def start(_: None) -> None:
            self._open(catch)
            self.push((end, None))
            self.block(node.body)

        if suppresses:
            self.push((start, None))
        else:
            self.block(node.body)
        for item in reversed(node.items):
            if item.optional_vars is not None:
                self.push((self._as, item))
            self.push((self.visit, item.context_expr))

    def _as(self, item: ast.withitem) -> None:
        assert item.optional_vars is not None
        self.bind(item.optional_vars, DefinitionKind.WITH, item.context_expr)


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node
