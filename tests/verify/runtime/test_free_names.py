"""The names that a part of a module takes from the rest of it, and what of a module is run for them."""

from __future__ import annotations

import ast

import pytest

from scanlint.verify.worker.runtime.free_names import free_names
from scanlint.verify.worker.runtime.loading import cut

FREE = {
    "parameters are names of their function": ("def f(game, *rest, key=0, **more): return game, rest, key, more", set()),
    "local variables are names of their function": ("def f():\n    game = 1\n    return game", set()),
    "what is read before it is bound in a function is local too": ("def f():\n    print(game)\n    game = 1", {"print"}),
    "an inner function sees the names of the outer one": ("def f(a):\n    def g(b): return a + b + c\n    return g", {"c"}),
    "a name that a function declares global is one of the module": ("def f():\n    global n\n    n = n + 1", {"n"}),
    "what is nonlocal belongs to the function around": ("def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    return g", set()),
    "targets of comprehensions": ("def f(): return [row * scale for row in rows]", {"scale", "rows"}),
    "a name bound in a comprehension by := is local to the function": ("def f(xs): return [last := x for x in xs], last", set()),
    "defaults and decorators are evaluated around": ("@mark\ndef f(a=START): return a", {"mark", "START"}),
    "annotations, also those that are strings": ("def f(a: A, b: 'B | None') -> 'C': return a", {"A", "B", "C"}),
    "lambdas": ("f = lambda a: a + b", {"f", "b"}),
    "a class body reads what is around, a method does not see its fields": ("class C(Base):\n    n = N\n    def f(self): return n", {"Base", "N", "n"}),
    "exceptions and patterns bind names": ("def f(v):\n    try:\n        pass\n    except E as e: return e\n    match v:\n        case [first, *rest]: return first, rest", {"E"}),
    "imports inside of a function": ("def f():\n    import numpy as np\n    return np.pi", set()),
}  # fmt: skip


@pytest.mark.parametrize("case", FREE)
def test_free_names(case: str) -> None:
    text, expected = FREE[case]
    assert free_names(ast.parse(text).body[0]) == expected


NEEDED = {
    "a loop that binds the name of a parameter is not needed": ("def f(game): return game\nfor game in games: f(game)", 1),
    "a loop that binds the name of a local variable is not needed": ("def f():\n    key = 1\n    return key\nfor key in keys: f()", 1),
    "what a loop appends to is": ("T = []\nfor k in range(3): T.append(k)\ndef f(): return T", 3),
    "what a branch in a loop appends to is": ("T = []\nfor k in range(3):\n    if k:\n        T.extend([k])\ndef f(): return T", 3),
    "so is what is updated under `with` and `try`": ("T = {}\nwith lock:\n    try:\n        T.update(a=1)\n    finally:\n        pass\ndef f(): return T", 3),
    "and what a loop sets items of": ("T = {}\nfor k in range(3): T[k] = k\ndef f(): return T", 3),
    "a loop that another name is appended in is not": ("T = []\nU = []\nfor k in range(3): U.append(k)\ndef f(): return T", 2),
    "a loop that binds what the function reads": ("def f(): return scale\nfor scale in (1, 2): pass", 2),
}  # fmt: skip


@pytest.mark.parametrize("case", NEEDED)
def test_what_is_run_of_a_module(case: str) -> None:
    text, statements = NEEDED[case]
    assert len(cut(ast.parse(text), {"f"})) == statements
