"""Loops of Python that go over an array of JAX only to fetch it: each row is a slice and a fetch of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.host.results.device_values import DeviceValues
from scanlint.host.results.waits import CASTS, COMPARES, FETCHERS, GATHERS, METHODS, is_log
from scanlint.host.step_loop import long
from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import is_array, unwrapped
from scanlint.policy.worth import deliberate
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, binds, reads, targets, walk_scope
from scanlint.trace.unit import Unit

FEWEST = 100
"""Rows, where their number is known, from which their fetches are worth a word: some 10 ms."""
COUNTS = words(
    "builtins.range builtins.enumerate builtins.zip builtins.len builtins.str builtins.isinstance builtins.list"
)
NUMBERS = words("builtins.int builtins.float")
WRITES = words("write writerow writelines join format add split strip get")


class FetchedRows(NamedTuple):
    """Such a loop: the array, and the place where the first part of it is fetched."""

    array: ast.expr
    at: ast.expr


def fetched_rows(model: LoopModel, settings: Settings) -> FetchedRows | None:
    """The loop, if its trips do nothing with the rows of an array, or with what they index in it, but fetch them.

    What makes Python numbers of the elements fetches them whatever else a trip does.
    """
    unit, node = model.unit, model.node
    if not isinstance(node, ast.For) or unit.source.tests or deliberate(model) or not long(model, settings):
        return None
    if model.trips is not None and model.trips < FEWEST:
        return None
    rows = _Rows(unit, node)
    if rows.array is None and not rows.indexed:
        return None
    fetches = _is_fetch if _only_tells(unit, node) else _is_number
    kept = [part for part in walk_scope(node.body) if fetches(unit, part, rows) and not _shown(unit, part)]
    found = min(kept, key=lambda part: getattr(part, "lineno", 0), default=None)
    array = rows.indexed_by(found) or rows.array if found is not None else None
    return FetchedRows(array, found) if array is not None and isinstance(found, ast.expr) else None


def fetched_elements(unit: Unit, node: ast.ListComp) -> FetchedRows | None:
    """`[buffer[i] for i in indices]`, `[float(x) for x in xs]`: each number of an array of JAX is fetched by itself."""
    match node.generators:
        case [ast.comprehension(target=ast.Name(id=name), iter=ast.Name() | ast.Attribute() as array)]:
            pass
        case _:
            return None
    if unit.source.tests or not is_array(unit, array) or unit.value(array).traced:
        return None
    for part in walk_scope([node.elt]):
        match part:
            case ast.Subscript(value=whole, slice=ast.Name(id=at)) if at == name and not unit.value(whole).array:
                return FetchedRows(array, part)
            case ast.Call(func=function, args=[ast.Name(id=given)]) if given == name:
                if unit.resolve(function) in NUMBERS:
                    return FetchedRows(array, part)
    return None


class _Rows(DeviceValues):
    """What in a loop is a part of an array that stays the same: its rows, and the elements that trips index."""

    def __init__(self, unit: Unit, node: ast.For) -> None:
        self.bound = binds(node) | frozenset(targets(node.target))
        self.array: ast.expr | None = None
        self.named: dict[str, ast.expr] = {}
        self.given: Names = frozenset()
        self.unit = unit
        fixed = [s for s in walk_scope(node.body) if isinstance(s, ast.Subscript) and self.is_element(s)]
        self.indexed = {ast.unparse(s.value): s.value for s in fixed}
        for loop in [node, *(part for part in walk_scope(node.body) if isinstance(part, ast.For))]:
            for target, array in _gone_over(unit, loop.target, unwrapped(unit, loop.iter)[0]):
                if loop is node and is_array(unit, array):
                    self.array = self.array or array
                    self.given |= frozenset(targets(target))
                elif reads(array) & self.given:
                    self.given |= frozenset(targets(target))
        for part in walk_scope(node.body):
            if isinstance(part, ast.Assign) and isinstance(part.value, ast.Subscript) and self.is_element(part.value):
                self.named |= dict.fromkeys((n for t in part.targets for n in targets(t)), part.value.value)
        self.given |= self.named.keys()
        super().__init__(unit, node.body)

    def is_element(self, part: ast.Subscript) -> bool:
        """`xs[i]` of an array that no trip changes."""
        whole = part.value
        return is_array(self.unit, whole) and not reads(whole) & self.bound and bool(reads(part.slice) & self.bound)

    def holds(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name) and node.id in self.given:
            return True
        return (isinstance(node, ast.Subscript) and self.is_element(node)) or super().holds(node)

    def indexed_by(self, part: ast.AST) -> ast.expr | None:
        """The array that a fetch indexes."""
        names = reads(part)
        indexed = [array for array in self.indexed.values() if reads(array) & names]
        return next(iter([*indexed, *(array for name, array in self.named.items() if name in names)]), None)


def _gone_over(unit: Unit, target: ast.expr, iterable: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of a loop, each with what it goes over."""
    name = unit.resolve(iterable.func) if isinstance(iterable, ast.Call) else None
    match target, iterable:
        case ast.Tuple(elts=[_, inner]), ast.Call(args=[array, *_]) if name == "builtins.enumerate":
            yield from _gone_over(unit, inner, array)
        case ast.Tuple(elts=into), ast.Call(args=arrays) if name == "builtins.zip" and len(into) == len(arrays):
            for one, array in zip(into, arrays, strict=True):
                yield from _gone_over(unit, one, array)
        case _, ast.expr() if not isinstance(iterable, ast.Call):
            yield target, iterable


