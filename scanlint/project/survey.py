"""The first pass over a file: a syntax error, or its facts and whether anything can be found in it at all."""

from __future__ import annotations

from collections.abc import Iterable

from scanlint.project.commented_jits import RULE, wishes
from scanlint.project.facts import ModuleFacts, Span, collect, parse
from scanlint.project.files import SourceFile, Unreadable
from scanlint.project.frameworks import METHODS
from scanlint.project.modules import Library, Module, Trees, imported
from scanlint.project.patterns import matched
from scanlint.project.summary import MARK, ModuleNames, Surveyed, digest_of
from scanlint.settings import Settings


def examine(
    source: SourceFile | Unreadable, settings: Settings, trees: Trees, *, hold: bool = False
) -> tuple[Surveyed, ModuleFacts | None]:
    """Parse a file and collect its facts; its tree is held, or only if it will be needed and there is room for it."""
    if isinstance(source, Unreadable):
        return _unreadable(source, ""), None
    digest = digest_of(source.data)
    tree = parse(source)
    if isinstance(tree, Unreadable):
        return _unreadable(tree, digest), None
    facts = collect(tree, source)
    if hold or trees.welcomes(source, likely=facts.jax):
        trees.put(source, tree)
    control = bool(facts.scripts) or any(span.control for span in facts.functions.values())
    begins, marked = has_beginning(facts, source.text, settings), MARK in source.text
    assumed = matched(ModuleNames().name(source.path)[0], facts, settings) if settings.assume_traced else ()
    left_out = source.notebook.left_out if source.notebook is not None else ()
    made = Surveyed(source.display, digest, begins, control, marked, assumed, None, imported(facts), left_out)
    return made, facts


def _unreadable(error: Unreadable, digest: str) -> Surveyed:
    return Surveyed(error.display, digest, error=(error.message, error.line, error.column, error.syntax, error.newer))


def has_beginning(facts: ModuleFacts, text: str, settings: Settings) -> bool:
    """Whether some trace, or some loop over arrays, can begin in a file."""
    if not facts.jax:
        return False
    if (
        facts.active
        or settings.assume_traced
        or any(c.bases and METHODS.intersection(c.methods) for c in facts.classes.values())
    ):
        return True
    if settings.runs(*RULE) and wishes(text):
        return True
    spans = [*facts.functions.values(), *facts.scripts.values()]
    return any(span.transforms or is_host_loop(span, facts, settings) for span in spans)


def is_host_loop(span: Span, facts: ModuleFacts, settings: Settings) -> bool:
    """A function with a loop whose lines speak of arrays; with any loop, where host loops are asked for."""
    return facts.jax and span.loops and (span.arrays or asks_for_loops(settings))


def asks_for_loops(settings: Settings) -> bool:
    """Whether loops on the host that collect nothing are looked for too."""
    step_loops = settings.runs("SCN107", "host-step-loop") or settings.runs("SCN108", "eager-step-loop")
    return step_loops or settings.tells_left


def shelve(files: Iterable[SourceFile | Unreadable], settings: Settings) -> tuple[Library, list[Unreadable]]:
    """All files as they were read, whatever becomes of them on disk; and those that are no part of the project."""
    trees, names = Trees(None), ModuleNames()
    modules: dict[str, Module] = {}
    errors: list[Unreadable] = []
    for file in files:
        surveyed, facts = examine(file, settings, trees)
        if surveyed.error is not None:
            errors.append(Unreadable(file.path, file.display, *surveyed.error))
        elif facts is not None:
            name, package = names.name(file.path)
            modules[name] = Module(name, file.path, file.display, package, surveyed.digest, trees, facts)
    return Library(modules), errors
