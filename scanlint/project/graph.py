"""Which functions are traced, by whom, and with what: the interpreter run over the functions of the project."""

from __future__ import annotations

import ast
import sys
from collections.abc import Container, Iterator, Mapping
from functools import partial

from scanlint.analysis.callables import (
    ClassInfo,
    ClassRef,
    Closure,
    Code,
    Frame,
    Mode,
    Named,
    Scope,
)
from scanlint.analysis.interpret import Interpreter, interpret
from scanlint.analysis.jaxapi import ARRAY_ROOTS
from scanlint.analysis.parameters import direct, received
from scanlint.analysis.transforms import functions_in
from scanlint.analysis.unit import Function, Jit, canonical
from scanlint.analysis.uses import array_uses
from scanlint.analysis.values import STATIC_BOOL, UNKNOWN, Kind, Value, concrete, join
from scanlint.project.scope import ModuleScope, nested

DEEPEST = 14
DEEPEST_USES = 40
MOST_RUNS = 8
FRAMES = 5000
"""Python's own limit of 1000 is a deep expression (each level takes four frames) at the end of a few calls."""
EXTERNAL = ("jax.", "jaxlib.", "numpy.", "builtins.")


class Graph:
    """The world in which functions are interpreted; remembers for each how it is run."""

    def __init__(self, modules: Mapping[str, ModuleScope]) -> None:
        self.modules = modules
        self.roots: Container[str] = frozenset(name.partition(".")[0] for name in modules)
        self.pending: list[tuple[Code, Frame | None]] = []
        self.frames: list[Frame] = []
        self.depth = 0
        self.asking = 0
        sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
        self.open: object | None = None
        self._found: dict[str, Value | None] = {}
        self._decorated: dict[Code, Value] = {}

    def find(self, name: str) -> Value | None:
        """The value of a dotted name that is defined in the project."""
        if name.startswith(EXTERNAL) or name.partition(".")[0] not in self.roots:
            return None
        if name not in self._found:
            self._found[name] = None
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Value | None:
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            prefix = ".".join(parts[:cut])
            scope = self.modules.get(prefix)
            if scope is None:
                continue
            if cut == len(parts):
                return Value(Kind.STATIC, callee=Named(name))
            value = scope.lookup(parts[cut])
            if value is None:
                return None
            return self._inside(value, scope, parts[cut:])
        return None

    def _inside(self, value: Value, scope: ModuleScope, rest: list[str]) -> Value | None:
        """`Class.method`, `Class.CONSTANT`, or a name of a module that was re-exported."""
        for name in rest[1:]:
            match value.callee:
                case ClassRef(owner):
                    info = self.class_info(owner)
                    if info is None:
                        return None
                    if name in info.methods:
                        value = self.decorated(info.methods[name])
                    elif name in info.constants:
                        value = self.interpreter(scope.frame()).eval(info.constants[name])
                    else:
                        return None
                case Named(base):
                    found = self.find(f"{base}.{name}")
                    value = found or Value(Kind.STATIC, callee=Named(canonical(f"{base}.{name}")))
                case _:
                    return None
        return value

    def star(self, name: str, wanted: str) -> Value | None:
        scope = self.modules.get(name)
        return scope.lookup(wanted) if scope is not None else None

    def interpreter(self, frame: Frame) -> Interpreter:
        return Interpreter(self, frame)

    def class_info(self, name: str) -> ClassInfo | None:
        module, _, last = name.rpartition(".")
        if module in self.modules:
            return self.modules[module].class_info(last)
        found = self.find(name)
        match found.callee if found is not None else None:
            case ClassRef(real) if real != name:
                return self.class_info(real)
        return None

    def code(self, node: Function, qualname: str, frame: Frame) -> Code:
        self.frames.append(frame)
        return nested(frame.code.scope, node, qualname, frame.code.record)

    def decorated(self, code: Code) -> Value:
        if code not in self._decorated:
            self._decorated[code] = Value(Kind.STATIC, callee=Closure(code))
            assert isinstance(code.scope, ModuleScope)
            self._decorated[code] = code.scope.decorate(code)
        return self._decorated[code]

    def imported(self, scope: Scope, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Value]]:
        assert isinstance(scope, ModuleScope)
        for alias in node.names:
            if isinstance(node, ast.Import):
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                name = alias.asname or target
            else:
                base = scope.absolute(node.level, node.module or "") if node.level else node.module or ""
                target, name = f"{base}.{alias.name}", alias.asname or alias.name
            target = canonical(target)
            yield name, self.find(target) or Value(Kind.STATIC, callee=Named(target))

    def root(
        self,
        closure: Closure,
        transform: str,
        mode: Mode,
        skip: frozenset[str],
        static: frozenset[str],
        jit: Jit | None,
    ) -> None:
        code = closure.code
        if self._is_frozen(code):
            return
        code.static |= static
        code.jit = code.jit or jit
        self._enter(code, mode)
        if mode.traced:
            bound = skip | ({code.positional()[0].arg} if closure.receiver is not None and code.positional() else set())
            code.rooted = True
            fresh = direct(self, code, bound, partial(self.uses, code))
            if closure.receiver is not None and code.positional():
                fresh[code.positional()[0].arg] = closure.receiver
            self._receive(code, fresh)
        if code.stale and (code.rooted or closure.frame is None):
            self.pending.append((code, closure.frame))

    def _is_frozen(self, code: Code) -> bool:
        """Whether only one unit is run anew, and the function is not part of it."""
        return self.open is not None and code.record is not self.open

    def replay(self, code: Code) -> None:
        """Interpret one unit again, with all that is known of the other functions."""
        self.open = code.record
        try:
            code.stale = True
            self._run(code, None)
            self.settle()
        finally:
            self.open = None

    def _enter(self, code: Code, mode: Mode) -> None:
        """A function is run in this mode too: a traced run takes over from runs on the host."""
        if mode.traced and not code.mode.traced:
            code.mode = Mode(True, mode.transforms | code.mode.transforms, mode.chain)
            code.incoming = {}
            code.stale = True
        elif not mode.transforms <= code.mode.transforms and mode.traced == code.mode.traced:
            code.mode = Mode(code.mode.traced, code.mode.transforms | mode.transforms, code.mode.chain)
            code.stale = True

    def _receive(self, code: Code, args: Mapping[str, Value]) -> None:
        """Join arguments into what is known of the parameters."""
        for name, value in args.items():
            known = code.incoming.get(name)
            joined = value if known is None else value if value is known else join(known, value)
            if joined != known:
                code.incoming[name] = joined
                code.stale = True

    def uses(self, code: Code) -> Mapping[str, bool]:
        """Which names of a function are used as arrays; asks the functions that it calls."""
        if code.uses is None:
            code.uses = {}
            self.asking += 1
            code.uses = array_uses(code.node, lambda node: self._callee_uses(code, node))
            self.asking -= 1
            places = {str(i): code.uses[a.arg] for i, a in enumerate(code.positional()) if a.arg in code.uses}
            code.uses = {**code.uses, **places}
        return code.uses

    def _callee_uses(self, code: Code, node: ast.expr) -> str | Mapping[str, bool] | None:
        name = code.scope.annotation(node)
        if name is None or name.startswith(ARRAY_ROOTS):
            return name
        if not isinstance(node, ast.Name) or self.asking > DEEPEST_USES:
            return None
        value = code.scope.lookup(node.id)
        functions = functions_in(value) if value is not None else []
        return self.uses(functions[0].code) if len(functions) == 1 and functions[0].receiver is None else None

    def invoke(self, closure: Closure, args: Mapping[str, Value], mode: Mode) -> Value:
        code = closure.code
        if self._is_frozen(code):
            result = self._first(code).result
            return result if mode.traced else concrete(result)
        if code.mode.traced and not mode.traced:
            return concrete(code.result)
        if not mode.traced and closure.frame is None and code.mode.transforms >= mode.transforms:
            return concrete(code.result)
        self._enter(code, mode)
        if code.guessed:
            code.guessed, code.rooted, code.incoming, code.stale = False, False, {}, True
        if not code.rooted:
            self._receive(code, received(self, code, args, partial(self.uses, code)))
        else:
            self._refine(code, args)
        self._run(code, closure.frame)
        return code.result if mode.traced else concrete(code.result)

    def _first(self, code: Code) -> Code:
        """A function as it was interpreted before its file was changed."""
        scope = self.modules.get(code.scope.name)
        return scope.codes.get(code.qualname, code) if scope is not None and code.runs == 0 else code

    def _refine(self, code: Code, args: Mapping[str, Value]) -> None:
        """A call of a transformed function tells the structure of its arguments."""
        for name, value in args.items():
            known = code.incoming.get(name)
            if known is None or (known.kind is Kind.TRACED and not known.array and (value.container or value.array)):
                code.incoming[name] = value
                code.stale = True
            elif known.known and value != known and (name in code.static or isinstance(known.constant, bool)):
                self._receive(code, {name: value})

    def _run(self, code: Code, frame: Frame | None) -> None:
        """Interpret a function unless nothing is new."""
        epoch = (id(frame), frame.epoch) if frame is not None else (0, 0)
        if code.running or code.runs >= MOST_RUNS * (4 if frame is not None else 1):
            return
        if not code.stale and epoch == code.epoch:
            return
        if self.depth >= DEEPEST:
            self.pending.append((code, frame))
            return
        code.running, code.stale, code.epoch = True, False, epoch
        code.runs += 1
        self.depth += 1
        try:
            inner = Frame(code, code.mode, dict(code.incoming), frame)
            code.result = interpret(self, inner)
        finally:
            code.running = False
            self.depth -= 1

    def fallback(self, code: Code, frame: Frame) -> None:
        mode = frame.mode
        if self._is_frozen(code):
            return
        self._enter(code, mode)
        self._receive(code, _uncalled(received(self, code, {}, partial(self.uses, code))))
        self._run(code, frame)

    def visit(self, code: Code) -> None:
        """Interpret a function of the host with unknown arguments."""
        if code.runs == 0 and not code.mode.traced:
            self._receive(code, _uncalled(received(self, code, {}, partial(self.uses, code))))
            self._run(code, None)

    def close(self) -> None:
        """Take apart the circles of functions, frames and values, so that nothing has to be looked for."""
        for frame in self.frames:
            frame.env.clear()
            frame.returned.clear()
            frame.made.clear()
        self.frames.clear()
        self.pending.clear()
        self._found.clear()
        self._decorated.clear()

    def settle(self) -> None:
        """Run what waits, until nothing does."""
        while self.pending:
            code, frame = self.pending.pop()
            if code.stale:
                self._run(code, frame)


def _uncalled(table: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a function that no known call runs: a caller may choose other flags than the defaults."""
    chosen = {n for n, v in table.items() if v.known and (v.constant is None or isinstance(v.constant, bool))}
    return {n: (STATIC_BOOL if v.dtype == "bool" else UNKNOWN) if n in chosen else v for n, v in table.items()}
