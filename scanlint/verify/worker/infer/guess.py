"""First guesses at specs: from annotations, defaults, uses and names."""

from __future__ import annotations

import ast
import collections
import dataclasses
import enum
import itertools
import re
import typing
from collections.abc import Callable, Iterator, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from ..imports.absent_packages import stands_in
from ..runtime.jax_functions import is_key
from .need import Need
from .specs import Alternatives, Array, Scalar, Spec, Struct, replace

INTEGER_NAMES = re.compile(
    r"^(?!.*step_?size$)(n|k|m|num|count|steps|iters?|length|depth|order|size|dim|axis|max_?iters?|n_\w+|num_\w+|\w+_(steps|iters?|size|dim|count|num|len))$",
    re.I,
)
KEY_NAMES = re.compile(r"^(\w*_)?(key|rng|prng|prngkey|rng_key|seed_key)s?$", re.I)
LIST_METHODS = frozenset(["append", "extend", "insert", "pop", "remove", "reverse"])
LONG = 16
FRESH = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
UNARY = (jnp.sin, jnp.tanh, jnp.cos, lambda x: x * x - 2.0, lambda x: 2.0 * x + 0.5)


class Sizes:
    """Fresh axis sizes, all distinct; the same named axis of an annotation is the same size."""

    def __init__(self) -> None:
        self.used = 0
        self.named: dict[str, int] = {}

    def fresh(self) -> int:
        self.used += 1
        return FRESH[(self.used - 1) % len(FRESH)]

    def name(self, axis: str) -> int:
        if axis.isdigit():
            return int(axis)
        if axis not in self.named:
            self.named[axis] = self.fresh()
        return self.named[axis]


def guesses(name: str, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int = 0) -> Iterator[Spec]:
    """Candidate specs, the likeliest first; the search starts from the first."""
    found = _guesses(name, need, sizes, names, depth)
    leaf = need.leaf
    if leaf is None or (leaf.rank == 0 and need.keys):
        yield from found
        return
    lead = tuple(sizes.fresh() for _ in range(max(leaf.rank, 1)))
    for spec in found:
        yield replace(spec, lambda s, path: Array((*lead, *s.shape), s.dtype) if isinstance(s, Array) else s)


def _guesses(name: str, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int) -> Iterator[Spec]:
    if depth > 5:
        return
    if isinstance(need.default, str):  # whatever is annotated
        yield from _defaulted(need)
    if need.annotation is not None:
        yield from _annotated(name, need, sizes, names, depth)
    if need.default is not ... and not isinstance(need.default, ast.AST):
        yield from _defaulted(need)
    yield from _structured(name, need, sizes, names, depth)
    if need.mapping and not need.keys:
        yield Struct("dict", ())
    if need.spread and not need.is_array and need.parts is None:
        yield Struct("tuple", ())
    if need.arity is not None:
        yield from _functions(need)
    if need.is_key or (KEY_NAMES.match(name) and not need.attributes):
        yield Array(_shape(need, sizes), "key")
        yield Array(_shape(need, sizes), "rawkey")
    if members := _members(need, names):
        yield Alternatives(members)
    if any(isinstance(c, str) for c in need.constants):
        yield Alternatives(_strings(need))
    if need.is_flag and not (need.is_array or need.floating or need.is_int) and need.rank == 0:
        yield Alternatives((True, False))
    if need.is_start:
        yield Scalar("int", 1)
    if need.is_range or (INTEGER_NAMES.match(name) and need.rank == 0 and not need.is_array):
        yield Scalar("int")
    if _dtype(need) == "int32":
        yield Array(_shape(need, sizes), "int32")
        yield Scalar("int")
    yield Array(_shape(need, sizes))
    if need.methods & LIST_METHODS:
        yield _list()


def _list() -> Struct:
    return Struct("list", tuple((f"*{i}", Array(())) for i in range(3)))


def _shape(need: Need, sizes: Sizes) -> tuple[int, ...]:
    """What is unpacked has as many rows as there are names, and so have its elements; other sizes are solved for."""
    unpacked = (need.parts, need.element.parts if need.element is not None else None)
    parts = dict(enumerate(unpacked))
    return tuple(len(listed) if (listed := parts.get(axis)) else sizes.fresh() for axis in range(need.least_rank()))


