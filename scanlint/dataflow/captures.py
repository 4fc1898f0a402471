"""The inner functions of a function: what they take from it, and which calls may run them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from scanlint.dataflow.control.blocks import Calling, Define, FlowGraph, MakeInner, Use
from scanlint.dataflow.control.scopes import Capture, NameScopes
from scanlint.dataflow.locations import DefinitionKind, Variable
from scanlint.jaxapi.words import words
from scanlint.syntax.walk import walk

Resolve = Callable[[ast.AST], str | None]
CONSUMES = frozenset(f"builtins.{name}" for name in ("list", "tuple", "set", "dict", "sorted"))


class Closures:
    """Finds the inner functions that a call may run; those that got away may be run by any call that is not known."""

    def __init__(self, graph: FlowGraph, scopes: NameScopes, resolve: Resolve) -> None:
        self.graph = graph
        self.scopes = scopes
        self.resolve = resolve
        self.bound: dict[Variable, list[ast.AST]] = {}
        self._mixed: set[Variable] = set()
        self._effects: dict[ast.Call, Effect | None] = {}
        self._touched: dict[ast.AST, list[Capture]] = {}
        self._wild: dict[ast.AST, bool] = {}
        self.made = [e.node for b in graph.blocks for e in b.events if isinstance(e, MakeInner)]
        if self.made:
            self._bindings()

    def _bindings(self) -> None:
        """The variables that hold an inner function, and those that may hold something else as well."""
        for block in self.graph.blocks:
            for event in block.events:
                match event:
                    case Define(node, variable, DefinitionKind.FUNCTION):
                        self.bound.setdefault(variable, []).append(node)
                    case Define(_, variable, _, ast.Lambda() as node):
                        self.bound.setdefault(variable, []).append(node)
                    case Define(_, variable):
                        self._mixed.add(variable)

    def effect(self, call: ast.Call) -> Effect | None:
        """The effect of a call by the table of library functions."""
        if call not in self._effects:
            self._effects[call] = effect_of(self.resolve(call.func))
        return self._effects[call]

    def named(self, node: ast.expr) -> list[ast.AST]:
        """The inner functions that an expression may be, as far as it names them."""
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name():
                return self.bound.get(self._variables.get(node, Variable(None, "")), [])
        return []

    def local(self, call: ast.Call) -> bool:
        """Whether a call can only run inner functions."""
        match call.func:
            case ast.Lambda():
                return True
            case ast.Name() as name:
                variable = self._variables.get(name)
                return variable in self.bound and variable not in self._mixed
        return False

    @cached_property
    def _variables(self) -> dict[ast.AST, Variable]:
        return {e.node: e.variable for b in self.graph.blocks for e in b.events if isinstance(e, Use)}

    def runs(self, call: ast.Call) -> list[ast.AST]:
        """The inner functions that a call may run."""
        if not self.made:
            return []
        given = [*call.args, *(k.value for k in call.keywords)]
        found = [*self.named(call.func)]
        effect = self.effect(call)
        if self.local(call) or effect is None or effect.invokes:
            found += [f for argument in given for f in self.named(argument)]
        if (not self.local(call) and effect is None) or any(self.wild(f) for f in self.reached(found)):
            found += self.escaped
        return list(dict.fromkeys(found))

    @cached_property
    def escaped(self) -> list[ast.AST]:
        """The inner functions that something else than a known call may run: stored, returned, handed on, decorated."""
        events = [e for b in self.graph.blocks for e in b.events]
        calls = [e.node for e in events if isinstance(e, Calling)]
        used: set[ast.AST] = {c.func for c in calls}
        for call in calls:
            effect = self.effect(call)
            lazy = effect is None or (effect.gives and not effect.invokes)
            if not lazy or self.resolve(call.func) in CONSUMES:
                used.update(a for a in call.args if isinstance(a, ast.GeneratorExp))
            if effect is not None and effect.invokes:
                used.update(call.args)
        used.update(e.source for e in events if isinstance(e, Define) and isinstance(e.source, ast.Lambda))
        found: list[ast.AST] = []
        found += [n for n in self.made if isinstance(n, ast.Lambda | ast.GeneratorExp) and n not in used]
        found += [n for n in self.made if getattr(n, "decorator_list", None) or _generates(n)]
        inner = [(c.node, c.variable) for n in self.made for c in self.scopes.captures[n]]
        inside = [c for n in self.made for c in walk(n) if isinstance(c, ast.Call)] if inner else []
        used.update(c.func for c in inside)
        for name, variable in [*self._variables.items(), *inner]:
            if name not in used:
                found += self.bound.get(variable, ())
        return list(dict.fromkeys(found))

    def reached(self, functions: Iterable[ast.AST]) -> list[ast.AST]:
        """Inner functions, and all the others that they may run by name."""
        seen = dict.fromkeys(functions)
        stack = list(seen)
        while stack:
            for capture in self.scopes.captures[stack.pop()]:
                for other in self.bound.get(capture.variable, ()):
                    if other not in seen:
                        seen[other] = None
                        stack.append(other)
        return list(seen)

    def touched(self, function: ast.AST) -> list[Capture]:
        """The names that running an inner function reads or binds outside of it, with all the others that it runs."""
        if function not in self._touched:
            every = [c for f in self.reached([function]) for c in self.scopes.captures[f]]
            self._touched[function] = list({c.node: c for c in every}.values())
        return self._touched[function]

    def wild(self, function: ast.AST) -> bool:
        """Whether an inner function runs code that is not known."""
        if function not in self._wild:
            names = {v.name for v in self.bound}
            calls = [n for n in walk(function) if isinstance(n, ast.Call)]
            self._wild[function] = any(
                self.effect(c) is None and not (isinstance(c.func, ast.Name) and c.func.id in names) for c in calls
            )
        return self._wild[function]


def _generates(function: ast.AST) -> bool:
    """Whether running a function only begins it: its body runs as it is asked for values."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return isinstance(function, ast.AsyncFunctionDef) or any(
        isinstance(n, ast.Yield | ast.YieldFrom) for s in function.body for n in walk(s)
    )


