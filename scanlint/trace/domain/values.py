"""The abstract values: what is known of a Python value while JAX traces the function that holds it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from scanlint.trace.domain.evidence import Reason


class Kind(Enum):
    """Whether a value is a tracer, a plain Python value, or not known to be either."""

    STATIC = "static"
    TRACED = "traced"
    UNKNOWN = "unknown"


Origin = Literal["shape", "feature", "argument", "field", "rank", "carried", "called"]


class Unset(Enum):
    """Marks a value that is not a known constant."""

    UNSET = 0


T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(cls: type[T]) -> type[T]:
    """A frozen dataclass to the type checker alone: the one that Python guards takes four times as long to make."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


class Fields(dict[str, "Value"]):
    """What fields are by default: a dataclass asks that it can be hashed, where a factory would be called each time."""

    __hash__ = object.__hash__  # type: ignore[assignment]


NO_FIELDS: Mapping[str, Value] = Fields()


@immutable
class Value:
    """One abstract value.

    `kind` speaks of the moment of tracing. `array` says that it is a jax array, traced or (in host code)
    concrete. `constant` is the Python value where it is known. `dtype` is one of "bool", "int", "float",
    "complex", "key" where known. `ndim` likewise. `items` are the elements of a tuple or list of known
    length, `fields` those of a dict, NamedTuple or dataclass, `element` what any element of a list or dict of
    unknown length is, `container` its type's name. `callee` is what a call of it runs. `origin` tells where a
    Python number that is not known comes from: "shape" an axis of an array (but the last, which is "feature"),
    "argument" a static argument of a transformed function, "field" an attribute of an object, "rank" a number of axes;
    "carried" is a tracer inside a loop of JAX that may be none outside; "called" is what a function that was handed
    in gives for tracers: one, if it is a number.
    `why` is the evidence of a traced value: "`err` = `jnp.abs(...)`". `present` says that it is not None.

    A list, tuple or dict is a Python object while tracing: it is never TRACED itself, only its elements are.
    A traced value that is not an array is a pytree of tracers, or nothing more is known of it.
    """

    kind: Kind
    array: bool = False
    constant: object = Unset.UNSET
    dtype: str | None = None
    ndim: int | None = None
    container: str | None = None
    items: tuple[Value, ...] | None = None
    fields: Mapping[str, Value] = field(default=NO_FIELDS, hash=False)
    why: Reason | None = field(default=None, compare=False)
    element: Value | None = None
    callee: object | None = None
    origin: Origin | None = field(default=None, compare=False)
    present: bool = False

    @property
    def traced(self) -> bool:
        return self.kind is Kind.TRACED

    @property
    def static(self) -> bool:
        return self.kind is Kind.STATIC

    @property
    def known(self) -> bool:
        """Whether the Python value itself is known, or for a default that callers may override, assumed."""
        return self.constant is not Unset.UNSET

    @property
    def certain(self) -> bool:
        """Whether the Python value itself is known for every call."""
        return self.constant is not Unset.UNSET and self.origin != "argument"


def but(value: Value, **changes: object) -> Value:
    """A copy of a value with some attributes changed: `dataclasses.replace` takes five times as long."""
    made = Value(
        value.kind,
        value.array,
        value.constant,
        value.dtype,
        value.ndim,
        value.container,
        value.items,
        value.fields,
        value.why,
        value.element,
        value.callee,
        value.origin,
        value.present,
    )
    for name, changed in changes.items():
        setattr(made, name, changed)
    return made


@immutable
class OneOf:
    """Functions of which a name may stand for any: `STEPS[i]`, or `f if fast else g`."""

    values: tuple[Value, ...]


@immutable
class Site:
    """Where an object is made: a call, in one activation of the function around it."""

    node: object
    activation: object


@immutable
class Instance:
    """An object of a class of the project; `exact` says that it was made of just this class, of none below.

    `site` tells it from others that were handed other functions; it is None for one of which that is not known.
    `fresh`: it may have been made under the trace that is going on.
    """

    name: str
    exact: bool = False
    site: Site | None = None
    fresh: bool = False

    def joined(self, other: object) -> Instance | None:
        """One of two objects of the same class, whichever it be."""
        if not isinstance(other, Instance) or (self.name, self.exact) != (other.name, other.exact):
            return None
        return Instance(self.name, self.exact, fresh=self.fresh or other.fresh)


