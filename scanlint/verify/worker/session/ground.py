"""What the tasks of one process stand on: its enclosure, and what everything meant before the code under test ran."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import jax

from ..imports.project_imports import replace_texts
from ..imports.side_modules import import_by_side
from ..proof.paths import forget
from ..sandbox.confine import Enclosure, enclose
from ..sandbox.intact import Intact
from ..sandbox.outgoing import OUTGOING, watch
from ..search.attempts import Tried
from .assigned_items import RAN


@dataclass(frozen=True, slots=True)
class Ground:
    """The enclosure, what it encloses, and the state of the process that code under test may change for good.

    `tried`: which inputs each old version was found to accept.
    """

    enclosure: Enclosure
    intact: Intact
    state: tuple[object, ...]
    tried: dict[object, Tried] = field(default_factory=dict)

    @classmethod
    def of(cls, request: Mapping[str, object], folder: str) -> Ground:
        """Enclose this process for good, before the code under test is run."""
        if request.get("old_file"):
            import_by_side()
        watch()
        intact = Intact.now()
        enclosure = enclose(folder, float(str(request["timeout"])), kernel=bool(request["kernel"]))
        replace_texts({str(file): str(text) for file, text in request.get("changed", {}).items()})  # type: ignore[attr-defined]
        return cls(enclosure, intact, _state())

    def waits(self) -> bool:
        """Another task on the same function may run here; what one task noted is forgotten.

        The code under test left nothing behind that this would meet.
        """
        if self.intact.changed() or _state() != self.state:
            return False
        self.enclosure.running.clear()
        self.enclosure.set_up.clear()
        self.intact.fields.clear()
        RAN.clear()
        OUTGOING.begin()
        forget()
        return True


def _state() -> tuple[object, ...]:
    """The options of JAX, the environment, the folder and the number of threads."""
    return dict(jax.config.values), dict(os.environ), os.getcwd(), threading.active_count()
