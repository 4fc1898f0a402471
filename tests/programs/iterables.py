"""What the loop of a random program goes over."""

from __future__ import annotations

from maker import Maker


def header(make: Maker) -> str:
    """The `for` of the program; tells the maker what its body can read."""
    kind = make.one(*KINDS)
    make.form(f"over:{kind}")
    return KINDS[kind](make)


def counted(make: Maker, *bounds: str) -> str:
    i = make.name(make.one("i", "t_step", "k"))
    make.sight.index = i
    return f"for {i} in {make.one(*bounds)}:"


def row(make: Maker, *arrays: str) -> str:
    name = make.name("row")
    make.sight.vectors.append(name)
    return f"for {name} in {make.one(*arrays)}:"


def value(make: Maker, *arrays: str) -> str:
    name = make.name("y")
    make.sight.numbers.append(name)
    return f"for {name} in {make.one(*arrays)}:"


def constant_range(make: Maker) -> str:
    return counted(make, "range(9)", "range(6)", "range(1, 8)", "range(0, 9)", "range(-2, 5)", "range(COUNT)")


def stepped_range(make: Maker) -> str:
    return counted(
        make, "range(0, 9, 2)", "range(1, 9, 2)", "range(2, 8, 1)", "range(0, len(xs), 2)", "range(-4, 4, 2)"
    )


def downward_range(make: Maker) -> str:
    return counted(
        make, "range(8, -1, -1)", "range(7, 0, -1)", "range(8, 0, -2)", "range(len(xs) - 1, -1, -1)",
        "range(xs.shape[0] - 1, 0, -1)", "range(len(xs), 0, -1)", "range(len(ys) - 2, -1, -1)",
    )  # fmt: skip


def length_range(make: Maker) -> str:
    return counted(
        make, "range(len(xs))", "range(xs.shape[0])", "range(len(ys))", "range(1, len(xs))", "range(ys.shape[0] - 1)",
        "range(1, xs.shape[0] - 1)", "range(ys.size)",
    )  # fmt: skip


def static_range(make: Maker) -> str:
    return counted(
        make, "range(n)", "range(1, n)", "range(n, 0, -1)", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(n + 1)"
    )


def reversed_range(make: Maker) -> str:
    return counted(
        make, "reversed(range(8))", "reversed(range(len(xs)))", "reversed(range(1, 7))", "reversed(range(0, 9, 2))",
        "range(9)[::-1]",
    )  # fmt: skip


def traced_range(make: Maker) -> str:
    return counted(make, "range(k0)", "range(1, k0)", "range(k0, 9)")


def rows(make: Maker) -> str:
    return row(make, "xs", "xs[1:]", "xs[:-1]", "xs[::2]", "xs[::-1]", "m.T", "xs * 2", "jnp.flip(xs, 0)")


def values(make: Maker) -> str:
    return value(make, "ys", "ys[1:]", "ys[::-1]", "xs[:, 0]", "jnp.cumsum(ys)", "half", "ints")


def arange(make: Maker) -> str:
    return counted(make, "jnp.arange(9)", "jnp.arange(len(xs))", "jnp.arange(1, 8, 2)")


def linspace(make: Maker) -> str:
    return value(make, "jnp.linspace(0.0, 1.0, 7)", "jnp.arange(0.0, 2.0, 0.25)")


def enumerated(make: Maker) -> str:
    i = make.sight.index = make.name("i")
    if make.often():
        name = make.name("row")
        make.sight.vectors.append(name)
        return f"for {i}, {name} in enumerate({make.one('xs', 'xs[1:]', 'xs[::-1]', 'm')}):"
    name = make.name("y")
    make.sight.numbers.append(name)
    return f"for {i}, {name} in enumerate({make.one('ys', 'ys', 'ys, 1', 'ys, start=2', 'reversed(ys)')}):"


def zipped(make: Maker) -> str:
    a, y = make.name("row"), make.name("y")
    make.sight.vectors.append(a)
    make.sight.numbers.append(y)
    match make.one("two", "counted", "enumerated", "shifted", "reversed", "range_first"):
        case "counted":
            i = make.sight.index = make.name("i")
            return f"for {a}, {y}, {i} in zip(xs, ys, range({make.one('9', 'len(ys)', '20', '1, 7')})):"
        case "range_first":
            i = make.sight.index = make.name("i")
            return f"for {i}, {a}, {y} in zip(range(len(xs)), xs, ys):"
        case "enumerated":
            i = make.sight.index = make.name("i")
            return f"for {i}, ({a}, {y}) in enumerate(zip(xs, ys)):"
        case "shifted":
            other = make.name("other")
            make.sight.vectors.append(other)
            return f"for {a}, {other}, {y} in zip(xs[:-1], xs[1:], ys[1:]):"
        case "reversed":
            return f"for {a}, {y} in zip(xs[::-1], {make.one('ys', 'ys[::-1]')}):"
    return f"for {a}, {y} in zip(xs, ys):"


def reversed_rows(make: Maker) -> str:
    return row(make, "reversed(xs)") if make.often() else value(make, "reversed(ys)")


def listed(make: Maker) -> str:
    """Python lists and tuples of arrays or numbers."""
    match make.one("numbers", "table", "arrays"):
        case "numbers":
            return value(make, "[0.5, 1.0, -0.25, 2.0, 0.125]", "(1, 2, 3, 4, 5, 6)", "[0.5, 1, 2, -1.5, 0.25]")
        case "table":
            make.table()
            return value(make, "TABLE", "GRID", "GRID[::-1]")
    return row(make, "[v, m[0], m[1], v * 2, m[3]]", "(v, v + 1, m[2], v, -v)")


KINDS = {
    f.__name__: f
    for f in (
        constant_range, length_range, rows, values, stepped_range, downward_range, static_range, reversed_range,
        enumerated, zipped, reversed_rows, arange, linspace, traced_range, listed,
    )
}  # fmt: skip
