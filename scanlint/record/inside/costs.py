"""Measures what compiling costs: the equations of each loop and branch with a finding, the seconds of its program."""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from .concrete import code_of
from .dispatch_counts import Evidence, Loop, Sources
from .parts import Parts
from .wanted import Plan

TRACED = "/jax/core/compile/jaxpr_trace_duration"
LOWERED = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"
FEWEST = 20
MOST = 400
LARGEST = 2_000_000
REMEMBERED = 50_000
Places = frozenset[tuple[str, int, int]]
Where = tuple[str, Places, Loop | None]


class Equation(Protocol):
    """The attributes of an equation of a traced program that are read here."""

    params: dict[str, object]
    source_info: object
    primitive: object


class Costs:
    """Listens to what JAX tells of compilations; nothing of JAX is changed."""

    def __init__(self, plan: Plan, parts: Parts) -> None:
        self.spans = {file: [tuple(span) for span in spans] for file, spans in plan["spans"].items()}
        self.sources = Sources(plan)
        self.evidence = Evidence(parts, self.sources)
        self.parts = parts
        self.listening = False
        self.written = 0
        self.local = threading.local()
        self.where: dict[object, Where] = {}

    def listen(self) -> None:
        """Begin, once jax has been imported."""
        monitoring = getattr(sys.modules.get("jax"), "monitoring", None)
        if self.listening or monitoring is None:
            return
        self.listening = True
        monitoring.register_event_duration_secs_listener(self.heard)
        with contextlib.suppress(Exception):  # a JAX without these hooks: the rest is recorded all the same
            self.evidence.listen()

    def heard(self, event: str, seconds: float, **more: object) -> None:
        """One duration. The trace that ends last before the lowering is that of the whole program."""
        if event not in (TRACED, LOWERED, COMPILED):
            return
        try:
            if event == TRACED:
                self.local.traced = seconds
            elif event == LOWERED:
                self.lowered(seconds, sys._getframe(1))
            else:
                self.compiled(seconds)
        except Exception:  # noqa: BLE001  the user's program goes on, whatever is wrong here
            self.local.program = None

    def lowered(self, seconds: float, frame: types.FrameType | None) -> None:
        self.local.program = self.local.key = None
        program, function, first = None, None, frame
        while frame is not None:
            if program is None and "closed_jaxpr" in frame.f_code.co_varnames:
                program = frame.f_locals.get("closed_jaxpr")
            if frame.f_code.co_name == "cache_miss":
                function = frame.f_locals.get("fun")
                break
            frame = frame.f_back
        jaxpr = getattr(program, "jaxpr", None)
        if jaxpr is not None:
            self.local.key = self.evidence.lowered(program, function, first)
            self.evidence.spent(self.local.key, seconds + getattr(self.local, "traced", 0.0))
        if jaxpr is None or self.written > MOST:
            return
        if len(self.where) > REMEMBERED:
            self.where.clear()
        count = EquationCount(self)
        total = count.equations(jaxpr, frozenset())
        if total < FEWEST or not count.files:
            return
        code = code_of(function)
        self.local.program = {
            "function": code.co_name if code is not None else "",
            "equations": total,
            "files": sorted(count.files),
            "spans": [[*span, n] for span, n in count.spans.items()],
            "repeats": [[*loop, *found] for loop, found in count.repeated()],
            "trace": getattr(self.local, "traced", 0.0),
            "lower": seconds,
        }

    def compiled(self, seconds: float) -> None:
        program, self.local.program = getattr(self.local, "program", None), None
        self.evidence.spent(getattr(self.local, "key", None), seconds)
        if program is not None:
            self.written += 1
            self.parts.line({"program": {**program, "compile": seconds}})

    def place(self, traceback: object) -> Where:
        """The innermost file of the project in a traceback, the spans that any line of it is in, its innermost loop."""
        if traceback not in self.where:
            innermost = ""
            loops: tuple[Loop, ...] = ()
            found: set[tuple[str, int, int]] = set()
            for frame in getattr(traceback, "frames", ()):
                file = self.sources.file(frame.file_name)
                if not file:
                    continue
                innermost = innermost or file
                loops = loops or self.sources.loops_at(file, frame.line_num)
                spans = self.spans.get(file, ())
                found |= {(file, a, b) for a, b in spans if a <= frame.line_num <= b}
            self.where[traceback] = innermost, frozenset(found), loops[0] if loops else None
        return self.where[traceback]


class EquationCount:
    """The equations of one program, those of inner programs counted where they stand."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.files: set[str] = set()
        self.spans: Counter[tuple[str, int, int]] = Counter()
        self.alike: Counter[tuple[Loop, object, str]] = Counter()
        self.seen = 0

    def equations(self, jaxpr: object, outer: Places) -> int:
        total = 0
        for equation in jaxpr.eqns:  # type: ignore[attr-defined]
            self.seen += 1
            if self.seen > LARGEST:
                return total
            file, spans, loop = self.costs.place(equation.source_info.traceback)
            spans |= outer
            if loop is not None:
                self.alike[loop, equation.source_info.traceback, str(equation.primitive)] += 1
            total += 1
            if file:
                self.files.add(file)
            self.spans.update(spans)
            for inner in _inner(equation):
                total += self.equations(inner, spans)
        return total

    def repeated(self) -> Iterator[tuple[Loop, tuple[int, int]]]:
        """The loops that gave the same equations again and again: how often, and how many equations in all."""
        turns: dict[Loop, Counter[int]] = {}
        for (loop, _, _), times in self.alike.items():
            turns.setdefault(loop, Counter())[times] += times
        for loop, found in turns.items():
            times, _ = found.most_common(1)[0]
            if times > 1:
                yield loop, (times, sum(found.values()))


def _inner(equation: Equation) -> Iterator[object]:
    for value in equation.params.values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            found = getattr(item, "jaxpr", item)
            if hasattr(found, "eqns"):
                yield found
