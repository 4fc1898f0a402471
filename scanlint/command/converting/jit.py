"""`scanlint jit`: functions made to run under `jax.jit`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.command.config import Overrides, load
from scanlint.command.converting.jit_options import JitOptions
from scanlint.errors import UsageError
from scanlint.problem import Problem
from scanlint.report.console import Progress, err, out, out_bytes
from scanlint.report.diff import colored, unified
from scanlint.report.paint import Paint, paint_for
from scanlint.report.result import evidence, plural

if TYPE_CHECKING:
    from scanlint.finding import Finding
    from scanlint.jitting.conversion import Conversion
    from scanlint.settings import Settings

DONE, LEFT, FAILED, UNKNOWN = 0, 1, 2, 3


def run(options: JitOptions) -> int:
    """Convert what the options name, and give the exit code. Raises UsageError if the run itself cannot be made."""
    from scanlint.jitting.targets import target
    from scanlint.verify.interpreter import VerifierUnavailable

    settings = _settings(options, Path())
    targets = [target(text, settings.root) for text in options["targets"]]
    progress, codes = Progress(options["quiet"]), set[int]()
    documents: list[dict[str, object]] = []
    try:
        for wanted in targets:
            own = _settings(options, wanted.file)
            if wanted.qualname is None:
                codes.add(_table(wanted.file, own, options, documents))
                continue
            from scanlint.jitting.conversion import convert

            made = convert(wanted, own, progress, callees=options["callees"])
            progress.close()
            codes.add(_told(made, options, documents))
    except VerifierUnavailable as error:
        raise UsageError(str(error)) from None
    finally:
        progress.close()
    if options["form"] == "json":
        out(json.dumps({"version": 1, "targets": documents}, indent=2, allow_nan=False) + "\n")
    return next((code for code in (FAILED, LEFT, UNKNOWN) if code in codes), DONE)


def _settings(options: JitOptions, start: Path) -> Settings:
    said = Overrides(python=options["python"], verify_timeout=options["verify_timeout"], measure=options["measure"])
    return replace(load(start, options["config"], said), unsafe_fixes=False)


def _told(made: Conversion, options: JitOptions, documents: list[dict[str, object]]) -> int:
    """Show one conversion, write it where that is asked for, and give its exit code."""
    from scanlint.jitting.conversion import written

    problems: list[Problem] = []
    path, old, new = written(made)
    if options["fix"] and made.good and old != new:
        from scanlint.fix.commit import write_changes

        write_changes({made.file.path: (old, new)}, (), problems)
    if options["form"] == "json":
        documents.append(_document(made, unified(path, old, new)))
    else:
        paint = paint_for(sys.stdout, options["color"])
        if made.good and not options["fix"]:
            out_bytes(colored(unified(path, old, new), paint))
        out("".join(f"{line}\n" for line in lines(made, paint, fixed=options["fix"] and not problems)))
    for problem in problems:
        err(f"error: {problem}\n")
    return FAILED if problems else _code(made)


def _code(made: Conversion) -> int:
    if made.good or (made.known and not made.left):
        return DONE
    verdict = made.verification.verdict if made.verification is not None else None
    return UNKNOWN if verdict == "unknown" and not made.obstacles and not made.left else LEFT


def lines(made: Conversion, paint: Paint, *, fixed: bool) -> Iterator[str]:
    """The lines on what became of a function, and on what is in its way."""
    if made.known and not made.left:
        yield f"{made.target}: is jitted already, and nothing of it needs a rewrite"
        return
    if made.good and made.verification is not None:
        static = f", {_named(made.static)} static" if made.static else ""
        done = "jitted" if fixed else "would be jitted"
        yield f"{paint.bold(str(made.target))}: {done}{static}: {evidence(made.verification)}"
        yield from (f"    {note}" for note in made.verification.notes)
        yield from (f"    {_said(finding, paint)}" for finding in made.found if finding.fix.status == "applied")
        yield from (f"    left: {_said(finding, paint)}" for finding in made.left)
        return
    state = (
        "is jitted already; what is left" if made.known else "cannot be jitted yet; what is in the way, in this order"
    )
    yield f"{paint.bold(str(made.target))}: {state}:"
    yield from (f"    {obstacle}" for obstacle in made.obstacles)
    for finding in made.left:
        yield f"    {_said(finding, paint)}: {finding.message}"
        yield from (f"        {text}" for text in (finding.help, finding.fix.reason) if text)
    if made.verification is not None:
        yield f"    {evidence(made.verification)}"
        yield from [f"        {made.verification.counterexample}"] if made.verification.counterexample else []


def _said(finding: Finding, paint: Paint) -> str:
    arrow = f" -> {finding.primitive}" if finding.fix.status == "applied" else ""
    return f"{finding.place}: {paint.bold(finding.code)} {finding.name}{arrow}"


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(path: Path, settings: Settings, options: JitOptions, documents: list[dict[str, object]]) -> int:
    """Show the functions of a file that would gain, best first."""
    from scanlint.jitting.conversion import candidates

    if options["fix"]:
        raise UsageError(f"{path}: name the function to be converted: `scanlint jit --fix {path}::FUNCTION`")
    listed = candidates(path, settings)
    if options["form"] == "json":
        documents += [_document(made, b"") for made in listed]
        return DONE
    if not listed:
        out(f"{path}: no function that is not jitted has a loop or branch that a jit would have to be spared\n")
        return DONE
    width = max(len(str(made.target.qualname)) for made in listed)
    for made in listed:
        ready = sum(finding.fix.status == "available" for finding in made.found)
        held = len(made.found) - ready + len(made.obstacles)
        way = f", {plural(held, 'obstacle')}" if held else ""
        names = ", ".join(dict.fromkeys(finding.name for finding in made.found))
        out(f"{made.target.qualname!s:{width}}  {plural(ready, 'place')} to rewrite{way}: {names}\n")
    out(f"`scanlint jit {path}::{listed[0].target.qualname}` shows the rewrite of one of them, verified\n")
    return DONE


def _document(made: Conversion, diff: bytes) -> dict[str, object]:
    from scanlint.report.json import record, verification

    found = [record(finding) for finding in made.found]
    return {
        "path": made.file.display,
        "function": made.target.qualname,
        "converted": made.good,
        "static": list(made.static),
        "obstacles": list(made.obstacles),
        "findings": found,
        "verification": verification(made.verification) if made.verification is not None else None,
        "diff": diff.decode("utf-8", "surrogateescape") if made.good else "",
    }
