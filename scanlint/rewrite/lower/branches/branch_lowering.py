"""Branches on traced values into `lax.cond`, `lax.switch` and `jnp.where`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from scanlint.branches.branch import BranchModel, is_elif, reaching, rebound
from scanlint.branches.switch_chain import Selection
from scanlint.finding import Edit, NotApplicable, Outcome, Primitive, Rewrite, Step, Withheld, first_of, first_step
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.exits import loop_left_by
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.draft import SharedLine, Snippet, blank_line_before
from scanlint.rewrite.emit.layout import blank_above, fold_return, given_back
from scanlint.rewrite.emit.snippets import claimed, on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.late_libcst import cst
from scanlint.rewrite.lower.branches.arm_order import Choice, Options, arms_of, options_of, tree_of
from scanlint.rewrite.lower.branches.arm_types import Leaf, not_a_number, number, unify
from scanlint.rewrite.lower.branches.branch_arms import Arm, chained, comment_lines, plain_values, verb
from scanlint.rewrite.lower.branches.predicates import parted, scalar_predicate
from scanlint.rewrite.lower.branches.selections import chosen, plain_choice, selectable
from scanlint.rewrite.lower.branches.stacked_names import stacked_by_number
from scanlint.rewrite.lower.depth_limit import too_deep
from scanlint.rewrite.normalize.accumulators.append_sinking import without_appends
from scanlint.rewrite.normalize.accumulators.list_to_array import with_places_around
from scanlint.rewrite.normalize.exits.continues import as_branch, as_flag
from scanlint.rewrite.normalize.exits.exit_flags import without_jumps
from scanlint.rewrite.normalize.stacked_iterables import with_stack
from scanlint.rewrite.normalize.stored_items import without_stores
from scanlint.syntax.bindings import binds
from scanlint.trace.unit import Unit

LONGEST = 20
"""Arms of an `if` with its `elif`s: each puts a `cond` into the one before, and Python parses about a hundred."""


WAYS: tuple[Callable[[BranchModel], Step], ...] = (
    lambda model: as_flag(model.unit, model.node),
    without_stores,
    lambda model: without_appends(model.unit, model.node),
    with_places_around,
)
"""Steps after which a branch is looked at again, the first that applies first."""


def to_cond(model: BranchModel) -> Outcome:
    """An `if` on a traced value into `lax.cond`, or `jnp.where` where both sides may be computed."""
    if loop := loop_left_by(model.unit, model.node):
        around = LoopModel(model.unit, loop)
        step = first_step(way(around) for way in (with_stack, without_jumps))
        if not isinstance(step, NotApplicable):
            return step
    branch = as_branch(model.unit, model.node)
    if isinstance(branch, Rewrite):
        return branch
    if model.obstacles:
        step = first_step((branch, *(way(model) for way in WAYS)))
        return model.obstacles[0] if isinstance(step, NotApplicable) else step
    if chained(model.node) > LONGEST:
        return Withheld(
            "too-long", f"the `if` and its `elif`s have more than {LONGEST} arms (line {model.node.lineno})"
        )
    if deep := too_deep(model.unit, model.node):
        return deep
    tree = tree_of(model, model.results)
    selected, staged = _staged(model, tree, select=True), _staged(model, tree)
    return first_of([selected, staged]) if isinstance(selected, Rewrite) else staged


def _staged(model: BranchModel, tree: Choice | Options, *, select: bool = False) -> Outcome:
    """The branch as a primitive. Comments and line breaks in an arm choose how that is written, never what it is."""
    try:
        staging = _Staging(model, select=select)
        made = staging.outcome(tree)
        if not staging.laid_out:
            return made
        plain = _Staging(model, heed=False, select=select).outcome(tree)
    except SharedLine:
        return Withheld("layout", f"the lines of the branch cannot be moved alone (line {model.node.lineno})")
    if isinstance(plain, Rewrite) and isinstance(made, Rewrite) and plain.primitive == made.primitive:
        return made
    return plain


def to_switch(selection: Selection) -> Outcome:
    """A chain of comparisons of one integer into `lax.switch`."""
    model = selection.head
    if model.obstacles:
        return model.obstacles[0]
    return _staged(model, options_of(selection))


NO_SELECTION = Withheld("branch-types-differ", "not every arm is a cheap expression that may be computed in any case")


@dataclass(slots=True)
class Made:
    """Definitions, and the expression that uses them."""

    code: str
    definitions: list[cst.BaseStatement] = field(default_factory=list)


class _Staging:
    """One branch on its way to a primitive.

    `heed`: an arm with comments or line breaks gets a function of its own, in which they stay; `laid_out` tells whether
    one did. `select`: both sides are computed and `jnp.where` chooses, which promotes their dtypes.
    """

    def __init__(self, model: BranchModel, *, heed: bool = True, select: bool = False) -> None:
        self.model, self.select = model, select
        self.heed, self.laid_out = heed, False
        self.unit: Unit = model.unit
        self.source = model.unit.source
        first: ast.stmt = model.node
        while isinstance(first, ast.If) and is_elif(self.unit, first):
            parent = self.unit.parents[first]
            assert isinstance(parent, ast.If)
            first = parent
        self.first = first
        self.comments = frozenset(line + self.source.above for line in comment_lines(self.source.text))
        results = "" if first is not model.node or model.returns else ", ".join(model.results)
        self.given_back = given_back(self.unit, model.node, results)
        last = self.given_back or (model.last if first is model.node else first)
        self.snippet = Snippet(self.source, first, last, self.unit.indent)
        self.taken = set(self.unit.names)
        self.spell = Spelling(self.unit)
        self.around: str | None = None
        self.test = model.node.test
        self.casts: dict[tuple[int, int], str] = {}
        self.values: dict[int, list[Leaf] | None] = {}

    def outcome(self, tree: Choice | Options) -> Outcome:
        if isinstance(tree, Choice):
            self._keep_static(tree)
        primitive: Primitive
        arms = arms_of(tree)
        self.values = {id(arm): plain_values(self.model, arm, self._old) for arm in arms}
        if self.select:
            primitive, made = "where", self._selected(tree, arms)
        elif problem := self._unify(arms):
            return problem
        elif isinstance(tree, Options):
            primitive, made = "switch", self._switch(tree)
        else:
            primitive, made = "cond", self._cond(tree)
        if isinstance(made, Withheld):
            return made
        return Rewrite(tuple(self._edits(made)), primitive, self.spell.imports)

    def _keep_static(self, tree: Choice) -> None:
        """Take the part of the test that is known when tracing out of it: `if flag and x > 0`."""
        match tree.test:
            case ast.BoolOp(op=ast.And() as op, values=values) if any(self.unit.value(v).static for v in values):
                alone = not self.model.orelse and not self.model.returns and self.first is self.model.node
                static, traced = parted(self.unit, values)
                if alone and static:
                    self.around = " and ".join(self.source.segment(v) for v in static)
                    self.test = traced[0] if len(traced) == 1 else ast.copy_location(ast.BoolOp(op, traced), traced[0])

    # -- values

    def _unify(self, arms: Sequence[Arm]) -> Withheld | None:
        """Cast numbers that stand beside arrays."""
        known = [self.values[id(arm)] for arm in arms]
        count = max((len(leaves) for leaves in known if leaves is not None), default=0)
        if any(leaves is not None and len(leaves) != count for leaves in known):
            return Withheld(
                "branch-types-differ", f"the arms give tuples of different lengths (line {self.model.node.lineno})"
            )
        for place in range(count):
            column = [self._at(place, arm, leaves) for arm, leaves in zip(arms, known, strict=True)]
            what = "the result" if self.model.returns else f"`{self.model.results[place]}`"
            new = unify(self.unit, column, what, self.spell)
            if isinstance(new, Withheld):
                return new
            for row, code in new.items():
                self.casts[id(arms[row]), place] = code
                leaf = column[row]
                if leaf.node is not None and leaf.written:
                    self.snippet.replace(leaf.node, code)
        return None

    def _at(self, place: int, arm: Arm, leaves: Sequence[Leaf] | None) -> Leaf:
        """The value that an arm gives to one result, with the names that the statements of the arm rebind."""
        if leaves is None:
            return Leaf("")
        return leaves[place] if self._flat(arm, leaves) else replace(leaves[place], hidden=binds(*arm.statements))

    def _flat(self, arm: Arm, leaves: Sequence[Leaf]) -> bool:
        """Whether an arm is no more than the expressions of its results."""
        plain = arm.simple and not any(":=" in leaf.code for leaf in leaves)
        if not plain or not self.heed:
            return plain
        laid_out = bool(self.comments & arm.lines) or any("\n" in leaf.code for leaf in leaves)
        self.laid_out |= laid_out
        return not laid_out

    def _old(self, name: str) -> Leaf:
        """The value that a name has before the branch."""
        bound = value = reaching(self.unit, self.model.node, name)
        if value is None or not (number(self.unit, value) is not None or not_a_number(self.unit, value)):
            value = ast.copy_location(ast.Name(name, ast.Load()), self.model.node)
        return Leaf(name, value, written=False, bound=bound)

    def _selected(self, tree: Choice | Options, arms: Sequence[Arm]) -> Made | Withheld:
        """The branch as a choice between expressions that are all computed, where each is cheap and total."""
        if not isinstance(tree, Choice):
            return NO_SELECTION
        if (pair := self._pair(tree)) is not None:
            return pair
        found = [self.values[id(arm)] for arm in arms if self._inline(arm) is not None]
        if len(found) < len(arms) or any(leaves is None or len(leaves) != 1 for leaves in found):
            return NO_SELECTION
        given = [leaves[0] for leaves in found if leaves]
        nodes = [leaf.node for leaf in given]
        if not (selectable(self.unit, given) or stacked_by_number(self.model, nodes)):
            numbers = all(node is not None and number(self.unit, node) is not None for node in nodes)
            if not numbers or self._unify(arms) is not None:  # Python's, of one type once they are cast
                return NO_SELECTION
        return self._where(tree)

    def _inline(self, arm: Arm) -> str | None:
        """The arm as one expression on one line, if it is no more than that."""
        leaves = self.values[id(arm)]
        if leaves is None or not self._flat(arm, leaves):
            return None
        casts = [self.casts.get((id(arm), place)) for place in range(len(leaves))]
        codes = [cast or on_one_line(leaf.code) for cast, leaf in zip(casts, leaves, strict=True)]
        tuple_needed = len(codes) > 1 or (self.model.returns and arm.returns_tuple)
        return f"({', '.join(codes)}{',' if len(codes) == 1 else ''})" if tuple_needed else codes[0]

    # -- primitives

    def _where(self, tree: Arm | Choice) -> Made | Withheld:
        if isinstance(tree, Arm):
            return Made(self._inline(tree) or "")
        match tree.test:
            case ast.UnaryOp(op=ast.Not(), operand=operand) if self.test is self.model.node.test:
                return self._where(Choice(operand, tree.orelse, tree.body))
        test, body, orelse = self._predicate(tree), self._where(tree.body), self._where(tree.orelse)
        if isinstance(test, Withheld) or isinstance(body, Withheld) or isinstance(orelse, Withheld):
            return next(part for part in (test, body, orelse) if isinstance(part, Withheld))
        return Made(chosen(self.spell, test, body.code, orelse.code, sure=boolean(self.unit, tree.test)))

    def _pair(self, tree: Choice) -> Made | Withheld | None:
        """`a, b = jnp.where(p, b, a), jnp.where(p, a, b)`, where names are compared and chosen between, and no more."""
        match tree:
            case Choice(ast.Compare(ops=[_], left=left, comparators=[right]), Arm() as body, Arm() as orelse):
                found = [self.values[id(arm)] for arm in (body, orelse)]
            case _:
                return None
        inline = self._inline(body) is not None and self._inline(orelse) is not None
        names = all(isinstance(side, ast.Name) or number(self.unit, side) is not None for side in (left, right))
        columns = list(zip(*(leaves or () for leaves in found), strict=False))
        if self.model.returns or not (inline and names) or len(columns) != 2:
            return None
        if not all(plain_choice(self.unit, [leaf.node for leaf in column]) for column in columns):
            return None
        test, where = self._predicate(tree), self.spell("jax.numpy.where")
        if isinstance(test, Withheld):
            return test
        return Made(", ".join(f"{where}({test}, {', '.join(leaf.code for leaf in column)})" for column in columns))

    def _predicate(self, tree: Choice) -> str | Withheld:
        """The test as one array expression on one line."""
        test = self.test if tree.test is self.model.node.test else tree.test
        code = scalar_predicate(self.unit, test, self.spell)
        return code if isinstance(code, Withheld) else on_one_line(code)

    def _cond(self, tree: Choice, other: str = "otherwise") -> Made | Withheld:
        """`other` names the function of the second arm; a negated test has its arms the other way round."""
        match tree.test:
            case ast.UnaryOp(op=ast.Not(), operand=operand) if self.test is self.model.node.test:
                named = verb(tree.test)
                return self._cond(Choice(operand, tree.orelse, tree.body), named if named != "then" else other)
        test = self._predicate(tree)
        if isinstance(test, Withheld):
            return test
        operands = self._operands([t for t in (tree.body, tree.orelse) if isinstance(t, Arm)])
        if isinstance(operands, Withheld):
            return operands
        body = self._function(tree.body, verb(self.test if tree.test is self.model.node.test else tree.test), operands)
        orelse = self._function(tree.orelse, other, operands)
        if isinstance(body, Withheld):
            return body
        if isinstance(orelse, Withheld):
            return orelse
        arguments = ", ".join([test, body.code, orelse.code, *operands])
        return Made(f"{self.spell('jax.lax.cond')}({arguments})", [*body.definitions, *orelse.definitions])

    def _switch(self, tree: Options) -> Made | Withheld:
        operands = self._operands(tree.arms)
        if isinstance(operands, Withheld):
            return operands
        subject, count = self.source.segment(tree.subject), len(tree.arms) - 1
        stem = tree.subject.id if isinstance(tree.subject, ast.Name) else "case"
        branches, definitions = [], []
        for place, arm in enumerate(tree.arms):
            made = self._function(arm, f"{stem}_{place}" if place < count else "otherwise", operands)
            if isinstance(made, Withheld):
                return made
            branches.append(made.code)
            definitions += made.definitions
        index = f"{self.spell('jax.numpy.where')}(({subject} >= 0) & ({subject} < {count}), {subject}, {count})"
        arguments = ", ".join([index, f"[{', '.join(branches)}]", *operands])
        return Made(f"{self.spell('jax.lax.switch')}({arguments})", definitions)

    def _operands(self, arms: Sequence[Arm]) -> list[str] | Withheld:
        """Names that an arm reads and then rebinds: its function takes them as parameters."""
        names: dict[str, None] = {}
        for arm in arms:
            if self._inline(arm) is None:
                for name in rebound(self.model.flow, arm.statements, self.model.results):
                    names.setdefault(name)
        for name in names:
            if name not in self.model.flow.bound_before(self.model.node):
                return Withheld(
                    "maybe-undefined", f"`{name}` has no value before the branch (line {self.model.node.lineno})"
                )
        return list(names)

    # -- arms

    def _function(self, tree: Arm | Choice, name: str, operands: Sequence[str]) -> Made | Withheld:
        """An arm as an argument: a lambda, or the name of a function that is defined before."""
        parameters = ", ".join(operands)
        header = f"lambda {parameters}:" if parameters else "lambda:"
        if isinstance(tree, Choice):
            inner = self._cond(tree)
            if isinstance(inner, Withheld) or not inner.definitions:
                return inner if isinstance(inner, Withheld) else Made(f"{header} {inner.code}")
            name = claimed(self.taken, name)
            call = blank_line_before(self.snippet.line(f"return {inner.code}", 2))
            return Made(name, [self._define(name, parameters, [*inner.definitions, call], None)])
        code = self._inline(tree)
        if code is not None:
            return Made(f"{header} {code}")
        name = claimed(self.taken, name)
        return Made(name, [self._define(name, parameters, self._body(tree), tree)])

    def _define(
        self, name: str, parameters: str, body: Sequence[cst.BaseStatement], arm: Arm | None
    ) -> cst.BaseStatement:
        block, above = arm.written(self.snippet) if arm else (None, ())
        if body and hasattr(body[0], "leading_lines"):
            kept = [line for line in body[0].leading_lines if line.comment]
            body = [body[0].with_changes(leading_lines=kept), *body[1:]]
        return self.snippet.define(name, parameters, body, block).with_changes(leading_lines=above)

    def _body(self, arm: Arm) -> list[cst.BaseStatement]:
        """The statements of an arm's function, its `return` included."""
        try:
            body = self.snippet.statements(arm.statements)
        except KeyError as error:
            raise SharedLine from error
        if self.model.returns:
            return body
        results = self.model.results
        folded = fold_return(self.snippet, body, ", ".join(results)) if body else None
        if folded is not None:
            return [*body[:-1], folded]
        codes = [r if r in binds(*arm.statements) else self.casts.get((id(arm), i), r) for i, r in enumerate(results)]
        return [*body, self.snippet.line(f"return {', '.join(codes)}", 2)]

    # -- putting it in place

    def _edits(self, made: Made) -> list[Edit]:
        model, snippet = self.model, self.snippet
        depth = 0 if self.first is model.node and self.around is None else 1
        given = model.returns or (self.given_back is not None and self.around is None)
        code = f"return {made.code}" if given else f"{', '.join(model.results)} = {made.code}"
        call = self.snippet.line(code, depth)
        statements = [*made.definitions, call]
        spaced = [statements[0], *(blank_line_before(s) for s in statements[1:])]
        if self.first is not model.node:
            return [self._as_else(spaced)]
        if self.around is not None:
            guard = self.snippet.parse(f"if {self.around}:\n    pass\n")
            guard = guard.with_changes(body=cst.IndentedBlock(body=spaced, indent=snippet.indent))
            return [snippet.edit([guard, *snippet.statements([self.given_back] if self.given_back else [])])]
        edits = [snippet.edit(spaced)]
        if made.definitions:
            edits += blank_above(self.source, model.node, snippet.newline, set())
        return edits

    def _as_else(self, statements: Sequence[cst.BaseStatement]) -> Edit:
        """An `elif` becomes an `else` that holds the new statements."""
        block = cst.IndentedBlock(body=list(statements), indent=self.snippet.indent)

        def change(old: cst.BaseStatement) -> cst.Else:
            assert isinstance(old, cst.If)
            return cst.Else(body=block, leading_lines=old.leading_lines)

        self.snippet.change(self.model.node, cst.If, change)
        return self.snippet.edit(self.snippet.statement(self.first))
