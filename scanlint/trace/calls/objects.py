"""Calls that make an object of a class of the project, or a record, and calls of such objects."""

from __future__ import annotations

import ast

from scanlint.trace.domain.callables import Closure, RecordType
from scanlint.trace.domain.held import holds_functions
from scanlint.trace.domain.values import UNKNOWN, Instance, Kind, Site, Value, but, record
from scanlint.trace.evaluator import Evaluator
from scanlint.trace.members import instance, kind_of, lineage, member

NAMESPACES = frozenset(["types.SimpleNamespace", "argparse.Namespace"])
"""What attributes of their objects are may be changed at any time: only which functions they are is kept."""
RECORDS = frozenset(["collections.namedtuple", "typing.NamedTuple"])


def of_library(name: str, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """A type of records, or a namespace, that a function of Python makes; None for any other function."""
    if name in RECORDS and len(args) == 2:
        return _record_type(args[0], args[1])
    if name in NAMESPACES and keywords and "**" not in keywords:
        return record(name, {k: v if holds_functions(v) else UNKNOWN for k, v in keywords.items()})
    return None


def _record_type(name: Value, fields: Value) -> Value:
    """A NamedTuple that is made by a call, where its fields are spelled."""
    if isinstance(fields.constant, str):
        names = fields.constant.replace(",", " ").split()
    else:
        parts = (item.items[0] if item.items else item for item in fields.items or ())
        names = [part.constant for part in parts if isinstance(part.constant, str)]
    made = RecordType(str(name.constant), tuple(names))
    return Value(Kind.STATIC, callee=made) if names else UNKNOWN


def initialized(self: Evaluator, node: ast.Call, args: list[Value]) -> Value | None:
    """`self.param(name, init, *args)` of a Flax module: it runs `init(key, *args)`, for the shape on each `apply`."""
    code = self.frame.code
    bases = [base for info in lineage(self.world, code.owner) for base in info.bases] if code.owner else []
    match node.func:
        case ast.Attribute(value=ast.Name(id=name), attr="param") if len(args) > 1 and args[1].callee is not None:
            if name == code.first and any(base.startswith("flax.") for base in bases):
                return self.apply(node, args[1], [self.made(node, None, "key", 0), *args[2:]], {})
    return None


def construct(self: Evaluator, node: ast.Call, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Make an object of a class of the project."""
    initializer = next((i.methods["__init__"] for i in lineage(self.world, name) if "__init__" in i.methods), None)
    kind = kind_of(self.world, name)
    made = Instance(name, True, _site(self, node, (*args, *keywords.values())), self.traced)
    if initializer is not None:
        value = but(instance(self.world, name, traced=False), container=name, callee=made)
        run = Closure(initializer, None, value)
        self.apply(node, Value(Kind.STATIC, callee=run), args, keywords)
        return value
    names = [f for info in reversed(list(lineage(self.world, name))) for f in info.fields]
    given = dict(zip(dict.fromkeys(names), args, strict=False)) | {k: v for k, v in keywords.items() if k in names}
    if kind in ("namedtuple", "dataclass") and names:
        return record(name, {**dict.fromkeys(names, UNKNOWN), **given}, Instance(name, True))
    if (info := self.world.class_info(name)) is not None:
        for field, value in given.items():
            if holds_functions(value):
                self.world.give(info, field, value, made.site)
    return but(instance(self.world, name, traced=False), container=name, callee=made)


def _site(self: Evaluator, node: ast.Call, given: tuple[Value, ...]) -> Site | None:
    """The place where an object is made, if it is handed functions: others of its class hold other functions."""
    if not any(map(holds_functions, given)):
        return None
    frame = self.frame
    return Site(node, frame.activation if frame.code.qualname != "<module>" else None)


def call_instance(
    self: Evaluator, node: ast.Call, function: Value, args: list[Value], keywords: dict[str, Value]
) -> Value:
    method = member(self.world, function, "__call__", self.frame.mode)
    if method is None or method.callee is None:
        return UNKNOWN
    return self.apply(node, method, args, keywords)
