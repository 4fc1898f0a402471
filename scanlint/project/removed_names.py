"""Finds the places where a file uses what JAX has no more, whatever it is imported as."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from scanlint.jaxapi.removed import REMOVED
from scanlint.jaxapi.words import words
from scanlint.project.summary import Removed
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import Kinds, by_kind, dotted, walk

COMMON = words(
    "index config api callback export partial product Var Literal Primitive tril triu normalize shuffle maps loops "
    "PartitionSpec with_sharding_constraint linear_util vectorize optimizers Inf NaN trapz round_ safe_map safe_zip "
    "Jaxpr ClosedJaxpr JaxprEqn tree_map tree_leaves tree_flatten tree_unflatten tree_structure tree_transpose "
    "tree_reduce tree_all treedef_is_leaf treedef_tuple treedef_children optim nn"
)
"""Words that mean something else in many files: they count behind their module, or its usual other name."""
ALIASES = {"numpy": ("numpy", "jnp", "np"), "random": ("random", "jr", "jrandom"), "linalg": ("linalg", "jsl", "jla")}
RARE = frozenset(name.rpartition("(" if name.endswith(")") else ".")[2].removesuffix(")") for name in REMOVED) - COMMON
IMPORTS = regex(rf"from[ \t]+(?:jax|flax)[\w.]*[ \t]+import[^\n]*\b(?:{'|'.join(sorted(COMMON))})\b")


def _behind(name: str) -> tuple[str, ...]:
    """`jnp.trapz` and the like for `jax.numpy.trapz`."""
    module, _, word = name.rpartition(".")
    last = module.rpartition(".")[2]
    return tuple(f"{alias}.{word}" for alias in ALIASES.get(last, (last,)))


SPELLED = (*sorted(RARE), "jax.config import", "import jax.config", *(s for name in REMOVED for s in _behind(name)))


def _is_spelled(text: str) -> bool:
    """Without one of these a file uses nothing that is gone."""
    return any(spelled in text for spelled in SPELLED) or IMPORTS.search(text) is not None


GUARDS: tuple[type[ast.AST], ...] = (ast.Try, ast.TryStar, ast.If, ast.IfExp)
BINDING: tuple[type[ast.AST], ...] = (
    ast.Import, ast.ImportFrom, ast.Name, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip
CAUGHT = frozenset(["ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"])


def removed_uses(tree: ast.Module, text: str) -> tuple[tuple[str, int, int, int, int], ...]:
    """The fields of each `Removed` of a file, in order; what a `try` or a look at the version guards is none."""
    if not _is_spelled(text):
        return ()
    kinds = by_kind(tree)
    names = _imported(kinds)
    places = [node for kind in (ast.Attribute, ast.Call, ast.ImportFrom, ast.Import) for node in kinds.of(kind)]
    used = [(node, name) for node in places for name in _used(node, names)]
    if not used:
        return ()
    lines = text.split("\n")
    guards = [node for kind in GUARDS for node in kinds.of(kind) if _guards(node)]
    skipped = {id(inner) for node in guards for inner in walk(node)}
    if any(isinstance(s, ast.ImportFrom) and s.module == "__future__" for s in tree.body):
        skipped |= {id(inner) for annotation in _annotations(tree) for inner in walk(annotation)}
    found = [Removed(name, *_place(node, lines)) for node, name in used if id(node) not in skipped]
    found.sort(key=lambda use: (use.line, use.column))
    return tuple((*use,) for use in found)


def _used(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The entries of the table that an import or a chain of attributes leads to."""
    match node:
        case ast.Attribute():
            root, _, rest = (dotted(node) or "").partition(".")
            meant = names.get(root)
            if meant is not None and f"{meant}.{rest}" in REMOVED and meant not in REMOVED:
                yield f"{meant}.{rest}"
        case ast.Call(func=function, keywords=keywords) if keywords:
            root, _, rest = (dotted(function) or "").partition(".")
            called = ".".join(filter(None, (names.get(root), rest)))
            yield from islice((name for k in keywords if (name := f"{called}({k.arg}=)") in REMOVED), 1)
        case ast.ImportFrom(module=str(module), level=0):
            for alias in node.names:
                if (entry := _entry(f"{module}.{alias.name}")) is not None:
                    yield entry
        case ast.Import():
            for alias in node.names:
                if (entry := _entry(alias.name)) is not None or (alias.name == "jax.config"):
                    yield entry or "jax.config.config"


def _entry(name: str) -> str | None:
    """The entry that a name is, or stands below."""
    parts = name.split(".")
    return next((e for n in range(len(parts), 1, -1) if (e := ".".join(parts[:n])) in REMOVED), None)


def _imported(kinds: Kinds) -> dict[str, str]:
    """The full names of imported names, of those that mean nothing else anywhere in the file."""
    found: dict[str, str] = {}
    bound: Counter[str] = Counter()
    for node in (node for kind in BINDING for node in kinds.of(kind)):
        match node:
            case ast.Import():
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    meant = alias.name if alias.asname else name
                    bound[name] += found.get(name) not in (None, meant)
                    found[name] = meant
            case ast.ImportFrom(module=str(module), level=0):
                for alias in node.names:
                    name = alias.asname or alias.name
                    meant = f"{module}.{alias.name}"
                    bound[name] += found.get(name) not in (None, meant)
                    found[name] = meant
            case ast.ImportFrom():
                bound.update(alias.asname or alias.name for alias in node.names)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                bound[name] += 1
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound[name] += 1
    return {name: meant for name, meant in found.items() if not bound[name]}


def _guards(node: ast.AST) -> bool:
    """A statement in which another version of JAX is thought of."""
    match node:
        case ast.Try() | ast.TryStar():
            kinds = [kind for handler in node.handlers for kind in _kinds(handler.type)]
            return any(kind is None or kind in CAUGHT for kind in kinds)
        case ast.If(test=test) | ast.IfExp(test=test):
            said = ast.unparse(test)
            return "version" in said.lower() or "hasattr" in said
    return False


def _kinds(caught: ast.expr | None) -> list[str | None]:
    """The names of what a handler catches; None where it catches all."""
    if caught is None:
        return [None]
    listed = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return [(dotted(one) or "").rpartition(".")[2] for one in listed]


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that are not evaluated where annotations are put off."""
    for node in walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as said) | ast.AnnAssign(annotation=said):
                yield said
            case ast.FunctionDef(returns=ast.expr() as said) | ast.AsyncFunctionDef(returns=ast.expr() as said):
                yield said


def _place(node: ast.AST, lines: list[str]) -> tuple[int, int, int, int]:
    """Line and column of the beginning and the end of a node."""
    assert isinstance(node, ast.expr | ast.stmt)
    end = node.end_lineno or node.lineno
    return node.lineno, _column(lines, node.lineno, node.col_offset), end, _column(lines, end, node.end_col_offset or 0)


def _column(lines: list[str], line: int, offset: int) -> int:
    return len(lines[line - 1].encode()[:offset].decode(errors="replace")) + 1
