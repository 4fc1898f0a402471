"""What code after a loop makes of a list that it has filled: an array, a pytree of arrays, or something else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import reads
from scanlint.syntax.slices import backwards
from scanlint.syntax.walk import walk
from scanlint.trace.domain.callables import ClassRef, Closure, Code
from scanlint.trace.unit import Unit

STACKS = {"jax.numpy.stack", "jax.numpy.array", "jax.numpy.asarray"}
TAKES_ARRAY = STACKS | words(
    "jax.numpy.concatenate jax.numpy.vstack jax.numpy.hstack numpy.array numpy.asarray numpy.stack numpy.concatenate "
    "numpy.vstack numpy.mean numpy.sum builtins.len"
)
Resolve = Callable[[ast.expr], str | None]


def composite(unit: Unit, element: ast.expr) -> bool:
    """An element is a pytree of arrays: stacked, it is one of stacked arrays and no longer one of its like."""
    return isinstance(element, ast.Tuple | ast.Dict) or unit.value(element).container is not None


def stacked(unit: Unit, use: ast.Name) -> bool:
    """A use of the list works as well on the stacked array."""
    outer = unit.parents.get(use)
    if _gone_over(unit, use):
        return True
    match outer:
        case ast.Subscript(value=value) if value is use:
            index = outer.slice
            if cuts(unit, index):
                call = unit.parents.get(outer)
                return isinstance(call, ast.Call) and call.args[:1] == [outer] and _takes_array(unit, call)
            return isinstance(outer.ctx, ast.Load) and not isinstance(index, ast.Tuple)
        case ast.Call(func=ast.Name(id="reversed")):
            return turned_use(unit, use) is not None
        case ast.Starred() | ast.BinOp():
            return extended(unit, use) is not None
        case ast.Call(args=[first], keywords=[]) if first is use and unit.resolve(outer.func) == "builtins.sum":
            return True
        case ast.Call(args=[first, *_]) if first is use:
            return _takes_array(unit, outer)
    return False


def _takes_array(unit: Unit, call: ast.Call) -> bool:
    return unit.resolve(call.func) in TAKES_ARRAY


def gathers(unit: Unit, uses: Sequence[ast.Name], element: ast.expr) -> bool:
    """Elements `(a, b)` are collected for `jnp.array(ys)` alone, which makes one array of them."""
    if not isinstance(element, ast.Tuple | ast.List) or not element.elts:
        return False
    if any(isinstance(e, ast.Starred) or composite(unit, e) for e in element.elts):
        return False
    calls = [unit.parents.get(n) for n in uses if isinstance(n.ctx, ast.Load)]
    return bool(calls) and all(
        isinstance(c, ast.Call) and len(c.args) == 1 and unit.resolve(c.func) in STACKS - {"jax.numpy.stack"}
        for c in calls
    )


def _gone_over(unit: Unit, use: ast.expr) -> bool:
    """A loop or comprehension goes over a list: `for y in reversed(ys)`."""
    outer = unit.parents.get(use)
    match outer:
        case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
            return iterable is use
        case ast.Call(func=ast.Name(id="reversed" | "enumerate" | "zip"), keywords=[]):
            return use in outer.args and _gone_over(unit, outer)
        case ast.Subscript(slice=ast.Slice()):
            return _gone_over(unit, outer)
    return False


def cuts(unit: Unit, index: ast.expr) -> bool:
    """An index picks some elements out: a slice, or a test of the numbers of all trips, maybe by its name."""
    if isinstance(index, ast.Name):
        made = _bound(unit, {index.id})
        return len(made) == 1 and any(_numbers(unit, v) for v in (made[0], *_bound(unit, _named(made[0]))))
    return isinstance(index, ast.Slice)


def _named(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def _bound(unit: Unit, names: set[str]) -> list[ast.expr]:
    """What the names are bound to by plain assignments."""
    return [a.value for a in unit.every(ast.Assign) if isinstance(a.targets[0], ast.Name) and a.targets[0].id in names]


def _numbers(unit: Unit, made: ast.expr) -> bool:
    """Numbers that NumPy makes when tracing are in an expression."""
    return any(isinstance(n, ast.Call) and unit.resolve(n.func) == "numpy.arange" for n in walk(made))


# -- read from the end


class Turned(NamedTuple):
    """An expression that reads a list from its end; `stacked`: as an array, `jnp.stack(ys)[::-1]`."""

    node: ast.expr
    stacked: bool


def turned_use(unit: Unit, use: ast.Name) -> Turned | None:
    """What reads a list from its end there: `stack(ys[::-1])`, `stack(list(reversed(ys)))`, `stack(ys)[::-1]`."""
    around: ast.AST | None = unit.parents.get(use)
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id == "reversed":
        around = unit.parents.get(around)
    if isinstance(around, ast.expr) and from_end(around) == use.id:
        call = unit.parents.get(around)
        if isinstance(call, ast.Call) and call.args == [around] and not call.keywords and _takes_array(unit, call):
            return Turned(around, False)
    if isinstance(around, ast.Call) and around.args == [use] and not around.keywords:
        outer = unit.parents.get(around)
        match outer:
            case ast.Subscript(value=value, slice=cut) if value is around and backwards(cut):
                return Turned(outer, True) if unit.resolve(around.func) in STACKS else None
            case ast.Call() if _flips(unit, outer) and outer.args[0] is around:
                return Turned(outer, True) if unit.resolve(around.func) in STACKS else None
    return None


def from_end(node: ast.expr) -> str | None:
    """The list that `ys[::-1]` or `list(reversed(ys))` reads."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=cut) if backwards(cut):
            return name
        case ast.Call(
            func=ast.Name(id="list" | "tuple"), args=[ast.Call(func=ast.Name(id="reversed"), args=[ast.Name(id=name)])]
        ):
            return name
    return None


