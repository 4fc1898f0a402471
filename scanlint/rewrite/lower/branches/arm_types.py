"""Arms of a branch made alike: number literals beside arrays, and whether both sides may be computed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scanlint.dataflow.finite_partials import finite_partials
from scanlint.finding import Withheld
from scanlint.jaxapi.host_functions import TWINS
from scanlint.jaxapi.words import words
from scanlint.loops.concrete_uses import LIMITS
from scanlint.syntax.bindings import binds, parameters, reads, targets
from scanlint.trace.unit import Unit

Spell = Callable[[str], str]
FLOAT = "float"
_NUMPY = words(
    "sin cos tan tanh sinh cosh exp exp2 expm1 log log1p log2 log10 sqrt cbrt mean var std sinc hypot logaddexp arctan "
    "arctan2 arcsin arccos arcsinh arccosh arctanh linalg.norm"
)
_NN = words("sigmoid tanh softplus silu gelu swish")
_LAX = words("sqrt rsqrt exp log tanh")
_FLOATING = frozenset(
    [*(f"jax.numpy.{n}" for n in _NUMPY), *(f"jax.nn.{n}" for n in _NN), *(f"jax.lax.{n}" for n in _LAX)]
)
_FINITE = words("abs negative square maximum minimum zeros_like ones_like")
_TOTAL = frozenset(f"jax.numpy.{n}" for n in _FINITE)
_REDUCED = frozenset(f"jax.numpy.{n}" for n in words("sum mean max min float32 float16 bfloat16 float64 int32"))
"""Finite as well, but of a dtype of their own."""
_SAME = _TOTAL | frozenset(f"jax.numpy.{n}" for n in words("add subtract multiply max min dot matmul where fmax fmin"))
_SUMS = frozenset(["sum", "prod"])
"""Of whole numbers with few bits they have more; floats keep their dtype."""
MAX_TOTAL = 12


def number(unit: Unit, node: ast.expr) -> bool | int | float | complex | None:
    """The Python number that an expression is, where it is known to be one."""
    match node:
        case ast.Constant(value=bool() | int() | float() | complex() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = number(unit, operand)
            return -inner if inner is not None else None
    known = unit.value(node).constant
    return known if isinstance(known, bool | int | float | complex) else None


def not_a_number(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is known to be something that no array can hold: a string, None, ..."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, bool | int | float | complex)
    value = unit.value(node)
    return value.known and not isinstance(value.constant, bool | int | float | complex | tuple | list | dict)


def dtype_parts(
    unit: Unit, node: ast.expr, env: Mapping[str, ast.expr | None], depth: int = 0, *, float_joins: bool = False
) -> frozenset[str] | None:
    """The names whose promoted dtype is that of an expression, with "float" where a Python float takes part.

    None where that is not evident. `env` gives the expressions of names that are local to the arm. `float_joins`: how
    wide whole numbers are makes no difference.
    """
    if depth > 20:
        return None

    def both(*nodes: ast.expr, joins: bool = float_joins) -> frozenset[str] | None:
        parts = [dtype_parts(unit, n, env, depth + 1, float_joins=joins) for n in nodes]
        return None if any(p is None for p in parts) else frozenset().union(*(p for p in parts if p is not None))

    def reduced(array: ast.expr, how: str) -> frozenset[str] | None:
        parts = both(array)
        sure = float_joins or (parts is not None and FLOAT in parts) or unit.value(array).dtype == "float"
        if parts is None or (how in _SUMS and not sure):
            return None
        return parts | {FLOAT} if how == "mean" else parts

    known = number(unit, node)
    if known is not None:
        return None if isinstance(known, complex) else frozenset({FLOAT} if isinstance(known, float) else ())
    match node:
        case ast.Name(id=name) if name in env:
            bound = env[name]
            outer = {k: v for k, v in env.items() if k != name}
            return dtype_parts(unit, bound, outer, depth + 1, float_joins=float_joins) if bound is not None else None
        case ast.Name(id=name):
            value = unit.value(node)
            return None if value.container or value.dtype == "bool" else frozenset({name})
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return both(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Pow() | ast.MatMult(), right=right):
            return both(left, right)
        case ast.Subscript(value=ast.Name() as array) if unit.value(array).container is None:
            return both(array)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            parts = both(left, right, joins=True)
            return None if parts is None else parts | {FLOAT}
        case ast.Call(func=function, args=[_, *arms]) if unit.resolve(function) == "jax.lax.cond":
            found = (both(arm.body) for arm in arms if isinstance(arm, ast.Lambda) and not parameters(arm.args))
            return next((parts for parts in found if parts is not None), None)
        case ast.Call(func=function, args=[_, kind], keywords=[]) if unit.resolve(function) == "jax.numpy.asarray":
            return _asked(unit, kind)
        case ast.Call(func=ast.Attribute(value=array, attr="sum" | "prod" | "max" | "min" | "mean" as method)) if (
            unit.value(array).array and _whole(node)
        ):
            return reduced(array, method)
        case ast.Call(func=function, args=[_]) if unit.resolve(function) == "builtins.float":
            return frozenset({FLOAT})
        case ast.Call(func=function, args=args) if args and _whole(node):
            called = _for_tracers(unit.resolve(function) or "")
            args = args[1:] if called == "jax.numpy.where" and len(args) == 3 else args
            if called.removeprefix("jax.numpy.") in _SUMS:
                return reduced(args[0], "sum")
            parts = both(*args, joins=float_joins or called in _FLOATING) if called in _FLOATING | _SAME else None
            return parts | {FLOAT} if parts is not None and called in _FLOATING else parts
    return None


def _asked(unit: Unit, kind: ast.expr) -> frozenset[str] | None:
    """The same of a dtype that is asked for: `x.dtype`, `jnp.result_type(x, float)`."""
    match kind:
        case ast.Attribute(value=ast.Name(id=name), attr="dtype"):
            return frozenset({name})
        case ast.Call(func=function, args=args) if unit.resolve(function) == "jax.numpy.result_type":
            return frozenset(a.id for a in args if isinstance(a, ast.Name)) if _named(args) else None
    return None


def _named(nodes: Sequence[ast.expr]) -> bool:
    return all(isinstance(node, ast.Name) for node in nodes)


def _for_tracers(name: str) -> str:
    """What JAX calls a function of the host, or one of its own."""
    return TWINS[name].name if name in TWINS else LIMITS.get(name, name)


def _whole(call: ast.Call) -> bool:
    """Whether nothing that a call is given by name says what dtype it gives."""
    return {k.arg for k in call.keywords} <= {"axis", "keepdims"}


def total(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is cheap, and may be computed where it is not chosen: its gradient stays finite."""
    counted = {n for read in ast.walk(node) if _counted(unit, read) for n in ast.walk(read)}
    parts = [n for n in ast.walk(node) if n not in counted]
    size = sum(isinstance(n, ast.expr) for n in parts)
    return size <= MAX_TOTAL and all(_plain(unit, n) for n in parts) and finite_partials(unit, node)


