"""Parameters of jitted functions that are settings, not arrays: they are compared with strings, or only asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from scanlint.jaxapi.words import words
from scanlint.policy.names import FLAGS
from scanlint.syntax.bindings import defaults
from scanlint.syntax.walk import kinds_inside
from scanlint.trace.calls.jax_results import CASTS
from scanlint.trace.domain.contexts import FunctionContext, Jit
from scanlint.trace.unit import Unit
from scanlint.trace.whole_file import WholeFile

Test = ast.If | ast.IfExp
ACTIVATIONS = frozenset(
    [f"jax.nn.{name}" for name in words("relu gelu silu swish sigmoid softplus elu selu tanh leaky_relu softmax")]
    + [f"jax.numpy.{name}" for name in words("sin cos tan tanh exp log sqrt abs square sum mean max min prod")]
)
"""Functions of JAX that are handed to others most."""
REFUSED = frozenset(
    words("str type typing.Type jax.numpy.dtype numpy.dtype jax.typing.DTypeLike numpy.typing.DTypeLike")
)
"""Types of which no value is an argument of a jit."""
PLAIN_JITS = frozenset(["jax.jit", "jax.pmap"])
"""Jits that take arrays alone; the others treat arguments that are no arrays as static."""


class Flag(NamedTuple):
    """A parameter that selects what is traced. `test` is the first place that asks for it, `why` the evidence.

    `compared`: it is text, or asked to be `True` itself. `refused`: its annotation names a type that no jit takes;
    "if given" where no call that is known hands one in.
    """

    name: str
    function: ast.FunctionDef
    test: ast.expr
    owner: ast.AST
    why: str
    parameter: ast.arg
    compared: bool
    refused: Literal["", "given", "if given"] = ""


def flags(unit: Unit, function: ast.FunctionDef) -> tuple[Flag, ...]:
    """The flags among the traced parameters of a function that is jitted itself, in the order of the parameters."""
    return unit.once((flags, function), lambda: tuple(_find(unit, function)))


def flag_at(unit: Unit, node: Test) -> bool:
    """Whether a test asks for nothing but flags."""
    names = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    for ancestor in unit.ancestors(node):
        if isinstance(ancestor, ast.FunctionDef):
            known = {flag.name for flag in flags(unit, ancestor)}
            names -= known
            if known and not names:
                return True
    return False


def _find(unit: Unit, function: ast.FunctionDef) -> Iterator[Flag]:
    context = unit.contexts.get(function)
    if context is None or context.jit is None or not context.traced:
        return
    positional = [*function.args.posonlyargs, *function.args.args]
    named = named_static(context.jit.node)
    if named is None:
        return
    settled = context.static | context.jit.given | named | {"self", "cls"}
    uses: dict[str, list[ast.Name]] = {}
    for node in kinds_inside(function).of(ast.Name):
        uses.setdefault(node.id, []).append(node)
    for parameter in [*positional, *function.args.kwonlyargs]:
        if parameter.arg in settled:
            continue
        flag = _flag(unit, function, context, parameter, uses.get(parameter.arg, []))
        if flag and (context.jit.decorator or context.jit.node in unit.file.calls):  # it may be jitted in another file
            yield flag


def named_static(jit: ast.expr) -> frozenset[str] | None:
    """The names in the `static_argnames` of a jit; None where its static arguments are not written out."""
    found: set[str] = set()
    for keyword in jit.keywords if isinstance(jit, ast.Call) else []:
        if keyword.arg is None or not keyword.arg.startswith("static_arg"):
            continue
        parts = list(ast.walk(keyword.value))
        if not all(
            isinstance(n, ast.Constant | ast.Tuple | ast.List | ast.expr_context | ast.UnaryOp | ast.USub)
            for n in parts
        ):
            return None
        found |= {n.value for n in parts if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return frozenset(found)


def _flag(
    unit: Unit, function: ast.FunctionDef, context: FunctionContext, parameter: ast.arg, uses: Sequence[ast.Name]
) -> Flag | None:
    name = parameter.arg
    if (handed := _no_jax_type(unit, function, context, name)) is not None:
        given_at = f"`{name}` is given `{ast.unparse(handed)}` at line {handed.lineno}"
        return Flag(name, function, handed, parameter, given_at, parameter, True)
    if _plainly_jitted(unit, context) and (kind := _refused_type(unit, parameter.annotation)) is not None:
        given = list(given_by_calls(unit, function, context, name))
        if not any(_array(unit, value) for value in given):
            refused: Literal["given", "if given"] = (
                "if given" if not given and name in defaults(function.args) else "given"
            )
            said = f"`{name}` is annotated as `{kind}`, which no jit takes"
            return Flag(name, function, parameter.annotation or ast.Name(""), parameter, said, parameter, True, refused)
    if not uses or any(not isinstance(use.ctx, ast.Load) for use in uses):
        return None
    compared = [use for use in uses if _with_setting(unit, use)]
    asked = [use for use in uses if _asked(unit, use)]
    if not compared and (not asked or any(use not in asked and not _handed_on(unit, use) for use in uses)):
        return None
    given = list(given_by_calls(unit, function, context, name))
    if any(_array(unit, value) for value in given):
        return None
    tests = [unit.parents.get(use) for use in compared]
    why = _evidence(parameter, defaults(function.args).get(name), given, tests)
    if why is None:
        return None
    first = min([*compared, *asked], key=lambda use: (use.lineno, use.col_offset))
    test, owner = _test(unit, first)
    return Flag(name, function, test, owner, why, parameter, bool(compared))


def _evidence(
    parameter: ast.arg, default: ast.expr | None, given: list[ast.expr], compared: Sequence[ast.AST | None]
) -> str | None:
    """Why a parameter is a flag, or None if it may as well be an array."""
    name = parameter.arg
    if default is not None and not given:
        return None
    if compared:
        asked = next(filter(_identity, compared), None)
        return f"`{name}` is compared with a string" if asked is None else f"`{ast.unparse(asked)}` holds for no tracer"
    match parameter.annotation:
        case ast.Name(id="bool" | "str" as kind):
            return f"`{name}` is annotated as `{kind}`"
        case ast.Constant(value="bool" | "str" as kind):
            return f"`{name}` is annotated as `{kind}`"
        case ast.expr():
            return None
    for value in given:
        if isinstance(value, ast.Constant) and isinstance(value.value, bool | str):
            return f"`{name}` is given `{value.value!r}` at line {value.lineno}"
    return f"`{name}` is only asked whether it holds" if FLAGS(name) else None


def _identity(test: ast.AST | None) -> bool:
    match test:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=bool())]):
            return True
    return False


def _with_setting(unit: Unit, use: ast.Name) -> bool:
    """`mode == "train"`, `mode in ("a", "b")`, `causal is True`, which no tracer is."""
    match unit.parents.get(use):
        case ast.Compare() as test if _identity(test):
            return True
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            other = right if left is use else left
            return isinstance(other, ast.Constant) and isinstance(other.value, str)
        case ast.Compare(
            left=left,
            ops=[ast.In() | ast.NotIn()],
            comparators=[ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items)],
        ):
            return (
                left is use
                and bool(items)
                and all(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in items)
            )
    return False


def _asked(unit: Unit, use: ast.Name) -> bool:
    """Whether a use asks only for the truth of the value."""
    child: ast.AST = use
    parent = unit.parents.get(child)
    while isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
        child, parent = parent, unit.parents.get(parent)
    return isinstance(parent, ast.If | ast.IfExp) and parent.test is child


def _handed_on(unit: Unit, use: ast.Name) -> bool:
    return isinstance(unit.parents.get(use), ast.keyword)


def _test(unit: Unit, use: ast.AST) -> tuple[ast.expr, ast.AST]:
    """The test around a use and the `if` that it belongs to."""
    for ancestor in unit.ancestors(use):
        if isinstance(ancestor, ast.If | ast.IfExp):
            return ancestor.test, ancestor
        if isinstance(ancestor, ast.stmt):
            break
    parent = unit.parents[use]
    return (parent if isinstance(parent, ast.expr) else ast.Name("")), parent


def _no_jax_type(unit: Unit, function: ast.FunctionDef, context: FunctionContext, name: str) -> ast.expr | None:
    """An argument for a parameter that no jit takes: a function, a string or a type."""
    if len(unit.file.binders.get(function.name, [])) != 1:
        return None
    return next((v for v in given_by_calls(unit, function, context, name) if _refused(unit, v)), None)


def _plainly_jitted(unit: Unit, context: FunctionContext) -> bool:
    """The jit of a function is JAX's own, and no transform around it binds what it takes."""
    assert context.jit is not None
    called = context.jit.node.func if isinstance(context.jit.node, ast.Call) else context.jit.node
    if unit.resolve(called) == "functools.partial" and isinstance(context.jit.node, ast.Call):
        called = context.jit.node.args[0]
    return unit.resolve(called) in PLAIN_JITS


