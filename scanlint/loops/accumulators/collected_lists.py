"""Lists that a loop fills with one element per trip and that are only stacked afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.liveness import Flow
from scanlint.finding import Withheld
from scanlint.loops.accumulators.list_buffers import added, fills, initial_list, inner_list, slots
from scanlint.loops.accumulators.stacking_functions import STACKS, TREE_MAPS, stacks_each_part, stacks_leaves
from scanlint.syntax.bindings import reads, walk_scope
from scanlint.syntax.slices import backwards
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

TAKES_ARRAY = {
    "jax.numpy.concatenate",
    "jax.numpy.vstack",
    "jax.numpy.hstack",
    "numpy.array",
    "numpy.asarray",
    "numpy.stack",
    "numpy.concatenate",
    "numpy.vstack",
    "numpy.mean",
    "numpy.sum",
    "builtins.len",
}


class Output(NamedTuple):
    """One collected list, or an array that is filled row by row.

    `initial` is the statement that makes it (`ys = []`), `first` its elements before the loop, `append` the
    statement that adds `element`, `uses` the places that read a list after the loop, `turned` the statement there that
    turns it round. `falling`: its places, or the rows of an array, are set from the last one to the first. `grouped`:
    the element is a tuple or list of values, and all that becomes of the collected list is an array. `numpy`: what the
    code after the loop has is an array of NumPy, `dtype` what its numbers are cast to, as source. `axis`: of an array
    that is filled, the one along which it is.
    """

    name: str
    initial: ast.stmt
    first: tuple[ast.expr, ...]
    append: ast.stmt
    element: ast.expr
    uses: tuple[ast.Name, ...]
    falling: bool = False
    turned: ast.stmt | None = None
    grouped: bool = False
    numpy: bool = False
    dtype: str | None = None
    axis: int = 0

    @property
    def front(self) -> bool:
        """Whether each element goes before the others: `ys.insert(0, y)`."""
        if self.falling:
            return True
        found = added(self.append)
        return found is not None and found.front


def find_outputs(unit: Unit, node: ast.For | ast.While, flow: Flow) -> tuple[tuple[Output, ...], list[Withheld]]:
    """The outputs of a loop, and what keeps other lists that it appends to from being outputs."""
    outputs: list[Output] = []
    refused: list[Withheld] = []
    for name, statement, element in appends(node):
        match _output(unit, node, flow, name, statement, element):
            case Output() as output:
                outputs.append(output)
            case Withheld() as reason:
                refused.append(reason)
    return tuple(outputs), refused


def appends(node: ast.For | ast.While) -> Iterator[tuple[str, ast.stmt, ast.expr]]:
    """Statements anywhere in the body that put one element at an end of a named list, or in a place of its own: the
    name, and the element.
    """
    for statement in walk_scope(node.body):
        if isinstance(statement, ast.stmt) and (found := added(statement)) is not None:
            yield found.name, statement, found.element
    yield from fills(node)


def _output(
    unit: Unit, node: ast.For | ast.While, flow: Flow, name: str, statement: ast.stmt, element: ast.expr
) -> Output | Withheld | None:
    line = statement.lineno
    if statement not in node.body:
        if inner_list(unit, node, name, statement):
            return None
        return Withheld("conditional-append", f"`{name}` is not appended to on every trip (line {line})")
    made, falling = initial_list(unit, node, name), False
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        places = slots(unit, node, name)
        if places is None:
            return None
        made, falling = (places.made, ()), places.falling
    if made is None:
        return Withheld("list-made-elsewhere", f"`{name}` is not made just before the loop (line {line})")
    initial, first = made
    known = set(walk(initial)) | (set(walk(statement)) - set(walk(element)))
    uses = []
    turned = _turned(unit, node, name)
    known |= set(walk(turned)) if turned is not None else set()
    own, order = _places(unit, flow, [statement, *([turned] if turned is not None else [])], name), defuse_of(unit)
    grouped = not first and _grouped(unit, node, own, element)
    tree = composite(unit, element) and not grouped
    if tree and first:
        return Withheld("list-escapes", f"`{name}` holds tuples or dicts, one of them from before (line {line})")
    front = Output(name, initial, first, statement, element, (), falling).front
    if front and (tree or turned is not None):
        return Withheld("list-used-otherwise", f"`{name}` is filled from its front (line {line})")
    for other in own:
        if other in known:
            continue
        after = order.after(other, node)
        if not after or not isinstance(other.ctx, ast.Load):
            if after and (_restacked(unit, other) or _after_restack(unit, node, other)):
                continue
            return Withheld("list-used-otherwise", f"`{name}` is also used at line {other.lineno}")
        if tree and collected(unit, other, element) is None and unzipped(unit, other, element) is None:
            return Withheld("list-escapes", f"`{name}` holds tuples or dicts, and is used at line {other.lineno}")
        if not tree and not _stacked(unit, other) and not _after_restack(unit, node, other):
            return Withheld("list-escapes", f"`{name}` is used as a list at line {other.lineno}")
        uses.append(other)
    if _function(unit, element):
        return Withheld("list-of-functions", f"`{name}` holds functions, which no array can (line {line})")
    if not uses:
        return Withheld("list-never-stacked", f"`{name}` is never made into an array (line {line})")
    return Output(name, initial, first, statement, element, tuple(uses), falling, turned, grouped)


def _places(unit: Unit, flow: Flow, statements: list[ast.stmt], name: str) -> list[ast.Name]:
    """The places that bind or read the list of these statements, or an array that it is made into under its name.

    Another list of the same name is another variable.
    """
    every = [n for n in walk(flow.function) if isinstance(n, ast.Name) and n.id == name]
    order, own = defuse_of(unit), set[ast.AST]()
    pending = [n for s in statements for n in walk(s) if isinstance(n, ast.Name) and n.id == name]
    while pending:
        place = pending.pop()
        web = order.web(place)
        if web is None:
            return every
        found = {d.node for d in web.definitions} | {*web.reads, place}
        pending += [n for n in every if n not in own | found and _restacked(unit, n) and _made_of(unit, n) & found]
        own |= found
    return [n for n in every if n in own]


def _made_of(unit: Unit, target: ast.Name) -> set[ast.AST]:
    """The names in the statement that binds one."""
    return set(walk(unit.parents[target]))


def _grouped(unit: Unit, node: ast.stmt, own: list[ast.Name], element: ast.expr) -> bool:
    """Whether elements `(a, b)` are collected for `jnp.array(ys)` alone, which makes one array of them."""
    if not isinstance(element, ast.Tuple | ast.List) or not element.elts:
        return False
    if any(isinstance(e, ast.Starred) or composite(unit, e) for e in element.elts):
        return False
    uses = [n for n in own if defuse_of(unit).after(n, node)]
    calls = [unit.parents.get(n) for n in uses if isinstance(n.ctx, ast.Load) and not _after_restack(unit, node, n)]
    return bool(calls) and all(isinstance(c, ast.Call) and len(c.args) == 1 and _converts(unit, c) for c in calls)


def _converts(unit: Unit, call: ast.Call) -> bool:
    return unit.resolve(call.func) in ("jax.numpy.array", "jax.numpy.asarray")


def _turned(unit: Unit, node: ast.stmt, name: str) -> ast.stmt | None:
    """`ys.reverse()` or `ys = ys[::-1]` in the block of the loop, before anything else there speaks of the list."""
    block = unit.block(node)
    for statement in block[block.index(node) + 1 :]:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=turned), attr="reverse"), args=[])):
                if turned == name:
                    return statement
            case ast.Assign(targets=[ast.Name(id=turned)], value=value) if turned == name:
                return statement if _from_end(value) == name else None
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(statement)):
            return None
    return None


def _from_end(node: ast.expr) -> str | None:
    """The list that `ys[::-1]` or `list(reversed(ys))` reads."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=cut) if backwards(cut):
            return name
        case ast.Call(
            func=ast.Name(id="list" | "tuple"), args=[ast.Call(func=ast.Name(id="reversed"), args=[ast.Name(id=name)])]
        ):
            return name
    return None


