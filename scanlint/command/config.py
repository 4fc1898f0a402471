"""`[tool.scanlint]` of the nearest pyproject.toml, and the options of the command line over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scanlint.errors import UsageError, cause, did_you_mean
from scanlint.finding import LEVELS, Level
from scanlint.project.contents import contents
from scanlint.settings import LINE_LENGTH, Settings

Table = Mapping[str, object]
FORMATTERS = ("ruff", "black", "pyink")


class Overrides(NamedTuple):
    """The settings of the command line; None means that it says nothing, and for what is added empty does too."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    level: Level | None = None
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool | None = None
    markdown: bool = False
    python: str | None = None
    verify_timeout: float | None = None
    measure: bool = False
    unsafe_fixes: bool | None = None
    baseline: Path | None = None
    no_cache: bool = False
    cache_dir: Path | None = None
    jobs: int | None = None
    executor: str = ""


def load(start: Path, file: Path | None, overrides: Overrides) -> Settings:
    """The settings for a run on `start`. Raises UsageError.

    `file` is the configuration that the user named: patterns in it are relative to the working directory, as in ruff.
    """
    settings = replace(_read(file), root=Path.cwd()) if file else _nearest(start)
    if settings.line_length == 0:
        settings = replace(settings, line_length=_formatted(settings.root))
    _check_rules(settings, overrides)
    settings = _override(settings, overrides)
    _check_selection(settings)
    return settings


def _nearest(start: Path) -> Settings:
    """The first pyproject.toml upward that speaks of scanlint; else the root is where the first one is."""
    file, first = nearest(start.absolute() if start.is_dir() else start.absolute().parent)
    return _read(file) if file is not None else Settings(root=first or Path.cwd(), line_length=0)


def nearest(folder: Path) -> tuple[Path | None, Path | None]:
    """The first pyproject.toml upward that speaks of scanlint, and the folder of the first one of all.

    Raises UsageError for one that cannot be read.
    """
    first: Path | None = None
    for candidate in (folder, *folder.parents):
        file = candidate / "pyproject.toml"
        if not _stands(file):
            continue
        first = first or candidate
        if speaks(file):
            return file, first
    return None, first


