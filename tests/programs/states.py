"""What the loop of a random program keeps, computes and collects: each adds lines before, in and after the loop."""

from __future__ import annotations

from collections.abc import Callable

from maker import Maker, bracket, indent

Lines = list[str]


def accumulate(make: Maker) -> Lines:
    s = make.name(make.one("s", "total", "acc"))
    make.before.append(
        f"{s} = {make.one('0.0', '0', 'jnp.zeros(())', 't', 'jnp.float32(1)', 'ys[0]', 'jnp.sum(v)', '1')}"
    )
    keep(make, s)
    e = make.number()
    return [
        make.one(
            f"{s} = {s} + {e}",
            f"{s} += {e}",
            f"{s} = 0.5 * {s} + {e}",
            f"{s} -= {e}",
            f"{s} = {s} * 0.5 - {bracket(e)}",
        )
    ]


def vector(make: Maker) -> Lines:
    h = make.name(make.one("h", "x"))
    make.before.append(
        f"{h} = {make.one('v', 'jnp.zeros(4)', 'xs[0]', 'jnp.zeros_like(v)', 'jnp.ones(4) * t', 'm[0]', *shapeless(make))}"
    )
    keep(make, h)
    e = make.vector()
    return [
        make.one(
            f"{h} = jnp.tanh({h} + {e})",
            f"{h} = 0.5 * {h} + {e}",
            f"{h} *= 0.5",
            f"{h} += {e}",
            f"{h} = m @ ({h} - {e})",
        )
    ]


def swap(make: Maker) -> Lines:
    a, b = make.name("a"), make.name("b")
    make.before.append(make.one(f"{a}, {b} = t, 1.0", f"{a}, {b} = v, m[0]", f"{a} = {b} = t", f"{a}, {b} = 0, 1"))
    make.results += [a, b]
    e = make.number(1)
    return make_lines(make.one(f"{a}, {b} = {b}, 0.5 * {a} + {e}", f"{a}, {b} = {b}, {a}", f"{a}, {b} = {b} + {e}, {a} * 0.5",
                               f"{b} = 0.5 * {a} + {e}\n{a} = {b} - 1"))  # fmt: skip


def packed(make: Maker) -> Lines:
    """One name that holds a tuple, a dict or a NamedTuple."""
    state, e, h = make.name("state"), make.number(1), make.vector(1)
    match make.one("tuple", "dict", "merged", "named", "replaced", "item"):
        case "tuple":
            p, q = make.name("p"), make.name("q")
            make.before.append(f"{state} = ({make.one('t', '0.0')}, {make.one('v', 'jnp.zeros(4)')})")
            make.results.append(make.one(state, f"{state}[1]"))
            return [f"{p}, {q} = {state}", f"{state} = (0.5 * {p} + {e}, {q} * 0.5 - {bracket(h)})"]
        case "dict":
            make.before.append(f'{state} = {{"s": t, "h": v}}')
            make.results.append(make.one(state, f'{state}["h"]'))
            return [f'{state} = {{"s": {state}["s"] * 0.5 + {e}, "h": 0.5 * {state}["h"] + {h}}}']
        case "merged":
            make.before.append(f'{state} = {{"s": {make.one("t", "0.0")}, "h": v}}')
            make.results.append(state)
            return [f'{state} = {{**{state}, "s": {state}["s"] * 0.5 + {e}}}']
        case "item":
            make.before.append(f'{state} = {{"s": t, "h": v}}')
            make.results.append(state)
            return [f'{state}["s"] = {state}["s"] * 0.5 + {e}']
    if "class State(NamedTuple):" not in make.module:
        make.module += ["class State(NamedTuple):", "    s: jax.Array", "    h: jax.Array"]
    make.before.append(f"{state} = State({make.one('t', 'ys[0]')}, v)")
    make.results.append(make.one(state, f"{state}.h"))
    if make.often():
        return [f"{state} = {state}._replace(s={state}.s * 0.5 + {e})"]
    return [f"{state} = State({state}.s * 0.5 + {e}, {state}.h * 0.5 + {h})"]


