"""Counts for lines and loops: operations run one by one, functions compiled anew, values asked of tracers."""

from __future__ import annotations

import atexit
import functools
import os
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import Callable

from .concrete import code_of
from .parts import Parts
from .wanted import Plan

DEEPEST = 40
"""Frames that are looked at behind one operation."""
REMEMBERED = 20_000
FLUSH = 5.0
"""Seconds after which what is known is written again: a process may be killed."""
ERRORS = (
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "NonConcreteBooleanIndexError",
)
Line = tuple[str, int]
Loop = tuple[str, int, int]
Place = tuple[Line, tuple[Loop, ...]]
Hook = Callable[[object, object, object, object], object]


class Sources:
    """The files of the project by the names that code objects have, and the loops in them."""

    def __init__(self, plan: Plan) -> None:
        self.root = plan["root"]
        self.loops = {file: [(a, b) for a, b in spans] for file, spans in plan["loops"].items()}
        self.inside: dict[str, str] = {}

    def file(self, name: str) -> str:
        """A file of the project relative to its root; empty for others."""
        if name not in self.inside:
            real = os.path.realpath(name) if os.path.isabs(name) else ""
            inside = real.startswith(self.root) and "site-packages" not in real
            self.inside[name] = real[len(self.root) :].replace("\\", "/") if inside else ""
        return self.inside[name]

    def loops_at(self, file: str, line: int) -> tuple[Loop, ...]:
        """The loops around a line, the innermost first."""
        around = [(b - a, a, b) for a, b in self.loops.get(file, ()) if a <= line <= b]
        return tuple((file, a, b) for _, a, b in sorted(around))


