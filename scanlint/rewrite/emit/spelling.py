"""How the file of a unit writes names of JAX, and the imports that new text needs for that."""

from __future__ import annotations

from scanlint.trace.unit import Unit


class Spelling:
    """Writes canonical names as a file does: `jax.lax.scan` as `lax.scan` where it says `from jax import lax`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._imports: dict[str, None] = {}

    @property
    def imports(self) -> tuple[str, ...]:
        """The import statements that what was spelled needs."""
        return tuple(self._imports)

    def __call__(self, name: str) -> str:
        written, needed = self.unit.spell(name)
        if needed:
            self._imports[needed] = None
        return written
