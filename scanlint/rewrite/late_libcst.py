"""LibCST, imported when a statement is drafted: that takes 0.14 s, as long as the analysis of 2,000 lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["cst"]

if TYPE_CHECKING:
    import libcst as cst
else:

    class _Late:
        def __getattr__(self, name: str) -> object:
            import libcst

            found = getattr(libcst, name)
            setattr(self, name, found)
            return found

    cst = _Late()
