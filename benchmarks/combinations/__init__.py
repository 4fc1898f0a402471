"""Loops and branches in the combinations that AutoGraph and Catalyst say they support, a file of each kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from generate import Program

HERE = Path(__file__).parent
KINDS = tuple(sorted(p.stem for p in HERE.glob("*.py") if p.stem != "__init__"))


def programs(kind: str) -> Iterator[tuple[str, Program]]:
    """The functions of one file by their names, each as a module of its own whose function `f` is jitted."""
    text = (HERE / f"{kind}.py").read_text()
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    head = "".join(text.splitlines(keepends=True)[: functions[0].lineno - 1])
    for node in functions:
        names = tuple(a.arg for a in node.args.args)
        decorator = '@partial(jax.jit, static_argnames="n")' if "n" in names else "@jax.jit"
        body = (ast.get_source_segment(text, node) or "").replace(f"def {node.name}(", "def f(", 1)
        yield node.name, Program(f"from functools import partial\n\nimport jax\n{head}{decorator}\n{body}\n", names, ())
