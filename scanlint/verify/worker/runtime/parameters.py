"""The parameters of a function and their defaults, as its text has them."""

from __future__ import annotations

import ast


def placed_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters that a call may give by their place."""
    return [*arguments.posonlyargs, *arguments.args]


def named_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters but `*others` and `**options`."""
    return [*placed_parameters(arguments), *arguments.kwonlyargs]


def with_defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """All named parameters, each with its default; None where it has none."""
    needed = len(placed_parameters(arguments)) - len(arguments.defaults)
    defaults = [*[None] * needed, *arguments.defaults, *arguments.kw_defaults]
    return list(zip(named_parameters(arguments), defaults, strict=True))


def defaults_of(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The default of each parameter that has one."""
    return {parameter.arg: default for parameter, default in with_defaults(arguments) if default is not None}
