"""Evaluates expressions to terms, in the order in which Python does."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.keys.machine import KeyMachine
from scanlint.keys.terms import (
    NOTHING,
    Built,
    Computed,
    Const,
    Every,
    Guards,
    InnerFunction,
    KeyGuard,
    Listed,
    SplitKeys,
    Term,
    tail,
)
from scanlint.syntax.walk import children

_FLIPPED = {"NotEq": "==", "IsNot": "is", "NotIn": "in"}
_COMPARED = {"Eq": "==", "Is": "is", "In": "in"}
MOST_UNROLLED = 3


class KeyExpressions(KeyMachine):
    """Evaluates expressions."""

    def eval(self, node: ast.expr) -> Term:
        self.step()
        if isinstance(node, ast.Call):
            return self.called(node)
        handler = _HANDLERS.get(node.__class__)
        if handler is not None:
            return handler(self, node)
        for child in children(node):
            if isinstance(child, ast.expr):
                self.eval(child)
        return self.opaque(node)

    def _constant(self, node: ast.Constant) -> Term:
        return Const(node.value)

    def _name(self, node: ast.Name) -> Term:
        return self.lookup(node.id)

    def _attribute(self, node: ast.Attribute) -> Term:
        base = self.eval(node.value)
        return self.opaque(node) if self.is_method(node.attr) else self.attribute(base, node.attr)

    def _subscript(self, node: ast.Subscript) -> Term:
        base = self.eval(node.value)
        match node.slice:
            case ast.Slice(lower=None | ast.Constant(), upper=upper, step=None) as part:
                start = getattr(part.lower, "value", 0)
                if upper is not None:
                    return Computed("slice", (base, Const(start), self.eval(upper)))
                return tail(base, start) if isinstance(start, int) and start >= 0 else self.opaque(node)
            case ast.Slice():
                return self.opaque(node)
        return self.item(base, self.eval(node.slice))

    def _display(self, node: ast.Tuple | ast.List) -> Term:
        items: list[Term] = []
        known = True
        for part in node.elts:
            if not isinstance(part, ast.Starred):
                items.append(self.eval(part))
                continue
            match self.eval(part.value):
                case Listed(inner):
                    items += inner
                case _:
                    known = False
        return Listed(tuple(items)) if known else self.opaque(node)

    def _dict(self, node: ast.Dict) -> Term:
        made = Built(node, self.moment, "dict")
        for key, value in zip(node.keys, node.values, strict=True):
            at = self.eval(key) if key is not None else NOTHING
            self.at.cells[made, at] = self.eval(value)
        return made

    def _function(self, node: ast.Lambda) -> Term:
        self.made.setdefault(node, self.frame)
        return InnerFunction(node, self.frame)

    def _walrus(self, node: ast.NamedExpr) -> Term:
        term = self.eval(node.value)
        self.bind_name(node.target.id, term)
        return term

    def _starred(self, node: ast.Starred) -> Term:
        return self.eval(node.value)

    def called(self, node: ast.Call) -> Term:
        """The term that a call gives."""
        raise NotImplementedError

    # -- operators

    def _binary(self, node: ast.BinOp) -> Term:
        operands = (self.eval(node.left), self.eval(node.right))
        match node.op, operands:
            case ast.Add(), (Listed(first), Listed(second)):
                return Listed(first + second)
        return Computed(node.op.__class__.__name__, operands)

    def _unary(self, node: ast.UnaryOp) -> Term:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return Const(-value)
        return Computed(node.op.__class__.__name__, (self.eval(node.operand),))

    def _compare(self, node: ast.Compare) -> Term:
        parts = [self.eval(part) for part in (node.left, *node.comparators)]
        if len(parts) > 2:
            return Computed("compare", (Const(ast.unparse(node)), *parts))
        name = node.ops[0].__class__.__name__
        if name in _FLIPPED:
            return Computed("Not", (Computed(_FLIPPED[name], tuple(parts)),))
        return Computed(_COMPARED.get(name, name), tuple(parts))

    def _bool(self, node: ast.BoolOp) -> Term:
        first, *rest = node.values
        found = [self.eval(first)]
        goes_on = isinstance(node.op, ast.And)
        for part in rest:
            got: list[Term] = []
            on, off = test_guards(found[-1], goes_on), test_guards(found[-1], not goes_on)
            self.branch(node, [(on, self._noting(part, got)), (off, lambda: NOTHING)])
            found += got
        return Computed(node.op.__class__.__name__, tuple(found))

    def _noting(self, part: ast.expr, got: list[Term]) -> Callable[[], Term]:
        def run() -> Term:
            got.append(self.eval(part))
            return got[-1]

        return run

    def _choice(self, node: ast.IfExp) -> Term:
        test = self.eval(node.test)
        if isinstance(test, Const):
            return self.eval(node.body if test.value else node.orelse)
        yes, no = test_guards(test, True), test_guards(test, False)
        return self.branch(node, [(yes, lambda: self.eval(node.body)), (no, lambda: self.eval(node.orelse))])

    # -- comprehensions

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Term:
        frame = self.frames[self.frame]
        names = frame.locals
        bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        frame.locals = names | bound
        kept = {name: self.at.names.get((self.frame, name)) for name in bound}
        results: list[Term] = []
        exact = self._generators(node, 0, results)
        frame.locals = names
        for name, term in kept.items():
            self.at.names.pop((self.frame, name), None)
            if term is not None:
                self.at.names[self.frame, name] = term
        return Listed(tuple(results)) if exact and not isinstance(node, ast.DictComp) else self.opaque(node)

    def _generators(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, at: int, results: list[Term]
    ) -> bool:
        """Run one `for` of a comprehension; whether `results` are all of what it gives, in order."""
        if at == len(node.generators):
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            results += [self.eval(part) for part in parts]
            return True
        part = node.generators[at]
        count, exact, take = self.iterated(part.iter, part)

        def run(trip: int) -> None:
            self.bind(part.target, take(trip))
            tests = [self.eval(test) for test in part.ifs]
            before = self.at.guards
            self.at.guards += tuple(g for test in tests for g in test_guards(test, True))
            self._generators(node, at + 1, results)
            self.at.guards = before

        self.trips(part, count, run)
        return exact and len(node.generators) == 1 and not part.ifs

    # -- what loops go over

    def iterated(self, node: ast.expr, loop: ast.AST) -> tuple[int, bool, Callable[[int], Term]]:
        """The trips of a loop that are followed: how many, whether these are all, and the element that each gets."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=arguments):
                bounds = [self.eval(a) for a in arguments]
                once = bounds == [Const(1)]
                return 1 if once else 2, once, lambda trip: Every(loop, self.around(loop), trip, False)
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                count, exact, take = self.iterated(inner, loop)
                return count, exact, lambda trip: Listed((Every(loop, self.around(loop), trip, False), take(trip)))
            case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as parts) if not any(
                isinstance(part, ast.Starred) for part in parts
            ):
                every = [self.iterated(part, loop) for part in parts]
                exact = any(e for _, e, _ in every)
                count = min((c for c, e, _ in every if e or not exact), default=2)
                return count, exact, lambda trip: Listed(tuple(take(trip) for _, _, take in every))
            case ast.Call(func=ast.Name(id="reversed" | "tqdm" | "trange" | "list" | "tuple"), args=[inner, *_]):
                count, exact, take = self.iterated(inner, loop)
                return count, exact, take
        term = self.eval(node)
        match term:
            case Listed(items) if len(items) <= MOST_UNROLLED:
                return len(items), True, lambda trip: items[trip]
            case SplitKeys(_, 1):
                return 1, True, lambda trip: self.elements(term, loop, trip)
        return 2, False, lambda trip: self.elements(term, loop, trip)

    # -- targets

    def bind(self, target: ast.expr, term: Term) -> None:
        """Give a target a value."""
        match target:
            case ast.Name(id=name):
                self.bind_name(name, term)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                star = next((k for k, p in enumerate(parts) if isinstance(p, ast.Starred)), len(parts))
                for k, part in enumerate(parts):
                    if k < star:
                        self.bind(part, self.item(term, Const(k)))
                    elif k > star:
                        self.bind(part, self.item(term, Const(k - len(parts))))
                    else:
                        self.bind(part, tail(term, k) if k == len(parts) - 1 else self.opaque(part))
            case ast.Starred(value=value):
                self.bind(value, term)
            case ast.Attribute(value=base, attr=name):
                self._set(self.eval(base), name, term)
            case ast.Subscript(value=base, slice=index):
                self._store(self.eval(base), self.eval(index), term, target)

    def _set(self, base: Term, name: str, term: Term) -> None:
        self.at.cells[base, name] = term

    def _store(self, base: Term, index: Term, term: Term, node: ast.AST) -> None:
        if not isinstance(index, Const):
            self.forget(base, node)
        self.at.cells[base, index] = term