def _dtype(need: Need) -> str:
    """`int32` if the value or its elements are used as whole numbers, else `float32`."""
    whole = need.is_int or any(other.is_int for other in need.swapped)
    return "int32" if whole or (need.element is not None and need.element.is_int) else "float32"


def _members(need: Need, names: Mapping[str, object]) -> tuple[object, ...]:
    """What the value may be where it is compared with members of an enumeration, or with constants of a class."""
    found: dict[object, None] = {}
    for node in need.members:
        try:
            owner = eval(compile(ast.Expression(node.value), "<member>", "eval"), dict(names))
        except Exception:  # noqa: BLE001 - a name that means nothing here tells nothing
            continue
        if not isinstance(owner, type):
            continue
        if issubclass(owner, enum.Enum):
            found.update(dict.fromkeys(owner))
            continue
        public = [v for k, v in vars(owner).items() if not k.startswith("_")]
        found.update(dict.fromkeys(v for v in public if isinstance(v, (int, str))))
    return tuple(found)


def _strings(need: Need) -> tuple[str, ...]:
    """What a string may be: its default, what it is compared with, and something else."""
    usual = [need.default] if isinstance(need.default, str) else []
    return tuple(dict.fromkeys([*usual, *sorted(c for c in need.constants if isinstance(c, str)), "another"]))


def _functions(need: Need) -> Iterator[Spec]:
    """Functions of the arguments that calls pass, as pytrees: a compiled function accepts no others unless static."""
    arity = need.arity or 0
    if need.graded:
        made: tuple[Callable[..., object], ...] = (
            lambda *xs, **named: sum(jnp.sum(jnp.sin(x)) for x in _floats((*xs, named))),
            lambda *xs, **named: sum(jnp.sum(x * x) for x in _floats((*xs, named))),
        )
    elif need.named:
        made = (
            lambda *xs, **named: sum(jnp.sin(x) for x in (*xs, *named.values())),
            lambda *xs, **named: jnp.tanh(xs[0] if xs else next(iter(named.values()))),
        )
    elif arity == 1:
        made = UNARY
    elif arity == 2:
        made = (lambda a, b: jnp.sin(a) * b, lambda a, b: a + jnp.tanh(b))
    else:
        made = (lambda *xs: sum(jnp.sin(x) for x in xs), lambda *xs: jnp.tanh(xs[0]))
    yield Alternatives(tuple(jax.tree_util.Partial(function) for function in made))  # type: ignore[no-untyped-call]


def _floats(tree: object) -> list[jax.Array]:
    """The leaves that can be differentiated, as arrays."""
    found = [jnp.asarray(x) for x in jax.tree_util.tree_leaves(tree) if not is_key(getattr(x, "dtype", float))]
    return [x for x in found if jnp.issubdtype(x.dtype, jnp.inexact)]


def _defaulted(need: Need) -> Iterator[Spec]:
    value = need.default
    match value:
        case bool():
            yield Alternatives((value, not value))
        case int():
            yield from _whole(value)
        case float():
            yield Scalar("float", value)
        case str():
            other = ["another"] if need.constants else []
            yield Alternatives(tuple(dict.fromkeys([value, *sorted(map(str, need.constants)), *other])))
        case None:
            yield Alternatives((None,))


def _whole(usual: int | None) -> Iterator[Spec]:
    """A whole number; large defaults drive long loops, so a small one is tried first."""
    if usual is not None and usual > LONG:
        yield Scalar("int")
    yield Scalar("int", usual)


