"""The cases of one verification, in the order of trust: recorded, given, harvested, synthesised."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice

from ..comparing.judge import Judge
from ..harvest.file_callers import handed_in
from ..harvest.file_calls import harvest
from ..infer.inference import infer
from ..infer.need import Need
from ..infer.observed import reduced, specs_of
from ..infer.shorter_calls import shorter
from ..infer.specs import Array, Specs, every_leaf, leaves, resized, sizes
from ..runtime.calling import TookTooLong, Values
from ..runtime.made_functions import MakerSignature
from ..search.carry_settling import Settling
from ..search.case_values import (
    AS_CALLED,
    NEGATIVE,
    OTHERWISE,
    POSITIVE,
    USUAL,
    Case,
    Family,
    at_length,
    cases,
    modes,
    varied,
)
from ..search.further_ranks import ARMS, BLAMED, GUESSED, FurtherRanks, fewer
from ..search.input_sources import Inputs
from ..search.longer_axes import LONGER_AXES
from ..search.shape_blame import to_blame
from ..search.shape_search import broadcast
from ..standing.interface import changed_defaults
from ..standing.optional_arguments import by_changed_defaults, optional_families

MOST_OTHERWISE = 8
MOST_SIZES = 3
VARIED = 2  # real calls whose values are varied
RETRY = ("TypeError", "ValueError")
AS_LONG = "as called, with long loops"
ROWS = "with rows in the place of numbers the new version raises"
GUESSED_ANEW = "the new version does not take the shapes that were guessed first"


@dataclass
class Families:
    """Makes the families of cases of one function; `judge` compares guesses on both versions.

    `recorded` are real calls, `kept` says where they come from. `chosen`: the shapes guessed first were replaced by
    others that the new version accepts too.
    """

    inputs: Inputs
    judge: Judge
    function: str
    given: tuple[tuple[str, str], ...]
    settling: Settling
    setting_up: Callable[[], AbstractContextManager[None]]
    recorded: tuple[Values, ...] = ()
    kept: str = "recorded"
    source: str = "synthesised"
    chosen: bool = False
    free: bool = False

    def found(self, before: Callable[..., object]) -> list[Family]:
        """All families, the most trusted inputs first; raises NoInputs.

        Each optional argument is passed, where callers are not known, and of two versions as they stand left out too.
        """
        usual = self.usual(before)
        specs = next((family.specs for family in usual if family.specs is not None), None)
        known = not self.free and usual[0].real
        if known or specs is None or isinstance(self.inputs.signature, MakerSignature):
            return usual
        after = self.judge.pair.after
        if not self.free:
            return [*usual, *optional_families(self.inputs, after, specs, absent=False)]
        changed = by_changed_defaults(self.inputs, changed_defaults(before, after), usual)
        return [*usual[:1], *optional_families(self.inputs, after, specs, absent=True), *changed, *usual[1:]]

    def usual(self, before: Callable[..., object]) -> list[Family]:
        """The families of required arguments, the most trusted inputs first; raises NoInputs."""
        if self.recorded:
            self.source = self.kept
            return self.around(list(self.recorded))
        if self.given:
            self.source = "given"
            return [f for specs in self.inputs.given(self.given) for f in self.grown(specs, real=True)]
        harvested = self.harvested(before)
        if not harvested:
            specs = self.inputs.synthesised(self.judge.pair.after)
            first, *others = self.grown(self.guessed(specs))
            return [first, *self.of_fewer_axes(specs), *others]  # a rank tells more than a size
        self.source = "harvested"
        return self.around(harvested)

    def around(self, real: list[Values]) -> list[Family]:
        """Arguments of real calls: every call unchanged first, then with other values and sizes."""
        floats, _ = self.inputs.constants()
        pairs = [(v, self.shortened(v)) for v in real]
        long = [v for v, short in pairs if short is not None][:1]
        real = [v if short is None else short for v, short in pairs]
        called = [c for at, v in enumerate(real) for c in islice(varied(v, floats), None if at < VARIED else 1)]
        usual = [c for c in called if c.label == AS_CALLED]
        others = islice(self.chosen_otherwise(real), MOST_OTHERWISE)
        families = [Family("", None, [*usual, *others, *[c for c in called if c not in usual]], real=True)]
        families[0].cases += [Case(AS_LONG, lambda v=v: dict(v)) for v in long]  # type: ignore[misc]
        specs = self.small(real)
        return families + (self.grown(specs, seen=True) if specs is not None else [])

    def shortened(self, values: Values) -> Values | None:
        """A real call with its long loops made short, where it has such and the old version runs with them short."""
        short = shorter(values, self.inputs.loaded.tree)
        try:
            if short is not None:
                self.judge.pair.run_old(short)
        except (Exception, SystemExit, TookTooLong):  # noqa: BLE001 - the call is compared as it is, at full length
            return None
        return short

    def chosen_otherwise(self, real: list[Values]) -> Iterator[Case]:
        """Real calls with one discrete argument changed: another mode, the other truth value, the default."""
        needs = infer(self.inputs.node, self.inputs.functions())
        seen = {(name, value) for values in real for name, value in values.items() if _discrete(value)}
        for values in real[:VARIED]:
            for name, value in values.items():
                for other in _otherwise(value, needs.get(name, Need())):
                    if (name, other) not in seen:
                        seen.add((name, other))
                        yield Case(f"{OTHERWISE}{name} = {other!r}", lambda v={**values, name: other}: dict(v))  # type: ignore[misc]

    def harvested(self, before: Callable[..., object]) -> list[Values]:
        """Arguments of call sites."""
        loaded, signature = self.inputs.loaded, self.inputs.signature
        if isinstance(signature, MakerSignature):
            return []  # calls of the maker do not tell the arguments of its product
        try:
            with self.setting_up():
                found = list(harvest(loaded.tree, loaded.names, self.function, before))
        except (TypeError, ValueError):
            found = []
        names = {*signature.positional, *signature.keyword}
        fitting = [v for v in found if set(v) <= names]
        if fitting:
            return fitting
        with self.setting_up():
            return list(handed_in(loaded, self.function, signature))

    def small(self, harvested: list[Values]) -> Specs | None:
        """Specs of the callers' arguments, with short axes if the function accepts them; None if there are none."""
        for values in harvested:
            specs = specs_of(values)
            for proposed in (reduced(specs), specs):
                try:
                    if self.inputs.attempt(proposed) is None:
                        return proposed
                except (TypeError, ValueError):  # the next proposal is tried
                    continue
        return None

    def of_fewer_axes(self, solved: Specs) -> list[Family]:
        """Families in which the old version accepts fewer axes than the solver found: an element instead of a row."""
        specs = next((s for s in self.inputs.accepted() if _fewer_axes(s, solved)), None)
        if specs is None:
            return []
        found = [
            f for f in self.grown(self.guessed(specs)) if not f.label or f.label.startswith((BLAMED, ARMS, *GUESSED))
        ]
        for family in found:
            family.label = family.label or "other ranks"
        return found

    def guessed(self, specs: Specs) -> Specs:
        """Synthesised specs; if the new version cannot be traced with them, others that both versions accept.

        A guessed rank is no evidence against a rewrite: a carry that grows because of it is the guess's fault, unless
        no rank suits both versions. If no trip reads the initial value of the carry, its rank is arbitrary.
        """
        inputs, judge = self.inputs, self.judge
        failure = None if inputs.owner is not None else inputs.attempt(specs, judge.pair.after)
        if failure is None or failure.kind not in RETRY or to_blame(inputs, judge.pair.new.tree, specs, failure):
            return specs
        wrong = [s for s in self.settling.starts(specs) if not s.fits] if failure.says.carry else []
        if wrong and all(s.unread for s in wrong):
            return specs
        other = inputs.accepted_by_both(specs, lambda s: inputs.attempt(s, judge.pair.after))
        if other is None and any(s.weak and s.scalar for s in wrong):
            other = inputs.accepted_by_both(specs, self.settling.grown)
        if other is None:
            return specs
        judge.note(f"compared with {_fitted(specs, other)}: {GUESSED_ANEW}")
        self.chosen = True
        return other

    def grown(self, specs: Specs, *, real: bool = False, seen: bool = False) -> list[Family]:
        """The specs in several sizes, the first with all its cases, the others with a few."""
        floats, integers = self.inputs.constants()
        found = []
        further = FurtherRanks(self.inputs, self.judge.pair.after, specs, self.settling.starts, seen)
        ranks = list(further.found())
        if further.refused and not any(label.startswith(GUESSED) for label, _ in ranks):
            self.judge.note(f"{ROWS} for {_fitted(specs, further.refused[0])}")
        ranks += [*self.tripless(specs, ranks), *fewer(self.inputs, self.judge.pair.after, specs)]
        listed = [*self.inputs.variants(specs), *ranks]
        listed.sort(key=lambda s: (bool(s[0]), not s[0].startswith(BLAMED)))  # the most telling first
        branches = any(isinstance(n, ast.If | ast.IfExp) for n in ast.walk(self.inputs.node))
        for label, sized in listed if not real else [("", specs)]:
            doubtful = label.startswith("size 1 ") or (self.chosen and label and not label.startswith(BLAMED))
            if doubtful and self.broadcasts(sized):
                continue
            signed = label.startswith(ARMS) or (branches and label.startswith(GUESSED))
            if not label:
                wanted = list(modes(sized, floats, integers))
            elif label.startswith(LONGER_AXES):
                wanted = list(at_length(sized, integers))
            else:
                wanted = [POSITIVE, NEGATIVE] if signed else list(USUAL)
            found.append(Family(label, sized, list(cases(sized, iter(wanted), integers)), real and not label))
        return found

    def tripless(self, specs: Specs, ranks: list[tuple[str, Specs]]) -> Iterator[tuple[str, Specs]]:
        """The first of these with more axes, with so few rows that a loop which skips the first row makes no trip."""
        longer = next(((label, other) for label, other in ranks if label.startswith(GUESSED)), None)
        if longer is None or self.inputs.owner is not None:
            return
        bodies, _ = self.inputs.entered(specs)
        for size in sizes(specs)[:MOST_SIZES]:
            fewer_rows, changed = (resized(x, {size: 1}) for x in (specs, longer[1]))
            reached, failure = self.inputs.entered(fewer_rows)
            if failure is None and bodies - reached and self.inputs.attempt(changed) is None:
                yield f"no trip, {longer[0]}", changed
                return

    def broadcasts(self, specs: Specs) -> bool:
        """Whether a guessed axis of size one makes a carry grow by broadcasting."""
        failure = None if self.inputs.owner is not None else self.inputs.attempt(specs, self.judge.pair.after)
        if failure is None or failure.kind not in RETRY:
            return False
        wrong = failure.says.mismatch
        return wrong is not None and (wrong.arms or (wrong.carry and all(broadcast(*s) for s in wrong.shapes)))


