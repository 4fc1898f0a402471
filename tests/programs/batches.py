"""Random jitted functions that treat each example on its own: loops and comprehensions, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable

from maker import Maker, bracket, indent

Lines = list[str]


def content(make: Maker) -> Lines:
    """One or two batches, and now and then a loop that is none."""
    lines: Lines = []
    for _ in range(int(make.one("1", "1", "2"))):
        kind = make.one(*FORMS)
        make.form(kind)
        lines += FORMS[kind](make)
        make.sight.index, make.sight.numbers, make.sight.vectors = None, [], []
    if make.rarely():
        make.form("a loop beside it")
        make.before.append("c = t")
        make.results.append("c")
        lines += ["for i in range(14):", f"    c = jnp.tanh(c) + {make.number(1)}"]
    return lines


def header(make: Maker) -> str:
    """What goes over the examples, without `for`; the maker is told what a body can read."""
    make.sight.numbers, make.sight.vectors = ["t"], ["v"]
    match make.one("rows", "numbers", "pairs", "counted", "columns", "reversed", "shifted"):
        case "rows":
            make.sight.vectors = ["x", "x"]
            return "x in xs"
        case "pairs":
            make.sight.vectors, make.sight.numbers = ["x", "x"], ["y"]
            return "x, y in zip(xs, ys)"
        case "counted":
            make.sight.vectors, make.sight.numbers = ["x"], ["ys[i]"]
            return "i, x in enumerate(xs)"
        case "columns":
            make.sight.vectors = ["m[:, i]", "m[i]"]
            return f"i in range({make.one('4', 'm.shape[1]')})"
        case "reversed":
            make.sight.vectors = ["x"]
            return make.one("x in xs[::-1]", "x in reversed(xs)")
        case "shifted":
            make.sight.vectors = ["xs[i]", "xs[i + 1]"]
            return f"i in range({make.one('len(xs) - 1', 'xs.shape[0] - 1')})"
    make.sight.vectors, make.sight.numbers = ["xs[i]", "xs[i]"], ["ys[i]"]
    return f"i in range({make.one('xs.shape[0]', 'len(xs)', 'ys.shape[0]')})"


def work(make: Maker) -> str:
    """What is computed of one example: a number or a vector."""
    if make.often():
        return make.vector()
    a = make.sight.vectors[0]
    return make.one(make.number(), f"jnp.sum({a} * v)", f"score({a}, v)", f"score({a}, t * v)", f"{a} @ m @ {a}")


def helper(make: Maker) -> None:
    if "def score(x, w):" not in make.module:
        make.module += ["def score(x, w):", "    return jnp.tanh(x @ w) * 2", "", ""]


def collected(make: Maker) -> Lines:
    over, out = header(make), make.name("out")
    helper(make)
    before = [f"z = {make.vector(1)}"] if make.often() else []
    make.sight.vectors += ["z"] if before else []
    lines = [f"{out} = []", f"for {over}:", *indent([*before, f"{out}.append({work(make)})"])]
    made = make.one(
        f"jnp.stack({out})", f"jnp.array({out})", f"jnp.stack({out}).sum(0)", f"jnp.mean(jnp.stack({out}), axis=0)"
    )
    make.results.append(made)
    return lines


def comprehension(make: Maker) -> Lines:
    over, out = header(make), make.name("out")
    helper(make)
    make.results.append(out)
    return [f"{out} = {make.one('jnp.stack', 'jnp.array', 'jnp.asarray')}([{work(make)} for {over}])"]


def filled(make: Maker) -> Lines:
    make.sight.vectors, make.sight.numbers = ["xs[i]", "xs[i]"], ["ys[i]", "t"]
    helper(make)
    out = make.name("out")
    make.results.append(out)
    number = make.one(make.number(), "jnp.sum(xs[i] * v)", "score(xs[i], v)")
    return [f"{out} = jnp.zeros({make.one('len(xs)', 'xs.shape[0]')})", "for i in range(len(xs)):",
            f"    {out} = {out}.at[i].set({number})"]  # fmt: skip


def added(make: Maker) -> Lines:
    """Sums, and other reductions."""
    over, s = header(make), make.name(make.one("total", "s", "loss"))
    helper(make)
    make.results.append(s)
    a = make.one(make.number(), f"jnp.sum({make.vector()})", f"score({make.sight.vectors[0]}, v)")
    start, step = make.one(
        f"0.0|{s} = {s} + {a}", f"0.0|{s} += {bracket(a)}", f"jnp.zeros(())|{s} = {s} + {a}", f"0.0|{s} = {a} + {s}",
        f"t|{s} = {s} - {bracket(a)}", f"-jnp.inf|{s} = jnp.maximum({s}, {a})", f"1e9|{s} = jnp.minimum({s}, {a})",
        f"False|{s} = {s} | ({bracket(a)} > 0)", f"True|{s} = jnp.logical_and({s}, {bracket(a)} < 1)",
        f"0|{s} = {s} + ({bracket(a)} > 0)", f"jnp.zeros(4)|{s} = {s} + {make.vector()}", f"-1.0|{s} = max({s}, {a})",
    ).split("|", 1)  # fmt: skip
    make.before.append(f"{s} = {start}")
    return [f"for {over}:", *indent([step])]


def two_sums(make: Maker) -> Lines:
    over, a, b = header(make), make.name("a"), make.name("b")
    helper(make)
    make.results += [a, b]
    make.before += [f"{a} = 0.0", f"{b} = {make.one('0.0', 'jnp.zeros(4)', '0')}"]
    x = make.sight.vectors[0]
    return [f"for {over}:", *indent([f"r = {make.vector()}", f"{a} = {a} + jnp.sum(r)", f"{b} = {b} + {make.one(f'jnp.sum({x})', 'jnp.max(r)')}"])]  # fmt: skip


def several(make: Maker) -> Lines:
    """Results that are tuples, in several lists."""
    over, p, q = header(make), make.name("p"), make.name("q")
    helper(make)
    make.results += [f"jnp.stack({p})", f"jnp.stack({q})"]
    a, b = work(make), work(make)
    if make.often():
        return [f"{p}, {q} = [], []", f"for {over}:", *indent([f"u, w = {a}, {b}", f"{p}.append(u)", f"{q}.append(w)"])]
    return [f"{p} = []", f"{q} = []", f"for {over}:", *indent([f"{p}.append({a})", f"{q}.append({b})"])]


def pairs(make: Maker) -> Lines:
    out = make.name("kernel")
    make.results.append(out)
    body = make.one("jnp.sum((a - b) ** 2)", "a @ b", "jnp.exp(-jnp.sum(jnp.abs(a - b)))")
    if make.often():
        return [f"{out} = jnp.array([[{body} for b in {make.one('xs', 'm')}] for a in xs])"]
    body = body.replace("a", "xs[i]", 1) if body == "a @ b" else "jnp.sum((xs[i] - xs[j]) ** 2)"
    return [f"{out} = jnp.zeros((len(xs), len(xs)))", "for i in range(len(xs)):", "    for j in range(len(xs)):",
            f"        {out} = {out}.at[i, j].set({body.replace(' b', ' xs[j]')})"]  # fmt: skip


def chosen(make: Maker) -> Lines:
    """A branch for each example."""
    over, out = header(make), make.name("out")
    helper(make)
    make.results.append(f"jnp.stack({out})")
    a = make.sight.vectors[0]
    return [f"{out} = []", f"for {over}:",
            *indent([f"r = jnp.sum({a})", f"if r > {make.one('0', 't')}:", f"    r = {make.one('r * 2', 'jnp.sqrt(r)', 't')}",
                     f"{out}.append(r)"])]  # fmt: skip


FORMS: dict[str, Callable[[Maker], Lines]] = {
    f.__name__: f for f in (collected, comprehension, filled, added, added, two_sums, several, pairs, chosen)
}
