"""Flags made static: `static_argnames` at the `jax.jit` of a function."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Outcome, Position, Rewrite, Withheld
from scanlint.trace.domain.contexts import FunctionContext
from scanlint.trace.hints.setting_parameters import Flag
from scanlint.trace.unit import Unit

JITS = ("jax.jit", "jax.pjit", "jax.experimental.pjit.pjit", "flax.nnx.jit", "functools.partial")


def to_static(unit: Unit, context: FunctionContext, flag: Flag) -> Outcome:
    """The jit of a function with one more static argument."""
    assert context.jit is not None
    node = context.jit.node
    if isinstance(node, ast.Call):
        return _extend(unit, node, flag, context)
    if not context.jit.decorator or unit.resolve(node) not in JITS:
        return Withheld("unknown-jit", f"`{ast.unparse(node)}` at line {node.lineno} is not `jax.jit` itself")
    partial, needed = unit.spell("functools.partial")
    text = f'{partial}({unit.source.segment(node)}, static_argnames=("{flag.name}",))'
    edit = unit.source.put(node, text)
    return Rewrite((edit,), "static_argnames", (needed,) if needed else ())


def _extend(unit: Unit, call: ast.Call, flag: Flag, context: FunctionContext) -> Outcome:
    keywords = {k.arg: k.value for k in call.keywords}
    if unit.resolve(call.func) not in JITS or None in keywords:
        return Withheld("unknown-jit", f"`{ast.unparse(call.func)}` at line {call.lineno} is not `jax.jit` itself")
    names, numbers = keywords.get("static_argnames"), keywords.get("static_argnums")
    if names is not None:
        return _append(unit, names, f'"{flag.name}"', str)
    if numbers is None:
        return Rewrite((_add(unit, call, f'static_argnames=("{flag.name}",)'),), "static_argnames")
    given = context.jit.given if context.jit else frozenset()
    positional = [a.arg for a in [*flag.function.args.posonlyargs, *flag.function.args.args] if a.arg not in given]
    if flag.name in positional:
        return _append(unit, numbers, str(positional.index(flag.name)), int)
    listed = [name for name in positional if name in context.static]
    quoted = ", ".join(f'"{name}"' for name in [*listed, flag.name])
    comma = "" if listed else ","
    return Rewrite((_add(unit, call, f"static_argnames=({quoted}{comma})"),), "static_argnames")


def _append(unit: Unit, value: ast.expr, item: str, kind: type[str] | type[int]) -> Outcome:
    """`"a"` or `("a",)` with one more element."""
    source = unit.source
    match value:
        case ast.Constant(value=str() | int()):
            text = f"({source.segment(value)}, {item})"
        case ast.Tuple(elts=items) | ast.List(elts=items) if all(
            isinstance(i, ast.Constant) and isinstance(i.value, kind) for i in items
        ):
            parts = [*(source.segment(i) for i in items), item]
            comma = "," if len(parts) == 1 and isinstance(value, ast.Tuple) else ""
            inside = f"{', '.join(parts)}{comma}"
            text = f"[{inside}]" if isinstance(value, ast.List) else f"({inside})"
        case _:
            written = source.segment(value)
            return Withheld("static-arguments-computed", f"the static arguments are `{written}` (line {value.lineno})")
    return Rewrite((source.put(value, text),), "static_argnames")


def _add(unit: Unit, call: ast.Call, text: str) -> Edit:
    """A keyword at the end of a call, on a line of its own where the others have one."""
    source = unit.source
    last = max(
        [*call.args, *(k.value for k in call.keywords)],
        key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0),
        default=None,
    )
    if last is None:
        end = source.end(call)
        place = Position(end.line, end.column - 1)
        return Edit(place, place, text)
    place = source.end(last)
    line = source.lines[place.line - 1]
    if last.lineno != call.lineno and line[: len(line) - len(line.lstrip())] == line[: source.start(last).column - 1]:
        newline = "\r\n" if line.endswith("\r\n") else "\n"
        return Edit(place, place, f",{newline}{line[: len(line) - len(line.lstrip())]}{text}")
    return Edit(place, place, f", {text}")
