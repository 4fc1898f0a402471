"""Looks up names, classes and attributes of the project for the functions that are interpreted."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from scanlint.deep import at_bottom
from scanlint.effort import WATCH, TakesTooLong
from scanlint.jaxapi.canonical import canonical
from scanlint.problem import Problem
from scanlint.project.summary import EXTERNAL
from scanlint.syntax.bindings import Function
from scanlint.trace.domain.callables import ClassInfo, ClassRef, Closure, Code, Frame, Named, Scope, World, alike
from scanlint.trace.domain.held import holds_functions
from scanlint.trace.domain.values import UNKNOWN, Kind, Site, Unset, Value, but, join, unmarked
from scanlint.trace.members import class_member, lineage, setters
from scanlint.trace.program.classes import describe_class
from scanlint.trace.program.module_scope import ModuleScope
from scanlint.trace.statements import Interpreter, interpret

MOST_BELOW = 8
Given = TypeVar("Given")


class Definitions(World):
    """Finds definitions by their names, and remembers what each was found to mean.

    `made` are the modules consulted so far, `rooted` tells the first parts of the names of modules. `running` are the
    functions that are being interpreted, and `pending` those that are to be interpreted again, because something
    that they asked for has changed.
    """

    def __init__(
        self,
        modules: Mapping[str, ModuleScope],
        made: Mapping[str, ModuleScope],
        rooted: Callable[[str], bool],
        placed: Callable[..., str],
    ) -> None:
        self.modules = modules
        self.made = made
        self.rooted = rooted
        self.placed = placed
        self.pending: list[tuple[Code, Frame | None]] = []
        self.running: list[tuple[Code, Frame | None]] = []
        self.frames: list[Frame] = []
        self.local: dict[str, ClassInfo] = {}
        self._below: dict[str, list[str]] | None = None
        self._overriding: dict[tuple[str, str], list[ClassInfo]] = {}
        self._finding = 0
        self._constants: dict[str, Value] = {}
        self._classes: dict[str, ClassInfo] = {}
        self._foreign: set[str] = set()
        self._found: dict[str, Value | None] = {}
        self._decorated: dict[Code, Value] = {}
        self._objects: dict[tuple[Site, str], Value] = {}
        self.left: dict[Problem, None] = {}

    @abstractmethod
    def visit(self, code: Code) -> None:
        """Interpret a function of the host with unknown arguments."""

    def find(self, name: str) -> Value | None:
        """The value of a dotted name that is defined in the project."""
        if name.startswith(EXTERNAL):
            return None
        if name not in self._found:
            self._found[name] = None
            placed = self._placed(name)
            self._finding += 1
            try:
                self._found[name] = self._find(placed) if placed is not None else None
            finally:
                self._finding -= 1
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
                    value = class_member(self, owner, name)
                    if value is UNKNOWN:
                        return None
                case Named(base):
                    found = self.find(f"{base}.{name}")
                    value = found or Value(Kind.STATIC, callee=Named(canonical(f"{base}.{name}")))
                case _:
                    return None
        return value

    def _placed(self, name: str) -> str | None:
        """The name that the run has for a definition of the project; None for what is none of it."""
        placed = name if self.rooted(name.partition(".")[0]) else self.placed(name)
        return placed if self.rooted(placed.partition(".")[0]) else None

    def star(self, name: str, wanted: str) -> Value | None:
        scope = self.modules.get(self._placed(name) or name)
        return scope.lookup(wanted) if scope is not None else None

    def interpreter(self, frame: Frame) -> Interpreter:
        return Interpreter(self, frame)

    def class_info(self, name: str) -> ClassInfo | None:
        found = self.local.get(name) or self._classes.get(name)
        if found is None and name not in self._foreign:
            placed = self._placed(name)
            if placed is None:
                self._foreign.add(name)
                return None
            found = self._class_info(placed)
            if found is not None:
                self._classes[name] = found
        return found

    def _class_info(self, name: str) -> ClassInfo | None:
        module, _, rest = name.rpartition(".")
        while module and module not in self.modules:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}"
        if module and rest in self.modules[module].facts.classes:
            return self.modules[module].class_info(rest)
        found = self.find(name)
        match found.callee if found is not None else None:
            case ClassRef(real) if real != name:
                return self.class_info(real)
        return None

    def local_class(self, node: ast.ClassDef, frame: Frame) -> Value:
        name = f"{frame.code.scope.name}.{frame.code.qualname}.<locals>.{node.name}"
        assert isinstance(frame.code.scope, ModuleScope)
        interpreter = self.interpreter(frame)
        made: dict[str, Code] = {}
        for part in node.body:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                code = self.code(part, f"{frame.code.qualname}.<locals>.{node.name}.{part.name}", frame)
                code.owner = name
                made[part.name] = code
                if code not in frame.made:
                    frame.made.append(code)
        info = describe_class(frame.code.scope, node, name, made.get)
        if name in self.local:
            info.attributes, info.readers = self.local[name].attributes, self.local[name].readers
        self.local[name] = info
        for method, code in made.items():
            value = Value(Kind.STATIC, callee=Closure(code, frame))
            for decorator in reversed(getattr(code.node, "decorator_list", [])):
                value = interpreter.decorate(decorator, value)
            info.values[method] = value
        if "__init__" in made:
            info.visited = True
            self.fallback(made["__init__"], frame)
        return Value(Kind.STATIC, callee=ClassRef(name))

    def below(self, info: ClassInfo, name: str) -> list[ClassInfo]:
        known = self._overriding.get((info.name, name))
        return known if known is not None else self._classes_below(info, name)

    def _classes_below(self, info: ClassInfo, name: str) -> list[ClassInfo]:
        """Find those classes by their bases; the answer is remembered once each class that may be one is known."""
        if self._below is None:
            self._below = {}
            for scope in list(self.made.values()):
                for known, facts in scope.facts.classes.items():
                    for base in facts.bases:
                        self._below.setdefault(base.rpartition(".")[2], []).append(f"{scope.name}.{known}")
        found: list[ClassInfo] = []
        names = list(self._below.get(info.name.rpartition(".")[2], ()))
        settled = not self._finding
        for candidate in names:
            other = self.class_info(candidate)
            settled = settled and other is not None
            if other is None or any(other is one for one in found):
                continue
            if info.name not in {base.name for base in lineage(self, candidate)}:
                continue
            names += [n for n in self._below.get(candidate.rpartition(".")[2], ()) if n not in names]
            if name in other.methods:
                found.append(other)
        found = found[:MOST_BELOW]
        if settled:
            self._overriding[info.name, name] = found
        return found

    def code(self, node: Function, qualname: str, frame: Frame) -> Code:
        self.frames.append(frame)
        codes = frame.code.record.codes
        if node not in codes:
            codes[node] = Code(frame.code.scope, qualname, node, frame.code.record)
        return codes[node]

    def decorated(self, code: Code) -> Value:
        if code not in self._decorated:
            self._decorated[code] = Value(Kind.STATIC, callee=Closure(code))
            assert isinstance(code.scope, ModuleScope)
            self._decorated[code] = code.scope.decorate(code)
            self._wrapped(code, self._decorated[code])
        return self._decorated[code]

    def _wrapped(self, code: Code, value: Value) -> None:
        """Run what a decorator of the project put in the place of a function, where that transforms it when called."""
        match value.callee:
            case Closure(wrapper, frame) if wrapper is not code and frame is not None:
                maker = frame.code.qualname.partition(".<locals>")[0]
                facts = self.modules.get(wrapper.scope.name)
                span = facts.facts.functions.get(maker) if facts is not None else None
                if span is not None and span.transforms:
                    self.fallback(wrapper, frame)

    def imported(self, scope: Scope, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Value]]:
        assert isinstance(scope, ModuleScope)
        for alias in node.names:
            if isinstance(node, ast.Import):
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                name = alias.asname or target
            else:
                base = scope.absolute(node.level, node.module or "") if node.level else node.module or ""
                target, name = f"{base}.{alias.name}", alias.asname or alias.name
            target = canonical(scope.placed(target))
            yield name, self.find(target) or Value(Kind.STATIC, callee=Named(target))

    def attribute(self, info: ClassInfo, name: str) -> Value | None:
        if not info.visited:
            info.visited = True
            if "__init__" in info.methods:
                self.visit(info.methods["__init__"])
        known = info.attributes.get(name)
        if known is None or (known.known and known.constant is None):
            for setter in setters(info).get(name, ()):
                self.visit(setter)
        if self.running:
            code, frame = self.running[-1]
            info.readers.setdefault(name, {})[code] = frame
        return info.attributes.get(name)

    def own(self, site: Site, name: str) -> Value | None:
        return self._objects.get((site, name))

    def give(self, info: ClassInfo, name: str, value: Value, site: Site | None = None) -> None:
        known, value = info.attributes.get(name), unmarked(value)
        told = site is not None and self._give_one(site, name, value)
        if known is None or known is UNKNOWN:
            new = value if known is None or value.callee is not None else known
        elif value is UNKNOWN and known.callee is not None:
            new = known
        else:
            new = join(known, value)
            if alike(known.callee, value.callee):
                new = but(new, callee=value.callee)  # made in one place, once for each object
        if new.known and self._rebinds(info, name):
            assumed = new.constant is None  # until it is set to something, which may be a function
            new = but(new, origin="argument") if assumed else but(new, constant=Unset.UNSET)
        if told or new != known:
            info.attributes[name] = new
            for code, frame in info.readers.get(name, {}).items():
                code.stale = True
                self.pending.append((code, frame))

    def _give_one(self, site: Site, name: str, value: Value) -> bool:
        """Join into what is known of the objects that are made at one place; whether that changes it."""
        known = self._objects.get((site, name))
        new = value if known is None else join(known, value)
        self._objects[site, name] = new
        return new != known

    def _rebinds(self, info: ClassInfo, name: str) -> bool:
        """Whether an attribute is assigned in more than one place of the module."""
        assert isinstance(info.scope, ModuleScope)
        return info.scope.assignments(name) > 1

    def constant(self, info: ClassInfo, name: str) -> Value:
        key = f"{info.name}.{name}"
        if key not in self._constants:
            self._constants[key] = UNKNOWN
            assert isinstance(info.scope, ModuleScope)
            self._constants[key] = self.interpreter(info.scope.frame(info)).eval(info.constants[name])
        return self._constants[key]

    def default(self, code: Code, name: str) -> Value:
        expression = code.defaults().get(name)
        if expression is None or ".<locals>" in code.qualname or isinstance(expression, ast.Constant):
            return UNKNOWN
        key = f"{code.scope.name}.{code.qualname}({name})"
        if key not in self._constants:
            self._constants[key] = UNKNOWN
            scope = code.scope
            assert isinstance(scope, ModuleScope)
            found = self.outside(scope, expression, lambda: self.interpreter(scope.frame()).eval(expression))
            self._constants[key] = found if found is not None and holds_functions(found) else UNKNOWN
        return self._constants[key]

    def _walk(self, frame: Frame) -> Value:
        """The result of a function; nothing is known of it where the function cannot be followed to its end."""
        code, record = frame.code, frame.code.record
        if record.left:
            return UNKNOWN
        try:
            with WATCH.charging(record.account):
                return interpret(self, frame)
        except TakesTooLong as error:
            self._leave(code, str(error))
        except RecursionError:
            if not at_bottom():
                raise  # there is more room elsewhere
            self._leave(code, "it is nested too deeply")
        return UNKNOWN

    def _leave(self, code: Code, why: str) -> None:
        """Go on without a unit."""
        if not code.record.left:
            code.record.left = why
            self._leave_out(code.scope, code.node, f"`{code.qualname}`", why)

    def _leave_out(self, scope: Scope, node: ast.AST, what: str, why: str) -> None:
        self.left[Problem(scope.path, scope.start(node).line, f"{what} was not checked: {why}")] = None

    def outside(self, scope: ModuleScope, node: ast.AST, run: Callable[[], Given]) -> Given | None:
        """The result of evaluating something outside of functions; None where that cannot be followed to its end."""
        try:
            with WATCH.charging(scope.account):
                return run()
        except TakesTooLong as error:
            self._leave_out(scope, node, "this statement", str(error))
        except RecursionError:
            if not at_bottom():
                raise
            self._leave_out(scope, node, "this statement", "it is nested too deeply")
        return None

    def forget(self) -> None:
        """Let go of what was found: values hold functions, which hold values."""
        for known in (self._found, self._decorated, self._classes, self._constants, self._objects, self._overriding):
            known.clear()
