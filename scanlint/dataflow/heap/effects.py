"""Effects of calls: what a call does to locations, for library functions by a table, for inner ones by a summary."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from scanlint.dataflow.control.blocks import Calling, Leave, Store
from scanlint.dataflow.heap.objects import Objects
from scanlint.dataflow.heap.outcomes import Effects, Root, arguments
from scanlint.dataflow.library import Outside
from scanlint.dataflow.locations import Object
from scanlint.dataflow.reaching import Names


def root_of(found: Object) -> Root | None:
    """The parameter or outer name through which an object comes in."""
    match found.origin:
        case _ if found.fresh:
            return None
        case ast.arg(arg=name):
            return Root(name, False, bool(found.path))
        case str(name):
            return Root(name, True, bool(found.path))
    return None


def _roots(found: Collection[Object]) -> set[Root]:
    return {root for o in found if (root := root_of(o)) is not None}


class Siblings(NamedTuple):
    """The inner functions of one function by the names that they are called by, with what is known of each so far."""

    bound: Mapping[str, Sequence[ast.AST]]
    known: Mapping[ast.AST, Effects]

    def called(self, call: ast.Call) -> Sequence[ast.AST]:
        """The inner functions that a call runs by name."""
        return self.bound.get(call.func.id, ()) if isinstance(call.func, ast.Name) else ()


def summarise(names: Names, objects: Objects, siblings: Siblings) -> Effects:
    """What running a function does, where its siblings do what is known of them."""
    events = [e for b in names.graph.blocks for e in b.events]
    closures = names.closures
    hidden = {c.variable.name for f in closures.made for c in closures.scopes.captures[f] if c.variable.scope is None}
    inside = {root for name in hidden for root in (Root(name, True), Root(name, True, below=True))}
    reads = {str(v) for v in names.ssa.reads if v[0] is None} | hidden
    found = Effects(
        frozenset(reads),
        frozenset(v.name for v in names.outer_bound),
        frozenset(inside),
        frozenset(inside | _roots(objects.exposed)),
    )
    for event in events:
        match event:
            case Store(node):
                found = found.also(mutates=_roots(objects.of(node.value)))
            case Leave(node):
                whole = objects.of(node)
                found = found.also(leaks=_roots(reachable(objects, whole) - whole), returns=_roots(whole))
            case Calling(node) if not closures.local(node):
                found = _called(found, objects, node, siblings)
    return found.also(mutates=found.leaks) if found.unknown else found


def _called(found: Effects, objects: Objects, call: ast.Call, siblings: Siblings) -> Effects:
    """A summary with what one call adds to it."""
    if functions := siblings.called(call):
        for function in functions:
            other = siblings.known[function]
            outer = Effects(
                other.reads,
                other.writes,
                frozenset(r for r in other.mutates if r.outer),
                frozenset(r for r in other.leaks if r.outer),
                frozenset(r for r in other.returns if r.outer),
                other.worlds,
                other.unknown,
            )
            found = found.joined(outer)
            for root, argument in arguments(function, call):
                found = found.also(
                    _roots(given(objects, root, argument, other.mutates)),
                    _roots(given(objects, root, argument, other.leaks)),
                    _roots(given(objects, root, argument, other.returns)),
                )
        return found
    effect = objects.effect(call)
    if effect is None:
        found = found._replace(unknown=True)
    elif effect.world is not Outside.NOTHING:
        found = found._replace(worlds=found.worlds | {effect.world})
    return found.also(mutates=_roots(changed(objects, call)))


def given(objects: Objects, root: Root, argument: ast.expr, roots: Collection[Root]) -> frozenset[Object]:
    """The objects of an argument, or that they hold, as far as a summary names them."""
    return among(objects, root, objects.of(argument), roots)


def among(objects: Objects, root: Root, found: frozenset[Object], roots: Collection[Root]) -> frozenset[Object]:
    """Those objects, or what they hold, as far as a summary names them."""
    own = found if root in roots else frozenset[Object]()
    if root.held not in roots:
        return own
    cells = [cell for o in found for cell in objects.cells.get(o, {}).values()]
    below = {o for cell in cells for o in objects.found(cell)}
    return own | reachable(objects, below) | {o for o in found if not o.fresh}


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
