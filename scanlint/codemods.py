"""Each rule as a codemod of LibCST, with the verification of `scanlint --fix`: nothing unverified is written.

    python -m libcst.tool codemod -x --no-format scanlint.codemods.UnrolledLoop src

does what `scanlint --select unrolled-loop --fix src` does. A file of which something is left as it is gets a warning
that says why; a file of which nothing is rewritten is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from scanlint.command.config import Overrides, load
from scanlint.engine.session import RunOutcome
from scanlint.errors import UsageError
from scanlint.fix.run import fix_text
from scanlint.rules.registry import rules


class VerifiedCodemod(CodemodCommand):
    """Rewrites what one rule finds in a file that has a name, where verification proves the rewrite or tests it."""

    DESCRIPTION: str = "Rewrites what one rule finds, verified."
    rule: ClassVar[str]

    def __init__(self, context: CodemodContext) -> None:
        super().__init__(context)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        if self.context.filename is None:
            raise SkipFile("scanlint needs the name of the file: what it imports stands beside it")
        path = Path(self.context.filename)
        try:
            outcome = fixed(path, tree.bytes, (self.rule,))
        except UsageError as error:
            raise SkipFile(str(error)) from error
        left = list(reasons(outcome))
        for why in left:
            self.warn(why)
        changes = [after for _, after in outcome.changes.values()]
        if not changes:
            raise SkipFile("; ".join(left) or f"nothing that {self.rule} finds")
        return cst.parse_module(changes[0], config=tree.config_for_parsing)


def fixed(path: Path, text: bytes, select: tuple[str, ...] | None = None) -> RunOutcome:
    """The findings in a file of a project, and its text with the verified rewrites. Raises UsageError."""
    settings = load(path.absolute().parent, None, Overrides(select=select))
    return fix_text(text, path.absolute(), settings, lambda _: None, whole=True)


def reasons(outcome: RunOutcome) -> Iterator[str]:
    """Why each finding that is left was not rewritten, and what could not be read."""
    for finding in outcome.findings:
        if finding.fix.status != "applied":
            yield f"line {finding.start.line}: {finding.message}: {finding.fix.reason or 'not rewritten'}"
    yield from (str(problem) for problem in outcome.problems)


def class_name(rule: str) -> str:
    """`UnrolledLoop` of `unrolled-loop`."""
    return "".join(part.capitalize() for part in rule.split("-"))


for _rule in rules():
    _name = class_name(_rule.name)
    globals()[_name] = type(
        _name,
        (VerifiedCodemod,),
        {
            "__doc__": f"The rewrites of {_rule.name}.",
            "__module__": __name__,
            "DESCRIPTION": f"Rewrites what {_rule.name} ({_rule.code}) finds, verified by running both versions.",
            "rule": _rule.name,
        },
    )