def random(make: Maker) -> Lines:
    h, i = make.name("noisy"), make.sight.index
    make.before.append(f"{h} = {make.one('v', 'jnp.zeros(4)')}")
    keep(make, h)
    rng = make.name("rng")
    draw = f"{h} = 0.5 * {h} + jax.random.{make.one('normal', 'uniform')}"
    match make.one("split", "split", "fold", "keys", "three"):
        case "fold" if i is not None:
            return [f"{draw}(jax.random.fold_in(key, {i}), (4,))"]
        case "keys" if i is not None:
            make.before.append(f"{rng} = jax.random.split(key, 10)")
            return [f"{draw}({rng}[{i}], (4,))"]
        case "three":
            make.before.append(f"{rng} = key")
            return [f"{rng}, k_a, k_b = jax.random.split({rng}, 3)", f"{draw}(k_a, (4,)) * jax.random.normal(k_b)"]
    make.before.append(f"{rng} = key")
    make.results += [rng] if make.often() else []
    return [f"{rng}, sub = jax.random.split({rng})", f"{draw}(sub, (4,))"]


def collect(make: Maker) -> Lines:
    ys = make.name(make.one("out", "losses", "trace", "history"))
    vectors = make.often()
    e = make.vector() if vectors else make.number()
    first = "v" if vectors else make.one("t", "0.0", "ys[0]")
    make.before.append(f"{ys} = {make.one('[]', '[]', '[]', f'[{first}]', 'list()')}")
    stacks = [f"jnp.stack({ys})", f"jnp.array({ys})", f"jnp.asarray({ys})", f"jnp.stack({ys})[::-1]", f"jnp.stack({ys}[::-1])",
              f"jnp.array({ys}).mean(0)", f"{ys}[-1]", f"jnp.stack({ys}).T", f"jnp.stack({ys}[1:])", f"(jnp.stack({ys}), len({ys}))",
              f"jnp.stack({ys})[-1]", f"sum({ys})"]  # fmt: skip
    if vectors:
        stacks += [
            f"jnp.stack({ys}, axis=1)",
            f"jnp.stack({ys}, -1)",
            f"jnp.concatenate({ys})",
            f"jnp.vstack({ys})",
            f"jnp.hstack({ys})",
        ]
    if make.often():
        bound = make.name("stacked")
        make.after.append(f"{bound} = {make.one(*stacks)}")
        make.results.append(bound)
    else:
        make.results.append(make.one(*stacks))
    if make.often() and vectors:
        d = make.name("d")
        return [f"{d} = {e}", f"{ys}.append({d})"]
    return [make.one(f"{ys}.append({e})", f"{ys}.append({e})", f"{ys} += [{e}]", f"{ys}.append(({e}))")]


def read_back(make: Maker) -> Lines:
    """A list whose last element is read for the next one."""
    ys, vectors = make.name("path"), make.often()
    e = make.vector() if vectors else make.number()
    make.before.append(f"{ys} = [{make.one('v', 'm[0]') if vectors else make.one('t', 'ys[0]', '0.0')}]")
    make.results.append(make.one(f"jnp.stack({ys})", f"jnp.array({ys})", f"{ys}[-1]"))
    last = make.name("before")
    return make_lines(make.one(f"{ys}.append(0.5 * {ys}[-1] + {e})", f"{last} = {ys}[-1]\n{ys}.append({e} - 0.5 * {last})",
                               f"{last} = jnp.tanh({ys}[-1]) + {e}\n{ys}.append({last})"))  # fmt: skip


def either(make: Maker) -> Lines:
    """A list to which each way through a branch appends."""
    ys, vectors = make.name("picked"), make.often()
    a, b, c = (make.vector(1) if vectors else make.number(1) for _ in range(3))
    make.before.append(f"{ys} = []")
    make.results.append(make.one(f"jnp.stack({ys})", f"jnp.array({ys})"))
    middle = [f"elif {make.test()}:", f"    {ys}.append({c})"] if make.rarely() else []
    return [f"if {make.test()}:", f"    {ys}.append({a})", *middle, "else:", f"    {ys}.append({b})"]


def places(make: Maker) -> Lines:
    """A list with a place for each trip, or for some more or fewer."""
    if make.sight.index is None:
        return collect(make)
    ys, count = make.name("filled"), make.one("len(xs)", "xs.shape[0]", "9", "8", "len(ys)")
    make.before.append(f"{ys} = {make.one(f'[0.0] * {count}', f'[0.5 for _ in range({count})]')}")
    make.results.append(make.one(f"jnp.stack({ys})", f"jnp.array({ys})", f"jnp.asarray({ys})[1:]"))
    return [f"{ys}[{make.sight.index}] = {make.number()}"]


