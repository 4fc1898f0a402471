"""How reductions, products and random primitives act on value numbers: one number per row, or per key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..equations import axes_of_product, integer, integers, name_of, parameter, shape_of, truth, words
from .primitives import rule
from .value_numbers import JOINED, Ids, Key, Numbering

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

_REDUCTIONS = words("reduce_sum reduce_prod reduce_max reduce_min reduce_and reduce_or reduce_xor argmax argmin")


@rule(*_REDUCTIONS, reads="axes index_dtype")
def _reduce(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    axes = integers(equation, "axes")
    kept = [a for a in range(x[0].ndim) if a not in axes]
    rows = np.transpose(x[0], [*kept, *axes]).reshape(
        [*(x[0].shape[a] for a in kept), -1] if x[0].size else (*shape_of(equation), 0)
    )
    dtype = str(equation.invars[0].aval.dtype)  # type: ignore[attr-defined]
    out = str(equation.outvars[0].aval.dtype)  # type: ignore[attr-defined]
    name = name_of(equation)
    kind = JOINED.get(name.removeprefix("reduce_").replace("sum", "add"))
    if kind is not None and x[0].size and dtype == out and table.joins(kind, equation.invars[0].aval.dtype):  # type: ignore[attr-defined]
        flat = np.ascontiguousarray(rows).reshape(-1, rows.shape[-1]).tolist()
        return [np.array([table.joined(kind, dtype, row) for row in flat], np.int64).reshape(rows.shape[:-1])]
    # argmax over several axes would need their sizes; JAX only makes it over one.
    return [table.rows(lambda row: (name, dtype, out, row.tobytes()), np.ascontiguousarray(rows))]


@rule("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", reads="axis reverse")
def _cumulative(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    axis, reverse = integer(equation, "axis"), truth(equation, "reverse")
    rows = np.moveaxis(x[0], axis, -1)
    rows = rows[..., ::-1] if reverse else rows
    dtype = str(equation.invars[0].aval.dtype)  # type: ignore[attr-defined]
    name = name_of(equation)
    parts = [
        table.rows(lambda row, k=k: (name, dtype, k, row.tobytes()), np.ascontiguousarray(rows))  # type: ignore[misc]
        for k in range(rows.shape[-1])
    ]
    out = np.stack(parts, -1) if parts else rows
    out = out[..., ::-1] if reverse else out
    return [np.moveaxis(out, -1, axis)]


@rule("sort", reads="dimension is_stable num_keys")
def _sort(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    axis = integer(equation, "dimension")
    parameters = (integer(equation, "num_keys"), truth(equation, "is_stable"))
    dtypes = tuple(str(v.aval.dtype) for v in equation.invars)  # type: ignore[attr-defined]
    moved = [np.moveaxis(a, axis, -1) for a in x]
    joined = np.stack(moved, -2)
    size = joined.shape[-1]
    whole = table.rows(
        lambda row: ("sort", parameters, dtypes, row.tobytes()),
        np.ascontiguousarray(joined).reshape(*joined.shape[:-2], len(x) * size),
    )
    outputs = []
    for k in range(len(x)):
        parts = [_members(table, whole, k, i) for i in range(size)]
        out = np.stack(parts, -1) if parts else moved[k]
        outputs.append(np.moveaxis(out, -1, axis))
    return outputs


def _members(table: Numbering, whole: Ids, part: int, at: int) -> Ids:
    return np.array([table.node(("of", w, part, at)) for w in whole.reshape(-1).tolist()], np.int64).reshape(
        whole.shape
    )


@rule("dot_general")
def _dot(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    """One number per output element: the row of one operand against the column of the other."""
    left_sum, right_sum, left_batch, right_batch = axes_of_product(equation)
    rest = tuple(entry for entry in p if isinstance(entry, tuple) and entry[0] != "dimension_numbers")
    types = tuple(str(v.aval.dtype) for v in equation.invars)  # type: ignore[attr-defined]
    left, _left_free = _rows(x[0], left_batch, left_sum)
    right, _right_free = _rows(x[1], right_batch, right_sum)
    table.spend(left.shape[0] * left.shape[1] * right.shape[1] + left.size + right.size)
    out = []
    for lefts, rights in zip(left, right, strict=False):
        columns = [r.tobytes() for r in rights]
        for row in lefts:
            first = row.tobytes()
            out += [table.node(("dot", types, rest, *_ordered(types, first, c))) for c in columns]
    return [np.array(out, np.int64).reshape(shape_of(equation))]


@rule("conv_general_dilated")
def _convolve(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    """Example by example: what one gives does not depend on the others in its batch."""
    numbers, shape = parameter(equation, "dimension_numbers"), shape_of(equation)
    if integer(equation, "batch_group_count") != 1:
        return None
    examples_in, examples_out = numbers.lhs_spec[0], numbers.out_spec[0]  # type: ignore[attr-defined]
    types = tuple(str(v.aval.dtype) for v in equation.invars)  # type: ignore[attr-defined]
    weights = (x[1].shape, np.ascontiguousarray(x[1]).tobytes())
    inner = tuple(n for axis, n in enumerate(shape) if axis != examples_out)
    examples = [np.ascontiguousarray(e) for e in np.moveaxis(x[0], examples_in, 0)]
    out = [table.block(("convolve", types, p, e.shape, e.tobytes(), *weights), inner) for e in examples]
    return [np.stack(out, examples_out)] if out else None


def _ordered(types: tuple[str, ...], a: bytes, b: bytes) -> tuple[bytes, bytes]:
    return (b, a) if types[0] == types[1] and b < a else (a, b)


def _rows(x: Ids, batch: tuple[int, ...], contracted: tuple[int, ...]) -> tuple[Ids, list[int]]:
    """As (batch, free, contracted)."""
    free = [a for a in range(x.ndim) if a not in batch and a not in contracted]
    moved = np.transpose(x, [*batch, *free, *contracted])
    sizes = [int(np.prod([x.shape[a] for a in axes], dtype=np.int64)) for axes in (batch, free, contracted)]
    return np.ascontiguousarray(moved.reshape(sizes)), free


@rule("random_wrap")
def _wrap(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    dtype = str(equation.outvars[0].aval.dtype)  # type: ignore[attr-defined]
    flat = x[0].reshape(-1, x[0].shape[-1]).tolist()
    out = []
    for parts in flat:
        form = table.forms.get(parts[0])
        same = (
            form is not None
            and form[:2] == ("unwrap", dtype)
            and all(table.forms.get(part, ()) == ("unwrap", dtype, form[2], k) for k, part in enumerate(parts))
        )
        out.append(form[2] if same and form is not None else table.node(("wrap", dtype, *parts)))
    return [np.array(out, np.int64).reshape(shape_of(equation))]


@rule("random_unwrap")
def _unwrap(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    dtype, shape = str(equation.invars[0].aval.dtype), shape_of(equation)  # type: ignore[attr-defined]
    out = []
    for key in x[0].reshape(-1).tolist():
        form = table.forms.get(key)
        if form is not None and form[:2] == ("wrap", dtype):
            out.append(list(form[2:]))
        else:
            out.append([table.node(("unwrap", dtype, key, k)) for k in range(shape[-1])])
    return [np.array(out, np.int64).reshape(shape)]


@rule("random_split", "random_bits")
def _random(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    """What one key gives, key by key."""
    dtype, shape = str(equation.invars[0].aval.dtype), shape_of(equation)  # type: ignore[attr-defined]
    inner = shape[x[0].ndim :]
    name = name_of(equation)
    parts = [table.block((name, dtype, p, key), inner) for key in x[0].reshape(-1).tolist()]
    return [np.array(parts, np.int64).reshape(shape)]


@rule("random_seed", "random_fold_in")
def _seed(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    dtypes = tuple(str(v.aval.dtype) for v in equation.invars)  # type: ignore[attr-defined]
    return [table.elementwise(name_of(equation), (dtypes, p), x, None)]
