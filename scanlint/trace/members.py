"""Attributes of objects of the project's classes, and what their fields are while tracing."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from scanlint.syntax.regex import regex
from scanlint.syntax.walk import dotted, kinds_inside
from scanlint.trace.domain.callables import ClassInfo, ClassRef, Closure, Code, Partial, Scope, Transformed, World
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.held import holds_functions
from scanlint.trace.domain.modes import Mode
from scanlint.trace.domain.values import (
    CONCRETE_ARRAY,
    STATIC,
    UNKNOWN,
    Instance,
    Kind,
    OneOf,
    Value,
    but,
    constant,
    gathered,
    holds_tracer,
    join_all,
    record,
    within,
)

ARRAY_ANNOTATION = regex(r"(?:^|\.)(?:Array|DeviceArray|ndarray|ArrayDevice|PRNGKey|PRNGKeyArray|KeyArray|JaxArray)$")
JAXTYPED = regex(r"(?:^|\.)(?:Float|Int|Integer|Bool|Complex|Inexact|Num|Shaped|Key|UInt|Real)\d*$")
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None}
_DTYPES = {"Bool": "bool", "Int": "int", "Integer": "int", "UInt": "int", "Float": "float", "Complex": "complex"}


@cache
def constant_of(name: str) -> Value | None:
    """The value of `jnp.pi` and its like."""
    root, _, last = name.rpartition(".")
    if last in _CONSTANTS and root in ("jax.numpy", "numpy", "math"):
        return constant(_CONSTANTS[last])
    return None


def annotated(scope: Scope, node: ast.expr | None) -> Value | None:
    """The value of an annotation: an array (the caller decides whether it is traced), a Python value, or None."""
    match node:
        case None:
            return None
        case ast.Constant(value=str() as text):
            return _quoted(scope, text)
        case ast.Constant(value=None):
            return constant(None)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _union([left, right], scope)
        case ast.Subscript(value=head, slice=inner):
            return _subscripted(scope, head, inner)
    name = scope.annotation(node)
    if name is None:
        return None
    if ARRAY_ANNOTATION.search(name) and not name.startswith("numpy."):
        return Value(Kind.UNKNOWN, array=True, dtype="key" if "Key" in name else None)
    if name.endswith(("ArrayLike", ".Scalar", ".Numeric")):
        return Value(Kind.UNKNOWN, dtype="arraylike")
    if name in ("builtins.int", "builtins.float", "builtins.bool", "builtins.str"):
        return Value(Kind.STATIC, dtype=name.removeprefix("builtins."))
    return None


def noted(code: Code, arg: ast.arg) -> Value | None:
    """The value that the annotation of a parameter stands for, worked out once."""
    if arg.arg not in code.notes:
        code.notes[arg.arg] = annotated(code.scope, arg.annotation)
    return code.notes[arg.arg]


def _quoted(scope: Scope, text: str) -> Value | None:
    try:
        return annotated(scope, ast.parse(text, mode="eval").body)
    except SyntaxError:  # what is no annotation tells nothing
        return None


def _union(options: list[ast.expr], scope: Scope) -> Value | None:
    """`A | B`: only what both say."""
    found = [annotated(scope, option) for option in options]
    if all(v is not None and v.array for v in found):
        return found[0]
    return Value(Kind.UNKNOWN, dtype="mixed") if any(v is not None for v in found) else None


def _subscripted(scope: Scope, head: ast.expr, inner: ast.expr) -> Value | None:
    name = scope.annotation(head) or ""
    last = name.rpartition(".")[2]
    if JAXTYPED.search(name) and name.startswith("jaxtyping"):
        return Value(Kind.UNKNOWN, True, dtype=_DTYPES.get(last.rstrip("0123456789")), ndim=_axes(inner))
    match last, inner:
        case ("Optional", _):
            return Value(Kind.UNKNOWN, dtype="mixed")
        case ("Union", ast.Tuple(elts=options)):
            return _union(options, scope)
        case ("Annotated", ast.Tuple(elts=[first, *_])):
            return annotated(scope, first)
        case ("tuple" | "Tuple", ast.Tuple(elts=[first, ast.Constant(value=inner_value)])) if inner_value is ...:
            return gathered("tuple", None, annotated(scope, first) or UNKNOWN)
        case ("tuple" | "Tuple", ast.Tuple(elts=parts)):
            return gathered("tuple", tuple(annotated(scope, p) or UNKNOWN for p in parts))
        case ("list" | "List" | "Sequence", _):
            return gathered("list", None, annotated(scope, inner) or UNKNOWN)
        case ("dict" | "Dict" | "Mapping", ast.Tuple(elts=[_, value])):
            return Value(Kind.UNKNOWN, container="dict", element=annotated(scope, value) or UNKNOWN)
    return None


def _axes(inner: ast.expr) -> int | None:
    """The number of axes in `Float[Array, "n d"]`."""
    match inner:
        case ast.Tuple(elts=[_, ast.Constant(value=str() as text)]) if "*" not in text and "..." not in text:
            return len(text.split())
    return None


def lineage(world: World, name: str, seen: frozenset[str] = frozenset()) -> Iterator[ClassInfo]:
    """A class of the project and its bases, nearest first."""
    info = world.class_info(name)
    if info is None or name in seen:
        return
    yield info
    for base in info.bases:
        yield from lineage(world, base, seen | {name})


def kind_of(world: World, name: str) -> str:
    """The kind of a class, also where a base gives it."""
    return next((info.kind for info in lineage(world, name) if info.kind != "plain"), "plain")


def instance(world: World, name: str, *, traced: bool, why: Reason | None = None, direct: bool = False) -> Value:
    """An object of a class whose contents are not known; `traced` says that it came in as an argument of a trace.

    `direct`: it was handed to the transform itself, so the numbers in a pytree are traced too.
    """
    kind = kind_of(world, name)
    if kind in ("namedtuple", "dataclass"):
        fields: dict[str, Value] = {}
        for info in reversed(list(lineage(world, name))):
            fields |= {f: _field(world, info, f, traced, why, direct and info.tree) for f in info.fields}
        if fields:
            return record(name, fields, Instance(name))
    return Value(Kind.UNKNOWN, container=name, callee=Instance(name))


def _field(world: World, info: ClassInfo, name: str, traced: bool, cause: Reason | None, numbers: bool) -> Value:
    """An annotated field: an array, one of the `numbers` that are traced, a nested object, or unknown."""
    if name in info.static:
        return STATIC
    annotation = info.fields[name]
    known = annotated(info.scope, annotation)
    if known is not None and known.array:
        kind = Kind.TRACED if traced else Kind.UNKNOWN
        why = Reason(f"`{name}` is an array of `{info.name.rpartition('.')[2]}`", info.scope, annotation, cause)
        return Value(kind, True, dtype=known.dtype, ndim=known.ndim, why=why)
    if numbers and known is not None and known.static and known.dtype in ("int", "float", "bool"):
        why = Reason(f"`{name}` is a leaf of `{info.name.rpartition('.')[2]}`", info.scope, annotation, cause)
        return Value(Kind.TRACED, True, dtype=known.dtype, ndim=0, why=why)
    inner = info.scope.annotation(annotation)
    if inner is not None and inner != info.name and (nested := world.class_info(inner)) is not None:
        if nested.kind in ("namedtuple", "dataclass") and info.name not in nested.bases:
            return Value(Kind.UNKNOWN, container=inner, callee=Instance(inner))
    return UNKNOWN


def member(world: World, value: Value, name: str, mode: Mode) -> Value | None:
    """`value.name` for an object of a class of the project."""
    if name in value.fields:
        return value.fields[name]
    if not isinstance(value.callee, Instance):
        return None
    for info in lineage(world, value.callee.name):
        code = info.methods.get(name)
        if code is not None:
            return _overridden(world, info, code, value, mode)
        known = world.attribute(info, name)
        if known is not None:
            return _own(world, value.callee, name) or known
        if name in info.fields:
            return _config(world, info, name)
        if name in info.constants:
            return _class_level(world, info, name, value)
        nested = world.class_info(f"{info.name}.{name}")
        if nested is not None:
            return Value(Kind.STATIC, callee=ClassRef(nested.name))
    owner = world.class_info(value.callee.name)
    others = _below(world, owner, name, value, mode) if owner is not None else []
    return join_all(tuple(others)) if others else UNKNOWN


FIRST = frozenset(["__init__", "__post_init__", "__new__", "setup"])
"""Methods that make an object what it is, before any other runs."""


def rewrapped(world: World, value: Value, name: str) -> Value | None:
    """A method that its own object has put under a transform: `self.step = jax.jit(self.step)`."""
    for info in lineage(world, value.callee.name) if isinstance(value.callee, Instance) else ():
        known = world.attribute(info, name) if name in info.methods else None
        if known is not None:
            return known if isinstance(known.callee, Transformed) else None
    return None


def _own(world: World, made: Instance, name: str) -> Value | None:
    """The functions or objects that one object was given when it was made, and that no method sets anew."""
    found = world.own(made.site, name) if made.site is not None else None
    if found is None or not holds_functions(found):
        return None
    later = (code for info in lineage(world, made.name) for code in setters(info).get(name, ()))
    return None if any(code.name not in FIRST for code in later) else found


def setters(info: ClassInfo) -> Mapping[str, list[Code]]:
    """The methods beside `__init__` that set each attribute of their own object."""
    if info.setters is None:
        info.setters = {}
        for code in (code for name, code in info.methods.items() if name != "__init__" and code.first):
            for name in _sets(code, code.first):
                info.setters.setdefault(name, []).append(code)
    return info.setters


def _sets(code: Code, receiver: str) -> frozenset[str]:
    """The attributes of its receiver that a method sets."""
    stored = kinds_inside(code.node).of(ast.Attribute) if isinstance(code.node.body, list) else ()
    of_receiver = (n for n in stored if isinstance(n.value, ast.Name) and n.value.id == receiver)
    return frozenset(n.attr for n in of_receiver if isinstance(n.ctx, ast.Store))


def _class_level(world: World, info: ClassInfo, name: str, receiver: Value) -> Value:
    """A class-level variable, as an object or the class has it: functions are methods there, unless made static."""
    found = world.constant(info, name)
    match info.constants[name]:
        case ast.Call(func=ast.Name(id="staticmethod")):
            return found
    return _bound(found, receiver) if isinstance(receiver.callee, Instance) else found


def default_of(world: World, owner: str, name: str) -> ast.expr | None:
    """The value of a field of a class for objects that are made without one."""
    return next((info.defaults.get(name) for info in lineage(world, owner) if name in info.fields), None)


def method_of(world: World, owner: str, name: str) -> Code | None:
    """A method of a class, also one that a base defines."""
    return next((info.methods[name] for info in lineage(world, owner) if name in info.methods), None)


def class_member(world: World, owner: str, name: str) -> Value:
    """`Class.name`."""
    itself = Value(Kind.STATIC, callee=ClassRef(owner))
    for info in lineage(world, owner):
        code = info.methods.get(name)
        if code is not None:
            function = info.values.get(name) or world.decorated(code)
            return _bound(function, itself) if "classmethod" in _decorators(code) else function
        if name in info.constants:
            return _class_level(world, info, name, itself)
        nested = world.class_info(f"{info.name}.{name}")
        if nested is not None:
            return Value(Kind.STATIC, callee=ClassRef(nested.name))
    return UNKNOWN


def kept(value: Value) -> Value:
    """The part of a value that is remembered for an attribute: functions, objects, Python values, no tracers.

    Of an array that the host makes, no more than that it is one.
    """
    if value.callee is not None or value.static:
        return value
    if value.array and not value.traced and value.container is None:
        return CONCRETE_ARRAY
    if value.container not in ("list", "tuple", "dict"):
        return UNKNOWN
    return within(value, kept)


def _decorators(code: Code) -> set[str]:
    """The decorators of a function that are names."""
    return {name for d in getattr(code.node, "decorator_list", []) if (name := dotted(d)) is not None}


def _overridden(world: World, info: ClassInfo, code: Code, value: Value, mode: Mode) -> Value:
    """A method of an object that may be of a class below: any of those that define it anew."""
    own = _method(world, info, code, value, mode)
    others = _below(world, info, code.name, value, mode)
    if not others:
        if mode.traced and isinstance(value.callee, Instance) and not value.callee.exact and abstract(code):
            world.wanting(code, "self")  # the classes that define it may be in files that are not looked at yet
        return own
    return join_all((*([] if abstract(code) else [own]), *others))


def _below(world: World, info: ClassInfo, name: str, value: Value, mode: Mode) -> list[Value]:
    """A method as each of the classes below defines it, of one of which an object may be."""
    if not isinstance(value.callee, Instance) or value.callee.exact:
        return []
    return [
        _method(world, other, other.methods[name], but(value, container=other.name, callee=Instance(other.name)), mode)
        for other in world.below(info, name)
    ]


def abstract(code: Code) -> bool:
    """Whether a method only says that classes below define it."""
    body = code.node.body if isinstance(code.node.body, list) else []
    return all(
        isinstance(s, ast.Pass | ast.Raise) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in body
    )


def _method(world: World, info: ClassInfo, code: Code, receiver: Value, mode: Mode) -> Value:
    """A bound method, under its decorators; a property gives what it returns."""
    decorators = _decorators(code)
    if decorators & {"property", "functools.cached_property", "cached_property"}:
        arguments = {parameter.arg: receiver for parameter in code.positional()[:1]}
        early = "property" not in decorators and not holds_tracer(receiver)  # it may have been asked for on the host
        return world.invoke(Closure(code, None, receiver), arguments, Mode() if early else mode)
    if "staticmethod" in decorators:
        return world.decorated(code)
    if "classmethod" in decorators and isinstance(receiver.callee, Instance):
        receiver = Value(Kind.STATIC, callee=ClassRef(receiver.callee.name))
    return _bound(info.values.get(code.name) or world.decorated(code), receiver)


def _bound(function: Value, receiver: Value) -> Value:
    match function.callee:
        case Closure() as closure:
            return but(function, callee=Closure(closure.code, closure.frame, receiver))
        case Transformed() as target:
            return but(function, callee=replace(target, function=_bound(target.function, receiver)))
        case Partial() as partial:
            return but(function, callee=replace(partial, function=_bound(partial.function, receiver)))
        case OneOf(choices):
            return but(function, callee=OneOf(tuple(_bound(choice, receiver) for choice in choices)))
    return function


def _config(world: World, info: ClassInfo, name: str) -> Value:
    """A field of an object that did not come in as an argument: configuration, unless it is an array."""
    known = annotated(info.scope, info.fields[name])
    if name in info.static or (info.kind == "module" and known is not None and known.static):
        return Value(Kind.STATIC, dtype=known.dtype if known is not None else None, origin="field")
    if known is None and (nested := info.scope.annotation(info.fields[name])) is not None:
        if kind_of(world, nested) == "dataclass" and nested not in info.bases:
            return Value(Kind.UNKNOWN, container=nested, callee=Instance(nested))
    return Value(Kind.UNKNOWN, array=known is not None and known.array)
