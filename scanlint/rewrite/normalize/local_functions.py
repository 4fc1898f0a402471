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
    source, below = unit.source, (statement.end_lineno or statement.lineno) + 1
    while below < node.lineno and not source.lines[below - 1].strip():
        below += 1
    text = source.body([statement], (), "")
    if text is None:
        what = f"lines of `{_made(statement)}` stand further out than its `def`"
        return Withheld("layout", f"{what} (line {statement.lineno})")
    gone = Edit(Position(statement.lineno, 1), Position(below, 1), "")
    apart = [""] if isinstance(statement, ast.FunctionDef) else []
    edits = (gone, source.ahead(node.body[0], *text, *apart))
    scans = model.collects or any(stream.kind == "rows" for stream in model.streams)
    primitive: Primitive = "while_loop" if isinstance(node, ast.While) else "scan" if scans else "fori_loop"
    return Rewrite(edits, primitive, next=(Next(node, model.starts),))
