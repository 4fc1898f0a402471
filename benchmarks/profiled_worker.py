"""The verification worker with a profiler around each task: the seconds of its functions are told with the answer."""

from __future__ import annotations

import cProfile
import importlib
import importlib.util
import pstats
import sys
from pathlib import Path

import scanlint

ENTRY = Path(scanlint.__file__).parent / "verify" / "worker" / "__main__.py"
LEAST = 0.02


def main() -> None:
    spec = importlib.util.spec_from_file_location("worker_entry", ENTRY)
    assert spec is not None and spec.loader is not None
    entry = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(entry)
    entry.load()
    task = importlib.import_module("_scanlint_worker.session.task")
    run = task.run

    def profiled(*arguments: object) -> dict[str, object]:
        profile = cProfile.Profile()
        answer = profile.runcall(run, *arguments)
        return {**answer, "profile": parts(profile)}

    task.run = profiled
    importlib.import_module("_scanlint_worker.session.serve").main(sys.argv[1:])


def parts(profile: cProfile.Profile) -> dict[str, float]:
    """The seconds of each of the worker's and of JAX's functions, with what they call."""
    found: dict[str, float] = {}
    for (file, _, name), (_, _, _, together, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        path = Path(file)
        if together >= LEAST and ("scanlint" in path.parts or {"jax", "jaxlib"} & set(path.parts)):
            label = f"{path.parent.name}/{path.stem}.{name}"
            found[label] = found.get(label, 0.0) + together
    return found


if __name__ == "__main__":
    main()
