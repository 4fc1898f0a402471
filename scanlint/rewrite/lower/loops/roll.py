"""One `for` loop on its way to `lax.fori_loop` or `lax.scan`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from scanlint.finding import Edit, Outcome, Primitive, Rewrite, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.loops.numbers.tables import OWN, Typed
from scanlint.loops.rows.collected import Output
from scanlint.loops.rows.stacking import composite
from scanlint.loops.sizes.lengths import rows_written
from scanlint.loops.streams import Stream
from scanlint.rewrite.draft import Snippet, blank_line_before
from scanlint.rewrite.emit.fresh_names import FreshNames
from scanlint.rewrite.emit.layout import blank_above, fold_return, given_back
from scanlint.rewrite.emit.shortened import bounds_and_count, shortened, shortest
from scanlint.rewrite.emit.snippets import atom, bare, pack, plural
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.late_libcst import cst
from scanlint.rewrite.lower.loops.dynamic_slices import use_windows
from scanlint.rewrite.lower.loops.index_reads import as_array, use_arrays, use_tracers, use_weak
from scanlint.rewrite.lower.loops.range_bounds import counts_evenly, last_target, length, nth
from scanlint.rewrite.lower.loops.reverse_ranges import Downward, downward
from scanlint.rewrite.lower.loops.row_inputs import Row, counting, naming, rows_read_by_index
from scanlint.rewrite.lower.loops.stacked_outputs import after_loop, drop_initials, read_backwards, returned_element
from scanlint.syntax.bindings import binds, targets, walk_scope


@dataclass
class Roll:
    """One loop on its way to `fori_loop` or `scan`.

    `stacked`: what it goes over is a list of pytrees, to be stacked leaf by leaf. `dtypes`: of outputs, as source, that
    their rows may not have. `typed`: how the numbers of a range that it goes over become an array.
    """

    model: LoopModel
    stacked: bool = False
    dtypes: Mapping[str, str] = field(default_factory=dict)
    typed: Typed = OWN

    def __post_init__(self) -> None:
        model = self.model = counting(self.model)
        node = model.node
        self.unit = model.unit
        self.source = model.unit.source
        self.snippet = Snippet(self.source, node, node, model.unit.indent)
        self.names = FreshNames(model)
        self.spell = Spelling(self.unit)
        self.before: list[str] = []
        self.after: list[str] = []
        self.said: list[cst.EmptyLine] = []
        self.left: set[str] = set()
        self.starts = dict(_starts(model))
        self.down: Downward | None = None
        self.rows: Row | None = None

    def outcome(self) -> Outcome:
        model = self.model
        if problem := use_windows(model, self.snippet, self.spell):
            return problem
        use_arrays(model, self.snippet, self.spell)
        use_tracers(model, self.snippet, self.spell)
        rows = rows_read_by_index(model)
        left = [t for t in model.live_targets if not self._leave(t)]
        if left and (rows is not None or set(left) & model.flow.bound_before(model.node)):
            return Withheld(
                "target-read-after-loop", f"`{left[0]}` is read after the loop (line {model.node.end_lineno})"
            )
        last = [*model.last_values, *left]
        trees = any(composite(self.unit, output.element) for output in model.outputs)
        if not left and not trees:
            self.rows, self.down = rows, downward(model) if rows is None else None
        elif rows is not None and not rows.backward:
            self.rows = rows
        rolled = model.collects or bool(last) or any(s.kind == "rows" for s in model.streams)
        if self.down is None and self.rows is None and not rolled and counts_evenly(model, model.streams[0]):
            return self._fori()
        traced = next((b for b in model.bounds if self.unit.value(b).traced), None)
        if traced is not None and rolled:
            what = self.source.segment(traced)
            return Withheld("dynamic-length-output", f"`{what}` is not known when tracing (line {traced.lineno})")
        return self._scan(last)

    def _leave(self, target: str) -> bool:
        """Give a loop variable its last value after the loop, where that is evident; whether it is."""
        code = last_target(self.model, target)
        if code is not None:
            self.left.add(target)
            self.after.append(f"{target} = {code}")
        return code is not None

    def called(self, word: str) -> str:
        """The name of the function of one trip, by where the loop stands among others where there are more."""
        inside = any(isinstance(a, ast.For | ast.While) or _of_trips(a) for a in self.unit.ancestors(self.model.node))
        around = not inside and any(map(_of_trips, ast.walk(self.model.node)))
        first, last = [f"outer_{word}"] if around else [], [f"inner_{word}"] if inside else []
        return self.names(word, *first, f"loop_{word}", *last)

    # -- the two shapes

    def _fori(self) -> Outcome:
        stream = self.model.streams[0]
        name = self.called("body")
        index, prologue, start, stop = self._index(stream)
        body = [*prologue, *self.body()]
        carry, body = self._carry_in(body)
        body += self.returned(body, bare(self.model.carried))
        definition = self.define(name, f"{index}, {carry}", body)
        call = f"{self.spell('jax.lax.fori_loop')}({start}, {stop}, {name}, {self.initial()})"
        return self.finish(definition, [f"{kept(self.model)} = {call}", *self.after], "fori_loop")

    def _scan(self, last: list[str]) -> Outcome:
        model = self.model
        if self.rows is None:
            use_weak(model, self.snippet)
        name = self.called("step")
        outputs: list[tuple[str, str]] = []
        after: list[str] = []
        plan = after_loop(model, self.spell, self.names, reverse=self._backwards)
        if isinstance(plan, Withheld):
            return plan
        in_order = bool(model.outputs or last) and not self._backwards
        parameter, prologue, xs, options = self._inputs(in_order=in_order)
        for output in model.outputs:
            stacked = plan.names[output.name]
            outputs.append((self._element(output), stacked))
            if output.front != self._backwards and output.name not in plan.straight:
                after.append(f"{stacked} = {stacked}[::-1]")
            if output.name in self.dtypes:
                after.append(f"{stacked} = {stacked}.astype({self.dtypes[output.name]})")
            after += plan.heads[output.name]
        straight = {code: stacked for o, (code, stacked) in zip(model.outputs, outputs, strict=True) if self._ends(o)}
        for value in last:
            if (stacked := straight.get(value, "")) == "":
                stacked = self.names(plural(value))
                outputs.append((value, stacked))
            after.append(self._last(value, stacked))
        body = [*prologue, *self.body()]
        carry, body = self._carry_in(body)
        carried = pack(model.carried)
        last_line = self.snippet.parse(f"return {carried}, {pack([e for e, _ in outputs])}")
        body.append(last_line.with_changes(leading_lines=self.said))
        definition = self.define(name, f"{carry}, {parameter}", body)
        live = set(model.carried) & model.flow.live_after(model.node)
        state = pack(kept(model).split(", ")) if live else "_"
        stacked = pack([s for _, s in outputs]) if outputs else "_"
        call = f"{state}, {stacked} = {self.spell('jax.lax.scan')}({name}, {self.initial()}, {xs}{options})"
        extra = [*plan.edits, *drop_initials(model, plan.kept)]
        return self.finish(definition, [call, *after, *self.after], "scan", extra)

    # -- parts

    def _ends(self, output: Output) -> bool:
        """Whether the last element of what is stacked is that of the last trip, as it was."""
        turned = output.front or self._backwards
        return not (turned or output.name in self.dtypes or composite(self.unit, output.element))

    @property
    def _backwards(self) -> bool:
        """Whether `reverse=True` fits: the loop and all readers of its lists go from the last row to the first."""
        model, left = self.model, set(self.model.live_targets) - self.left
        if self.rows is not None:
            return self.rows.backward
        fronts = bool(model.outputs) and all(o.front or read_backwards(model, o) for o in model.outputs)
        turned = fronts and all(s.reverse for s in model.streams) and not (model.last_values or left)
        return turned or self.down is not None

    def _index(self, stream: Stream) -> tuple[str, list[cst.BaseStatement], str, str]:
        """The parameter for the index of a fori_loop, what computes the loop variable from it, and the bounds."""
        code = self.source.segment
        assert isinstance(stream.target, ast.Name) and stream.stop is not None
        target, used = stream.target.id, self.model.used(stream.target.id)
        if stream.step is None and not stream.reverse:
            return target if used else "_", [], code(stream.start) if stream.start else "0", code(stream.stop)
        trips = length(self.model, stream)
        if not used:
            return "_", [], "0", trips
        counter = self.names("k", "trip")
        return counter, [self.snippet.parse(f"{target} = {nth(self.model, stream, counter)}")], "0", trips

    def _inputs(self, *, in_order: bool) -> tuple[str, list[cst.BaseStatement], str, str]:
        """The second parameter of a scan's step, what unpacks it, the xs and further options.

        `in_order`: outputs are stacked in the order of the trips, so that `reverse=True` would turn them round.
        """
        if self.rows is not None:
            return self._row_input(self.rows)
        model = self.model
        if self.down is not None:
            return self._downward(self.down)
        used = [s for s in model.streams if s.kind == "rows" or self._wanted(s)]
        if not used:
            turned = ", reverse=True" if self._backwards else ""
            return "_", [], "None", f", length={length(model, model.streams[0])}{turned}"
        options = ""
        if all(s.reverse for s in model.streams) and not in_order:
            options = ", reverse=True"
        parts = [self._xs(stream, bool(options)) + self._cut(stream) for stream in used]
        if len(used) == 1:
            target = used[0].target
            if isinstance(target, ast.Name):
                name = target.id if model.used(target.id) or model.live_targets else "_"
                return name, [], parts[0], options
            name = self.names("layer" if self.stacked else "row")
            return name, [self.snippet.parse(f"{self.source.segment(target)} = {name}")], parts[0], options
        name = self.names("inputs")
        unpack = ", ".join(self._target(s) for s in used)
        return name, [self.snippet.parse(f"{unpack} = {name}")], f"({', '.join(parts)})", options

    def _cut(self, stream: Stream) -> str:
        """The slice that cuts a stream to the shortest, where one length is a number and another an array's."""
        model = self.model
        written = [s for s in model.streams if s.table or (s.kind == "range" and s.counted is None)]
        arrays = [s.array for s in model.streams if s.array is not None and not s.table]
        open_ended = [a for a in arrays if rows_written(self.unit, a) is None]
        if not written or not open_ended or model.trips is None or any(s.reverse for s in model.streams):
            return ""
        if stream.array is not None and not stream.table:
            return f"[:{model.trips}]" if stream.array in open_ended else ""
        return f"[: {shortest(self.unit, open_ended)}]"

    def _wanted(self, stream: Stream) -> bool:
        names = {n.id for n in ast.walk(stream.target) if isinstance(n, ast.Name)}
        return any(self.model.used(n) for n in names) or bool(names & set(self.model.live_targets) - self.left)

    def _target(self, stream: Stream) -> str:
        code = self.source.segment(stream.target)
        return f"({code})" if isinstance(stream.target, ast.Tuple) and not code.startswith("(") else code

    def _downward(self, down: Downward) -> tuple[str, list[cst.BaseStatement], str, str]:
        """The numbers that a range counts down over, from the last one to the first."""
        lower = "" if down.lower == "0" else f"{down.lower}, "
        bounds = f"{lower}{down.upper}"
        numbers = self.typed.arange(bounds, f"len(range({bounds}))" if lower else bounds, self.spell)
        return self.model.targets[0], [], numbers, ", reverse=True"

    def _row_input(self, row: Row) -> tuple[str, list[cst.BaseStatement], str, str]:
        named = naming(self.model, row.places)
        name = self.names.inside(row.name) if named is None else ast.unparse(named.targets[0])
        for place in row.places:
            self.snippet.replace(place, name)
        if named is not None:
            self.snippet.remove(named)
        return name, [], row.xs, ", reverse=True" if row.backward else ""

    def _xs(self, stream: Stream, reversed_by_option: bool) -> str:
        code = self.source.segment
        if stream.kind == "rows":
            assert stream.array is not None
            if self.stacked:
                return self._stack(code(stream.array))
            flip = "[::-1]" if stream.reverse and not reversed_by_option else ""
            if stream.table:
                return self._table(stream) + flip
            array = shortened(self.unit, code(stream.array), stream.array, stream.beside)
            return atom(array) + flip if flip else array
        turned = stream.reverse and not reversed_by_option
        if stream.counted is not None:
            count = shortest(self.unit, [stream.counted, *stream.beside])
            first = code(stream.start) if stream.start is not None else ""
            return self.typed.arange(
                f"{first}, {count} + {first}" if first else count, count, self.spell, turned=turned
            )
        return self.typed.arange(*bounds_and_count(self.unit, stream), self.spell, turned=turned)

    def _table(self, stream: Stream) -> str:
        """A table of numbers that is gone over, as an array."""
        assert stream.array is not None
        names = set(targets(stream.target))
        loads = [n for n in ast.walk(self.model.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        number = next((n for n in loads if n.id in names), stream.array)
        return as_array(self.model, stream.array, number, self.spell)

    def _stack(self, layers: str) -> str:
        """A pytree whose leaves are those of all layers, stacked."""
        name = self.names("stacked")
        tree_map, stack = self.spell("jax.tree.map"), self.spell("jax.numpy.stack")
        self.before.append(f"{name} = {tree_map}(lambda *leaves: {stack}(leaves), *{atom(layers)})")
        return name

    def _element(self, output: Output) -> str:
        """The source that the step returns for an output."""
        code, said = returned_element(self.model, output, self.snippet, self.names.inside, self.spell)
        self.said += said
        return code

    def _last(self, value: str, stacked: str) -> str:
        place = "0" if self._backwards else "-1"
        bound = [s.value for s in walk_scope(self.model.node.body) if isinstance(s, ast.Assign) and value in binds(s)]
        if any(composite(self.unit, made) for made in bound):
            return f"{value} = {self.spell('jax.tree.map')}(lambda leaf: leaf[{place}], {stacked})"
        return f"{value} = {stacked}[{place}]"

    def body(self) -> list[cst.BaseStatement]:
        return self.snippet.statements(self.model.node.body)

    def _carry_in(self, body: list[cst.BaseStatement]) -> tuple[str, list[cst.BaseStatement]]:
        """The carry's parameter; several carried names are unpacked in the first line."""
        carried = self.model.carried
        if len(carried) == 1:
            return carried[0], body
        if not carried:
            return "_", body
        name = self.names("carry", "state", "values")
        return name, [self.snippet.parse(f"{', '.join(carried)} = {name}"), *body]

    def initial(self) -> str:
        """The carry before the first trip."""
        segment = self.source.segment
        made = {name: segment(statement.value) for name, statement in self.starts.items()}
        return pack([made.get(name, name) for name in self.model.carried])

    def returned(self, body: list[cst.BaseStatement], value: str) -> list[cst.BaseStatement]:
        """`return carry`, in one with the statement that made it where that is all it did."""
        folded = fold_return(self.snippet, body, value) if value == bare(self.model.carried) and body else None
        if folded is not None:
            body[-1] = folded
            match folded:
                case cst.SimpleStatementLine(body=[cst.Return(value=cst.Name(value=name))]) if len(body) > 1:
                    if (again := fold_return(self.snippet, body[:-1], name)) is not None:
                        body[-2:] = [again]
            return []
        return [self.snippet.parse(f"return {value}")]

    def define(self, name: str, parameters: str, body: list[cst.BaseStatement]) -> cst.BaseStatement:
        if parameters == "_, _":
            parameters = "_, __"
        return self.snippet.define(name, parameters, body, self.snippet.body_of(self.model.node))

    def finish(
        self, definition: cst.BaseStatement, lines: list[str], primitive: Primitive, extra: list[Edit] | None = None
    ) -> Rewrite:
        extra = [*(extra or []), *(self.source.drop(s) for s in self.starts.values())]
        names = lines[0].partition(" = ")[0]
        alone = primitive == "fori_loop" and len(lines) == 1
        returned = given_back(self.unit, self.model.node, names) if alone else None
        if returned is not None:
            lines = [f"return {lines[0].partition(' = ')[2]}"]
            extra.append(self.source.drop(returned))
        calls = [self.snippet.line(line) for line in lines]
        before = [self.snippet.line(line) for line in self.before]
        first = blank_line_before(definition) if before else definition
        edits = [self.snippet.edit([*before, first, blank_line_before(calls[0]), *calls[1:]]), *extra]
        edits += (
            []
            if before
            else blank_above(
                self.source, self.model.node, self.snippet.newline, {e.start.line for e in extra if not e.text}
            )
        )
        return Rewrite(tuple(edits), primitive, self.spell.imports)


def _starts(model: LoopModel) -> Iterator[tuple[str, ast.Assign]]:
    """Statements right above the loop that say what a name is for its first trip, and are there for nothing else."""
    block = model.unit.block(model.node) if model.starts else []
    for statement in reversed(block[: block.index(model.node)] if block else []):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in model.starts and name in model.carried:
                yield name, statement
            case _:
                return


def kept(model: LoopModel) -> str:
    """The target of the final state, with `_` for each name that nobody reads later."""
    live = model.flow.live_after(model.node)
    return bare([name if name in live else "_" for name in model.carried])


def _of_trips(node: ast.AST) -> bool:
    """A function of one trip of a loop, as these are called."""
    return isinstance(node, ast.FunctionDef) and node.name.endswith(("body", "step"))
