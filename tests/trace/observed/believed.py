"""What scanlint believes of a program, held against what JAX did with it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from observe import Program, place

from scanlint.engine.session import Session
from scanlint.project.discovery.folders import FoundFiles
from scanlint.settings import Settings
from scanlint.trace.domain.values import Kind, Value
from scanlint.trace.unit import Unit

Description: TypeAlias = Mapping[str, object]


class Disagreement(NamedTuple):
    """One place where scanlint and JAX do not agree. `sort` is "unsound" or "missed"."""

    sort: str
    program: str
    where: str
    text: str
    believed: str
    seen: str

    def __str__(self) -> str:
        return f"{self.sort}: {self.program}: {self.where}: `{self.text}` believed {self.believed}, seen {self.seen}"


class Score(NamedTuple):
    """The disagreements of a program, and how much was agreed on."""

    disagreements: list[Disagreement]
    agreed: Counter[str]


def believed(folder: Path, program: Program) -> Session:
    """The program as `scanlint check` sees it, slice by slice."""
    paths = []
    for path, text in program.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        paths.append(file)
    run = Session(Settings(root=folder, cache=False, jobs=1))
    run.load(FoundFiles(list(paths)))
    return run


def compare(folder: Path, program: Program, observed: Mapping[str, object]) -> Score:
    """Hold all functions and values of a program against what was observed."""
    run = believed(folder, program)
    seen, entered = observed["seen"], observed["entered"]
    assert isinstance(seen, dict) and isinstance(entered, dict)
    score = Score([], Counter())
    analyst = run.team.local
    benches = {task: analyst.bench(task, run.problems) for task in set(run.tasks.values())}
    assert not run.problems, run.problems
    units = {
        (unit.source.path, node): unit
        for task, bench in benches.items()
        for unit in bench.project.units()
        if run.tasks.get((analyst.library.names[unit.source.path], unit.qualname)) == task
        for node in unit.contexts
    }
    for module in analyst.library.values():
        relative = module.path.relative_to(folder).as_posix()
        _, tree = module.parsed()
        for node in _functions(tree):
            unit = units.get((module.display, node))
            traced = unit is not None and unit.contexts[node].traced
            key = place(relative, node)
            _function(score, program, key, node, traced, entered.get(key, []))
            if unit is not None:
                state = "traced" if traced else "host"
                values = dict(_values(relative, seen, node, state))
                _expressions(score, program, relative, unit, node, values)
    return score


def _functions(tree: ast.AST) -> Iterator[ast.AST]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


def _own(function: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a function evaluates itself."""
    body = function.body if isinstance(function.body, list) else [function.body]  # type: ignore[attr-defined]
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.expr):
            yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stack.extend(node.decorator_list)
        elif not isinstance(node, ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))


def _values(
    path: str, seen: Mapping[str, Mapping[str, list[Description]]], function: ast.AST, state: str
) -> Iterator[tuple[ast.expr, list[Description]]]:
    for node in _own(function):
        found = seen.get(place(path, node), {}).get(state)
        if found:
            yield node, found


def _function(score: Score, program: Program, key: str, node: ast.AST, traced: bool, states: list[str]) -> None:
    if not states:
        return
    name = getattr(node, "name", "<lambda>")
    if traced == ("traced" in states):
        score.agreed["functions traced" if traced else "functions on the host"] += 1
        return
    sort = "unsound" if traced else "missed"
    score.disagreements.append(
        Disagreement(sort, program.title, key, f"def {name}", "traced" if traced else "host", "/".join(states))
    )


def _expressions(
    score: Score,
    program: Program,
    path: str,
    unit: Unit,
    function: ast.AST,
    values: Mapping[ast.expr, list[Description]],
) -> None:
    tests = set(_tests(function))
    for node, seen in values.items():
        claim = unit.values.get(node)
        if claim is None or (unit.silenced(node) and claim.kind is Kind.UNKNOWN):
            continue
        wrong = contradiction(claim, seen)
        if wrong is not None:
            text = f"{wrong}: {claim.kind.value} {_short(claim)}"
            score.disagreements.append(_at("unsound", program, path, node, text, seen))
            continue
        if not all(d["is"] == "tracer" for d in seen):
            score.agreed["values not traced"] += 1
        elif claim.traced:
            score.agreed["values traced"] += 1
        else:
            sort = "missed test" if node in tests else "missed value"
            score.disagreements.append(_at(sort, program, path, node, claim.kind.value, seen))


def _at(sort: str, program: Program, path: str, node: ast.expr, belief: str, seen: list[Description]) -> Disagreement:
    where = f"{path}:{node.lineno}:{node.col_offset + 1}"
    return Disagreement(sort, program.title, where, ast.unparse(node)[:60], belief, str(seen)[:200])


