"""Abstract interpretation of one function: statements, in the order in which they run."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from scanlint.effort import WATCH
from scanlint.trace.domain.callables import Fails, Frame, Unfinished, World, alike
from scanlint.trace.domain.elements import iterated
from scanlint.trace.domain.environment import Env, Widening, merge
from scanlint.trace.domain.values import UNKNOWN, Value, but, constant, gathered, join, join_all
from scanlint.trace.expressions import Expressions
from scanlint.trace.guards import CATCHES, COMPILE_TIME, TRACER_GUARD, rolled_before, spelled, unrolled
from scanlint.trace.narrowing import narrow
from scanlint.trace.operators import binary


@dataclass(slots=True)
class _Loop:
    """The environments in which a loop is left, and in which a trip is cut short."""

    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


def interpret(world: World, frame: Frame) -> Value:
    """Run a function abstractly; gives what it returns."""
    interpreter = Interpreter(world, frame)
    body = frame.code.node.body
    if isinstance(body, list):
        frame.ended = interpreter.block(body) or bool(frame.returned) or not interpreter.cut
        result = join_all(tuple(frame.returned)) if frame.returned else constant(None) if frame.ended else UNKNOWN
        if frame.yielded:
            result = gathered("view", None, join_all(tuple(frame.yielded)))
    else:
        try:
            result = interpreter.eval(body)
        except Unfinished:
            frame.ended, result = False, UNKNOWN
    interpreter.finish()
    return result


def _together(noted: Value, value: Value) -> Value:
    """Joins the values of an expression in several activations: a function that is made in each is one function."""
    joined = join(noted, value)
    return but(joined, callee=value.callee) if alike(noted.callee, value.callee) else joined


class Interpreter(Expressions):
    """Statements over an environment that forks at branches and joins behind them."""

    def __init__(self, world: World, frame: Frame) -> None:
        super().__init__(world, frame)
        self.cut = False
        self.stack: list[_Loop] = []
        self.heads: dict[ast.stmt, Env] = {}
        self.widenings: dict[ast.stmt, Widening] = {}
        self.silent = set() if frame.scratch else self.record.silent

    def finish(self) -> None:
        """Functions made here that no known call has run: their parameters stay unknown."""
        if self.frame.scratch:
            return
        if self.frame.joining and self.values is not None:
            noted = self.record.values
            for node, value in self.values.items():
                known = noted.get(node, value)
                noted[node] = value if known is value else _together(known, value)
        for code in self.frame.made:
            if code.stale and not code.rooted and code.runs == 0:
                self.world.fallback(code, self.frame)

    def block(self, statements: list[ast.stmt]) -> bool:
        """Run statements; whether control reaches their end."""
        silent = self.silent
        before = self.quiet, self.caught, self.loops, len(self.stack)
        for place, statement in enumerate(statements):
            if self.quiet:
                silent.add(statement)
            else:
                silent.discard(statement)
            try:
                WATCH.tick()
                reached = _STATEMENTS.get(statement.__class__, _other)(self, statement)
            except (Fails, Unfinished) as error:
                self.quiet, self.caught, self.loops = before[:3]
                del self.stack[before[3] :]
                self.decorator = self.statement = None
                silent.add(statement)
                self.cut, reached = self.cut or isinstance(error, Unfinished), False
            if not reached:
                silent.update(statements[place + 1 :])
                return False
            if isinstance(statement, ast.If) and rolled_before(statement, statements[place + 1 :]):
                self.quiet += 1
        return True

    def become(self, env: Env) -> None:
        """Go on with this environment."""
        if env is not self.env:
            env = dict(env)
            self.env.clear()
            self.env.update(env)


def _other(self: Interpreter, node: ast.stmt) -> bool:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            self.eval(child)
    return True


def _expression(self: Interpreter, node: ast.Expr) -> bool:
    if not isinstance(node.value, ast.Constant):
        self.eval(node.value)
    return True


def _assign(self: Interpreter, node: ast.Assign) -> bool:
    value = self.eval(node.value)
    for target in node.targets:
        self.name(target, value, node)
    return True


def _annotated(self: Interpreter, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        self.name(node.target, self.eval(node.value), node)
    return True


def _augmented(self: Interpreter, node: ast.AugAssign) -> bool:
    left = _loaded(self, node.target)
    value = binary(self, node.op, left, self.eval(node.value), node)
    self.name(node.target, value, node)
    self.note(node.target, value)
    return True


def _loaded(self: Interpreter, target: ast.expr) -> Value:
    match target:
        case ast.Name(id=name):
            return self.env.get(name) or self.frame.lookup(name) or UNKNOWN
    return self.eval(target)


def _return(self: Interpreter, node: ast.Return) -> bool:
    self.frame.returned.append(self.eval(node.value) if node.value is not None else constant(None))
    return False


def _raise(self: Interpreter, node: ast.Raise) -> bool:
    return False


def _break(self: Interpreter, node: ast.Break) -> bool:
    if self.stack:
        self.stack[-1].breaks.append(dict(self.env))
    return False


def _continue(self: Interpreter, node: ast.Continue) -> bool:
    if self.stack:
        self.stack[-1].continues.append(dict(self.env))
    return False


def _assert(self: Interpreter, node: ast.Assert) -> bool:
    self.truth(node.test)
    return True


def _function(self: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    for statement in node.body:
        if isinstance(statement, ast.Nonlocal):
            _share(self.frame, statement.names)
    value = self.closure(node, node.name)
    self.env[node.name] = value
    for decorator in reversed(node.decorator_list):
        value = self.decorate(decorator, value)
    self.env[node.name] = value
    return True


def _share(frame: Frame, names: list[str]) -> None:
    """Names that a function made here rebinds whenever it runs: nothing is known of them any more."""
    frame.shared.update(names)
    at: Frame | None = frame
    while at is not None:
        at.env.update((name, UNKNOWN) for name in names if name in at.env)
        at = at.parent


def _scoped(self: Interpreter, node: ast.Global | ast.Nonlocal) -> bool:
    self.frame.shared.update(node.names)
    return True


def _class(self: Interpreter, node: ast.ClassDef) -> bool:
    for decorator in node.decorator_list:
        self.eval(decorator)
    self.env[node.name] = self.world.local_class(node, self.frame)
    return True


def _if(self: Interpreter, node: ast.If) -> bool:
    test = self.truth(node.test)
    words = spelled(node.test) if self.frame.code.scope.chooses else ""
    if test.certain:
        taken, dead = (node.body, node.orelse) if test.constant else (node.orelse, node.body)
        self.silent.update(dead)
        chosen = unrolled(taken, dead) or TRACER_GUARD.search(words) is not None
        self.quiet += chosen
        reached = self.block(taken)
        self.quiet -= chosen
        return reached
    guarded = not test.traced and TRACER_GUARD.search(words) is not None
    before = dict(self.env)
    ends: list[Env | None] = []
    for arm, other in ((node.body, node.orelse), (node.orelse, node.body)):
        quiet = guarded or (not test.traced and unrolled(arm, other))
        self.become(before)
        narrow(self, node, arm is node.body)
        self.quiet += quiet
        ends.append(dict(self.env) if self.block(arm) else None)
        self.quiet -= quiet
    if guarded and None in ends:
        self.quiet += 1
    return _joined(self, ends, traced=test.traced)


def _joined(self: Interpreter, ends: list[Env | None], *, traced: bool) -> bool:
    """Go on behind the arms of a branch; False when none of them gets there."""
    reached = [end for end in ends if end is not None]
    if not reached:
        return False
    env = reached[0]
    for other in reached[1:]:
        env = merge(env, other, loop=traced)
    self.become(env)
    return True


def _for(self: Interpreter, node: ast.For) -> bool:
    iterable = self.eval(node.iter)
    element = iterated(iterable)
    rows = iterable.array and not iterable.container
    if rows and element.traced:
        element = but(element, array=True)
    _repeat(self, node, lambda: self.name(node.target, element, node))
    return self.block(node.orelse) if node.orelse else True


def _while(self: Interpreter, node: ast.While) -> bool:
    _repeat(self, node, lambda: self.truth(node.test))
    forever = isinstance(node.test, ast.Constant) and node.test.value
    if forever and not any(isinstance(part, ast.Break) for part in ast.walk(node)):
        return False
    return self.block(node.orelse) if node.orelse else True


def _repeat(self: Interpreter, node: ast.For | ast.While, begin: Callable[[], object]) -> None:
    """Run the body until what is known at its head no longer changes.

    A loop that a loop around it runs again begins with the head that it had: the work is linear in the nesting.
    """
    entry = dict(self.env)
    _note(self, node, entry)
    loop = _Loop()
    self.stack.append(loop)
    self.loops += 1
    known = self.heads.get(node)
    head = entry if known is None else merge(known, entry, loop=True)
    widened = self.widenings.setdefault(node, Widening())
    while True:
        loop.breaks, loop.continues = [], []
        self.become(head)
        begin()
        start = dict(self.env) if isinstance(node, ast.While) else head
        ends = [*([dict(self.env)] if self.block(node.body) else []), *loop.continues]
        after = head
        for end in ends:
            after = merge(after, end, loop=True)
        after = widened(head, after)
        if after == head:
            break
        head = after
    self.heads[node] = head
    self.stack.pop()
    self.loops -= 1
    leave = head
    for other in loop.breaks:
        leave = merge(leave, other, loop=True)
    self.become(leave if isinstance(node, ast.For) else merge(leave, start))


def _note(self: Interpreter, node: ast.For | ast.While, env: Env) -> None:
    """Keep for the rules which names hold no array before a loop, or one of a kind that is known."""
    if self.values is None:
        return
    before = self.record.before
    for name, value in env.items():
        odd = value.container in ("list", "set") or (value.known and isinstance(value.constant, str | bytes | None))
        if odd or (value.array and value.dtype is not None):
            known = before.get((node, name))
            before[node, name] = value if known is None else join(known, value)
        else:
            before.pop((node, name), None)


def _with(self: Interpreter, node: ast.With | ast.AsyncWith) -> bool:
    quiet = any(COMPILE_TIME.search(spelled(item.context_expr)) for item in node.items)
    for item in node.items:
        self.eval(item.context_expr)
        if item.optional_vars is not None:
            self.bind(item.optional_vars, UNKNOWN)
    before = dict(self.env) if quiet else {}
    returned, yielded = len(self.frame.returned), len(self.frame.yielded)
    self.quiet += quiet
    reached = self.block(node.body)
    self.quiet -= quiet
    if quiet:
        for values, start in ((self.frame.returned, returned), (self.frame.yielded, yielded)):
            values[start:] = [UNKNOWN] * len(values[start:])
        self.env.update((name, UNKNOWN) for name, value in self.env.items() if value is not before.get(name))
    return reached


def _try(self: Interpreter, node: ast.Try) -> bool:
    before = dict(self.env)
    caught = any(h.type is not None and CATCHES.search(spelled(h.type)) for h in node.handlers)
    self.caught += caught
    ends: list[Env | None] = [dict(self.env) if self.block([*node.body, *node.orelse]) else None]
    self.caught -= caught
    failed = merge(before, self.env)
    for handler in node.handlers:
        self.become(failed)
        if handler.name:
            self.env[handler.name] = UNKNOWN
        ends.append(dict(self.env) if self.block(handler.body) else None)
    reached = _joined(self, ends, traced=False)
    return self.block(node.finalbody) and reached


def _match(self: Interpreter, node: ast.Match) -> bool:
    self.eval(node.subject)
    before = dict(self.env)
    ends: list[Env | None] = [before]
    for case in node.cases:
        self.become(before)
        for part in ast.walk(case.pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                self.env[name] = UNKNOWN
        if case.guard is not None:
            self.truth(case.guard)
        ends.append(dict(self.env) if self.block(case.body) else None)
    return _joined(self, ends, traced=False)


def _import(self: Interpreter, node: ast.Import | ast.ImportFrom) -> bool:
    for name, value in self.world.imported(self.frame.code.scope, node):
        self.env[name] = value
    return True


_STATEMENTS: dict[type[ast.stmt], Callable[..., bool]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Assert: _assert,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Global: _scoped,
    ast.Nonlocal: _scoped,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