def _flips(unit: Unit, call: ast.Call) -> bool:
    """A call turns the rows of its first argument round."""
    match call:
        case ast.Call(args=[_, ast.Constant(value=0)], keywords=[]):
            pass
        case ast.Call(args=[_], keywords=[ast.keyword(arg="axis", value=ast.Constant(value=0))]):
            pass
        case _:
            return False
    return unit.resolve(call.func) == "jax.numpy.flip"


# -- stacked with other elements, or part by part


def extended(unit: Unit, use: ast.Name) -> tuple[ast.Call, list[ast.expr], list[ast.expr]] | None:
    """A call that stacks a list with single elements before and after it: `stack([x, *ys])`, `stack([x] + ys)`."""
    around = unit.parents[use]
    made = unit.parents.get(around) if isinstance(around, ast.Starred) else around
    call = unit.parents.get(made) if made is not None else None
    if not (isinstance(call, ast.Call) and call.args == [made] and not call.keywords):
        return None
    match made:
        case ast.List(elts=rows) | ast.Tuple(elts=rows) if around is not made:
            place = rows.index(around) if isinstance(around, ast.Starred) else 0
            before, after = rows[:place], rows[place + 1 :]
        case ast.BinOp(left=ast.List(elts=before), op=ast.Add(), right=right) if right is use:
            after = []
        case ast.BinOp(left=left, op=ast.Add(), right=ast.List(elts=after)) if left is use:
            before = []
        case _:
            return None
    rest = [*before, *after]
    alone = unit.resolve(call.func) in STACKS and not any(isinstance(e, ast.Starred) for e in rest)
    return (call, before, after) if alone and use.id not in reads(*rest) else None


def collected(unit: Unit, use: ast.Name, element: ast.expr) -> tuple[ast.Call, str] | None:
    """A call that stacks one part of every element, or all of them leaf by leaf: the call, and how to read it.

    `jnp.stack([p[0] for p in ps])` is `ps[0]`, and `jax.tree.map(lambda *x: jnp.stack(x), *ps)` is `ps`, in a function
    of the project too. Elements that are arrays have no parts: `jnp.stack([y[0] for y in ys])` is no row of `ys`.
    """
    if not composite(unit, element):
        return None
    outer = unit.parents[use]
    call = unit.parents.get(outer)
    if isinstance(outer, ast.comprehension) and call is not None:
        call = unit.parents.get(call)
    match outer, call:
        case ast.comprehension(target=target, ifs=[], is_async=0), ast.Call(args=[ast.ListComp() as made], keywords=[]):
            if unit.resolve(call.func) in STACKS and len(made.generators) == 1 and outer.iter is use:
                part = _part(target, made.elt)
                return (call, part) if part is not None else None
        case ast.Starred(), ast.Call(args=[ast.Lambda() as each, _], keywords=[]):
            if unit.resolve(call.func) == "jax.tree.map" and _stacks_leaves(each, unit.resolve):
                return call, ""
        case ast.Call(args=[only], keywords=[]), _ if only is use and _stacks_each_part(unit, outer, element):
            return outer, ""
    return None


