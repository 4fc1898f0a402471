"""What the uses of one value require of it: the inference fills it in, the guesses are made from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

ARRAY_ATTRIBUTES = frozenset([
    "shape", "ndim", "size", "dtype", "T", "at", "mT", "real", "imag", "sum", "mean", "max", "min", "std", "var",
    "reshape", "astype", "flatten", "ravel", "squeeze", "transpose", "dot", "any", "all", "argmax", "argmin", "cumsum",
    "cumprod", "prod", "clip", "round", "copy", "take", "item", "tolist", "swapaxes", "conj", "repeat", "sort",
    "itemsize", "block_until_ready",
])  # fmt: skip
STATIC_CALLS = frozenset(["zeros", "ones", "full", "empty", "arange", "linspace", "eye", "identity", "iota"])
RANDOM = frozenset(["random", "jr", "jrandom", "rnd", "jrd", "rng"])
"""How `jax.random` is called where it is used."""
KEY_CALLS = frozenset([
    "split", "fold_in", "normal", "uniform", "bernoulli", "categorical", "choice", "permutation", "randint", "gumbel",
    "key_data",
])  # fmt: skip
SEEDED = frozenset(["PRNGKey", "key"])
"""What makes a random key of a whole number."""
DRAWS = frozenset(["normal", "uniform", "bernoulli", "randint", "gumbel", "exponential", "laplace"])
VECTOR_CALLS = frozenset([
    "dot", "matmul", "vdot", "inner", "outer", "convolve", "correlate", "interp", "cumsum", "cumprod", "sort",
    "argsort", "flip",
])  # fmt: skip
SQUARE_CALLS = frozenset([
    "solve", "inv", "det", "slogdet", "cholesky", "eig", "eigh", "eigvals", "eigvalsh", "matrix_power", "cho_factor",
])  # fmt: skip
MATRIX_CALLS = frozenset(["svd", "qr", "pinv", "lstsq", "matrix_rank", "trace", "diagonal"])
WITH_AXES = frozenset([
    "pad", "take", "take_along_axis", "gradient", "ediff1d", "unique", "partition", "compress", "squeeze", "ravel",
])  # fmt: skip
"""What does nothing with a number, or another thing than with an array: its first operand has an axis."""
ALONG = frozenset([
    "sum", "mean", "max", "min", "prod", "std", "var", "median", "argmax", "argmin", "logsumexp", "softmax",
    "log_softmax", "amax", "amin", "nansum", "nanmean", "nanmax", "nanmin", "count_nonzero", "ptp",
    "nanprod", "nanstd", "nanvar", "nanmedian", "nanargmax", "nanargmin",
])  # fmt: skip
SAME_SHAPE = frozenset([
    "exp", "log", "sin", "cos", "tanh", "sqrt", "abs", "square", "exp2", "log1p", "expm1", "cholesky", "inv", "asarray",
    "zeros_like", "ones_like", "full_like", "clip", "sigmoid", "softplus", "relu", "gelu", "silu",
])  # fmt: skip
FLOAT_CALLS = frozenset([
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "sinh",
    "cosh", "tanh", "arcsin", "arccos", "arctan", "erf", "erfc", "sigmoid", "softplus", "gelu", "silu", "sinc",
])  # fmt: skip
KEYS = ("b", "a")  # of a dict that a loop goes over: JAX sorts them, and Python does not


@dataclass
class Need:
    """The requirements on one value, merged over all its uses.

    A function is called with `arity` arguments and some `named` ones, `graded` where its gradient is taken. `spread` is
    the operand of `*` in a call, `mapping` that of `**`.
    `rank` is the least rank that the uses of the value itself allow; ranks and sizes are solved for in `shapes`.
    """

    rank: int = 0
    exact: int | None = None
    arity: int | None = None
    named: frozenset[str] = frozenset()
    graded: bool = False
    spread: bool = False
    mapping: bool = False
    is_array: bool = False
    is_key: bool = False
    is_int: bool = False
    is_range: bool = False
    is_start: bool = False
    is_flag: bool = False
    listed: bool = False
    floating: bool = False
    keys: dict[str, Need] = field(default_factory=dict)
    attributes: dict[str, Need] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)
    calls: dict[str, int] = field(default_factory=dict)
    parts: list[Need] | None = None
    element: Need | None = None
    leaf: Need | None = None
    constants: set[object] = field(default_factory=set)
    members: list[ast.Attribute] = field(default_factory=list)
    swapped: list[Need] = field(default_factory=list)
    annotation: ast.expr | None = None
    default: object = ...

    def of_element(self) -> Need:
        self.element = self.element or Need()
        return self.element

    def of_keys(self) -> Need:
        """What is under each key of a dict whose keys no text names."""
        if not self.keys:
            self.keys = dict.fromkeys(KEYS, Need())
        return next(iter(self.keys.values()))

    def at_least(self, rank: int) -> None:
        self.rank = max(self.rank, rank)

    def least_rank(self) -> int:
        """The rank that the uses allow at least."""
        if self.exact is not None:
            return self.exact
        of_element = 0 if self.element is None else 1 + self.element.least_rank()
        return max(self.rank, 1 if self.parts else 0, of_element)

    def inside(self, path: str) -> Need | None:
        """The need of one leaf: `.w` of a dict or record, `.0` of a tuple, `.*0` of a list."""
        found: Need | None = self
        for part in path.split(".")[1:]:
            if found is None:
                return None
            if part.startswith("*"):
                found = found.element
            elif part.isdigit():
                at = int(part)
                found = found.parts[at] if found.parts and at < len(found.parts) else None
            else:
                found = found.keys.get(part) or found.attributes.get(part)
        return found


def used_as_floats(function: ast.AST) -> Iterator[str]:
    """The names that are divided, or handed to functions of real numbers: `x == 0` makes no whole numbers of them."""
    for node in ast.walk(function):
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                yield from (n.id for n in (left, right) if isinstance(n, ast.Name))
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args) if name in FLOAT_CALLS:
                yield from (n.id for n in args if isinstance(n, ast.Name))
