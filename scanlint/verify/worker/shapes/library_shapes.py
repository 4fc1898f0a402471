"""The shapes that functions of JAX and NumPy give, and what they require of their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..infer.need import ALONG, DRAWS, SAME_SHAPE
from .dims import ONE, Dim
from .shape_values import IMPOSSIBLE, Arr, ItemValues, Num, ShapeRules, Value

ELEMENTWISE = SAME_SHAPE - {"cholesky", "inv"} | {
    "where", "maximum", "minimum", "add", "subtract", "multiply", "divide", "power", "logaddexp", "mod", "arctan2",
    "floor", "ceil", "round", "sign", "cosh", "sinh", "cos", "tan", "arctan", "isnan", "isfinite", "logical_and",
    "logical_or", "logical_not", "hypot", "log_sigmoid", "leaky_relu", "elu", "select", "nan_to_num", "logit", "log2",
    "log10", "erf",
    "stop_gradient", "float32", "int32", "reciprocal", "sinc", "swish", "mish", "array",
}  # fmt: skip
ALONG_ONE = frozenset(["softmax", "log_softmax", "cumsum", "cumprod", "sort", "argsort", "flip", "roll", "cummax"])
MASKS = frozenset(["isnan", "isfinite", "logical_and", "logical_or", "logical_not"])
REDUCED = (ALONG - ALONG_ONE) | {"all", "any", "average", "norm", "nanargmax", "nanargmin"}
FILLED = frozenset(["zeros", "ones", "full", "empty"])
Named = Mapping[str, Value]
Constants = Mapping[str, object]


class LibraryShapes(ShapeRules):
    """One method, or one line, for each kind of function; what is not known gives nothing."""

    def library(
        self, name: str, args: Sequence[Value], named: Named, given: Sequence[object], told: Constants
    ) -> Value:
        """The result of a function by its last name; `given` and `told` are the arguments that are constants."""
        first = args[0] if args else None
        if name in FILLED:
            return self.filled(first if args else named.get("shape"))
        if name in DRAWS:
            shape = args[1] if len(args) > 1 else named.get("shape")
            return self.filled(shape) if shape is not None else Arr(())
        if name in ELEMENTWISE:
            return self.broadcast(args[:3], mask=name in MASKS)
        if name in ("eye", "identity") and isinstance(first, Num) and first.size is not None:
            return Arr((first.size, first.size))
        if name == "arange" and len(args) == 1:
            return self.filled(first)
        if name in ("stack", "concatenate", "vstack", "hstack"):
            axis = given[1] if len(given) > 1 else told.get("axis", 0)
            return self.stacked(first, join=name == "concatenate", axis=axis) if isinstance(axis, int) else None
        return self.of_array(name, first, args, given, told) if isinstance(first, Arr) else None

    def of_array(self, name: str, a: Arr, args: Sequence[Value], given: Sequence[object], told: Constants) -> Value:
        """The result of a function of an array, which may be written as a method of it."""
        other = args[1] if len(args) > 1 else None
        axis = told.get("axis", given[1] if len(given) > 1 and given[1] is not ... else None)
        if name in REDUCED:
            return self.reduced(a, axis, told.get("keepdims") is True)
        if name == "logsumexp":
            return self.reduced(a, axis, told.get("keepdims") is True)
        if name in ALONG_ONE:
            if not a.shape or (isinstance(axis, int) and not -len(a.shape) <= axis < len(a.shape)):
                self.against(IMPOSSIBLE, a.by)
            return Arr(a.shape, a.by)
        match name:
            case "astype" | "copy" | "conj" | "block_until_ready":
                return a
            case "dot" | "matmul":
                return self.product(a, other)
            case "vdot" | "inner":
                self.broadcast([a, other])
                return Arr((), a.by)
            case "outer" if isinstance(other, Arr) and len(a.shape) == len(other.shape) == 1:
                return Arr((*a.shape, *other.shape), a.by | other.by)
            case "transpose" if len(args) == 1:
                return self.transposed(a)
            case "inv" | "cholesky":
                self.square(a)
                return a
            case "det" | "trace":
                self.square(a)
                return Arr((), a.by)
            case "solve" if isinstance(other, Arr):
                return self.solved(a, other)
            case "diag" | "diagonal":
                return Arr(a.shape[:1], a.by) if len(a.shape) == 2 else Arr((a.shape * 2)[:2], a.by)
            case "expand_dims" if isinstance(axis, int):
                return self.with_axis(a, axis, ONE)
            case "split" if isinstance(given[1] if len(given) > 1 else None, int):
                return self.split(a, given[1], told.get("axis", 0))
            case "reshape":
                return self.filled(other if len(args) == 2 else ItemValues(tuple(args[1:])))
            case "one_hot" if isinstance(other, Num) and other.size is not None:
                return Arr((*a.shape, other.size), a.by)
            case "swapaxes" if len(a.shape) == 2:
                return self.transposed(a)
        return None

    def solved(self, a: Arr, b: Arr) -> Value:
        self.square(a)
        if len(a.shape) == 2 and b.shape:
            self.same(a.shape[0], b.shape[0], a.by | b.by)
        return Arr(b.shape, a.by | b.by)

    def split(self, a: Arr, count: object, axis: object) -> Value:
        """Equal parts, whose length is that of the whole divided."""
        if not isinstance(count, int) or not isinstance(axis, int) or not -len(a.shape) <= axis < len(a.shape):
            return None
        part = self.dims.fresh()
        self.same(a.shape[axis], part.times(count), a.by)
        at = axis % len(a.shape)
        return ItemValues((Arr((*a.shape[:at], part, *a.shape[at + 1 :]), a.by),) * count)

    def filled(self, shape: Value) -> Value:
        """An array of a shape that is given as a number or as several."""
        parts = shape.parts if isinstance(shape, ItemValues) else (shape,)
        sizes = [p.size for p in parts if isinstance(p, Num) and p.size is not None and p.size.number != -1]
        return Arr(tuple(sizes)) if len(sizes) == len(parts) else None

    def summed(self, subscripts: str, operands: Sequence[Value]) -> Value:
        """An `einsum` without an ellipsis."""
        inputs, arrow, output = subscripts.replace(" ", "").partition("->")
        if "." in subscripts or not arrow:
            return None
        sizes: dict[str, Dim] = {}
        by = frozenset[int]()
        for letters, operand in zip(inputs.split(","), operands, strict=False):
            if not isinstance(operand, Arr):
                continue
            by |= operand.by
            if len(letters) != len(operand.shape):
                self.against(IMPOSSIBLE, operand.by)
                continue
            for letter, size in zip(letters, operand.shape, strict=True):
                self.same(sizes.setdefault(letter, size), size, operand.by)
        return Arr(tuple(sizes[x] for x in output), by) if set(output) <= sizes.keys() else None
