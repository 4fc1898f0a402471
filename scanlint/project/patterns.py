"""`assume-traced`: which functions of the project its patterns name."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.project.facts import ModuleFacts


def assumed(module: str, facts: ModuleFacts, settings: Settings) -> Iterator[tuple[str, str]]:
    """The functions of a module that `assume-traced` names, each with the first pattern that does."""
    for qualname in facts.functions if settings.assume_traced else ():
        found = next((p for p in settings.assume_traced if _names(p, module, qualname, facts, settings)), None)
        if found is not None:
            yield qualname, found


def matched(module: str, facts: ModuleFacts, settings: Settings) -> tuple[str, ...]:
    """The patterns that name something in a module."""
    functions = facts.functions
    return tuple(p for p in settings.assume_traced if any(_names(p, module, q, facts, settings) for q in functions))


def spellings(path: Path, display: str, module: str, qualname: str, root: Path) -> set[str]:
    """The names by which `inputs` may speak of a function."""
    absolute = path.absolute()
    below = absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else display
    dotted = {name.removesuffix(".py").replace("/", ".") for name in (display, below)}
    return {
        qualname,
        *(f"{name}.{qualname}" for name in (module, *dotted)),
        *(f"{p}:{qualname}" for p in (display, below)),
    }


def configured_inputs(
    settings: Settings, path: Path, display: str, module: str, qualname: str
) -> tuple[tuple[str, str], ...]:
    """The inputs of a function that the configuration gives, each with the place where it does."""
    spelled, place = (
        spellings(path, display, module, qualname, settings.root),
        f"{settings.source}: [tool.scanlint.inputs]",
    )
    return tuple((spec, place) for name, specs in settings.inputs.items() if name in spelled for spec in specs)


def _names(pattern: str, module: str, qualname: str, facts: ModuleFacts, settings: Settings) -> bool:
    """Whether a pattern names a function.

    A pattern is a module, a class or a function by its dotted name, a glob over such names, or a path or a glob over
    paths below the root (with a slash, or ending in `.py`). Methods such as `__init__` must be named in full.
    """
    full = f"{module}.{qualname}"
    if pattern == full:
        return True
    name = qualname.rpartition(".")[2]
    if name.startswith("__") and name.endswith("__") and name != "__call__":
        return False
    if "/" in pattern or pattern.endswith(".py"):
        path = Path(facts.path).absolute()
        below = path.relative_to(settings.root) if path.is_relative_to(settings.root) else path
        return fnmatchcase(below.as_posix(), pattern) or fnmatchcase(below.as_posix(), f"{pattern.rstrip('/')}/*")
    return any(fnmatchcase(spelled, pattern) for spelled in (full, full.rpartition(".")[0], module))
