"""The ways in which a loop is spelled: how it counts, how it holds its state, how it collects, how it branches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from spellings.loops import Loop

HEAD = """from functools import partial
from types import SimpleNamespace

import jax
import jax.numpy as jnp


"""


class Trip(NamedTuple):
    """How a loop counts: lines before it, its header, lines at the start and end of its body, its number and row."""

    before: tuple[str, ...]
    header: str
    first: tuple[str, ...]
    last: tuple[str, ...]
    number: str
    row: str


class State(NamedTuple):
    """How the state is held: lines before the loop, the name of each part, how new parts are put there, lines after."""

    before: tuple[str, ...]
    names: dict[str, str]
    put: Callable[[Sequence[str]], list[str]]
    after: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    new: dict[str, str] | None = None
    late: tuple[str, ...] = ()


class Collect(NamedTuple):
    """How a list is filled: lines before the loop, those that add an element, lines after the loop."""

    before: tuple[str, ...]
    add: Callable[[str], list[str]]
    after: tuple[str, ...] = ()
    final: str = ""


# -- counting

Trips = Callable[[Loop], Trip | None]


def _counted(before: str, header: str, last: str = "", number: str = "i", first: str = "") -> Trips:
    """A loop that makes `n` trips; over rows, it reads the row of its number."""

    def trip(loop: Loop) -> Trip | None:
        size = "n" if not loop.rows else f"len({loop.rows})"
        row = f"{loop.rows}[{size} - 1 - {number}]" if loop.backward else f"{loop.rows}[{number}]"
        parts = [(text.replace("SIZE", size),) if text else () for text in (before, first, last)]
        return Trip(parts[0], header.replace("SIZE", size), parts[1], parts[2], number, row)

    return trip


def _over(header: str, backward: str) -> Trips:
    """A loop over the rows themselves."""

    def trip(loop: Loop) -> Trip | None:
        used = backward if loop.backward else header
        numbered = any("{i}" in part for part in loop.update)
        return Trip((), used.replace("ROWS", loop.rows), (), (), "i", "row") if loop.rows and not numbered else None

    return trip


def _downward(loop: Loop) -> Trip | None:
    """A range that counts down."""
    size = "n" if not loop.rows else f"len({loop.rows})"
    row = f"{loop.rows}[k]" if loop.backward else f"{loop.rows}[{size} - 1 - k]"
    return Trip((), f"for k in range({size} - 1, -1, -1):", (), (), f"({size} - 1 - k)", row)


TRIPS: dict[str, Trips] = {
    "for range": _counted("", "for i in range(SIZE):"),
    "for row": _over("for row in ROWS:", "for row in reversed(ROWS):"),
    "while <": _counted("i = 0", "while i < SIZE:", "i += 1"),
    "range from 1": _counted("", "for k in range(1, SIZE + 1):", number="(k - 1)"),
    "enumerate": _over("for i, row in enumerate(ROWS):", "for i, row in enumerate(ROWS[::-1]):"),
    "own counter": _counted("i = 0", "for _ in range(SIZE):", "i += 1"),
    "range down": _downward,
    "zip": _over("for i, row in zip(range(len(ROWS)), ROWS):", "for i, row in zip(range(len(ROWS)), reversed(ROWS)):"),
    "range of three": _counted("", "for i in range(0, SIZE, 1):"),
    "arange": _counted("", "for i in jnp.arange(SIZE):"),
    "while true": _counted("i = 0", "while True:", "i = i + 1", first="if i >= SIZE: break"),
    "while !=": _counted("i = 0", "while i != SIZE:", "i = i + 1"),
}

# -- state

States = Callable[[Loop], State | None]


def _starts(loop: Loop) -> tuple[str, ...]:
    return tuple(f"{name} = {start}" for name, start in loop.state)


def _named(loop: Loop) -> dict[str, str]:
    return {name: name for name, _ in loop.state}


def _in_names(put: Callable[[list[str], Sequence[str]], list[str]]) -> States:
    """Names of their own, bound as `put` says."""

    def state(loop: Loop) -> State | None:
        names = [name for name, _ in loop.state]
        return State(_starts(loop), _named(loop), lambda new: put(names, new)) if names else None

    return state


def _plain(names: list[str], new: Sequence[str]) -> list[str]:
    return [f"{', '.join(names)} = {', '.join(new)}"]


def _copied(names: list[str], new: Sequence[str]) -> list[str]:
    return [*(f"{n}_new = {e}" for n, e in zip(names, new, strict=False)), *(f"{n} = {n}_new" for n in names)]


def _before_copied(names: list[str], new: Sequence[str]) -> list[str]:
    spare = {n: f"{n}_old" for n in names}
    lines = [f"{old} = {n}" for n, old in spare.items()]
    return [*lines, *(f"{n} = {renamed(e, spare)}" for n, e in zip(names, new, strict=False))]


def _split(names: list[str], new: Sequence[str]) -> list[str]:
    """Each operation in a statement of its own."""
    lines: list[str] = []
    made = [_parts(ast.parse(e, mode="eval").body, f"{n}_part", lines) for n, e in zip(names, new, strict=False)]
    return [*lines, *_plain(names, made)]


def _parts(node: ast.expr, base: str, lines: list[str]) -> str:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            one = _parts(left, base, lines)
            sign = ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b"))).split()[1]
            code = f"{one} {sign} {_parts(right, base, lines)}"
        case ast.Call(func=func, args=[argument]):
            code = f"{ast.unparse(func)}({_parts(argument, base, lines)})"
        case _:
            return ast.unparse(node)
    name = f"{base}{len(lines)}"
    lines.append(f"{name} = {code}")
    return name


def _chained(names: list[str], new: Sequence[str]) -> list[str]:
    return [f"{n}_last = {n}_made = {e}" for n, e in zip(names, new, strict=False)] + [f"{n} = {n}_made" for n in names]


def _walrus(names: list[str], new: Sequence[str]) -> list[str]:
    return [f"{', '.join(names)} = {', '.join(f'({n}_made := {e})' for n, e in zip(names, new, strict=False))}"]


def _listed(names: list[str], new: Sequence[str]) -> list[str]:
    return [f"[{', '.join(names)}] = [{', '.join(new)}]"]


def _by_place(names: list[str], new: Sequence[str]) -> list[str]:
    return [f"made = ({', '.join(new)},)", *(f"{n} = made[{at}]" for at, n in enumerate(names))]


def _if_true(names: list[str], new: Sequence[str]) -> list[str]:
    return ["if True:", *(f"    {line}" for line in _plain(names, new))]


def _held(start: str, place: str, *, whole: str = "") -> States:
    """Parts of one object, each set in place, or the whole made anew."""

    def state(loop: Loop) -> State | None:
        if not loop.state:
            return None
        names = {name: place.format(name=name, at=at) for at, (name, _) in enumerate(loop.state)}
        pairs = {"name": ", ".join(f"{n}={s}" for n, s in loop.state), "at": ", ".join(s for _, s in loop.state)}

        def put(new: Sequence[str]) -> list[str]:
            spelled = {"name": ", ".join(f"{n}={e}" for n, e in zip(names, new, strict=False)), "at": ", ".join(new)}
            if whole:
                return [whole.format(**spelled)]
            if len(new) == 1:
                return [f"{next(iter(names.values()))} = {new[0]}"]
            return [f"{', '.join(names.values())} = {', '.join(new)}"]

        after = tuple(f"{name} = {code}" for name, code in names.items())
        return State((start.format(**pairs),), names, put, after)

    return state


def _tuple(loop: Loop) -> State | None:
    if not loop.state:
        return None
    names = ", ".join(name for name, _ in loop.state)
    names = f"{names}," if len(loop.state) == 1 else names
    before = (f"state = ({', '.join(s for _, s in loop.state)},)",)
    new = {name: f"state[{at}]" for at, (name, _) in enumerate(loop.state)}
    unpacked = (f"{names} = state",)
    return State(before, _named(loop), lambda made: [f"state = ({', '.join(made)},)"], unpacked, unpacked, new)


def _helper(call: str, *, anonymous: bool = False) -> States:
    """A local function that gives the new state."""

    def state(loop: Loop) -> State | None:
        names = [name for name, _ in loop.state]
        if not names or loop.test:
            return None
        inputs = [*names, *(p for p in ("i", "row") if any(f"{{{p}}}" in e for e in loop.update))]
        new = ", ".join(e.format(**{p: p for p in inputs}) for e in loop.update)
        new = f"({new})" if len(names) > 1 else new
        define = (f"def step({', '.join(inputs)}):", f"    return {new}")
        define = (f"step = lambda {', '.join(inputs)}: {new}",) if anonymous else define
        left = ", ".join(names)

        def put(made: Sequence[str]) -> list[str]:
            given = ", ".join(f"{p}=INPUT_{p}" if call == "named" else f"INPUT_{p}" for p in inputs)
            return [f"{left} = step({given})"]

        return State((*_starts(loop), *define), _named(loop), put)

    return state


def _late(loop: Loop) -> State | None:
    """New names throughout a trip, copied at its end."""
    if not loop.state:
        return None
    new = {name: f"{name}_next" for name, _ in loop.state}
    return State(
        _starts(loop),
        _named(loop),
        lambda made: [f"{n} = {e}" for n, e in zip(new.values(), made, strict=False)],
        new=new,
        late=tuple(f"{name} = {other}" for name, other in new.items()),
    )


def _augmented(loop: Loop) -> State | None:
    whole = all(e.startswith(f"{{{n}}} ") for e, (n, _) in zip(loop.update, loop.state, strict=False))
    if len(loop.state) != 1 or loop.test or not whole or "* v" in loop.update[0]:
        return None
    name = loop.state[0][0]
    return State(_starts(loop), _named(loop), lambda new: [f"{name} += {new[0].split(' + ', 1)[1]}"])


STATES: dict[str, States] = {
    "names": _in_names(_plain),
    "y = f(x); x = y": _in_names(_copied),
    "state in a dict": _held("state = dict({name})", 'state["{name}"]'),
    "copied at the end": _late,
    "helper": _helper("placed"),
    "state in attributes": _held("state = SimpleNamespace({name})", "state.{name}"),
    "old = x": _in_names(_before_copied),
    "state in a tuple": _tuple,
    "helper by keyword": _helper("named"),
    "split": _in_names(_split),
    "state in a list": _held("state = [{at}]", "state[{at}]"),
    "walrus": _in_names(_walrus),
    "chained": _in_names(_chained),
    "unpacked list": _in_names(_listed),
    "by place": _in_names(_by_place),
    "dict made anew": _held("state = dict({name})", 'state["{name}"]', whole="state = dict({name})"),
    "lambda": _helper("placed", anonymous=True),
    "augmented": _augmented,
    "if True": _in_names(_if_true),
}

# -- collecting

Collects = Callable[[Loop, str], Collect | None]


def _added(line: str, start: str = "NAME = []", before: str = "", final: str = "") -> Collects:
    def collect(loop: Loop, name: str) -> Collect | None:
        first = tuple(part.replace("NAME", name) for part in (start, before) if part)
        return Collect(first, lambda e: [line.replace("NAME", name).replace("ELEMENT", e)], (), final)

    return collect


def _placed(start: str, line: str, stacked: str) -> Collects:
    """A list or an array with a place for each trip."""

    def collect(loop: Loop, name: str) -> Collect | None:
        size = f"len({loop.rows})" if loop.rows else "n"
        made = start.replace("NAME", name).replace("SIZE", size).replace("SHAPE", loop.shape)
        return Collect((made,), lambda e: [line.replace("NAME", name).replace("ELEMENT", e)], (), stacked)

    return collect


COLLECTS: dict[str, Collects] = {
    "append": _added("NAME.append(ELEMENT)"),
    "+= [x]": _added("NAME += [ELEMENT]"),
    "put = out.append": _added("put_NAME(ELEMENT)", before="put_NAME = NAME.append"),
    "extend": _added("NAME.extend([ELEMENT])"),
    "prealloc": _placed("NAME = [None] * SIZE", "NAME[NUMBER] = ELEMENT", ""),
    "out + [x]": _added("NAME = NAME + [ELEMENT]"),
    "insert": _added("NAME.insert(len(NAME), ELEMENT)"),
    "zeros": _placed("NAME = jnp.zeros((SIZESHAPE))", "NAME = NAME.at[NUMBER].set(ELEMENT)", "NAME"),
    "dict of lists": _added('logs_NAME["NAME"].append(ELEMENT)', 'logs_NAME = {"NAME": []}', "", 'logs_NAME["NAME"]'),
    "tuple": _added("NAME += (ELEMENT,)", "NAME = ()"),
    "named first": _added("made_NAME = ELEMENT; NAME.append(made_NAME)"),
    "starred": _added("NAME = [*NAME, ELEMENT]"),
    "helper appends": _added("keep_NAME(ELEMENT)", before="keep_NAME = lambda value: NAME.append(value)"),
}

# -- branching

BRANCHES = ("if", "not", "either", "where", "copy")


def _branch(kind: str, loop: Loop, old: dict[str, str], new: list[str], other: list[str]) -> list[str] | None:
    """One state under a test, in each of the ways to branch."""
    [name] = old.values()
    test = loop.test.format(**old, row="ROW", i="NUMBER")
    one, two = new[0], (other or [name])[0]
    unlike = [] if two == name else ["else:", f"    {name} = {two}"]
    match kind:
        case "if":
            return [f"if {test}:", f"    {name} = {one}", *unlike]
        case "not":
            return [f"if not ({test}):", f"    {name} = {two}", "else:", f"    {name} = {one}"]
        case "either":
            return [f"{name} = {one} if {test} else {two}"]
        case "where":
            return [f"{name} = jnp.where({test}, {one}, {two})"]
        case "copy":
            return [f"made = {two}", f"if {test}:", f"    made = {one}", f"{name} = made"]
    return None


# -- putting together


class Spelling(NamedTuple):
    """One way to write a loop."""

    trips: str = "for range"
    state: str = "names"
    collect: str = "append"
    branch: str = "if"

    @property
    def name(self) -> str:
        """In what it is unlike the plain one."""
        told = [a for a, b in zip(self, Spelling(), strict=False) if a != b]
        return ", ".join(told) or "plain"


def spellings(loop: Loop, count: int) -> list[tuple[str, str]]:
    """So many ways to write a loop, by name, each unlike the plain one in one thing, at last in two."""
    wanted: Iterator[tuple[Spelling | None, ...]] = zip_longest(
        (Spelling(state=s) for s in STATES if loop.state),
        (Spelling(trips=t) for t in TRIPS),
        (Spelling(collect=c) for c in COLLECTS if loop.collect),
        (Spelling(branch=b) for b in BRANCHES if loop.test),
        (Spelling(trips=t, state=s) for t, s in zip(reversed(TRIPS), STATES, strict=False)),
    )
    found: dict[str, str] = {}
    for spelling in (s for several in wanted for s in several if s is not None):
        text = _written(loop, spelling)
        if text is not None and text not in found.values() and len(found) < count:
            found.setdefault(spelling.name, text)
    return list(found.items())


def _written(loop: Loop, spelling: Spelling) -> str | None:
    trip = TRIPS[spelling.trips](loop)
    state = STATES[spelling.state](loop) if loop.state else State((), {}, lambda new: [])
    collects = [COLLECTS[spelling.collect](loop, name) for name, _ in loop.collect]
    if trip is None or state is None or None in collects:
        return None
    if loop.test and spelling.state not in ("names", "state in a dict", "state in attributes", "state in a list"):
        return None
    old = {**state.names, "i": "NUMBER", "row": "ROW"}
    new = [e.format(**old) for e in loop.update]
    body = [*trip.first, *state.first]
    if loop.test:
        other = [e.format(**old) for e in loop.otherwise]
        body += _branch(spelling.branch, loop, state.names, new, other) or []
    elif loop.state:
        body += state.put(new)
    after, result = list(state.after), loop.result
    before = [*state.before, *trip.before]
    for made, (name, element) in zip((c for c in collects if c is not None), loop.collect, strict=False):
        before += made.before
        body += made.add(element.format(**{**old, **(state.new or {})}))
        final = made.final.replace("NAME", name)
        result = result.replace(f"jnp.stack({name})", final if final == name else f"jnp.stack({final or name})")
    body += [*state.late, *trip.last]
    places = {"NUMBER": trip.number, "ROW": trip.row}
    places |= {f"INPUT_{name}": name for name in state.names} | {"INPUT_i": trip.number, "INPUT_row": trip.row}
    body = [_filled(line, places) for line in body]
    lines = [*before, trip.header, *(f"    {line}" for line in body), *after, f"return {result}"]
    static = '@partial(jax.jit, static_argnames="n")' if "n" in loop.arguments else "@jax.jit"
    text = "\n".join([static, f"def f({', '.join(loop.arguments)}):", *(f"    {line}" for line in lines)])
    return f"{HEAD}{text}\n"


def _filled(line: str, places: dict[str, str]) -> str:
    for mark in sorted(places, key=len, reverse=True):
        line = line.replace(mark, places[mark])
    return line


def renamed(code: str, names: dict[str, str]) -> str:
    """An expression with other names."""
    tree = ast.parse(code.replace("{", "(").replace("}", ")"), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(tree)
