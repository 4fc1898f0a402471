"""Functions that are traced from outside the project: methods of known classes, and what the configuration says."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase

from scanlint.analysis.callables import Closure, Mode
from scanlint.analysis.evidence import Reason
from scanlint.analysis.members import kind_of
from scanlint.analysis.values import Kind, Value
from scanlint.project.graph import Graph
from scanlint.project.scope import ModuleScope
from scanlint.settings import Settings


def begin(graph: Graph, scope: ModuleScope, settings: Settings) -> None:
    """Run what is known to be traced in a module."""
    for name in scope.facts.classes:
        qualname = f"{name}.__call__"
        if qualname in scope.facts.functions and kind_of(graph, f"{scope.name}.{name}") == "module":
            _trace(graph, scope, qualname, f"`{qualname}` is the call of a flax or haiku module")
    for pattern in settings.assume_traced:
        for qualname in scope.facts.functions:
            if fnmatchcase(f"{scope.name}.{qualname}", pattern) or fnmatchcase(scope.name, pattern):
                _trace(graph, scope, qualname, f"`{qualname}` is traced by `assume-traced` in the configuration")


def _trace(graph: Graph, scope: ModuleScope, qualname: str, why: str) -> None:
    code = scope.code(qualname)
    if code is not None:
        assert isinstance(code.node, ast.FunctionDef | ast.AsyncFunctionDef)
        mode = Mode(True, frozenset(), (Reason(why, scope, code.node),))
        skip = frozenset(a.arg for a in code.parameters())
        graph.invoke(Closure(code), {n: Value(Kind.UNKNOWN) for n in skip if n != "self"}, mode)
