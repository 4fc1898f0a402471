"""Seeded programs with loops, branches and batches that scanlint rewrites, with arguments to judge them by."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

HEADER = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"
UNARY = ("jnp.sin({})", "jnp.tanh({})", "jnp.cos({})", "jnp.exp(-{} ** 2)", "jnp.abs({})", "jnp.arctan({})")


class Program(NamedTuple):
    """A module with a function `f`, and its arguments as an expression in terms of `jax` and `jnp`."""

    text: str
    arguments: str
    kind: str


def expression(rng: random.Random, names: list[str], depth: int = 2) -> str:
    """A bounded expression that uses at least one of the names."""
    if depth == 0 or (depth == 1 and rng.random() < 0.3):
        return rng.choice(names)
    match rng.randrange(6):
        case 0 | 1:
            return rng.choice(UNARY).format(expression(rng, names, depth - 1))
        case 2:
            return f"{rng.choice((0.25, 0.5, 0.75, 0.9))} * {_wrapped(expression(rng, names, depth - 1))}"
        case 3:
            return f"({expression(rng, names, depth - 1)} - {expression(rng, names, depth - 1)})"
        case 4:
            return f"({expression(rng, names, depth - 1)} + {rng.choice((0.1, 0.3, 1.0))})"
    return f"jnp.minimum({expression(rng, names, depth - 1)}, {rng.choice((0.5, 1.5, 2.0))})"


def _wrapped(text: str) -> str:
    return text if text.isidentifier() or text.startswith("jnp.") else f"({text})"


def update(rng: random.Random, name: str, names: list[str]) -> str:
    """A next value for `name` that depends on it and stays bounded."""
    other = expression(rng, names)
    return rng.choice(
        (
            f"jnp.sin({name} + {other})",
            f"0.5 * {name} + jnp.tanh({other})",
            f"jnp.cos({name}) - 0.3 * {_wrapped(other)}",
        )
    )


def carry(rng: random.Random) -> Program:
    names = ["a", "b", "c"][: rng.randint(1, 3)]
    trips = rng.randint(12, 30)
    used = [*names, "w"]
    lines = [f"        {n} = {update(rng, n, used)}" for n in names]
    if len(names) > 1 and rng.random() < 0.4:
        lines.append(f"        {names[0]}, {names[1]} = {names[1]}, {names[0]}")
    text = (
        f"@jax.jit\ndef f({', '.join(names)}, w):\n    for i in range({trips}):\n"
        + "\n".join(lines)
        + f"\n    return {', '.join(names)}\n"
    )
    return Program(
        HEADER + text,
        f"({''.join(f'jnp.float32({0.3 * k + 0.2:.2f}), ' for k in range(len(names)))}jnp.float32(0.7))",
        "carry",
    )


def collect(rng: random.Random) -> Program:
    trips = rng.randint(12, 24)
    over = rng.random() < 0.5
    head = "for x in xs:" if over else f"for i in range({trips}):"
    x = "x" if over else "xs[i]"
    first = f"        s = {update(rng, 's', ['s', x])}"
    output = rng.choice(("s", f"s * {x}", f"s - {x}", "jnp.abs(s)"))
    lines = [first, f"        out.append({output})"]
    if rng.random() < 0.4:
        lines.reverse()
    text = (
        f"@jax.jit\ndef f(s, xs):\n    out = []\n    {head}\n" + "\n".join(lines) + "\n    return jnp.stack(out), s\n"
    )
    return Program(HEADER + text, f"(jnp.float32(0.4), jnp.linspace(-1.5, 2.0, {trips}))", "collect")


def fill(rng: random.Random) -> Program:
    trips = rng.randint(12, 24)
    back = rng.randint(1, 2)
    value = rng.choice(
        (f"y[i - {back}] + x[i]", f"0.5 * y[i - {back}] - jnp.sin(x[i])", f"x[i] * x[i - 1] + 0.3 * y[i - {back}]")
    )
    text = f"@jax.jit\ndef f(x):\n    y = jnp.zeros({trips})\n    for i in range({back}, {trips}):\n        y = y.at[i].set({value})\n    return y\n"
    return Program(HEADER + text, f"(jnp.linspace(-1.0, 2.0, {trips}),)", "fill")


def branch(rng: random.Random) -> Program:
    test = rng.choice(("x > 0", "x >= y", "x < y", "x <= 1.0", "x + y > 0.5", "jnp.abs(x) < 1.0"))
    names = ["x", "y"]
    shape = rng.randrange(4)
    a, b = expression(rng, names), expression(rng, names)
    if shape == 0:
        body = f"    if {test}:\n        return {a}\n    return {b}\n"
    elif shape == 1:
        body = f"    z = x\n    if {test}:\n        z = {a}\n    else:\n        z = {b}\n    return z * 2, x\n"
    elif shape == 2:
        body = f"    z = {a}\n    if {test}:\n        z = z + y\n        x = {b}\n    return z, x\n"
    else:
        body = f"    if {test}:\n        z = {a}\n    elif {rng.choice(('x > y', 'y < 0', 'y >= 1.0'))}:\n        z = {b}\n    else:\n        z = x * y\n    return z\n"
    return Program(HEADER + "@jax.jit\ndef f(x, y):\n" + body, "(jnp.float32(0.3), jnp.float32(-0.8))", "branch")


def guard(rng: random.Random) -> Program:
    test, value = rng.choice(
        (
            ("x > 0", "jnp.sqrt(x)"),
            ("x != 0", "y / x"),
            ("x > 0", "jnp.log(x) * y"),
            ("jnp.sum(x) > 0", "y / jnp.sum(x)"),
        )
    )
    other = rng.choice(("jnp.zeros_like(x)", "y * 0.5", "y - x"))
    return Program(
        HEADER + f"@jax.jit\ndef f(x, y):\n    if {test}:\n        return {value}\n    return {other}\n",
        "(jnp.float32(0.3), jnp.float32(-0.8))",
        "guard",
    )


def chain(rng: random.Random) -> Program:
    arms = [expression(rng, ["x"]) for _ in range(rng.randint(2, 3))]
    lines = []
    for k, arm in enumerate(arms):
        lines.append(f"    {'if' if k == 0 else 'elif'} mode == {k}:\n        z = {arm}")
    lines.append(f"    else:\n        z = {expression(rng, ['x'])} + 3.0")
    return Program(
        HEADER + "@jax.jit\ndef f(x, mode):\n" + "\n".join(lines) + "\n    return z\n",
        "(jnp.float32(0.3), jnp.int32(1))",
        "chain",
    )


def until(rng: random.Random) -> Program:
    factor, limit = rng.choice((0.5, 0.7, 0.8)), rng.choice((1e-2, 0.1, 0.5))
    test = rng.choice((f"jnp.abs(x) > {limit}", f"(jnp.abs(x) > {limit}) & (n < 20)", "n < 15"))
    text = f"@jax.jit\ndef f(x):\n    n = 0\n    while {test}:\n        x = {factor} * x\n        n = n + 1\n    return x, n\n"
    if "n < 15" in text:
        text = text.replace("    n = 0\n", "    n = jnp.int32(0)\n")
    return Program(HEADER + text, "(jnp.float32(3.0),)", "until")


def keys(rng: random.Random) -> Program:
    trips = rng.randint(12, 20)
    draw = rng.choice(("jax.random.normal(k, x.shape)", "jax.random.uniform(k, x.shape)"))
    text = f"@jax.jit\ndef f(x, key):\n    for _ in range({trips}):\n        key, k = jax.random.split(key)\n        x = {rng.choice(('x + ', '0.5 * x - '))}{draw}\n    return x\n"
    return Program(HEADER + text, "(jnp.linspace(0.0, 1.0, 3), jax.random.key(3))", "keys")


def batch(rng: random.Random) -> Program:
    inner = expression(rng, ["x", "b"])
    text = f"def g(x, w, b):\n    return jnp.tanh(w @ x) * {_wrapped(inner)}\n\n\n@jax.jit\ndef f(xs, w, b):\n    return jnp.stack([g(x, w, b) for x in xs])\n"
    return Program(
        HEADER + text,
        "(jnp.linspace(-1.0, 1.0, 36).reshape(12, 3), jnp.linspace(0.0, 1.0, 9).reshape(3, 3), jnp.float32(0.4))",
        "batch",
    )


def bound(rng: random.Random) -> Program:
    text = f"@jax.jit\ndef f(x, n):\n    for i in range(n):\n        x = {update(rng, 'x', ['x'])} + i\n    return x\n"
    return Program(HEADER + text, "(jnp.float32(0.3), jnp.int32(5))", "bound")


def nested(rng: random.Random) -> Program:
    trips = rng.randint(12, 20)
    test = rng.choice(("x > y", "x < 0.5", "x >= 0.25"))
    text = f"@jax.jit\ndef f(x, y):\n    for i in range({trips}):\n        if {test}:\n            x = {update(rng, 'x', ['x', 'y'])}\n        else:\n            x = x + {rng.choice((0.1, 0.25))}\n    return x\n"
    return Program(HEADER + text, "(jnp.float32(0.3), jnp.float32(0.6))", "nested")


KINDS: tuple[Callable[[random.Random], Program], ...] = (
    carry,
    collect,
    fill,
    branch,
    guard,
    chain,
    until,
    keys,
    batch,
    bound,
    nested,
)


def programs(seed: int, count: int) -> list[Program]:
    """That many programs, all kinds in turn, no two alike."""
    rng = random.Random(seed)
    found: dict[str, Program] = {}
    for turn in range(10 * count):
        program = KINDS[turn % len(KINDS)](rng)
        found.setdefault(program.text, program)
        if len(found) == count:
            break
    return list(found.values())
