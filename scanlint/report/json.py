"""JSON: one object for a run, or one finding per line. Fields are added, never changed."""

from __future__ import annotations

import json
import math

from scanlint.finding import LEVELS, Cost, Edit, Finding, HoldsFor, Link, Measured, Position, Verification
from scanlint.problem import Problem
from scanlint.report.result import Result

Json = dict[str, object]


def render(result: Result) -> str:
    summary: Json = {
        "files": result.files,
        "findings": len(result.findings),
        "fixed": len(result.applied),
        "withheld": result.withheld,
        "below": {level: sum(finding.level == level for finding in result.below) for level in LEVELS[1:]},
        "seconds": round(result.seconds, 3),
    }
    if result.verbose:
        summary["left"] = [
            {"path": loop.path, "line": loop.line, "code": loop.code, "message": loop.message} for loop in result.left
        ]
    document: Json = {
        "version": 1,
        "findings": [record(f) for f in result.findings],
        "problems": [_problem(problem) for problem in result.problems],
        "notes": list(result.notes),
        "summary": summary,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def render_lines(result: Result) -> str:
    """A finding per line; then, under a key of its own, a line for each thing that was not done."""
    lines = [*map(record, result.findings), *({"problem": _problem(problem)} for problem in result.problems)]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)


def _problem(problem: Problem) -> Json:
    """`scope`: `unread` where the file was not checked, `part` where not all of it was, `undone` for all else."""
    return {
        "path": problem.path or None,
        "line": problem.line or None,
        "message": problem.message,
        "scope": problem.scope,
    }


def record(finding: Finding) -> Json:
    """One finding as the interface has it, with `cell`, `help`, `chain`, `related` and `label` added."""
    return {
        "code": finding.code,
        "name": finding.name,
        "path": finding.path,
        "cell": finding.cell,
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "function": finding.function,
        "message": finding.message,
        "level": finding.level,
        "help": finding.help,
        "label": finding.label,
        "chain": [str(link) for link in finding.chain],
        "related": [_related(link) for link in finding.chain],
        "trips": finding.trips,
        "primitive": finding.primitive,
        "fix": {
            "status": finding.fix.status,
            "reason": finding.fix.reason,
            "reason_code": _code(finding),
            "edits": [_edit(edit) for edit in finding.fix.edits],
        },
        "verification": verification(finding.verification) if finding.verification else None,
        "cost": _cost(finding.cost) if finding.cost else None,
        "evidence": "recorded" if finding.measured is not None and finding.measured.alone else "text",
        "measured": _measured(finding.measured) if finding.measured else None,
        "measured_seconds": finding.measured.seconds if finding.measured else None,
    }


def _cost(cost: Cost) -> Json:
    """The costs that `scanlint record` measured: equations here and in the whole program, and its seconds."""
    return {
        "equations": cost.equations,
        "total_equations": cost.total_equations,
        "program": cost.program,
        "trace_seconds": round(cost.trace_seconds, 4),
        "compile_seconds": round(cost.compile_seconds, 4),
    }


def _measured(found: Measured) -> Json:
    """The evidence of recorded runs at a finding."""
    return {
        "dispatches": found.dispatches,
        "run_seconds": found.run_seconds,
        "repeats": found.repeats,
        "equations": found.equations,
    }


def verification(found: Verification) -> Json:
    """One verdict; an error that is no number (NaN, inf) is null, for JSON has none."""
    return {
        "verdict": found.verdict,
        "reason": found.reason,
        "inputs": found.inputs,
        "cases": found.cases,
        "holds_for": _holds(found.holds_for) if found.holds_for is not None else None,
        "evidence": list(found.evidence),
        "max_abs_error": _finite(found.max_abs_error),
        "equations_before": found.equations_before,
        "equations_after": found.equations_after,
        "compile_seconds_before": _finite(found.compile_seconds_before),
        "compile_seconds_after": _finite(found.compile_seconds_after),
        "counterexample": found.counterexample,
        "notes": list(found.notes),
    }


def _holds(found: HoldsFor) -> Json:
    return {
        "trips": "all" if found.trips is None else list(found.trips),
        "sizes": list(found.sizes),
        "dtypes": list(found.dtypes),
        "notes": list(found.notes),
    }


def _code(finding: Finding) -> str | None:
    """The code of the reason; where a rewrite was verified in vain, the verdict."""
    if finding.fix.code is None and finding.fix.status == "withheld" and finding.verification is not None:
        return finding.verification.verdict
    return finding.fix.code


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _edit(edit: Edit) -> Json:
    cell: Json = {"cell": edit.cell} if edit.cell is not None else {}
    return {**cell, "start": _position(edit.start), "end": _position(edit.end), "text": edit.text}


def _related(link: Link) -> Json:
    cell: Json = {"cell": link.cell} if link.cell is not None else {}
    return {"path": link.path, **cell, "line": link.line, "column": link.column, "message": link.text}


def _position(position: Position) -> Json:
    return {"line": position.line, "column": position.column}
