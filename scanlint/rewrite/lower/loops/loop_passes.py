"""Loops into `lax.fori_loop`, `lax.scan` and `lax.while_loop`: the ways in, and when they are closed."""

from __future__ import annotations

import ast

from scanlint.batching.examples import Batch, batch_of
from scanlint.finding import NOT_APPLICABLE, Outcome, Rewrite, Step, Withheld, first_of, first_step
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.first_trip import started
from scanlint.loops.jumps import JUMPS
from scanlint.loops.loop import LoopModel
from scanlint.loops.numbers.trip_numbers import in_each_type
from scanlint.loops.rows.buffers import buffered, dtype_of, in_order, within
from scanlint.rewrite.draft import SharedLine, blank_line_before
from scanlint.rewrite.emit.snippets import bare
from scanlint.rewrite.late_libcst import cst
from scanlint.rewrite.lower.batches.batch_map import to_vmap
from scanlint.rewrite.lower.branches.branch_arms import assigned
from scanlint.rewrite.lower.branches.predicates import scalar_predicate
from scanlint.rewrite.lower.depth_limit import too_deep
from scanlint.rewrite.lower.loops.dynamic_slices import use_windows
from scanlint.rewrite.lower.loops.index_reads import use_arrays, use_tracers
from scanlint.rewrite.lower.loops.roll import Roll, kept
from scanlint.rewrite.normalize.accumulators.append_on_every_trip import on_each_trip
from scanlint.rewrite.normalize.accumulators.append_rows import with_lists
from scanlint.rewrite.normalize.accumulators.append_sinking import once_per_trip
from scanlint.rewrite.normalize.accumulators.dict_splitting import with_named_lists
from scanlint.rewrite.normalize.accumulators.list_nesting import with_rows
from scanlint.rewrite.normalize.accumulators.list_to_array import with_places
from scanlint.rewrite.normalize.accumulators.recent_elements import without_list, without_read_back
from scanlint.rewrite.normalize.exits.assigned_tests import without_walrus
from scanlint.rewrite.normalize.exits.continues import without_continue
from scanlint.rewrite.normalize.exits.counting_while import opaque
from scanlint.rewrite.normalize.exits.exit_flags import without_jumps
from scanlint.rewrite.normalize.full_ranges import with_full_ranges
from scanlint.rewrite.normalize.initialization import with_placeholders
from scanlint.rewrite.normalize.last_value_sinking import last_after
from scanlint.rewrite.normalize.local_functions import with_closures
from scanlint.rewrite.normalize.number_tables import with_tables, with_weak_tables
from scanlint.rewrite.normalize.peeling import first_trip_before
from scanlint.rewrite.normalize.stacked_iterables import with_name, with_stack
from scanlint.syntax.bindings import binds, reads, targets

WAYS = (
    with_stack, without_list, without_read_back, on_each_trip, once_per_trip, with_rows, with_lists,
    with_named_lists, with_places, with_closures, without_continue, with_name, without_jumps, first_trip_before,
    last_after, with_tables,
)  # fmt: skip
"""Steps after which a loop is looked at again, the first that applies first."""


def to_rolled_loop(model: LoopModel, *, stacked: bool = False) -> Outcome:
    """`fori_loop` where only the last state matters, `scan` where rows are read or outputs collected.

    `stacked`: what is iterated is a list of like-structured pytrees, to be stacked leaf by leaf first.
    """
    return or_full_ranges(_rolled(model, stacked), model)


def or_full_ranges(outcome: Outcome, model: LoopModel) -> Outcome:
    """The rewrite of a loop; its plainest form has full ranges for the loops inside that go as far as it has come."""
    full = with_full_ranges(model) if isinstance(outcome, Rewrite) else None
    return first_of([*outcome.choices(), full]) if isinstance(outcome, Rewrite) and full is not None else outcome


def _rolled(model: LoopModel, stacked: bool) -> Outcome:
    if deep := too_deep(model.unit, model.node):
        return deep
    step = first_step(way(model) for way in WAYS)
    if isinstance(step, Rewrite):
        return step
    if refusal := refuse(model):
        return step if isinstance(step, Withheld) else refusal
    if not model.streams:
        return opaque(model)
    try:
        outcome = Roll(model, stacked).outcome()
    except SharedLine:
        return Withheld("layout", f"the lines of the loop cannot be moved alone (line {model.node.lineno})")
    return first_of([*_stacked_rows(model), *_strong(model, stacked, outcome)])


