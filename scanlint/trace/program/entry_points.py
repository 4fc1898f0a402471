"""Functions that are traced from outside the project: methods of known classes, and what the configuration says."""

from __future__ import annotations

import ast

from scanlint.jaxapi.canonical import JITS
from scanlint.jaxapi.frameworks import Roles
from scanlint.jaxapi.host_functions import TWINS
from scanlint.project.patterns import assumed
from scanlint.settings import Settings
from scanlint.trace.domain.callables import Closure, Code, Transformed
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.modes import Mode
from scanlint.trace.domain.values import UNKNOWN, Kind, Value, staged
from scanlint.trace.members import annotated, instance
from scanlint.trace.program.call_graph import Graph
from scanlint.trace.program.classes import membership
from scanlint.trace.program.module_scope import ModuleScope

CONVENTIONS = frozenset(["equinox.Module"])
"""Bases whose methods are called under a trace by habit only: the library itself traces none of them."""
SCOPED = frozenset(["flax.linen.Module", "flax.linen.RNNCellBase", "haiku.Module", "haiku.RNNCore"])
"""Bases whose methods can only run within `apply`, where the parameters are, whoever calls them."""
UNSCOPED = frozenset(["apply", "init", "init_with_output", "bind", "tabulate"])
"""What enters that scope: a method that calls it on `self` is not in it."""
OF_CLASSES = frozenset(["builtins.staticmethod", "builtins.classmethod"])


def begin(graph: Graph, scope: ModuleScope, settings: Settings) -> None:
    """Run what is known to be traced in a module."""
    for name, facts in scope.facts.classes.items():
        if facts.bases:
            _class(graph, scope, name)
    for qualname, pattern in assumed(scope.name, scope.facts, settings):
        if not _staged_itself(scope, qualname):
            _trace(graph, scope, qualname, f"`{qualname}` runs under a trace by `{pattern}` in `assume-traced`")


def _staged_itself(scope: ModuleScope, qualname: str) -> bool:
    """Whether a function says under its own `@jax.jit` what of it is traced."""
    code = scope.code(qualname)
    callee = scope.decorate(code).callee if code is not None else None
    return isinstance(callee, Transformed) and callee.transform in JITS


def _class(graph: Graph, scope: ModuleScope, name: str) -> None:
    """The methods of one class that its library traces."""
    known = membership(graph, f"{scope.name}.{name}")
    if known is None:
        return
    methods = dict(known.methods)
    if known.base in SCOPED:
        methods |= {m: () for m in scope.facts.classes[name].methods if _in_scope(scope, f"{name}.{m}")}
    for method, roles in methods.items():
        if f"{name}.{method}" in scope.facts.functions:
            if known.base in CONVENTIONS and _runs_on_host(scope, f"{name}.{method}"):
                continue
            article = "an" if known.base[0] in "aeiou" else "a"
            why = f"`{name}` is {article} `{known.base}`: its `{method}` runs under a trace"
            _trace(graph, scope, f"{name}.{method}", why, roles)


def _in_scope(scope: ModuleScope, qualname: str) -> bool:
    """Whether a method of a module needs its parameters: it calls `self` or its parts, and does not bring them in."""
    code, method = scope.code(qualname), qualname.rpartition(".")[2]
    if code is None or not code.first or method.startswith("__"):
        return False
    if {scope.annotation(d) for d in code.node.decorator_list} & OF_CLASSES:  # type: ignore[union-attr]
        return False
    own = code.first
    called = {ast.unparse(n.func) for n in ast.walk(code.node) if isinstance(n, ast.Call)}
    ours = {name.partition(".")[2] for name in called if name.partition(".")[0] == own}
    return bool(ours) and not ours & UNSCOPED


def _runs_on_host(scope: ModuleScope, qualname: str) -> bool:
    """Whether a method hands its parameters to NumPy, which no tracer survives: whoever wrote it runs it untraced."""
    code = scope.code(qualname)
    if code is None:
        return False
    own = {a.arg for a in code.parameters()}
    for call in (n for n in ast.walk(code.node) if isinstance(n, ast.Call)):
        given = any(isinstance(a, ast.Name) and a.id in own for a in call.args)
        if given and scope.annotation(call.func) in TWINS:
            return True
    return False


def _trace(graph: Graph, scope: ModuleScope, qualname: str, why: str, roles: Roles = ()) -> None:
    """Run a function under a trace that stands elsewhere."""
    code = scope.code(qualname)
    if code is None:
        return
    arguments = [a for i, a in enumerate(code.positional()) if i or a.arg not in ("self", "cls")]
    listed = {a.arg: role for a, role in zip(arguments, roles, strict=False)}
    given = {a.arg: _argument(graph, code, a.arg, listed.get(a.arg, "")) for a in code.parameters()}
    if code.owner is not None and code.first in ("self", "cls"):
        del given[code.first]
    graph.invoke(Closure(code), given, Mode(True, chain=(Reason(why, scope, code.node),)))


def _argument(graph: Graph, code: Code, name: str, role: str) -> Value:
    """A parameter: traced where the library, its annotation or its uses say that it is an array."""
    arg = next(a for a in code.parameters() if a.arg == name)
    why = Reason(f"`{name}` is a parameter of `{code.name}`", code.scope, arg)
    note = annotated(code.scope, arg.annotation)
    if note is not None and note.array:
        return staged(note, why)
    if name in code.defaults():
        return UNKNOWN
    known = code.scope.annotation(arg.annotation)
    if known is not None and graph.class_info(known) is not None:
        return instance(graph, known, traced=True, why=why) if role else UNKNOWN
    foreign = arg.annotation is not None and note is None
    if role:
        return Value(Kind.TRACED, array=role == "array" and not foreign, why=why)
    evident = arg.annotation is None and graph.uses(code).get(name, False)
    return Value(Kind.TRACED, array=True, why=why) if evident else UNKNOWN
