"""What compiling costs: seconds per jitted function, and how many equations each line contributed to its program."""

from __future__ import annotations

import os
import sys
import threading
import types
from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from .concrete import code_of
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
Where = tuple[tuple[str, int] | None, Places]


class Equation(Protocol):
    """What is used of an equation of a traced program."""

    params: dict[str, object]
    source_info: object


class Costs:
    """Listens to what JAX tells of compilations; nothing of JAX is changed."""

    def __init__(self, plan: Plan, parts: Parts) -> None:
        self.spans = {file: [tuple(span) for span in spans] for file, spans in plan["spans"].items()}
        self.root = plan["root"]
        self.parts = parts
        self.listening = False
        self.written = 0
        self.local = threading.local()
        self.where: dict[object, Where] = {}
        self.inside: dict[str, str] = {}

    def listen(self) -> None:
        """Begin, once jax has been imported."""
        monitoring = getattr(sys.modules.get("jax"), "monitoring", None)
        if self.listening or monitoring is None:
            return
        self.listening = True
        monitoring.register_event_duration_secs_listener(self.heard)

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
        self.local.program = None
        program, function = None, None
        while frame is not None:
            if program is None and "closed_jaxpr" in frame.f_code.co_varnames:
                program = frame.f_locals.get("closed_jaxpr")
            if frame.f_code.co_name == "cache_miss":
                function = code_of(frame.f_locals.get("fun"))
                break
            frame = frame.f_back
        jaxpr = getattr(program, "jaxpr", None)
        if jaxpr is None or self.written > MOST:
            return
        if len(self.where) > REMEMBERED:
            self.where.clear()
        count = EquationCount(self)
        total = count.equations(jaxpr, frozenset())
        if total < FEWEST or not (count.lines or count.spans):
            return
        self.local.program = {
            "function": None if function is None else [function.co_filename, function.co_firstlineno, function.co_name],
            "equations": total,
            "lines": [[*line, n] for line, n in count.lines.items()],
            "spans": [[*span, n] for span, n in count.spans.items()],
            "trace": getattr(self.local, "traced", 0.0),
            "lower": seconds,
        }

    def compiled(self, seconds: float) -> None:
        program, self.local.program = getattr(self.local, "program", None), None
        if program is not None:
            self.written += 1
            self.parts.line({"program": {**program, "compile": seconds}})

    def place(self, traceback: object) -> Where:
        """The innermost line of the project in a traceback, and the spans that any line of it is in."""
        if traceback not in self.where:
            innermost: tuple[str, int] | None = None
            found: set[tuple[str, int, int]] = set()
            for frame in getattr(traceback, "frames", ()):
                file = self.file(frame.file_name)
                if not file:
                    continue
                innermost = innermost or (file, frame.line_num)
                spans = self.spans.get(file, ())
                found |= {(file, a, b) for a, b in spans if a <= frame.line_num <= b}
            self.where[traceback] = innermost, frozenset(found)
        return self.where[traceback]

    def file(self, name: str) -> str:
        """A file of the project relative to its root; empty for others."""
        if name not in self.inside:
            real = os.path.realpath(name) if os.path.isabs(name) else ""
            inside = real.startswith(self.root) and "site-packages" not in real
            self.inside[name] = real[len(self.root) :].replace("\\", "/") if inside else ""
        return self.inside[name]


class EquationCount:
    """The equations of one program, those of inner programs counted where they stand."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.lines: Counter[tuple[str, int]] = Counter()
        self.spans: Counter[tuple[str, int, int]] = Counter()
        self.seen = 0

    def equations(self, jaxpr: object, outer: Places) -> int:
        total = 0
        for equation in jaxpr.eqns:  # type: ignore[attr-defined]
            self.seen += 1
            if self.seen > LARGEST:
                return total
            line, spans = self.costs.place(equation.source_info.traceback)
            spans |= outer
            total += 1
            if line is not None:
                self.lines[line] += 1
            self.spans.update(spans)
            for inner in _inner(equation):
                total += self.equations(inner, spans)
        return total


def _inner(equation: Equation) -> Iterator[object]:
    for value in equation.params.values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            found = getattr(item, "jaxpr", item)
            if hasattr(found, "eqns"):
                yield found
