"""Loops with `break`, `return` or `else` as loops with a flag in their test, which the other rewriters understand."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import NamedTuple

from scanlint.branches.branch import following
from scanlint.dataflow.items import made_inside
from scanlint.finding import (
    NOT_APPLICABLE,
    Edit,
    Next,
    NotApplicable,
    Position,
    Primitive,
    Rewrite,
    Step,
    Withheld,
    mark,
)
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.exits import decided_by_data, forever, successor, unfit
from scanlint.loops.jumps import JUMPS, Jump, Loop, jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.collected import appends
from scanlint.rewrite.emit.snippets import claimed, on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.normalize.exits.assigned_tests import without_walrus
from scanlint.rewrite.normalize.exits.counting_while import Counting, counting, leading_test, loose, targets_of
from scanlint.rewrite.normalize.exits.flagged_body import Leaving, Unstructured, comments, marked, negated, untouched
from scanlint.syntax.bindings import binds, reads

TRUTHS = frozenset(
    f"jax.numpy.{n}" for n in ("any", "all", "logical_and", "logical_or", "logical_not", "allclose", "isnan")
)


def without_jumps(model: LoopModel) -> Step:
    """The loop with flags for its jumps, or why there are none."""
    codes = {o.code for o in model.obstacles} & JUMPS
    if not codes or "generator" in {o.code for o in model.obstacles}:
        return NOT_APPLICABLE
    leaving = bool(codes & {"break", "return-in-loop"})
    own = made_inside(model.unit, model.node, model.flow, model.carried)
    collected = next((one.name for one in appends(model.unit, model.node) if one.name not in own), None)
    if collected is not None:
        what = f"`{collected}` would have a length that is not known when tracing"
        return Withheld("dynamic-length-output", what) if leaving and decided_by_data(model) else NOT_APPLICABLE
    others = [o for o in model.obstacles if o.code not in JUMPS | {"maybe-undefined"}]
    if others:
        return others[0] if leaving else NOT_APPLICABLE
    if leaving and (why := unfit(model)) is not None:
        return why
    if isinstance(model.node, ast.While) and (bound := binds(model.node.test)):
        what = f"the test binds `{min(bound)}` on every trip (line {model.node.lineno})"
        step = without_walrus(model)
        return Withheld("walrus-in-test", what) if isinstance(step, NotApplicable) else step
    try:
        return _Flagging(model).outcome()
    except Unstructured as error:
        return error.why


class _Returned(NamedTuple):
    """The value that the `return`s of a loop give, and whether the statement after the loop returns the same."""

    node: ast.expr
    code: str
    same: bool


class _Flagging:
    """State of the rewrite of one loop whose exits become flags."""

    def __init__(self, model: LoopModel) -> None:
        self.model = model
        self.unit = model.unit
        self.node: Loop = model.node
        self.taken = set(model.unit.names)
        self._fresh = partial(claimed, self.taken)
        self._spell = Spelling(self.unit)
        self.margin = self.unit.source.margin(self.node)
        self.indent = self.unit.indent
        self.leaving = Leaving(self.unit, self.indent, self._spell)
        self.masked = self.unit.context(self.node).differentiated

    def outcome(self) -> Step:
        node = self.node
        jumps = list(jumps_in(*node.body))
        returned = self._returned([j for j in jumps if isinstance(j, ast.Return)])
        if isinstance(returned, Withheld):
            return returned
        left = self._left(returned)
        if (repeated := until(self.model, self.leaving, left, returned.code if returned else None)) is not None:
            return repeated
        breaks = any(isinstance(j, ast.Break) for j in jumps)
        names = self.leaving.flags
        joined = returned is not None and not node.orelse and (returned.same or (forever(node) and not breaks))
        flag = self._own_flag(jumps)
        if breaks or joined:
            names[ast.Break] = flag or self._fresh("done", "stopped")
        if returned is not None:
            names[ast.Return] = names[ast.Break] if joined else flag or self._fresh("found", "returned")
        names[ast.Continue] = "skip" if "skip" not in self.taken else "skipped"
        return self._written(
            returned, list(dict.fromkeys(n for k, n in names.items() if k is not ast.Continue)), joined
        )

    def _returned(self, statements: list[ast.Return]) -> _Returned | Withheld | None:
        """The one expression that all `return`s give, which can be computed after the loop from its final names."""
        if not statements:
            return None
        values = [s.value for s in statements]
        line = statements[0].lineno
        first = values[0]
        if first is None or any(v is None or ast.dump(v) != ast.dump(first) for v in values):
            return Withheld("return-in-loop", f"the loop returns this or that, or nothing (line {line})")
        if any(isinstance(n, ast.NamedExpr | ast.Lambda | ast.Yield) for n in ast.walk(first)):
            return Withheld("return-in-loop", f"the function returns from the loop at line {line}")
        after = following(self.unit, self.node)
        same = (
            bool(after)
            and isinstance(after[0], ast.Return)
            and after[0].value is not None
            and ast.dump(after[0].value) == ast.dump(first)
        )
        return _Returned(first, self.leaving.test(first), same)

    def _own_flag(self, jumps: list[Jump]) -> str | None:
        """The name that the only jump tests, where it is nothing but what the body binds it to just then."""
        node, flow = self.node, self.model.flow
        if len(jumps) != 1 or isinstance(jumps[0], ast.Continue):
            return None
        guard = self.unit.parents[jumps[0]]
        if not (isinstance(guard, ast.If) and isinstance(guard.test, ast.Name) and guard in node.body):
            return None
        name = guard.test.id
        made = [s for s in node.body if name in binds(s)]
        if len(made) != 1 or name in flow.live_after(node) | flow.live_at_body(node):
            return None
        match made[0]:
            case ast.Assign(targets=[ast.Name()], value=value) if self.unit.value(guard.test).traced:
                known = boolean(self.unit, value) or self.unit.resolve(getattr(value, "func", value)) in TRUTHS
                return name if known and node.body.index(made[0]) < node.body.index(guard) else None
        return None

    # -- the text

    def _written(self, returned: _Returned | None, flags: list[str], joined: bool) -> Step:
        node, margin = self.node, self.margin
        live = self._left(returned)
        head = self._header(flags, frozenset(live), whole=joined or not (returned or node.orelse))
        if isinstance(head, Withheld):
            return head
        header, before, body = head
        starts = self._starts(live)
        used = [f for f in flags if re.search(rf"\b{f}\b", "\n".join((header, *body)))]
        header_lines = self.unit.source.lines[node.lineno - 1 : node.body[0].lineno - 1]
        said = [c for c in comments(header_lines[: _header_end(node) - node.lineno + 1]) if c not in header]
        lines = [f"{margin}{text}" for text in (*before, *starts, *(f"{f} = False" for f in used), *said)]
        loop = len(lines)
        lines += [f"{margin}{header}", *body]
        then = len(lines)
        if returned is not None and joined and not returned.same:
            lines.append(f"{margin}return {returned.code}")
            then = len(lines)
        if returned is not None and not joined:
            lines += [f"{margin}if {self.leaving.flags[ast.Return]}:", f"{margin}{self.indent}return {returned.code}"]
        then = then if len(lines) > then else 0
        lines, after = self._else(lines)
        then = then or after
        nested = any(isinstance(a, ast.For | ast.While) for a in self.unit.around(self.node))
        made = frozenset(n for text in (*before, *starts, *(f"{f} = False" for f in used)) for n in targets_of(text))
        steps = [] if then and nested else [(loop, Next(starts=made))]
        steps += [(then, Next())] if then else []
        for number, (line, _) in enumerate(steps):
            lines[line] = marked(lines[line], number)
        edit = Edit(Position(node.lineno, 1), self.unit.source.end(node), self.leaving.newline.join(lines))
        primitive: Primitive = "fori_loop" if self.masked else "while_loop"
        return Rewrite((edit,), primitive, self._spell.imports, tuple(step for _, step in steps))

    def _left(self, returned: _Returned | None) -> list[str]:
        """The names that the loop binds and that are read after it, by what it returned too."""
        node, flow = self.node, self.model.flow
        bound = binds(*node.body) | frozenset(self.model.targets)
        wanted = flow.live_after(node) | (reads(returned.node) if returned is not None else frozenset())
        wanted |= reads(*node.orelse)
        return [name for name in flow.order if name in bound and name in wanted]

    def _starts(self, live: list[str]) -> list[str]:
        """What stands for a name before its first trip binds it: what it is handed on to, where that is evident."""
        node, bound = self.node, self.model.flow.bound_before(self.node)
        return [
            f"{name} = {other}"
            for name in live
            if name not in bound and name not in self.model.targets
            for other in [successor(node, name)]
            if other is not None and (other in bound or not other.isidentifier())
        ]

    def _else(self, lines: list[str]) -> tuple[list[str], int]:
        """The statements of the loop's `else`, put under an `if` where the loop may be left early."""
        node = self.node
        if not node.orelse:
            return lines, 0
        last = node.body[-1].end_lineno or 0
        source = self.unit.source.lines[last : node.orelse[0].lineno - 1]
        gap = [line.strip() for line in source if line.strip().startswith("#")]
        block = self.leaving.raw(node.orelse[0].lineno, node.orelse[-1].end_lineno or 0, 0)
        flag = self.leaving.flags.get(ast.Break)
        if flag is None:
            plain = [line.removeprefix(self.indent) if line.startswith(self.indent) else line for line in block]
            return [*lines, *(f"{self.margin}{c}" for c in gap), *plain], 0
        said = [f"{self.margin}{self.indent}{c}" for c in gap]
        return [*lines, f"{self.margin}if not {flag}:", *said, *block], len(lines)

    def _header(
        self, flags: list[str], live: frozenset[str], *, whole: bool
    ) -> tuple[str, tuple[str, ...], list[str]] | Withheld:
        """The line of the new loop, the statements before it, and its body. Raises Unstructured."""
        node = self.node
        pad = self.margin + self.indent
        if not flags:
            line = self.unit.source.lines[node.lineno - 1 : node.body[0].lineno - 1]
            return "".join(line).strip(), (), self._body(node.body, 0, node.body[0].lineno - 1)
        kept = live & frozenset(self.model.targets)
        if self.masked:
            return self._mask(flags, kept)
        count = counting(self.model, kept, self._fresh) if isinstance(node, ast.For) else Counting((), "", (), ())
        if isinstance(count, Withheld):
            return count
        test = count.test if isinstance(node, ast.For) else self._plain(node)
        guard = leading_test(self.model, count) if whole and not kept else None
        if guard is not None:
            rest = self._body(node.body[1:], 0, node.body[0].end_lineno or 0)
            while rest and not rest[0].strip():
                rest = rest[1:]
            flags, stop = [], guard
        else:
            rest, stop = self._body(node.body, 0, node.body[0].lineno - 1), untouched(flags)
        header = f"while {f'{test} and ' if test else ''}{stop}:"
        body = [*(f"{pad}{s}" for s in count.first), *rest, *(f"{pad}{s}" for s in count.last)]
        return header, count.before, [*self.leaving.below_header(node), *(body or [f"{pad}pass"])]

    def _body(self, block: list[ast.stmt], shift: int, floor: int) -> list[str]:
        lines = self.leaving.block(block, shift, floor)
        if not self.leaving.deep:
            return lines
        return [f"{self.margin}{self.indent * (shift + 1)}{self.leaving.flags[ast.Continue]} = False", *lines]

    def _mask(self, flags: list[str], kept: frozenset[str]) -> tuple[str, tuple[str, ...], list[str]] | Withheld:
        """A loop of fixed length, whose trips do nothing once a flag is set."""
        node = self.node
        if kept:
            name = sorted(kept)[0]
            return Withheld("target-read-after-loop", f"`{name}` is read after the loop (line {node.end_lineno})")
        line = self.unit.source.lines[node.lineno - 1 : node.body[0].lineno - 1]
        header = "".join(line[: _header_end(node) - node.lineno + 1]).strip()
        guard = f"{self.margin}{self.indent}if {untouched(flags)}:"
        body = self._body(node.body, 1, node.body[0].lineno - 1)
        return header, (), [*self.leaving.below_header(node), guard, *body]

    def _plain(self, node: ast.For | ast.While) -> str:
        """The test of a `while` as one side of `and`; none for `while True`."""
        assert isinstance(node, ast.While)
        if forever(node):
            return ""
        code = self.leaving.test(node.test)
        return f"({code})" if loose(node.test) else code


