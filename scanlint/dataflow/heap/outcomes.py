"""What running an inner function does to what it is given and to what it takes from around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scanlint.dataflow.library import Outside


class Root(NamedTuple):
    """A parameter of a function, or a name from outside of it; `below`: not that object, but what it holds."""

    name: str
    outer: bool
    below: bool = False

    @property
    def held(self) -> Root:
        """What it holds."""
        return self._replace(below=True)


class Effects(NamedTuple):
    """The effects of one inner function.

    `reads` and `writes` are names around it, `mutates` what it may change in place, `leaks` what code that is not known
    may hold afterwards, `returns` what it may return. `unknown`: it runs code that is not known.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    mutates: frozenset[Root] = frozenset()
    leaks: frozenset[Root] = frozenset()
    returns: frozenset[Root] = frozenset()
    worlds: frozenset[Outside] = frozenset()
    unknown: bool = False

    def joined(self, other: Effects) -> Effects:
        """Both."""
        return Effects(
            self.reads | other.reads,
            self.writes | other.writes,
            self.mutates | other.mutates,
            self.leaks | other.leaks,
            self.returns | other.returns,
            self.worlds | other.worlds,
            self.unknown or other.unknown,
        )

    def also(self, mutates: Iterable[Root] = (), leaks: Iterable[Root] = (), returns: Iterable[Root] = ()) -> Effects:
        """The same with more that is changed, gets away or is returned."""
        more = Effects(mutates=frozenset(mutates), leaks=frozenset(leaks), returns=frozenset(returns))
        return self.joined(more)

    @property
    def pure(self) -> bool:
        """Whether running it does nothing but return a value."""
        return not (self.writes or self.mutates or self.leaks or self.worlds or self.unknown)


def arguments(function: ast.AST, call: ast.Call) -> Iterator[tuple[Root, ast.expr]]:
    """The parameters of an inner function, each with an argument that a call may give it."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    a = function.args
    named = [p.arg for p in (*a.posonlyargs, *a.args)]
    every = [*named, *(p.arg for p in (*a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))))]
    spread = any(isinstance(g, ast.Starred) for g in call.args)
    for at, given in enumerate(call.args):
        if spread or at >= len(named):
            value = given.value if isinstance(given, ast.Starred) else given
            yield from ((Root(name, False), value) for name in every)
        else:
            yield Root(named[at], False), given
    for keyword in call.keywords:
        if keyword.arg in every:
            yield Root(keyword.arg, False), keyword.value
        else:
            yield from ((Root(name, False), keyword.value) for name in every)
