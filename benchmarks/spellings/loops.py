"""The loops that are spelled in many ways: what they do, told apart from how it is written."""

from __future__ import annotations

from typing import NamedTuple


class Loop(NamedTuple):
    """One loop by its meaning.

    `state` are names with their first values, `update` their values after a trip in terms of those before it (`{x}`),
    of the number of the trip (`{i}`) and of its row (`{row}`). With a `test`, `update` holds where it is true, and
    `otherwise` where it is not. `collect` are lists with what each trip adds to them, in terms of the new state.
    `rows` is the array that it goes over, from its end where it is `backward`; else it makes `n` trips.
    """

    name: str
    arguments: tuple[str, ...]
    state: tuple[tuple[str, str], ...]
    update: tuple[str, ...]
    result: str
    test: str = ""
    otherwise: tuple[str, ...] = ()
    collect: tuple[tuple[str, str], ...] = ()
    rows: str = ""
    backward: bool = False
    shape: str = ", 4"


LOOPS = (
    Loop("damped", ("v", "t", "n"), (("x", "v"),), ("jnp.sin({x}) + 0.5 * t",), "x"),
    Loop("oscillator", ("v", "n"), (("x", "v"), ("u", "0.5 * v")), ("{x} + 0.1 * {u}", "{u} - 0.1 * {x}"), "(x, u)"),
    Loop("timed", ("v", "n"), (("x", "v"),), ("{x} + 0.1 * jnp.cos({x} * {i})",), "x"),
    Loop("fibonacci", ("v", "n"), (("a", "v"), ("b", "v + 1.0")), ("1.0 * {b}", "{a} + 0.5 * {b}"), "(a, b)"),
    Loop("clipped", ("t", "n"), (("s", "1.0 * t"),), ("0.5 * {s}",), "s", test="{s} > 1.0", otherwise=("{s} + 0.3",)),
    Loop("horner", ("ys", "v"), (("x", "0.0 * v"),), ("{x} * v + {row}",), "x", rows="ys"),
    Loop("best", ("xs", "v"), (("x", "v"),), ("{row}",), "x", test="jnp.sum({row}) > jnp.sum({x})", rows="xs"),
    Loop(
        "rollout", ("v", "m", "n"), (("x", "v"),), ("jnp.tanh(m @ {x})",), "jnp.stack(out)", collect=(("out", "{x}"),)
    ),
    Loop(
        "recurrent", ("xs", "v", "m"), (("h", "v"),), ("jnp.tanh(m @ {h} + {row})",), "(h, jnp.stack(out))",
        collect=(("out", "2.0 * {h}"),), rows="xs",
    ),
    Loop(
        "discounted", ("ys", "t"), (("s", "0.0 * t"),), ("{row} + 0.9 * {s}",), "jnp.stack(out)",
        collect=(("out", "1.0 * {s}"),), rows="ys", backward=True, shape="",
    ),
    Loop("mapped", ("xs", "m"), (), (), "jnp.stack(out)", collect=(("out", "jnp.tanh(m @ {row})"),), rows="xs"),
    Loop(
        "symplectic", ("v", "n"), (("x", "v"), ("u", "0.5 * v")), ("{x} + 0.1 * {u}", "{u} - 0.1 * {x}"),
        "(jnp.stack(out), jnp.stack(log))", collect=(("out", "jnp.sin({x})"), ("log", "{x} * {u}")),
    ),
)  # fmt: skip
