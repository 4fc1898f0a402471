"""Functions made before a loop that read what it rebinds: made in its body they read the same names there."""

from __future__ import annotations

import ast

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Primitive, Rewrite, Step, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.syntax.bindings import walk_scope


def with_closures(model: LoopModel) -> Step:
    """The loop with such a function in its body, if the function serves it alone."""
    if not any(o.code == "closure" for o in model.obstacles):
        return NOT_APPLICABLE
    unit, node = model.unit, model.node
    block = unit.block(node)
    for statement in block[: block.index(node)]:
        name = _made(statement)
        if name is not None and name in model.flow.closures and _serves(model, statement, name):
            return _moved(model, statement)
    return NOT_APPLICABLE


def _made(statement: ast.stmt) -> str | None:
    """The name of a function whose making does nothing else."""
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[], args=arguments):
            pass
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments)):
            pass
        case _:
            return None
    return None if arguments.defaults or any(arguments.kw_defaults) else name


def _serves(model: LoopModel, statement: ast.stmt, name: str) -> bool:
    """Whether the function is used in the body of the loop and nowhere else, and reads what the loop rebinds."""
    inside = {n for part in model.node.body for n in ast.walk(part)}
    own = set(ast.walk(statement))
    uses = [n for n in ast.walk(model.flow.function) if isinstance(n, ast.Name) and n.id == name and n not in own]
    named = [n for n in walk_scope(getattr(model.flow.function, "body", [])) if getattr(n, "name", None) == name]
    recursive = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in own)
    changed = any(f"`{name}`," in o.message for o in model.obstacles)
    once = len(named) <= 1 and all(isinstance(n.ctx, ast.Load) and n in inside for n in uses)
    return bool(uses) and once and changed and not recursive


def _moved(model: LoopModel, statement: ast.stmt) -> Step:
    """The function at the top of the body; the blank lines below it go with it."""
    unit, node = model.unit, model.node
    lines, first = unit.source.lines, statement.lineno
    last = statement.end_lineno or first
    while last < node.lineno - 1 and not lines[last].strip():
        last += 1
    margin, target = unit.source.margin(statement), unit.source.margin(node.body[0])
    raw = [line.rstrip("\r\n") for line in lines[first - 1 : statement.end_lineno]]
    if any(line.strip() and not line.startswith(margin) for line in raw):
        return Withheld("layout", f"lines of `{_made(statement)}` stand further out than its `def` (line {first})")
    text = [f"{target}{line.removeprefix(margin)}" if line.strip() else "" for line in raw]
    text += [""] if isinstance(statement, ast.FunctionDef) else []
    top = Position(node.body[0].lineno, 1)
    edits = (
        Edit(Position(first, 1), Position(last + 1, 1), ""),
        Edit(top, top, "".join(f"{line}{unit.source.newline}" for line in text)),
    )
    scans = model.collects or any(stream.kind == "rows" for stream in model.streams)
    primitive: Primitive = "while_loop" if isinstance(node, ast.While) else "scan" if scans else "fori_loop"
    return Rewrite(edits, primitive, next=(Next(node, model.starts),))
