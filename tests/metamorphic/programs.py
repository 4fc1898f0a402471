"""The programs that are edited: the fixtures, the pages' `before` blocks, and the sources that stand in tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

from scanlint.engine.analyst import Bench
from scanlint.project.files import decode
from scanlint.rewrite.driver import Rewriter
from scanlint.rules.registry import rules
from scanlint.settings import Settings
from scanlint.trace.program.project import Project

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```python before\n(.*?)^```$", re.M | re.S)
HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"
CONTROL = (ast.For, ast.While, ast.If, ast.IfExp, ast.ListComp)
LEFT_OUT = {"calls.py", "labels.py"}
Answer = tuple[tuple[str, str, str, str], ...]
"""Of one top-level function: rule, status of the fix, primitive, and the code of the reason where it is withheld."""


def programs() -> dict[str, str]:
    """All programs by a name that says where they stand."""
    return {**fixtures(), **pages(), **embedded()}


def fixtures() -> dict[str, str]:
    files = [f for f in sorted((ROOT / "fixtures").rglob("*.py")) if f.name not in LEFT_OUT]
    return {f.relative_to(ROOT).as_posix(): f.read_text(encoding="utf-8") for f in files}


def pages() -> dict[str, str]:
    return {
        f"{page.stem}.md {number}": re.sub(r"  # error: .*", "", code)
        for page in sorted((ROOT / "rules").glob("*.md"))
        for number, code in enumerate(FENCE.findall(page.read_text(encoding="utf-8")))
    }


def embedded() -> dict[str, str]:
    """What is written out whole in a test of the rewriters: it defines a function and has something to rewrite."""
    found: dict[str, str] = {}
    for file in sorted((ROOT / "tests" / "rewrite").glob("test_*.py")):
        for code in _sources(ast.parse(file.read_text(encoding="utf-8"))):
            name = f"{file.name} {sha256(code.encode()).hexdigest()[:6]}"
            found[name] = code if "import jax" in code else HEAD + code
    return found


def _sources(module: ast.Module) -> Iterator[str]:
    inside = {id(part) for node in ast.walk(module) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(module):
        match node:
            case ast.Constant(value=str() as text) if "def " in text and id(node) not in inside:
                tree = _parsed(dedent(text))
                if tree is not None and any(isinstance(n, CONTROL) for n in ast.walk(tree)):
                    yield dedent(text)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def answers(code: str) -> list[Answer]:
    """What is said of each top-level function, in their order; those of which nothing is said are left out."""
    return [answer for _, answer in sorted(_answers(code), key=lambda pair: pair[0])]


def _answers(code: str) -> Iterator[tuple[int, Answer]]:
    settings = Settings(select=("ALL",), level="advice")
    problems: list[str] = []
    file = decode(code.encode(), Path("sample.py"))
    project = Project.load([file], settings)
    every = [rule() for rule in rules()]
    bench = Bench(project, Rewriter(every, settings, project.reanalyse, problems), every)
    for unit, reports in bench.reports():
        made = [bench.offer(unit, r) for r in reports]
        if made:
            said = ((f.name, f.fix.status, f.primitive, (f.fix.reason or "").partition(":")[0]) for f in made)
            yield unit.node.lineno, tuple(sorted(said))
    assert not problems
