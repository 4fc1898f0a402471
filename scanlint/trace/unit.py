"""A unit: one top-level function or method, everything known of it, and how its file spells JAX."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from scanlint.effort import WATCH
from scanlint.jaxapi.canonical import BUILTINS, canonical
from scanlint.project.facts import SCRIPT
from scanlint.syntax.bindings import Function
from scanlint.syntax.once import Once
from scanlint.syntax.source import Source
from scanlint.syntax.walk import Kinds, Node, children, kinds_of
from scanlint.trace.domain.callables import ClassInfo, Code, World
from scanlint.trace.domain.contexts import FunctionContext
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import UNKNOWN, Value
from scanlint.trace.whole_file import WholeFile

IN_TESTS = 10
"""How many times as much work as elsewhere a loop in a test must be: what is tested may well be a large program."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class KeyProject(NamedTuple):
    """The project as the rules on random keys ask it: `keyed` says which functions may do something with keys.

    `shelf` holds what is worked out for the whole project.
    """

    world: World
    keyed: Callable[[Code], bool]
    shelf: dict[object, object]


@dataclass
class Unit:
    """One top-level function or method with its values, contexts and names.

    `node` has the line numbers of its file; `file` is that file as it was read. `values` maps expression nodes to what
    is known of them; `imports` maps each name bound at module level (or in the function) by an import to what it
    stands for: {"jnp": "jax.numpy", "scan": "jax.lax.scan"}. `definitions` maps module-level functions and classes of
    this file to their canonical name: {"step": "pkg.mod.step"}. `before` gives the value of a name just before a loop:
    {(loop, "carry"): Value(...)}. `wished` gives the unit with its commented-out jits in force, `default` what a field
    of a class of the project is where the one who makes an object does not say, `method` a method of such a class by
    its name, also one that a base defines, `lineage` the class of a method and its
    bases, as far as the project defines them, `shared` whether other files of the
    project name a definition of this one, `elsewhere` which do, `repeats` why a function of the unit runs again and
    again on the host, `several` why it is called more than once where no loop calls it, `reused` why that is surely on
    the host, `returned` what a function of the project returns there, `backward`
    why a derivative would have to go back through a loop that cannot be run backwards, `renew` the unit with another
    text of its window (SyntaxError if it is none), where that still holds just the one function. `code` is the function
    as the project knows it. `bare`: nothing
    traces it, and nothing is known of its values; `keys` is there where the rules on random keys look at it.
    """

    source: Source
    file: WholeFile
    node: Function
    qualname: str
    imports: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[ast.AST, Value] = field(default_factory=dict)
    contexts: Mapping[ast.AST, FunctionContext] = field(default_factory=dict)
    weight: Callable[[str], float | None] = field(default=lambda name: None, repr=False)
    silent: frozenset[ast.AST] = frozenset()
    before: Mapping[tuple[ast.AST, str], Value] = field(default_factory=dict)
    wished: Callable[[], Unit | None] | None = field(default=None, repr=False)
    default: Callable[[str, str], ast.expr | None] | None = field(default=None, repr=False)
    method: Callable[[str, str], Code | None] = field(default=lambda owner, name: None, repr=False)
    lineage: Callable[[], Sequence[ClassInfo]] = field(default=lambda: (), repr=False)
    shared: Callable[[str], bool] | None = field(default=None, repr=False)
    elsewhere: Callable[[str], Sequence[tuple[str, WholeFile]]] = field(default=lambda name: (), repr=False)
    backward: Callable[[ast.AST], tuple[Reason, ...]] = field(default=lambda loop: (), repr=False)
    repeats: Callable[[ast.AST], tuple[Reason, ...]] = field(default=lambda function: (), repr=False)
    several: Callable[[ast.AST], tuple[Reason, ...] | None] = field(default=lambda function: None, repr=False)
    reused: Callable[[ast.AST], tuple[Reason, ...]] = field(default=lambda function: (), repr=False)
    returned: Callable[[Code], Value] = field(default=lambda code: UNKNOWN, repr=False)
    renew: Callable[[Source], Unit | None] = field(default=lambda source: None, repr=False)
    code: Code | None = field(default=None, repr=False)
    keys: KeyProject | None = field(default=None, repr=False)
    bare: bool = False
    once: Once = field(default_factory=Once, repr=False)
    _told: dict[tuple[type[ast.AST], bool], Mapping[ast.AST, None]] = field(
        default_factory=dict, init=False, repr=False
    )

    def value(self, node: ast.AST | None) -> Value:
        """The value of an expression where it is evaluated."""
        WATCH.tick()
        return self.values.get(node, UNKNOWN) if node is not None else UNKNOWN

    @property
    def script(self) -> bool:
        """Whether the unit is the statements at the top of a file, not a function."""
        return self.qualname == SCRIPT

    def silenced(self, node: ast.AST) -> bool:
        """Whether nothing is to be said of a node: it is not run, or stands beside a rolled version of itself."""
        return node in self.quiet or any(a in self.quiet for a in self.ancestors(node))

    @cached_property
    def quiet(self) -> frozenset[ast.AST]:
        """Statements on which nothing is said.

        Those of classes in functions too, whose names no flow follows, and functions under an `if` at the top of a
        file, which are units of their own.
        """
        own = [f for f in self.every(ast.FunctionDef) if self._unit_of_its_own(f)] if self.script else []
        return self.silent.union(own, *(c.body for c in self.every(ast.ClassDef)))

    def told(self, kind: type[ast.AST], *, staged: bool) -> Mapping[ast.AST, None]:
        """The nodes of a class on which something may be said, those in traced functions alone if these are asked."""
        key = (kind, staged)
        if key not in self._told:
            nodes = [n for n in self.kinds.get(kind, ()) if not (self.quiet and self.silenced(n))]
            self._told[key] = dict.fromkeys(n for n in nodes if not staged or self.context(n).traced)
        return self._told[key]

    def _unit_of_its_own(self, function: ast.FunctionDef) -> bool:
        around = list(self.ancestors(function))
        return bool(around) and all(isinstance(a, ast.If | ast.Try | ast.With) for a in around[:-1])

    def context(self, node: ast.AST) -> FunctionContext:
        """The innermost function around a node (for a function: the function itself)."""
        at: ast.AST | None = node
        if len(self.contexts) == 1 and self.node in self.contexts:
            return self.contexts[self.node]
        while at is not None and at not in self.contexts:
            at = self.parents.get(at)
        return self.contexts[at] if at is not None else FunctionContext(self.node, self.qualname)

    @cached_property
    def holds_traced(self) -> bool:
        """Whether the unit, or a function in it, is traced."""
        return any(context.traced for context in self.contexts.values())

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each node of the unit, up to the unit itself; operators and contexts are left out."""
        return {inner: node for group in self.kinds.values() for node in group for inner in children(node)}

    @cached_property
    def kinds(self) -> Kinds:
        """The nodes of the unit by their class, operators and contexts left out."""
        return kinds_of(self.node)

    @cached_property
    def mentions(self) -> dict[str, list[ast.Name]]:
        """The places of the unit where each name stands, in the order of the text."""
        found: dict[str, list[ast.Name]] = {}
        for place in sorted(self.every(ast.Name), key=lambda n: (n.lineno, n.col_offset)):
            found.setdefault(place.id, []).append(place)
        return found

    @cached_property
    def calls(self) -> list[tuple[str, ast.Call]]:
        """The calls of the unit whose functions have canonical names."""
        found = ((self.resolve(call.func), call) for call in self.every(ast.Call))
        return [(name, call) for name, call in found if name is not None]

    def every(self, kind: type[Node]) -> list[Node]:
        """The nodes of just this class, in no particular order."""
        return self.kinds.of(kind)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        at = self.parents.get(node)
        while at is not None:
            WATCH.tick()
            yield at
            at = self.parents.get(at)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node in its own function, from the inside."""
        return takewhile(lambda part: not isinstance(part, Function), self.ancestors(node))

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that holds a statement."""
        parent = self.parents[statement]
        for name in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
        raise KeyError(ast.dump(statement))

    @cached_property
    def indent(self) -> str:
        """One level of indentation as the unit has it."""
        node = self.node
        if isinstance(node, ast.Lambda):
            return "    "
        inner = node.body[0]
        line = self.source.lines[inner.lineno - 1]
        step = inner.col_offset - node.col_offset
        made = line[inner.col_offset - step : inner.col_offset] if step > 0 and inner.lineno != node.lineno else ""
        return made if made and not made.strip(" \t") else "    "

    @cached_property
    def local_names(self) -> frozenset[str]:
        """Every name bound anywhere in the unit, parameters included."""
        names = {n.id for n in self.every(ast.Name) if n.ctx.__class__ is not ast.Load}
        names |= {n.arg for n in self.every(ast.arg)}
        for kind in _DEFINITIONS:
            names |= {n.name for n in self.every(kind) if n is not self.node}  # type: ignore[attr-defined]
        return frozenset(names)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that occurs in the unit or at module level: none of them is free for a new one."""
        used = {n.id for n in self.every(ast.Name)}
        return self.local_names | used | frozenset(self.imports) | frozenset(self.definitions)

    def resolve(self, node: ast.AST) -> str | None:
        """The canonical dotted name of an expression, if an import or a definition gives it one.

        `jnp.sin` is "jax.numpy.sin", `lax.scan` "jax.lax.scan", `step` "pkg.mod.step", `range` "builtins.range".
        A local variable has none.
        """
        match node:
            case ast.Name(id=name):
                if name in self.local_names and name not in self.imports:
                    return None
                if name in self.imports:
                    return canonical(self.imports[name])
                if name in self.definitions:
                    return self.definitions[name]
                return f"builtins.{name}" if name in BUILTINS else None
            case ast.Attribute(value=value, attr=attr):
                base = self.resolve(value)
                return canonical(f"{base}.{attr}") if base else None
        return None

    def spell(self, name: str) -> tuple[str, str | None]:
        """The spelling of a canonical name in this file, and the import statement that it needs, if any.

        `spell("jax.lax.scan")` is ("lax.scan", None) where the file says `from jax import lax`, and
        ("jax.lax.scan", "import jax") where it imports nothing of jax yet.
        """
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            prefix, rest = ".".join(parts[:cut]), parts[cut:]
            for alias, target in self.imports.items():
                if canonical(target) == prefix and alias not in self.local_names:
                    return ".".join([alias, *rest]), None
        root = parts[0]
        if root == "functools":
            return parts[-1], f"from functools import {parts[-1]}"
        if name.startswith("jax.numpy."):
            return ".".join(["jnp", *parts[2:]]), "import jax.numpy as jnp"
        if root == "numpy" and "np" not in {*self.imports, *self.local_names}:
            return ".".join(["np", *parts[1:]]), "import numpy as np"
        if root in self.local_names and name.startswith("jax.lax."):
            return ".".join(parts[1:]), "from jax import lax"
        return name, f"import {root}"