def _structured(name: str, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int) -> Iterator[Spec]:
    def first(part: str, inner: Need) -> Spec:
        return next(guesses(part, inner, sizes, names, depth + 1))

    if need.keys:
        yield Struct("dict", tuple((k, first(k, n)) for k, n in need.keys.items()))
    if need.attributes:
        for cls in matching(set(need.attributes) | need.methods, names):
            yield from of_class(cls, need, sizes, names, depth)
        if not need.methods and not any(name.startswith("_") for name in need.attributes):
            made = collections.namedtuple("Inputs", list(need.attributes))  # type: ignore[misc]
            yield Struct(made, tuple((k, first(k, n)) for k, n in need.attributes.items()))
    if need.parts and not need.is_array:
        yield Struct("tuple", tuple((str(i), first(f"{name}{i}", n)) for i, n in enumerate(need.parts)))
    element = need.element
    if element is not None and (
        need.listed or element.keys or element.attributes or element.parts or element.arity is not None
    ):
        if (
            not need.listed
            and element.parts
            and not (element.keys or element.attributes)
            and all(map(_number, element.parts))
        ):
            yield Array(_shape(need, sizes), _dtype(need))
        inner = first(name.removesuffix("s"), element)
        yield Struct("list", tuple((f"*{i}", inner) for i in range(3)))


def _number(need: Need) -> bool:
    """Whether no use requires the value to be more than a number."""
    structured = need.keys or need.attributes or need.parts or need.element is not None or need.arity is not None
    return not structured and not need.is_key and need.least_rank() == 0


def matching(fields: set[str], names: Mapping[str, object]) -> list[type]:
    """Record classes of the module that have all these attributes, the smallest first."""
    classes = (c for c in names.values() if isinstance(c, type) and not stands_in(c))
    found = [c for c in classes if record_fields(c) is not None]
    fitting = [c for c in found if all(hasattr(c, f) or f in (record_fields(c) or {}) for f in fields)]
    return sorted(fitting, key=lambda c: len(record_fields(c) or {}))


def record_fields(cls: type) -> dict[str, object] | None:
    """Field names with annotations, of a NamedTuple or a dataclass; None for other classes."""
    if hasattr(cls, "_fields") and issubclass(cls, tuple):
        return {
            f: cls.__annotations__.get(f) if hasattr(cls, "__annotations__") else None
            for f in getattr(cls, "_fields", ())
        }
    if dataclasses.is_dataclass(cls):
        return {f.name: f.type for f in dataclasses.fields(cls) if f.init and f.name not in ("parent", "name")}
    return None


def of_class(cls: type, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int) -> Iterator[Spec]:
    """A record, field by field: an array like its default, or the annotation with what the function does with it."""
    fields = record_fields(cls)
    if fields is None:
        return
    items: list[tuple[str, Spec]] = []
    for name, annotation in fields.items():
        inner = need.attributes.get(name) or Need(arity=need.calls.get(name))
        inner.annotation = inner.annotation or _as_node(annotation)
        default = _field_default(cls, name)
        if default is not ... and name not in need.attributes:
            items.append((name, Alternatives((default,))))
            continue
        if isinstance(default, (jax.Array, np.ndarray)):
            items.append((name, Array(default.shape, str(default.dtype))))
            continue
        if isinstance(default, (bool, int, float, str)) and inner.default is ...:
            inner.default = default
        items.append((name, next(guesses(name, inner, sizes, names, depth + 1))))
    yield Struct(cls, tuple(items))


def _field_default(cls: type, name: str) -> object:
    if dataclasses.is_dataclass(cls):
        for f in dataclasses.fields(cls):
            if f.name == name:
                if f.default is not dataclasses.MISSING:
                    return f.default
                if f.default_factory is not dataclasses.MISSING:
                    return f.default_factory()
        return ...
    return getattr(cls, "_field_defaults", {}).get(name, ...)


def _as_node(annotation: object) -> ast.expr | None:
    if annotation is None:
        return None
    text = annotation if isinstance(annotation, str) else None
    if isinstance(annotation, type) and not typing.get_args(annotation):
        text = annotation.__name__ if annotation.__module__ == "builtins" else None
    if text is not None:
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError:  # what is no annotation tells nothing
            return None
    return ast.Constant(annotation)  # type: ignore[arg-type]


