"""Loops that add up what they compute of each example: the examples are computed together, and added at once."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from scanlint.batching.examples import Batch
from scanlint.batching.gathered import Addition, GatheringLoop, Reduction, mapped, row_of
from scanlint.finding import Edit, Next, Outcome, Rewrite, Withheld, first_of
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import claimed
from scanlint.rewrite.lower.batches.vmap_call import Mapped
from scanlint.rewrite.lower.loops.stacked_outputs import drop
from scanlint.syntax.bindings import binds, reads

REDUCE: Mapping[Reduction, str] = {
    "sum": "sum",
    "difference": "sum",
    "max": "max",
    "min": "min",
    "any": "any",
    "all": "all",
}
SUMS: Mapping[Reduction, str] = {"sum": "+", "difference": "-"}
JOIN: Mapping[Reduction, str] = {"max": "maximum", "min": "minimum", "any": "logical_or", "all": "logical_and"}


def to_one_addition(loop: GatheringLoop, batch: Batch | None) -> Outcome:
    """`total = total + jnp.sum(..., axis=0)` or `out = out.at[ks].add(vs)`, where all is in arrays already.

    Else lists of what is computed come first: the loop that fills these is mapped in its turn.
    """
    source, node = loop.model.unit.source, loop.model.node
    statements = [node, *(a.statement for a in loop.additions)]
    if not all(map(source.alone, statements)):
        return Withheld("layout", f"the lines of the loop cannot be moved alone (line {node.lineno})")
    made = _Emission(loop, batch, keep=False)
    zeros = not loop.plain and any(made.zero(a) is not None for a in loop.additions)
    forms = [made, *([_Emission(loop, batch, keep=True)] if zeros else [])]
    total = [form.rewrite() for form in forms if form.total()]
    if not total:
        return Withheld("maybe-undefined", f"there may be no rows to reduce (line {node.lineno})")
    return first_of(total)


class _Emission:
    """`keep`: sums are added to what they began with, even where that is zero."""

    def __init__(self, loop: GatheringLoop, batch: Batch | None, *, keep: bool) -> None:
        self.loop = loop
        self.keep = keep
        self.model: LoopModel = loop.model
        self.unit = loop.model.unit
        counter = next((s for s in self.model.streams if s.kind == "range"), None)
        found = [row_of(self.model, part) for addition in loop.additions for part in addition.parts]
        rows = tuple(row for row in found if row is not None)
        self.mapped = Mapped(batch or Batch(self.unit, self.model.node, (), (), rows, counter, None), None)

    def rewrite(self) -> Rewrite:
        node, source = self.model.node, self.unit.source
        last = [self._added(a, self._arrays(a)) for a in self.loop.additions] if self.loop.plain else []
        if self.loop.plain:
            return Rewrite((source.instead(node, *last),), "other", self._imports())
        before, after, edits = list[str](), list[str](), list[Edit]()
        for addition in self.loop.additions:
            lists = {part: self._list(addition, part) for part in mapped(self.model, addition)}
            before += [f"{name} = []" for name in lists.values()]
            pushes = [f"{name}.append({source.segment(part)})" for part, name in lists.items()]
            edits.append(source.instead(addition.statement, *pushes))
            stack = self.mapped.spell("jax.numpy.stack")
            arrays = {part: f"{stack}({name})" for part, name in lists.items()}
            after.append(self._added(addition, self._arrays(addition, arrays)))
        edits += [drop(source, zero) for a in self.loop.additions if (zero := self.zero(a)) is not None]
        edits += [source.ahead(node, *before), source.beneath(node, *after)]
        return Rewrite(tuple(edits), "vmap", self._imports(), (Next(node, reported=True),))

    def total(self) -> bool:
        """Whether a loop that makes no trip is a reduction of no rows that has a value."""
        extremes = [a for a in self.loop.additions if a.by in ("max", "min")]
        return bool(self.model.trips) or all(self.zero(a) is not None for a in extremes)

    def _imports(self) -> tuple[str, ...]:
        return self.mapped.spell.imports

    def _list(self, addition: Addition, part: ast.expr) -> str:
        name = f"{addition.name}_places" if part in addition.places else f"{addition.name}_terms"
        return claimed(self.mapped.taken, name)

    def _arrays(self, addition: Addition, made: dict[ast.expr, str] | None = None) -> dict[ast.expr, str]:
        """The source of each part of the update for all examples together: `made`, and arrays for the rows."""
        arrays = dict(made or {})
        for part in addition.parts:
            row = row_of(self.model, part) if part not in arrays else None
            if row is not None:
                arrays[part] = self.mapped.array(row)
        return arrays

    def _added(self, addition: Addition, arrays: dict[ast.expr, str]) -> str:
        name, value = addition.name, arrays[addition.value]
        if addition.places:
            return f"{name} = {name}.at[{', '.join(arrays[p] for p in addition.places)}].add({value})"
        spell, begun = self.mapped.spell, self.zero(addition) is None
        options = f", dtype={name}.dtype" if begun and addition.by in SUMS and self._made(addition) else ""
        if not begun and addition.by in ("max", "min"):
            options = f", initial={self.unit.source.segment(self.zero(addition).value)}"  # type: ignore[union-attr]
        reduced = f"{spell(f'jax.numpy.{REDUCE[addition.by]}')}({value}, axis=0{options})"
        if not begun:
            return f"{name} = {reduced}"
        if addition.by in SUMS:
            return f"{name} = {name} {SUMS[addition.by]} {reduced}"
        return f"{name} = {spell(f'jax.numpy.{JOIN[addition.by]}')}({name}, {reduced})"

    def _made(self, addition: Addition) -> bool:
        """Whether a traced sum begins with an array, whose dtype it has then where it is no narrower."""
        before = self.unit.before.get((self.model.node, addition.name))
        return before is not None and before.array and self.unit.context(self.model.node).traced

    def zero(self, addition: Addition) -> ast.Assign | None:
        """The statement just for the loop with a first value that the reduction does not need, or takes."""
        block = self.unit.block(self.model.node) if not self.keep and not addition.places else []
        for statement in reversed(block[: block.index(self.model.node)] if block else []):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == addition.name:
                    wanted = self._neutral(addition, value)
                    return statement if wanted and self.unit.source.alone(statement) else None
            if addition.name in reads(statement) | binds(statement):
                return None
        return None

    def _whole(self, addition: Addition, start: float) -> bool:
        """Whether a reduction may begin with this: it has the dtype of its terms, and whole numbers no fractions."""
        beyond = -math.inf if addition.by == "max" else math.inf
        return start.is_integer() or start == beyond or self.unit.value(addition.value).dtype == "float"

    def _neutral(self, addition: Addition, value: ast.expr) -> bool:
        constant = self.unit.value(value).constant
        match addition.by:
            case "max" | "min":
                return type(constant) is float and self._whole(addition, constant)
            case "any" | "all":
                return constant is (addition.by == "all")
        return addition.by == "sum" and isinstance(value, ast.Constant) and type(constant) is float and not constant
