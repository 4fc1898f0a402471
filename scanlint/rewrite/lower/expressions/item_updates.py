"""Assignments to items of arrays, as updates that give a changed array: `x = x.at[i].set(v)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from scanlint.branches.item_writes import ItemWrite
from scanlint.finding import Outcome, Rewrite, Withheld, first_of
from scanlint.jaxapi.words import words
from scanlint.rewrite.emit.snippets import SIGNS, atom, on_one_line, operand
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds
from scanlint.syntax.bindings import parameters as parameters_of
from scanlint.trace.unit import Unit

METHODS: dict[type[ast.operator], str] = {ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
VIEWS = words("reshape ravel view transpose swapaxes squeeze flatten diagonal")


def to_update(unit: Unit, written: Sequence[ItemWrite]) -> Outcome:
    """The statement with the array bound anew."""
    first, statement = written[0], written[0].statement
    line = statement.lineno
    if isinstance(statement, ast.Assign) and (len(statement.targets) > 1 or statement.targets[0] is not first.target):
        return Withheld("several-targets", f"the statement assigns to several targets (line {line})")
    if not isinstance(first.array, ast.Name):
        return Withheld("not-a-name", f"`{ast.unparse(first.array)}` is no local name (line {line})")
    if not _local(unit, statement, first.array.id):
        return Withheld("outer-name", f"`{first.array.id}` belongs to a function around this one (line {line})")
    if (why := _shared(unit, statement, first.array.id)) is not None:
        return why
    made = _masked(unit, first) if _mask(unit, first) else _updated(unit, first)
    if isinstance(made, Withheld):
        return made
    source, name, imports = unit.source, first.array.id, made.spelling.imports
    forms = [
        Rewrite((source.put(statement, f"{name} = {code}"),), "other", imports)
        for code in (made.code, made.cast)
        if code
    ]
    return first_of(forms)


class BoundAnew(NamedTuple):
    """What the name is bound to; `cast`: the same in the dtype of the array, where it may have another one."""

    code: str
    spelling: Spelling
    cast: str = ""


def _local(unit: Unit, statement: ast.stmt, name: str) -> bool:
    """Whether the function around a statement binds a name itself, by a parameter or an assignment."""
    function = next((a for a in unit.ancestors(statement) if isinstance(a, ast.FunctionDef)), unit.node)
    if isinstance(function, ast.Lambda):
        return False
    return name in parameters_of(function.args) or name in binds(*function.body)


def _shared(unit: Unit, statement: ast.stmt, name: str) -> Withheld | None:
    """Why a name that is bound anew is not what the assignment means: others hold the array, or nobody reads it."""
    function = next((a for a in unit.ancestors(statement) if isinstance(a, ast.FunctionDef)), None)
    if function is None:
        return None
    parts = list(ast.walk(function))
    for part in parts:
        match part:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name and _is_view(value):
                return Withheld("shared-array", f"`{name}` may be a part of another array (line {part.lineno})")
            case ast.Assign(value=ast.Name(id=other), lineno=line) if other == name:
                return Withheld("shared-array", f"`{name}` has another name too (line {line})")
    made = {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    returned = {n.id for r in parts if isinstance(r, ast.Return) for n in ast.walk(r) if isinstance(n, ast.Name)}
    if name not in made | returned:
        return Withheld("shared-array", f"`{name}` belongs to the caller, who is not given the changed one")
    inside = {id(n) for n in ast.walk(statement)}
    if not any(isinstance(n, ast.Name) and n.id == name and id(n) not in inside for n in parts if _loads(n)):
        return Withheld("nobody-reads", f"nobody reads `{name}` after it is changed (line {statement.lineno})")
    return None


def _is_view(value: ast.expr) -> bool:
    """What NumPy would give as a part of another array: a name, an item, an attribute, the same in another shape."""
    match value:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in VIEWS
    return False


def _loads(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _updated(unit: Unit, written: ItemWrite) -> BoundAnew | Withheld:
    statement, source = written.statement, unit.source
    if statement.value is None:
        return Withheld("no-value", f"nothing is assigned (line {statement.lineno})")
    name, value = source.segment(written.array), source.segment(statement.value)
    place = f"{name}.at[{source.segment(written.target.slice)}]"
    if isinstance(written.target.slice, ast.Tuple):
        place = f"{name}.at{source.segment(written.target)[len(name) :].lstrip()}"
    if isinstance(statement.value, ast.Tuple):
        value = f"({value})" if not value.startswith("(") else value
    if not isinstance(statement, ast.AugAssign):
        return BoundAnew(f"{place}.set({value})", Spelling(unit))
    kind = type(statement.op)
    if not _single(unit, written.target.slice) or kind not in (ast.Add, ast.Sub, *METHODS):
        sign = SIGNS[kind]
        return BoundAnew(f"{place}.set({source.segment(written.target)} {sign} {operand(value, sign)})", Spelling(unit))
    if kind is ast.Sub:
        value = f"-{atom(on_one_line(value))}"
    return BoundAnew(f"{place}.{METHODS.get(kind, 'add')}({value})", Spelling(unit))


def _single(unit: Unit, index: ast.expr) -> bool:
    """Whether no element is met twice: the indices are Python's own, slices, or tracers without axes."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(p, ast.Slice) or unit.value(p).ndim == 0 or _number(unit, p) for p in parts)


def _number(unit: Unit, part: ast.expr) -> bool:
    value = unit.value(part)
    return value.static and value.container is None and value.dtype == "int"


def _mask(unit: Unit, written: ItemWrite) -> bool:
    value = unit.value(written.target.slice)
    return value.traced and value.dtype == "bool"


def _masked(unit: Unit, written: ItemWrite) -> BoundAnew | Withheld:
    """`x[mask] = v` as `jnp.where(mask, v, x)`, for one number `v`."""
    statement, mask = written.statement, written.target.slice
    value = unit.value(statement.value)
    array, chosen = unit.value(written.array), unit.value(mask)
    compared = isinstance(mask, ast.Compare) and ast.unparse(written.array) in (
        ast.unparse(side) for side in (mask.left, *mask.comparators)
    )
    if not compared and (array.ndim is None or array.ndim != chosen.ndim):
        return Withheld("mask-of-rows", f"the mask may have fewer axes than `{ast.unparse(written.array)}`")
    if not (value.ndim == 0 or (value.static and value.dtype in ("int", "float", "bool"))):
        return Withheld("values-by-mask", f"`{ast.unparse(statement.value or mask)}` may be no single number")
    spelling, source = Spelling(unit), unit.source
    name, text = source.segment(written.array), on_one_line(source.segment(statement.value))  # type: ignore[arg-type]
    if isinstance(statement, ast.AugAssign):
        sign = SIGNS[type(statement.op)]
        text = f"{name} {sign} {operand(text, sign)}"
    code = f"{spelling('jax.numpy.where')}({on_one_line(source.segment(mask))}, {text}, {name})"
    typed = value.static and value.dtype in ("bool", "int")
    if typed or (array.dtype == "float" and (value.static or value.dtype == "float")):
        return BoundAnew(code, spelling)
    return BoundAnew(code, spelling, f"{code}.astype({name}.dtype)")
