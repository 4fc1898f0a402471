"""The text and tree of one module of the project, and what its statements say without being evaluated."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from itertools import zip_longest

from scanlint.finding import Position
from scanlint.project.facts import SCRIPT, scripted
from scanlint.project.files import SourceFile
from scanlint.project.modules import Module
from scanlint.settings import LINE_LENGTH
from scanlint.syntax.bindings import walk_scope
from scanlint.syntax.regex import regex
from scanlint.syntax.source import Source, is_test
from scanlint.syntax.walk import first_line
from scanlint.trace.guards import CHOICES

_WORD = regex(r"\w")
_WORDS = regex(r"\w+")
_CHANGED = regex(
    r"\b\s*(?:\.(?:append|extend|insert|update|add|setdefault|pop|remove|clear)\(|\[[^\]\n]*\]\s*[-+*/]?=(?!=))"
)
"""What stands behind the name of a list or dict that is changed in place."""


class ModuleText:
    """A file: its facts, and its tree, parsed anew when a function of it is needed."""

    def __init__(self, module: Module, width: int = LINE_LENGTH) -> None:
        self.module = module
        self.width = width
        self.facts = module.facts
        self.name = module.name
        self.path = module.display
        self.package = module.package
        self._source: SourceFile | None = None
        self._tree: ast.Module | None = None
        self._statements: dict[int, ast.stmt] | None = None
        self._nodes: dict[str, ast.stmt] = {}
        self._windows: dict[str, tuple[int, int]] = {}

    @property
    def tree(self) -> ast.Module:
        if self._tree is None:
            self._source, self._tree = self.module.parsed()
            self._index(self._tree.body, "", 0, len(self.located.lines))
        return self._tree

    @property
    def source(self) -> SourceFile:
        return self._source or self.module.parsed()[0]

    @cached_property
    def located(self) -> Source:
        """The text with places in characters."""
        return Source(self.path, self.source.text, self.width)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its text."""
        return frozenset(_WORDS.findall(self.source.text))

    @cached_property
    def methods(self) -> frozenset[str]:
        """The names of the functions of its classes."""
        return frozenset(name.rpartition(".")[2] for name in self.facts.functions if "." in name)

    def start(self, node: ast.AST) -> Position:
        return self.located.start(node)

    @cached_property
    def tests(self) -> bool:
        return is_test(self.path, self.source.text)

    @property
    def jax(self) -> bool:
        return self.facts.jax

    @cached_property
    def chooses(self) -> bool:
        text = self.source.text
        return any(word in text for word in CHOICES)

    def close(self) -> None:
        """Let go of the tree and all that points into it."""
        self._nodes.clear()
        self._windows.clear()
        self._source = self._tree = self._statements = None

    def _index(self, body: list[ast.stmt], prefix: str, above: int, below: int) -> None:
        """Functions, methods and classes by qualified name; of several the last, as at run time.

        What stands between the line `above` and the line `below` is the block, and the space and comments around it.
        """
        for statement, after in zip_longest(body, body[1:]):
            end = first_line(after) - 1 if after is not None else below
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._nodes[prefix + statement.name] = statement
                    self._windows[prefix + statement.name] = above, end
                case ast.ClassDef():
                    self._nodes[prefix + statement.name] = statement
                    self._index(statement.body, f"{prefix}{statement.name}.", first_line(statement.body[0]) - 1, end)
                case ast.If() | ast.Try() | ast.With():
                    for block in _blocks(statement):
                        last = block[-1].end_lineno or block[-1].lineno
                        self._index(block, prefix, first_line(block[0]) - 1, last)
            above = statement.end_lineno or statement.lineno

    def window(self, qualname: str) -> Source:
        """The text around a function or method, up to what stands above and below it."""
        if qualname == SCRIPT:
            return self.located
        above, below = self._windows[qualname]
        return self.located.window(above, below)

    def node(self, qualname: str) -> ast.stmt | None:
        """The definition of a function, method or class; what stands at the top of the file as one."""
        if qualname == SCRIPT and qualname not in self._nodes:
            self._nodes[qualname] = _function_of(self.tree)
        return self._nodes.get(qualname) if self.tree else None

    def statement(self, line: int) -> ast.stmt | None:
        """The module-level statement that begins at a line."""
        if self._statements is None:
            self._statements = {}
            stack = list(self.tree.body)
            while stack:
                statement = stack.pop()
                self._statements[statement.lineno] = statement
                if isinstance(statement, ast.If | ast.Try | ast.With | ast.ClassDef):
                    for part in ("body", "orelse", "finalbody"):
                        stack.extend(getattr(statement, part, []))
                    stack.extend(s for h in getattr(statement, "handlers", []) for s in h.body)
        return self._statements.get(line)

    @property
    def outside(self) -> list[ast.stmt]:
        """The module-level statements that are no definitions, nor blocks of others."""
        self.statement(0)
        inner = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.For, ast.While)
        return [statement for statement in (self._statements or {}).values() if isinstance(statement, inner)]

    def statement_around(self, line: int) -> int | None:
        """The first line of the innermost module-level statement (no definition) that a line belongs to."""
        around = [s.lineno for s in self.outside if s.lineno <= line <= (s.end_lineno or s.lineno)]
        return max(around, default=None)

    @cached_property
    def in_loops(self) -> dict[int, ast.stmt]:
        """The statements in the loops outside of functions, by their first lines."""
        loops = [s for s in self.outside if isinstance(s, ast.For | ast.While)]
        inside = (node for loop in loops for node in walk_scope([*loop.body, *loop.orelse]))
        return {node.lineno: node for node in inside if isinstance(node, ast.stmt)}

    @cached_property
    def at_top(self) -> frozenset[int]:
        """The lines on which statements begin that always run, in order."""
        return frozenset(statement.lineno for statement in self.tree.body)

    def assignments(self, name: str) -> int:
        """In how many places of the file an attribute of this name is assigned."""
        return len(re.findall(rf"\.{name}\b(?:\s*:[^=\n]*)?\s*[-+*/|&^%@]*=(?!=)", self.source.text))

    @cached_property
    def rebound(self) -> frozenset[str]:
        """Names of the module that some function declares `global`."""
        if "global " not in self.source.text:
            return frozenset()
        found = re.findall(r"^\s+global\s+([\w, \t]+)", self.source.text, re.MULTILINE)
        return frozenset(name.strip() for names in found for name in names.split(","))

    def changes(self, name: str) -> bool:
        """Whether the list or dict of this name is changed in place somewhere in the module."""
        text = self.source.text
        at = text.find(name)
        while at >= 0:
            if not _WORD.match(text[at - 1 : at]) and _CHANGED.match(text, at + len(name)):
                return True
            at = text.find(name, at + 1)
        return False


def _function_of(tree: ast.Module) -> ast.FunctionDef:
    """The statements that run when a file does, as a function without parameters."""
    body = scripted(tree.body)
    made = ast.parse("def module(): ...").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.name, made.body, made.end_lineno = SCRIPT, body, body[-1].end_lineno
    return made


def _blocks(statement: ast.If | ast.Try | ast.With) -> list[list[ast.stmt]]:
    """The blocks of a compound statement at module level."""
    parts = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
    return [part for part in (*parts, *(handler.body for handler in getattr(statement, "handlers", []))) if part]
