"""Where inputs come from: the user's specifications, call sites, or a search guided by use."""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from ..imports.absent_packages import NotInstalledError
from ..infer.given_inputs import BadSpecification, parse
from ..infer.guess import Sizes, guesses, of_class, record_fields
from ..infer.inference import infer
from ..infer.need import Need
from ..infer.selecting_parameters import asked_for_truth, indexed_keys
from ..infer.specs import Alternatives, Array, OnHost, Scalar, Spec, Specs, Struct, hashable, resized, sizes
from ..proof.paths import in_turns, opposite
from ..runtime.calling import jitted
from ..runtime.cut_loops import APART
from ..runtime.free_names import defaults_of, words_in
from ..runtime.jax_errors import for_this_jax
from ..runtime.line_marks import ReachedLines
from ..runtime.loading import complete, find
from ..shapes.rank_choice import ShapeSolver
from ..shapes.read_ahead import ReadAhead, read_ahead, rows_wanted, with_more
from ..shapes.shape_values import IMPOSSIBLE
from ..shapes.shape_walk import ShapeWalk
from .attempts import Attempts, Truth
from .longer_axes import LONG_AXES, LONGER_AXES, beyond_numbers
from .shape_search import NOT_IMPORTED, Failure, grown, search
from .text_numbers import compared_numbers, held_numbers

VARIANT_SECONDS = 1.5
SMALLEST = (2, 3, 4, 5)
OTHER_SIZES = (2, 5, 3, 7, 4, 6, 8, 9, 11, 13, 14, 15, 16)
NARROW = frozenset(["float32", "int32", "uint32", "float16", "bfloat16", "int8", "int16", "complex64"])
REMEDY = "add `# scanlint: inputs ...` above the function or record"


class NoInputs(Exception):
    """No input could be made; the message names the parameter and the remedy."""


