"""The types with which the carries of staged loops start and end: JAX requires one type, Python does not."""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import keyword
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..runtime.jax_errors import mismatch
from ..runtime.jax_functions import WEAK, abstract, attribute, shape

MARK = "__scanlint_settled__"
PLACES = {"scan": 1, "fori_loop": 3, "while_loop": 2}
LOOPS = {getattr(jax.lax, name): name for name in PLACES}
ROUNDS = 6
MOST_ARRAYS = 40
MOST_JOINED = 6
AGAIN, OTHER, FOLLOWS = "keeps no type", "has no such start", "follows an argument"
MOST_HELD = 3  # carries whose dtypes are changed together
Loop = Callable[..., object]


class ShapeSource(NamedTuple):
    """Local arrays that broadcast to the final shape of a carry, each without its first axes.

    `arrays` are their names, each with the number of axes that are left out. `typed`: they promote to the dtype of the
    carry as well; `floated`: they do so together with a Python float, `counted`: with a Python int.
    """

    arrays: tuple[tuple[str, int], ...]
    typed: bool
    floated: bool
    counted: bool


class Start(NamedTuple):
    """The types of one carry of a loop, initial and final; `likes` are the arrays that have the final shape.

    `unread`: no trip reads the initial value. `late`: it starts as a Python number, and takes a dtype in a later trip
    than the first, in which JAX looks for it.
    """

    line: int
    name: str
    before: str
    after: str
    weak: bool
    scalar: bool
    likes: frozenset[ShapeSource]
    problem: str = ""
    unread: bool = False
    late: bool = False

    @property
    def key(self) -> tuple[int, str]:
        """Identifies the carry by its loop and name."""
        return self.line, self.name

    @property
    def fits(self) -> bool:
        return self.before == self.after and not self.problem


@dataclass
class Watched:
    """Records the carries of the staged loops of a module.

    `ended` are the dtypes that names have at the end of the old version, for carries that start as numbers.
    """

    starts: list[Start] = field(default_factory=list)
    ended: Mapping[str, str] = field(default_factory=dict)

    def instrument(self, tree: ast.Module) -> ast.Module:
        """Have every call of a staged loop go through `settled`, with the names that it carries."""
        changed = _LoopMarker().visit(tree)
        ast.fix_missing_locations(changed)
        return tree

    def settled(self, line: int, names: Sequence[str], known: Mapping[str, object], loop: Loop) -> Loop:
        """The loop, called with its carry cast to its final type."""
        kind = LOOPS.get(loop)
        if kind is None:
            return loop
        place = PLACES[kind]

        def run(*args: object, **options: object) -> object:
            carry = args[place] if len(names) > 1 else (args[place],)
            assert isinstance(carry, tuple)
            if len(carry) != len(names):
                return loop(*args, **options)
            step, given_too = _step(kind, loop, args, options)
            whole = step if len(names) > 1 else lambda c, x: (step(c[0], x),)
            settled = self.note(line, names, known, carry, lambda c: jax.eval_shape(whole, c, given_too))
            told = _told_unread(self.starts[-len(names) :], whole, settled, given_too)
            self.starts[-len(names) :] = [
                start for start in told if start.name.isidentifier() and not keyword.iskeyword(start.name)
            ]
            given = list(args)
            given[place] = settled if len(names) > 1 else settled[0]
            return loop(*given, **options)

        return run

    def note(
        self, line: int, names: Sequence[str], known: Mapping[str, object], carry: tuple[object, ...], step: Loop
    ) -> tuple[object, ...]:
        """The carry at the fixpoint of its types, which are recorded; `step` maps the types over one trip."""
        now = tuple(_strong(a, self.ended.get(name)) for name, a in zip(names, carry, strict=True))
        weak = [i for i, x in enumerate(carry) if isinstance(x, (int, float)) or attribute(x, "weak_type", False)]
        now, held = _held(now, weak, known, step)
        trips: list[tuple[object, ...]] = []
        for _ in range(ROUNDS):
            out = step(now)
            assert isinstance(out, tuple)
            trips.append(out)
            pairs = list(zip(now, out, strict=True))
            now, last = tuple(_joined(a, b) for a, b in pairs), now
            if all(_kind(a) == _kind(b) for a, b in zip(last, now, strict=True)):
                break
        for at, (name, start, end, first, (_, result)) in enumerate(
            zip(names, carry, now, trips[0], pairs, strict=True)
        ):
            made = _start(line, name, known, start, end, result, self.ended.get(name), _kind(first) == _kind(result))
            if made.problem == AGAIN and at in _steady(step, tuple(out for _, out in pairs)):
                made = made._replace(problem=OTHER)
            self.starts.append(made._replace(after=_named(result)) if at in held else made)
        return now


class _LoopMarker(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args):
                place = PLACES.get(name, len(args))
                names = _names(args[place]) if place < len(args) else []
                if names:
                    local = ast.Call(ast.Name("locals", ast.Load()), [], [])
                    listed = ast.List([ast.Constant(n) for n in names], ast.Load())
                    mark = ast.Name(MARK, ast.Load())
                    node.func = ast.Call(mark, [ast.Constant(node.lineno), listed, local, node.func], [])
        return node


