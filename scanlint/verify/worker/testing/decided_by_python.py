"""Compares both ways in which tests of Python come out, where the inputs so far took one of them only."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain

import jax

from ..comparing.agreement import Agreement, compare
from ..comparing.refutations import Unknown
from ..comparing.static_choices import in_words, written
from ..infer.specs import Specs
from ..proof.traced_pair import one_proof
from ..runtime.calling import Values, in_time, plain
from ..runtime.line_marks import StaticTest, forced
from ..runtime.version_pair import VersionPair
from ..search.case_values import Case, Family, cases, modes
from ..search.input_sources import REMEDY
from ..search.text_numbers import text_numbers
from ..standing.undecided import reaching
from .edge_sweep import defining, numbers_of
from .program_comparison import made
from .stages.weighed_pair import WeighedPair
from .trip_counts import enlarged

FEW = 2  # cases of each family
SELDOM = 20
"""An outcome of so few elements, one in these many, must be seen to matter: it may stand for what is rarer still."""
OP_BY_OP_SECONDS, FORCED_SECONDS = 2.0, 0.5


def equal_both_ways(weighing: WeighedPair, families: list[Family]) -> bool:
    """Whether equal programs are equal too where tests of Python come out otherwise, and no such test is left.

    Families that show a difference are tried before others.
    """
    found = list(_reaching(weighing, families))
    families[1:1] = found
    pair = weighing.full.pair
    if not all(one_proof(pair, values).same for f in found if (values := made(f.cases[0])) is not None):
        return False
    return not _left_open(weighing, "not proved: ")


def compared_both_ways(weighing: WeighedPair, families: list[Family]) -> None:
    """Compare where tests of Python come out in the way in which they never did."""
    for family in _reaching(weighing, families):
        for case in family.cases[:FEW]:
            weighing.compared(case)


def seen_both_ways(weighing: WeighedPair) -> None:
    """Tell a test that never came out otherwise; raise Unknown where the old version has no such test."""
    _left_open(weighing, "")
    numbers = {n + d for n in text_numbers([weighing.full.pair.old.tree], []).wholes for d in (0, -1)}
    before, new = " ".join(weighing.full.pair.old.text.split()), weighing.full.pair.new.text
    left = sorted(weighing.taken.one_sided() if weighing.full.free else ())
    for test, outcome in ((test, outcome) for test, outcome in left if test.version == "new"):
        if written(test, new) not in before or (test.number is not None and test.number not in numbers):
            raise Unknown(f"{in_words(test, outcome, new)}; {REMEDY}")
    if weighing.full.free:
        _arrays_tested(weighing)


def _arrays_tested(weighing: WeighedPair) -> None:
    """Raise Unknown where an outcome of a test of arrays of one version alone never came up, or seldom in vain."""
    pair, started = weighing.full.pair, time.process_time()
    usual = []
    for _, values, _ in chain.from_iterable(judge.ran for judge in weighing.judges):
        if time.process_time() - started < OP_BY_OP_SECONDS and (found := _op_by_op(pair, values)) is not None:
            usual.append((values, found))
    texts = {"old": pair.old.text, "new": pair.new.text}
    other = {"old": " ".join(texts["new"].split()), "new": " ".join(texts["old"].split())}
    for test in sorted(weighing.taken.data):
        counts, asked = weighing.taken.data[test], weighing.taken.choices.get(test, set())
        if written(test, texts[test.version]) in other[test.version]:
            continue
        for outcome in (True, False):
            seldom = SELDOM * counts[outcome] < counts.total() and outcome not in asked
            if not counts[outcome] and outcome not in asked:
                raise Unknown(f"{in_words(test, outcome, texts[test.version])}; {REMEDY}")
            if test.version == "new" and seldom and usual and not _matters(pair, test, not outcome, usual):
                told = f"that `{written(test, texts['new'])}` at line {test.line} of the new version is now and then"
                raise Unknown(f"{told} {'true' if outcome else 'false'} changes no result tried; {REMEDY}")


def _op_by_op(pair: VersionPair, values: Values) -> object:
    """The result of the new version with concrete arrays in its loops; None where it does not run so."""
    with jax.disable_jit():
        return in_time(lambda: pair.run_new(values), FORCED_SECONDS)


def _matters(pair: VersionPair, test: StaticTest, outcome: bool, usual: Sequence[tuple[Values, object]]) -> bool:
    """Whether a result changes where a test always has this outcome; so does one that is not given any more."""
    with forced(test, outcome):
        results = ((expected, _op_by_op(pair, values)) for values, expected in usual)
        return any(found is None or not isinstance(compare(expected, found), Agreement) for expected, found in results)


def otherwise(weighing: WeighedPair, families: Sequence[Family]) -> Iterator[Values]:
    """Arguments that differ in what is no array, of the usual cases and then of far ones."""
    far = enlarged(families, weighing.integers, numbers_of(weighing.full).limits)
    seen = set[str]()
    for case in (*families[0].cases, *(e.cases[0] for e in far)):
        values = made(case) or {}
        fixed = repr([v for v in values.values() if isinstance(v, int | float | str | None)])
        if fixed not in seen:
            yield values
        seen.add(fixed)


def _reaching(weighing: WeighedPair, families: list[Family]) -> Iterator[Family]:
    wanted, pair, inputs = weighing.taken.one_sided() - weighing.sought, weighing.full.pair, weighing.inputs
    weighing.sought |= wanted
    guessed = [f for f in families if f.specs is not None and not f.real]
    if not weighing.full.free or not wanted or not guessed:
        return
    floats, integers = inputs.constants()

    def fillings(specs: Specs) -> list[Case]:
        return list(cases(specs, modes(specs, floats, integers), integers))

    weighing.full.stage("searching for inputs on which tests come out otherwise")
    yield from reaching(inputs, plain(pair.after), guessed, wanted, defining(pair.old) + defining(pair.new), fillings)


def _left_open(weighing: WeighedPair, head: str) -> bool:
    """Whether a test of Python came out in one way only, where that counts; one is told.

    A rewrite keeps the tests of the old version: they are told, and prove nothing less.
    """
    texts, free = {"old": weighing.full.pair.old.text, "new": weighing.full.pair.new.text}, weighing.full.free
    left = sorted(weighing.taken.one_sided())
    counts = left if free else [(test, out) for test, out in left if test.version == "old" and test.number is None]
    said = [f"{head * free}{in_words(test, outcome, texts[test.version])}" for test, outcome in counts]
    weighing.remarks += said[:1]
    return free and bool(left)
