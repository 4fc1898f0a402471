"""`scanlint verify`: two versions of one function, and the verdict."""

from __future__ import annotations

import sys
from pathlib import Path

from scanlint.command.config import Overrides, load
from scanlint.command.verifying.verify_options import VerifyOptions
from scanlint.errors import UsageError
from scanlint.finding import Verification
from scanlint.report.console import out
from scanlint.report.paint import paint_for
from scanlint.settings import Settings

CODES = {"proved": 0, "tested": 0, "refuted": 1, "unknown": 3}
USAGE = "give two files and `--function NAME`, or `--since REV` with the paths to look at"
OF_SINCE = ("strict", "no_callers", "config", "jobs", "no_cache")


def run(options: VerifyOptions) -> int:
    """Compare what the options name, and give the exit code. Raises UsageError if the run itself cannot be made."""
    if options["since"] is not None:
        from scanlint.command.verifying.verify_since import since

        return since(options["since"], options)
    if len(options["files"]) != 2 or options["function"] is None:
        raise UsageError(USAGE)
    given: dict[str, object] = {**options}
    if alone := [name for name in OF_SINCE if given[name]]:
        raise UsageError(f"--{alone[0].replace('_', '-')} goes with --since")
    return compare(*options["files"], options["function"], options)


def compare(old: Path, new: Path, function: str, options: VerifyOptions) -> int:
    """Print the verdict on a function of two files, and give its exit code. Raises UsageError."""
    for path in (old, new):
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
    said = Overrides(python=options["python"], verify_timeout=options["verify_timeout"], measure=options["measure"])
    settings = load(new, None, said)
    from scanlint.fix.two_files import verify_files
    from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter

    try:
        given = [_given(path, function, settings) for path in (old, new)]
        verdict = verify_files(
            old,
            new,
            function,
            python=find_interpreter(settings.python, settings.root),
            root=settings.root,
            old_root=load(old, None, Overrides()).root,
            timeout=settings.verify_timeout,
            passed=settings.verify_environment,
            measure=settings.measure,
            given=given[0] or given[1],
        )
    except (VerifierUnavailable, OSError, UnicodeError) as error:
        raise UsageError(str(error)) from None
    _print(function, verdict, options)
    return CODES[verdict.verdict]


def _print(function: str, verdict: Verification, options: VerifyOptions) -> None:
    if options["form"] == "json":
        import json

        from scanlint.report.json import verification

        out(json.dumps(verification(verdict), indent=2, allow_nan=False) + "\n")
        return
    from scanlint.report.compared.since_text import painted, verdict_lines
    from scanlint.report.result import evidence

    lines = [] if options["form"] == "concise" else list(verdict_lines(verdict))
    out(f"{function}: {painted(evidence(verdict), paint_for(sys.stdout, options['color']))}\n")
    out("".join(f"    {line}\n" for line in lines))


def _given(path: Path, function: str, settings: Settings) -> tuple[tuple[str, str], ...]:
    """The inputs that the user gives for a function, and where: in comments above it, or in the configuration.

    Raises UsageError if the file has no such function.
    """
    from scanlint.engine.directives import given_inputs

    text = path.read_text(encoding="utf-8")
    line = _line(text, path, function)
    comments = given_inputs(text)
    if line in comments:
        return tuple((g.text, f"{path}:{g.line}") for g in comments[line])
    place = f"{settings.source}: [tool.scanlint.inputs]"
    spellings = (function, f"{path.stem}.{function}")
    return tuple((spec, place) for name in spellings for spec in settings.inputs.get(name, ()))


def _line(text: str, path: Path, function: str) -> int:
    """The line where a function is defined, or a name is bound to one."""
    import ast

    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise UsageError(f"{path}:{error.lineno}: {error.msg}") from None
    *classes, name = function.split(".")
    for outer in classes:
        body = [s for node in body if isinstance(node, ast.ClassDef) and node.name == outer for s in node.body]
    for node in body:
        match node:
            case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) if found == name:
                return node.lineno
            case ast.Assign(targets=[ast.Name(id=found)]) if found == name:
                return node.lineno
    raise UsageError(f"{path}: no function `{function}`")