def lags(make: Maker) -> Lines:
    """A list of which each trip reads the last two elements."""
    ys = make.name("chain")
    make.before.append(f"{ys} = [{make.one('t', '0.0')}, {make.one('ys[0]', 't * 2', '1.0')}]")
    make.results.append(make.one(f"jnp.stack({ys})", f"jnp.array({ys})", f"{ys}[-1]"))
    return [f"{ys}.append(0.5 * {ys}[-1] - 0.25 * {ys}[-2] + {make.number(1)})"]


def longer(make: Maker) -> Lines:
    """An array that each trip makes a row longer."""
    ys, row = make.name("grown"), make.number(1)
    make.results.append(ys)
    if make.often():
        make.before.append(f"{ys} = {make.one('jnp.array([t])', 'ys[:1]', 'jnp.array([])')}")
        return [f"{ys} = {make.one(f'jnp.append({ys}, {row})', f'jnp.hstack([{ys}, {row}])')}"]
    make.before.append(f"{ys} = {make.one('v[None]', 'jnp.array([v])', 'jnp.zeros((0, 4))')}")
    parts = make.one(f"[{ys}, ({row} * v)[None]]", f"[({row} + v)[None, :], {ys}]")
    return [f"{ys} = {make.one('jnp.concatenate', 'jnp.vstack')}({parts})"]


def anew(make: Maker) -> Lines:
    """A list or a dict that each trip makes anew."""
    s, parts, j = make.name("sums"), make.name("parts"), make.name("j")
    make.before.append(f"{s} = {make.one('t', '0.0', 'ys[0]')}")
    make.results.append(s)
    a, b = make.number(1), make.number(1)
    if make.often():
        return [f"{parts} = [{a}]", f"for {j} in range(3):", f"    {parts}.append(0.5 * {parts}[-1] + {b})",
                f"{s} = 0.5 * {s} + {make.one(f'sum({parts})', f'{parts}[2]', f'jnp.array({parts}).max()')}"]  # fmt: skip
    return [f"{parts} = {{}}", f'{parts}["a"] = {a}', f'{parts}["b"] = {b} + {s}',
            f'{s} = 0.5 * {s} + {parts}["a"] * jnp.tanh({parts}["b"])']  # fmt: skip


def gone_over(make: Maker) -> Lines:
    """A list that another loop goes over."""
    ys, y, s = make.name("kept"), make.name("one"), make.name("back")
    make.before.append(f"{ys} = []")
    make.results.append(s)
    over = make.one(ys, f"reversed({ys})", f"{ys}[::-1]", f"{ys}[1:]")
    make.after += [f"{s} = t", f"for {y} in {over}:", f"    {s} = 0.5 * {s} + {y}"]
    return [f"{ys}.append({make.number()})"]


def filled(make: Maker) -> Lines:
    """A grid, filled place by place."""
    if make.sight.index is None:
        return vector(make)
    i, grid, j = make.sight.index, make.name("map"), make.name("j")
    make.before.append(f"{grid} = {make.one('jnp.zeros((9, 4))', 'jnp.zeros((len(xs), 4))', 'jnp.ones((9, 4), int)')}")
    make.results.append(grid)
    e = make.one(f"xs[{i}, {j}] * {bracket(make.number(1))}", f"v[{j}] - {make.number(1)}", f"{make.number(1)} * {j}")
    return [f"for {j} in range(4):", f"    {grid} = {grid}.at[{i}, {j}].set({e})"]


def collect_tuples(make: Maker) -> Lines:
    ys = make.name("pairs")
    make.before.append(f"{ys} = []")
    make.results.append(f"jnp.stack([p[0] for p in {ys}])")
    return [f"{ys}.append(({make.number(1)}, {make.vector(1)}))"]