def _fitted(first: Specs, other: Specs) -> str:
    """The arguments whose guessed shapes were replaced, with the new ones: `t: float32[4] (not float32[])`."""
    changed = []
    for name, spec in other.items():
        before = dict(leaves(first[name], name))
        for path, leaf in leaves(spec, name):
            was = before.get(path)
            if leaf != was and isinstance(leaf, Array):
                instead = f" (not {_type(was)})" if isinstance(was, Array) else ""
                changed.append(f"{path}: {_type(leaf)}{instead}")
    return ", ".join(changed)


def _fewer_axes(specs: Specs, than: Specs) -> bool:
    """Whether some arrays have fewer axes, and none more."""
    ranks = [_ranks(one) for one in (specs, than)]
    pairs = [(ranks[0].get(path, rank), rank) for path, rank in ranks[1].items()]
    return ranks[0] != ranks[1] and all(one <= other for one, other in pairs)


def _ranks(specs: Specs) -> dict[str, int]:
    found = every_leaf(specs)
    return {path: len(leaf.shape) for path, leaf in found if isinstance(leaf, Array)}


def _type(spec: Array) -> str:
    return f"{spec.dtype}[{', '.join(map(str, spec.shape))}]"


def _discrete(value: object) -> bool:
    return value is None or isinstance(value, (bool, str))


def _otherwise(value: object, need: Need) -> list[object]:
    """Other values of a discrete argument: its default, and the constants that it is compared with."""
    if need.default is None and value is not None:
        return [None]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        usual = [need.default] if isinstance(need.default, str) else []
        known = dict.fromkeys([*usual, *sorted(c for c in need.constants if isinstance(c, str))])
        return [text for text in known if text != value]
    return []
