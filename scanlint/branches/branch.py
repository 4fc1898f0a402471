"""The model of one `if`: what its two arms compute, what is left of it afterwards, what stands in the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scanlint.dataflow.liveness import Flow, flow_around
from scanlint.finding import Withheld
from scanlint.loops.effects import effects
from scanlint.loops.jumps import SUSPENDS, jumps_in
from scanlint.loops.obstacles import spent
from scanlint.syntax.bindings import Names, binds, reads, walk_scope
from scanlint.trace.unit import Unit

Block = tuple[ast.stmt, ...]


@dataclass(frozen=True, slots=True)
class BranchModel:
    """An `if` as two blocks of which one runs.

    `returns`: both arms end the function, and what followed the `if` is part of the arm that fell through.
    Otherwise `results` are the names that are bound in an arm and read afterwards. `last` is the last statement
    that the branch takes up.
    """

    unit: Unit
    node: ast.If
    flow: Flow
    body: Block
    orelse: Block
    returns: bool
    results: tuple[str, ...]
    last: ast.stmt
    obstacles: tuple[Withheld, ...]


def model_branch(unit: Unit, node: ast.If, rest: Sequence[ast.stmt] | None = None) -> BranchModel:
    """The model of an `if`; `rest` are the statements that run after it, where they are not those of its block."""
    key = (model_branch, node, None if rest is None else tuple(rest))
    return unit.once(key, lambda: _model(unit, flow_around(unit, node), node, rest))


def _model(unit: Unit, flow: Flow, node: ast.If, rest: Sequence[ast.stmt] | None) -> BranchModel:
    body, orelse = tuple(node.body), tuple(node.orelse)
    if not (leaves(body) or leaves(orelse)):
        bound = binds(*body, *orelse)
        results = tuple(n for n in flow.order if n in bound and n in flow.live_after(node))
        found = [*_obstacles(unit, node, flow, (body, orelse)), *_unbound(node, flow, results)]
        if not results:
            found.append(Withheld("no-state", f"the branch leaves nothing behind (line {node.lineno})"))
        return BranchModel(unit, node, flow, body, orelse, False, results, node, tuple(found))
    after = tuple(rest) if rest is not None else following(unit, node)
    body, orelse, misfits = _complete(unit, node, body, orelse, after)
    last = after[-1] if after and (orelse[-1:] == after[-1:] or body[-1:] == after[-1:]) else node
    found = [*misfits, *_obstacles(unit, node, flow, (body, orelse))]
    return BranchModel(unit, node, flow, body, orelse, True, (), last, tuple(found))


def following(unit: Unit, node: ast.stmt) -> Block:
    """The statements after one in its block; none after an `elif`."""
    block = unit.block(node)
    return tuple(block[block.index(node) + 1 :])


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether a block holds a `return` of its function."""
    return any(isinstance(n, ast.Return) for n in walk_scope(block))


def returns(block: Sequence[ast.stmt]) -> bool:
    """Whether every path through a block ends in `return`."""
    match block[-1] if block else None:
        case ast.Return():
            return True
        case ast.If(body=body, orelse=orelse):
            return returns(body) and returns(orelse)
        case ast.With(body=body):
            return returns(body)
    return False


def _complete(
    unit: Unit, node: ast.If, body: Block, orelse: Block, after: Block
) -> tuple[Block, Block, list[Withheld]]:
    """Both arms with what runs after the `if` put into the one that falls through."""
    line = node.lineno
    if any(isinstance(a, ast.For | ast.While | ast.AsyncFor) for a in unit.around(node)):
        return body, orelse, [Withheld("return-in-loop", f"the function returns from a loop (line {line})")]
    if any(isinstance(a, ast.Try | ast.TryStar) for a in unit.around(node)):
        return body, orelse, [Withheld("return-in-try", f"the function returns from a `try` (line {line})")]
    whole, other = returns(body), returns(orelse)
    if not whole and not other:
        why = f"the function returns on some paths through the `if` at line {line}, and goes on on others"
        return body, orelse, [Withheld("return-on-some-paths", why)]
    if not whole:
        body += after
    if not other:
        orelse += after
    if returns(body) and returns(orelse):
        return body, orelse, []
    why = f"the function returns at line {line} on one side, and on the other it goes on or ends without a value"
    return body, orelse, [Withheld("return-on-some-paths", why)]


def definite(block: Sequence[ast.stmt]) -> Names:
    """The names that a block binds on every path."""
    return frozenset().union(*(_definite(s) for s in block))


def _definite(statement: ast.stmt) -> Names:
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            return binds(test) | (definite(body) & definite(orelse))
        case ast.With(items=items, body=body):
            return binds(*items) | definite(body)
        case ast.For() | ast.While() | ast.Try() | ast.TryStar() | ast.Match() | ast.AsyncFor() | ast.AsyncWith():
            return frozenset()
    return binds(statement)


