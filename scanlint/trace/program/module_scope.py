"""One module of the project as the functions in it see it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import Protocol, TypeVar

from scanlint.effort import Account
from scanlint.finding import Position
from scanlint.jaxapi.canonical import BUILTINS, canonical
from scanlint.project.facts import SCRIPT, ModuleFacts, dotted, imports, scripted
from scanlint.project.files import SourceFile
from scanlint.project.modules import Module
from scanlint.project.summary import EXTERNAL
from scanlint.settings import LINE_LENGTH
from scanlint.syntax.bindings import Function, walk_scope
from scanlint.syntax.regex import regex
from scanlint.syntax.source import Source, is_test
from scanlint.syntax.walk import first_line, walk
from scanlint.trace.domain.callables import HOST, ClassInfo, ClassRef, Closure, Code, Frame, Named, Record
from scanlint.trace.domain.values import UNKNOWN, Kind, Value, contents, gathered, join_all
from scanlint.trace.guards import CHOICES
from scanlint.trace.program.classes import describe_class
from scanlint.trace.statements import Interpreter
from scanlint.trace.whole_file import WholeFile

MODULE = ast.parse("def module(): ...").body[0]


MOST_BINDINGS = 8
"""More assignments of one name are not looked into."""
_WORD = regex(r"\w")
_WORDS = regex(r"\w+")
_CHANGED = regex(
    r"\b\s*(?:\.(?:append|extend|insert|update|add|setdefault|pop|remove|clear)\(|\[[^\]\n]*\]\s*[-+*/]?=(?!=))"
)
"""What stands behind the name of a list or dict that is changed in place."""


Given = TypeVar("Given")


class Finder(Protocol):
    """What a module asks of the project around it."""

    placed: Callable[..., str]

    def find(self, name: str) -> Value | None: ...

    def star(self, name: str, wanted: str) -> Value | None: ...

    def interpreter(self, frame: Frame) -> Interpreter: ...

    def outside(self, scope: ModuleScope, node: ast.AST, run: Callable[[], Given]) -> Given | None:
        """What comes of evaluating something outside of functions; None where that cannot be followed to its end."""


class ModuleScope:
    """A file: its facts, its tree (parsed anew when a function of it is needed), and its names."""

    def __init__(self, project: Finder, module: Module, width: int = LINE_LENGTH) -> None:
        self.project = project
        self.width = width
        self.module = module
        self.facts = module.facts
        self.name = module.name
        self.path = module.display
        self.package = module.package
        self.codes: dict[str, Code] = {}
        self.classes: dict[str, ClassInfo] = {}
        self._source: SourceFile | None = None
        self._tree: ast.Module | None = None
        self._values: dict[str, Value | None] = {}
        self._meanings: dict[str, str] = {}
        self._statements: dict[int, ast.stmt] | None = None
        self._nodes: dict[str, ast.stmt] = {}
        self._windows: dict[str, tuple[int, int]] = {}
        self.given_names: Mapping[str, Sequence[str]] | None = None
        self.account = Account()

    @property
    def base(self) -> ModuleScope:
        """The module as it stands in its file."""
        return self

    @property
    def tree(self) -> ast.Module:
        if self._tree is None:
            self._source, self._tree = self.module.parsed()
            self._index(self._tree.body, "", 0, len(self.located.lines))
        return self._tree

    @property
    def source(self) -> SourceFile:
        return self._source or self.module.parsed()[0]

    @cached_property
    def whole(self) -> WholeFile:
        """What its tree holds, for the units that ask for what stands outside of them."""
        return WholeFile(self.tree, self.imports)

    @cached_property
    def located(self) -> Source:
        """The text with places in characters."""
        return Source(self.path, self.source.text, self.width)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its text."""
        return frozenset(_WORDS.findall(self.source.text))

    @cached_property
    def methods(self) -> frozenset[str]:
        """The names of the functions of its classes."""
        return frozenset(name.rpartition(".")[2] for name in self.facts.functions if "." in name)

    def start(self, node: ast.AST) -> Position:
        return self.located.start(node)

    @cached_property
    def tests(self) -> bool:
        return is_test(self.path, self.source.text)

    @cached_property
    def chooses(self) -> bool:
        text = self.source.text
        return any(word in text for word in CHOICES)

    def close(self) -> None:
        """Let go of everything that was worked out about the module."""
        for unit in self.codes.values():
            for code in list(unit.record.codes.values()):
                code.incoming.clear()
                code.result = UNKNOWN
            unit.record.values.clear()
            unit.record.before.clear()
            unit.record.codes.clear()
        for known in (self.codes, self.classes, self._values, self._nodes, self._windows):
            known.clear()
        self._source = self._tree = self._statements = None
        self.__dict__.pop("whole", None)

    def _index(self, body: list[ast.stmt], prefix: str, above: int, below: int) -> None:
        """Functions, methods and classes by qualified name; of several the last, as at run time.

        What stands between the line `above` and the line `below` is the block, and the space and comments around it.
        """
        for statement, after in zip_longest(body, body[1:]):
            end = first_line(after) - 1 if after is not None else below
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._nodes[prefix + statement.name] = statement
                    self._windows[prefix + statement.name] = above, end
                case ast.ClassDef():
                    self._nodes[prefix + statement.name] = statement
                    self._index(statement.body, f"{prefix}{statement.name}.", first_line(statement.body[0]) - 1, end)
                case ast.If() | ast.Try() | ast.With():
                    for block in blocks(statement):
                        last = block[-1].end_lineno or block[-1].lineno
                        self._index(block, prefix, first_line(block[0]) - 1, last)
            above = statement.end_lineno or statement.lineno

    def window(self, qualname: str) -> Source:
        """The text around a function or method, up to what stands above and below it."""
        if qualname == SCRIPT:
            return self.located
        above, below = self._windows[qualname]
        return self.located.window(above, below)

    def node(self, qualname: str) -> ast.stmt | None:
        """The definition of a function, method or class; what stands at the top of the file as one."""
        if qualname == SCRIPT and qualname not in self._nodes:
            self._nodes[qualname] = _function_of(self.tree)
        return self._nodes.get(qualname) if self.tree else None

    def code(self, qualname: str) -> Code | None:
        """A function or method of this module."""
        if qualname not in self.codes:
            node = self.node(qualname)
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return None
            span = self.facts.functions.get(qualname)
            owner = f"{self.name}.{qualname.rpartition('.')[0]}" if "." in qualname else None
            record = Record(keep=span is None or span.control)
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
        """What a module-level name means."""
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
        """What an import binds a name to."""
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
        """What an import means by a dotted name."""
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
        return Frame(Code(self, "<module>", MODULE, Record(keep=False)), HOST, names)

    def assignments(self, name: str) -> int:
        """In how many places of the file an attribute of this name is assigned."""
        return len(re.findall(rf"\.{name}\b(?:\s*:[^=\n]*)?\s*[-+*/|&^%@]*=(?!=)", self.source.text))

    def _assigned(self, name: str) -> Value | None:
        """The value of a module-level variable that is assigned once, and not rebound or changed by functions."""
        if name in self.rebound:
            return UNKNOWN
        value = self._bound(name)
        if value is not None and value.container in ("list", "dict", "set") and self._changes(name):
            inside = contents(value)
            return gathered(value.container, None, join_all((*inside, UNKNOWN)) if inside else UNKNOWN)
        return value

    def _bound(self, name: str) -> Value | None:
        """What the assignments of a name give it, whichever ran last."""
        spans = self.facts.statements[name]
        if len(spans) > MOST_BINDINGS:
            return UNKNOWN
        return join_all(tuple(self._value_at(name, first) for first, _ in spans))

    def _value_at(self, name: str, line: int) -> Value:
        """The value that the statement on a line gives a name."""
        statement = self.statement(line) or self._in_loops.get(line)
        if statement is None:
            return UNKNOWN
        return self.project.outside(self, statement, lambda: self._given(name, statement)) or UNKNOWN

    @cached_property
    def _in_loops(self) -> dict[int, ast.stmt]:
        """The statements in the loops outside of functions, by their first lines."""
        loops = [s for s in self.outside if isinstance(s, ast.For | ast.While)]
        inside = (node for loop in loops for node in walk_scope([*loop.body, *loop.orelse]))
        return {node.lineno: node for node in inside if isinstance(node, ast.stmt)}

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
        if statement.lineno not in self._at_top or any(isinstance(node, ast.Lambda) for node in walk(statement)):
            return {}
        names = {n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        last = {name: self._last_before(name, statement.lineno) for name in names - self.rebound}
        return {name: self._value_at(name, line) for name, line in last.items() if line is not None}

    def _last_before(self, name: str, at: int) -> int | None:
        """The line on which a name of several bindings gets what it stands for at another; None where tests decide."""
        lines = [first for first, _ in self.facts.statements.get(name, ())]
        before = [line for line in lines if line < at]
        if not before or not 1 < len(lines) <= MOST_BINDINGS or before[-1] not in self._at_top:
            return None
        defined = self.facts.functions.get(name)
        return before[-1] if defined is None or defined.first < before[-1] else None

    @cached_property
    def _at_top(self) -> frozenset[int]:
        """The lines on which statements begin that always run, in order."""
        return frozenset(statement.lineno for statement in self.tree.body)

    def run(self, statement: ast.stmt, frame: Frame) -> None:
        """Interpret a statement outside of functions."""
        frame.env.update(self._bound_before(statement))
        self.project.outside(self, statement, lambda: self.project.interpreter(frame).block([statement]))

    def statement(self, line: int) -> ast.stmt | None:
        """The module-level statement that begins at a line."""
        if self._statements is None:
            self._statements = {}
            stack = list(self.tree.body)
            while stack:
                statement = stack.pop()
                self._statements[statement.lineno] = statement
                if isinstance(statement, ast.If | ast.Try | ast.With | ast.ClassDef):
                    for part in ("body", "orelse", "finalbody"):
                        stack.extend(getattr(statement, part, []))
                    stack.extend(s for h in getattr(statement, "handlers", []) for s in h.body)
        return self._statements.get(line)

    def owner_of(self, line: int) -> ClassInfo | None:
        """The class whose body a line belongs to."""
        around = [c for c in self.facts.classes.values() if c.first < line <= c.last]
        return self.class_info(max(around, key=lambda c: c.first).name) if around else None

    @property
    def outside(self) -> list[ast.stmt]:
        """The module-level statements that are no definitions, nor blocks of others."""
        self.statement(0)
        inner = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.For, ast.While)
        return [statement for statement in (self._statements or {}).values() if isinstance(statement, inner)]

    def statement_around(self, line: int) -> int | None:
        """The first line of the innermost module-level statement (no definition) that a line belongs to."""
        around = [s.lineno for s in self.outside if s.lineno <= line <= (s.end_lineno or s.lineno)]
        return max(around, default=None)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """Names of the module that some function declares `global`."""
        if "global " not in self.source.text:
            return frozenset()
        found = re.findall(r"^\s+global\s+([\w, \t]+)", self.source.text, re.MULTILINE)
        return frozenset(name.strip() for names in found for name in names.split(","))

    def _changes(self, name: str) -> bool:
        """Whether the list or dict of this name is changed in place somewhere in the module."""
        text = self.source.text
        at = text.find(name)
        while at >= 0:
            if not _WORD.match(text[at - 1 : at]) and _CHANGED.match(text, at + len(name)):
                return True
            at = text.find(name, at + 1)
        return False

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


