"""Casts of Python and functions of the host, into those that tracers have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.branches.tracer_casts import Cast
from scanlint.finding import Outcome, Rewrite, Withheld
from scanlint.jaxapi.host_functions import KEYWORDS, TWINS
from scanlint.loops.numbers.meetings import UNBOUNDED
from scanlint.rewrite.emit.in_place import in_place
from scanlint.rewrite.emit.printed import pieces, quoted
from scanlint.rewrite.emit.snippets import atom, on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.lower.expressions.duplicates import untouched
from scanlint.syntax.bindings import targets
from scanlint.trace.unit import Unit

PRINTS = "its text would have to be made anew for `jax.debug.print`"


def to_cast(unit: Unit, node: ast.expr, cast: Cast) -> Outcome:
    """Rewrite a cast of Python (`float(x)`) as the cast of an array that gives the same value."""
    spelling = Spelling(unit)
    match cast.kind:
        case "type":
            return _typed(unit, node, cast, spelling)
        case "method":
            return _method(unit, node, cast, spelling)
        case "host":
            assert isinstance(node, ast.Call)
            return _twin(unit, node, cast, spelling)
    return _printed(unit, node, spelling) or Withheld("text", f"{PRINTS} (line {node.lineno})")


def _printed(unit: Unit, node: ast.expr, spelling: Spelling) -> Rewrite | None:
    """`print("x", x)` and `print(f"x = {x:.2f}")` as `jax.debug.print("x = {:.2f}", x)`, which prints on each call.

    What is known when tracing is put into the text by then. None where a text is not printed but kept, or printed with
    other ends than a line's.
    """
    call = unit.parents.get(node) if isinstance(node, ast.JoinedStr) else node
    if not (isinstance(call, ast.Call) and unit.resolve(call.func) == "builtins.print") or call.keywords:
        return None
    found = [piece for argument in call.args for piece in (" ", *pieces(argument))][1:]
    fields = [_shown(unit, *piece) if isinstance(piece, tuple) else piece for piece in found]
    settled = any(isinstance(f, _Field) and f.settled for f in fields)
    text = "".join(quoted(f) if isinstance(f, str) else f.in_text(settled) for f in fields if f is not None)
    shown = [f.code for f in fields if isinstance(f, _Field) and not f.settled]
    arguments = ", ".join([f'{"f" if settled else ""}"{text}"', *shown])
    printed = f"{spelling('jax.debug.print')}({arguments})"
    return in_place(unit, call, printed, "other", spelling) if None not in fields else None


class _Field(NamedTuple):
    """A value that a text shows, with its format; `settled` is one that is known when tracing."""

    code: str
    spec: str
    settled: bool

    def in_text(self, doubled: bool) -> str:
        if self.settled:
            return f"{{{self.code}{self.spec}}}"
        return f"{{{{{self.spec}}}}}" if doubled else f"{{{self.spec}}}"


def _shown(unit: Unit, value: ast.expr, spec: str) -> _Field | None:
    """A value as a field; one that is known when tracing must show no braces and no quotes of its own."""
    code, known = on_one_line(unit.source.segment(value)), unit.value(value)
    settled = known.static and not known.array
    plain = known.dtype is not None or known.container == "tuple" or isinstance(known.constant, int | float)
    if settled and (not plain or '"' in code or "\\" in code or "{" in code):
        return None
    return _Field(code, spec, settled)


def _typed(unit: Unit, node: ast.expr, cast: Cast, spelling: Spelling) -> Outcome:
    """`int(x)` as `x.astype(int)`, which cuts off decimals as Python does; a value of that type is left as it is.

    A Python float has no precision of its own, and takes on that of the array that it meets: so does `x * 1.0` of a
    whole number. `x.astype(float)` and `x.astype(jnp.result_type(x, float))` are for where that is too weakly typed.
    """
    value, code = unit.value(cast.needed), on_one_line(unit.source.segment(cast.needed))
    if (value.ndim or 0) > 0:
        return Withheld("not-a-scalar", f"`{ast.unparse(cast.needed)}` has axes (line {node.lineno})")
    wide = unbounded_use(unit, node) if cast.name == "int" else None
    if wide is not None and not (value.dtype == "int" and wide.direct):
        return _wide(unit, node, code, wide, spelling)
    if value.dtype == cast.name:
        return in_place(unit, node, code if untouched(unit, node) else atom(code), "other", spelling)
    made = in_place(unit, node, f"{atom(code)}.astype({cast.name})", "other", spelling)
    if cast.name != "float":
        return made
    kind = f"{spelling('jax.numpy.result_type')}({code}, float)"
    kept = in_place(unit, node, f"{atom(code)}.astype({kind})", "other", spelling)
    weak = f"{atom(code)} * 1.0"
    scaled = in_place(unit, node, weak if untouched(unit, node) else f"({weak})", "other", Spelling(unit))
    return scaled._replace(plainer=made._replace(plainer=kept))


def _wide(unit: Unit, node: ast.expr, code: str, wide: Unbounded, spelling: Spelling) -> Outcome:
    """`int(x) % 7` as the remainder of the float, which has no bounds either."""
    by = wide.remainder
    if by is None:
        return _unbounded(wide, node.lineno)
    whole = f"{spelling('jax.numpy.trunc')}({code})"
    return in_place(unit, wide.operation, f"({whole} % {by}).astype(int)", "other", spelling)


def _unbounded(wide: Unbounded, line: int) -> Withheld:
    what = f"`{ast.unparse(wide.operation)}` is worked out of a Python int, which no type bounds"
    return Withheld(UNBOUNDED, f"{what} (line {line})")


def _method(unit: Unit, node: ast.expr, cast: Cast, spelling: Spelling) -> Outcome:
    """`x.item()` as `x`, without axes; through it goes no gradient, for Python's number has none."""
    value, code = unit.value(cast.needed), on_one_line(unit.source.segment(cast.needed))
    if cast.name == "tolist":
        if value.ndim in (1, None):
            return in_place(unit, node, f"list({code})", "other", spelling)
        if value.ndim != 0:
            return Withheld("nested-list", f"`tolist` gives lists of Python numbers (line {node.lineno})")
    alone = code if value.ndim == 0 else f"{atom(code)}.reshape(())"
    made = in_place(unit, node, alone if untouched(unit, node) else atom(alone), "other", spelling)
    constant = f"{spelling('jax.lax.stop_gradient')}({alone})"
    return made._replace(plainer=in_place(unit, node, constant, "other", spelling))


