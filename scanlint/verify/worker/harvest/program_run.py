"""One run of the project's own tests, `main`s and scripts: what reaches a wanted function is kept, for all at once."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import importlib.util
import json
import os
import sys
import time
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from ..imports.project_imports import change_imports
from ..runtime.calling import TookTooLong, limited
from ..runtime.jax_errors import first_line
from ..sandbox.confine import enclose
from .beginnings import Beginning, beginnings, with_main
from .caught_calls import Enough
from .eager_program import eagerly
from .fixture_calls import Caller, undecorated
from .short_loops import EACH, MORE, TripGate, shortened_loops

RECORDER = "_scanlint_record"
RUN_SECONDS = 30.0
LEAST_SECONDS = 0.5
FURTHER = 24  # calls after the last function was seen
Wanted = Mapping[tuple[str, int], int]


class KeptLike(Protocol):
    """What the recorder keeps of one function."""

    shapes: Mapping[str, int]


class RecorderLike(Protocol):
    """What is used of the recorder, which is a package of its own."""

    counts: list[int]
    kept: list[KeptLike]
    examine: Callable[[int, tuple[object, ...], types.FrameType], None]

    def seen(self, index: int, *values: object) -> None: ...


def keep_calls(request: Mapping[str, object], folder: str, stage: Callable[[str], None]) -> dict[str, object]:
    """Run what reaches the functions of a plan; the recorder writes their calls into the folder."""
    seconds = float(str(request["timeout"]))
    with open(str(request["plan"]), encoding="utf-8") as stream:
        plan = json.load(stream)
    enclosure = enclose(folder, seconds, kernel=bool(request["kernel"]))
    os.environ["MPLBACKEND"] = "Agg"
    _load_recorder(str(request["recorder"]))
    run = ProgramRun.by(plan, str(request["root"]))
    run.deadline = time.process_time() + seconds
    run.all(stage)
    return {"verdict": "unknown", "reason": "", "protections": enclosure.protections, "remarks": run.remarks}


def _load_recorder(folder: str) -> None:
    """Load the package of the recorder, under the name that it has in the user's programs."""
    spec = importlib.util.spec_from_file_location(
        RECORDER, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[RECORDER] = package
    spec.loader.exec_module(package)


@dataclass
class ProgramRun:
    """The entry points of a project, run one after the other until every wanted function was called."""

    root: str
    functions: Sequence[tuple[str, str]]
    tables: Mapping[str, Wanted]
    recorder: RecorderLike
    instrument: Callable[[ast.Module, Wanted], ast.Module]
    progress: TripGate
    deadline: float = 0.0
    further: int = 0
    reaches: frozenset[int] = frozenset()
    callers: dict[str, Caller] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @classmethod
    def by(cls, plan: dict[str, object], root: str) -> ProgramRun:
        functions = cast("list[dict[str, object]]", plan["functions"])
        tables: dict[str, dict[tuple[str, int], int]] = {}
        for index, function in enumerate(functions):
            place = str(function["qualname"]), int(str(function["line"]))
            tables.setdefault(str(function["file"]), {})[place] = index
        recorder: RecorderLike = importlib.import_module(f"{RECORDER}.seen").Recorder(plan)
        instrument = importlib.import_module(f"{RECORDER}.instrument")
        counts = recorder.counts
        run = cls(
            root,
            [(str(f["file"]), str(f["qualname"])) for f in functions],
            tables,
            recorder,
            instrument.instrument,
            TripGate(lambda: sum(counts), lambda: sum(map(bool, counts))),
        )
        run.watch(instrument.HOOK)
        return run

    # -- the project's modules tell of their calls

    def watch(self, hook: str) -> None:
        """From now on the project's modules are imported with the hook in them, and with loops that may end early."""
        examine = self.recorder.examine

        def examined(index: int, values: tuple[object, ...], frame: types.FrameType) -> None:
            examine(index, values, frame)
            self.enough()

        self.recorder.examine = examined
        setattr(builtins, hook, self.recorder.seen)
        setattr(builtins, EACH, self.progress.each)
        setattr(builtins, MORE, self.progress.more)
        inside = os.path.join(os.path.realpath(self.root), "")
        change_imports(lambda file, data: self.changed(ast.parse(data), file) if file.startswith(inside) else None)

    def changed(self, tree: ast.Module, file: str) -> ast.Module:
        wanted = self.tables.get(os.path.realpath(file), {})
        if not os.path.basename(file).startswith("test"):
            tree = shortened_loops(tree, wanted)
        return self.instrument(tree, wanted)

    def missing(self) -> frozenset[int]:
        """The functions of which no call has been kept."""
        return frozenset(at for at, kept in enumerate(self.recorder.kept) if not sum(kept.shapes.values()))

    def enough(self) -> None:
        """End the run when what it may reach was called, and some calls more have been looked at."""
        if self.missing() & self.reaches:
            return
        self.further += 1
        if self.further > FURTHER:
            raise Enough

    # -- the runs

    def all(self, stage: Callable[[str], None]) -> None:
        """All entry points, while functions are missing and time is left."""
        for entry in beginnings(self.root, self.functions):
            if not self.missing() & entry.reaches:
                continue
            if self.deadline - time.process_time() < LEAST_SECONDS:
                self.remarks.append("the time for running callers was spent")
                return
            stage(f"running {entry.owner or entry.name} of {os.path.relpath(entry.file, self.root)}")
            self.begin(entry)

    def begin(self, entry: Beginning) -> None:
        """Run op by op, loops cut short; where that fails, once more as the program is."""
        if self.ends(entry, short=True) or not self.missing() & entry.reaches:
            return
        self.ends(entry, short=False)

    def ends(self, entry: Beginning, *, short: bool) -> bool:
        """Whether a run came to its end, or to that of its time."""
        self.progress.active, self.reaches, self.further = short, entry.reaches, 0
        left = max(self.deadline - time.process_time(), LEAST_SECONDS)
        way = eagerly() if short else contextlib.nullcontext()
        before, sys.argv = sys.argv, [entry.file]
        try:
            with limited(min(RUN_SECONDS, left)), way:
                self.run(entry)
        except (Enough, TookTooLong):
            return True
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises, its calls may be good
            where = f"{entry.name} of {os.path.basename(entry.file)}"
            self.remarks.append(f"{where}: {type(error).__name__}: {first_line(error, 120)}")
            return False
        finally:
            sys.argv = before
        return True

    def run(self, entry: Beginning) -> None:
        caller = self.callers.get(entry.file)
        if caller is None:
            caller = self.callers[entry.file] = Caller.read(entry.file, self.root)
            caller.tree = with_main(caller.tree)
            caller.change = lambda tree: self.changed(with_main(undecorated(tree)), entry.file)
        caller.begin(entry.name, entry.owner)
