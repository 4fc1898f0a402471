"""What a rewriter (or the analysis before it) gives: new text, or a reason why there is none."""

from __future__ import annotations

from typing import NamedTuple

from scanlint.finding import Edit, Primitive


class Rewrite(NamedTuple):
    """New text for parts of a file. `imports` are the import statements that the new text needs.

    `again`: it is one step, after which the same loop has to be rewritten once more.
    """

    edits: tuple[Edit, ...]
    primitive: Primitive
    imports: tuple[str, ...] = ()
    again: bool = False


class Withheld(NamedTuple):
    """No rewrite, and why: a stable code and a sentence that names the variable and the line."""

    code: str
    message: str

    @property
    def reason(self) -> str:
        return f"{self.code}: {self.message}"


Outcome = Rewrite | Withheld