def _annotated(name: str, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int) -> Iterator[Spec]:
    node = need.annotation
    if node is None:
        return
    match node:
        case ast.Constant(value=str() as text):
            try:
                node = ast.parse(text, mode="eval").body
            except SyntaxError:  # what is no annotation tells nothing
                return
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[_, ast.Constant(value=str() as axes)])):
            yield from _jaxtyping(ast.unparse(value), axes, sizes)
            return
    try:
        meant = eval(compile(ast.Expression(node), "<annotation>", "eval"), dict(names))
    except Exception:  # noqa: BLE001
        meant = None
    yield from _meant(meant, name, need, sizes, names, depth)


def _meant(
    meant: object, name: str, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int
) -> Iterator[Spec]:
    if hasattr(meant, "dim_str") and hasattr(meant, "dtypes"):
        yield from _jaxtyping(str(meant.__name__).split("[")[0], str(meant.dim_str), sizes)  # type: ignore[attr-defined]
        return
    library = known(meant) if isinstance(meant, type) else None
    if library is not None:
        yield library
    elif isinstance(meant, type) and record_fields(meant) is not None:
        yield from of_class(meant, need, sizes, names, depth)
    elif isinstance(meant, type) and issubclass(meant, enum.Enum):
        yield Alternatives(tuple(meant))
    elif meant is bool:
        yield Alternatives((True, False))
    elif meant is int:
        if members := _members(need, names):
            yield Alternatives(members)
        yield from _whole(need.default if isinstance(need.default, int) else None)
    elif meant is float:
        yield Scalar("float", need.default if isinstance(need.default, float) else None)
    elif meant is str:
        yield Alternatives(_strings(need))
    elif meant is list and need.element is None and need.parts is None:
        yield _list()
    elif meant in (jax.Array, np.ndarray) and not need.is_key and not KEY_NAMES.match(name):
        yield Array(_shape(need, sizes), _dtype(need))
    else:
        yield from _generic(meant, name, need, sizes, names, depth)


def _generic(
    meant: object, name: str, need: Need, sizes: Sizes, names: Mapping[str, object], depth: int
) -> Iterator[Spec]:
    origin, arguments = typing.get_origin(meant), typing.get_args(meant)
    if origin is typing.Literal:
        yield Alternatives(arguments)
    elif origin in (tuple, list) and arguments:
        several = arguments if origin is tuple and ... not in arguments else (arguments[0],) * 3
        inner = Need() if need.element is None else need.element
        known = need.parts if need.parts and len(need.parts) == len(several) else [inner] * len(several)
        found = [
            next(
                itertools.chain(_meant(a, name, n, sizes, names, depth + 1), guesses(name, n, sizes, names, depth + 1)),
                Array(_shape(n, sizes)),
            )
            for a, n in zip(several, known, strict=True)
        ]
        mark = "*" if origin is list or ... in arguments else ""
        yield Struct("tuple" if origin is tuple else "list", tuple((f"{mark}{i}", s) for i, s in enumerate(found)))
    elif arguments and origin not in (dict,):
        for argument in arguments:
            yield from _meant(argument, name, need, sizes, names, depth + 1)


def _jaxtyping(kind: str, axes: str, sizes: Sizes) -> Iterator[Spec]:
    kind = kind.split(".")[-1]
    dtype = {"Int": "int32", "Integer": "int32", "Int32": "int32", "Bool": "bool", "Complex": "complex64"}
    shape: list[int] = []
    for axis in axes.split():
        if axis.startswith("..."):
            continue
        if axis.startswith("*"):
            shape.append(sizes.fresh())
        elif re.fullmatch(r"[A-Za-z_]\w*|\d+", axis.lstrip("#")):
            shape.append(sizes.name(axis.lstrip("#")))
        else:
            shape.append(sizes.fresh())
    named = kind if re.fullmatch(r"u?int\d+|float\d+", kind) else "float32"
    yield Array(tuple(shape), dtype.get(kind, "key" if kind == "PRNGKeyArray" else named))


def known(cls: type) -> Spec | None:
    """Arguments of library classes that are not arrays: the random streams of `flax.nnx`."""
    if cls.__name__ == "Rngs" and cls.__module__.startswith("flax"):
        return Struct(cls, (("seed", Alternatives((0,))),), positional=True)
    return None
