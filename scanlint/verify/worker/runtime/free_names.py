"""The names that a statement or an expression takes from outside: what its own functions bind is not among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Scoped = tuple[ast.AST, frozenset[str]]
"""A node, and the names that functions around it bind."""


def free_names(node: ast.AST) -> set[str]:
    """The names that are read in the scope around `node`, or in the module, also in annotations that are strings.

    Parameters and local variables of a function are names of that function, and of those inside of it, alone.
    """
    found: set[str] = set()
    left: list[Scoped] = [(node, frozenset())]
    while left:
        inner, hidden = left.pop()
        match inner:
            case ast.Name(id=name):
                found |= {name} - hidden
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                left += _of_function(inner, hidden)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                bound = {n.id for g in inner.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
                left += _children(inner, hidden | bound)
            case ast.ClassDef():
                left += _children(inner, hidden | _type_parameters(inner))
            case ast.Global(names=names):
                found |= set(names)
            case ast.AnnAssign(annotation=ast.Constant(value=str() as text)):
                left += [*_children(inner, hidden), *_in_text(text, hidden)]
            case _:
                left += _children(inner, hidden)
    return found


def _children(node: ast.AST, hidden: frozenset[str]) -> list[Scoped]:
    return [(child, hidden) for child in ast.iter_child_nodes(node)]


def _in_text(text: str, hidden: frozenset[str]) -> list[Scoped]:
    try:
        return [(ast.parse(text, mode="eval"), hidden)]
    except SyntaxError:  # a dimension of jaxtyping such as "n 3": it names nothing of the module
        return []


def _of_function(node: Function, hidden: frozenset[str]) -> list[Scoped]:
    """The body, with the names of the function, and what is evaluated where it is defined."""
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
    arguments = _parameters(node.args)
    bound = frozenset(a.arg for a in arguments).union(*map(bound_names, body))
    outer = {n for part in body for s in in_scope(part) if isinstance(s, ast.Global) for n in s.names}
    kinds = _type_parameters(node)
    around = hidden | kinds
    head = [*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())]
    annotations = [*(a.annotation for a in arguments), getattr(node, "returns", None)]
    return [
        *((part, (around | bound) - outer) for part in body),
        *((part, around) for part in head if part is not None),
        *(scoped for part in annotations if part is not None for scoped in _in_annotation(part, around)),
    ]


def _in_annotation(node: ast.expr, hidden: frozenset[str]) -> list[Scoped]:
    match node:
        case ast.Constant(value=str() as text):
            return _in_text(text, hidden)
    return [(node, hidden)]


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    optional = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*named_parameters(arguments), *optional]


def _type_parameters(node: ast.AST) -> frozenset[str]:
    """`T` of `def f[T](x: T)` and `class C[T]`, from Python 3.12 on."""
    return frozenset(parameter.name for parameter in getattr(node, "type_params", ()))


def names_in(*trees: ast.AST) -> Iterator[str]:
    """Each use of a name or an attribute in some texts."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name


def has_loop(tree: ast.AST) -> bool:
    """Whether there is a loop of Python in a text."""
    return any(isinstance(node, ast.For | ast.While | ast.comprehension) for node in ast.walk(tree))


def words_in(*trees: ast.AST) -> set[str]:
    """The names, attributes and strings of some texts."""
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {*names_in(*trees), *(node.value for node in nodes if isinstance(node.value, str))}


def whole_numbers(*trees: ast.AST) -> set[int]:
    """The whole numbers that some texts are written with."""
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is int}


def in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those inside of it that bind names in its scope: not the bodies of definitions, nor inner targets."""
    left = [node]
    while left:
        inner = left.pop()
        yield inner
        if isinstance(inner, ast.comprehension):
            left += [inner.iter, *inner.ifs]
        elif not isinstance(inner, (*DEFINITIONS, ast.Lambda)):
            left += ast.iter_child_nodes(inner)


def bound_names(node: ast.AST) -> set[str]:
    """The names that a node binds in its own scope; what it declares `nonlocal` belongs to a function around it."""
    found: set[str] = set()
    others: set[str] = set()
    for inner in in_scope(node):
        match inner:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {a.asname or a.name.partition(".")[0] for a in names}
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                found.add(name)
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                found.add(name)
            case ast.Nonlocal(names=names):
                others |= set(names)
    return found - others


def own_names(function: Function) -> set[str]:
    """The names of a function: its parameters, and what it binds in its own scope and declares of no other one."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    found = {a.arg for a in _parameters(function.args)}.union(*map(bound_names, body))
    return found - {n for part in body for s in in_scope(part) if isinstance(s, ast.Global) for n in s.names}


def placed_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters that a call may give by their place."""
    return [*arguments.posonlyargs, *arguments.args]


def named_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters but `*others` and `**options`."""
    return [*placed_parameters(arguments), *arguments.kwonlyargs]


def with_defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """All named parameters, each with its default; None where it has none."""
    needed = len(placed_parameters(arguments)) - len(arguments.defaults)
    defaults = [*[None] * needed, *arguments.defaults, *arguments.kw_defaults]
    return list(zip(named_parameters(arguments), defaults, strict=True))


def defaults_of(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The default of each parameter that has one."""
    return {parameter.arg: default for parameter, default in with_defaults(arguments) if default is not None}
