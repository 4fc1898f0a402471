"""What was proved, as recurrences: what each state is before the first trip, and what a trip makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from .loops import Algebra
from .polynomials import Polynomial
from .term_table import LoopTerm, Term

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "and": "&",
    "or": "|",
    "dot_general": "@",
}
TRANSPARENT = frozenset(["convert_element_type", "broadcast_in_dim", "reshape"])
MOST_WORDS = 90
MOST_LINES = 4
DEEPEST = 8


class Recurrences:
    """Writes terms as a person would; `inputs` are the names of what the program is given."""

    def __init__(self, algebra: Algebra, inputs: Sequence[str]) -> None:
        self.algebra = algebra
        self.inputs = inputs
        self.seen: set[int] = set()
        self.states: dict[tuple[int, int], str] = {}

    def told(self, results: Sequence[Term]) -> list[str]:
        """A line for each state of each loop that the results depend on."""
        lines = []
        for at in list(dict.fromkeys(self._loops(results))):
            loop = self.algebra.loops[at]
            count = f"{loop.count} trips" if loop.count is not None else f"while {self._cut(loop.test, loop)}"
            for k, (start, step) in enumerate(zip(loop.inits, loop.steps, strict=True)):
                name = self._state(at, k)
                lines.append(f"{name} = {self._cut(start)}, then {self._cut(step, loop)} ({count})")
        return lines[:MOST_LINES]

    def _loops(self, terms: Sequence[Term]) -> Iterator[int]:
        """The loops that terms depend on, the innermost of their beginnings first."""
        for term in terms:
            if term.number in self.seen:
                continue
            self.seen.add(term.number)
            if term.op == "before":
                at = term.par[0]  # type: ignore[index]
                loop = self.algebra.loops[at]
                yield from self._loops([*loop.inits, *loop.steps])
                yield at
            yield from self._loops(term.args)

    def _state(self, loop: int, place: int) -> str:
        return self.states.setdefault((loop, place), f"s{len(self.states)}")

    def _cut(self, term: Term | None, loop: LoopTerm | None = None) -> str:
        names: dict[str, str] = {}
        if loop is not None:
            at = next(k for k, known in enumerate(self.algebra.loops) if known is loop)
            names = {str(s.par): self._state(at, k) for k, s in enumerate(loop.states)} | {loop.trip: "t"}
        text = self._written(term, names) if term is not None else ""
        text = text[1:-1] if _enclosed(text) else text
        return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]}..."

    def _written(self, term: Term, names: Mapping[str, str], depth: int = 0) -> str:
        if depth > DEEPEST:
            return "..."
        if (known := self.algebra.known(term)) is not None:
            return f"{known:g}" if hasattr(known, "is_integer") else str(known)
        parts = [self._written(a, names, depth + 1) for a in term.args]
        match term.op:
            case "input":
                return self.inputs[cast("int", term.par)]
            case "state":
                return names.get(str(term.par), "s")
            case "int":
                return self._number(term.par, names)  # type: ignore[arg-type]
            case "row":
                return f"{parts[0]}[{self._number(term.par[1], names)}]"  # type: ignore[index]
            case "before":
                loop, place, _ = cast("tuple[int, int, object]", term.par)
                return self._state(loop, place)
            case "below" | "zero":
                return f"({self._number(term.par, names)} {'<' if term.op == 'below' else '=='} 0)"  # type: ignore[arg-type]
            case op if op in INFIX and len(parts) == 2:
                return f"({parts[0]} {INFIX[op]} {parts[1]})"
            case op if op in TRANSPARENT:
                return parts[0]
        return f"{term.op}({', '.join(parts)})"

    def _number(self, value: Polynomial, names: Mapping[str, str]) -> str:
        text = str(value)
        for symbol in sorted(value.symbols, key=len, reverse=True):
            at = self.algebra.valued(symbol)
            by = names.get(symbol) if at is None else self._written(self.algebra.listed[at], names)
            text = text.replace(symbol, by or symbol)
        return text


def _enclosed(text: str) -> bool:
    """Whether one pair of brackets holds all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return k == len(text) - 1
    return False
