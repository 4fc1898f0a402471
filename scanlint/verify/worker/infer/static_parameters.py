"""Parameters that are static wherever the function is jitted in its file."""

from __future__ import annotations

import ast

from ..runtime.free_names import placed_parameters
from ..runtime.loading import Loaded


def statics(loaded: Loaded) -> frozenset[str]:
    """Parameters that a `jit` of this function in its file makes static."""
    assert loaded.function is not None
    return static_parameters(loaded.function, loaded.tree)


def static_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef, around: ast.AST) -> frozenset[str]:
    """Parameters that its decorators, or calls of `jit` on it in what is `around` it, make static."""
    positional = [parameter.arg for parameter in placed_parameters(node.args)]
    found: set[str] = set()
    calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]
    for inner in ast.walk(around):
        match inner:
            case ast.Call(args=[ast.Name(id=name), *_]) | ast.Call(args=[ast.Attribute(attr=name), *_]):
                if name == node.name:
                    calls.append(inner)
    for call in calls:
        for keyword in call.keywords:
            if keyword.arg not in ("static_argnames", "static_argnums"):
                continue
            try:
                value = ast.literal_eval(keyword.value)
            except ValueError:  # what is computed is seen where both versions run
                continue
            for entry in value if isinstance(value, (tuple, list, set)) else (value,):
                if isinstance(entry, str):
                    found.add(entry)
                elif isinstance(entry, int) and -len(positional) <= entry < len(positional):
                    found.add(positional[entry])
    return frozenset(found)