def _strong(model: LoopModel, stacked: bool, outcome: Outcome) -> list[Outcome]:
    """The rewrite; the same where rows of what began as a number have its dtype, as an array of numbers does.

    The last one goes over numbers that are as weakly typed as Python's.
    """
    block, dtypes = model.unit.block(model.node), dict[str, str]()
    for output in model.outputs:
        if isinstance(output.element, ast.Name) and output.element.id in model.carried:
            begin = started(block[: block.index(model.node)], output.element.id)
            if isinstance(begin, ast.Constant) and type(begin.value) in (int, float):
                dtypes[output.name] = type(begin.value).__name__
    if not isinstance(outcome, Rewrite):
        return [outcome]
    found = [outcome, *([Roll(model, stacked, dtypes).outcome()] if dtypes else [])]
    if outcome.primitive == "scan" and isinstance(model.node, ast.For):
        if any(s.kind == "range" and any(map(model.used, targets(s.target))) for s in model.streams):
            roll = lambda typed: Roll(model, stacked, dtypes, typed).outcome()  # noqa: E731
            found += in_each_type(model.unit, model.node, model.streams, roll)[1:]
    return [*found, *weak_tables(model)]


def weak_tables(model: LoopModel) -> list[Outcome]:
    """The step that makes arrays of the whole numbers which tracers would give a type of their own, if any."""
    step = with_weak_tables(model) if isinstance(model.node, ast.For) else NOT_APPLICABLE
    return [step._replace(weak=True)] if isinstance(step, Rewrite) else []


def _goes_on(model: LoopModel) -> bool:
    """Whether anything but what it collects goes from trip to trip, or out of the loop."""
    return bool(model.carried or model.last_values or model.live_targets)


def _stacked_rows(model: LoopModel) -> list[Outcome]:
    """A loop that fills arrays row by row: `vmap` where no trip needs another one's result, else a scan's outputs."""
    if (found := within(model)) is not None:
        batch = batch_of(found[0], numbered=True)
        # Twice: the loop around it has a plainer form with this one as it is.
        return [to_vmap(found[0], batch, row=found[1])] * 2 if batch is not None else []
    stacking = buffered(model, columns=True)
    if stacking is not None and any(output.axis for output in stacking.buffers):
        batch = None if _goes_on(stacking) else batch_of(stacking, numbered=True)
        return mapped_rows(stacking, batch) if batch is not None else []
    if stacking is None:
        return []
    if not _goes_on(stacking):
        rising = in_order(stacking)
        batch = batch_of(rising, numbered=True) if rising is not None else None
        return mapped_rows(rising, batch) if rising is not None and batch is not None else []
    dtypes = {b.name: dtype for b in stacking.buffers if (dtype := dtype_of(stacking, b)) is not None}
    try:
        return [Roll(stacking).outcome(), *([Roll(stacking, dtypes=dtypes).outcome()] if dtypes else [])]
    except SharedLine:
        return []  # what makes the array has company on its line: the array is carried


def mapped_rows(model: LoopModel, batch: Batch) -> list[Outcome]:
    """`vmap`, and the same with the dtypes of the arrays that the loop fills."""
    made = [b._replace(dtype=b.dtype or dtype_of(model, b)) for b in model.buffers]
    typed = LoopModel(model.unit, model.node, model.streams, model.starts, tuple(made), model.lists)
    more = any(now.dtype != before.dtype for now, before in zip(made, model.buffers, strict=True))
    return [to_vmap(model, batch), *([to_vmap(typed, batch)] if more else [])]


def refuse(model: LoopModel) -> Withheld | None:
    """The first reason why a loop cannot be rolled, whatever the primitive."""
    if model.obstacles:
        return model.obstacles[0]
    left = {*model.carried, *model.targets} & model.flow.live_after(model.node)
    if not (left or model.outputs or model.last_values):
        return Withheld("no-state", f"the loop leaves nothing behind (line {model.node.lineno})")
    return None


