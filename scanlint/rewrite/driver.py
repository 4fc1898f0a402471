"""One finding's rewrite carried through: what it turns into tracers is rewritten as well, until nothing is left."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scanlint.finding import Outcome, Primitive, Report, Resume, Rewrite, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.imports import add_imports
from scanlint.rewrite.emit.kept_comments import with_remarks
from scanlint.rules.base import Context, Rule
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits, hugged, moved, split_lines, tidied
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

if TYPE_CHECKING:
    from scanlint.rewrite.canonical_form import Canonical  # they import LibCST, as the rewriters do
    from scanlint.rewrite.normal_form import Normal

Reanalyse = Callable[[Unit, str], Unit | None]
ROUNDS = 20
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Rewritten(NamedTuple):
    """A unit after some rewrites; `primitive` is what the statement became at last.

    `then`: the places in it that the last step names, where it has to go on.
    """

    unit: Unit
    primitive: Primitive | None = None
    then: tuple[Resume, ...] = ()

    @property
    def text(self) -> str:
        """The whole new text of its file."""
        source = self.unit.source
        return add_imports(source.whole, source.added)


class Rewriter(NamedTuple):
    """Applies rewrites to units of one run. `rules` are all that can rewrite, selected or not."""

    rules: Sequence[Rule]
    settings: Settings
    reanalyse: Reanalyse
    problems: list[str]

    def apply(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        """The rewrite of one finding, with all that it makes necessary; else the first plainer one that can be done."""
        assert isinstance(report.outcome, Rewrite)
        made, plainer = self._whole(unit, report), report.outcome.plainer
        if isinstance(made, Rewritten) or plainer is None:
            return made
        again = self.apply(unit, report._replace(outcome=plainer))
        return again if isinstance(again, Rewritten) else made

    def _whole(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        """The rewrite of one finding; or why it cannot be done."""
        assert isinstance(report.outcome, Rewrite)
        if report.outcome.meant:
            return self._meant(unit, report)
        form = self._form(unit)
        made: Rewritten | Withheld | None = None
        if not report.outcome.bare:
            made = self._apply(unit, report) if form is None else self._applied(unit, form, report)
        if made is None or isinstance(made, Withheld):
            twin = self._twin(unit, report)
            again = self._applied(unit, twin[0], twin[1]) if twin is not None else None
            made = made if made is not None and (again is None or isinstance(again, Withheld)) else again
        if isinstance(made, Withheld) and not isinstance(again := self._meant(unit, report), Withheld):
            return again
        return made or Withheld("internal", f"`{unit.qualname}` has no such finding without its comments")

    def _meant(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        """The rewrite of a finding of the normal form of the unit."""
        normal = self._normal(unit)
        key = report.finding.code, report.finding.start
        found = [r for r in self._plain_reports(normal.unit, self.rules) if normal.key(r) == key] if normal else []
        if normal is None or not found or not isinstance(found[0].outcome, Rewrite):
            return Withheld("internal", f"`{unit.qualname}` has no such finding in its normal form")
        wanted = report.outcome if isinstance(report.outcome, Rewrite) and report.outcome.meant else found[0].outcome
        return self._applied(unit, normal, found[0]._replace(outcome=wanted._replace(meant=False)))

    def _applied(self, unit: Unit, form: Canonical | Normal, report: Report) -> Rewritten | Withheld:
        """The rewrite of a finding of a form of the unit, put back among what it leaves as it was written."""
        start = form.unit.source.start(report.node)
        here = report._replace(finding=replace(report.finding, start=start))
        made = self._apply(form.unit, here) if hasattr(form, "bare") else self.apply(form.unit, here)
        if isinstance(made, Withheld):
            return made._replace(message=form.said(made.message))
        source = form.restored(made.unit.source)
        again = unit.renew(source) if source.file is not None else None
        again = again or self.reanalyse(unit, add_imports(source.whole, source.added))
        if again is None:
            return Withheld("internal", f"`{unit.qualname}` is not found again after the rewrite")
        return Rewritten(again, made.primitive)

    def _twin(self, unit: Unit, report: Report) -> tuple[Canonical, Report] | None:
        """The same finding in the bare form of the unit, if it has a rewrite there."""
        bare, found = self._form(unit, bare=True), report.finding
        if bare is None:
            return None
        for other in self._reports(bare.unit, [rule for rule in self.rules if rule.code == found.code]):
            same = other.finding.function == found.function
            if same and bare.written(other.finding.start) == found.start and isinstance(other.outcome, Rewrite):
                given = report.outcome if isinstance(report.outcome, Rewrite) and report.outcome.bare else other.outcome
                return bare, other._replace(outcome=given)
        return None

    def _apply(self, unit: Unit, report: Report) -> Rewritten | Withheld:
        assert isinstance(report.outcome, Rewrite)
        if report.outcome.again:
            made = self._step(unit, report.outcome)
            return made if isinstance(made, Withheld) else self._once_more(made.unit, report)
        made = self.carry_through(unit, report.outcome)
        return made if isinstance(made, Withheld) else made._replace(primitive=report.outcome.primitive)

    def carry_through(self, unit: Unit, rewrite: Rewrite) -> Rewritten | Withheld:
        """A rewrite with what it names to be done next, and everything that it makes necessary."""
        before = {context.qualname for context in unit.contexts.values()}
        made = self._step(unit, rewrite)
        for place in made.then if isinstance(made, Rewritten) else ():
            if isinstance(made, Withheld):
                return made
            made = self._go_on(made.unit, place)
        if rewrite.then:
            return made
        for _ in range(ROUNDS):
            if isinstance(made, Withheld):
                return made
            follow = [r for r in self._reports(made.unit, self.rules, before) if r.finding.function not in before]
            if not follow:
                return made
            for later in follow:
                if not isinstance(later.outcome, Rewrite):
                    why = later.outcome.message if later.outcome else later.finding.message
                    return Withheld("needs-more", f"it would leave {later.finding.name} in the loop body: {why}")
            innermost = self.innermost(follow)
            assert isinstance(innermost.outcome, Rewrite)
            whole = innermost.outcome.then or innermost.outcome.again
            made = self._apply(made.unit, innermost) if whole else self._step(made.unit, innermost.outcome)
        return Withheld("no-fixed-point", f"the rewrites of `{unit.qualname}` do not come to an end")

    def _once_more(self, unit: Unit, before: Report) -> Rewritten | Withheld:
        """Go on with the statement of a report after a first step; comments may have come to stand above it."""
        line, column = before.finding.start
        at = [r for r in self._reports(unit, self.rules) if r.node.__class__ is before.node.__class__]
        at = [r for r in at if r.finding.start.column == column and r.finding.start.line >= line]
        report = min(at, key=lambda r: r.finding.start.line, default=None)
        if report is not None and report.outcome is not None:
            return self._apply(unit, report) if isinstance(report.outcome, Rewrite) else report.outcome
        places = [(n.lineno, unit.source.start(n).column) for n in _statements(unit) if type(n) is type(before.node)]
        place = min((p for p in places if p[0] >= line and p[1] == column), default=None)
        if place is None:
            return Withheld("needs-more", f"what a first step leaves is not found again (line {line})")
        return self._go_on(unit, Resume(place[0] - unit.node.lineno, column))

    def _go_on(self, unit: Unit, place: Resume) -> Rewritten | Withheld:
        """Rewrite the statement at a place, whether or not a rule would say a word of it."""
        line = (unit.node.lineno if place.line >= 0 else (unit.node.end_lineno or 0) + 1) + place.line
        node = next(
            (n for n in _statements(unit) if (n.lineno, unit.source.start(n).column) == (line, place.column)), None
        )
        if node is None:
            return Withheld("needs-more", f"what the loop became is not found again (line {line})")
        if isinstance(node, ast.If) and (unit.value(node.test).static or not unit.context(node).traced):
            return Rewritten(unit)  # Python decides
        outcome = rewritten(unit, node, place.starts)
        return self.carry_through(unit, outcome) if isinstance(outcome, Rewrite) else outcome

    def reports(self, unit: Unit, rules: Iterable[Rule], known: Container[str] = ()) -> list[Report]:
        """What these rules find in a unit, each finding with the rewrite of the canonical form.

        In functions that are `known` only what concerns whole functions is looked at: it may stand further inside.
        """
        found = self._plain_reports(unit, rules := list(rules), known)
        if (normal := self._normal(unit)) is None:
            return found
        return normal.reports(found, self._plain_reports(normal.unit, rules, known))

    def _plain_reports(self, unit: Unit, rules: Iterable[Rule], known: Container[str] = ()) -> list[Report]:
        """The same in the spelling that the unit has."""
        rules, problems = list(rules), list[str]()
        found = self._replace(problems=problems)._reports(unit, rules, known)
        if not found and not problems:
            return []
        form = self._form(unit)
        if form is None:
            self.problems.extend(problems)
        else:
            found = form.reports(found, self._reports(form.unit, rules, known))
        if any(isinstance(r.outcome, Withheld) for r in found) and (bare := self._form(unit, bare=True)) is not None:
            return bare.twins(found, self._reports(bare.unit, rules, known))
        return found

    def _normal(self, unit: Unit) -> Normal | None:
        """The normal form of a unit, made once; None where it is written so, or where nothing is traced."""
        from scanlint.rewrite.normal_form import Normal, normal

        if Normal not in unit.models:
            unit.models[Normal] = normal(unit, self._form(unit))
        found = unit.models[Normal]
        return found if isinstance(found, Normal) else None

    def _form(self, unit: Unit, *, bare: bool = False) -> Canonical | None:
        """The canonical form of a unit, or the bare one, made once; None where it is written so, and for scripts."""
        if unit.script:
            return None
        from scanlint.rewrite.canonical_form import Canonical, canonical

        if (Canonical, bare) not in unit.models:
            unit.models[Canonical, bare] = canonical(unit, bare=bare)
        form = unit.models[Canonical, bare]
        return form if isinstance(form, Canonical) else None

    def _reports(self, unit: Unit, rules: Iterable[Rule], known: Container[str] = ()) -> list[Report]:
        """What these rules find in a unit as it stands; one that fails is a problem of the run, the others go on."""
        found: list[Report] = []
        contexts = [Context(rule, unit, self.settings) for rule in rules]
        for context, node in ((c, node) for c in contexts for node in c.nodes()):
            if known and not isinstance(node, FUNCTIONS) and unit.context(node).qualname in known:
                continue
            try:
                found += context.rule.check(node, context)
            except RecursionError:
                continue  # code nested hundreds of levels deep: nothing is said of it
            except Exception as error:  # noqa: BLE001 - a rule's own bug: said, with exit code 2
                where = f"{unit.source.path}:{getattr(node, 'lineno', 0)}"
                self.problems.append(f"{where}: internal error in {context.rule.name}: {type(error).__name__}: {error}")
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

    def _step(self, unit: Unit, rewrite: Rewrite) -> Rewritten | Withheld:
        source, again = unit.source, None
        try:
            if source.holds(rewrite.edits):
                plain, text = _edited(source, rewrite)
                again = unit.renew(source.changed(text, rewrite.imports))
            if again is None:
                source = source.file_now
                plain, text = _edited(source, rewrite)
                again = self.reanalyse(unit, add_imports(text, (*unit.source.added, *rewrite.imports)))
        except SyntaxError as error:
            return Withheld("internal", f"the rewritten text does not parse (line {error.lineno})")
        if again is None:
            return Withheld("internal", f"`{unit.qualname}` is not found again after the rewrite")
        return Rewritten(again, then=tuple(_moved(place, unit, source, plain, text) for place in rewrite.then))


def _holds(around: Report, meant: Report) -> bool:
    """Whether a finding of the normal form stands, as written, within a statement that is written so."""
    if _meant(around) or not _meant(meant) or not isinstance(around.node, ast.stmt):
        return False
    return around.finding.start < meant.finding.start and meant.finding.start.line <= (around.node.end_lineno or 0)


def _meant(report: Report) -> bool:
    return isinstance(report.outcome, Rewrite) and report.outcome.meant


def _in_blocks(node: ast.AST) -> set[int]:
    """What stands in the blocks of a statement; of a function, all of it."""
    if isinstance(node, FUNCTIONS):
        return {id(n) for n in ast.walk(node) if n is not node}
    blocks = (getattr(node, name, ()) for name in ("body", "orelse", "finalbody"))
    inner = (part for block in blocks if isinstance(block, list) for part in block)
    return {id(n) for part in inner for n in ast.walk(part)}


def _edited(source: Source, rewrite: Rewrite) -> tuple[str, str]:
    """A text after a rewrite; and with the comments that would be lost, laid out as the file is."""
    old, edits = source.text, [moved(edit, -source.above) for edit in rewrite.edits]
    edits = edits if rewrite.then else tidied(old, edits)
    text = apply_edits(old, with_remarks(old, edits))
    return apply_edits(old, edits), text if source.powers else hugged(old, text)


def _moved(place: Resume, unit: Unit, source: Source, plain: str, text: str) -> Resume:
    """A place of a text where it stands once comments have been put above some of its lines."""
    if plain == text or isinstance(unit.node, ast.Lambda):
        return place
    before, after = split_lines(plain), split_lines(text)
    below = (unit.node.end_lineno or 0) - source.above + 1 - len(source.own)
    head, line = unit.node.lineno - source.above, place.line
    wanted = head + line if line >= 0 else len(before) + below + line
    now = 0
    for code in before[:wanted]:
        now += 1
        while now < len(after) and after[now - 1] != code:
            now += 1
    return place._replace(line=now - head if line >= 0 else now - len(after) - below)


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
