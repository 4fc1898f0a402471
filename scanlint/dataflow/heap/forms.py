"""Which objects an expression may be, by its form; and the values of names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable

from scanlint.dataflow.captures import Closures
from scanlint.dataflow.heap.points import Hook, Points, type_of
from scanlint.dataflow.locations import REST, DefinitionKind, Key, Object, Part, Source, Variable, constant_key
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.ssa import Value, operands


class Forms(Points):
    """The constraints that expressions put on the objects that they may be."""

    def __init__(self, names: Names, closures: Closures) -> None:
        super().__init__(names.function, closures)
        self.names = names
        self._asked: set[Hashable] = set()

    def call(self, node: ast.Call) -> None:
        """The constraints of a call."""
        raise NotImplementedError

    def source_of(self, source: Source) -> Hashable | None:
        """The key of what a definition gives a name."""
        match source:
            case Part(base, key):
                below = self.source_of(base)
                if below is not None and (below, key) not in self._asked:
                    self._asked.add((below, key))
                    self.on(below, lambda o: self.load(o, key, lambda c: self.add((below, key), c)))
                return None if below is None else (below, key)
            case None:
                return None
        return self.ask(source)

    def value_of(self, value: Value) -> Hashable:
        """The key of a value of a name; a join may be what each of its operands may be."""
        stack = [value]
        while stack:
            at = stack.pop()
            if at in self._asked:
                continue
            self._asked.add(at)
            for operand in operands(at):
                self.copy(operand, at)
                stack.append(operand)
            definition = at if isinstance(at, tuple) else getattr(at, "definition", None)
            if definition is None:
                continue
            if definition.kind is DefinitionKind.OUTER:
                self.add(at, Object(str(definition.location), False))
            elif definition.kind is DefinitionKind.CALL:
                self.add(at, Object(definition.node, False))
            elif definition is not at:
                self.copy(definition, at)
        return value

    def captured(self, variable: Variable, hook: Hook) -> None:
        """Call a hook with all that a name may be."""
        ssa = self.names.ssa
        for value in [*ssa.values.get(variable, ()), ssa.starts.get(variable)]:
            if value is not None:
                self.on(self.value_of(value), hook)

    def ask(self, node: ast.expr) -> Hashable:
        """The key of an expression, with its constraints."""
        if node not in self._asked:
            self._asked.add(node)
            _FORMS.get(node.__class__, Forms._plain)(self, node)
        return node

    def _called(self, node: ast.Call) -> None:
        self.call(node)

    def _plain(self, node: ast.expr) -> None:
        """Numbers, strings and the like are no objects that can be changed."""

    def _name(self, node: ast.Name) -> None:
        for _, value in self.names.ssa.at.get(node, ()):
            self.copy(self.value_of(value), node)

    def _choice(self, node: ast.IfExp | ast.BoolOp | ast.NamedExpr) -> None:
        """The values that it may have; choices in choices are taken in one go, for they may be nested deep."""
        stack: list[ast.expr] = [node]
        while stack:
            match stack.pop():
                case ast.IfExp(body=body, orelse=orelse):
                    stack += [body, orelse]
                case ast.BoolOp(values=values):
                    stack += values
                case ast.NamedExpr(value=value):
                    stack.append(value)
                case leaf:
                    self.copy(self.ask(leaf), node)

    def opaque(self, node: ast.expr) -> None:
        """Something from outside."""
        self.add(node, Object(node, False))

    def new(self, node: ast.expr) -> None:
        """Something that the expression makes."""
        self.add(node, Object(node, True))

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        made = Object(node, True)
        self.add(node, made)
        counted = not isinstance(node, ast.Set)
        for at, element in enumerate(node.elts):
            if isinstance(element, ast.Starred):
                counted = False
                self.on(self.ask(element.value), lambda o: self.load(o, REST, self.into(made)))
            else:
                self.copy(self.ask(element), self.cell(made, Key("item", at) if counted else REST))

    def _dict(self, node: ast.Dict) -> None:
        made = Object(node, True)
        self.add(node, made)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.on(self.ask(value), lambda o: self.load(o, REST, self.into(made)))
            else:
                self.copy(self.ask(value), self.cell(made, constant_key(key)))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        made = Object(node, True)
        self.add(node, made)
        self.copy(self.ask(node.value if isinstance(node, ast.DictComp) else node.elt), self.cell(made, REST))

    def _operation(self, node: ast.BinOp) -> None:
        def operand(found: Object) -> None:
            self.add(node, Object(node, found.fresh))
            if type_of(found, self.closures) is not None:
                self.load(found, REST, self.into(Object(node, True)))

        self.add(node, Object(node, True))
        for part in (node.left, node.right):
            self.on(self.ask(part), operand)

    def _attribute(self, node: ast.Attribute) -> None:
        key = Key("attr", node.attr)
        self.on(self.ask(node.value), lambda o: self.load(o, key, lambda c: self.add(node, c)))

    def _subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Slice):
            self.on(self.ask(node.value), lambda o: self._part(o, node))
            return
        key = constant_key(node.slice)
        self.on(self.ask(node.value), lambda o: self.load(o, key, lambda c: self.add(node, c)))

    def _part(self, whole: Object, node: ast.Subscript) -> None:
        """A slice of a list is another list, that of an array may be a view of it."""
        if type_of(whole, self.closures) is None:
            self.add(node, whole)
        else:
            made = Object(node, True)
            self.add(node, made)
            self.load(whole, REST, self.into(made))


_FORMS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Name: Forms._name,
    ast.IfExp: Forms._choice,
    ast.BoolOp: Forms._choice,
    ast.NamedExpr: Forms._choice,
    ast.List: Forms._sequence,
    ast.Tuple: Forms._sequence,
    ast.Set: Forms._sequence,
    ast.Dict: Forms._dict,
    ast.ListComp: Forms._comprehension,
    ast.SetComp: Forms._comprehension,
    ast.DictComp: Forms._comprehension,
    ast.GeneratorExp: Forms._comprehension,
    ast.BinOp: Forms._operation,
    ast.UnaryOp: Forms.new,
    ast.Lambda: Forms.new,
    ast.Attribute: Forms._attribute,
    ast.Subscript: Forms._subscript,
    ast.Call: Forms._called,
    ast.Await: Forms.opaque,
    ast.Yield: Forms.opaque,
    ast.YieldFrom: Forms.opaque,
}