def preallocated(make: Maker) -> Lines:
    if make.sight.index is None:
        return accumulate(make)
    buffer, i, e = make.name("buffer"), make.sight.index, make.number()
    make.results.append(buffer)
    if make.often():
        make.before.append(
            f"{buffer} = {make.one('jnp.zeros(9)', 'jnp.zeros(len(xs))', 'jnp.zeros_like(ys)', 'jnp.ones(10, jnp.int32)')}"
        )
        at = make.index()
        previous = make.one("", "", f"0.5 * {buffer}[{i} - 1] + ", f"{buffer}[{i}] + ")
        return [make.one(f"{buffer} = {buffer}.at[{at}].set({previous}{e})", f"{buffer} = {buffer}.at[{at}].add({e})")]
    make.before.append(
        f"{buffer} = {make.one('jnp.zeros((9, 4))', 'jnp.zeros_like(xs)', 'jnp.zeros((10, 4), jnp.float16)')}"
    )
    return [make.one(f"{buffer} = {buffer}.at[{i}].set({make.vector(1)})", f"{buffer} = {buffer}.at[{i}, 1].set({e})",
                     f"{buffer} = {buffer}.at[{i}, {i} % 4].add({e})", f"{buffer} = {buffer}.at[:, {i} % 4].set({e})")]  # fmt: skip


def last_value(make: Maker) -> Lines:
    """A name that is bound in the loop and read after it, with or without a value before."""
    last = make.name("last")
    if make.often():
        make.before.append(f"{last} = {make.one('t', '0.0', 'v', 'None', '0')}")
    make.results.append(last)
    return [f"{last} = {make.one(make.number(), make.vector())}"]


def target_after(make: Maker) -> Lines:
    names = [
        n
        for n in (make.sight.index, *make.sight.vectors, *make.sight.numbers)
        if n is not None and n not in make.sight.carried
    ]
    make.results.append(make.one(*names, f"{names[0]} * 2") if names else "t")
    return accumulate(make)


def whole_number(make: Maker) -> Lines:
    """Python ints and bools that go from trip to trip."""
    c = make.name("c")
    i = make.sight.index or "1"
    match make.one("counter", "counter", "cycle", "flag", "toggle", "ints", "traced", "pick"):
        case "counter":
            make.before.append(f"{c} = {make.one('0', '1', 'k0', 'jnp.int32(0)')}")
            lines = [
                make.one(
                    f"{c} = {c} + 1", f"{c} += {i}", f"{c} -= 2", f"{c} = ({c} * 3 + {i}) % 7", f"{c} = {c} + {i} * {i}"
                )
            ]
        case "cycle":
            make.before.append(f"{c} = 0")
            lines = [f"{c} = ({c} + 1) % 4", *accumulate(make), f"v = v + m[{c}]"]
            make.before.append("v = v * 1.0")
            make.results.append("v")
        case "flag":
            make.before.append(f"{c} = {make.one('False', 'True', 'flags[0]')}")
            lines = [
                make.one(
                    f"{c} = {c} | ({make.number(1)} > 0)", f"{c} = {c} & ({make.number(1)} < t)", f"{c} = {c} ^ (t > 0)"
                )
            ]
        case "toggle":
            make.before.append(f"{c} = {make.one('False', 'True')}")
            lines = [f"{c} = not {c}"]
        case "ints":
            make.before.append(f"{c} = {make.one('0', 'jnp.zeros((), jnp.int8)', 'jnp.int32(3)', '0.0', '1')}")
            pick = f"[{i}]" if make.sight.index else "[2]"
            lines = [f"{c} = {c} + {make.one('ints', 'small', 'flags', 'half')}{pick}"]
        case "traced":
            make.before.append(f"{c} = k0")
            lines = [f"{c} = ({c} * 2 + {i}) % 5"]
        case _:
            make.before.append(f"{c} = 0")
            lines = [f"{c} = jnp.where({make.number(1)} > 0, {c} + 1, {c})"]
    make.results.append(c)
    return lines


def mixed(make: Maker) -> Lines:
    """Carries whose dtype or weak type changes with the first trip."""
    q = make.name("q")
    start = make.one(
        "0",
        "0.0",
        "jnp.float16(0)",
        "jnp.int8(1)",
        "jnp.zeros(4, jnp.float16)",
        "True",
        "-jnp.inf",
        "jnp.zeros(4, int)",
        "jnp.bool_(True)",
    )
    make.before.append(f"{q} = {start}")
    make.results.append(q)
    e = make.number(1)
    cast = make.one("jnp.float16", "jnp.int8", "jnp.float32", "")
    return [make.one(f"{q} = {q} * 0.5 + {cast}({e})", f"{q} = {q} + {cast}({e})", f"{q} = jnp.maximum({q}, {e})", f"{q} = {q} / 2",
                     f"{q} = {q} * 2 % 5", f"{q} = {cast or 'jnp.asarray'}({q} + 1)", f"{q} = -{q}")]  # fmt: skip


