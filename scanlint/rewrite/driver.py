"""One finding's rewrite carried through: what it turns into tracers is rewritten as well, until nothing is left."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from scanlint.deep import at_bottom, deeply
from scanlint.effort import MOST_SECONDS, WATCH, Account, TakesTooLong
from scanlint.finding import Edit, Outcome, Position, Primitive, Report, Rewrite, Withheld, mark
from scanlint.loops.loop import LoopModel
from scanlint.problem import Problem
from scanlint.rewrite.emit.imports import add_imports
from scanlint.rewrite.emit.kept_comments import with_remarks
from scanlint.rewrite.views import View
from scanlint.rules.base import Context, Rule
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits, hugged, moved, split_lines, tidied, unmarked
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

Reanalyse = Callable[[Unit, str], Unit | None]
Given = TypeVar("Given")
ROUNDS = 20
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Following(NamedTuple):
    """A statement of a unit that is to be rewritten, by where it begins; None where a step has taken it away."""

    begin: Position | None
    starts: frozenset[str] = frozenset()
    reported: bool = False


class Rewritten(NamedTuple):
    """A unit after some rewrites; `primitive` is what the statement became at last.

    `next`: the statements in it with which the last step goes on. `waiting`: those that come after all of that.
    """

    unit: Unit
    primitive: Primitive | None = None
    next: tuple[Following, ...] = ()
    waiting: tuple[Following, ...] = ()

    @property
    def text(self) -> str:
        """The whole new text of its file."""
        source = self.unit.source
        return add_imports(source.whole, source.added)


class Rewriter(NamedTuple):
    """Applies rewrites to units of one run. `rules` are all that can rewrite, selected or not."""

    rules: Sequence[Rule[ast.AST]]
    settings: Settings
    reanalyse: Reanalyse
    problems: list[Problem]

    def apply(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        """The rewrite of one finding, with all that it makes necessary; else the first plainer one that can be done."""
        try:
            return limited(lambda: self._plainest(unit, report))
        except TakesTooLong:
            return Withheld("takes-too-long", f"the rewrite takes more than {MOST_SECONDS:g} s of processor time")
        except RecursionError:
            return Withheld("too-deep", f"`{unit.qualname}` is nested too deeply to be rewritten")

    def _plainest(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        assert isinstance(report.outcome, Rewrite)
        made, plainer = self._through(unit, report), report.outcome.plainer
        if isinstance(made, Withheld):
            tried = (self._through(unit, other) for other in self._elsewhere(unit, report))
            made = next((again for again in tried if isinstance(again, Rewritten)), made)
        if isinstance(made, Rewritten) or plainer is None:
            return made
        again = self.apply(unit, report._replace(outcome=plainer))
        return again if isinstance(again, Rewritten) else made

    def _through(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        """The rewrite of a finding in the view that it is from, put back among what it leaves as it was written."""
        view = report.view
        if not isinstance(view, View):
            return self._apply(unit, report)
        made = self._apply(view.unit, report)
        if isinstance(made, Withheld):
            return made._replace(message=view.said(made.message))
        source = view.restored(made.unit.source)
        again = unit.renew(source) if source.file is not None else None
        again = again or self.reanalyse(unit, add_imports(source.whole, source.added))
        if again is None:
            return Withheld("internal", f"`{unit.qualname}` is not found again after the rewrite")
        return Rewritten(again, made.primitive)

    def _elsewhere(self, unit: Unit, report: Report) -> Iterator[Report]:
        """The same finding in the normal form, where it is not from there."""
        rules = [rule for rule in self.rules if rule.code == report.finding.code]
        normal = self._normal(unit)
        if normal is not None and not (isinstance(report.view, View) and report.view.normal):
            if (twin := normal.twin(report, self._plain_reports(normal.unit, rules))) is not None:
                yield twin

    def _apply(self, unit: Unit, report: Report, waiting: tuple[Following, ...] = ()) -> Rewritten | Withheld:
        outcome = report.outcome
        assert isinstance(outcome, Rewrite)
        made = self.carry_through(unit, outcome, waiting)
        if isinstance(made, Withheld) or (made.primitive and any(step.reported for step in outcome.next)):
            return made
        return made._replace(primitive=outcome.primitive)

    def carry_through(self, unit: Unit, rewrite: Rewrite, waiting: tuple[Following, ...] = ()) -> Rewritten | Withheld:
        """A rewrite with what it names to be done next, or everything that it makes necessary."""
        before = {_run(unit, node) for node in unit.contexts}
        made = self._step(unit, rewrite, waiting)
        if rewrite.next:
            return made if isinstance(made, Withheld) else self._further(made)
        for _ in range(ROUNDS):
            if isinstance(made, Withheld):
                return made
            follow = self._reports(made.unit, self.rules, before)
            follow = [r for r in follow if _run(made.unit, r.node) not in before]
            told = {_said(r) for r in self._reports(unit, self.rules)} if any(r.outcome is None for r in follow) else ()
            follow = [r for r in follow if r.outcome is not None or _said(r) not in told]
            if not follow:
                return made
            for later in follow:
                if not isinstance(later.outcome, Rewrite):
                    why = later.outcome.message if later.outcome else later.finding.message
                    return Withheld("needs-more", f"it would leave {later.finding.name} in the loop body: {why}")
            innermost = self.innermost(follow)
            assert isinstance(innermost.outcome, Rewrite)
            go_on = self._apply(made.unit, innermost, made.waiting) if innermost.outcome.next else None
            made = go_on or self._step(made.unit, innermost.outcome, made.waiting)
        return Withheld("no-fixed-point", f"the rewrites of `{unit.qualname}` do not come to an end")

    def _further(self, made: Rewritten) -> Rewritten | Withheld:
        """Rewrite the statements with which a step goes on, one after the other."""
        while made.next:
            first, rest = made.next[0], made.next[1:]
            done = self._go_on(made.unit, first, (*rest, *made.waiting))
            if isinstance(done, Withheld):
                return done
            made = done._replace(next=done.waiting[: len(rest)], waiting=done.waiting[len(rest) :])
        return made

    def _go_on(self, unit: Unit, place: Following, waiting: tuple[Following, ...]) -> Rewritten | Withheld:
        """Rewrite the statement at a place, whether or not a rule would say a word of it."""
        if place.reported and (report := self._reported(unit, place)) is not None:
            known = report.outcome
            return self._apply(unit, report, waiting) if isinstance(known, Rewrite) else known or UNFOUND
        node = next((n for n in _statements(unit) if unit.source.start(n) == place.begin), None)
        if node is None:
            return UNFOUND
        if isinstance(node, ast.If) and (unit.value(node.test).static or not unit.context(node).traced):
            return Rewritten(unit, waiting=waiting)  # Python decides
        outcome = rewritten(unit, node, place.starts)
        return self.carry_through(unit, outcome, waiting) if isinstance(outcome, Rewrite) else outcome

    def _reported(self, unit: Unit, place: Following) -> Report | None:
        """What a rule reports of the statement at a place, with an outcome."""
        found = (r for r in self._reports(unit, self.rules) if isinstance(r.node, ast.For | ast.While | ast.If))
        return next((r for r in found if unit.source.start(r.node) == place.begin and r.outcome is not None), None)

    def reports(self, unit: Unit, rules: Iterable[Rule[ast.AST]], known: Container[str] = ()) -> list[Report]:
        """What these rules find in a unit, each finding with the rewrite of the canonical form.

        In functions that are `known` only what concerns whole functions is looked at: it may stand further inside.
        What cannot be looked at to the end is a problem of the run.
        """
        rules = list(rules)
        apart = [rule for rule in rules if rule.apart]
        others = [] if unit.bare else [rule for rule in rules if not rule.apart]
        try:
            found = limited(lambda: self._both_reports(unit, others, known)) if others else []
            return found + (limited(lambda: self._reports(unit, apart, known)) if apart else [])
        except (TakesTooLong, RecursionError) as error:
            why = str(error) if isinstance(error, TakesTooLong) else "it is nested too deeply"
            line = unit.source.start(unit.node).line
            self.problems.append(Problem(unit.source.path, line, f"`{unit.qualname}` was not checked: {why}"))
            return []

    def _both_reports(self, unit: Unit, rules: Iterable[Rule[ast.AST]], known: Container[str]) -> list[Report]:
        """What is found in the spelling that a unit has, and in its normal form."""
        found = self._plain_reports(unit, rules := list(rules), known)
        if (normal := self._normal(unit)) is None:
            return found
        return normal.reports(found, self._plain_reports(normal.unit, rules, known))

    def _plain_reports(self, unit: Unit, rules: Iterable[Rule[ast.AST]], known: Container[str] = ()) -> list[Report]:
        """The same in the spelling that the unit has."""
        rules, problems = list(rules), list[Problem]()
        found = self._replace(problems=problems)._reports(unit, rules, known)
        if not problems and not any(report.outcome for report in found):
            return found
        form = self._form(unit)
        if form is None:
            self.problems.extend(problems)
        else:
            same = {(r.finding.code, r.finding.start, r.finding.function): r for r in found}
            mine = [(r, r.finding) for r in self._reports(form.unit, rules, known)]
            found = [form.report(r, same.get((f.code, form.written(f.start), f.function))) for r, f in mine]
        return found

    def _normal(self, unit: Unit) -> View | None:
        """The normal form of a unit, made once; None where it is written so, or where nothing is traced."""
        from scanlint.rewrite.normal_form import normal  # it imports LibCST, as the rewriters do

        return unit.once(normal, lambda: normal(unit, self._form(unit)))

    def _form(self, unit: Unit) -> View | None:
        """The canonical form of a unit, made once; None where it is written so, and for scripts."""
        if unit.script:
            return None
        from scanlint.rewrite.canonical_form import canonical

        return unit.once(canonical, lambda: canonical(unit))

    def _reports(self, unit: Unit, rules: Iterable[Rule[ast.AST]], known: Container[str] = ()) -> list[Report]:
        """What these rules find in a unit as it stands; one that fails is a problem of the run, the others go on."""
        found: list[Report] = []
        contexts = [Context(rule, unit, self.settings) for rule in rules if rule.looks_into(unit)]
        for context, node in (pair for one in contexts for pair in one.pairs()):
            if known and not isinstance(node, FUNCTIONS) and _run(unit, node) in known:
                continue
            try:
                found += context.rule.check(node, context)
            except TakesTooLong:
                raise
            except RecursionError:
                if not at_bottom():
                    raise
                said = f"{context.rule.name} was not looked for: it is nested too deeply"
                self.problems.append(Problem(unit.source.path, getattr(node, "lineno", 0), said))
            except Exception as error:  # noqa: BLE001 - a rule's own bug: said, with exit code 2
                said = f"internal error in {context.rule.name}: {type(error).__name__}: {error}"
                self.problems.append(Problem(unit.source.path, getattr(node, "lineno", 0), said))
        return found

    def innermost(self, reports: Sequence[Report], waiting: Sequence[Report] = ()) -> Report:
        """A report that has no other one in its blocks, and is no part of an expression or header that has one.

        An expression is rewritten before its parts: it takes them in, or leaves them as they are written. Headers of
        reports that are `waiting` count too, as long as there is another choice.
        """
        inside = {id(r): _in_blocks(r.node) for r in reports}
        bare = [r for r in reports if not any(id(o.node) in inside[id(r)] or _holds(r, o) for o in reports)]
        for around in ((*reports, *waiting), reports):
            headers = [(r.node, {id(n) for n in ast.walk(r.node)} - _in_blocks(r.node)) for r in around]
            for report in bare:
                if not any(node is not report.node and id(report.node) in header for node, header in headers):
                    return report
        return reports[0]

    def _step(self, unit: Unit, rewrite: Rewrite, waiting: tuple[Following, ...] = ()) -> Rewritten | Withheld:
        """The unit after the edits of a rewrite, with the places in it of what comes next, and of what is waiting."""
        source, again = unit.source, None
        begins = [unit.source.start(step.node) if step.node is not None else None for step in rewrite.next]
        begins += [place.begin for place in waiting]
        edits = [*rewrite.edits, *_marks(rewrite.edits, begins)]
        try:
            if source.holds(edits):
                text, places = _edited(source, edits)
                again, lines = unit.renew(source.changed(text, rewrite.imports)), source.above
            if again is None:
                source = source.file_now
                text, places = _edited(source, edits)
                whole = add_imports(text, (*unit.source.added, *rewrite.imports))
                again, lines = self.reanalyse(unit, whole), len(split_lines(whole)) - len(split_lines(text))
        except SyntaxError as error:
            return Withheld("internal", f"the rewritten text does not parse (line {error.lineno})")
        if again is None:
            return Withheld("internal", f"`{unit.qualname}` is not found again after the rewrite")
        now = [_below(places.get(number), lines) for number in range(len(begins))]
        count = len(rewrite.next)
        following = (Following(at, n.starts, n.reported) for at, n in zip(now, rewrite.next, strict=False))
        left = (place._replace(begin=at) for at, place in zip(now[count:], waiting, strict=True))
        return Rewritten(again, next=tuple(following), waiting=tuple(left))


def limited(run: Callable[[], Given]) -> Given:
    """What a function gives, with the room and in the time that one unit may have."""

    def timed() -> Given:
        with WATCH.charging(Account()):
            return run()

    return deeply(timed)


UNFOUND = Withheld("needs-more", "the loop or branch that a first step leaves is gone after the next one")


def _said(report: Report) -> tuple[str, str]:
    """What a finding says, wherever it stands."""
    return report.finding.code, report.finding.message


def _marks(edits: Sequence[Edit], begins: Sequence[Position | None]) -> Iterator[Edit]:
    """Marks for statements that begin at these places, by number; none where an edit takes them away."""
    for number, begin in enumerate(begins):
        if begin is not None and not any(edit.start <= begin < edit.end for edit in edits):
            yield Edit(begin, begin, mark(number))


def _below(place: Position | None, lines: int) -> Position | None:
    return place._replace(line=place.line + lines) if place is not None else None


def _holds(around: Report, meant: Report) -> bool:
    """Whether a finding of the normal form stands, as written, within a statement that is written so."""
    if _meant(around) or not _meant(meant) or not isinstance(around.node, ast.stmt):
        return False
    return around.finding.start < meant.finding.start and meant.finding.start.line <= (around.node.end_lineno or 0)


def _run(unit: Unit, node: ast.AST) -> str:
    """What tells the function that runs a node from others of the unit: lambdas have no names of their own."""
    context = unit.context(node)
    text = unit.source.segment(context.node) if isinstance(context.node, ast.Lambda) else ""
    return f"{context.qualname}{text}"


def _meant(report: Report) -> bool:
    return isinstance(report.outcome, Rewrite) and isinstance(report.view, View) and report.view.normal


def _in_blocks(node: ast.AST) -> set[int]:
    """What stands in the blocks of a statement; of a function, all of it."""
    if isinstance(node, FUNCTIONS):
        return {id(n) for n in ast.walk(node) if n is not node}
    blocks = (getattr(node, name, ()) for name in ("body", "orelse", "finalbody"))
    inner = (part for block in blocks if isinstance(block, list) for part in block)
    return {id(n) for part in inner for n in ast.walk(part)}


def _edited(source: Source, edits: Sequence[Edit]) -> tuple[str, dict[int, Position]]:
    """A text after edits, laid out as the file is, with the comments that would be lost; and where its marks stood."""
    old = source.text
    changes = tidied(old, [moved(edit, -source.above) for edit in edits])
    text, places = unmarked(apply_edits(old, with_remarks(old, changes)))
    return text if source.powers else hugged(old, text), places


def _statements(unit: Unit) -> list[ast.For | ast.While | ast.If]:
    return [*unit.every(ast.For), *unit.every(ast.While), *unit.every(ast.If)]


def rewritten(unit: Unit, node: ast.For | ast.While | ast.If, starts: frozenset[str]) -> Outcome:
    """The rewrite of a statement that has to be staged; what its carry starts with may be written where it is made."""
    from scanlint.batching.examples import batch_of
    from scanlint.branches.branch import model_branch
    from scanlint.rewrite.lower.batches.batch_map import (
        to_vmap,  # they import LibCST: nothing is rewritten in most runs
    )
    from scanlint.rewrite.lower.branches.branch_lowering import to_cond
    from scanlint.rewrite.lower.loops.loop_passes import to_rolled_loop, to_while_loop

    if isinstance(node, ast.If):
        return to_cond(model_branch(unit, node))
    model = LoopModel(unit, node, starts=starts)
    left = model.carried or model.last_values or model.live_targets or model.obstacles
    if model.outputs and not left and (batch := batch_of(model, numbered=True)) is not None:
        return to_vmap(model, batch)
    return to_rolled_loop(model) if isinstance(node, ast.For) else to_while_loop(model)
