"""How the rules on random keys say what two uses of one key are, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Link, Report
from scanlint.rules.base import Context, Rule

if TYPE_CHECKING:
    from scanlint.keys.mistakes import KeyMistake
    from scanlint.keys.uses import KeyUse

DOES = {"draw": "draws from", "split": "splits", "handed": "takes"}
DONE = {"draw": "drew from", "split": "split", "handed": "took"}


class KeyRule(Rule[ast.FunctionDef | ast.AsyncFunctionDef]):
    """A rule on what becomes of random keys. In tests, one draw after another is advice, and all else is silent."""

    apart = True

    def check(self, node: ast.FunctionDef | ast.AsyncFunctionDef, context: Context) -> Iterator[Report]:
        if node is not context.unit.node or context.unit.keys is None:
            return
        from scanlint.keys.found import key_mistakes

        tests = context.unit.source.tests
        for found in key_mistakes(context.unit):
            if found.rule != self.name or any(_is_only_shown(context, at) for at in (found.site, found.earlier)):
                continue
            if not tests:
                yield _report(found, context)
            elif found.level == "warning" and found.plain:
                yield _report(found._replace(level="advice"), context)


def _is_only_shown(context: Context, use: ast.AST) -> bool:
    """Whether what a use gives is not kept: `random.normal(key)` as a statement shows in a notebook what a key does."""
    parent = context.unit.parents.get(use)
    while isinstance(parent, ast.Tuple):
        parent = context.unit.parents.get(parent)
    return isinstance(parent, ast.Expr)


def _report(found: KeyMistake, context: Context) -> Report:
    return context.report(
        found.site,
        _message(found, context.unit.source.start(found.earlier).line),
        end=found.site.func if isinstance(found.site, ast.Call) else None,
        label="the same key again",
        help=_help(found),
        why=tuple(_links(found, context)),
        level=found.level,
    )


def _message(found: KeyMistake, line: int) -> str:
    first, second = found.first, found.second
    where = f"on line {line}" if not found.before else f"on the trip before, on line {line}"
    what, does = f"`{name_at(found.site, second)}`", DOES[second.kind]
    around = "for each example" if found.mapped else "on each trip"
    if found.kept:
        later = f"`{found.by}`" if found.by else "the next call"
        again = second.kind == "split"
        tied = "splits it too: " + _alike(found) if again else "splits it, and what it draws is tied to this"
        return f"{what} {does} the key that stays in `{found.kept}`: {later} {tied}"
    match found.rule:
        case "constant-key" if found.loop is not None:
            return f"{what} {does} a key that {around} is made of the same seed: it gives the same each time"
        case "constant-key":
            return f"{what} {does} a key that it makes of the same seed as on line {line}: it gives the same each time"
        case "key-each-trip":
            return f"{what} {does} the same key {around}: {_alike(found)}"
        case "key-after-split":
            by = name_at(found.earlier, first)
            done = f"`{by}` drew from" if first.kind == "draw" else "was split" if by == "split" else f"`{by}` split"
            return f"{what} {does} the key that {done} {where}: what is drawn is tied to the keys of the split"
    before = f"`{name_at(found.earlier, first)}` {DONE[first.kind]}"
    return f"{what} {does} the key that {before} {where}: {_alike(found)}"


def _alike(found: KeyMistake) -> str:
    if {found.first.kind, found.second.kind} == {"split"}:
        return "each split of one key gives the same keys"
    if found.loop is not None:
        return "each example gets the same random bits" if found.mapped else "each trip gets the same random bits"
    return "both come from the same random bits"


def name_at(node: ast.AST, use: KeyUse) -> str:
    """What is called at a place, for a use that happens there or inside."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if node is not use.site:
            return name
    return use.what


def _help(found: KeyMistake) -> str:
    if found.rule == "constant-key":
        return "take the key as an argument, or fold in what changes: `jax.random.fold_in(key, step)`"
    if found.mapped:
        return "split the key into one for each example, and map over these"
    if found.rule == "key-each-trip":
        return "split the key on each trip, `key, subkey = jax.random.split(key)`, or fold in the number of the trip"
    if found.rule == "key-after-split":
        return "draw from one of the keys that a split gives, which nothing else uses"
    return "split the key first, `key, subkey = jax.random.split(key)`, and give each use its own"


def _links(found: KeyMistake, context: Context) -> Iterator[Link]:
    if found.loop is None:
        said = "the split on the next call" if found.kept else "the first use of the key"
        yield from context.said(f"{said}: `{name_at(found.earlier, found.first)}`", found.earlier)
        yield from _inside(found.first, found.earlier, context)
    yield from _inside(found.second, found.site, context)
    for node in found.again:
        yield from context.said("and once more", node)


def _inside(use: KeyUse, node: ast.AST, context: Context) -> Iterator[Link]:
    """Where the key is used in what is called at a place."""
    if use.site is not node:
        yield from context.said(f"`{use.what}` {DOES[use.kind]} it", use.site)
    if use.inside is not None:
        yield use.inside