def previous(make: Maker) -> Lines:
    """The row of the trip before."""
    prev, d = make.name("prev"), make.name("diff")
    make.before.append(f"{prev} = {make.one('v', 'xs[0]', 'jnp.zeros(4)', *shapeless(make))}")
    e = make.vector(1)
    lines = [f"{d} = {e} - {prev}", f"{prev} = {e}"]
    total = make.name("s")
    make.before.append(f"{total} = {make.one('0.0', 'jnp.zeros(())')}")
    keep(make, total)
    return [*lines, f"{total} = {total} + jnp.sum({d} ** 2)"]


def window(make: Maker) -> Lines:
    if make.sight.index is None:
        return vector(make)
    s, i = make.name("s"), make.sight.index
    make.before.append(f"{s} = jnp.zeros({make.one('()', '2', '4')})")
    make.results.append(s)
    return [f"{s} = {s} + " + make.one(f"ys[{i}:{i} + 2].sum()", f"jnp.sum(xs[{i}:{i} + 3], 0).max()", f"ys[: {i} + 1].sum()",
                                       f"xs[{i} - 1, {i} % 4]", f"xs[{i}:, 1].sum()", f"ys[{i} - 1:{i} + 1].sum()",
                                       f"jax.lax.dynamic_slice_in_dim(ys, {i}, 2).sum()", f"xs[:, {i} % 4].sum()")]  # fmt: skip


def closure(make: Maker) -> Lines:
    """Functions of the body over names that are bound anew."""
    s, g = make.name("s"), make.name("g")
    i = make.sight.index or "t"
    make.before.append(f"{s} = {make.one('0.0', 't')}")
    make.results.append(s)
    e = make.number(1)
    match make.one("lambda", "def", "before", "late", "listed"):
        case "lambda":
            return [f"{g} = lambda u: u * {s} + {i}", f"{s} = 0.5 * {g}({e})"]
        case "def":
            return [f"def {g}(u):", f"    return u + 0.5 * {s} * {i}", f"{s} = {g}({e}) * 0.5"]
        case "before":
            make.before.append(f"{g} = lambda u: u + 0.5 * {s}")
            return [f"{s} = {g}({e})"]
        case "late":
            return [f"{g} = lambda: 0.5 * {s}", f"{s} = {s} + {e}", f"{s} = {g}() - {e}"]
    fs = make.name("functions")
    make.before.append(f"{fs} = []")
    make.results.append(f"{fs}[0](t)")
    return [f"{fs}.append(lambda u: u + {i})", f"{s} = {s} + {e}"]


def trees(make: Maker) -> Lines:
    if make.sight.index is None:
        return packed(make)
    i, h = make.sight.index, make.name("h")
    make.before += ['params = {"w": xs, "b": ys}', f"{h} = {make.one('v', *shapeless(make))}"]
    keep(make, h)
    if make.often():
        return [f'{h} = 0.5 * {h} * params["w"][{i}] + params["b"][{i}]']
    return [f"p = jax.tree.map(lambda leaf: leaf[{i}], params)", f'{h} = 0.5 * {h} * p["w"] + p["b"]']


def nested(make: Maker) -> Lines:
    """A loop in the loop."""
    i, s, j = make.sight.index, make.name("grid"), make.name("j")
    make.before.append(f"{s} = {make.one('0.0', 'jnp.zeros(())', 't')}")
    keep(make, s)
    e = make.number(1)
    header = make.one(
        f"for {j} in range(5):",
        f"for {j} in range(4):",
        f"for {j} in range(3):",
        *([f"for {j} in range({i}):", f"for {j} in range({i} % 3 + 1):"] if i and make.rarely() else []),
    )
    inner = [f"0.5 * {s} + {bracket(e)} * {j}", f"0.5 * {s} + v[{j} % 4] + {e}"]
    inner += [f"{s} * 0.5 + xs[{i}, {j} % 4] * {bracket(e)}"] * 2 if i else []
    lines = [header, f"    {s} = {make.one(*inner)}"]
    if i and make.rarely():
        table = make.name("table")
        make.before.append(f"{table} = jnp.zeros((10, 5))")
        make.results.append(table)
        lines.append(f"    {table} = {table}.at[{i}, {j}].set({s} + {j})")
    return lines


