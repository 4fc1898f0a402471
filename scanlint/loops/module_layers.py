"""Loops over like-structured layers that are modules: made in the loop, or kept in a list."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.loops.loop import LoopModel
from scanlint.loops.trip_count import class_named, constructed, elsewhere, field_default, number
from scanlint.syntax.bindings import Names, binds, defaults, reads, targets, walk_scope
from scanlint.trace.domain.callables import ClassRef
from scanlint.trace.unit import Unit

FEWEST = 12
"""Equal blocks from which a scan over them is worth what it changes."""
COMPACT = "flax.linen.compact"


class Blocks(NamedTuple):
    """A loop of equal blocks: what makes them (`Block`, `self.layers`), and how many there are where it is known."""

    maker: str
    number: int | None


def made_blocks(model: LoopModel) -> Blocks | None:
    """Flax modules made in a loop of a compact method, each with the same constructor, each applied to the carry."""
    unit, node = model.unit, model.node
    function = model.function
    decorators = getattr(function, "decorator_list", [])
    if not any(unit.resolve(d) == COMPACT for d in decorators) or _scans(function):
        return None
    if len(model.streams) != 1 or not model.streams[0].plain or not model.carried:
        return None
    count = counted(unit, model.streams[0].stop)
    if count is None or (_of_a_stage(model) if count.known is None else count.known < FEWEST):
        return None
    maker = _maker(model)
    if maker is None or any(_chooses(part, binds(node)) for part in walk_scope(node.body)):
        return None
    return Blocks(maker, count.known)


def _of_a_stage(model: LoopModel) -> bool:
    """Whether so many blocks are made on each trip of another loop of the function: a stage has few."""
    loops = [part for part in ast.walk(model.function) if isinstance(part, ast.For)]
    inner = (part for loop in loops for part in walk_scope(loop.body) if isinstance(part, ast.For))
    return any(ast.dump(part.iter) == ast.dump(model.node.iter) for part in inner if isinstance(model.node, ast.For))


def _scans(function: ast.AST) -> bool:
    """Whether a function calls something like `nn.scan` for the layers already."""
    called = [ast.unparse(part.func).rpartition(".")[2] for part in ast.walk(function) if isinstance(part, ast.Call)]
    return any("scan" in name for name in called)


class Depth(NamedTuple):
    """A number of layers that is set from outside; `known` is what it is, or is by default."""

    known: int | None


def counted(unit: Unit, bound: ast.expr | None) -> Depth | None:
    """How many layers a bound gives: a number, or a field."""
    known = unit.value(bound).constant
    if isinstance(known, int) and not isinstance(known, bool):
        return Depth(known)
    match bound:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            known = by_default(unit, bound)
            found = owner(unit)
            return Depth(constructed(unit, found.name, name) if known is None and found is not None else known)
        case ast.Attribute(value=ast.Attribute() | ast.Name(), attr=name):
            known = elsewhere(unit, bound)
            return Depth(_configured(unit, name) if known is None else known)
    return None


def _configured(unit: Unit, name: str) -> int | None:
    """The default of a field of this name in some class of the file."""
    classes = unit.file.classes.values()
    return next((known for c in classes if (known := field_default(c, name)) is not None), None)


def owner(unit: Unit) -> ast.ClassDef | None:
    """The class that a method belongs to."""
    return class_named(unit, unit.qualname.partition(".")[0])


def by_default(unit: Unit, bound: ast.expr) -> int | None:
    """The number that an attribute of `self` has by default: as a field, or as an argument of the constructor."""
    match bound:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            found = owner(unit)
        case _:
            return None
    if found is None:
        return None
    known = field_default(found, name)
    for method in found.body if known is None else []:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            return number(defaults(method.args).get(name))
    return known


def _maker(model: LoopModel) -> str | None:
    """The class of the modules, if one is made on each trip and applied to a carried name."""
    unit = model.unit
    sizes = _sizes(model)
    made: dict[str, ast.Call] = {}
    for statement in model.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if _is_block(unit, call):
                made[name] = call
            case ast.Assign(targets=bound, value=ast.Call(func=maker, args=[first, *_])):
                names = {n for t in bound for n in targets(t)} & set(model.carried)
                block = made.get(maker.id) if isinstance(maker, ast.Name) else maker
                if not isinstance(block, ast.Call) or not _is_block(unit, block) or not names & reads(first):
                    continue
                return ast.unparse(block.func) if _alike(block, sizes) else None
    return None


def _sizes(model: LoopModel) -> Names:
    """Names in the body that differ from trip to trip and may be sizes: the index, and what is made of it."""
    names = set(model.targets)
    for statement in walk_scope(model.node.body):
        match statement:
            case ast.Assign(targets=bound, value=value) if reads(value) & names and not _is_fraction(value):
                names |= {n for t in bound for n in targets(t)} - set(model.carried)
    return frozenset(names)


def _is_fraction(value: ast.expr) -> bool:
    """A number made with `/` is a rate, never a size."""
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in ast.walk(value))


def _alike(block: ast.Call, sizes: Names) -> bool:
    """Whether nothing but the name of a block, or a rate, differs from trip to trip."""
    parts = [*block.args, *(k.value for k in block.keywords if k.arg != "name")]
    return all(not reads(p) & sizes or _is_fraction(p) for p in parts)


def _is_block(unit: Unit, call: ast.Call) -> bool:
    """Whether a call makes a module of the project that is made of several modules."""
    name = ast.unparse(call.func)
    if not isinstance(unit.value(call.func).callee, ClassRef):
        return False
    found = class_named(unit, name)
    if found is None:
        return True
    inside = [n for n in ast.walk(found) if isinstance(n, ast.Call) and _capital(n.func)]
    return len(inside) > 1


def _capital(function: ast.expr) -> bool:
    name = ast.unparse(function).rpartition(".")[2]
    return name[:1].isupper()


def _chooses(part: ast.AST, inside: Names) -> bool:
    """A branch that depends on the trip, or a jump: the blocks are not all treated alike."""
    match part:
        case ast.If(test=test) | ast.IfExp(test=test):
            return bool(reads(test) & inside)
        case ast.Break() | ast.Continue() | ast.Return():
            return True
    return False


def kept_blocks(model: LoopModel) -> Blocks | None:
    """Modules that the constructor puts in a list by one comprehension, gone over in a method."""
    node = model.node
    assert isinstance(node, ast.For)
    match node.iter:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if isinstance(node.target, ast.Name):
            count = _built(model.unit, name)
            block = node.target.id
        case _:
            return None
    if count is None or count < FEWEST or any(_chooses(part, binds(node)) for part in walk_scope(node.body)):
        return None
    for statement in node.body:
        match statement:
            case ast.Assign(targets=bound, value=ast.Call(func=ast.Name(id=called), args=[first, *_])) if (
                called == block
            ):
                if {n for t in bound for n in targets(t)} & set(model.carried) & reads(first):
                    return Blocks(f"self.{name}", count)
    return None


def _built(unit: Unit, attribute: str) -> int | None:
    """How many modules of one constructor the class puts in an attribute."""
    found = owner(unit)
    for method in found.body if found is not None else []:
        if not isinstance(method, ast.FunctionDef):
            continue
        for part in ast.walk(method):
            match part:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                    if name == attribute:
                        return _length(unit, method, value)
    return None


def _length(unit: Unit, method: ast.FunctionDef, value: ast.expr) -> int | None:
    for part in ast.walk(value):
        match part:
            case (
                ast.ListComp(elt=ast.Call() as call, generators=[only])
                | ast.GeneratorExp(elt=ast.Call() as call, generators=[only])
            ):
                match only:
                    case ast.comprehension(
                        target=target, iter=ast.Call(func=ast.Name(id="range"), args=[bound]), ifs=[]
                    ):
                        return _number(unit, method, bound) if _alike(call, frozenset(targets(target))) else None
    return None


def _number(unit: Unit, method: ast.FunctionDef, bound: ast.expr) -> int | None:
    match bound:
        case ast.Constant():
            return number(bound)
        case ast.Name(id=name):
            return number(defaults(method.args).get(name))
    return by_default(unit, bound)
