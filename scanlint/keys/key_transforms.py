"""Functions that JAX calls: loops, branches and batches of its own, and transforms."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.canonical import SCANS
from scanlint.jaxapi.wrappers import PARTIALS
from scanlint.keys.key_calls import KeyCalls
from scanlint.keys.libraries import MAPPED, TREES
from scanlint.keys.terms import Const, Every, External, InnerFunction, KeyGuard, Listed, Term, UnderTransform, element
from scanlint.syntax.bindings import parameters


class KeyTransforms(KeyCalls):
    """Calls under transforms."""

    def staged(self, name: str, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term | None:
        if name in SCANS and given:
            return self._scan(given, named, call)
        match name, given:
            case "jax.lax.fori_loop", [_, _, body, start]:
                return self._carrying(
                    call, start, lambda at, trip: self._call(body, [self._number(call, trip), at], call)
                )
            case "jax.lax.while_loop", [test, body, start]:
                return self._carrying(call, start, lambda at, _: self._tested(test, body, at, call))
            case "jax.lax.map", [function, xs, *_]:
                return self._each(call, function, [xs], [True])
            case "jax.lax.cond", [test, yes, no, *operands]:
                truth = [(KeyGuard(test, True), yes), (KeyGuard(test, False), no)]
                return self.branch(call, [((g,), self._later(f, operands, call)) for g, f in truth])
            case "jax.lax.switch", [index, Listed(arms), *operands]:
                tests = [KeyGuard(("switch", index, call, self.moment), k) for k in range(len(arms))]  # type: ignore[arg-type]
                each = zip(tests, arms, strict=True)
                return self.branch(call, [((g,), self._later(f, operands, call)) for g, f in each])
        if name in TREES and given:
            return self._each(call, given[0], given[1:], [True] * len(given[1:]), name)
        return None

    def _later(self, function: Term, operands: list[Term], call: ast.Call) -> Callable[[], Term]:
        return lambda: self._call(function, operands, call)

    def _call(self, function: Term, given: list[Term], call: ast.Call) -> Term:
        """A call that JAX makes, in a stage that is its own."""
        if isinstance(function, InnerFunction):
            return self.local(function, given, {}, call, staged=True)
        return self.apply(function, given, {}, call)

    def _number(self, call: ast.AST, trip: int) -> Term:
        return Every(call, self.around(call), trip, False)

    def _scan(self, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        body, *rest = given
        start = rest[0] if rest else named.get("init", Const(None))
        xs = rest[1] if len(rest) > 1 else named.get("xs", Const(None))

        def trip(at: Term, number: int) -> Term:
            return element(self._call(body, [at, self._rows(xs, call, number)], call), Const(0))

        return Listed((self._carrying(call, start, trip), self.opaque(call)))

    def _rows(self, xs: Term, call: ast.AST, trip: int) -> Term:
        """The row that a trip of a scan gets: of a tuple, a tuple of rows."""
        match xs:
            case Listed(items):
                return Listed(tuple(self._rows(item, call, trip) for item in items))
            case Const():
                return xs
        return self.elements(xs, call, trip)

    def _tested(self, test: Term, body: Term, at: Term, call: ast.Call) -> Term:
        self._call(test, [at], call)
        return self._call(body, [at], call)

    def _carrying(self, call: ast.Call, start: Term, step: Callable[[Term, int], Term]) -> Term:
        """A loop of JAX, two trips of it."""
        carried = [start]

        def run(trip: int) -> None:
            carried.append(step(carried[-1], trip))

        self.trips(call, 2, run)
        return carried[-1]

    def _each(self, call: ast.Call, function: Term, given: list[Term], mapped: list[bool], how: str = "") -> Term:
        """A function is called for each example."""
        return self.for_each(call, lambda rows: self._call(function, rows, call), given, mapped, how)

    def for_each(
        self, call: ast.Call, function: Callable[[list[Term]], object], given: list[Term], mapped: list[bool], how: str
    ) -> Term:
        """What a function gives for each example, of which it takes the rows that are `mapped`."""

        def run(trip: int) -> None:
            function([self._rows(t, call, trip) if m else t for t, m in zip(given, mapped, strict=True)])

        self.trips(call, 2, run, how)
        return self.opaque(call)

    def transformed(self, function: UnderTransform, given: list[Term], named: dict[str, Term], call: ast.Call) -> Term:
        if function.transform in PARTIALS:
            return self.apply(function.function, [*function.given, *given], {**dict(function.named), **named}, call)
        if function.transform in MAPPED:
            return self._each(call, function.function, given, _axes(function, len(given)), function.transform)
        result = self.apply(function.function, given, named, call)
        return self.opaque(call) if "grad" in function.transform or "jac" in function.transform else result

    def decorated(self, decorator: ast.expr, function: Term) -> Term:
        made = self.eval(decorator)
        call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
        match made:
            case External(name) if name in MAPPED:
                return UnderTransform(name, function, call, (), ())
            case UnderTransform(transform, External(name), _, given, options) if (
                transform in PARTIALS and name in MAPPED
            ):
                return UnderTransform(name, function, call, given, options)
        return function

    def finish(self) -> None:
        """Run the local functions that nobody called: what they do with their own keys."""
        before = self.path
        while left := [f for f in self.made if f not in self.ran]:
            for node in left:
                self.ran.add(node)
                if before is None or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                    continue
                self.path = before.copy()
                self.path.uses, self.path.guards = {}, ()
                missing = [self.opaque(a) for a in node.args.args[: len(parameters(node.args))]]
                self.local(InnerFunction(node, self.made[node]), list(missing), {}, node)
        self.path = before


def _axes(function: UnderTransform, count: int) -> list[bool]:
    """The arguments that are mapped over."""
    stored = dict(function.named)
    axes = stored.get("in_axes", function.given[0] if function.given else Const(0))
    match axes:
        case Const(None):
            return [False] * count
        case Listed(items):
            return [k >= len(items) or items[k] != Const(None) for k in range(count)]
    return [True] * count
