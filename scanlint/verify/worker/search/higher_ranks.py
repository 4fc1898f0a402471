"""Arrays with one axis more than was guessed: an index along the last axis may be one along the first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ..infer.docstring_hints import hints
from ..infer.guess import FRESH
from ..infer.specs import Array, Specs, resize, sizes
from ..runtime.jax_errors import Fact
from ..shapes.rank_choice import written
from .attempts import Attempts
from .carry_avals import Start

BLAMED, ARMS = "another rank", "one more axis, which one arm lacks,"
GUESSED = ("one more axis", "two axes")
"""How the labels begin of shapes whose ranks are only guessed."""
WHOLE = ("int32", "bool")
MAX_ALONE = 3
MOST_FEWER = 4
LARGER = 3
MOST_AXES = 3
MOST_LENGTHS = 4
LONGEST = 64


class _Asked(Exception):
    """The code tests the truth of a traced value."""


def further(
    inputs: Attempts,
    after: Callable[..., object],
    specs: Specs,
    starts: Callable[[Specs], list[Start]],
    *,
    seen: bool = False,
    refused: Callable[[Specs], None] = lambda specs: None,
) -> Iterator[tuple[str, Specs]]:
    """The specs with one axis more for all float arrays together, or for some, where both versions accept them.

    Where arms of the old version give different shapes, these count only if the ranks were not `seen` in calls: no
    rewrite without a branch gives the number of one arm.

    Numbers of unknown rank are also tried with two axes, and with one more than the arrays beside them have. If only
    the new version fails, because a carry starts as a Python number, it is to blame in these cases: rows replace
    numbers that a loop reads; the array may be a matrix, on the left of a product; it is added to the carry as it is;
    or arrays replace all numbers of a function that has none. It is not to blame for a single number (`rate`), which is
    seldom meant as an array, unless that is the initial value of a carry and no trip reads it. Rows that it does not
    take, and is not to blame for, are told to `refused`.
    """

    unread: list[Start] = []
    together = False  # whether both versions accept one axis more for all arrays, of which a carry may start as one

    def straight(asked: int) -> bool:
        raise _Asked

    def tried(changed: Specs, names: Sequence[str], meant: bool, rows: bool = False, alone: bool = False) -> str | None:
        """BLAMED if only the new version fails and is to blame, "" if both versions accept the specs, ARMS if the
        old one gives different shapes for them, else None.

        `names` have one axis more, `alone` if they are few.
        """
        decides = inputs.attempt(changed, truth=straight) is not None
        if decides and inputs.attempt(changed) is not None:
            return None
        failure = inputs.attempt(changed, after)
        if failure is None:
            differ = inputs.by_arm(changed) if decides else False
            return "" if differ is False else ARMS if differ and arms_count else None
        said = failure.says
        if failure.kind == "ValueError" and Fact.FEWER_AXES in said.facts:
            return BLAMED  # an initial value was given the shape of one array, and has that of another one already
        if failure.kind != "TypeError":
            return None
        # The arms of a `cond` differ where one of them keeps a value that got no axis.
        arms = said.mismatch is not None and said.mismatch.primitive == "cond"
        wrong = [s for s in starts(changed) if not s.fits] if arms or said.carry else []
        if arms and not wrong:
            if meant and rows and not together and plainly:
                return BLAMED
            refused(changed)
            return None
        unread.extend(s for s in wrong if s.unread)
        blamed = wrong and all(
            (s.unread and ((alone and s.scalar) or begins.get(s.name) in names))
            or (meant and s.scalar and (s.weak or s.name in plainly))
            for s in wrong
        )
        return BLAMED if blamed else None

    if inputs.owner is not None:
        return
    # Operands of `and` and of chained comparisons are meant to have one shape, though a first one that is false is all
    # that such an expression gives.
    branches = any(isinstance(n, ast.If | ast.IfExp | ast.While) for n in ast.walk(inputs.node))
    arms_count = branches and not seen
    plainly, begins = _numbers(inputs.node), _begins(inputs.node)
    told = told_ranks(inputs.node)
    arrays = [n for n, s in specs.items() if isinstance(s, Array) and s.dtype == "float32" and len(s.shape) < MOST_AXES]
    arrays = [n for n in arrays if n not in told]
    known = sizes(list(specs.values()))
    unused = [n for n in FRESH if n not in known] or [max(known) + 1]
    fresh = unused[0]
    numbers = [n for n in arrays if specs[n] == Array(())]
    read = read_by_loops(inputs.node)
    series = [n for n in arrays if n in read and len(specs[n].shape) == read[n]]  # type: ignore[union-attr]
    added = _added(inputs.node, plainly)
    matrices = {n for n in _multiplied(inputs.node) & set(arrays) if len(specs[n].shape) < 2}  # type: ignore[union-attr]
    threes = {n: resize(s, dict.fromkeys(known, 3)) for n, s in specs.items()}
    plain = len(numbers) == len(arrays)
    low = [(n,) for n in arrays if len(specs[n].shape) < 2]  # type: ignore[union-attr]
    constants = _lengths(inputs.node)
    lengths = [fresh, 3, None, *known, *constants]
    beside = [  # `jnp.ones(4)` is combined with the rows and all other arrays
        ({n: s if n in read else resize(s, dict.fromkeys(known, length)) for n, s in specs.items()}, length)
        for length in constants
    ]
    bases = [*((specs, length) for length in dict.fromkeys(lengths)), (threes, 3), *beside]
    sets = list(dict.fromkeys([tuple(arrays), tuple(series), *((n,) for n in arrays[:MAX_ALONE])]))
    others = [tuple(a for a in arrays if a != n) for n in numbers[-MAX_ALONE:]]
    others = [names for names in others if names not in sets]
    for names in [*sets, *others]:
        if names in others and not unread:
            continue  # only an initial value that no trip reads may stay a number where all else gets an axis
        meant = plain or set(names) <= {*series, *matrices, *added}
        first = bool(names) and set(names) <= matrices
        for base, size in bases if names else ():
            changed = {
                n: _longer(s, size, first=first and size is not None) if n in names else s for n, s in base.items()
            }
            rows = set(names) <= set(series)
            found = tried(changed, names, meant, rows, names in low or names in others)
            if (
                found is None
                and rows
                and inputs.attempt(changed) is None
                and inputs.attempt(changed, after) is not None
            ):
                refused(changed)
            if found is not None:
                together = together or (not found and names == tuple(arrays) != tuple(series))
                yield f"{found or GUESSED[0]} for {', '.join(names)}", changed
                break
    twice = {n: Array(tuple(unused[:2])) if n in numbers else s for n, s in specs.items()}
    if numbers and tried(twice, numbers, plain) is not None:
        yield f"{GUESSED[1]} for {', '.join(numbers)}", twice
    longest = max((specs[n].shape for n in arrays), key=len, default=())  # type: ignore[union-attr]
    above = {n: Array((fresh, *longest)) if n in numbers else s for n, s in specs.items()}
    if numbers and longest and branches and (found := tried(above, numbers, False)) is not None:
        yield f"{found or GUESSED[0]} for {', '.join(numbers)}, which all broadcast to", above
    _whole_rows(inputs, after, specs, read, fresh, refused)


def _whole_rows(
    inputs: Attempts,
    after: Callable[..., object],
    specs: Specs,
    read: Mapping[str, int],
    fresh: int,
    refused: Callable[[Specs], None],
) -> None:
    """Tell of rows of whole numbers and truths that only the old version takes."""
    for name in [
        n for n, s in specs.items() if isinstance(s, Array) and s.dtype in WHOLE and len(s.shape) == read.get(n)
    ]:
        changed = {**specs, name: _longer(specs[name], fresh)}
        if inputs.attempt(changed) is None and inputs.attempt(changed, after) is not None:
            refused(changed)


def fewer(inputs: Attempts, after: Callable[..., object], specs: Specs) -> Iterator[tuple[str, Specs]]:
    """The specs with a number in place of one array, where the old version accepts that and a carry changes its size.

    A number broadcasts to any shape, so it is not what changes the size of a carry: the guessed array only hid the
    change. Axes of size one are left out, since they broadcast too.
    """
    told = told_ranks(inputs.node)
    floats = {n: s for n, s in specs.items() if isinstance(s, Array) and s.dtype == "float32"}
    arrays = [n for n, s in floats.items() if s.shape and n not in told]
    larger = {size: size + LARGER for size in sizes(list(specs.values()))}
    for name in arrays[:MOST_FEWER] if inputs.owner is None else ():
        changed = {n: Array(()) if n == name else resize(s, larger) for n, s in specs.items()}
        failure = inputs.attempt(changed, after) if inputs.attempt(changed) is None else None
        if failure is None or failure.kind != "TypeError" or failure.says.carry is None:
            continue
        if any(_resized(*shapes) for shapes in failure.says.shapes):
            yield f"{BLAMED} for {name}", changed


def _resized(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether two shapes of one rank differ in an axis by more than broadcasting."""
    return len(before) == len(after) and any(b != a and 1 not in (b, a) for b, a in zip(before, after, strict=True))