def _part(target: ast.expr, element: ast.expr) -> str | None:
    """Which part of each element a comprehension takes: `p[0] for p`, `a for a, b`."""
    match target, element:
        case ast.Name(id=name), ast.Subscript(value=ast.Name(id=base), slice=ast.Constant() as key) if base == name:
            return f"[{ast.unparse(key)}]"
        case ast.Name(id=name), ast.Attribute(value=ast.Name(id=base), attr=field) if base == name:
            return f".{field}"
        case ast.Tuple(elts=names), ast.Name(id=wanted):
            places = [k for k, n in enumerate(names) if isinstance(n, ast.Name) and n.id == wanted]
            plain = all(isinstance(n, ast.Name) for n in names)
            return f"[{places[0]}]" if plain and len(places) == 1 else None
    return None


def unzipped(unit: Unit, use: ast.Name, element: ast.expr) -> tuple[ast.Call, list[ast.Name]] | None:
    """`xs, ys = zip(*pairs)`: the call, and all uses of the names, which stack them."""
    call = unit.parents.get(unit.parents[use])
    statement = unit.parents.get(call) if call is not None else None
    known = unit.value(element)
    parts = [unit.value(e) for e in element.elts] if isinstance(element, ast.Tuple) else [*(known.items or ())]
    match call, statement:
        case (ast.Call(args=[ast.Starred()], keywords=[]), ast.Assign(targets=[ast.Tuple(elts=bound)])) if (
            unit.resolve(call.func) == "builtins.zip" and len(bound) == len(parts) and known.container == "tuple"
        ):
            names = {n.id for n in bound if isinstance(n, ast.Name)}
            every = [n for n in unit.every(ast.Name) if n.id in names and n not in bound]
            plain = len(names) == len(bound) and not any(part.container is not None for part in parts)
            read = all(isinstance(n.ctx, ast.Load) and n.lineno >= call.lineno and stacked(unit, n) for n in every)
            return (call, every) if plain and read else None
    return None


# -- functions of the project that make one pytree of many, leaf by leaf: `stack_states(states)`


def _stacks_leaves(each: ast.Lambda, resolve: Resolve) -> bool:
    """`lambda *leaves: jnp.stack(leaves)`"""
    match each:
        case ast.Lambda(
            args=ast.arguments(args=[], vararg=ast.arg(arg=name)), body=ast.Call(args=[first], keywords=[]) as call
        ):
            return isinstance(first, ast.Name) and first.id == name and resolve(call.func) in STACKS
    return False


def _stacks_each_part(unit: Unit, call: ast.Call, element: ast.expr) -> bool:
    """A call of a function of the project gives what a scan gives that collects elements like this one."""
    match unit.value(call.func).callee:
        case Closure(code, _, None) if isinstance(code.node, ast.FunctionDef) and len(code.parameters()) == 1:
            pass
        case _:
            return False
    body = code.node.body[1:] if ast.get_docstring(code.node) is not None else code.node.body
    match body:
        case [ast.Return(value=ast.Call() as made)]:
            return _of_all(code, made) or _field_by_field(unit, code, made, element)
    return False


def _of_all(code: Code, made: ast.Call) -> bool:
    """`jax.tree.map(lambda *leaves: jnp.stack(leaves), *elements)`"""
    match made.args:
        case [ast.Lambda() as each, ast.Starred(value=ast.Name(id=name))] if not made.keywords:
            known = code.scope.annotation(made.func) == "jax.tree.map" and name == code.parameters()[0].arg
            return known and _stacks_leaves(each, code.scope.annotation)
    return False


def _field_by_field(unit: Unit, code: Code, made: ast.Call, element: ast.expr) -> bool:
    """`State(jnp.stack([s.x for s in states]), jnp.stack([s.y for s in states]))`, of elements that are a `State`."""
    known = unit.value(element)
    fields = list(known.fields)
    made_of = code.scope.lookup(made.func.id) if isinstance(made.func, ast.Name) else None
    if not fields or made_of is None or made_of.callee != ClassRef(known.container or ""):
        return False
    given = [*zip(fields, made.args, strict=False), *((k.arg, k.value) for k in made.keywords)]
    return len(given) == len(fields) and all(_stacked_field(code, part) == name for name, part in given)


def _stacked_field(code: Code, part: ast.expr) -> str | None:
    """The field of each element that an expression stacks."""
    match part:
        case ast.Call(
            func=function,
            args=[
                ast.ListComp(
                    elt=ast.Attribute(value=ast.Name(id=base), attr=field),
                    generators=[ast.comprehension(target=ast.Name(id=one), iter=ast.Name(id=every), ifs=[])],
                )
            ],
            keywords=[],
        ) if base == one and every == code.parameters()[0].arg:
            return field if code.scope.annotation(function) in STACKS else None
    return None
