"""flag-argument: a setting handed to a jitted function as if it were an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Report, Withheld
from scanlint.rules.base import Context, Rule
from scanlint.trace.hints.setting_parameters import flags

if TYPE_CHECKING:
    from scanlint.trace.hints.flag_calls import Handed


class FlagArgument(Rule[ast.FunctionDef]):
    """`if mode == "train"` or `if use_bias` on a parameter of a jitted function that is not static."""

    code = "SCN204"
    name = "flag-argument"
    level = "error"

    def check(self, node: ast.FunctionDef, context: Context) -> Iterator[Report]:
        unit = context.unit
        for flag in flags(unit, node):
            from scanlint.rewrite.lower.static_flags import to_static
            from scanlint.trace.hints.flag_calls import not_python

            doubt = not_python(unit, flag)
            yield context.report(
                flag.owner,
                f"`{node.name}` is jitted and gets {'the flag ' if not flag.refused else ''}`{flag.name}` "
                "as a traced argument",
                end=flag.test if flag.owner is not flag.parameter else None,
                label=f"`{flag.name}` must be a Python value here",
                help=f"name `{flag.name}` in `static_argnames`",
                why=context.said(flag.why, flag.parameter),
                level="warning" if flag.refused == "if given" else None,
                primitive="static_argnames",
                outcome=to_static(unit, unit.contexts[node], flag) if doubt is None else _withheld(flag.name, doubt),
            )


def _withheld(name: str, doubt: Handed) -> Withheld:
    return Withheld(
        "flag-may-be-traced",
        f"`{doubt.text}` may be an array where `{name}` is handed in ({doubt.path}, line {doubt.line})",
    )
