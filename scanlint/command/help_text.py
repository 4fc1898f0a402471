"""Help in groups: options by what they are about, and those of `check` with the commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeVar

import click

from scanlint.errors import UsageError, cause

OTHERS = "Other options"
F = TypeVar("F", bound=Callable[..., object])


class SectionOption(click.Option):
    """An option that is listed in a section of the help."""

    def __init__(self, *words: Any, section: str = OTHERS, **said: Any) -> None:
        super().__init__(*words, **said)
        self.section = section


def option(*words: Any, **said: Any) -> Callable[..., Any]:
    """An option that is told its section later."""
    return partial(click.option, *words, cls=SectionOption, **said)


def section(title: str, *options: Callable[..., Any]) -> list[Any]:
    """These options, listed below a title."""
    return [each(section=title) for each in options]


def decorated(function: F, options: Sequence[Any]) -> F:
    """A command with these options, in this order."""
    return reduce(lambda made, each: each(made), reversed(options), function)


class SectionedCommand(click.Command):
    """A command whose help lists its options by section, in the order in which they are declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "section", OTHERS), []).append(record)
        for title, records in sorted(sections.items(), key=lambda section: section[0] == OTHERS):
            with formatter.section(title):
                formatter.write_dl(records)


class Commands(click.Group):
    """A group whose command may be left out: `scanlint PATH` is `scanlint check PATH`, and so is the help."""

    implied = "check"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "-h", "--version")):
            args = [self.implied, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A pipe that breaks in it is none that leads to a reader: no reason to leave quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise UsageError(f"a process that was asked has ended: {cause(error)}") from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        command = self.get_command(ctx, self.implied)
        if command is not None:
            command.format_options(ctx, formatter)