def _only_tells(unit: Unit, node: ast.For) -> bool:
    """Nothing is called in a loop but what fetches, prints, writes, gathers or counts."""
    return all(_tells(unit, part) for part in walk_scope(node.body) if isinstance(part, ast.Call))


def _tells(unit: Unit, call: ast.Call) -> bool:
    name = unit.resolve(call.func) or ""
    if name in CASTS | COMPARES | FETCHERS | COUNTS or name.startswith("math.") or is_log(call.func, name):
        return True
    return isinstance(call.func, ast.Attribute) and call.func.attr in METHODS | GATHERS | WRITES


def _is_number(unit: Unit, part: ast.AST, rows: _Rows) -> bool:
    """`float(xs[i])`, `xs[i].item()`, `if xs[i] > 0:`, `if done[i]:`."""
    match part:
        case ast.Subscript():
            return _is_asked(unit, part) and rows.is_element(part)
        case ast.Call(func=function, args=[ast.Subscript() as element]):
            return unit.resolve(function) in CASTS and rows.is_element(element)
        case ast.Call(func=ast.Attribute(value=ast.Subscript() as element, attr="item")):
            return rows.is_element(element)
        case ast.Compare(left=ast.Subscript() as element, ops=[op]) if not isinstance(op, ast.In | ast.NotIn):
            return _is_asked(unit, part) and rows.is_element(element)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            return _is_asked(unit, part) and name in rows.given
    return False


def _is_asked(unit: Unit, part: ast.AST) -> bool:
    """A part is a test, or one of those that `and`, `or` and `not` make one of."""
    around = unit.parents.get(part)
    while isinstance(around, ast.BoolOp) or (isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not)):
        part, around = around, unit.parents.get(around)
    return isinstance(around, ast.If | ast.IfExp | ast.While) and around.test is part


def _is_fetch(unit: Unit, part: ast.AST, rows: _Rows) -> bool:
    """`float(x)`, `f"{x}"`, `x.item()` of a part of the array."""
    if _is_number(unit, part, rows):
        return True
    match part:
        case ast.FormattedValue(value=value):
            return rows.holds(value)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in METHODS:
            return rows.holds(inner)
        case ast.Call(func=function, args=args):
            name = unit.resolve(function) or ""
            told = name in CASTS | COMPARES | FETCHERS or name.startswith("math.")
            return told and any(rows.holds(a) for a in args)
    return False


def _shown(unit: Unit, part: ast.AST) -> bool:
    """What is fetched is printed or logged: as many lines as somebody reads."""
    for around in unit.ancestors(part):
        if isinstance(around, ast.Call) and is_log(around.func, unit.resolve(around.func) or ""):
            return True
        if isinstance(around, ast.stmt):
            return False
    return False
