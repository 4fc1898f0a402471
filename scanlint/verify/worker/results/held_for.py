"""What a verdict holds for: the sizes and dtypes of the arguments compared, and the numbers of trips made there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Literal

KIND = re.compile(r"\b(?P<dtype>bf16|[a-z]\d+|bool|key)\[(?P<shape>[\d, ]*)\]")
"""An array as it is told in remarks: `f32[3, 2]`."""
LONG = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
Held = dict[str, object]


def held_for(
    compared: Iterable[tuple[str, ...]], typed: Iterable[str], trips: Collection[int] | Literal["all"], notes: list[str]
) -> Held:
    """The part of an answer that says what it holds for.

    `compared`: the arguments of each comparison, as `x: f32[3, 2]`. `typed`: the dtypes for which the types of the
    results agree. `trips`: how often the loops of the old version ran.
    """
    sizes, dtypes = dict[str, None](), dict[str, None]()
    for arguments in compared:
        for said in arguments:
            name, _, kinds = said.partition(": ")
            if shown := ", ".join(_sizes(kinds)):
                sizes[f"{name}: {shown}"] = None
            dtypes |= dict.fromkeys(_dtypes(kinds))
    dtypes |= dict.fromkeys(typed)
    return {
        "trips": trips if trips == "all" else sorted(trips),
        "sizes": [*sizes],
        "dtypes": [*dtypes],
        "notes": notes,
    }


def _sizes(kinds: str) -> Iterator[str]:
    """`3x2` for each array of an argument."""
    for found in KIND.finditer(kinds):
        yield found["shape"].replace(", ", "x") or "scalar"


def _dtypes(kinds: str) -> Iterator[str]:
    for found in KIND.finditer(kinds):
        name = found["dtype"]
        if name == "bf16":
            yield "bfloat16"
        elif name != "key":
            yield name if name == "bool" else LONG[name[0]] + name[1:]
