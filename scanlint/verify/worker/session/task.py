"""One verification from beginning to end, in the child process."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..comparing.agreement import describe
from ..comparing.branch_cover import Coverage, changed_lines
from ..comparing.judge import Judge
from ..comparing.refutations import Raises, Refuted, Unknown, Weaker
from ..harvest.file_calls import harvest
from ..harvest.function_makers import making, recorded_products
from ..harvest.recorded_calls import Call, Recordings, arguments, required
from ..infer.given_inputs import BadSpecification
from ..infer.selecting_parameters import asked_for_truth
from ..infer.specs import Array
from ..infer.static_parameters import statics
from ..runtime.calling import Signature, TookTooLong, Values, jitted
from ..runtime.jax_errors import in_staged_body
from ..runtime.jax_functions import enable_x64, x64
from ..runtime.loading import Loaded
from ..runtime.stored_results import storing
from ..runtime.version_pair import VersionPair
from ..sandbox.confine import Enclosure
from ..sandbox.intact import Intact
from ..search.attempts import Tried
from ..search.carry_avals import Watched
from ..search.carry_settling import Settling
from ..search.case_values import AROUND_CONSTANTS, LARGE_VALUES, Case, Family
from ..search.final_dtypes import ended
from ..search.input_sources import REMEDY, Inputs, NoInputs
from ..search.longer_axes import LONGER_AXES
from ..standing.interface import changed_interface, lost_arguments, other_kind
from ..standing.module_constants import left_otherwise, read_otherwise
from ..standing.optional_arguments import PRESENT
from ..standing.same_text import same_text
from ..standing.whole_module import NotDefined
from ..testing.decided_by_python import otherwise
from ..testing.program_comparison import made as made_case
from ..testing.weigh import Weighing
from .assigned_items import NOTE, RAN
from .case_families import Families
from .endings import OTHERWISE
from .ground import Ground
from .measure import measured
from .versions import Versions
from .watch import MEASURING, Clock
from .without_checks import same_checks

WITHOUT_CHECKS = "compared without assertions and prints, some of which keep the function from being traced"
SAME_TEXT = "both versions are the same text, and import the same: no result of theirs could be compared"
AMBIGUOUS = "truth value of an array with more than one element"
LATE = 0.55  # of a task's time: after that no further comparison begins
MOST_LONGER, MOST_AROUND = 3, 4
Answer = dict[str, object]


def run(
    request: Answer, ground: Ground, stage: Callable[[str], None], keep: Callable[[Answer], None] = lambda answer: None
) -> Answer:
    """The answer to one request; no exception of the code under test escapes.

    Before other inputs are tried, with a time limit of their own, `keep` is given the answer so far.
    """
    recordings, harvested = (Recordings.read(request.get(kind)) for kind in ("recorded", "harvested"))
    kind, asked = "recorded", request.get("asked", "all")
    if harvested and not recordings and not request["given"]:
        kind, recordings = "harvested", harvested.traced() if request["traced"] else harvested
    begun = functools.partial(VerificationRun, request, stage, ground)
    task, answer = attempt(begun(recordings, kind=kind, measuring=keep))
    if answer["verdict"] == "unknown" and task.recordings and asked != "called":
        keep(task.trusted(answer))
        other, again = attempt(begun(Recordings(), measuring=keep))
        if again["verdict"] != "unknown":
            task, answer = other, again
    if task.held_by_checks(answer) and asked != "called":
        keep(task.trusted(answer))
        tested = functools.partial(_with_verdict, keep, "tested")
        other, again = attempt(begun(task.recordings, kind=kind, silent=True, measuring=tested))
        if again["verdict"] in ("proved", "tested"):
            task, answer = other, {**again, "verdict": "tested"}
    if answer["verdict"] == "unknown" and task.ran_same_text():
        answer = {**answer, "verdict": "proved", "reason": None, "notes": [*answer["notes"], SAME_TEXT]}  # type: ignore[misc]
    doubt = {"doubtful": True} if task.doubtful(answer) else {}
    return {**task.trusted(answer), **doubt, "protections": ground.enclosure.protections}


def _with_verdict(keep: Callable[[Answer], None], verdict: str, answer: Answer) -> None:
    keep({**answer, "verdict": verdict})


def attempt(task: VerificationRun) -> tuple[VerificationRun, Answer]:
    """The answer, whatever the code under test raises."""
    try:
        answer = task.verdict()
        if task.weighing is not None and task.weighing.fades:
            answer["carries"] = task.carries(faded=True)
    except (Unknown, NoInputs) as error:
        answer = task.answer("unknown", reason=str(error))
    except NotDefined as error:
        answer = {**task.answer("unknown", reason=str(error)), "failed": str(error)}
    except Refuted as error:
        if (name := task.no_array(error)) is not None:
            return task, task.answer("unknown", reason=f"`{name}` was taken for an array, and is none; {REMEDY}")
        answer = task.answer("refuted", reason="the two versions differ", counterexample=str(error))
        if isinstance(error, Weaker) or error.of_carried_types:
            answer["carries"] = task.carries(faded=isinstance(error, Weaker))
        elif isinstance(error, Raises) and task.source == "synthesised":
            task.guessed = in_staged_body(error.__cause__)
    except BadSpecification as error:
        answer = task.answer("unknown", reason=f"the input specification cannot be read: {error}")
    except SystemExit:
        answer = task.answer("unknown", reason="the code under test exits")
    except TookTooLong:
        answer = {**task.answer("unknown", reason="the code under test takes too long"), "limited": OTHERWISE}
    except MemoryError:
        answer = {**task.answer("unknown", reason="the code under test needs too much memory"), "limited": OTHERWISE}
    except Exception:
        if not task.intact.changed():
            raise
        answer = task.answer("unknown")  # which change it was is said where the answer is trusted
    return task, answer


@dataclass
class VerificationRun:
    """One attempt at a request: the request, and what is found out about it.

    `measuring` is told the answer before anything is measured, which may take longer than there is time.
    """

    request: Answer
    stage: Callable[[str], None]
    ground: Ground
    recordings: Recordings
    measuring: Callable[[Answer], None] = lambda answer: None
    kind: str = "recorded"
    silent: bool = False
    guessed: bool = False
    notes: list[str] = field(default_factory=list)
    source: str = "synthesised"
    weighing: Weighing | None = None
    settling: Settling | None = None
    families: list[Family] = field(default_factory=list)
    seconds: tuple[float | None, float | None] = (None, None)
    enclosure: Enclosure = field(init=False)
    intact: Intact = field(init=False)
    clock: Clock = field(init=False)
    versions: Versions = field(init=False)

    def __post_init__(self) -> None:
        self.enclosure, self.intact = self.ground.enclosure, self.ground.intact
        self.versions = Versions(self.request, self.stage, self.enclosure, self.intact, self.silent, self.notes)
        self.clock = Clock(os.getpid(), LATE * float(str(self.request["timeout"])))
        self.notes += [WITHOUT_CHECKS] if self.silent else []

    def answer(self, verdict: str, **more: object) -> Answer:
        weighing = self.weighing
        sure = verdict in ("proved", "tested")
        return {
            "verdict": verdict,
            "inputs": self.source,
            "cases": weighing.cases if weighing else 0,
            "max_abs_error": weighing.max_error if weighing and weighing.cases else None,
            "equations_before": weighing.programs.before if weighing else None,
            "equations_after": weighing.programs.after if weighing else None,
            "compile_seconds_before": self.seconds[0],
            "compile_seconds_after": self.seconds[1],
            "holds_for": weighing.held_for(verdict) if weighing is not None and sure else None,
            "evidence": weighing.evidence() if weighing is not None and sure else [],
            "notes": list(
                dict.fromkeys([*self.notes, *([NOTE] if RAN else []), *(weighing.notes if weighing else [])])
            ),
            **more,
        }

    def held_by_checks(self, answer: Answer) -> bool:
        """Whether the versions may agree under tracing too, but for assertions and prints that fail there."""
        judges = self.weighing.judges if self.weighing else []
        held = any(judge.partial for judge in judges) or AssertionError.__name__ in str(answer.get("reason"))
        return answer["verdict"] == "unknown" and held and same_checks(self.text("old"), self.text("new"))

    def doubtful(self, answer: Answer) -> bool:
        """Whether inputs from other files may change the verdict.

        They may if there were no inputs, or if the new version only fails in the body of a loop on guessed inputs: the
        old version may have returned a result because it skipped that loop, for arguments that no caller passes.
        """
        return self.source in ("synthesised", "harvested") and (answer["verdict"] == "unknown" or self.guessed)

    def trusted(self, answer: Answer) -> Answer:
        """The answer, unless the code under test changed the verifier or had effects other than its result."""
        refused = [*self.enclosure.running, *self.enclosure.set_up]
        if refused:
            self.notes.append(f"refused while verifying: {refused[0]}")
            answer = {**answer, "notes": [*list(answer["notes"]), self.notes[-1]]}  # type: ignore[call-overload]
        if changed := self.intact.changed():
            return self.answer("unknown", reason=f"the code under test replaces `{changed}`, which the verifier uses")
        if answer["verdict"] not in ("unknown", "refuted") and self.enclosure.running:
            return self.answer("unknown", reason=f"it does more than give results: {self.enclosure.running[0]}")
        return answer

    def text(self, name: str) -> str:
        return str(self.request[name])

    def no_array(self, error: Refuted) -> str | None:
        """The parameter that was guessed to be an array, where the new version asks for the truth of a list."""
        if not isinstance(error, Raises) or self.source != "synthesised" or AMBIGUOUS not in str(error):
            return None
        new = self.weighing.full.pair.new.function if self.weighing is not None else None
        arrays = {name for f in self.families for name, spec in (f.specs or {}).items() if isinstance(spec, Array)}
        return next((n for n in asked_for_truth(new) if n in arrays), None) if new is not None else None

    def ran_same_text(self) -> bool:
        """Whether the old version gave results, and all that both versions run is written in the same way."""
        if self.weighing is None or not self.versions.free or not any(judge.gave for judge in self.weighing.judges):
            return False
        pair = self.weighing.full.pair
        return same_text(pair.old, pair.new, self.text("function"))

    def verdict(self) -> Answer:
        if self.recordings.wide and not x64():
            enable_x64(True)
        coverage = Coverage(frozenset(changed_lines(self.text("old"), self.text("new"))))
        old, new = self.versions.as_imported(coverage)
        assert old.function is not None and new.function is not None
        static = frozenset(str(s) for s in self.request["static"])  # type: ignore[attr-defined]
        signature = Signature.of(old.function, static | statics(old) | statics(new))
        dotted = self.text("function")
        owner = old.resolve(dotted.rpartition(".")[0]) if "." in dotted else None
        if any(_name(d) == "classmethod" for d in old.function.decorator_list):
            signature = replace(signature, positional=signature.positional[1:])
            owner = None
        self.stage("building the recorded inputs")
        with self.enclosure.setting_up():
            signature, recorded = self.recorded(old, signature)
        node, fixed = old.function, dict[str, object]()
        if not recorded and (whole := self.making(old, signature, coverage)) is not None:
            signature, node, fixed = whole
        if not any(jitted(self.versions.resolve(version, dotted)) for version in (old, new)):
            signature = storing(signature, old.function, new.function)
        full = self.versions.judge(old, new, signature, old, coverage)
        if self.versions.free:
            self.called_as_before(full, owner)
        twin = self.versions.twin(old, signature, coverage)
        if twin is not None:
            twin.notes = full.notes  # what is said stays said where the twin is left
        inputs = Inputs(
            old, (twin or full).pair.before, node, signature,
            owner if isinstance(owner, type) else None, twin.pair.old if twin else None, new.function, fixed=fixed,
            tried=self.tried(signature, short=twin is not None) if not fixed else {},
        )  # fmt: skip
        self.weighing = weighing = Weighing(full, twin, inputs, coverage, self.versions.widened, late=self.clock.over)
        weighing.shortest = functools.partial(self.versions.twin, old, signature, coverage, first=1)
        self.intact.hold(weighing, "full", "inputs", "coverage", "programs", "widen", "late")
        self.intact.hold(weighing.programs, "full", "twin")
        self.stage("making inputs")
        given = tuple((str(g), str(place)) for g, place in self.request["given"])  # type: ignore[attr-defined]
        watched = Watched()
        self.settling = settling = Settling(
            inputs,
            watched,
            functools.cache(lambda: self.versions.watched(watched)),
            lambda specs, wanted, decides: ended(
                (twin or full).pair,
                dotted,
                specs,
                inputs.constants()[0],
                wanted,
                None if decides else lambda names: inputs.attempt(specs, reached=names),
            ),
        )
        families = Families(
            inputs, twin or full, dotted, given, settling, self.enclosure.setting_up, recorded, self.kind
        )
        families.free = self.versions.free
        self.families = found = families.found(full.pair.before)
        self.source = families.source
        verdict = weighing.verdict(found)
        tried = list(filter(None, map(made_case, telling_cases(found))))
        if left := left_otherwise(full.pair, [*tried[:1], *otherwise(weighing, found)]):
            raise Refuted(left)
        if tried and self.versions.free:
            verdict = self.as_called(full.pair, tried, verdict)
        if self.request["measure"]:
            self.stage(MEASURING)
            self.measuring(self.trusted(self.answer(verdict)))
            self.seconds, notes = measured(full.pair, weighing.measurable(found))
            self.notes += notes
        return self.answer(verdict)

    def as_called(self, pair: VersionPair, tried: list[Values], verdict: str) -> str:
        """The verdict; raises Refuted where callers may not use the new version, which computes the same."""
        if lost := lost_arguments(pair, tried[0]):
            raise Refuted(f"{describe(tried[0])}: {lost}")
        for values in tried if self.weighing is not None and self.weighing.full.host else ():
            if kind := other_kind(pair, values):
                raise Refuted(f"{describe(values)}: {kind}")
        self.stage("changing what the functions read of their modules")
        reads = read_otherwise(pair, tried, proved=verdict == "proved")
        if reads is None:
            return verdict
        if reads.refutes:
            raise Refuted(f"{reads.text}; only the old version reads `{reads.name}` when it is called")
        self.notes.append(f"the versions read `{reads.name}` at other times, and differ: {reads.text}")
        return "tested"

    def tried(self, signature: Signature, *, short: bool) -> Tried:
        """The results of attempts on the same old version, also in tasks before this one."""
        known = self.text("old"), repr(signature), short, self.silent, self.kind
        return self.ground.tried.setdefault(known, {})

    def called_as_before(self, judge: Judge, owner: object) -> None:
        """Raise Refuted where calls of the old version are none of the new one."""
        pair = judge.pair
        if lost := changed_interface(pair.before, pair.after, method=isinstance(owner, type)):
            raise Refuted(f"`{self.text('function')}` is called in another way: {lost}")

    def recorded(self, old: Loaded, signature: Signature) -> tuple[Signature, tuple[Values, ...]]:
        """The signature and arguments of the recorded calls of the function, or of the function that it makes."""
        if not self.recordings:
            return signature, ()
        dotted, root = self.text("function"), self.text("root")
        function = self.versions.resolve(old, dotted)
        values, why = arguments(self.recordings.of(dotted), old, root, signature, required(function))
        inside = {
            name: functools.partial(self.inner, calls, old) for name, calls in self.recordings.inside(dotted).items()
        }
        product = recorded_products(old, function, signature, values, inside)
        if product is not None:
            return product
        if why is not None:
            self.notes.append(f"not all recorded calls fit: {why}")
        return signature, tuple(values)

    def making(
        self, old: Loaded, signature: Signature, coverage: Coverage
    ) -> tuple[Signature, ast.FunctionDef | ast.AsyncFunctionDef, Values] | None:
        """For a function that makes functions: the signature and parameters of both, and the maker's arguments."""
        dotted = self.text("function")
        found = making(old.function, signature, coverage.changed) if old.function and "." not in dotted else None
        if found is None or self.request["given"]:
            return None
        with self.enclosure.setting_up():
            calls = list(harvest(old.tree, old.names, dotted, self.versions.resolve(old, dotted)))
        return *found, calls[0] if calls else {}

    def inner(self, calls: Sequence[Call], old: Loaded, signature: Signature) -> list[Values]:
        """The recorded calls of a function that the one under test makes."""
        return arguments(calls, old, self.text("root"), signature, frozenset())[0]

    def carries(self, *, faded: bool) -> list[Answer]:
        """The carries of the new version that change their type, or lose their dtype, in the form of the answer."""
        if self.settling is None:
            return []
        self.stage("tracing the types of carries")
        tried = [f.specs for f in self.families if f.specs is not None and not f.label.startswith(PRESENT)]
        misfits = self.settling.faded(tried) if faded else self.settling.misfits(tried)
        return [{**s._asdict(), "likes": sorted(s.likes)} for s in misfits]


def telling_cases(families: list[Family]) -> list[Case]:
    """The first case, and others on which tests come out in both ways: long axes, values around the constants."""
    longer = next((f.cases for f in families if f.label.startswith(LONGER_AXES)), [])
    around = [case for case in families[0].cases if case.label.startswith((AROUND_CONSTANTS, LARGE_VALUES))]
    return [*families[0].cases[:1], *longer[:MOST_LONGER], *families[0].cases[1:3], *around[:MOST_AROUND]]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
