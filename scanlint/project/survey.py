"""The first pass over a file: a syntax error, or its facts and whether anything can be found in it at all."""

from __future__ import annotations

from collections.abc import Iterable

from scanlint.jaxapi.frameworks import METHODS
from scanlint.project.commented_jits import RULE, wishes
from scanlint.project.facts import ModuleFacts, Span, collect
from scanlint.project.files import SourceFile, Unreadable
from scanlint.project.modules import Library, Module, Trees, imported
from scanlint.project.parsing import parse
from scanlint.project.patterns import matched
from scanlint.project.removed_names import removed_uses
from scanlint.project.summary import ModuleNames, Surveyed, digest_of, marked
from scanlint.settings import Settings

IN_LOOPS = (
    ("SCN107", "host-step-loop"),
    ("SCN108", "eager-step-loop"),
    ("SCN302", "unbatched-comprehension"),
    ("SCN404", "jit-in-loop"),
    ("SCN408", "eager-transform"),
    ("SCN410", "growing-array"),
    ("SCN601", "wait-in-loop"),
)
"""Rules that may find something in any loop on the host."""
STRAIGHT = (
    ("SCN406", "dropped-result"),
    ("SCN408", "eager-transform"),
    ("SCN407", "unpacked-array"),
    ("SCN412", "eager-update"),
    ("SCN413", "nan-gradient"),
    ("SCN604", "clock-without-wait"),
)
"""Rules that also find something in host code without a loop."""
KEY_RULES = (
    ("SCN501", "key-reused"),
    ("SCN502", "key-after-split"),
    ("SCN503", "key-each-trip"),
    ("SCN504", "constant-key"),
    ("SCN505", "unused-split"),
)
"""The rules that follow random keys, in functions that nothing traces too."""


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
    control = bool(facts.functions or facts.scripts)
    begins, speaks = has_beginning(facts, source.text, settings), marked(source.text)
    assumed = matched(ModuleNames().name(source.path)[0], facts, settings) if settings.assume_traced else ()
    removed = removed_uses(tree, source.text) if facts.jax else ()
    broken = [parse(cell) for cell in source.broken]
    later = tuple(error.message for error in broken if isinstance(error, Unreadable) and error.newer)
    errors = tuple((e.message, e.line, e.column) for e in broken if isinstance(e, Unreadable) and not e.newer)
    left_out = (*source.left_out, *later)
    words = imported(facts)
    made = Surveyed(
        source.display, digest, begins, control, speaks, assumed, None, words, left_out, removed, errors, facts.drives
    )
    return made, facts


def _unreadable(error: Unreadable, digest: str) -> Surveyed:
    return Surveyed(error.display, digest, error=(error.message, error.line, error.column, error.syntax, error.newer))


def has_beginning(facts: ModuleFacts, text: str, settings: Settings) -> bool:
    """Whether some trace, or some loop over arrays, can begin in a file."""
    if not facts.runs:
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
    keys = asks_for_keys(settings)
    return any(
        span.transforms or span.writes or (keys and span.keys) or is_host_code(span, facts, settings) for span in spans
    )


def is_host_code(span: Span, facts: ModuleFacts, settings: Settings) -> bool:
    """A function in which something may be told of the host, whether a trace reaches it or not."""
    return facts.runs and (span.loops or (span.straight and asks_for_straight(settings)))


def asks_for_loops(settings: Settings) -> bool:
    """Whether loops on the host that collect nothing are looked for too."""
    return settings.tells_left or any(settings.runs(code, name) for code, name in (*IN_LOOPS, *STRAIGHT))


def asks_for_straight(settings: Settings) -> bool:
    """Whether rules run that tell of host code without loops."""
    return any(settings.runs(code, name) for code, name in STRAIGHT)


def asks_for_keys(settings: Settings) -> bool:
    """Whether a rule that follows random keys runs."""
    return any(settings.runs(code, name) for code, name in KEY_RULES)


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