def _counted(unit: Unit, node: ast.AST) -> bool:
    """Whether an expression is a sum of whole numbers of Python: the place of a row, which has no derivative."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        return False
    value = unit.value(node)
    return value.dtype == "int" and not value.array and not value.traced


def _plain(unit: Unit, node: ast.AST) -> bool:
    """Whether a part of an expression has its size and its dtype from its operands."""
    match node:
        case ast.Subscript(value=array, slice=index):
            return (unit.value(array).array or unit.value(array).traced) and not isinstance(index, ast.Slice)
        case ast.Call(func=function):
            return unit.resolve(function) in _TOTAL | _REDUCED | {"jax.numpy.tanh"}
    return True


def cast(unit: Unit, literal: ast.expr, code: str, parts: frozenset[str], spell: Spell) -> str:
    """A Python number as an array of the dtype that these parts promote to."""
    known = number(unit, literal)
    wanted = parts | {FLOAT} if isinstance(known, float) else parts
    names = sorted(wanted - {FLOAT})
    if len(names) == 1 and (FLOAT not in wanted or _is_float(unit, names[0])) and not _static(unit, names[0], any):
        return f"{spell('jax.numpy.asarray')}({code}, {names[0]}.dtype)"
    arguments = [*names, *([FLOAT] if FLOAT in wanted else [])]
    return f"{spell('jax.numpy.asarray')}({code}, {spell('jax.numpy.result_type')}({', '.join(arguments)}))"


def _is_float(unit: Unit, name: str) -> bool:
    """Whether every use of a name is known to be of a float."""
    uses = _uses(unit, name)
    return bool(uses) and all(unit.value(n).dtype == "float" for n in uses)


def _static(unit: Unit, name: str, how_many: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether any use of a name, or all, are of a Python value: it has no dtype, or one that an array overrules."""
    uses = _uses(unit, name)
    return bool(uses) and how_many(unit.value(n).static for n in uses)


