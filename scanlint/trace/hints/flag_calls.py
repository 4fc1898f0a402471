"""The calls of a jitted function, in all files: a flag for which each hands in a Python value may be static."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.jaxapi.canonical import JITS
from scanlint.jaxapi.decorators import applied
from scanlint.syntax.bindings import defaults, parameters, targets, walk_scope
from scanlint.trace.hints.setting_parameters import Flag
from scanlint.trace.unit import Unit
from scanlint.trace.whole_file import WholeFile

DEEPEST = 5
"""How many functions a flag is followed through to where it comes from."""
PYTHON = frozenset(("bool", "isinstance", "issubclass", "hasattr", "callable", "len", "str"))
"""What gives Python values, or fails."""
KINDS = frozenset(("bool", "str"))


class Handed(NamedTuple):
    """An argument of a call, of which it is not known that it is a Python value."""

    path: str
    line: int
    text: str


class _CallPlace(NamedTuple):
    path: str
    file: WholeFile
    at: ast.AST


def not_python(unit: Unit, flag: Flag) -> Handed | None:
    """The first call of a flag's function that may hand in an array for it, or first place that hands the function on.

    A jitted function with one more static argument takes no array there.
    """
    jit = unit.contexts[flag.function].jit
    assert jit is not None
    if flag.compared:
        return None  # with text, which none but a static argument can be
    names: list[str | ast.expr] = [flag.function.name] if jit.decorator else [*unit.file.targets.get(jit.node, [])]
    return next(_doubtful(unit, flag.function, flag.name, [*names, jit.node], 0, jit.given), None)


def _doubtful(
    unit: Unit,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    flag: str,
    names: list[str | ast.expr],
    depth: int,
    given: frozenset[str] = frozenset(),
) -> Iterator[Handed]:
    """The arguments for a parameter that may be arrays, in calls of a function under some names."""
    places = [n for n in parameters(function.args) if n not in given]
    own, spelled = [(unit.source.path, unit.file)], [name for name in names if isinstance(name, str)]
    for path, file in [*own, *(found for name in spelled for found in unit.elsewhere(name))]:
        for call in (call for name in names for call in file.called.get(name, [])):
            value = _argument(call, places, flag)
            place = _CallPlace(path, file, file.around(call))
            if value is None and _complete(call):
                continue  # its default, or the call fails as it does now
            if value is None or not _python(unit, place, value, depth):
                yield Handed(path, call.lineno, ast.unparse(value if value is not None else call))
        yield from (Handed(path, use.lineno, use.id) for use in _handed_on(file, spelled))


def _handed_on(file: WholeFile, names: list[str]) -> Iterator[ast.Name]:
    """The names under which a function is handed to other calls: who calls it then is not seen."""
    for call in file.kinds.of(ast.Call):
        for value in (*call.args, *(k.value for k in call.keywords)):
            if isinstance(value, ast.Name) and value.id in names and not _binds(file.around(call), value.id):
                yield value


def _binds(function: ast.AST, name: str) -> bool:
    """The function has a variable of its own under this name."""
    if isinstance(function, ast.Module):
        return False
    parts = list(ast.walk(function))
    own = any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in parts)
    return own or any(isinstance(n, ast.arg) and n.arg == name for n in parts)


def _argument(call: ast.Call, places: list[str], flag: str) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == flag), None)
    if named is not None:
        return named
    mine = places[1:] if places[:1] == ["self"] and isinstance(call.func, ast.Attribute) else places
    if flag in mine[: len(call.args)] and _complete(call):
        return call.args[mine.index(flag)]
    return None


def _complete(call: ast.Call) -> bool:
    return not any(isinstance(a, ast.Starred) for a in call.args) and all(k.arg is not None for k in call.keywords)


def _python(unit: Unit, place: _CallPlace, value: ast.expr, depth: int) -> bool:
    """The expression surely gives a Python value, as far as the files tell."""
    match value:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
            return True
        case ast.Compare(left=left, comparators=[right]):
            return any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (left, right)) or all(
                _python(unit, place, side, depth) for side in (left, right)
            )
        case ast.BoolOp(values=parts):
            return all(_python(unit, place, part, depth) for part in parts)
        case ast.IfExp(body=one, orelse=other):
            return _python(unit, place, one, depth) and _python(unit, place, other, depth)
        case ast.Call(func=ast.Name(id=name)):
            return name in PYTHON
        case ast.Attribute(attr=attr):
            return _configured(place.file, attr)
        case ast.Name(id=name):
            return depth < DEEPEST and _named(unit, place, name, depth)
    return False


def _configured(file: WholeFile, attr: str) -> bool:
    """All that classes and assignments of the file say of the attribute is that it is a flag."""
    said: list[bool] = []
    for owner in file.kinds.of(ast.ClassDef):
        for part in owner.body:
            match part:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=hint) if name == attr:
                    said.append(_hinted(hint))
    for part in file.kinds.of(ast.Assign):
        if any(isinstance(t, ast.Attribute) and t.attr == attr for t in part.targets):
            said.append(isinstance(part.value, ast.Constant))
    return bool(said) and all(said)


def _hinted(hint: ast.expr | None) -> bool:
    match hint:
        case ast.Name(id=kind) | ast.Constant(value=str(kind)):
            return kind in KINDS
        case ast.Subscript(value=ast.Name(id="Literal")):
            return True
    return False


def _named(unit: Unit, place: _CallPlace, name: str, depth: int) -> bool:
    """All that the name is bound to around a call are Python values."""
    said: list[bool] = []
    outside = isinstance(place.at, ast.Module)
    for part in walk_scope(place.file.tree.body) if outside else ast.walk(place.at):
        match part:
            case ast.Assign(targets=bound, value=value) if any(name in targets(t) for t in bound):
                said.append(_python(unit, place, value, depth + 1))
            case ast.AnnAssign(target=ast.Name(id=bound), annotation=hint) if bound == name:
                said.append(_hinted(hint))
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                if name in targets(target):
                    said.append(_written(over))
            case ast.AugAssign(target=ast.Name(id=bound)) | ast.NamedExpr(target=ast.Name(id=bound)) if bound == name:
                said.append(False)
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not outside and name in parameters(part.args):
                said.append(_parameter(unit, place, part, name, depth))
            case ast.Lambda(args=arguments) if name in parameters(arguments):
                said.append(False)
    if not said and place.at is not place.file.tree:
        top = place.file.bound.get(name, [])
        said = [value is not None and _python(unit, place, value, depth + 1) for value in top]
    return bool(said) and all(said)


def _written(over: ast.expr) -> bool:
    """The loop goes over literals: `for train in (True, False)`."""
    return isinstance(over, ast.Tuple | ast.List) and all(isinstance(e, ast.Constant) for e in over.elts)


def _parameter(
    unit: Unit, place: _CallPlace, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str, depth: int
) -> bool:
    """The parameter of a function around a call is static, or all callers pass a Python value for it."""
    jits = [d for d in function.decorator_list if applied(place.file.resolve, d) in JITS]
    if jits:
        return any(_says_static(jit, function, name) for jit in jits)
    if any(True for _ in _handed_on(place.file, [function.name])):
        return False
    hints = [a.annotation for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.arg == name]
    if _hinted(hints[0] if hints else None):
        return True
    default = defaults(function.args).get(name)
    calls = place.file.called.get(function.name, [])
    if not calls and not isinstance(default, ast.Constant):
        return False
    return next(_doubtful(unit, function, name, [function.name], depth + 1), None) is None


def _says_static(jit: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """The jit names the parameter among its static arguments, or counts it, from the end where it says so."""
    at, places = parameters(function.args).index(name), len(function.args.posonlyargs) + len(function.args.args)
    wanted = {"static_argnames": (name,), "static_argnums": (at, at - places)}
    for keyword in jit.keywords if isinstance(jit, ast.Call) else []:
        try:
            said = ast.literal_eval(keyword.value)
        except ValueError:  # what is computed may name any parameter: this one is not known to be static
            continue
        listed = said if isinstance(said, tuple | list | set) else (said,)
        if any(one in listed for one in wanted.get(keyword.arg or "", ())):
            return True
    return False
