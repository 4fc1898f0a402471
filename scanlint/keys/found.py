"""Finds the mistakes with random keys in a unit, once for all rules that ask."""

from __future__ import annotations

import ast
from bisect import bisect

from scanlint.jaxapi.host_functions import CLOCK_READS
from scanlint.keys.libraries import LIKE
from scanlint.keys.mistakes import KeyMistake, mistakes
from scanlint.keys.summaries import KeySummary, Summaries
from scanlint.syntax.bindings import Names, binds, reads
from scanlint.trace.domain.callables import Closure, Transformed
from scanlint.trace.domain.contexts import REVERSE_MODE
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit


def key_summary(unit: Unit) -> KeySummary | None:
    """The summary of what a unit does with keys; None for a unit that is not followed."""
    project, code = unit.keys, unit.code
    if project is None or code is None:
        return None
    known = project.shelf.setdefault(Summaries, Summaries(project.world, project.keyed))
    assert isinstance(known, Summaries)
    return known.of(code)


def key_mistakes(unit: Unit) -> list[KeyMistake]:
    """The mistakes of a unit."""
    return unit.once(key_mistakes, lambda: _mistakes(unit))


def _mistakes(unit: Unit) -> list[KeyMistake]:
    found = key_summary(unit)
    others = _other_methods(unit) if found is not None and found.cells else {}
    known = mistakes(found, others) if found is not None else []
    meant = (_is_warm_up, _are_twins, _is_replaced)
    made = [m for m in known if not (_is_filled(unit, m.site) or any(on_purpose(unit, m) for on_purpose in meant))]
    return [m._replace(level="advice") if _of_one_value(unit, m) else m for m in made]


def _other_methods(unit: Unit) -> dict[str, KeySummary]:
    """The summaries of the other methods of a method's class."""
    project, code = unit.keys, unit.code
    known = project.shelf[Summaries] if project is not None else None
    info = project.world.class_info(code.owner) if project is not None and code is not None and code.owner else None
    if info is None or code is None or not isinstance(known, Summaries):
        return {}
    found = {name: known.of(method) for name, method in info.methods.items() if method.node is not code.node}
    return {name: summary for name, summary in found.items() if summary is not None}


def _is_warm_up(unit: Unit, made: KeyMistake) -> bool:
    """Whether a function that looks at a clock runs one function again, or times two functions of the project apart."""
    match made.earlier, made.site:
        case ast.Call(func=first, lineno=begun), ast.Call(func=second, lineno=again) if first is not second:
            around = (a for a in unit.ancestors(made.site) if isinstance(a, ast.FunctionDef | ast.AsyncFunctionDef))
            inside = {*ast.walk(next(around, unit.node))}
            clocks = sorted(call.lineno for name, call in unit.calls if name in CLOCK_READS and call in inside)
            apart = made.first.inside is not None is not made.second.inside and begun < again
            timed = (
                apart
                and bisect(clocks, begun) not in (0, bisect(clocks, again))
                and bisect(clocks, again) < len(clocks)
            )
            return bool(clocks) and (ast.dump(first) == ast.dump(second) or timed)
    return False


def _are_twins(unit: Unit, made: KeyMistake) -> bool:
    """Whether one function takes two states a step further, each its own: they are compared under the same draws."""
    match made.earlier, made.site:
        case ast.Call(func=first) as one, ast.Call(func=second) as other if ast.dump(first) == ast.dump(second):
            mine, others = _renewed(unit, one), _renewed(unit, other)
            return bool(mine) and bool(others) and mine.isdisjoint(others)
    return False


def _renewed(unit: Unit, call: ast.Call) -> Names:
    """The names that a call takes and gives anew."""
    around = unit.parents.get(call)
    return reads(*call.args) & binds(around) if isinstance(around, ast.Assign) else frozenset()


def _is_filled(unit: Unit, site: ast.AST) -> bool:
    """Whether all that a use gives is filled with other leaves: it has its form alone."""
    match unit.parents.get(site):
        case ast.Assign(targets=[ast.Name(id=name)]):
            uses = [place for place in unit.mentions[name] if isinstance(place.ctx, ast.Load)]
            around = [unit.parents.get(use) for use in uses]
            return bool(uses) and all(isinstance(c, ast.Call) and unit.resolve(c.func) in LIKE for c in around)
    return False


def _is_replaced(unit: Unit, made: KeyMistake) -> bool:
    """Whether what the first use gives is gone unread once there is what the second gives, under the same name."""
    first, second = unit.parents.get(made.earlier), unit.parents.get(made.site)
    match first, second:
        case ast.Assign(targets=[ast.Name(id=name)]), ast.Assign(targets=[ast.Name(id=other)]) if name == other:
            lines = (place.lineno for place in unit.mentions[name] if isinstance(place.ctx, ast.Load))
            above = first.lineno < second.lineno and unit.parents.get(first) in [*unit.ancestors(second)]
            return above and not any(first.lineno <= line <= (second.end_lineno or 0) for line in lines)
    return False


def _of_one_value(unit: Unit, made: KeyMistake) -> bool:
    """Whether one use is for a function's derivative and the other for its value: they may well be of one draw."""
    match made.earlier, made.site:
        case ast.Call(func=first), ast.Call(func=second):
            one, other = unit.value(first), unit.value(second)
            return _function(one) == _function(other) is not None and _derives(one) != _derives(other)
    return False


def _derives(value: Value) -> bool:
    return isinstance(value.callee, Transformed) and value.callee.transform in REVERSE_MODE


def _function(value: Value) -> object | None:
    """The function of the project that a call runs, under whatever transforms."""
    while isinstance(value.callee, Transformed):
        value = value.callee.function
    return value.callee.code if isinstance(value.callee, Closure) else None
