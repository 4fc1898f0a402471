"""One verification from beginning to end, in the child process."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import jax

from . import sandbox
from .call import Reached, Signature, TookTooLong, code_objects, limited, split
from .given import BadSpecification
from .harvest import harvest
from .inputs import REMEDY, Inputs, NoInputs
from .jaxes import enable_x64, x64
from .judge import Judge, Refuted
from .module import Loaded, load
from .prove import Proof, prove
from .values import Case, Mode, Specs, Values, cases, modes, searching, varied

MAX_CASES = 30
PROVED_CASES = 5
LOAD_SECONDS = 20.0
Answer = dict[str, object]


class Unknown(Exception):
    """No verdict can be given; the message says why and what to do."""


def run(request: Answer, folder: str, stage: Callable[[str], None]) -> Answer:
    """The answer to one request; nothing that the code under test raises comes through."""
    refused = sandbox.enclose(folder)
    task = Task(request, stage)
    try:
        answer = task.verdict()
    except Unknown as error:
        answer = task.answer("unknown", reason=str(error))
    except Refuted as error:
        answer = task.answer("refuted", reason="the two versions differ", counterexample=str(error))
    except BadSpecification as error:
        answer = task.answer("unknown", reason=f"the input specification cannot be read: {error}")
    except NoInputs as error:
        answer = task.answer("unknown", reason=str(error))
    except SystemExit:
        answer = task.answer("unknown", reason="the code under test exits")
    except MemoryError:
        answer = task.answer("unknown", reason="the code under test needs too much memory")
    if refused:
        notes = [*list(answer["notes"]), f"refused while verifying: {refused[0]}"]  # type: ignore[call-overload]
        answer["notes"] = notes
    return answer


@dataclass
class Family:
    """Cases that share shapes; `specs` where they are made from specs."""

    label: str
    specs: Specs | None
    cases: list[Case]


@dataclass
class Task:
    """The request, and what is found out about it."""

    request: Answer
    stage: Callable[[str], None]
    notes: list[str] = field(default_factory=list)
    source: str = "synthesised"
    judge: Judge | None = None
    before: int | None = None
    after: int | None = None
    branches: bool = False

    def answer(self, verdict: str, **more: object) -> Answer:
        judge = self.judge
        return {
            "verdict": verdict,
            "inputs": self.source,
            "cases": judge.cases if judge else 0,
            "max_abs_error": judge.max_error if judge and judge.cases else None,
            "equations_before": self.before,
            "equations_after": self.after,
            "notes": [*self.notes, *(judge.notes if judge else [])],
            **more,
        }

    def text(self, name: str) -> str:
        return str(self.request[name])

    def load(self, which: str, suffix: str) -> Loaded:
        """One version; raises Unknown where it cannot be loaded."""
        self.stage(f"loading the {'old' if which == 'old' else 'new'} version")
        try:
            with limited(LOAD_SECONDS):
                loaded = load(self.text(which), self.text("file"), self.text("root"), self.text("function"), suffix)
        except TookTooLong:
            raise Unknown(f"the module takes more than {LOAD_SECONDS:g} s to load") from None
        except SystemExit:
            raise Unknown("the module exits when it is loaded") from None
        except Exception as error:
            raise Unknown(f"the {which} version does not load: {type(error).__name__}: {error}") from error
        if loaded.function is None:
            raise Unknown(f"there is no function `{self.text('function')}` in the {which} version")
        if loaded.whole:
            self.notes.append("the whole module was imported")
        return loaded

    def verdict(self) -> Answer:
        old = self.load("old", "before")
        try:
            new = self.load("new", "after")
        except Unknown as error:
            raise Refuted(str(error)) from error
        assert old.function is not None and new.function is not None
        static = frozenset(str(s) for s in self.request["static"])  # type: ignore[attr-defined]
        static |= statics(old) | statics(new)
        dotted = self.text("function")
        before, after = self.resolve(old, dotted), self.resolve(new, dotted)
        signature = Signature.of(old.function, static)
        owner = old.resolve(dotted.rpartition(".")[0]) if "." in dotted else None
        if any(_name(d) == "classmethod" for d in old.function.decorator_list):
            signature = Signature(signature.positional[1:], signature.keyword, static)
            owner = None
        reached = Reached(code_objects(before))
        self.judge = Judge(
            old, new, before, after, signature, bool(self.request["traced"]), bool(self.request["differentiated"]),
            self.stage, reached,
        )  # fmt: skip
        inputs = Inputs(old, before, old.function, signature, owner if isinstance(owner, type) else None)
        families = self.families(inputs, before)
        return self.weigh(inputs, families)

    def resolve(self, loaded: Loaded, dotted: str) -> Callable[..., object]:
        try:
            found = loaded.resolve(dotted)
        except (KeyError, AttributeError):
            raise Unknown(f"`{dotted}` is not defined when the module is loaded") from None
        if not callable(found):
            raise Unknown(f"`{dotted}` is not callable")
        return found

    def families(self, inputs: Inputs, before: Callable[..., object]) -> list[Family]:
        """Inputs in the order of trust: given, harvested, synthesised."""
        floats, _integers = inputs.constants()
        self.stage("making inputs")
        given = tuple(str(g) for g in self.request["given"])  # type: ignore[attr-defined]
        if given:
            self.source = "given"
            found = list(inputs.given(given))
            return [f for specs in found for f in self.grown(inputs, specs, vary=False)]
        harvested = self.harvested(inputs, before)
        families = [Family("", None, list(varied(v, floats))) for v in harvested]
        try:
            families += self.grown(inputs, self.guessed(inputs))
        except NoInputs:
            if not families:
                raise
        if harvested:
            self.source = "harvested"
        return families

    def guessed(self, inputs: Inputs) -> Specs:
        """Synthesised specs; where the new version cannot be traced with them, others that both versions take."""
        specs = inputs.synthesised()
        judge = self.judge
        assert judge is not None
        owner = inputs.owner is not None
        if owner or inputs.attempt(specs, judge.after) is None:
            return specs
        other = inputs.accepted_by_both(specs, lambda s: inputs.attempt(s, judge.after))
        return specs if other is None else other

    def harvested(self, inputs: Inputs, before: Callable[..., object]) -> list[Values]:
        """Arguments of call sites that the old version really accepts."""
        try:
            found = list(harvest(inputs.loaded.tree, inputs.loaded.names, self.text("function"), before))
        except (TypeError, ValueError):
            return []
        names = {*inputs.signature.positional, *inputs.signature.keyword}
        return [v for v in found if set(v) <= names]

    def grown(self, inputs: Inputs, specs: Specs, *, vary: bool = True) -> list[Family]:
        """The specs in several sizes, the first with all its cases, the others with a few."""
        floats, integers = inputs.constants()
        found = []
        for label, sized in inputs.variants(specs) if vary else [("", specs)]:
            wanted = (
                list(modes(sized, floats, integers))
                if not label
                else [Mode("ordinary values"), Mode("other values", seed=1, turn=1, mixed=True)]
            )
            found.append(Family(label, sized, list(cases(sized, iter(wanted), integers))))
        return found

    def weigh(self, inputs: Inputs, families: list[Family]) -> Answer:
        """Prove where possible, test everywhere."""
        judge = self.judge
        assert judge is not None
        proved = self.proof(families)
        judge.staged = self.before is not None and not self.branches
        if proved:
            judge.reached = Reached(frozenset())
        for family in families:
            first = family is families[0]
            for case in family.cases[: (PROVED_CASES if first else 0) if proved else (MAX_CASES if first else 2)]:
                if judge.cases < MAX_CASES:
                    judge.check(case, family.label)
        if not judge.cases:
            why = judge.failures[-1] if judge.failures else "no case ran to its end"
            raise Unknown(f"no input gave a result to compare: {why}; {REMEDY}")
        if not proved:
            self.cover(inputs, families)
        self.derivatives(families)
        if not proved:
            judge.batched(families[0].cases[0])
        self.widened(inputs, families, proved)
        return self.answer("proved" if proved else "tested")

    def proof(self, families: list[Family]) -> bool:
        """Whether the programs are the same for all shapes and static values tried."""
        judge = self.judge
        assert judge is not None
        self.stage("comparing the traced programs")
        seen: set[str] = set()
        good = True
        for family in families:
            for case in family.cases:
                values = case.make()
                key = self.shape_of(values)
                if key in seen:
                    continue
                seen.add(key)
                proof = self.one_proof(judge, values)
                self.before, self.after = _larger(self.before, proof.before), _larger(self.after, proof.after)
                good = good and proof.same
                self.branches = self.branches or proof.branches
                if len(seen) > 24:
                    return good
                if not good and len(seen) > 2:
                    return False
        return good and bool(seen)

    def shape_of(self, values: Values) -> str:
        """What distinguishes traces: shapes of arrays, values of everything else."""
        flat, tree = jax.tree_util.tree_flatten(values)
        return str((tree, [(x.shape, str(x.dtype)) if hasattr(x, "dtype") else x for x in flat]))

    def one_proof(self, judge: Judge, values: Values) -> Proof:
        parts = split(values, judge.signature.static, numbers=True)
        mine = split(judge.moved(values), judge.signature.static, numbers=True)
        with limited(8.0):
            try:
                return prove(
                    lambda *ls: judge.signature.call(judge.before, parts.rebuild(ls)),
                    lambda *ls: judge.signature.call(judge.after, mine.rebuild(ls)),
                    parts.leaves,
                )
            except TookTooLong:
                return Proof(False, "comparing took too long")

    def cover(self, inputs: Inputs, families: list[Family]) -> None:
        """Every changed branch of the old version must have been taken; search for inputs that take the rest."""
        judge = self.judge
        assert judge is not None
        missing = self.missing(inputs, judge.reached)
        floats, integers = inputs.constants()
        specs = next((f.specs for f in families if f.specs is not None), None)
        if missing and specs is not None:
            self.stage("searching for inputs that take every branch")
            for case in cases(specs, searching(floats), integers):
                judge.check(case)
                missing = self.missing(inputs, judge.reached)
                if not missing:
                    return
        if missing:
            raise Unknown(f"{missing[0]} never taken by the inputs tried; {REMEDY}")

    def missing(self, inputs: Inputs, reached: Reached) -> list[str]:
        changed = changed_lines(self.text("old"), self.text("new"))
        return untaken(inputs.node, reached, changed)

    def derivatives(self, families: list[Family]) -> None:
        judge = self.judge
        assert judge is not None
        chosen = [c for c in families[0].cases if c.finite]
        ordinary = [c for c in chosen if c.ordinary][:2]
        boundary = [c for c in chosen if not c.ordinary][:3]
        for case in [*ordinary, *boundary]:
            if not judge.gradients(case) and case is chosen[0]:
                return

    def widened(self, inputs: Inputs, families: list[Family], proved: bool) -> None:
        """The first cases once more with 64-bit types."""
        specs = next((f.specs for f in families if f.specs is not None), None)
        judge = self.judge
        if specs is None or judge is None or x64():
            return
        enable_x64(True)
        try:
            old, new = self.load("old", "before"), self.load("new", "after")
            dotted = self.text("function")
            wide = Judge(
                old, new, self.resolve(old, dotted), self.resolve(new, dotted), judge.signature, judge.traced,
                judge.differentiated, self.stage,
            )  # fmt: skip
            _, integers = inputs.constants()
            wide.staged = judge.staged
            chosen = [Mode("ordinary values"), Mode("other values", seed=1, scale=3.0, turn=1, mixed=True)]
            for case in cases(specs, iter(chosen), integers, wide=True):
                if not (proved and self.one_proof(wide, case.make()).same):
                    wide.check(case, "with x64")
            judge.cases += wide.cases
        except Refuted as error:
            raise Refuted(f"with x64 enabled: {error}") from error
        except Unknown as error:
            self.notes.append(f"not compared with x64: {error}")
        finally:
            enable_x64(False)


def _larger(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def statics(loaded: Loaded) -> frozenset[str]:
    """Parameters that a `jit` of this function in its file makes static."""
    node = loaded.function
    assert node is not None
    positional = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    found: set[str] = set()
    calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]
    for inner in ast.walk(loaded.tree):
        match inner:
            case ast.Call(args=[ast.Name(id=name), *_]) | ast.Call(args=[ast.Attribute(attr=name), *_]):
                if name == node.name:
                    calls.append(inner)
    for call in calls:
        for keyword in call.keywords:
            if keyword.arg not in ("static_argnames", "static_argnums"):
                continue
            try:
                value = ast.literal_eval(keyword.value)
            except ValueError:
                continue
            for entry in value if isinstance(value, (tuple, list, set)) else (value,):
                if isinstance(entry, str):
                    found.add(entry)
                elif isinstance(entry, int) and -len(positional) <= entry < len(positional):
                    found.add(positional[entry])
    return frozenset(found)


def changed_lines(old: str, new: str) -> set[int]:
    """Lines of the old text that the new one does not keep."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return {
        line + 1
        for tag, start, end, _, _ in matcher.get_opcodes()
        if tag != "equal"
        for line in range(start, max(end, start + 1))
    }


