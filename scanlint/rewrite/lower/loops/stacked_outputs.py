"""Change the code around a loop once a scan returns the elements of a collected list as one array."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from scanlint.batching.fetches import makes_numpy
from scanlint.finding import Edit, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.collected import Output
from scanlint.loops.rows.lists import makes_only
from scanlint.loops.rows.recent import MADE
from scanlint.loops.rows.stacking import STACKS, collected, cuts, extended, turned_use, unzipped
from scanlint.rewrite.draft import SharedLine, Snippet
from scanlint.rewrite.emit.snippets import brackets, singular
from scanlint.rewrite.late_libcst import cst
from scanlint.syntax.bindings import binds, reads, stores
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

Spell = Callable[[str], str]
Fresh = Callable[..., str]


@dataclass(slots=True)
class OutputPlan:
    """What becomes of the outputs around the loop.

    The name that each gets from the scan, the statements to put after it, the edits of the places that read it, and
    the outputs whose initial statement stays in another form. `straight` are those whose readers want them from the
    last trip to the first, as they are given.
    """

    straight: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    heads: dict[str, list[str]] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)


def returned_element(
    model: LoopModel, output: Output, snippet: Snippet, fresh: Fresh, spell: Spell
) -> tuple[str, Sequence[cst.EmptyLine]]:
    """The source that the step returns for an output, and the comments of the `append` that is removed.

    Where its names are bound again later, or it has several lines, it gets a name in the place of that statement.
    """
    body, appends = model.node.body, [o.append for o in model.outputs]
    later = [s for s in body[body.index(output.append) + 1 :] if s not in appends]
    join_group(output, snippet, spell)
    code = snippet.expression(output.element)
    if "\n" not in code and not (binds(*later) | stores(*later)) & reads(output.element):
        return code, snippet.take(output.append)
    name = fresh(singular(output.name, "output"))
    opened, closed = brackets(output.element)
    if output.element.lineno > output.append.lineno:
        deep = " " * (output.element.col_offset - output.append.col_offset)
        if opened:
            opened, closed = f"({snippet.newline}{deep}", f"{snippet.newline})"
        elif not any(isinstance(n, ast.JoinedStr | ast.Constant) and _text(n) for n in ast.walk(output.element)):
            code = "\n".join(line.removeprefix(deep) for line in code.split("\n"))
    made = snippet.parse(f"{name} = {opened}{code}{closed}")
    kept = ("leading_lines", "trailing_whitespace")
    snippet.change_statement(
        output.append, lambda old: made.with_changes(**{part: getattr(old, part) for part in kept})
    )
    return name, ()


def _text(node: ast.JoinedStr | ast.Constant) -> bool:
    """Whether a node is text over several lines, in which white space counts."""
    several = (node.end_lineno or 0) > node.lineno
    return several and (isinstance(node, ast.JoinedStr) or isinstance(node.value, str | bytes))


def join_group(output: Output, snippet: Snippet, spell: Spell) -> None:
    """Write an element `(a, b)` as `jnp.array([a, b])` if the code after the loop makes one array of all elements."""
    if output.grouped:
        code = snippet.expression(output.element)
        parts = code[1:-1].rstrip().removesuffix(",") if code.startswith(("(", "[")) else code
        snippet.replace(output.element, f"{spell('jax.numpy.array')}([{parts}])")


def read_backwards(model: LoopModel, output: Output) -> bool:
    """Whether all that reads a list after the loop reads it from its end."""
    if output.turned is not None or not output.uses:
        return bool(output.uses) and all(turned_use(model.unit, use) is None for use in output.uses)
    return len(output.first) < 2 and all(turned_use(model.unit, use) is not None for use in output.uses)


def after_loop(model: LoopModel, spell: Spell, fresh: Fresh, *, reverse: bool = False) -> OutputPlan | Withheld:
    """How the code after the loop reads the stacked arrays; under `reverse` the last trip's element comes first."""
    plan = OutputPlan()
    for output in model.outputs:
        plan.names[output.name] = output.name
        plan.heads[output.name] = []
        if reverse and not output.front and read_backwards(model, output):
            plan.straight.add(output.name)
        if output.turned is not None:
            plan.edits.append(_turned(model, output, plan))
        if output.first:
            head = _head(model, output, spell, plan, fresh)
            if isinstance(head, Withheld):
                return head
            plan.heads[output.name].append(head)
        for use in output.uses:
            edits = _use(model, output, use, spell, plan)
            if isinstance(edits, Withheld):
                return edits
            plan.edits += edits
    return plan