UNKNOWN = Value(Kind.UNKNOWN)
STATIC = Value(Kind.STATIC)
STATIC_INT = Value(Kind.STATIC, dtype="int")
STATIC_BOOL = Value(Kind.STATIC, dtype="bool")
RANK = Value(Kind.STATIC, dtype="int", origin="rank")
AXIS = Value(Kind.STATIC, dtype="int", origin="shape")
CONCRETE_ARRAY = Value(Kind.UNKNOWN, array=True)
DEPTH = 6
MOST_CHOICES = 12
DEEPEST_CHOICES = 4
"""How often choices may stand in each other: a loop that wraps what it wrapped before doubles them on each pass."""

_TYPES = {bool: "bool", int: "int", float: "float", complex: "complex"}


def number(*parts: Value) -> Value:
    """A Python int made of others; an argument tells more of it than a shape."""
    found = [v.origin for v in parts if v.origin is not None]
    origin = next((o for o in ("argument", "shape", "field", "feature", "rank") if o in found), None)
    return Value(Kind.STATIC, dtype="int", origin=origin)


def constant(value: object) -> Value:
    """The value of a literal or a folded expression."""
    return Value(Kind.STATIC, constant=value, dtype=_TYPES.get(type(value)))


def unmarked(value: Value) -> Value:
    """A value for those who may be given None by others."""
    if not value.present:
        return value
    plain = but(value, present=False)
    return UNKNOWN if plain == UNKNOWN else plain


def undecided(value: Value) -> bool:
    """Whether a value is a static argument of which nothing else is known."""
    return value.static and value.origin == "argument" and value.callee is None and not value.known


def uncalled(value: Value) -> Value:
    """A value without what a call of it runs: functions made anew on each run differ, though nothing else does."""
    bare = within(value, uncalled) if value.container is not None else value
    return but(bare, callee=None) if bare.callee is not None else bare


def unsited(value: Value) -> Value:
    """A value that is not told from others by where its objects were made."""
    bare = within(value, unsited) if value.container is not None else value
    match bare.callee:
        case Instance(name, exact, site, fresh) if site is not None:
            return but(bare, callee=Instance(name, exact, fresh=fresh))
    return bare


def contents(value: Value) -> tuple[Value, ...]:
    """The values inside a container, as far as they are known."""
    inner = (*(value.items or ()), *value.fields.values())
    return (*inner, value.element) if value.element is not None else inner


def within(value: Value, change: Callable[[Value], Value], kind: Kind | None = None) -> Value:
    """A container with everything in it changed."""
    items = None if value.items is None else tuple(map(change, value.items))
    fields = {k: change(v) for k, v in value.fields.items()}
    element = None if value.element is None else change(value.element)
    if kind in (None, value.kind) and element is value.element and _same(items, value.items):
        if all(fields[name] is inner for name, inner in value.fields.items()):
            return value
    return but(value, kind=kind or value.kind, items=items, fields=fields, element=element)


def _same(items: tuple[Value, ...] | None, others: tuple[Value, ...] | None) -> bool:
    """Whether no item of a container has become another."""
    return items is others or (items is not None and others is not None and all(map(operator.is_, items, others)))


def shallow(value: Value, depth: int = 0) -> Value:
    """A value of which nothing is known that is nested deeper than values are joined."""
    if value.container is None:
        return value
    return within(value, lambda inner: shallow(inner, depth + 1)) if depth <= DEPTH else UNKNOWN


def gathered(container: str, items: tuple[Value, ...] | None = None, element: Value | None = None) -> Value:
    """A list or tuple that holds these values; `items` None when its length is not known."""
    inside = items if items is not None else (element,) if element is not None else ()
    if items is None and element is None:
        return Value(Kind.UNKNOWN, container=container)
    kind = Kind.STATIC if all(v.kind is Kind.STATIC for v in inside) else Kind.UNKNOWN
    return Value(kind, container=container, items=items, element=element)


def record(container: str, fields: Mapping[str, Value], callee: object | None = None) -> Value:
    """A dict, NamedTuple or dataclass with these fields."""
    static = all(v.kind is Kind.STATIC for v in fields.values())
    return Value(Kind.STATIC if static else Kind.UNKNOWN, container=container, fields=fields, callee=callee)


def holds_tracer(value: Value) -> bool:
    """Whether a value is a tracer, or a container with one in it."""
    return value.traced or any(holds_tracer(v) for v in contents(value))


def element_of(value: Value) -> Value:
    """The join of all elements of a container."""
    if value.items:
        return join_all(value.items)
    return value.element or UNKNOWN


def join_all(values: tuple[Value, ...], *, loop: bool = False, depth: int = 0) -> Value:
    first, *rest = values
    for value in rest:
        first = join(first, value, loop=loop, depth=depth)
    return first


