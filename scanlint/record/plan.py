"""Plans a recording: the functions that are worth it, and the places of their findings."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scanlint.engine.session import check
from scanlint.engine.suppress import unparsed
from scanlint.finding import LEVELS, Finding
from scanlint.project.contents import contents
from scanlint.project.discovery.folders import discover
from scanlint.project.files import SourceFile, read
from scanlint.project.parsing import parse
from scanlint.record.inside.instrument import parameters
from scanlint.settings import Settings
from scanlint.syntax.walk import by_kind
from scanlint.trace.program.project import Project

KEPT = 6
"""Argument sets per function and process, and per function in the end."""
LOOPS: tuple[type[ast.stmt | ast.expr], ...] = (
    ast.For,
    ast.While,
    ast.ListComp,
    ast.GeneratorExp,
    ast.SetComp,
    ast.DictComp,
)


@dataclass(frozen=True, slots=True)
class Target:
    """A function to record; `path` is relative to the root, `line` that of its `def`."""

    path: str
    file: str
    qualname: str
    line: int
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """The functions, the line ranges whose equations are counted, by path, and the loops of all files."""

    root: Path
    targets: tuple[Target, ...]
    spans: dict[str, list[tuple[int, int]]]
    loops: dict[str, list[tuple[int, int]]]
    unread: tuple[str, ...] = ()

    def text(self, parts: Path) -> str:
        """The plan as the text that the recorder reads."""
        functions = [
            {"path": t.path, "file": t.file, "qualname": t.qualname, "line": t.line, "parameters": t.parameters}
            for t in self.targets
        ]
        root = f"{self.root}{'' if str(self.root).endswith('/') else '/'}"
        watched = {"functions": functions, "spans": self.spans, "loops": self.loops}
        return json.dumps({"root": root, "parts": str(parts), "kept": KEPT, **watched})


def make(settings: Settings) -> RecordingPlan:
    """The plan for all files below the root, and for all rules: which of them a later run selects is not known."""
    root = settings.root.resolve()
    settings = replace(settings, extend_select=(*settings.extend_select, "ALL"), level=LEVELS[-1])
    paths = [file for file in discover([settings.root], settings).files if file.suffix == ".py"]
    files = [source for file in paths if isinstance(source := read(file), SourceFile)]
    outcome = check([settings.root], settings)
    findings = outcome.findings
    unread = [*(p.path for p in outcome.problems if p.scope == "unread"), *(f.path for f in findings if unparsed(f))]
    names = {(Path(f.path).resolve(), f.function) for f in findings if f.function is not None}
    targets: dict[tuple[str, int], Target] = {}
    for unit in Project.load(files, settings).units():
        file = Path(unit.source.path).resolve()
        if unit.bare or not file.is_relative_to(root):
            continue
        wanted = any(c.traced for c in unit.contexts.values())
        if not wanted and not any(f == file and n.split(".")[0] == unit.qualname.split(".")[0] for f, n in names):
            continue
        for target in targets_in(unit.node, unit.qualname, file, root):
            targets.setdefault((target.file, target.line), target)
    return RecordingPlan(root, tuple(targets.values()), _spans(findings, root), _loops(files, root), tuple(unread))


def targets_in(node: ast.AST, qualname: str, file: Path, root: Path) -> Iterator[Target]:
    """A function, and those that are defined in it: what a factory makes is recorded too."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        relative = file.relative_to(root).as_posix()
        yield Target(relative, str(file), qualname, node.lineno, tuple(parameters(node)))
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from targets_in(child, f"{qualname}.{child.name}" if named else qualname, file, root)  # type: ignore[attr-defined]


def _spans(findings: Sequence[Finding], root: Path) -> dict[str, list[tuple[int, int]]]:
    """The lines of each loop, branch or expression that is reported, by the line that it starts on."""
    found: dict[str, dict[int, int]] = {}
    for finding in findings:
        file = Path(finding.path).resolve()
        if file.is_relative_to(root):
            lines = found.setdefault(file.relative_to(root).as_posix(), {})
            lines[finding.start.line] = max(finding.end.line, lines.get(finding.start.line, 0))
    for path, lines in found.items():
        try:
            tree = ast.parse(contents(root / path))
        except (SyntaxError, ValueError):  # reported as such; it is not imported either
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and node.lineno in lines and not _defines(node):
                lines[node.lineno] = max(lines[node.lineno], node.end_lineno or 0)
    return {path: sorted(lines.items()) for path, lines in found.items()}


def _loops(files: Sequence[SourceFile], root: Path) -> dict[str, list[tuple[int, int]]]:
    """The lines of every loop and comprehension, by path."""
    found: dict[str, list[tuple[int, int]]] = {}
    for source in files:
        file, tree = source.path.resolve(), parse(source)
        if isinstance(tree, ast.Module) and file.is_relative_to(root):
            inside = by_kind(tree)
            nodes: list[ast.stmt | ast.expr] = [node for kind in LOOPS for node in inside.of(kind)]
            loops = {(node.lineno, node.end_lineno or node.lineno) for node in nodes}
            found[file.relative_to(root).as_posix()] = sorted(loops)
    return found


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