def temporaries(make: Maker) -> Lines:
    d, e, s = make.name("d"), make.name("e"), make.name("s")
    make.before.append(f"{s} = {make.one('0.0', 't')}")
    keep(make, s)
    a = make.number()
    return make_lines(make.one(f"{d} = {e} = {a}\n{s} = {s} + {d} * {e}", f"{d} = {a}\n{e} = {d} * 2\n{s} = {e} - 0.5 * {s}",
                               f"{d}, *{e} = [{a}, t, 1.0]\n{s} = {s} + {d} * {e}[0]", f"{s} += ({d} := {a}) * {d}",
                               f"{d} = {a}\n{s} = {s} + {d}\ndel {d}", f"({d}, ({e},)) = ({a}, (t,))\n{s} = {s} * {d} + {e}"))  # fmt: skip


def best(make: Maker) -> Lines:
    """A running maximum, with a branch on traced values or without."""
    top, where, i = make.name("top"), make.name("where"), make.sight.index or "1"
    make.before.append(f"{top} = {make.one('-jnp.inf', '0.0', 't', 'jnp.float32(-1)')}")
    make.results.append(top)
    e = f"jnp.float32({make.number(1)})"
    if make.often():
        return [f"{top} = jnp.maximum({top}, {e})"]
    make.before.append(f"{where} = {make.one('0', 'jnp.int32(0)', '-1')}")
    make.results.append(where)
    d = make.name("d")
    return [f"{d} = {e}", f"if {d} > {top}:", f"    {top} = {d}", f"    {where} = {i}"]


def keep(make: Maker, name: str) -> None:
    """A carried number or vector that is returned, and that others may read."""
    make.results.append(name)
    make.sight.carried.append(f"jnp.sum({name})")


def shapeless(make: Maker) -> Lines:
    """Now and then a number as the start of what becomes a vector with the first trip."""
    return ["0.0"] if make.rarely() else []


def make_lines(text: str) -> Lines:
    return text.split("\n")


RESULTS = "RESULTS"
"""Stands for what the function returns at its end."""


def branched(make: Maker, lines: Lines) -> Lines:
    """Statements under an `if`, on the index or on traced values."""
    test = make.test()
    make.form("if")
    match make.one("if", "else", "elif", "other"):
        case "if":
            return [f"if {test}:", *indent(lines)]
        case "else":
            return [f"if {test}:", "    pass", "else:", *indent(lines)]
        case "elif":
            return [f"if {test}:", *indent(lines), f"elif {make.test()}:", *indent(lines)]
    other = [line.replace(" + ", " - ") for line in lines]
    return [f"if {test}:", *indent(lines), "else:", *indent(other)]


def jump(make: Maker) -> Lines:
    """A way out of the loop or of the trip."""
    kind = make.one("break", "break", "continue", "continue", "return t", f"return {RESULTS}")
    make.form(kind.partition(" ")[0])
    test = make.one(make.test(), make.test(), f"{make.number(1)} > t", f"{make.number(1)} < ys[1]")
    match make.one("plain", "plain", "plain", "state", "inside", "named"):
        case "state":
            s = make.name("left")
            make.before.append(f"{s} = {make.one('t', '0.0', 'v')}")
            make.results.append(s)
            return [f"if {test}:", f"    {s} = {s} * 0.5 + t", f"    {kind}", f"{s} = {s} + {make.number(1)}"]
        case "inside":
            return [f"if {make.test()}:", f"    if {test}:", f"        {kind}"]
        case "named":
            flag = make.name("stop")
            return [f"{flag} = {test}", f"if {flag}:", f"    {kind}"]
    return [f"if {test}:", f"    {kind}"]


def effect(make: Maker) -> Lines:
    make.form("effect")
    return [make.one('print("trip")', "assert t is not None", "SEEN.append(1)", 'jax.debug.print("{}", t)')]


STATES: dict[str, Callable[[Maker], Lines]] = {
    f.__name__: f
    for f in (
        accumulate, vector, collect, preallocated, swap, packed, random, last_value, whole_number, mixed, previous,
        window, closure, trees, nested, temporaries, best, target_after, collect_tuples, read_back, either, gone_over, filled,
        places, lags, longer, anew,
    )
}  # fmt: skip