def to_while_loop(model: LoopModel) -> Outcome:
    """`while` on traced state into `lax.while_loop`."""
    assert isinstance(model.node, ast.While)
    if model.unit.context(model.node).differentiated:
        return Withheld("reverse-mode", "the function is differentiated in reverse, which `while_loop` does not allow")
    if deep := too_deep(model.unit, model.node):
        return deep
    if isinstance(variable := without_list(model), Rewrite):
        return variable
    if model.outputs:
        name = model.outputs[0].name
        return Withheld("dynamic-length-output", f"`{name}` would have a length that is not known when tracing")
    step = first_step(way(model) for way in WHILE_WAYS)
    if isinstance(step, Rewrite):
        return step
    if refusal := refuse(model):
        return step if isinstance(step, Withheld) else refusal
    if bound := binds(model.node.test):
        return Withheld("walrus-in-test", f"the test binds `{min(bound)}` on every trip (line {model.node.lineno})")
    if model.last_values:
        return Withheld(
            "maybe-undefined", f"`{model.last_values[0]}` is read after the loop but has no value before it"
        )
    try:
        return _while(model)
    except SharedLine:
        return Withheld("layout", f"the lines of the loop cannot be moved alone (line {model.node.lineno})")


def _without_walrus(model: LoopModel) -> Step:
    """The step that takes `:=` out of the test, where that is all that is in the way, or only ways out of the loop."""
    assert isinstance(model.node, ast.While)
    if not binds(model.node.test) or any(o.code not in JUMPS | {"maybe-undefined"} for o in model.obstacles):
        return NOT_APPLICABLE
    return without_walrus(model)


WHILE_WAYS = (with_placeholders, _without_walrus, with_closures, without_continue, without_jumps)
"""The same for a `while`."""


def _while(model: LoopModel) -> Outcome:
    assert isinstance(model.node, ast.While)
    roll = Roll(model)
    if problem := use_windows(model, roll.snippet, roll.spell):
        return problem
    use_arrays(model, roll.snippet, roll.spell)
    use_tracers(model, roll.snippet, roll.spell)
    snippet, names = roll.snippet, roll.names
    test = scalar_predicate(model.unit, model.node.test, roll.spell)
    if isinstance(test, Withheld):
        return test
    test = f"{test} != 0" if _counted_down(model, model.node.test) else test
    condition, body_name = names("condition", "go_on"), roll.called("body")
    *rest, last = model.node.body
    moved = _counts(roll, last) if rest else None
    body = snippet.statements(rest) if moved else roll.body()
    results = [moved[1] if moved and name == moved[0] else name for name in model.carried]
    header: list[cst.BaseStatement] = []
    if len(model.carried) == 1:
        parameter = model.carried[0]
    else:
        parameter = names("state", "carry", "values")
        read = reads(model.node.test)
        wanted = ", ".join(n if n in read else "_" for n in model.carried)
        header = [snippet.parse(f"{wanted} = {parameter}")] if read & set(model.carried) else []
        body = [snippet.parse(f"{', '.join(model.carried)} = {parameter}"), *body]
    check = snippet.define(condition, parameter, [*header, snippet.parse(f"return {test}")])
    body += [snippet.parse(f"return {bare(results)}")] if moved else roll.returned(body, bare(model.carried))
    definition = roll.define(body_name, parameter, body)
    call = f"{kept(model)} = {roll.spell('jax.lax.while_loop')}({condition}, {body_name}, {roll.initial()})"
    rewrite = roll.finish(definition, [call], "while_loop")
    first = snippet.edit([check, blank_line_before(definition), blank_line_before(snippet.line(call))])
    return Rewrite((first, *rewrite.edits[1:]), "while_loop", rewrite.imports)


def _counted_down(model: LoopModel, test: ast.expr) -> bool:
    """Whether a test is a number, which `while_loop` does not take for a truth value: `while n:`."""
    if not isinstance(test, ast.Name) or boolean(model.unit, test):
        return False
    if model.unit.value(test).dtype in ("int", "float"):
        return True
    bound = [made for s in model.node.body if (made := assigned(s)) is not None]
    arithmetic = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)
    pairs = [pair for names, values in bound for pair in zip(names, values, strict=True)]
    return any(name == test.id and isinstance(v, ast.BinOp) and isinstance(v.op, arithmetic) for name, v in pairs)


def _counts(roll: Roll, last: ast.stmt) -> tuple[str, str] | None:
    """`i += 1` at the end of a body, for the sake of the loop alone: what it binds, and to what."""
    match last:
        case ast.AugAssign(
            target=ast.Name(id=name), op=ast.Add() | ast.Sub() as op, value=ast.Constant(value=int(step))
        ):
            if name in roll.starts and len(roll.model.carried) > 1:
                return name, f"{name} {'+' if isinstance(op, ast.Add) else '-'} {step}"
    return None
