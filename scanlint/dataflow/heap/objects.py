"""Which objects each expression may be, without regard to the order of statements.

The order of assignments to a name counts: each definition and each join has objects of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from scanlint.dataflow.captures import Closures
from scanlint.dataflow.control.blocks import Calling, Define, Leave, Load, Look, MakeInner, Store
from scanlint.dataflow.heap.forms import Forms
from scanlint.dataflow.heap.outcomes import Effects, Root, arguments
from scanlint.dataflow.heap.points import negative, type_of
from scanlint.dataflow.library import MAKERS, METHODS, Effect
from scanlint.dataflow.locations import REST, Definition, DefinitionKind, Key, Object, Source, constant_key
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.ssa import Value

ELEMENT = frozenset({"get", "pop", "setdefault", "popitem", "popleft"})
"""Methods that return an element of their receiver."""
SPREADS = frozenset({"extend", "extendleft", "update"})
"""Methods whose argument is a container of what they add."""
CONTAINERS = frozenset({"list", "set", "dict", "deque"})
"""Types that an augmented assignment changes in place."""


class Objects(Forms):
    """The objects of the expressions of one function; `summary` says what an inner function does.

    `siblings` are names of functions from outside that do only what their own summaries say.
    """

    def __init__(
        self,
        names: Names,
        closures: Closures,
        summary: Callable[[ast.AST], Effects],
        siblings: Collection[str] = (),
    ) -> None:
        super().__init__(names, closures)
        self.siblings = siblings
        self.summary = summary
        for block in names.graph.blocks:
            for event in block.events:
                self._event(event)
        self.solve()

    # -- answers

    def of(self, node: ast.expr) -> frozenset[Object]:
        """The objects that an expression may be."""
        key = self.ask(node)
        self.solve()
        return self.found(key)

    def value(self, value: Value) -> frozenset[Object]:
        """The objects that a definition or a join may give a name."""
        key = self.value_of(value)
        self.solve()
        return self.found(key)

    def receivers(self, call: ast.Call) -> tuple[frozenset[Object], str | None]:
        """The objects whose method a call runs, and the name of the method; no name where that is not sure."""
        if isinstance(call.func, ast.Attribute):
            return self.of(call.func.value), call.func.attr
        found = self.of(call.func)
        methods = {o.path[-1].value for o in found if o.path and o.path[-1].kind in ("method", "attr")}
        owners = frozenset(Object(o.origin, o.fresh, o.path[:-1]) for o in found if o.path)
        return owners, str(methods.pop()) if len(methods) == 1 and len(owners) == len(found) else None

    def effect(self, call: ast.Call) -> Effect | None:
        """What a call does: by the name of its function, or by the types of the objects whose method it is."""
        if (known := self.closures.effect(call)) is not None:
            return known
        receivers, method = self.receivers(call)
        found = {METHODS.get(f"{type_of(o, self.closures)}.{method}") for o in receivers}
        return found.pop() if len(found) == 1 and method is not None else None

    # -- events

    def _event(self, event: object) -> None:
        match event:
            case Define():
                self._define(event)
            case Load(node) | Look(node) | Calling(node):
                self.ask(node)
            case Store(node, kind, source):
                key = constant_key(node.slice) if isinstance(node, ast.Subscript) else Key("attr", node.attr)
                self._store(node.value, key, source)
                if kind is DefinitionKind.DELETE or (
                    isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
                ):
                    self.on(self.ask(node.value), self.resized.add)
            case Leave(node, why):
                left = self.ask(node)
                if why == "yielded":
                    self.on(left, lambda o: self.expose(o, node, why))
            case MakeInner(node) if node in self.closures.escaped:
                self.expose(Object(node, True), node, "an inner function that escapes")

    def _define(self, event: Define) -> None:
        definition = self.names.defined[event.node, event.kind]
        match event.kind:
            case DefinitionKind.PARAMETER:
                self.add(definition, Object(event.node, False))
            case DefinitionKind.AUGMENT:
                for _, value in self.names.ssa.at.get(event.node, ()):
                    self.on(self.value_of(value), lambda o: self._augment(o, event.source, definition))
            case DefinitionKind.FUNCTION | DefinitionKind.CLASS:
                self.add(definition, Object(event.node, True))
            case DefinitionKind.DELETE:
                pass
            case _:
                source = self.source_of(event.source)
                if source is None:
                    self.add(definition, Object(event.node, False))
                else:
                    self.copy(source, definition)

    def _augment(self, old: Object, source: Source, definition: Definition) -> None:
        """`x += y` changes a list in place, and makes a new number or tuple."""
        kind = type_of(old, self.closures)
        self.resized.add(old)
        if kind in CONTAINERS or not old.fresh:
            self.add(definition, old)
        if kind not in CONTAINERS:
            self.add(definition, Object(definition.node, False))
        elif (more := self.source_of(source)) is not None:
            self.on(more, lambda o: self.load(o, REST, self.into(old)))

    def _store(self, base: ast.expr, key: Key, source: Source) -> None:
        where = REST if negative(key) else key
        value = self.source_of(source)

        def store(owner: Object) -> None:
            if value is not None:
                self.copy(value, self.cell(owner, where))
                if not owner.fresh:
                    self.on(value, lambda o: self.expose(o, base, f"stored in `{ast.unparse(base)}`"))

        self.on(self.ask(base), store)

    # -- calls

    def call(self, node: ast.Call) -> None:
        """What a call returns, and what gets into other objects by it."""
        effect = self.closures.effect(node)
        if effect is not None:
            self._known(node, effect)
        elif isinstance(node.func, ast.Attribute):
            method = node.func.attr
            self.on(self.ask(node.func.value), lambda o: self._method(node, o, method))
            if isinstance(node.func.value, ast.Constant | ast.JoinedStr):
                self.new(node)
        elif self.closures.local(node):
            self._local(node)
        elif isinstance(node.func, ast.Name) and node.func.id in self.siblings:
            self.opaque(node)
        else:
            self.on(self.ask(node.func), lambda o: self._bound(node, o))

    def _given(self, node: ast.Call) -> list[ast.expr]:
        given = [*node.args, *(k.value for k in node.keywords)]
        return [a.value if isinstance(a, ast.Starred) else a for a in given]

    def _known(self, node: ast.Call, effect: Effect) -> None:
        made = Object(node, True)
        self.add(node, made)
        maker = self.closures.resolve(node.func) in MAKERS
        for argument in self._given(node) if effect.gives else ():
            named = next((k.arg for k in node.keywords if k.value is argument), None)
            if maker and named is not None:
                self.copy(self.ask(argument), self.cell(made, Key("item", named)))
                continue
            self.on(self.ask(argument), lambda o: self.load(o, REST, self.into(made)))
            if not maker:
                self.copy(self.ask(argument), self.cell(made, REST))
                self.copy(self.ask(argument), node)
                self.on(self.ask(argument), lambda o: self.load(o, REST, lambda c: self.add(node, c)))

    def _bound(self, node: ast.Call, function: Object) -> None:
        """`push(y)` where `push` is `ys.append`."""
        if function.path and function.path[-1].kind == "method":
            owner = Object(function.origin, function.fresh, function.path[:-1])
            self._method(node, owner, str(function.path[-1].value))
        else:
            self._unsure(node)

    def _method(self, node: ast.Call, owner: Object, method: str) -> None:
        effect = METHODS.get(f"{type_of(owner, self.closures)}.{method}")
        if effect is None:
            self.expose(owner, node, f"passed to `{ast.unparse(node.func)}`")
            self._unsure(node)
            return
        if effect.mutates:
            self.resized.add(owner)
        for argument in self._given(node) if effect.keeps else ():
            if method in SPREADS:
                self.on(self.ask(argument), lambda o: self.load(o, REST, self.into(owner)))
            else:
                self.copy(self.ask(argument), self.cell(owner, REST))
        if not effect.gives:
            return
        if method in ELEMENT:
            key = constant_key(node.args[0]) if node.args else REST
            self.load(owner, key, lambda c: self.add(node, c))
            for default in node.args[1:]:
                self.copy(self.ask(default), node)
        else:
            self.new(node)
            self.load(owner, REST, self.into(Object(node, True)))

    def _unsure(self, node: ast.Call) -> None:
        """A call of which nothing is known: it may keep what it is given, and return whatever it has."""
        self.opaque(node)
        for argument in self._given(node):
            self.on(self.ask(argument), lambda o: self.expose(o, node, f"passed to `{ast.unparse(node.func)}`"))

    def _local(self, node: ast.Call) -> None:
        """A call of an inner function: its arguments may be returned, or get away as its summary says."""
        self.opaque(node)
        why = f"passed to `{ast.unparse(node.func)}`"
        for function in self.closures.reached(self.closures.runs(node)):
            summary = self.summary(function)
            for root, argument in arguments(function, node):
                if root in summary.leaks or root.held in summary.leaks:
                    self.on(self.ask(argument), lambda o: self.expose(o, node, why))
                if root in summary.returns:
                    self.copy(self.ask(argument), node)
                if root.held in summary.returns:
                    self.on(self.ask(argument), lambda o: self.expose(o, node, why))
            for capture in self.closures.scopes.captures[function]:
                root = Root(capture.variable.name, True)
                if root in summary.leaks or root.held in summary.leaks or capture.stores:
                    self.captured(capture.variable, lambda o: self.expose(o, node, why))
                if root in summary.returns:
                    self.captured(capture.variable, lambda o: self.add(node, o))
                if root.held in summary.returns:
                    self.captured(capture.variable, lambda o: self.expose(o, node, why))
