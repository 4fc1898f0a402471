"""What a rule is, and what it is given."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar, get_args

from scanlint.effort import WATCH
from scanlint.finding import Finding, Fix, Level, Link, Outcome, Primitive, Report, Rewrite, Withheld, first_of
from scanlint.loops.loop import LoopModel, short
from scanlint.project.facts import SCRIPT
from scanlint.settings import Settings
from scanlint.trace.domain.evidence import links, trail
from scanlint.trace.unit import Unit

if TYPE_CHECKING:
    from scanlint.batching.examples import Batch
    from scanlint.batching.gathered import GatheringLoop


class Context(NamedTuple):
    """One unit under the settings of the run; makes the findings of one rule."""

    rule: Rule[ast.AST]
    unit: Unit
    settings: Settings

    def report(
        self,
        node: ast.AST,
        message: str,
        *,
        help: str | None = None,
        label: str | None = None,
        end: ast.AST | None = None,
        why: tuple[Link, ...] = (),
        trips: int | None = None,
        primitive: Primitive = "other",
        outcome: Outcome | None = None,
        level: Level | None = None,
        weight: float = 0.0,
    ) -> Report:
        """A finding at `node`; `why` (the evidence of the value) comes before the chain of the function."""
        source = self.unit.source
        function = self.unit.context(node)
        if self.unit.script and isinstance(outcome, Rewrite):
            outcome = Withheld(
                "module-level", "it stands outside of functions: one around it could be run with other inputs"
            )
        match outcome:
            case Rewrite(primitive=chosen):
                primitive, fix = chosen, Fix("available")
            case Withheld():
                fix = Fix("withheld", outcome.reason)
            case _:
                fix = Fix("none", "this rule has no rewrite")
        finding = Finding(
            code=self.rule.code,
            name=self.rule.name,
            path=source.path,
            start=source.start(node),
            end=source.end(end or node),
            function=self.named(node),
            message=message,
            help=help,
            chain=tuple(dict.fromkeys((*why, *links(function.chain)))),
            label=label,
            trips=trips,
            primitive=primitive,
            fix=fix,
            level=level or self.rule.level,
            weight=weight,
        )
        return Report(finding, outcome, node)

    def named(self, node: ast.AST) -> str | None:
        """The innermost function around a node; None at the top of the file."""
        name = self.unit.context(node).qualname
        return name.removeprefix(f"{SCRIPT}.<locals>.") if name != SCRIPT else None

    def pairs(self) -> Iterator[tuple[Context, ast.AST]]:
        """The nodes of the unit of which the rule may say something, each with this context."""
        rule, unit = self.rule, self.unit
        WATCH.tick()
        nodes = self._nodes()
        if rule.level == "error" and unit.source.tests:
            from scanlint.branches.expected_failures import tried

            nodes = (node for node in nodes if not tried(unit, node))
        return zip(repeat(self), nodes, strict=False)

    def _nodes(self) -> Iterator[ast.AST]:
        rule, unit = self.rule, self.unit
        for kind in rule.nodes:
            told = unit.told(kind, staged=rule.staged)
            if kind is ast.Call and rule.calls:
                named = [call for name, call in unit.calls if name in rule.calls]
                yield from (call for call in named if call in told)
            else:
                yield from told

    # -- what the loop rules share

    def traced(self, node: ast.AST) -> bool:
        """Whether the innermost function around a node is traced."""
        return self.unit.context(node).traced

    def loop(self, node: ast.For | ast.While) -> LoopModel:
        """The model of a loop, made once for all rules."""
        return self.unit.once((LoopModel, node), lambda: LoopModel(self.unit, node))

    def traced_loop(self, node: ast.For | ast.While) -> LoopModel | None:
        """The model of a loop in traced code whose iterable is understood."""
        if not self.traced(node):
            return None
        model = self.loop(node)
        return model if model.streams else None

    def batch(self, model: LoopModel) -> Batch | None:
        """The examples of a loop that collects what it makes of each on its own; None where that is not evident."""
        from scanlint.batching.examples import batch_of

        if not model.outputs or model.carried or model.last_values or model.live_targets:
            return None
        needs_int = [o for o in model.obstacles if o.code == "index-needs-int"]
        if len(model.obstacles) > len(needs_int) or (needs_int and self.traced(model.node)):
            return None
        batch = batch_of(model)
        if needs_int:  # what only the index is in the way of: rows that are handed in need none
            return batch if batch is not None and batch.index is None else None
        staged = self.traced_loop(model.node) is not None and self.worth_a_word(model)
        if batch is None and (staged or self._numbered(model)):
            batch = batch_of(model, numbered=True)
        return batch

    def _numbered(self, model: LoopModel) -> bool:
        """Whether a host loop that makes a known number of trips has JAX compute something of each number."""
        from scanlint.host.callees import by_jax

        if self.traced(model.node) or model.trips is None:
            return False
        return all(by_jax(self.unit, output.element) for output in model.outputs)

    def worth_a_word(self, model: LoopModel) -> bool:
        """Whether a loop stages arrays often enough, and is no part of a reported nest that is rewritten by hand."""
        if short(model, self.settings):
            return False
        from scanlint.policy.worth import applies_parts, gathers_parts, stages_arrays, worth_rolling, written_out

        if not stages_arrays(model) or not worth_rolling(model, self.settings, self.by_hand):
            return False
        if written_out(model) or gathers_parts(model) or applies_parts(model):
            return False
        return not (self.by_hand(model) and self._in_reported_nest(model))

    def rolled(self, model: LoopModel) -> Outcome:
        """What becomes of a loop, worked out once for all that ask."""
        return self.unit.once((Context.rolled, model.node), lambda: self._rolled(model))

    def _rolled(self, model: LoopModel) -> Outcome:
        from scanlint.rewrite.lower.loops.loop_passes import to_rolled_loop, to_while_loop

        made = to_while_loop(model) if isinstance(model.node, ast.While) else to_rolled_loop(model)
        added = self._added(model)
        return made if added is None else first_of([*added.choices(), made])

    def gathering(self, model: LoopModel) -> GatheringLoop | None:
        """The loop as one that adds up what is computed of examples, in traced code, if it is to be a batch."""
        from scanlint.batching.gathered import gathering, reads_whole

        if not self.settings.sums_as_batches or not self.traced(model.node) or self.traced_bound(model):
            return None
        found = gathering(model)
        if found is None or found.plain:
            return found
        batch = self.batch(found.model)
        return found if batch is not None and not reads_whole(batch) else None

    def _added(self, model: LoopModel) -> Rewrite | None:
        from scanlint.rewrite.lower.batches.gathered_updates import to_one_addition

        if (found := self.gathering(model)) is None:
            return None
        made = to_one_addition(found, self.batch(found.model))
        return made if isinstance(made, Rewrite) else None

    def by_hand(self, model: LoopModel) -> bool:
        """Whether something is in the way of a loop that no step of a rewrite takes out of it.

        What only its layout is in the way of is rewritten in the canonical form.
        """
        made = self.rolled(model) if model.obstacles else None
        return isinstance(made, Withheld) and made.code != "layout"

    def _in_reported_nest(self, model: LoopModel) -> bool:
        nest = (self.loop(a) for a in self.unit.around(model.node) if isinstance(a, ast.For))
        return any(outer.streams and self.by_hand(outer) and self.worth_a_word(outer) for outer in nest)

    def traced_bound(self, model: LoopModel) -> ast.expr | None:
        """The argument of `range` that is a tracer, if one is."""
        for stream in model.streams:
            for bound in (stream.start, stream.stop, stream.step):
                if stream.kind == "range" and bound is not None and self.unit.value(bound).traced:
                    return bound
        return None

    def evidence(self, node: ast.AST | None) -> tuple[Link, ...]:
        """Why a value is traced, as the first links of the chain."""
        value = self.unit.value(node)
        return trail(value.why) if value.traced else ()

    def said(self, text: str, node: ast.AST) -> tuple[Link, ...]:
        """A link of the chain that speaks of a node of this file."""
        return (Link(text, self.unit.source.path, *self.unit.source.start(node)),)

    def report_loop(
        self,
        model: LoopModel,
        message: str,
        *,
        help: str,
        label: str,
        primitive: Primitive,
        end: ast.AST | None = None,
        why: tuple[Link, ...] = (),
        stacked: bool = False,
    ) -> Report:
        """A finding at a loop's header, with the loop rolled."""
        from scanlint.rewrite.lower.loops.loop_passes import to_rolled_loop

        node = model.node
        outcome = to_rolled_loop(model, stacked=True) if stacked else self.rolled(model)
        last = end or (node.iter if isinstance(node, ast.For) else node.test)
        return self.report(
            node,
            message,
            help=help,
            label=label,
            end=last,
            why=why or next((self.evidence(s.array) for s in model.streams if s.kind == "rows"), ()),
            trips=model.trips,
            primitive=primitive,
            outcome=outcome,
        )


Node = TypeVar("Node", bound=ast.AST)


class Rule(ABC, Generic[Node]):
    """One rule: a file in this package; a `Rule[ast.For | ast.While]` says what it finds in these nodes."""

    code: ClassVar[str]
    name: ClassVar[str]
    level: ClassVar[Level] = "warning"
    nodes: ClassVar[tuple[type[ast.AST], ...]]
    staged: ClassVar[bool] = False
    calls: ClassVar[frozenset[str]] = frozenset()
    apart: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        for kind in (kind for base in cls.__orig_bases__ for kind in get_args(base)):  # type: ignore[attr-defined]
            cls.nodes = get_args(kind) or (kind,)

    @classmethod
    def looks_into(cls, unit: Unit) -> bool:
        """A unit holds nodes of which the rule may say something."""
        return (unit.holds_traced or not cls.staged) and not unit.kinds.keys().isdisjoint(cls.nodes)

    @abstractmethod
    def check(self, node: Node, context: Context) -> Iterator[Report]:
        """The findings at one node of one of the types in `nodes`.

        A rule that is `staged` is shown nodes of traced functions alone; one with `calls` only calls of these names.
        One that stands `apart` reads the unit as it is written, whatever its normal form, and what nothing traces.
        """