def _uses(unit: Unit, name: str) -> list[ast.Name]:
    return [n for n in ast.walk(unit.node) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]


@dataclass(frozen=True, slots=True)
class Leaf:
    """What one arm gives for one result.

    `node` is the expression, None where that is not evident; `code` how it is written, or, if it is not `written` in
    the arm, how to write it; `local` what the arm binds its own names to, None where that is not evident.
    `hidden` are names that mean something else where the leaf stands: the arm has bound them by then. `bound` is what
    a name that stands alone was last bound to before the branch, where that is evident.
    """

    code: str
    node: ast.expr | None = None
    local: Mapping[str, ast.expr | None] = field(default_factory=dict)
    written: bool = True
    hidden: frozenset[str] = frozenset()
    bound: ast.expr | None = None


def unify(unit: Unit, leaves: Sequence[Leaf], what: str, spell: Spell) -> dict[int, str] | Withheld:
    """For one result, the new source of those arms (by place) whose value must be cast to be like the others."""
    nodes = [leaf.node for leaf in leaves]
    for node in nodes:
        if node is not None and not_a_number(unit, node):
            if all(n is not None and isinstance(n, ast.Constant) and n.value is None for n in nodes):
                return {}
            line = node.lineno
            return Withheld(
                "not-an-array", f"{what} is `{ast.unparse(node)}` on one side, which no array can hold (line {line})"
            )
    numbers = {i: number(unit, n) for i, n in enumerate(nodes) if n is not None and number(unit, n) is not None}
    if (other := _uneven(unit, nodes)) is not None:
        why = f"{what} is the Python number `{ast.unparse(other)}` on one side and an array on the other"
        return Withheld("branch-types-differ", f"{why} (line {other.lineno})")
    if not numbers:
        return _strong(unit, leaves, spell)
    if len(numbers) == len(nodes):
        return _numbers(nodes, numbers, what)
    return _beside_array(unit, leaves, numbers, what, spell)


def _strong(unit: Unit, leaves: Sequence[Leaf], spell: Spell) -> dict[int, str]:
    """Casts of names that may hold Python numbers still, beside arrays: `cond` would give results as weak as these."""
    nodes = [leaf.node for leaf in leaves]
    weak = {i: n for i, n in enumerate(nodes) if isinstance(n, ast.Name) and numeral(unit, n.id)}
    weak = {i: n for i, n in weak.items() if leaves[i].bound is None or not unit.value(leaves[i].bound).traced}
    found: frozenset[str] = frozenset()
    for leaf in leaves:
        if not found and leaf.node is not None and leaf.node not in weak.values():
            found = dtype_parts(unit, leaf.node, leaf.local) or found
    found -= {n.id for n in weak.values()}
    arrays = found - {FLOAT}
    if len(arrays) != 1 or any(numeral(unit, name) for name in arrays) or any(found & leaf.hidden for leaf in leaves):
        return {}
    return {i: cast(unit, n, leaves[i].code, found, spell) for i, n in weak.items()}


def numeral(unit: Unit, name: str) -> bool:
    """Whether a name is somewhere bound to a Python number, or read as one: a range gives such, whatever its bounds."""
    kinds = ("int", "float", "complex")
    loops = [n for n in unit.every(ast.For) if name in targets(n.target)]
    if any(not unit.value(loop.iter).array for loop in loops):
        return True
    given = _given_anew(unit, name)
    names = [n for n in unit.every(ast.Name) if n.id == name] if given is None else [given]
    return any(value.static and not value.array and value.dtype in kinds for value in map(unit.value, names))