def rebound(flow: Flow, block: Sequence[ast.stmt], results: Sequence[str]) -> list[str]:
    """Names that a block may read before it binds them: a function made of it needs them as parameters."""
    needed = flow.needed(block, frozenset(results))
    bound: Names = frozenset()
    early: dict[str, None] = {}
    for statement in block:
        for name in sorted(reads(statement) - bound):
            early.setdefault(name)
        bound |= _definite(statement)
    for name in results:
        if name not in bound:
            early.setdefault(name)
    return [name for name in early if name in binds(*block) and name in needed]


def _unbound(node: ast.If, flow: Flow, results: Sequence[str]) -> Iterator[Withheld]:
    """Names that are read afterwards but have no value on one of the paths."""
    for name in results:
        if name in flow.bound_before(node):
            continue
        for arm in (node.body, node.orelse):
            if name not in definite(arm):
                yield Withheld("maybe-undefined", f"`{name}` has no value on one path (line {node.lineno})")
                break


def _obstacles(unit: Unit, node: ast.If, flow: Flow, arms: Sequence[Block]) -> Iterator[Withheld]:
    """What an arm does besides computing values."""
    for arm in arms:
        made = _fresh(arm)
        yield from _jumps(arm)
        for part in walk_scope(arm):
            if not (isinstance(part, ast.Delete) and _forgets(unit, part)):
                yield from effects(unit, part, made, branch=True)
    bound = binds(*arms[0], *arms[1])
    for closure, names in flow.closures.items():
        inside = {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)}
        shared = names & bound
        settled = closure in inside or closure in bound or spent(unit, flow, node, closure)
        if shared and not settled and not all(_calls_first(arm, closure, shared) for arm in arms):
            name = sorted(shared)[0]
            yield Withheld(
                "closure", f"`{closure}`, defined outside the branch, reads `{name}`, which the branch rebinds"
            )


def _calls_first(arm: Block, closure: str, names: Names) -> bool:
    """Whether an arm uses a function only before it rebinds these names, which the function reads outside of it."""
    rebound = False
    for statement in arm:
        used, changed = closure in reads(statement), bool(names & binds(statement))
        match statement:
            case ast.If(body=body, orelse=orelse):
                apart = all(_calls_first(tuple(part), closure, names) for part in (body, orelse))
            case _:
                apart = isinstance(statement, ast.Assign | ast.AugAssign)
        if used and (rebound or (changed and not apart) or not _called_at_once(statement, closure)):
            return False
        rebound = rebound or changed
    return True


def _called_at_once(statement: ast.stmt, function: str) -> bool:
    """Whether a statement does nothing else with a function than to call it: what it makes might call it later."""
    parts = list(ast.walk(statement))
    later = (p for p in parts if isinstance(p, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | ast.GeneratorExp))
    called = {id(p.func) for p in parts if isinstance(p, ast.Call)}
    uses = [p for p in parts if isinstance(p, ast.Name) and p.id == function]
    return all(id(use) in called for use in uses) and not any(function in reads(part) for part in later)


def _jumps(arm: Block) -> Iterator[Withheld]:
    """`break` and `continue` that lead out of an arm, and `yield`."""
    for jump in jumps_in(*arm):
        if not isinstance(jump, ast.Return):
            word = type(jump).__name__.lower()
            yield Withheld(word, f"`{word}` at line {jump.lineno} leaves the branch")
    for part in walk_scope(arm):
        if isinstance(part, SUSPENDS):
            yield Withheld("generator", f"the branch yields at line {part.lineno}")


def _forgets(unit: Unit, part: ast.Delete) -> bool:
    """Whether a `del` takes back names that its own block has bound before, and does no more."""
    block = unit.block(part)
    before = definite(block[: block.index(part)])
    return all(isinstance(t, ast.Name) and t.id in before for t in part.targets)


def _fresh(arm: Block) -> Names:
    """Names that an arm binds only to containers that it makes itself."""
    own: set[str] = set()
    for part in arm:
        match part:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp()
            ):
                if all(part is s or name not in binds(s) for s in arm) and name not in reads(*arm[: arm.index(part)]):
                    own.add(name)
            case ast.If(body=body, orelse=other):
                for inner in (tuple(body), tuple(other)):
                    own |= {name for name in _fresh(inner) if _named(arm, name) == _named(inner, name)}
    return frozenset(own)


def _named(block: Block, name: str) -> int:
    """How often a name stands in a block."""
    return sum(isinstance(n, ast.Name) and n.id == name for s in block for n in ast.walk(s))


def is_elif(unit: Unit, node: ast.If) -> bool:
    """Whether an `if` is written as the `elif` of another."""
    parent = unit.parents.get(node)
    if not (isinstance(parent, ast.If) and parent.orelse == [node]):
        return False
    line = unit.source.lines[node.lineno - 1]
    return unit.source.start(node).column - 1 == line.find("elif")


def reaching(unit: Unit, node: ast.stmt, name: str) -> ast.expr | None:
    """The expression that a name was last bound to before a statement, where that is evident."""
    at: ast.stmt = node
    while True:
        block = unit.block(at)
        for statement in reversed(block[: block.index(at)]):
            match statement:
                case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                    return value
            if name in binds(statement):
                return None
        parent = unit.parents.get(at)
        if not isinstance(parent, ast.If | ast.With):
            return None
        at = parent