class Patched(ModuleScope):
    """A module with another text of one of its functions; all else is what it is in the module as it was."""

    def __init__(self, scope: ModuleScope, qualname: str, node: Function, source: Source) -> None:
        super().__init__(scope.project, scope.module, scope.width)
        self._scope = scope
        self._qualname = qualname
        self._source, self._tree = scope.source, scope.tree
        self._nodes[qualname] = node  # type: ignore[assignment]
        self.located = source
        self.definitions = scope.definitions
        self.whole = scope.whole
        self.chooses = scope.chooses
        self.added = added_imports(source.added)
        if self.added:
            self.facts = replace(self.facts, imports={**self.facts.imports, **self.added})

    @property
    def base(self) -> ModuleScope:
        return self._scope

    def node(self, qualname: str) -> ast.stmt | None:
        return self._nodes.get(qualname) or self._scope.node(qualname)

    def code(self, qualname: str) -> Code | None:
        return super().code(qualname) if qualname == self._qualname else self._scope.code(qualname)

    def class_info(self, name: str) -> ClassInfo | None:
        return self._scope.class_info(name)

    def lookup(self, name: str) -> Value | None:
        own = name == self._qualname or name in self.added
        return super().lookup(name) if own else self._scope.lookup(name)

    def window(self, qualname: str) -> Source:
        return self.located if qualname == self._qualname else self._scope.window(qualname)


def _function_of(tree: ast.Module) -> ast.FunctionDef:
    """What runs when a file does, as a function without parameters."""
    body = scripted(tree.body)
    made = ast.parse("def module(): ...").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.name, made.body, made.end_lineno = SCRIPT, body, body[-1].end_lineno
    return made


def added_imports(statements: Sequence[str]) -> dict[str, str]:
    """What import statements bind."""
    facts = ModuleFacts("", jax=True)
    for statement in statements:
        imports(ast.parse(statement).body[0], facts)
    return facts.imports


def blocks(statement: ast.If | ast.Try | ast.With) -> list[list[ast.stmt]]:
    """The blocks of a compound statement at module level."""
    parts = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
    return [part for part in (*parts, *(handler.body for handler in getattr(statement, "handlers", []))) if part]


def nested(scope: object, node: Function, qualname: str, record: Record) -> Code:
    """The code of a nested function or lambda."""
    assert isinstance(scope, ModuleScope)
    if node not in record.codes:
        record.codes[node] = Code(scope, qualname, node, record)
    return record.codes[node]