def _given_anew(unit: Unit, name: str) -> ast.expr | None:
    """What each trip of a `while_loop` gives a name before it reads it: what the name starts as is never seen then."""
    for call in unit.every(ast.Call):
        match unit.resolve(call.func), call.args:
            case "jax.lax.while_loop", [_, ast.Name(id=body), start] if name in reads(start):
                defined = [s for s in unit.every(ast.FunctionDef) if s.name == body]
                return next((_first_value(s, name) for s in defined), None)
    return None


def _first_value(body: ast.FunctionDef, name: str) -> ast.expr | None:
    """What a function gives a name first, if it does not read it before; its parameters may be taken apart."""
    for statement in body.body:
        match statement:
            case ast.Assign(value=ast.Name(id=whole)) if whole in parameters(body.args):
                continue
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name and name not in reads(value):
                return value
        if name in reads(statement) | binds(statement):
            return None
    return None


def _uneven(unit: Unit, nodes: Sequence[ast.expr | None]) -> ast.expr | None:
    """A Python number whose value is not known here, where another arm gives an array not known to be of its kind."""
    known = [(n, unit.value(n)) for n in nodes if n is not None and number(unit, n) is None]
    arrays = {value.dtype for _, value in known if value.traced}
    plain = ((n, v.dtype) for n, v in known if v.static and not v.array and v.dtype in ("int", "float", "complex"))
    return next((node for node, dtype in plain if arrays - {dtype}), None)


def _numbers(nodes: Sequence[ast.expr | None], numbers: Mapping[int, object], what: str) -> dict[int, str] | Withheld:
    """Only Python numbers: all of one kind, integers written as floats where others are floats."""
    kinds = {type(n) for n in numbers.values()}
    if len(kinds) == 1:
        return {}
    if kinds != {int, float}:
        names = " and ".join(sorted(k.__name__ for k in kinds))
        return Withheld("branch-types-differ", f"{what} is {names} by turns (line {_line(nodes)})")
    return {i: repr(float(n)) for i, n in numbers.items() if isinstance(n, int)}


def _beside_array(
    unit: Unit, leaves: Sequence[Leaf], numbers: Mapping[int, object], what: str, spell: Spell
) -> dict[int, str] | Withheld:
    """Numbers beside arrays: cast to the dtype of the arrays, where it is evident."""
    nodes = [leaf.node for leaf in leaves]
    if _python(unit, nodes, numbers):
        return {}
    found: frozenset[str] = frozenset()
    for place, leaf in enumerate(leaves):
        if not found and place not in numbers and leaf.node is not None:
            found = dtype_parts(unit, leaf.node, leaf.local) or found
    boolean = any(n is not None and unit.value(n).dtype == "bool" for n in nodes)
    if boolean and all(isinstance(n, bool) for n in numbers.values()):
        array = spell("jax.numpy.asarray")
        return {i: f"{array}({leaves[i].code})" for i in numbers}
    arrays = [name for name in found - {FLOAT} if not _static(unit, name, all)]
    if not arrays or any(isinstance(n, bool | complex) for n in numbers.values()):
        place = min(numbers)
        node = nodes[place]
        assert node is not None
        why = f"{what} is the number `{ast.unparse(node)}` on one side, and its dtype on the other is not evident"
        return Withheld("branch-types-differ", f"{why} (line {node.lineno})")
    if hidden := sorted(name for i in numbers for name in found & leaves[i].hidden):
        why = f"{what} takes its dtype from `{hidden[0]}`, which the branch binds anew"
        return Withheld("branch-types-differ", f"{why} (line {_line(nodes)})")
    return {i: cast(unit, n, leaves[i].code, found, spell) for i in numbers if (n := nodes[i]) is not None}


def _python(unit: Unit, nodes: Sequence[ast.expr | None], numbers: Mapping[int, object]) -> bool:
    """Whether all are Python numbers of one kind, written or held by a name that is never anything else."""
    kinds = {type(n).__name__ for n in numbers.values()}
    for place, node in enumerate(nodes):
        if place in numbers:
            continue
        if not isinstance(node, ast.Name) or not _static(unit, node.id, all):
            return False
        kinds |= {unit.value(n).dtype or "" for n in _uses(unit, node.id)}
    return len(kinds) == 1 and kinds <= {"int", "float"}


def _line(nodes: Sequence[ast.expr | None]) -> int:
    return next(n.lineno for n in nodes if n is not None)