def untaken(node: ast.AST, reached: Reached, changed: set[int]) -> list[str]:
    """Arms of changed branches and bodies of changed loops that no case entered."""
    found: list[str] = []

    def entered(body: list[ast.stmt]) -> bool:
        if all(isinstance(s, (ast.Raise, ast.Pass, ast.Assert)) for s in body):
            return True
        return any(line in reached.lines for s in body for line in range(s.lineno, (s.end_lineno or s.lineno) + 1))

    for inner in ast.walk(node):
        if not isinstance(inner, (ast.If, ast.For, ast.While)):
            continue
        if not changed & set(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)):
            continue
        if not entered(inner.body):
            found.append(f"branch at line {inner.body[0].lineno}")
        elif isinstance(inner, ast.If) and inner.orelse and not entered(inner.orelse):
            found.append(f"branch at line {inner.orelse[0].lineno}")
        elif isinstance(inner, ast.If) and not inner.orelse and not _skipped(inner, reached):
            found.append(f"the way past the `if` at line {inner.lineno}")
    return found


def _skipped(node: ast.If, reached: Reached) -> bool:
    """Whether an `if` without `else` was once false: its test is followed by something else than its body."""
    test = range(node.test.lineno, (node.test.end_lineno or node.test.lineno) + 1)
    body = range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
    if node.lineno == node.body[0].lineno or all(isinstance(s, ast.Raise) for s in node.body):
        return True
    return any(a in test and b not in test and b not in body for a, b in reached.arcs)


__all__ = ["inspect", "run"]