class Evidence:
    """Counts while the program runs; what it does stays the same."""

    def __init__(self, parts: Parts, sources: Sources) -> None:
        self.sources = sources
        self.parts = parts
        self.began = self.flushed = time.perf_counter()
        self.places: dict[tuple[int, int], Place | None] = {}
        self.own: dict[int, bool] = {}
        self.codes: dict[int, types.CodeType] = {}
        self.local = threading.local()
        self.dispatches: Counter[Loop] = Counter()
        self.entries: Counter[Loop] = Counter()
        self.seconds: dict[Loop, float] = {}
        self.compiled: dict[tuple[str, int, str], CompileCount] = {}
        self.stopped: dict[Line, str] = {}
        self.before: Hook | None = None

    def listen(self) -> None:
        """Begin, once jax has been imported."""
        hook_dispatches(self)
        for name in ERRORS:
            kind = getattr(sys.modules["jax"].errors, name, None)
            if isinstance(kind, type) and "__init__" in vars(kind):
                self._watch(kind)
        atexit.register(self.flush)

    def dispatched(self, function: object, args: object, kwargs: object, out: object) -> None:
        """JAX ran a compiled function: one operation, or a whole jitted function."""
        now = time.perf_counter()
        try:
            self._count(function, sys._getframe(1), now)
            if now - self.flushed > FLUSH:
                self.flush()
        except Exception:  # noqa: BLE001  the user's program goes on, whatever is wrong here
            self.flushed = now
        if self.before is not None:
            self.before(function, args, kwargs, out)

    def _count(self, function: object, frame: types.FrameType | None, now: float) -> None:
        _, loops = self.place(frame)
        then, known = getattr(self.local, "last", (now, ()))
        self.local.last = now, loops
        single = not self.is_own(function)
        for loop in loops:
            if loop not in known:
                self.entries[loop] += 1
            elif single:
                self.seconds[loop] = self.seconds.get(loop, 0.0) + now - then
            self.dispatches[loop] += single

    def is_own(self, function: object) -> bool:
        """Whether the project itself jits the function."""
        code = getattr(getattr(function, "__wrapped__", None), "__code__", None) or code_of(function)
        if code is None:
            return False
        if id(code) not in self.own:
            self.own[id(code)] = bool(self.sources.file(code.co_filename))
            self.codes[id(code)] = code
        return self.own[id(code)]

    def place(self, frame: types.FrameType | None) -> tuple[Line | None, tuple[Loop, ...]]:
        """The innermost line of the project behind a frame, and all loops that are being run."""
        line: Line | None = None
        loops: tuple[Loop, ...] = ()
        places = self.places
        for _ in range(DEEPEST):
            if frame is None:
                break
            key = id(frame.f_code), frame.f_lasti  # the hash of a code object and the line of a frame cost more
            found = places[key] if key in places else self._remember(key, frame)
            if found is not None:
                line = line or found[0]
                loops += found[1]
            frame = frame.f_back
        return line, loops

    def _remember(self, key: tuple[int, int], frame: types.FrameType) -> Place | None:
        """The line and loops where a frame is; its code is kept, so that no other one gets its address."""
        if len(self.places) > REMEMBERED:
            self.places.clear()
        self.codes[key[0]] = frame.f_code
        file, line = self.sources.file(frame.f_code.co_filename), frame.f_lineno
        self.places[key] = ((file, line), self.sources.loops_at(file, line)) if file else None
        return self.places[key]

    def lowered(self, program: object, function: object, frame: types.FrameType | None) -> tuple[str, int, str] | None:
        """A program is being compiled: for a function of the project, or for an operation on one of its lines."""
        code = code_of(function)
        file = self.sources.file(code.co_filename) if code is not None else ""
        if code is not None and file:
            key = file, code.co_firstlineno, code.co_name
        else:
            line, _ = self.place(frame)
            if line is None:
                return None
            key = *line, getattr(function, "__name__", "")
        shapes = str(getattr(program, "in_avals", ""))
        self.compiled.setdefault(key, CompileCount(bool(file))).add(shapes)
        return key

    def spent(self, key: tuple[str, int, str] | None, seconds: float) -> None:
        """Seconds of tracing, lowering or compiling."""
        if key is not None:
            self.compiled[key].seconds += seconds

    def _watch(self, kind: type) -> None:
        """An error of this kind says which line asked a tracer for its value."""
        original = kind.__init__  # type: ignore[misc]

        @functools.wraps(original)
        def __init__(error: object, *args: object, **kwargs: object) -> None:
            line, _ = self.place(sys._getframe(1))
            if line is not None and len(self.stopped) < REMEMBERED:
                self.stopped.setdefault(line, type(error).__name__)
            original(error, *args, **kwargs)

        kind.__init__ = __init__  # type: ignore[misc]

    def flush(self) -> None:
        """Write what is known so far; of each process the last such line holds."""
        self.flushed = time.perf_counter()
        loops = [
            [*loop, n, self.entries[loop], self.seconds.get(loop, 0.0)] for loop, n in self.dispatches.items() if n
        ]
        compiled = [[*key, *known.row()] for key, known in self.compiled.items() if known.times > 1]
        stopped = [[*line, name] for line, name in self.stopped.items()]
        found = {"seconds": self.flushed - self.began, "loops": loops, "compiled": compiled, "stopped": stopped}
        self.parts.line({"evidence": found, "process": os.getpid()})


class CompileCount:
    """The number of times one function was compiled, and of kinds of arguments; `own`: the project jits it."""

    def __init__(self, own: bool) -> None:
        self.own = own
        self.times = 0
        self.seconds = 0.0
        self.shapes: dict[str, None] = {}
        self.again = 0

    def add(self, shapes: str) -> None:
        self.times += 1
        self.again += shapes in self.shapes
        if len(self.shapes) < 100:
            self.shapes[shapes] = None

    def row(self) -> list[object]:
        """The counts as a row of the evidence file."""
        return [self.own, self.times, self.again, self.seconds, [shape[:80] for shape in list(self.shapes)[:3]]]


def hook_dispatches(evidence: Evidence) -> None:
    """Ask JAX to tell of each call of a compiled function; a hook that is there already is still called."""
    state = getattr(sys.modules.get("jax._src.api"), "_post_hook_state", None)
    if state is not None:
        evidence.before = state.value
        state.set_global(evidence.dispatched)
        return
    from jax._src.lib import jax_jit  # before JAX 0.6

    evidence.before = jax_jit.global_state().post_hook
    jax_jit.global_state().post_hook = evidence.dispatched
