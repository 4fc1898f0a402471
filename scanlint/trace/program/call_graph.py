"""Runs the interpreter over the functions of the project: it finds which are traced, by whom, and with what."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from scanlint.project.summary import EXTERNAL
from scanlint.trace.domain.callables import Closure, Code, Differentiated, Followed, Frame
from scanlint.trace.domain.captured import captured
from scanlint.trace.domain.contexts import Jit
from scanlint.trace.domain.held import holds_functions
from scanlint.trace.domain.modes import Mode
from scanlint.trace.domain.values import (
    UNKNOWN,
    Value,
    concrete,
    join,
    shallow,
    uncalled,
    undecided,
    unmarked,
    unsited,
)
from scanlint.trace.hints.used_parameters import UsedParameters
from scanlint.trace.parameters import direct, overridable, passed, received, uncalled_parameters
from scanlint.trace.program.definitions import Definitions
from scanlint.trace.program.handed_out import hands_out
from scanlint.trace.program.module_scope import ModuleScope

DEEPEST = 14
"""How deep calls are run inside each other; what is deeper waits, and those that wait for it run again behind it."""
MOST_RUNS = 100
"""How often a function may run before nothing is known of its arguments any more; 42 is the most in public code."""
MOST_WIDENED = 100
"""How often it may run after that: in other frames, and behind what it calls. What it gives stays unknown."""
MOST_DEEPER = 12
"""How often what it gives may nest deeper: a chain of itself doubles that on each run, and never comes to an end."""
MOST_FOLLOWED = 24
DEEPEST_FOLLOWED = 12


Given = TypeVar("Given")


class Graph(Definitions):
    """The world in which functions are interpreted; remembers for each how it is run."""

    def __init__(
        self,
        modules: Mapping[str, ModuleScope],
        made: Mapping[str, ModuleScope],
        rooted: Callable[[str], bool],
        placed: Callable[..., str],
    ) -> None:
        super().__init__(modules, made, rooted, placed)
        self.depth = 0
        self.used = UsedParameters()
        self.open: object | None = None
        self.following: list[Code] = []
        self.replayed: list[Frame] = []
        self.wanted: dict[Code, dict[str, None]] = {}
        self.derivatives: dict[ast.AST, Differentiated] = {}

    def root(
        self,
        closure: Closure,
        transform: str,
        mode: Mode,
        skip: frozenset[str],
        static: frozenset[str],
        jit: Jit | None,
    ) -> None:
        code = closure.code
        if self._is_frozen(code):
            return
        code.static |= static
        code.jit = code.jit or jit
        called = code.mode.traced and not code.rooted and bool(code.incoming)
        self._enter(code, mode)
        if called and code.guessed:
            code.guessed = False  # what its calls hand in is known: a guess that took its place would do so on each run
        elif mode.traced:
            own = code.first if closure.receiver is not None else ""
            code.rooted = True
            fresh = direct(self, code, skip | {own}, partial(self.uses, code))
            if closure.receiver is not None and own:
                fresh[own] = closure.receiver
            told = {n for n in overridable(code) if code.incoming.get(n, UNKNOWN).traced}  # by calls seen before
            self._receive(code, {name: value for name, value in fresh.items() if name not in told})
        fresh_frame = closure.frame is not None and closure.frame.activation not in code.results
        if (code.stale and (code.rooted or closure.frame is None)) or (code.rooted and fresh_frame):
            self.pending.append((code, closure.frame))

    def stand_in(self, primal: Closure, rule: Closure, skip: frozenset[str]) -> None:
        primal.code.rules.append((rule, skip))
        if primal.code.mode.traced:
            self.root(rule, "jax.custom_jvp", primal.code.mode, skip, frozenset(), None)

    def noted(self, closure: Closure) -> None:
        code, scope = closure.code, self.modules.get(closure.code.scope.name)
        known = scope.codes.get(code.qualname.partition(".<locals>")[0]) if scope is not None else None
        outer, frame = (known, None) if known is not None else (code, closure.frame)
        if not (code.runs or outer.running):
            self._walk(Frame(outer, outer.mode, dict(outer.incoming), frame))
            self.settle()

    def differentiate(self, node: ast.AST, derivative: Differentiated) -> None:
        if self.open is None:
            self.derivatives[node] = derivative

    def wanting(self, code: Code, parameter: str) -> None:
        if not code.scope.name.startswith(EXTERNAL):
            self.wanted.setdefault(code, {}).setdefault(parameter)

    def wants(self, code: Code) -> Collection[str]:
        return self.wanted.get(code, ())

    def _is_frozen(self, code: Code) -> bool:
        """Whether only one unit is run anew, and the function is not part of it."""
        return self.open is not None and code.record is not self.open

    def replay(self, code: Code, before: Code) -> None:
        """Interpret one unit again, with all that is known of the other functions."""
        self.open, known = code.record, len(self.frames)
        try:
            code.stale = True
            self._run(code, None)
            self.settle()
            self._resume(code, before, known)
        finally:
            self.open = None
            self.replayed += self.frames[known:]
            del self.frames[known:]

    def _resume(self, code: Code, before: Code, first: int) -> None:
        """Run the functions that are made in a unit as they were run before by those who got them.

        `first` is the place of the first frame of the replay.
        """
        for call in before.followed:
            if call.frame is None:
                self._follow(Closure(code), call.args, code.mode)
        left = list(before.record.codes.values())
        for inner in list(code.record.codes.values()):
            known = next((c for c in left if c.qualname == inner.qualname), None)
            if known is None:
                continue
            left.remove(known)
            if known.mode.traced and not inner.mode.traced:
                self._enter(inner, known.mode)
                inner.incoming, inner.rooted, inner.static = dict(known.incoming), known.rooted, known.static
                self.pending += [(inner, frame) for frame in self.frames[first:] if frame.code is code]
                self.settle()

    def _enter(self, code: Code, mode: Mode) -> None:
        """A function is run in this mode too: a traced run takes over from runs on the host."""
        if mode.traced and not code.mode.traced:
            code.mode = Mode(True, mode.above.with_(code.mode.above), mode.chain)
            code.incoming, code.results = {}, {}
            code.stale = True
            for rule, skip in code.rules:
                self.root(rule, "jax.custom_jvp", mode, skip, frozenset(), None)
        elif mode.traced == code.mode.traced and not mode.above.within(code.mode.above):
            code.mode = code.mode._replace(above=mode.above.with_(code.mode.above))
            code.stale = True

    def _receive(self, code: Code, args: Mapping[str, Value]) -> None:
        """Join arguments into what is known of the parameters."""
        for name, given in args.items() if not code.widened else ():
            value = unmarked(given)
            known = code.incoming.get(name)
            joined = value if known is None else value if value is known else join(known, value)
            if joined != known:
                code.incoming[name] = joined
                code.stale = True

    def uses(self, code: Code) -> Mapping[str, bool]:
        """The names of a function that are used as arrays; the functions that it calls are asked too."""
        return self.used.of(code)

    def _hear_lists(self, code: Code, args: Mapping[str, Value], frame: Frame | None) -> None:
        """A parameter that is given a list is no array, though what is done with its elements looks like one."""
        for name in self.used.lists(code, args):
            known = code.incoming.get(name)
            if code.rooted and known is not None and known.traced:
                code.incoming[name] = unmarked(args[name])
            else:
                self._receive(code, {name: args[name]})
            if code.runs:
                code.stale = True
                self.pending.append((code, frame))

    def invoke(self, closure: Closure, args: Mapping[str, Value], mode: Mode) -> Value:
        code = closure.code
        if self._is_frozen(code):
            result = self._first(code).result
            return result if mode.traced else concrete(result)
        self._hear_lists(code, args, closure.frame)
        if code.mode.traced and not mode.traced:
            return concrete(code.result)
        if not mode.traced and self._carries(code, args):
            followed = self._follow(closure, args, mode)
            if followed is not None:
                return followed
        if not mode.traced and closure.frame is None and mode.above.within(code.mode.above):
            return concrete(code.result)
        self._enter(code, mode)
        if code.guessed:
            code.guessed, code.rooted, code.incoming, code.stale = False, False, {}, True
        if not code.rooted:
            self._receive(code, received(self, code, args, partial(self.uses, code)))
        else:
            self._refine(code, args)
        self._run(code, closure.frame)
        result = code.results.get(closure.frame.activation, code.result) if closure.frame is not None else code.result
        return result if mode.traced else concrete(result)

    def _carries(self, code: Code, args: Mapping[str, Value]) -> bool:
        """Whether a call on the host hands functions on, or may return some that are made in it.

        A method is run for its object, whichever it be: what one object holds was seen where it was set.
        """
        if code.scope.name.startswith(EXTERNAL):
            return False
        own = code.first if code.owner is not None else ""
        handed = [v for name, v in args.items() if name != own or v.fields]
        return hands_out(self, code) or any(map(holds_functions, handed))

    def _follow(self, closure: Closure, args: Mapping[str, Value], mode: Mode) -> Value | None:
        """The result of one call on the host; None for calls too deep or too many to be followed."""
        code = closure.code
        if len(code.followed) >= MOST_FOLLOWED // 2:
            args = {name: unsited(value) for name, value in args.items()}
        taken = captured(code, closure.frame, args)
        for known in code.followed:
            if known.taken == taken:
                return known.result
        if len(code.followed) >= MOST_FOLLOWED or code in self.following or len(self.following) >= DEEPEST_FOLLOWED:
            return None
        self.following.append(code)
        given = received(self, code, args, partial(self.uses, code))
        try:
            result = self._walk(Frame(code, mode, given, closure.frame, scratch=True))
        finally:
            self.following.pop()
        code.followed.append(Followed(args, closure.frame, taken, result))
        return result

    def _first(self, code: Code) -> Code:
        """A function as it was interpreted before its file was changed."""
        scope = self.modules.get(code.scope.name)
        return scope.codes.get(code.qualname, code) if scope is not None and code.runs == 0 else code

    def _refine(self, code: Code, args: Mapping[str, Value]) -> None:
        """A call of a transformed function tells the structure of its arguments, and the functions among them."""
        for name, value in args.items() if not code.widened else ():
            known = code.incoming.get(name)
            if value == known:
                continue
            chosen = name in code.static
            if known is None or _tells(known, value, static=chosen):
                code.incoming[name] = value
                code.stale = True
            elif _adds(known, value, static=chosen):
                self._receive(code, {name: value})
            elif value.traced and not known.traced and name in overridable(code):
                code.incoming[name] = replace(value, why=passed(code, name))
                code.stale = True

    def _run(self, code: Code, frame: Frame | None) -> None:
        """Interpret a function unless nothing is new, until what it is given and what it gives no longer change."""
        if code.running:
            code.waiting |= dict.fromkeys(self.running[self._entered(code) :])
            return
        activation, taken = frame.activation if frame is not None else None, captured(code, frame)
        if code.stale:
            code.ran.clear()
        for known, result in code.ran:
            if known == taken:
                code.results[activation] = code.result = result
                return
        if code.runs >= MOST_RUNS + MOST_WIDENED:
            return
        if self.depth >= DEEPEST:
            code.waiting |= dict.fromkeys(self.running)
            self.pending.append((code, frame))
            return
        before = code.result
        self.depth += 1
        self.running.append((code, frame))
        try:
            while True:
                code.running, code.stale = True, False
                known = code.result if code.answered else None
                self._interpret(code, frame)
                changed = known is None or uncalled(code.result) != uncalled(known)
                cyclic = changed and code.answered and (code, frame) in code.waiting
                if code.widened or not (code.stale or cyclic or not code.answered):
                    break
                code.answered = code.answered or not code.stale  # no path ends: go on behind the calls all the same
                for other, _ in code.waiting:
                    other.stale = True
        finally:
            code.running = False
            self.depth -= 1
            self.running.pop()
        code.ran.append((taken, code.result))
        self._tell(code, changed=uncalled(code.result) != uncalled(before))

    def _interpret(self, code: Code, frame: Frame | None) -> None:
        """Run a function once; one that has run too often gets arguments of which nothing is known, for good."""
        code.runs += 1
        if code.runs > MOST_RUNS:
            code.incoming, code.widened = dict.fromkeys(code.incoming, UNKNOWN), True
            code.result, code.results = UNKNOWN, {}
        activation = frame.activation if frame is not None else None
        joining = any(other != activation for other in code.results)
        inner = Frame(code, code.mode, dict(code.incoming), frame, joining=joining)
        result = self._walk(inner)
        code.results[activation] = code.result = shallow(result) if code.runs > MOST_DEEPER else result
        code.answered = code.answered or inner.ended

    def _entered(self, code: Code) -> int:
        """The place of a function among those that are being run."""
        return next(place for place, (running, _) in enumerate(self.running) if running is code)

    def _tell(self, code: Code, *, changed: bool) -> None:
        """Run those again that went on without a result which is there now."""
        if not changed:
            return
        waiting, code.waiting = code.waiting, {}
        for other, frame in waiting:
            if other is not code:
                other.stale = True
                self.pending.append((other, frame))

    def fallback(self, code: Code, frame: Frame) -> None:
        mode = frame.mode
        if self._is_frozen(code):
            return
        self._enter(code, mode)
        self._receive(code, uncalled_parameters(self, code, partial(self.uses, code)))
        self._run(code, frame)

    def visit(self, code: Code) -> None:
        if code.runs == 0 and not code.mode.traced:
            self._receive(code, uncalled_parameters(self, code, partial(self.uses, code)))
            self._run(code, None)

    def close(self) -> None:
        """Take apart the circles of functions, frames and values, so that nothing has to be looked for."""
        self.forget_replays()
        _take_apart(self.frames)
        for known in (self.pending, self.derivatives):
            known.clear()
        self.forget()

    def forget_replays(self) -> None:
        """Take apart the frames that replays have left behind."""
        _take_apart(self.replayed)

    def settle(self) -> None:
        """Run what waits, until nothing does."""
        while self.pending:
            code, frame = self.pending.pop()
            if code.stale or (frame is not None and frame.activation not in code.results):
                self._run(code, frame)


def _take_apart(frames: list[Frame]) -> None:
    for frame in frames:
        frame.env.clear()
        frame.returned.clear()
        frame.made.clear()
    frames.clear()


def _tells(known: Value, value: Value, *, static: bool) -> bool:
    """Whether an argument says what nothing but the transform has told of so far: a structure, or a function."""
    if static and undecided(known):
        return value.callee is not None
    return known.traced and not known.array and bool(value.container or value.array)


def _adds(known: Value, value: Value, *, static: bool) -> bool:
    """Whether an argument may be another than those of the calls so far: another constant, or another function."""
    functions = static and known.callee is not None and value.callee is not None
    return functions or (known.known and (static or isinstance(known.constant, bool)))
