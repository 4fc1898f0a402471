"""Dicts and lists whose items a loop sets: `state["s"] = ...` is as good as a new dict where nobody else has it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from scanlint.dataflow.liveness import Flow
from scanlint.syntax.bindings import Names, binds, stores, walk_scope
from scanlint.trace.unit import Unit

MAKES = frozenset({"builtins.dict", "builtins.list"})


def own_items(unit: Unit, node: ast.For | ast.While, flow: Flow) -> Names:
    """Names of dicts and lists whose items the loop sets, made in this function or for it, that go by no other name."""
    if isinstance(flow.function, ast.Lambda):
        return frozenset()
    return frozenset(name for name in stores(*node.body) if _own(unit, node, flow, name))


def _own(unit: Unit, node: ast.For | ast.While, flow: Flow, name: str) -> bool:
    if name in binds(*node.body) or name not in flow.bound_before(node):
        return False
    made, keys, first, since = list(_makings(unit, flow, name)), None, set[ast.AST](), flow.function.lineno
    if not (made == [None] and _handed(unit, flow, name) and _read_first(node, name)):
        if len(made) != 1 or made[0] is None or not _fresh(unit, made[0]):
            return False
        statement = next(a for a in unit.ancestors(made[0]) if isinstance(a, ast.stmt))
        if statement not in [*unit.block(node), *getattr(flow.function, "body", [])] or statement.lineno > node.lineno:
            return False
        keys, first, since = _keys(made[0]), set(ast.walk(statement)), made[0].lineno
    loops = [a for a in unit.ancestors(node) if isinstance(a, ast.For | ast.While) and a.lineno >= since]
    end = max(a.end_lineno or a.lineno for a in (node, *loops))
    for use in _places(unit, flow, name):
        if isinstance(use.ctx, ast.Store) or use in first:
            continue
        outer = unit.parents.get(use)
        match outer:
            case ast.Subscript(value=value, slice=ast.Constant(value=key), ctx=context) if value is use:
                if isinstance(context, ast.Del):
                    return False
                if isinstance(context, ast.Load) or keys is None or key in keys:
                    continue
                return False
            case ast.Subscript(value=value, slice=ast.Name() as key, ctx=ast.Load() | ast.Store()) if value is use:
                if _goes_over(unit, key, name):
                    continue
            case ast.For(iter=iterable) if iterable is use:
                continue  # its keys
            case ast.Call(func=ast.Call(func=transform)) if (unit.resolve(transform) or "").startswith("jax."):
                continue
            case ast.Call() if (unit.resolve(outer.func) or "").startswith("jax."):
                continue
        if use.lineno <= end:
            return False
    return True


def _handed(unit: Unit, flow: Flow, name: str) -> bool:
    """Whether a name is an argument of a decorated function: jit copies the dict, so callers do not see it change."""
    context = unit.contexts.get(flow.function)
    if context is None or context.jit is None or not context.jit.decorator or isinstance(flow.function, ast.Lambda):
        return False
    arguments = flow.function.args
    return name not in context.static and name in {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}


def _read_first(node: ast.For | ast.While, name: str) -> bool:
    """Whether each item that the loop sets is read no later than that, so that it is there from the start."""
    read: set[object] = set()
    for statement in (s for s in walk_scope(node.body) if isinstance(s, ast.stmt)):
        for part in walk_scope([statement]):
            match part:
                case ast.Subscript(value=ast.Name(id=base), slice=ast.Constant(value=key)) if base == name:
                    if isinstance(part.ctx, ast.Load) or isinstance(statement, ast.AugAssign):
                        read.add(key)
        if any(isinstance(k, ast.Constant) and k.value not in read for k in _set_keys(statement, name)):
            return False
    return True


def _set_keys(statement: ast.stmt, name: str) -> Iterator[ast.expr]:
    """The keys that a statement itself sets."""
    places = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    for place in (part for target in places if target is not None for part in ast.walk(target)):
        match place:
            case ast.Subscript(value=ast.Name(id=base), slice=key, ctx=ast.Store()) if base == name:
                yield key


def _goes_over(unit: Unit, key: ast.Name, name: str) -> bool:
    """Whether a key comes out of a loop over the keys that are there: `for k in params: params[k] = ...`."""
    for around in unit.ancestors(key):
        match around:
            case ast.For(target=ast.Name(id=bound), iter=ast.Name(id=listed)) if bound == key.id:
                return listed == name
    return False


def made_inside(unit: Unit, node: ast.For | ast.While, flow: Flow, carried: Collection[str]) -> Names:
    """Names of dicts and lists that each trip makes anew and nobody reads after it: to change them is no effect."""
    stored: dict[str, list[ast.AST]] = {}
    for part in walk_scope(node.body):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            stored.setdefault(part.id, []).append(part)
    kept = {*carried, *flow.live_after(node)}
    return frozenset(n for n, places in stored.items() if n not in kept and all(_makes(unit, p) for p in places))


def _makes(unit: Unit, target: ast.AST) -> bool:
    """Whether a name is bound to a new dict or list there."""
    match unit.parents[target]:
        case ast.Assign(targets=[only], value=value) | ast.AnnAssign(target=only, value=ast.expr() as value):
            return only is target and (_fresh(unit, value) or _repeated(value) or _array(unit, value))
        case ast.Tuple() as names:
            match unit.parents[names]:
                case ast.Assign(targets=[only], value=ast.Tuple(elts=values)) if only is names:
                    place = names.elts.index(target) if target in names.elts else -1
                    return len(values) == len(names.elts) and place >= 0 and _fresh(unit, values[place])
    return False


def _array(unit: Unit, made: ast.expr) -> bool:
    """Whether an expression makes an array of `jax.numpy`, such as `jnp.stack(rows)`: nothing changes it in place."""
    return isinstance(made, ast.Call) and (unit.resolve(made.func) or "").startswith("jax.numpy.")


def _repeated(made: ast.expr) -> bool:
    """`[0] * n`, or a comprehension"""
    match made:
        case ast.ListComp() | ast.DictComp():
            return True
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return isinstance(left, ast.List) or isinstance(right, ast.List)
    return False


def _makings(unit: Unit, flow: Flow, name: str) -> Iterator[ast.expr | None]:
    """The expressions that the function binds a name to; None follows if that is not one plain assignment."""
    stored = [n for n in _places(unit, flow, name) if isinstance(n.ctx, ast.Store)]
    for place in stored:
        match unit.parents.get(place):
            case ast.Assign(targets=[ast.Name()], value=value):
                yield value
    if len(stored) != 1:
        yield None


def _places(unit: Unit, flow: Flow, name: str) -> list[ast.Name]:
    """The places where a name stands in the function, in those in it too."""
    found = unit.mentions.get(name, [])
    return found if flow.function is unit.node else [n for n in found if flow.function in unit.ancestors(n)]


def _fresh(unit: Unit, made: ast.expr) -> bool:
    """Whether an expression makes a dict or a list that nobody else has yet."""
    match made:
        case ast.Dict() | ast.List():
            return not any(isinstance(part, ast.Starred) for part in ast.walk(made))
        case ast.Call(func=ast.Name() as function, args=[_] | [], keywords=_):
            return unit.resolve(function) in MAKES
    return False


def _keys(made: ast.expr) -> frozenset[object] | None:
    """The keys that are there from the start; None where that is not written."""
    match made:
        case ast.Dict(keys=keys) if None not in keys:
            return frozenset(k.value for k in keys if isinstance(k, ast.Constant))
        case ast.List(elts=elements):
            return frozenset(range(-len(elements), len(elements)))
    return None
