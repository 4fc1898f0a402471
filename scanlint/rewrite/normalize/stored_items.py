"""`state["x"] = ...` and `self.x = ...` in the arms of a branch, by way of a name that the branch can give a value."""

from __future__ import annotations

import ast

from scanlint.branches.branch import BranchModel, is_elif
from scanlint.finding import NOT_APPLICABLE, Edit, Next, Rewrite, Step, Withheld
from scanlint.rewrite.emit.snippets import claimed
from scanlint.syntax.bindings import binds

Place = ast.Subscript | ast.Attribute


def without_stores(model: BranchModel) -> Step:
    """The branch with names for what it sets in place, if that is all that is in its way.

    Each is read before the branch and set after it, in any case: what is not there yet is no place to choose for.
    """
    node, unit, source = model.node, model.unit, model.unit.source
    if model.returns or not model.obstacles or any(o.code not in ("mutation", "no-state") for o in model.obstacles):
        return NOT_APPLICABLE
    places = _places(node)
    if not places or is_elif(unit, node):
        return NOT_APPLICABLE
    if any(isinstance(part, ast.JoinedStr) for part in ast.walk(node)):  # Python 3.11 does not say where in it they are
        return Withheld("layout", f"what is set may be read in an f-string of the branch (line {node.lineno})")
    taken = set(unit.names)
    names: dict[str, str] = {}
    edits: list[Edit] = []
    for uses in places.values():
        (base, part), code = _words(uses[0]), source.segment(uses[0])
        names[code] = claimed(taken, part, f"{base}_{part}")
        edits += [source.put(use, names[code]) for use in uses]
    first = source.ahead(node, *(f"{name} = {code}" for code, name in names.items()))
    last = source.behind(node, *(f"{code} = {name}" for code, name in names.items()))
    return Rewrite((first, *edits, last), "cond", next=(Next(node, reported=True),))


def _places(node: ast.If) -> dict[str, list[Place]]:
    """The items and attributes that a branch sets, by how they are written; none if it does more with what has them."""
    found: dict[str, list[Place]] = {}
    parts = [p for p in ast.walk(node) if isinstance(p, Place) and _words(p)[1].isidentifier()]
    stored = {ast.unparse(p) for p in parts if isinstance(p.ctx, ast.Store)}
    bases: dict[str, int] = {}
    for part in parts:
        assert isinstance(part.value, ast.Name)
        bases[part.value.id] = bases.get(part.value.id, 0) + 1
        if (code := ast.unparse(part)) in stored:
            found.setdefault(code, []).append(part)
    owners = {use.value.id for uses in found.values() for use in uses if isinstance(use.value, ast.Name)}
    loads = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in owners]
    escaping = any(loads.count(owner) != bases[owner] for owner in owners)
    return {} if escaping or owners & binds(node) else found


def _words(place: ast.AST) -> tuple[str, str]:
    """The name of an object, and that of the item or attribute of it; the second is empty where it is another thing."""
    match place:
        case ast.Subscript(value=ast.Name(id=base), slice=ast.Constant(value=str(key))):
            return base, key
        case ast.Attribute(value=ast.Name(id=base), attr=key):
            return base, key
    return "", ""
