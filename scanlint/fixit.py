"""Each rule as a lint rule of Fixit: `enable = ["scanlint.fixit"]` in its configuration.

A finding stands where scanlint reports it. Where a verified rewrite is known, it is the autofix of the finding: the
whole file with all that could be rewritten in it. Directives of Fixit (`# lint-ignore`) hold as for its own rules.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import ClassVar

import libcst as cst
from fixit import LintRule
from libcst.metadata import CodePosition, CodeRange, FilePathProvider, PositionProvider

from scanlint.codemods import class_name, fixed
from scanlint.engine.session import RunOutcome
from scanlint.rules.registry import rules


class VerifiedRule(LintRule):
    """Reports what one rule finds; a file is looked at once, whichever rule asks first."""

    METADATA_DEPENDENCIES = (PositionProvider, FilePathProvider)
    AUTOFIX = True
    rule: ClassVar[str] = ""

    def visit_Module(self, node: cst.Module) -> None:
        path = self.get_metadata(FilePathProvider, node)
        outcome = _outcome(Path(str(path)), node.bytes)
        changed = [after for _, after in outcome.changes.values()]
        whole = cst.parse_module(changed[0]) if changed else None
        for finding in outcome.findings:
            if finding.name != self.rule:
                continue
            start, end = finding.start, finding.end
            at = CodeRange(CodePosition(start.line, start.column - 1), CodePosition(end.line, end.column - 1))
            if self._ignored(node, at):
                continue
            help_text = f" ({finding.help})" if finding.help else ""
            rewritten = whole if finding.fix.status == "applied" else None
            self.report(node, f"{finding.code} {finding.message}{help_text}", position=at, replacement=rewritten)

    def _ignored(self, module: cst.Module, at: CodeRange) -> bool:
        """Whether a directive stands at the statement in which the finding begins."""
        found = _Statement(self, at)
        module.visit(found)
        return found.innermost is not None and self.ignore_lint(found.innermost)


class _Statement(cst.CSTVisitor):
    """The innermost statement around a place."""

    def __init__(self, rule: VerifiedRule, at: CodeRange) -> None:
        super().__init__()
        self.rule = rule
        self.at = at
        self.innermost: cst.CSTNode | None = None

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            own = self.rule.get_metadata(PositionProvider, node)
            if not (own.start.line <= self.at.start.line <= own.end.line):
                return False
            self.innermost = node
        return not isinstance(node, cst.BaseExpression)


@functools.lru_cache(maxsize=4)
def _outcome(path: Path, text: bytes) -> RunOutcome:
    return fixed(path, text)


for _rule in rules():
    _name = class_name(_rule.name)
    globals()[_name] = type(
        _name,
        (VerifiedRule,),
        {
            "__doc__": f"{_rule.code} {_rule.name}.",
            "__module__": __name__,
            "MESSAGE": f"{_rule.code} {_rule.name}",
            "rule": _rule.name,
        },
    )