def _stands(file: Path) -> bool:
    """Whether there is anything of that name, be it a link that leads nowhere. Raises UsageError."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):  # there is none
        return False
    except OSError as error:
        raise UsageError(f"{file}: cannot read: {cause(error)}") from None
    return True


def speaks(file: Path) -> bool:
    """Whether a pyproject.toml has a table for scanlint. Raises UsageError where that cannot be told.

    The word is looked for in what other encodings leave of it too: what is no TOML is said only if it is for us.
    """
    return b"scanlint" in _bytes(file).replace(b"\0", b"") and _table(_parse(file), file) is not None


def _read(file: Path) -> Settings:
    """The settings in one file: its `[tool.scanlint]`, or all of it if it is not a pyproject.toml."""
    document = _parse(file, Path.read_bytes)  # one that is named may be a pipe
    table = _table(document, file)
    if table is None:
        table = {} if file.name == "pyproject.toml" else document
    values: dict[str, object] = {"root": file.absolute().parent, "source": file, "line_length": 0}
    for key, value in table.items():
        if key not in KEYS:
            raise UsageError(f"{file}: unknown key `{key}` in [tool.scanlint]{did_you_mean(key, KEYS)}")
        try:
            values[key.replace("-", "_")] = KEYS[key](value)
        except TypeError as error:
            raise UsageError(f"{file}: `{key}` must be {error}, not {_spell(value)}") from None
    for key in ("baseline", "cache_dir"):
        if isinstance(path := values.get(key), str):
            values[key] = file.absolute().parent / path
    if isinstance(python := values.get("python"), str) and Path(python).name != python:
        values["python"] = str(file.absolute().parent / python)
    return replace(Settings(), **values)  # type: ignore[arg-type]


def _formatted(root: Path) -> int:
    """The length of lines that the formatter of the project is told."""
    for name in (".ruff.toml", "ruff.toml", "pyproject.toml"):
        file = root / name
        if not file.is_file() or b"line-length" not in _bytes(file):
            continue
        document = _parse(file)
        tools = document.get("tool") if name == "pyproject.toml" else {"ruff": document}
        for tool in FORMATTERS:
            table = tools.get(tool) if isinstance(tools, dict) else None
            length = table.get("line-length") if isinstance(table, dict) else None
            if isinstance(length, int) and length > 0:
                return length
    return LINE_LENGTH


def _bytes(file: Path, read: Callable[[Path], bytes] = contents) -> bytes:
    try:
        return read(file)
    except OSError as error:
        raise UsageError(f"{file}: cannot read: {cause(error)}") from None


def _parse(file: Path, read: Callable[[Path], bytes] = contents) -> Table:
    import tomllib

    try:
        return tomllib.loads(_bytes(file, read).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read as TOML: {error}") from None


def _table(document: Table, file: Path) -> Table | None:
    """`[tool.scanlint]`, if there is one. Raises UsageError for one that is no table."""
    tool = document.get("tool", {})
    table = tool.get("scanlint", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        where = "tool.scanlint" if isinstance(tool, dict) else "tool"
        raise UsageError(f"{file}: `{where}` must be a table, [tool.scanlint], not {_spell(table)}")
    return table if isinstance(tool, dict) and "scanlint" in tool else None


def _override(settings: Settings, over: Overrides) -> Settings:
    """The command line over the file: its `--select` replaces all that the file says about rules, as in ruff."""
    if over.select is not None:
        settings = replace(settings, select=over.select, ignore=over.ignore, extend_select=over.extend_select)
    else:
        ignored = tuple(rule for rule in settings.ignore if rule not in over.extend_select)
        settings = replace(
            settings, ignore=(*ignored, *over.ignore), extend_select=(*settings.extend_select, *over.extend_select)
        )
    return replace(
        settings,
        level=over.level or settings.level,
        exclude=settings.exclude if over.exclude is None else over.exclude,
        extend_exclude=(*settings.extend_exclude, *over.extend_exclude),
        force_exclude=over.force_exclude or settings.force_exclude,
        respect_gitignore=_said(over.respect_gitignore, settings.respect_gitignore),
        markdown=over.markdown or settings.markdown,
        python=over.python or settings.python,
        verify_timeout=settings.verify_timeout if over.verify_timeout is None else over.verify_timeout,
        measure=over.measure or settings.measure,
        unsafe_fixes=_said(over.unsafe_fixes, settings.unsafe_fixes),
        baseline=over.baseline or settings.baseline,
        cache=settings.cache and not over.no_cache,
        cache_dir=over.cache_dir or settings.cache_dir,
        jobs=settings.jobs if over.jobs is None else over.jobs,
        executor=over.executor,
    )


def _said(option: bool | None, setting: bool) -> bool:
    return setting if option is None else option


def _check_rules(settings: Settings, over: Overrides) -> None:
    """UsageError for the first rule, in the file or in an option, that does not exist."""
    written: dict[str, tuple[str, ...]] = {}
    for option in ("select", "ignore", "extend_select"):
        spelled = option.replace("_", "-")
        written[f"--{spelled}"] = getattr(over, option) or ()
        written[f"{settings.source}: `{spelled}`"] = getattr(settings, option) or ()
    for pattern, listed in settings.per_file_ignores.items():
        written[f"{settings.source}: `per-file-ignores` of `{pattern}`"] = listed
    if any(written.values()):
        from scanlint.rules.registry import check_selectors

        for origin, selectors in written.items():
            check_selectors(selectors, origin)


def _check_selection(settings: Settings) -> None:
    """UsageError where what is selected is ignored too: nothing would be looked for."""
    if settings.select is None and not settings.ignore:
        return
    from scanlint.rules.registry import selects_none

    if selects_none(settings):
        chosen, ignored = (", ".join(map("`{}`".format, words)) for words in (settings.chosen, settings.ignore))
        but = f", and {ignored} is ignored" if ignored else ""
        raise UsageError(f"no rule is left to look for: {chosen or 'nothing'} is selected{but}")


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("a list of strings")
    return tuple(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a string")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("a whole number from 0 up")
    return value


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
        raise TypeError("a number of seconds over 0")
    return float(value)


def _level(value: object) -> Level:
    for level in LEVELS:
        if value == level:
            return level
    raise TypeError(f"one of {', '.join(LEVELS)}")


def _ignores(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise TypeError("a table of patterns with the rules to ignore")
    return {pattern: _words(listed) for pattern, listed in value.items()}


def _inputs(value: object) -> dict[str, tuple[str, ...]]:
    wanted = "a table of function names with the inputs of each as a string, or a list of strings"
    if not isinstance(value, dict):
        raise TypeError(wanted)
    found: dict[str, tuple[str, ...]] = {}
    for name, specs in value.items():
        listed = [specs] if isinstance(specs, str) else specs
        if not isinstance(listed, list) or not all(isinstance(spec, str) for spec in listed):
            raise TypeError(wanted)
        found[name] = tuple(listed)
    return found


def _spell(value: object) -> str:
    """A value as TOML would have it, short."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"`{text if len(text) <= 40 else text[:37] + '...'}`"


KEYS: Mapping[str, Callable[[object], object]] = {
    "select": _words,
    "ignore": _words,
    "extend-select": _words,
    "level": _level,
    "per-file-ignores": _ignores,
    "exclude": _words,
    "extend-exclude": _words,
    "force-exclude": _flag,
    "respect-gitignore": _flag,
    "markdown": _flag,
    "assume-traced": _words,
    "max-unrolled-trips": _count,
    "min-unrolled-equations": _count,
    "sums-as-batches": _flag,
    "python": _text,
    "verify-timeout": _seconds,
    "verify-environment": _words,
    "measure": _flag,
    "unsafe-fixes": _flag,
    "baseline": _text,
    "inputs": _inputs,
    "line-length": _count,
    "jobs": _count,
    "cache-dir": _text,
}
