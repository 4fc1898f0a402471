"""Loops over examples into `jax.vmap`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from scanlint.batching.examples import Batch
from scanlint.batching.fetches import ARRAYS, makes_numpy
from scanlint.batching.shifted_rows import Rows
from scanlint.finding import Edit, Outcome, Rewrite, Withheld, first_of
from scanlint.host.callees import cast_away
from scanlint.loops.loop import LoopModel
from scanlint.loops.numbers.tables import OWN, Typed
from scanlint.loops.numbers.trip_numbers import departing_elements, in_each_type, strong_elements
from scanlint.loops.rows.collected import Output
from scanlint.loops.rows.stacking import STACKS
from scanlint.rewrite.draft import SharedLine, Snippet, blank_line_before
from scanlint.rewrite.emit.layout import blank_above, fold_return
from scanlint.rewrite.emit.line_breaks import within
from scanlint.rewrite.late_libcst import cst
from scanlint.rewrite.lower.batches.vmap_call import Mapped, plain_argument
from scanlint.rewrite.lower.depth_limit import too_deep
from scanlint.rewrite.lower.loops.dynamic_slices import use_windows
from scanlint.rewrite.lower.loops.index_reads import use_arrays, use_tracers, use_weak
from scanlint.rewrite.lower.loops.row_inputs import naming
from scanlint.rewrite.lower.loops.stacked_outputs import after_loop, drop, drop_initials, join_group, returned_element
from scanlint.syntax.bindings import reads
from scanlint.trace.unit import Unit


def to_vmap(model: LoopModel, batch: Batch, row: str | None = None) -> Outcome:
    """A loop that collects one result per example; `row`: what it fills is a row, there, of an array made before."""
    if why := batch.host or too_deep(model.unit, model.node):
        return why
    turned = False
    for output in model.outputs[: len(model.outputs) - len(model.buffers)]:
        turned = output.front and len(model.outputs) == 1 and not _axis(model.unit, output)
        if output.front and not turned:
            return Withheld(
                "list-used-otherwise", f"`{output.name}` is filled from its front (line {output.append.lineno})"
            )
        if len(output.uses) == 0:
            return Withheld(
                "list-never-stacked", f"`{output.name}` is never made into an array (line {model.node.lineno})"
            )
    try:
        if turned and (forward := _forward(batch)) is not None:
            batch, turned = forward, False
        if batch.index is None or not isinstance(model.node, ast.For):
            return _mapped(model, batch, row, turned, OWN)
        made = partial(_mapped, model, batch, row, turned)
        return first_of(in_each_type(model.unit, model.node, model.streams, made))
    except SharedLine:
        return Withheld("layout", f"the lines of the loop cannot be moved alone (line {model.node.lineno})")


def _mapped(model: LoopModel, batch: Batch, row: str | None, turned: bool, typed: Typed) -> Outcome:
    """The loop as `vmap`, with the numbers of its examples in one type."""
    return _LoopToVmap(model, batch, row, turned, typed).outcome()


def _forward(batch: Batch) -> Batch | None:
    """A batch that goes from the last example to the first, the other way round."""
    counts = [] if batch.counter is None else [batch.counter.reverse]
    if not all([*(row.reverse for row in batch.rows), *counts]):
        return None
    counter = replace(batch.counter, reverse=False) if batch.counter is not None else None
    return replace(batch, rows=tuple(replace(row, reverse=False) for row in batch.rows), counter=counter)


def comprehension_to_vmap(
    batch: Batch, node: ast.ListComp, stacks: Sequence[ast.Call], number: str | None = None
) -> Outcome:
    """`jnp.stack([f(x) for x in xs])`; where the list has a name, `stacks` are all that is made of it.

    `number`: what each element is cast to, which the batch leaves out. Without `stacks` the list stands in another one
    that becomes an array. The plainer form hands in numbers that are as weakly typed as Python's.
    """
    if batch.host is not None:
        return batch.host
    for meeting in departing_elements(batch.unit, node) if batch.counter is not None else ():
        return meeting.obstacle
    made = partial(_comprehension, batch, node, stacks, number)
    return made(OWN) if batch.index is None else first_of(in_each_type(batch.unit, node, (), made))


def _made_before(batch: Batch, node: ast.ListComp) -> list[ast.expr]:
    """The whole numbers that Python is to make beforehand: of the index and what is the same for all examples."""
    strong = [meeting.node for meeting in strong_elements(batch.unit, node)]
    alone = all(batch.variant & reads(part) <= {batch.index} and not batch.inner for part in strong)
    return strong if alone else []


def _comprehension(
    batch: Batch, node: ast.ListComp, stacks: Sequence[ast.Call], number: str | None, typed: Typed
) -> Outcome:
    mapped, unit = Mapped(batch, None, typed=typed, made=_made_before(batch, node) if typed.weak else ()), batch.unit
    inside = bool(stacks) and stacks[0].args[0] is node
    numpy = any(unit.resolve(c.func) in ARRAYS for c in stacks)
    code = mapped.expression(stack_axis(unit, stacks[0]) if inside and not numpy else 0)
    if isinstance(code, Withheld):
        return code
    source, kind = unit.source, given_dtype(unit, stacks[0]) if inside else None
    if kind is not None:
        code = f"{source.segment(stacks[0].func)}({code}, dtype={source.segment(kind)})"
    else:
        code = mapped.fetched(code, numpy, number)
    place = stacks[0] if inside else node
    statement = next(a for a in unit.ancestors(place) if isinstance(a, ast.stmt))
    edits = within(source, statement, [source.put(place, code)])
    alike = [c for c in stacks if (unit.resolve(c.func) in ARRAYS) == numpy]
    try:
        named = [_by_name(unit, c) for c in alike if not inside]
    except SharedLine:
        return Withheld("layout", f"the list is made an array on a line of company (line {node.lineno})")
    return Rewrite((*edits, *named), "vmap", mapped.spell.imports)


def _by_name(unit: Unit, call: ast.Call) -> Edit:
    """What an array was made of a list is that array now; `ys = np.array(ys)` says nothing any more."""
    source, statement, code = unit.source, unit.parents[call], ast.unparse(call.args[0])
    if isinstance(statement, ast.Assign) and [ast.unparse(t) for t in statement.targets] == [code]:
        return drop(source, statement)
    return source.put(call, code)


def given_dtype(unit: Unit, call: ast.Call) -> ast.expr | None:
    """The dtype that an array is asked to have."""
    placed = call.args[1:] if not (unit.resolve(call.func) or "").endswith(".stack") else []
    return next((k.value for k in call.keywords if k.arg == "dtype"), next(iter(placed), None))


@dataclass
class _LoopToVmap:
    model: LoopModel
    batch: Batch
    row: str | None
    turned: bool
    """Whether the results are wanted from the last one to the first."""
    typed: Typed = OWN

    def __post_init__(self) -> None:
        self.unit = self.model.unit
        self.source = self.model.unit.source
        self.snippet = Snippet(self.source, self.model.node, self.model.node, self.unit.indent)
        self.named: set[ast.stmt] = set()
        if self.batch.index is None:
            self.batch = self._named(self.batch)
        if len(self.model.outputs) == 1 and self.model.outputs[0].grouped:
            self.batch = replace(self.batch, elements=(self.model.outputs[0].element,))
        self.mapped = Mapped(self.batch, self.snippet, typed=self.typed)

    def outcome(self) -> Outcome:
        model, mapped = self.model, self.mapped
        if self.batch.index is not None and (problem := use_windows(model, self.snippet, mapped.spell)):
            return problem
        use_arrays(model, self.snippet, mapped.spell)
        use_tracers(model, self.snippet, mapped.spell)
        use_weak(model, self.snippet)
        if self.batch.index is None:
            for row in self.batch.rows:
                for place in row.places:
                    self.snippet.replace(place, mapped.row_name(row))
        if not self.unit.context(model.node).traced:
            self._cast_away()
        outputs = model.outputs
        axis = self._out_axes()
        definitions: list[cst.BaseStatement] = []
        if self._plain():
            join_group(outputs[0], self.snippet, mapped.spell)
            code = mapped.expression(axis)
            if isinstance(code, Withheld):
                return code
        else:
            code, definition = self._function(axis)
            definitions.append(definition)
        code += "[::-1]" if self.turned else ""
        if len(outputs) == 1 and not (self.row is not None and outputs[0].numpy):
            code = self.mapped.fetched(code, outputs[0].numpy, outputs[0].dtype)
        return self._place(code, definitions, axis)

    def _out_axes(self) -> int | tuple[int, ...]:
        """The axis along which the results are stacked; one for each output where these differ."""
        outputs = self.model.outputs
        if len(outputs) == 1:
            return outputs[0].axis or _axis(self.unit, outputs[0])
        return tuple(o.axis for o in outputs) if any(o.axis for o in outputs) else 0

    def _cast_away(self) -> None:
        """`float(x)` of one number of an array becomes that number."""
        parts = [part for s in self.model.node.body for part in ast.walk(s)]
        for part in reversed(parts):
            if isinstance(part, ast.Call) and (inner := cast_away(self.unit, part)) is not None:
                code = self.snippet.expression(inner)
                self.snippet.replace(part, code if plain_argument(self.unit, part, inner) else f"({code})")

    def _named(self, batch: Batch) -> Batch:
        """The batch with the names that the loop gives its rows, without the statements that give them."""
        rows: list[Rows] = []
        for row in batch.rows:
            statement = naming(self.model, row.places) if row.target is None else None
            if statement is not None:
                self.named.add(statement)
                row = replace(row, name=ast.unparse(statement.targets[0]))
            rows.append(row)
        left = tuple(s for s in batch.statements if s not in self.named)
        return replace(batch, rows=tuple(rows), statements=left)

    def _plain(self) -> bool:
        """Whether one example is one expression on one line, and no comment would be lost."""
        batch = self.batch
        if batch.statements or len(batch.elements) != 1:
            return False
        node = self.model.node
        lines = self.source.lines[node.lineno - 1 : self.snippet.last_line]
        comments = any("#" in line for line in lines)
        unpacked = any(not isinstance(r.target, ast.Name | None) for r in batch.rows)
        return not comments and not unpacked and batch.elements[0].lineno == batch.elements[0].end_lineno

    def _function(self, axis: int | tuple[int, ...]) -> tuple[str, cst.BaseStatement]:
        """The function of one example, from the statements of the loop."""
        mapped, batch, snippet = self.mapped, self.batch, self.snippet
        name = mapped.fresh("per_example", "per_row")
        parameters, axes, arguments = mapped.inputs()
        unpack = [
            snippet.parse(f"{self.source.segment(row.target)} = {mapped.row_name(row)}")
            for row in batch.rows
            if row.target is not None and not isinstance(row.target, ast.Name)
        ]
        found = [returned_element(self.model, o, snippet, mapped.fresh, mapped.spell) for o in self.model.outputs]
        results, after = [code for code, _ in found], [line for _, lines in found for line in lines]
        body: list[cst.BaseStatement] = []
        said: list[cst.EmptyLine] = []
        for statement in self.model.node.body:
            if statement in self.named:
                said += snippet.take(statement)
                continue
            parts = snippet.statement(statement)
            if parts and said:
                parts[0] = parts[0].with_changes(leading_lines=[*said, *getattr(parts[0], "leading_lines", ())])
                said = []
            body += parts
        said += after
        returned = ", ".join(results)
        match [output.element for output in self.model.outputs]:
            case [ast.Tuple(elts=[_, _, *_])] if returned.startswith("(") and "\n" not in returned:
                returned = returned[1:-1]
        last = snippet.parse(f"return {returned}").with_changes(leading_lines=said)
        if body and isinstance(body[-1], cst.FunctionDef):
            last = blank_line_before(last)
        folded = fold_return(snippet, body, ", ".join(results)) if body else None
        if folded is not None and not said:
            *body, last = *body[:-1], folded
        definition = snippet.define(
            name, ", ".join(parameters), [*unpack, *body, last], snippet.body_of(self.model.node)
        )
        return mapped.call(name, axes, arguments, axis), definition

    def _place(self, code: str, definitions: list[cst.BaseStatement], axis: int | tuple[int, ...]) -> Outcome:
        """The loop gives way to its definitions and the call; the list is not made any more."""
        model, source = self.model, self.source
        if self.row is not None:
            name = model.outputs[0].name
            numpy = model.outputs[0].numpy
            set_row = f"{name}[{self.row}] = {code}" if numpy else f"{name} = {name}.at[{self.row}].set({code})"
            call = self.snippet.line(set_row)
            return self._rewrite([self.snippet.edit([*definitions, blank_line_before(call) if definitions else call])])
        drops = drop_initials(model, ())
        gone = {e.start.line for e in drops}
        above = blank_above(source, model.node, self.snippet.newline, gone) if definitions else []
        if inlined := self._inline(code):
            loop = self.snippet.edit(definitions)
            text = loop.text + self.snippet.newline if definitions and not self._blank_after() else loop.text
            return self._rewrite([loop._replace(text=text if definitions else ""), *inlined, *drops, *above])
        if axis and not any(o.axis for o in model.outputs):
            return Withheld("stack-axis", f"`{model.outputs[0].name}` is stacked along axis {axis} elsewhere")
        plan = after_loop(model, self.mapped.spell, self.mapped.fresh)
        if isinstance(plan, Withheld):
            return plan
        drops = drop_initials(model, plan.kept)
        names = ", ".join(plan.names[o.name] for o in model.outputs)
        call = self.snippet.line(f"{names} = {code}")
        if len(model.outputs) > 1:
            for output in (o for o in model.outputs if o.numpy or o.dtype):
                name = plan.names[output.name]
                fetched = self.mapped.fetched(name, output.numpy, output.dtype)
                plan.heads[output.name].insert(0, f"{name} = {fetched}")
        heads = [self.snippet.parse(h) for o in model.outputs for h in plan.heads[o.name]]
        statements = [*definitions, blank_line_before(call) if definitions else call, *heads]
        return self._rewrite([self.snippet.edit(statements), *plan.edits, *drops, *above])

    def _blank_after(self) -> bool:
        """Whether an empty line follows the loop."""
        return not self.source.lines[self.snippet.last_line].strip()

    def _inline(self, code: str) -> Sequence[Edit]:
        """`jnp.stack(ys)` right after the loop becomes the call itself; nothing where it stands elsewhere."""
        model = self.model
        if len(model.outputs) != 1 or len(model.outputs[0].uses) != 1 or model.outputs[0].first:
            return ()
        use = model.outputs[0].uses[0]
        stack = self.unit.parents[use]
        block = self.unit.block(model.node)
        after = block[block.index(model.node) + 1 :][:1]
        numpy = model.outputs[0].numpy and makes_numpy(self.unit, stack, use)
        if not isinstance(stack, ast.Call) or stack.args[:1] != [use]:
            return ()
        if not numpy and (model.outputs[0].numpy or self.unit.resolve(stack.func) not in STACKS):
            return ()
        if not after or not any(n is stack for n in ast.walk(after[0])) or not _only_axis(stack):
            return ()
        if not isinstance(after[0], ast.Assign | ast.AnnAssign | ast.Return | ast.Expr):
            return ()
        start, end = self.source.start(stack), self.source.end(stack)
        among = isinstance(self.unit.parents[stack], ast.Tuple) and start.line == end.line
        if among and not _axis(self.unit, model.outputs[0]):
            line = self.source.lines[start.line - 1].rstrip()
            if len(line) - (end.column - start.column) + len(code) > self.source.width:
                return ()
        return within(self.source, after[0], [self.source.put(stack, code)])

    def _rewrite(self, edits: list[Edit]) -> Rewrite:
        return Rewrite(tuple(edits), "vmap", self.mapped.spell.imports)


def _only_axis(call: ast.Call) -> bool:
    return len(call.args) <= 2 and all(k.arg == "axis" for k in call.keywords)


def _axis(unit: Unit, output: Output) -> int:
    """The axis along which the only use of a list stacks it, where that is a constant."""
    call = unit.parents[output.uses[0]] if len(output.uses) == 1 else None
    stacked = isinstance(call, ast.Call) and unit.resolve(call.func) in STACKS
    return stack_axis(unit, call) if isinstance(call, ast.Call) and stacked else 0


def stack_axis(unit: Unit, call: ast.Call) -> int:
    """The constant axis of a `jnp.stack`, 0 where it has none."""
    if unit.resolve(call.func) != "jax.numpy.stack":
        return 0
    given = [k.value for k in call.keywords if k.arg == "axis"] + list(call.args[1:2])
    match given:
        case [ast.Constant(value=int(axis))]:
            return axis
        case [ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(axis)))]:
            return -axis
    return 0
