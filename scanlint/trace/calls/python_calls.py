"""Calls of Python's builtins and of libraries other than JAX."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from scanlint.trace.attributes import attribute
from scanlint.trace.calls.jax_results import ARRAY_METHODS, SAME_ATTRIBUTES, STATIC_ATTRIBUTES
from scanlint.trace.domain.callables import Closure, Fails, Named
from scanlint.trace.domain.elements import items_of, iterated, length_of
from scanlint.trace.domain.values import (
    AXIS,
    RANK,
    STATIC,
    STATIC_BOOL,
    STATIC_INT,
    UNKNOWN,
    Instance,
    Origin,
    Unset,
    Value,
    but,
    constant,
    contents,
    element_of,
    gathered,
    join,
    join_all,
    number,
    record,
)
from scanlint.trace.evaluator import Evaluator
from scanlint.trace.operators import arithmetic

LONGEST_RANGE = 1 << 62
ATTRIBUTES = STATIC_ATTRIBUTES | SAME_ATTRIBUTES | ARRAY_METHODS
_MATH = frozenset(["ceil", "floor", "sqrt", "log", "log2", "log10", "exp", "gcd", "isqrt", "prod", "comb"])
TRACER_TYPES = frozenset(
    {"jax.core.Tracer", "jax._src.core.Tracer", "jax.extend.core.Tracer", "jax.Array", "jax.numpy.ndarray"}
)
HOST_TYPES = frozenset({"numpy.ndarray", *(f"builtins.{n}" for n in ("int", "float", "bool", "complex", "str"))})
_BOOLS = frozenset(["isinstance", "issubclass", "hasattr", "callable"])
_TEXTS = frozenset(["str", "repr", "format", "type", "id", "hash", "print", "open", "input", "vars", "dir"])


def call(self: Evaluator, node: ast.Call, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A builtin."""
    last = name.removeprefix("builtins.")
    if last == "isinstance" and len(args) == 2:
        return _isinstance(args[0], args[1])
    if last == "hasattr" and len(args) == 2:
        return _hasattr(args[0], args[1])
    if last in _BOOLS:
        return STATIC_BOOL
    if last in _TEXTS:
        return STATIC
    handler = _HANDLERS.get(last)
    if handler is not None:
        return handler(self, node, args, keywords)
    return STATIC if all(a.static for a in args) else UNKNOWN


def _isinstance(value: Value, kinds: Value) -> Value:
    """`isinstance(x, jax.core.Tracer)`: a traced array is one, and so an array of JAX; it is none of NumPy."""
    names = [kind.callee.name if isinstance(kind.callee, Named) else "" for kind in kinds.items or (kinds,)]
    if not (value.traced and value.array and value.container is None and value.callee is None):
        return STATIC_BOOL
    if any(name in TRACER_TYPES for name in names):
        return constant(True)
    return constant(False) if all(name in HOST_TYPES for name in names) else STATIC_BOOL


def _hasattr(value: Value, name: Value) -> Value:
    """`hasattr(x, "shape")`: an array of JAX has it, a tracer too."""
    array = value.array and value.container is None and value.callee is None
    known = isinstance(name.constant, str) and name.constant in ATTRIBUTES
    return constant(True) if array and known else STATIC_BOOL


def library(name: str, args: list[Value]) -> Value:
    """A function of another package: static for static arguments if it is NumPy's or Python's own."""
    root = name.partition(".")[0]
    if name in ("copy.copy", "copy.deepcopy") and len(args) == 1 and args[0].callee is None:
        return args[0]
    if root not in ("numpy", "math", "itertools", "functools", "operator", "os", "time", "logging", "string"):
        return UNKNOWN
    if not all(a.static for a in args):
        return UNKNOWN
    last = name.rpartition(".")[2]
    known = [a.constant for a in args]
    if root == "math" and last in _MATH and known and all(isinstance(k, int | float) for k in known):
        try:
            return constant(getattr(math, last)(*known))
        except (ValueError, OverflowError, TypeError):
            return STATIC
    return STATIC_INT if last in ("ceil", "floor") and root == "math" else STATIC