def _refused_type(unit: Unit, annotation: ast.expr | None) -> str | None:
    """The type of which an annotation says that all values are, but None, if no jit takes one."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:  # an annotation of something else says nothing
            return None
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _one_type(unit, [left, right])
        case ast.Subscript(value=head, slice=inner):
            match unit.file.resolve(head):
                case "typing.Optional":
                    return _refused_type(unit, inner)
                case "typing.Union" if isinstance(inner, ast.Tuple):
                    return _one_type(unit, inner.elts)
                case "typing.Literal":
                    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                    texts = all(isinstance(i, ast.Constant) and isinstance(i.value, str) for i in items)
                    return "str" if texts else None
            return _refused_type(unit, head)
        case ast.Name() | ast.Attribute():
            name = ast.unparse(annotation)
            meant = unit.file.resolve(annotation) or (name if name not in unit.file.classes else "")
            return name if meant in REFUSED else None
    return None


def _one_type(unit: Unit, parts: Sequence[ast.expr]) -> str | None:
    kinds = [_refused_type(unit, p) for p in parts if not (isinstance(p, ast.Constant) and p.value is None)]
    return kinds[0] if kinds and None not in kinds else None


def _refused(unit: Unit, value: ast.expr) -> bool:
    match value:
        case ast.Lambda() | ast.Constant(value=str()):
            return True
        case ast.Name(id=name) if isinstance(unit.file.definitions.get(name), ast.FunctionDef):
            return len(unit.file.binders.get(name, [])) == 1
        case ast.Name(id="int" | "float" | "bool" as kind):
            return kind not in unit.file.binders
        case ast.Attribute():
            resolved = unit.file.resolve(value) or ""
            return resolved in CASTS or resolved in ACTIVATIONS
    return False


def given_by_calls(unit: Unit, function: ast.FunctionDef, context: FunctionContext, name: str) -> Iterator[ast.expr]:
    """The arguments for a parameter in calls of the jitted function in the same file."""
    assert context.jit is not None
    jit = context.jit
    file, aliases = unit.file, {function.name} if jit.decorator else set()
    aliases.update(file.targets.get(jit.node, []))
    positional = [a.arg for a in [*function.args.posonlyargs, *function.args.args] if a.arg not in jit.given]
    method = positional[:1] == ["self"]
    functions: list[str | ast.expr] = [*aliases, jit.node]
    calls = [call for called in functions for call in file.called.get(called, []) if _may_be(file, call, method, jit)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        places = positional[1:] if method and not isinstance(call.func, ast.Name) else positional
        yield from (k.value for k in call.keywords if k.arg == name)
        if name in places[: len(call.args)] and not any(isinstance(a, ast.Starred) for a in call.args):
            yield call.args[places.index(name)]


def _may_be(file: WholeFile, call: ast.Call, method: bool, jit: Jit) -> bool:
    """Whether a call by the name of a function may run it: `config.update(...)` of an import runs none of this file."""
    if not isinstance(call.func, ast.Attribute):
        return True
    return (method or not jit.decorator) and file.resolve(call.func) is None


def _array(unit: Unit, value: ast.expr) -> bool:
    """Whether an argument is evidently an array."""
    match value:
        case ast.Call(func=function):
            return (unit.resolve(function) or "").startswith(("jax.numpy.", "jax.random.", "jax.lax."))
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
            return False
        case ast.Compare():
            return not any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(value))
    return False