def join(a: Value, b: Value, *, loop: bool = False, depth: int = 0) -> Value:
    """The least value that covers both, for where two paths meet.

    At a loop head (`loop`) a value that is traced on the way back is traced: the second trip meets it. Where two
    arms of a static branch meet, traced on one and static on the other is unknown.
    """
    if a is b or a == b:
        return a
    if depth > DEPTH:
        return UNKNOWN
    kind = _kind(a, b, loop)
    keep = a.constant if _same_constant(a, b) else Unset.UNSET
    evidence = a if a.traced else b
    container = a.container if a.container == b.container else None
    items, element, fields = _join_contents(a, b, loop, depth) if container else (None, None, NO_FIELDS)
    if container and kind is Kind.TRACED:
        kind = Kind.UNKNOWN
    return Value(
        kind,
        array=(a.array and b.array) or (kind is Kind.TRACED and (a.array or b.array)),
        constant=keep if kind is Kind.STATIC else Unset.UNSET,
        dtype=a.dtype if a.dtype == b.dtype else None,
        ndim=a.ndim if a.ndim == b.ndim else None,
        container=container,
        items=items,
        fields=fields,
        why=evidence.why,
        element=element,
        callee=a.callee if a.callee == b.callee else _either(a, b),
        origin=a.origin if a.origin == b.origin else None,
        present=a.present and b.present,
    )


def _either(a: Value, b: Value) -> OneOf | Instance | None:
    """What a call runs where two functions meet: a name that is None on one path is called on the other."""
    if isinstance(a.callee, Instance) and (object_ := a.callee.joined(b.callee)) is not None:
        return object_
    choices: dict[object, Value] = {}
    for value in (a, b):
        if value.callee is None and not (value.known and value.constant is None):
            return None
        for choice in value.callee.values if isinstance(value.callee, OneOf) else (value,):
            if choice.callee is not None:
                choices.setdefault(choice.callee, choice)
    made = OneOf(tuple(choices.values())) if 0 < len(choices) <= MOST_CHOICES else None
    return made if _levels(made) <= DEEPEST_CHOICES else None


def _levels(callee: object) -> int:
    """How often choices stand in each other in what a call runs."""
    if isinstance(callee, OneOf):
        return 1 + max(_levels(choice.callee) for choice in callee.values)
    inner = getattr(callee, "function", None)
    return _levels(inner.callee) if isinstance(inner, Value) else 0


def _kind(a: Value, b: Value, loop: bool) -> Kind:
    if a.kind is b.kind:
        return a.kind
    if loop and (a.traced or b.traced):
        return Kind.TRACED
    return Kind.UNKNOWN


def _same_constant(a: Value, b: Value) -> bool:
    return a.known and b.known and type(a.constant) is type(b.constant) and a.constant == b.constant


def _join_contents(
    a: Value, b: Value, loop: bool, depth: int
) -> tuple[tuple[Value, ...] | None, Value | None, Mapping[str, Value]]:
    """Elements and fields of two containers of one type."""
    if a.fields and a.fields.keys() == b.fields.keys():
        fields = {k: join(v, b.fields[k], loop=loop, depth=depth + 1) for k, v in a.fields.items()}
        return None, None, fields
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items = tuple(join(x, y, loop=loop, depth=depth + 1) for x, y in zip(a.items, b.items, strict=True))
        return items, None, NO_FIELDS
    inside = (*contents(a), *contents(b))
    return None, join_all(inside, loop=loop, depth=depth + 1) if inside else None, NO_FIELDS


def staged(value: Value, why: Reason | None = None, *, leaf: bool = True, depth: int = 0) -> Value:
    """The value as a transformation hands it on: numbers and arrays are tracers, the structure stays.

    `leaf` says that a value of unknown type counts as traced too.
    """
    if depth > DEPTH or (value.callee is not None and not value.fields):
        return value
    if value.known and (value.constant is None or isinstance(value.constant, str)):
        return value
    if value.container is not None:
        inner = partial(staged, why=why, leaf=leaf, depth=depth + 1)
        return but(within(value, inner, Kind.UNKNOWN), constant=Unset.UNSET)
    if value.kind is Kind.UNKNOWN and not value.array and not leaf:
        return value
    array = value.array or (value.kind is Kind.STATIC and value.dtype is not None)
    ndim = 0 if value.kind is Kind.STATIC and value.dtype is not None else value.ndim
    return Value(Kind.TRACED, array, dtype=value.dtype, ndim=ndim, why=value.why or why)


def concrete(value: Value, depth: int = 0) -> Value:
    """A value that comes out of traced code into host code: its tracers are concrete arrays there."""
    if value.container is not None and depth <= DEPTH:
        return within(value, partial(concrete, depth=depth + 1))
    return but(value, kind=Kind.UNKNOWN) if value.traced else value
