"""The command line: options only. What they mean is in run.py, config.py and the reports."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Unpack

import click

from scanlint import __version__
from scanlint.command.options import CheckOptions, check_options, request_from
from scanlint.errors import UsageError

CHECK = "check"


class Commands(click.Group):
    """A group whose command may be left out: `scanlint PATH` is `scanlint check PATH`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "-h", "--version")):
            args = [CHECK, *args]
        return super().parse_args(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="scanlint %(version)s")
def group() -> None:
    """Find Python control flow that JAX cannot trace well, rewrite it, and verify each rewrite.

    `scanlint [OPTIONS] [PATHS]...` is the same as `scanlint check`: its options are in `scanlint check --help`.
    """


@group.command(CHECK)
@check_options
def check(**options: Unpack[CheckOptions]) -> int:
    """Check files and folders (default: the working directory); `-` reads standard input."""
    gc.disable()  # little becomes garbage before the end: collecting costs 5% of a small run, 15% of a large one
    from scanlint.command.check import run

    return run(request_from(options))


@group.command()
@click.argument("rule", required=False)
def rule(rule: str | None) -> int:
    """Explain one rule, by code or name, or list all."""
    from scanlint.command import catalogue
    from scanlint.report.console import out

    out(catalogue.page(rule) if rule else catalogue.listing())
    return 0


@group.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("-f", "--function", required=True, metavar="NAME", help="The function, dotted for methods.")
@click.option("--python", metavar="INTERPRETER", help="Where both versions run (default: the project's environment).")
@click.option("--verify-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Limit of the run.")
@click.option("--measure", is_flag=True, help="Also measure the seconds of tracing and compiling.")
@click.option("--output-format", "form", type=click.Choice(["full", "json"]), default="full", show_default=True)
def verify(
    old: Path, new: Path, function: str, python: str | None, verify_timeout: float | None, measure: bool, form: str
) -> int:
    """Tell whether the two versions of a function are equivalent: 0 they are, 1 refuted, 3 unknown."""
    from scanlint.command.verify import compare

    return compare(old, new, function, python, verify_timeout, measure, form)


@group.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--python", metavar="INTERPRETER", help="The project's interpreter, whose tools are run.")
@click.option("--config", type=click.Path(path_type=Path), help="Use this file instead of the nearest pyproject.toml.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing of what was kept.")
def record(command: tuple[str, ...], python: str | None, config: Path | None, quiet: bool) -> int:
    """Run a command and keep what traced functions are called with: `scanlint record -- pytest tests`.

    The calls are kept in `.scanlint` and used by `--fix`; the command runs as ever, and its exit code is given.
    """
    from scanlint.command.record import record

    return record(command, python, config, quiet)


def main() -> None:
    """Run the command line; an error of the user ends it with code 2."""
    run: Callable[..., object] = group.main
    try:
        code = run(prog_name="scanlint", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = 2
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 141
    except Exception:  # noqa: BLE001  exit code 1 would read as "findings remain"
        import traceback

        traceback.print_exc()
        print("error: this is a bug in scanlint, please report it with the lines above", file=sys.stderr)
        code = 2
    _leave(code if isinstance(code, int) else 0)


def _leave(code: int) -> NoReturn:
    """End the process; where nothing runs any more, without taking its memory apart (15% of a small run)."""
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