class Turned(NamedTuple):
    """An expression that reads a list from its end; `stacked`: as an array, `jnp.stack(ys)[::-1]`."""

    node: ast.expr
    stacked: bool


def turned_use(unit: Unit, use: ast.Name) -> Turned | None:
    """What reads a list from its end there: `stack(ys[::-1])`, `stack(list(reversed(ys)))`, `stack(ys)[::-1]`."""
    around: ast.AST | None = unit.parents.get(use)
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id == "reversed":
        around = unit.parents.get(around)
    if isinstance(around, ast.expr) and _from_end(around) == use.id:
        call = unit.parents.get(around)
        if isinstance(call, ast.Call) and call.args == [around] and not call.keywords and _stacks(unit, call):
            return Turned(around, False)
    if isinstance(around, ast.Call) and around.args == [use] and not around.keywords:
        outer = unit.parents.get(around)
        match outer:
            case ast.Subscript(value=value, slice=cut) if value is around and backwards(cut):
                return Turned(outer, True) if unit.resolve(around.func) in STACKS else None
            case ast.Call() if _flips(unit, outer) and outer.args[0] is around:
                return Turned(outer, True) if unit.resolve(around.func) in STACKS else None
    return None


def _flips(unit: Unit, call: ast.Call) -> bool:
    """Whether a call turns the rows of its first argument round."""
    match call:
        case ast.Call(args=[_, ast.Constant(value=0)], keywords=[]):
            pass
        case ast.Call(args=[_], keywords=[ast.keyword(arg="axis", value=ast.Constant(value=0))]):
            pass
        case _:
            return False
    return unit.resolve(call.func) == "jax.numpy.flip"