def _names(carry: ast.expr) -> list[str]:
    """The source of each component of a carry."""
    match carry:
        case ast.Tuple(elts=parts):
            whole = len(parts) > 1 and not any(isinstance(p, ast.Starred) for p in parts)
            return [ast.unparse(p) for p in parts] if whole else []
    return [ast.unparse(carry)]


def _step(kind: str, loop: Loop, args: tuple[object, ...], options: dict[str, object]) -> tuple[Loop, object]:
    """One trip, from carry and index (or row) to carry; and the first index (or row)."""
    bound = inspect.signature(loop).bind(*args, **options).arguments
    if kind == "fori_loop":
        return lambda carry, index: bound["body_fun"](index, carry), bound["lower"]
    if kind == "while_loop":
        return lambda carry, _: bound["body_fun"](carry), None
    row = jax.tree_util.tree_map(lambda x: abstract(x.shape[1:], x.dtype), bound.get("xs"))
    return lambda carry, x: bound["f"](carry, x)[0], row


def _told_unread(starts: Sequence[Start], whole: Loop, carry: tuple[object, ...], given_too: object) -> Sequence[Start]:
    """The carries of one loop; those that change their type also say whether a trip reads their initial value."""
    if all(start.fits for start in starts):
        return starts
    jaxpr = jax.make_jaxpr(whole)(carry, given_too).jaxpr
    read = {id(v) for equation in jaxpr.eqns for v in equation.invars} | {id(v) for v in jaxpr.outvars}
    given = iter(jaxpr.invars)
    taken = [[next(given) for _ in jax.tree_util.tree_leaves(part)] for part in carry]
    return [
        start._replace(unread=not any(id(v) in read for v in variables))
        for start, variables in zip(starts, taken, strict=True)
    ]


def _steady(step: Loop, carry: tuple[object, ...]) -> list[int]:
    """The components of a carry whose types are a fixpoint from here on."""
    try:
        out = step(carry)
    except (TypeError, ValueError):  # nothing is steady; whoever runs the loop sees the error
        return []
    assert isinstance(out, tuple)
    return [i for i, (a, b) in enumerate(zip(carry, out, strict=True)) if _kind(a) == _kind(b)]


def _kind(value: object) -> object:
    return jax.tree_util.tree_map(lambda x: (shape(x), _weak_dtype(x)), value)


def _weak_dtype(x: object) -> tuple[str, bool]:
    aval: Any = jax.eval_shape(lambda y: y, x) if attribute(x, "dtype") is None else x
    return str(aval.dtype), bool(attribute(x, "weak_type", attribute(x, "dtype") is None))


def _strong(start: object, dtype: str | None) -> object:
    return start if dtype is None or not _weak_dtype(start)[1] else jnp.asarray(start, dtype)


def _full(start: object, dtype: jnp.dtype, axes: tuple[int, ...]) -> object:
    return jnp.broadcast_to(jnp.asarray(start, dtype), axes) if shape(start) == () else start


def _held(
    now: tuple[object, ...], places: Sequence[int], known: Mapping[str, object], step: Loop
) -> tuple[tuple[object, ...], frozenset[int]]:
    """The carry with other types for components that start as Python numbers, and which of them were changed.

    This only happens where the arms of a `cond` require it.
    """
    try:
        step(now)
    except TypeError as error:
        wrong = mismatch(str(error))
        if wrong is None or not wrong.arms or wrong.primitive != "cond":
            raise
        arrays = [x.dtype for x in known.values() if isinstance(x, (jax.Array, np.ndarray))]
        floats = [d for d in arrays if jnp.issubdtype(d, jnp.floating)]  # which a Python number takes on
        dtypes = [*floats, jnp.result_type(float), *(d for d in arrays if jnp.issubdtype(d, jnp.number))]
        named = [(jnp.dtype(kind.dtype), kind.shape) for kind in wrong.types if kind.real]
        types = dict.fromkeys([*((d, ()) for d in dtypes), *named])
        for count in range(1, MOST_HELD + 1):
            for chosen, (dtype, axes) in itertools.product(itertools.combinations(places, count), types):
                other = tuple(_full(x, dtype, axes) if i in chosen else x for i, x in enumerate(now))
                with contextlib.suppress(TypeError):  # the next candidate is tried
                    step(other)
                    return other, frozenset(chosen)
        raise
    return now, frozenset()


def _joined(start: object, end: object) -> object:
    """The join of the initial and the final type, applied to the initial value leaf by leaf, where there is one."""
    if str(jax.tree_util.tree_structure(start)) != str(jax.tree_util.tree_structure(end)):
        return start

    def leaf(a: object, b: jax.ShapeDtypeStruct) -> object:
        if shape(a) == b.shape and _weak_dtype(a)[0] == str(b.dtype):
            return a
        try:
            axes = jnp.broadcast_shapes(shape(a), b.shape)
            dtype = jnp.result_type(a, b)
        except (TypeError, ValueError):
            return a
        value = jnp.asarray(a)
        value = value if value.dtype == dtype else value.astype(dtype)
        return value if value.shape == axes else jnp.broadcast_to(value, axes)

    return jax.tree_util.tree_map(leaf, start, end)


