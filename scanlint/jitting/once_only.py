"""What a jitted function would do once, when it is traced, and no longer on each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from scanlint.jaxapi.words import words
from scanlint.jitting.targets import Function
from scanlint.syntax.bindings import targets

DRAWS = "draws random numbers when it is traced, the same ones on each call; use `jax.random` with a key"
CLOCK = "reads a clock when it is traced, and not on each call; measure around the call"
WRITES = "writes when it is traced, and not on each call; use `jax.debug.print` or `jax.debug.callback`"
ASKS = "asks the system when it is traced, and not on each call; pass the answer as an argument"
ONCE = {
    "numpy.random": DRAWS,
    "random": DRAWS,
    "secrets": DRAWS,
    "time": CLOCK,
    "datetime": CLOCK,
    "logging": "logs when it is traced, and not on each call; use `jax.debug.callback`",
    "warnings": "warns when it is traced, and not on each call; warn before the call",
    "os": ASKS,
    "subprocess": ASKS,
    "shutil": ASKS,
    "sys.stdout": WRITES,
    "sys.stderr": WRITES,
    "tqdm": WRITES,
    "wandb": WRITES,
    "print": "prints when it is traced, and not on each call; use `jax.debug.print`",
    "input": "asks for input when it is traced, and not on each call; pass it as an argument",
    "open": "opens a file when it is traced, and not on each call; read it before the call",
}
BUILTINS = ("print", "input", "open")
GLOBAL = "`{}` is changed elsewhere (line {}): a jitted function keeps what it read at first; pass it as an argument"
BINDS = "`{}` of the module is changed: a jitted function does that only when it is traced; return the value"
ARGUMENT = "the argument `{}` is changed in place: a jitted function works on a copy; return the new value"
TESTED = "`{}` asks what kind of number `{}` is: under jit it is a tracer; ask before the call"
CACHED = "`{}` keeps what it computed: what it keeps of a trace is a tracer; compute it outside, or without the cache"
TIMES = ("datetime.timedelta", "os.path")
MUTATES = words(
    "append extend insert remove clear update add discard sort reverse fill resize put appendleft setdefault pop"
)
"""Methods that change their object, where they are called as statements."""
TAKES = frozenset(["pop", "popitem", "popleft", "setdefault"])
"""Those that change it whatever becomes of their result."""
KINDS = frozenset(["int", "float", "bool", "complex", "ndarray", "generic", "number", "Number"])


def once_only(tree: ast.Module, reached: Sequence[Function]) -> Iterator[tuple[int, str]]:
    """What the functions of a module do that a trace does once, or to a copy, each with its line."""
    imported = _imported(tree)
    changed = dict(_changed(tree))
    for function in reached:
        local = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        own = local | _bound(function)
        yield from ((function.lineno, CACHED.format(function.name)) for d in function.decorator_list if _caches(d))
        for node in ast.walk(function):
            match node:
                case ast.Call(func=called, lineno=line):
                    if why := _why(_dotted(called, imported, own)):
                        yield line, f"`{ast.unparse(called)}` {why}"
                    if (name := _asked(node)) in local:
                        yield line, TESTED.format(ast.unparse(node), name)
                case ast.Global(names=names, lineno=line):
                    yield from ((line, BINDS.format(name)) for name in names)
                case ast.Name(id=name, ctx=ast.Load(), lineno=line) if name in changed and name not in own:
                    yield line, GLOBAL.format(name, changed[name])
            for name, line in _mutated(node):
                if name in local and name not in _rebound(function, line):
                    yield line, ARGUMENT.format(name)
                elif name in changed and name not in own:
                    yield line, BINDS.format(name)


def _changed(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names of a module that some function binds anew, or changes in place; with the line of it."""
    module = {name for statement in tree.body for name in _targets(statement)}
    for function in (n for n in ast.walk(tree) if isinstance(n, Function)):
        own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} | _bound(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield from ((name, node.lineno) for name in node.names)
            yield from ((name, line) for name, line in _mutated(node) if name in module - own)


def _targets(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=listed):
            yield from (name for target in listed for name in targets(target))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def _bound(function: Function) -> set[str]:
    """The names that a function binds itself."""
    shared = {name for n in ast.walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - shared


def _rebound(function: Function, line: int) -> set[str]:
    """The names that a function has bound to something of its own before a line."""
    stored = (n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {n.id for n in stored if n.lineno < line}


def _mutated(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The names whose object a node changes in place."""
    match node:
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            root = _root(node)
        case _ if (changed := changes(node)) is not None:
            root = _root(changed)
        case _:
            return
    if root is not None:
        yield root.id, getattr(node, "lineno", 0)


def changes(node: ast.AST) -> ast.expr | None:
    """What a call changes in place; None where the node is no such call."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=method))) if method in MUTATES:
            return value
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in TAKES:
            return value
    return None


def _root(node: ast.AST) -> ast.Name | None:
    """The name that a chain of attributes and items begins with; `x.at[i]` is another array."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr == "at":
            return None
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _asked(call: ast.Call) -> str:
    """The name whose kind of number a call asks for."""
    match call:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds]):
            words = {
                n.id if isinstance(n, ast.Name) else n.attr
                for n in ast.walk(kinds)
                if isinstance(n, ast.Name | ast.Attribute)
            }
            return name if words & KINDS else ""
        case ast.Call(func=ast.Attribute(attr="isscalar") | ast.Name(id="type"), args=[ast.Name(id=name)]):
            return name
    return ""


def _caches(decorator: ast.expr) -> bool:
    return (
        any(word in ast.unparse(decorator) for word in ("lru_cache", "functools.cache", "memoize"))
        or ast.unparse(decorator) == "cache"
    )


def _why(name: str) -> str:
    if not name or name.startswith(TIMES):
        return ""
    parts = name.split(".")
    return next((ONCE[head] for n in (2, 1) if (head := ".".join(parts[:n])) in ONCE), "")


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names that imports bind stand for, and those of what they made: `logger = logging.getLogger()`."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    found[alias.asname or whole] = whole
            case ast.ImportFrom(module=module, names=names, level=0):
                found |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in names}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=called)) if made := _dotted(
                called, found, set()
            ):
                found.setdefault(name, made)
    return found


def _dotted(node: ast.expr, imported: Mapping[str, str], local: set[str]) -> str:
    """What a called expression is named, from the module that it comes from; empty where it comes from none."""
    match node:
        case ast.Name(id=name) if name not in local:
            return imported.get(name, name if name in BUILTINS else "")
        case ast.Attribute(value=value, attr=attr):
            owner = _dotted(value, imported, local)
            return f"{owner}.{attr}" if owner else ""
    return ""