def composite(unit: Unit, element: ast.expr) -> bool:
    """Whether an element is a pytree of arrays: stacked, it is one of stacked arrays and no longer one of its like."""
    return isinstance(element, ast.Tuple | ast.Dict) or unit.value(element).container is not None


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
            if unit.resolve(call.func) in TREE_MAPS and stacks_leaves(each, unit.resolve):
                return call, ""
        case ast.Call(args=[only], keywords=[]), _ if only is use and stacks_each_part(unit, outer, element):
            return outer, ""
    return None


def unzipped(unit: Unit, use: ast.Name, element: ast.expr) -> tuple[ast.Call, list[ast.Name]] | None:
    """`xs, ys = zip(*pairs)`: the call, and all uses of the names, which stack them."""
    call = unit.parents.get(unit.parents[use])
    statement = unit.parents.get(call) if call is not None else None
    known = unit.value(element)
    parts = [unit.value(e) for e in element.elts] if isinstance(element, ast.Tuple) else [*(known.items or ())]
    match call, statement:
        case (
            ast.Call(args=[ast.Starred()], keywords=[]),
            ast.Assign(targets=[ast.Tuple(elts=bound)]),
        ) if unit.resolve(call.func) == "builtins.zip" and len(bound) == len(parts) and known.container == "tuple":
            names = {n.id for n in bound if isinstance(n, ast.Name)}
            every = [n for n in unit.every(ast.Name) if n.id in names and n not in bound]
            plain = len(names) == len(bound) and not any(part.container is not None for part in parts)
            read = all(isinstance(n.ctx, ast.Load) and n.lineno >= call.lineno and _stacked(unit, n) for n in every)
            return (call, every) if plain and read else None
    return None


def extended(unit: Unit, use: ast.Name) -> tuple[ast.Call, list[ast.expr], list[ast.expr]] | None:
    """A call that stacks a list with single elements before and after it: `stack([x, *ys])`, `stack([x] + ys)`."""
    around = unit.parents[use]
    made = unit.parents.get(around) if isinstance(around, ast.Starred) else around
    call = unit.parents.get(made) if made is not None else None
    if not (isinstance(call, ast.Call) and call.args == [made] and not call.keywords and _array(unit, call)):
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
    return None if any(isinstance(e, ast.Starred) for e in rest) or use.id in reads(*rest) else (call, before, after)