class Effect(NamedTuple):
    """The effect of a call on its arguments: it may call them; its result may be, or hold, a part of them."""

    invokes: bool = False
    gives: bool = False


PURE = Effect()
VIEW = Effect(gives=True)
RUNS = Effect(invokes=True, gives=True)

_COMPUTE = words(
    "abs all any ascii bin bool breakpoint bytes callable chr complex delattr divmod float format frozenset hash hex "
    "id input int isinstance issubclass len oct open ord pow print range repr round setattr slice str sum type"
)
_WRAP = words("dict enumerate getattr hasattr iter list reversed set tuple vars zip")

FUNCTIONS: dict[str, Effect] = {
    **{f"builtins.{name}": PURE for name in _COMPUTE},
    **{f"builtins.{name}": VIEW for name in _WRAP},
    **{f"builtins.{name}": RUNS for name in words("max min next sorted")},
    **{f"collections.{name}": VIEW for name in words("deque OrderedDict Counter")},
    **{f"numpy.{name}": VIEW for name in words("asarray atleast_1d atleast_2d reshape ravel transpose")},
    **{f"jax.{name}": VIEW for name in words("block_until_ready device_put device_get")},
    **{f"jax.{name}": RUNS for name in words("tree.map tree.reduce tree_util.tree_map eval_shape")},
    **{f"jax.{name}": PURE for name in words("debug.print debug.breakpoint config.update")},
    "copy.copy": VIEW,
    "copy.deepcopy": PURE,
    "functools.reduce": RUNS,
}
"""Functions by their canonical name."""

PREFIXES: dict[str, Effect] = {
    "jax.lax": RUNS,
    **{f"jax.{name}": PURE for name in words("numpy random nn scipy image ops dtypes profiler")},
    **{f"jax.{name}": VIEW for name in words("tree tree_util")},
    **dict.fromkeys(words("numpy random math cmath operator time os sys logging warnings wandb"), PURE),
}
"""Functions of a module; the longest prefix counts."""


def effect_of(name: str | None) -> Effect | None:
    """The effect of the function with this canonical name; None if it is not known."""
    if name is None or name in FUNCTIONS:
        return FUNCTIONS.get(name or "")
    parts = name.split(".")
    found = (PREFIXES.get(".".join(parts[:cut])) for cut in range(len(parts) - 1, 0, -1))
    return next((effect for effect in found if effect is not None), None)