def _lengths(function: ast.AST) -> list[int]:
    """The first few lengths written as constants in a function: `jnp.ones(4)`."""
    return sorted(n for n in written(function) if 1 < n <= LONGEST)[:MOST_LENGTHS]


def read_by_loops(function: ast.AST) -> dict[str, int]:
    """The names that loops iterate or index with their variables, and along how many axes."""
    found: dict[str, int] = {}
    loops = [n for n in ast.walk(function) if isinstance(n, ast.For | ast.comprehension)]
    targets = {n.id for loop in loops for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    for loop in loops:
        found |= {n.id: 1 for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
    held = _held(function)
    for node in ast.walk(function):
        names, place = _indexed(node, held)
        parts = place.elts if isinstance(place, ast.Tuple) else [place] if place is not None else []
        along = [p for p in parts if targets & {n.id for n in ast.walk(p) if isinstance(n, ast.Name)}]
        if along and len(along) == len(parts):
            found |= {name: max(found.get(name, 0), len(parts)) for name in names}
    return found


def _held(function: ast.AST) -> dict[str, dict[object, str]]:
    """The names in dict displays: `params = {"w": xs}`."""
    found: dict[str, dict[object, str]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys, values=values)):
                pairs = zip(keys, values, strict=True)
                found[name] = {
                    k.value: v.id for k, v in pairs if isinstance(k, ast.Constant) and isinstance(v, ast.Name)
                }
    return found


def _indexed(node: ast.AST, held: Mapping[str, Mapping[object, str]]) -> tuple[list[str], ast.expr | None]:
    """The arrays that an expression reads by an index, and the index."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=place):
            return [name], place
        case ast.Subscript(value=ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)), slice=place):
            return [n for n in [held.get(name, {}).get(key)] if n is not None], place
        case ast.Call(args=[ast.Lambda(body=ast.Subscript(slice=place)), ast.Name(id=name)]):
            return list(held.get(name, {}).values()), place
    return [], None


def _numbers(function: ast.AST) -> set[str]:
    """The names that are bound to Python numbers somewhere."""
    bound = (n for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant))
    return {t.id for n in bound for t in n.targets if isinstance(t, ast.Name)}


def _begins(function: ast.AST) -> dict[str, str]:
    """The names that are first bound to another name, each with that name: `best = x`."""
    bound = [n for n in ast.walk(function) if isinstance(n, ast.Assign)]
    pairs = [
        (t.id, n.value.id)
        for n in bound
        for t in n.targets
        if isinstance(t, ast.Name) and isinstance(n.value, ast.Name)
    ]
    return dict(reversed(pairs))


def _added(function: ast.AST, numbers: Collection[str]) -> set[str]:
    """The names that are added, as they are, to one of these: `total += v`."""
    found = set()
    for node in ast.walk(function):
        match node:
            case (
                ast.AugAssign(target=ast.Name(id=left), op=ast.Add() | ast.Sub(), value=ast.Name(id=right))
                | ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub(), right=ast.Name(id=right))
            ):
                found |= {right} if left in numbers else {left} if right in numbers else set()
    return found


def _multiplied(function: ast.AST) -> set[str]:
    """The names that stand on the left of a matrix product."""
    products = (n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult))
    return {n.left.id for n in products if isinstance(n.left, ast.Name)}


def told_ranks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The parameters whose rank an annotation or the docstring tells."""
    annotated = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg) and _tells_rank(a.annotation)}
    return annotated | hints(function).keys()


def _tells_rank(annotation: ast.expr | None) -> bool:
    """Whether an annotation may determine the rank: `Float[Array, "n"]`, `float`."""
    match annotation:
        case ast.Subscript():
            return True
        case ast.Name(id="float" | "int" | "bool" | "complex"):
            return True
    return False


def _longer(spec: object, size: int | None, *, first: bool = False) -> Array:
    """The array with one axis more, the last or the `first`; without a size, as long as its first axis."""
    assert isinstance(spec, Array)
    length = size or (spec.shape[0] if spec.shape else 2)
    return Array((length, *spec.shape) if first else (*spec.shape, length), spec.dtype)
