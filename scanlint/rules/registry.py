"""Which rules there are and which of them run: every `Rule` in a module of this package, with no table to edit."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from scanlint import rules as package
from scanlint.errors import UsageError, did_you_mean
from scanlint.finding import LEVELS, Finding, Level
from scanlint.settings import Settings

if TYPE_CHECKING:
    import ast

    from scanlint.rules.base import Rule

EVERYTHING = "ALL"


class Entry(NamedTuple):
    """One line of the catalogue: a rule, or a finding that is made without one."""

    code: str
    name: str
    level: Level
    summary: str


SYNTAX_ERROR = Entry("SCN900", "syntax-error", "error", "a file that cannot be parsed")
RECOMPILED = Entry("SCN405", "recompiled", "advice", "a function that a recorded run compiled again and again")
REMOVED_API = Entry("SCN411", "removed-api", "warning", "a function or module that JAX has no more")
UNUSED_IGNORE = Entry("SCN901", "unused-ignore", "warning", "a suppression that suppresses nothing")


@cache
def rules() -> tuple[type[Rule[ast.AST]], ...]:
    """All rules of the package, by code. The first call imports them, and with them the analysis."""
    import importlib
    import pkgutil

    from scanlint.rules.base import Rule

    found: dict[str, type[Rule[ast.AST]]] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for member in vars(importlib.import_module(module.name)).values():
            if isinstance(member, type) and issubclass(member, Rule) and "code" in vars(member):
                found[member.code] = member
    return tuple(found[code] for code in sorted(found))


@cache
def entries() -> tuple[Entry, ...]:
    """The whole catalogue, by code."""
    found = (*(Entry(r.code, r.name, r.level, _summary(r)) for r in rules()), RECOMPILED, REMOVED_API)
    return (*sorted(found), SYNTAX_ERROR, UNUSED_IGNORE)


def codes(words: Iterable[str]) -> dict[str, str | None]:
    """The code that each name or code stands for; None for one that is no rule."""
    known = {entry.name: entry.code for entry in entries()} | {entry.code: entry.code for entry in entries()}
    return {word: known.get(word) for word in words}


def selects_none(settings: Settings) -> bool:
    """Whether no rule is left to look for."""
    return not any(_selected(entry, settings) for entry in entries())


def select(settings: Settings) -> tuple[type[Rule[ast.AST]], ...]:
    """The rules that run."""
    chosen = selected_codes(settings)
    return tuple(rule for rule in rules() if rule.code in chosen)


def listed_rules(settings: Settings) -> tuple[type[Rule[ast.AST]], ...]:
    """Those of them whose findings are listed."""
    return tuple(rule for rule in select(settings) if _is_listed(rule.level, (rule.code, rule.name), settings))


def is_listed(finding: Finding, settings: Settings) -> bool:
    """Whether a finding is as grave as what is listed, or its rule is selected by its full name or code."""
    return _is_listed(finding.level, (finding.code, finding.name), settings)


def _is_listed(level: Level, words: tuple[str, str], settings: Settings) -> bool:
    return LEVELS.index(level) <= LEVELS.index(settings.level) or not set(words).isdisjoint(settings.chosen)


def selected_codes(settings: Settings) -> frozenset[str]:
    """The codes that are looked for: the more exact selector wins, and `ignore` among equals. SCN900 always is."""
    return frozenset(entry.code for entry in entries() if _selected(entry, settings)) | {SYNTAX_ERROR.code}


def matches(selector: str, code: str) -> bool:
    """Whether a selector (name, code, prefix of a code, ALL) stands for a code."""
    return selector == EVERYTHING or code.startswith(codes([selector])[selector] or selector)


def check_selectors(selectors: Iterable[str], origin: str) -> None:
    """UsageError for the first selector that stands for no rule; `origin` says where it was written."""
    for selector in selectors:
        if not selector or not any(matches(selector, entry.code) for entry in entries()):
            choices = [name for entry in entries() for name in (entry.name, entry.code)]
            raise UsageError(f"{origin}: unknown rule `{selector}`{did_you_mean(selector, choices)}")


def _selected(entry: Entry, settings: Settings) -> bool:
    chosen = _specificity(entry, settings.chosen)
    if settings.select is None:
        chosen = max(chosen, 0)
    return chosen > _specificity(entry, settings.ignore)


def _specificity(entry: Entry, selectors: Iterable[str]) -> int:
    """How exactly the most exact of the selectors names the rule; -1 where none does."""
    return max(
        (0 if s == EVERYTHING else len(codes([s])[s] or s) for s in selectors if matches(s, entry.code)), default=-1
    )


def _summary(rule: type[Rule[ast.AST]]) -> str:
    """What follows the name in the first line of the rule's module."""
    first = (sys.modules[rule.__module__].__doc__ or "").strip().partition("\n")[0]
    said = first.partition(": ")[2] or first
    return said if said.endswith("...") else said.removesuffix(".")
