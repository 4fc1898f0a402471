"""Jitted functions moved to where they are made once: before the loop, or above the function that made them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.dataflow.around import defuse_of
from scanlint.finding import Edit, Outcome, Position, Rewrite, Withheld
from scanlint.host.rebuilt_jits import RebuiltJit, settled
from scanlint.rewrite.emit.snippets import fresh
from scanlint.syntax.bindings import walk_scope
from scanlint.syntax.walk import by_kind, first_line, kinds_of
from scanlint.trace.domain.callables import Closure
from scanlint.trace.domain.values import Instance, Value, contents
from scanlint.trace.unit import Unit

HOST = ("numpy.random.", "random.", "time.", "builtins.print", "builtins.input", "builtins.open", "builtins.next")
DEEPEST = 4
Moved = tuple[list[str], list[Edit]]


def hoisted(unit: Unit, found: RebuiltJit) -> Outcome:
    """The jit where it is made once, or why it stays."""
    reason = _bound(found) or _unsteady(unit, found) or _on_host(unit, found)
    return reason or (_before_loop(unit, found) if found.loop is not None else _above_function(unit, found))


def _bound(found: RebuiltJit) -> Withheld | None:
    names = [name for name in found.bound if name != found.receiver]
    if not found.bound:
        return None
    if not names:
        return Withheld("closes-over", f"it reads `{found.receiver}`: only the class can keep it")
    in_loop = found.loop is not None and found.loop is not found.function
    each = "which each trip binds anew" if in_loop else "which is another one on each call"
    return Withheld("closes-over", f"it reads {', '.join(f'`{name}`' for name in names)}, {each}")


# -- whether it means the same elsewhere


def _unsteady(unit: Unit, found: RebuiltJit) -> Withheld | None:
    """Why what is read may be changed in place between two trips."""
    if found.loop is None:
        return None
    own = {n for part in found.parts for n in ast.walk(part)}
    for name in sorted(found.taken):
        places = [n for n in own if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
        if found.loop is found.function and not settled(unit, places, found.function):
            return Withheld("may-change", f"`{name}`, which {found.what} reads, is bound several times, or later")
        uses = [n for n in ast.walk(found.loop) if isinstance(n, ast.Name) and n.id == name and n not in own]
        steady = _is_steady(unit, found, name)
        for use in uses:
            if _stores(unit, use) or not (steady or _only_reads(unit, use)):
                return Withheld("may-change", f"`{name}`, which {found.what} reads, may change (line {use.lineno})")
    return None


def _is_steady(unit: Unit, found: RebuiltJit, name: str) -> bool:
    """Whether nothing that is done with a value changes it: it is a number, a jax array or a function."""
    values = [unit.value(n) for part in found.parts for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == name]
    return any(_is_plain(value) for value in values)


def _is_plain(value: Value) -> bool:
    if value.container is not None:
        return value.container == "tuple" and all(map(_is_plain, contents(value)))
    return (
        value.array or value.dtype is not None or (value.callee is not None and not isinstance(value.callee, Instance))
    )


def _stores(unit: Unit, use: ast.AST) -> bool:
    """Whether an item or attribute of what a name stands for is set."""
    parent = unit.parents.get(use)
    while isinstance(parent, ast.Attribute | ast.Subscript) and use is parent.value:
        if not isinstance(parent.ctx, ast.Load):
            return True
        use, parent = parent, unit.parents.get(parent)
    return isinstance(parent, ast.AugAssign) and parent.target is use


def _only_reads(unit: Unit, use: ast.AST) -> bool:
    """Whether a place takes an attribute or item that is neither called nor handed on."""
    parent = unit.parents.get(use)
    if not isinstance(parent, ast.Attribute | ast.Subscript) or use is not parent.value:
        return False
    outer = unit.parents.get(parent)
    return not (isinstance(outer, ast.Call) and outer.func is parent)


def _on_host(unit: Unit, found: RebuiltJit) -> Withheld | None:
    """Why tracing it does something on the host, which is done less often then."""
    for part in found.parts:
        for call in by_kind(part).of(ast.Call):
            name = unit.resolve(call.func)
            effect = name is not None and f"{name}.".startswith(tuple(f"{h.rstrip('.')}." for h in HOST))
            if effect or _reaches_host(unit.value(call.func), 0):
                return Withheld(
                    "side-effect", f"`{ast.unparse(call.func)}` is called while tracing (line {call.lineno})"
                )
        if any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(part)):
            return Withheld("side-effect", f"{found.what} binds names of others")
    return None


def _reaches_host(function: Value, depth: int) -> bool:
    if not isinstance(function.callee, Closure) or depth > DEEPEST:
        return False
    code = function.callee.code
    for call in kinds_of(code.node).of(ast.Call):
        name = code.scope.annotation(call.func)
        if name is not None and f"{name}.".startswith(tuple(f"{h.rstrip('.')}." for h in HOST)):
            return True
        value = code.record.values.get(call.func)
        if value is None and isinstance(call.func, ast.Name):
            value = code.scope.lookup(call.func.id)
        if value is not None and _reaches_host(value, depth + 1):
            return True
    return False


# -- before the loop


def _before_loop(unit: Unit, found: RebuiltJit) -> Outcome:
    assert found.loop is not None
    anchor = next(a for a in [found.loop, *unit.ancestors(found.loop)] if isinstance(a, ast.stmt))
    moved = _moved(unit, found, unit.names)
    if isinstance(moved, Withheld):
        return moved
    lines, edits = moved
    if not unit.source.alone(anchor):
        return Withheld("layout", f"other code stands on the line of the loop (line {anchor.lineno})")
    return Rewrite((_above(unit, anchor, lines), *edits), "other")


def _above_function(unit: Unit, found: RebuiltJit) -> Outcome:
    outer = _outer(unit)
    if found.function is not unit.node or outer is None:
        return Withheld("nested", f"`{getattr(found.function, 'name', 'the lambda')}` stands in another function")
    taken = _module_names(unit)
    moved = _moved(unit, found, frozenset({*taken, *unit.names}))
    if isinstance(moved, Withheld):
        return moved
    for name in _bound_names(unit, found):
        if name in taken:
            return Withheld("name-taken", f"the module has a `{name}` of its own")
    late = _late(unit, found, first_line(outer))
    if late is not None:
        return Withheld("defined-below", f"`{late}` is defined further down in the file")
    lines, edits = moved
    while not lines[-1]:
        lines.pop()
    return Rewrite((_above(unit, outer, [*lines, "", ""]), *edits), "other")


def _outer(unit: Unit) -> ast.stmt | None:
    """The statement of the module that holds a unit."""
    owner, _, rest = unit.qualname.partition(".")
    if rest:
        return unit.file.classes.get(owner)
    return unit.node if isinstance(unit.node, ast.stmt) and unit.node.col_offset == 0 else None


def _bound_names(unit: Unit, found: RebuiltJit) -> Iterator[str]:
    """The names that come to stand in the module."""
    for part in found.parts:
        if isinstance(part, ast.FunctionDef):
            yield part.name
    parent = unit.parents.get(found.site)
    if isinstance(parent, ast.Assign | ast.AnnAssign):
        yield _target(parent)


def _module_names(unit: Unit) -> frozenset[str]:
    names = {n.id for s in unit.file.tree.body for n in walk_scope([s]) if isinstance(n, ast.Name)}
    return frozenset({*names, *unit.imports, *unit.definitions})


def _late(unit: Unit, found: RebuiltJit, line: int) -> str | None:
    """A name that is read when the jit is made, and is bound below where it would be made."""
    inside = {n for p in found.parts for f in _bodies(p) for n in ast.walk(f)}
    eager = [n for p in found.parts for n in ast.walk(p) if isinstance(n, ast.Name) and n not in inside]
    below = {n: s for s in unit.file.tree.body if first_line(s) >= line for n in _binds(s)}
    return next((n.id for n in eager if isinstance(n.ctx, ast.Load) and n.id in below), None)


def _bodies(part: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(part):
        if isinstance(node, ast.Lambda):
            yield node.body
        elif isinstance(node, ast.FunctionDef):
            yield from node.body


def _binds(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    return [n.id for n in walk_scope([statement]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


# -- the text that moves


def _moved(unit: Unit, found: RebuiltJit, taken: frozenset[str]) -> Moved | Withheld:
    """The lines that are to stand elsewhere, and the edits that take them away."""
    statements: list[ast.stmt] = [p for p in found.parts if isinstance(p, ast.FunctionDef)]
    parent = unit.parents.get(found.site)
    if named := isinstance(parent, ast.Assign | ast.AnnAssign):
        statements.append(parent)
    lines: list[str] = []
    edits: list[Edit] = []
    for statement in sorted(statements, key=first_line):
        reason = _immovable(unit, found, statement)
        if reason is not None:
            return reason
        below = [""] if isinstance(statement, ast.FunctionDef) else []
        lines += [*(unit.source.body([statement], (), "") or ()), *below]
        edits.append(Edit(Position(_top(unit, statement), 1), Position((statement.end_lineno or 0) + 1, 1), ""))
    if isinstance(found.site, ast.expr) and not named:
        name = fresh(taken, "jitted")
        start, end = unit.source.start(found.site), unit.source.end(found.site)
        margin = unit.source.margin(next(a for a in unit.ancestors(found.site) if isinstance(a, ast.stmt)))
        text = [line.removeprefix(margin) for line in unit.source.between(start, end).splitlines()]
        lines += [f"{name} = {text[0]}", *text[1:]]
        edits.append(Edit(start, end, name))
    return lines, edits


def _immovable(unit: Unit, found: RebuiltJit, statement: ast.stmt) -> Withheld | None:
    """Why a statement cannot be taken from where it stands."""
    line = first_line(statement)
    if statement not in ast.walk(found.loop or found.function):
        return Withheld("layout", f"line {line} stands outside of the loop")
    block = unit.block(statement)
    if not unit.source.alone(statement) or unit.source.body([statement], (), "") is None:
        return Withheld("layout", f"other code stands on its line (line {line})")
    if len(block) == 1:
        return Withheld("layout", f"nothing would be left of the block around it (line {line})")
    name = getattr(statement, "name", None) or _target(statement)
    flow = defuse_of(unit).owner(statement)
    if len([d for web in flow.webs(flow.named(name)) for d in web.definitions if not d.missing]) != 1:
        return Withheld("rebinds", f"`{name}` is bound elsewhere too")
    return None


def _target(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _above(unit: Unit, statement: ast.stmt, lines: Sequence[str]) -> Edit:
    """Lines above a statement and the comments right above it, at its margin."""
    edit, top = unit.source.ahead(statement, *lines), Position(unit.source.top(statement), 1)
    return edit._replace(start=top, end=top)


def _top(unit: Unit, statement: ast.stmt) -> int:
    """The line from which a statement goes: empty lines above it go with it where it begins a block."""
    line = first_line(statement)
    while unit.block(statement)[0] is statement and not unit.source.lines[line - 2].strip():
        line -= 1
    return line
