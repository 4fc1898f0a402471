"""Dicts of lists that each trip appends to: `history["loss"].append(loss)`."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.loops.loop import LoopModel


class History(NamedTuple):
    """The dict, the statement that makes it, its keys, and for each its list in the statement that appends to it."""

    name: str
    made: ast.Assign
    keys: tuple[ast.Constant, ...]
    appends: dict[str, ast.Subscript]


def histories(model: LoopModel) -> tuple[History, ...]:
    """The dicts of empty lists, made just before the loop, to each of which every trip appends once."""
    block = model.unit.block(model.node)
    found = []
    for statement in block[: block.index(model.node)]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[_, *_] as keys, values=values)):
                texts = tuple(k for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str))
                lists = [v for v in values if isinstance(v, ast.List) and not v.elts]
                appends = _appended(model, name, statement) if len(texts) == len(lists) == len(keys) else {}
                if set(appends) == {k.value for k in texts}:
                    found.append(History(name, statement, texts, appends))
    return tuple(found)


def _appended(model: LoopModel, name: str, made: ast.Assign) -> dict[str, ast.Subscript]:
    """The lists, by key, in the statements that append to them; none where the loop uses the dict otherwise."""
    appends: dict[str, ast.Subscript] = {}
    for statement in model.node.body:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(
                        value=ast.Subscript(value=ast.Name(id=dict_name), slice=ast.Constant(value=str(key))) as place,
                        attr="append",
                    ),
                    args=[_],
                    keywords=[],
                )
            ) if dict_name == name and key not in appends:
                appends[key] = place
    flow = defuse_of(model.unit)
    web = flow.web(made.targets[0])
    if web is None or len(web.definitions) != 1:
        return {}
    inside = [use for use in web.reads if flow.within(use, model.node)]
    before = [use for use in web.reads if use not in inside and not flow.after(use, model.node)]
    return appends if len(inside) == len(appends) and not before else {}
