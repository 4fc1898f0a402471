"""One module of the project as the functions in it see it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from scanlint.effort import Account
from scanlint.jaxapi.canonical import BUILTINS, canonical
from scanlint.project.modules import Module
from scanlint.project.summary import EXTERNAL
from scanlint.settings import LINE_LENGTH
from scanlint.syntax.walk import dotted, walk
from scanlint.trace.domain.callables import ClassInfo, ClassRef, Closure, Code, Frame, Named, Record
from scanlint.trace.domain.modes import HOST
from scanlint.trace.domain.values import UNKNOWN, Kind, Value, contents, gathered, join_all
from scanlint.trace.program.classes import describe_class
from scanlint.trace.program.module_text import ModuleText
from scanlint.trace.statements import Interpreter
from scanlint.trace.whole_file import WholeFile

MODULE = ast.parse("def module(): ...").body[0]
MOST_BINDINGS = 8
"""More assignments of one name are not looked into."""
Given = TypeVar("Given")


class Finder(Protocol):
    """The project as a module asks it: for other modules and their definitions."""

    placed: Callable[..., str]

    def find(self, name: str) -> Value | None: ...

    def star(self, name: str, wanted: str) -> Value | None: ...

    def interpreter(self, frame: Frame) -> Interpreter: ...

    def outside(self, scope: ModuleScope, node: ast.AST, run: Callable[[], Given]) -> Given | None:
        """The result of evaluating something outside of functions; None where that cannot be followed to its end."""


class ModuleScope(ModuleText):
    """A file with the meanings of its names: functions, classes, and the values of what is bound at its top."""

    def __init__(self, project: Finder, module: Module, width: int = LINE_LENGTH) -> None:
        super().__init__(module, width)
        self.project = project
        self.codes: dict[str, Code] = {}
        self.classes: dict[str, ClassInfo] = {}
        self._values: dict[str, Value | None] = {}
        self._meanings: dict[str, str] = {}
        self.given_names: Mapping[str, Sequence[str]] | None = None
        self.account = Account()

    @property
    def base(self) -> ModuleScope:
        """The module as it stands in its file."""
        return self

    @cached_property
    def whole(self) -> WholeFile:
        """The whole file, for units that ask for what stands outside of them."""
        return WholeFile(self.tree, self.imports)

    def close(self) -> None:
        """Let go of everything that was worked out about the module."""
        for unit in self.codes.values():
            for code in list(unit.record.codes.values()):
                code.incoming.clear()
                code.result = UNKNOWN
                code.ran.clear()
            unit.record.values.clear()
            unit.record.before.clear()
            unit.record.codes.clear()
        for known in (self.codes, self.classes, self._values):
            known.clear()
        super().close()
        self.__dict__.pop("whole", None)

    def code(self, qualname: str) -> Code | None:
        """A function or method of this module."""
        if qualname not in self.codes:
            node = self.node(qualname)
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return None
            owner = f"{self.name}.{qualname.rpartition('.')[0]}" if "." in qualname else None
            record = Record()
            self.codes[qualname] = record.codes[node] = Code(self, qualname, node, record, owner)
        return self.codes[qualname]

    def class_info(self, name: str) -> ClassInfo | None:
        """A class of this module."""
        if name not in self.facts.classes:
            return None
        if name not in self.classes:
            node = self.node(name)
            if not isinstance(node, ast.ClassDef):
                return None
            self.classes[name] = describe_class(self, node, f"{self.name}.{name}", lambda m: self.code(f"{name}.{m}"))
        return self.classes[name]

    def lookup(self, name: str) -> Value | None:
        """The value of a module-level name."""
        if name not in self._values:
            self._values[name] = self._raw(name)
            self._values[name] = self._evaluate(name)
        return self._values[name]

    def _raw(self, name: str) -> Value | None:
        """The meaning of a name while its own definition is being evaluated."""
        if name in self.facts.functions:
            code = self.code(name)
            return Value(Kind.STATIC, callee=Closure(code)) if code is not None else UNKNOWN
        return self._imported(name) if name in self.facts.statements else None

    def _imported(self, name: str) -> Value | None:
        """The value that an import binds a name to."""
        target = self.target(name)
        if target is None:
            return None
        target = canonical(target)
        return self.project.find(target) or Value(Kind.STATIC, callee=Named(target))

    def _evaluate(self, name: str) -> Value | None:
        facts = self.facts
        if name in facts.statements:
            return self._assigned(name)
        if name in facts.functions:
            code = self.code(name)
            return self.decorate(code) if code is not None else UNKNOWN
        if name in facts.classes:
            return Value(Kind.STATIC, callee=ClassRef(f"{self.name}.{name}"))
        if (found := self._imported(name)) is not None:
            return found
        for level, base in facts.stars:
            found = self.project.star(self.placed(self.absolute(level, base) if level else base), name)
            if found is not None:
                return found
        return None

    def target(self, name: str) -> str | None:
        """The dotted name that an import binds to a name."""
        if name in self.facts.relative:
            level, rest = self.facts.relative[name]
            return self.placed(self.absolute(level, rest))
        target = self.facts.imports.get(name)
        return self.placed(target) if target is not None else None

    def placed(self, dotted: str) -> str:
        """The full name of the definition that an import means by a dotted name."""
        return dotted if dotted.startswith(EXTERNAL) else self.project.placed(dotted, self.path)

    def absolute(self, level: int, rest: str) -> str:
        """`from ..a import b` as a dotted name."""
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.package else 0)
        return ".".join([*parts[: max(keep, 0)], rest]) if rest else ".".join(parts[: max(keep, 0)])

    def decorate(self, code: Code) -> Value:
        """A function or method under its decorators."""
        value = Value(Kind.STATIC, callee=Closure(code))
        decorators = getattr(code.node, "decorator_list", [])
        if decorators:
            interpreter = self.project.interpreter(self.frame())
            for decorator in reversed(decorators):
                value = interpreter.decorate(decorator, value)
        return value

    def frame(self, info: ClassInfo | None = None) -> Frame:
        """A frame for expressions at module level, or in the body of a class."""
        assert isinstance(MODULE, ast.FunctionDef)
        names = {} if info is None else {n: Value(Kind.STATIC, callee=Closure(c)) for n, c in info.methods.items()}
        return Frame(Code(self, "<module>", MODULE, Record()), HOST, names)

    def _assigned(self, name: str) -> Value | None:
        """The value of a module-level variable that is assigned once, and not rebound or changed by functions."""
        if name in self.rebound:
            return UNKNOWN
        value = self._bound(name)
        if value is not None and value.container in ("list", "dict", "set") and self.changes(name):
            inside = contents(value)
            return gathered(value.container, None, join_all((*inside, UNKNOWN)) if inside else UNKNOWN)
        return value

    def _bound(self, name: str) -> Value | None:
        """The join of what the assignments of a name give it, whichever ran last."""
        spans = self.facts.statements[name]
        if len(spans) > MOST_BINDINGS:
            return UNKNOWN
        return join_all(tuple(self._value_at(name, first) for first, _ in spans))

    def _value_at(self, name: str, line: int) -> Value:
        """The value that the statement on a line gives a name."""
        statement = self.statement(line) or self.in_loops.get(line)
        if statement is None:
            return UNKNOWN
        return self.project.outside(self, statement, lambda: self._given(name, statement)) or UNKNOWN

    def _given(self, name: str, statement: ast.stmt) -> Value:
        """The value that an assignment gives a name."""
        frame = self.frame()
        frame.env.update(self._bound_before(statement))
        interpreter = self.project.interpreter(frame)
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return interpreter.eval(value)
            case ast.AnnAssign(value=ast.expr() as value):
                return interpreter.eval(value)
            case ast.Assign():
                interpreter.block([statement])
                return frame.env.get(name, UNKNOWN)
        return UNKNOWN

    def _bound_before(self, statement: ast.stmt) -> dict[str, Value]:
        """The names that a statement at the top reads and that are bound several times, as they are when it runs.

        What a function in it reads is read later.
        """
        if statement.lineno not in self.at_top or any(isinstance(node, ast.Lambda) for node in walk(statement)):
            return {}
        names = {n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        last = {name: self._last_before(name, statement.lineno) for name in names - self.rebound}
        return {name: self._value_at(name, line) for name, line in last.items() if line is not None}

    def _last_before(self, name: str, at: int) -> int | None:
        """The line on which a name of several bindings gets what it stands for at another; None where tests decide."""
        lines = [first for first, _ in self.facts.statements.get(name, ())]
        before = [line for line in lines if line < at]
        if not before or not 1 < len(lines) <= MOST_BINDINGS or before[-1] not in self.at_top:
            return None
        defined = self.facts.functions.get(name)
        return before[-1] if defined is None or defined.first < before[-1] else None

    def run(self, statement: ast.stmt, frame: Frame) -> None:
        """Interpret a statement outside of functions."""
        frame.env.update(self._bound_before(statement))
        self.project.outside(self, statement, lambda: self.project.interpreter(frame).block([statement]))

    def owner_of(self, line: int) -> ClassInfo | None:
        """The class whose body a line belongs to."""
        around = [(c.first, name) for name, c in self.facts.classes.items() if c.first < line <= c.last]
        return self.class_info(max(around)[1]) if around else None

    def annotation(self, node: ast.expr | None) -> str | None:
        """The canonical name of a dotted expression at module level."""
        name = dotted(node) if node is not None else None
        if name is not None and name not in self._meanings:
            self._meanings[name] = self._meaning(name)
        return self._meanings[name] if name is not None else None

    def _meaning(self, name: str) -> str:
        """The canonical name of what is spelled so at module level."""
        root, _, rest = name.partition(".")
        base = self.target(root)
        if base is None:
            if root in self.facts.classes or root in self.facts.functions:
                base = f"{self.name}.{root}"
            elif root in BUILTINS:
                base = f"builtins.{root}"
            else:
                return name
        return canonical(f"{base}.{rest}" if rest else base)

    @cached_property
    def imports(self) -> dict[str, str]:
        """Names that imports bind, and what they stand for."""
        table = {**self.facts.imports, **{n: self.absolute(*self.facts.relative[n]) for n in self.facts.relative}}
        return {name: self.placed(target) for name, target in table.items()}

    @cached_property
    def definitions(self) -> dict[str, str]:
        names = [n for n in self.facts.functions if "." not in n]
        return {n: f"{self.name}.{n}" for n in (*names, *self.facts.classes)}
