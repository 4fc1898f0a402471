"""What a rule is, and what it is given."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from scanlint.analysis.unit import Unit
from scanlint.finding import Finding, Fix, Primitive
from scanlint.rewrite.result import Outcome, Rewrite, Withheld
from scanlint.settings import Settings


@dataclass(frozen=True, slots=True)
class Report:
    """A finding with its rewrite, before anything was verified or written."""

    finding: Finding
    outcome: Outcome | None
    node: ast.AST


@dataclass(frozen=True, slots=True)
class Context:
    """One unit under the settings of the run; makes the findings of one rule."""

    rule: Rule
    unit: Unit
    settings: Settings

    def report(
        self,
        node: ast.AST,
        message: str,
        *,
        help: str | None = None,
        label: str | None = None,
        end: ast.AST | None = None,
        why: tuple[str, ...] = (),
        trips: int | None = None,
        primitive: Primitive = "other",
        outcome: Outcome | None = None,
    ) -> Report:
        """A finding at `node`; `why` (the evidence of the value) comes before the chain of the function."""
        source = self.unit.source
        function = self.unit.context(node)
        match outcome:
            case Rewrite(primitive=chosen):
                primitive, fix = chosen, Fix("available")
            case Withheld():
                fix = Fix("withheld", outcome.reason)
            case _:
                fix = Fix("none", "this rule has no rewrite")
        finding = Finding(
            code=self.rule.code,
            name=self.rule.name,
            path=source.path,
            start=source.start(node),
            end=source.end(end or node),
            function=function.qualname,
            message=message,
            help=help,
            chain=(*why, *function.chain),
            label=label,
            trips=trips,
            primitive=primitive,
            fix=fix,
        )
        return Report(finding, outcome, node)


class Rule(ABC):
    """One rule: a file in this package whose class says what it finds in which nodes."""

    code: ClassVar[str]
    name: ClassVar[str]
    default: ClassVar[bool] = True
    nodes: ClassVar[tuple[type[ast.AST], ...]]

    @abstractmethod
    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        """The findings at one node of one of the types in `nodes`."""