def _array(unit: Unit, call: ast.Call) -> bool:
    return unit.resolve(call.func) in STACKS


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


def _function(unit: Unit, element: ast.expr) -> bool:
    value = unit.value(element)
    return isinstance(element, ast.Lambda) or (value.callee is not None and value.container is None)


def _stacked(unit: Unit, use: ast.Name) -> bool:
    """Whether a use of the list works as well on the stacked array."""
    outer = unit.parents.get(use)
    if _gone_over(unit, use):
        return True
    match outer:
        case ast.Subscript(value=value) if value is use:
            index = outer.slice
            if cuts(unit, index):
                call = unit.parents.get(outer)
                return isinstance(call, ast.Call) and call.args[:1] == [outer] and _stacks(unit, call)
            return isinstance(outer.ctx, ast.Load) and not isinstance(index, ast.Tuple)
        case ast.Call(func=ast.Name(id="reversed")):
            return turned_use(unit, use) is not None
        case ast.Starred() | ast.BinOp():
            return extended(unit, use) is not None
        case ast.Call(args=[first], keywords=[]) if first is use and unit.resolve(outer.func) == "builtins.sum":
            return True
        case ast.Call(args=[first, *_]) if first is use:
            return _stacks(unit, outer)
    return False


def cuts(unit: Unit, index: ast.expr) -> bool:
    """Whether an index picks some elements out: a slice, or a test of the numbers of all trips, maybe by its name."""
    if isinstance(index, ast.Slice):
        return True
    if isinstance(index, ast.Name):
        made = [a.value for a in unit.every(ast.Assign) if ast.unparse(a.targets[0]) == index.id]
        return len(made) == 1 and _numbered(unit, made[0])
    return False


def _numbered(unit: Unit, test: ast.expr) -> bool:
    """Whether an expression tests numbers that NumPy makes when tracing, and gives them names by the way."""
    parts = list(walk(test))
    if any(isinstance(n, ast.Call) and unit.resolve(n.func) == "numpy.arange" for n in parts):
        return True
    named = {n.id for n in parts if isinstance(n, ast.Name)}
    made = [a.value for a in unit.every(ast.Assign) if ast.unparse(a.targets[0]) in named]
    return any(isinstance(v, ast.Call) and unit.resolve(v.func) == "numpy.arange" for v in made)


def _gone_over(unit: Unit, use: ast.expr) -> bool:
    """Whether a loop or comprehension goes over a list: `for y in reversed(ys)`."""
    outer = unit.parents.get(use)
    match outer:
        case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
            return iterable is use
        case ast.Call(func=ast.Name(id="reversed" | "enumerate" | "zip"), keywords=[]):
            return use in outer.args and _gone_over(unit, outer)
        case ast.Subscript(slice=ast.Slice()):
            return _gone_over(unit, outer)
    return False


def _stacks(unit: Unit, call: ast.Call) -> bool:
    return unit.resolve(call.func) in STACKS | TAKES_ARRAY


def _restacked(unit: Unit, target: ast.Name) -> bool:
    """`ys = jnp.stack(ys)` or `ys = jnp.stack(ys)[::-1]`: the name is bound again, to the array."""
    match unit.parents.get(target):
        case ast.Assign(targets=[only], value=made) if only is target:
            while isinstance(made, ast.Subscript) or (isinstance(made, ast.Call) and _flips(unit, made)):
                made = made.value if isinstance(made, ast.Subscript) else made.args[0]
            match made:
                case ast.Call(args=[ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)), *_]) as call:
                    return name == target.id and _stacks(unit, call)
    return False


def _after_restack(unit: Unit, node: ast.stmt, use: ast.Name) -> bool:
    """Whether the name surely holds the array already: it was stacked into itself in the block of the loop."""
    block = unit.block(node)
    for statement in block[block.index(node) + 1 :]:
        match statement:
            case ast.Assign(targets=[ast.Name() as target]) if target.id == use.id and _restacked(unit, target):
                return statement.lineno < use.lineno
    return False
