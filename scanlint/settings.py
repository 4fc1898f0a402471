"""The settings of one run, as the other stages see them (reading them from files and options is config.py's)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scanlint.finding import Level

LINE_LENGTH = 88
"""What black and ruff take where nothing else is said."""


@dataclass(frozen=True)
class Settings:
    """Everything that a run can be told. `root` is the folder of the pyproject.toml, or the working directory.

    `source` is the file that the configuration came from. `select` and `exclude` stand in the place of what is
    usual, with nothing in them too. `level`: what is less grave is counted, not listed. `baseline` is a file of
    findings that are known already.
    `line_length` is that of the formatter. `jobs` is the most processes that are used, 0 for as many as there are
    processors. `markdown`: texts are looked for in folders, too.
    `sums_as_batches`: loops that add up what they compute of each example become `jax.vmap`.
    `asked` are the functions that the user says are to be jitted: what they go over are arrays.
    `tells_left`: the run tells too which loops it looked at and left.
    """

    root: Path = field(default_factory=Path.cwd)
    source: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    level: Level = "warning"
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    markdown: bool = False
    assume_traced: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    max_unrolled_trips: int = 10
    min_unrolled_equations: int = 100
    sums_as_batches: bool = True
    python: str | None = None
    verify_timeout: float = 30.0
    verify_environment: tuple[str, ...] = ()
    measure: bool = False
    unsafe_fixes: bool = False
    baseline: Path | None = None
    line_length: int = LINE_LENGTH
    jobs: int = 0
    executor: str = ""
    cache: bool = True
    cache_dir: Path | None = None
    asked: frozenset[str] = frozenset()
    tells_left: bool = False

    @property
    def chosen(self) -> tuple[str, ...]:
        """The selectors of rules that are named."""
        return (*(self.select or ()), *self.extend_select)

    def runs(self, code: str, name: str) -> bool:
        """Whether a rule may run: nothing else is selected, or its code, a prefix of it, its name or ALL is."""
        return self.select is None or any(s in ("ALL", name) or code.startswith(s) for s in self.chosen)