class Inputs(Attempts):
    """The specs of one function, their variants in size, and the constants with which its source compares."""

    def functions(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        return {s.name: s for s in self.loaded.tree.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}

    def constants(self) -> tuple[list[float], list[int]]:
        """Numbers that the function compares with, in either version: boundaries to be tested on both sides."""
        floats, integers = compared_numbers(self.node, self.loaded.tree)
        others = compared_numbers(self.new, self.loaded.tree) if self.new is not None else ([], [])
        return (
            [*floats[:3], *[f for f in others[0] if f not in floats][:2]],
            [*integers[:8], *[n for n in others[1] if n not in integers][:3]],
        )

    def narrow(self) -> bool:
        """Whether the function names types of 32 bits, which do not become those of 64 where these are enabled."""
        return not NARROW.isdisjoint(words_in(self.node))

    def given(self, texts: tuple[tuple[str, str], ...]) -> Iterator[Specs]:
        """The specs of each specification, which says where it stands; raises BadSpecification."""
        names = (*self.signature.positional, *self.signature.keyword)
        for text, place in texts:
            complete(self.loaded, set(re.findall(r"[A-Za-z_]\w*", text)))
            try:
                yield self.completed(parse(text, self.loaded.names, names))
            except BadSpecification as error:
                raise BadSpecification(f"{place}: {error}; write `x: f32[8, 3], n: static 5`") from error

    def completed(self, part: Mapping[str, Spec]) -> Specs:
        """User's specs, with guesses for the parameters that they leave out."""
        rest = self.candidates(frozenset(part))
        fixed = dict(part)
        names = [*self.signature.positional, *self.signature.keyword]
        first = {n: fixed[n] if n in fixed else rest[n][0] for n in names if n in fixed or n in rest}

        def allow(changed: Specs) -> bool:
            return all(changed[n] is spec or repr(changed[n]) == repr(spec) for n, spec in fixed.items())

        found = search(first, rest, self.attempt, self.node, allow)
        if found.specs is None:
            raise NoInputs(self.explain(found.failure))
        return found.specs

    def synthesised(self, after: Callable[..., object] | None = None) -> Specs:
        """The first specs that the old version accepts: those that are solved for, else what a search makes of them.

        Without the numbers that neither version, `after` being the new one, takes from who calls it: they must be known
        when it is compiled, so that they always have their defaults.
        """
        found = self._first()
        if after is None or not jitted(self.function) or not (kept := frozenset(self.untraceable(found, after))):
            return found
        self.defaulted = kept
        del self.proposed
        return self._first()

    def _first(self) -> Specs:
        found = next(self.accepted(), None)
        return found if found is not None else self.searched()

    def untraceable(self, specs: Specs, after: Callable[..., object]) -> Iterator[str]:
        """The whole numbers with defaults with which neither version can be traced: a size, an axis."""
        needs = infer(self.node, self.functions())
        for name in sorted(specs.keys() - self.signature.static):
            if type(needs.get(name, Need()).default) is int:
                traced: Specs = {**specs, name: Array((), "int32")}
                if all(self.attempt(traced, function) is not None for function in (None, after)):
                    yield name

    def accepted(self) -> Iterator[Specs]:
        """The specs that the old version accepts, among those that are solved for and those of the least ranks."""
        for specs in self.proposed:
            for tried in (with_more(s, self.ahead()) for s in (specs, beyond_numbers(specs))):
                if self.both_ways(tried) is None and not self.empty:
                    yield tried
                    break

    @functools.cached_property
    def proposed(self) -> list[Specs]:
        """Specs whose ranks and sizes are solved together, the best first; and the least that uses allow."""
        least = {n: c[0] for n, c in self.candidates().items()}
        return [*self.solver(least).found(), least]

    def solver(self, specs: Specs) -> ShapeSolver:
        constants = held_numbers(None, self.loaded.tree)
        return ShapeSolver(self.node, self.functions(), specs, infer(self.node, self.functions()), constants)

    def with_ranks(self, specs: Specs, ranks: Mapping[str, int], avoided: Collection[int] = ()) -> Specs | None:
        """These specs with other ranks for some arguments, in the sizes that follow from them; None where none do."""
        solver = self.solver(specs)
        wanted = tuple(ranks.get(leaf.place[0], leaf.guessed) for leaf in solver.leaves)
        return solver.specs_of(wanted, avoided) if solver.walked(wanted).cost < IMPOSSIBLE else None

    def told_ranks(self, specs: Specs) -> set[str]:
        """The arrays whose rank an annotation, the docstring or an unpacked shape tells."""
        return {leaf.place[0] for leaf in self.solver(specs).leaves if leaf.fixed}

    def read_by_loops(self, specs: Specs) -> dict[str, int]:
        """The arrays that loops iterate or index with their variables, and along how many axes."""
        return self.axes_of(specs, lambda walk: walk.read)

    def axes_of(self, specs: Specs, noted: Callable[[ShapeWalk], Mapping[int, int]]) -> dict[str, int]:
        """How many axes of each array are used in some way in the old version."""
        solver = self.solver(specs)
        places = [leaf.place for leaf in solver.leaves]
        found = noted(solver.walked(tuple(leaf.guessed for leaf in solver.leaves)))
        return {places[at][0]: axes for at, axes in found.items() if not places[at][1]}

    def searched(self) -> Specs:
        """Specs in which one argument after the other was changed until the old version accepts them all."""
        candidates, failure = self.candidates(), None
        starts = [with_more(specs, self.ahead()) for specs in self.proposed]
        for attempt in (self.both_ways, self.attempt):
            for start in starts:
                found = search(start, candidates, attempt, self.node)
                if found.specs is not None:
                    return found.specs
                failure = failure or found.failure
            if not self.decided:
                break
        raise NoInputs(self.explain(failure))

    def both_ways(self, specs: Specs) -> Failure | None:
        """Why the old version rejects inputs, with either outcome of tests: what a `break` skips has shapes too."""
        self.decided = False
        failure = self.attempt(specs)
        if failure is not None or not self.decided:
            return failure
        other = self.attempt(specs, truth=opposite)
        return other if other is not None and not other.meant else None

    def accepted_by_both(self, specs: Specs, other: Callable[[Specs], Failure | None]) -> Specs | None:
        """Specs of other ranks that the new version accepts too; None if there are none.

        Guessed ranks are no evidence against a rewrite: a carry that grows from a guessed scalar is the guess's fault.
        Dtypes never change, and sizes follow from the ranks: a rewrite that needs a square has confused two axes. Ranks
        fall only where an array grows: else that would hide a carry that grows from a constant.
        """
        failure = other(specs)
        wrong = failure.says.mismatch if failure is not None else None
        if failure is None or (wrong is not None and wrong.changes_dtype):
            return specs if failure is None else None
        bodies, _ = self.entered(specs)
        fewer = self.accepted() if wrong is not None and wrong.of_arrays else ()
        for changed in itertools.chain(grown(specs, failure), self.one_axis_more(specs), fewer):
            reached, why = self.entered(changed)
            if why is None and not bodies - reached and other(changed) is None:
                return changed
        return None

    def one_axis_more(self, specs: Specs) -> Iterator[Specs]:
        """An axis more for one array, unless `xs[i, j]` names each axis."""
        named = self.axes_of(specs, lambda walk: walk.named)
        ranks = {name: len(spec.shape) for name, spec in specs.items() if isinstance(spec, Array)}
        for name, rank in ranks.items():
            if rank != named.get(name) and (changed := self.with_ranks(specs, {name: rank + 1})) is not None:
                yield changed

    def entered(self, specs: Specs) -> tuple[set[int], Failure | None]:
        """The loops in which the old version makes a trip, by the first lines of their bodies; and why it fails."""
        reached = ReachedLines()
        failure = self.attempt(specs, reached=reached)
        loops = (n for n in ast.walk(self.node) if isinstance(n, ast.For | ast.While))
        return {n.body[0].lineno for n in loops} & reached.lines, failure

    def smallest(self, specs: Specs) -> Specs:
        """The specs with every size as small as the old version accepts, and all sizes distinct."""
        for size in reversed(sizes(specs)):
            for small in SMALLEST:
                changed = resized(specs, {size: small})
                if small < size and small not in sizes(specs) and self.attempt(changed) is None:
                    specs = changed
                    break
        return specs

    def ahead(self) -> tuple[ReadAhead, ...]:
        """The arrays with more rows than those that are counted."""
        return read_ahead(self.node)

    def anew(
        self,
        specs: Specs,
        function: Callable[..., object] | None = None,
        truth: Truth = in_turns,
        reached: ReachedLines | None = None,
    ) -> Failure | None:
        """Why a version rejects these inputs; those that it would read past the end of are no inputs for it."""
        rows = rows_wanted(specs)
        for one in self.ahead():
            if not one.met(rows):
                wanted = rows[one.counted] + one.by
                return Failure(f"`{one.name}` has {rows[one.name]} rows, of which {wanted} are read", (), "IndexError")
        return super().anew(specs, function, truth, reached)

    def explain(self, failure: Failure | None) -> str:
        why = ""
        if failure is not None and failure.kind == NOT_IMPORTED:
            return f"`{self.node.name}` needs, at line {failure.lines[-1]}, what does not import: {failure.message}"
        if failure is not None and failure.kind == NotInstalledError.__name__:
            line = f" at line {failure.lines[-1]}" if failure.lines else ""
            return f"{failure.message}{line}; install it, or name the interpreter with `--python`"
        if failure is not None:
            line = f" at line {failure.lines[-1]}" if failure.lines else ""
            text = for_this_jax((failure.message.splitlines() or [""])[0][:160])
            why = f": the best guess fails{line} with {failure.kind}: {text}"
        return f"no input could be made for `{self.node.name}`{why}; {REMEDY}"

    def candidates(self, given: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
        """Specs for each parameter that is not given, the likeliest first."""
        needs = infer(self.node, self.functions())
        for name, keys in indexed_keys(self.node, self.loaded.names).items():
            needs.setdefault(name, Need()).constants.update(keys)
        for name in {name for node in (self.node, self.new) if node is not None for name in asked_for_truth(node)}:
            if name in needs and needs[name].element is not None:
                needs[name].listed = True  # an array of several elements has no truth
        self.define_records(needs)
        shared, stored = Sizes(), _stored(self.node)
        names = self.loaded.names
        found: dict[str, list[Spec]] = {}
        for index, name in enumerate([*self.signature.positional, *self.signature.keyword]):
            need = needs.get(name, Need())
            text = isinstance(need.default, str) and name not in self.signature.static
            if name in given | self.defaulted or (text and jitted(self.function)):
                continue  # a compiled function accepts no text, so the parameter always has its default
            if index == 0 and self.owner is not None and name in ("self", "this", "cls"):
                found[name] = list(self.instance(self.owner, need, shared))
                if not found[name]:
                    raise NoInputs(f"no instance of `{self.owner.__name__}` could be made; {REMEDY}")
            else:
                found[name] = list(guesses(name.rpartition(".")[2], need, shared, names))[:8]
            first = found[name][0]
            if isinstance(first, Array) and ((first.shape and name in stored) or self.of_numpy(need)):
                found[name].insert(0, Struct(OnHost, (("values", first),), positional=True))
            if (cls := self.annotated(need)) is not None:
                found[name] = [*self.instance(cls, need, shared), *found[name]]
            if name in self.fixed:
                found[name] = [Alternatives((self.fixed[name],))]
            if name in self.signature.static:
                found[name] = [hashable(spec) for spec in found[name]]
        return self.ordered(found)

    def of_numpy(self, need: Need) -> bool:
        """Whether a parameter of a function of the host is said to be an array of NumPy."""
        match need.annotation:
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if not jitted(self.function):
                return getattr(self.loaded.names.get(module), attr, None) is np.ndarray
            case ast.Name(id=name) if not jitted(self.function):
                return self.loaded.names.get(name) is np.ndarray
        return False

    def annotated(self, need: Need) -> type | None:
        """The class of the file that a parameter is annotated with, if it is no record."""
        name = need.annotation.id if isinstance(need.annotation, ast.Name) else ""
        cls = self.loaded.names.get(name)
        written = find(self.loaded.tree, f"{name}.__init__") is not None
        return cls if isinstance(cls, type) and written and record_fields(cls) is None else None

    def ordered(self, found: dict[str, list[Spec]]) -> dict[str, list[Spec]]:
        """Small numbers in place of large defaults keep their order: `steps=1000` stays more than `burn=100`."""
        small = Scalar("int")
        large: dict[str, int] = {}
        for name, specs in found.items():
            match specs:
                case [first, Scalar("int", int() as default), *_] if first == small:
                    large[name] = default
        ranked = sorted(set(large.values()))
        for name, default in large.items():
            if (at := ranked.index(default)) > 0:
                found[name] = [Scalar("int", small.count + APART * at), *found[name][1:]]
        return found

    def define_records(self, needs: Mapping[str, Need]) -> None:
        """Load the classes of the file that have the fields a parameter is used with: no annotation need name them."""
        wanted = [w for need in needs.values() if (w := {*need.attributes, *need.methods})]
        for node in self.loaded.tree.body if wanted else ():
            if isinstance(node, ast.ImportFrom):  # classes of other files, by the habit of their names
                classes = {a.asname or a.name for a in node.names if a.name[:1].isupper()}
                with contextlib.suppress(Exception):  # a class that is not made is no candidate
                    complete(self.loaded, classes)
            fields = _fields(node) if isinstance(node, ast.ClassDef) else set()
            if isinstance(node, ast.ClassDef) and any(w <= fields for w in wanted):
                complete(self.loaded, {node.name})

    def instance(self, cls: type, need: Need, shared: Sizes) -> Iterator[Spec]:
        """`self`: a record by its fields, or another class by the parameters of its `__init__`."""
        node = find(self.loaded.tree, f"{cls.__name__}.__init__")
        if node is None and record_fields(cls) is not None:
            yield from of_class(cls, need, shared, self.loaded.names, 0)
            return
        if node is None:
            yield Struct(cls, ())
            return
        needs = infer(node, self.functions())
        for statement in ast.walk(node):
            match statement:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)], value=ast.Name(id=name)):
                    used = need.attributes.get(attr)
                    if used is not None and name in needs:
                        used.annotation, used.default = needs[name].annotation, needs[name].default
                        needs[name] = used
        items = tuple(
            (name, next(guesses(name, inner, shared, self.loaded.names)))
            for name, inner in needs.items()
            if name != node.args.args[0].arg
        )
        yield Struct(cls, items)
        optional = defaults_of(node.args).keys()
        if optional & dict(items).keys():
            yield Struct(cls, tuple((name, spec) for name, spec in items if name not in optional))

    def variants(self, specs: Specs) -> Iterator[tuple[str, Specs]]:
        """The specs in other sizes, while time is left: all sizes changed, each one, two or zero, all longer."""
        yield "", specs
        deadline = time.process_time() + VARIANT_SECONDS
        known = sizes(specs)
        longer = dict(zip(known, LONG_AXES, strict=False))
        renamed = (s for s in self.renamed(specs, known) if s != specs and self.attempt(s) is None)
        yield from (("other sizes", changed) for changed in itertools.islice(renamed, 1))
        tried = [(LONGER_AXES, longer)]
        tried += [(f"size {m} for {n}", {n: m}) for m in (1, 0, 2) for n in known[:3]]
        tried += [(f"{LONGER_AXES}: {n}", {n: m}) for n, m in longer.items()]
        for label, table in tried:
            changed = resized(specs, table)
            if time.process_time() > deadline:
                return
            if changed != specs and self.attempt(changed) is None:
                yield label, changed

    def renamed(self, specs: Specs, known: list[int]) -> Iterator[Specs]:
        """The specs with another size for each axis, and with the other sizes that follow from the ranks."""
        table = dict(zip(known, (n for n in OTHER_SIZES if n not in known), strict=False))
        yield resized(specs, table)
        if (solved := self.with_ranks(specs, {}, known)) is not None:
            yield solved


def _stored(node: ast.AST) -> set[str]:
    """The names whose items a function sets: where they are arrays, they are those of NumPy."""
    parts = (n for n in ast.walk(node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store))
    return {part.value.id for part in parts if isinstance(part.value, ast.Name)}


def _fields(node: ast.ClassDef) -> set[str]:
    """The names that a class annotates, as dataclasses and NamedTuples do."""
    return {s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
