"""Random jitted functions that branch on traced values: what an `if`, a `match`, a ternary or a test may look like."""

from __future__ import annotations

from collections.abc import Callable

from maker import Maker, bracket, indent

Lines = list[str]


def content(make: Maker) -> Lines:
    """One to three branches, some of them in a loop or in a function of the module."""
    make.before += ["s = t * 0.5", "h = jnp.asarray(v)", "up = jnp.asarray(flags)"]
    make.results += ["s", "h"]
    make.sight.numbers += ["s"]
    make.sight.vectors += ["h"]
    lines: Lines = []
    for _ in range(int(make.one("1", "1", "2", "2", "3"))):
        kind = make.one(*FORMS)
        make.form(kind)
        made = FORMS[kind](make)
        if make.rarely() and not any("return" in line for line in made):
            make.form("in a loop")
            made = [f"for j in range({make.one('12', 'len(xs)')}):", *indent([*made, "s = s * 0.5 + j * 0.1"])]
        lines += made
    if make.rarely():
        make.form("a loop beside it")
        lines += ["for i in range(14):", f"    s = jnp.tanh(s) + {make.number(1)}"]
    return lines


def test(make: Maker) -> str:
    """A test on traced values, in one of its spellings."""
    a, b = make.number(1), make.number(1)
    plain = f"jnp.float32({a}) > {make.one('0', '0.25', 't')}"
    match make.one("plain", "plain", "plain", "and", "or", "not", "chain", "in", "static", "call", "sum", "flag"):
        case "and":
            return f"{plain} and {make.one('jnp.sum(h)', 't')} < {make.one('0.5', 's')}"
        case "or":
            return f"{plain} or {bracket(b)} < -0.25"
        case "not":
            return f"not ({plain})"
        case "chain":
            return f"-0.5 < {bracket(a)} {make.one('<', '<=')} 0.5"
        case "in":
            return f"k0 in ({make.one('1, 2, 5', '0, 3', '2, 4')})"
        case "static":
            return make.one(
                f"n > 2 and {plain}", f"{plain} and n > 2", f"n == 0 or {plain}", f"len(xs) > 3 and {plain}"
            )
        case "call":
            return make.one(f"abs({a}) > 0.3", f"max({a}, {b}) > 0", f"min({a}, 0.1) < {bracket(b)}", f"bool({plain})")
        case "sum":
            return make.one("any(h > 0.5)", "all(h < 1)", "(h > 0).any()", "jnp.all(h > -1)", "jnp.any(xs[0] > t)")
        case "flag":
            return make.one("up[0]", "not up[1]", "up[0] and up[2]", "up[0] is True or t > 0", "k0 == 3")
    return plain


def change(make: Maker) -> Lines:
    """What an arm does: to a number, an array, or both."""
    e = make.number(1)
    return make.one(
        f"s = {e}", f"s = s * 0.5 + {bracket(e)}", f"s += {e}", "s = 0.0", f"h = h * {bracket(e)}", "h = jnp.tanh(h)",
        f"s = jnp.sum(h)\nh = h + {bracket(e)}", f"h = h.at[1].set({e})", f"r = {bracket(e)} * 2\ns = r - s", "pass",
    ).split("\n")  # fmt: skip


def one_arm(make: Maker) -> Lines:
    return [f"if {test(make)}:", *indent(change(make))]


def two_arms(make: Maker) -> Lines:
    return [f"if {test(make)}:", *indent(change(make)), "else:", *indent(change(make))]


def chain(make: Maker) -> Lines:
    lines = [f"if {test(make)}:", *indent(change(make)), f"elif {test(make)}:", *indent(change(make))]
    return [*lines, "else:", *indent(change(make))] if make.often() else lines


def nested(make: Maker) -> Lines:
    inner = make.one("one", "two")
    made = one_arm(make) if inner == "one" else two_arms(make)
    lines = [f"if {test(make)}:", *indent([*change(make), *made])]
    return [*lines, "else:", *indent(change(make))] if make.often() else lines


def guard(make: Maker) -> Lines:
    """Returns in a row."""
    lines = [f"if {test(make)}:", f"    return {make.one('s, h', 't, v', 's * 2, h', '0.0, h', 's, jnp.zeros(4)')}"]
    return [*lines, *guard(make)] if make.rarely() else lines


def fresh(make: Maker) -> Lines:
    """A name that both arms, or one of them, give its first value."""
    name = make.name(make.one("scale", "step", "gain"))
    a, b = make.number(1), make.one("1.0", "0.0", "t", make.number(1), "1")
    lines = [f"if {test(make)}:", f"    {name} = {a}", "else:", f"    {name} = {b}"]
    make.sight.numbers.append(name)
    make.results.append(name)
    return lines