def _twin(unit: Unit, call: ast.Call, cast: Cast, spelling: Spelling) -> Outcome:
    """`math.sin(x)` as `jnp.sin(x)`; what gives a Python int is cast to one."""
    twin, line = TWINS[cast.name], call.lineno
    odd = next((k.arg for k in call.keywords if k.arg not in KEYWORDS), "")
    if odd != "" or len(call.args) > twin.most or any(isinstance(a, ast.Starred) for a in call.args):
        what = f"`{odd}`" if odd else "one more argument"
        return Withheld("other-arguments", f"`{cast.name}` is given {what} (line {line})")
    if cast.name == "numpy.where" and len(call.args) == 1:
        return Withheld("shape-of-values", f"how many places `np.where` gives depends on values (line {line})")
    for argument in call.args if not twin.listed else ():
        if unit.value(argument).container is not None or isinstance(argument, ast.List | ast.Tuple):
            return Withheld("list-of-arrays", f"`{ast.unparse(argument)}` is no array (line {line})")
    power = twin.name == "jax.numpy.float_power" and any(unit.value(a).dtype == "float" for a in call.args)
    name, written = spelling("jax.numpy.power" if power else twin.name), unit.source.segment(call)
    inner = written[len(unit.source.segment(call.func)) :]
    wide = unbounded_use(unit, call) if twin.gives == "int" else None
    if wide is not None:
        return _unbounded(wide, line)
    code = f"{name}{inner}.astype(int)" if twin.gives == "int" else f"{name}{inner}"
    return in_place(unit, call, code, "other", spelling)


