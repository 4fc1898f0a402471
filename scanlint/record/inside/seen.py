"""The hook that wanted functions call: counts the calls, and keeps a few that differ."""

from __future__ import annotations

import json
import sys
import threading
import types
from collections import Counter
from dataclasses import dataclass, field

from .concrete import call_of
from .costs import Costs
from .describe import Describer, Node, Undescribable
from .parts import Parts
from .wanted import Plan

EXAMINED = 24
FAILURES = 12
ALIKE = 2


@dataclass
class KeptCalls:
    """The calls that have been kept of one function."""

    shapes: Counter[str] = field(default_factory=Counter)
    values: set[str] = field(default_factory=set)
    failures: int = 0
    closed: bool = False


class Recorder:
    """The state of one process."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.counts = [0] * len(plan["functions"])
        self.kept = [KeptCalls() for _ in plan["functions"]]
        self.parts = Parts(plan["parts"])
        self.costs = Costs(plan, self.parts)
        self.local = threading.local()

    def seen(self, index: int, *values: object) -> None:
        """A wanted function was entered: most of its calls cost no more than this."""
        count = self.counts[index] = self.counts[index] + 1
        if (count > EXAMINED and count & (count - 1)) or self.kept[index].closed:
            return
        if getattr(self.local, "busy", False):
            return
        self.local.busy = True
        try:
            self.costs.listen()
            self.examine(index, values, sys._getframe(1))
        except Exception as error:  # noqa: BLE001  the user's program goes on, whatever is wrong here
            self.parts.skip(index, f"{type(error).__name__}: {error}")
        finally:
            self.local.busy = False

    def examine(self, index: int, values: tuple[object, ...], frame: types.FrameType) -> None:
        """Keep the call if it is unlike those that were kept."""
        kept = self.kept[index]
        names = self.plan["functions"][index]["parameters"]
        given = dict(zip(names, values, strict=True))
        try:
            describer, nodes = self.described(given)
            if describer.abstract and (called := call_of(frame)) is not None and called.keys() == given.keys():
                describer, nodes = self.described(called)
        except Undescribable as error:
            kept.failures += 1
            kept.closed = kept.failures >= FAILURES
            self.parts.skip(index, str(error))
            return
        shape = " ".join(describer.shapes)
        if kept.shapes[shape] >= (1 if describer.abstract else ALIKE):
            return
        text = json.dumps(nodes)
        if not describer.arrays and text in kept.values:
            return
        kept.values.add(text)
        kept.shapes[shape] += 1
        kept.closed = sum(kept.shapes.values()) >= self.plan["kept"]
        call = {"arguments": nodes, "shape": shape, "abstract": describer.abstract, "x64": _x64()}
        self.parts.call(index, call, describer.arrays)

    def described(self, given: dict[str, object]) -> tuple[Describer, dict[str, Node]]:
        describer = Describer(self.plan["root"])
        nodes: dict[str, Node] = {}
        for name, value in given.items():
            describer.shapes.append(name)
            try:
                nodes[name] = describer.node(value)
            except Undescribable as error:
                raise Undescribable(f"`{name}` holds {error}") from None
        return describer, nodes


def _x64() -> bool:
    config = getattr(sys.modules.get("jax"), "config", None)
    return bool(getattr(config, "jax_enable_x64", False))
