"""The verification worker with a profiler around each task: the seconds of its functions are told with the answer."""

from __future__ import annotations

import cProfile
import importlib
import pstats
import sys
from pathlib import Path

from scanlint.verify.worker.__main__ import load

LEAST = 0.02


def main() -> None:
    load()
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