RING = ast.Add | ast.Sub | ast.Mult
OF_NUMBERS = ("builtins.abs", "builtins.min", "builtins.max")
"""What gives one of the Python numbers that it gets, or one as large."""
LARGEST = 2**24
"""Remainders by more than this are not exact in single precision."""


class Unbounded(NamedTuple):
    """An operation on a Python int that gives another result where the int is not what it was.

    `direct`: the cast itself is what it is done with, nothing was added or multiplied before.
    """

    operation: ast.expr
    direct: bool

    @property
    def remainder(self) -> int | None:
        """The number that is divided by, where that is all that is done with the cast: `int(t) % 7`."""
        match self.operation:
            case ast.BinOp(op=ast.Mod(), right=ast.Constant(value=int(by))) if self.direct and 0 < by <= LARGEST:
                return by
        return None


def unbounded_use(unit: Unit, cast: ast.expr) -> Unbounded | None:
    """The first operation after which it matters how large a Python int is, though no array meets it before.

    Where it meets an array instead, JAX refuses what does not fit.
    """
    left, met = [(cast, True)], set[ast.expr]()
    while left:
        use, direct = left.pop(0)
        if use in met:
            continue
        met.add(use)
        found = _operation(unit, use, direct)
        if found is not None:
            return found
        left += [(read, False) for read in _named(unit, use)]
    return None


def _named(unit: Unit, node: ast.expr) -> Iterator[ast.Name]:
    """The mentions of the names that an int is bound to, or what is made of it."""
    while (outer := _around(unit, node)) is not None:
        node = outer
    match unit.parents.get(node):
        case ast.Assign(targets=bound, value=value) if value is node:
            names = [name for target in bound for name in targets(target)]
        case ast.AugAssign(target=ast.Name(id=name)) if _begins_in_python(unit, name):
            names = [name]
        case _:
            return
    for name in names:
        yield from unit.mentions.get(name, [])


def _begins_in_python(unit: Unit, name: str) -> bool:
    """Whether every binding of the name, apart from additions to it, is a Python number."""
    statements = (unit.parents.get(mention) for mention in unit.mentions.get(name, []))
    values = [s.value for s in statements if isinstance(s, ast.Assign)]
    return bool(values) and all(_python(unit, value) for value in values)


def _around(unit: Unit, node: ast.expr) -> ast.expr | None:
    """The Python number that an operation makes of this one, if all else that it takes is Python's too."""
    match unit.parents.get(node):
        case ast.BinOp(left=left, right=right) as outer:
            return outer if _python(unit, right if left is node else left) else None
        case ast.UnaryOp(op=ast.USub()) as outer:
            return outer
        case ast.Call(func=function, args=args) as outer if unit.resolve(function) in OF_NUMBERS:
            return outer if all(argument is node or _python(unit, argument) for argument in args) else None
    return None


def _operation(unit: Unit, node: ast.expr, direct: bool) -> Unbounded | None:
    while (outer := _around(unit, node)) is not None:
        if isinstance(outer, ast.BinOp) and not isinstance(outer.op, RING):
            return Unbounded(outer, direct)
        node, direct = outer, direct and isinstance(outer, ast.UnaryOp)
    match unit.parents.get(node):
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value) if not isinstance(op, RING):
            made = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return Unbounded(made, False) if target is node and _python(unit, value) else None
        case ast.Compare(left=left, comparators=rest) as compared if not direct:
            return Unbounded(compared, direct) if all(_python(unit, p) for p in (left, *rest)) else None
    return None


def _python(unit: Unit, node: ast.expr) -> bool:
    """The expression is a number of Python, be it made of a tracer."""
    if isinstance(node, ast.BinOp):
        return _python(unit, node.left) and _python(unit, node.right)
    cast = isinstance(node, ast.Call) and unit.resolve(node.func) in ("builtins.int", "math.floor", "math.ceil")
    return cast or isinstance(node, ast.Constant) or (unit.value(node).static and not unit.value(node).array)