def _header_end(node: Loop) -> int:
    """The line on which the header of a loop ends."""
    return (node.iter if isinstance(node, ast.For) else node.test).end_lineno or node.lineno


SHORT = 6
"""Statements that a trip may have to be written once more."""


def until(model: LoopModel, leaving: Leaving, left: list[str], returned: str | None) -> Rewrite | None:
    """`while True` up to a test at its end, as one trip before a loop: where what it binds has no value before."""
    node, source = model.node, model.unit.source
    match node.body:
        case [*trip, ast.If(test=test, body=[ast.Break() | ast.Return()], orelse=[]) as last] if trip:
            pass
        case _:
            return None
    bound = model.flow.bound_before(node)
    new = [n for n in left if n not in bound and successor(node, n) is None]
    if not (forever(node) and len(list(jumps_in(*node.body))) == 1 and new and len(trip) <= SHORT) or node.orelse:
        return None
    margin = leaving.margin(node, 0)
    body = leaving.raw(node.body[0].lineno, trip[-1].end_lineno or 0, 0)
    inner = margin + leaving.indent
    first = [margin + line.removeprefix(inner) for line in body if line.strip()[:1] not in ("", "#")]
    if any(line.strip() and not line.startswith(inner) for line in body):
        return None
    said = [f"{inner}{c}" for c in comments(source.lines[last.lineno - 1 : last.end_lineno])]
    above = [inner + line.strip() for line in leaving.raw((trip[-1].end_lineno or 0) + 1, last.lineno - 1, 0) if line]
    code = on_one_line(negated(model.unit, test))
    lines = [*first, f"{margin}{mark(0)}while {code}:", *leaving.below_header(node), *above, *said, *body]
    if returned is not None:
        lines.append(f"{margin}return {returned}")
    edit = Edit(Position(node.lineno, 1), source.end(node), leaving.newline.join(lines))
    return Rewrite((edit,), "while_loop", next=(Next(),))