def _tests(function: ast.AST) -> Iterator[ast.expr]:
    """Where it matters: tests, what is iterated, bounds of ranges, casts."""
    for node in ast.walk(function):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                yield test
            case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
                yield iterable
            case ast.Call(func=ast.Name(id="range" | "int" | "float" | "bool"), args=args):
                yield from args


def _short(value: Value) -> str:
    parts = {"constant": value.constant if value.known else None, "array": value.array or None, "ndim": value.ndim}
    parts |= {"dtype": value.dtype, "container": value.container, "items": value.items and len(value.items)}
    return str({k: v for k, v in parts.items() if v is not None})


def contradiction(claim: Value, seen: list[Description]) -> str | None:
    """Why what was seen cannot be what was claimed. Claims of tracers hold where one run bears them out."""
    wrong = [why for d in seen if (why := unfit(claim, d)) is not None]
    if len(wrong) == len(seen) or (wrong and claim.static):
        return wrong[0]
    return None


def unfit(claim: Value, seen: Description) -> str | None:
    """Why one value is not what was claimed."""
    kind = seen["is"]
    if claim.known and not claim.certain:
        return None
    if claim.callee is not None and not claim.items and not claim.fields:
        return "a function, seen a tracer" if kind == "tracer" and claim.static else None
    if claim.traced:
        return _unfit_tracer(claim, seen)
    if claim.container is not None:
        return _unfit_container(claim, seen)
    if claim.known:
        return _unfit_constant(claim, seen)
    if claim.static:
        return "static, seen a tracer" if _has_tracer(seen) else None
    if claim.array and kind in ("python", "container"):
        return f"an array, seen {seen['type']}"
    return _unfit_shape(claim, seen) if claim.array else None


def _unfit_tracer(claim: Value, seen: Description) -> str | None:
    if not _has_tracer(seen):
        return "traced, seen no tracer"
    if claim.array and seen["is"] != "tracer":
        return "a traced array, seen a container"
    return _unfit_shape(claim, seen) if seen["is"] == "tracer" else None


def _unfit_shape(claim: Value, seen: Description) -> str | None:
    if claim.ndim is not None and "ndim" in seen and claim.ndim != seen["ndim"]:
        if not (claim.dtype == "key" or str(seen["dtype"]).startswith("uint32")):
            return f"{claim.ndim} axes, seen {seen['ndim']}"
    word = {"bool": "bool", "int": "int", "float": "float", "complex": "complex"}.get(claim.dtype or "")
    if word and "dtype" in seen and word not in str(seen["dtype"]):
        return f"dtype {claim.dtype}, seen {seen['dtype']}"
    return None


def _unfit_constant(claim: Value, seen: Description) -> str | None:
    if seen["is"] == "python":
        same = seen["value"] == repr(claim.constant)
        return None if same else f"the constant {claim.constant!r}, seen {seen['value']}"
    return "a constant, seen no Python value" if seen["is"] in ("tracer", "array", "container") else None


def _unfit_container(claim: Value, seen: Description) -> str | None:
    if claim.container == "range" or claim.container == "view":
        return "a Python object, seen an array" if seen["is"] in ("tracer", "array") else None
    if seen["is"] != "container":
        return f"a {claim.container}, seen {seen['is']}" if seen["is"] in ("tracer", "array", "python") else None
    if claim.container in ("tuple", "list", "dict") and seen["type"] in ("tuple", "list", "dict"):
        if claim.container != seen["type"]:
            return f"a {claim.container}, seen a {seen['type']}"
    return _unfit_contents(claim, seen)


def _unfit_contents(claim: Value, seen: Description) -> str | None:
    items = seen.get("items")
    if isinstance(items, list):
        if claim.items is not None and len(claim.items) != seen["length"]:
            return f"{len(claim.items)} items, seen {seen['length']}"
        names = seen["names"]
        assert isinstance(names, list)
        listed = claim.items or ([claim.fields[n] for n in names if n in claim.fields] if claim.fields else None)
        claims = listed or ([claim.element] * len(items) if claim.element is not None else [])
        return next((w for c, d in zip(claims, items, strict=False) if (w := unfit(c, d)) is not None), None)
    fields = seen.get("fields")
    assert isinstance(fields, dict)
    for name, inner in fields.items():
        expected = claim.fields.get(ast.literal_eval(name) if name[:1] in "'\"" else name, claim.element)
        if expected is not None and (why := unfit(expected, inner)) is not None:
            return why
    return None


def _has_tracer(seen: Description) -> bool:
    inside = seen.get("items") or list((seen.get("fields") or {}).values())  # type: ignore[attr-defined]
    return seen["is"] == "tracer" or bool(seen.get("traced")) or any(_has_tracer(d) for d in inside)  # type: ignore[union-attr]
