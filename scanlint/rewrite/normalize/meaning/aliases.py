"""One form for what is put at the end of a list: `ys.append(y)`, by whatever name the method goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.rewrite.normalize.meaning.changes import Change, alone, drop, function_of, spoken
from scanlint.trace.unit import Unit

METHODS = frozenset({"append", "extend", "insert"})


def bound_methods(unit: Unit) -> Iterator[Change]:
    """`put = ys.append`, `put(y)` as `ys.append(y)`."""
    sheet = unit.source
    for statement in unit.every(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id=owner), attr=attr) as method
            ) if attr in METHODS:
                places = [n for n in spoken(unit, name) if n is not statement.targets[0]]
                calls = [c for n in places if isinstance(c := unit.parents[n], ast.Call) and c.func is n]
                bound = [n for n in spoken(unit, owner) if isinstance(n.ctx, ast.Store) and n.lineno > statement.lineno]
                function = function_of(unit, statement)
                if len(calls) == len(places) > 0 and not bound and alone(unit, name, function):
                    yield (drop(unit, statement), *(sheet.put(n, sheet.segment(method)) for n in places))


def appends(unit: Unit) -> Iterator[Change]:
    """`ys.extend([y])`, `ys.insert(len(ys), y)`, `ys[len(ys):] = [y]` and `list.append(ys, y)` as `ys.append(y)`."""
    sheet = unit.source
    for statement in (*unit.every(ast.Expr), *unit.every(ast.Assign)):
        if (found := _appended(unit, statement)) is not None:
            place, elements = found
            made = [f"{sheet.segment(place)}.append({sheet.segment(e)})" for e in elements]
            yield (sheet.instead(statement, *made),)


def _appended(unit: Unit, statement: ast.stmt) -> tuple[ast.expr, list[ast.expr]] | None:
    """The list that a statement makes longer, and what it adds one by one."""
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=place, attr="extend"), args=[ast.List() | ast.Tuple() as more])
        ):
            pass
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=place, attr="insert"),
                args=[ast.Call(func=ast.Name(id="len"), args=[counted]), element],
            )
        ) if ast.dump(counted) == ast.dump(place):
            return place, [element]
        case ast.Assign(
            targets=[
                ast.Subscript(
                    value=place,
                    slice=ast.Slice(lower=ast.Call(func=ast.Name(id="len"), args=[counted]), upper=None, step=None),
                )
            ],
            value=ast.List() | ast.Tuple() as more,
        ) if ast.unparse(counted) == ast.unparse(place):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append") as method, args=[place, element])):
            return (place, [element]) if unit.resolve(method) == "builtins.list.append" else None
        case _:
            return None
    plain = more.elts and not any(isinstance(e, ast.Starred) for e in more.elts)
    return (place, more.elts) if plain and isinstance(place, ast.Name | ast.Attribute | ast.Subscript) else None
