"""The command line: options only. What they mean is in run.py, config.py and the reports."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Unpack

import click

from scanlint import __version__
from scanlint.command.caching.cache_options import CacheOptions
from scanlint.command.converting.jit_options import JitOptions, jit_options
from scanlint.command.help_text import Commands, SectionedCommand
from scanlint.command.options import (
    FILE,
    CheckOptions,
    ReportOptions,
    check_options,
    report_options,
    report_request,
    request_from,
)
from scanlint.command.verifying.verify_options import VerifyOptions, verify_options
from scanlint.errors import UsageError, fault
from scanlint.report.console import ReaderGone, abandon, err

CHECK = Commands.implied


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="scanlint %(version)s")
def group() -> None:
    """Find Python control flow that JAX cannot trace well, rewrite it, and verify each rewrite.

    `scanlint [OPTIONS] [PATHS]...` is the same as `scanlint check`; its options are listed below the commands.
    """


@group.command(CHECK, cls=SectionedCommand, short_help="Check files and folders.")
@check_options
def check(**options: Unpack[CheckOptions]) -> int:
    """Check files and folders (default: the working directory); `-` reads standard input."""
    gc.disable()  # little becomes garbage before the end: collecting costs 5% of a small run, 15% of a large one
    from scanlint.command.check import run

    return run(request_from(options))


@group.command(cls=SectionedCommand, short_help="One page with all findings, rewrites and verdicts.")
@click.option("--html", type=FILE, required=True, metavar="FILE", help="Where the page is written.")
@click.option("--no-verify", is_flag=True, help="Run none of the code: rewrites without verdicts.")
@report_options
def report(html: Path, no_verify: bool, **options: Unpack[ReportOptions]) -> int:
    """Write one self-contained page: findings, each rewrite beside the old code, verdicts, charts.

    Rewrites are verified as by `--fix --diff`; nothing but the page is written.
    """
    from scanlint.command.check import run

    return run(report_request(html, options, verified=not no_verify))


@group.command()
@click.argument("rule", required=False)
@click.option("--full", is_flag=True, help="The whole page, in a pager.")
@click.option("--all", "every", is_flag=True, help="Explain all rules, one after the other.")
@click.option("--output-format", "form", type=click.Choice(["full", "json"]), default="full", show_default=True)
def rule(rule: str | None, full: bool, every: bool, form: str) -> int:
    """Explain one rule, by code or name, or list all."""
    from scanlint.command import catalogue

    if rule is not None and every:
        raise UsageError(f"`--all` explains all rules: leave out `{rule}`, or `--all`")
    if form == "json":
        catalogue.print_json(rule, every=every)
    else:
        catalogue.explain(rule, full=full, every=every)
    return 0


@group.command(cls=SectionedCommand, short_help="Tell whether functions do the same as before.")
@verify_options
def verify(**options: Unpack[VerifyOptions]) -> int:
    """Tell whether functions do the same as before: 0 they do, 1 refuted, 3 unknown.

    `scanlint verify OLD NEW -f NAME` compares one function of two files. `scanlint verify --since REV [PATHS]...`
    compares each function that differs from a git revision with what it was; there 3 is given with --strict only.
    """
    from scanlint.command.verifying.verify import run

    return run(options)


@group.command(cls=SectionedCommand, short_help="Make functions run under jax.jit.")
@jit_options
def jit(**options: Unpack[JitOptions]) -> int:
    """Make functions run under `jax.jit`: rewritten, jitted, and compared with what they were.

    A TARGET is `FILE::FUNCTION`, `FILE::CLASS.METHOD` or `module:function`; of a FILE the functions are listed that
    would gain. The diff is printed, `--fix` writes it. Exits with 1 where something is in the way, 3 where the verdict
    is unknown.
    """
    from scanlint.command.converting.jit import run

    return run(options)


@group.command(
    short_help="Keep what traced functions are called with.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
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


@group.command(short_help="Export verdicts, or import those of another checkout.")
@click.option("--export", type=FILE, metavar="FILE", help="Write the verdicts that are kept into a file.")
@click.option("--import", "taken", type=FILE, metavar="FILE", help="Take in the verdicts of such a file.")
@click.option("--trust", is_flag=True, help="Take them for verdicts of this checkout: what was tested is written.")
@click.option("--config", type=click.Path(path_type=Path), help="Use this file instead of the nearest pyproject.toml.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where the cache is kept.")
def cache(**options: Unpack[CacheOptions]) -> int:
    """Export the verdicts that are kept for a project, or import those of another checkout or machine.

    They hold where everything that they rest on is the same, by content. What was proved elsewhere is proved again
    here, and what was tested is shown and not written, unless the file is trusted.
    """
    from scanlint.command.caching.travel import run

    return run(options)


@group.command()
def lsp() -> NoReturn:
    """Serve an editor: the language server on standard input and output (needs `scanlint[lsp]`)."""
    from scanlint.lsp.stdio import serve

    serve()
    _leave(0, waiting=False)


@group.command(short_help="Serve a coding agent by the Model Context Protocol.")
@click.option(
    "--root", "roots", multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
    help="Look at nothing outside of this folder, where the client names none (default: the working directory).",
)  # fmt: skip
def mcp(roots: tuple[Path, ...]) -> int:
    """Serve a coding agent by the Model Context Protocol on standard input and output (needs `scanlint[mcp]`).

    Its tools check, explain, rewrite, compare and convert; none of them writes anything.
    """
    try:
        import mcp.server.mcpserver  # noqa: F401
    except ImportError as error:
        raise UsageError(f"the server needs the SDK of the protocol: pip install 'scanlint[mcp]' ({error})") from None
    from scanlint.mcp.server import serve

    serve(roots or (Path.cwd(),))
    return 0


def main() -> None:
    """Run the command line; an error of the user, or of what surrounds the run, ends it with code 2."""
    _hold_streams()
    _heed_ends()
    warnings.simplefilter("ignore", SyntaxWarning)  # of the texts that are read
    run: Callable[..., object] = group.main
    try:
        code = run(prog_name="scanlint", standalone_mode=False)
    except click.ClickException as error:
        with suppress(OSError, AttributeError):  # standard error is closed: the exit code tells
            error.show()
        code = 2
    except UsageError as error:
        err(f"error: {error}\n")
        code = 2
    except (click.Abort, KeyboardInterrupt):
        err("interrupted\n")
        code = 130
    except AskedToEnd as end:
        code = 128 + end.number
    except (ReaderGone, SystemExit):  # click leaves so where its own text meets a closed pipe
        abandon()
        code = 141
    except (OSError, MemoryError) as error:
        err(f"error: {fault(error)}\n")
        code = 2
    except Exception:  # noqa: BLE001  exit code 1 would read as "findings remain"
        import traceback

        err(f"{traceback.format_exc()}error: this is a bug in scanlint, please report it with the lines above\n")
        code = 2
    _leave(code if isinstance(code, int) else 0)


class AskedToEnd(SystemExit):
    """The run was asked to end, by a signal: what it has started is ended on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _heed_ends() -> None:
    """Leave in good order when asked to by a signal; when asked again, at once. What is ignored stays so."""

    def end(number: int, frame: object) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise AskedToEnd(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


def _hold_streams() -> None:
    """Take the places of standard streams that are closed, or the next file to be opened would: no text goes there."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


def _leave(code: int, *, waiting: bool = True) -> NoReturn:
    """End the process; where nothing is waited for any more, without taking its memory apart (15% of a small run)."""
    if waiting and threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody listens any more
            stream.flush()
    os._exit(code)
