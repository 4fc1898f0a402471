"""Finds functions that run their own arguments under a trace: their callers are asked what those are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.jaxapi.words import words
from scanlint.syntax.walk import by_kind, kinds_inside
from scanlint.trace.calls.jax_results import ARRAY_METHODS, ARRAY_ONLY_METHODS
from scanlint.trace.domain.callables import ClassInfo, Closure, Code, Frame
from scanlint.trace.domain.values import Instance, Kind, Value, undecided
from scanlint.trace.evaluator import Evaluator
from scanlint.trace.members import lineage

FUNCTIONS = {"fori_loop": (2,), "while_loop": (0, 1), "cond": (1, 2), "switch": (1,)}
"""Where functions stand among the arguments of JAX's control flow; of other calls the first is one."""
KEYWORDS = words("f fun body_fun cond_fun true_fun false_fun branches fn init_fun")
PLAIN = words("items keys values get pop append extend update copy replace _replace format join startswith endswith")


def functions_of(node: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call of JAX that it runs."""
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            places: tuple[int, ...] = FUNCTIONS.get(name, (0,))
        case _:
            places = ()
    for place in places:
        if place < len(node.args):
            part = node.args[place]
            yield from part.elts if isinstance(part, ast.List | ast.Tuple) else (part,)
    yield from (k.value for k in node.keywords if k.arg in KEYWORDS)


def want(self: Evaluator, node: ast.expr) -> None:
    """An unknown function that is run under a trace: where it is a parameter, the callers are asked for it.

    For an attribute of `self` those who make the object are.
    """
    method = node.attr if isinstance(node, ast.Attribute) else None
    while isinstance(node, ast.Attribute | ast.Subscript):
        attribute = node.attr if isinstance(node, ast.Attribute) else None
        node = node.value
        owner = self.frame.lookup(node.id) if isinstance(node, ast.Name) else None
        if attribute is not None and owner is not None and isinstance(owner.callee, Instance):
            _want_attribute(self, owner.callee.name, attribute)
            return
    if not isinstance(node, ast.Name) or method in PLAIN or method in ARRAY_METHODS or method in ARRAY_ONLY_METHODS:
        return
    at: Frame | None = self.frame
    while at is not None:
        if node.id in at.env:
            if _is_open(at.env[node.id]) and node.id in {a.arg for a in at.code.parameters()} - {"self", "cls"}:
                self.world.wanting(at.code, node.id)
            return
        at = at.parent


def hand_on(self: Evaluator, node: ast.Call, closure: Closure, given: int) -> None:
    """A call of a function that runs some of its arguments under a trace: those are wanted from the callers here.

    `given` is how many positional arguments it has, those of a `partial` with them.
    """
    parameters = self.world.wants(closure.code)
    if not parameters:
        return
    code = closure.code
    names = [a.arg for a in code.positional()][closure.receiver is not None :][max(given - len(node.args), 0) :]
    pairs = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
    for name, part in pairs:
        if name in parameters and not isinstance(part, ast.Starred):
            want(self, part)


def _is_open(value: Value) -> bool:
    """Whether a value may be a function for all that is known of it."""
    plain = value.array or value.dtype is not None or value.container is not None
    return (value.kind is Kind.UNKNOWN or undecided(value)) and value.callee is None and not plain


def _want_attribute(self: Evaluator, owner: str, attribute: str) -> None:
    """Ask for the parameters from which an `__init__` makes an attribute, and for all that are handed on to it."""
    above: list[Code] = []
    for info in lineage(self.world, owner):
        code = info.methods.get("__init__")
        if code is None:
            continue
        givers = _givers(info, code, attribute)
        for parameter in givers:
            self.world.wanting(code, parameter)
        if givers:
            for other in above:
                for argument in other.parameters()[1:]:
                    self.world.wanting(other, argument.arg)
            return
        above.append(code)


def given(self: Evaluator, owner: ast.expr, attribute: str) -> bool:
    """Whether an attribute of an object of the project is what its `__init__` was given, or one of its fields."""
    match self.eval(owner).callee:
        case Instance(name):
            pass
        case _:
            return False
    for info in lineage(self.world, name):
        code = info.methods.get("__init__")
        if attribute in info.methods or attribute in info.constants:
            return False
        if attribute in info.fields or (code is not None and _givers(info, code, attribute)):
            return True
    return False


def _givers(info: ClassInfo, code: Code, attribute: str) -> list[str]:
    """The parameters of an `__init__` that are part of what it sets an attribute to."""
    if attribute not in info.givers:
        parameters = {a.arg for a in code.parameters()[1:]}
        found: dict[str, None] = {}
        inside = kinds_inside(code.node)
        for statement in [*inside.of(ast.Assign), *inside.of(ast.AnnAssign)]:
            match statement:
                case (
                    ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.expr() as value)
                    | ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.expr() as value)
                ) if name == attribute:
                    found |= {n.id: None for n in by_kind(value).of(ast.Name) if n.id in parameters}
        info.givers[attribute] = list(found)
    return info.givers[attribute]