def test_guards(test: Term, truth: bool) -> Guards:
    """The guards that hold where a test came out as `truth`."""
    match test:
        case Computed("Not", (inner,)):
            return test_guards(inner, not truth)
        case Computed("And", parts) if truth:
            return (KeyGuard(test, True), *(g for part in parts for g in test_guards(part, True)))
        case Computed("Or", parts) if not truth:
            return (KeyGuard(test, False), *(g for part in parts for g in test_guards(part, False)))
    return (KeyGuard(test, truth),)


_HANDLERS: dict[type[ast.AST], Callable[..., Term]] = {
    ast.Constant: KeyExpressions._constant,
    ast.Name: KeyExpressions._name,
    ast.Attribute: KeyExpressions._attribute,
    ast.Subscript: KeyExpressions._subscript,
    ast.Tuple: KeyExpressions._display,
    ast.List: KeyExpressions._display,
    ast.Dict: KeyExpressions._dict,
    ast.Lambda: KeyExpressions._function,
    ast.NamedExpr: KeyExpressions._walrus,
    ast.Starred: KeyExpressions._starred,
    ast.BinOp: KeyExpressions._binary,
    ast.UnaryOp: KeyExpressions._unary,
    ast.Compare: KeyExpressions._compare,
    ast.BoolOp: KeyExpressions._bool,
    ast.IfExp: KeyExpressions._choice,
    ast.ListComp: KeyExpressions._comprehension,
    ast.SetComp: KeyExpressions._comprehension,
    ast.GeneratorExp: KeyExpressions._comprehension,
    ast.DictComp: KeyExpressions._comprehension,
}