def _start(
    line: int,
    name: str,
    known: Mapping[str, object],
    start: object,
    end: object,
    result: object,
    ended: str | None,
    soon: bool,
) -> Start:
    """The record of one carry; `result` is what a trip makes of its final type.

    `ended` is the dtype that it must not lose by staying weakly typed. `soon`: the first trip yields the final type.
    """
    plain = not isinstance(start, (tuple, list, dict)) and len(jax.tree_util.tree_leaves(start)) == 1
    before, after = _named(start), _named(result)
    if not plain:
        return Start(line, name, before, after, False, False, frozenset())
    (first, weak), (last, _), (out, _) = _weak_dtype(start), _weak_dtype(end), _weak_dtype(result)
    axes = shape(end)
    problem = ""
    if axes != shape(result) or last != out:
        problem = AGAIN
    elif first != last and not weak and not _exact(first, last):
        problem = "would lose precision"
    if ended is not None and weak:
        before = WEAK + before
    arrays = {n: x for n, x in known.items() if isinstance(x, (jax.Array, np.ndarray)) and n != name}
    arrays = {n: x for n, x in arrays.items() if not jnp.issubdtype(x.dtype, jax.dtypes.extended)}  # keys
    likes = frozenset(_likes(arrays, axes, last))
    # JAX itself promotes a weakly typed initial value if the first trip yields the final type.
    settles = weak and soon and not problem and first != "bool" and shape(start) == axes and not before.startswith(WEAK)
    after = before if settles else after
    late = weak and not soon and first != last
    return Start(line, name, before, after, weak, shape(start) == (), likes, problem, late=late)


def _likes(arrays: Mapping[str, jax.Array | np.ndarray], axes: tuple[int, ...], dtype: str) -> Iterator[ShapeSource]:
    """The arrays, alone or several together, that broadcast to this shape."""
    parts = [(n, x, cut) for n, x in list(arrays.items())[:MOST_ARRAYS] for cut in (*range(min(x.ndim, 2) + 1), -1)]
    for n, x, cut in parts:
        if _left(x, cut) == axes and (x.ndim or not cut):
            yield _like(((n, cut),), [x.dtype], dtype)
    few = [(n, x, cut) for n, x, cut in parts if 0 <= cut < 2 and n in list(arrays)[:MOST_JOINED]]
    rows = [(n, x, cut) for n, x, cut in few if cut == 1]
    more = (joined for size in range(3, MOST_JOINED) for joined in itertools.combinations(rows, size))
    for joined in (*itertools.combinations(few, 2), *more):
        with contextlib.suppress(ValueError):  # shapes that do not fit are no candidate
            if np.broadcast_shapes(*(_left(x, cut) for _, x, cut in joined)) == axes:
                names = tuple((n, cut) for n, _, cut in joined)
                if len(dict(names)) == len(names):
                    yield _like(names, [x.dtype for _, x, _ in joined], dtype)


def _like(names: tuple[tuple[str, int], ...], dtypes: Sequence[np.dtype], dtype: str) -> ShapeSource:
    typed, floated, counted = (str(jnp.result_type(*more, *dtypes)) == dtype for more in ((), (float,), (int,)))
    return ShapeSource(names, typed, floated, counted)


def _left(array: jax.Array | np.ndarray, cut: int) -> tuple[int, ...]:
    """The axes without the first `cut` ones or, if that is negative, without the last ones."""
    return tuple(array.shape[cut:] if cut >= 0 else array.shape[:cut])


def _exact(first: str, last: str) -> bool:
    """Whether every value of the first dtype is one of the last."""
    try:
        return bool(np.can_cast(np.dtype(first), np.dtype(last), "safe"))
    except TypeError:
        return False


def _named(value: object) -> str:
    leaves = jax.tree_util.tree_leaves(value)
    names = [f"{_weak_dtype(x)[0]}[{','.join(map(str, shape(x)))}]" for x in leaves]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def merged(runs: Sequence[Sequence[Start]]) -> list[Start]:
    """The carries of several runs that change their type: for each, what holds in all runs."""
    found: dict[tuple[int, str], Start] = {}
    for start in (s for run in runs for s in run):
        if start.key not in found:
            found[start.key] = start
            continue
        other = found[start.key]
        likes = {
            ShapeSource(a.arrays, a.typed and b.typed, a.floated and b.floated, a.counted and b.counted)
            for a in start.likes
            for b in other.likes
            if a.arrays == b.arrays
        }
        shown = start if other.fits or other.before == other.after else other
        found[start.key] = shown._replace(
            likes=frozenset(likes),
            weak=start.weak and other.weak,
            scalar=start.scalar and other.scalar,
            problem=start.problem or other.problem,
            late=start.late or other.late,
        )
    return [s for s in found.values() if not s.fits]
