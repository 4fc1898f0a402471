"""The parts of a call of `jax.vmap` as source: the mapped function and the arrays that it is mapped over."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from scanlint.batching.examples import Batch, as_long
from scanlint.batching.shifted_rows import Rows
from scanlint.dataflow.around import source_of
from scanlint.finding import Edit, Withheld
from scanlint.host.callees import cast_away, uncast
from scanlint.loops.numbers.tables import OWN, Typed, weak_numbers
from scanlint.loops.streams import is_array
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.emit.shortened import bounds_and_count, shortened, shortest
from scanlint.rewrite.emit.snippets import atom, claimed, fresh, row_name, singular
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds, reads
from scanlint.syntax.walk import substituted
from scanlint.trace.calls.jax_results import ELEMENTWISE
from scanlint.trace.domain.callables import Transformed
from scanlint.trace.unit import Unit

BESIDE = {-1: "prev", 1: "next"}
"""What a row is called that is read beside that of the index."""
OF_ARRAYS = ("shape", "dtype", "ndim", "size", "at", "T")


class Mapped:
    """What is mapped, over which arrays, as source; no row gets one of the names in `outer`.

    `typed`: how the numbers of a range become an array; those that are `made` of them before, in Python, are handed in.
    """

    def __init__(
        self,
        batch: Batch,
        snippet: Snippet | None,
        outer: Collection[str] = (),
        *,
        typed: Typed = OWN,
        made: Sequence[ast.expr] = (),
    ) -> None:
        self.batch, self.typed, self.made = batch, typed, dict[ast.expr, str]()
        self.outer = outer
        self.unit = batch.unit
        self.snippet = snippet
        self.spell = Spelling(self.unit)
        self.taken = set(batch.unit.names)
        self.fresh = partial(claimed, self.taken)
        self.names: dict[int, str] = {}
        for node in made:
            same = next((name for one, name in self.made.items() if ast.dump(one) == ast.dump(node)), None)
            self.made[node] = same or self.fresh("number")

    def expression(self, axis: int | tuple[int, ...]) -> str | Withheld:
        """The whole call for a batch whose example is one expression."""
        element = self.batch.elements[0]
        if axis == 0 and (indexed := self._indexed(element)) is not None:
            return indexed
        if axis == 0 and (whole := self._whole(element)) is not None:
            return whole
        direct = self._direct(element)
        if direct is not None:
            function, axes, arguments = direct
            return self.call(function, axes, arguments, axis)
        if any(not isinstance(r.target, ast.Name | None) for r in self.batch.rows):
            return Withheld("row-unpacked", f"the loop unpacks each row (line {element.lineno})")
        parameters, axes, arguments = self.inputs()
        code = self._inner() if self.batch.inner is not None else self._rename(element)
        if isinstance(code, Withheld):
            return code
        if "\n" in code:
            code = ast.unparse(ast.parse(f"({code})", mode="eval").body)
        if self.batch.gathers is not None and self.batch.inner is None:
            code = f"{self.batch.gathers}({code})"
        return self.call(f"lambda {', '.join(parameters)}: {code}", axes, arguments, axis)

    def _inner(self) -> str | Withheld:
        """An element that is a list of examples itself, as one more call, with the names that rows have here."""
        assert self.batch.inner is not None
        code = Mapped(self.batch.inner, None, {self.row_name(row) for row in self.batch.rows}).expression(0)
        named = {ast.dump(place): self.row_name(row) for row in self.batch.rows for place in row.places}
        if isinstance(code, Withheld) or not named:
            return code
        rows = lambda node: ast.Name(named[key]) if (key := ast.dump(node)) in named else None  # noqa: E731
        return ast.unparse(substituted(ast.parse(code, mode="eval").body, rows))

    def call(self, function: str, axes: list[int | None], arguments: list[str], axis: int | tuple[int, ...]) -> str:
        """`jax.vmap(function, in_axes=..., out_axes=...)(arguments)`."""
        options = ""
        if len(set(axes)) == 1 and axes[0] != 0:
            options += f", in_axes={axes[0]}"
        elif any(a != 0 for a in axes):
            options += f", in_axes=({', '.join(str(a) for a in axes)})"
        if axis:
            options += f", out_axes={axis}"
        return f"{self.spell('jax.vmap')}({function}{options})({', '.join(arguments)})"

    def fetched(self, code: str, numpy: bool, dtype: str | None) -> str:
        """All results at once as the code after them has them: of NumPy, or with the dtype of Python's numbers."""
        if numpy:
            return f"{self.spell('numpy.array')}({code}{f', dtype={dtype}' if dtype else ''})"
        return f"{code}.astype({dtype})" if dtype else code

    def inputs(self) -> tuple[list[str], list[int | None], list[str]]:
        """The parameters of one example, the axis of each, and what is handed in."""
        batch = self.batch
        parameters: list[str] = []
        axes: list[int | None] = []
        arguments: list[str] = []
        if batch.index is not None and self._needs_index():
            parameters.append(batch.index)
            axes.append(0)
            arguments.append(self._numbers())
        for node, name in self.made.items():
            if name not in parameters:
                parameters.append(name)
                axes.append(0)
                arguments.append(self._table(node))
        for row in batch.rows:
            parameters.append(self.row_name(row))
            axes.append(row.axis)
            arguments.append(self.array(row))
        return parameters, axes, arguments

    def row_name(self, row: Rows) -> str:
        if row.name is not None:
            return row.name
        if isinstance(row.target, ast.Name):
            return row.target.id
        base = row.array.attr if isinstance(row.array, ast.Attribute) else ast.unparse(row.array)
        if id(row) not in self.names:
            index = ast.unparse(self.batch.counter.target) if self.batch.counter is not None else ""
            wanted = "row" if row.target is not None else row_name(base, index)
            if row.distance in BESIDE:
                wanted = f"{singular(base, base)}_{BESIDE[row.distance]}"
            self.names[id(row)] = fresh(self._inside(), wanted, "row")
        return self.names[id(row)]

    def _inside(self) -> set[str]:
        """The names that one example's code uses: a parameter may not have one of them."""
        parts = [*self.batch.statements, *self.batch.elements]
        own = (n.arg for part in parts for n in ast.walk(part) if isinstance(n, ast.arg))
        named = (row.name for row in self.batch.rows if row.name is not None)
        return {*reads(*parts), *binds(*parts), *own, *named, *self.names.values(), *self.outer}

    def _needs_index(self) -> bool:
        """Whether anything reads the number of an example besides what is made of it before."""
        inside = {part for node in self.made for part in ast.walk(node)}
        parts = (n for element in (*self.batch.statements, *self.batch.elements) for n in ast.walk(element))
        return any(isinstance(n, ast.Name) and n.id == self.batch.index and n not in inside for n in parts)

    def _table(self, node: ast.expr) -> str:
        """The numbers that Python makes of those of a range."""
        bounds, count = self._bounds()
        code = " ".join(self.unit.source.segment(node).split())
        reverse = (
            f"reversed(range({bounds}))" if self.batch.counter and self.batch.counter.reverse else f"range({bounds})"
        )
        listed = f"[{code} for {self.batch.index} in {reverse}]"
        return weak_numbers(f"{self.spell('jax.numpy.array')}({listed}, int)", count, self.spell("jax.numpy.full"))

    def _numbers(self) -> str:
        """`jnp.arange(...)` over what a range counts."""
        bounds, count = self._bounds()
        assert self.batch.counter is not None
        return self.typed.arange(bounds, count, self.spell, turned=self.batch.counter.reverse)

    def _bounds(self) -> tuple[str, str]:
        """The bounds of the range that counts the examples, and how many there are."""
        stream = self.batch.counter
        assert stream is not None
        if stream.counted is not None:
            count = shortest(self.unit, [stream.counted, *stream.beside])
            return count, count
        return bounds_and_count(self.unit, stream)

    def array(self, row: Rows) -> str:
        """An array of examples, cut to the number of trips where that is not its own length."""
        code = self.unit.source.segment(row.array)
        if row.cut or row.distance:
            return f"{code}{row.cut}"
        if row.loose:
            code = f"{self.spell('jax.numpy.asarray')}({code})"
        code = shortened(self.unit, code, row.array, row.beside)
        if row.reverse:
            return f"{atom(code)}[::-1]"
        stream = self.batch.counter
        if stream is None or stream.stop is None or as_long(self.unit, row, stream, self.batch.rows):
            return code
        stop = self.unit.source.segment(stream.stop)
        gap = "" if isinstance(stream.stop, ast.Name | ast.Constant) else " "
        if row.axis < 0:
            return f"{atom(code)}[..., :{gap}{stop}]" if row.axis == -1 else code
        return f"{atom(code)}[{':, ' * row.axis}:{gap}{stop}]"

    def _indexed(self, element: ast.expr) -> str | None:
        """`table[i] for i in numbers` as `table[numbers]`, and `row[0] for row in rows` as `rows[:, 0]`."""
        match element, self.batch.rows:
            case ast.Subscript(value=read, slice=index), [Rows(axis=0, target=ast.Name(id=name)) as row]:
                pass
            case _:
                return None
        if not is_array(self.unit, row.array) or self.batch.counter is not None or self.batch.statements:
            return None
        match read, index:
            case ast.Name(id=table), ast.Name(id=number) if number == name != table and is_array(self.unit, read):
                if self.unit.value(row.array).dtype == "bool":
                    return None  # an array of truths picks rows out
                return f"{table}[{self.array(row)}]"
            case ast.Name(id=whole), _ if whole == name and all(map(_constant, _places(index))):
                return f"{atom(self.array(row))}[:, {', '.join(map(ast.unparse, _places(index)))}]"
        return None

    def _whole(self, element: ast.expr) -> str | None:
        """`xs[1:] - xs[:-1]`: what does with each row by itself what it does with all of one array's at once."""
        batch, arrays = self.batch, {ast.unparse(row.array) for row in self.batch.rows}
        one = len(arrays) == 1 and batch.index is None and not batch.statements and batch.inner is None
        if not one or any(not isinstance(row.array, ast.Name | ast.Attribute) for row in batch.rows):
            return None
        if any(row.axis or row.loose or not is_array(self.unit, row.array) for row in batch.rows):
            return None
        found: dict[ast.expr, str] = {place: self.array(row) for row in batch.rows for place in row.places}
        named = {r.target.id: self.array(r) for r in batch.rows if isinstance(r.target, ast.Name)}
        found |= {n: named[n.id] for n in ast.walk(element) if isinstance(n, ast.Name) and n.id in named}
        if not self._elementwise(element, found) or not (self._no_list(batch.rows[0].array) or self._loud(found)):
            return None
        source = self.unit.source
        edits = [source.put(node, code) for node, code in found.items()]
        return source.between(source.start(element), source.end(element), edits)

    def _no_list(self, array: ast.expr) -> bool:
        """Whether something surely is an array: a list would be joined to another one by `+`, and repeated by `*`."""
        asked = (n.value for n in self.unit.every(ast.Attribute) if n.attr in OF_ARRAYS)
        if any(ast.dump(value) == ast.dump(array) for value in asked) or not isinstance(array, ast.Name):
            return True
        said = any(a.arg == array.id and a.annotation is not None for a in self.unit.every(ast.arg))
        return said or isinstance(source_of(self.unit, array), ast.Call)

    def _loud(self, rows: Collection[ast.expr]) -> bool:
        """Whether an operation on rows fails for a list."""
        around = [self.unit.parents.get(row) for row in rows]
        loud = (ast.Sub, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
        return any(isinstance(a.op if isinstance(a, ast.BinOp) else a, (*loud, ast.Call, ast.UnaryOp)) for a in around)

    def _elementwise(self, node: ast.expr, rows: Collection[ast.expr]) -> bool:
        """Whether an expression is computed element by element of rows and numbers."""
        match node:
            case _ if node in rows:
                return True
            case ast.BinOp(left=left, right=right) if not isinstance(node.op, ast.MatMult):
                parts = [left, right]
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
                parts = [left, *node.comparators]
            case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand):
                parts = [operand]
            case ast.Call(func=function, args=[_, *_] as args, keywords=[]):
                root, _, last = (self.unit.resolve(function) or "").rpartition(".")
                if (
                    root not in ("jax.numpy", "jax.nn")
                    or last not in ELEMENTWISE
                    or (last == "where") > (len(args) == 3)
                ):
                    return False
                parts = args
            case _:
                return type(self.unit.value(node).constant) in (int, float)
        return all(self._elementwise(part, rows) for part in parts)

    def _direct(self, element: ast.expr) -> tuple[str, list[int | None], list[str]] | None:
        """`f(xs[i], ys[i], w)` as `f`, its axes and its arguments, if it is no more than that."""
        batch = self.batch
        match element:
            case ast.Call(func=ast.Name() | ast.Attribute() as function, args=[_, *_] as args, keywords=[]):
                pass
            case ast.Call(func=ast.Call() as function, args=[_, *_] as args, keywords=[]):
                if not isinstance(self.unit.value(function).callee, Transformed):
                    return None
            case _:
                return None
        if reads(function) & batch.variant or any(isinstance(a, ast.Starred) for a in args):
            return None
        axes: list[int | None] = []
        arguments: list[str] = []
        for arg in (uncast(self.unit, a) for a in args):
            row = next((r for r in batch.rows if _is_row(r, arg)), None)
            if isinstance(arg, ast.Name) and arg.id == batch.index:
                axes.append(0)
                arguments.append(self._numbers())
                continue
            if row is None and (not isinstance(arg, ast.Name | ast.Attribute) or reads(arg) & batch.variant):
                return None
            axes.append(row.axis if row is not None else None)
            arguments.append(self.array(row) if row is not None else self.unit.source.segment(arg))
        if all(a is None for a in axes):
            return None
        return self.unit.source.segment(function), axes, arguments

    def _rename(self, element: ast.expr) -> str:
        """An expression with its rows by name instead of by index, and without casts to Python's numbers."""
        source = self.unit.source
        if self.snippet:
            return self.snippet.expression(element)
        return source.between(source.start(element), source.end(element), self._edits(element))

    def _edits(self, element: ast.expr) -> Iterator[Edit]:
        """The pieces of an expression that read otherwise for one example."""
        source, inside = self.unit.source, set(ast.walk(element))
        for node, name in self.made.items():
            yield source.put(node, name)
        for row in self.batch.rows if self.batch.index is None else ():
            for place in (p for p in row.places if p in inside):
                yield source.put(place, self.row_name(row))
        for part in inside if not self.unit.context(element).traced else ():
            if (inner := cast_away(self.unit, part)) is not None and isinstance(part, ast.Call):
                opened, closed = ("", "") if plain_argument(self.unit, part, inner) else ("(", ")")
                yield Edit(source.start(part), source.start(inner), opened)
                yield Edit(source.end(inner), source.end(part), closed)


def plain_argument(unit: Unit, cast: ast.expr, inner: ast.expr) -> bool:
    """Whether the place of a cast takes what it casts without parentheses."""
    whole = isinstance(inner, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
    return whole or isinstance(unit.parents.get(cast), ast.Call | ast.keyword | ast.Lambda | ast.stmt)


def _places(index: ast.expr) -> list[ast.expr]:
    """The indices of a subscript, one for each axis."""
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _constant(place: ast.expr) -> bool:
    """Whether an index is a number that is written out."""
    number = place.operand if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub) else place
    return isinstance(number, ast.Constant) and type(number.value) is int


def _is_row(row: Rows, arg: ast.expr) -> bool:
    if any(place is arg for place in row.places) or (isinstance(arg, ast.Name) and arg.id == row.name):
        return True
    return isinstance(row.target, ast.Name) and isinstance(arg, ast.Name) and arg.id == row.target.id
