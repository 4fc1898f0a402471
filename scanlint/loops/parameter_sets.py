"""Lists of parameter sets that are alike, so that their leaves can be stacked."""

from __future__ import annotations

import ast

from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.loops.obstacles import MAKERS
from scanlint.syntax.bindings import reads, targets, walk_scope

KEYED = words("key PRNGKey fold_in split")
DRAWS = words("normal uniform truncated_normal orthogonal glorot_normal glorot_uniform")


def alike_sets(model: LoopModel) -> bool:
    """Whether each set is applied to the carry, and all have one structure: the carry keeps its shape by an addition,
    or one comprehension makes them all.
    """
    node = model.node
    assert isinstance(node, ast.For) and isinstance(node.iter, ast.Name)
    layer, carried = frozenset(targets(node.target)), frozenset(model.carried)
    body = list(walk_scope(node.body))
    if not any(_applies(part) and reads(part) & layer and reads(part) & carried for part in body):
        return False
    return any(_adds(model, part) for part in body) or _made_alike(model, node.iter.id)


def _applies(part: ast.AST) -> bool:
    return isinstance(part, ast.Call) or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult))


def _adds(model: LoopModel, part: ast.AST) -> bool:
    """`x = x + f(layer, x)`: what is added has the shape of the carry, so nothing changes from layer to layer."""
    match part:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()):
            return name in model.carried
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            sides = [s.id for s in (left, right) if isinstance(s, ast.Name)]
            return name in model.carried and name in sides
    return False


def _made_alike(model: LoopModel, name: str) -> bool:
    """Whether the file makes sets by a comprehension that gives each the same shapes: a list of this name, or a list of
    dicts with the keys that the loop reads.
    """
    for statement in model.unit.file.kinds.of(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.ListComp() as made) if bound == name:
                if _same_shapes(made):
                    return True
    read = _keys(model)
    for made in model.unit.file.kinds.of(ast.ListComp) if read else ():
        match made.elt:
            case ast.Dict(keys=keys) if read <= {k.value for k in keys if isinstance(k, ast.Constant)}:
                if _same_shapes(made):
                    return True
    return False


def _keys(model: LoopModel) -> set[object]:
    """The keys that the body reads of the loop variable."""
    assert isinstance(model.node, ast.For)
    found: set[object] = set()
    for part in walk_scope(model.node.body):
        match part:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                if name in targets(model.node.target):
                    found.add(key)
    return found


def _same_shapes(made: ast.ListComp) -> bool:
    """Whether no shape in the elements of a comprehension depends on their place."""
    match made.generators:
        case [ast.comprehension(target=ast.Name(id=name), iter=iterable, ifs=[])]:
            counted = isinstance(iterable, ast.Call) and ast.unparse(iterable.func) == "range"
            return not any(_shapes(part, name, counted) for part in ast.walk(made.elt))
    return False


def _shapes(part: ast.AST, name: str, counted: bool) -> bool:
    """Whether a call may make a shape of the place of an element; keys and values make none."""
    if not isinstance(part, ast.Call):
        return False
    called = ast.unparse(part.func).rpartition(".")[2]
    options = [k.value for k in part.keywords if k.arg == "shape"]
    if called in KEYED:
        return False
    if called in MAKERS:
        return name in reads(*part.args[:1], *options)
    if ".random." in ast.unparse(part.func) or called in DRAWS:
        return name in reads(*part.args[1:], *options)
    given = [*part.args, *(k.value for k in part.keywords)]
    return any(name in reads(a) and not _harmless(a, name, counted) for a in given)


def _harmless(argument: ast.expr, name: str, counted: bool) -> bool:
    """One of a row of keys: the variable of `for k in keys`, `keys[i]`, or a key made on the spot."""
    match argument:
        case ast.Name():
            return not counted
        case ast.Subscript(value=ast.Name(id=rows), slice=ast.Name(id=at)):
            return at == name and "key" in rows.lower()
        case ast.Call(func=function):
            return ast.unparse(function).rpartition(".")[2] in KEYED
    return False