def dead(make: Maker) -> Lines:
    """A temporary of one arm."""
    name = make.name("tmp")
    return [f"if {test(make)}:", f"    {name} = {make.number(1)}", f"    s = s + {name} * {name}", *(["else:", "    s = -s"] if make.often() else [])]  # fmt: skip


def ternary(make: Maker) -> Lines:
    a, b = make.number(1), make.number(1)
    return [
        make.one(
            f"s = {a} if {test(make)} else {bracket(b)}",
            f"s = s + ({a} if {test(make)} else {make.one('0.0', '0', '1.0')})",
            f"h = jnp.where(h > 0, h, 0.1) if {test(make)} else h * {bracket(b)}",
            f"s = {a} if {test(make)} else ({b} if {test(make)} else 0.5)",
            f"h = jnp.stack([x if x > 0 else {make.one('0.1 * x', '-x')} for x in h])",
        )
    ]


def operators(make: Maker) -> Lines:
    a, b = make.number(1), make.number(1)
    return [
        make.one(
            f"s = max({a}, {b})", f"s = min(s, {a}, 0.5)", f"s = max(min({a}, 1.0), -1.0)", f"s = abs({a})",
            "s = sum(h)", "s = max(h)", f"ok = {test(make)}\nif ok:\n    s = s * 2",
            f"ok = jnp.float32({a}) > 0 and s < 1\ns = jnp.where(ok, s, 0.0)", f"s = float({a})", f"s = s * int({a} > 0)",
            "s = jnp.float32(k0 > 2 and not up[0])", "s = round(s * 4) / 4", "s = (s > 0) * s",
        )
    ][0].split("\n")  # fmt: skip


def switch(make: Maker) -> Lines:
    on = make.one("k0", "k0", "k0 % 3")
    if make.often():
        return [f"match {on}:", *indent(["case 0:", *indent(change(make)), f"case {make.one('1', '1 | 2', '2')}:", *indent(change(make)),
                                         "case _:", *indent(change(make))])]  # fmt: skip
    make.before.append("mode = k0 % 3")
    lines = ["if mode == 0:", *indent(change(make)), "elif mode == 1:", *indent(change(make))]
    return [*lines, *(["elif mode == 2:"] if make.often() else ["else:"]), *indent(change(make))]


def safe(make: Maker) -> Lines:
    """What an arm may only compute where its test holds."""
    return make.one(
        "if s != 0:\n    s = t / s", "s = jnp.log(s) if s > 0 else -10.0", "if s > 0:\n    s = jnp.sqrt(s)\nelse:\n    s = 0.0",
        "norm = jnp.sqrt(jnp.sum(h**2))\nif norm > 0.5:\n    h = h * (0.5 / norm)", "s = 1 / s if abs(s) > 0.1 else s",
    ).split("\n")  # fmt: skip


def tree(make: Maker) -> Lines:
    """State in a dict, a tuple or a NamedTuple."""
    name, a = make.name("state"), make.number(1)
    make.results.append(name)
    match make.one("dict", "item", "tuple", "named"):
        case "dict":
            return [f'{name} = {{"s": s, "h": h}}', f"if {test(make)}:", f'    {name} = {{"s": {a} * 1.0, "h": h * 2}}']
        case "item":
            return [
                f'{name} = {{"s": s, "h": h}}',
                f"if {test(make)}:",
                f'    {name}["s"] = {name}["s"] + {bracket(a)}',
            ]
        case "tuple":
            return [f"{name} = (s, h)", f"if {test(make)}:", f"    {name} = ({name}[0] * 2, {name}[1] + t)"]
    if "class State(NamedTuple):" not in make.module:
        make.module += ["class State(NamedTuple):", "    s: jax.Array", "    h: jax.Array"]
    return [f"{name} = State(s, h)", f"if {test(make)}:", f"    {name} = {name}._replace(s={name}.s * 0.5 + t)"]


def helper(make: Maker) -> Lines:
    """A function of the module that branches."""
    name = make.name(make.one("clipped", "relu", "chosen"))
    body = make.one(
        "if x > 0.5:\n        return x * 0.5\n    return x", "return x if x > 0 else 0.1 * x",
        "if x < -0.5:\n        x = -x\n    elif x > 0.5:\n        x = x * x\n    return x + 1.0",
    )  # fmt: skip
    make.module += [f"def {name}(x):", f"    {body}", "", ""]
    return [make.one(f"s = {name}(s)", f"s = {name}({make.number(1)}) + s", f"h = jnp.stack([{name}(x) for x in h])")]


FORMS: dict[str, Callable[[Maker], Lines]] = {
    f.__name__: f
    for f in (one_arm, two_arms, chain, nested, guard, fresh, dead, ternary, operators, switch, safe, tree, helper)
}
