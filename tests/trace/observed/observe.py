"""Run small programs under JAX, and write down what each function and expression really was while they ran.

    python tests/tracing/observe.py tests/tracing/programs/flax.txt > tests/tracing/programs/flax.json

A file holds programs, each begun by a line `=== what it shows`; a program holds modules, each begun by a line
`--- path` (the first is `main.py` where no such line stands). `main.main()` is what a user would run. Needs only JAX.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

LONGEST, DEEPEST, MOST = 24, 4, 12
STAGED = ("DynamicJaxprTrace", "BatchTrace")


class Program(NamedTuple):
    """One program: what it shows, and its modules by path."""

    title: str
    files: dict[str, str]


def programs(text: str) -> Iterator[Program]:
    """The programs of a file."""
    for part in text.split("\n=== ")[1:]:
        title, _, body = part.partition("\n")
        body = body if body.startswith("--- ") else f"--- main.py\n{body}"
        pieces = ("\n" + body).split("\n--- ")[1:]
        yield Program(title.strip(), {p.partition("\n")[0].strip(): p.partition("\n")[2] + "\n" for p in pieces})


def place(path: str, node: ast.AST) -> str:
    """A node's key: its file, extent and type."""
    lines = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return f"{path}:{':'.join(map(str, lines))}:{type(node).__name__}"


class Instrument(ast.NodeTransformer):
    """Hands the value of each expression, and the entry of each function, to `_seen_` and `_entered_`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def visit(self, node: ast.AST) -> ast.AST:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._function(node)
            case ast.Lambda():
                key = place(self.path, node)
                node.args = self.visit(node.args)  # type: ignore[assignment]
                inner = self.visit(node.body)
                entered = _call("_entered_", key)
                node.body = ast.Subscript(ast.Tuple([entered, inner], ast.Load()), ast.Constant(1), ast.Load())  # type: ignore[list-item]
                return node
            case ast.AnnAssign():
                node.value = self.visit(node.value) if node.value is not None else None  # type: ignore[assignment]
                return node
            case ast.arg() | ast.pattern() | ast.JoinedStr() | ast.Expr(value=ast.Constant()):
                return node
            case ast.Call(func=ast.Name(id="super")):
                return node
            case ast.Starred() | ast.Slice():
                return self.generic_visit(node)
            case ast.Tuple() if any(isinstance(e, ast.Slice) for e in node.elts):
                return self.generic_visit(node)
            case ast.expr() if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                key = place(self.path, node)
                return _call("_seen_", key, self.generic_visit(node))
        return self.generic_visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        key = place(self.path, node)
        node.decorator_list = [self.visit(d) for d in node.decorator_list]  # type: ignore[misc]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]  # type: ignore[misc]
        node.args.kw_defaults = [d if d is None else self.visit(d) for d in node.args.kw_defaults]  # type: ignore[misc]
        node.body = [ast.Expr(_call("_entered_", key)), *(self.visit(s) for s in node.body)]  # type: ignore[list-item]
        return node


def _call(name: str, key: str, *args: ast.AST) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(key), *args], [])  # type: ignore[list-item]


class Observer:
    """What was seen: for each place, under a trace and on the host, the different descriptions of its values."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, list[object]]] = {}
        self.entered: dict[str, list[str]] = {}
        self.describing = False

    def value(self, key: str, value: object) -> object:
        """Write down a value, and hand it on."""
        if self.describing:
            return value
        kinds = self.seen.setdefault(key, {}).setdefault(_state(), [])
        if len(kinds) < MOST:
            self.describing = True
            description = describe(value)
            self.describing = False
            if description not in kinds:
                kinds.append(description)
        return value

    def enter(self, key: str) -> None:
        if self.describing:
            return
        states = self.entered.setdefault(key, [])
        if _state() not in states:
            states.append(_state())


def _state() -> str:
    """Whether a trace is under way that gives tracers without values."""
    from jax._src import core

    trace: object | None = core.trace_ctx.trace
    while trace is not None:
        if type(trace).__name__ in STAGED:
            return "traced"
        trace = getattr(trace, "parent_trace", None)
    return "host"


def describe(value: object, depth: int = 0) -> dict[str, object]:
    """A value in words that JSON holds."""
    import jax
    import numpy as np
    from jax._src import core

    if isinstance(value, jax.core.Tracer | jax.Array):
        tracer = isinstance(value, jax.core.Tracer) and not core.is_concrete(value)
        return {"is": "tracer" if tracer else "array", "ndim": value.ndim, "dtype": str(value.dtype)}
    if isinstance(value, np.ndarray | np.generic):
        return {"is": "numpy"}
    if value is None or type(value) in (bool, int, float, complex, str, range):
        return {"is": "python", "type": type(value).__name__, "value": repr(value)}
    if depth < DEEPEST and isinstance(value, tuple | list) and type(value).__iter__ in (tuple.__iter__, list.__iter__):
        fields = list(getattr(value, "_fields", ()))
        inside = [describe(v, depth + 1) for v in list(value)[:LONGEST]]
        return {"is": "container", "type": type(value).__name__, "items": inside, "length": len(value), "names": fields}
    if depth < DEEPEST and isinstance(value, dict) and len(value) <= LONGEST:
        inside = {repr(k): describe(v, depth + 1) for k, v in value.items()}
        return {"is": "container", "type": "dict", "fields": inside}
    try:
        leaves = jax.tree.leaves(value)
    except (TypeError, ValueError, AttributeError):
        leaves = []
    traced = any(isinstance(v, jax.core.Tracer) and not core.is_concrete(v) for v in leaves if v is not value)
    return {"is": "object", "type": type(value).__name__, "traced": traced, "callable": callable(value)}


def run(program: Program) -> dict[str, object]:
    """Run one program with its modules rewritten; `error` says how it failed."""
    observer = Observer()
    with tempfile.TemporaryDirectory() as folder:
        for path, text in program.files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            tree = Instrument(path).visit(ast.parse(text))
            file.write_text(ast.unparse(ast.fix_missing_locations(tree)))
        error = _main(folder, observer)
    return {"title": program.title, "seen": observer.seen, "entered": observer.entered, "error": error}


def _main(folder: str, observer: Observer) -> str | None:
    import builtins

    hooks: dict[str, Callable[..., object]] = {"_seen_": observer.value, "_entered_": observer.enter}
    vars(builtins).update(hooks)
    before = set(sys.modules)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        importlib.import_module("main").main()
    except Exception:  # noqa: BLE001
        return "".join(traceback.format_exc().splitlines(keepends=True)[-4:])
    finally:
        sys.path.remove(folder)
        inside = [n for n, m in sys.modules.items() if str(getattr(m, "__file__", "") or "").startswith(folder)]
        for name in set(inside) - before:
            del sys.modules[name]
    return None


def main() -> None:
    sys.dont_write_bytecode = True
    found = [run(program) for path in sys.argv[1:] for program in programs(Path(path).read_text())]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
