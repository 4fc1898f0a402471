"""Words and rewrites for what should be a static argument: one cure, at the jit of the function."""

from __future__ import annotations

import ast

from scanlint.branches.size_origins import Argument, PythonNumbers
from scanlint.finding import Outcome, Withheld
from scanlint.trace.hints.flag_calls import not_python
from scanlint.trace.hints.setting_parameters import Flag
from scanlint.trace.unit import Unit


def place_of_jit(unit: Unit, argument: Argument) -> str:
    """What to write, and where."""
    name = f"name `{argument.name}` in `static_argnames`"
    jit = unit.contexts[argument.function].jit if argument.function is not None else None
    if jit is not None:
        return f"{name} of the jit at line {unit.source.start(jit.node).line}"
    return (
        f"hand in `{argument.name}` as a Python value: {name} where {argument.owner} is jitted "
        f"({argument.path}:{argument.line})"
    )


def static_outcome(unit: Unit, argument: Argument, needed: ast.expr, owner: ast.AST) -> Outcome:
    """The jit with one more static argument, where each call that is known hands in a Python value."""
    from scanlint.rewrite.lower.static_flags import to_static

    assert argument.function is not None
    why = f"`{argument.name}` is needed when tracing"
    flag = Flag(argument.name, argument.function, needed, owner, why, argument.parameter, False)
    doubt = not_python(unit, flag)
    if doubt is not None:
        where = f"({doubt.path}, line {doubt.line})"
        return Withheld(
            "flag-may-be-traced", f"`{doubt.text}` may be an array where `{argument.name}` is handed in {where}"
        )
    return to_static(unit, unit.contexts[argument.function], flag)


def in_python(plain: str) -> str:
    """The cure where JAX computes with Python numbers alone while it traces."""
    return f"compute it in Python, `{plain}`: while JAX traces, its own functions give tracers of Python numbers too"


def to_python(unit: Unit, plain: PythonNumbers) -> Outcome:
    """Python's own function in the place of the one of JAX."""
    from scanlint.rewrite.emit.in_place import in_place
    from scanlint.rewrite.emit.spelling import Spelling

    spelling = Spelling(unit)
    return in_place(unit, plain.call.func, spelling(plain.function), "other", spelling)
