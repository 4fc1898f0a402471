"""Install the recorder in this process: rewrite the wanted functions as they are imported, and nothing else."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib.machinery
import json
import os
import sys
import types
import warnings
from collections.abc import Callable

from .instrument import HOOK, Wanted, instrument
from .seen import Recorder

LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")


class Files:
    """The files of the plan by their real paths, with the functions that are wanted in each."""

    def __init__(self, table: dict[str, Wanted]) -> None:
        self.table = table
        self.names = {os.path.basename(path) for path in table}

    def wanted(self, path: str) -> Wanted | None:
        return self.table.get(os.path.realpath(path)) if os.path.basename(path) in self.names else None


FILES = Files({})


def start(plan_file: str) -> None:
    """Read the plan; from now on its functions tell what they are called with."""
    global FILES
    with open(plan_file, encoding="utf-8") as stream:
        plan = json.load(stream)
    table: dict[str, Wanted] = {}
    for index, function in enumerate(plan["functions"]):
        table.setdefault(function["file"], {})[function["qualname"], function["line"]] = index
    FILES = Files(table)
    recorder = Recorder(plan)
    setattr(builtins, HOOK, recorder.seen)
    _watch_imports(recorder.costs.listen)
    _take_over_script()


def _watch_imports(heard: Callable[[], None]) -> None:
    """Compile wanted functions with the hook, and say so once JAX has been imported."""
    loader = importlib.machinery.SourceFileLoader
    original, execute = loader.get_code, loader.exec_module

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> types.CodeType | None:
        try:
            path = self.get_filename(fullname)
            wanted = FILES.wanted(path)
            if wanted:
                return compiled(self.get_data(path), path, wanted, self.source_to_code)
        except Exception:  # noqa: BLE001  the import goes on as it would have
            pass
        return original(self, fullname)

    def exec_module(self: importlib.machinery.SourceFileLoader, module: types.ModuleType) -> None:
        execute(self, module)
        if module.__name__ == "jax":
            loader.exec_module = execute  # type: ignore[method-assign]
            with contextlib.suppress(Exception):  # the user's program goes on, whatever is wrong here
                heard()

    loader.get_code = get_code  # type: ignore[assignment, method-assign]
    loader.exec_module = exec_module  # type: ignore[assignment, method-assign]


def compiled(
    data: bytes, path: str, wanted: Wanted, compiler: Callable[[ast.Module, str], types.CodeType]
) -> types.CodeType:
    """The code of a file with the calls of the hook in it; its bytecode is not cached."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compiler(instrument(ast.parse(data, path), wanted), path)


def _take_over_script() -> None:
    """Start the program anew with the launcher if it is a script of the plan: a script is not imported."""
    arguments = getattr(sys, "argv", [])
    if not arguments or os.name == "nt" or not arguments[0].endswith(".py") or not FILES.wanted(arguments[0]):
        return
    at = len(sys.orig_argv) - len(arguments)
    if at < 1 or sys.orig_argv[at] != arguments[0]:
        return
    os.execv(sys.executable, [sys.orig_argv[0], *sys.orig_argv[1:at], LAUNCH, *arguments])