def _range(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    known = [a.constant for a in args if isinstance(a.constant, int) and abs(a.constant) < LONGEST_RANGE]
    if known and len(known) == len(args) <= 3 and known[2:] != [0]:
        origin: Origin | None = None if all(a.certain for a in args) else "argument"
        return Value(STATIC.kind, constant=range(*known), container="range", element=STATIC_INT, origin=origin)
    bound = next((a for a in args if a.traced), None)
    if bound is not None:
        index = but(bound, array=True, dtype="int", ndim=0, constant=Unset.UNSET)
        return gathered("range", None, index)
    if all(a.static for a in args):
        return gathered("range", None, number(*args))
    return gathered("range", None, but(UNKNOWN, dtype="int"))


def _len(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    count = length_of(args[0]) if args else None
    if count is not None:
        return constant(count)
    if args and args[0].element is not None and args[0].element.origin == "shape":
        return RANK
    return AXIS if args and args[0].container is None and args[0].array else STATIC_INT


def _enumerate(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return UNKNOWN
    start = args[1] if len(args) > 1 else keywords.get("start", constant(0))
    if args[0].items is not None and start.certain and type(start.constant) is int:
        pairs = enumerate(args[0].items, start.constant)
        return gathered("view", tuple(gathered("tuple", (constant(i), v)) for i, v in pairs))
    return gathered("view", None, gathered("tuple", (STATIC_INT, iterated(args[0]))))


def _zip(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if args == [UNKNOWN] and any(isinstance(a, ast.Starred) for a in node.args):
        return gathered("view", None, gathered("tuple", None, UNKNOWN))
    known = [items for a in args if (items := items_of(a)) is not None]
    if args and len(known) == len(args):
        rows = zip(*known, strict=False)
        return gathered("view", tuple(gathered("tuple", tuple(row)) for row in rows))
    return gathered("view", None, gathered("tuple", tuple(iterated(a) for a in args)))


def _reversed(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    value = args[0] if args else UNKNOWN
    if isinstance(value.constant, range):
        return but(value, constant=value.constant[::-1])
    if value.items is not None:
        return gathered("list", value.items[::-1])
    return value


def _list(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    container = node.func.id if isinstance(node.func, ast.Name) else "list"
    if not args:
        return gathered(container, ())
    value = args[0]
    if isinstance(value.constant, range) and len(value.constant) <= 32:
        return gathered(container, tuple(constant(i) for i in value.constant))
    if (items := items_of(value)) is not None:
        return gathered(container, items)
    return gathered(container, None, iterated(value))


def _dict(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args and keywords and "**" not in keywords:
        return record("dict", keywords)
    return args[0] if args and args[0].container == "dict" else Value(UNKNOWN.kind, container="dict")


def _map(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if not args:
        return UNKNOWN
    result = self.apply(node, args[0], [iterated(a) for a in args[1:]], {})
    return gathered("view", None, but(result, constant=Unset.UNSET))


def _sum(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    inner = iterated(args[0]) if args else UNKNOWN
    if inner.traced or inner.array:
        return but(inner, array=True, constant=Unset.UNSET)
    return STATIC if inner.static else UNKNOWN


def _extremum(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    values = list(args) if len(args) > 1 else [_among(args[0])] if args else []
    if len(args) > 1 and all(isinstance(a.constant, int | float) for a in args):
        known = [a.constant for a in args]
        last = node.func.id if isinstance(node.func, ast.Name) else "max"
        return constant(min(known) if last == "min" else max(known))  # type: ignore[type-var]
    traced = next((v for v in values if v.traced), None)
    if traced is not None:
        return UNKNOWN if self.caught else but(traced, array=True, constant=Unset.UNSET)
    joined = join_all(tuple(values)) if values else UNKNOWN
    return but(joined, constant=Unset.UNSET, origin=number(*values).origin)


def _among(value: Value) -> Value:
    """The element of an iterable of which nothing is known but that it is traced: a tracer."""
    return value if value.traced and not value.array and value.container is None else iterated(value)


def _same(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`abs`, `round`: of the type of their argument."""
    if not args:
        return UNKNOWN
    if args[0].known:
        return but(STATIC, dtype=args[0].dtype)
    return but(args[0], array=args[0].array or args[0].traced)


def asked(self: Evaluator, value: Value) -> None:
    """A value is asked for as Python or NumPy has it: raises Fails where it is surely a tracer, and that is caught."""
    if self.caught and value.traced and value.array and value.container is None:
        raise Fails


def _cast(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`int`, `float`, `bool`: of an array on the host they give a Python value.

    Of a tracer they fail; what follows is looked at as if they gave one of that type.
    """
    name = node.func.id if isinstance(node.func, ast.Name) else "int"
    if not args:
        return STATIC
    asked(self, args[0])
    if args[0].traced and args[0].container is None and not self.caught:
        return Value(args[0].kind, True, dtype=name, ndim=0, why=args[0].why)
    known = args[0].constant
    if isinstance(known, bool | int | float) and known == known and abs(known) != math.inf:
        return constant({"int": int, "float": float, "bool": bool, "complex": complex}.get(name, int)(known))
    if args[0].static:
        return but(number(args[0]), dtype=name)
    return Value(UNKNOWN.kind, dtype=name)


def _any(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    inner = _among(args[0]) if args else UNKNOWN
    if inner.traced:
        return UNKNOWN if self.caught else but(inner, array=True, ndim=0, dtype="bool")
    return STATIC_BOOL if inner.static else UNKNOWN


def _getattr(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) >= 2 and isinstance(args[1].constant, str):
        found = attribute(self, args[0], args[1].constant, node)
        return join(found, args[2]) if len(args) > 2 else found
    return UNKNOWN


def _power(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    return arithmetic(self, args[0], args[1], None, node) if len(args) >= 2 else UNKNOWN


def _divmod(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    part = _power(self, node, args, keywords)
    return gathered("tuple", (part, part))


def _next(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    return element_of(args[0]) if args and contents(args[0]) else UNKNOWN


def _super(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`super()`: the first base that the project defines."""
    owner = self.frame.code.owner
    info = self.world.class_info(owner) if owner else None
    for base in info.bases if info else ():
        if self.world.class_info(base) is not None:
            made = _receiver(self)
            return Value(UNKNOWN.kind, container=base, callee=Instance(base, False, made.site, made.fresh))
    return UNKNOWN


def _receiver(self: Evaluator) -> Instance:
    """The object whose method runs."""
    receiver = self.env.get(self.frame.code.first, UNKNOWN)
    return receiver.callee if isinstance(receiver.callee, Instance) else Instance("")


def _filter(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if args and isinstance(args[0].callee, Closure) and len(args) > 1:
        _map(self, node, args, keywords)
    return gathered("view", None, iterated(args[1])) if len(args) > 1 else UNKNOWN


_HANDLERS: dict[str, Callable[..., Value]] = {
    "range": _range,
    "len": _len,
    "enumerate": _enumerate,
    "zip": _zip,
    "reversed": _reversed,
    "list": _list,
    "tuple": _list,
    "sorted": _list,
    "iter": _reversed,
    "dict": _dict,
    "map": _map,
    "filter": _filter,
    "sum": _sum,
    "min": _extremum,
    "max": _extremum,
    "abs": _same,
    "round": _same,
    "int": _cast,
    "float": _cast,
    "bool": _cast,
    "complex": _cast,
    "any": _any,
    "all": _any,
    "getattr": _getattr,
    "pow": _power,
    "divmod": _divmod,
    "next": _next,
    "super": _super,
}