def _head(model: LoopModel, output: Output, spell: Spell, plan: OutputPlan, fresh: Fresh) -> str | Withheld:
    """The elements from before the loop beside the stacked ones; one that the loop rebinds is kept aside."""
    rebound = (frozenset(model.carried) | frozenset(model.last_values)) & model.flow.live_after(model.node)
    clash = reads(*output.first) & (rebound | frozenset(model.targets) | {o.name for o in model.outputs})
    source = model.unit.source
    alone = len(output.first) == 1 and makes_only(output.initial, [output.name])
    if clash and not alone:
        name = sorted(clash)[0]
        return Withheld("first-element-changes", f"`{output.name}` starts with `{name}`, which the loop rebinds")
    if alone and (clash or _computed(model.unit, output.first[0])):
        name = fresh("first", f"first_{singular(output.name, 'output')}")
        plan.edits.append(source.put(output.initial, f"{name} = {source.segment(output.first[0])}"))
        plan.kept.add(output.name)
        first = f"{name}[None]" if model.unit.value(output.first[0]).array else _stacked([name], spell)
    else:
        first = _rows(model.unit, output.first, spell)
    last = output.front or output.name in plan.straight
    rows = [output.name, first] if last else [first, output.name]
    return f"{output.name} = {spell('jax.numpy.concatenate')}([{', '.join(rows)}])"


def _computed(unit: Unit, element: ast.expr) -> bool:
    """Whether an element is worth a name, being more than a new array or a part of one."""
    match element:
        case ast.Call(func=function):
            return unit.resolve(function) not in MADE
    return isinstance(element, ast.BinOp)


def _turned(model: LoopModel, output: Output, plan: OutputPlan) -> Edit:
    """Change `ys.reverse()`, where `ys` is an array now."""
    assert output.turned is not None
    if output.name in plan.straight:
        return drop(model.unit.source, output.turned)
    return model.unit.source.put(output.turned, f"{output.name} = {output.name}[::-1]")


def _stacked(elements: Sequence[str], spell: Spell) -> str:
    return f"{spell('jax.numpy.stack')}([{', '.join(elements)}])"


def _rows(unit: Unit, elements: Sequence[ast.expr], spell: Spell) -> str:
    """Some elements as rows of one array: `xs[0]` as `xs[:1]`; empty where there are none."""
    codes = [unit.source.segment(element) for element in elements]
    match elements:
        case []:
            return ""
        case [ast.Subscript(value=value, slice=ast.Constant(value=0))] if unit.value(value).array:
            return f"{unit.source.segment(value)}[:1]"
        case [ast.Name() | ast.Subscript() | ast.Call() as only] if unit.value(only).array:
            return f"{codes[0]}[None]"
    return _stacked(codes, spell)


def _use(model: LoopModel, output: Output, use: ast.Name, spell: Spell, plan: OutputPlan) -> list[Edit] | Withheld:
    """The edits for one place that stacks the list."""
    unit = model.unit
    if not output.grouped and (found := collected(unit, use, output.element)) is not None:
        call, part = found
        if part:
            return [unit.source.put(call, f"{output.name}{part}")]
        return _plain(model, output, call, output.name, True, plan)
    if (split := unzipped(unit, use, output.element)) is not None:
        stacks = [(unit.parents[name], _unstacked(unit, name, name.id, spell)) for name in split[1]]
        edits = [unit.source.put(call, code) for call, code in stacks if code is not None]
        return [unit.source.put(split[0], output.name), *edits]
    if (longer := extended(unit, use)) is not None:
        call, before, after = longer
        rows = [_rows(unit, before, spell), output.name, _rows(unit, after, spell)]
        joined = ", ".join(filter(None, rows))
        return [unit.source.put(call, f"{spell('jax.numpy.concatenate')}([{joined}])")]
    inner: ast.expr = use
    parent = unit.parents[use]
    turned = turned_use(unit, use)
    straight = output.name in plan.straight and output.turned is None
    if turned is not None and straight and turned.stacked:
        return _plain(model, output, turned.node, output.name, True, plan)
    if turned is not None and not turned.stacked:
        inner, parent = turned.node, unit.parents[turned.node]
    elif isinstance(parent, ast.Subscript) and cuts(unit, parent.slice):
        inner, parent = parent, unit.parents[parent]
    code = unit.source.segment(inner)
    if turned is not None and inner is turned.node:
        code = output.name if straight else f"{output.name}[::-1]"
    made = [unit.source.put(inner, code)] if code != unit.source.segment(inner) else []
    if not isinstance(parent, ast.Call) or parent.args[:1] != [inner]:
        return made
    name = unit.resolve(parent.func)
    if name == "builtins.sum":
        return [unit.source.put(parent, f"{spell('jax.numpy.sum')}({code}, axis=0)")]
    if output.numpy:
        numpy = makes_numpy(unit, parent, inner)
        return _plain(model, output, parent, code, code == output.name, plan) if numpy else made
    stacked = _unstacked(unit, inner, code, spell)
    if stacked is None and name == "jax.numpy.stack":
        return Withheld("stack-options", f"`{ast.unparse(parent)}` has options")
    if stacked == code:
        return _plain(model, output, parent, code, code == output.name, plan)
    return made if stacked is None else [unit.source.put(parent, stacked)]


