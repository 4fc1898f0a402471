"""Effects of calls: what a call does to locations, for library functions by a table, for inner ones by a summary."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from scanlint.dataflow.graph import Call, Event, Leave, Store
from scanlint.dataflow.library import World
from scanlint.dataflow.locations import Object
from scanlint.dataflow.objects import Objects
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.summary import Root, Summary


def root_of(found: Object) -> Root | None:
    """The parameter or outer name through which an object comes in."""
    match found.origin:
        case _ if found.fresh:
            return None
        case ast.arg(arg=name):
            return Root(name, False)
        case str(name):
            return Root(name, True)
    return None


def _roots(found: Collection[Object]) -> set[Root]:
    return {root for o in found if (root := root_of(o)) is not None}


def summarise(names: Names, objects: Objects, siblings: Collection[str]) -> Summary:
    """What running a function does; what its siblings do when it calls them is added by those who ask."""
    events = [e for b in names.graph.blocks for e in b.events]
    closures = names.closures
    captures = closures.scopes.captures.values()
    writes = {str(v) for v in names.outer_bound}
    hidden = {c.variable.name for group in captures for c in group if c.variable.scope is None}
    reads = {str(v) for v in names.ssa.reads if v.scope is None} | hidden
    inside = {Root(name, True) for name in hidden}
    mutates, returns, worlds, unknown = set(inside), set[Root](), set[World](), False
    for event in events:
        match event:
            case Store(node):
                mutates |= _roots(objects.of(node.value))
            case Call(node) if not closures.local(node) and not _sibling(node, siblings):
                effect = objects.effect(node)
                unknown = unknown or effect is None
                if effect is not None and effect.world is not World.NOTHING:
                    worlds.add(effect.world)
                mutates |= _roots(changed(objects, node))
            case Leave(node):
                returns |= _roots(reachable(objects, objects.of(node)))
    sent = {r for e in events for r in _sent(objects, e, siblings)}
    leaks = _roots(objects.exposed) | inside | sent
    every = frozenset(mutates | leaks)
    return Summary(
        frozenset(reads), frozenset(writes), every, frozenset(leaks), frozenset(returns), frozenset(worlds), unknown
    )


def _sibling(call: ast.Call, siblings: Collection[str]) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in siblings


def _sent(objects: Objects, event: Event, siblings: Collection[str]) -> Iterator[Root]:
    """What is handed to another inner function of the function around this one."""
    if isinstance(event, Call) and _sibling(event.node, siblings):
        for argument in [*event.node.args, *(k.value for k in event.node.keywords)]:
            yield from _roots(reachable(objects, objects.of(argument)))


def changed(objects: Objects, call: ast.Call) -> frozenset[Object]:
    """The objects that a call of a library function or method changes in place; all it can get at, if not known."""
    effect = objects.effect(call)
    receivers = objects.receivers(call)[0]
    if effect is None:
        given = [*call.args, *(k.value for k in call.keywords)]
        return reachable(objects, receivers.union(*(objects.of(g) for g in given)))
    found = receivers if -1 in effect.mutates else frozenset()
    places = [at for at in effect.mutates if 0 <= at < len(call.args)]
    return found.union(*(objects.of(call.args[at]) for at in places))


def reachable(objects: Objects, found: Collection[Object]) -> frozenset[Object]:
    """The objects, and all that their cells hold."""
    seen, stack = set(found), list(found)
    while stack:
        for cell in objects.cells.get(stack.pop(), {}).values():
            for inner in objects.found(cell) - seen:
                seen.add(inner)
                stack.append(inner)
    return frozenset(seen)
