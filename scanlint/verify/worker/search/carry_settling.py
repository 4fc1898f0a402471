"""The types of the new version's carries, over all inputs on which it is compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ..infer.specs import Array, Specs, every_leaf, sizes
from ..runtime.calling import plain
from ..runtime.jax_errors import carry_changes
from .carry_avals import FOLLOWS, Start, Watched, merged
from .input_sources import Inputs
from .other_dtypes import narrowed, retyped
from .shape_search import Failure

MOST = 8
HALF = "float16"
DTYPES = ("int32", HALF)
TRUTHS = "bool"


@dataclass
class Settling:
    """Traces the new version with its loops watched; `function` loads it, or gives None if it does not load.

    `ended` runs the old version and gives the strong dtypes of the names that it ends with; it is told whether the old
    version branches on values.
    """

    inputs: Inputs
    watched: Watched
    function: Callable[[], Callable[..., object] | None]
    ended: Callable[[Specs, Collection[str], bool], dict[str, str]]
    seen: dict[str, list[Start]] = field(default_factory=dict)

    def starts(self, specs: Specs) -> list[Start]:
        """The carries of all loops reached with these inputs; each set of inputs is traced once."""
        function, key = self.function(), repr(sorted(specs.items()))
        if function is None:
            return []
        if key not in self.seen:
            self.seen[key] = self.traced(specs, function)
        return self.seen[key]

    def traced(self, specs: Specs, function: Callable[..., object]) -> list[Start]:
        self.watched.starts = []
        self.inputs.anew(specs, function)
        return self.watched.starts

    def grown(self, specs: Specs) -> Failure | None:
        """Why the new version rejects these inputs even if carries that start as numbers get another initial value."""
        function = self.function()
        wrong = [s for s in self.starts(specs) if not (s.fits or (s.weak and s.scalar))]
        failure = self.inputs.attempt(specs, function) if function is not None else None
        if failure is None and wrong:
            return Failure(carry_changes(wrong[0].before, wrong[0].after), (), "TypeError")
        return failure

    def misfits(self, tried: Iterable[Specs]) -> list[Start]:
        """The carries that change their type for some of these inputs.

        Inputs of other dtypes that the old version accepts are traced too: an initial value must not take its dtype
        from an array that may have another one, nor its shape from one alone where a number may be an array as well. A
        carry that only fails for such inputs is not repaired, since no caller need pass them, unless it starts as a
        number and takes the dtype of floats of half precision late.
        """
        listed = _listed(tried)
        usual = [self.starts(specs) for specs in listed]
        halves = [self.starts(specs) for specs in self.taken(_retyped(listed, HALF))]
        usual += [[start for start in run if start.late] for run in halves]
        others = [self.starts(specs) for specs in self.accepted(listed)]
        truths = [self.starts(specs) for specs in self.taken(_retyped(listed, TRUTHS))]
        known = {s.key: s for s in _joined([*usual, *others], truths)}
        found = [s._replace(likes=known[s.key].likes) if s.key in known else s for s in merged(usual)]
        late = {s.line for s in found if s.late}
        found = [s._replace(late=s.late or (s.weak and s.line in late)) for s in found]  # numbers of a loop start alike
        return [_following(start._replace(after=_axes(start, others)), others) for start in found]

    def accepted(self, listed: Sequence[Specs]) -> list[Specs]:
        """Inputs of other dtypes, and with rows in place of a number, that the old version accepts."""
        others = [specs for dtype in DTYPES for specs in _retyped(listed, dtype)]
        told = {name for specs in listed for name in self.inputs.told_ranks(specs)}
        return self.taken([*others, *mixed(listed), *with_rows(listed, told)])

    def taken(self, tried: Iterable[Specs]) -> list[Specs]:
        """Those inputs that the old version accepts."""
        return [specs for specs in tried if self.inputs.attempt(specs) is None]

    def faded(self, tried: Iterable[Specs]) -> list[Start]:
        """The carries that start weakly typed and end with a strong dtype in the old version.

        JAX lets a carry stay weakly typed on every trip if the bits are as many.
        """
        function, listed = self.function(), _listed(tried)
        if function is None:
            return []
        weak = {s.name for specs in listed for s in self.starts(specs) if s.weak}
        others = self.accepted(listed) if weak else []
        truths = self.taken(_retyped(listed, TRUTHS)) if weak else []
        runs, of_truths = list[list[Start]](), list[list[Start]]()
        for specs in [*listed, *others, *truths] if weak else []:
            self.inputs.decided = False
            self.inputs.attempt(specs)
            self.watched.ended = self.ended(specs, weak, self.inputs.decided)
            traced, known = self.traced(specs, plain(function)), self.watched.ended
            other = specs not in listed
            ended = [s for s in traced if s.name in known or (other and s.weak and s.name in weak)]
            if other and any(s.problem for s in ended):
                continue  # a carry of whole numbers changes its type on every trip: no caller need pass such inputs
            (of_truths if specs in truths else runs).append(ended)
        self.watched.ended = {}
        axes = {s.key: s.after for run in (*runs, *of_truths) for s in run if not s.after.endswith("[]")}
        return [s._replace(after=axes.get(s.key, s.after)) for s in _joined(runs, of_truths)]


def _retyped(listed: Iterable[Specs], dtype: str) -> list[Specs]:
    return [{n: retyped(s, "float32", dtype) for n, s in specs.items()} for specs in listed]


def _joined(runs: Sequence[Sequence[Start]], truths: Sequence[Sequence[Start]]) -> list[Start]:
    """The carries over all runs; those on truths only count where arrays then still tell the dtype of the carry."""
    all_runs = {s.key: s for s in merged([*runs, *truths])}
    return [all_runs[s.key] if s.key in all_runs and _dtype_told(all_runs[s.key]) else s for s in merged(runs)]


def _dtype_told(start: Start) -> bool:
    """Arrays are known that have the dtype of the carry for all inputs tried."""
    return any(like.typed or like.floated or like.counted for like in start.likes)


def _axes(start: Start, others: Iterable[Iterable[Start]]) -> str:
    """The final type; of a number that takes a dtype late, with the axes that it has for some of the other inputs."""
    longer = (s.after for run in others for s in run if s.key == start.key and not s.after.endswith("[]"))
    return next(longer, start.after) if start.late and start.after.endswith("[]") else start.after


def _following(start: Start, others: Iterable[Iterable[Start]]) -> Start:
    """The carry, with a problem where its dtype follows that of an argument which no array here tells."""
    ends = {s.after.partition("[")[0] for run in others for s in run if s.key == start.key}
    varies = bool(ends - {start.after.partition("[")[0]})
    follows = start.weak and varies and not _dtype_told(start) and not start.problem
    return start._replace(problem=FOLLOWS) if follows else start


def _listed(tried: Iterable[Specs]) -> list[Specs]:
    """One set of inputs for each combination of ranks."""
    filled = (specs for specs in tried if min(sizes(specs), default=1))
    return list({_ranks(specs): specs for specs in filled}.values())[-MOST:]


def with_rows(listed: Iterable[Specs], told: Collection[str]) -> list[Specs]:
    """Inputs with an array in place of one number whose rank nothing tells: a polynomial at many points."""
    found = []
    for specs in listed:
        length = max(sizes(specs), default=1) + 1
        numbers = [name for name, spec in specs.items() if spec == Array(()) and name not in told]
        found += [{**specs, name: Array((length,))} for name in numbers]
    return found


def mixed(listed: Iterable[Specs]) -> list[Specs]:
    return [other for specs in listed for other, _ in narrowed(specs)]


def _ranks(specs: Specs) -> str:
    return str([(path, len(leaf.shape)) for path, leaf in every_leaf(specs) if isinstance(leaf, Array)])