def _unstacked(unit: Unit, array: ast.expr, code: str, spell: Spell) -> str | None:
    """The source that replaces `jnp.stack(xs)` or `jnp.stack(xs, axis=1)`, where `xs` is an array now; else None."""
    call = unit.parents[array]
    name = unit.resolve(call.func) if isinstance(call, ast.Call) and call.args[:1] == [array] else None
    if not isinstance(call, ast.Call) or name not in STACKS:
        return None
    axes = [k.value for k in call.keywords if k.arg == "axis"] + (call.args[1:] if name == "jax.numpy.stack" else [])
    if len(axes) > 1 or len(axes) < len(call.args) - 1 + len(call.keywords):
        return None
    if not axes or unit.value(axes[0]).constant == 0 or (isinstance(axes[0], ast.Constant) and axes[0].value == 0):
        return code
    return f"{spell('jax.numpy.moveaxis')}({code}, 0, {unit.source.segment(axes[0])})"


def _plain(model: LoopModel, output: Output, call: ast.expr, code: str, whole: bool, plan: OutputPlan) -> list[Edit]:
    """`jnp.stack(ys)` is `ys` now; `zs = jnp.stack(ys)` right after the loop gives the scan's result its name."""
    unit = model.unit
    statement = unit.parents[call]
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)]) if whole:
            if bound == output.name:
                return [drop(unit.source, statement)]
            block = unit.block(model.node)
            gone = output.turned is not None and output.name in plan.straight
            follows = statement in block and block.index(statement) == block.index(model.node) + 1 + gone
            taken = bound in reads(*model.node.body) | binds(model.node)
            if follows and len(output.uses) == 1 and not output.first and not taken:
                plan.names[output.name] = bound
                return [drop(unit.source, statement)]
    return [unit.source.put(call, code)]


def drop_initials(model: LoopModel, kept: Collection[str]) -> list[Edit]:
    """The lists are not made before the loop any more, but for those whose first element is kept aside there."""
    source = model.unit.source
    edits = [drop(source, statement) for statement in _dead(model)]
    names = {o.name for o in model.outputs if o.name not in kept}
    for statement in dict.fromkeys(o.initial for o in model.outputs if o.name in names):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=True)
                left = [(t, v) for t, v in pairs if not (isinstance(t, ast.Name) and t.id in names)]
            case _:
                left = []
        if left:
            sides = [", ".join(source.segment(pair[side]) for pair in left) for side in (0, 1)]
            edits.append(source.put(statement, " = ".join(sides)))
        else:
            edits.append(drop(source, statement))
    return edits


def _dead(model: LoopModel) -> Iterator[ast.Assign]:
    """`gap = None` above a loop of which every trip gives the name its value, and some trip is made."""
    block = model.unit.block(model.node)
    before = block[: block.index(model.node)]
    for name in set(model.last_values) & model.flow.bound_before(model.node):
        for statement in reversed(before):
            match statement:
                case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Constant(value=None)) if bound == name:
                    if "#" not in model.unit.source.lines[statement.lineno - 1]:
                        yield statement
            if name in binds(statement) | reads(statement):
                break


def drop(source: Source, statement: ast.stmt) -> Edit:
    """Take a statement out with its line. SharedLine if it has company there."""
    if not source.alone(statement):
        raise SharedLine
    return source.drop(statement)
