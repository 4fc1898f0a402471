"""What a rewriter (or the analysis before it) gives: new text, or a reason why there is none."""

from __future__ import annotations

from typing import NamedTuple

from scanlint.finding import Edit, Primitive


class Resume(NamedTuple):
    """A statement of a unit that is being rewritten.

    `line`: how far below the first line of the function, or, where negative, how far above the line after its last one.
    `starts`: names whose first values are set just above it for its sake alone, and may move into it.
    """

    line: int
    column: int
    starts: frozenset[str] = frozenset()


class Rewrite(NamedTuple):
    """New text for parts of a file. `imports` are the import statements that the new text needs.

    `again`: it is one step, after which the same loop has to be rewritten once more. `then`: it is one step, after
    which the statements at these places of the new text have to be rewritten, in this order. `plainer`: what to write
    where this one is refuted; it may have a plainer one in its turn.
    """

    edits: tuple[Edit, ...]
    primitive: Primitive
    imports: tuple[str, ...] = ()
    again: bool = False
    then: tuple[Resume, ...] = ()
    plainer: Rewrite | None = None


class Withheld(NamedTuple):
    """No rewrite, and why: a stable code and a sentence that names the variable and the line."""

    code: str
    message: str

    @property
    def reason(self) -> str:
        return f"{self.code}: {self.message}"


Outcome = Rewrite | Withheld
