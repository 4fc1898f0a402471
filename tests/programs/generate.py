"""Random modules with a jitted function that loops, and what they are called with."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import batches
import branches
from hypothesis import strategies as st
from iterables import KINDS, header
from maker import Choose, Maker, indent
from states import RESULTS, STATES, branched, effect, jump

HEAD = """from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

COUNT = 7
SEEN = []
"""
PARAMETERS = ("xs", "ys", "v", "m", "t", "k0", "key", "half", "ints", "small", "flags", "n")
COLLECTS = ("collect", "collect_tuples", "read_back", "either", "gone_over", "places", "lags")
CONTENTS = {"branches": branches.content, "batches": batches.content}
OFTEN = ("accumulate", "vector", "collect", "collect", "accumulate", "vector", "preallocated")


class Program(NamedTuple):
    """A module whose function `f` takes `names`; `forms` say what it is made of, `of` which sort of program it is."""

    text: str
    names: tuple[str, ...]
    forms: tuple[str, ...]
    of: str = "loops"


@st.composite
def programs(draw: Callable[[st.SearchStrategy[str]], str]) -> Program:
    """Programs over the forms of loops that people write, for hypothesis, which makes what fails smaller."""
    return made(lambda options: draw(st.sampled_from(options)))


def numbered(seed: int, number: int, of: str = "loops") -> Program:
    """One of the programs of a seed."""
    choose = random.Random(f"{seed}/{number}").choice
    return made(choose) if of == "loops" else kind(choose, of)


def kind(choose: Choose, of: str) -> Program:
    """A program of branches, or of batches."""
    make = Maker(choose)
    lines = CONTENTS[of](make)
    return assembled(make, lines)._replace(of=of)


def made(choose: Choose) -> Program:
    """A program, put together by choices."""
    make = Maker(choose)
    loop = while_loop if make.one(*["for"] * 11, "while") == "while" else for_loop
    lines = loop(make)
    return assembled(make, lines)


def for_loop(make: Maker) -> list[str]:
    first = header(make)
    return [first, *indent(content(make)), *otherwise(make)]


def otherwise(make: Maker) -> list[str]:
    """The `else` of a loop, on something that it may have changed."""
    if "break" not in make.forms or not make.often():
        return []
    make.form("loop-else")
    name = make.name("ended")
    make.before.append(f"{name} = 0.0")
    make.results.append(name)
    return ["else:", f"    {name} = {make.one('t', '1.0', 'jnp.sum(v)')}"]


def while_loop(make: Maker) -> list[str]:
    """A `while` on traced state, which comes to an end."""
    make.form("while")
    kind = make.one("count", "count", "count", "bound", "bound", "walrus")
    make.before.append("steps = k0" if kind != "bound" else "steps = jnp.float32(t)")
    make.results.append("steps")
    lines = content(make)
    match kind:
        case "count":
            make.sight.index = "steps"
            return ["while steps < 9:", *indent([*lines, "steps = steps + 1"])]
        case "walrus":
            return ["while (steps := steps + 1) < 9:", *indent(lines)]
    return [
        f"while steps {make.one('<', '<=')} 3.0{make.one('', ' and steps > -5.0')}:",
        *indent([*lines, "steps = steps + jnp.abs(t) + 0.3"]),
    ]


def content(make: Maker) -> list[str]:
    """The body of the loop: one to three things that it does, some under an `if`."""
    lines: list[list[str]] = []
    for _ in range(int(make.one("1", "1", "2", "2", "3"))):
        kind = make.one(*STATES, *OFTEN)
        if kind in COLLECTS and dynamic(make) and not make.rarely():
            kind = "accumulate"  # as many elements as trips, which nobody knows: no such program runs under `jit`
        make.form(kind)
        made = STATES[kind](make)
        if make.rarely() and kind not in COLLECTS:
            made = branched(make, made)
        lines.append(made)
    if make.rarely() and make.rarely():
        lines.append(effect(make))
    if make.rarely():
        lines.insert(0, jump(make))
        if make.rarely():
            lines.insert(0, jump(make))
    if make.often():
        lines.reverse()
    return [line for part in lines for line in part]


def dynamic(make: Maker) -> bool:
    """Whether data decide how many trips there are."""
    return bool({"while", "over:traced_range"} & {*make.forms})


def assembled(make: Maker, loop: Sequence[str]) -> Program:
    results = list(dict.fromkeys(make.results)) or ["t"]
    loop = [line.replace(RESULTS, ", ".join(results)) for line in loop]
    body = [*make.before, *loop, *make.after, f"return {', '.join(results)}"]
    used = set(re.findall(r"\w+", "\n".join(body)))
    names = tuple(p for p in PARAMETERS if p in used)
    decorator = '@partial(jax.jit, static_argnames=("n",))' if "n" in names else "@jax.jit"
    lines = [HEAD, *make.module, "", "", decorator, f"def f({', '.join(names)}):", *indent(body), ""]
    return Program("\n".join(lines), names, tuple(make.forms))


__all__ = ["KINDS", "Program", "numbered", "programs"]
